/*
 * Directions of Newton's method that turn bodies instead of shearing them along the tangent.
 *
 * A direction d that turns a body by theta takes its points to y + theta x y, which stretches it by theta^2/2. A
 * stiff body answers with forces that have nothing to do with where it should go, and Newton's method has to creep
 * along the curve. So the rotation in the direction is made one:
 *
 *     h d += R(theta) y - y - theta x y,   I theta = sum m y x h d,   y = x - c
 *
 * of every body by itself, c and I its centre of mass and its inertia at x. The change is of second order in d, so
 * that the solution and the rate at which Newton's method converges stay what they are.
 */
#ifndef LIL_DISCRETE_ROTATE_H
#define LIL_DISCRETE_ROTATE_H

#include "core/arena.h"
#include "solvers/blocks.h"

typedef struct lil_rotate_body lil_rotate_body;

typedef struct lil_rotate {
    const lil_blocks *A;
    int count;
    const int *body;       /* of each row of A, in its own order */
    lil_rotate_body *sums; /* of each body */
} lil_rotate;

/* Bodies are the connected components of the blocks of A. */
lil_status lil_rotate_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, lil_rotate *rotate);

/* x: where the step ends; d: a change of the velocity, so that x changes by h d. */
void lil_rotate_bend(const lil_rotate *rotate, const double *x, double h, double *d);

#endif
