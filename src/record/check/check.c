#include "record/check/check.h"

#include "core/order.h"
#include "geometry/exact.h"
#include "math/matrix3.h"
#include "record/check/check_rules.h"
#include "record/check/check_thick.h"
#include "record/file/recorded_obstacles.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- at one instant ---- */

static bool box_misses(const double *p, const double *q, const double *const v[3])
{
    for (int k = 0; k < 3; k++)
        if (fmax(p[k], q[k]) < fmin(v[0][k], fmin(v[1][k], v[2][k])) ||
            fmin(p[k], q[k]) > fmax(v[0][k], fmax(v[1][k], v[2][k])))
            return true;
    return false;
}

static double difference(const double *a, const double *b, double d[3])
{
    for (int k = 0; k < 3; k++)
        d[k] = a[k] - b[k];
    return fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
}

/* Beyond an edge of the triangle, in its plane: by more than round-off, whatever direction rounding has made of
 * it. Neighbours in one plane, which are the costly case of exact predicates, are separated this way. */
static bool is_beside(const double *p, const double *q, const double *const v[3])
{
    double e[3][3], n[3], m[3], to_p[3], to_q[3], large = 0;
    for (int i = 0; i < 3; i++)
        large = fmax(large, difference(v[(i + 1) % 3], v[i], e[i]));
    lil_cross3(e[0], e[1], n);
    for (int i = 0; i < 3; i++) {
        lil_cross3(e[i], n, m);
        double size = fmax(large, fmax(difference(p, v[i], to_p), difference(q, v[i], to_q)));
        double own = fmax(0, fmax(lil_dot3(m, e[i]), -lil_dot3(m, e[(i + 2) % 3])));
        double noise = 16 * DBL_EPSILON * (fabs(m[0]) + fabs(m[1]) + fabs(m[2])) * size;
        if (fmin(lil_dot3(m, to_p), lil_dot3(m, to_q)) > own + noise)
            return true;
    }
    return false;
}

static bool has(const lil_checked *c, int point)
{
    return c->at[0] == point || c->at[1] == point || c->at[2] == point;
}

/* An edge of a that has no vertex of the triangle b, against it. */
static bool edge_meets(const lil_checked *a, const lil_checked *b, const double *x)
{
    int n = lil_checked_corners(a);
    if (lil_checked_corners(b) != 3 || n == 1)
        return false;
    const double *const v[3] = { x + 3 * b->at[0], x + 3 * b->at[1], x + 3 * b->at[2] };
    for (int i = 0; i < (n == 3 ? 3 : 1); i++) {
        const double *p = x + 3 * a->at[i], *q = x + 3 * a->at[(i + 1) % n];
        if (has(b, a->at[i]) || has(b, a->at[(i + 1) % n]) || box_misses(p, q, v) || is_beside(p, q, v))
            continue;
        if (lil_exact_segment_meets_triangle(p, q, v[0], v[1], v[2]))
            return true;
    }
    return false;
}

bool lil_check_meet(const lil_checked *a, const lil_checked *b, const double *x)
{
    return lil_checked_shared(a, b) < 2 && (edge_meets(a, b, x) || edge_meets(b, a, x));
}

/* ---- all of them ---- */

typedef struct box {
    double low[3], high[3];
    int item;
} box;

typedef struct checker {
    lil_context *ctx;
    lil_motion motion;
    lil_arena arena;
    int own_count; /* vertices of q */
    /* with those of surfaces that ride in bodies; the corners of boxes and the points of meshes follow, */
    int vertex_count;
    int *first;    /* of each obstacle from here on */
    int *surface;  /* of a body: where its surface's vertices begin */
    double *x[2];  /* at a frame and at the one before it */
    bool *touches; /* of a vertex: it is on a surface, or a particle */
    bool *tangled; /* of a vertex: it is on a triangle that cuts through others at rest, or next to one */
    int *vertex_part;
    lil_checked *items;
    int count;
    const char **names; /* of parts */
    int part_count;
    box *boxes;
    lil_rules rules;
    double *rest; /* all points */
    int point_count;
    bool distinct; /* only triangles, and of different parts */
    lil_check *result;
} checker;

static int by_low(const void *p, const void *q)
{
    const box *a = p, *b = q;
    return a->low[0] != b->low[0] ? lil_order_real(a->low[0], b->low[0]) : lil_order(a->item, b->item);
}

static void add_item(checker *c, int part, int number, int p, int q, int r)
{
    if (!c->distinct || r >= 0)
        c->items[c->count++] = (lil_checked){ part, { p, q, r }, number };
}

static int owner(const lil_motion *m, int vertex)
{
    for (int i = 0; i < m->particles_count; i++)
        if (vertex >= m->particles[i].first && vertex < m->particles[i].first + m->particles[i].count)
            return i;
    return -1;
}

/* A file without a list of colliding elements of particles has links of one kind of them: strands, ropes, nets. */
static void add_links(checker *c, const int (*links)[2], int count)
{
    const lil_motion *m = &c->motion;
    for (int i = 0; i < count; i++) {
        int a = owner(m, links[i][0]), b = owner(m, links[i][1]);
        if (a >= 0 && a == b && !m->particles[a].touching_count)
            add_item(c, m->body_count + a, i, links[i][0], links[i][1], -1);
    }
}

static void add_particles(checker *c, int i)
{
    const lil_recorded_particles *p = &c->motion.particles[i];
    int part = c->motion.body_count + i;
    c->names[part] = p->name;
    for (int k = p->first; k < p->first + p->count; k++) {
        c->touches[k] = true;
        c->vertex_part[k] = part;
    }
    for (int k = 0; k < p->touching_count; k++) {
        const int *at = p->touching[k];
        add_item(c, part, at[1] < 0 ? at[0] - p->first : k, at[0], at[1], at[2]);
    }
}

/* A ball is a point that is as thick as its radius. */
static bool is_ball(const lil_recorded_obstacle *o)
{
    return o->shape[0] == 1;
}

static int points_of(const lil_recorded_obstacle *o)
{
    return is_ball(o) ? 1 : lil_solid_point_count(o);
}

static lil_status allocate(checker *c)
{
    const lil_motion *m = &c->motion;
    int most = m->world.spring_count + m->world.rod_count, points = 0;
    for (int i = 0; i < m->particles_count; i++)
        most += m->particles[i].touching_count;
    for (int i = 0; i < m->body_count; i++)
        most += m->bodies[i].surface.vertex_count ? m->bodies[i].surface.triangle_count : m->bodies[i].face_count;
    c->first = LIL_NEW(&c->arena, int, m->obstacle_count);
    for (int i = 0; c->first && i < m->obstacle_count; i++) {
        c->first[i] = points;
        points += points_of(&m->obstacles[i]);
        most += lil_solid_face_count(&m->obstacles[i]) + 1;
    }
    c->part_count = m->body_count + m->particles_count + m->obstacle_count;
    c->own_count = c->vertex_count = m->trajectory->n / 3;
    c->surface = LIL_NEW(&c->arena, int, m->body_count + 1);
    for (int i = 0; c->surface && i < m->body_count; i++) {
        c->surface[i] = c->vertex_count;
        c->vertex_count += m->bodies[i].surface.vertex_count;
    }
    c->items = LIL_NEW(&c->arena, lil_checked, most);
    c->boxes = LIL_NEW(&c->arena, box, most);
    c->names = LIL_NEW(&c->arena, const char *, c->part_count);
    c->touches = LIL_NEW(&c->arena, bool, c->vertex_count);
    c->vertex_part = LIL_NEW(&c->arena, int, c->vertex_count);
    c->point_count = c->vertex_count + points;
    for (int k = 0; k < 2; k++)
        c->x[k] = LIL_NEW(&c->arena, double, 3 * (size_t)c->point_count);
    c->tangled = LIL_NEW(&c->arena, bool, c->vertex_count);
    c->rest = LIL_NEW(&c->arena, double, 3 * (size_t)c->point_count);
    for (int i = 0; c->first && i < m->obstacle_count; i++)
        c->first[i] += c->vertex_count;
    return c->surface && c->tangled && c->first && c->rest && c->items && c->boxes && c->names && c->touches &&
                   c->vertex_part && c->x[0] && c->x[1]
               ? LIL_OK
               : lil_fail_memory(c->ctx);
}

static int by_place(const void *p, const void *q)
{
    const double *a = *(const double *const *)p, *b = *(const double *const *)q;
    for (int d = 0; d < 3; d++)
        if (a[d] != b[d])
            return a[d] < b[d] ? -1 : 1;
    return (a > b) - (a < b);
}

/* Vertices that are in one place at rest, as along seams, are one: the first of them. */
static lil_status join_vertices(checker *c, const lil_recorded_surface *s, int **same)
{
    const double **at = LIL_NEW(&c->arena, const double *, s->vertex_count);
    *same = LIL_NEW(&c->arena, int, s->vertex_count);
    LIL_HAVE(c->ctx, at && *same);
    for (int i = 0; i < s->vertex_count; i++)
        at[i] = s->rest + 3 * (size_t)i;
    qsort(at, (size_t)s->vertex_count, sizeof *at, by_place);
    for (int i = 0, one = 0; i < s->vertex_count; i++) {
        one = memcmp(at[i], at[one], 3 * sizeof(double)) == 0 ? one : i;
        (*same)[(at[i] - s->rest) / 3] = (int)((at[one] - s->rest) / 3);
    }
    return LIL_OK;
}

static lil_status add_surface(checker *c, int body)
{
    const lil_recorded_surface *s = &c->motion.bodies[body].surface;
    int first = c->surface[body], *same;
    LIL_TRY(join_vertices(c, s, &same));
    for (int f = 0; f < s->triangle_count; f++) {
        int v[3];
        for (int k = 0; k < 3; k++)
            v[k] = same[s->triangles[f][k]];
        if (v[0] == v[1] || v[1] == v[2] || v[2] == v[0])
            continue;
        add_item(c, body, f, first + v[0], first + v[1], first + v[2]);
        for (int k = 0; k < 3; k++) {
            c->touches[first + v[k]] = true;
            c->vertex_part[first + v[k]] = body;
        }
    }
    return LIL_OK;
}

static lil_status list_items(checker *c)
{
    const lil_motion *m = &c->motion;
    LIL_TRY(allocate(c));
    for (int i = 0; i < m->body_count; i++) {
        const lil_recorded_body *b = &m->bodies[i];
        c->names[i] = b->name;
        if (b->surface.vertex_count)
            LIL_TRY(add_surface(c, i));
        for (int f = 0; f < b->face_count && !b->surface.vertex_count; f++) {
            add_item(c, i, f, b->first + b->faces[f][0], b->first + b->faces[f][1], b->first + b->faces[f][2]);
            for (int k = 0; k < 3; k++) {
                c->touches[b->first + b->faces[f][k]] = true;
                c->vertex_part[b->first + b->faces[f][k]] = i;
            }
        }
    }
    for (int i = 0; i < m->particles_count; i++)
        add_particles(c, i);
    add_links(c, m->world.springs, m->world.spring_count);
    add_links(c, m->world.rods, m->world.rod_count);
    for (int i = 0; i < m->obstacle_count; i++) {
        const lil_recorded_obstacle *o = &m->obstacles[i];
        int part = m->body_count + m->particles_count + i, first = c->first[i];
        c->names[part] = o->name;
        if (is_ball(o))
            add_item(c, part, 0, first, -1, -1);
        for (int f = 0; f < lil_solid_face_count(o); f++) {
            const int *v = lil_solid_face(o, f);
            add_item(c, part, f, first + v[0], first + v[1], first + v[2]);
        }
    }
    return LIL_OK;
}

/* Pairs that may overlap. Particles of an older file are at rest where they start. */
static lil_status make_rules(checker *c)
{
    const lil_motion *m = &c->motion;
    LIL_TRY(lil_rules_create(c->ctx, &c->arena, &c->motion, c->point_count, &c->rules));
    for (int i = 0; i < m->obstacle_count; i++)
        for (int k = 0; k < points_of(&m->obstacles[i]); k++)
            c->rules.still[c->first[i] + k] = lil_solid_stays(&m->obstacles[i]);
    LIL_TRY(lil_motion_at(&c->motion, m->t[0], c->rest, NULL));
    for (int i = 0; i < m->body_count; i++) {
        const lil_recorded_body *b = &m->bodies[i];
        memcpy(c->rest + 3 * (size_t)b->first, b->rest, 3 * (size_t)b->vertex_count * sizeof *b->rest);
        if (b->surface.vertex_count)
            memcpy(c->rest + 3 * (size_t)c->surface[i], b->surface.rest,
                   3 * (size_t)b->surface.vertex_count * sizeof *b->rest);
    }
    for (int i = 0; i < m->particles_count; i++)
        if (m->particles[i].rest)
            memcpy(c->rest + 3 * (size_t)m->particles[i].first, m->particles[i].rest,
                   3 * (size_t)m->particles[i].count * sizeof *c->rest);
    c->rules.rest = c->rest;
    return LIL_OK;
}

/* ---- obstacles ---- */

/* what is so thick */
static bool is_inside(const lil_solid_at *s, const double x[3], double radius)
{
    double r[3] = { x[0] - s->point[0], x[1] - s->point[1], x[2] - s->point[2] };
    radius *= 1 - 1e-9;
    if (s->kind == 0)
        return lil_dot3(r, s->normal) < radius;
    if (s->kind != 2)
        return false; /* a mesh is a surface, and a ball is looked at as a point that is thick */
    for (int d = 0; d < 3; d++)
        if (!(fabs(s->R[d] * r[0] + s->R[3 + d] * r[1] + s->R[6 + d] * r[2]) < s->half[d]))
            return false;
    return true;
}

/* The axis along which most pairs can be separated. */
static int longest_axis(const checker *c, const double *x)
{
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (int i = 0; i < c->count; i++)
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], x[3 * c->items[i].at[0] + d]);
            high[d] = fmax(high[d], x[3 * c->items[i].at[0] + d]);
        }
    int axis = high[1] - low[1] > high[0] - low[0] ? 1 : 0;
    return high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
}

static void set_boxes(checker *c, const double *x0, const double *x1)
{
    int first = longest_axis(c, x1);
    for (int i = 0; i < c->count; i++) {
        const lil_checked *it = &c->items[i];
        box b = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY }, i };
        double radius = c->rules.radius[it->part];
        for (int k = 0; k < lil_checked_corners(it); k++)
            for (int d = 0; d < 3; d++) { /* the axis that boxes are sorted by comes first */
                int axis = (first + d) % 3;
                double p = x0[3 * it->at[k] + axis], q = x1[3 * it->at[k] + axis];
                b.low[d] = fmin(b.low[d], fmin(p, q) - radius);
                b.high[d] = fmax(b.high[d], fmax(p, q) + radius);
            }
        c->boxes[i] = b;
    }
    qsort(c->boxes, (size_t)c->count, sizeof *c->boxes, by_low);
}

/* along y and z; along x they are known to */
static bool overlap(const box *a, const box *b)
{
    return a->low[1] <= b->high[1] && b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static void describe(const checker *c, const lil_checked *it, char *to, size_t size)
{
    static const char *const kinds[] = { "particle", "link", "triangle" };
    if (it->at[1] < 0 && it->at[0] >= c->vertex_count)
        snprintf(to, size, "the obstacle '%.60s'", c->names[it->part]);
    else
        snprintf(to, size, "%s %d of '%.60s'", kinds[lil_checked_corners(it) - 1], it->number, c->names[it->part]);
}

static void found(checker *c, const lil_checked *a, const lil_checked *b, int64_t frame, double t, bool way)
{
    lil_check *r = c->result;
    if (a->part > b->part || (a->part == b->part && a->number > b->number)) {
        const lil_checked *swap = a;
        a = b;
        b = swap;
    }
    if (r->intersections + r->passages == 0) {
        char one[120], other[120];
        r->frame = frame;
        r->t = t;
        describe(c, a, one, sizeof one);
        describe(c, b, other, sizeof other);
        snprintf(r->first, sizeof r->first, "%s and %s", one, other);
    }
    *(way ? &r->passages : &r->intersections) += 1;
}

/* Vertices inside a half space or a box. */
static lil_status look_at_obstacles(checker *c, int64_t frame, double t)
{
    const lil_motion *m = &c->motion;
    lil_check *r = c->result;
    for (int i = 0; i < m->obstacle_count; i++) {
        const lil_recorded_obstacle *o = &m->obstacles[i];
        int own = m->body_count + m->particles_count + i;
        lil_solid_at s;
        LIL_TRY(lil_solid_read(&c->motion, o, t, &s));
        LIL_TRY(lil_solid_points(&c->motion, o, &s, t, c->x[0] + 3 * c->first[i]));
        if (is_ball(o))
            memcpy(c->x[0] + 3 * c->first[i], s.point, sizeof s.point);
        for (int v = 0; v < c->vertex_count && (s.kind == 0 || s.kind == 2); v++) {
            int part = c->vertex_part[v];
            if (!c->touches[v] || !is_inside(&s, c->x[0] + 3 * v, c->rules.radius[part]) ||
                lil_rules_let_in(&c->rules, v, part, own, lil_solid_stays(o)) || r->intersections++ + r->passages)
                continue;
            r->frame = frame;
            r->t = t;
            snprintf(r->first, sizeof r->first, "vertex %d of '%.60s' and the obstacle '%.60s'",
                     v < c->own_count ? v : v - c->surface[part], c->names[part], o->name);
        }
    }
    return LIL_OK;
}

static bool is_tangled(const checker *c, const lil_checked *it)
{
    for (int k = 0; k < lil_checked_corners(it); k++)
        if (!c->tangled[it->at[k]])
            return false;
    return true;
}

/* Surfaces that intersect themselves at rest cannot come apart. */
static lil_status find_tangles(checker *c)
{
    bool *cut = LIL_NEW(&c->arena, bool, c->vertex_count);
    if (c->vertex_count == c->own_count) /* there are none */
        return LIL_OK;
    LIL_HAVE(c->ctx, cut);
    for (int i = 0; i < c->motion.body_count; i++) {
        const lil_recorded_surface *s = &c->motion.bodies[i].surface;
        if (s->vertex_count)
            memcpy(c->x[0] + 3 * (size_t)c->surface[i], s->rest, 3 * (size_t)s->vertex_count * sizeof *s->rest);
    }
    set_boxes(c, c->x[0], c->x[0]);
    for (int i = 0; i < c->count; i++)
        for (int j = i + 1; j < c->count && c->boxes[j].low[0] <= c->boxes[i].high[0]; j++) {
            const lil_checked *p = &c->items[c->boxes[i].item], *q = &c->items[c->boxes[j].item];
            if (p->part != q->part || p->at[0] < c->own_count || p->at[0] >= c->vertex_count ||
                !overlap(&c->boxes[i], &c->boxes[j]) || !lil_check_meet(p, q, c->x[0]))
                continue;
            for (int k = 0; k < 3; k++)
                cut[p->at[k]] = cut[q->at[k]] = true;
        }
    for (int i = 0; i < c->count; i++) {
        const int *at = c->items[i].at;
        for (int k = 0; k < 9 && at[0] >= c->own_count && at[0] < c->vertex_count; k++)
            c->tangled[at[k % 3]] = c->tangled[at[k % 3]] || cut[at[k / 3]];
    }
    return LIL_OK;
}

/* The vertices of surfaces that ride in bodies. */
static void place_surfaces(checker *c, double t, double *x)
{
    for (int b = 0; b < c->motion.body_count; b++)
        for (int i = 0; i < c->motion.bodies[b].surface.vertex_count; i++)
            lil_motion_carried(&c->motion.bodies[b], i, t, x, x + 3 * (size_t)(c->surface[b] + i));
}

static bool intersect(const checker *c, const lil_checked *p, const lil_checked *q)
{
    double thick = lil_thick_sum(c->rules.radius, p, q);
    return lil_check_meet(p, q, c->x[0]) ||
           (thick > 0 && lil_checked_shared(p, q) == 0 && lil_thick_distance(p, q, c->x[0], NULL) < thick);
}

static bool pass_each_other(const checker *c, const lil_checked *p, const lil_checked *q)
{
    return lil_checked_shared(p, q) == 0 &&
           !lil_check_apart(p, q, lil_thick_sum(c->rules.radius, p, q), c->x[1], c->x[0]);
}

/* Boxes sorted along an axis: each against those that begin before it ends. */
static void look(checker *c, int64_t frame, double t, bool way)
{
    const double *x0 = c->x[way ? 1 : 0], *x1 = c->x[0];
    set_boxes(c, x0, x1);
    for (int i = 0; i < c->count; i++) {
        const box *a = &c->boxes[i];
        for (int j = i + 1; j < c->count && c->boxes[j].low[0] <= a->high[0]; j++) {
            const box *b = &c->boxes[j];
            const lil_checked *p = &c->items[a->item], *q = &c->items[b->item];
            if (!overlap(a, b) ||
                (p->at[0] >= c->vertex_count && q->at[0] >= c->vertex_count)) /* both of obstacles */
                continue;
            if (p->part == q->part && is_tangled(c, p) && is_tangled(c, q))
                continue;
            if (c->distinct && p->part == q->part)
                continue;
            if (!lil_rules_let_pass(&c->rules, p, q) && (way ? pass_each_other(c, p, q) : intersect(c, p, q)) &&
                !lil_rules_overlap_at_rest(&c->rules, p, q))
                found(c, p, q, frame, t, way);
        }
    }
}

static lil_status look_at_all(checker *c, const lil_check_def *def)
{
    lil_motion *m = &c->motion;
    int64_t frames = m->trajectory->frames;
    for (int64_t i = 0; i < frames; i++) {
        double *swap = c->x[0];
        c->x[0] = c->x[1];
        c->x[1] = swap;
        LIL_TRY(lil_motion_at(m, m->t[i], c->x[0], NULL));
        place_surfaces(c, m->t[i], c->x[0]);
        int64_t before = c->result->intersections;
        LIL_TRY(look_at_obstacles(c, i, m->t[i]));
        look(c, i, m->t[i], false);
        c->result->frames++;
        c->result->bad_frames += c->result->intersections > before;
        if (def->paths && i > 0)
            look(c, i, m->t[i], true);
        if (def->progress && !def->progress(def->user, (double)(i + 1) / (double)frames))
            return lil_fail(c->ctx, LIL_ERR_INTERRUPTED, "interrupted");
    }
    return LIL_OK;
}

lil_check_def lil_check_def_default(void)
{
    return (lil_check_def){ 0 };
}

lil_status lil_trajectory_check(lil_trajectory *trajectory, const lil_check_def *def, lil_check *result)
{
    LIL_NEED(NULL, trajectory, "trajectory");
    LIL_NEED(trajectory->ctx, def, "def");
    LIL_NEED(trajectory->ctx, result, "result");
    checker c = { .ctx = trajectory->ctx, .distinct = def->distinct, .result = result };
    *result = (lil_check){ 0 };
    LIL_TRY(lil_motion_open(trajectory, &c.motion));
    lil_status status = list_items(&c);
    for (int i = 0; i < c.count; i++)
        *(c.items[i].at[1] < 0 ? &result->points : &result->elements) += 1;
    if (status == LIL_OK)
        status = make_rules(&c);
    c.rules.all = def->all;
    result->passing = c.rules.all ? 0 : c.rules.passing;
    if (status == LIL_OK)
        status = find_tangles(&c);
    if (status == LIL_OK)
        status = look_at_all(&c, def);
    if (status == LIL_OK && result->intersections && lil_motion_track(&c.motion, "q")->single)
        lil_warn(c.ctx,
                 "%.200s: its positions are in single precision: surfaces nearer than 6e-8 of their coordinates may "
                 "show as intersections",
                 trajectory->path);
    lil_arena_free(&c.arena);
    lil_motion_close(&c.motion);
    return status;
}
