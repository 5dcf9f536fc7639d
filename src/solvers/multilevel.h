/*
 * A multilevel preconditioner for lil_blocks over any mesh: a symmetric V-cycle on grids behind the mesh.
 *
 *     coarse spaces    linear interpolation P from background grids, one for each connected part (coarsen.h): auxiliary
 *                      spaces in the sense of Xu, Computing 56 (1996), 215-235
 *     coarse matrices  Galerkin's P'H P, which are again lil_blocks: because weights add up to one, rows of P'K P add up
 *                      to nothing as well, so that masses and the blocks of pairs are all there is to add up
 *     smoothing        a sweep of Gauss & Seidel's on the way down, and one the other way round on the way up
 *     coarsest         inverses of each part, dense
 *
 * It is symmetric, and positive definite where the matrices are, also when the coarse ones are of other values than
 * the fine one's present ones.
 */
#ifndef LIL_SOLVERS_MULTILEVEL_H
#define LIL_SOLVERS_MULTILEVEL_H

#include "solvers/coarsen.h"

enum {
    LIL_LEVELS_MAX = 16,
    LIL_GALERKIN_PARTS = 2, /* added up apart, and then in their order */
};

/* The positions of the blocks of a row of P'H P. */
typedef struct lil_galerkin_map {
    int node;         /* the row, or -1 */
    int count, *list; /* its columns */
    int *map;         /* of each column: 2 place + (1: the block there is transposed) */
} lil_galerkin_map;

/* One part of the sums P'H P over H's rows. */
typedef struct lil_galerkin {
    float *blocks;            /* and one more, for discarded blocks */
    lil_galerkin_map maps[4]; /* for the nodes of the row that is looked at */
} lil_galerkin;

typedef struct lil_level {
    const lil_blocks *A;
    lil_blocks *coarse; /* the same, but for the finest */
    lil_float4 *r, *z, *w;
    /* to the next one, unless this is the last: */
    lil_interpolation P;                    /* rows of A from rows of the next A */
    int *begin;                             /* the next A's rows: of a node, */
    int *fine;                              /*   the rows that it gives to */
    float *share;                           /*   and the weights */
    int *sorted;                            /* A's rows by their nodes */
    double *mass;                           /* of the next A's rows */
    lil_galerkin *part[LIL_GALERKIN_PARTS]; /* the first also has the total */
} lil_level;

typedef struct lil_multilevel {
    int levels; /* that exist */
    int used;   /* of them: to the first whose diagonal is not positive definite */
    lil_level level[LIL_LEVELS_MAX];
    int parts;       /* connected ones, on the coarsest level */
    int *part_begin; /* parts + 1 */
    int *part_row;
    size_t *part_inverse; /* where its inverse begins */
    float *inverse;
    double *dense;
} lil_multilevel;

/* For A and the positions of its rows, at rest (what lil_blocks_create got). A is borrowed. */
lil_status lil_multilevel_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, const double *x,
                                 lil_multilevel *m);
/* Coarse matrices from A's present values: as much work as some 40 products with A. To be called once before a
 * solve, and again when iterations have grown: coarse matrices of a body that has turned by 0.15 rad since do as
 * well as fresh ones, at 0.6 rad they cost twice the iterations. Allocates nothing. */
void lil_multilevel_update(lil_multilevel *m);
/* z ~ A^-1 r in A's own form; the result stays until the next call. */
const lil_float4 *lil_multilevel_cycle(lil_multilevel *m, const lil_float4 *r);

#endif
