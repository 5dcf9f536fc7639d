/*
 * The equations of a step that is bound by constraints,
 *
 *     [ H  F' ] [ x ]   [ r ]
 *     [ G  0  ] [ y ] = [ s ],
 *
 * F and G of one pattern, often the same, by L D U (solvers/forest.h): of the whole, or, where H is a diagonal mass,
 * of G M^-1 F' alone. The 0 is replaced by -e, tiny beside G H^-1 F': it makes the whole quasi-definite, so that any
 * order of elimination will do, and it lets rows of G depend on each other: solved again for the residual, from y =
 * 0, y goes to the multipliers of least squares.
 */
#ifndef LIL_SOLVERS_SADDLE_H
#define LIL_SOLVERS_SADDLE_H

#include "solvers/forest.h"

/* G by entries: entry k in row[k], column col[k]; a column below 0 is none. */
typedef struct lil_rows_matrix {
    int n, m, count;
    const int *row, *col;
} lil_rows_matrix;

/* Equations that share nothing with others, as those of some strands of hair: their coordinates, rows and entries of
 * G, each in a row. What is done for one slice is done by one thread, while its data are in the nearest cache. */
typedef struct lil_slice {
    int col, col_end, row, row_end, entry, entry_end;
} lil_slice;

typedef struct lil_slices {
    lil_slice *list;
    int count;
} lil_slices;

typedef struct lil_saddle {
    lil_context *ctx;
    const lil_rows_matrix *G;
    const double *mass;          /* diagonal; NULL: the whole is factored */
    const lil_pattern *H;        /* of the whole */
    lil_pattern pattern;         /* of the factored matrix */
    int (*product)[2], products; /* pairs of entries of G that meet in a column */
    int *where, entries;         /* in the values: of the products, or of entries of H; all of them are so many */
    int *where_G, *where_e;      /* then of those of G, twice each; of the -e */
    int *where_diagonal;         /* of H */
    const double *F, *values_G;  /* as factored */
    double *over;                /* 1 over the size of the diagonal of H */
    double *values, *b, *x;
    lil_forest forest;
    const lil_slices *slices;
    int *groves, *by_slice; /* where those of a slice begin, groves and products; one more is all of them */
    bool *factored;         /* slices */
    const double *given;    /* values of H */
} lil_saddle;

/* Over a diagonal mass, or over H of this pattern: one of the two is NULL. All are borrowed. */
lil_status lil_saddle_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, const lil_rows_matrix *G,
                             const double *mass, const lil_pattern *H, lil_saddle *saddle);

/* `values_H` is NULL over a mass, and `values` where entry k of H has been put at where[k] of these, and nothing
 * else. F and G are borrowed until the next call. False: H is not positive definite, or F is too far from G. */
bool lil_saddle_factor(lil_saddle *saddle, const double *values_H, const double *F, const double *G);

/* x (NULL: not wanted) and y from r (NULL: 0) and s. */
void lil_saddle_solve(lil_saddle *saddle, const double *r, const double *s, double *x, double *y);

/* Cuts the equations of saddles with one G into slices, which they then work by; different slices may go on at
 * different times and on different threads. Cuts are at multiples of `unit` coordinates. */
lil_status lil_saddle_slice(lil_context *ctx, lil_arena *arena, lil_saddle *const *saddles, int count, int unit,
                            lil_slices *slices);

/* Slice by slice; the first call begins a factorisation, and comes before `values` are written. */
void lil_saddle_begin(lil_saddle *saddle, const double *values_H, const double *F, const double *G);
void lil_saddle_zero_slice(lil_saddle *saddle, int i); /* in `values` */
bool lil_saddle_factor_slice(lil_saddle *saddle, int i);
void lil_saddle_solve_slice(lil_saddle *saddle, const double *r, const double *s, double *x, double *y, int i);

/* out += G'y, and out = G x; and of one slice */
void lil_rows_add_transposed_slice(const lil_rows_matrix *G, const lil_slice *slice, const double *values,
                                   const double *y, double *out);
void lil_rows_add_transposed(const lil_rows_matrix *G, const double *values, const double *y, double *out);
void lil_rows_multiply(const lil_rows_matrix *G, const double *values, const double *x, double *out);

#endif
