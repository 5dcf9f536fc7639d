/* A surface as it should have been: vertices at one place are one, no triangle comes twice, and neighbours go the
 * same way round. What was otherwise is counted. */
#ifndef LIL_MESH_CHECK_MEND_H
#define LIL_MESH_CHECK_MEND_H

#include "mesh/surface.h"

typedef struct lil_mended {
    int *same; /* a vertex of the surface -> the first one at its place */
    int count;
    int (*triangles)[3]; /* of vertices that are the first at their places */
    int *patch;          /* which each belongs to: triangles joined by edges that just two have */
    int patch_count;
    bool *patch_closed; /* every edge of the patch has two of its triangles */
    bool closed;        /* every edge is passed as often one way as the other: winding numbers are whole */
    /* its faults */
    int joined, unused;       /* coincident vertices; vertices without a face */
    int degenerate, repeated; /* triangles with two equal corners; given once more */
    int boundary, branching;  /* edges of one triangle; of more than two */
    int turned;               /* triangles that go round the other way than most of their patch */
    int shells;               /* parts that share no vertex */
    bool one_sided;           /* like a Moebius band: no way round suits all neighbours */
} lil_mended;

/* Lives in the arena. */
lil_status lil_mend(lil_context *ctx, lil_arena *arena, const lil_surface *surface, lil_mended *mended);

/* `to[v]`: the first vertex at the place of v; returns how many places there are, -1: no memory. */
int lil_join_equal(const double *x, int count, int *to);

#endif
