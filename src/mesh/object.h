/* A mesh with its own arena, as <lilyan/mesh.h> returns it. */
#ifndef LIL_MESH_OBJECT_H
#define LIL_MESH_OBJECT_H

#include "mesh/make/arrangement.h"
#include "mesh/surface.h"

typedef struct lil_mesh_object {
    lil_mesh mesh; /* must be first: a pointer to one is a pointer to the other */
    lil_surface surface;
    bool sheet; /* the tets are a layer around it */
    lil_edges links;
    lil_arena arena;
} lil_mesh_object;

/* For objects that `create` returned. */
static inline const lil_mesh_object *lil_mesh_object_of(const lil_mesh *mesh)
{
    return (const lil_mesh_object *)mesh;
}

lil_mesh_info lil_mesh_info_of(const lil_mesh *mesh, const lil_edges *links, const lil_surface *surface);

/* How fine a scene's surface or a def's is filled: 0 for a value that is not given. The surface is scaled first,
 * so that tets have the requested size. */
lil_status lil_surface_fill(lil_context *ctx, lil_arena *arena, const lil_filling *filling, const double scale[3],
                            lil_surface *surface, lil_mesh *mesh);

#endif
