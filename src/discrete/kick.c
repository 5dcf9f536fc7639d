#include "discrete/kick.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the largest sum of a row over its mass; pinned vertices have no row */
static lil_status bound_rate(lil_context *ctx, const lil_model *model, double *rate)
{
    double *sums = calloc((size_t)model->points.count, sizeof *sums);
    LIL_HAVE(ctx, sums);
    for (int i = 0; i < model->term_count; i++)
        if (lil_is_kick(model->terms[i].table->place))
            model->terms[i].table->dissipation->rows(model->terms[i].data, sums);
    for (int v = 0; v < model->points.count; v++)
        if (!model->dofs.free || model->dofs.number[3 * v] >= 0)
            *rate = fmax(*rate, sums[v] / model->points.mass[v]);
    free(sums);
    return LIL_OK;
}

/* Conjugate gradients stop at this part of the right-hand side: far below the error of the kick itself. */
static const double TOLERANCE = 1e-10;

static lil_status kick_create_matrix(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, int preconditioner,
                                     lil_kick *k)
{
    if (ev->kicks == LIL_SECOND_BLOCKS) {
        LIL_TRY(lil_block_assembly_create(ctx, arena, ev->model, ev->work, lil_is_kick, false, &k->blocks));
        return lil_krylov_create(ctx, arena, &k->blocks.A, k->blocks.x, lil_discrete_levels(preconditioner), false,
                                 &k->krylov);
    }
    LIL_TRY(lil_assembly_create(ctx, arena, ev->model, ev->entries, lil_is_kick, &k->matrix));
    LIL_ALLOC(ctx, arena, k->values, k->matrix.pattern.count);
    return lil_ldl_create(ctx, arena, &k->matrix.pattern, &k->ldl);
}

lil_status lil_kick_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_solver_def *solver,
                           lil_tally *tally, lil_kick *k)
{
    const lil_model *model = ev->model;
    *k = (lil_kick){ .ev = ev, .tally = tally };
    const int *count = model->place_count;
    if (!count[LIL_KICK] && !count[LIL_IMPULSE] && !count[LIL_FRICTION])
        return LIL_OK;
    LIL_ALLOC_ALL(ctx, arena, double, ev->n, &k->v, &k->dv, &k->b, &k->Cv, &k->scripted, &k->work, &k->q);
    if (!count[LIL_KICK])
        return LIL_OK;
    LIL_TRY(bound_rate(ctx, model, &k->rate));
    lil_fallback_create(model, solver->linear, &k->fallback);
    return kick_create_matrix(ctx, arena, ev, solver->preconditioner, k);
}

void lil_kick_destroy(lil_kick *k)
{
    lil_fallback_destroy(&k->fallback);
}

/* M + a C as prepared */
static bool factor_entries(lil_evaluator *ev, const lil_assembly *matrix, double t, double a, double *values,
                           lil_ldl *ldl)
{
    memset(values, 0, (size_t)matrix->pattern.count * sizeof *values);
    lil_assembly_add_mass(matrix, ev->model, 1, values);
    lil_evaluate_kick_entries(ev, t, a, matrix, values);
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    bool factored = lil_ldl_factor(ldl, values);
    lil_phase_end(ev->ctx->phases);
    return factored;
}

static bool kick_factor(lil_kick *k, double t, double a)
{
    return factor_entries(k->ev, &k->matrix, t, a, k->values, &k->ldl);
}

static bool kick_set_blocks(lil_kick *k, double t, double a)
{
    lil_phases *phases = k->ev->ctx->phases;
    lil_phase_begin(phases, LIL_PHASE_ASSEMBLE);
    lil_block_assembly_zero(&k->blocks);
    lil_evaluate_kick_blocks(k->ev, t, a, &k->blocks);
    bool good = lil_block_assembly_finish(&k->blocks);
    lil_phase_end(phases);
    if (!good)
        return false;
    lil_phase_begin(phases, LIL_PHASE_LINEAR_SOLVE);
    lil_krylov_refresh(&k->krylov);
    lil_phase_end(phases);
    return true;
}

/* M + a C(q) */
static lil_status make_matrix(lil_kick *k, double t, double a, const double *q)
{
    lil_evaluator *ev = k->ev;
    size_t bytes = (size_t)ev->n * sizeof *q;
    if (k->made && a == k->a && memcmp(q, k->q, bytes) == 0 && (t == k->t || !ev->model->uses_time))
        return LIL_OK;
    k->made = false;
    lil_evaluate_prepare(ev, LIL_KICK, t, 0, q);
    if (!(k->blocks.values ? kick_set_blocks : kick_factor)(k, t, a))
        return lil_fail(ev->ctx, LIL_ERR_NOT_FINITE, "the damping is not finite");
    memcpy(k->q, q, bytes);
    k->a = a;
    k->t = t;
    k->made = true;
    return LIL_OK;
}

/* r = b - (M + a C) x, C as prepared. Prescribed vertices have a velocity, but no entry in x. */
static void kick_residual(void *self, const double *x, double *r)
{
    lil_kick *k = self;
    lil_evaluate_damping(k->ev, LIL_KICK, k->t, k->q, x, NULL, k->Cv, NULL, NULL);
    lil_mass_multiply(k->ev->model, x, r);
    for (int i = 0; i < k->ev->n; i++)
        r[i] = k->b[i] - (r[i] + k->a * (k->Cv[i] - k->scripted[i]));
}

/* C v of prescribed motion alone */
static void find_scripted(lil_kick *k, double t, const double *q)
{
    if (!k->ev->model->dofs.script_count)
        return;
    memset(k->dv, 0, (size_t)k->ev->n * sizeof *k->dv);
    lil_evaluate_damping(k->ev, LIL_KICK, t, q, k->dv, NULL, k->scripted, NULL, NULL);
}

/* Conjugate gradients; if they stall, or have cost more than a factorisation, a factorisation (direct_fallback.h). */
static bool solve_blocks(lil_kick *k, double t, const double *q, int *iterations)
{
    lil_fallback *f = &k->fallback;
    enum { PATIENCE = 100 };
    int patience = f->allowed ? PATIENCE : INT_MAX;
    if (!k->factored && lil_krylov_solve(&k->krylov, kick_residual, k, TOLERANCE, patience, false, k->dv, iterations))
        return true;
    double cost = f->allowed ? lil_fallback_cost(f, k->ev, &k->blocks.A, true) : INFINITY;
    int most = cost < INT_MAX ? (int)cost : INT_MAX;
    if (!k->factored && *iterations >= patience &&
        lil_krylov_solve(&k->krylov, kick_residual, k, TOLERANCE, most, true, k->dv, iterations))
        return true;
    if (!(cost < INFINITY))
        return false;
    if (!k->factored) {
        lil_evaluate_prepare(&f->ev, LIL_KICK, t, 0, q);
        k->factored = factor_entries(&f->ev, &f->matrix, t, k->a, f->values, &f->ldl);
    }
    if (k->factored)
        lil_ldl_solve(&f->ldl, k->b, k->dv, f->work);
    return k->factored;
}

/* dv with (M + a C) dv = -c C v */
static lil_status implicit(lil_kick *k, double t, double c, const double *q, const double *v)
{
    lil_evaluate_damping(k->ev, LIL_KICK, t, q, v, NULL, k->b, NULL, NULL);
    for (int i = 0; i < k->ev->n; i++)
        k->b[i] *= -c;
    lil_phases *phases = k->ev->ctx->phases;
    if (!k->blocks.values) {
        lil_phase_begin(phases, LIL_PHASE_LINEAR_SOLVE);
        lil_ldl_solve(&k->ldl, k->b, k->dv, k->work);
        lil_phase_end(phases);
        return LIL_OK;
    }
    int iterations = 0;
    find_scripted(k, t, q);
    lil_phase_begin(phases, LIL_PHASE_LINEAR_SOLVE);
    bool solved = solve_blocks(k, t, q, &iterations);
    lil_phase_end(phases);
    k->tally->linear_iterations += iterations;
    return solved ? LIL_OK : lil_fail(k->ev->ctx, LIL_ERR_CONVERGENCE, "the damping equations could not be solved");
}

/* p -= tau D, D = k->Cv; `held` is the work of prescribed motion */
static void kick_book(lil_kick *k, lil_support_row row, double tau, double held, double *p)
{
    lil_evaluator *ev = k->ev;
    lil_mass_solve(ev, p, k->dv);
    double before = lil_dot(ev->n, p, k->dv) / 2;
    lil_supports_add(ev->supports, row, tau);
    lil_add(ev->n, -tau, k->Cv, p);
    lil_mass_solve(ev, p, k->dv);
    double after = lil_dot(ev->n, p, k->dv) / 2;
    k->tally->work_in += held;
    k->tally->work_out += before - after + held;
}

/* p -= tau C w: momenta do not depend on the accuracy of w */
static void kick_take_out(lil_kick *k, lil_place place, double t, double tau, const double *q, const double *w,
                          double *p)
{
    double held;
    lil_evaluate_damping(k->ev, place, t, q, w, NULL, k->Cv, NULL, &held);
    kick_book(k, LIL_SUPPORT_FORCE, tau, tau * held, p);
}

lil_status lil_kick_half(lil_kick *k, double t, double tau, const double *q, double *p)
{
    const double gamma = 2 - sqrt(2);
    int n = k->ev->n;
    bool stiff = tau * k->rate > 2;
    double a = stiff ? gamma * tau / 2 : tau / 2;
    k->factored = false; /* a resumed run does not know whether the previous half was factored */
    LIL_TRY(make_matrix(k, t, a, q));
    lil_mass_solve(k->ev, p, k->v);
    LIL_TRY(implicit(k, t, 2 * a, q, k->v));
    if (!stiff) {
        for (int i = 0; i < n; i++)
            k->v[i] += k->dv[i] / 2; /* vm */
        kick_take_out(k, LIL_KICK, t, tau, q, k->v, p);
        return LIL_OK;
    }
    /* as a Runge-Kutta method: M v+ = M v- - tau C (sqrt(2)/4 (v- + v1) + gamma/2 v+), v1 = v- + dv */
    for (int i = 0; i < n; i++)
        k->v[i] += k->dv[i] / 2;
    kick_take_out(k, LIL_KICK, t, sqrt(2) / 2 * tau, q, k->v, p);
    lil_mass_solve(k->ev, p, k->v);
    LIL_TRY(implicit(k, t, a, q, k->v));
    lil_add(n, 1, k->dv, k->v);
    kick_take_out(k, LIL_KICK, t, a, q, k->v, p);
    return LIL_OK;
}

void lil_kick_impulse(lil_kick *k, double t, double h, const double *q, double *p)
{
    lil_evaluate_prepare(k->ev, LIL_IMPULSE, t, h, q);
    lil_mass_solve(k->ev, p, k->v);
    kick_take_out(k, LIL_IMPULSE, t, 1, q, k->v, p);
}

void lil_kick_friction(lil_kick *k, double t, double h, const double *q, double *p)
{
    double held, driven;
    lil_evaluate_prepare(k->ev, LIL_FRICTION, t, h, q);
    lil_mass_solve(k->ev, p, k->v);
    lil_evaluate_impulse(k->ev, t, q, k->v, k->Cv, &held, &driven);
    kick_book(k, LIL_SUPPORT_FRICTION, 1, held - driven, p);
}
