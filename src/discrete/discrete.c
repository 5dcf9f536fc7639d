#include "discrete/discrete.h"

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

void lil_tally_work(lil_tally *tally, lil_evaluator *ev, double weight, double t, const double *q, const double *v,
                    const double *F)
{
    double all = weight * lil_dot(ev->n, F, v), external = all;
    if (ev->model->force_uses_v) {
        memset(ev->at_rest, 0, (size_t)ev->n * sizeof *ev->at_rest);
        lil_evaluate_force(ev, t, q, ev->at_rest, ev->force_at_rest);
        external = weight * lil_dot(ev->n, ev->force_at_rest, v);
        external = isfinite(external) ? external : 0; /* a force that does not exist at rest is all friction */
    }
    tally->work_in += external;
    tally->work_out += external - all;
}

lil_status lil_tally_solve(lil_context *ctx, lil_tally *tally, const lil_solve *solve, const char *solver,
                           double *reference)
{
    tally->newton_iterations += solve->iterations;
    tally->linear_solves += solve->linear_solves;
    if (!isfinite(solve->gradient))
        return lil_fail(ctx, LIL_ERR_NOT_FINITE, "the equations of the step are not finite");
    if (!solve->converged)
        return lil_fail(ctx, LIL_ERR_CONVERGENCE,
                        "%s stands at |gradient| = %.3g after %d iterations, %.3g of its start", solver,
                        solve->gradient, solve->iterations, solve->gradient / solve->gradient_start);
    if (*reference == 0)
        *reference = solve->gradient_start;
    tally->gradient_max = fmax(tally->gradient_max, solve->gradient);
    return LIL_OK;
}

bool lil_discrete_is_explicit(const lil_model *model, const lil_rule *rule)
{
    if (!model->mass.constant)
        return false;
    for (int i = 0; i < rule->n; i++) {
        bool at_start = rule->c[i] == 0, force = model->force_varies && rule->b[i] * rule->f[i] != 0;
        if (rule->b[i] * rule->a[i] != 0 && !at_start)
            return false;
        if (force && (!at_start || model->force_uses_v))
            return false;
    }
    return true;
}

lil_status lil_discrete_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_rule *rule,
                               const lil_solver_def *solver, lil_tally *tally, lil_discrete *d)
{
    const lil_model *model = ev->model;
    *d = (lil_discrete){ .ev = ev, .rule = *rule, .solver = *solver, .tally = tally };
    d->table = model->mass.constant ? &lil_discrete_separable : &lil_discrete_general;
    d->explicit_ = lil_discrete_is_explicit(model, rule);
    bool possible = d->table->minimises && !model->force_varies;
    if (solver->method == LIL_SOLVER_MINIMISE && !possible && !d->explicit_)
        return lil_fail(ctx, LIL_ERR_INPUT, "the step is no minimisation because %s: use the solver 'root' or 'auto'",
                        model->mass.constant ? "a force depends on positions or velocities"
                                             : "the mass is not constant");
    d->minimise = possible && solver->method != LIL_SOLVER_ROOT;
    double **vectors[] = { &d->v, &d->node, &d->Q, &d->P, &d->F, &d->dp };
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k] = LIL_NEW(arena, double, ev->n)))
            return lil_fail_memory(ctx);
    return d->explicit_ ? LIL_OK : lil_newton_create(ctx, arena, &ev->pattern, d->minimise, &d->newton);
}

void lil_discrete_destroy(lil_discrete *d)
{
    lil_newton_destroy(&d->newton);
}

/* ---- forces ---- */

static const double *force_at(lil_discrete *d, int i, const double *v)
{
    lil_evaluate_force(d->ev, lil_discrete_time(d, i), lil_discrete_node(d, i, v), v, d->F);
    return d->F;
}

/* - h sum b_i f_i F_i into r, and its integral -h sum b_i f_i F_i'v into E where F is constant */
static void force_equations(lil_discrete *d, const double *v, double *E, double *r, lil_noise *size)
{
    for (int i = 0; i < d->rule.n; i++) {
        double weight = d->h * d->rule.b[i] * d->rule.f[i];
        if (weight == 0)
            continue;
        const double *F = force_at(d, i, v);
        for (int k = 0; k < d->ev->n; k++)
            r[k] -= weight * F[k];
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
    for (int i = 0; i < d->rule.n; i++) {
        double weight = d->h * d->rule.b[i] * d->rule.f[i];
        lil_weights w = { .Fq = -weight * d->rule.c[i] * d->h, .Fv = -weight };
        if (weight != 0)
            lil_evaluate_second(d->ev, lil_discrete_time(d, i), lil_discrete_node(d, i, v), v, &w, H);
    }
}

/* F- + F+ = h sum e_i F_i into dp, and its work into the tally */
static void force_impulse(lil_discrete *d, const double *v, double *dp)
{
    for (int i = 0; i < d->rule.n; i++) {
        double weight = d->h * d->rule.e[i];
        const double *F = force_at(d, i, v);
        for (int k = 0; k < d->ev->n; k++)
            dp[k] += weight * F[k];
        lil_tally_work(d->tally, d->ev, weight, lil_discrete_time(d, i), d->node, v, F);
    }
}

/* ---- the equations of a step as an objective ---- */

static void objective_value(void *self, const double *v, double *E, double *g, lil_noise *noise)
{
    lil_discrete *d = self;
    d->table->equations(d, v, E, g, noise);
    if (d->ev->model->has_force)
        force_equations(d, v, E, g, noise);
    noise->E *= 4 * DBL_EPSILON;
    noise->g *= 4 * DBL_EPSILON;
}

static void objective_hessian(void *self, const double *v, double *H)
{
    lil_discrete *d = self;
    memset(H, 0, (size_t)d->ev->pattern.count * sizeof *H);
    d->table->second(d, v, H);
    if (d->ev->model->force_varies)
        force_second(d, v, H);
}

static lil_status solve_implicit(lil_discrete *d)
{
    lil_objective objective = { d->ev->n, &d->ev->pattern, d, objective_value, objective_hessian };
    lil_solve solve = { .tolerance = d->solver.tolerance,
                        .reference = 1e-3 * d->reference,
                        .iterations_max = d->solver.iterations };
    if (d->minimise)
        lil_minimise(&d->newton, &objective, &solve, d->v);
    else
        lil_root(&d->newton, &objective, &solve, d->v);
    return lil_tally_solve(d->ev->ctx, d->tally, &solve, d->minimise ? "minimise" : "root", &d->reference);
}

/* M v = p_k - h sum b_i a_i dW(q_k) + h sum b_i f_i F(q_k): constant mass, and all nodes that count at the start */
static void solve_explicit(lil_discrete *d)
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
    if (d->ev->model->has_force) {
        memset(d->v, 0, (size_t)d->ev->n * sizeof *d->v);
        memset(d->P, 0, (size_t)d->ev->n * sizeof *d->P);
        force_equations(d, d->v, NULL, d->P, &size);
        for (int k = 0; k < d->ev->n; k++)
            Mv[k] -= d->P[k];
    }
    lil_mass_solve(d->ev, Mv, d->v);
}

lil_status lil_discrete_step(lil_discrete *d, double t, double h, double *q, double *p, const double *v_guess)
{
    int n = d->ev->n;
    d->t = t;
    d->h = h;
    d->q = q;
    d->p = p;
    if (d->explicit_) {
        solve_explicit(d);
    } else {
        memcpy(d->v, v_guess, (size_t)n * sizeof *d->v);
        LIL_TRY(solve_implicit(d));
    }
    /* p by (5), not by (6): then momenta do not depend on how well (7) was solved */
    memset(d->dp, 0, (size_t)n * sizeof *d->dp);
    d->table->impulse(d, d->v, d->dp);
    if (d->ev->model->has_force)
        force_impulse(d, d->v, d->dp);
    for (int k = 0; k < n; k++) {
        q[k] += h * d->v[k];
        p[k] += d->dp[k];
    }
    return LIL_OK;
}
