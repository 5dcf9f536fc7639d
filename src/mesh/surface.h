/*
 * Surfaces as artists have them: polygons that may be open, intersect themselves or come in several shells. Readers,
 * faults, and filling with tets.
 */
#ifndef LIL_MESH_SURFACE_H
#define LIL_MESH_SURFACE_H

#include "mesh/mesh.h"

/* Faces with a name: `g` and `o` of an .obj. */
typedef struct lil_face_group {
    const char *name;
    int *faces; /* numbers of polygons, ascending */
    int count;
} lil_face_group;

typedef struct lil_surface {
    const char *name; /* of the file, for messages */
    int vertex_count;
    double *x; /* 3 per vertex, m; in the file's order, also those that no face has */
    int face_count;
    int *first;   /* face_count + 1 places in `corners` */
    int *corners; /* of the polygons, 3 or more each, in the file's order */
    int triangle_count;
    int (*triangles)[3]; /* the polygons cut up, in their order: n - 2 each */
    lil_face_group *groups;
    int group_count;
} lil_surface;

/* By the name's ending: .obj, .stl (equal corners are joined) or .ply. What cannot be read (a line, an index, a NaN, no
 * face at all) is an error that says where; everything else is taken. Everything lives in the arena. */
lil_status lil_surface_read(lil_context *ctx, lil_arena *arena, const char *path, lil_surface *surface);
/* The same from memory; `format` is an ending without its dot. */
lil_status lil_surface_parse(lil_context *ctx, lil_arena *arena, const char *format, const char *name,
                             const char *text, size_t size, lil_surface *surface);

/* How a surface is filled with tets. One of `vertices` and `edge` is given, the other is 0. */
typedef struct lil_filling {
    int vertices;              /* about so many, within 5 % */
    double edge;               /* the length of the lattice's longer edges, m */
    double thickness;          /* 0: fills the inside; otherwise everything within half of this from the surface, m */
    lil_progress_fn *progress; /* optional */
    void *user;
} lil_filling;

/* Fills the inside, by the generalised winding number, as one connected body that passes lil_mesh_check. Warnings
 * report lost parts (thinner than the lattice, or not connected to the largest). */
lil_status lil_surface_tetrahedralise(lil_context *ctx, lil_arena *arena, const lil_surface *surface,
                                      const lil_filling *filling, lil_mesh *mesh);
/* The groups of the surface become groups of the mesh: a vertex is in those of the face that is nearest to it. */
lil_status lil_surface_groups(lil_context *ctx, lil_arena *arena, const lil_surface *surface, lil_mesh *mesh);

#endif
