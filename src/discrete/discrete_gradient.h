/*
 * Steps by a discrete gradient G(q0, q1) of the potential, a vector with G.(q1 - q0) = W(q1) - W(q0) exactly
 * (Gonzalez 1996):
 *
 *     q_{k+1} = q_k + h v,   p_{k+1} = p_k - h (G - F),   M v = (p_k + p_{k+1})/2:
 *     r(v) = M v - p_k + h/2 (G(q_k, q_k + h v) - F) = 0
 *
 * with forces F at the middle of the step, and friction among them: its dS/dv is -h F. Then T_{k+1} - T_k =
 * v.(p_{k+1} - p_k) = W_k - W_{k+1} + h F.v: the energy is exact at any h. G of a body is the sum over its terms.
 * Each has no net force or torque, so momenta are conserved too. A residual r changes the energy by h G.M^-1 r, J by
 * h sum v x r, and P not at all.
 *
 * A potential without elements (text, callbacks) has one discrete gradient for all coordinates together, in the
 * metric of the mass:
 *
 *     G = g + (W1 - W0 - g.dq)/(dq'M dq) M dq,   g = dW/dq at the middle, dq = q1 - q0
 *
 * which conserves the energy only. The mass rather than 1, because a coordinate may be an angle and another a length.
 *
 * Constraints: see discrete/constraint_gradient.h. Viscous terms in the step (STEP) act as friction does: dS/dv is
 * theirs.
 *
 * Halfway: G = dW/dq at q_k + h/2 v, as in the midpoint rule, except for contact by barrier, which has its discrete
 * gradient. Momenta are conserved as above, the energy as by the midpoint rule. Without contact and constraints the
 * step is the midpoint rule. The effect of r on the energy, which is not exact anyway, is not corrected; that on
 * angular momentum is (torque.h).
 *
 * At the end: G = dW/dq at q_k + h v, of contact too, and M v = p_{k+1}: implicit Euler, as a root of
 *
 *     r(v) = M v - p_k + h (G - F) = 0
 *
 * which is the minimum of a function only without friction. Friction and restitution act with the normal force at the
 * end of the step, on the slip from q_k.
 *
 * J = dr/dv differs from M + h^2/4 K at the middle by terms of order dq, and is not symmetric: see
 * terms/tet_discrete_gradient.h.
 */
#ifndef LIL_DISCRETE_DISCRETE_GRADIENT_H
#define LIL_DISCRETE_DISCRETE_GRADIENT_H

#include "discrete/constraint_gradient.h"
#include "discrete/discrete.h"
#include "discrete/rotate.h"
#include "discrete/step_path.h"

/* Where dW/dq is taken: between the ends of a step, halfway, or at its end. */
typedef enum lil_discrete_gradient_at { LIL_BETWEEN, LIL_HALFWAY, LIL_AT_END } lil_discrete_gradient_at;

typedef struct lil_discrete_gradient {
    lil_evaluator *ev;
    lil_solver_def solver;
    lil_tally *tally;
    bool own; /* the terms' own discrete gradients */
    lil_discrete_gradient_at at;
    double share;                 /* of the impulse in r: M v = p_k + share of it */
    bool turns;                   /* halfway: angular momentum is conserved for any residual r */
    double *words;                /* of the state: the first step's |r|, where the matrix was made, the latest v */
    double *made;                 /* the state words that describe the current matrix */
    lil_constrained *constrained; /* NULL: no constraints */
    lil_newton newton;
    lil_rotate rotate; /* with contact by barrier */
    lil_step_path way;
    /* the step being made */
    double h, t, W0, W1; /* W at the ends as it is in the middle */
    bool has_friction;   /* of some contact */
    const double *q, *p;
    double *v, *q1, *x0, *kept_x0, *node, *G, *F, *Mv, *guess;
    /* G of the latest v */
    double *latest, held, noise, size, volume;
    bool latest_valid;
} lil_discrete_gradient;

/* How many words of the state it needs. */
int lil_discrete_gradient_words(const lil_model *model);

/* The evaluator (with second derivatives), the words, the tally and the constraints (NULL: none) are borrowed. */
lil_status lil_discrete_gradient_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev,
                                        const lil_solver_def *solver, lil_tally *tally, double *words,
                                        lil_constrained *constrained, lil_discrete_gradient_at at,
                                        lil_discrete_gradient *gradient);
void lil_discrete_gradient_destroy(lil_discrete_gradient *gradient);

/* The next step begins from a new state. */
void lil_discrete_gradient_forget(lil_discrete_gradient *gradient);

/* q, p at t become q, p at t + h. */
lil_status lil_discrete_gradient_step(lil_discrete_gradient *gradient, double t, double h, double *q, double *p,
                                      const double *v_now);

#endif
