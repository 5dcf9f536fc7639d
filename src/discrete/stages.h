/*
 * Steps with several stages: the symplectic partitioned Runge-Kutta family in Lagrangian form (Marsden & West 2001,
 * section 2.6; Hairer, Lubich & Wanner, VI.6). With stage velocities V_i as the unknowns,
 *
 *     Q_i = q_k + h sum_j a_ij V_j                         P_i = p_k + h sum_j A_ij (dL/dq + F)(Q_j, V_j)
 *     dL/dv(Q_i, V_i) = P_i                                                          for all i
 *     q_{k+1} = q_k + h sum b_j V_j                        p_{k+1} = p_k + h sum b_j (dL/dq + F)(Q_j, V_j)
 *
 * It is variational if b_i A_ij + b_j a_ji = b_i b_j. For s >= 2 the equations are not the gradient of a function, so
 * they are solved as a root problem. Friction is one of the forces F, with the N of the start of the step.
 */
#ifndef LIL_DISCRETE_STAGES_H
#define LIL_DISCRETE_STAGES_H

#include "discrete/discrete.h"
#include "math/quadrature.h"

typedef struct lil_tableau {
    int s;
    double b[LIL_STAGES_MAX], c[LIL_STAGES_MAX];
    double a[LIL_STAGES_MAX][LIL_STAGES_MAX]; /* positions */
    double A[LIL_STAGES_MAX][LIL_STAGES_MAX]; /* momenta */
} lil_tableau;

/* Collocation at the nodes c, with the momenta's coefficients that make it variational. */
lil_tableau lil_tableau_variational(int s, const double *c);

typedef struct lil_stages {
    lil_evaluator *ev;
    lil_tableau tableau;
    lil_solver_def solver;
    lil_tally *tally;
    double reference;
    lil_pattern pattern; /* of all stages together: s x s blocks of the evaluator's */
    int *where;          /* block (i, k), entry e -> place: where[(i * s + k) * entries + e] */
    lil_newton newton;
    double h, t;
    const double *q, *p;
    double *V, *Q, *force, *F, *block; /* s n, s n, s n, n, and entries of one block */
} lil_stages;

lil_status lil_stages_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_tableau *tableau,
                             const lil_solver_def *solver, lil_tally *tally, lil_stages *stages);
void lil_stages_destroy(lil_stages *stages);
lil_status lil_stages_step(lil_stages *stages, double t, double h, double *q, double *p, const double *v_guess);

#endif
