#include "scene/barriers.h"

#include "scene/barrier_surfaces.h"
#include "scene/meetings.h"

#include <math.h>
#include <string.h>

/* What is being put together: parts are bodies and particles in their order, then obstacles, then the roots of strands. */
typedef struct builder {
    const lil_reader *rd;
    const lil_node *contact;
    lil_bodies *bs;
    lil_barriers *b;
    int (*corners)[3], *part;
    double *rest;
    int *obstacle_part;
    lil_barrier_part *parts;
    lil_barrier_plane *planes;
    int *touching, *touching_part;
    bool *still;
    bool *pairs;             /* of parts: they meet, */
    double *gaps;            /*   and where their barrier begins */
    double d_hat, stiffness; /* as the scene says: m, and Pa; not positive: the default */
    double step;
    bool meet;  /* bodies meet bodies */
    int *first; /* of each body: its first vertex among those that are carried */
    bool *tangled;
} builder;

static const int box_faces[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                      { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };

/* Where a body carries a surface that is what touches, and not its tets. */
static bool is_carried(const lil_body *body)
{
    return body->surface.vertex_count > 0;
}

static lil_status allocate(builder *m)
{
    const lil_bodies *bs = m->bs;
    lil_arena *arena = m->rd->arena;
    int parts = m->b->shell.part_count, own = 8 * bs->obstacle_count, elements = 12 * bs->obstacle_count;
    for (int i = 0; i < bs->obstacle_count; i++) {
        own += bs->obstacles[i].mesh.vertex_count;
        elements += bs->obstacles[i].mesh.triangle_count;
    }
    int moving = lil_barrier_moving(m->b), points = moving + own;
    for (int i = 0; i < bs->count; i++) {
        const lil_body *body = &bs->list[i];
        elements += is_carried(body) ? body->surface.triangle_count : body->mesh.face_count;
        if (body->particles)
            elements += body->links.count + body->links.triangle_count + body->mesh.vertex_count;
    }
    m->corners = lil_arena_alloc(arena, (size_t)elements, sizeof *m->corners);
    m->part = LIL_NEW(arena, int, elements);
    m->rest = LIL_NEW(arena, double, 3 * (size_t)points);
    m->obstacle_part = LIL_NEW(arena, int, own);
    m->parts = LIL_NEW(arena, lil_barrier_part, parts);
    m->planes = LIL_NEW(arena, lil_barrier_plane, bs->obstacle_count);
    m->touching = LIL_NEW(arena, int, moving);
    m->touching_part = LIL_NEW(arena, int, moving);
    m->still = LIL_NEW(arena, bool, points);
    m->tangled = LIL_NEW(arena, bool, points);
    return m->corners && m->part && m->rest && m->obstacle_part && m->parts && m->planes && m->touching &&
                   m->touching_part && m->still && m->tangled
               ? LIL_OK
               : lil_fail_memory(m->rd->ctx);
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

/* The barrier begins a tenth of an edge away, and at 0.7 of that is as stiff as an element: (lambda + 2 mu) times an edge. Whoever
 * sets `stiffness` says what stands for lambda + 2 mu. Of a surface that is coarser than its tets the barrier is as thin as theirs
 * would be. */
static void set_part(builder *m, int i)
{
    const lil_body *body = &m->bs->list[i];
    const lil_moduli *moduli = &body->material.moduli;
    const lil_surface *s = &body->surface;
    double inner = mean_edge(body->mesh.x, (const int(*)[3])body->mesh.faces, body->mesh.face_count),
           edge = is_carried(body) ? mean_edge(s->x, (const int(*)[3])s->triangles, s->triangle_count) : inner,
           modulus = m->stiffness > 0 ? m->stiffness : moduli->kappa + 4.0 / 3 * moduli->mu;
    m->parts[i] = (lil_barrier_part){ .name = body->name,
                                      .d_hat = m->d_hat > 0 ? m->d_hat : 0.1 * fmin(edge, inner),
                                      .damping = body->damping.kD,
                                      .modulus = modulus,
                                      .stiffness = modulus * edge };
}

/* The largest speed to expect: of the start, and of a fall from the highest vertex to the lowest vertex or obstacle. */
static double largest_speed(const builder *m)
{
    const lil_bodies *bs = m->bs;
    double start = 0, low = INFINITY, high = -INFINITY;
    for (int i = 0; i < bs->vertex_count; i++) {
        double rise = 0, square = 0;
        for (int k = 0; k < 3; k++) {
            square += bs->v[3 * i + k] * bs->v[3 * i + k];
            rise -= bs->gravity[k] * bs->x[3 * i + k];
        }
        start = fmax(start, square);
        low = fmin(low, rise);
        high = fmax(high, rise);
    }
    for (int i = 0; i < bs->obstacle_count; i++) {
        const double *x = bs->obstacles[i].contact.obstacle.point;
        low = fmin(low, -bs->gravity[0] * x[0] - bs->gravity[1] * x[1] - bs->gravity[2] * x[2]);
    }
    return sqrt(start + 2 * fmax(high - low, 0)); /* energies add */
}

/* kappa, in J, is not less than a hundredth of a vertex's kinetic energy E: b(y) <= E/kappa then leaves at least a tenth of d_hat of the
 * gap (barrier_pair.h). That matters for speeds above a third of that of sound. */
static void withstand(builder *m, int i, double speed)
{
    const lil_body *body = &m->bs->list[i];
    lil_barrier_part *part = &m->parts[i];
    double mass = 0;
    for (int v = 0; v < body->mesh.vertex_count; v++)
        mass += m->bs->mass[body->first + v] / body->mesh.vertex_count;
    double least = 24 / (part->d_hat * part->d_hat) * (mass / 2 * speed * speed / 100);
    if (m->stiffness > 0 || !(least > part->stiffness))
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
        for (int v = 0; v < m->bs->vertex_count; v++) {
            low = fmin(low, m->bs->x[3 * v + k]);
            high = fmax(high, m->bs->x[3 * v + k]);
        }
        for (int i = 0; i < m->bs->obstacle_count; i++) {
            low = fmin(low, m->bs->obstacles[i].contact.obstacle.point[k]);
            high = fmax(high, m->bs->obstacles[i].contact.obstacle.point[k]);
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

/*
 * Of particles the barrier begins a tenth of a link away; where there are none, a tenth of a radius, or a thousandth of the scene. It is stiff
 * enough for a particle to swing on it no slower than with the step, to carry its weight, and to hold against its links. Its modulus is that over
 * 10 d_hat, as of an edge.
 */
static void set_particles(builder *m, int i)
{
    const lil_bodies *bs = m->bs;
    const lil_body *body = &bs->list[i];
    double mass = 0, weight = hypot(hypot(bs->gravity[0], bs->gravity[1]), bs->gravity[2]), links = 0;
    double d_hat = m->d_hat > 0                       ? m->d_hat
                   : body->links.count && !body->bare ? 0.1 * mean_link(body)
                   : body->radius > 0                 ? 0.1 * body->radius
                                                      : 1e-3 * extent(m);
    for (int k = 0; k < body->mesh.vertex_count; k++)
        mass += bs->mass[body->first + k] / body->mesh.vertex_count;
    for (int k = 0; k < bs->spring_set_count; k++) {
        const lil_springs *set = &bs->springs[k].springs;
        for (int e = 0; e < set->count; e++)
            if (set->springs[e].i >= body->first && set->springs[e].i < body->first + body->mesh.vertex_count)
                links = fmax(links, set->springs[e].k);
    }
    double stiffness = mass / (m->step * m->step) + mass * weight / d_hat + links;
    if (m->stiffness > 0)
        stiffness = 10 * d_hat * m->stiffness;
    m->parts[i] = (lil_barrier_part){ .name = body->name,
                                      .d_hat = d_hat,
                                      .radius = body->radius,
                                      .modulus = stiffness / (10 * d_hat),
                                      .stiffness = stiffness,
                                      .damping = -1 };
}

static void add_touching(builder *m, int part, int vertex)
{
    m->touching[m->b->touching_count] = vertex;
    m->touching_part[m->b->touching_count++] = part;
}

/* Triangles of cloth, links (also the diagonals that no triangle has), and what is at the end of none. */
static lil_status add_particles(builder *m, int i)
{
    const lil_body *body = &m->bs->list[i];
    const lil_edges *links = &body->links;
    bool *seen = LIL_NEW(m->rd->arena, bool, body->mesh.vertex_count);
    if (!seen)
        return lil_fail_memory(m->rd->ctx);
    for (int t = 0; t < links->triangle_count && !body->bare; t++) {
        const int *v = links->triangles[t];
        add_element(m, i, body->first + v[0], body->first + v[1], body->first + v[2]);
        seen[v[0]] = seen[v[1]] = seen[v[2]] = true;
    }
    for (int e = 0; e < (links->triangle_count ? links->loose_count : links->count) && !body->bare; e++) {
        const int *v = links->triangle_count ? links->loose[e] : links->at[e];
        add_element(m, i, body->first + v[0], body->first + v[1], -1);
        seen[v[0]] = seen[v[1]] = true;
    }
    for (int v = 0; v < body->mesh.vertex_count; v++) {
        if (!seen[v])
            add_element(m, i, body->first + v, -1, -1);
        add_touching(m, i, body->first + v);
    }
    return LIL_OK;
}

/* Triangles of points from `first` on. Of a surface, vertices in one place are one; triangles of which less than three are left are
 * edges of others. */
static lil_status add_faces(builder *m, int part, int first, int points, const int (*faces)[3], int count,
                            const int *same)
{
    bool *seen = LIL_NEW(m->rd->arena, bool, points);
    if (!seen)
        return lil_fail_memory(m->rd->ctx);
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
    const lil_body *body = &m->bs->list[i];
    const lil_surface *s = &body->surface;
    int *same;
    if (!is_carried(body))
        return add_faces(m, i, body->first, body->mesh.vertex_count, (const int(*)[3])body->mesh.faces,
                         body->mesh.face_count, NULL);
    LIL_TRY(lil_join_vertices(m->rd, s, &same));
    return add_faces(m, i, m->b->vertex_count + m->first[i], s->vertex_count, (const int(*)[3])s->triangles,
                     s->triangle_count, same);
}

/* What intersects itself at rest could not come apart: there it does not meet itself, and the rest of it does. */
static lil_status find_tangles(builder *m)
{
    bool *wanted = LIL_NEW(m->rd->arena, bool, m->b->shell.part_count);
    int *count = LIL_NEW(m->rd->arena, int, m->b->shell.part_count), any = 0;
    if (!wanted || !count)
        return lil_fail_memory(m->rd->ctx);
    for (int i = 0; i < m->bs->count; i++)
        any += wanted[i] = is_carried(&m->bs->list[i]);
    if (any)
        LIL_TRY(lil_find_tangles(m->rd, &m->b->shell, m->rest, wanted, m->tangled, count));
    for (int i = 0; i < m->bs->count; i++)
        if (count[i])
            lil_warn(
                m->rd->ctx,
                "the surface of '%.60s' intersects itself at rest: %d of its triangles cut through each other, and "
                "do not meet each other and their neighbours",
                m->bs->list[i].name, count[i]);
    return LIL_OK;
}

static int add_point(builder *m, int part, const double x[3])
{
    int i = m->b->point_count++;
    memcpy(m->rest + 3 * i, x, 3 * sizeof *x);
    m->obstacle_part[i - lil_barrier_moving(m->b)] = part;
    return i;
}

/* A ball is a point that is as thick as its radius. */
static void add_obstacle(builder *m, int i)
{
    const lil_obstacle_def *def = &m->bs->obstacles[i];
    const lil_obstacle *o = &def->contact.obstacle;
    int part = m->bs->count + i;
    double widest = 0; /* with each part that part's own counts, which is the smaller */
    for (int k = 0; k < m->bs->count; k++)
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
        add_element(m, part, add_point(m, part, o->point), -1, -1);
        return;
    }
    int first = m->b->point_count;
    if (o->kind == LIL_OBSTACLE_MESH) {
        for (int v = 0; v < def->mesh.vertex_count; v++)
            add_point(m, part, def->mesh.x + 3 * (size_t)v);
        for (int f = 0; f < def->mesh.triangle_count; f++) {
            const int *v = def->mesh.triangles[f];
            add_element(m, part, first + v[0], first + v[1], first + v[2]);
        }
        return;
    }
    for (int c = 0; c < 8; c++) {
        double y[3], x[3];
        for (int k = 0; k < 3; k++)
            y[k] = (c >> k & 1 ? 1 : -1) * o->half[k];
        for (int k = 0; k < 3; k++)
            x[k] = o->point[k] + o->R[3 * k] * y[0] + o->R[3 * k + 1] * y[1] + o->R[3 * k + 2] * y[2];
        add_point(m, part, x);
    }
    for (int f = 0; f < 12; f++)
        add_element(m, part, first + box_faces[f][0], first + box_faces[f][1], first + box_faces[f][2]);
}

/* ---- who meets whom ---- */

/* Which of what has a name in the scene a part belongs to: the roots of strands are theirs. */
static int named(const builder *m, int part)
{
    int count = m->bs->count + m->bs->obstacle_count, roots = part - count;
    for (int i = 0; i < m->bs->count && roots >= 0; i++)
        if (m->bs->list[i].strands && roots-- == 0)
            return i;
    return part;
}

/* Obstacles meet bodies; bodies meet each other and themselves. What is said about pairs of them comes on top. */
static lil_status read_meetings(const builder *m, lil_meetings *all)
{
    const lil_bodies *bs = m->bs;
    int n = bs->count + bs->obstacle_count;
    const char **names = LIL_NEW(m->rd->arena, const char *, n);
    *all = (lil_meetings){ .count = n,
                           .names = names,
                           .meet = LIL_NEW(m->rd->arena, bool, (size_t)n *(size_t)n),
                           .friction = LIL_NEW(m->rd->arena, double, (size_t)n *(size_t)n) };
    if (!names || !all->meet || !all->friction)
        return lil_fail_memory(m->rd->ctx);
    for (int i = 0; i < n; i++) {
        names[i] = m->parts[i].name;
        for (int k = 0; k < n; k++) {
            const lil_obstacle_def *o = i >= bs->count   ? &bs->obstacles[i - bs->count]
                                        : k >= bs->count ? &bs->obstacles[k - bs->count]
                                                         : NULL;
            all->meet[i * n + k] = !o ? m->meet : i < bs->count || k < bs->count;
            all->friction[i * n + k] = o ? o->friction : bs->friction;
        }
    }
    return lil_read_meetings(m->rd, m->contact, all);
}

static lil_status set_meetings(builder *m)
{
    lil_meetings all;
    int n = m->b->shell.part_count;
    double *friction = LIL_NEW(m->rd->arena, double, (size_t)n *(size_t)n);
    m->pairs = LIL_NEW(m->rd->arena, bool, (size_t)n *(size_t)n);
    m->gaps = LIL_NEW(m->rd->arena, double, (size_t)n *(size_t)n);
    if (!friction || !m->pairs || !m->gaps)
        return lil_fail_memory(m->rd->ctx);
    LIL_TRY(read_meetings(m, &all));
    for (int i = 0; i < n * n; i++) {
        int from = named(m, i / n) * all.count + named(m, i % n);
        m->pairs[i] = all.meet[from];
        friction[i] = all.friction[from];
        m->gaps[i] = fmin(m->parts[i / n].d_hat, m->parts[i % n].d_hat);
    }
    m->b->d_hat = m->gaps;
    m->b->shell.meet = m->pairs;
    m->b->friction = friction;
    return LIL_OK;
}

/* What is fixed and has no handle, and obstacles that stay. */
static void set_still(builder *m)
{
    const lil_bodies *bs = m->bs;
    lil_barriers *b = m->b;
    memcpy(m->still, bs->held, (size_t)bs->vertex_count * sizeof *m->still);
    for (int i = 0; i < bs->script_count; i++)
        for (int k = 0; k < bs->scripts[i].count; k++)
            m->still[bs->scripts[i].vertices[k]] = false;
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
    int n = s->part_count, bodies = m->bs->count, named_count = bodies + m->bs->obstacle_count;
    double *reach = LIL_NEW(m->rd->arena, double, n);
    lil_drive *drives = LIL_NEW(m->rd->arena, lil_drive, n);
    if (!reach || !drives)
        return lil_fail_memory(m->rd->ctx);
    for (int i = 0; i < n; i++) {
        m->parts[i] = m->parts[named(m, i)];
        reach[i] = m->parts[i].d_hat / 2 + m->parts[i].radius;
        if (i >= bodies && i < named_count)
            drives[i] = m->bs->obstacles[i - bodies].drive;
        b->drives = drives[i].move || drives[i].turn ? drives : b->drives;
    }
    s->corners = (const int(*)[3])m->corners;
    s->part = m->part;
    s->reach = reach;
    b->rest = m->rest;
    b->tangled = m->tangled;
    b->obstacle_part = m->obstacle_part;
    b->parts = m->parts;
    b->law = (lil_contact_law){ .slip = m->bs->slip, .restitution = m->bs->restitution, .damping = m->bs->rubbing };
    b->planes = m->planes;
    b->touching = m->touching;
    b->touching_part = m->touching_part;
    b->threads = m->rd->ctx->threads;
    set_still(m);
    return set_meetings(m);
}

/* Where bodies are at rest; anchors of springs touch nothing. */
static void set_rest(builder *m)
{
    const lil_bodies *bs = m->bs;
    memcpy(m->rest, bs->x, 3 * (size_t)bs->vertex_count * sizeof *m->rest);
    for (int i = 0; i < bs->count; i++)
        memcpy(m->rest + 3 * bs->list[i].first, bs->list[i].mesh.x,
               3 * (size_t)bs->list[i].mesh.vertex_count * sizeof *m->rest);
    lil_carried_place(&m->b->carried, NULL, m->rest, m->rest + 3 * (size_t)bs->vertex_count);
}

lil_status lil_read_barriers(const lil_reader *rd, const lil_node *contact, lil_bodies *bs,
                             const lil_barrier_def *def)
{
    builder m = { .rd = rd,
                  .contact = contact,
                  .bs = bs,
                  .d_hat = def->d_hat,
                  .stiffness = def->stiffness,
                  .step = def->step,
                  .meet = def->meet,
                  .b = LIL_NEW(rd->arena, lil_barriers, 1) };
    if (!m.b)
        return lil_fail_memory(rd->ctx);
    m.b->vertex_count = bs->vertex_count;
    LIL_TRY(lil_carry_surfaces(rd, bs, &m.b->carried, &m.first));
    m.b->point_count = lil_barrier_moving(m.b);
    m.b->shell.part_count = bs->count + bs->obstacle_count;
    for (int i = 0; i < bs->count; i++)
        m.b->shell.part_count += bs->list[i].strands != NULL;
    LIL_TRY(allocate(&m));
    set_rest(&m);
    double speed = largest_speed(&m);
    for (int i = 0; i < bs->count; i++) {
        (bs->list[i].particles ? set_particles : set_part)(&m, i);
        withstand(&m, i, speed);
        LIL_TRY((bs->list[i].particles ? add_particles : add_body)(&m, i));
    }
    for (int i = 0; i < bs->obstacle_count; i++)
        add_obstacle(&m, i);
    bs->barriers = m.b;
    LIL_TRY(finish(&m));
    if (def->meet)
        LIL_TRY(find_tangles(&m));
    return lil_check_barrier_start(
        rd, bs, m.b, &(lil_barrier_roots){ m.part, m.touching_part, m.pairs, m.rest, m.gaps, def->d_hat > 0 });
}
