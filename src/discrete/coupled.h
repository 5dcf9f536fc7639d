/*
 * Contact couplings (math/couplings.h) in the equations of a constrained step (solvers/saddle.h), whose factor P has
 * a fixed pattern. Entries that the pattern contains go into the factor; R has the others, between vertices that
 * happen to be in contact. R need not be symmetric. With S the block of P^-1 that takes r to x,
 *
 *     P (x, y) = (r - u, s),   u = R x,   or   (1 + R S) u = R x_0,   P (x_0, y_0) = (r, s),                        (C5)
 *
 * which has the rank of R, and takes few iterations of GCR (Eisenstat, Elman & Schultz 1983).
 */
#ifndef LIL_DISCRETE_COUPLED_H
#define LIL_DISCRETE_COUPLED_H

#include "math/couplings.h"
#include "solvers/saddle.h"

typedef struct lil_coupled {
    lil_couplings list; /* in the equations to be factored; afterwards the remaining ones */
    const lil_pattern
        *pattern; /* of the factor's H; entry k has the place where[k] in its values. NULL: nothing ever couples */
    const int *where;
    double *room; /* vectors of n */
    double *none; /* m zeros */
    int iterations;
} lil_coupled;

lil_status lil_coupled_create(lil_context *ctx, lil_arena *arena, const lil_saddle *saddle,
                              const lil_pattern *pattern, lil_coupled *coupled);

/* Adds the entries of couplings that the pattern contains to the values, and removes them from the list. */
void lil_coupled_place(lil_coupled *coupled, double *values);

/* As lil_saddle_solve, with the couplings. */
void lil_coupled_solve(lil_coupled *coupled, lil_saddle *saddle, const double *r, const double *s, double *x,
                       double *y);

#endif
