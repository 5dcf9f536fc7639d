/*
 * Directions of a bound step without factoring its matrix:
 *
 *     [ H  F' ] [ x ]   [ r ]
 *     [ G  0  ] [ y ] = [ s ],    H over lil_blocks, F and G of one pattern, often the same.
 *
 * x is found among those with G x = s (Gould, Hribar & Nocedal, SIAM J. Sci. Comput. 23 (2001), 1376-1395); y follows
 * from r - H x by least squares, and is the caller's business. The preconditioner is the same matrix with some P in
 * the place of H. There are two:
 *
 * Sweeps. P is that of lil_blocks_apply_swept, but leaves out the blocks that couple bound rows with others. In swept
 * coordinates P is the identity, and the preconditioner is the projector
 *
 *     Pi = 1 - F'(G F')^-1 G,    G Pi = 0,   Pi F' = 0,                                                           (P1)
 *
 * which acts on bound rows alone: a small sparse matrix is factored, and an iteration costs what it costs without
 * constraints, however many there are. Pi H is not symmetric where F is not G, so residuals are minimised
 * (orthomin.h).
 *
 * Multilevel cycles, B = P^-1. With the columns C = B F', a cycle for each constraint,
 *
 *     z = B r - C (G C)^-1 G B r,    G z = 0,                                                                     (P2)
 *
 * under conjugate gradients: as many iterations as without constraints. For few constraints. C may be of another
 * matrix than the present one: G z = 0 whatever C is.
 */
#ifndef LIL_SOLVERS_PROJECTED_H
#define LIL_SOLVERS_PROJECTED_H

#include "solvers/lu.h"
#include "solvers/pcg.h"
#include "solvers/saddle.h"

/* A block of A in a row or a column that is bound. */
typedef struct lil_taken {
    int slot, lane, column;
    float N[9];
} lil_taken;

/* B F' of the multilevel cycle B: a column for each constraint. */
typedef struct lil_columns {
    bool there;    /* there are few enough constraints */
    bool made;     /* of the present coarser levels */
    lil_float4 *C; /* one after the other */
    lil_pattern pattern;
    double *S, *y; /* G C, m x m; m */
    lil_lu lu;
} lil_columns;

typedef struct lil_projected {
    lil_blocks *A;
    const lil_rows_matrix *G; /* over the caller's coordinates */
    int bound, *row;          /* rows of A on which constraints act */
    /* F and G over these rows, scaled as A is: three entries for each pair of a constraint and a row */
    lil_rows_matrix scaled;
    int *where; /* entry of G -> entry of `scaled` that is the first of its pair; -1: none */
    double *F, *values;
    double *ones, *r, *x, *y, *zero;
    lil_saddle normal;
    /* blocks removed from A, so that sweeps skip constrained rows */
    int touched, *touched_row, *begin; /* rows with such blocks, and where theirs begin */
    lil_taken *taken;
    lil_float4 *saved;              /* of touched rows */
    uint64_t version;               /* of A's values that they are of; 0: they are in A */
    const double *now, *next, *gap; /* F, G and s of the next solve */
    lil_columns columns;
    lil_float4 *d, *q, *p, *s, *e, *work;
} lil_projected;

/* A and G are borrowed; solves take blocks out of A, which are back when it is set anew. `levels`: for multilevel
 * cycles too. */
lil_status lil_projected_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, lil_blocks *A,
                                const lil_rows_matrix *G, bool levels, lil_projected *p);

/* F, G and s of the solves to come. All are borrowed. */
void lil_projected_set(lil_projected *p, const double *F, const double *G, const double *s);

/* Whether multilevel cycles can be bound; that their coarser levels are others than before. */
static inline bool lil_projected_has_levels(const lil_projected *p)
{
    return p->columns.there;
}

static inline void lil_projected_refresh(lil_projected *p)
{
    p->columns.made = false;
}

/* x from r, as lil_pcg_solve does. Allocates nothing. */
void lil_projected_solve(lil_projected *p, const double *r, double *x, lil_pcg_ask *ask);

#endif
