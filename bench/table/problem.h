/*
 * What PETSc is given: the Lilyan of a step of the midpoint rule, of the same model and from the same start as ours, with our
 * kernels behind it.
 *
 *     E(v) = 1/2 v'Mv - p'v + W(q + h/2 v) - W(q),   dE = Mv - p + h/2 dW,   d2E = M + h^2/4 d2W
 */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include "model/model.h"

/* A scene with so many cells (NULL: its own) and no output; `integrator` and `solver` may be NULL: as the scene says. */
lil_run *bench_run(lil_context *ctx, const char *path, const int *cells, const char *integrator, const char *solver);

/* Where the second derivatives are kept: the blocks of all rows, by rows of numbers (PETSc's AIJ); by blocks, each by columns
 * (BAIJ); the same of the upper triangle alone (SBAIJ). */
typedef enum layout { LAYOUT_ROWS, LAYOUT_BLOCKS, LAYOUT_UPPER } layout;

/* The pattern over vertices, rows by rows with ascending columns; upper: from the diagonal on. */
typedef struct block_pattern {
    int *start, *col, *upper_start, *upper_col;
} block_pattern;

typedef struct problem {
    lil_context *ctx;
    lil_run *run; /* owns the model */
    const lil_model *model;
    lil_arena arena;
    void **work; /* of the terms */
    int n, vertices;
    double h, tolerance;
    double *q_start, *p_start;
    double *q, *p; /* now */
    double W;      /* at q */
    double *node, *g;
    double reference; /* |dE| at the first step's guess */
    block_pattern pattern;
    /* h^2/4 d2W over pairs of vertices; blocks on the diagonal follow from them */
    float *pairs;
    int pair_count;
    int **where; /* of each term's pairs among `pairs` */
    int *source; /* of each block of the pattern: its pair; -1: on the diagonal */
} problem;

/* On one thread, for a body whose vertices are all free. NULL: the context has the sentence. */
problem *problem_create(lil_context *ctx, const char *path, const int *cells, double tolerance);
void problem_destroy(problem **pb);

/* Back to the start. */
void problem_reset(problem *pb);
/* To any other state. */
void problem_place(problem *pb, const double *q, const double *p);

/* M^-1 p, shortened where the node would lie where W does not exist; *target: the |dE| that ends a solve. */
void problem_guess(problem *pb, double *v, double *target);
/* E (may be NULL) and dE; not finite where W does not exist. */
void problem_value(problem *pb, const double *v, double *E, double *g);
/* Is |dE| at v down to the target? */
bool problem_solved(problem *pb, const double *v, double target);
void problem_hessian(problem *pb, const double *v, layout form, double *values);
/* q and p after the step. */
void problem_accept(problem *pb, const double *v);

#endif
