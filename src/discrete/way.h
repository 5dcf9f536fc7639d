/*
 * The straight way of a step from q at t to q + h v at t + h, where contact cannot be passed: whether it is open, and a v to begin with for
 * which it is. Where something is driven, standing still is no way to begin: it may be run over.
 */
#ifndef LIL_DISCRETE_WAY_H
#define LIL_DISCRETE_WAY_H

#include "model/evaluator.h"

typedef struct lil_way {
    lil_evaluator *ev; /* borrowed; NULL: nothing is impassable */
    double t, h;
    const double *q;
    double *x0, *x1, *dx, *q1, *u, *along;
} lil_way;

lil_status lil_way_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_way *way);

/* A step begins; q is borrowed. */
void lil_way_begin(lil_way *way, double t, double h, const double *q);

/* Whether something is driven, so that a guess is needed. */
bool lil_way_is_driven(const lil_way *way);

/* v becomes a guess on whose way nothing is blocked; or what is at rest but for what is in the way, and from there on, at t + h, towards v. */
lil_status lil_way_guess(lil_way *way, double *v);

/* What cannot be passed is not passed on the straight way either, which a solver's iterates need not have taken. */
lil_status lil_way_check(lil_way *way, const double *v);

#endif
