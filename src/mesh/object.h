/* A mesh with an arena of its own, as <lilyan/mesh.h> gives it out. */
#ifndef LIL_MESH_OBJECT_H
#define LIL_MESH_OBJECT_H

#include "mesh/make/arrangement.h"
#include "mesh/surface.h"

typedef struct lil_mesh_object {
    lil_mesh mesh; /* first: whoever has the one has the other */
    lil_surface surface;
    lil_edges links;
    lil_arena arena;
} lil_mesh_object;

/* Of what `create` gave out. */
static inline const lil_mesh_object *lil_mesh_object_of(const lil_mesh *mesh)
{
    return (const lil_mesh_object *)mesh;
}

lil_mesh_info lil_mesh_info_of(const lil_mesh *mesh, const lil_edges *links, const lil_surface *surface);

/* How fine a scene's surface or a def's is filled: 0 for what is not said. The surface is scaled first, so that tets are as large as they
 * are asked for. */
lil_status lil_surface_fill(lil_context *ctx, lil_arena *arena, const lil_filling *filling, const double scale[3],
                            lil_surface *surface, lil_mesh *mesh);

#endif
