/*
 * The fallback of `linear: auto` when conjugate gradients stall: the same matrix in double precision, factored.
 *
 * The blocks of the iterative solver are floats, so scaled eigenvalues below about 1e-7 are lost. A thin, nearly
 * incompressible body has such eigenvalues if the step is long compared with its slowest vibration. Each solve
 * decides from its own number of iterations and from the cost of a factorisation. It stores nothing for the next
 * solve, so a resumed run decides the same.
 */
#ifndef LIL_DISCRETE_DIRECT_FALLBACK_H
#define LIL_DISCRETE_DIRECT_FALLBACK_H

#include "model/evaluator.h"

typedef struct lil_fallback {
    bool allowed;        /* false: the user chose, or entries do not hold all of the matrix */
    bool looked;         /* `cost` is known; unless it is infinite, the members below are set */
    double cost;         /* of a factorisation, in iterations of conjugate gradients */
    lil_arena arena;     /* its own: created at first use */
    lil_evaluator ev;    /* with second derivatives as entries */
    lil_assembly matrix; /* of the requested terms */
    lil_ldl ldl;
    double *values, *work;
} lil_fallback;

/* Allocates nothing: the first solve that stalls does. `linear`: a lil_linear_method. */
void lil_fallback_create(const lil_model *model, int linear, lil_fallback *fallback);
void lil_fallback_destroy(lil_fallback *fallback);

/* The cost of a factorisation in iterations over A, which has the same matrix in blocks; infinite: impossible. The
 * first call orders the matrix and allocates. `kicks`: the matrix of damping outside the step, else that of the
 * step. */
double lil_fallback_cost(lil_fallback *fallback, const lil_evaluator *ev, const lil_blocks *A, bool kicks);

#endif
