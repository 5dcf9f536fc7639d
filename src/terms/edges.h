/*
 * Functions of the edges between `N` vertices in a row: edge a goes from vertex a to a + 1, so vertex a has what edge a - 1 has,
 * less what edge a has.
 */
#ifndef LIL_TERMS_EDGES_H
#define LIL_TERMS_EDGES_H

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

#endif
