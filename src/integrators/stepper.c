#include "integrators/stepper.h"

#include "core/field.h"
#include "discrete/discrete_gradient.h"

#include <stddef.h>
#include <string.h>

#define LIL_ADDRESS(name) &name,
static const lil_integrator *const own[] = { LIL_INTEGRATORS(LIL_ADDRESS) };
#undef LIL_ADDRESS
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
    return s->inner ? lil_stepper_solves(s->inner) : s->family && s->family->solves(s->work);
}

/* A method made of another finds its steps as that one does. */
const char *lil_stepper_path(const lil_stepper *s)
{
    if (s->inner)
        return lil_stepper_path(s->inner);
    return lil_stepper_solves(s) ? s->family->way(s->work) : "explicit, nothing to solve";
}

lil_status lil_stepper_step(lil_stepper *s, double h)
{
    return s->family->step(s, h);
}

static const char *way_of_root(const void *work)
{
    (void)work;
    return "solves a root problem";
}

static bool always(const void *work)
{
    (void)work;
    return true;
}

bool lil_stepper_books(const lil_stepper *s)
{
    for (int i = 0; i < OWN; i++)
        if (own[i] == s->method)
            return true;
    const lil_model *model = s->model;
    return !lil_model_terms(model, LIL_FORCE) && !model->dofs.script_count && !model->drives;
}

/* ---- for methods that are one rule ---- */

lil_status lil_stepper_begin_evaluator(lil_stepper *s, lil_second second)
{
    lil_second kicks = LIL_SECOND_NONE;
    if (s->ev->model)
        return LIL_OK;
    if (lil_model_terms(s->model, LIL_KICK))
        LIL_TRY(lil_evaluator_choose(s->ctx, s->model, lil_is_kick, s->solver.linear, &kicks));
    return lil_evaluator_create(s->ctx, s->arena, s->model, s->second ? LIL_SECOND_ENTRIES : second, kicks, s->ev);
}

bool lil_stepper_is_differential(const lil_stepper *s)
{
    return s->constrained && s->solver.constraints == LIL_CONSTRAINTS_DIFFERENTIAL;
}

static lil_status step_rule(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    lil_discrete *d = s->work;
    if (lil_stepper_is_differential(s)) { /* symplectic Euler: the force at the start, before the step */
        LIL_TRY(lil_stepper_force(s, x->t, x->q, x->v, d->dp));
        lil_constrained_push(s->constrained, h, x->p);
    }
    return lil_discrete_step(d, x->t, h, x->q, x->p, x->v);
}

static void destroy_rule(void *work)
{
    lil_discrete_destroy(work);
}

static bool rule_solves(const void *work)
{
    return !((const lil_discrete *)work)->explicit_;
}

static const char *way_of_rule(const void *work)
{
    return ((const lil_discrete *)work)->minimise ? "minimises the Lilyan" : "solves a root problem";
}

static void forget_rule(void *work)
{
    lil_discrete *d = work;
    if (d->before)
        d->before[0] = 0;
}

static void show_rule(void *work, bool loading, void (*show)(void *to, double *words, int count), void *to)
{
    lil_discrete *d = work;
    show(to, &d->reference, 1);
    show(to, d->reused.words, d->reused.count);
    show(to, d->before, d->before_count);
    if (loading)
        d->reused.current = false; /* the matrix is made again from its words */
}

static const lil_family rules = { .step = step_rule,
                                  .destroy = destroy_rule,
                                  .solves = rule_solves,
                                  .way = way_of_rule,
                                  .forget = forget_rule,
                                  .words = show_rule,
                                  .damping = LIL_TAKES_DAMPING,
                                  .bodies_rub = true,
                                  .bound_rub = true };

lil_discrete *lil_stepper_rule(const lil_stepper *s)
{
    return s->family == &rules ? s->work : NULL;
}

lil_rule lil_stepper_quadrature(const lil_stepper *s)
{
    const lil_discrete *d = lil_stepper_rule(s);
    return d ? d->rule : (lil_rule){ 0 };
}

/* The family's work; NULL: memory ran out. From here on the stepper has it. */
static void *begin_family(lil_stepper *s, const lil_family *family, size_t size)
{
    s->work = lil_stepper_alloc(s, size);
    s->family = s->work ? family : NULL;
    return s->work;
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
    s->has_friction = true;
    lil_discrete *d = begin_family(s, &rules, sizeof *d);
    LIL_HAVE(s->ctx, d);
    return lil_discrete_create(s->ctx, s->arena, s->ev, rule, &s->solver, s->tally,
                               lil_stepper_is_differential(s) ? NULL : s->constrained, s->part, d);
}

/* ---- for methods by a discrete gradient ---- */

/* For points in space only methods that conserve momenta are supported, and only they account for the work of
 * handles. */
static lil_status stepper_check_terms(const lil_stepper *s, lil_discrete_gradient_at at)
{
    const lil_term *other = s->model->points.count ? lil_model_without_gradient(s->model) : NULL;
    bool barrier = at != LIL_BETWEEN;
    return !other ? LIL_OK
                  : lil_fail(s->ctx, LIL_ERR_INPUT,
                             "%s%s supports tets, springs, weight and constant loads, but not the term '%s': use %s",
                             s->method->name, barrier ? " with barrier contact" : "", other->table->name,
                             barrier ? "contact: {method: penalty}" : "midpoint");
}

/* Bodies in blocks: their matrix is not symmetric, and minimal residuals are quicker than LU at any size. With
 * forces that vary only what is impassable needs them. */
static lil_status choose_second(const lil_stepper *s, lil_second *second)
{
    if (s->constrained) { /* they are factored together */
        *second = LIL_SECOND_ENTRIES;
        return LIL_OK;
    }
    bool blocks = lil_block_assembly_possible(s->model, lil_in_the_matrix) &&
                  (!lil_model_forces_vary(s->model) || s->model->impassable);
    if (!blocks)
        return lil_evaluator_choose(s->ctx, s->model, lil_in_the_matrix, s->solver.linear, second);
    if (s->solver.linear == LIL_LINEAR_DIRECT)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "%s solves the equations of bodies iteratively: use the linear solver 'auto'",
                        s->method->name);
    *second = LIL_SECOND_GENERAL;
    return LIL_OK;
}

/* A constraint of any form has a discrete gradient that keeps the energy alone. */
static bool keeps_momenta(const lil_model *model)
{
    for (int i = 0; i < model->constraint_count; i++)
        if (!model->constraints[i].table->quadratic && !model->constraints[i].table->between)
            return false;
    return true;
}

static lil_status step_gradient(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    return lil_discrete_gradient_step(s->work, x->t, h, x->q, x->p, x->v);
}

static void destroy_gradient(void *work)
{
    lil_discrete_gradient_destroy(work);
}

static void forget_gradient(void *work)
{
    lil_discrete_gradient_forget(work);
}

static const lil_family gradients = { .step = step_gradient,
                                      .destroy = destroy_gradient,
                                      .solves = always,
                                      .way = way_of_root,
                                      .forget = forget_gradient,
                                      .damping = LIL_TAKES_VISCOUS,
                                      .by_gradient = true,
                                      .bodies_rub = true };

lil_status lil_stepper_begin_gradient(lil_stepper *s, lil_discrete_gradient_at at)
{
    lil_second second;
    lil_discrete_gradient *gradient = begin_family(s, &gradients, sizeof *gradient);
    double *words = lil_stepper_keep(s, lil_discrete_gradient_words(s->model));
    LIL_HAVE(s->ctx, gradient && words);
    LIL_TRY(stepper_check_terms(s, at));
    LIL_TRY(choose_second(s, &second));
    LIL_TRY(lil_stepper_begin_evaluator(s, second));
    s->withdrawn |= keeps_momenta(s->model) ? 0 : LIL_MOMENTA;
    s->has_friction = true;
    return lil_discrete_gradient_create(s->ctx, s->arena, s->ev, &s->solver, s->tally, words, s->constrained, at,
                                        gradient);
}

/* ---- for methods with several stages ---- */

static lil_status step_stages(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    return lil_stages_step(s->work, x->t, h, x->q, x->p, x->v);
}

static void destroy_stages(void *work)
{
    lil_stages_destroy(work);
}

static const char *way_of_stages(const void *work)
{
    (void)work;
    return "solves a root problem, all stages together";
}

static void show_stages(void *work, bool loading, void (*show)(void *to, double *words, int count), void *to)
{
    (void)loading;
    show(to, &((lil_stages *)work)->reference, 1);
}

static const lil_family stages = {
    .step = step_stages, .destroy = destroy_stages, .solves = always, .way = way_of_stages, .words = show_stages
};

lil_status lil_stepper_begin_stages(lil_stepper *s, const lil_tableau *tableau)
{
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_ENTRIES));
    s->has_friction = true;
    lil_stages *own_stages = begin_family(s, &stages, sizeof *own_stages);
    LIL_HAVE(s->ctx, own_stages);
    return lil_stages_create(s->ctx, s->arena, s->ev, tableau, &s->solver, s->tally, own_stages);
}

/* ---- for methods that ask for forces ---- */

lil_status lil_stepper_begin_friction(lil_stepper *s)
{
    s->has_friction = true;
    if (!lil_model_terms(s->model, LIL_FRICTION))
        return LIL_OK;
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_NONE));
    return lil_friction_impulse_create(s->ctx, s->arena, s->ev, s->tally, &s->friction_impulse);
}

void lil_stepper_rub(lil_stepper *s, double b, double t, double tau, const double *q, double *p)
{
    if (!s->friction_impulse.ev)
        return;
    if (tau == 0)
        lil_friction_impulse_begin(&s->friction_impulse);
    lil_friction_impulse_apply(&s->friction_impulse, t, tau, q, p);
    lil_friction_impulse_add(&s->friction_impulse, b);
}

void lil_stepper_rub_step(lil_stepper *s, double h, const double *v)
{
    lil_state *x = s->state;
    if (s->friction_impulse.ev)
        lil_friction_impulse_apply_step(&s->friction_impulse, x->t + h, h, v, x->q, x->p);
}

void lil_stepper_destroy(lil_stepper *s)
{
    if (s->inner)
        lil_stepper_destroy(s->inner);
    if (s->family)
        s->family->destroy(s->work);
}

/* ---- functions for a user's own method ---- */

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
    if (lil_evaluate_force(ev, t, q, v, ev->scratch))
        lil_add(ev->n, 1, ev->scratch, Q);
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
    if (s->family && s->family->forget)
        s->family->forget(s->work);
    if (s->inner)
        lil_stepper_forget(s->inner);
}
