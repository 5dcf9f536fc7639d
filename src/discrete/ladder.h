/*
 * How the equations of a step with contact by barrier are solved. The barrier is so nonlinear that a line search on
 * |r| may end at a fold, in a local minimum of |r|. So Newton's method is damped by pseudo-time
 * (solvers/transient.c), and other methods are tried in turn, the rungs of a ladder:
 *
 *     1. Newton's method, damped only where its linear model fails;
 *     2. pseudo-transient continuation: the same, damped from the first iteration on;
 *     3. the step is halved, and each half begins at 1 (the Sim does that);
 *     4. implicit Euler, whose loss is booked (implicit_euler_fallback.h; the Sim does that too).
 *
 * The first three solve the same equations to the same tolerance: whichever of them a step ends on, it is exact.
 */
#ifndef LIL_DISCRETE_LADDER_H
#define LIL_DISCRETE_LADDER_H

#include "solvers/newton.h"

/* v, from the same start on each rung. Returns the rung that solved it, from 0; solve->converged reports whether
 * one did. The iterations count all rungs. */
int lil_ladder_climb(lil_newton *newton, const lil_objective *objective, lil_solve *solve, const double *start,
                     double *v);

#endif
