/* How thin a solid is: through its surface, straight in, until it is left again. */
#ifndef LIL_MESH_CHECK_THICKNESS_H
#define LIL_MESH_CHECK_THICKNESS_H

#include "mesh/fill/solid.h"

/* The part of the area below which `thinnest` is measured: edges and corners are thinner than anything. */
#define LIL_THIN_SHARE 0.05

/* 5 % of the area are where the solid is thinner, m. NaN: nothing is inside. */
lil_status lil_solid_thinnest(lil_context *ctx, lil_arena *arena, const lil_solid *solid, double *thinnest);

#endif
