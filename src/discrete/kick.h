/*
 * Dissipation outside the step: p -> p at fixed q.
 *
 * Kicks solve M dv/dt = -C(q) v over half a step, before and after the step (Strang). The trapezoidal rule
 *
 *     (M + tau/2 C) v+ = (M - tau/2 C) v-,    p+ = p- - tau C (v- + v+)/2
 *
 * conserves P and J exactly, because C of a rigid motion vanishes and only C changes p. It dissipates tau vm'C vm.
 * Very stiff modes would alternate in sign (tau C > 2 M). Then TR-BDF2 is used (Bank et al. 1985), which is L-stable
 * and has one matrix for its two stages.
 *
 * Impulses subtract D(h, q, v) from p once, before the step: the paper's explicit damping. Damping of contact does so
 * after the step, if the method does not include it in the step.
 */
#ifndef LIL_DISCRETE_KICK_H
#define LIL_DISCRETE_KICK_H

#include "discrete/discrete.h"

typedef struct lil_kick {
    lil_evaluator *ev;
    lil_tally *tally;
    /* M + a C, factored, or as blocks for conjugate gradients */
    lil_assembly matrix;
    lil_ldl ldl;
    lil_block_assembly blocks;
    lil_krylov krylov;
    lil_fallback fallback; /* if conjugate gradients stall */
    double rate;           /* bound for the eigenvalues of M^-1 C, 1/s */
    double *values, *v, *dv, *b, *Cv, *scripted, *work;
    /* the key of the matrix: two half kicks in a row, at the same q, share it */
    double a, t, *q;
    bool made, factored; /* the latter: by the fallback */
} lil_kick;

/* Does nothing for a model without kicks. */
lil_status lil_kick_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_solver_def *solver,
                           lil_tally *tally, lil_kick *kick);
void lil_kick_destroy(lil_kick *kick);
/* The kick over tau at (t, q): p changes. */
lil_status lil_kick_half(lil_kick *kick, double t, double tau, const double *q, double *p);
/* The impulses before a step of h from (t, q, p). */
void lil_kick_impulse(lil_kick *kick, double t, double h, const double *q, double *p);
void lil_kick_friction(lil_kick *kick, double t, double h, const double *q, double *p);

#endif
