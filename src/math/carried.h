/*
 * Points that vertices carry: y_i = sum_k w_k x_k. Weights of a point add up to 1 and reproduce where it is at rest,
 * so it follows every affine motion exactly, and a force f on it is the forces w_k f on its vertices: same work, same
 * momentum, same angular momentum.
 */
#ifndef LIL_MATH_CARRIED_H
#define LIL_MATH_CARRIED_H

#include "core/threads.h"

typedef struct lil_carried {
    int vertex_count; /* point i is number vertex_count + i where vertices and points are counted together */
    int count;
    const int *begin;     /* count + 1: point i has the vertices begin[i] ... begin[i + 1] - 1 */
    const int *vertex;    /* of these the vertex, */
    const double *weight; /*   and w */
} lil_carried;

/* y = P x, three numbers per point. y has the points alone, from the first on. */
void lil_carried_place(const lil_carried *carried, lil_threads *threads, const double *x, double *y);

/* g += P'f for the force f on point i. */
void lil_carried_spread(const lil_carried *carried, int i, const double f[3], double *g);

#endif
