/* Local refinement: longest-edge bisection. */
#ifndef LIL_MESH_FILL_REFINE_H
#define LIL_MESH_FILL_REFINE_H

#include "mesh/mesh.h"

/* Its members. */
enum { LIL_REFINE_FIELDS = 4 };
extern const lil_field lil_refine_fields[LIL_REFINE_FIELDS];

/* Bisects tets until all of `list` are met (d: to the tet's box). Vertices keep their numbers. New ones follow
 * them, each in the middle of an edge: *between has the two ends of each. They belong to the groups of the mesh to
 * which both ends belong. Faces are to be found again. */
lil_status lil_mesh_refine(lil_context *ctx, lil_arena *arena, const lil_fineness *list, int count, lil_mesh *mesh,
                           int (**between)[2]);

#endif
