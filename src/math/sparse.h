/* Sparse square matrices by columns (CSC), rows sorted, both triangles stored. */
#ifndef LIL_MATH_SPARSE_H
#define LIL_MATH_SPARSE_H

#include "core/arena.h"
#include "core/context.h"
#include "math/vector.h"

typedef struct lil_pattern {
    int n;
    int count;  /* of entries */
    int *start; /* n + 1: column j is start[j] .. start[j+1] - 1 */
    int *row;
} lil_pattern;

/* The pattern of the entries (row[k], col[k]), equal ones merged; where[k] is the k-th one's place in it. */
lil_status lil_pattern_create(lil_context *ctx, lil_arena *arena, int n, const int *row, const int *col, int count,
                              lil_pattern *pattern, int *where);

/* y = A x */
void lil_sparse_multiply(const lil_pattern *pattern, const double *values, const double *x, double *y);

#endif
