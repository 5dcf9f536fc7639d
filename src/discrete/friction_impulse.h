/*
 * Friction and contact damping at fixed q over a time tau:
 *
 *     p+ = p- - D(v+),   M v+ = p+,   D = tau dPhi/dv,
 *
 * Phi the power that friction dissipates at v. That is the implicit Euler method, so that it neither rings nor
 * depends on tau in sticking contacts: the velocity after it obeys Coulomb's law against all that has acted on p
 * before it. Methods with explicit forces have it after each kick and before the drift, for as long as the kick has
 * lasted; then sticking contacts do not drift.
 *
 * Where each stage i, weighted b_i in the step's way, has its own D_i, friction over the time since the step began,
 * and D is that of the whole step, the way is shorter than without friction by h M^-1 sum b_i D_i. Of the impulse I
 * of all other forces T then gets that much less than W loses, so what friction takes out is
 *
 *     D.(v- + v+)/2 - I.M^-1 sum b_i D_i,   v-, v+ before and after D
 *
 * and where things stay at rest the two cancel, as they should.
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
    double held, driven; /* what hands and obstacles that move give by it */
} lil_friction_impulse;

/* The evaluator and the tally are borrowed. */
lil_status lil_friction_impulse_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_tally *tally,
                                       lil_friction_impulse *friction_impulse);

/* Friction over tau >= 0 at (t, q): p changes. */
void lil_friction_impulse_apply(lil_friction_impulse *friction_impulse, double t, double tau, const double *q,
                                double *p);

/* A step with stages begins; the latest impulse, times b, is added to their mean. */
void lil_friction_impulse_begin(lil_friction_impulse *friction_impulse);
void lil_friction_impulse_add(lil_friction_impulse *friction_impulse, double b);

/* Books the latest impulse along a motion with velocity v; or as if it had been taken out of p, where no motion was. */
void lil_friction_impulse_book(lil_friction_impulse *friction_impulse, const double *v);
void lil_friction_impulse_book_kick(lil_friction_impulse *friction_impulse, const double *p);

/* Friction over h at the end of a step that began with the velocity v, and had that of the added stages: adds it
 * to the tally. */
void lil_friction_impulse_apply_step(lil_friction_impulse *friction_impulse, double t, double h, const double *v,
                                     const double *q, double *p);

#endif
