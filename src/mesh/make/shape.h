/* Shapes that Lilyan makes itself: one file = one const table. */
#ifndef LIL_MESH_MAKE_SHAPE_H
#define LIL_MESH_MAKE_SHAPE_H

#include "mesh/mesh.h"

typedef struct lil_shape {
    const char *name;
    const char *doc; /* one sentence */
    const lil_field *fields;
    int field_count;
    size_t config_size;
    lil_status (*check)(lil_context *ctx, const void *config); /* optional: what ranges cannot say */
    lil_status (*make)(lil_context *ctx, lil_arena *arena, const void *config, lil_mesh *mesh);
} lil_shape;

int lil_shape_count(void);
const lil_shape *lil_shape_at(int index);
const lil_shape *lil_shape_find(const char *name); /* NULL: none */

#endif
