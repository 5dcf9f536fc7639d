/*
 * The last rung of the ladder. If a step with contact by barrier cannot be solved with any number of halvings,
 * implicit Euler takes it,
 *
 *     q_{k+1} = argmin 1/2 |q - q_k - h v_k|^2_M + h^2 (W(q) + B(q)),   p_{k+1} = p_k - h d(W + B)(q_{k+1})
 *
 * which always has a solution, since it is a minimum. It conserves P, and loses energy and some of J. The loss is
 * booked as dissipated energy, so the energy balance closes. Forces are those at its start, even if they depend on
 * the motion, because the step is as short as possible. It has no friction, and does not support constraints.
 */
#ifndef LIL_DISCRETE_IMPLICIT_EULER_FALLBACK_H
#define LIL_DISCRETE_IMPLICIT_EULER_FALLBACK_H

#include "discrete/discrete.h"

typedef struct lil_euler_fallback {
    bool made;
    lil_arena arena;  /* its own: created at first use */
    lil_evaluator ev; /* with second derivatives that are symmetric */
    lil_discrete discrete;
    double *v;
    lil_supports *supports; /* borrowed, as in an evaluator */
} lil_euler_fallback;

void lil_euler_fallback_destroy(lil_euler_fallback *fallback);

/* q, p at t become q, p at t + h; the tally counts the step and its loss. Fails if it finds no minimum, or would
 * gain energy. */
lil_status lil_euler_fallback_step(lil_euler_fallback *fallback, lil_context *ctx, const lil_model *model,
                                   const lil_solver_def *solver, lil_tally *tally, double t, double h, double *q,
                                   double *p, const double *v);

#endif
