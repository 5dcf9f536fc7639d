/* Quadratic meshes: mid nodes are ordinary vertices, and mesh->mids says which tets have them on which edges. */
#ifndef LIL_MESH_MIDS_H
#define LIL_MESH_MIDS_H

#include "mesh/quadratic.h"

typedef struct lil_mesh_edge {
    int v[2];  /* ascending */
    size_t at; /* 6 * tet + k, k as in lil_tet_edge_ends */
} lil_mesh_edge;

/* The edges of all tets, equal ones side by side, 6 per tet, to be freed; NULL: no memory. */
lil_mesh_edge *lil_mesh_sorted_edges(const lil_mesh *mesh);
bool lil_mesh_edge_same(const lil_mesh_edge *a, const lil_mesh_edge *b);

/* Gives linear tets mid nodes: new vertices after the others, in the order of their edges (of the lesser end, then the
 * greater), in the middle of straight edges. Edges of the boundary are curved where the mesh is that of a shape that
 * knows its surface (make/shape.h), unless a tet would be narrower than a tenth of the straight one there: those stay
 * straight, with a warning. Groups get the mid nodes between two of their vertices. `between`: the ends of each. */
lil_status lil_mesh_make_quadratic(lil_context *ctx, lil_arena *arena, lil_mesh *mesh, int (**between)[2]);
/* Drops the mid nodes of quadratic tets. */
lil_status lil_mesh_make_linear(lil_context *ctx, lil_arena *arena, lil_mesh *mesh);

/* Each group that has no mid node yet gets those between two of its vertices. */
lil_status lil_mesh_complete_groups(lil_context *ctx, lil_arena *arena, lil_mesh *mesh);

/* Where the order of a format's mid nodes is not certain: orders them so that they are nearest to the middles of their
 * edges, in all tets alike. False: which edge is whose is not clear. */
bool lil_mesh_order_mids(lil_mesh *mesh);

/* Its parts (lil_tet_part): the linear tets in which points are embedded. */
static inline int lil_mesh_parts(const lil_mesh *mesh)
{
    return lil_tet_parts(mesh->tet_count, (const int(*)[6])mesh->mids);
}
static inline const int *lil_mesh_part(const lil_mesh *mesh, int part, int room[4])
{
    return lil_tet_part((const int(*)[4])mesh->tets, (const int(*)[6])mesh->mids, part, room);
}

/* The mesh with its parts as linear tets, in a list in the arena: itself where it is linear. Borrows all else. */
lil_status lil_mesh_of_parts(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, lil_mesh *parts);

/* det F of a tet where it is least (quadratic: at the points of its energy), with the mesh's vertices at x. */
double lil_mesh_least_ratio(const lil_mesh *mesh, int tet, const double *x);

#endif
