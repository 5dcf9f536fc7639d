/* Newton directions by preconditioned conjugate gradients, each to no more digits than it is worth. */
#ifndef LIL_SOLVERS_KRYLOV_H
#define LIL_SOLVERS_KRYLOV_H

#include "solvers/multilevel.h"
#include "solvers/objective.h"
#include "solvers/orthomin.h"
#include "solvers/pcg.h"
#include "solvers/projected.h"

/* The purpose of coarser levels. */
typedef enum lil_levels {
    LIL_LEVELS_AUTO, /* where forces reach far within a step */
    LIL_LEVELS_ONE,  /* sweeps alone */
    LIL_LEVELS_MANY,
} lil_levels;

/* After so many iterations the alternative solver is considered, if there is one. */
enum { LIL_KRYLOV_PATIENCE = 300 };

typedef struct lil_krylov {
    lil_blocks *A;
    lil_pcg cg;
    lil_orthomin orthomin; /* instead, of a matrix that is not symmetric */
    lil_projected *bound;  /* instead, where constraints bind it; NULL: nothing does */
    lil_multilevel multilevel;
    lil_levels levels;
    bool projects;
    bool coarse;           /* the coarser levels are in use */
    lil_fresh made;        /* what the matrix is */
    lil_fresh coarse_made; /* and what the one was that the coarser levels are of */
    int age;               /* directions found with it */
    double before;         /* |g| before the latest one */
    double eta;            /* what that was solved to */
    bool refused;          /* and that led nowhere */
    int lost; /* directions of this solve for which float did not hold a matrix that is definite by construction */
    double *r, *d, size; /* for refinement, and |b| there */
} lil_krylov;

/* Over the blocks of the objective; x: where its rows are in space. `projects`: where H is not definite a matrix
 * near it that is takes its place; else the direction is what conjugate gradients had before they found out. */
lil_status lil_krylov_create(lil_context *ctx, lil_arena *arena, lil_blocks *A, const double *x, lil_levels levels,
                             bool projects, lil_krylov *krylov);

/* The same of a general matrix: no coarser levels, and nothing to project. */
lil_status lil_krylov_create_general(lil_context *ctx, lil_arena *arena, lil_blocks *A, lil_krylov *krylov);

/* The same of a bound step. What binds it is borrowed. */
lil_status lil_krylov_create_bound(lil_context *ctx, lil_arena *arena, lil_blocks *A, const double *x,
                                   lil_levels levels, bool projects, lil_projected *bound, lil_krylov *krylov);

/* d with H d = -g, nearly; where it is bound, with H d + F'y = -g and G d = -s for some y. False: there is no
 * direction. */
bool lil_krylov_direction(lil_krylov *krylov, const lil_objective *objective, lil_solve *solve, const double *x,
                          const double *g, double *d);

/* d with (H + s M) d = -g, nearly. False: there is no direction. */
bool lil_krylov_shifted(lil_krylov *krylov, const lil_objective *objective, lil_solve *solve, double s,
                        const double *x, const double *g, double *d);

/* A step along the direction has failed. True: there is a better matrix, so that it is worth another try. */
bool lil_krylov_retry(lil_krylov *krylov);

/* The matrix has been set anew by someone else than an objective. */
void lil_krylov_refresh(lil_krylov *krylov);

/* x with b - A x below `tolerance` of b, in double precision: `residual` makes r = b - A x. False: it stalls before, or
 * `*iterations`, which adds up, has come to `most`; then it can be gone `on` with. */
typedef void lil_residual_fn(void *self, const double *x, double *r);
bool lil_krylov_solve(lil_krylov *krylov, lil_residual_fn *residual, void *self, double tolerance, int most, bool on,
                      double *x, int *iterations);

#endif
