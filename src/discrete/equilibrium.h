/*
 * Static equilibrium: a minimum of W(t, q) - F'q at a fixed time, F the forces at zero velocity, solved for from the
 * initial q. By proximal steps (Rockafellar 1976), which are those of implicit Euler, each from rest:
 *
 *     q_{k+1} = argmin 1/2 (q - q_k)'M(q - q_k)/h^2 + W(q) - F'q
 *
 * with an h that grows as long as the steps are solved. The mass keeps them regular where bodies can turn or slide
 * freely: there is then no single equilibrium, and the one that is found is near where it began. Line searches go
 * only as far as contact lets them, so it is reached without passing anything.
 *
 * Friction of contact by barrier holds against the whole slip u from the start, with no memory of the way,
 *
 *     dW/dq - F + A'(mu N f(|u|/eps) u/|u|) = 0,
 *
 * and has no potential: the same steps are then roots. Any eps gives forces within the cone of friction, so that the
 * state can stand; what sticks in it has slipped by less than eps, a small part of how large everything is. The
 * motion from there begins without slip, and so creeps, slower than the law's own `slip`.
 */
#ifndef LIL_DISCRETE_EQUILIBRIUM_H
#define LIL_DISCRETE_EQUILIBRIUM_H

#include "model/evaluator.h"

typedef struct lil_rest {
    bool found;
    int iterations;  /* of Newton's method */
    double residual; /* sum |g_i| over the sum of the loads |f_i| */
    double moved;    /* how far a vertex went at most along an axis, m */
    double size;     /* of everything that can move, at the start, m */
} lil_rest;

/* q comes in as the start and goes out as the equilibrium. `stays`: the coordinates that keep their places, or
 * NULL: none does. `left`: dW/dq - F at the end. Where there is no equilibrium *rest says so; errors are those of
 * memory and of a start where W does not exist. */
lil_status lil_rest_find(lil_context *ctx, const lil_model *model, int linear, double t, const bool *stays, double *q,
                         double *left, lil_rest *rest);

#endif
