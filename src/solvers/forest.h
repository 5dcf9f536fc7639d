/*
 * A = L D U of a matrix with a symmetric pattern that falls into many independent parts, such as a head of hair:
 * parts with the same pattern share their symbolic work and are factored four at a time, in lanes; different fours on
 * different threads. A matrix in one piece is one part. No pivoting, so for matrices that are definite or
 * quasi-definite (Davis, LDL, 2005; Vanderbei 1995), or nearly so. Of a symmetric one U is L'.
 */
#ifndef LIL_SOLVERS_FOREST_H
#define LIL_SOLVERS_FOREST_H

#include "core/threads.h"
#include "math/lanes.h"
#include "math/sparse.h"

/* Shared by parts of one pattern: the order of elimination, and L by columns and by rows. */
typedef struct lil_elimination {
    int n;
    int *P;                 /* row k of the factored matrix is row P[k] of the part */
    int *start, *row;       /* upper triangle of column k, diagonal included, as rows of the factored matrix */
    int *entry, *mirror;    /* and as entries of the part, and of its transpose */
    int *Lp, *Li;           /* columns of L, below the diagonal */
    int *row_start, *place; /* row k of L: the entries of it, in an order in which they can be eliminated */
    int *column;            /* and their columns */
} lil_elimination;

/* Up to four parts of one tree. */
typedef struct lil_grove {
    const lil_elimination *tree;
    int count;
    const int *index[LIL_LANES];  /* of the parts' rows in the whole */
    int at;                       /* of the parts' entries in the values, those of four parts in turn */
    lil_lanes *L, *D, *U, *y, *z; /* L and U in the order of L's columns */
} lil_grove;

typedef struct lil_forest {
    const lil_pattern *pattern;
    lil_threads *threads;
    lil_grove *groves;
    int count, positive;
    int *place, size; /* of the entries of the pattern in the values; of these there are more where lanes are empty */
    bool symmetric, *fine; /* fine: of the groves */
    const double *values;
} lil_forest;

/* The pattern is borrowed; its columns are sorted, and it has a whole diagonal. Rows from `positive` on have
 * negative pivots, and nothing to speak of on their diagonal: they are eliminated after all that they are coupled
 * with. */
lil_status lil_forest_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, const lil_pattern *pattern,
                             int positive, lil_forest *forest);

/* The value of entry k of the pattern is values[place[k]]. Have the pivots the signs that they should have? Of a
 * symmetric matrix one triangle is looked at. Allocates nothing. */
bool lil_forest_factor(lil_forest *forest, const double *values, bool symmetric);
/* x = A^-1 b */
void lil_forest_solve(const lil_forest *forest, const double *b, double *x);

/* The same of groves `from` to `end`, on the calling thread, different ones at the same time; the first call begins
 * a factorisation, of all. */
void lil_forest_begin(lil_forest *forest, const double *values, bool symmetric);
bool lil_forest_factor_groves(lil_forest *forest, int from, int end);
void lil_forest_solve_groves(const lil_forest *forest, const double *b, double *x, int from, int end);

/* The pivots of all rows; and x with A x = that of row i times some vector of size 1: a null vector where it
 * vanishes. */
void lil_forest_pivots(const lil_forest *forest, double *pivots);
void lil_forest_null(const lil_forest *forest, int i, double *x);

#endif
