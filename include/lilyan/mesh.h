/*
 * Meshes: tets or particles that are read from a file, built from a shape, or filled into a surface; reports on such
 * files. Bodies and particles of a world copy their mesh (<lilyan/world.h>), so it may be destroyed once it was
 * added, or used again.
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

/* Tets from gmsh (.msh), tetgen (.node or .ele, either implies both), medit (.mesh) or legacy VTK files (.vtk),
 * with their groups: of first order, with 4 nodes, or of second order, with 10. */
LIL_API lil_status lil_mesh_create_read(lil_context *ctx, const char *path, lil_mesh **mesh);
/* A shape of tets ("bar", "box", "ball", "cylinder", "torus") or an arrangement of particles ("chain", "rope",
 * "grid", "net"). Options are those of scenes, "size=1,0.2,0.2 cells=8,2,2"; NULL: none. */
LIL_API lil_status lil_mesh_create_shape(lil_context *ctx, const char *type, const char *options, lil_mesh **mesh);

/* The tets of a body: with 4 nodes, or with 10, of which 6 are on their edges. */
typedef enum lil_elements {
    LIL_ELEMENTS_OF_MESH,  /* as the mesh has them; shapes and filled surfaces have linear ones */
    LIL_ELEMENTS_LINEAR,   /* mid nodes of the mesh are dropped */
    LIL_ELEMENTS_QUADRATIC /* mid nodes are made: new vertices after the mesh's own */
} lil_elements;

/* Positive inside, negative outside. */
typedef double lil_inside_fn(void *user, const double x[3]);

/* A surface to fill with tets: from a file, from arrays, or the zero set of a function. The surface is then
 * embedded in the tets, at its own resolution. */
typedef struct lil_fill_def {
    size_t size;
    const char *path; /* .obj, .ply or .stl; or */
    int vertex_count, triangle_count;
    const double *x; /* or 3 per vertex, m, */
    const int (*triangles)[3];
    lil_inside_fn *inside; /* or the zero set of this function, */
    void *user;
    double low[3], high[3]; /* within this box, */
    int cells;              /* with this many cells along its longest side */
    double scale[3];        /* applied before filling */
    int vertices;           /* approximate number of vertices of the tets, or */
    double edge;            /* the longer edges of the lattice, m; 0: `vertices` sets it */
    double thickness;       /* 0: fills the inside; otherwise everything within half of this from the surface, m */
    lil_progress_fn *progress;
    void *progress_user;
} lil_fill_def;

LIL_API lil_fill_def lil_fill_def_default(void); /* about 2000 vertices */
/* The surface may have holes, faces that intersect, and several shells. Warnings report parts that are lost. */
LIL_API lil_status lil_mesh_create_filled(lil_context *ctx, const lil_fill_def *def, lil_mesh **mesh);
LIL_API void lil_mesh_destroy(lil_mesh **mesh);

/* Edges of tets are at most edge + growth max(0, d - radius) long, d the distance from the centre. */
typedef struct lil_fineness {
    double centre[3], radius; /* m */
    double edge;              /* m, positive */
    double growth;            /* per distance; 0: the same everywhere */
} lil_fineness;

/* The contents of a mesh or a body, lent as long as it lives. Indices count from 0. */
typedef struct lil_mesh_info {
    int vertex_count, tet_count, face_count, link_count;
    const double *x;      /* at rest, 3 per vertex, m */
    const int (*tets)[4]; /* right-handed */
    const int (*mids)[6]; /* of quadratic tets the vertices on their edges 01 12 02 03 13 23; NULL: they are linear */
    const int (*faces)[3]; /* boundary, counter-clockwise seen from outside; quadratic faces are cut in four */
    const int (*links)[2]; /* links of particles */
    int surface_vertex_count, surface_triangle_count;
    const double *surface_x; /* the embedded surface; NULL: there is none */
    const int (*surface_triangles)[3];
} lil_mesh_info;

LIL_API lil_status lil_mesh_look(const lil_mesh *mesh, lil_mesh_info *info);

/* A named part: a physical group of gmsh, a region of tetgen, a reference of medit; "left", "top" of a bar or a
 * box; "first" of a chain. */
typedef struct lil_group_info {
    const char *name;
    int count;
    const int *vertices;
} lil_group_info;

/* False: no more. */
LIL_API bool lil_mesh_group(const lil_mesh *mesh, int index, lil_group_info *group);

/* ---- files ------------------------------------------------------------------------------------------------------
 * Tets from gmsh (.msh), tetgen (.node, .ele), medit (.mesh) or legacy VTK files (.vtk).
 */

/* A description for a reader, with one sentence per kind of fault: the first place and how many. Free it with
 * lil_free. `faults`: number of kinds of fault, 0 for a mesh that can be simulated. */
LIL_API lil_status lil_mesh_report(lil_context *ctx, const char *path, char **text, int *faults);
/* Does the name end like that of a mesh? */
LIL_API bool lil_mesh_is_named(const char *path);
/* Does it end like that of a surface: .obj, .stl, .ply? */
LIL_API bool lil_surface_is_named(const char *path);
/* A description of a surface and its faults, in words; free it with lil_free. `encloses`: it can be filled as it
 * is. */
LIL_API lil_status lil_surface_report(lil_context *ctx, const char *path, char **text, bool *encloses);

/* A surface in numbers. */
typedef struct lil_surface_measures {
    int vertices, triangles;
    double low[3], high[3]; /* the box around its faces */
    double volume;          /* that it encloses; 0: none */
    double thinnest;        /* 5 % of its area bound parts that are thinner; NaN: it encloses nothing */
} lil_surface_measures;

LIL_API lil_status lil_surface_measure(lil_context *ctx, const char *path, lil_surface_measures *measures);

/* Tets that fill a surface. Either `vertices` or `edge` sets their size. */
typedef struct lil_mesh_def {
    const char *surface; /* its file */
    const char *path;    /* the mesh file: .msh, .mesh or .vtk */
    int vertices;        /* approximate number */
    double edge;         /* edge of the lattice from which tets are made, m */
    double thickness;    /* 0: fills the inside; otherwise everything within half of this from the surface, m */
    lil_elements elements;
    bool replace; /* an existing file may be replaced */
    lil_progress_fn *progress;
    void *user; /* borrowed */
} lil_mesh_def;

LIL_API lil_mesh_def lil_mesh_def_default(void);
/* The surface may have holes, several shells, and faces that intersect, are doubled or have the wrong orientation.
 * Warnings report parts that are lost. `text` describes the mesh; free it with lil_free. LIL_ERR_INTERRUPTED:
 * `progress` returned false. */
LIL_API lil_status lil_surface_mesh(lil_context *ctx, const lil_mesh_def *def, char **text);

/* The built-in shapes, with their fields. False: no more. */
LIL_API bool lil_shape_entry(int index, const char **name, const char **doc, const lil_field **fields,
                             int *field_count);

#ifdef __cplusplus
}
#endif

#endif
