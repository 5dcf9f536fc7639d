/*
 * A bound energy as one without constraints: the augmented Lagrangian (Hestenes 1969; Powell 1969)
 *
 *     W(q) - y'g(q) + rho/2 g(q)'g(q),                                                                             (B1)
 *
 * whose gradient is dW/dq - G'f with the forces f = y - rho g, and whose second derivative is
 *
 *     K - sum_i f_i d2g_i/dq2 + rho G'G.                                                                           (B2)
 *
 * Where y are the multipliers of an equilibrium, that is a minimum of (B1) for every large rho if it is one of W on
 * g = 0 (Debreu 1952). So energies that are bound are minimised, and tested for stability, as others are.
 */
#ifndef LIL_DISCRETE_BOUND_ENERGY_H
#define LIL_DISCRETE_BOUND_ENERGY_H

#include "discrete/constrained.h"

typedef struct lil_bound_energy {
    lil_constrained c;
    double rho;              /* N/m, to be set */
    double *y, *f;           /* N */
    double *g, *G;           /* at the latest place */
    lil_pattern pattern;     /* of (B2) */
    lil_assembly matrix;     /* the evaluator's second derivatives, to be added to values over `pattern` */
    int *by_row, *row_first; /* entries of G by their rows; where those of a row begin */
    int *where_G;            /* of products of entries in one row */
} lil_bound_energy;

/* The evaluator is borrowed, and has second derivatives as entries. */
lil_status lil_bound_energy_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_bound_energy *b);

/* y: the multipliers at (t, q) of the forces -gradient, by least squares in the metric of the mass. */
lil_status lil_bound_energy_begin(lil_bound_energy *b, double t, const double *q, const double *zero,
                                  const double *gradient);
/* Adds the two last terms of (B1), their gradient, and what both are summed from: their round-off is a part
 * DBL_EPSILON of it. */
void lil_bound_energy_add(lil_bound_energy *b, double t, const double *q, double *W, double *gradient, double *size_W,
                          double *size_gradient);
/* Adds weight times the two last terms of (B2). */
void lil_bound_energy_second(lil_bound_energy *b, double t, const double *q, double weight, double *values);
/* y = f at (t, q). The largest |g|, in units of its round-off. */
double lil_bound_energy_update(lil_bound_energy *b, double t, const double *q);

#endif
