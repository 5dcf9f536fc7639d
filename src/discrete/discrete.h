/*
 * Discrete Lagrangians on a straight segment (Kharevych et al. 2006, section 3):
 *
 *     Ld(q_k, v) = h sum_i b_i L(q_i, v),   q_i = q_k + c_i h v,   t_i = t_k + c_i h
 *
 *     q_{k+1} - q_k = h v                                                         (4)
 *     p_{k+1} - p_k = D1 Ld + F- + F+      = h sum b_i (Q_i + F_i)                (5)
 *     D2 Ld / h     = p_k + D1 Ld + F-:
 *     r(v) = sum b_i (P_i - a_i h Q_i - f_i h F_i) - p_k = 0                      (7)
 *
 * with Q = dL/dq, P = dL/dv, and a_i = 1 - c_i. The discrete Pontryagin-d'Alembert principle gives f_i = 1 - c_i as
 * well (F- = h sum b (1-c) F, F+ = h sum b c F), or f_i = 1 if all of the force is put into F-. Implicit Euler is the
 * same equation with c = a = f = 1, although it has no discrete Lagrangian. Newmark's method has weights e of its own
 * in (5). Dissipation in the Lilyan, S(v) of terms whose place is the step, adds dS/dv to (7) and subtracts it from p
 * in (5): it is an F- too.
 *
 * Friction has the same share in (7) as forces, so that p of a sticking contact is M v. An implicit step with a share
 * of one half or more subtracts all of dS/dv from p. With a smaller share that would be unstable: the remainder then
 * acts after the step (friction_impulse.h). The same holds for explicit forces: there friction alone is solved for,
 * contact by contact,
 *
 *     M v = p_k - kick - D1(v),   q_{k+1} = q_k + h v,   p_{k+1} = p_k - D1 - kicks - D2(p_{k+1}),
 *
 * D1 over the share of h, D2 over the remaining h. A part of a composition, which may go backwards, does not change p
 * by friction: its (7) has friction since the step of the composition began, and the composition subtracts it from p
 * at the end.
 */
#ifndef LIL_DISCRETE_DISCRETE_H
#define LIL_DISCRETE_DISCRETE_H

#include "discrete/constrained.h"
#include "discrete/direct_fallback.h"
#include "discrete/friction_impulse.h"
#include "discrete/reused_matrix.h"
#include "discrete/step_path.h"
#include "model/evaluator.h"

#include <string.h>

enum { LIL_NODES_MAX = LIL_LIST_MAX };

typedef struct lil_rule {
    int n;
    double b[LIL_NODES_MAX], c[LIL_NODES_MAX], a[LIL_NODES_MAX], f[LIL_NODES_MAX];
    double e[LIL_NODES_MAX]; /* weights of (5); b, unless the rule is not variational */
    bool frozen;             /* forces are those at the start of the step */
} lil_rule;

typedef struct lil_discrete lil_discrete;

/* One for constant mass and a potential, one for any L(q, v). */
typedef struct lil_discrete_table {
    const char *name;
    bool minimises; /* (7) is the gradient of the Lilyan E(v) */
    /* r(v) of (7) without its forces, E(v) where E is not NULL, and the sums of magnitudes of their terms */
    void (*equations)(lil_discrete *d, const double *v, double *E, double *r, lil_noise *size);
    /* dr/dv without forces, added to H */
    void (*second)(lil_discrete *d, const double *v, double *H);
    /* D1 Ld = h sum b_i Q_i, added to dp */
    void (*impulse)(lil_discrete *d, const double *v, double *dp);
} lil_discrete_table;

extern const lil_discrete_table lil_discrete_separable, lil_discrete_general;

struct lil_discrete {
    const lil_discrete_table *table;
    lil_evaluator *ev;
    lil_rule rule;
    lil_solver_def solver;
    bool explicit_, minimise; /* how (7) is solved */
    /* friction: its share in (7), F- over F- + F+; the part of the prepared S in (7); the share that remains for
     * the end of the step */
    double share, friction, left;
    bool has_friction; /* (7) is explicit but for friction */
    bool part;         /* of a composition, in whose step so much time */
    double passed;     /* has passed */
    /* unless (5) removes all of dS/dv; a part of a composition stores its friction there */
    lil_friction_impulse friction_impulse;
    double reference; /* |r| at the first step's guess: the tolerance never goes below 1e-3 of it */
    lil_newton newton;
    lil_couplings couplings; /* beside the matrix of a direct solve */
    lil_reused_matrix reused;
    double *before;               /* with friction: whether there was a step, and its v; words of a checkpoint, */
    int before_count;             /*   so many */
    lil_fallback fallback;        /* where conjugate gradients stall */
    bool turns;                   /* angular momentum is conserved up to the residual r: see torque.h */
    lil_constrained *constrained; /* NULL: no constraints */
    lil_tally *tally;
    lil_step_path way; /* with contact by barrier */
    /* the step being made */
    double h, t;
    const double *q, *p, *v_now;
    double *v, *node, *Q, *P, *F, *dp;
    bool definite; /* second derivatives of elements are projected */
    /* one node: the velocity for which Q and its power are dW/dq at the node; NULL: none */
    double *latest, latest_power;
    bool latest_valid;
};

/* The nodes c and weights b of a variational step; `minus` puts all of a force into F-. */
lil_rule lil_rule_variational(int n, const double *b, const double *c, bool minus);

/* The largest h omega for which the step of a linear oscillator of frequency omega stays bounded: the trace of the step
 * is 2 - x / (1 + beta x) with x = (h omega)^2, beta = sum b_i (c_i - c_i^2), so x (1 - 4 beta) < 4. For one node
 * 1 - 4 beta = (1 - 2 alpha)^2. */
double lil_rule_stable(const lil_rule *rule);

/* Whether (7) gives v without equations to solve, for this model. */
bool lil_discrete_is_explicit(const lil_model *model, const lil_rule *rule);

/* A lil_preconditioner as solvers know it. */
lil_levels lil_discrete_levels(int preconditioner);

/* The evaluator (with second derivatives unless the rule is explicit), the tally and the constraints (NULL: none)
 * are borrowed. `part`: of a composition. */
lil_status lil_discrete_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_rule *rule,
                               const lil_solver_def *solver, lil_tally *tally, lil_constrained *constrained,
                               bool part, lil_discrete *d);
void lil_discrete_destroy(lil_discrete *d);

/* q, p at t become q, p at t + h. */
lil_status lil_discrete_step(lil_discrete *d, double t, double h, double *q, double *p, const double *v_guess);

/* Where second derivatives become entries of dr/dv: with constraints, directly in the matrix to be factored. */
static inline const lil_assembly *lil_discrete_matrix(const lil_discrete *d)
{
    return d->constrained ? &d->constrained->matrix : &d->ev->matrix;
}

/* q_i = q_k + c_i h v, shared by both tables. */
static inline const double *lil_discrete_node(lil_discrete *d, int i, const double *v)
{
    double ch = d->rule.c[i] * d->h;
    for (int k = 0; k < d->ev->n; k++)
        d->node[k] = d->q[k] + ch * v[k];
    return d->node;
}

/* With one node, the next caller reuses what was computed for v. */
static inline void lil_discrete_remember(lil_discrete *d, const double *v)
{
    d->latest_valid = d->rule.n == 1;
    d->latest_power = d->ev->power;
    memcpy(d->latest, v, (size_t)d->ev->n * sizeof *v);
}

static inline bool lil_discrete_remembers(const lil_discrete *d, const double *v)
{
    return d->latest_valid && memcmp(d->latest, v, (size_t)d->ev->n * sizeof *v) == 0;
}

static inline double lil_discrete_time(const lil_discrete *d, int i)
{
    return d->t + d->rule.c[i] * d->h;
}

#endif
