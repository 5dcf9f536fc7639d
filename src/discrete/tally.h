/* What the steps so far have cost and exchanged. */
#ifndef LIL_DISCRETE_TALLY_H
#define LIL_DISCRETE_TALLY_H

#include "model/evaluator.h"

typedef struct lil_tally {
    int64_t newton_iterations, linear_iterations;
    int64_t element_updates; /* of methods that count them */
    double gradient_max;
    double work_in, work_out; /* of F: by what it is at rest, and taken out by what comes with the velocity; J */
} lil_tally;

/* Books the work of the forces F at (t, q, v) over an impulse weight F: what they do as they would at rest is external,
 * the rest, which comes with the velocity, is taken out of the motion. */
void lil_tally_work(lil_tally *tally, lil_evaluator *ev, double weight, double t, const double *q, const double *v,
                    const double *F);

/* Books what a solve has cost; a sentence where it failed. `reference` becomes the first step's |r|. */
lil_status lil_tally_solve(lil_context *ctx, lil_tally *tally, const lil_solve *solve, const char *solver,
                           double *reference);

#endif
