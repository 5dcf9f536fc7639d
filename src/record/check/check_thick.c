#include "record/check/check_thick.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

static double between(double x)
{
    return fmin(fmax(x, 0), 1);
}

/* From a segment to another: from one's nearest point to the other's line, in turn until it stays. Either may be a
 * point. */
static void segments(const double *a, const double *b, const double *c, const double *d, double way[3])
{
    double u[3], v[3], w[3], s = 0.5, t = 0.5;
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = d[k] - c[k];
        w[k] = c[k] - a[k];
    }
    double uu = lil_dot3(u, u), vv = lil_dot3(v, v), uv = lil_dot3(u, v), det = uu * vv - uv * uv;
    if (det > 0)
        s = between((lil_dot3(u, w) * vv - lil_dot3(v, w) * uv) / det);
    t = vv > 0 ? between((s * uv - lil_dot3(v, w)) / vv) : 0;
    s = uu > 0 ? between((t * uv + lil_dot3(u, w)) / uu) : 0;
    for (int k = 0; k < 3; k++)
        way[k] = w[k] + t * v[k] - s * u[k];
}

/* From a point to the inside of a triangle that it is over. False: it is not. */
static bool over(const double *p, const double *a, const double *b, const double *c, double way[3])
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = p[k] - a[k];
    }
    double uu = lil_dot3(u, u), vv = lil_dot3(v, v), uv = lil_dot3(u, v), det = uu * vv - uv * uv;
    double s = (lil_dot3(u, w) * vv - lil_dot3(v, w) * uv) / det,
           t = (lil_dot3(v, w) * uu - lil_dot3(u, w) * uv) / det;
    for (int k = 0; k < 3; k++)
        way[k] = s * u[k] + t * v[k] - w[k];
    return s >= 0 && t >= 0 && s + t <= 1;
}

static void keep_least(double sign, const double way[3], double *least, double best[3])
{
    double square = lil_dot3(way, way);
    if (!(square < *least))
        return;
    *least = square;
    for (int k = 0; k < 3; k++)
        best[k] = sign * way[k];
}

double lil_thick_distance(const lil_checked *a, const lil_checked *b, const double *x, double way[3])
{
    double least = INFINITY, best[3] = { 0 }, one[3];
    int m = lil_checked_corners(a), n = lil_checked_corners(b);
    for (int i = 0; i < (m == 3 ? 3 : 1); i++)
        for (int j = 0; j < (n == 3 ? 3 : 1); j++) {
            segments(x + 3 * a->at[i], x + 3 * a->at[(i + 1) % m], x + 3 * b->at[j], x + 3 * b->at[(j + 1) % n], one);
            keep_least(1, one, &least, best);
        }
    for (int i = 0; i < m && n == 3; i++)
        if (over(x + 3 * a->at[i], x + 3 * b->at[0], x + 3 * b->at[1], x + 3 * b->at[2], one))
            keep_least(1, one, &least, best);
    for (int i = 0; i < n && m == 3; i++)
        if (over(x + 3 * b->at[i], x + 3 * a->at[0], x + 3 * a->at[1], x + 3 * a->at[2], one))
            keep_least(-1, one, &least, best);
    if (way)
        memcpy(way, best, sizeof best);
    return sqrt(least);
}
