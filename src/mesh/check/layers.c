#include "mesh/check/layers.h"

#include <math.h>
#include <stdlib.h>

enum { RATIOS = 5, LAYERS = 3 };
static const double poissons[RATIOS] = { 0, 0.3, 0.45, 0.49, 0.499 };
static const int layers_of[LAYERS] = { 1, 2, 4 };
static const lil_locking table[LAYERS][RATIOS] = {
    { { 0.32, 0.24 }, { 0.35, 0.22 }, { 0.33, 0.11 }, { 0.31, 0.04 }, { 0.30, 0.01 } },
    { { 0.64, 0.55 }, { 0.67, 0.50 }, { 0.64, 0.30 }, { 0.60, 0.10 }, { 0.58, 0.02 } },
    { { 0.88, 0.82 }, { 0.88, 0.79 }, { 0.86, 0.60 }, { 0.83, 0.29 }, { 0.80, 0.05 } },
};

lil_status lil_mesh_layers(lil_context *ctx, const lil_mesh *mesh, int *layers)
{
    int *depth = malloc((size_t)mesh->vertex_count * sizeof *depth), deepest = 0;
    LIL_HAVE(ctx, depth);
    for (int v = 0; v < mesh->vertex_count; v++)
        depth[v] = -1;
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++)
            depth[mesh->faces[f][k]] = 0;
    for (bool more = true; more; deepest += more) { /* one more edge inwards each time */
        more = false;
        for (int e = 0; e < mesh->tet_count; e++)
            for (int k = 0; k < 16; k++) {
                int a = mesh->tets[e][k / 4], b = mesh->tets[e][k % 4];
                if (depth[a] != deepest || depth[b] >= 0)
                    continue;
                depth[b] = deepest + 1;
                more = true;
            }
    }
    free(depth);
    *layers = deepest ? 2 * deepest : 1;
    return LIL_OK;
}

static double mix(double a, double b, double s)
{
    return a + s * (b - a);
}

/* Between its rows by layers^-2, by which the error falls, and between its columns by log(1 - 2 nu). */
lil_locking lil_tet_locking(int layers, double nu)
{
    int row = layers < 2 ? 0 : 1, col = 0;
    nu = fmin(fmax(nu, 0), poissons[RATIOS - 1]);
    while (col < RATIOS - 2 && nu > poissons[col + 1])
        col++;
    double a = log(1 - 2 * poissons[col]), s = (log(1 - 2 * nu) - a) / (log(1 - 2 * poissons[col + 1]) - a);
    double from = 1.0 / (layers_of[row] * layers_of[row]), to = 1.0 / (layers_of[row + 1] * layers_of[row + 1]);
    double r = (1.0 / ((double)layers * layers) - from) / (to - from);
    const lil_locking *p = &table[row][col], *q = &table[row + 1][col];
    return (lil_locking){ fmin(mix(mix(p[0].best, p[1].best, s), mix(q[0].best, q[1].best, s), r), 1),
                          fmin(mix(mix(p[0].worst, p[1].worst, s), mix(q[0].worst, q[1].worst, s), r), 1) };
}
