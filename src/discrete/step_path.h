/*
 * The straight way of a step from q at t to q + h v at t + h, where contact cannot be passed: whether it is open, and
 * a v to begin with for which it is. Where something is driven, standing still is no way to begin: it may be run
 * over.
 */
#ifndef LIL_DISCRETE_STEP_PATH_H
#define LIL_DISCRETE_STEP_PATH_H

#include "model/evaluator.h"

typedef struct lil_step_path {
    lil_evaluator *ev; /* borrowed; NULL: nothing is impassable */
    double t, h;
    const double *q;
    double *x0, *x1, *dx, *q1, *u, *along;
} lil_step_path;

lil_status lil_step_path_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_step_path *way);

/* A step begins; q is borrowed. */
void lil_step_path_begin(lil_step_path *way, double t, double h, const double *q);

/* Whether something is driven, so that a guess is needed. */
bool lil_step_path_is_driven(const lil_step_path *way);

/* v becomes a guess whose path is free. If there is none: a state at rest except where obstacles push, and from
 * there, at t + h, as far towards v as possible. */
lil_status lil_step_path_guess(lil_step_path *way, double *v);

/* Checks that the straight path of the step crosses no barrier; the solver's iterates need not have taken that
 * path. */
lil_status lil_step_path_check(lil_step_path *way, const double *v);

#endif
