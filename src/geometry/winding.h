/* The generalised winding number: how often triangles go round a point, 1 inside and 0 outside of a closed
 * surface, and in between where it is open. Jacobson, Kavan and Sorkine 2013. Triangles that are far away are seen
 * as one dipole: Barill, Dickson, Schmidt, Levin and Jacobson 2018. */
#ifndef LIL_GEOMETRY_WINDING_H
#define LIL_GEOMETRY_WINDING_H

#include "geometry/tree.h"

typedef struct lil_winding {
    const lil_tree *tree;       /* borrowed */
    struct lil_dipole *dipoles; /* one per node */
} lil_winding;

lil_status lil_winding_build(lil_context *ctx, lil_arena *arena, const lil_tree *tree, lil_winding *winding);

/* To some 0.03. Corners go counter-clockwise seen from outside. */
double lil_winding_number(const lil_winding *winding, const double q[3]);

#endif
