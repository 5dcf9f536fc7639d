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
 *
 * Loads can be added little by little. With the factor s in 0 .. 1, s F acts, and of what was out of balance at the
 * start 1 - s is balanced:
 *
 *     dW/dq(q) - s F(q) - (1 - s) dW/dq(q_0) = 0                                                                   (E1)
 *
 * At s = 0 the start is an equilibrium. Loads that are dead, such as weight, act at s times their size.
 *
 * What constraints bind is minimised as (B1) of bound_energy.h, whose multipliers get better from step to step
 * (Rockafellar, Math. Oper. Res. 1 (1976), 97-116). W is -L(t, q, 0) of a general Lagrangian.
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

typedef struct lil_equilibrium lil_equilibrium;

/* `fixed`: the coordinates that stay, borrowed; NULL: none. is_bound: constraints act; else they are ignored. */
lil_status lil_equilibrium_create(lil_context *ctx, const lil_model *model, int linear, const bool *fixed,
                                  bool is_bound, lil_equilibrium **equilibrium);
void lil_equilibrium_destroy(lil_equilibrium **equilibrium);
/* q is q_0 of (E1). */
lil_status lil_equilibrium_begin(lil_equilibrium *equilibrium, double t, const double *q);
/* The loads from here on: s of (E1), with F as it is at t_loads. Handles and obstacles are where they are at t. */
void lil_equilibrium_load(lil_equilibrium *equilibrium, double t, double t_loads, double factor);
/* q comes in as the start and goes out as the equilibrium. `left`: dW/dq - F at the end. rest->found is false if no
 * equilibrium was found. */
lil_status lil_equilibrium_find(lil_equilibrium *equilibrium, double *q, double *left, lil_rest *rest);
/* Where its prescribed coordinates are. */
lil_positions *lil_equilibrium_positions(lil_equilibrium *equilibrium);

/* The same once, with all loads, where constraints are ignored. Errors are lack of memory and a start where W is
 * undefined. */
lil_status lil_rest_find(lil_context *ctx, const lil_model *model, int linear, double t, const bool *fixed, double *q,
                         double *left, lil_rest *rest);

#endif
