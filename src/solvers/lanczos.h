/*
 * The largest eigenvalues of A^-1 M, A and M symmetric, A positive definite, M positive definite on the space that
 * A^-1 M leads to: Lanczos' method by blocks (Golub & Underwood 1977), M-orthogonal to all vectors so far, twice.
 * With A = K + alpha M an eigenvalue theta is 1/(lambda + alpha) of K x = lambda M x, so the smallest lambda come
 * first (Ericsson & Ruhe, Math. Comp. 35 (1980), 1251-1268). A block finds eigenvalues up to its width times over.
 *
 * The same bits on any machine: start vectors are the same every time, and sums are in a fixed order.
 */
#ifndef LIL_SOLVERS_LANCZOS_H
#define LIL_SOLVERS_LANCZOS_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_lanczos_def {
    int n, wanted, block;
    int most;                   /* vectors at most, `wanted` or more */
    double tolerance;           /* of |A^-1 M x - theta x| in the norm of M, relative to theta */
    const double *const *apart; /* M-orthonormal eigenvectors that are known and left out */
    int apart_count;
    void *self;
    /* y = A^-1 M x, of `count` vectors; and Mx */
    bool (*operate)(void *self, int count, const double *const *x, double *const *y);
    void (*weigh)(void *self, const double *x, double *Mx);
    lil_stop *stop; /* NULL: nothing ends it */
} lil_lanczos_def;

typedef struct lil_lanczos {
    int count;      /* of eigenvalues: `wanted`, or all that there are */
    bool converged; /* all of them */
    int vectors;    /* that it took */
    double *theta;  /* descending */
    double **x;     /* x'Mx = 1 */
} lil_lanczos;

/* The result is in the arena. LIL_ERR_INTERRUPTED: it was stopped. */
lil_status lil_lanczos_solve(lil_context *ctx, lil_arena *arena, const lil_lanczos_def *def, lil_lanczos *result);

#endif
