/* Sparse symmetric factorisation P A P' = L D L' (Davis' AMD and LDL): no pivoting, so for definite matrices. */
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
/* The same in two parts: order it, and see how many products a factorisation takes; then make room for L. */
lil_status lil_ldl_analyse(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, lil_ldl *ldl);
double lil_ldl_products(const lil_ldl *ldl);
lil_status lil_ldl_allocate(lil_context *ctx, lil_arena *arena, lil_ldl *ldl);
/* True: positive definite, ready to solve. Allocates nothing. */
bool lil_ldl_factor(lil_ldl *ldl, const double *values);
/* x = A^-1 b; work holds n numbers. */
void lil_ldl_solve(const lil_ldl *ldl, const double *b, double *x, double *work);

#endif
