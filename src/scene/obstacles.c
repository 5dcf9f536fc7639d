#include "scene/obstacles.h"

#include "core/field.h"
#include "scene/barriers.h"
#include "scene/meetings.h"
#include "scene/reference.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- fields ---- */

typedef struct contact_config {
    double stiffness; /* < 0: the default */
    double friction, slip, damping, restitution;
    int bodies;   /* 0: they touch each other */
    int method;   /* 0: penalty */
    double d_hat; /* 0: the default */
} contact_config;

static const char *const touching[] = { "touch", "pass", NULL };
static const char *const methods[] = { "penalty", "barrier", NULL };

const lil_field lil_contact_fields[] = {
    { .name = "stiffness",
      .kind = LIL_REAL,
      .offset = offsetof(contact_config, stiffness),
      .preset = -1,
      .least = 1e-200,
      .most = 1e100,
      .unit = "N/m^3, N/m, Pa",
      .doc = "of a body's surface pressure by depth, of a particle force by depth (default: of a body Young's "
             "modulus over "
             "the length of an edge of its surface, so that it is pressed in by as much of an edge as it is "
             "strained; of a "
             "particle what gives h omega_c = 0.1 with the scene's step). Of the barrier, in Pa: at 0.7 `d_hat` it "
             "is as "
             "stiff as an element of this modulus (default: of a body its own, lambda + 2 mu; of particles what the "
             "step "
             "resolves)" },
    { .name = "friction",
      .kind = LIL_REAL,
      .offset = offsetof(contact_config, friction),
      .preset = 0,
      .least = 0,
      .most = 1e6,
      .unit = "",
      .doc = "Coulomb's coefficient mu; the barrier takes it without constraints" },
    { .name = "slip",
      .kind = LIL_REAL,
      .offset = offsetof(contact_config, slip),
      .preset = 0.01,
      .least = 1e-200,
      .most = 1e6,
      .unit = "m/s",
      .doc = "what sticks creeps slower than this: friction is mu N f(|u|/slip), f(y) = 2 y - y^2 up to 1" },
    { .name = "damping",
      .kind = LIL_REAL,
      .offset = offsetof(contact_config, damping),
      .preset = -1,
      .least = 0,
      .most = 1e6,
      .unit = "s",
      .doc = "kD: what touches is held back by kD k times how fast its depth changes, so that it comes to rest "
             "(default: 0; "
             "of the barrier, whose k is 3 N/gap, the damping of the bodies that meet)" },
    { .name = "restitution",
      .kind = LIL_REAL,
      .offset = offsetof(contact_config, restitution),
      .preset = 1,
      .least = 0,
      .most = 1,
      .unit = "",
      .doc =
          "of the barrier: what meets leaves with this much of its velocity, where that is more than `slip`; what a "
          "body's own elasticity stores is not touched by it" },
    { .name = "bodies",
      .kind = LIL_CHOICE,
      .offset = offsetof(contact_config, bodies),
      .choices = touching,
      .unit = "",
      .doc = "what bodies do that meet each other, in a scene with `obstacles` or `contact`" },
    { .name = "method",
      .kind = LIL_CHOICE,
      .offset = offsetof(contact_config, method),
      .choices = methods,
      .unit = "",
      .doc =
          "penalty: what is inside something is pushed out. barrier: nothing gets inside, edges meet edges, bodies "
          "meet themselves; with `energy-momentum` (energy and momenta are kept through every impact), `midpoint` "
          "or `implicit-euler`, without `keys`" },
    { .name = "d_hat",
      .kind = LIL_REAL,
      .offset = offsetof(contact_config, d_hat),
      .preset = 0,
      .least = 0,
      .most = 1e100,
      .unit = "m",
      .doc = "of the barrier: the gap at which it begins (default: a tenth of the mean edge of a surface, or of the "
             "mean "
             "link of particles and strands)" },
};
enum { OWN_FIELDS = 2 }; /* stiffness and friction: what an obstacle may have of its own */
const int lil_contact_field_count = sizeof lil_contact_fields / sizeof lil_contact_fields[0];

/* ---- shapes ---- */

static lil_status read_length(const lil_reader *rd, const lil_node *map, const char *key, double *x)
{
    const lil_node *node;
    double *values;
    int count;
    LIL_TRY(lil_read_member(rd, map, key, &node));
    LIL_TRY(lil_read_numbers(rd, node, key, true, &values, &count));
    *x = *values;
    if (!(*x > 0 && *x < 1e100))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' must be positive, not %g m", key, *x);
    return LIL_OK;
}

static lil_status read_plane(const lil_reader *rd, const lil_node *map, lil_obstacle *o)
{
    static const char *const keys[] = { "point", "normal", NULL };
    double n[3] = { 0, rd->up == 'y', rd->up == 'z' };
    LIL_TRY(lil_node_check_keys(rd->ctx, map, keys, "a plane"));
    LIL_TRY(lil_read_vector(rd, lil_node_get(map, "point"), "point", o->point));
    LIL_TRY(lil_read_vector(rd, lil_node_get(map, "normal"), "normal", n));
    double length = hypot(hypot(n[0], n[1]), n[2]);
    if (!(length > 0 && length < 1e100))
        return lil_node_fail(rd->ctx, lil_node_get(map, "normal"), LIL_ERR_INPUT,
                             "the 'normal' of a plane must have a length, and [%g, %g, %g] has none", n[0], n[1],
                             n[2]);
    for (int d = 0; d < 3; d++)
        o->normal[d] = n[d] / length;
    return LIL_OK;
}

static lil_status read_sphere(const lil_reader *rd, const lil_node *map, lil_obstacle *o)
{
    static const char *const keys[] = { "centre", "radius", NULL };
    LIL_TRY(lil_node_check_keys(rd->ctx, map, keys, "a sphere"));
    LIL_TRY(lil_read_vector(rd, lil_node_get(map, "centre"), "centre", o->point));
    return read_length(rd, map, "radius", &o->radius);
}

static lil_status read_box(const lil_reader *rd, const lil_node *map, lil_obstacle *o)
{
    static const char *const keys[] = { "centre", "size", "rotate", NULL };
    const lil_node *size;
    LIL_TRY(lil_node_check_keys(rd->ctx, map, keys, "a box"));
    LIL_TRY(lil_read_vector(rd, lil_node_get(map, "centre"), "centre", o->point));
    LIL_TRY(lil_read_rotation(rd, lil_node_get(map, "rotate"), o->R));
    LIL_TRY(lil_read_member(rd, map, "size", &size));
    LIL_TRY(lil_read_vector(rd, size, "size", o->half));
    for (int d = 0; d < 3; d++) {
        if (!(o->half[d] > 0 && o->half[d] < 1e100))
            return lil_node_fail(rd->ctx, size, LIL_ERR_INPUT, "'size' must be positive, not %g m", o->half[d]);
        o->half[d] /= 2;
    }
    return LIL_OK;
}

/* Where a mesh is put stands beside it; a solid has its own place. */
static lil_status check_place(const lil_reader *rd, const lil_node *node)
{
    static const char *const keys[] = { "at", "rotate", "scale" };
    for (int k = 0; k < 3; k++)
        if (lil_node_get(node, keys[k]))
            return lil_node_fail_key(rd->ctx, lil_node_get(node, keys[k]), "'%s' is for an obstacle that is a 'mesh'",
                                     keys[k]);
    return LIL_OK;
}

static lil_status read_shape(const lil_reader *rd, const lil_node *node, lil_obstacle_def *def)
{
    static lil_status (*const read[])(const lil_reader *, const lil_node *,
                                      lil_obstacle *) = { read_plane, read_sphere, read_box };
    lil_obstacle *o = &def->contact.obstacle;
    const lil_node *shape = NULL;
    int found = 0;
    for (int k = 0; lil_obstacle_names[k]; k++)
        if (lil_node_get(node, lil_obstacle_names[k])) {
            shape = lil_node_get(node, lil_obstacle_names[k]);
            o->kind = (lil_obstacle_kind)k;
            found++;
        }
    if (found != 1)
        return lil_node_fail_key(rd->ctx, node,
                                 "the obstacle '%.60s' is a 'plane', a 'sphere', a 'box' or a 'mesh'%s", node->key,
                                 found ? ", one of them" : "");
    if (o->kind == LIL_OBSTACLE_MESH)
        return lil_read_obstacle_mesh(rd, node, def);
    LIL_TRY(check_place(rd, node));
    LIL_TRY(lil_node_expect(rd->ctx, shape, LIL_NODE_MAP, shape->key));
    return read[o->kind](rd, shape, o);
}

/* ---- what may touch it ---- */

/* Young's modulus over the mean length of an edge, N/m^3; each vertex's share of the surface, m^2 */
static double share_surface(const lil_body *body, double *area)
{
    const double *x = body->mesh.x;
    double edges = 0, mu = body->material.moduli.mu, kappa = body->material.moduli.kappa;
    for (int f = 0; f < body->mesh.face_count; f++) {
        const int *v = body->mesh.faces[f];
        double e[3][3], n[3];
        for (int k = 0; k < 3; k++) {
            for (int d = 0; d < 3; d++)
                e[k][d] = x[3 * v[(k + 1) % 3] + d] - x[3 * v[k] + d];
            edges += hypot(hypot(e[k][0], e[k][1]), e[k][2]);
        }
        for (int d = 0; d < 3; d++)
            n[d] = e[0][(d + 1) % 3] * e[1][(d + 2) % 3] - e[0][(d + 2) % 3] * e[1][(d + 1) % 3];
        for (int k = 0; k < 3; k++)
            area[v[k]] += hypot(hypot(n[0], n[1]), n[2]) / 6;
    }
    double edge = body->mesh.face_count ? edges / (3 * body->mesh.face_count) : 1;
    return 9 * kappa * mu / (3 * kappa + mu) / edge;
}

/* A body's size is the smallest side of its box, in its own coordinates. */
static lil_party party_of(const lil_body *body)
{
    double least[3], most[3];
    bool many = body->particles && body->mesh.vertex_count > 1;
    lil_party party = { .name = body->name, .first = many ? body->first : -1, .size = INFINITY };
    if (body->particles)
        return party;
    lil_box_around(body->own, body->mesh.vertex_count, least, most);
    for (int d = 0; d < 3; d++)
        party.size = fmin(party.size, most[d] - least[d]);
    return party;
}

/* All that can touch something: the surfaces of bodies, and particles, as far as they can move. */
typedef struct surface {
    int count, *vertices, *whole, *party;
    double *k, *mass;
    lil_party *parties; /* one for each body */
} surface;

static lil_status add_body(const lil_reader *rd, const lil_bodies *bs, int b, double stiffness, double step,
                           surface *s)
{
    const lil_body *body = &bs->list[b];
    double *area = LIL_NEW(rd->arena, double, body->mesh.vertex_count), total = 0;
    if (!area)
        return lil_fail_memory(rd->ctx);
    double own = body->particles ? 0 : share_surface(body, area), omega = 0.1 / step;
    s->parties[b] = party_of(body);
    for (int i = 0; i < body->mesh.vertex_count; i++)
        total += bs->mass[body->first + i];
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        int v = body->first + i;
        if (bs->held[v] || (!body->particles && area[i] == 0))
            continue;
        double k = body->particles ? bs->mass[v] * omega * omega : own * area[i];
        if (stiffness > 0)
            k = body->particles ? stiffness : stiffness * area[i];
        s->vertices[s->count] = v;
        s->party[s->count] = b;
        s->k[s->count] = k;
        s->mass[s->count] = body->particles ? bs->mass[v] : total;
        s->whole[s->count++] = body->particles ? -1 : b;
    }
    return LIL_OK;
}

static lil_status find_surface(const lil_reader *rd, const lil_bodies *bs, double stiffness, double step, surface *s)
{
    *s = (surface){ .vertices = LIL_NEW(rd->arena, int, bs->vertex_count),
                    .whole = LIL_NEW(rd->arena, int, bs->vertex_count),
                    .party = LIL_NEW(rd->arena, int, bs->vertex_count),
                    .parties = LIL_NEW(rd->arena, lil_party, bs->count),
                    .k = LIL_NEW(rd->arena, double, bs->vertex_count),
                    .mass = LIL_NEW(rd->arena, double, bs->vertex_count) };
    if (!s->vertices || !s->whole || !s->party || !s->parties || !s->k || !s->mass)
        return lil_fail_memory(rd->ctx);
    for (int b = 0; b < bs->count; b++)
        LIL_TRY(add_body(rd, bs, b, stiffness, step, s));
    return LIL_OK;
}

/* ---- bodies among themselves ---- */

static int count_sides(const lil_bodies *bs, int *skins)
{
    *skins = 0;
    for (int b = 0; b < bs->count; b++)
        *skins += bs->list[b].mesh.face_count > 0;
    return bs->count;
}

static lil_status add_side(const lil_reader *rd, const lil_bodies *bs, const lil_body *body, double stiffness,
                           double step, int *points, double *k, lil_side *side)
{
    double *area = LIL_NEW(rd->arena, double, body->mesh.vertex_count), omega = 0.1 / step;
    bool moves = false;
    if (!area)
        return lil_fail_memory(rd->ctx);
    side->party = party_of(body);
    side->k = body->particles ? 0 : share_surface(body, area);
    side->k = stiffness > 0 ? stiffness : side->k;
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        int v = body->first + i;
        moves = moves || !bs->held[v];
        side->mass += bs->mass[v];
        if (body->particles ? bs->held[v] : area[i] == 0)
            continue;
        points[side->first + side->count] = v;
        k[side->first + side->count++] = !body->particles ? area[i]
                                         : stiffness > 0  ? stiffness
                                                          : bs->mass[v] * omega * omega;
    }
    side->mass = moves ? side->mass : INFINITY;
    return body->mesh.face_count ? lil_skin_create(rd->ctx, rd->arena, bs->x, (const int(*)[3])body->mesh.faces,
                                                   body->mesh.face_count, body->first, &side->skin)
                                 : LIL_OK;
}

static const lil_body *body_of(const lil_bodies *bs, int vertex)
{
    int b = bs->count - 1;
    while (bs->list[b].first > vertex)
        b--;
    return &bs->list[b];
}

/* How deep a vertex is inside another body, at most; 0: none is. */
static lil_status find_overlap(const lil_reader *rd, const lil_bodies *bs, const double *x, int *vertex, int *side,
                               double *depth)
{
    lil_term term = lil_collision_term(bs->collision);
    lil_entries none;
    void *work;
    LIL_TRY(term.table->begin(rd->ctx, term.data, rd->arena, false, &work, &none));
    double least[3], most[3], size = lil_box_around(x, bs->vertex_count, least, most);
    if (!lil_collision_deepest(&term, work, x, depth, vertex, side) || *depth <= 1e-6 * size)
        *depth = 0;
    return LIL_OK;
}

static lil_status check_overlap(const lil_reader *rd, const lil_bodies *bs)
{
    double depth;
    int vertex = 0, side = 0;
    LIL_TRY(find_overlap(rd, bs, bs->x, &vertex, &side, &depth));
    const double *x = bs->x + 3 * vertex;
    const lil_body *body = body_of(bs, vertex);
    if (depth == 0)
        return LIL_OK;
    return lil_node_fail_key(
        rd->ctx, body->node,
        "'%.60s' starts inside '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move it out, or let bodies pass through "
        "each other, contact: {bodies: pass}",
        body->name, bs->list[side].name, depth, x[0], x[1], x[2]);
}

static lil_status find_collisions(const lil_reader *rd, double stiffness, double step, lil_bodies *bs)
{
    int skins, sides = count_sides(bs, &skins), *points = LIL_NEW(rd->arena, int, bs->vertex_count);
    double *k = LIL_NEW(rd->arena, double, bs->vertex_count);
    lil_side *list = LIL_NEW(rd->arena, lil_side, sides);
    lil_collision *c = LIL_NEW(rd->arena, lil_collision, 1);
    if (!points || !k || !list || !c)
        return lil_fail_memory(rd->ctx);
    if (!skins || sides < 2)
        return LIL_OK;
    *c = (lil_collision){ .side_count = sides,
                          .sides = list,
                          .points = points,
                          .k = k,
                          .vertex_count = bs->vertex_count,
                          .mass = bs->mass };
    for (int b = 0; b < sides; b++) {
        list[b].first = c->count;
        LIL_TRY(add_side(rd, bs, &bs->list[b], stiffness, step, points, k, &list[b]));
        c->count += list[b].count;
    }
    bs->collision = c;
    return check_overlap(rd, bs);
}

/* ---- an obstacle ---- */

/* Pressed in by ten times its own weight is still lying on it; deeper it is inside. Of vertices that are `held`, NULL: of all, which of
 * them is deepest inside the obstacle at c; -1: none is. */
static int find_inside(const lil_bodies *bs, const lil_obstacle_def *o, const double c[3], const double *x,
                       const bool *held, double *deepest)
{
    const double *g = bs->gravity, weight = hypot(hypot(g[0], g[1]), g[2]);
    int worst = -1;
    *deepest = 0;
    for (int i = 0; i < o->contact.count; i++) {
        int v = o->contact.vertices[i];
        if (held && !(held[3 * v] && held[3 * v + 1] && held[3 * v + 2]))
            continue;
        const double r[3] = { x[3 * v] - c[0], x[3 * v + 1] - c[1], x[3 * v + 2] - c[2] };
        double depth = lil_obstacle_depth(&o->contact.obstacle, r).depth;
        double size = fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
        if (depth > 1e-9 * size + 10 * bs->mass[v] * weight / o->contact.k[i] && depth > *deepest) {
            *deepest = depth;
            worst = v;
        }
    }
    return worst;
}

static lil_status check_start(const lil_reader *rd, const lil_bodies *bs, const lil_obstacle_def *o,
                              const double c[3])
{
    double deepest;
    int worst = find_inside(bs, o, c, bs->x, NULL, &deepest);
    if (worst < 0)
        return LIL_OK;
    const double *x = bs->x + 3 * worst;
    const lil_body *body = body_of(bs, worst);
    return lil_node_fail_key(
        rd->ctx, body->node,
        "'%.60s' starts inside the obstacle '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move it out", body->name,
        o->name, deepest, x[0], x[1], x[2]);
}

lil_status lil_check_key_contact(const lil_reader *rd, const lil_node *node, const lil_bodies *bs, double t,
                                 const double *x, const bool *held)
{
    double depth;
    int vertex, side;
    bool all = true;
    for (int i = 0; i < bs->obstacle_count; i++) {
        const lil_obstacle_def *o = &bs->obstacles[i];
        double c[6] = { 0 };
        if (o->contact.move && isnan(t))
            continue;
        if (o->contact.move) {
            double *slots = lil_program_slots(o->contact.move, rd->arena);
            if (!slots)
                return lil_fail_memory(rd->ctx);
            lil_program_run(o->contact.move, slots, t, NULL, NULL, c);
        }
        for (int d = 0; d < 3; d++)
            c[d] += o->contact.obstacle.point[d];
        vertex = find_inside(bs, o, c, x, held, &depth);
        if (vertex >= 0)
            return lil_node_fail(
                rd->ctx, node, LIL_ERR_INPUT,
                "this key puts '%.60s' inside the obstacle '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move it out",
                body_of(bs, vertex)->name, o->name, depth, x[3 * vertex], x[3 * vertex + 1], x[3 * vertex + 2]);
    }
    for (int k = 0; k < 3 * (bs->vertex_count - bs->anchor_count); k++)
        all = all && held[k];
    if (!bs->collision || !all)
        return LIL_OK;
    LIL_TRY(find_overlap(rd, bs, x, &vertex, &side, &depth));
    return depth == 0 ? LIL_OK
                      : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                      "this key puts '%.60s' inside '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move "
                                      "it out, or let bodies pass through each other, contact: {bodies: pass}",
                                      body_of(bs, vertex)->name, bs->list[side].name, depth, x[3 * vertex],
                                      x[3 * vertex + 1], x[3 * vertex + 2]);
}

static lil_status read_program(const lil_reader *rd, const lil_node *map, const char *key, const lil_program **out)
{
    const lil_node *node = lil_node_get(map, key);
    if (!node)
        return LIL_OK;
    lil_program *program = LIL_NEW(rd->arena, lil_program, 1);
    if (!program)
        return lil_fail_memory(rd->ctx);
    *out = program;
    return lil_read_texts(rd, node, key, &(lil_texts_def){ .t = true, .rates = true }, program);
}

/* How it is driven, and where it is when the scene starts. */
static lil_status read_drive(const lil_reader *rd, const lil_node *node, double start, lil_obstacle_def *o)
{
    lil_drive_slots slots;
    memcpy(o->drive.centre, o->contact.obstacle.point, sizeof o->drive.centre);
    LIL_TRY(read_program(rd, node, "move", &o->drive.move));
    LIL_TRY(read_program(rd, node, "turn", &o->drive.turn));
    o->contact.move = o->drive.move;
    if (!lil_drive_begin(&o->drive, rd->arena, &slots))
        return lil_fail_memory(rd->ctx);
    lil_drive_at(&o->drive, &slots, start, &o->start);
    return LIL_OK;
}

/* What the clock of the scene says, as far as it has one. */
typedef struct clock_of {
    double step, start;
} clock_of;

static lil_status read_clock(const lil_reader *rd, const lil_node *root, clock_of *when)
{
    const lil_node *time = lil_node_get(root, "time");
    *when = (clock_of){ .step = 0.01 };
    const struct {
        const char *key;
        double *to;
    } parts[] = { { "step", &when->step }, { "start", &when->start } };
    for (int i = 0; i < 2 && time; i++) {
        const lil_node *node = lil_node_get(time, parts[i].key);
        double *x;
        int count;
        if (!node)
            continue;
        LIL_TRY(lil_read_numbers(rd, node, parts[i].key, true, &x, &count));
        *parts[i].to = *x;
    }
    return LIL_OK;
}

static lil_status read_obstacle(const lil_reader *rd, const lil_node *node, const contact_config *common,
                                const clock_of *when, lil_bodies *bs)
{
    static const char *const keys[] = { "plane", "sphere", "box",  "mesh",      "at",       "rotate",
                                        "scale", "move",   "turn", "stiffness", "friction", NULL };
    lil_obstacle_def *o = &bs->obstacles[bs->obstacle_count];
    contact_config own = *common;
    surface s;
    double c[3];
    LIL_TRY(lil_check_name(rd->ctx, node, "obstacle"));
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, node->key));
    LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, "an obstacle"));
    if (!(o->name = lil_arena_copy(rd->arena, node->key, strlen(node->key))))
        return lil_fail_memory(rd->ctx);
    LIL_TRY(read_shape(rd, node, o));
    LIL_TRY(lil_read_known_fields(rd, node, lil_contact_fields, OWN_FIELDS, &own));
    o->friction = own.friction;
    LIL_TRY(find_surface(rd, bs, own.stiffness, when->step, &s));
    o->contact.count = s.count;
    o->contact.vertices = s.vertices;
    o->contact.whole = s.whole;
    o->contact.k = s.k;
    o->contact.mass = s.mass;
    o->contact.name = o->name;
    o->contact.parties = s.parties;
    o->contact.party = s.party;
    LIL_TRY(read_drive(rd, node, when->start, o));
    bool mesh = o->contact.obstacle.kind == LIL_OBSTACLE_MESH;
    if ((mesh || o->drive.turn) && common->method == 0)
        return lil_node_fail_key(rd->ctx, lil_node_get(node, mesh ? "mesh" : "turn"),
                                 "the obstacle '%.60s' %s, which contact by penalty does not take: use contact: "
                                 "{method: barrier}",
                                 o->name, mesh ? "is a mesh" : "turns");
    lil_pose_place(&o->start, o->contact.obstacle.point, c);
    if (common->method == 0) /* the barrier has a look of its own */
        LIL_TRY(check_start(rd, bs, o, c));
    bs->obstacle_count++;
    return LIL_OK;
}

/* Its fields; `ignore` and `between` are read where parts have their names. */
static lil_status read_contact(const lil_reader *rd, const lil_node *contact, contact_config *c)
{
    enum { KEYS_MAX = 32 };
    const char *keys[KEYS_MAX] = { NULL };
    int count = 0;
    lil_fields_default(lil_contact_fields, lil_contact_field_count, c);
    if (!contact)
        return LIL_OK;
    for (; count < lil_contact_field_count; count++)
        keys[count] = lil_contact_fields[count].name;
    for (int i = 0; lil_meeting_keys[i]; i++)
        keys[count++] = lil_meeting_keys[i];
    LIL_TRY(lil_node_expect(rd->ctx, contact, LIL_NODE_MAP, "contact"));
    LIL_TRY(lil_node_check_keys(rd->ctx, contact, keys, "contact"));
    LIL_TRY(lil_read_known_fields(rd, contact, lil_contact_fields, lil_contact_field_count, c));
    for (int i = 0; lil_meeting_keys[i] && c->method == 0; i++)
        if (lil_node_get(contact, lil_meeting_keys[i]))
            return lil_node_fail_key(rd->ctx, lil_node_get(contact, lil_meeting_keys[i]),
                                     "contact by penalty takes no '%s': use method: barrier", lil_meeting_keys[i]);
    return LIL_OK;
}

static lil_status read_all(const lil_reader *rd, const lil_node *root, lil_bodies *bs)
{
    const lil_node *map = lil_node_get(root, "obstacles"), *contact = lil_node_get(root, "contact");
    contact_config common;
    clock_of when;
    LIL_TRY(read_contact(rd, contact, &common));
    LIL_TRY(read_clock(rd, root, &when));
    bs->friction = common.friction;
    bs->slip = common.slip;
    bs->rubbing = common.damping;
    bs->restitution = common.restitution;
    if ((map || contact) && common.bodies == 0 && common.method == 0)
        LIL_TRY(find_collisions(rd, common.stiffness, when.step, bs));
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "obstacles"));
    if (!(bs->obstacles = LIL_NEW(rd->arena, lil_obstacle_def, map->count)))
        return lil_fail_memory(rd->ctx);
    for (const lil_node *node = map->first; node; node = node->next)
        LIL_TRY(read_obstacle(rd, node, &common, &when, bs));
    return LIL_OK;
}

/* What the barrier does not know is refused, not left out. */
static lil_status check_barrier(const lil_reader *rd, const lil_node *root, const lil_node *contact)
{
    const lil_node *map = lil_node_get(root, "obstacles");
    for (const lil_node *node = map ? map->first : NULL; node; node = node->next)
        if (lil_node_get(node, "stiffness"))
            return lil_node_fail(
                rd->ctx, lil_node_get(node, "stiffness"), LIL_ERR_INPUT,
                "with contact by barrier an obstacle takes no 'stiffness' of its own: it is in 'contact'");
    if (lil_node_get(root, "keys"))
        return lil_node_fail(rd->ctx, lil_node_get(contact, "method"), LIL_ERR_INPUT,
                             "shots do not take contact by barrier: use method: penalty");
    return LIL_OK;
}

lil_status lil_read_obstacles(const lil_reader *rd, const lil_node *root, lil_bodies *bs)
{
    const lil_node *contact = lil_node_get(root, "contact");
    contact_config common;
    clock_of when;
    LIL_TRY(read_all(rd, root, bs));
    LIL_TRY(read_contact(rd, contact, &common));
    if (common.method == 0)
        return common.restitution == 1
                   ? LIL_OK
                   : lil_node_fail_key(rd->ctx, lil_node_get(contact, "restitution"),
                                       "contact by penalty takes no 'restitution': use damping, or method: barrier");
    LIL_TRY(check_barrier(rd, root, contact));
    LIL_TRY(read_clock(rd, root, &when));
    return lil_read_barriers(rd, contact, bs,
                             &(lil_barrier_def){ common.d_hat, common.stiffness, when.step, common.bodies == 0 });
}

/* all vertices that can touch something, each once */
static lil_status list_points(const lil_reader *rd, const lil_bodies *bs, lil_friction *f)
{
    bool *seen = LIL_NEW(rd->arena, bool, bs->vertex_count);
    int *points = LIL_NEW(rd->arena, int, bs->vertex_count);
    double *mass = LIL_NEW(rd->arena, double, bs->vertex_count);
    if (!seen || !points || !mass)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < f->contact_count; i++)
        for (int k = 0; k < f->contacts[i]->count; k++)
            seen[f->contacts[i]->vertices[k]] = true;
    for (int k = 0; f->collision && k < f->collision->count; k++)
        seen[f->collision->points[k]] = true;
    for (int v = 0; v < bs->vertex_count; v++) {
        mass[v] = bs->held[v] ? INFINITY : bs->mass[v];
        if (seen[v])
            points[f->count++] = v;
    }
    f->points = points;
    f->mass = mass;
    return LIL_OK;
}

static lil_status add_friction(const lil_reader *rd, const lil_bodies *bs, lil_model *model)
{
    lil_friction *f = LIL_NEW(rd->arena, lil_friction, 1);
    const lil_contact **contacts = LIL_NEW(rd->arena, const lil_contact *, bs->obstacle_count);
    double *mu = LIL_NEW(rd->arena, double, bs->obstacle_count), most = bs->collision ? bs->friction : 0;
    if (!f || !contacts || !mu)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < bs->obstacle_count; i++) {
        contacts[i] = &bs->obstacles[i].contact;
        mu[i] = bs->obstacles[i].friction;
        most = fmax(most, mu[i]);
    }
    if (most == 0 && bs->rubbing <= 0)
        return LIL_OK;
    *f = (lil_friction){ .contacts = contacts,
                         .mu = mu,
                         .contact_count = bs->obstacle_count,
                         .collision = bs->collision,
                         .mu_bodies = bs->friction,
                         .slip = bs->slip,
                         .damping = fmax(bs->rubbing, 0) };
    LIL_TRY(list_points(rd, bs, f));
    return lil_model_add(rd->ctx, model, lil_friction_term(f));
}

lil_status lil_add_contact_terms(const lil_reader *rd, const lil_bodies *bs, lil_model *model)
{
    if (bs->barriers)
        return lil_model_add(rd->ctx, model, lil_barrier_term(bs->barriers));
    for (int i = 0; i < bs->obstacle_count; i++)
        LIL_TRY(lil_model_add(rd->ctx, model, lil_contact_term(&bs->obstacles[i].contact)));
    if (bs->collision)
        LIL_TRY(lil_model_add(rd->ctx, model, lil_collision_term(bs->collision)));
    return add_friction(rd, bs, model);
}

/* ---- the page and the schema ---- */

void lil_reference_obstacles(lil_text *text)
{
    lil_text_add(text,
                 "\nAn obstacle is one of\n\n"
                 "| | |\n|---|---|\n"
                 "| `plane: {point: [x, y, z], normal: [x, y, z]}` | solid below it, where its normal does not "
                 "point (default: the "
                 "ground, all below 0) |\n"
                 "| `sphere: {centre: [x, y, z], radius: r}` | a solid ball |\n"
                 "| `box: {centre: [x, y, z], size: [a, b, c], rotate: [0, 0, 0]}` | a solid box, turned about "
                 "x, then y, then z, "
                 "by degrees |\n"
                 "| `mesh: bowl.obj` | the surface in the file, .obj, .stl or .ply, closed or open, with `scale`, "
                 "`rotate` and `at` as bodies have them; what is inside a closed one stays inside. With the barrier "
                 "|\n\n"
                 "and may have\n\n"
                 "| | |\n|---|---|\n"
                 "| `move: [0, 0, \"0.1*sin(t)\"]` | how far from its place it is, m: three expressions of "
                 "`t`; what it does is "
                 "`external_work` |\n"
                 "| `turn: [0, 0, \"90*t\"]` | how it is turned about its point or centre (of a mesh: `at`), "
                 "degrees, about x, then "
                 "y, then z: three "
                 "expressions of `t`; with the barrier |\n"
                 "| `stiffness`, `friction` | of its own, as under `contact`; with the barrier `friction` alone |\n\n"
                 "Nothing may start inside one. By penalty, what is fixed or has a handle does not feel it; by the "
                 "barrier a handle must not lead through one.\n\n"
                 "```yaml\n"
                 "obstacles:\n"
                 "  floor: {plane: {}}\n"
                 "  slope: {plane: {point: [0, 0, 0], normal: [1, 0, 2]}}\n"
                 "  piston: {box: {centre: [0, 0, 1], size: [1, 1, 0.1]}, move: [0, 0, \"-0.2*t\"]}\n"
                 "```\n");
}

void lil_schema_obstacles(lil_text *text)
{
#define VECTOR "{\"$ref\": \"#/definitions/vector\"}"
    static const char also[] =
        "\"plane\": {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"point\": " VECTOR
        ", \"normal\": " VECTOR "}}, "
        "\"sphere\": {\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"radius\"], "
        "\"properties\": "
        "{\"centre\": " VECTOR ", \"radius\": " LIL_SCHEMA_NUMBER "}}, "
        "\"box\": {\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"size\"], \"properties\": "
        "{\"centre\": " VECTOR ", \"size\": " VECTOR ", \"rotate\": " VECTOR "}}, "
        "\"mesh\": {\"type\": \"string\"}, \"at\": " VECTOR ", \"rotate\": " VECTOR
        ", \"scale\": {\"anyOf\": [" LIL_SCHEMA_NUMBER ", " VECTOR "]}, "
        "\"move\": " VECTOR ", \"turn\": " VECTOR;
    lil_text_add(text, "{\"type\": \"object\", \"additionalProperties\": ");
    lil_schema_map(text, &(lil_schema_def){ .fields = lil_contact_fields, .count = OWN_FIELDS, .also = also });
    lil_text_add(text, "}");
}
