/* Materials that the user registered: their functions for one element behind the table that bodies use. */
#ifndef LIL_MATERIALS_REGISTERED_H
#define LIL_MATERIALS_REGISTERED_H

#include "materials/material.h"

/* A copy of the user's table, held to what a table must be. */
lil_status lil_material_kind_take(lil_context *ctx, const lil_material_kind *kind, lil_material_kind *taken);

/* A by the kind, or from stresses differenced. False: it refuses. */
bool lil_material_kind_tangent(const lil_material_kind *kind, const lil_moduli *m, const void *config,
                               const double F[9], double A[81]);

#endif
