/*
 * The motion of a whole body from that of some of its points: y_j are the places of the vertices of its surface, or of some
 * vertices of its tets. All vertices x minimise
 *
 *     1/m sum_j |P_j x - y_j|^2 + c sum_f V_f/V h_f^2 |F_e - F_e'|^2
 *
 * over all faces f between tets e and e': motions that bend least within the size of a tet, h. P_j are the weights by which the
 * surface is embedded. Where points are vertices of tets these are y, and only the second sum remains.
 *
 * It is linear in y, with one matrix for all times: x is as smooth in time as y. Affine motions have no cost, and so are
 * exact, turns among them.
 */
#ifndef LIL_WORLD_FOLLOW_FIT_H
#define LIL_WORLD_FOLLOW_FIT_H

#include "solvers/ldl.h"
#include "world/world.h"

typedef struct lil_follow_fit {
    const lil_body *body;
    lil_mesh mesh;     /* of linear tets: the body's own, or the parts of quadratic ones */
    const int *point;  /* of each vertex, -1: none; NULL: points are the surface's vertices */
    lil_carried rows;  /* P, of these */
    double (*g)[4][3]; /* gradients of each tet's shape functions */
    lil_pattern pattern;
    double *A, *reduced; /* with all vertices; without those that are points */
    lil_ldl ldl;
    double *right, *known, *product, *change, *work;
} lil_follow_fit;

/* Borrows the body and `point`. Refuses points that lie in a plane, and so do not tell how the body turns. */
lil_status lil_follow_fit_create(lil_context *ctx, lil_arena *arena, const lil_body *body, const int *point,
                                 const char *name, lil_follow_fit *fit);
/* x: all vertices, three numbers each. */
void lil_follow_fit_at(lil_follow_fit *fit, const double *y, double *x);

#endif
