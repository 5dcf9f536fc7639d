/*
 * A model being evaluated by one Sim: the const model with the scratch its terms need.
 *
 * Letters: Q = dL/dq and P = dL/dv are the generalised force and momentum of the Lagrangian, F the forces that no
 * Lagrangian gives. For L = 1/2 v'Mv - W: Q = -dW/dq, P = Mv.
 */
#ifndef LIL_MODEL_EVALUATOR_H
#define LIL_MODEL_EVALUATOR_H

#include "model/model.h"
#include "solvers/newton.h"

typedef struct lil_evaluator {
    lil_context *ctx;
    const lil_model *model;
    int n;
    void *work[LIL_TERMS_MAX];
    /* second derivatives, where they were asked for */
    lil_pattern pattern; /* of any combination of them, diagonal included */
    lil_entries entries[LIL_TERMS_MAX];
    int *where[LIL_TERMS_MAX];        /* entry -> place in the pattern */
    int *where_turned[LIL_TERMS_MAX]; /* qv entries, transposed */
    int *where_mass;
    double *values; /* of one term's entries */
    /* L = T - W: the latest W and dW/dq at a frame, which the step that starts there can use again */
    double frame_t, frame_W, *frame_q, *frame_g;
    bool frame_valid;
    /* general L: p -> v */
    lil_newton legendre;
    const double *legendre_q, *legendre_p;
    double legendre_t;
    double *scratch;
    double *at_rest, *force_at_rest; /* for booking work */
} lil_evaluator;

/* How much of each second derivative goes into a matrix. */
typedef struct lil_weights {
    double Pv, Pq, Qq, Qv, Fq, Fv;
} lil_weights;

lil_status lil_evaluator_create(lil_context *ctx, lil_arena *arena, const lil_model *model, bool second,
                                lil_evaluator *ev);
void lil_evaluator_destroy(lil_evaluator *ev);

/* W and g = dW/dq (either may be NULL); for models with constant mass. */
void lil_evaluate_potential(lil_evaluator *ev, double t, const double *q, double *W, double *g);
/* The same at a frame: both are computed, kept, and not computed again for the same t and q. */
void lil_evaluate_frame(lil_evaluator *ev, double t, const double *q, double *W, const double **g);
/* L, Q, P (each may be NULL) of any model. */
void lil_evaluate_lagrangian(lil_evaluator *ev, double t, const double *q, const double *v, double *L, double *Q,
                             double *P);
void lil_evaluate_force(lil_evaluator *ev, double t, const double *q, const double *v, double *F);
/* Adds the weighted second derivatives to the matrix over ev->pattern. */
void lil_evaluate_second(lil_evaluator *ev, double t, const double *q, const double *v, const lil_weights *w,
                         double *values);

void lil_mass_multiply(const lil_model *model, const double *v, double *p); /* p = Mv */
void lil_mass_solve(lil_evaluator *ev, const double *p, double *v);         /* v = M^-1 p */

/* v with dL/dv(t, q, v) = p; v comes in as a guess. */
lil_status lil_evaluate_velocity(lil_evaluator *ev, double t, const double *q, const double *p, double *v);

/* d2L/dv2 is singular to working precision: momenta do not determine velocities. */
bool lil_evaluate_singular(lil_evaluator *ev, double t, const double *q, const double *v);
/* Which operation of which text is not finite at (t, q, v)? */
bool lil_evaluate_explain(lil_evaluator *ev, double t, const double *q, const double *v, char *sentence, size_t size);

#endif
