/*
 * Couplings that come and go, as contacts do: blocks for which a matrix of fixed structure has no place. Each is a
 * symmetric 12x12 matrix over up to four points, each a vertex or carried by vertices.
 */
#ifndef LIL_MATH_COUPLINGS_H
#define LIL_MATH_COUPLINGS_H

#include "core/arena.h"
#include "math/carried.h"

#include <stdbool.h>

enum { LIL_COUPLING = 4 }; /* vertices */

typedef struct lil_coupling {
    int count, at[LIL_COUPLING]; /* vertices; from carried->vertex_count on, points that `carried` has */
    double H[3 * LIL_COUPLING][3 * LIL_COUPLING]; /* row 3 a + d is point a's coordinate d */
} lil_coupling;

typedef struct lil_couplings {
    lil_arena *arena;
    lil_coupling *list;
    int count, room;
    bool lost;                  /* memory ran out */
    const lil_carried *carried; /* borrowed; NULL: all points are vertices */
    const int *number;          /* what lil_couplings_row turns carriers into rows with */
} lil_couplings;

/* Whether one of its points is carried. */
static inline bool lil_coupling_is_carried(const lil_couplings *couplings, const lil_coupling *coupling)
{
    for (int k = 0; k < coupling->count && couplings->carried; k++)
        if (coupling->at[k] >= couplings->carried->vertex_count)
            return true;
    return false;
}

/* A vertex' row among the free ones, -1 if it is pinned; number: of a coordinate among the free ones, or NULL: all
 * are free. */
static inline int lil_couplings_row(const int *number, int vertex)
{
    int place = vertex < 0 ? -1 : number ? number[3 * vertex] : 3 * vertex;
    return place < 0 ? -1 : place / 3;
}

/* H += w w' (x) B, what depends on u = sum_a w_a v_a alone. */
void lil_coupling_add(lil_coupling *coupling, const double *weight, const double B[9]);

/* One more, `scale` times. The list grows where it has to, and not again for as many. */
void lil_couplings_add(lil_couplings *couplings, const lil_coupling *coupling, double scale);

/* So many more, to be filled in, or NULL and `lost`. */
lil_coupling *lil_couplings_extend(lil_couplings *couplings, int count);

/* Where a matrix has no place for a coupling, vertex a has lil_coupling_bound(a) times H's block of its own
 * instead. Of a semidefinite H that is more: (sum x_a)^2 <= (sum s_a) sum x_a^2/s_a for any s_a > 0, here the
 * roots of the blocks' traces. */
double lil_coupling_bound(const lil_coupling *coupling, int a);
/* y += (C - these bounds) x, over rows (-1: held). */
void lil_couplings_add_rest(const lil_couplings *couplings, const double *x, double *y);

#endif
