/*
 * A coarser set of nodes for a cloud of coupled points, and linear interpolation from it.
 *
 * Each connected part gets a grid of its own over its box, cut into Kuhn's tets; points take the weights of the tet
 * they are in, so that linear displacements, rigid motions among them, are interpolated exactly. Only nodes that are
 * used exist.
 */
#ifndef LIL_SOLVERS_COARSEN_H
#define LIL_SOLVERS_COARSEN_H

#include "solvers/blocks.h"

/* The data of a level's rows, in the order of its matrix. */
typedef struct lil_cloud {
    double *x;    /* 3 per row */
    double *size; /* the distance of neighbours */
    int *part;    /* which connected part: 0 ... parts - 1 */
    int parts;
} lil_cloud;

/* Row i is sum_k weight[i][k] of node[i][k]; unused entries have weight 0 and node 0. */
typedef struct lil_interpolation {
    int nodes;
    int (*node)[4];
    float (*weight)[4];
} lil_interpolation;

/* From the matrix' structure and the caller's x. Freed by lil_cloud_free. */
bool lil_cloud_create(const lil_blocks *A, const double *x, lil_cloud *cloud);
void lil_cloud_free(lil_cloud *cloud);

/* Cells are `growth` times the distance of neighbours (where they are near: of the nearest quarter). Parts of at
 * most `small` rows are kept as they are; where all are, P has no nodes. P's arrays belong to the arena, `coarse`
 * is the caller's. */
lil_status lil_coarsen(lil_context *ctx, lil_arena *arena, int n, const lil_cloud *cloud, double growth, int small,
                       lil_interpolation *P, lil_cloud *coarse);

#endif
