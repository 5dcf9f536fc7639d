/*
 * Meshes: tets or particles that are read from a file, made, or made to fill a surface; reports on files of them. A body or particles of a world
 * take a copy of a mesh (<lilyan/world.h>), so that it may go as soon as it was added, and serve as often as is liked.
 *
 *     lil_mesh *mesh;
 *     lil_mesh_create_shape(ctx, "bar", "size=1,0.2,0.2 cells=8,2,2", &mesh);
 *     def.mesh = mesh;
 *     lil_world_add_body(world, &def, &bar);
 *     lil_mesh_destroy(&mesh);
 *
 * <lilyan/lilyan.h> includes this header.
 */
#ifndef LILYAN_MESH_H
#define LILYAN_MESH_H

#include <lilyan/lilyan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- meshes for worlds ---- */

typedef struct lil_mesh lil_mesh;

/* Tets from gmsh (.msh), tetgen (.node or .ele, either names both), medit (.mesh) or VTK's legacy files (.vtk), with their groups. */
LIL_API lil_status lil_mesh_create_read(lil_context *ctx, const char *path, lil_mesh **mesh);
/* A shape of tets ("bar", "box", "ball", "cylinder", "torus") or particles that are arranged ("chain", "rope", "grid", "net"); options are
 * those of scenes, "size=1,0.2,0.2 cells=8,2,2"; NULL: none. */
LIL_API lil_status lil_mesh_create_shape(lil_context *ctx, const char *type, const char *options, lil_mesh **mesh);

/* Positive inside, negative outside. */
typedef double lil_inside_fn(void *user, const double x[3]);

/* A surface that tets fill: of a file, of arrays, or where a function is 0. It then rides in the tets, finer than they are. */
typedef struct lil_fill_def {
    size_t size;
    const char *path; /* .obj, .ply or .stl; or */
    int vertex_count, triangle_count;
    const double *x; /* 3 a vertex, m; */
    const int (*triangles)[3];
    lil_inside_fn *inside; /* or the surface of what this says, */
    void *user;
    double low[3], high[3]; /*   in this box */
    int cells;              /*   and this many along its longest side */
    double scale[3];        /* before it is filled */
    int vertices;           /* of the tets, about so many, or */
    double edge;            /* so fine, m: the longer edges of the lattice; 0: as `vertices` says */
    double thickness;       /* 0: what it encloses; otherwise all that is nearer to it than half of this, m */
    lil_progress_fn *progress;
    void *progress_user;
} lil_fill_def;

LIL_API lil_fill_def lil_fill_def_default(void); /* about 2000 vertices */
/* Holes, faces that intersect and several shells do not matter. What is lost on the way is said in warnings. */
LIL_API lil_status lil_mesh_create_filled(lil_context *ctx, const lil_fill_def *def, lil_mesh **mesh);
LIL_API void lil_mesh_destroy(lil_mesh **mesh);

/* Edges of tets are at most edge + growth max(0, d - radius) long, d the distance from the centre. */
typedef struct lil_fineness {
    double centre[3], radius; /* m */
    double edge;              /* m, positive */
    double growth;            /* by distance; 0: as fine everywhere */
} lil_fineness;

/* What a mesh or a body consists of, lent as long as it lives. Indices are counted from 0. */
typedef struct lil_mesh_info {
    int vertex_count, tet_count, face_count, link_count;
    const double *x;       /* at rest, 3 a vertex, m */
    const int (*tets)[4];  /* right-handed */
    const int (*faces)[3]; /* of the boundary, counter-clockwise seen from outside */
    const int (*links)[2]; /* of particles */
    int surface_vertex_count, surface_triangle_count;
    const double *surface_x; /* of the surface that rides in the tets; NULL: there is none */
    const int (*surface_triangles)[3];
} lil_mesh_info;

LIL_API lil_status lil_mesh_look(const lil_mesh *mesh, lil_mesh_info *info);

/* A named part: a physical group of gmsh, a region of tetgen, a reference of medit; "left", "top" of a bar or a box; "first" of a chain. */
typedef struct lil_group_info {
    const char *name;
    int count;
    const int *vertices;
} lil_group_info;

/* False: there are no more. */
LIL_API bool lil_mesh_group(const lil_mesh *mesh, int index, lil_group_info *group);

/* ---- files ----------------------------------------------------------------------------------------------
 * Tets from gmsh (.msh), tetgen (.node, .ele), medit (.mesh) or VTK's legacy files (.vtk). */

/* A description for a reader, and every fault as a sentence, the first place and how many; free it with lil_free. `faults`: how many
 * kinds of fault there are, 0 for a mesh that can be simulated. */
LIL_API lil_status lil_mesh_report(lil_context *ctx, const char *path, char **text, int *faults);
/* Does the name end like that of a mesh? */
LIL_API bool lil_mesh_is_named(const char *path);
/* Like that of a surface: .obj, .stl, .ply? */
LIL_API bool lil_surface_is_named(const char *path);
/* What a surface is like and what is wrong with it, in words; free it with lil_free. `encloses`: it can be filled as it is. */
LIL_API lil_status lil_surface_report(lil_context *ctx, const char *path, char **text, bool *encloses);

/* Tets that fill a surface. One of `vertices` and `edge` says how fine. */
typedef struct lil_mesh_def {
    const char *surface; /* its file */
    const char *path;    /* where the mesh goes: .msh, .mesh or .vtk */
    int vertices;        /* about so many */
    double edge;         /* of the lattice that tets are made from, m */
    double thickness;    /* 0: what it encloses; otherwise all that is nearer than half of it, m */
    bool replace;        /* a file that exists may be replaced */
    lil_progress_fn *progress;
    void *user; /* borrowed */
} lil_mesh_def;

LIL_API lil_mesh_def lil_mesh_def_default(void);
/* Holes, faces that intersect, come twice or go the wrong way round, and several shells do not matter. What is lost on the
 * way is said in warnings. `text` describes the mesh; free it with lil_free. LIL_ERR_INTERRUPTED: progress said so. */
LIL_API lil_status lil_surface_mesh(lil_context *ctx, const lil_mesh_def *def, char **text);

/* The shapes that Lilyan makes itself, with the fields that describe them. False: there are no more. */
LIL_API bool lil_shape_entry(int index, const char **name, const char **doc, const lil_field **fields,
                             int *field_count);

#ifdef __cplusplus
}
#endif

#endif
