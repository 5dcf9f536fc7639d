/* Newton's method in its two forms, over one workspace. */
#ifndef LIL_SOLVERS_NEWTON_H
#define LIL_SOLVERS_NEWTON_H

#include "solvers/krylov.h"
#include "solvers/ldl.h"
#include "solvers/lu.h"
#include "solvers/objective.h"

typedef struct lil_newton {
    int n;
    double *g, *g_trial, *d, *x_trial, *H, *H_shifted, *work;
    bool symmetric;
    lil_ldl ldl; /* where the matrix is symmetric */
    lil_lu lu;   /* where it is not */
    lil_krylov krylov;
    bool iterative;
    double *room;         /* for couplings beside a factor, or NULL */
    const double *values; /* of the matrix that was factored */
    bool direct;          /* conjugate gradients have been given up for this solve, */
    int tried;            /*   for so many directions */
} lil_newton;

/* symmetric: for minimise, by LDL'; otherwise for root, by LU */
lil_status lil_newton_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, bool symmetric,
                             lil_newton *newton);
/* The same where the objective has couplings. */
lil_status lil_newton_couple(lil_context *ctx, lil_arena *arena, lil_newton *newton);
/* By conjugate gradients, for minimise or for root: over the blocks that the objective sets; x as in krylov.h. */
lil_status lil_newton_create_iterative(lil_context *ctx, lil_arena *arena, lil_blocks *blocks, const double *x,
                                       lil_levels levels, bool minimises, lil_newton *newton);
/* The same for root, where the blocks are those of a general matrix. */
lil_status lil_newton_create_general(lil_context *ctx, lil_arena *arena, lil_blocks *blocks, lil_newton *newton);
void lil_newton_destroy(lil_newton *newton);

/* d with H d = -g. Where a symmetric H is not positive definite the objective is asked for a matrix that is;
 * failing that, a multiple of the identity is added. False: there is no direction. */
bool lil_newton_direction(lil_newton *newton, const lil_objective *objective, lil_solve *solve, const double *x);

/* d with (H + s M) d = -g, iteratively; M is the objective's. False: there is no direction. */
bool lil_newton_shifted(lil_newton *newton, const lil_objective *objective, lil_solve *solve, double s,
                        const double *x);

/* No step along it was any good. True: another direction may be. */
bool lil_newton_retry(lil_newton *newton);

/* |g| is below 1e-8 of what it was. Newton's method squares the error there: if |g| then hardly falls, twice in a
 * row, or not at all, round-off limits it, even if the objective's estimate of its noise is too low. */
bool lil_newton_near(const lil_solve *solve);

/* x is the guess on entry and the result on return; solve->converged reports success. Neither allocates (root
 * beyond LIL_LU_DENSE_MAX unknowns excepted). */
void lil_minimise(lil_newton *newton, const lil_objective *objective, lil_solve *solve, double *x);
void lil_root(lil_newton *newton, const lil_objective *objective, lil_solve *solve, double *x);
/* As root, for objectives with `shifted`, from this s on: for equations that bend sharply. Where gradient_start
 * comes in larger than 0, from an attempt before, the tolerance is no larger than that attempt's. */
void lil_transient(lil_newton *newton, const lil_objective *objective, lil_solve *solve, double s, double *x);

#endif
