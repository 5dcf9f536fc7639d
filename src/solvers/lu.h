/* Factorisation of a general matrix with pivoting: dense and our own where n is small, sparse by KLU (Davis)
 * beyond. Both pivot afresh every time: the result depends on the matrix alone, never on what came before, so that
 * a resumed run repeats every bit. */
#ifndef LIL_SOLVERS_LU_H
#define LIL_SOLVERS_LU_H

#include "math/sparse.h"

typedef struct lil_lu {
    const lil_pattern *pattern;
    double *dense; /* n x n by rows; NULL: KLU */
    int *pivot;
    void *klu; /* owns memory: lil_lu_destroy */
} lil_lu;

enum { LIL_LU_DENSE_MAX = 64 };

/* The pattern is borrowed. */
lil_status lil_lu_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, lil_lu *lu);
void lil_lu_destroy(lil_lu *lu);
/* False: a pivot vanishes. The dense path allocates nothing. */
bool lil_lu_factor(lil_lu *lu, const double *values);
/* b becomes A^-1 b. */
void lil_lu_solve(lil_lu *lu, double *b);

#endif
