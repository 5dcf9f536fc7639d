/*
 * The rigid motion of each body, for two uses in Newton's method: starts without fast deformation, and directions that
 * rotate bodies instead of stretching them along the tangent.
 *
 * A direction d that rotates a body by theta moves its points to y + theta x y, which stretches it by theta^2/2. The
 * forces of a stiff body against that are large, and Newton's method takes very short steps. So the linear rotation
 * in d is replaced by a finite one:
 *
 *     h d += R(theta) y - y - theta x y,   I theta = sum m y x h d,   y = x - c
 *
 * of every body by itself, c and I its centre of mass and its inertia at x. The change is of second order in d, so it
 * changes neither the solution nor the order of convergence.
 */
#ifndef LIL_DISCRETE_ROTATE_H
#define LIL_DISCRETE_ROTATE_H

#include "core/arena.h"
#include "solvers/blocks.h"

typedef struct lil_rotate_body lil_rotate_body;

typedef struct lil_rotate {
    const lil_blocks *A;
    const double *mass; /* of each coordinate */
    int count;
    const int *body;       /* of each row of A, in its own order */
    lil_rotate_body *sums; /* of each body */
} lil_rotate;

/* Bodies are the connected components of the blocks of A; the mass of each coordinate is borrowed. */
lil_status lil_rotate_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, const double *mass,
                             lil_rotate *rotate);

/* x: where the step ends; d: a change of the velocity, so that x changes by h d. */
void lil_rotate_bend(const lil_rotate *rotate, const double *x, double h, double *d);

/* Leaves of the velocities v at x the rigid motion of each body, which has the same linear and angular momentum, and
 * `share` of the rest. */
void lil_rotate_calm(const lil_rotate *rotate, const double *x, double share, double *v);

#endif
