/*
 * Points that ride in a mesh of tets: the fine surface that is seen, carried by the coarse body that moves.
 *
 * Each point belongs to one tet: the one it is in, else the nearest. With its four vertices at q0 ... q3 it is at
 *
 *     x = q0 + w1 (q1 - q0) + w2 (q2 - q0) + w3 (q3 - q0),
 *
 * linear in q as the tet itself is, also outside of it. So at rest every point is where it was, and a mesh that is moved and
 * turned as a whole takes its points along.
 */
#ifndef LIL_MESH_EMBEDDING_H
#define LIL_MESH_EMBEDDING_H

#include "mesh/mesh.h"

typedef struct lil_embedding {
    int count;
    int *tet;             /* of each point */
    double (*weights)[3]; /* w1, w2, w3 */
} lil_embedding;

/* x: 3 numbers a point, at rest as the mesh is. Needs a tet of positive volume at least. */
lil_status lil_embed(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, const double *x, int count,
                     lil_embedding *embedding);

/* Where a point is that rides with these weights in this tet. q: 3 numbers a vertex. */
void lil_embedded_place(const int tet[4], const double weights[3], const double *q, double x[3]);

#endif
