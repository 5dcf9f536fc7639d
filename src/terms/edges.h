/*
 * Functions of the edges between `N` vertices in a row: edge a goes from vertex a to a + 1, so vertex a has what edge a - 1 has,
 * less what edge a has.
 */
#ifndef LIL_TERMS_EDGES_H
#define LIL_TERMS_EDGES_H

#include "terms/term.h"

static inline void lil_edges_of(int vertices, const int *vertex, const double *x, double (*e)[3])
{
    for (int a = 0; a + 1 < vertices; a++)
        for (int d = 0; d < 3; d++)
            e[a][d] = x[3 * vertex[a + 1] + d] - x[3 * vertex[a] + d];
}

/* g += the gradient by vertices, from that by edges */
static inline void lil_edges_add_gradient(int vertices, const int *vertex, const double (*ge)[3], double *g)
{
    for (int a = 0; a + 1 < vertices; a++)
        for (int d = 0; d < 3; d++) {
            g[3 * vertex[a] + d] -= ge[a][d];
            g[3 * vertex[a + 1] + d] += ge[a][d];
        }
}

/* H by vertices, (3 N)^2 numbers by rows, from that by edges, 3 x 3 blocks He[a][b] by rows */
static inline void lil_edges_write_second(int vertices, const double (*He)[3][9], double *H)
{
    int edges = vertices - 1, width = 3 * vertices;
    for (int i = 0; i < vertices; i++)
        for (int j = 0; j < vertices; j++)
            for (int k = 0; k < 9; k++) {
                double sum = 0;
                if (i > 0 && j > 0)
                    sum += He[i - 1][j - 1][k];
                if (i < edges && j < edges)
                    sum += He[i][j][k];
                if (i > 0 && j < edges)
                    sum -= He[i - 1][j][k];
                if (i < edges && j > 0)
                    sum -= He[i][j - 1][k];
                H[(3 * i + k / 3) * width + 3 * j + k % 3] = sum;
            }
}

/* The entries of what lil_edges_write_second writes for each of `count` elements, which stand `stride` bytes apart and begin with
 * their vertices. */
static inline lil_status lil_edges_entries(lil_context *ctx, lil_arena *arena, int vertices, const void *elements,
                                           size_t stride, int count, lil_entries *entries)
{
    int width = 3 * vertices, each = width * width;
    if (count > INT32_MAX / each)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d elements of strands are too many for an implicit step", count);
    entries->row = LIL_NEW(arena, int, each *count);
    entries->col = LIL_NEW(arena, int, each *count);
    if (!entries->row || !entries->col)
        return lil_fail_memory(ctx);
    for (int k = 0; k < each * count; k++) {
        const int *vertex = (const int *)((const char *)elements + (size_t)(k / each) * stride);
        int row = k % each / width, col = k % width;
        entries->row[k] = 3 * vertex[row / 3] + row % 3;
        entries->col[k] = 3 * vertex[col / 3] + col % 3;
    }
    return LIL_OK;
}

#endif
