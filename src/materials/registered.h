/* Materials that the user registered: their functions for one element behind the table that bodies use. */
#ifndef LIL_MATERIALS_REGISTERED_H
#define LIL_MATERIALS_REGISTERED_H

#include "materials/material.h"

/* A checked copy of the user's table. */
lil_status lil_material_kind_take(lil_context *ctx, const lil_material_kind *kind, lil_material_kind *taken);

/* One material. */
typedef struct lil_material_sample {
    const lil_material_kind *kind;
    const lil_moduli *moduli;
    const void *config;
} lil_material_sample;

/* P = dw/dF, as math/difference.h takes it. */
bool lil_material_sample_stress(const void *sample, const double *F, double *P);

#endif
