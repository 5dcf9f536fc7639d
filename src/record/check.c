#include "record/check.h"

#include "geometry/exact.h"
#include "record/check_thick.h"
#include "record/solid.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- two of them ---- */

static int corners(const lil_checked *c)
{
    return c->at[2] < 0 ? 2 : 3;
}

static bool has(const lil_checked *c, int point)
{
    return c->at[0] == point || c->at[1] == point || c->at[2] == point;
}

static int shared(const lil_checked *a, const lil_checked *b)
{
    int count = 0;
    for (int i = 0; i < corners(a); i++)
        count += has(b, a->at[i]);
    return count;
}

/* ---- on their way ---- */

typedef struct path {
    const lil_checked *a, *b;
    const double *x0, *x1;
} path;

static void place(const path *p, int point, double s, double at[3])
{
    for (int k = 0; k < 3; k++)
        at[k] = p->x0[3 * point + k] + s * (p->x1[3 * point + k] - p->x0[3 * point + k]);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Along n, from s0 to s1: points move straight, so the ends of the way bound them. */
static void span(const path *p, const lil_checked *c, const double n[3], double s0, double s1, double *low,
                 double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < corners(c); i++)
        for (int end = 0; end < 2; end++) {
            double at[3];
            place(p, c->at[i], end ? s1 : s0, at);
            double along = dot(n, at),
                   noise = 8 * DBL_EPSILON * (fabs(n[0] * at[0]) + fabs(n[1] * at[1]) + fabs(n[2] * at[2]));
            *low = fmin(*low, along - noise);
            *high = fmax(*high, along + noise);
        }
}

static bool separates(const path *p, const double n[3], double s0, double s1)
{
    double low_a, high_a, low_b, high_b;
    span(p, p->a, n, s0, s1, &low_a, &high_a);
    span(p, p->b, n, s0, s1, &low_b, &high_b);
    return high_a < low_b || high_b < low_a;
}

/* Two convex polygons in space are apart where a normal of one, a direction across an edge of each, or (in one plane) across an edge
 * and the normal separates them. All of them halfway between s0 and s1. */
static bool some_direction_separates(const path *p, double s0, double s1)
{
    double middle = (s0 + s1) / 2, ea[3][3], eb[3][3], na[3] = { 0 }, nb[3] = { 0 }, n[3];
    int ca = corners(p->a) == 3 ? 3 : 1, cb = corners(p->b) == 3 ? 3 : 1;
    for (int k = 0; k < 3; k++) {
        double axis[3] = { k == 0, k == 1, k == 2 };
        if (separates(p, axis, s0, s1))
            return true;
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? cb : ca); i++) {
            const lil_checked *c = side ? p->b : p->a;
            double from[3], to[3];
            place(p, c->at[i], middle, from);
            place(p, c->at[(i + 1) % corners(c)], middle, to);
            for (int k = 0; k < 3; k++)
                (side ? eb : ea)[i][k] = to[k] - from[k];
        }
    if (ca == 3)
        cross(ea[0], ea[1], na);
    if (cb == 3)
        cross(eb[0], eb[1], nb);
    if ((ca == 3 && separates(p, na, s0, s1)) || (cb == 3 && separates(p, nb, s0, s1)))
        return true;
    for (int i = 0; i < ca; i++)
        for (int j = 0; j < cb; j++) {
            cross(ea[i], eb[j], n);
            if (separates(p, n, s0, s1))
                return true;
        }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? cb : ca); i++) {
            cross(side ? eb[i] : ea[i], side ? nb : na, n);
            if (separates(p, n, s0, s1))
                return true;
        }
    return false;
}

/* Links in one plane, which have no normal: across each of them in it, across what joins them, and from an end to an end. */
static bool links_are_apart(const path *p, double s0, double s1)
{
    double middle = (s0 + s1) / 2, x[4][3], e[2][3], r[3], n[3], across[3];
    if (corners(p->a) == 3 || corners(p->b) == 3)
        return false;
    for (int i = 0; i < 4; i++)
        place(p, (i < 2 ? p->a : p->b)->at[i % 2], middle, x[i]);
    for (int k = 0; k < 3; k++) {
        e[0][k] = x[1][k] - x[0][k];
        e[1][k] = x[3][k] - x[2][k];
        r[k] = x[2][k] + x[3][k] - x[0][k] - x[1][k];
    }
    for (int i = 0; i < 4; i++) {
        cross(e[i % 2], i < 2 ? e[1 - i] : r, n);
        cross(e[i % 2], n, across);
        if (separates(p, across, s0, s1))
            return true;
        for (int k = 0; k < 3; k++)
            n[k] = x[2 + i / 2][k] - x[i % 2][k];
        if (separates(p, n, s0, s1))
            return true;
    }
    return false;
}

static bool apart(const path *p, double s0, double s1, int depth)
{
    enum { DEEPEST = 30 };
    if (some_direction_separates(p, s0, s1) || links_are_apart(p, s0, s1))
        return true;
    double middle = (s0 + s1) / 2;
    return depth < DEEPEST && apart(p, s0, middle, depth + 1) && apart(p, middle, s1, depth + 1);
}

bool lil_check_apart(const lil_checked *a, const lil_checked *b, const double *x0, const double *x1)
{
    path p = { a, b, x0, x1 };
    return apart(&p, 0, 1, 0);
}

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

/* Beyond an edge of the triangle, in its plane: by more than round-off, whatever direction rounding has made of it. Neighbours in one plane, which
 * are the costly case of exact predicates, are told apart so. */
static bool is_beside(const double *p, const double *q, const double *const v[3])
{
    double e[3][3], n[3], m[3], to_p[3], to_q[3], large = 0;
    for (int i = 0; i < 3; i++)
        large = fmax(large, difference(v[(i + 1) % 3], v[i], e[i]));
    cross(e[0], e[1], n);
    for (int i = 0; i < 3; i++) {
        cross(e[i], n, m);
        double size = fmax(large, fmax(difference(p, v[i], to_p), difference(q, v[i], to_q)));
        double own = fmax(0, fmax(dot(m, e[i]), -dot(m, e[(i + 2) % 3])));
        double noise = 16 * DBL_EPSILON * (fabs(m[0]) + fabs(m[1]) + fabs(m[2])) * size;
        if (fmin(dot(m, to_p), dot(m, to_q)) > own + noise)
            return true;
    }
    return false;
}

/* An edge of a that has no vertex of the triangle b, against it. */
static bool edge_meets(const lil_checked *a, const lil_checked *b, const double *x)
{
    if (corners(b) != 3)
        return false;
    int n = corners(a);
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
    return shared(a, b) < 2 && (edge_meets(a, b, x) || edge_meets(b, a, x));
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
    int vertex_count; /* with those of surfaces that ride in bodies; the corners of boxes and the points of meshes follow, */
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
    lil_thick thick;
    double *at_first; /* x in the first frame, */
    size_t numbers;   /*   so many */
    lil_check *result;
} checker;

static int by_low(const void *p, const void *q)
{
    const box *a = p, *b = q;
    if (a->low[0] != b->low[0])
        return a->low[0] < b->low[0] ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

static void add_item(checker *c, int part, int number, int p, int q, int r)
{
    c->items[c->count++] = (lil_checked){ part, { p, q, r }, number };
}

static int owner(const lil_motion *m, int vertex)
{
    for (int i = 0; i < m->particles_count; i++)
        if (vertex >= m->particles[i].first && vertex < m->particles[i].first + m->particles[i].count)
            return i;
    return -1;
}

/* links of one set of particles: strands, ropes, nets */
static void add_links(checker *c, const int (*links)[2], int count)
{
    const lil_motion *m = &c->motion;
    for (int i = 0; i < count; i++) {
        int a = owner(m, links[i][0]), b = owner(m, links[i][1]);
        if (a >= 0 && a == b)
            add_item(c, m->body_count + a, i, links[i][0], links[i][1], -1);
    }
}

static lil_status allocate(checker *c)
{
    const lil_motion *m = &c->motion;
    int most = m->spring_count + m->rod_count, points = 0;
    for (int i = 0; i < m->body_count; i++)
        most += m->bodies[i].surface.vertex_count ? m->bodies[i].surface.triangle_count : m->bodies[i].face_count;
    c->first = LIL_NEW(&c->arena, int, m->obstacle_count);
    for (int i = 0; c->first && i < m->obstacle_count; i++) {
        c->first[i] = points;
        points += lil_solid_point_count(&m->obstacles[i]);
        most += lil_solid_face_count(&m->obstacles[i]);
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
    for (int k = 0; k < 2; k++)
        c->x[k] = LIL_NEW(&c->arena, double, 3 * ((size_t)c->vertex_count + (size_t)points));
    c->tangled = LIL_NEW(&c->arena, bool, c->vertex_count);
    c->numbers = 3 * ((size_t)c->vertex_count + (size_t)points);
    c->at_first = LIL_NEW(&c->arena, double, c->numbers);
    for (int i = 0; c->first && i < m->obstacle_count; i++)
        c->first[i] += c->vertex_count;
    return c->surface && c->tangled && c->first && c->at_first && c->items && c->boxes && c->names && c->touches &&
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
    if (!at || !*same)
        return lil_fail_memory(c->ctx);
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
    for (int i = 0; i < m->particles_count; i++) {
        const lil_recorded_particles *p = &m->particles[i];
        c->names[m->body_count + i] = p->name;
        for (int k = p->first; k < p->first + p->count; k++) {
            c->touches[k] = true;
            c->vertex_part[k] = m->body_count + i;
        }
    }
    LIL_TRY(lil_thick_create(c->ctx, &c->arena, m, c->part_count, c->vertex_count, &c->thick));
    add_links(c, m->springs, m->spring_count);
    add_links(c, m->rods, m->rod_count);
    for (int i = 0; i < m->obstacle_count; i++) {
        const lil_recorded_obstacle *o = &m->obstacles[i];
        int part = m->body_count + m->particles_count + i, first = c->first[i];
        c->names[part] = o->name;
        for (int f = 0; f < lil_solid_face_count(o); f++) {
            const int *v = lil_solid_face(o, f);
            add_item(c, part, f, first + v[0], first + v[1], first + v[2]);
        }
    }
    return LIL_OK;
}

/* ---- obstacles ---- */

/* what is so thick */
static bool is_inside(const lil_solid_at *s, const double x[3], double radius)
{
    double r[3] = { x[0] - s->point[0], x[1] - s->point[1], x[2] - s->point[2] };
    radius *= 1 - 1e-9;
    if (s->kind == 0)
        return dot(r, s->normal) < radius;
    if (s->kind == 1)
        return dot(r, r) < (s->radius + radius) * (s->radius + radius);
    if (s->kind == 3)
        return false; /* it is a surface */
    for (int d = 0; d < 3; d++)
        if (!(fabs(s->R[d] * r[0] + s->R[3 + d] * r[1] + s->R[6 + d] * r[2]) < s->half[d]))
            return false;
    return true;
}

/* The squared distance of a point and a triangle or link, by its inside, its edges and its corners in turn. */
static double distance(const lil_checked *it, const double *x, const double p[3])
{
    int n = corners(it);
    double least = INFINITY, e[3][3], normal[3];
    for (int i = 0; i < n; i++) {
        const double *a = x + 3 * it->at[i], *b = x + 3 * it->at[(i + 1) % n];
        double r[3] = { p[0] - a[0], p[1] - a[1], p[2] - a[2] }, off = 0;
        for (int k = 0; k < 3; k++)
            e[i][k] = b[k] - a[k];
        double square = dot(e[i], e[i]), s = square > 0 ? fmin(fmax(dot(r, e[i]) / square, 0), 1) : 0;
        for (int k = 0; k < 3; k++)
            off += (r[k] - s * e[i][k]) * (r[k] - s * e[i][k]);
        least = fmin(least, off);
    }
    if (n == 2)
        return least;
    cross(e[0], e[1], normal);
    bool within = dot(normal, normal) > 0;
    double height = 0;
    for (int i = 0; i < 3 && within; i++) {
        const double *a = x + 3 * it->at[i];
        double r[3] = { p[0] - a[0], p[1] - a[1], p[2] - a[2] }, across[3];
        cross(normal, e[i], across);
        within = dot(across, r) >= 0;
        height = dot(normal, r);
    }
    return within ? fmin(least, height * height / dot(normal, normal)) : least;
}

/* The axis along which most can be told apart. */
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
        double radius = c->thick.radius[it->part];
        for (int k = 0; k < corners(it); k++)
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

static void found(checker *c, const lil_checked *a, const lil_checked *b, int64_t frame, double t, bool way)
{
    lil_check *r = c->result;
    if (a->part > b->part || (a->part == b->part && a->number > b->number)) {
        const lil_checked *swap = a;
        a = b;
        b = swap;
    }
    if (r->intersections + r->passages == 0) {
        r->frame = frame;
        r->t = t;
        snprintf(r->first, sizeof r->first, "%s %d of '%.60s' and %s %d of '%.60s'",
                 a->at[2] < 0 ? "link" : "triangle", a->number, c->names[a->part], b->at[2] < 0 ? "link" : "triangle",
                 b->number, c->names[b->part]);
    }
    *(way ? &r->passages : &r->intersections) += 1;
}

static void found_inside(checker *c, const char *what, int number, int part, int obstacle, int64_t frame, double t)
{
    lil_check *r = c->result;
    if (r->intersections++ + r->passages > 0)
        return;
    r->frame = frame;
    r->t = t;
    snprintf(r->first, sizeof r->first, "%s %d of '%.60s' and the obstacle '%.60s'", what, number, c->names[part],
             c->motion.obstacles[obstacle].name);
}

/* Vertices inside an obstacle; and what a ball is in the way of, without a vertex inside. */
static lil_status look_at_obstacles(checker *c, int64_t frame, double t)
{
    const lil_motion *m = &c->motion;
    const double *x = c->x[0];
    for (int i = 0; i < m->obstacle_count; i++) {
        lil_solid_at s;
        LIL_TRY(lil_solid_read(&c->motion, &m->obstacles[i], t, &s));
        lil_solid_points(&m->obstacles[i], &s, c->x[0] + 3 * c->first[i]);
        for (int v = 0; v < c->vertex_count; v++)
            if (c->touches[v] && !c->thick.root[v] && is_inside(&s, x + 3 * v, c->thick.radius[c->vertex_part[v]]))
                found_inside(c, "vertex", v < c->own_count ? v : v - c->surface[c->vertex_part[v]], c->vertex_part[v],
                             i, frame, t);
        for (int k = 0; k < c->count && s.kind == 1; k++) {
            const lil_checked *it = &c->items[k];
            double thick = s.radius + c->thick.radius[it->part] * (1 - 1e-9);
            bool vertex = it->at[0] >= c->vertex_count;
            for (int n = 0; n < corners(it) && !vertex; n++)
                vertex = c->thick.root[it->at[n]] || is_inside(&s, x + 3 * it->at[n], c->thick.radius[it->part]);
            if (!vertex && distance(it, x, s.point) < thick * thick)
                found_inside(c, it->at[2] < 0 ? "link" : "triangle", it->number, it->part, i, frame, t);
        }
    }
    return LIL_OK;
}

static bool is_tangled(const checker *c, const lil_checked *it)
{
    for (int k = 0; k < corners(it); k++)
        if (!c->tangled[it->at[k]])
            return false;
    return true;
}

/* Of surfaces that intersect themselves at rest nobody can ask that they come apart. */
static lil_status find_tangles(checker *c)
{
    bool *cut = LIL_NEW(&c->arena, bool, c->vertex_count);
    if (c->vertex_count == c->own_count) /* there are none */
        return LIL_OK;
    if (!cut)
        return lil_fail_memory(c->ctx);
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
            if (p->part == q->part &&
                (p->at[0] >= c->vertex_count || (is_tangled(c, p) && is_tangled(c, q)))) /* of one box */
                continue;
            if (!overlap(a, b))
                continue;
            if (lil_thick_may_meet(&c->thick, p, q))
                continue;
            if (way ? shared(p, q) == 0 && !lil_check_apart(p, q, x0, x1)
                    : lil_check_meet(p, q, x1) || lil_thick_overlap(&c->thick, p, q, x1))
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
        if (i == 1) { /* the first is whole with its obstacles */
            memcpy(c->at_first, c->x[1], c->numbers * sizeof *c->at_first);
            c->thick.first = c->at_first;
        }
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
    checker c = { .ctx = trajectory->ctx, .result = result };
    *result = (lil_check){ 0 };
    LIL_TRY(lil_motion_open(trajectory, &c.motion));
    lil_status status = list_items(&c);
    result->elements = c.count;
    if (status == LIL_OK)
        status = find_tangles(&c);
    if (status == LIL_OK)
        status = look_at_all(&c, def);
    lil_arena_free(&c.arena);
    lil_motion_close(&c.motion);
    return status;
}
