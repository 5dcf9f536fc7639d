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
 * A new kind of term is one file with one const table. Its data are const; what it scribbles on is its work, one for
 * each Sim. Terms see all coordinates, also those that are fixed or scripted: which of them are degrees of freedom is
 * the model's affair.
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
    LIL_FRICTION
} lil_place;

/* Second derivatives come as entries (row, col), in this order of blocks: qq (both triangles), qv (row q, column v),
 * vv (both triangles). For a force the blocks are dF/dq and dF/dv; there is no third. STEP and FRICTION (d2S/dv2) and KICK (C) have vv
 * alone. */
typedef struct lil_entries {
    int *row, *col;
    int qq, qv, vv; /* how many of each */
} lil_entries;

/* Pairs of vertices a < b, each once, whose positions a term's second derivatives couple; b is -1 where a is coupled with what is
 * no vertex, and held. */
typedef struct lil_pairs {
    int count;
    int (*at)[2];
} lil_pairs;

typedef struct lil_term lil_term;

/* Of a term that is a sum over elements: what one of them is, and some of them as a term of their own. */
enum { LIL_ELEMENT_VERTICES = 4 }; /* at most */

typedef struct lil_term_elements {
    int (*count)(const void *data);
    /* Its vertices, whose number is returned, and how stiff it is at each, N/m (a bound; 0 where it has none). */
    int (*vertices)(const void *data, int e, int at[LIL_ELEMENT_VERTICES], double stiffness[LIL_ELEMENT_VERTICES]);
    /* The longest step of Stormer-Verlet, s, with these inverse masses at its vertices, were it alone and at rest; infinity:
     * any. IMPULSE: of such steps with its damping before each. */
    double (*longest_step)(const void *data, int e, const double inverse_mass[LIL_ELEMENT_VERTICES]);
    /* A term of these elements alone. */
    lil_status (*some)(lil_context *ctx, lil_arena *arena, const void *data, const int *elements, int count,
                       lil_term *part);
    void (*name)(const void *data, int e, char *name, size_t size); /* for people */
    bool together; /* they act on each other's vertices: `some` are always all */
} lil_term_elements;

typedef struct lil_term_table {
    const char *name;
    const char *doc;
    lil_place place;
    /* Allocates the work; with `second` also what second derivatives need, and lists their entries. */
    lil_status (*begin)(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries);
    /* STEP, KICK, IMPULSE, FRICTION: the step h, and where it begins (KICK: where it is). Before any of what follows. Optional, POTENTIAL: the same,
     * before the iterations of a step. */
    void (*prepare)(const void *data, void *work, double t, double h, const double *q);
    /* FRICTION, after `prepare`: the velocity of the step before, which dampers of contact push with. */
    void (*carry)(const void *data, void *work, const double *v);
    /* Adds to what is not NULL. LAGRANGIAN: L, Q, P. POTENTIAL: W, dW/dq, nothing. FORCE: nothing, F, nothing. STEP
     * and FRICTION: S, nothing, dS/dv. KICK: nothing, nothing, C v. IMPULSE: nothing, nothing, D. Where the term does not exist it adds NaN
     * or infinity. */
    void (*evaluate)(const void *data, void *work, double t, const double *q, const double *v, double *value,
                     double *gq, double *gv);
    /* FRICTION, prepared: whether anything rubs. */
    bool (*rubs)(const void *work);
    /* FRICTION: adds D with M v+ = M v - D(v+), at fixed q. */
    void (*impulse)(const void *data, void *work, double t, const double *q, const double *v, double *D);
    /* Writes the values of the entries. */
    void (*second)(const void *data, void *work, double t, const double *q, const double *v, double *values);
    /* Optional, POTENTIAL: the same, with each element's matrix projected to a positive semidefinite one. */
    void (*second_definite)(const void *data, void *work, double t, const double *q, const double *v, double *values);
    /* Optional, POTENTIAL and STEP, instead of these two: adds the entries where they go, values[where[k]] += weight times entry
     * k, unless where[k] is -1. `definite`, POTENTIAL: projected. */
    void (*add_second)(const void *data, void *work, double t, const double *q, const double *v, bool definite,
                       double weight, const int *where, double *values);
    /* Optional, POTENTIAL, STEP and KICK, for terms whose coordinates are x, y, z of vertices and which only see differences
     * of positions, so that the blocks of a row add up to nothing: second derivatives as 3x3 blocks. Once, after
     * `begin`: lists the pairs and adds to the work what the blocks need. */
    lil_status (*pairs)(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_pairs *pairs);
    /* blocks[9 where[k]] += weight d2W/dx_a dx_b of pair k, by rows (those of a), unless where[k] is -1; `definite` projects
     * each element's matrix to a positive semidefinite one. */
    void (*second_pairs)(const void *data, void *work, double t, const double *q, const double *v, bool definite,
                         double weight, const int *where, float *blocks);
    /* Optional, POTENTIAL and FRICTION: adds the second derivatives, weight times, that couple other vertices each time; `definite`:
     * each positive semidefinite. `second_pairs` leaves them out, `second` has a bound of them. The term's pairs have (a, -1)
     * for each vertex a that may be coupled. */
    void (*couple)(const void *data, void *work, double t, const double *q, const double *v, bool definite,
                   double weight, lil_couplings *to);
    /* Optional, POTENTIAL: adds its discrete gradient G between q0 and q1, G.(q1 - q0) = W(q1) - W(q0) (but for what is `driven`
     * from t0 to t1, and `lost`), which is dW/dq halfway but for the square of the way, has no net force or torque (about the middles of q0 and q1) where W is invariant, and
     * is symmetric in q0 and q1 where nothing is lost. *noise: adds the square of what |G| owes to round-off beyond that of dW/dq. NaN where it
     * does not exist. */
    void (*between)(const void *data, void *work, double t0, double t1, const double *q0, const double *q1, double *g,
                    double *noise);
    /* With `between` and `pairs`: blocks[9 two[k][0]] += weight dG_a/dx1_b, blocks[9 two[k][1]] += weight dG_b/dx1_a of pair k,
     * by rows, where these are not -1. */
    void (*between_pairs)(const void *data, void *work, double t0, double t1, const double *q0, const double *q1,
                          double weight, const int (*two)[2], float *blocks);
    /* With `between` and `couple`: adds dG/dx1, weight times. */
    void (*couple_between)(const void *data, void *work, double t0, double t1, const double *q0, const double *q1,
                           double weight, lil_couplings *to);
    /* Optional, POTENTIAL that depends on t: dW/dt of the latest evaluate, W; of the latest between, what W gained by t, J. It is
     * the work of what moves as it is told. FRICTION: what obstacles that move take out by it, J. */
    double (*driven)(const void *work);
    /* Optional, POTENTIAL with `between`: what the latest one takes out beyond that, by friction and restitution, which are part of its G. */
    lil_loss (*lost)(const void *work);
    /* Optional, LAGRANGIAN and POTENTIAL that may depend on t explicitly: dL/dt or dW/dt at (t, q, v), W. A term that has to
     * difference takes steps of a fraction of `span`, s. NaN where the derivative does not exist. */
    double (*rate)(const void *data, void *work, double t, const double *q, const double *v, double span);
    /* Optional, POTENTIAL that only sees differences of positions: from now on positions are q + low (of `between`: q1 + low), where
     * low is what rounding took from q = q_k + s, |s| <= reach. NULL: they are q. */
    void (*lower)(void *work, const double *low, double reach);
    /* Optional, POTENTIAL of contact: raises what is less than it has. */
    void (*touch)(const void *data, void *work, double t, const double *q, const double *v, lil_touch *most);
    /* With it: who that was, and in what. False: there are no such two. */
    bool (*who)(const void *data, const lil_contact_id *which, lil_pair *names);
    /* Optional, POTENTIAL of contact: lists what touches at (t, q), up to `room` of them, always in the same order; returns how many there
     * are. -1: it cannot tell. */
    int (*list_touching)(const void *data, void *work, double t, const double *q, lil_touching *list, int room);
    /* With it: part i. False: there are no more. */
    bool (*touching_part)(const void *data, int i, lil_touching_part *part);
    /* Optional, POTENTIAL: the largest s <= 1 such that the term exists, as it is at t, on all of [q, q + s d). */
    double (*longest)(const void *data, void *work, double t, const double *q, const double *d);
    /* With `impassable`: the term exists all the way from q0 at t0 straight to q1 at t1. */
    bool (*is_open)(const void *data, void *work, double t0, const double *q0, double t1, const double *q1);
    /* With it: where that way is blocked, moves what is free (number[k] >= 0; NULL: all is) of q1 out of the way of what blocks it. How many
     * blocked it; 0: q1 is as it was. -1: something blocks it that is not free. */
    int (*push)(const void *data, void *work, double t0, const double *q0, double t1, const int *number, double *q1);
    /* With it: something was within its reach, in the latest evaluate or between. */
    bool (*pushes)(const void *work);
    /* And: which two press each other hardest at q, and with what force, N. False: none do. */
    bool (*hardest)(const void *data, void *work, double t, const double *q, lil_pair *names, double *force);
    /* Optional, POTENTIAL and (prepared) STEP: adds the sizes of what the value and the norm of its gradient are summed
     * from, also where these cancel: round-off is a few DBL_EPSILON of them. Without it they are |value| and |gradient|. The
     * second may be NULL. */
    void (*size)(const void *data, const void *work, const double *q, double *value, double *gradient);
    /* Optional: the smallest det F of the latest evaluate, or at the end of the latest between. */
    double (*least_volume)(const void *work);
    /* Optional, KICK (prepared at q): adds d(y'C(q)v)/dq. */
    void (*slope)(const void *data, void *work, const double *q, const double *y, const double *v, double *g);
    /* KICK: adds to each vertex what C has in its rows at rest, at most: the sum of the norms of its blocks. Over the vertex's
     * mass that bounds the eigenvalues of M^-1 C (Gershgorin). */
    void (*rows)(const void *data, double *sums);
    /* Optional: why `evaluate` is not finite there, as "where: cause". False: it cannot tell. */
    bool (*explain)(const void *data, void *work, double t, const double *q, const double *v, char *sentence,
                    size_t size);
    /* Optional, POTENTIAL: which element at this vertex limits explicit steps most, for people. False: it has none there. */
    bool (*stiffest)(const void *data, int vertex, char *name, size_t size);
    const lil_term_elements *elements; /* optional, POTENTIAL and IMPULSE */
    bool
        impassable; /* POTENTIAL: it is infinite where features touch. A step stays on one side by its discrete gradient, or by minimising it at the end */
    bool elastic;   /* POTENTIAL: its energy is one of strain */
    bool uniform;   /* POTENTIAL: dW/dq is the same everywhere and always */
    bool leaks;     /* angular momentum */
    void (*destroy)(void *data); /* optional: what is not in the model's arena */
} lil_term_table;

struct lil_term {
    const lil_term_table *table;
    void *data;
    bool uses_t, uses_q, uses_v;
    double damping; /* STEP, KICK, IMPULSE: kD, s */
    bool holds;     /* some mu is not 0, so that what touches may stick; POTENTIAL: or other losses were asked for */
    bool loses;     /* POTENTIAL: something may be `lost` */
};

#endif
