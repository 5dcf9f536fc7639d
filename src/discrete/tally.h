/* Costs and exchanged energy of all steps so far. */
#ifndef LIL_DISCRETE_TALLY_H
#define LIL_DISCRETE_TALLY_H

#include "model/evaluator.h"

typedef struct lil_tally {
    int64_t newton_iterations, linear_iterations;
    int64_t element_updates; /* of methods that count them */
    int64_t continued; /* steps, or parts of halved ones, that Newton's method could not solve and continuation did */
    bool touched;      /* a contact force has acted since this was cleared */
    double gradient_max;
    /* in: by handles, moving obstacles, -dL/dt, and forces at zero velocity; out: by damping, and the part of
     * forces that depends on the velocity; J */
    double work_in, work_out;
    lil_loss lost;                /* of work_out: by contact by barrier */
    int64_t implicit_euler_steps; /* steps, or parts of them, by implicit Euler (implicit_euler_fallback.h), */
    double implicit_euler_loss;   /*   and the energy they dissipated, J: part of work_out */
} lil_tally;

/* Beside the work, both of these add the impulse to that of supports (model/supports.h). */

/* Adds the work of prescribed motion over an impulse `weight` times dL/dq: the power of handles and obstacles at
 * the latest dL/dq, which is that at (t, q, v), and -dL/dt there. With p_t' = dL/dt beside q and p the motion is
 * that of a system that does not depend on t, whose energy E + p_t the method conserves as it conserves any
 * energy. */
void lil_tally_drive(lil_tally *tally, lil_evaluator *ev, double weight, double t, const double *q, const double *v);

/* Adds the work of the forces F at (t, q, v) over an impulse weight F: the work of F at zero velocity is external,
 * the rest is dissipated. */
void lil_tally_work(lil_tally *tally, lil_evaluator *ev, double weight, double t, const double *q, const double *v,
                    const double *F);

/* Adds the cost of a solve to the tally; fails with a message if it failed. `reference` becomes the first step's
 * |r|. */
lil_status lil_tally_solve(lil_context *ctx, lil_tally *tally, const lil_solve *solve, const char *solver,
                           double *reference);

#endif
