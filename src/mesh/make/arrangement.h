/* Arrangements of particles and their links: one file and one const table per kind. */
#ifndef LIL_MESH_MAKE_ARRANGEMENT_H
#define LIL_MESH_MAKE_ARRANGEMENT_H

#include "mesh/mesh.h"

/* Pairs of particles that are linked, and the triangles of cloth between them, which has none where the links are
 * all there is. */
typedef struct lil_edges {
    int (*at)[2];
    int count;
    int (*triangles)[3], (*loose)[2]; /* and the links that no triangle has */
    int triangle_count, loose_count;
} lil_edges;

typedef struct lil_arrangement {
    const char *name;
    const char *doc; /* one sentence */
    const lil_field *fields;
    int field_count;
    size_t config_size;
    /* Vertices and groups of a mesh without tets, and its edges. */
    lil_status (*make)(lil_context *ctx, lil_arena *arena, const void *config, lil_mesh *mesh, lil_edges *edges);
} lil_arrangement;

int lil_arrangement_count(void);
const lil_arrangement *lil_arrangement_at(int index);
const lil_arrangement *lil_arrangement_find(const char *name); /* NULL: none */

/* ---- what makers share ---- */

extern const lil_arrangement lil_chain, lil_rope, lil_grid, lil_net;

/* Room for so many; `groups` of them, which follow beside the group "all". */
lil_status lil_arrangement_alloc(lil_context *ctx, lil_arena *arena, const char *name, double vertices, double edges,
                                 int groups, lil_mesh *mesh, lil_edges *list);
/* Vertices first, first + stride, ... */
lil_status lil_arrangement_group(lil_context *ctx, lil_arena *arena, lil_mesh *mesh, const char *name, int first,
                                 int stride, int count);

#endif
