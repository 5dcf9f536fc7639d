/* The faces of all tets, equal ones side by side: for the surface and for the faults of a mesh. */
#ifndef LIL_MESH_FACES_H
#define LIL_MESH_FACES_H

#include "mesh/mesh.h"

typedef struct lil_face {
    int v[3];  /* ascending */
    size_t at; /* 4 * tet + k, k the vertex it is opposite to */
} lil_face;

extern const int lil_tet_faces[4][3];

/* 4 per tet, to be freed; NULL: no memory. */
lil_face *lil_mesh_sorted_faces(const lil_mesh *mesh);
bool lil_face_same(const lil_face *a, const lil_face *b);

#endif
