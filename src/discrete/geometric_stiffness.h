/*
 * Second derivatives of constraints. With multipliers y (force G'y) they are the geometric stiffness,
 *
 *     K = -sum_i y_i d2g_i/dx2:                                                                                    (C3)
 *
 * tension makes a rope stiff against bending.
 */
#ifndef LIL_DISCRETE_GEOMETRIC_STIFFNESS_H
#define LIL_DISCRETE_GEOMETRIC_STIFFNESS_H

#include "model/evaluator.h"

typedef struct lil_geometric_stiffness {
    int *row, *a, *b; /* of the entries: which constraint, and which columns of q; -1: pinned */
    int *sets;        /* where those of a set begin; one more is all of them */
    int *where;       /* in the values of a matrix; -1: nowhere */
    int count;
    double *values; /* d2g/dx2, at the latest x */
} lil_geometric_stiffness;

lil_status lil_geometric_stiffness_create(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                          lil_geometric_stiffness *curved);

/* matrix += weight K of (C3), the part of entries `from` to `end`, and out = K x, with the multipliers y. */
void lil_geometric_stiffness_add(const lil_geometric_stiffness *curved, int from, int end, double weight,
                                 const double *y, double *matrix);
void lil_geometric_stiffness_multiply(const lil_geometric_stiffness *curved, const double *y, const double *x, int n,
                                      double *out);

#endif
