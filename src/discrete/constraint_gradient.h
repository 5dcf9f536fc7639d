/*
 * Constraints in a step by discrete gradients (discrete/discrete_gradient.h): multipliers act along B(q_k, q_{k+1}),
 * a discrete gradient of g, B (x_{k+1} - x_k) = g(x_{k+1}) - g(x_k) exactly (Gonzalez 1999):
 *
 *     r(v) - B'y = 0,    g(q_k + h v) = 0,    p_{k+1} = p_k - h (G - F) + 2 B'y,    y = h lambda / 2.                 (C4)
 *
 * The constraints do no work, B v = 0, so that the energy stays exact; B'y has neither force nor torque where g is of
 * the bodies alone, so that P and J do. Tensions are inside the equations: with K of (C3) the matrix is dr/dv + h/2
 * K, and a rope in tension is stable at any h. p is not projected: that would take energy out. (p_k + p_{k+1})/2
 * keeps to the constraints, B v = 0, and p_{k+1} alone nearly: G v is of second order in h, and its sign changes from
 * step to step.
 */
#ifndef LIL_DISCRETE_CONSTRAINT_GRADIENT_H
#define LIL_DISCRETE_CONSTRAINT_GRADIENT_H

#include "discrete/constrained.h"

/* Where the step c->t, h, q begins. */
void lil_constraint_gradient_begin(lil_constrained *c);

/* B to where it would end, q + h v at t + h. */
void lil_constraint_gradient_set(lil_constrained *c, const double *v);

/* By how much B'y is off, for last places alone. */
double lil_constraint_gradient_noise(lil_constrained *c);

/* Adds h/2 K of (C3) in the middle to a matrix; `definite`: only that of constraints which keep it positive
 * definite. */
void lil_constraint_gradient_stiffen(lil_constrained *c, bool definite, double *matrix);
void lil_constraint_gradient_stiffen_slice(lil_constrained *c, int i, bool definite, double *matrix);

/* The work of prescribed motion against B'y/share over the step. */
double lil_constraint_gradient_work(lil_constrained *c, double share, const double *v);

#endif
