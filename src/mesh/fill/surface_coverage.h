/* How much of a surface its tets do not reach. */
#ifndef LIL_MESH_FILL_SURFACE_COVERAGE_H
#define LIL_MESH_FILL_SURFACE_COVERAGE_H

#include "mesh/fill/solid.h"

/* The part of the area that is farther from every tet than one or two edges of their lattice, and the first point
 * of it. */
lil_status lil_surface_uncovered(lil_context *ctx, const lil_solid *solid, const lil_mesh *mesh, double h,
                                 double *part, double where[3]);

#endif
