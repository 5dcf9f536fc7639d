/*
 * A term: one part of a Lagrangian, or a force. It declares its place:
 *
 *     LAGRANGIAN   adds L(t, q, v)             and Q = dL/dq, P = dL/dv
 *     POTENTIAL    adds W(t, q), L = T - W     and dW/dq
 *     FORCE        adds F(t, q, v), which no Lagrangian gives
 *
 * or, for dissipation, how a step includes it:
 *
 *     STEP         adds S(v) to the Lilyan of a step of h from q_k; subtracts dS/dv from p (an F-)
 *     KICK         p' = -C(q) v at fixed q, half before and half after a step, solved for all such terms together
 *     IMPULSE      subtracts D(h, q, v) from p before a step
 *     FRICTION     adds S(v) to the Lilyan and subtracts dS/dv from p, in parts F- and F+ like forces; or, where there is no
 *                  Lilyan, subtracts D(h, q, v) from p after each kick
 *
 * A new kind of term is one file with one const table. Its data are const; each Sim has its own workspace, the term's
 * work. Terms get all coordinates, also fixed and prescribed ones: the model decides which of them are degrees of
 * freedom.
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
 *     values        it adds to the matrix: values[where[k]] += weight times entry k, unless where[k] is -1 (`places`);
 *     blocks        blocks[9 where[k]] += weight d2W/dx_a dx_b of pair k, by rows (those of a), unless where[k] is -1.
 *                   The blocks of a row sum to zero: that of a pair (a, -1) is minus the rest of the diagonal block
 *                   of a. FORCE: of weight dF/dx + weight_v dF/dv;
 *     blocks, two   of a discrete gradient, whose matrix is not symmetric: blocks[9 two[k][0]] += weight dG_a/dx1_b,
 *                   blocks[9 two[k][1]] += weight dG_b/dx1_a.
 *
 * A term whose coupled vertices change (`couples`) may also, or only, get `couplings`, to which it adds them, times
 * the weight. Its blocks omit them; its entries contain an upper bound of them.
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

/* For a term that is a sum over elements: describes an element, and makes terms of subsets. */
enum { LIL_ELEMENT_VERTICES = 10 }; /* at most */

typedef struct lil_term_elements {
    int (*count)(const void *data);
    /* Its vertices, whose number is returned, and its stiffness at each, N/m (a bound; 0: none). */
    int (*vertices)(const void *data, int e, int at[LIL_ELEMENT_VERTICES], double stiffness[LIL_ELEMENT_VERTICES]);
    /* The longest step of Stormer-Verlet, s, of the element alone at rest, with these inverse masses at its
     * vertices and with damping by kD before each step (POTENTIAL that may be damped, IMPULSE); infinity: any. */
    double (*longest_step)(const void *data, int e, double kD, const double inverse_mass[LIL_ELEMENT_VERTICES]);
    /* A term of these elements alone. */
    lil_status (*some)(lil_context *ctx, lil_arena *arena, const void *data, const int *elements, int count,
                       lil_term *part);
    void (*name)(const void *data, int e, char *name, size_t size); /* for messages */
    bool together; /* elements act on each other's vertices: `some` always gets all */
} lil_term_elements;

/* For elements that fill a body, or a part of it. */
typedef struct lil_term_solid {
    const char *(*body)(const void *data); /* its name */
    /* Of element e, V times Cauchy's stress at q, on average, J: xx yy zz xy yz xz; and V, its volume at rest, m^3. 0: another
     * term of the body has it. */
    void (*stress)(const void *data, const double *q, int e, double s[6], double *V);
} lil_term_solid;

/* For a POTENTIAL: its discrete gradient G between q0 and q1, G.(q1 - q0) = W(q1) - W(q0) (minus the work `driven`
 * from t0 to t1, and `lost`). It differs from dW/dq at the middle by second order in q1 - q0. It has no net force
 * or torque (about the midpoints of q0 and q1) if W is invariant, and is symmetric in q0 and q1 if nothing is
 * lost. */
typedef struct lil_term_discrete_gradient {
    /* Adds G. *noise: adds the square of the round-off in |G| beyond that of dW/dq. NaN where G is undefined. */
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
    /* FRICTION, after `prepare`: the velocity of the step before, for the force of contact dampers. */
    void (*carry)(const void *data, void *work, const double *v);
    /* FRICTION, prepared: whether any contact has friction. */
    bool (*has_friction)(const void *work);
    /* FRICTION: adds D with M v+ = M v - D(v+), at fixed q. */
    void (*impulse)(const void *data, void *work, const lil_at *at, double *D);
    /* Optional, KICK (prepared at q): adds d(y'C(q)v)/dq. */
    void (*slope)(const void *data, void *work, const lil_at *at, const double *y, double *g);
    /* KICK: adds to each vertex the sum of the norms of its blocks of C at rest. Divided by the vertex's mass,
     * this bounds the eigenvalues of M^-1 C (Gershgorin). */
    void (*rows)(const void *data, double *sums);
    bool viscous; /* STEP: S = 1/2 v'Cv with C at the start of the step */
    bool leaks;   /* does not conserve angular momentum */
} lil_term_dissipation;

/* For a POTENTIAL of contact: its measurements and, for the barrier, the functions that keep gaps open. */
typedef struct lil_term_contact {
    /* Raises each maximum to the term's own. */
    void (*touch)(const void *data, void *work, const lil_at *at, lil_touch *most);
    /* Optional: names of the two parts of that penetration. False: none. */
    bool (*who)(const void *data, const lil_contact_id *which, lil_pair *names);
    /* Optional: lists the contacts at (t, q), up to `room` of them, always in the same order; returns their
     * number. -1: unknown. */
    int (*list)(const void *data, void *work, const lil_at *at, lil_touching *list, int room);
    /* For the list: part i. False: no more parts. */
    bool (*part)(const void *data, int i, lil_touching_part *part);
    /* The barrier: W is infinite where features touch. A step does not cross it, by a discrete gradient, or by
     * minimising W at the end. */
    bool impassable;
    /* For the barrier: W is finite on the straight path from q0 at t0 to q1 at t1. */
    bool (*is_open)(const void *data, void *work, const lil_ends *ends);
    /* If that path is blocked, moves the free coordinates (number[k] >= 0; NULL: all) of q1 out of the way.
     * Returns the number of blocking pairs; 0: q1 is unchanged. -1: a fixed vertex blocks it. */
    int (*push)(const void *data, void *work, double t0, const double *q0, double t1, const int *number, double *q1);
    /* Whether a contact force acted in the latest evaluate or discrete gradient. */
    bool (*pushes)(const void *work);
    /* The pair with the largest contact force at q, and that force, N. False: none. */
    bool (*hardest)(const void *data, void *work, const lil_at *at, lil_pair *names, double *force);
    /* Optional: the largest step up to h > 0 from there, with v, for which the dissipation is accurate. */
    double (*resolve)(const void *data, void *work, const lil_at *at, double h);
} lil_term_contact;

/* For a term that `places`: its second derivatives in pieces, which may be added at different times and on different
 * threads. */
typedef struct lil_term_pieces {
    int (*count)(const void *work);
    void (*entries)(const void *work, int i, int *from, int *end); /* those of piece i */
    void (*begin)(void *work, const int *where); /* before any that go to these places; again after others */
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
    /* STEP, KICK, IMPULSE, FRICTION: the step h, and its start (KICK: the position). Called before the functions
     * below. Optional, POTENTIAL: the same, before the iterations of a step. */
    void (*prepare)(const void *data, void *work, double t, double h, const double *q);
    /* Adds its outputs; NaN or infinity where the term is undefined. */
    void (*evaluate)(const void *data, void *work, const lil_at *at, const lil_sums *sums);
    /* Adds second derivatives. NULL: they are 0. */
    void (*second)(const void *data, void *work, const lil_at *at, const lil_sink *to);
    /* Optional, for terms whose coordinates are x, y, z of vertices and whose second derivatives have blocks: they
     * depend on differences of positions only (FORCE: single vertices). Called once, after `begin`: lists the
     * pairs, and adds to the work what the blocks need. `couples`: there is (a, -1) for each vertex a that may be
     * coupled. */
    lil_status (*pairs)(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_block_pairs *pairs);
    /* Optional, called once after it: the rows of each pair, -1: fixed. All pairs of a row with pinned vertices
     * share one block: threads must add these in a fixed order. */
    lil_status (*place_pairs)(lil_context *ctx, lil_arena *arena, void *work, const int (*rows)[2]);
    bool projects; /* POTENTIAL: `definite` is followed */
    bool places;   /* POTENTIAL and STEP: takes `values` in the place of `entries` */
    bool couples;  /* POTENTIAL and FRICTION: takes `couplings` */
    /* Optional, POTENTIAL that depends on t: dW/dt of the latest evaluate, W; of the latest discrete gradient, the
     * gain of W by t, J. It is the work of prescribed motion. FRICTION: the work on moving obstacles, J. */
    double (*driven)(const void *work);
    /* Optional, LAGRANGIAN and POTENTIAL that may depend on t explicitly: dL/dt or dW/dt, W. Differences use steps
     * of a fraction of `span`, s. NaN where the derivative does not exist. */
    double (*rate)(const void *data, void *work, const lil_at *at, double span);
    /* Optional, POTENTIAL that depends on differences of positions only: from now on positions are q + low (of
     * discrete gradients: q1 + low), where low is the rounding error of q = q_k + s, |s| <= reach. NULL: they are
     * q. */
    void (*lower)(void *work, const double *low, double reach);
    /* Optional, POTENTIAL: the largest s <= 1 such that W at t is defined on all of [q, q + s d). */
    double (*longest)(const void *data, void *work, double t, const double *q, const double *d);
    /* Optional, of elements with a volume: the smallest volume ratio at q, its body and its element. */
    double (*flattest)(const void *data, const double *q, const char **body, int *element);
    /* Optional, POTENTIAL and (prepared) STEP: adds the sums of magnitudes of the summands of the value and of the
     * norm of its gradient: round-off is a few DBL_EPSILON of them. Without it they are |value| and |gradient|.
     * The second may be NULL. */
    void (*size)(const void *data, const void *work, const double *q, double *value, double *gradient);
    /* Optional: the smallest det F of the latest evaluate, or at the end of the latest discrete gradient. */
    double (*least_volume)(const void *work);
    /* Optional: why `evaluate` is not finite there, as "where: cause". False: it cannot tell. */
    bool (*explain)(const void *data, void *work, const lil_at *at, char *sentence, size_t size);
    /* Optional, for functions of the user: which of them returned false last, if it did so at t or, in the
     * direction of h, later. */
    bool (*refused)(const void *data, const void *work, double t, double h, char *sentence, size_t size);
    /* Optional, POTENTIAL: the element at this vertex that limits explicit steps most, for messages. False: none. */
    bool (*stiffest)(const void *data, int vertex, char *name, size_t size);
    /* Optional, for builds that check models (model_check.h): what is wrong with its data in a model with so many
     * coordinates; NULL: valid. */
    const char *(*check)(const void *data, int total);
    /* Optional, of contact: for each obstacle adds the sum of what the latest `evaluate`, discrete gradient or
     * `impulse` added to the vertices that touch it: three numbers each. */
    void (*press)(const void *work, double *sums);
    bool elastic;                /* POTENTIAL: it has elastic energy */
    bool uniform;                /* POTENTIAL: dW/dq is the same everywhere and always */
    void (*destroy)(void *data); /* optional: frees data outside the model's arena */
    /* All optional. */
    const lil_term_elements *elements; /* POTENTIAL and IMPULSE */
    const lil_term_solid *solid;       /* POTENTIAL, with elements */
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
    bool holds;     /* some mu is not 0: contacts may stick; POTENTIAL: or there is other dissipation */
    bool loses;     /* POTENTIAL: `lost` may be positive */
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
