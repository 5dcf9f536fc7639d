/* How many tets there are through the thickness of a body, and how much linear tets lock there. */
#ifndef LIL_MESH_CHECK_LAYERS_H
#define LIL_MESH_CHECK_LAYERS_H

#include "mesh/mesh.h"

/* Through its thickest part: 1 where every vertex is on the surface, else twice as many as there are edges from the
 * surface to the innermost vertex. */
lil_status lil_mesh_layers(lil_context *ctx, const lil_mesh *mesh, int *layers);

/* The tip deflection of a cantilever of so many layers of linear tets, L = 10 thicknesses, over Timoshenko's: of cells of
 * five tets, and of six, which all have one diagonal. tests/test_locking.c computes the table. */
typedef struct lil_locking {
    double best, worst;
} lil_locking;

lil_locking lil_tet_locking(int layers, double poisson);

#endif
