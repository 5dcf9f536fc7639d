/* The problem as a solver sees it: a function of n numbers, or a system of n equations. Never a model. */
#ifndef LIL_SOLVERS_OBJECTIVE_H
#define LIL_SOLVERS_OBJECTIVE_H

#include "core/phases.h"
#include "core/stop.h"
#include "math/couplings.h"
#include "math/sparse.h"

#include <string.h>

/* Estimates of the round-off in E and in |g|: below them no comparison means anything. */
typedef struct lil_noise {
    double E, g;
} lil_noise;

/* The matrix of an iterative solve. */
typedef enum lil_fresh {
    LIL_REUSED,   /* that of an earlier, similar problem */
    LIL_EXACT,    /* the Hessian */
    LIL_DEFINITE, /* a positive definite matrix near it */
} lil_fresh;

typedef struct lil_objective {
    int n;
    const lil_pattern *pattern; /* of the Hessian or Jacobian, for direct solves */
    void *self;
    lil_phases *phases; /* the clock that runs while it is solved; NULL: none */
    lil_stop *stop;     /* ends the solve, unconverged; NULL: nothing does */
    /* E (NULL: not wanted, or there is none), its gradient g (or the residual of the equations), and their noise. Where
     * x is outside the domain, g or E is not finite. */
    void (*value)(void *self, const double *x, double *E, double *g, lil_noise *noise);
    void (*hessian)(void *self, const double *x, double *H);
    /* Optional: a positive definite matrix near the Hessian, for where that is not definite. */
    void (*definite)(void *self, const double *x, double *H);
    /* Optional, for direct solves: what the latest of these has bounds of (couplings.h), because its pattern has
     * no place for it. */
    const lil_couplings *couplings;
    /* For iterative solves, instead of these: updates their matrix at x. False: there is none, or it is not
     * positive definite. */
    bool (*assemble)(void *self, const double *x, lil_fresh fresh);
    /* Optional, beside `assemble`: sets the matrix to (H + s M)/(1 + s), where M is one that the objective
     * measures x by; and M d. */
    bool (*shifted)(void *self, const double *x, double s);
    void (*weigh)(void *self, const double *d, double *Md);
    /* Optional: adds a second-order correction to a direction d, along which the function is nearer to its linear
     * model. */
    void (*bend)(void *self, const double *x, double *d);
    /* Optional, beside `assemble`: d = H^-1 g by a factorisation in double precision. False: H is not definite,
     * nor is what there is near it. direct_cost: in iterations of an iterative solve; it may be infinite. */
    bool (*direct)(void *self, const double *x, const double *g, double *d);
    double (*direct_cost)(void *self);
    /* Optional: the largest s <= 1 such that the function exists on all of [x, x + s d). */
    double (*longest)(void *self, const double *x, const double *d);
} lil_objective;

/* Its functions, each timed as its phase. */
static inline void lil_objective_value(const lil_objective *f, const double *x, double *E, double *g,
                                       lil_noise *noise)
{
    lil_phase_begin(f->phases, LIL_PHASE_EVALUATE);
    f->value(f->self, x, E, g, noise);
    lil_phase_end(f->phases);
}

static inline void lil_objective_hessian(const lil_objective *f, bool definite, const double *x, double *H)
{
    lil_phase_begin(f->phases, LIL_PHASE_ASSEMBLE);
    (definite ? f->definite : f->hessian)(f->self, x, H);
    lil_phase_end(f->phases);
}

static inline bool lil_objective_assemble(const lil_objective *f, const double *x, lil_fresh fresh)
{
    lil_phase_begin(f->phases, LIL_PHASE_ASSEMBLE);
    bool there = f->assemble(f->self, x, fresh);
    lil_phase_end(f->phases);
    return there;
}

static inline bool lil_objective_shifted(const lil_objective *f, const double *x, double s)
{
    lil_phase_begin(f->phases, LIL_PHASE_ASSEMBLE);
    bool there = f->shifted(f->self, x, s);
    lil_phase_end(f->phases);
    return there;
}

/* How far a line search may go: not all the way to where the function ends. */
static inline double lil_objective_reach(const lil_objective *f, const double *x, const double *d)
{
    if (!f->longest)
        return 1;
    lil_phase_begin(f->phases, LIL_PHASE_LINE_SEARCH);
    double s = f->longest(f->self, x, d);
    lil_phase_end(f->phases);
    return s < 1 ? 0.9 * s : 1;
}

/* A guess that leads to where the function does not exist is shortened; 0 is inside. Not so where handles move
 * into what stays behind: then only the guess, which moves with them, can be any good. Returns how much of it was
 * inside; `zero` is room for n numbers. */
static inline double lil_objective_shorten(const lil_objective *f, double *zero, double *guess)
{
    if (!f->longest)
        return 1;
    memset(zero, 0, (size_t)f->n * sizeof *zero);
    double s = f->longest(f->self, zero, guess);
    for (int k = 0; s > 0 && s < 1 && k < f->n; k++)
        guess[k] *= 0.9 * s;
    return s;
}

typedef struct lil_solve {
    double tolerance; /* relative to the gradient at the start, but not to less than `reference` */
    double reference;
    int iterations_max;
    /* what came out */
    int iterations, linear_iterations;
    double gradient_start, gradient;
    bool converged;
} lil_solve;

#endif
