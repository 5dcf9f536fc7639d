/*
 * Static equilibrium: a minimum of W(t, q) - F'q at a fixed time, F the forces at zero velocity, solved for from the
 * initial q. It takes proximal steps (Rockafellar 1976), which are implicit Euler steps, each from rest:
 *
 *     q_{k+1} = argmin 1/2 (q - q_k)'M(q - q_k)/h^2 + W(q) - F'q
 *
 * with an h that grows while the steps converge. The mass keeps the matrix regular if bodies can rotate or slide
 * freely. The equilibrium is then not unique, and the search finds one near the start. Line searches stop at contact,
 * so no body passes through another.
 *
 * Friction of contact by barrier opposes the whole slip u from the start, independent of the path,
 *
 *     dW/dq - F + A'(mu N f(|u|/eps) u/|u|) = 0,
 *
 * and has no potential: the same steps are then root problems. With any eps the forces are inside the friction cone,
 * so the state is an equilibrium. Sticking contacts have slipped by less than eps, a small part of the scene's size.
 * The simulation begins without slip, so the contacts creep, slower than `slip`.
 */
#ifndef LIL_DISCRETE_EQUILIBRIUM_H
#define LIL_DISCRETE_EQUILIBRIUM_H

#include "model/evaluator.h"

typedef struct lil_rest {
    bool found;
    int iterations;  /* of Newton's method */
    double residual; /* sum |g_i| over the sum of the loads |f_i| */
    double moved;    /* the largest displacement of a vertex along an axis, m */
    double size;     /* of all free vertices at the start, m */
} lil_rest;

/* q comes in as the start and goes out as the equilibrium. `stays`: the fixed coordinates; NULL: none. `left`:
 * dW/dq - F at the end. rest->found is false if no equilibrium was found; errors are lack of memory and a start
 * where W is undefined. */
lil_status lil_rest_find(lil_context *ctx, const lil_model *model, int linear, double t, const bool *stays, double *q,
                         double *left, lil_rest *rest);

#endif
