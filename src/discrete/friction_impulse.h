/*
 * Friction and contact damping at fixed q over a time tau:
 *
 *     p+ = p- - D(v+),   M v+ = p+,   D = tau dPhi/dv,
 *
 * Phi the power that friction dissipates at v. This is implicit Euler, so it does not oscillate, and in sticking
 * contacts the result does not depend on tau: the velocity afterwards satisfies Coulomb's law against all impulses on
 * p before. Methods with explicit forces apply it after each kick and before the drift, with the duration of the
 * kick; sticking contacts then do not drift.
 *
 * If each stage i (weight b_i) has its own D_i, the friction over the time since the step began, and D is that of the
 * whole step, then friction shortens the displacement by h M^-1 sum b_i D_i. The impulse I of all other forces does
 * less work by that amount, so friction dissipates
 *
 *     D.(v- + v+)/2 - I.M^-1 sum b_i D_i,   v-, v+ before and after D
 *
 * and for bodies at rest the two terms cancel.
 */
#ifndef LIL_DISCRETE_FRICTION_IMPULSE_H
#define LIL_DISCRETE_FRICTION_IMPULSE_H

#include "discrete/tally.h"

typedef struct lil_friction_impulse {
    lil_evaluator *ev;
    lil_tally *tally;
    double *D, *v;       /* the latest impulse, and the velocity after it */
    double *before;      /* the velocity before it */
    double *mean;        /* sum b_i D_i */
    double held, driven; /* the work of handles and moving obstacles by friction */
} lil_friction_impulse;

/* The evaluator and the tally are borrowed. */
lil_status lil_friction_impulse_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_tally *tally,
                                       lil_friction_impulse *friction_impulse);

/* Friction over tau >= 0 at (t, q): p changes. */
void lil_friction_impulse_apply(lil_friction_impulse *friction_impulse, double t, double tau, const double *q,
                                double *p);

/* For methods with stages: begin resets the mean of the impulses, add adds b times the latest impulse. */
void lil_friction_impulse_begin(lil_friction_impulse *friction_impulse);
void lil_friction_impulse_add(lil_friction_impulse *friction_impulse, double b);

/* Books the work of the latest impulse along a motion with velocity v; or its change of the kinetic energy of p. */
void lil_friction_impulse_book(lil_friction_impulse *friction_impulse, const double *v);
void lil_friction_impulse_book_kick(lil_friction_impulse *friction_impulse, const double *p);

/* Friction over h at the end of a step with the added stages, which began with the velocity v; books its work. */
void lil_friction_impulse_apply_step(lil_friction_impulse *friction_impulse, double t, double h, const double *v,
                                     const double *q, double *p);

#endif
