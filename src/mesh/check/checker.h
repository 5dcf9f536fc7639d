/* What the searches for faults of a mesh share: the list that they add to, and how its sentences name places. */
#ifndef LIL_MESH_CHECK_CHECKER_H
#define LIL_MESH_CHECK_CHECKER_H

#include "mesh/mesh.h"

typedef struct lil_mesh_checker {
    lil_context *ctx;
    lil_arena *arena;
    const lil_mesh *mesh;
    lil_mesh_faults *faults;
} lil_mesh_checker;

enum { LIL_FAULT_PLACE = 320, LIL_FAULT_VERTEX = 120 };

int lil_fault_number(const lil_mesh *mesh, int t);                                 /* of a tet, as its file counts */
const char *lil_fault_tet(const lil_mesh *mesh, int t, char out[LIL_FAULT_PLACE]); /* "bar.msh:17: tet 5" */
/* "vertex 12 at (0, 0.5, 1)" */
const char *lil_fault_vertex(const lil_mesh *mesh, int v, char out[LIL_FAULT_VERTEX]);
const char *lil_fault_count(int count, char out[32]); /* "; 3 in all" */
/* sentence NULL: no memory */
lil_status lil_fault_add(lil_mesh_checker *c, const char *sentence);

/* check_mids.c: of quadratic tets */
lil_status lil_check_mids(lil_mesh_checker *c);

#endif
