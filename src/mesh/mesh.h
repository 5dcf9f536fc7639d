/* Tetrahedral meshes: readers, checks, generators. */
#ifndef LIL_MESH_MESH_H
#define LIL_MESH_MESH_H

#include "core/arena.h"
#include "core/context.h"
#include "core/text.h"

#include <lilyan/mesh.h>

/* A named part of a mesh: a physical group of gmsh, a region or marker of tetgen, a reference of medit. */
typedef struct lil_group {
    const char *name; /* "clamp", or its number as text */
    int *vertices;    /* each once, ascending */
    int vertex_count;
} lil_group;

typedef struct lil_mesh {
    const char *name; /* of the file (tetgen: .ele) or the shape, for messages */
    int vertex_count;
    double *x;           /* 3 per vertex, m */
    int64_t *vertex_tag; /* what its file calls each vertex; NULL: its index */
    int tet_count;
    int (*tets)[4];  /* right-handed: det(x1 - x0, x2 - x0, x3 - x0) > 0 */
    int (*mids)[6];  /* of quadratic tets the vertices on their edges 01 12 02 03 13 23; NULL: they are linear */
    int *tet_line;   /* line of each in its file (text) or 0; NULL: no file */
    int face_count;  /* of the boundary, faces of exactly one tet; 0 until lil_mesh_surface */
    int (*faces)[3]; /* counter-clockwise seen from outside; each quadratic face is cut in four at its mid nodes */
    lil_group *groups;
    int group_count;
    const struct lil_shape *shape; /* that it was made of (make/shape.h), and its options; NULL: it was not */
    const void *shape_config;
} lil_mesh;

/* By the name's ending: .msh, .node/.ele (either names both), .mesh, .vtk. Faults of the file (a line that cannot
 * be read, an index out of range, a NaN, no tets) are errors with their place; lil_mesh_check finds faults of the
 * mesh. Everything lives in the arena. */
lil_status lil_mesh_read(lil_context *ctx, lil_arena *arena, const char *path, lil_mesh *mesh);

/* The same from memory; `format` is an ending without its dot. For "node" `text` is the .node file and `more` the .ele
 * file; otherwise `more` is NULL. */
lil_status lil_mesh_parse(lil_context *ctx, lil_arena *arena, const char *format, const char *name, const char *text,
                          size_t size, const char *more, size_t more_size, lil_mesh *mesh);

/* Finds the boundary's faces: of a quadratic mesh four in a row for each face of a tet, its corners' before the middle. */
lil_status lil_mesh_surface(lil_context *ctx, lil_arena *arena, lil_mesh *mesh);

/* Everything that keeps the mesh from being a body, in the order of severity: inverted and flat tets, tets that their mid
 * nodes fold, mid nodes that tets do not share as they share edges, tets given twice, unused and duplicate vertices,
 * faces of more than two tets, several components. Each as one sentence that names the first place and how many;
 * count 0: all is well. */
typedef struct lil_mesh_faults {
    int count;
    const char *sentences[10];
} lil_mesh_faults;

lil_status lil_mesh_check(lil_context *ctx, lil_arena *arena, const lil_mesh *mesh, lil_mesh_faults *faults);

/* Counts, size, volume, quality, groups; for a reader. */
void lil_mesh_describe(const lil_mesh *mesh, lil_text *text);

/* The box around `count` points, 3 numbers each; its longest side is returned. */
double lil_box_around(const double *x, int count, double least[3], double most[3]);

/* The vertex nearest to a point; of those equally near the first. */
int lil_mesh_nearest(const lil_mesh *mesh, const double x[3]);

double lil_tet_volume(const double *x, const int tet[4]);   /* signed, m^3 */
double lil_tet_dihedral(const double *x, const int tet[4]); /* the smallest of its six, degrees */
double lil_tet_quality(const double *x, const int tet[4]);  /* 3 inradius / circumradius; inverted: negative */
double lil_mesh_volume(const lil_mesh *mesh);
double lil_mesh_area(const lil_mesh *mesh); /* after lil_mesh_surface */

#endif
