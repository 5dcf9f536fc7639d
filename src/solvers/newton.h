/* Newton's method in its two forms, over one workspace. */
#ifndef LIL_SOLVERS_NEWTON_H
#define LIL_SOLVERS_NEWTON_H

#include "solvers/ldl.h"
#include "solvers/lu.h"
#include "solvers/objective.h"

typedef struct lil_newton {
    int n;
    bool symmetric; /* minimise: LDL'; root: LU */
    double *g, *g_trial, *d, *x_trial, *H, *H_shifted, *work;
    lil_ldl ldl;
    lil_lu lu;
} lil_newton;

lil_status lil_newton_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, bool symmetric,
                             lil_newton *newton);
void lil_newton_destroy(lil_newton *newton);

/* x comes in as the guess and goes out as the result; solve->converged tells. Neither allocates (root beyond
 * LIL_LU_DENSE_MAX unknowns excepted). */
void lil_minimise(lil_newton *newton, const lil_objective *objective, lil_solve *solve, double *x);
void lil_root(lil_newton *newton, const lil_objective *objective, lil_solve *solve, double *x);

#endif
