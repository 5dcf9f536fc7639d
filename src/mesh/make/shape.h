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
    /* Optional, where the surface is curved: moves `middle`, half-way between two neighbours a and b on the surface of the
     * mesh, to where the shape's own surface is; false: it is flat here, and the middle stays. */
    bool (*middle)(const void *config, const double a[3], const double b[3], double middle[3]);
} lil_shape;

int lil_shape_count(void);
const lil_shape *lil_shape_at(int index);
const lil_shape *lil_shape_find(const char *name); /* NULL: none */
/* Checks the config and makes the mesh, which knows its shape; the config must live as long as it. */
lil_status lil_shape_make(lil_context *ctx, lil_arena *arena, const lil_shape *shape, const void *config,
                          lil_mesh *mesh);

#endif
