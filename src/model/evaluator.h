/*
 * Evaluates a model for one Sim: the const model, and the workspaces of its terms.
 *
 * Letters: Q = dL/dq and P = dL/dv are the generalised force and momentum of the Lagrangian, F the forces that no
 * Lagrangian gives. For L = 1/2 v'Mv - W: Q = -dW/dq, P = Mv.
 */
#ifndef LIL_MODEL_EVALUATOR_H
#define LIL_MODEL_EVALUATOR_H

#include "model/assembly.h"
#include "model/block_assembly.h"
#include "model/supports.h"
#include "solvers/newton.h"

/* The requested form of second derivatives. */
typedef enum lil_second {
    LIL_SECOND_NONE,
    LIL_SECOND_ENTRIES, /* of a sparse matrix, for direct solves */
    LIL_SECOND_BLOCKS,  /* of a matrix of 3x3 blocks, for iterative solves */
    LIL_SECOND_GENERAL, /* the same of a matrix that is not symmetric: of discrete gradients */
} lil_second;

/* A term with its work. */
typedef struct lil_active {
    const lil_term_table *table;
    const void *data;
    void *work;
    int number; /* among the model's terms */
} lil_active;

/* for each term of a place: a const lil_active *a */
#define LIL_EACH_TERM(a, ev, place)                                                                                  \
    for (const lil_active *a = (ev)->active + (ev)->first[place]; a < (ev)->active + (ev)->first[(place) + 1]; a++)

typedef struct lil_evaluator {
    lil_context *ctx;
    const lil_model *model;
    int n;
    lil_threads *threads;
    void **work; /* of the terms */
    lil_active
        *active; /* the terms by place: those of `place` begin at first[place] and end before the next place's */
    int first[LIL_PLACE_COUNT + 1];
    lil_entries *entries;      /* of the terms: second derivatives, if requested, and C of kicks */
    lil_assembly matrix;       /* of any combination of second derivatives */
    lil_block_assembly blocks; /* of the second derivatives of W and S */
    lil_couplings *beside;     /* not NULL: the list of couplings of which the matrix contains bounds */
    lil_second kicks;          /* the requested form of C of kicks */
    lil_positions full;        /* all coordinates */
    double *low;               /* of all coordinates: what positions have beyond x; NULL: no term takes it */
    /* L = T - W: the latest W and dW/dq at a frame, which the step that starts there can use again */
    double frame_t, frame_W, *frame_q, *frame_g, frame_power, frame_volume, frame_elastic, frame_rate, frame_span;
    bool frame_valid, frame_rated;
    double power;   /* power of prescribed motion and moving obstacles against the latest dW/dq, W */
    double volume;  /* the smallest det F of the latest W; infinity: there is none */
    double elastic; /* the elastic part of the latest W; NaN: not known without summing again */
    /* general L: p -> v */
    lil_newton legendre;
    const double *legendre_q, *legendre_p;
    double legendre_t;
    double *scratch;
    double *kick_room;               /* n + 3 of all coordinates; for kicks without a matrix */
    double *at_rest, *force_at_rest; /* for booking work */
    double *parts;                   /* sums over pieces of vectors */
    double *marks;                   /* means of positions, then of velocities */
    lil_supports *supports;          /* borrowed; NULL: nobody asks for the forces of supports */
} lil_evaluator;

/* How much of each second derivative goes into a matrix. */
typedef struct lil_weights {
    double Pv, Pq, Qq, Qv, Fq, Fv, Sv, Rv; /* R: S of friction */
    bool definite;          /* of a potential: each element's part projected to a positive semidefinite one */
    const lil_assembly *to; /* NULL: to the matrix of the evaluator */
} lil_weights;

/* Chooses the form of second derivatives of these terms for `linear` (lil_linear_method); fails if it is not
 * supported. */
lil_status lil_evaluator_choose(lil_context *ctx, const lil_model *model, bool (*wanted)(lil_place place), int linear,
                                lil_second *second);
bool lil_in_the_matrix(lil_place place); /* LAGRANGIAN, POTENTIAL, FORCE, STEP, FRICTION */
bool lil_is_kick(lil_place place);

lil_status lil_evaluator_create(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_second second,
                                lil_second kicks, lil_evaluator *ev);
void lil_evaluator_destroy(lil_evaluator *ev);

/* W and g = dW/dq (either may be NULL); for models with constant mass. */
void lil_evaluate_potential(lil_evaluator *ev, double t, const double *q, double *W, double *g);
/* q_k + s in two parts, *q rounded and *low the rounding error (to the last digit of s). From here until
 * lil_evaluate_exact, terms that depend on differences of positions only use q + low: their forces are then as
 * smooth in s as near the origin, for any size of q. */
void lil_evaluate_sum(lil_evaluator *ev, const double *q_k, double h, const double *v, double *q);
/* Positions are q alone again. */
void lil_evaluate_exact(lil_evaluator *ev);
/* G, the discrete gradient of W between x0 at t0, which has all coordinates, and q1 at t1: W1 - W0 = G.(q1 - q0) +
 * *held, the work of prescribed motion and of the dependence of W on t. *noise: round-off in |G| beyond that of
 * dW/dq. */
void lil_evaluate_discrete_gradient(lil_evaluator *ev, double t0, const double *x0, double t1, const double *q1,
                                    double *g, double *held, double *noise);
/* The dissipation of friction and restitution, which are part of G. */
lil_loss lil_evaluate_dissipation(const lil_evaluator *ev);
/* The same for a step of h from q0 at t0, where x0 has all coordinates, with velocity v, where only the barrier
 * has its discrete gradient and other terms have dW/dq halfway. `end`: all have dW/dq at the end of the step. q1
 * and `node` come out as the end of the step and where dW/dq was taken. */
void lil_evaluate_node(lil_evaluator *ev, bool end, double t0, double h, const double *x0, const double *q0,
                       const double *v, double *node, double *q1, double *g, double *held, double *noise);
/* dW/dq at q plus the static friction against the slip from x0, which has all coordinates. */
void lil_evaluate_held(lil_evaluator *ev, double t, const double *x0, const double *q, double *g);
/* Adds its derivative by q1, weight times, to ev->blocks, which are those of a general matrix. */
void lil_evaluate_discrete_gradient_blocks(lil_evaluator *ev, double t0, const double *x0, double t1,
                                           const double *q1, double weight);
/* The same for lil_evaluate_node. */
void lil_evaluate_node_blocks(lil_evaluator *ev, bool end, double t0, const double *x0, const double *node, double t1,
                              const double *q1, double weight);
/* The same for terms with couplings only, over rows of three degrees of freedom (-1: pinned). */
void lil_evaluate_discrete_gradient_couplings(lil_evaluator *ev, bool end, double t0, const double *x0, double t1,
                                              const double *q1, double weight, lil_couplings *to);
/* Adds Fq dF/dq + Fv dF/dv of forces that vary. */
void lil_evaluate_force_blocks(lil_evaluator *ev, double t, const double *q, const double *v, double Fq, double Fv);
/* The supports' row of an evaluation that gave gx, all coordinates; most evaluations call it. */
void lil_evaluate_supports(lil_evaluator *ev, lil_place place, lil_support_row row, double sign, const double *gx);
/* The elastic energy: of tets and springs. */
double lil_evaluate_elastic(lil_evaluator *ev, double t, const double *q);
/* The part of dW/dq that is the same everywhere: weight and constant loads. */
void lil_evaluate_uniform(lil_evaluator *ev, double t, const double *q, double *g);
/* The same at a frame: both are stored, and not computed again for the same t and q. */
void lil_evaluate_frame(lil_evaluator *ev, double t, const double *q, double *W, const double **g);
/* L, Q, P (each may be NULL) of any model. */
void lil_evaluate_lagrangian(lil_evaluator *ev, double t, const double *q, const double *v, double *L, double *Q,
                             double *P);
/* False: no forces; F is unchanged. */
bool lil_evaluate_force(lil_evaluator *ev, double t, const double *q, const double *v, double *F);
/* -dL/dt, the power of the explicit dependence of L on t, W; `span` is its time interval. */
double lil_evaluate_rate(lil_evaluator *ev, double t, const double *q, const double *v, double span);
/* Adds the weighted second derivatives to the values of a matrix over ev->matrix or w->to. */
void lil_evaluate_second(lil_evaluator *ev, double t, const double *q, const double *v, const lil_weights *w,
                         double *values);

/* Adds the blocks of W, -w.Qq times, and of S, w.Sv and w.Rv times, to ev->blocks; or those of C to another. */
void lil_evaluate_blocks(lil_evaluator *ev, double t, const double *q, const double *v, const lil_weights *w);
void lil_evaluate_kick_blocks(lil_evaluator *ev, double t, double weight, lil_block_assembly *blocks);
/* And its entries to the values of a matrix over `a`. */
void lil_evaluate_kick_entries(lil_evaluator *ev, double t, double weight, const lil_assembly *a, double *values);

/* Adds what W and |dW/dq| at (t, q), or of (prepared) STEP terms S and |dS/dv|, are summed from; `gradient` may be
 * NULL. */
void lil_evaluate_size(lil_evaluator *ev, lil_place place, double t, const double *q, double *value,
                       double *gradient);

/* Whether some term can project its second derivatives; whether W is undefined somewhere. */
bool lil_evaluate_projects(const lil_evaluator *ev);
bool lil_evaluate_ends(const lil_evaluator *ev);
/* The largest s <= 1 such that the potential is defined on all of [q, q + s d) at t; prescribed coordinates stay. */
double lil_evaluate_longest(lil_evaluator *ev, double t, const double *q, const double *d);
/* True: no barrier blocks the straight path from x0, all coordinates, to q1, with prescribed motion from t0 to t1. */
bool lil_evaluate_is_open(lil_evaluator *ev, double t0, const double *x0, double t1, const double *q1);
/* Moves vertices of x1 (all coordinates) whose path from x0 is blocked. Returns the number of blocking pairs; -1:
 * a fixed vertex blocks it. */
int lil_evaluate_push(lil_evaluator *ev, double t0, const double *x0, double t1, double *x1);
/* No element inverts from x0 along dx, all coordinates. */
bool lil_evaluate_is_firm(lil_evaluator *ev, double t, const double *x0, const double *dx);

/* Whether a contact force acted in the latest evaluation. */
bool lil_evaluate_pushes(const lil_evaluator *ev);
/* Whether contact of any kind has energy at q. */
bool lil_evaluate_touches(lil_evaluator *ev, double t, const double *q);
/* The pair with the largest contact force at q, and that force, N. False: none. */
bool lil_evaluate_hardest(lil_evaluator *ev, double t, const double *q, lil_pair *names, double *force);
/* The longest step up to h > 0 for which restitution and friction are accurate. */
double lil_evaluate_resolve(lil_evaluator *ev, double t, double h, const double *q, const double *v);
/* The element with the smallest volume ratio; INFINITY: no elements with volumes. */
double lil_evaluate_flattest(lil_evaluator *ev, double t, const double *q, const char **body, int *element);

/* STEP, KICK, IMPULSE terms: prepare sets the start of the step; damping gives the sum of their values and of
 * their vectors, with its power over all of v (*taken) and over prescribed coordinates (*held). Results may be
 * NULL, but not taken and held alone. False: no such terms; results are unchanged. */
void lil_evaluate_prepare(lil_evaluator *ev, lil_place place, double t, double h, const double *q);
/* FRICTION, prepared: v of the step before, for the force of contact dampers. */
void lil_evaluate_carry(lil_evaluator *ev, double t, const double *v);
bool lil_evaluate_damping(lil_evaluator *ev, lil_place place, double t, const double *q, const double *v,
                          double *value, double *D, double *taken, double *held);

/* FRICTION, prepared: D, its power over prescribed coordinates, and its work on moving obstacles. */
void lil_evaluate_impulse(lil_evaluator *ev, double t, const double *q, const double *v, double *D, double *held,
                          double *driven);
/* Whether any contact has friction, as prepared. */
bool lil_evaluate_has_friction(const lil_evaluator *ev);
/* The work on moving obstacles in the latest evaluation. */
double lil_evaluate_driven(const lil_evaluator *ev);

/* C v of kicks at q; with y too C y and d(y'C(q)v)/dq, for y that is 0 on prescribed vertices. */
void lil_evaluate_kick_slope(lil_evaluator *ev, double t, const double *q, const double *y, const double *v,
                             double *Cv, double *Cy, double *slope);

void lil_mass_multiply(const lil_model *model, const double *v, double *p); /* p = Mv */
void lil_mass_solve(lil_evaluator *ev, const double *p, double *v);         /* v = M^-1 p */

/* Constant mass: v = M^-1 p and *pv = p'v. False: some q or p is not finite. */
bool lil_evaluate_kinetic(lil_evaluator *ev, const double *q, const double *p, double *v, double *pv);

/* v with dL/dv(t, q, v) = p; v comes in as a guess. */
lil_status lil_evaluate_velocity(lil_evaluator *ev, double t, const double *q, const double *p, double *v);

/* q and v as expressions outside the model see them: the means of marked vertices, or q and v themselves. */
void lil_evaluate_marks(lil_evaluator *ev, double t, const double **q, const double **v);

/* d2L/dv2 is singular to working precision: momenta do not determine velocities. */
bool lil_evaluate_singular(lil_evaluator *ev, double t, const double *q, const double *v);
/* Describes the operation of a text that is not finite at (t, q, v). False: unknown. */
bool lil_evaluate_explain(lil_evaluator *ev, double t, const double *q, const double *v, char *sentence, size_t size);
/* Names the user's function that returned false in a step of h from t. False: none. */
bool lil_evaluate_refused(const lil_evaluator *ev, double t, double h, char *sentence, size_t size);

#endif
