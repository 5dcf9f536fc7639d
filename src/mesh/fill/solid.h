/* The solid that a surface bounds: where the winding number exceeds 1/2, or everything near the surface. */
#ifndef LIL_MESH_FILL_SOLID_H
#define LIL_MESH_FILL_SOLID_H

#include "geometry/winding.h"
#include "mesh/check/mend.h"

typedef struct lil_solid {
    const lil_surface *surface; /* borrowed */
    lil_mended mended;
    lil_tree tree;
    lil_winding winding;
    double half;              /* of the thickness; 0: the inside */
    double least[3], most[3]; /* the box around it */
    int inside_out;           /* closed patches that were turned over */
} lil_solid;

/* Lives in the arena. A surface of no area is refused. */
lil_status lil_solid_build(lil_context *ctx, lil_arena *arena, const lil_surface *surface, double thickness,
                           lil_solid *solid);

bool lil_solid_has(const lil_solid *solid, const double q[3]);
/* 1 or -1: all points within `radius` of q are in or out; 0: that is not known. */
int lil_solid_uniform(const lil_solid *solid, const double q[3], double radius);
/* The way from `in` to `out`, of which one is and one is not in it: which part of it is in. */
double lil_solid_cut(const lil_solid *solid, const double in[3], const double out[3]);

#endif
