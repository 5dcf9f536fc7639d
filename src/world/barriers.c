#include "world/barriers.h"

#include "world/barrier_surfaces.h"

#include <math.h>
#include <string.h>

/* The data under construction: parts are bodies and particles in their order, then obstacles. */
typedef struct builder {
    lil_world *w;
    lil_barriers *b;
    int (*corners)[3], *part;
    double *rest;
    int *obstacle_part, *obstacle_own;
    lil_barrier_part *parts;
    lil_barrier_plane *planes;
    int *touching, *touching_part;
    bool *still;
    double *gaps; /* of pairs of parts: where their barrier begins */
    int *first;   /* of each body: its first vertex among those that are carried */
    bool *tangled;
} builder;

/* Where a body carries a surface that is what touches, and not its tets. */
static bool is_carried(const lil_body *body)
{
    return body->surface.vertex_count > 0;
}

static lil_status allocate(builder *m)
{
    const lil_world *w = m->w;
    lil_arena *arena = &m->w->arena;
    int parts = m->b->shell.part_count, own = w->obstacle_count, elements = w->obstacle_count;
    for (int i = 0; i < w->obstacle_count; i++) {
        own += w->obstacles[i].mesh.vertex_count;
        elements += w->obstacles[i].mesh.triangle_count;
    }
    int moving = lil_barrier_moving(m->b), points = moving + own;
    for (int i = 0; i < w->count; i++) {
        const lil_body *body = &w->list[i];
        elements += is_carried(body) ? body->surface.triangle_count : body->mesh.face_count;
        if (body->particles)
            elements += body->links.count + body->links.triangle_count + body->mesh.vertex_count;
    }
    m->corners = lil_arena_alloc(arena, (size_t)elements, sizeof *m->corners);
    m->part = LIL_NEW(arena, int, elements);
    m->rest = LIL_NEW(arena, double, 3 * (size_t)points);
    m->obstacle_part = LIL_NEW(arena, int, own);
    m->obstacle_own = LIL_NEW(arena, int, own);
    m->parts = LIL_NEW(arena, lil_barrier_part, parts);
    m->planes = LIL_NEW(arena, lil_barrier_plane, w->obstacle_count);
    m->touching = LIL_NEW(arena, int, moving);
    m->touching_part = LIL_NEW(arena, int, moving);
    m->still = LIL_NEW(arena, bool, points);
    m->tangled = LIL_NEW(arena, bool, points);
    return m->corners && m->part && m->rest && m->obstacle_part && m->obstacle_own && m->parts && m->planes &&
                   m->touching && m->touching_part && m->still && m->tangled
               ? LIL_OK
               : lil_fail_memory(m->w->ctx);
}

static void add_element(builder *m, int part, int a, int b, int c)
{
    int i = m->b->shell.count++;
    memcpy(m->corners[i], (int[3]){ a, b, c }, sizeof m->corners[i]);
    m->part[i] = part;
}

static double length_of(const double *a, const double *b)
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static double mean_edge(const double *x, const int (*faces)[3], int count)
{
    double sum = 0;
    for (int i = 0; i < 3 * count; i++) {
        const int *face = faces[i / 3];
        sum += length_of(x + 3 * face[i % 3], x + 3 * face[(i + 1) % 3]);
    }
    return sum / (3 * count);
}

/* The barrier begins a tenth of an edge away, and at 0.7 of that is as stiff as an element: (lambda + 2 mu) times
 * an edge. A given `stiffness` replaces lambda + 2 mu. For a surface that is coarser than its tets the barrier is
 * as thin as theirs would be. */
static void set_part(builder *m, int i)
{
    const lil_body *body = &m->w->list[i];
    const lil_moduli *moduli = &body->material.moduli;
    const lil_surface *s = &body->surface;
    double inner = mean_edge(body->mesh.x, (const int(*)[3])body->mesh.faces, body->mesh.face_count),
           edge = is_carried(body) ? mean_edge(s->x, (const int(*)[3])s->triangles, s->triangle_count) : inner,
           modulus = m->w->contact.stiffness > 0 ? m->w->contact.stiffness : moduli->kappa + 4.0 / 3 * moduli->mu;
    m->parts[i] =
        (lil_barrier_part){ .name = body->name,
                            .d_hat = m->w->contact.d_hat > 0 ? m->w->contact.d_hat : 0.1 * fmin(edge, inner),
                            .damping = body->damping.kD,
                            .modulus = modulus,
                            .stiffness = modulus * edge };
}

/* The largest speed to expect: of the start, and of a fall from the highest vertex to the lowest vertex or obstacle. */
static double largest_speed(const builder *m)
{
    const lil_world *w = m->w;
    double start = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < w->vertex_count; i++) {
        double rise = 0, square = 0;
        for (int k = 0; k < 3; k++) {
            square += w->v[3 * i + k] * w->v[3 * i + k];
            rise -= w->gravity[k] * w->x[3 * i + k];
        }
        start = fmax(start, square);
        low = fmin(low, rise);
        high = fmax(high, rise);
    }
    for (int i = 0; i < w->obstacle_count; i++) {
        const double *x = w->obstacles[i].contact.obstacle.point;
        low = fmin(low, -w->gravity[0] * x[0] - w->gravity[1] * x[1] - w->gravity[2] * x[2]);
    }
    return sqrt(start + 2 * fmax(high - low, 0)); /* energies add */
}

/* kappa, in J, is not less than a hundredth of a vertex's kinetic energy E: b(y) <= E/kappa then leaves at least a
 * tenth of d_hat of the gap (barrier_pair.h). That matters for speeds above a third of that of sound. */
static void withstand(builder *m, int i, double speed)
{
    const lil_body *body = &m->w->list[i];
    lil_barrier_part *part = &m->parts[i];
    double mass = 0;
    for (int v = 0; v < body->mesh.vertex_count; v++)
        mass += m->w->mass[body->first + v] / body->mesh.vertex_count;
    part->mass = mass;
    double least = 24 / (part->d_hat * part->d_hat) * (mass / 2 * speed * speed / 100);
    if (m->w->contact.stiffness > 0 || !(least > part->stiffness))
        return;
    part->modulus *= least / part->stiffness;
    part->stiffness = least;
}

/* How far it is from one end of the scene to the other, obstacles and the origin included. */
static double extent(const builder *m)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double low = 0, high = 0;
        for (int v = 0; v < m->w->vertex_count; v++) {
            low = fmin(low, m->w->x[3 * v + k]);
            high = fmax(high, m->w->x[3 * v + k]);
        }
        for (int i = 0; i < m->w->obstacle_count; i++) {
            low = fmin(low, m->w->obstacles[i].contact.obstacle.point[k]);
            high = fmax(high, m->w->obstacles[i].contact.obstacle.point[k]);
        }
        most = fmax(most, high - low);
    }
    return most > 0 ? most : 1;
}

static double mean_link(const lil_body *body)
{
    double sum = 0;
    for (int i = 0; i < body->links.count; i++)
        sum += length_of(body->mesh.x + 3 * body->links.at[i][0], body->mesh.x + 3 * body->links.at[i][1]);
    return sum / body->links.count;
}

/* For particles the barrier begins a tenth of a link away; without links, a tenth of a radius, or a thousandth of
 * the scene. It is stiff enough for a particle to swing on it no slower than with the step, to carry its weight,
 * and to resist its links. Its modulus is that over 10 d_hat, as for an edge. */
static void set_particles(builder *m, int i)
{
    const lil_world *w = m->w;
    const lil_body *body = &w->list[i];
    double mass = 0, weight = hypot(hypot(w->gravity[0], w->gravity[1]), w->gravity[2]), links = 0;
    double d_hat = m->w->contact.d_hat > 0            ? m->w->contact.d_hat
                   : body->links.count && !body->bare ? 0.1 * mean_link(body)
                   : body->radius > 0                 ? 0.1 * body->radius
                                                      : 1e-3 * extent(m);
    for (int k = 0; k < body->mesh.vertex_count; k++)
        mass += w->mass[body->first + k] / body->mesh.vertex_count;
    for (int k = 0; k < w->spring_set_count; k++) {
        const lil_springs *set = &w->springs[k].springs;
        for (int e = 0; e < set->count; e++)
            if (set->springs[e].i >= body->first && set->springs[e].i < body->first + body->mesh.vertex_count)
                links = fmax(links, set->springs[e].k);
    }
    double stiffness = mass / (m->w->contact.step * m->w->contact.step) + mass * weight / d_hat + links;
    if (m->w->contact.stiffness > 0)
        stiffness = 10 * d_hat * m->w->contact.stiffness;
    m->parts[i] = (lil_barrier_part){ .name = body->name,
                                      .d_hat = d_hat,
                                      .radius = body->radius,
                                      .modulus = stiffness / (10 * d_hat),
                                      .stiffness = stiffness,
                                      .damping = -1 };
}

/* A barrier that is longer than what it surrounds is a slip of units; one longer than edges is slow and far away. */
static lil_status check_d_hat(builder *m, int i)
{
    const lil_body *body = &m->w->list[i];
    double d_hat = m->w->contact.d_hat, size = 0, edge = INFINITY;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < body->mesh.vertex_count; v++) {
            low = fmin(low, body->mesh.x[3 * v + k]);
            high = fmax(high, body->mesh.x[3 * v + k]);
        }
        size = fmax(size, high - low + 2 * body->radius);
    }
    if (!body->particles)
        edge = mean_edge(body->mesh.x, (const int(*)[3])body->mesh.faces, body->mesh.face_count);
    else if (body->links.count && !body->bare)
        edge = mean_link(body);
    if (size > 0 && d_hat > size)
        return lil_world_refuse_body(m->w, i,
                                     "'d_hat' of contact is %.4g m, and '%.60s' is only %.4g m long: the barrier "
                                     "must begin near a surface, by default a tenth of an edge away",
                                     d_hat, body->name, size);
    if (d_hat > edge)
        lil_warn(m->w->ctx,
                 "'d_hat' of contact is %.4g m, longer than the edges of '%.60s', %.4g m: it stays far from other "
                 "surfaces, and steps are slow",
                 d_hat, body->name, edge);
    return LIL_OK;
}

static void add_touching(builder *m, int part, int vertex)
{
    m->touching[m->b->touching_count] = vertex;
    m->touching_part[m->b->touching_count++] = part;
}

/* Triangles of cloth, links (also the diagonals that no triangle has), and what is at the end of none. */
lil_status lil_particle_elements(lil_context *ctx, lil_arena *arena, const lil_body *body, int (**elements)[3],
                                 int *count)
{
    const lil_edges *links = &body->links;
    int n = body->mesh.vertex_count, at = 0;
    bool *seen = LIL_NEW(arena, bool, n);
    int(*list)[3] = lil_arena_alloc(arena, (size_t)(links->count + links->triangle_count + n), sizeof *list);
    LIL_HAVE(ctx, seen && list);
    for (int t = 0; t < links->triangle_count && !body->bare; t++) {
        const int *v = links->triangles[t];
        memcpy(list[at++], (int[3]){ body->first + v[0], body->first + v[1], body->first + v[2] }, sizeof *list);
        seen[v[0]] = seen[v[1]] = seen[v[2]] = true;
    }
    for (int e = 0; e < (links->triangle_count ? links->loose_count : links->count) && !body->bare; e++) {
        const int *v = links->triangle_count ? links->loose[e] : links->at[e];
        memcpy(list[at++], (int[3]){ body->first + v[0], body->first + v[1], -1 }, sizeof *list);
        seen[v[0]] = seen[v[1]] = true;
    }
    for (int v = 0; v < n; v++)
        if (!seen[v])
            memcpy(list[at++], (int[3]){ body->first + v, -1, -1 }, sizeof *list);
    *elements = list;
    *count = at;
    return LIL_OK;
}

static lil_status add_particles(builder *m, int i)
{
    const lil_body *body = &m->w->list[i];
    int(*elements)[3], count;
    LIL_TRY(lil_particle_elements(m->w->ctx, &m->w->arena, body, &elements, &count));
    for (int e = 0; e < count; e++)
        add_element(m, i, elements[e][0], elements[e][1], elements[e][2]);
    for (int v = 0; v < body->mesh.vertex_count; v++)
        add_touching(m, i, body->first + v);
    return LIL_OK;
}

/* Triangles of points from `first` on. Of a surface, vertices in one place are one; triangles of which less than
 * three are left are edges of others. */
static lil_status add_faces(builder *m, int part, int first, int points, const int (*faces)[3], int count,
                            const int *same)
{
    bool *seen;
    LIL_ALLOC(m->w->ctx, &m->w->arena, seen, points);
    for (int f = 0; f < count; f++) {
        int v[3];
        for (int k = 0; k < 3; k++)
            v[k] = same ? same[faces[f][k]] : faces[f][k];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            continue;
        add_element(m, part, first + v[0], first + v[1], first + v[2]);
        for (int k = 0; k < 3; k++)
            seen[v[k]] = true;
    }
    for (int v = 0; v < points; v++)
        if (seen[v])
            add_touching(m, part, first + v);
    return LIL_OK;
}

static lil_status add_body(builder *m, int i)
{
    const lil_body *body = &m->w->list[i];
    const lil_surface *s = &body->surface;
    int *same;
    if (!is_carried(body))
        return add_faces(m, i, body->first, body->mesh.vertex_count, (const int(*)[3])body->mesh.faces,
                         body->mesh.face_count, NULL);
    const double TOGETHER = 1e-6; /* of an edge: what is nearer is one place and round-off */
    double edge = mean_edge(s->x, (const int(*)[3])s->triangles, s->triangle_count);
    LIL_TRY(lil_join_vertices(m->w, s, TOGETHER * edge, &same));
    return add_faces(m, i, m->b->vertex_count + m->first[i], s->vertex_count, (const int(*)[3])s->triangles,
                     s->triangle_count, same);
}

/* Triangles that intersect at rest could not come apart: they have no self-contact, and the rest has. */
static lil_status find_tangles(builder *m)
{
    bool *wanted = LIL_NEW(&m->w->arena, bool, m->b->shell.part_count);
    int *count = LIL_NEW(&m->w->arena, int, m->b->shell.part_count), any = 0;
    LIL_HAVE(m->w->ctx, wanted && count);
    for (int i = 0; i < m->w->count; i++)
        any += wanted[i] = is_carried(&m->w->list[i]);
    if (any)
        LIL_TRY(lil_find_tangles(m->w, &m->b->shell, m->rest, wanted, m->tangled, count));
    for (int i = 0; i < m->w->count; i++)
        if (count[i])
            lil_warn(m->w->ctx,
                     "the surface of '%.60s' intersects itself at rest: %d of its triangles cut through each other "
                     "and have no contact with each other and their neighbours",
                     m->w->list[i].name, count[i]);
    return LIL_OK;
}

/* Point `own` of an obstacle. */
static int add_point(builder *m, int part, int own, const double x[3])
{
    int i = m->b->point_count++;
    memcpy(m->rest + 3 * i, x, 3 * sizeof *x);
    m->obstacle_part[i - lil_barrier_moving(m->b)] = part;
    m->obstacle_own[i - lil_barrier_moving(m->b)] = own;
    return i;
}

/* A ball is a point that is as thick as its radius; what is no plane either is its triangles. */
static void add_obstacle(builder *m, int i)
{
    const lil_world_obstacle *def = &m->w->obstacles[i];
    const lil_obstacle *o = &def->contact.obstacle;
    int part = m->w->count + i;
    double widest = 0; /* with each part that part's own counts, which is the smaller */
    for (int k = 0; k < m->w->count; k++)
        widest = fmax(widest, m->parts[k].d_hat);
    m->parts[part] = (lil_barrier_part){
        .name = def->name, .d_hat = widest, .modulus = INFINITY, .stiffness = INFINITY, .damping = -1
    };
    if (o->kind == LIL_OBSTACLE_PLANE) {
        lil_barrier_plane *plane = &m->planes[m->b->plane_count++];
        plane->part = part;
        memcpy(plane->point, o->point, sizeof plane->point);
        memcpy(plane->normal, o->normal, sizeof plane->normal);
        return;
    }
    if (o->kind == LIL_OBSTACLE_SPHERE) {
        m->parts[part].radius = o->radius;
        add_element(m, part, add_point(m, part, 0, o->point), -1, -1);
        return;
    }
    int first = m->b->point_count;
    for (int v = 0; v < def->mesh.vertex_count; v++)
        add_point(m, part, v, def->mesh.x + 3 * (size_t)v);
    for (int f = 0; f < def->mesh.triangle_count; f++) {
        const int *v = def->mesh.triangles[f];
        add_element(m, part, first + v[0], first + v[1], first + v[2]);
    }
}

/* ---- collision pairs ---- */

/* A part's own friction; NaN: it has none. */
static double own_friction(const lil_world *w, int part)
{
    if (part < w->count)
        return w->list[part].rubs ? w->list[part].friction : NAN;
    const lil_world_obstacle *o = &w->obstacles[part - w->count];
    return o->rubs ? o->friction : NAN;
}

/* Of two values the geometric mean; a part without one takes the other's. */
static double friction_of(const lil_world *w, int a, int b)
{
    double one = own_friction(w, a), other = own_friction(w, b);
    if (isnan(one) || isnan(other))
        return !isnan(one) ? one : !isnan(other) ? other : w->contact.friction;
    return a == b || one == other ? one : sqrt(one * other);
}

/* Obstacles collide with bodies; bodies with each other and themselves. Rules for pairs override this. */
static lil_status set_meetings(builder *m)
{
    const lil_world *w = m->w;
    int n = m->b->shell.part_count;
    bool *meet = LIL_NEW(&m->w->arena, bool, (size_t)n *(size_t)n);
    double *friction = LIL_NEW(&m->w->arena, double, (size_t)n *(size_t)n);
    m->gaps = LIL_NEW(&m->w->arena, double, (size_t)n *(size_t)n);
    LIL_HAVE(w->ctx, meet && friction && m->gaps);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const lil_world_obstacle *o = i >= w->count   ? &w->obstacles[i - w->count]
                                          : k >= w->count ? &w->obstacles[k - w->count]
                                                          : NULL;
            meet[i * n + k] = !o ? w->contact.bodies : i < w->count || k < w->count;
            friction[i * n + k] = friction_of(w, i, k);
            m->gaps[i * n + k] = fmin(m->parts[i].d_hat, m->parts[k].d_hat);
        }
    for (int i = 0; i < w->pair_count; i++) {
        const lil_world_pair *p = &w->pairs[i];
        int a = lil_world_part(w, p->a), b = lil_world_part(w, p->b);
        if (isnan(p->friction))
            meet[a * n + b] = meet[b * n + a] = false;
        else
            friction[a * n + b] = friction[b * n + a] = p->friction;
    }
    m->b->d_hat = m->gaps;
    m->b->shell.meet = meet;
    m->b->friction = friction;
    return LIL_OK;
}

void lil_world_still(const lil_world *w, bool *still)
{
    for (int v = 0; v < w->vertex_count; v++)
        still[v] = lil_world_stays(w, v);
    for (int i = 0; i < w->script_count; i++)
        for (int k = 0; k < w->scripts[i].count; k++)
            still[w->scripts[i].vertices[k]] = false;
}

/* Fixed vertices without a handle, and obstacles that do not move. */
static void set_still(builder *m)
{
    lil_barriers *b = m->b;
    lil_world_still(m->w, m->still);
    for (int v = b->vertex_count; v < lil_barrier_moving(b); v++) {
        const lil_carried *c = &b->carried;
        m->still[v] = true;
        for (int k = c->begin[v - b->vertex_count]; k < c->begin[v - b->vertex_count + 1]; k++)
            m->still[v] = m->still[v] && m->still[c->vertex[k]];
    }
    for (int v = lil_barrier_moving(b); v < b->point_count; v++)
        m->still[v] = lil_barrier_stays(b, m->obstacle_part[v - lil_barrier_moving(b)]);
    b->still = m->still;
}

static lil_status finish(builder *m)
{
    lil_barriers *b = m->b;
    lil_shell *s = &b->shell;
    int n = s->part_count, bodies = m->w->count;
    double *reach = LIL_NEW(&m->w->arena, double, n);
    lil_drive *drives = LIL_NEW(&m->w->arena, lil_drive, n);
    LIL_HAVE(m->w->ctx, reach && drives);
    for (int i = 0; i < n; i++) {
        reach[i] = m->parts[i].d_hat / 2 + m->parts[i].radius;
        if (i >= bodies)
            drives[i] = m->w->obstacles[i - bodies].drive;
        b->drives = lil_drive_moves(&drives[i]) ? drives : b->drives;
    }
    s->corners = (const int(*)[3])m->corners;
    s->part = m->part;
    s->reach = reach;
    b->rest = m->rest;
    b->tangled = m->tangled;
    b->obstacle_part = m->obstacle_part;
    b->obstacle_own = m->obstacle_own;
    b->parts = m->parts;
    b->law = (lil_contact_law){ .slip = m->w->contact.slip,
                                .restitution = m->w->contact.restitution,
                                .damping = m->w->contact.damping };
    b->planes = m->planes;
    b->touching = m->touching;
    b->touching_part = m->touching_part;
    b->threads = m->w->ctx->threads;
    set_still(m);
    return set_meetings(m);
}

/* Where bodies are at rest; anchors of springs touch nothing. */
static void set_rest(builder *m)
{
    const lil_world *w = m->w;
    memcpy(m->rest, w->x, 3 * (size_t)w->vertex_count * sizeof *m->rest);
    for (int i = 0; i < w->count; i++)
        memcpy(m->rest + 3 * w->list[i].first, w->list[i].mesh.x,
               3 * (size_t)w->list[i].mesh.vertex_count * sizeof *m->rest);
    lil_carried_place(&m->b->carried, NULL, m->rest, m->rest + 3 * (size_t)w->vertex_count);
}

/* Rigid links of cloth, if they are as many as what they bind has coordinates, leave it the motions of a rigid
 * body alone. */
static void warn_of_rigid_cloth(const builder *m)
{
    const lil_world *w = m->w;
    for (int i = 0; i < w->count; i++) {
        const lil_body *body = &w->list[i];
        int rigid = 0, free = 0, held = 0;
        for (int v = body->first; v < body->first + body->mesh.vertex_count; v++)
            *(w->held[v] ? &held : &free) += 3;
        for (int k = 0; k < w->constraint_count; k++) {
            const lil_link *links = w->constraints[k].data;
            bool distances = w->constraints[k].table == &lil_constraint_distance;
            for (int e = 0; distances && e < w->constraints[k].count; e++)
                rigid += links[e].i >= body->first && links[e].i < body->first + body->mesh.vertex_count;
        }
        if (body->links.triangle_count && rigid >= free - (held ? 0 : 6))
            lil_warn(m->w->ctx,
                     "'%.60s' has %d rigid links for %d coordinates, so it cannot drape over other bodies: use "
                     "links: {stiffness: ...}, or type: net",
                     body->name, rigid, free);
    }
}

lil_status lil_world_barriers(lil_world *w)
{
    builder m = { .w = w, .b = LIL_NEW(&w->arena, lil_barriers, 1) };
    LIL_HAVE(w->ctx, m.b);
    m.b->vertex_count = w->vertex_count;
    LIL_TRY(lil_carry_surfaces(w, &m.b->carried, &m.first));
    m.b->point_count = lil_barrier_moving(m.b);
    m.b->body_count = w->count;
    m.b->shell.part_count = w->count + w->obstacle_count;
    LIL_TRY(allocate(&m));
    set_rest(&m);
    double speed = largest_speed(&m);
    for (int i = 0; i < w->count; i++) {
        LIL_TRY(check_d_hat(&m, i));
        (w->list[i].particles ? set_particles : set_part)(&m, i);
        withstand(&m, i, speed);
        LIL_TRY((w->list[i].particles ? add_particles : add_body)(&m, i));
    }
    for (int i = 0; i < w->obstacle_count; i++)
        add_obstacle(&m, i);
    w->barriers = m.b;
    warn_of_rigid_cloth(&m);
    LIL_TRY(finish(&m));
    if (w->contact.bodies)
        LIL_TRY(find_tangles(&m));
    return lil_check_barrier_start(w, m.b, &(lil_barrier_roots){ m.b, m.rest, m.gaps, w->contact.d_hat > 0 });
}
