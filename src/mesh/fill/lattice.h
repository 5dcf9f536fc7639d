/*
 * The lattice whose points are the corners and the centres of cubes (body-centred cubic), and a solid in it: which
 * points are in, and where edges between in and out are cut. Labelle and Shewchuk 2007, "Isosurface stuffing".
 *
 * Points of both kinds have the number 2 cell + kind: the lower corner of the cell, or its centre. An edge joins
 * points of one kind (long, h) or of both (short, sqrt(3)/2 h); each point has 6 and 8 of them.
 */
#ifndef LIL_MESH_FILL_LATTICE_H
#define LIL_MESH_FILL_LATTICE_H

#include "mesh/fill/solid.h"

enum { LIL_LATTICE_EDGES = 14, LIL_LATTICE_MAX = 1 << 26 /* points */ };

/* The side of an edge of the lattice: from a point that is in to one that is out. */
typedef struct lil_cut {
    int to;
    float part; /* of the edge that is in */
} lil_cut;

typedef struct lil_lattice {
    double h;
    double origin[3];
    int n[3];      /* cells; the outer two layers are out */
    int points;    /* 2 n0 n1 n2 */
    int8_t *sign;  /* 1 in, -1 out, 0 on the surface: moved there */
    int *first;    /* points + 1 places in `cuts`: of the edges that leave a point that was in */
    lil_cut *cuts; /* as they were before points were moved */
    int *moved;    /* of a point on the surface, where in `at`; otherwise -1 */
    double (*at)[3];
    int moved_count;
    int step[2][LIL_LATTICE_EDGES]; /* from a point of a kind to its neighbours; the first 6 are long */
} lil_lattice;

/* A cut nearer to a point than this part of its edge moves the point onto the surface: then no angle between faces
 * is below 9 degrees. Parts of the uniform lattice of Labelle and Shewchuk. */
static const double LIL_CUT_LONG = 0.24999, LIL_CUT_SHORT = 0.41189;

/* Cells of the lattice of that edge around the solid, as a number that may be too large for one. */
double lil_lattice_cells(const lil_solid *solid, double h);
/* LIL_LATTICE_MAX points at most: see `lil_lattice_cells`. progress() is between 0 and 1; false:
 * LIL_ERR_INTERRUPTED. To be freed also after a failure. */
lil_status lil_lattice_make(lil_context *ctx, const lil_solid *solid, double h, lil_progress_fn *progress, void *user,
                            lil_lattice *lattice);
void lil_lattice_free(lil_lattice *lattice);

/* Current position of a point. */
void lil_lattice_place(const lil_lattice *lattice, int point, double x[3]);
/* The number of the cut between a point that is in and one that is out. */
int lil_lattice_cut(const lil_lattice *lattice, int in, int out);
void lil_lattice_cut_place(const lil_lattice *lattice, int in, int out, double x[3]);
/* Points that are in: how many. */
int64_t lil_lattice_in(const lil_lattice *lattice);

#endif
