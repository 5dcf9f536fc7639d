/* What a solver sees: a function of n numbers, or a system of n equations. Never a model. */
#ifndef LIL_SOLVERS_OBJECTIVE_H
#define LIL_SOLVERS_OBJECTIVE_H

#include "math/sparse.h"

/* Estimates of the round-off in E and in |g|: below them no comparison means anything. */
typedef struct lil_noise {
    double E, g;
} lil_noise;

typedef struct lil_objective {
    int n;
    const lil_pattern *pattern; /* of the Hessian or Jacobian */
    void *self;
    /* E (NULL: not wanted, or there is none), its gradient g (or the residual of the equations), and their noise. Where
     * x is outside the domain, g or E is not finite. */
    void (*value)(void *self, const double *x, double *E, double *g, lil_noise *noise);
    void (*hessian)(void *self, const double *x, double *H);
} lil_objective;

typedef struct lil_solve {
    double tolerance; /* relative to the gradient at the start, but not to less than `reference` */
    double reference;
    int iterations_max;
    /* what came out */
    int iterations, linear_solves;
    double gradient_start, gradient;
    bool converged;
} lil_solve;

#endif
