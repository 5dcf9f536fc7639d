/* The tets of a lattice that are in a solid: whole ones, and at the surface the parts that stencils cut off. */
#ifndef LIL_MESH_FILL_STUFFING_H
#define LIL_MESH_FILL_STUFFING_H

#include "mesh/fill/lattice.h"

/* Points on the surface at which parts of the solid only touch are put back, until every point of the tets'
 * surface has a neighbourhood like a disc. How many were. */
int lil_lattice_part(lil_lattice *lattice);

/* All of it, in the arena; lil_mesh.name is not set. */
lil_status lil_lattice_stuff(lil_context *ctx, lil_arena *arena, const lil_lattice *lattice, lil_mesh *mesh);

#endif
