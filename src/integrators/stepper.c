#include "integrators/stepper.h"

#include "core/field.h"
#include "discrete/gradient.h"

#include <stddef.h>
#include <string.h>

static const lil_integrator *const own[] = {
    &lil_hamilton_pontryagin,
    &lil_symplectic_euler,
    &lil_midpoint,
    &lil_energy_momentum,
    &lil_stormer_verlet,
    &lil_asynchronous,
    &lil_composition,
    &lil_gauss,
    &lil_lobatto,
    &lil_newmark,
    &lil_rk4,
    &lil_explicit_euler,
    &lil_implicit_euler,
};
enum { OWN = sizeof own / sizeof own[0] };

const char *const lil_forcing_choices[] = { "both", "minus", NULL };

/* ---- registry ---- */

int lil_integrator_count(const lil_context *ctx)
{
    return OWN + ctx->registered_count;
}

const lil_integrator *lil_integrator_at(const lil_context *ctx, int i)
{
    if (i < 0 || i >= lil_integrator_count(ctx))
        return NULL;
    return i < OWN ? own[i] : ctx->registered[i - OWN];
}

const lil_integrator *lil_integrator_find(const lil_context *ctx, const char *name)
{
    for (int i = 0; i < lil_integrator_count(ctx); i++)
        if (strcmp(lil_integrator_at(ctx, i)->name, name) == 0)
            return lil_integrator_at(ctx, i);
    return NULL;
}

lil_claims lil_integrator_claims(const lil_integrator *table)
{
    enum { CONFIG_MAX = 4096 };
    _Alignas(max_align_t) char config[CONFIG_MAX] = { 0 };
    if (table->config_size > CONFIG_MAX)
        return (lil_claims){ 0 };
    lil_fields_default(table->fields, table->field_count, config);
    return table->claims(config);
}

lil_status lil_context_register_integrator(lil_context *ctx, const lil_integrator *table)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, table, "table");
    LIL_NEED(ctx, table->name, "table->name");
    LIL_NEED(ctx, table->claims, "table->claims");
    LIL_NEED(ctx, table->step, "table->step");
    if (lil_integrator_find(ctx, table->name))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "an integrator '%s' exists already", table->name);
    if (ctx->registered_count == LIL_REGISTERED_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "at most %d integrators can be registered", LIL_REGISTERED_MAX);
    ctx->registered[ctx->registered_count++] = table;
    return LIL_OK;
}

lil_status lil_stepper_begin(lil_stepper *s)
{
    return s->method->begin ? s->method->begin(s) : LIL_OK;
}

bool lil_stepper_solves(const lil_stepper *s)
{
    if (s->inner)
        return lil_stepper_solves(s->inner);
    return s->stages.ev || s->gradient || (s->discrete.table && !s->discrete.explicit_);
}

bool lil_stepper_books(const lil_stepper *s)
{
    for (int i = 0; i < OWN; i++)
        if (own[i] == s->method)
            return true;
    const lil_model *model = s->model;
    return !model->has_force && !model->dofs.script_count && !model->drives;
}

/* ---- for methods that are one rule ---- */

lil_status lil_stepper_begin_evaluator(lil_stepper *s, lil_second second)
{
    lil_second kicks = LIL_SECOND_NONE;
    if (s->ev->model)
        return LIL_OK;
    if (s->model->has_kick)
        LIL_TRY(lil_evaluator_choose(s->ctx, s->model, lil_is_kick, s->solver.linear, &kicks));
    return lil_evaluator_create(s->ctx, s->arena, s->model, s->second ? LIL_SECOND_ENTRIES : second, kicks, s->ev);
}

lil_status lil_stepper_begin_rule(lil_stepper *s, const lil_rule *rule)
{
    lil_second second = LIL_SECOND_NONE;
    bool is_explicit = lil_discrete_is_explicit(s->model, rule), few = true;
    if (s->constrained && s->solver.linear == LIL_LINEAR_AUTO)
        LIL_TRY(lil_constrained_are_few(s->ctx, s->model, &few));
    if (!is_explicit)
        LIL_TRY(lil_evaluator_choose(s->ctx, s->model, lil_in_the_matrix, few ? s->solver.linear : LIL_LINEAR_DIRECT,
                                     &second));
    else if (s->constrained && !s->model->mass.diagonal)
        second = LIL_SECOND_ENTRIES;
    LIL_TRY(lil_stepper_begin_evaluator(s, second));
    s->rubs = true;
    return lil_discrete_create(s->ctx, s->arena, s->ev, rule, &s->solver, s->tally,
                               lil_stepper_is_differential(s) ? NULL : s->constrained, s->part, &s->discrete);
}

bool lil_stepper_is_differential(const lil_stepper *s)
{
    return s->constrained && s->solver.constraints == LIL_CONSTRAINTS_DIFFERENTIAL;
}

lil_status lil_stepper_step_rule(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    if (lil_stepper_is_differential(s)) { /* symplectic Euler: the force at the start, before the step */
        LIL_TRY(lil_stepper_force(s, x->t, x->q, x->v, s->discrete.dp));
        lil_constrained_push(s->constrained, h, x->p);
    }
    return lil_discrete_step(&s->discrete, x->t, h, x->q, x->p, x->v);
}

/* ---- for methods by a discrete gradient ---- */

/* Of points in space only what keeps momenta is of use, and only that books the work of handles. */
static lil_status check_terms(const lil_stepper *s, bool halfway)
{
    const lil_model *model = s->model;
    for (int i = 0; model->points.count && i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_POTENTIAL && !model->terms[i].table->between)
            return lil_fail(s->ctx, LIL_ERR_INPUT,
                            "%s is for tets, springs, weight and constant loads, and here is a term '%s': use %s",
                            halfway ? "midpoint with contact by barrier" : s->method->name,
                            model->terms[i].table->name, halfway ? "contact: {method: penalty}" : "midpoint");
    return LIL_OK;
}

/* Bodies in blocks: their matrix is not symmetric, and minimal residuals are quicker than LU at any size. Forces that vary have
 * no blocks. */
static lil_status choose_second(const lil_stepper *s, lil_second *second)
{
    if (s->constrained) { /* they are factored together */
        *second = LIL_SECOND_ENTRIES;
        return LIL_OK;
    }
    bool blocks = lil_block_assembly_possible(s->model, lil_in_the_matrix) && !s->model->force_varies;
    if (!blocks)
        return lil_evaluator_choose(s->ctx, s->model, lil_in_the_matrix, s->solver.linear, second);
    if (s->solver.linear == LIL_LINEAR_DIRECT)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "%s solves the equations of bodies iteratively: use the linear solver 'auto'",
                        s->method->name);
    *second = LIL_SECOND_GENERAL;
    return LIL_OK;
}

lil_status lil_stepper_begin_gradient(lil_stepper *s, bool halfway)
{
    lil_second second;
    lil_gradient *gradient = lil_stepper_alloc(s, sizeof *gradient);
    double *words = lil_stepper_keep(s, lil_gradient_words(s->model));
    if (!gradient || !words)
        return lil_fail_memory(s->ctx);
    LIL_TRY(check_terms(s, halfway));
    LIL_TRY(choose_second(s, &second));
    LIL_TRY(lil_stepper_begin_evaluator(s, second));
    s->gradient = gradient;
    s->rubs = true;
    return lil_gradient_create(s->ctx, s->arena, s->ev, &s->solver, s->tally, words, s->constrained, halfway,
                               gradient);
}

lil_status lil_stepper_step_gradient(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    return lil_gradient_step(s->gradient, x->t, h, x->q, x->p, x->v);
}

/* ---- for methods with several stages ---- */

lil_status lil_stepper_begin_stages(lil_stepper *s, const lil_tableau *tableau)
{
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_ENTRIES));
    s->rubs = true;
    return lil_stages_create(s->ctx, s->arena, s->ev, tableau, &s->solver, s->tally, &s->stages);
}

lil_status lil_stepper_step_stages(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    return lil_stages_step(&s->stages, x->t, h, x->q, x->p, x->v);
}

/* ---- for methods that ask for forces ---- */

lil_status lil_stepper_begin_rubbing(lil_stepper *s)
{
    s->rubs = true;
    if (!s->model->has_friction)
        return LIL_OK;
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_NONE));
    return lil_rubbing_create(s->ctx, s->arena, s->ev, s->tally, &s->rubbing);
}

void lil_stepper_rub(lil_stepper *s, double b, double t, double tau, const double *q, double *p)
{
    if (!s->model->has_friction)
        return;
    if (tau == 0)
        lil_rubbing_begin(&s->rubbing);
    lil_rub(&s->rubbing, t, tau, q, p);
    lil_rubbing_add(&s->rubbing, b);
}

void lil_stepper_rub_step(lil_stepper *s, double h, const double *v)
{
    lil_state *x = s->state;
    if (s->model->has_friction)
        lil_rub_step(&s->rubbing, x->t + h, h, v, x->q, x->p);
}

void lil_stepper_destroy(lil_stepper *s)
{
    if (s->inner)
        lil_stepper_destroy(s->inner);
    lil_discrete_destroy(&s->discrete);
    lil_stages_destroy(&s->stages);
    if (s->gradient)
        lil_gradient_destroy(s->gradient);
}

/* ---- what a user's own method may call ---- */

lil_state *lil_stepper_state(lil_stepper *s)
{
    return s->state;
}

const void *lil_stepper_config(const lil_stepper *s)
{
    return s->config;
}

void *lil_stepper_alloc(lil_stepper *s, size_t bytes)
{
    return lil_arena_alloc(s->arena, 1, bytes);
}

void lil_stepper_set_data(lil_stepper *s, void *data)
{
    s->data = data;
}

double *lil_stepper_keep(lil_stepper *s, int count)
{
    s->words = LIL_NEW(s->arena, double, count);
    s->word_count = s->words ? count : 0;
    return s->words;
}

void *lil_stepper_data(const lil_stepper *s)
{
    return s->data;
}

lil_status lil_stepper_force(lil_stepper *s, double t, const double *q, const double *v, double *Q)
{
    LIL_NEED(NULL, s, "stepper");
    LIL_NEED(s->ctx, q, "q");
    LIL_NEED(s->ctx, v, "v");
    LIL_NEED(s->ctx, Q, "Q");
    lil_evaluator *ev = s->ev;
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_NONE));
    if (ev->model->mass.constant) { /* the frame's gradient is often there already */
        const double *g;
        lil_evaluate_frame(ev, t, q, NULL, &g);
        for (int i = 0; i < ev->n; i++)
            Q[i] = -g[i];
    } else {
        lil_evaluate_lagrangian(ev, t, q, v, NULL, Q, NULL);
    }
    if (ev->model->has_force) {
        lil_evaluate_force(ev, t, q, v, ev->scratch);
        for (int i = 0; i < ev->n; i++)
            Q[i] += ev->scratch[i];
    }
    if (!lil_stepper_is_differential(s))
        return LIL_OK;
    LIL_TRY(lil_constrained_force(s->constrained, s->solver.feedback, t, q, v, Q));
    lil_constrained_push(s->constrained, 1, Q);
    return LIL_OK;
}

lil_status lil_stepper_velocity(lil_stepper *s, double t, const double *q, const double *p, double *v)
{
    LIL_NEED(NULL, s, "stepper");
    LIL_NEED(s->ctx, q, "q");
    LIL_NEED(s->ctx, p, "p");
    LIL_NEED(s->ctx, v, "v");
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_NONE));
    return lil_evaluate_velocity(s->ev, t, q, p, v);
}

void lil_stepper_forget(lil_stepper *s)
{
    if (s->discrete.before)
        s->discrete.before[0] = 0;
    if (s->gradient)
        lil_gradient_forget(s->gradient);
    if (s->inner)
        lil_stepper_forget(s->inner);
}
