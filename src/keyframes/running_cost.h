/*
 * The user's running cost c(t, q, v, phi), added to that of the ghost force (discrete mechanics and optimal control:
 * Junge, Marsden & Ober-Bloebaum 2005; Yang 2007, 4.2). It is evaluated at frames with the weights w of C, which is
 * of second order:
 *
 *     sum_k w_k c(t_k, q_k, v_k, phi_k)      v_k = (q_{k+1} - q_{k-1})/(h_{k-1} + h_k) inside, what is given at a key with a velocity,
 *                                            (q_1 - q_0)/h, (q_N - q_{N-1})/h and phi = 0 at an end without one
 *
 * Expressions use z = (q, v, phi): the coordinates of a text Lagrangian; for points in space the means of marked
 * sets, and the total ghost force on a set. z is affine in q, v and phi.
 */
#ifndef LIL_KEYFRAMES_RUNNING_COST_H
#define LIL_KEYFRAMES_RUNNING_COST_H

#include "keyframes/problem.h"

lil_status lil_running_cost_create(lil_problem *shot);
/* Adds it to the cost of frames q, and half of its derivative by f to ghost->y. */
double lil_running_cost_cost_value(lil_problem *shot, const double *q, lil_ghost *ghost);
/* Adds half of its derivative by q, at frames q, phi fixed. */
void lil_running_cost_gradient(lil_problem *shot, const double *q, const lil_ghost *ghost, double *g);
/* Adds half of the second derivative of the cost of frame k, without that of phi. */
void lil_running_cost_matrix(lil_problem *shot, const lil_ghost *ghost, int k, lil_banded *A);

#endif
