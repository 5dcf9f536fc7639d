/* Collision pairs; for penalty also the stiffness of contacts, and a check that nothing starts inside anything. */
#include "world/contact.h"
#include "world/barriers.h"
#include "world/def.h"

#include <math.h>

/* ---- what may touch an obstacle ---- */

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

static lil_status add_body(lil_world *w, int b, double stiffness, surface *s)
{
    const lil_body *body = &w->list[b];
    double *area = LIL_NEW(&w->arena, double, body->mesh.vertex_count), total = 0;
    LIL_HAVE(w->ctx, area);
    double own = body->particles ? 0 : share_surface(body, area), omega = 0.1 / w->contact.step;
    s->parties[b] = party_of(body);
    for (int i = 0; i < body->mesh.vertex_count; i++)
        total += w->mass[body->first + i];
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        int v = body->first + i;
        if (lil_world_stays(w, v) || (!body->particles && area[i] == 0))
            continue;
        double k = body->particles ? w->mass[v] * omega * omega : own * area[i];
        if (stiffness > 0)
            k = body->particles ? stiffness : stiffness * area[i];
        s->vertices[s->count] = v;
        s->party[s->count] = b;
        s->k[s->count] = k;
        s->mass[s->count] = body->particles ? w->mass[v] : total;
        s->whole[s->count++] = body->particles ? -1 : b;
    }
    return LIL_OK;
}

static lil_status find_surface(lil_world *w, double stiffness, surface *s)
{
    *s = (surface){ .vertices = LIL_NEW(&w->arena, int, w->vertex_count),
                    .whole = LIL_NEW(&w->arena, int, w->vertex_count),
                    .party = LIL_NEW(&w->arena, int, w->vertex_count),
                    .parties = LIL_NEW(&w->arena, lil_party, w->count),
                    .k = LIL_NEW(&w->arena, double, w->vertex_count),
                    .mass = LIL_NEW(&w->arena, double, w->vertex_count) };
    LIL_HAVE(w->ctx, s->vertices && s->whole && s->party && s->parties && s->k && s->mass);
    for (int b = 0; b < w->count; b++)
        LIL_TRY(add_body(w, b, stiffness, s));
    return LIL_OK;
}

/* ---- bodies among themselves ---- */

static int count_sides(const lil_world *w, int *skins)
{
    *skins = 0;
    for (int b = 0; b < w->count; b++)
        *skins += w->list[b].mesh.face_count > 0;
    return w->count;
}

static lil_status add_side(lil_world *w, const lil_body *body, double stiffness, int *points, double *k,
                           lil_side *side)
{
    double *area = LIL_NEW(&w->arena, double, body->mesh.vertex_count), omega = 0.1 / w->contact.step;
    bool moves = false;
    LIL_HAVE(w->ctx, area);
    side->party = party_of(body);
    side->k = body->particles ? 0 : share_surface(body, area);
    side->k = stiffness > 0 ? stiffness : side->k;
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        int v = body->first + i;
        moves = moves || !lil_world_stays(w, v);
        side->mass += w->mass[v];
        if (body->particles ? lil_world_stays(w, v) : area[i] == 0)
            continue;
        points[side->first + side->count] = v;
        k[side->first + side->count++] = !body->particles ? area[i]
                                         : stiffness > 0  ? stiffness
                                                          : w->mass[v] * omega * omega;
    }
    side->mass = moves ? side->mass : INFINITY;
    return body->mesh.face_count ? lil_skin_create(w->ctx, &w->arena, w->x, (const int(*)[3])body->mesh.faces,
                                                   body->mesh.face_count, body->first, &side->skin)
                                 : LIL_OK;
}

/* How deep a vertex is inside another body, at most; 0: none is. */
static lil_status find_overlap(lil_world *w, const double *x, int *vertex, int *side, double *depth)
{
    lil_term term = lil_collision_term(w->collision);
    lil_entries none;
    void *work;
    LIL_TRY(term.table->begin(w->ctx, term.data, &w->arena, false, &work, &none));
    double least[3], most[3], size = lil_box_around(x, w->vertex_count, least, most);
    if (!lil_collision_deepest(&term, work, x, depth, vertex, side) || *depth <= 1e-6 * size)
        *depth = 0;
    return LIL_OK;
}

static lil_status check_overlap(lil_world *w)
{
    double depth;
    int vertex = 0, side = 0;
    LIL_TRY(find_overlap(w, w->x, &vertex, &side, &depth));
    const double *x = w->x + 3 * vertex;
    int body = lil_world_body_of(w, vertex);
    if (depth == 0)
        return LIL_OK;
    return lil_world_refuse_body(
        w, body,
        "'%.60s' starts inside '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move it out, or let bodies pass through "
        "each other, contact: {bodies: pass}",
        w->list[body].name, w->list[side].name, depth, x[0], x[1], x[2]);
}

static lil_status find_collisions(lil_world *w)
{
    int skins, sides = count_sides(w, &skins), *points = LIL_NEW(&w->arena, int, w->vertex_count);
    double *k = LIL_NEW(&w->arena, double, w->vertex_count);
    lil_side *list = LIL_NEW(&w->arena, lil_side, sides);
    lil_collision *c = LIL_NEW(&w->arena, lil_collision, 1);
    bool *apart = LIL_NEW(&w->arena, bool, (size_t)sides *(size_t)sides);
    LIL_HAVE(w->ctx, points && k && list && c && apart);
    if (!skins || sides < 2)
        return LIL_OK;
    *c = (lil_collision){ .side_count = sides,
                          .sides = list,
                          .apart = apart,
                          .points = points,
                          .k = k,
                          .vertex_count = w->vertex_count,
                          .mass = w->mass };
    for (int i = 0; i < w->pair_count; i++) /* ties */
        apart[w->pairs[i].a * sides + w->pairs[i].b] = apart[w->pairs[i].b * sides + w->pairs[i].a] = true;
    for (int b = 0; b < sides; b++) {
        list[b].first = c->count;
        LIL_TRY(add_side(w, &w->list[b], w->contact.stiffness, points, k, &list[b]));
        c->count += list[b].count;
    }
    w->collision = c;
    return check_overlap(w);
}

/* ---- an obstacle ---- */

/* Pressed in by ten times its own weight is still lying on it; deeper it is inside. Of vertices that are `held`,
 * NULL: of all, which of them is deepest inside the obstacle at c; -1: none is. */
static int find_inside(const lil_world *w, const lil_world_obstacle *o, const double c[3], const double *x,
                       const bool *held, double *deepest)
{
    const double *g = w->gravity, weight = hypot(hypot(g[0], g[1]), g[2]);
    int worst = -1;
    *deepest = 0;
    for (int i = 0; i < o->contact.count; i++) {
        int v = o->contact.vertices[i];
        if (held && !(held[3 * v] && held[3 * v + 1] && held[3 * v + 2]))
            continue;
        const double r[3] = { x[3 * v] - c[0], x[3 * v + 1] - c[1], x[3 * v + 2] - c[2] };
        double depth = lil_obstacle_depth(&o->contact.obstacle, r).depth;
        double size = fabs(r[0]) + fabs(r[1]) + fabs(r[2]);
        if (depth > 1e-9 * size + 10 * w->mass[v] * weight / o->contact.k[i] && depth > *deepest) {
            *deepest = depth;
            worst = v;
        }
    }
    return worst;
}

static lil_status check_start(lil_world *w, const lil_world_obstacle *o, const double c[3])
{
    double deepest;
    int worst = find_inside(w, o, c, w->x, NULL, &deepest);
    if (worst < 0)
        return LIL_OK;
    const double *x = w->x + 3 * worst;
    int body = lil_world_body_of(w, worst);
    return lil_world_refuse_body(
        w, body, "'%.60s' starts inside the obstacle '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move it out",
        w->list[body].name, o->name, deepest, x[0], x[1], x[2]);
}

/* ---- a key ---- */

lil_status lil_world_check_key(lil_world *w, double t, const double *x, const bool *held)
{
    double depth;
    int vertex, side;
    bool all = true;
    w->blame = (lil_blame){ NULL, false, NULL };
    for (int i = 0; i < w->obstacle_count; i++) {
        const lil_world_obstacle *o = &w->obstacles[i];
        double c[6] = { 0 };
        if (o->contact.move && isnan(t))
            continue;
        if (o->contact.move) {
            double *slots = lil_program_slots(o->contact.move, &w->arena);
            LIL_HAVE(w->ctx, slots);
            lil_program_run(o->contact.move, slots, t, NULL, NULL, c);
        }
        for (int d = 0; d < 3; d++)
            c[d] += o->contact.obstacle.point[d];
        vertex = find_inside(w, o, c, x, held, &depth);
        if (vertex >= 0)
            return lil_world_refuse(
                w, NULL, LIL_ERR_INPUT,
                "this key puts '%.60s' inside the obstacle '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move it out",
                w->list[lil_world_body_of(w, vertex)].name, o->name, depth, x[3 * vertex], x[3 * vertex + 1],
                x[3 * vertex + 2]);
    }
    for (int k = 0; k < 3 * (w->vertex_count - w->anchor_count); k++)
        all = all && held[k];
    if (!w->collision || !all)
        return LIL_OK;
    LIL_TRY(find_overlap(w, x, &vertex, &side, &depth));
    return depth == 0
               ? LIL_OK
               : lil_world_refuse(w, NULL, LIL_ERR_INPUT,
                                  "this key puts '%.60s' inside '%.60s', %.3g m deep at [%.3g, %.3g, %.3g]: move "
                                  "it out, or let bodies pass through each other, contact: {bodies: pass}",
                                  w->list[lil_world_body_of(w, vertex)].name, w->list[side].name, depth,
                                  x[3 * vertex], x[3 * vertex + 1], x[3 * vertex + 2]);
}

/* ---- collision pairs ---- */

static lil_status refuse_obstacle(lil_world *w, const lil_world_obstacle *o, lil_blame blame, const char *sentence)
{
    lil_status status = lil_world_refuse(w, blame.member, LIL_ERR_INPUT, sentence, o->name);
    blame.node = o->node;
    w->blame = blame;
    return status;
}

/* Defaults of each obstacle from the common contact, and its position when the world starts. */
static lil_status settle(lil_world *w, lil_world_obstacle *o)
{
    lil_drive_slots slots;
    o->rubs = !isnan(o->friction);
    o->friction = o->rubs ? o->friction : w->contact.friction;
    LIL_HAVE(w->ctx, lil_drive_begin(&o->drive, &w->arena, &slots));
    lil_drive_at(&o->drive, &slots, w->contact.start, &o->start);
    for (int d = 0; d < 3; d++)
        if (!isfinite(o->start.shift[d]) || !isfinite(o->start.v[d]) || !isfinite(o->start.R[4 * d]))
            return refuse_obstacle(w, o, (lil_blame){ NULL, true, NULL },
                                   "the motion of the obstacle '%.60s' is not finite at the start");
    return LIL_OK;
}

static lil_status meet_by_penalty(lil_world *w)
{
    if (w->contact.restitution != 1)
        return lil_world_refuse_key(
            w, "restitution", "penalty contact does not support 'restitution': use damping, or method: barrier");
    for (int i = 0; i < w->pair_count; i++)
        if (!w->pairs[i].tied)
            return lil_world_refuse(w, NULL, LIL_ERR_INPUT,
                                    "penalty contact does not support 'ignore' and 'between': use the barrier");
    for (int i = 0; i < w->count; i++)
        if (w->list[i].rubs)
            return lil_world_refuse_body(
                w, i,
                "penalty contact does not support a 'friction' of '%.60s': give it to obstacles "
                "or under 'contact', or use the barrier",
                w->list[i].name);
    if (w->contact.bodies)
        LIL_TRY(find_collisions(w));
    for (int i = 0; i < w->obstacle_count; i++) {
        lil_world_obstacle *o = &w->obstacles[i];
        surface s;
        double c[3];
        if (!lil_obstacle_shape_of(&o->contact.obstacle)->depth)
            return refuse_obstacle(w, o, (lil_blame){ "mesh", true, NULL },
                                   "the obstacle '%.60s' is a mesh, which penalty contact does not support: use "
                                   "contact: {method: barrier}");
        if (o->drive.turn)
            return refuse_obstacle(
                w, o, (lil_blame){ "turn", true, NULL },
                "the obstacle '%.60s' turns, which penalty contact does not support: use contact: {method: barrier}");
        LIL_TRY(find_surface(w, o->stiffness > 0 ? o->stiffness : w->contact.stiffness, &s));
        o->contact.count = s.count;
        o->contact.vertices = s.vertices;
        o->contact.whole = s.whole;
        o->contact.k = s.k;
        o->contact.mass = s.mass;
        o->contact.parties = s.parties;
        o->contact.party = s.party;
        lil_pose_place(&o->start, o->contact.obstacle.point, c);
        LIL_TRY(check_start(w, o, c));
    }
    return LIL_OK;
}

lil_status lil_world_prepare_contact(lil_world *w)
{
    w->blame = (lil_blame){ NULL, false, NULL };
    if (!w->touches)
        return LIL_OK;
    for (int i = 0; i < w->obstacle_count; i++)
        LIL_TRY(settle(w, &w->obstacles[i]));
    if (w->contact.method == LIL_CONTACT_PENALTY)
        return meet_by_penalty(w);
    for (int i = 0; i < w->obstacle_count; i++)
        if (w->obstacles[i].stiffness > 0)
            return refuse_obstacle(
                w, &w->obstacles[i], (lil_blame){ "stiffness", false, NULL },
                "with barrier contact an obstacle cannot have its own 'stiffness': set it in 'contact'");
    return lil_world_barriers(w);
}

/* ---- terms ---- */

/* all vertices that can touch something, each once */
static lil_status list_points(lil_world *w, lil_friction *f)
{
    bool *seen = LIL_NEW(&w->arena, bool, w->vertex_count);
    int *points = LIL_NEW(&w->arena, int, w->vertex_count);
    double *mass = LIL_NEW(&w->arena, double, w->vertex_count);
    LIL_HAVE(w->ctx, seen && points && mass);
    for (int i = 0; i < f->contact_count; i++)
        for (int k = 0; k < f->contacts[i]->count; k++)
            seen[f->contacts[i]->vertices[k]] = true;
    for (int k = 0; f->collision && k < f->collision->count; k++)
        seen[f->collision->points[k]] = true;
    for (int v = 0; v < w->vertex_count; v++) {
        mass[v] = lil_world_stays(w, v) ? INFINITY : w->mass[v];
        if (seen[v])
            points[f->count++] = v;
    }
    f->points = points;
    f->mass = mass;
    return LIL_OK;
}

static lil_status add_friction(lil_world *w, lil_model *model)
{
    lil_friction *f = LIL_NEW(&w->arena, lil_friction, 1);
    const lil_contact **contacts = LIL_NEW(&w->arena, const lil_contact *, w->obstacle_count);
    double *mu = LIL_NEW(&w->arena, double, w->obstacle_count), most = w->collision ? w->contact.friction : 0;
    LIL_HAVE(w->ctx, f && contacts && mu);
    for (int i = 0; i < w->obstacle_count; i++) {
        contacts[i] = &w->obstacles[i].contact;
        mu[i] = w->obstacles[i].friction;
        most = fmax(most, mu[i]);
    }
    if (most == 0 && w->contact.damping <= 0)
        return LIL_OK;
    *f = (lil_friction){ .contacts = contacts,
                         .mu = mu,
                         .contact_count = w->obstacle_count,
                         .collision = w->collision,
                         .mu_bodies = w->contact.friction,
                         .slip = w->contact.slip,
                         .damping = fmax(w->contact.damping, 0) };
    LIL_TRY(list_points(w, f));
    return lil_model_add(w->ctx, model, lil_friction_term(f));
}

lil_status lil_world_contact_terms(lil_world *w, lil_model *model)
{
    if (w->barriers)
        return lil_model_add(w->ctx, model, lil_barrier_term(w->barriers));
    for (int i = 0; i < w->obstacle_count; i++)
        LIL_TRY(lil_model_add(w->ctx, model, lil_contact_term(&w->obstacles[i].contact)));
    if (w->collision)
        LIL_TRY(lil_model_add(w->ctx, model, lil_collision_term(w->collision)));
    return add_friction(w, model);
}

/* ---- from a def ---- */

lil_contact_def lil_contact_def_default(void)
{
    return (lil_contact_def){
        .size = sizeof(lil_contact_def), .slip = 0.01, .damping = -1, .restitution = 1, .step = 0.01, .bodies = true
    };
}

lil_status lil_world_set_contact(lil_world *w, const lil_contact_def *def)
{
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    const struct {
        const char *name, *unit;
        double x, least, most;
    } members[] = {
        { "friction", "", def->friction, 0, 1e6 },         { "slip", " m/s", def->slip, 1e-200, 1e6 },
        { "damping", " s", def->damping, -INFINITY, 1e6 }, { "restitution", "", def->restitution, 0, 1 },
        { "d_hat", " m", def->d_hat, 0, 1e100 },           { "stiffness", "", def->stiffness, -INFINITY, 1e100 },
        { "step", " s", def->step, 1e-200, 1e100 },        { "start", " s", def->start, -1e100, 1e100 }
    };
    if (def->method != LIL_CONTACT_BARRIER && def->method != LIL_CONTACT_PENALTY)
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there is no contact method %d", (int)def->method);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!(members[i].x >= members[i].least && members[i].x <= members[i].most))
            return lil_world_refuse(w, members[i].name, LIL_ERR_INPUT, "'%s' must be between %g and %g%s, not %g",
                                    members[i].name, members[i].least, members[i].most, members[i].unit,
                                    members[i].x);
    w->contact = *def;
    w->touches = true;
    return LIL_OK;
}

static lil_status add_pair(lil_world *w, const char *function, const char *a, const char *b, double friction)
{
    lil_world_pair pair = { .friction = friction };
    LIL_WORLD_NEED(w, a, "a");
    LIL_WORLD_NEED(w, b, "b");
    LIL_TRY(lil_world_open(w, function));
    LIL_TRY(lil_world_find_part(w, "a", a, &pair.a));
    LIL_TRY(lil_world_find_part(w, "b", b, &pair.b));
    LIL_HAVE(w->ctx, lil_world_grow(w, &w->pairs, w->pair_count, 1, &w->room.pairs, sizeof *w->pairs));
    w->pairs[w->pair_count++] = pair;
    return LIL_OK;
}

lil_status lil_world_ignore(lil_world *w, const char *a, const char *b)
{
    LIL_NEED(NULL, w, "world");
    return add_pair(w, __func__, a, b, NAN);
}

static lil_status check_friction(lil_world *w, double mu)
{
    return mu >= 0 && mu <= 1e6
               ? LIL_OK
               : lil_world_refuse(w, "friction", LIL_ERR_INPUT, "'friction' must be between 0 and 1e+06, not %g", mu);
}

lil_status lil_world_set_friction(lil_world *w, const char *a, const char *b, double mu)
{
    LIL_NEED(NULL, w, "world");
    LIL_TRY(check_friction(w, mu));
    return add_pair(w, __func__, a, b, mu);
}

lil_status lil_world_set_own_friction(lil_world *w, int body, double mu)
{
    LIL_NEED(NULL, w, "world");
    LIL_TRY(lil_world_open(w, __func__));
    LIL_TRY(lil_world_check_body(w, body));
    LIL_TRY(check_friction(w, mu));
    w->list[body].rubs = true;
    w->list[body].friction = mu;
    return LIL_OK;
}
