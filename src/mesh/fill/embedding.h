/*
 * Points that ride in a mesh of tets: the fine surface that is seen, carried by the coarse body that moves.
 *
 * Each point belongs to one tet: the one it is in, else the nearest. With its four vertices at q0 ... q3 it is at
 *
 *     x = q0 + w1 (q1 - q0) + w2 (q2 - q0) + w3 (q3 - q0),
 *
 * linear in q as the tet itself is. So at rest every point is where it was, and a mesh that is moved and turned as a
 * whole takes its points along. Tets here are the parts of mesh/mids.h: of a quadratic tet the eight linear ones that
 * fill it. Their weights are not negative inside, which those of quadratic shape functions are, so that a force on a
 * point never acts against itself, and the surface is continuous as it is in a linear mesh.
 *
 * Outside of all tets the gradient of a single tet is too rough to go far with. There a point at X, whose nearest
 * point of the mesh is at N, moves with that point and with the gradient that fits the vertices around N best:
 *
 *     x = n(q) + G (X - N),   G = sum_k m_k (q_k - mean q)(X_k - mean X)' A^-1,   A = sum_k m_k (X_k - mean X)(X_k - mean X)'
 *
 * Means are weighted by m_k = (1 - |X_k - N|^2/R^2)^2, over the vertices that can be reached from the tet within R. R
 * is 1.5 mean edges, or |X - N| where that is more: however far out a point is, its weights then stay bounded. This
 * too is linear, x = sum_k w_k q_k, and continuous from inside to outside. Weights that take every turned body along
 * must take every affine motion along, since rotations span all matrices: which vertices to fit is all there is to
 * choose.
 */
#ifndef LIL_MESH_FILL_EMBEDDING_H
#define LIL_MESH_FILL_EMBEDDING_H

#include "math/carried.h"
#include "mesh/mids.h"

typedef struct lil_embedding {
    int count;
    int *tet;             /* of each point: a part */
    double (*weights)[3]; /* w1, w2, w3; of a point outside those that reach its place from this tet */
    lil_carried outside;  /* w_k of points outside; those inside have none */
} lil_embedding;

/* x: 3 numbers per point, at rest as the mesh is. Needs a tet of positive volume at least. */
lil_status lil_embed(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, const double *x, int count,
                     lil_embedding *embedding);

/* The tet nearest to a place, of those equally near the first, and its distance. Looks at all of them. */
double lil_embedding_nearest(const lil_mesh *mesh, const double x[3], int *tet);
/* w1, w2, w3 of a place in a tet. */
void lil_embedding_weights(const lil_mesh *mesh, int tet, const double x[3], double w[3]);
/* The weights of points outside, by the tets that are nearest to them. */
lil_status lil_embed_outside(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, const double *x,
                             lil_embedding *embedding);

/* Position of a point embedded in this tet with these weights. q: 3 numbers per vertex. */
void lil_embedded_place(const int tet[4], const double weights[3], const double *q, double x[3]);

#endif
