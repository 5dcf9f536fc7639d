#include "mesh/fill/surface_coverage.h"

#include <math.h>
#include <stdlib.h>

/* Cubes with a side of an edge, around what the surface needs; those at tets and their neighbours are marked. */
typedef struct cubes {
    double least[3], side;
    int n[3];
    bool *marked;
} cubes;

static size_t cube_of(const cubes *c, const double x[3], const int shift[3])
{
    size_t at = 0;
    for (int d = 2; d >= 0; d--) {
        int i = (int)fmin(fmax((x[d] - c->least[d]) / c->side, 0), c->n[d] - 1) + shift[d];
        i = i < 0 ? 0 : i >= c->n[d] ? c->n[d] - 1 : i;
        at = at * (size_t)c->n[d] + (size_t)i;
    }
    return at;
}

static void mark_tets(cubes *c, const lil_mesh *mesh)
{
    for (int t = 0; t < mesh->tet_count; t++) {
        double x[3] = { 0 };
        for (int k = 0; k < 4; k++)
            for (int d = 0; d < 3; d++)
                x[d] += mesh->x[3 * (size_t)mesh->tets[t][k] + (size_t)d] / 4;
        for (int i = 0; i < 27; i++)
            c->marked[cube_of(c, x, (const int[3]){ i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1 })] = true;
    }
}

/* Points all over the triangle, about a side apart: which part of them is in no marked cube? */
static double lost_of(const cubes *c, const double *a, const double *b, const double *e, double where[3])
{
    enum { ROWS_MAX = 16 };
    double longest = 0;
    for (int d = 0; d < 3; d++)
        longest = fmax(longest, fmax(fabs(b[d] - a[d]), fmax(fabs(e[d] - a[d]), fabs(e[d] - b[d]))));
    int rows = (int)fmin(longest / c->side + 1, ROWS_MAX), lost = 0, all = 0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; i + k < rows; k++, all++) {
            double s = (i + 1.0 / 3) / rows, t = (k + 1.0 / 3) / rows, x[3];
            for (int d = 0; d < 3; d++)
                x[d] = a[d] + s * (b[d] - a[d]) + t * (e[d] - a[d]);
            if (c->marked[cube_of(c, x, (const int[3]){ 0, 0, 0 })])
                continue;
            if (!lost++)
                for (int d = 0; d < 3; d++)
                    where[d] = x[d];
        }
    return (double)lost / all;
}

lil_status lil_surface_uncovered(lil_context *ctx, const lil_solid *solid, const lil_mesh *mesh, double h,
                                 double *part, double where[3])
{
    cubes c = { .side = h };
    double area = 0, lost = 0;
    size_t room = 1;
    bool found = false;
    for (int d = 0; d < 3; d++) {
        c.least[d] = solid->least[d] - 0.5 * h;
        c.n[d] = (int)((solid->most[d] - solid->least[d]) / h) + 2;
        room *= (size_t)c.n[d];
    }
    c.marked = calloc(room, sizeof *c.marked);
    LIL_HAVE(ctx, c.marked);
    mark_tets(&c, mesh);
    for (int t = 0; t < solid->mended.count; t++) {
        const int *v = solid->mended.triangles[t];
        const double *a = solid->surface->x + 3 * (size_t)v[0], *b = solid->surface->x + 3 * (size_t)v[1],
                     *e = solid->surface->x + 3 * (size_t)v[2];
        double n[3], x[3], own;
        for (int d = 0; d < 3; d++) {
            int f = (d + 1) % 3, g = (d + 2) % 3;
            n[d] = (b[f] - a[f]) * (e[g] - a[g]) - (b[g] - a[g]) * (e[f] - a[f]);
        }
        own = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        double missing = lost_of(&c, a, b, e, x);
        area += own;
        lost += own * missing;
        for (int d = 0; missing > 0 && !found && d < 3; d++)
            where[d] = x[d];
        found = found || missing > 0;
    }
    free(c.marked);
    *part = area > 0 ? lost / area : 0;
    return LIL_OK;
}
