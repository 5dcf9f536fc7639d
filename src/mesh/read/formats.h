/* One function a format: from bytes to a finished mesh. */
#ifndef LIL_MESH_READ_FORMATS_H
#define LIL_MESH_READ_FORMATS_H

#include "mesh/read/build.h"

/* Reads the whole of `s` into `b`. */
typedef lil_status lil_mesh_reader(lil_scan *s, lil_build *b);

lil_mesh_reader lil_read_msh, lil_read_medit, lil_read_vtk;
lil_mesh_reader lil_read_tetgen_node, lil_read_tetgen_ele;

/* gmsh's sections of version 4.1; those of 2.2 are in msh.c with what both share. */
typedef struct lil_msh {
    lil_scan *s;
    lil_build *b;
    int size_bytes; /* of what gmsh calls size_t */
    /* 4.1: the physical groups of each entity, in the order of the file until the first block of elements */
    struct lil_entity *entities;
    size_t entity_count;
    bool sorted;
} lil_msh;

lil_status lil_msh4_entities(lil_msh *m);
lil_status lil_msh4_nodes(lil_msh *m);
lil_status lil_msh4_elements(lil_msh *m);
void lil_msh4_end(lil_msh *m);

/* How many vertices an element has, and its dimension. */
lil_status lil_msh_type(lil_msh *m, int64_t type, int *count, int *dim);
/* Its vertices, into `nodes`, those of tets in the order of mesh/quadratic.h; then the cell made of them. `wanted`: some
 * group uses it. */
enum { LIL_MSH_VERTICES_MAX = 125 };
lil_status lil_msh_vertices(lil_msh *m, int bytes, int64_t type, int64_t nodes[LIL_MSH_VERTICES_MAX]);
lil_status lil_msh_element(lil_msh *m, int64_t type, const int64_t *nodes, bool wanted);

#endif
