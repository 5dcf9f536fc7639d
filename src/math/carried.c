#include "math/carried.h"

#include "math/lanes.h"

#include <stdbool.h>

enum { PIECE = 512 }; /* points that one thread takes at a time */

typedef struct job {
    const lil_carried *c;
    const double *x;
    double *y;
} job;

/* A vertex is read with the number behind it, which the last one does not have. */
static void place_last(const lil_carried *c, int i, const double *x, double *y)
{
    for (int d = 0; d < 3; d++) {
        y[d] = 0;
        for (int k = c->begin[i]; k < c->begin[i + 1]; k++)
            y[d] += c->weight[k] * x[3 * c->vertex[k] + d];
    }
}

LIL_KERNEL static void place_points(const lil_carried *c, int first, int last, const double *x, double *y)
{
    for (int i = first; i < last; i++) {
        lil_lanes sum = lil_lanes_all(0);
        bool whole = true;
        for (int k = c->begin[i]; k < c->begin[i + 1] && whole; k++) {
            whole = c->vertex[k] < c->vertex_count - 1;
            if (whole)
                sum += lil_lanes_all(c->weight[k]) * lil_lanes_load(x + 3 * c->vertex[k]);
        }
        if (whole)
            for (int d = 0; d < 3; d++)
                y[3 * i + d] = sum[d];
        else
            place_last(c, i, x, y + 3 * i);
    }
}

static void place_piece(void *data, int piece)
{
    const job *j = data;
    int first = PIECE * piece, last = first + PIECE < j->c->count ? first + PIECE : j->c->count;
    place_points(j->c, first, last, j->x, j->y);
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
