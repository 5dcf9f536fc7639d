#include "discrete/discrete.h"

#include "core/threads.h"
#include "discrete/torque.h"
#include "math/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

lil_rule lil_rule_variational(int n, const double *b, const double *c, bool minus)
{
    lil_rule rule = { .n = n };
    for (int i = 0; i < n; i++) {
        rule.b[i] = rule.e[i] = b[i];
        rule.c[i] = c[i];
        rule.a[i] = 1 - c[i];
        rule.f[i] = minus ? 1 : 1 - c[i];
    }
    return rule;
}

double lil_rule_stable(const lil_rule *rule)
{
    double beta = 0;
    for (int i = 0; i < rule->n; i++)
        beta += rule->b[i] * rule->c[i] * (1 - rule->c[i]);
    return 4 * beta < 1 - 1e-12 ? 2 / sqrt(1 - 4 * beta) : INFINITY;
}

bool lil_discrete_is_explicit(const lil_model *model, const lil_rule *rule)
{
    if (!model->mass.constant || lil_model_terms(model, LIL_STEP))
        return false;
    if (model->may_stick &&
        model->constraint_count) /* friction depends on the constraint forces, and these on friction */
        return false;
    bool varies = lil_model_forces_vary(model);
    for (int i = 0; i < rule->n; i++) {
        bool at_start = rule->c[i] == 0, force = varies && rule->b[i] * rule->f[i] != 0;
        if (rule->b[i] * rule->a[i] != 0 && !at_start)
            return false;
        if (force && (!at_start || lil_model_forces_use_v(model)))
            return false;
    }
    return true;
}

/* (5) and (7) come from one discrete Lagrangian. */
static bool is_variational(const lil_rule *rule)
{
    for (int i = 0; i < rule->n; i++)
        if (rule->e[i] != rule->b[i] || rule->a[i] != 1 - rule->c[i])
            return false;
    return true;
}

lil_levels lil_discrete_levels(int preconditioner)
{
    static const lil_levels levels[] = { LIL_LEVELS_AUTO, LIL_LEVELS_ONE, LIL_LEVELS_MANY };
    return levels[preconditioner];
}

/* With constraints, p is projected after the step, and all of the friction must act before that. */
static void share_friction(lil_discrete *d)
{
    if (!lil_model_terms(d->ev->model, LIL_FRICTION) || (d->part && d->constrained))
        return;
    for (int i = 0; i < d->rule.n; i++)
        d->share += d->rule.b[i] * d->rule.f[i];
    d->share = fmin(fmax(d->share, 0), 1);
    d->has_friction = d->explicit_;
    if (d->constrained && !d->has_friction)
        d->share = fmax(d->share, 0.5);
    if (!d->has_friction)
        d->friction = d->part ? 1 : d->share;
    if (!d->part && (d->has_friction || d->share < 0.5))
        d->left = 1 - d->share;
}

lil_status lil_discrete_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_rule *rule,
                               const lil_solver_def *solver, lil_tally *tally, lil_constrained *constrained,
                               bool part, lil_discrete *d)
{
    const lil_model *model = ev->model;
    *d = (lil_discrete){
        .ev = ev, .rule = *rule, .solver = *solver, .tally = tally, .constrained = constrained, .part = part
    };
    d->table = model->mass.constant ? &lil_discrete_separable : &lil_discrete_general;
    d->explicit_ = lil_discrete_is_explicit(model, rule);
    bool possible = d->table->minimises && (!lil_model_forces_vary(model) || rule->frozen);
    share_friction(d);
    if (solver->method == LIL_SOLVER_MINIMISE && !possible && !d->explicit_)
        return lil_fail(
            ctx, LIL_ERR_INPUT, "the step is not a minimisation because %s: use the solver 'root' or 'auto'",
            model->mass.constant ? "a force depends on positions or velocities" : "the mass is not constant");
    d->minimise = possible && solver->method != LIL_SOLVER_ROOT;
    d->turns = model->points.angular && is_variational(rule) && !d->explicit_ && !constrained;
    LIL_ALLOC_ALL(ctx, arena, double, ev->n, &d->v, &d->node, &d->Q, &d->P, &d->F, &d->dp, &d->latest);
    LIL_TRY(lil_step_path_create(ctx, arena, ev, &d->way));
    if (d->friction > 0 && !d->part) {
        d->before_count = 1 + ev->n;
        LIL_ALLOC(ctx, arena, d->before, d->before_count);
    }
    if (d->has_friction || d->left > 0 || (d->part && d->friction > 0))
        LIL_TRY(lil_friction_impulse_create(ctx, arena, ev, tally, &d->friction_impulse));
    if (d->explicit_ || (constrained && !ev->blocks.values))
        return LIL_OK;
    if (!ev->blocks.values) {
        LIL_TRY(lil_newton_create(ctx, arena, &ev->matrix.pattern, d->minimise, &d->newton));
        d->couplings.arena = arena;
        return lil_block_assembly_couples(model, lil_in_the_matrix) ? lil_newton_couple(ctx, arena, &d->newton)
                                                                    : LIL_OK;
    }
    LIL_TRY(lil_reused_matrix_create(ctx, arena, ev->n, &d->reused));
    if (constrained)
        return LIL_OK;
    lil_fallback_create(model, solver->linear, &d->fallback);
    return lil_newton_create_iterative(ctx, arena, &ev->blocks.A, ev->blocks.x,
                                       lil_discrete_levels(solver->preconditioner), d->minimise, &d->newton);
}

void lil_discrete_destroy(lil_discrete *d)
{
    lil_newton_destroy(&d->newton);
    lil_fallback_destroy(&d->fallback);
}

/* ---- forces ---- */

static const double *discrete_force_at(lil_discrete *d, int i, const double *v)
{
    const double *node = lil_discrete_node(d, i, v);
    if (d->rule.frozen)
        lil_evaluate_force(d->ev, d->t, d->q, d->v_now, d->F);
    else
        lil_evaluate_force(d->ev, lil_discrete_time(d, i), node, v, d->F);
    return d->F;
}

/* The number of nodes at which forces are evaluated. */
static int force_nodes(const lil_discrete *d)
{
    return lil_model_terms(d->ev->model, LIL_FORCE) ? d->rule.n : 0;
}

/* - h sum b_i f_i F_i into r, and its integral -h sum b_i f_i F_i'v into E where F is constant */
static void force_equations(lil_discrete *d, const double *v, double *E, double *r, lil_noise *size)
{
    for (int i = 0; i < force_nodes(d); i++) {
        double weight = d->h * d->rule.b[i] * d->rule.f[i];
        if (weight == 0)
            continue;
        const double *F = discrete_force_at(d, i, v);
        lil_add(d->ev->n, -weight, F, r);
        if (E) {
            double work = weight * lil_dot(d->ev->n, F, v);
            *E -= work;
            size->E += fabs(work);
        }
        size->g += fabs(weight) * lil_norm(d->ev->n, F);
    }
}

static void force_second(lil_discrete *d, const double *v, double *H)
{
    for (int i = 0; i < force_nodes(d) && !d->rule.frozen; i++) {
        double weight = d->h * d->rule.b[i] * d->rule.f[i];
        lil_weights w = { .Fq = -weight * d->rule.c[i] * d->h, .Fv = -weight, .to = lil_discrete_matrix(d) };
        if (weight != 0)
            lil_evaluate_second(d->ev, lil_discrete_time(d, i), lil_discrete_node(d, i, v), v, &w, H);
    }
}

/* F- + F+ = h sum e_i F_i into dp, and its work into the tally */
static void force_impulse(lil_discrete *d, const double *v, double *dp)
{
    for (int i = 0; i < force_nodes(d); i++) {
        double weight = d->h * d->rule.e[i];
        const double *F = discrete_force_at(d, i, v);
        lil_add(d->ev->n, weight, F, dp);
        lil_tally_work(d->tally, d->ev, weight, lil_discrete_time(d, i), d->node, v, F);
    }
}

/* ---- damping in the Lilyan ---- */

/* velocities of prescribed motion are those of the middle of the step */
static double discrete_middle(const lil_discrete *d)
{
    return d->t + d->h / 2;
}

/* S into E, dS/dv into r */
static void step_equations(lil_discrete *d, const double *v, double *E, double *r, lil_noise *size)
{
    double S = 0;
    if (!lil_evaluate_damping(d->ev, LIL_STEP, discrete_middle(d), d->q, v, E ? &S : NULL, d->F, NULL, NULL))
        return;
    lil_add(d->ev->n, 1, d->F, r);
    if (E) {
        *E += S;
        size->E += fabs(S);
    }
    size->g += lil_norm(d->ev->n, d->F);
    lil_evaluate_size(d->ev, LIL_STEP, d->t, d->q, &size->E, &size->g);
}

static void step_impulse(lil_discrete *d, const double *v, double *dp)
{
    double taken, held;
    if (!lil_evaluate_damping(d->ev, LIL_STEP, discrete_middle(d), d->q, v, NULL, d->F, &taken, &held))
        return;
    lil_supports_add(d->ev->supports, LIL_SUPPORT_FORCE, 1);
    lil_add(d->ev->n, -1, d->F, dp);
    d->tally->work_out += taken;
    d->tally->work_in += held;
}

/* ---- friction ---- */

/* N uses the v of the step, its mean velocity. The velocity at its end oscillates about the mean if dampers are
 * stiff for the step, and would make N too large. */
static void prepare_friction(lil_discrete *d)
{
    lil_evaluate_prepare(d->ev, LIL_FRICTION, d->t, d->part ? d->passed + d->share * d->h : d->h, d->q);
    if (!d->part) /* p of a part still has what dampers remove over the whole step */
        lil_evaluate_carry(d->ev, d->t, d->before[0] != 0 ? d->before + 1 : d->v_now);
}

static void friction_equations(lil_discrete *d, const double *v, double *E, double *r, lil_noise *size)
{
    double S = 0;
    lil_evaluate_damping(d->ev, LIL_FRICTION, discrete_middle(d), d->q, v, E ? &S : NULL, d->F, NULL, NULL);
    lil_add(d->ev->n, d->friction, d->F, r);
    if (E) {
        *E += d->friction * S;
        size->E += d->friction * S;
    }
    size->g += d->friction * lil_norm(d->ev->n, d->F);
}

/* A moving obstacle does work by friction: its share of the work is -driven. With a share of one half v is the
 * mean of both ends' velocities, up to the effect of W, and the work is D.v. */
static void friction_impulse(lil_discrete *d, const double *v, double *dp)
{
    double taken, held, *D = d->F;
    lil_evaluate_damping(d->ev, LIL_FRICTION, discrete_middle(d), d->q, v, NULL, D, &taken, &held);
    double driven = lil_evaluate_driven(d->ev);
    d->tally->work_out += taken - driven;
    d->tally->work_in += held - driven;
    lil_supports_add(d->ev->supports, LIL_SUPPORT_FRICTION, 1);
    lil_add(d->ev->n, -1, D, dp);
}

/* D1 and D2 dissipate D.v, up to (A2^2 - A1^2)/2m, where A1 and A2 are all impulses on p before and after the
 * drift. These are halves of a kick and cancel from step to step, if friction is not in them. So D1 is booked as
 * if it came before the first half, and D2 after the second. That is the exact change of T. */
static void book_rubbing(lil_discrete *d, bool first)
{
    lil_friction_impulse *r = &d->friction_impulse;
    if (d->share != 0.5) {
        lil_friction_impulse_book(r, d->v);
        return;
    }
    for (int k = 0; k < d->ev->n && !first; k++)
        d->P[k] = d->p[k] + r->D[k];
    lil_friction_impulse_book_kick(r, first ? d->p : d->P);
}

/* The share of it that (7) has, as if lil_friction_impulse_apply had computed it. */
static void friction_share(lil_discrete *d, const double *v)
{
    lil_friction_impulse *r = &d->friction_impulse;
    lil_evaluate_damping(d->ev, LIL_FRICTION, discrete_middle(d), d->q, v, NULL, r->D, NULL, &r->held);
    lil_supports_scale(d->ev->supports, LIL_SUPPORT_FRICTION, d->friction);
    r->held *= d->friction;
    r->driven = d->friction * lil_evaluate_driven(d->ev);
    for (int k = 0; k < d->ev->n; k++)
        r->D[k] *= d->friction;
}

/* ---- the equations of a step as an objective ---- */

static void discrete_objective_value(void *self, const double *v, double *E, double *g, lil_noise *noise)
{
    lil_discrete *d = self;
    d->table->equations(d, v, E, g, noise);
    force_equations(d, v, E, g, noise);
    step_equations(d, v, E, g, noise);
    if (d->friction > 0)
        friction_equations(d, v, E, g, noise);
    noise->E *= 4 * DBL_EPSILON;
    noise->g *= 4 * DBL_EPSILON;
}

static void discrete_objective_hessian(void *self, const double *v, double *H)
{
    lil_discrete *d = self;
    d->couplings.count = 0;
    d->couplings.lost = false;
    d->ev->beside = d->newton.room ? &d->couplings : NULL;
    lil_assembly_zero(lil_discrete_matrix(d), H);
    d->table->second(d, v, H);
    force_second(d, v, H);
    lil_evaluate_second(d->ev, discrete_middle(d), d->q, v, &(lil_weights){ .Sv = 1, .to = lil_discrete_matrix(d) },
                        H);
    if (d->friction > 0)
        lil_evaluate_second(d->ev, discrete_middle(d), d->q, v,
                            &(lil_weights){ .Rv = d->friction, .to = lil_discrete_matrix(d) }, H);
    d->ev->beside = NULL;
    lil_couplings_number(&d->couplings, d->ev->model->dofs.free ? d->ev->model->dofs.number : NULL);
}

static void discrete_objective_definite(void *self, const double *v, double *H)
{
    lil_discrete *d = self;
    d->definite = true;
    discrete_objective_hessian(d, v, H);
    d->definite = false;
}

/* The node at which W enters if there is only one, else -1. */
static int single_node(const lil_discrete *d)
{
    int found = -1, count = 0;
    for (int i = 0; i < d->rule.n; i++)
        if (d->rule.b[i] * d->rule.a[i] * d->rule.c[i] != 0) {
            found = i;
            count++;
        }
    return count == 1 ? found : -1;
}

static void add_node_blocks(lil_discrete *d, int i, double t, const double *node, const double *v)
{
    double weight = d->rule.b[i] * d->rule.a[i] * d->rule.c[i] * d->h * d->h;
    if (weight != 0)
        lil_evaluate_blocks(d->ev, t, node, v, &(lil_weights){ .Qq = -weight, .definite = d->definite });
}

/* M + sum b_i a_i c_i h^2 K(q_i) + d2S/dv2 in blocks. A matrix of an earlier step has the same h and another node.
 * It has no friction, because friction is prepared for one step only. */
static bool discrete_objective_assemble(void *self, const double *v, lil_fresh fresh)
{
    lil_discrete *d = self;
    lil_reused_matrix *reused = &d->reused;
    int single = lil_model_terms(d->ev->model, LIL_STEP) || d->friction > 0 ? -1 : single_node(d);
    const double *from = single < 0 ? NULL : lil_reused_matrix_node(reused, d->h);
    if (fresh == LIL_REUSED && (!from || reused->current))
        return from;
    d->definite = fresh == LIL_DEFINITE;
    lil_block_assembly_zero(&d->ev->blocks);
    for (int i = 0; i < d->rule.n; i++)
        if (fresh == LIL_REUSED)
            add_node_blocks(d, i, lil_reused_matrix_time(reused), from, v);
        else
            add_node_blocks(d, i, lil_discrete_time(d, i), lil_discrete_node(d, i, v), v);
    lil_evaluate_blocks(d->ev, discrete_middle(d), d->q, v, &(lil_weights){ .Sv = 1 });
    if (d->friction > 0)
        lil_evaluate_blocks(d->ev, discrete_middle(d), d->q, v, &(lil_weights){ .Rv = d->friction });
    d->definite = false;
    bool good = lil_block_assembly_finish(&d->ev->blocks);
    if (fresh == LIL_REUSED)
        reused->current = good;
    else if (good && fresh == LIL_EXACT && single >= 0)
        lil_reused_matrix_set(reused, d->h, lil_discrete_time(d, single), lil_discrete_node(d, single, v));
    else
        lil_reused_matrix_drop(reused);
    return good;
}

static double objective_direct_cost(void *self)
{
    lil_discrete *d = self;
    return lil_fallback_cost(&d->fallback, d->ev, &d->ev->blocks.A, false);
}

/* The same matrix from the fallback's evaluator, which has entries. */
static bool objective_direct(void *self, const double *v, const double *g, double *dv)
{
    lil_discrete *d = self;
    lil_fallback *f = &d->fallback;
    lil_evaluator *own = d->ev;
    d->ev = &f->ev;
    lil_evaluate_prepare(d->ev, LIL_STEP, d->t, d->h, d->q);
    if (d->friction > 0)
        prepare_friction(d);
    discrete_objective_hessian(d, v, f->values);
    bool good = lil_ldl_factor(&f->ldl, f->values);
    if (!good && lil_evaluate_projects(d->ev)) {
        discrete_objective_definite(d, v, f->values);
        good = lil_ldl_factor(&f->ldl, f->values);
    }
    d->ev = own;
    if (good)
        lil_ldl_solve(&f->ldl, g, dv, f->work);
    return good;
}

/* The longest step from v along dv that keeps every node where W is defined. */
static double discrete_objective_longest(void *self, const double *v, const double *dv)
{
    lil_discrete *d = self;
    double s = 1;
    for (int i = 0; i < d->rule.n; i++) {
        double ch = d->rule.c[i] * d->h;
        if (ch == 0 || d->rule.b[i] * d->rule.a[i] == 0)
            continue;
        for (int k = 0; k < d->ev->n; k++)
            d->P[k] = ch * dv[k];
        s = fmin(s, lil_evaluate_longest(d->ev, lil_discrete_time(d, i), lil_discrete_node(d, i, v), d->P));
    }
    return s;
}

static lil_objective objective_of(lil_discrete *d)
{
    lil_evaluator *ev = d->ev;
    return (lil_objective){ .n = ev->n,
                            .pattern = &ev->matrix.pattern,
                            .self = d,
                            .phases = ev->ctx->phases,
                            .stop = &ev->ctx->stop,
                            .value = discrete_objective_value,
                            .hessian = discrete_objective_hessian,
                            .definite = lil_evaluate_projects(ev) ? discrete_objective_definite : NULL,
                            .couplings = &d->couplings,
                            .assemble = ev->blocks.values ? discrete_objective_assemble : NULL,
                            .direct = d->fallback.allowed ? objective_direct : NULL,
                            .direct_cost = objective_direct_cost,
                            .longest = lil_evaluate_ends(ev) ? discrete_objective_longest : NULL };
}

static lil_solve solve_of(const lil_discrete *d)
{
    return (lil_solve){ .tolerance = d->solver.tolerance,
                        .reference = 1e-3 * d->reference,
                        .iterations_max = d->solver.iterations };
}

static lil_status discrete_solve_implicit(lil_discrete *d)
{
    lil_objective objective = objective_of(d);
    lil_solve sv = solve_of(d);
    if (lil_step_path_is_driven(&d->way))
        LIL_TRY(lil_step_path_guess(&d->way, d->v));
    else
        lil_objective_shorten(&objective, d->dp, d->v);
    (d->minimise ? lil_minimise : lil_root)(&d->newton, &objective, &sv, d->v);
    return lil_tally_solve(d->ev->ctx, d->tally, &sv, d->minimise ? "minimise" : "root", &d->reference);
}

/* (C1); of explicit steps v comes in without constraint forces */
static lil_status discrete_solve_bound(lil_discrete *d)
{
    lil_objective objective = objective_of(d);
    lil_solve sv = solve_of(d);
    if (!d->explicit_)
        lil_objective_shorten(&objective, d->dp, d->v);
    lil_status status =
        lil_constrained_solve(d->constrained, d->explicit_ ? NULL : &objective, &sv, d->t, d->h, d->q, d->v);
    if (status != LIL_OK) {
        d->tally->newton_iterations += sv.iterations;
        return status;
    }
    return lil_tally_solve(d->ev->ctx, d->tally, &sv, "the bound step", &d->reference);
}

/* M v = p_k - h sum b_i a_i dW(q_k) + h sum b_i f_i F(q_k) - D1(v): constant mass, and all nodes with a weight are
 * at the start */
static void discrete_solve_explicit(lil_discrete *d)
{
    const lil_rule *rule = &d->rule;
    const double *g;
    double weight = 0, *Mv = d->dp;
    lil_noise size = { 0 };
    for (int i = 0; i < rule->n; i++)
        weight += d->h * rule->b[i] * rule->a[i];
    lil_evaluate_frame(d->ev, d->t, d->q, NULL, &g);
    for (int k = 0; k < d->ev->n; k++)
        Mv[k] = d->p[k] - weight * g[k];
    if (lil_model_terms(d->ev->model, LIL_FORCE)) {
        memset(d->v, 0, (size_t)d->ev->n * sizeof *d->v);
        memset(d->P, 0, (size_t)d->ev->n * sizeof *d->P);
        force_equations(d, d->v, NULL, d->P, &size);
        lil_add(d->ev->n, -1, d->P, Mv);
    }
    if (d->has_friction)
        lil_friction_impulse_apply(&d->friction_impulse, d->t, d->passed + d->share * d->h, d->q, Mv);
    lil_mass_solve(d->ev, Mv, d->v);
}

/*
 * The same step for vertices on which only a potential acts, with nodes at the ends only. Vertices are updated in
 * pieces:
 *
 *     v = M^-1 (p_k - h sum b_i a_i dW(q_k)),   q_{k+1} = q_k + h v,   p_{k+1} = p_k - h (e_0 dW(q_k) + e_1 dW(q_{k+1}))
 */
static bool has_nodes_at_ends(const lil_discrete *d)
{
    for (int i = 0; i < d->rule.n; i++)
        if (d->rule.e[i] != 0 && d->rule.c[i] != 0 && d->rule.c[i] != 1)
            return false;
    return d->ev->model->mass.diagonal && !lil_model_terms(d->ev->model, LIL_FORCE) && !d->has_friction;
}

typedef struct piece_job {
    const lil_discrete *d;
    double weight, kick; /* of dW in v, and in p */
    const double *g;
    double *q, *p;
} piece_job;

LIL_KERNEL static void kick_and_drift(void *data, int i)
{
    const piece_job *job = data;
    int from = i * LIL_PIECE, n = lil_piece_size((size_t)job->d->ev->n, i);
    const double *m = job->d->ev->model->mass.diagonal + from, *g = job->g + from, h = job->d->h;
    double *restrict q = job->q + from, *restrict p = job->p + from;
    for (int k = 0; k < n; k++) {
        q[k] += h * ((p[k] - job->weight * g[k]) / m[k]);
        p[k] -= job->kick * g[k];
    }
}

LIL_KERNEL static void kick(void *data, int i)
{
    const piece_job *job = data;
    int from = i * LIL_PIECE, n = lil_piece_size((size_t)job->d->ev->n, i);
    const double *g = job->g + from;
    double *restrict p = job->p + from;
    for (int k = 0; k < n; k++)
        p[k] -= job->kick * g[k];
}

static void step_between_ends(lil_discrete *d, double *q, double *p)
{
    const lil_rule *rule = &d->rule;
    lil_evaluator *ev = d->ev;
    piece_job start = { .d = d, .q = q, .p = p }, end = start;
    for (int i = 0; i < rule->n; i++) {
        start.weight += d->h * rule->b[i] * rule->a[i];
        *(rule->c[i] == 0 ? &start.kick : &end.kick) += d->h * rule->e[i];
    }
    lil_evaluate_frame(ev, d->t, q, NULL, &start.g);
    lil_tally_drive(d->tally, ev, start.kick, d->t, q, NULL);
    lil_parallel(ev->threads, lil_pieces((size_t)ev->n), kick_and_drift, &start);
    if (end.kick == 0)
        return;
    lil_evaluate_frame(ev, d->t + d->h, q, NULL, &end.g);
    lil_tally_drive(d->tally, ev, end.kick, d->t + d->h, q, NULL);
    lil_parallel(ev->threads, lil_pieces((size_t)ev->n), kick, &end);
}

lil_status lil_discrete_step(lil_discrete *d, double t, double h, double *q, double *p, const double *v_guess)
{
    int n = d->ev->n;
    d->t = t;
    d->h = h;
    d->q = q;
    d->p = p;
    d->v_now = v_guess;
    d->latest_valid = false;
    if (d->explicit_ && !d->constrained && has_nodes_at_ends(d)) {
        step_between_ends(d, q, p);
        return LIL_OK;
    }
    lil_evaluate_prepare(d->ev, LIL_STEP, t, h, q);
    if (d->friction > 0)
        prepare_friction(d);
    lil_step_path_begin(&d->way, t, h, q);
    if (d->explicit_) {
        discrete_solve_explicit(d);
    } else {
        memcpy(d->v, v_guess, (size_t)n * sizeof *d->v);
        if (!d->constrained)
            LIL_TRY(discrete_solve_implicit(d));
    }
    if (d->constrained)
        LIL_TRY(discrete_solve_bound(d));
    LIL_TRY(lil_step_path_check(&d->way, d->v));

    /* p by (5), not by (6): then momenta do not depend on the residual of (7) */
    memset(d->dp, 0, (size_t)n * sizeof *d->dp);
    d->table->impulse(d, d->v, d->dp);
    d->tally->touched = d->tally->touched || (d->way.ev && lil_evaluate_pushes(d->ev));
    force_impulse(d, d->v, d->dp);
    step_impulse(d, d->v, d->dp);
    if (d->friction > 0 && !d->friction_impulse.ev)
        friction_impulse(d, d->v, d->dp);
    else if (d->friction > 0)
        friction_share(d, d->v);
    if (d->before) {
        d->before[0] = 1;
        memcpy(d->before + 1, d->v, (size_t)n * sizeof *d->v);
    }
    if (d->friction_impulse.ev && !d->part) {
        book_rubbing(d, true);
        lil_add(n, -1, d->friction_impulse.D, d->dp);
    }
    if (d->constrained)
        lil_constrained_impulse(d->constrained, d->tally, d->v, d->dp);
    for (int k = 0; k < n; k++) {
        q[k] += h * d->v[k];
        p[k] += d->dp[k];
    }
    if (d->turns)
        lil_torque_remove(n / 3, d->ev->model->points.mass, h, d->v, d->newton.g, q, p);
    if (d->left > 0) {
        lil_friction_impulse_apply(&d->friction_impulse, t + h, d->left * h, q, p);
        book_rubbing(d, false);
    }
    return d->constrained ? lil_constrained_project(d->constrained, d->tally, t + h, q, p, d->v) : LIL_OK;
}
