#include "record/check_thick.h"

#include <math.h>

static lil_status join(lil_context *ctx, lil_arena *arena, const lil_motion *m, lil_thick *t)
{
    const int(*lists[2])[2] = { m->springs, m->rods };
    int counts[2] = { m->spring_count, m->rod_count }, n = t->vertex_count;
    int *start = LIL_NEW(arena, int, n + 2),
        *joined = LIL_NEW(arena, int, 2 * ((size_t)counts[0] + (size_t)counts[1]));
    if (!start || !joined)
        return lil_fail_memory(ctx);
    for (int pass = 0; pass < 2; pass++) {
        for (int l = 0; l < 2; l++)
            for (int k = 0; k < 2 * counts[l]; k++) {
                int from = lists[l][k / 2][k % 2], to = lists[l][k / 2][1 - k % 2];
                if (from < 0 || from >= n || to < 0 || to >= n)
                    continue;
                if (pass)
                    joined[start[from + 1]++] = to;
                else
                    start[from + 2]++;
            }
        for (int v = 0; v < n && !pass; v++)
            start[v + 2] += start[v + 1];
    }
    t->start = start;
    t->joined = joined;
    return LIL_OK;
}

lil_status lil_thick_create(lil_context *ctx, lil_arena *arena, const lil_motion *m, int part_count, int vertex_count,
                            lil_thick *t)
{
    *t = (lil_thick){ .vertex_count = vertex_count };
    double *radius = LIL_NEW(arena, double, part_count);
    bool *root = LIL_NEW(arena, bool, t->vertex_count);
    if (!radius || !root)
        return lil_fail_memory(ctx);
    for (int i = 0; i < m->particles_count; i++) {
        radius[m->body_count + i] = m->particles[i].radius;
        for (int k = 0; k < m->particles[i].root_count; k++)
            root[m->particles[i].roots[k]] = true;
    }
    t->radius = radius;
    t->root = root;
    return join(ctx, arena, m, t);
}

static int corners(const lil_checked *c)
{
    return c->at[2] < 0 ? 2 : 3;
}

static bool has_root(const lil_thick *t, const lil_checked *c)
{
    for (int i = 0; i < corners(c); i++)
        if (c->at[i] < t->vertex_count && t->root[c->at[i]])
            return true;
    return false;
}

static bool are_joined(const lil_thick *t, const lil_checked *a, const lil_checked *b)
{
    for (int i = 0; i < 2; i++)
        for (int k = t->start[a->at[i]]; k < t->start[a->at[i] + 1]; k++)
            if (t->joined[k] == b->at[0] || t->joined[k] == b->at[1])
                return true;
    return false;
}

bool lil_thick_may_meet(const lil_thick *t, const lil_checked *a, const lil_checked *b)
{
    if (a->part != b->part)
        return has_root(t, a) || has_root(t, b);
    return corners(a) == 2 && corners(b) == 2 && are_joined(t, a, b);
}

/* ---- how far apart ---- */

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double between(double x)
{
    return fmin(fmax(x, 0), 1);
}

/* The squared distance of two segments: that of one's nearest point to the other's line, in turn until it stays. */
static double segments(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3], s = 0.5, t = 0.5, square = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = d[k] - c[k];
        w[k] = c[k] - a[k];
    }
    double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), det = uu * vv - uv * uv;
    if (det > 0)
        s = between((dot(u, w) * vv - dot(v, w) * uv) / det);
    t = vv > 0 ? between((s * uv - dot(v, w)) / vv) : 0;
    s = uu > 0 ? between((t * uv + dot(u, w)) / uu) : 0;
    for (int k = 0; k < 3; k++) {
        double r = w[k] + t * v[k] - s * u[k];
        square += r * r;
    }
    return square;
}

/* A point over the inside of a triangle; infinity: it is not. */
static double over(const double *p, const double *a, const double *b, const double *c)
{
    double u[3], v[3], w[3], n[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = p[k] - a[k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), det = uu * vv - uv * uv;
    double s = (dot(u, w) * vv - dot(v, w) * uv) / det, t = (dot(v, w) * uu - dot(u, w) * uv) / det;
    return s >= 0 && t >= 0 && s + t <= 1 ? dot(n, w) * dot(n, w) / dot(n, n) : INFINITY;
}

static double apart(const lil_checked *a, const lil_checked *b, const double *x)
{
    double least = INFINITY;
    int m = corners(a), n = corners(b);
    for (int i = 0; i < (m == 3 ? 3 : 1); i++)
        for (int j = 0; j < (n == 3 ? 3 : 1); j++)
            least = fmin(least, segments(x + 3 * a->at[i], x + 3 * a->at[(i + 1) % m], x + 3 * b->at[j],
                                         x + 3 * b->at[(j + 1) % n]));
    for (int i = 0; i < m && n == 3; i++)
        least = fmin(least, over(x + 3 * a->at[i], x + 3 * b->at[0], x + 3 * b->at[1], x + 3 * b->at[2]));
    for (int i = 0; i < n && m == 3; i++)
        least = fmin(least, over(x + 3 * b->at[i], x + 3 * a->at[0], x + 3 * a->at[1], x + 3 * a->at[2]));
    return sqrt(least);
}

bool lil_thick_overlap(const lil_thick *t, const lil_checked *a, const lil_checked *b, const double *x)
{
    double thick = (t->radius[a->part] + t->radius[b->part]) * (1 - 1e-9);
    for (int i = 0; i < corners(a); i++)
        for (int j = 0; j < corners(b); j++)
            if (a->at[i] == b->at[j])
                return false;
    if (!(thick > 0) || !(apart(a, b, x) < thick))
        return false;
    return a->part != b->part || (t->first && !(apart(a, b, t->first) < thick));
}
