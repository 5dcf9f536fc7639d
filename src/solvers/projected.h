/*
 * Directions of a bound step without factoring its matrix:
 *
 *     [ H  F' ] [ x ]   [ r ]
 *     [ G  0  ] [ y ] = [ s ],    H over lil_blocks, F and G of one pattern, often the same,
 *
 * by projection (Gould, Hribar & Nocedal, SIAM J. Sci. Comput. 23 (2001), 1376-1395). The preconditioner is the same matrix
 * with P in the place of H: P sweeps over all rows that no constraint acts on, as lil_blocks_apply_swept does, and has nothing but its
 * diagonal blocks where one does. In swept coordinates P is the identity, and its projector
 *
 *     Pi = 1 - F'(G F')^-1 G,    G Pi = 0,   Pi F' = 0                                                            (P1)
 *
 * touches bound rows alone: a small sparse matrix is factored, and an iteration costs what it costs without constraints. Pi H is
 * not symmetric where F is not G, so that residuals are minimised (orthomin.h). What is solved for is x; y follows from
 * r - H x by least squares.
 */
#ifndef LIL_SOLVERS_PROJECTED_H
#define LIL_SOLVERS_PROJECTED_H

#include "solvers/pcg.h"
#include "solvers/saddle.h"

/* A block of A in a row or a column that is bound. */
typedef struct lil_taken {
    int slot, lane, column;
    float N[9];
} lil_taken;

typedef struct lil_projected {
    lil_blocks *A;
    const lil_rows_matrix *G; /* over the caller's coordinates */
    int bound, *row;          /* rows of A on which constraints act */
    /* F and G over these rows, scaled as A is: three entries for each pair of a constraint and a row */
    lil_rows_matrix scaled;
    int *where;               /* entry of G -> entry of `scaled` that is the first of its pair; -1: none */
    double *F, *values;
    double *ones, *r, *x, *y, *zero;
    lil_saddle normal;
    /* what is taken out of A, so that sweeps pass by bound rows */
    int touched, *touched_row, *begin; /* rows with such blocks, and where theirs begin */
    lil_taken *taken;
    lil_float4 *saved, *kept;          /* of touched rows, of bound ones */
    unsigned version;                  /* of A's values that they are of */
    const double *now, *next, *gap;    /* F, G and s of the next solve */
    lil_float4 *d, *q, *p, *s, *e, *work;
} lil_projected;

/* A and G are borrowed; A is changed by each solve after it has been set anew. */
lil_status lil_projected_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, lil_blocks *A,
                                const lil_rows_matrix *G, lil_projected *p);

/* F, G and s of the solves to come. All are borrowed. */
void lil_projected_set(lil_projected *p, const double *F, const double *G, const double *s);

/* x from r, as lil_pcg_solve does. Allocates nothing. */
void lil_projected_solve(lil_projected *p, const double *r, double *x, lil_pcg_ask *ask);

#endif
