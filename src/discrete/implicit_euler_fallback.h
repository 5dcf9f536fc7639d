/*
 * The last rung of the ladder: where a step with contact by barrier cannot be solved, however often it is halved,
 * implicit Euler makes it,
 *
 *     q_{k+1} = argmin 1/2 |q - q_k - h v_k|^2_M + h^2 (W(q) + B(q)),   p_{k+1} = p_k - h d(W + B)(q_{k+1})
 *
 * which always has a solution, since it is a minimum. It keeps P, loses energy and some of J. The loss counts as
 * dissipated energy, so that the energy balance closes. Forces are those of where it begins, also where they depend
 * on the motion: it is as short as a step can be made. Friction does not act in it. With constraints there is none.
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
} lil_euler_fallback;

void lil_euler_fallback_destroy(lil_euler_fallback *fallback);

/* q, p at t become q, p at t + h; the tally has one fallback more, and its loss. A failure where even this finds no
 * minimum, or would gain energy. */
lil_status lil_euler_fallback_step(lil_euler_fallback *fallback, lil_context *ctx, const lil_model *model,
                                   const lil_solver_def *solver, lil_tally *tally, double t, double h, double *q,
                                   double *p, const double *v);

#endif
