/*
 * A term: one part of a Lagrangian, or a force. It declares its place:
 *
 *     LAGRANGIAN   adds L(t, q, v)             and Q = dL/dq, P = dL/dv
 *     POTENTIAL    adds W(t, q), L = T - W     and dW/dq
 *     FORCE        adds F(t, q, v), which no Lagrangian gives
 *
 * and of dissipation, in the three ways in which a step can take it in:
 *
 *     STEP         adds S(v) to the Lilyan of a step of h from q_k; takes dS/dv out of p (an F-)
 *     KICK         p' = -C(q) v at fixed q, half before and half after a step, solved for all such terms together
 *     IMPULSE      takes D(h, q, v) out of p before a step
 *     FRICTION     adds S(v) to the Lilyan and takes dS/dv out of p, in parts F- and F+ as forces do; or, where there is no
 *                  Lilyan to add to, takes D(h, q, v) out of p after each kick
 *
 * A new kind of term is one file with one const table. Its data are const; its workspace is its work, one for each
 * Sim. Terms see all coordinates, also those that are fixed or scripted: which of them are degrees of freedom is the
 * model's affair.
 */
#ifndef LIL_TERMS_TERM_H
#define LIL_TERMS_TERM_H

#include "core/arena.h"
#include "core/context.h"
#include "math/couplings.h"
#include "terms/touch.h"

typedef enum lil_place {
    LIL_LAGRANGIAN,
    LIL_POTENTIAL,
    LIL_FORCE,
    LIL_STEP,
    LIL_KICK,
    LIL_IMPULSE,
    LIL_FRICTION,
    LIL_PLACE_COUNT
} lil_place;

/* Second derivatives come as entries (row, col), in this order of blocks: qq (both triangles), qv (row q, column
 * v), vv (both triangles). For a force the blocks are dF/dq and dF/dv; there is no third. STEP and FRICTION
 * (d2S/dv2) and KICK (C) have vv alone. */
typedef struct lil_entries {
    int *row, *col;
    int qq, qv, vv; /* how many of each */
} lil_entries;

/* Pairs of vertices a < b, each once, whose positions a term's second derivatives couple; b is -1 if a is coupled
 * with something fixed that is not a vertex. */
typedef struct lil_block_pairs {
    int count;
    int (*at)[2];
} lil_block_pairs;

/* The point of evaluation of a term: t, and q and v of all coordinates. v is NULL for a POTENTIAL, both for a
 * KICK's C. */
typedef struct lil_at {
    double t;
    const double *q, *v;
} lil_at;

/* The outputs to which a term adds: those that are not NULL. LAGRANGIAN: L, Q, P. POTENTIAL: W, dW/dq, nothing.
 * FORCE: nothing, F, nothing. STEP and FRICTION: S, nothing, dS/dv. KICK: nothing, nothing, C v. IMPULSE: nothing,
 * nothing, D. */
typedef struct lil_sums {
    double *value, *gq, *gv;
} lil_sums;

static inline void lil_sums_add(const lil_sums *sums, double value)
{
    if (sums->value)
        *sums->value += value;
}

/* A step from q0 at t0 to q1 at t1, for discrete gradients. */
typedef struct lil_ends {
    double t0, t1;
    const double *q0, *q1;
    bool last; /* implicit Euler: W is taken at q1, and only the dissipation `lost` uses the path */
} lil_ends;

/*
 * The destination of second derivatives, with weights. A term gets one of these:
 *
 *     entries       it writes the values of its entries, without the weight;
 *     values        it adds them itself: values[where[k]] += weight times entry k, unless where[k] is -1 (`places`);
 *     blocks        blocks[9 where[k]] += weight d2W/dx_a dx_b of pair k, by rows (those of a), unless where[k] is -1. The blocks of a row add up to
 *                   nothing: that of a pair (a, -1) is minus what a has of its own. FORCE: of weight dF/dx + weight_v dF/dv;
 *     blocks, two   of a discrete gradient, whose matrix is not symmetric: blocks[9 two[k][0]] += weight dG_a/dx1_b,
 *                   blocks[9 two[k][1]] += weight dG_b/dx1_a.
 *
 * A term that couples other vertices each time (`couples`) may get `couplings` too, or alone, and adds those there,
 * weight times; its blocks leave them out, its entries have a bound of them.
 */
typedef struct lil_sink {
    double weight, weight_v;
    bool definite; /* POTENTIAL that `projects`: each element's matrix projected to a positive semidefinite one */
    double *entries;
    const int *where;
    double *values;
    float *blocks;
    const int (*two)[2];
    lil_couplings *couplings;
} lil_sink;

typedef struct lil_term lil_term;

/* For a term that is a sum over elements: a description of one, and subsets as a term of their own. */
enum { LIL_ELEMENT_VERTICES = 4 }; /* at most */

typedef struct lil_term_elements {
    int (*count)(const void *data);
    /* Its vertices, whose number is returned, and how stiff it is at each, N/m (a bound; 0 where it has none). */
    int (*vertices)(const void *data, int e, int at[LIL_ELEMENT_VERTICES], double stiffness[LIL_ELEMENT_VERTICES]);
    /* The longest step of Stormer-Verlet, s, with these inverse masses at its vertices, were it alone and at rest,
     * and with damping by kD before each step (POTENTIAL that may be damped, IMPULSE); infinity: any. */
    double (*longest_step)(const void *data, int e, double kD, const double inverse_mass[LIL_ELEMENT_VERTICES]);
    /* A term of these elements alone. */
    lil_status (*some)(lil_context *ctx, lil_arena *arena, const void *data, const int *elements, int count,
                       lil_term *part);
    void (*name)(const void *data, int e, char *name, size_t size); /* for people */
    bool together; /* they act on each other's vertices: `some` are always all */
} lil_term_elements;

/* For a POTENTIAL: its discrete gradient G between q0 and q1, G.(q1 - q0) = W(q1) - W(q0) (but for what is
 * `driven` from t0 to t1, and `lost`), which is dW/dq halfway but for the square of the way, has no net force or
 * torque (about the middles of q0 and q1) where W is invariant, and is symmetric in q0 and q1 where nothing is
 * lost. */
typedef struct lil_term_discrete_gradient {
    /* Adds G. *noise: adds the square of what |G| owes to round-off beyond that of dW/dq. NaN where it does not
     * exist. */
    void (*evaluate)(const void *data, void *work, const lil_ends *ends, double *g, double *noise);
    /* With `pairs`: adds dG/dx1, in blocks or couplings. NULL: it is 0, or it is never requested. */
    void (*second)(const void *data, void *work, const lil_ends *ends, const lil_sink *to);
    /* Optional: the dissipation of the latest G by friction and restitution, which are part of it. */
    lil_loss (*lost)(const void *work);
    /* Optional: whether `second` is only near dG/dx1, so that steps take more iterations. */
    bool (*rough)(const void *data);
} lil_term_discrete_gradient;

/* For STEP, KICK and FRICTION. */
typedef struct lil_term_dissipation {
    /* FRICTION, after `prepare`: the velocity of the step before, which dampers of contact push with. */
    void (*carry)(const void *data, void *work, const double *v);
    /* FRICTION, prepared: whether any contact has friction. */
    bool (*has_friction)(const void *work);
    /* FRICTION: adds D with M v+ = M v - D(v+), at fixed q. */
    void (*impulse)(const void *data, void *work, const lil_at *at, double *D);
    /* Optional, KICK (prepared at q): adds d(y'C(q)v)/dq. */
    void (*slope)(const void *data, void *work, const lil_at *at, const double *y, double *g);
    /* KICK: adds to each vertex what C has in its rows at rest, at most: the sum of the norms of its blocks. Over
     * the vertex's mass that bounds the eigenvalues of M^-1 C (Gershgorin). */
    void (*rows)(const void *data, double *sums);
    bool viscous; /* STEP: S = 1/2 v'Cv with a C of where the step begins */
    bool leaks;   /* angular momentum */
} lil_term_dissipation;

/* For a POTENTIAL of contact: its measurements and, for the barrier, the functions that keep gaps open. */
typedef struct lil_term_contact {
    /* Raises each maximum to the term's own. */
    void (*touch)(const void *data, void *work, const lil_at *at, lil_touch *most);
    /* Optional: the two parts of that penetration. False: there are none. */
    bool (*who)(const void *data, const lil_contact_id *which, lil_pair *names);
    /* Optional: lists the contacts at (t, q), up to `room` of them, always in the same order; returns their
     * number. -1: unknown. */
    int (*list)(const void *data, void *work, const lil_at *at, lil_touching *list, int room);
    /* With it: part i. False: there are no more. */
    bool (*part)(const void *data, int i, lil_touching_part *part);
    /* It is infinite where features touch: a step stays on one side by its discrete gradient, or by minimising it
     * at the end. */
    bool impassable;
    /* With that: the term exists all the way from q0 at t0 straight to q1 at t1. */
    bool (*is_open)(const void *data, void *work, const lil_ends *ends);
    /* If that path is blocked, moves the free coordinates (number[k] >= 0; NULL: all) of q1 out of the way.
     * Returns the number of blocking pairs; 0: q1 is unchanged. -1: something that is not free blocks it. */
    int (*push)(const void *data, void *work, double t0, const double *q0, double t1, const int *number, double *q1);
    /* Something was within its reach, in the latest evaluate or discrete gradient. */
    bool (*pushes)(const void *work);
    /* Which two press each other hardest at q, and with what force, N. False: none do. */
    bool (*hardest)(const void *data, void *work, const lil_at *at, lil_pair *names, double *force);
    /* Optional: the largest step up to h > 0 from there, with v, for which the dissipation is accurate. */
    double (*resolve)(const void *data, void *work, const lil_at *at, double h);
} lil_term_contact;

/* For a term that `places`: its second derivatives in pieces, which may be added at different times and on different
 * threads. */
typedef struct lil_term_pieces {
    int (*count)(const void *work);
    void (*entries)(const void *work, int i, int *from, int *end); /* those of piece i */
    void (*begin)(void *work, const int *where);                   /* once, before any */
    void (*second)(const void *data, void *work, const lil_at *at, const lil_sink *to, int i);
    bool sees_q; /* of at, none but q; else nothing */
} lil_term_pieces;

typedef struct lil_term_table {
    const char *name;
    const char *doc;
    lil_place place;
    /* Allocates the work; with `second` also what second derivatives need, and lists their entries. */
    lil_status (*begin)(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries);
    /* STEP, KICK, IMPULSE, FRICTION: the step h, and where it begins (KICK: where it is). Before any of what
     * follows. Optional, POTENTIAL: the same, before the iterations of a step. */
    void (*prepare)(const void *data, void *work, double t, double h, const double *q);
    /* Adds its own. Where the term does not exist it adds NaN or infinity. */
    void (*evaluate)(const void *data, void *work, const lil_at *at, const lil_sums *sums);
    /* Second derivatives, where they are wanted. NULL: they are 0. */
    void (*second)(const void *data, void *work, const lil_at *at, const lil_sink *to);
    /* Optional, for terms whose coordinates are x, y, z of vertices and whose second derivatives have blocks: they
     * only see differences of positions (FORCE: single vertices). Once, after `begin`: lists the pairs and adds to
     * the work what the blocks need. `couples`: there is (a, -1) for each vertex a that may be coupled. */
    lil_status (*pairs)(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_block_pairs *pairs);
    /* Optional, once after it: the rows of each pair, -1: held. All pairs of a row with pinned vertices have one
     * place: threads must add these in a fixed order. */
    lil_status (*place_pairs)(lil_context *ctx, lil_arena *arena, void *work, const int (*rows)[2]);
    bool projects; /* POTENTIAL: `definite` is followed */
    bool places;   /* POTENTIAL and STEP: takes `values` in the place of `entries` */
    bool couples;  /* POTENTIAL and FRICTION: takes `couplings` */
    /* Optional, POTENTIAL that depends on t: dW/dt of the latest evaluate, W; of the latest discrete gradient, the
     * gain of W by t, J. It is the work of prescribed motion. FRICTION: the work on moving obstacles, J. */
    double (*driven)(const void *work);
    /* Optional, LAGRANGIAN and POTENTIAL that may depend on t explicitly: dL/dt or dW/dt, W. A term that has to
     * difference takes steps of a fraction of `span`, s. NaN where the derivative does not exist. */
    double (*rate)(const void *data, void *work, const lil_at *at, double span);
    /* Optional, POTENTIAL that only sees differences of positions: from now on positions are q + low (of discrete
     * gradients: q1 + low), where low is what rounding took from q = q_k + s, |s| <= reach. NULL: they are q. */
    void (*lower)(void *work, const double *low, double reach);
    /* Optional, POTENTIAL: the largest s <= 1 such that the term exists, as it is at t, on all of [q, q + s d). */
    double (*longest)(const void *data, void *work, double t, const double *q, const double *d);
    /* Optional, of elements with a volume: the least that is left of it at q, of which body's which element. */
    double (*flattest)(const void *data, const double *q, const char **body, int *element);
    /* Optional, POTENTIAL and (prepared) STEP: adds the sizes of what the value and the norm of its gradient are
     * summed from, also where these cancel: round-off is a few DBL_EPSILON of them. Without it they are |value|
     * and |gradient|. The second may be NULL. */
    void (*size)(const void *data, const void *work, const double *q, double *value, double *gradient);
    /* Optional: the smallest det F of the latest evaluate, or at the end of the latest discrete gradient. */
    double (*least_volume)(const void *work);
    /* Optional: why `evaluate` is not finite there, as "where: cause". False: it cannot tell. */
    bool (*explain)(const void *data, void *work, const lil_at *at, char *sentence, size_t size);
    /* Optional, for functions of the user's: which of them refused last, if it did so at t or, in the direction of
     * h, later. */
    bool (*refused)(const void *data, const void *work, double t, double h, char *sentence, size_t size);
    /* Optional, POTENTIAL: which element at this vertex limits explicit steps most, for people. False: it has none
     * there. */
    bool (*stiffest)(const void *data, int vertex, char *name, size_t size);
    /* Optional, for builds that check models (model_check.h): what is wrong with its data in a model with so many coordinates; NULL: nothing. */
    const char *(*check)(const void *data, int total);
    bool elastic;                /* POTENTIAL: its energy is one of strain */
    bool uniform;                /* POTENTIAL: dW/dq is the same everywhere and always */
    void (*destroy)(void *data); /* optional: frees data outside the model's arena */
    /* All optional. */
    const lil_term_elements *elements; /* POTENTIAL and IMPULSE */
    const lil_term_discrete_gradient *discrete_gradient;
    const lil_term_pieces *pieces;
    const lil_term_dissipation *dissipation;
    const lil_term_contact *contact;
} lil_term_table;

struct lil_term {
    const lil_term_table *table;
    void *data;
    bool uses_t, uses_q, uses_v;
    double damping; /* STEP, KICK, IMPULSE: kD, s */
    bool holds;     /* some mu is not 0, so that contacts may stick; POTENTIAL: or other dissipation was requested */
    bool loses;     /* POTENTIAL: something may be `lost` */
};

/* The factor of second derivatives. */
static inline double lil_sink_scale(const lil_sink *to)
{
    return to->entries ? 1 : to->weight;
}

static inline bool lil_term_has_blocks(const lil_term_table *table)
{
    return !table->second || table->pairs;
}

static inline bool lil_term_is_impassable(const lil_term_table *table)
{
    return table->contact && table->contact->impassable;
}

#endif
