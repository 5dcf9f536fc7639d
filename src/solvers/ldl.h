/* Sparse symmetric factorisation P A P' = L D L' (Davis' AMD and LDL): no pivoting, so for definite matrices, and for
 * quasi-definite ones, [[H, G'], [G, -E]] with H and E positive definite (Vanderbei 1995). */
#ifndef LIL_SOLVERS_LDL_H
#define LIL_SOLVERS_LDL_H

#include "math/sparse.h"

typedef struct lil_ldl {
    const lil_pattern *pattern;
    int *P, *Pinv, *Lp, *Li, *parent, *Lnz, *flag, *stack;
    double *Lx, *D, *Y;
} lil_ldl;

/* Symbolic part; the pattern is borrowed. */
lil_status lil_ldl_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, lil_ldl *ldl);
/* True: positive definite, ready to solve. Allocates nothing. */
bool lil_ldl_factor(lil_ldl *ldl, const double *values);
/* The same where the pivots from `positive` on are to be negative. */
bool lil_ldl_factor_quasi(lil_ldl *ldl, const double *values, int positive);
/* The pivot of row i, which its factor shrank from A_ii; and x with A x = that pivot times a unit vector's image, so a null
 * vector where the pivot vanishes. */
double lil_ldl_pivot(const lil_ldl *ldl, int i);
void lil_ldl_null(const lil_ldl *ldl, int i, double *x, double *work);
/* x = A^-1 b; work holds n numbers. */
void lil_ldl_solve(const lil_ldl *ldl, const double *b, double *x, double *work);

#endif
