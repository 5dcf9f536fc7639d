#include "math/carried.h"

enum { PIECE = 512 }; /* points that one thread takes at a time */

typedef struct job {
    const lil_carried *c;
    const double *x;
    double *y;
} job;

static void place_piece(void *data, int piece)
{
    const job *j = data;
    const lil_carried *c = j->c;
    for (int i = PIECE * piece; i < PIECE * (piece + 1) && i < c->count; i++) {
        double y[3] = { 0 };
        for (int k = c->begin[i]; k < c->begin[i + 1]; k++)
            for (int d = 0; d < 3; d++)
                y[d] += c->weight[k] * j->x[3 * c->vertex[k] + d];
        for (int d = 0; d < 3; d++)
            j->y[3 * i + d] = y[d];
    }
}

void lil_carried_place(const lil_carried *c, lil_threads *threads, const double *x, double *y)
{
    job j = { c, x, y };
    lil_parallel(threads, (c->count + PIECE - 1) / PIECE, place_piece, &j);
}

void lil_carried_spread(const lil_carried *c, int i, const double f[3], double *g)
{
    for (int k = c->begin[i]; k < c->begin[i + 1]; k++)
        for (int d = 0; d < 3; d++)
            g[3 * c->vertex[k] + d] += c->weight[k] * f[d];
}
