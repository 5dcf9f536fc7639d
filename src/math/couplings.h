/*
 * Couplings that come and go, as contacts do: what a matrix of fixed structure has no place for. Each is a symmetric 12x12
 * matrix over up to four vertices.
 */
#ifndef LIL_MATH_COUPLINGS_H
#define LIL_MATH_COUPLINGS_H

#include "core/arena.h"

#include <stdbool.h>

enum { LIL_COUPLING = 4 }; /* vertices */

typedef struct lil_coupling {
    int count, at[LIL_COUPLING];                  /* vertices */
    double H[3 * LIL_COUPLING][3 * LIL_COUPLING]; /* row 3 a + d is vertex a's coordinate d */
} lil_coupling;

typedef struct lil_couplings {
    lil_arena *arena;
    lil_coupling *list;
    int count, room;
    bool lost; /* memory ran out */
} lil_couplings;

/* H += w w' (x) B, what depends on u = sum_a w_a v_a alone. */
void lil_coupling_add(lil_coupling *coupling, const double *weight, const double B[9]);

/* One more, `scale` times. The list grows where it has to, and not again for as many. */
void lil_couplings_add(lil_couplings *couplings, const lil_coupling *coupling, double scale);

/* Where a matrix has no place for w w' (x) B, vertex a has lil_coupling_share(a) B of its own instead, which is more:
 * (sum w_a v_a)^2 <= (sum |w_a|) sum |w_a| v_a^2. */
double lil_coupling_share(int count, const double *weight, int a);

#endif
