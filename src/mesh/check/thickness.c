#include "mesh/check/thickness.h"

#include <math.h>
#include <stdlib.h>

/* One triangle, and how thick the solid is behind it. */
typedef struct probe {
    double thickness, area;
} probe;

static int compare(const void *a, const void *b)
{
    double x = ((const probe *)a)->thickness, y = ((const probe *)b)->thickness;
    return (x > y) - (x < y);
}

static void at(const double from[3], const double way[3], double t, double q[3])
{
    for (int d = 0; d < 3; d++)
        q[d] = from[d] + t * way[d];
}

/* From a point inside, along `way`: the fraction at which the inside ends. Triangles that are crossed within it, as
 * where shells overlap, do not end it. 1: nothing does, because the surface has a hole there. */
static double way_inside(const lil_solid *solid, const double from[3], const double way[3])
{
    enum { ROOM = 64 };
    double t[ROOM], to[3], q[3];
    at(from, way, 1, to);
    int count = lil_tree_crossings(&solid->tree, from, to, t, ROOM);
    count = count < ROOM ? count : ROOM;
    for (int i = 0; i < count; i++) {
        double next = i + 1 < count ? t[i + 1] : 1;
        at(from, way, (t[i] + next) / 2, q);
        if (!lil_solid_has(solid, q))
            return t[i];
    }
    return 1;
}

/* False: neither side of the triangle's middle is in, or both are. */
static bool probe_triangle(const lil_solid *solid, const int v[3], double size, probe *p)
{
    const double aside = 1e-6 * size;
    const double *x = solid->surface->x;
    double n[3], way[3], sides[2][3];
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, f = (d + 2) % 3;
        const double *a = x + 3 * (size_t)v[0], *b = x + 3 * (size_t)v[1], *c = x + 3 * (size_t)v[2];
        n[d] = ((b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e])) / 2;
    }
    p->area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(p->area > 0))
        return false;
    for (int d = 0; d < 3; d++) {
        double middle =
            (x[3 * (size_t)v[0] + (size_t)d] + x[3 * (size_t)v[1] + (size_t)d] + x[3 * (size_t)v[2] + (size_t)d]) / 3;
        sides[0][d] = middle - aside * n[d] / p->area;
        sides[1][d] = middle + aside * n[d] / p->area;
    }
    bool behind = lil_solid_has(solid, sides[0]), before = lil_solid_has(solid, sides[1]);
    if (behind == before)
        return false;
    double reach = 2 * size;
    for (int d = 0; d < 3; d++)
        way[d] = (behind ? -reach : reach) * n[d] / p->area;
    double part = way_inside(solid, sides[behind ? 0 : 1], way);
    p->thickness = part < 1 ? aside + part * reach : INFINITY;
    return true;
}

lil_status lil_solid_thinnest(lil_context *ctx, lil_arena *arena, const lil_solid *solid, double *thinnest)
{
    enum { PROBES = 2000 };
    int count = solid->tree.count, every = count / PROBES + 1, found = 0;
    double size = 0, area = 0, below = 0;
    probe *probes;
    *thinnest = NAN;
    LIL_ALLOC(ctx, arena, probes, count / every + 1);
    for (int d = 0; d < 3; d++)
        size = fmax(size, solid->most[d] - solid->least[d]);
    for (int i = 0; i < count; i += every)
        if (probe_triangle(solid, solid->tree.triangles[i], size, &probes[found])) {
            area += probes[found].area;
            found++;
        }
    qsort(probes, (size_t)found, sizeof *probes, compare);
    for (int i = 0; i < found && isnan(*thinnest); i++) {
        below += probes[i].area;
        if (below >= LIL_THIN_SHARE * area && isfinite(probes[i].thickness))
            *thinnest = probes[i].thickness;
    }
    return LIL_OK;
}
