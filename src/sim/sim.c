/* A Sim is created, restarted, destroyed. */
#include "sim/sim.h"

#include <lilyan/world.h>

#include "core/field.h"
#include "sim/checkpoint.h"
#include "sim/equilibrium.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lil_sim_def lil_sim_def_default(void)
{
    return (lil_sim_def){
        .integrator = lil_auto,
        .step = 0.01,
        .solver = { .method = LIL_SOLVER_AUTO, .tolerance = 1e-12, .iterations = 50 },
        .halvings = 12,
    };
}

/* ---- create ---- */

lil_status lil_sim_check_direction(lil_context *ctx, const lil_model *model, double h)
{
    if (h < 0 && lil_model_is_damped(model))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a system with damping cannot be stepped backwards, by %g s", h);
    return LIL_OK;
}

/* An enum of the header, whose last member is `most`, may hold any number. */
static lil_status check_choice(lil_context *ctx, const char *what, int choice, int most)
{
    return choice >= 0 && choice <= most ? LIL_OK
                                         : lil_fail(ctx, LIL_ERR_ARGUMENT, "there is no %s %d", what, choice);
}

static lil_status sim_check_def(lil_context *ctx, const lil_model *model, const lil_sim_def *def)
{
    if (def->step == 0 || !isfinite(def->step))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the step must be finite and not 0, not %g", def->step);
    LIL_TRY(lil_sim_check_direction(ctx, model, def->step));
    if (!isfinite(def->start))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the start time must be finite, not %g", def->start);
    if (!(def->solver.tolerance > 0) || def->solver.iterations < 1)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the solver needs a positive tolerance and at least one iteration");
    LIL_TRY(check_choice(ctx, "solver method", (int)def->solver.method, LIL_SOLVER_ROOT));
    LIL_TRY(check_choice(ctx, "linear solver", (int)def->solver.linear, LIL_LINEAR_ITERATIVE));
    LIL_TRY(check_choice(ctx, "preconditioner", (int)def->solver.preconditioner, LIL_PRECONDITIONER_MULTILEVEL));
    LIL_TRY(check_choice(ctx, "constraint method", (int)def->solver.constraints, LIL_CONSTRAINTS_PENALTY));
    LIL_TRY(check_choice(ctx, "step control", (int)def->control.method, LIL_CONTROL_NAIVE));
    if (def->solver.constraints == LIL_CONSTRAINTS_PENALTY && model->constraint_count)
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "penalty constraints are springs that only a scene can build: a model from C supports "
                        "variational and differential constraints");
    if (!(def->solver.feedback >= 0) || !isfinite(def->solver.feedback))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the time of feedback must be 0 or positive, not %g",
                        def->solver.feedback);
    if (def->halvings < 0 || def->halvings > 40)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "halvings must be between 0 and 40, not %d", def->halvings);
    for (int i = 0; i < model->n; i++)
        if (!isfinite(def->q[i]) || (def->v && !isfinite(def->v[i])))
            return lil_fail(ctx, LIL_ERR_NOT_FINITE, "'%s' starts with a value that is not finite", model->names[i]);
    return LIL_OK;
}

static lil_status sim_configure(lil_sim *sim, const lil_integrator *method, const lil_sim_def *def)
{
    void *config = lil_arena_alloc(&sim->arena, 1, method->config_size);
    LIL_HAVE(sim->ctx, config);
    lil_fields_default(method->fields, method->field_count, config);
    if (def->config && method->config_size)
        memcpy(config, def->config, method->config_size);
    else if (def->options)
        LIL_TRY(lil_fields_parse(sim->ctx, method->fields, method->field_count, config, def->options));
    if (method->check)
        LIL_TRY(method->check(sim->ctx, config));
    if (method->claims(config).holds & LIL_CONSTANT_MASS_ONLY && !sim->model->mass.constant)
        return lil_fail(sim->ctx, LIL_ERR_INPUT, "%s needs a constant mass: use midpoint or gauss here",
                        method->name);
    sim->stepper = (lil_stepper){ .ctx = sim->ctx,
                                  .arena = &sim->arena,
                                  .method = method,
                                  .config = config,
                                  .state = &sim->state,
                                  .model = sim->model,
                                  .step = sim->step,
                                  /* the default monitor needs the derivative of the acceleration */
                                  .second = def->control.method && !def->control.monitor,
                                  .ev = &sim->ev,
                                  .tally = &sim->tally,
                                  .constrained = sim->model->constraint_count ? &sim->constrained : NULL,
                                  .solver = def->solver };
    return LIL_OK;
}

static lil_status new_state(lil_sim *sim, lil_state *state)
{
    size_t n = (size_t)sim->model->n;
    double *memory;
    LIL_ALLOC(sim->ctx, &sim->arena, memory, 3 * n);
    *state = (lil_state){ 0, sim->model->n, memory, memory + n, memory + 2 * n };
    return LIL_OK;
}

static lil_status new_mark(lil_sim *sim, lil_mark *mark)
{
    mark->words = LIL_NEW(&sim->arena, double, lil_stepper_words(&sim->stepper));
    return mark->words ? new_state(sim, &mark->state) : lil_fail_memory(sim->ctx);
}

static lil_status set_start(lil_sim *sim, const lil_sim_def *def, lil_sim_part *part)
{
    lil_state *x = &sim->state;
    char why[512];
    x->t = def->start;
    memcpy(x->q, def->q, (size_t)x->n * sizeof *x->q);
    if (def->v)
        memcpy(x->v, def->v, (size_t)x->n * sizeof *x->v);
    lil_evaluate_lagrangian(&sim->ev, x->t, x->q, x->v, NULL, NULL, x->p);
    if (sim->model->constraint_count) {
        if (lil_constrained_explain(&sim->constrained, x->t, x->q, why, sizeof why))
            return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "%s, at the start", why);
        LIL_TRY(lil_constrained_check(&sim->constrained, x->t, x->q, x->v));
    }
    LIL_TRY(lil_sim_project_to_constraints(sim));
    lil_status status = lil_sim_refresh(sim);
    if (status == LIL_OK && lil_evaluate_singular(sim->stepper.ev, x->t, x->q, def->v ? def->v : x->v))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "d2L/dv2 is singular at the start: some combination of velocities has no inertia");
    if (status == LIL_OK) {
        if (def->v && !sim->model->constraint_count) /* as it was given, to the last bit */
            memcpy(x->v, def->v, (size_t)x->n * sizeof *x->v);
        lil_sim_watch_start(sim);
        return LIL_OK;
    }
    char reason[LIL_MESSAGE_MAX];
    if (def->v)
        memcpy(x->v, def->v, (size_t)x->n * sizeof *x->v);
    memcpy(reason, sim->ctx->message, sizeof reason);
    if (lil_evaluate_explain(&sim->ev, x->t, x->q, x->v, why, sizeof why)) {
        *part = status == LIL_ERR_INVERTED ? LIL_SIM_START : LIL_SIM_TEXT;
        return lil_fail(sim->ctx, status, "%s, at the start", why);
    }
    return lil_fail(sim->ctx, status, "at the start: %.900s", reason);
}

static lil_status sim_begin(lil_sim *sim)
{
    lil_stepper *s = &sim->stepper;
    LIL_TRY(lil_sim_check_barrier(sim));
    LIL_TRY(lil_stepper_begin(s));
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_NONE));
    lil_damping_taken taken = s->family ? s->family->damping : LIL_TAKES_NO_DAMPING;
    if ((taken == LIL_TAKES_NO_DAMPING && lil_model_terms(s->model, LIL_STEP)) ||
        (taken == LIL_TAKES_VISCOUS && lil_model_step_bends(s->model)))
        return lil_fail(sim->ctx, LIL_ERR_INPUT, "%s cannot include damping in its steps: use damping 'exact'",
                        s->method->name);
    LIL_TRY(lil_sim_check_friction(sim));
    if (s->constrained)
        LIL_TRY(lil_sim_bind(sim));
    LIL_TRY(lil_kick_create(sim->ctx, &sim->arena, &sim->ev, &s->solver, &sim->tally, &sim->kick));
    LIL_ALLOC(sim->ctx, &sim->arena, sim->parts, lil_pieces(3 * (size_t)s->model->points.count));
    LIL_TRY(new_mark(sim, &sim->saved));
    return new_mark(sim, &sim->good);
}

/* From the equilibrium that some of its bodies start in. */
static lil_status make_at_rest(lil_context *ctx, const lil_model *model, const lil_sim_def *def, lil_sim **out)
{
    lil_arena arena = { 0 };
    lil_sim_def rested = *def;
    lil_sim_part part;
    lil_rest rest;
    int blame;
    double *x = LIL_NEW(&arena, double, 2 * (size_t)model->n), *v = x + model->n;
    LIL_HAVE(ctx, x);
    memcpy(x, def->q, (size_t)model->n * sizeof *x);
    memcpy(v, def->v, (size_t)model->n * sizeof *v);
    rested.q = x;
    rested.v = v;
    lil_status status = lil_sim_find_rest(ctx, &arena, model, def->solver.linear, def->start, x, v, &rest, &blame);
    if (status == LIL_OK)
        status = lil_sim_make(ctx, model, &rested, LIL_SIM_STEPPED, &part, out);
    if (status == LIL_OK)
        lil_watch_rest(&(*out)->watch, rest.iterations, rest.residual);
    lil_arena_free(&arena);
    return status;
}

lil_status lil_sim_create(lil_context *ctx, const lil_model *model, const lil_sim_def *def, lil_sim **out)
{
    lil_sim_part part;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "sim");
    *out = NULL;
    LIL_NEED(ctx, model, "model");
    LIL_NEED(ctx, def, "def");
    LIL_NEED(ctx, def->integrator, "def->integrator");
    LIL_NEED(ctx, def->q || model->q0, "def->q");
    lil_sim_def started = *def;
    if (def->q)
        return lil_sim_make(ctx, model, &started, LIL_SIM_STEPPED, &part, out);
    started.q = model->q0;
    started.v = def->v ? def->v : model->v0;
    return lil_sim_rests(model) ? make_at_rest(ctx, model, &started, out)
                                : lil_sim_make(ctx, model, &started, LIL_SIM_STEPPED, &part, out);
}

lil_status lil_sim_positions(lil_sim *sim, double *x)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, x, "x");
    if (!sim->model->points.count)
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "lil_sim_positions: this model has no vertices in space");
    const double *all = lil_positions_of(&sim->ev.full, sim->state.t, sim->state.q);
    memcpy(x, all, 3 * (size_t)sim->model->points.count * sizeof *x);
    return LIL_OK;
}

static lil_status new_parameters(lil_sim *sim)
{
    int count = sim->model->parameter_count;
    LIL_ALLOC(sim->ctx, &sim->arena, sim->parameters, count);
    if (count)
        memcpy(sim->parameters, sim->model->parameter_values, (size_t)count * sizeof *sim->parameters);
    sim->arena.parameters = sim->parameters;
    return LIL_OK;
}

lil_status lil_sim_prepare(lil_sim *sim, const lil_model *model, const lil_choice *choice, const lil_sim_def *def,
                           lil_sim_role role)
{
    sim->model = model;
    sim->choice = *choice;
    sim->role = role;
    sim->watch.warnings = &sim->warnings;
    sim->grid_start = def->start;
    sim->step = def->step;
    sim->halvings = def->halvings;
    sim->volume = INFINITY;
    LIL_TRY(new_parameters(sim)); /* before there are programs that read them */
    LIL_TRY(sim_configure(sim, choice->method, def));
    LIL_TRY(new_state(sim, &sim->state));
    LIL_TRY(new_state(sim, &sim->start));
    LIL_TRY(sim_begin(sim));
    return role == LIL_SIM_LOADED ? lil_positions_hold_back(sim->ctx, &sim->arena, &sim->ev.full, def->start, 1)
                                  : LIL_OK;
}

lil_status lil_sim_begin_control(lil_sim *sim, const lil_control_def *def)
{
    lil_sim_copy_state(sim, &sim->start, &sim->state);
    LIL_TRY(lil_control_create(sim->ctx, &sim->arena, def, sim->step, &sim->stepper, &sim->control));
    /* steps that only look at where they begin spoil what a symplectic method keeps */
    sim->watch.keeps = lil_sim_claims(sim).holds & LIL_ENERGY && def->method != LIL_CONTROL_NAIVE;
    return LIL_OK;
}

/* Into a zeroed Sim with a context. */
static lil_status sim_fill(lil_sim *sim, const lil_model *model, const lil_choice *choice, const lil_sim_def *def,
                           lil_sim_role role, lil_sim_part *part)
{
    LIL_TRY(lil_sim_prepare(sim, model, choice, def, role));
    *part = LIL_SIM_START;
    LIL_TRY(set_start(sim, def, part));
    *part = LIL_SIM_CONTROL;
    return lil_sim_begin_control(sim, &def->control);
}

/* All but what a def may have wrong, and warnings about its step. */
static lil_status sim_make(lil_context *ctx, const lil_model *model, const lil_choice *choice, const lil_sim_def *def,
                           lil_sim_role role, lil_sim_part *part, lil_sim **out)
{
    lil_sim *sim = calloc(1, sizeof *sim);
    LIL_HAVE(ctx, sim);
    sim->ctx = ctx;
    sim->first = model;
    lil_status status = sim_fill(sim, model, choice, def, role, part);
    if (status != LIL_OK)
        lil_sim_destroy(&sim);
    *out = sim;
    return status;
}

lil_status lil_sim_make(lil_context *ctx, const lil_model *model, const lil_sim_def *def, lil_sim_role role,
                        lil_sim_part *part, lil_sim **out)
{
    lil_choice choice;
    *out = NULL;
    *part = LIL_SIM_DEF;
    LIL_TRY(sim_check_def(ctx, model, def));
    *part = LIL_SIM_METHOD;
    LIL_TRY(lil_choose_integrator(ctx, model, def, role == LIL_SIM_DIRECTED, &choice));
    LIL_TRY(sim_make(ctx, model, &choice, def, role, part, out));
    lil_status status = role != LIL_SIM_STEPPED ? LIL_OK : lil_stability_check(*out);
    if (status != LIL_OK)
        lil_sim_destroy(out);
    return status;
}

lil_status lil_sim_restart(lil_sim *sim, const double *q, const double *v)
{
    const lil_sim_def def = { .start = sim->start.t, .q = q, .v = v };
    lil_sim_part part;
    sim->volume = INFINITY;
    sim->watch = (lil_watch){ .keeps = sim->watch.keeps, .warnings = &sim->warnings };
    sim->warnings = (lil_warnings){ 0 };
    LIL_TRY(set_start(sim, &def, &part));
    lil_sim_copy_state(sim, &sim->start, &sim->state);
    LIL_TRY(lil_sim_supports_start(sim));
    return sim->observables.count ? lil_sim_observe_start(sim) : LIL_OK;
}

lil_sim_def lil_sim_def_like(const lil_sim *sim)
{
    return (lil_sim_def){ .integrator = sim->stepper.method->name,
                          .config = sim->stepper.config,
                          .step = sim->step,
                          .start = sim->start.t,
                          .q = sim->start.q,
                          .v = sim->start.v,
                          .solver = sim->stepper.solver,
                          .control = sim->control.def,
                          .halvings = sim->halvings };
}

lil_status lil_sim_make_like(lil_context *ctx, const lil_sim *sim, lil_sim **out)
{
    lil_sim_part part;
    lil_sim_def def = lil_sim_def_like(sim);
    *out = NULL;
    return sim_make(ctx, sim->model, &sim->choice, &def, (lil_sim_role)sim->role, &part, out);
}

void lil_sim_empty(lil_sim *sim)
{
    lil_stepper_destroy(&sim->stepper);
    lil_kick_destroy(&sim->kick);
    lil_euler_fallback_destroy(&sim->euler_fallback);
    lil_evaluator_destroy(&sim->ev);
    lil_arena_free(&sim->arena);
}

void lil_sim_destroy(lil_sim **sim)
{
    if (!sim || !*sim)
        return;
    lil_sim_empty(*sim);
    lil_arena_free(&(*sim)->lasting);
    free(*sim);
    *sim = NULL;
}
