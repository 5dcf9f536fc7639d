/* Meshes as files that other programs and our readers read. */
#ifndef LIL_MESH_WRITE_H
#define LIL_MESH_WRITE_H

#include "mesh/mesh.h"

/* Does the name end like a format that is written, .msh (gmsh), .mesh (medit) or .vtk, and is there no file in the
 * way? */
lil_status lil_mesh_check_path(lil_context *ctx, const char *path, bool replace);
lil_status lil_mesh_write(lil_context *ctx, const lil_mesh *mesh, const char *path, bool replace);

#endif
