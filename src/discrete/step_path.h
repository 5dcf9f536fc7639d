/*
 * The straight path of a step with contact by barrier, from q at t to q + h v at t + h: whether it is free of
 * collisions, and an initial guess v with a free path. If something is driven, v = 0 may have no free path.
 */
#ifndef LIL_DISCRETE_STEP_PATH_H
#define LIL_DISCRETE_STEP_PATH_H

#include "model/evaluator.h"

typedef struct lil_step_path {
    lil_evaluator *ev; /* borrowed; NULL: no barrier */
    double t, h;
    const double *q;
    double *x0, *x1, *dx, *q1, *u, *along;
} lil_step_path;

lil_status lil_step_path_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_step_path *way);

/* A step begins; q is borrowed. */
void lil_step_path_begin(lil_step_path *way, double t, double h, const double *q);

/* Whether something is driven, so that v = 0 cannot be the guess. */
bool lil_step_path_is_driven(const lil_step_path *way);

/* v becomes a guess whose path is free. If the path of v is blocked: the vertices at rest, pushed out of the way
 * of obstacles, and from there, at t + h, as far towards v as possible. */
lil_status lil_step_path_guess(lil_step_path *way, double *v);

/* Checks that the straight path of the step crosses no barrier: the iterates of the solver took another path. */
lil_status lil_step_path_check(lil_step_path *way, const double *v);

#endif
