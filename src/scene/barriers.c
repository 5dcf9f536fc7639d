#include "scene/barriers.h"

#include "scene/barrier_surfaces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being put together: parts are bodies in their order, then obstacles. */
typedef struct builder {
    const lil_reader *rd;
    const lil_bodies *bs;
    lil_barriers *b;
    int (*corners)[3], *part;
    double *rest;
    int *obstacle_part;
    lil_barrier_part *parts;
    lil_barrier_plane *planes;
    int *touching, *touching_part;
    double d_hat, stiffness; /* as the scene says: m, and Pa; not positive: the default */
    bool meet;               /* bodies meet bodies */
    int *first;              /* of each body: its first vertex among those that are carried */
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
    int parts = bs->count + bs->obstacle_count, own = 8 * bs->obstacle_count, elements = 12 * bs->obstacle_count;
    for (int i = 0; i < bs->obstacle_count; i++) {
        own += bs->obstacles[i].mesh.vertex_count;
        elements += bs->obstacles[i].mesh.triangle_count;
    }
    int moving = lil_barrier_moving(m->b), points = moving + own;
    for (int i = 0; i < bs->count; i++)
        elements += is_carried(&bs->list[i]) ? bs->list[i].surface.triangle_count : bs->list[i].mesh.face_count;
    m->corners = lil_arena_alloc(arena, (size_t)elements, sizeof *m->corners);
    m->part = LIL_NEW(arena, int, elements);
    m->rest = LIL_NEW(arena, double, 3 * (size_t)points);
    m->obstacle_part = LIL_NEW(arena, int, own);
    m->parts = LIL_NEW(arena, lil_barrier_part, parts);
    m->planes = LIL_NEW(arena, lil_barrier_plane, bs->obstacle_count);
    m->touching = LIL_NEW(arena, int, moving);
    m->touching_part = LIL_NEW(arena, int, moving);
    m->tangled = LIL_NEW(arena, bool, points);
    return m->corners && m->part && m->rest && m->obstacle_part && m->parts && m->planes && m->touching &&
                   m->touching_part && m->tangled
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
    for (int v = 0; v < points; v++) {
        if (!seen[v])
            continue;
        m->touching[m->b->touching_count] = first + v;
        m->touching_part[m->b->touching_count++] = part;
    }
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
    double softest = INFINITY;
    for (int k = 0; k < m->bs->count; k++)
        softest = fmin(softest, m->parts[k].d_hat);
    m->parts[part] = (lil_barrier_part){
        .name = def->name, .d_hat = softest, .modulus = INFINITY, .stiffness = INFINITY, .damping = -1
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

/* Obstacles meet bodies; bodies meet each other and themselves. */
static lil_status finish(builder *m)
{
    lil_barriers *b = m->b;
    lil_shell *s = &b->shell;
    int n = s->part_count, bodies = m->bs->count;
    double *reach = LIL_NEW(m->rd->arena, double, n);
    bool *meet = LIL_NEW(m->rd->arena, bool, (size_t)n *(size_t)n);
    lil_drive *drives = LIL_NEW(m->rd->arena, lil_drive, n);
    double *friction = LIL_NEW(m->rd->arena, double, (size_t)n *(size_t)n);
    if (!reach || !meet || !friction || !drives)
        return lil_fail_memory(m->rd->ctx);
    for (int i = 0; i < n; i++) {
        reach[i] = m->parts[i].d_hat / 2 + m->parts[i].radius;
        if (i >= bodies)
            drives[i] = m->bs->obstacles[i - bodies].drive;
        b->drives = drives[i].move || drives[i].turn ? drives : b->drives;
        for (int k = 0; k < n; k++) {
            int obstacle = i >= bodies ? i : k;
            meet[i * n + k] = i < bodies && k < bodies ? m->meet : i < bodies || k < bodies;
            friction[i * n + k] = obstacle >= bodies ? m->bs->obstacles[obstacle - bodies].friction : m->bs->friction;
        }
    }
    s->corners = (const int(*)[3])m->corners;
    s->part = m->part;
    s->reach = reach;
    s->meet = meet;
    b->rest = m->rest;
    b->tangled = m->tangled;
    b->obstacle_part = m->obstacle_part;
    b->parts = m->parts;
    b->friction = friction;
    b->law = (lil_contact_law){ .slip = m->bs->slip, .restitution = m->bs->restitution, .damping = m->bs->rubbing };
    b->planes = m->planes;
    b->touching = m->touching;
    b->touching_part = m->touching_part;
    b->threads = m->rd->ctx->threads;
    return LIL_OK;
}

/* ---- where it starts ---- */

static lil_status refuse(const builder *m, int part, int other, const double x[3])
{
    const char *name = m->parts[part].name;
    char what[160];
    if (part == other)
        snprintf(what, sizeof what, "'%.60s' touches itself", name);
    else
        snprintf(what, sizeof what, "'%.60s' and '%.60s' touch", name, m->parts[other].name);
    return lil_node_fail_key(
        m->rd->ctx, m->bs->list[part].node,
        "%s at the start, at [%.6g, %.6g, %.6g]: move what touches apart, or use method: penalty", what, x[0], x[1],
        x[2]);
}

static const lil_pose *start_of(const builder *m, int part)
{
    return &m->bs->obstacles[part - m->bs->count].start;
}

/* all points, where they start */
static lil_status start_places(const builder *m, double **y)
{
    const lil_barriers *b = m->b;
    *y = LIL_NEW(m->rd->arena, double, 3 * (size_t)b->point_count);
    if (!*y)
        return lil_fail_memory(m->rd->ctx);
    memcpy(*y, m->bs->x, 3 * (size_t)m->bs->vertex_count * sizeof **y);
    lil_carried_place(&b->carried, NULL, m->bs->x, *y + 3 * (size_t)b->vertex_count);
    for (int i = lil_barrier_moving(b); i < b->point_count; i++)
        lil_pose_place(start_of(m, m->obstacle_part[i - lil_barrier_moving(b)]), m->rest + 3 * i, *y + 3 * i);
    return LIL_OK;
}

static bool is_tangled(const builder *m, const int *element)
{
    return m->tangled[element[0]] && m->tangled[element[1]] && m->tangled[element[2]];
}

static bool can_cross(const builder *m, const lil_span *a, const lil_span *b)
{
    const lil_shell *s = &m->b->shell;
    int p = s->part[a->element], q = s->part[b->element];
    return s->meet[p * s->part_count + q] && lil_spans_overlap(a, b) &&
           !(p == q && is_carried(&m->bs->list[p]) && is_tangled(m, s->corners[a->element]) &&
             is_tangled(m, s->corners[b->element]));
}

/* Elements along x: each against those that begin before it ends. */
static lil_status check_crossings(const builder *m, const double *y)
{
    const lil_shell *s = &m->b->shell;
    lil_span *spans;
    LIL_TRY(lil_list_spans(m->rd, s, y, &spans));
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count && spans[j].low[0] <= spans[i].high[0]; j++) {
            int a = spans[i].element, b = spans[j].element;
            if (can_cross(m, &spans[i], &spans[j]) && lil_elements_cross(s->corners[a], s->corners[b], y))
                return refuse(m, s->part[a] < s->part[b] ? s->part[a] : s->part[b],
                              s->part[a] < s->part[b] ? s->part[b] : s->part[a], y + 3 * s->corners[a][0]);
        }
    return LIL_OK;
}

static lil_status check_planes(const builder *m, const double *y)
{
    for (int i = 0; i < m->b->plane_count; i++)
        for (int k = 0; k < m->b->touching_count; k++) {
            const lil_barrier_plane *plane = &m->planes[i];
            const double *x = y + 3 * m->touching[k];
            double gap = 0, point[3], normal[3];
            lil_pose_place(start_of(m, plane->part), plane->point, point);
            lil_pose_turn(start_of(m, plane->part), plane->normal, normal);
            for (int d = 0; d < 3; d++)
                gap += normal[d] * (x[d] - point[d]);
            if (!(gap > 0))
                return refuse(m, m->touching_part[k], plane->part, x);
        }
    return LIL_OK;
}

/* balls, against triangles */
static lil_status check_balls(const builder *m, const double *y)
{
    const lil_shell *s = &m->b->shell;
    for (int i = 0; i < s->count; i++)
        for (int j = 0; j < s->count && s->corners[i][1] < 0; j++) {
            double x[12], radius = m->parts[s->part[i]].radius;
            if (s->corners[j][2] < 0 || s->part[j] >= m->bs->count)
                continue;
            memcpy(x, y + 3 * s->corners[i][0], 3 * sizeof *x);
            for (int k = 0; k < 3; k++)
                memcpy(x + 3 + 3 * k, y + 3 * s->corners[j][k], 3 * sizeof *x);
            if (!(lil_pair_nearest(LIL_POINT_TRIANGLE, x).D > radius * radius))
                return refuse(m, s->part[j], s->part[i], x + 3);
        }
    return LIL_OK;
}

static lil_status check_start(const builder *m)
{
    double *y;
    LIL_TRY(start_places(m, &y));
    LIL_TRY(check_planes(m, y));
    LIL_TRY(check_balls(m, y));
    return check_crossings(m, y);
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

lil_status lil_read_barriers(const lil_reader *rd, lil_bodies *bs, double d_hat, double stiffness, bool meet)
{
    builder m = { .rd = rd,
                  .bs = bs,
                  .d_hat = d_hat,
                  .stiffness = stiffness,
                  .meet = meet,
                  .b = LIL_NEW(rd->arena, lil_barriers, 1) };
    if (!m.b)
        return lil_fail_memory(rd->ctx);
    m.b->vertex_count = bs->vertex_count;
    LIL_TRY(lil_carry_surfaces(rd, bs, &m.b->carried, &m.first));
    LIL_TRY(allocate(&m));
    m.b->point_count = lil_barrier_moving(m.b);
    m.b->shell.part_count = bs->count + bs->obstacle_count;
    set_rest(&m);
    double speed = largest_speed(&m);
    for (int i = 0; i < bs->count; i++) {
        set_part(&m, i);
        withstand(&m, i, speed);
        LIL_TRY(add_body(&m, i));
    }
    for (int i = 0; i < bs->obstacle_count; i++)
        add_obstacle(&m, i);
    bs->barriers = m.b;
    LIL_TRY(finish(&m));
    if (meet)
        LIL_TRY(find_tangles(&m));
    return check_start(&m);
}
