/*
 * Holonomic constraints g(x) = 0 in a step (Kharevych et al. 2006, section 3.5), with G = dg/dx:
 *
 *     r(v) - h G(q_k)'lambda = 0,    g(q_k + h v) = 0,    p_{k+1} = p_k + D1 Ld + h G(q_k)'lambda,                 (C1)
 *
 * r(v) of (7) in discrete.h. The force acts along G at q_k while g is met at q_{k+1}, so this is no constrained
 * minimisation. p is then projected, p - G(q_{k+1})'mu, so that G v = 0 (RATTLE): without that it is of first order.
 *
 * At the level of accelerations (Witkin),
 *
 *     (G M^-1 G') lambda = -dG/dt v - G M^-1 Q - g / T^2 - 2 Gv / T,                                               (C2)
 *
 * with T the time in which feedback pulls violations in: for steppers that are not variational, and, without
 * feedback, the force of the constraints at a frame. Steps by discrete gradients are bound as
 * discrete/constraint_gradient.h says, (C4).
 */
#ifndef LIL_DISCRETE_CONSTRAINED_H
#define LIL_DISCRETE_CONSTRAINED_H

#include "constraints/constraint.h"
#include "discrete/coupled.h"
#include "discrete/geometric_stiffness.h"
#include "discrete/tally.h"
#include "model/sliced_assembly.h"
#include "solvers/krylov.h"

/* What a slice has of a set: some of its members. */
typedef struct lil_set_slice {
    lil_constraint set;
    void *work;
    int number;            /* of the set in the model */
    int row, entry, curve; /* where its own begin: of G, and of (C3) */
} lil_set_slice;

typedef struct lil_constrained {
    lil_evaluator *ev;
    void **work;       /* of the sets */
    int *entries;      /* of G: where those of a set begin; one more is all of them */
    lil_rows_matrix G; /* over q */
    int *row, *col;    /* of its entries */
    int *col_x;        /* their columns in x */
    lil_saddle mass;   /* with dL2/dv2 in the place of H */
    lil_saddle step;   /* with the Hessian of an implicit step, which comes right into its values */
    lil_assembly matrix;
    lil_projected projected; /* instead, where its second derivatives come as blocks */
    lil_krylov krylov;
    double *start; /* v before a direction */
    double *H, *g, *size, *rate, *s, *dy, *dv, *r, *q_trial, *f;
    double *now, *next;  /* G where the step begins, and where it would end */
    const double *along; /* what multipliers act along in a step: `now`, or `bar` */
    double *lambda;      /* the impulses h lambda of the latest step, or the forces of (C2), N */
    double *at_q, at_t;  /* where `now` and its factor with the mass are */
    bool made;           /* they are */
    lil_geometric_stiffness curved;
    double swing; /* of the state: the bound below of the latest step's multipliers; infinity before the first */
    /* of (C4): B, x and g where the step begins, the middle of the step, and how far rows of B may be off for last
     * places */
    double *bar, *x0, *g0, *middle, *vague;
    lil_pattern pattern;  /* of dr/dv with the entries of (C3) */
    bool between;         /* steps are those of (C4) */
    lil_coupled coupled;  /* of what cannot be passed */
    double t, h;          /* the step that is being solved, */
    const double *q;      /*   and where it begins */
    double *projected_by; /* the sum of all multipliers of a projection */
    lil_slices slices;
    lil_set_slice *sets;            /* of all slices, */
    int *sets_begin;                /*   where those of each begin; one more is all of them */
    int *curves_begin;              /* the same of the entries of (C3) */
    double *slice_most, *slice_own; /* numbers of each slice */
    bool *slice_left;               /* slices that are still to be done */
} lil_constrained;

/* Steps that solve nothing but for multipliers; implicit ones, whose second derivatives come as entries; and those
 * of (C4). */
typedef enum lil_bound { LIL_BOUND_EXPLICIT, LIL_BOUND_IMPLICIT, LIL_BOUND_BETWEEN } lil_bound;

/* The evaluator is borrowed. */
lil_status lil_constrained_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_bound bound,
                                  lil_constrained *c);

/* Implicit steps whose second derivatives come as blocks: prepares c for them. `levels` and `projects` as in
 * krylov.h. */
lil_status lil_constrained_create_iterative(lil_context *ctx, lil_arena *arena, lil_levels levels, bool projects,
                                            lil_constrained *c);

/* Cuts all that is independent into slices; for lil_constrained_create. */
lil_status lil_constrained_slice(lil_context *ctx, lil_arena *arena, bool implicit, lil_constrained *c);

/* ---- one slice, on the calling thread; lil_positions_run comes before ---- */

/* x of the slice at q, with what is fixed and prescribed; and dx/dt. */
const double *lil_constrained_positions_slice(lil_constrained *c, int i, const double *q);
const double *lil_constrained_velocity_slice(lil_constrained *c, int i, const double *v);
/* g and G, either may be NULL. */
void lil_constrained_evaluate_slice(lil_constrained *c, int i, const double *x, double *g, double *G);
/* As lil_constrained_rates and lil_constrained_off, with `most` the fastest. */
void lil_constrained_rates_slice(lil_constrained *c, int i, const double *dx, double most);
double lil_constrained_off_slice(const lil_constrained *c, int i, const double *x);
/* d2g/dx2 of (C3) in the slice's members. */
void lil_constrained_curve_slice(lil_constrained *c, int i, const double *x);

/* job(data, i) for each slice; the largest of c->slice_most, of which infinite ones count too. */
void lil_constrained_each(lil_constrained *c, void (*job)(void *data, int i), void *data);
double lil_constrained_most(const lil_constrained *c);

/* Whether constraints bind so few of the free vertices that iterative solves are the better ones. */
lil_status lil_constrained_are_few(lil_context *ctx, const lil_model *model, bool *few);

/* g and G, either may be NULL, of all coordinates x; and at (t, q). */
void lil_constrained_evaluate(lil_constrained *c, const double *x, double *g, double *G);
void lil_constrained_look(lil_constrained *c, double t, const double *q, double *g, double *G);

/* Round-off in g is about DBL_EPSILON times c->size, what g is summed from: makes that for G at (t, q). */
void lil_constrained_measure(lil_constrained *c, const double *G, double t, const double *q);
/* The largest of x, one number per row, beside c->size, in units of round-off; NaN counts as infinity. */
double lil_constrained_off(lil_constrained *c, const double *x);

enum {
    LIL_CONSTRAINED_ROUND_OFF = 8,   /* units: g is met */
    LIL_CONSTRAINED_SETTLED = 100000 /* where it no longer falls, that much of it is round-off too */
};

/* G at (t, q), `now`, factored with the mass. */
lil_status lil_constrained_make(lil_constrained *c, double t, const double *q, const double *v);
/* G dx/dt there, `rate`, and the size of what that is summed from. */
void lil_constrained_rates(lil_constrained *c, double t, const double *v);
/* How the scene calls the constraint of a row, and which one of a set it is, from 1 on; 0: there is but one. */
const char *lil_constrained_label(const lil_model *model, int row, int *member);

/* Says which constraints depend on each other at (t, q), if some do. */
lil_status lil_constrained_check(lil_constrained *c, double t, const double *q, const double *v);

/* Moves q to where the constraints are met, in the metric of the mass; *moved is how far the coordinate went that went
 * farthest. */
lil_status lil_constrained_close(lil_constrained *c, double t, double *q, const double *v, double *moved);

/* Takes out of p what G v != 0 belongs to. */
lil_status lil_constrained_project(lil_constrained *c, lil_tally *tally, double t, const double *q, double *p,
                                   double *v);

/* (C1), or (C4): v comes in as the guess, or, without an objective, as the solution without constraints; for (C4)
 * `lambda` too. */
lil_status lil_constrained_solve(lil_constrained *c, const lil_objective *f, lil_solve *solve, double t, double h,
                                 const double *q, double *v);

/* Adds h G(q_k)'lambda of the latest step to dp, and adds its work against prescribed motion to the tally. */
void lil_constrained_impulse(lil_constrained *c, lil_tally *tally, const double *v, double *dp);

/* Adds weight G'y to the impulses of supports: on pinned vertices, and of named constraints on all vertices. */
void lil_constrained_support(lil_constrained *c, const double *G, const double *y, double weight);

/* (C2): lambda of the forces beside Q = dL/dq + F. T = 0: without feedback. */
lil_status lil_constrained_force(lil_constrained *c, double T, double t, const double *q, const double *v,
                                 const double *Q);

/* The largest force of each named constraint on a vertex (for other coordinates: on all of them), after (C2). */
void lil_constrained_forces(lil_constrained *c, double *forces);

/* A bound of the largest eigenvalue of M^-1 K of (C3) at x, for multipliers that are `lambda` over h. */
double lil_constrained_swing(lil_constrained *c, double h, const double *x);

/* After (C2): that bound as a frequency, rad/s, and the constraint with the largest share in it. 0: it is below
 * `enough`, or nothing is free to swing nearly so fast. */
double lil_constrained_frequency(lil_constrained *c, double t, const double *q, double enough, const char **label);

/* p += weight G'lambda, of the latest of these; and along another G. */
void lil_constrained_push_along(lil_constrained *c, const double *G, double weight, double *p);
void lil_constrained_push(lil_constrained *c, double weight, double *p);

/* The constraint that is met least at (t, q), as the scene calls it, and its |g|. */
const char *lil_constrained_worst(lil_constrained *c, double t, const double *q, double *off);
/* Which constraint of the user's refuses at (t, q), or did so in the latest evaluation? */
bool lil_constrained_explain(lil_constrained *c, double t, const double *q, char *sentence, size_t size);

/* How far q is from where the constraints are met: the largest |g_i| / |grad g_i|. */
double lil_constrained_distance(lil_constrained *c, double t, const double *q);

/* The largest |g|. */
double lil_constrained_violation(lil_constrained *c, double t, const double *q);

#endif
