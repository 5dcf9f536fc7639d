/*
 * The common last part of all readers: vertices under any numbers, cells that refer to those numbers, and groups of
 * cells become a mesh. References are looked up at the end, so that sections may come in any order.
 */
#ifndef LIL_MESH_READ_BUILD_H
#define LIL_MESH_READ_BUILD_H

#include "mesh/mesh.h"
#include "mesh/read/scan.h"

/* Scratch that grows as the file is read; freed by lil_build_end. */
typedef struct lil_build {
    lil_context *ctx;
    lil_arena *arena;
    double *x;    /* 3 per vertex */
    int64_t *tag; /* its name in the file */
    size_t vertex_count, x_room, tag_room;
    struct lil_cell *cells; /* tets, and others that belong to a group */
    size_t cell_count, cell_room;
    int64_t *nodes; /* of all cells, one after the other */
    size_t node_count, node_room;
    struct lil_cell_group *marks; /* cell and group pairs */
    size_t mark_count, mark_room;
    struct lil_group_name *labels; /* names of groups */
    size_t label_count, label_room;
    size_t tet_count, quadratic_count; /* of these with 10 nodes */
    bool unordered;                    /* which node is on which edge, mesh/mids.h has to find out */
    size_t left_out;                   /* cells with a volume that are no tets */
} lil_build;

lil_build lil_build_begin(lil_context *ctx, lil_arena *arena);
void lil_build_end(lil_build *b);

/* The next vertex: its 3 coordinates, of `bytes` bytes each where they are binary. */
lil_status lil_build_vertex(lil_build *b, lil_scan *s, int64_t tag, int bytes);

/* A tet (dim 3; 4 nodes, or 10 in the order of mesh/quadratic.h), or another cell that is in some group. The scan gives
 * its place. */
lil_status lil_build_tet(lil_build *b, const lil_scan *s, const int64_t *nodes, int count);
lil_status lil_build_cell(lil_build *b, const lil_scan *s, const int64_t *nodes, int count);
/* Is the latest cell this very tet, and in some group, but not in that one? */
bool lil_build_repeats(const lil_build *b, const int64_t *nodes, int count, int64_t number);
/* Puts the latest cell into the group of that dimension (0 points to 3 volumes) and number. */
lil_status lil_build_mark(lil_build *b, int dim, int64_t number);
/* Names a group that has or will have a number. */
lil_status lil_build_label(lil_build *b, int dim, int64_t number, const char *name);

/* Looks everything up. A group without a name is called by its number, "7"; where groups of several dimensions
 * have that number, "surface-7" and "volume-7". If all tets are left-handed, that is the file's convention and
 * each is turned. */
lil_status lil_build_finish(lil_build *b, const char *file, lil_mesh *mesh);

#endif
