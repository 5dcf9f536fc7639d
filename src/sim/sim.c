#include "sim/sim.h"

#include <lilyan/world.h>

#include "core/field.h"
#include "core/threads.h"
#include "sim/checkpoint.h"
#include "sim/equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

lil_sim_def lil_sim_def_default(void)
{
    return (lil_sim_def){
        .integrator = "midpoint",
        .step = 0.01,
        .solver = { .method = LIL_SOLVER_AUTO, .tolerance = 1e-12, .iterations = 50 },
        .halvings = 12,
    };
}

/* ---- create ---- */

/* Backwards damping would blow up. */
static lil_status sim_check_direction(lil_context *ctx, const lil_model *model, double h)
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
    LIL_TRY(sim_check_direction(ctx, model, def->step));
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
        return lil_fail(
            ctx, LIL_ERR_ARGUMENT,
            "constraints by penalty are springs that a scene builds: a model from C takes them variational or "
            "differential");
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

static lil_status find_method(lil_context *ctx, const char *name, const lil_integrator **method)
{
    *method = lil_integrator_find(ctx, name);
    if (*method)
        return LIL_OK;
    const char *names[LIL_REGISTERED_MAX * 2];
    int count = 0;
    for (; count < lil_integrator_count(ctx) && count < LIL_REGISTERED_MAX * 2; count++)
        names[count] = lil_integrator_at(ctx, count)->name;
    char hint[LIL_HINT_MAX];
    return lil_fail(ctx, LIL_ERR_INPUT, "unknown integrator '%.60s'%s", name,
                    lil_hint(lil_nearest(name, names, count, sizeof names[0]), hint));
}

static lil_status sim_configure(lil_sim *sim, const lil_integrator *method, const lil_sim_def *def)
{
    void *config = lil_arena_alloc(&sim->arena, 1, method->config_size);
    if (!config)
        return lil_fail_memory(sim->ctx);
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
    double *memory = LIL_NEW(&sim->arena, double, 3 * n);
    if (!memory)
        return lil_fail_memory(sim->ctx);
    *state = (lil_state){ 0, sim->model->n, memory, memory + n, memory + 2 * n };
    return LIL_OK;
}

static lil_status new_mark(lil_sim *sim, lil_mark *mark)
{
    mark->words = LIL_NEW(&sim->arena, double, lil_stepper_words(&sim->stepper));
    return mark->words ? new_state(sim, &mark->state) : lil_fail_memory(sim->ctx);
}

static void copy_state(const lil_sim *sim, lil_state *to, const lil_state *from)
{
    to->t = from->t; /* q, p, v stand in a row */
    lil_parallel_copy(sim->ev.threads, 3 * (size_t)from->n, from->q, to->q);
}

static void set_mark(lil_sim *sim, lil_mark *mark)
{
    copy_state(sim, &mark->state, &sim->state);
    lil_stepper_save(&sim->stepper, mark->words);
    mark->energy = sim->energy;
    mark->potential = sim->potential;
    mark->work_in = sim->tally.work_in;
    mark->work_out = sim->tally.work_out;
    mark->lost = sim->tally.lost;
    mark->gradient_max = sim->tally.gradient_max;
    mark->rescued = sim->tally.rescued;
    mark->rescued_loss = sim->tally.rescued_loss;
    mark->halved = sim->watch.halved;
    mark->continued = sim->tally.continued;
}

/* Costs stay counted, also of a try that fails; exchanged work does not. */
static void go_back(lil_sim *sim, const lil_mark *mark)
{
    copy_state(sim, &sim->state, &mark->state);
    lil_stepper_load(&sim->stepper, mark->words);
    sim->energy = mark->energy;
    sim->potential = mark->potential;
    sim->tally.work_in = mark->work_in;
    sim->tally.work_out = mark->work_out;
    sim->tally.lost = mark->lost;
    sim->tally.gradient_max = mark->gradient_max;
    sim->tally.rescued = mark->rescued;
    sim->tally.rescued_loss = mark->rescued_loss;
}

void lil_sim_set_mark(lil_sim *sim)
{
    set_mark(sim, &sim->saved);
}

void lil_sim_back(lil_sim *sim)
{
    go_back(sim, &sim->saved);
}

/* v and energies that belong to (q, p); what is not finite is an error */
static lil_status refresh(lil_sim *sim)
{
    lil_evaluator *ev = &sim->ev;
    lil_state *x = &sim->state;
    int n = x->n;
    bool finite;
    if (sim->model->mass.constant) {
        double pv;
        finite = lil_evaluate_kinetic(ev, x->q, x->p, x->v, &pv);
        lil_evaluate_frame(ev, x->t, x->q, &sim->potential, NULL);
        sim->volume = ev->frame_volume;
        sim->energy = pv / 2 + sim->potential;
    } else {
        double L, at_rest;
        LIL_TRY(lil_evaluate_velocity(ev, x->t, x->q, x->p, x->v));
        lil_evaluate_lagrangian(ev, x->t, x->q, x->v, &L, NULL, NULL);
        sim->energy = lil_dot(n, x->p, x->v) - L;
        memset(ev->scratch, 0, (size_t)n * sizeof *ev->scratch);
        lil_evaluate_lagrangian(ev, x->t, x->q, ev->scratch, &at_rest, NULL, NULL);
        sim->potential = -at_rest;
        finite = lil_all_finite(n, x->q) && lil_all_finite(n, x->p);
    }
    if (finite && isfinite(sim->energy) && lil_positions_finite(&ev->full, x->t, NULL, 0))
        return LIL_OK;
    return sim->volume <= 0 ? lil_fail(sim->ctx, LIL_ERR_INVERTED, "an element is inverted")
                            : lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "the motion is not finite");
}

/* Brings q and p to where the constraints let them be. What is far off is refused. */
static lil_status project_to_constraints(lil_sim *sim)
{
    const double CLOSE = 0.05; /* of the largest coordinate */
    lil_state *x = &sim->state;
    double moved = 0, size = 0, off;
    if (!sim->model->constraint_count || lil_stepper_is_differential(&sim->stepper))
        return LIL_OK;
    for (int i = 0; i < x->n; i++)
        size = fmax(size, fabs(x->q[i]));
    const char *worst = lil_constrained_worst(&sim->constrained, x->t, x->q, &off);
    LIL_TRY(lil_constrained_close(&sim->constrained, x->t, x->q, x->v, &moved));
    if (moved > CLOSE * size)
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "the constraints are not met, least %.200s by %.3g: something would have to be moved by %.3g",
                        worst, off, moved);
    if (moved > 1e-9 * size)
        lil_warn(sim->ctx,
                 "the constraints were not quite met, least %.200s by %.3g: something was moved by %.3g to meet them",
                 worst, off, moved);
    return lil_constrained_project(&sim->constrained, &sim->tally, x->t, x->q, x->p, x->v);
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
    LIL_TRY(project_to_constraints(sim));
    lil_status status = refresh(sim);
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
        return lil_fail(sim->ctx, LIL_ERR_INPUT, "%s cannot take damping into its steps: use damping 'exact'",
                        s->method->name);
    LIL_TRY(lil_sim_check_friction(sim));
    if (s->constrained)
        LIL_TRY(lil_sim_bind(sim));
    LIL_TRY(lil_kick_create(sim->ctx, &sim->arena, &sim->ev, &s->solver, &sim->tally, &sim->kick));
    sim->parts = LIL_NEW(&sim->arena, lil_momenta, lil_pieces(3 * (size_t)s->model->points.count));
    if (!sim->parts)
        return lil_fail_memory(sim->ctx);
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
    if (!x)
        return lil_fail_memory(ctx);
    memcpy(x, def->q, (size_t)model->n * sizeof *x);
    memcpy(v, def->v, (size_t)model->n * sizeof *v);
    rested.q = x;
    rested.v = v;
    lil_status status = lil_sim_find_rest(ctx, &arena, model, def->solver.linear, def->start, x, v, &rest, &blame);
    if (status == LIL_OK)
        status = lil_sim_make(ctx, model, &rested, false, &part, out);
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
        return lil_sim_make(ctx, model, &started, false, &part, out);
    started.q = model->q0;
    started.v = def->v ? def->v : model->v0;
    return lil_sim_rests(model) ? make_at_rest(ctx, model, &started, out)
                                : lil_sim_make(ctx, model, &started, false, &part, out);
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
    sim->parameters = LIL_NEW(&sim->arena, double, count);
    if (!sim->parameters)
        return lil_fail_memory(sim->ctx);
    if (count)
        memcpy(sim->parameters, sim->model->parameter_values, (size_t)count * sizeof *sim->parameters);
    sim->arena.parameters = sim->parameters;
    return LIL_OK;
}

/* All but what a def may have wrong, and warnings about its step. */
static lil_status sim_make(lil_context *ctx, const lil_model *model, const lil_integrator *method,
                           const lil_sim_def *def, bool directed, lil_sim_part *part, lil_sim **out)
{
    lil_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return lil_fail_memory(ctx);
    sim->ctx = ctx;
    sim->model = model;
    sim->directed = directed;
    sim->grid_start = def->start;
    sim->step = def->step;
    sim->halvings = def->halvings;
    sim->volume = INFINITY;
    lil_status status = new_parameters(sim); /* before there are programs that read them */
    if (status == LIL_OK)
        status = sim_configure(sim, method, def);
    if (status == LIL_OK)
        status = new_state(sim, &sim->state);
    if (status == LIL_OK)
        status = new_state(sim, &sim->start);
    if (status == LIL_OK)
        status = sim_begin(sim);
    if (status == LIL_OK) {
        *part = LIL_SIM_START;
        status = set_start(sim, def, part);
    }
    if (status == LIL_OK) {
        copy_state(sim, &sim->start, &sim->state);
        *part = LIL_SIM_CONTROL;
        status = lil_control_create(ctx, &sim->arena, &def->control, def->step, &sim->stepper, &sim->control);
    }
    if (status == LIL_OK) /* steps that only look at where they begin spoil what a symplectic method keeps */
        sim->watch.keeps = lil_sim_claims(sim).holds & LIL_ENERGY && def->control.method != LIL_CONTROL_NAIVE;
    if (status != LIL_OK)
        lil_sim_destroy(&sim);
    *out = sim;
    return status;
}

lil_status lil_sim_make(lil_context *ctx, const lil_model *model, const lil_sim_def *def, bool directed,
                        lil_sim_part *part, lil_sim **out)
{
    const lil_integrator *method;
    *out = NULL;
    *part = LIL_SIM_DEF;
    LIL_TRY(sim_check_def(ctx, model, def));
    *part = LIL_SIM_METHOD;
    LIL_TRY(find_method(ctx, def->integrator, &method));
    LIL_TRY(sim_make(ctx, model, method, def, directed, part, out));
    lil_status status = directed ? LIL_OK : lil_stability_check(*out);
    if (status != LIL_OK)
        lil_sim_destroy(out);
    return status;
}

lil_status lil_sim_restart(lil_sim *sim, const double *q, const double *v)
{
    const lil_sim_def def = { .start = sim->start.t, .q = q, .v = v };
    lil_sim_part part;
    sim->volume = INFINITY;
    sim->watch = (lil_watch){ .keeps = sim->watch.keeps };
    LIL_TRY(set_start(sim, &def, &part));
    copy_state(sim, &sim->start, &sim->state);
    return sim->observables.count ? lil_sim_observe_start(sim) : LIL_OK;
}

lil_status lil_sim_make_like(lil_context *ctx, const lil_sim *sim, lil_sim **out)
{
    lil_sim_part part;
    lil_sim_def def = { .integrator = sim->stepper.method->name,
                        .config = sim->stepper.config,
                        .step = sim->step,
                        .start = sim->start.t,
                        .q = sim->start.q,
                        .v = sim->start.v,
                        .solver = sim->stepper.solver,
                        .control = sim->control.def,
                        .halvings = sim->halvings };
    *out = NULL;
    return sim_make(ctx, sim->model, sim->stepper.method, &def, sim->directed, &part, out);
}

void lil_sim_destroy(lil_sim **sim)
{
    if (!sim || !*sim)
        return;
    lil_stepper_destroy(&(*sim)->stepper);
    lil_kick_destroy(&(*sim)->kick);
    lil_rescue_destroy(&(*sim)->rescue);
    lil_evaluator_destroy(&(*sim)->ev);
    lil_arena_free(&(*sim)->arena);
    free(*sim);
    *sim = NULL;
}

/* ---- step ---- */

/* v after damping. What constraints take out of it is damping too. */
static lil_status velocity_after_damping(lil_sim *sim)
{
    lil_state *x = &sim->state;
    lil_tally *tally = &sim->tally;
    LIL_TRY(lil_evaluate_velocity(&sim->ev, x->t, x->q, x->p, x->v));
    if (!sim->stepper.constrained || lil_stepper_is_differential(&sim->stepper))
        return LIL_OK;
    double before = lil_dot(x->n, x->p, x->v) / 2, put_in = tally->work_in;
    LIL_TRY(lil_constrained_project(&sim->constrained, tally, x->t, x->q, x->p, x->v));
    tally->work_out += before - lil_dot(x->n, x->p, x->v) / 2 + (tally->work_in - put_in);
    return LIL_OK;
}

/* Half a step's damping at the state as it is. */
static lil_status sim_kick(lil_sim *sim, double h)
{
    lil_state *x = &sim->state;
    if (!lil_model_terms(sim->model, LIL_KICK))
        return LIL_OK;
    LIL_TRY(lil_kick_half(&sim->kick, x->t, h / 2, x->q, x->p));
    return velocity_after_damping(sim);
}

/* Implicit Euler instead of the method's own step; the next one begins anew. */
static lil_status rescue(lil_sim *sim, double h)
{
    lil_state *x = &sim->state;
    const lil_stepper *s = &sim->stepper;
    LIL_TRY(lil_rescue_step(&sim->rescue, sim->ctx, sim->model, &s->solver, &sim->tally, x->t, h, x->q, x->p, x->v));
    lil_stepper_forget(&sim->stepper);
    return LIL_OK;
}

/* The method's own step. One that the user has registered may fail without a sentence: then it gets one. */
static lil_status step_by_method(lil_sim *sim, double h)
{
    lil_context *ctx = sim->ctx;
    const lil_integrator *method = sim->stepper.method;
    char older[LIL_MESSAGE_MAX];
    bool own = true;
    for (int i = 0; i < ctx->registered_count; i++)
        own = own && ctx->registered[i] != method;
    if (own)
        return method->step(&sim->stepper, h);
    memcpy(older, ctx->message, sizeof older);
    ctx->message[0] = 0;
    lil_status status = method->step(&sim->stepper, h);
    if (status != LIL_OK && !ctx->message[0])
        return lil_fail(ctx, status, "%s returned %s", method->name, lil_status_name(status));
    if (status == LIL_OK)
        memcpy(ctx->message, older, sizeof older);
    return status;
}

/* One try at a step of h, by the method itself or as a `last` resort. */
static lil_status try_step(lil_sim *sim, double h, bool last)
{
    lil_state *x = &sim->state;
    if (lil_model_terms(sim->model, LIL_IMPULSE) && !sim->stepper.damps) {
        lil_kick_impulse(&sim->kick, x->t, h, x->q, x->p);
        LIL_TRY(velocity_after_damping(sim));
    }
    LIL_TRY(sim_kick(sim, h));
    LIL_TRY(last ? rescue(sim, h) : step_by_method(sim, h));
    x->t += h;
    if (lil_model_terms(sim->model, LIL_FRICTION) && !sim->stepper.rubs) { /* damping of contact alone */
        lil_kick_friction(&sim->kick, x->t, h, x->q, x->p);
        LIL_TRY(velocity_after_damping(sim));
    }
    LIL_TRY(sim_kick(sim, h));
    LIL_TRY(refresh(sim));
    return lil_sim_watch_try(sim);
}

/* Before a step that failed at every size: what presses hardest, and what is pressed flat. */
static bool explain_press(lil_sim *sim, const lil_state *at, char *why, size_t size)
{
    const double FLAT = 0.2;
    char press[256] = "", flat[160] = "";
    lil_pair pair;
    const char *body;
    double force;
    int element;
    if (!sim->model->impassable)
        return false;
    if (lil_evaluate_hardest(&sim->ev, at->t, at->q, &pair, &force)) {
        if (strcmp(pair.what, pair.in) == 0)
            snprintf(press, sizeof press, "'%s' presses on itself with %.3g N", pair.what, force);
        else
            snprintf(press, sizeof press, "'%s' and '%s' press on each other with %.3g N", pair.what, pair.in, force);
    }
    double left = lil_evaluate_flattest(&sim->ev, at->t, at->q, &body, &element);
    if (left <= 0)
        snprintf(flat, sizeof flat, "tet %d of '%.60s' is inside out", element, body);
    else if (left < FLAT)
        snprintf(flat, sizeof flat, "tet %d of '%.60s' is pressed to %.2g of its volume", element, body, left);
    snprintf(why, size, "%s%s%s", press, press[0] && flat[0] ? ", " : "", flat);
    return why[0];
}

/* The sentence for a step that failed at every size: why, where, and what stands in the texts there. */
static lil_status give_up(lil_sim *sim, lil_status status, const lil_state *at, double h, int failed)
{
    char why[512], reason[LIL_MESSAGE_MAX];
    lil_evaluator *ev = &sim->ev;
    const lil_state *x = &sim->state; /* still as the failing step left it */
    memcpy(reason, sim->ctx->message, sizeof reason);
    bool explained =
        lil_evaluate_explain(ev, at->t, at->q, at->v, why, sizeof why) ||
        lil_evaluate_explain(ev, x->t, x->q, x->v, why, sizeof why) ||
        lil_evaluate_explain(ev, at->t + h, at->q, at->v, why, sizeof why) ||
        (sim->model->constraint_count && lil_constrained_explain(&sim->constrained, at->t, at->q, why, sizeof why));
    if (explained)
        return lil_fail(sim->ctx, status == LIL_ERR_INVERTED ? status : LIL_ERR_NOT_FINITE, "%s, at t = %.9g", why,
                        at->t);
    if (lil_evaluate_refused(ev, at->t, h, why, sizeof why))
        return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "%s, in the step from t = %.9g", why, at->t);
    if (explain_press(sim, at, why, sizeof why))
        return lil_fail(
            sim->ctx, status,
            "at t = %.9g %s, and the motion cannot go on from there: %d attempts failed, the last one a step "
            "of %.3g s: %.400s",
            at->t, why, failed, h, reason);
    return lil_fail(sim->ctx, status, "the step at t = %.9g fails, even halved to %.3g s: %.700s", at->t, h, reason);
}

/* Energy that no stable step can bring is what elements whose steps resonate bring: back, and on with other steps. */
static bool sim_shift(lil_sim *sim, const lil_mark *good)
{
    enum { SHIFTS_MAX = 32 };
    lil_stepper *s = &sim->stepper;
    if (!s->shift || sim->watch.shifted == SHIFTS_MAX ||
        !lil_watch_resonance(&sim->watch, sim->model, &sim->tally, sim->energy))
        return false;
    go_back(sim, good);
    s->shift(s);
    lil_stepper_save(s, good->words);
    lil_watch_shift(sim->ctx, &sim->watch, sim->model, &sim->tally, sim->state.t, sim->energy);
    return true;
}

/* A step by the barrier's discrete gradient that was not solved; implicit Euler minimises, and knows no constraints. */
static bool can_rescue(const lil_sim *sim, lil_status status)
{
    return (status == LIL_ERR_CONVERGENCE || status == LIL_ERR_INVERTED) && sim->model->impassable &&
           lil_stepper_is_by_gradient(&sim->stepper) && !sim->stepper.constrained;
}

/* After a part has succeeded. What has failed once is not tried again within the step; but contact that cannot be passed is hard for a moment, and
 * after it parts grow again, where two make one of twice the length. */
static int64_t next_part(const lil_sim *sim, int64_t done, int64_t part, bool grows)
{
    return grows && sim->model->impassable && done % (2 * part) == 0 ? 2 * part : part;
}

/* What the failed attempts of a step have cost. */
typedef struct toll {
    int failed;         /* how many there were */
    int64_t lost, deep; /* Newton's iterations in them; in those of parts of h/16 and less */
} toll;

/* How many iterations an attempt may take: those of two rungs. */
static int64_t attempt_most(const lil_sim *sim)
{
    return 2 * (int64_t)sim->stepper.solver.iterations;
}

/* One more, that began with so many iterations. What fails before the first one has looked for a way out instead: that counts as a third of an attempt. */
static void add_failure(const lil_sim *sim, int64_t begun, bool is_short, toll *paid)
{
    int64_t taken = sim->tally.newton_iterations - begun, least = attempt_most(sim) / 3;
    taken = taken > least ? taken : least;
    paid->failed++;
    paid->lost += taken;
    paid->deep += is_short ? taken : 0;
}

/*
 * Something that is crushed fails again and again, at ever smaller parts, over several steps, and each step alone would go on for long. So iterations that
 * parts of h/16 and less lose also count over all steps in a row that have such failures; each step without any halves the count. What is only hard, an impact
 * or friction that turns, does not get there: its parts are longer, or it is over within a step. Iterations, not failures, are what takes time: each
 * halving that is allowed is good for one whole attempt, and within a step, longer parts included, for two.
 */
static bool is_hopeless(const lil_sim *sim, const toll *paid)
{
    enum { FAILURES = 8 }; /* for each time that a step may be halved: where parts grow again, each may fail again */
    int64_t most = sim->halvings * attempt_most(sim);
    return paid->failed > FAILURES * sim->halvings ||
           (sim->model->impassable && (sim->watch.struggle + paid->deep > most || paid->lost > 2 * most));
}

/* Parts that are short enough for what is lost where things hit each other. */
static int64_t sim_resolve(lil_sim *sim, double h, int64_t whole, int64_t part)
{
    const lil_state *x = &sim->state;
    if (!sim->model->impassable || !sim->model->loses || !(h > 0))
        return part;
    double length = h * ((double)part / (double)whole),
           longest = lil_evaluate_resolve(&sim->ev, x->t, length, x->q, x->v);
    for (; length > longest && part > 1; length /= 2)
        part /= 2;
    return part;
}

/*
 * A step of h, halved where it fails: the interval is walked in units of h / 2^halvings. After a failure the parts are
 * half as long.
 */
static lil_status step_with_halving(lil_sim *sim, double h)
{
    enum {
        GROW = 4,
        DEEP = 16
    }; /* failures a halving after which parts grow no more; parts of h/DEEP and less are short */
    int64_t whole = (int64_t)1 << sim->halvings, done = 0, part = whole;
    toll paid = { 0 };
    const lil_mark *good = &sim->saved; /* where to go back to */
    set_mark(sim, &sim->saved);
    LIL_TRY(lil_stability_tension(sim, h, &part));
    while (done < whole) {
        part = sim_resolve(sim, h, whole, part);
        double length = part == whole ? h : h * ((double)part / (double)whole);
        int64_t begun = sim->tally.newton_iterations;
        lil_status status = try_step(sim, length, false);
        if (part == 1 && !is_hopeless(sim, &paid) && can_rescue(sim, status)) {
            add_failure(sim, begun, part <= whole / DEEP, &paid);
            begun = sim->tally.newton_iterations;
            go_back(sim, good);
            status = try_step(sim, length, true);
        }
        if (status == LIL_OK && sim_shift(sim, good))
            continue;
        if (status == LIL_OK) {
            done += part;
            if (done < whole) {
                part = next_part(sim, done, part, paid.failed <= GROW * sim->halvings);
                set_mark(sim, &sim->good);
                good = &sim->good;
            }
            continue;
        }
        add_failure(sim, begun, part <= whole / DEEP, &paid);
        if (part == 1 || is_hopeless(sim, &paid)) {
            status = give_up(sim, status, &good->state, length, paid.failed);
            go_back(sim, &sim->saved);
            return status;
        }
        if (part == whole)
            sim->watch.halved++;
        part /= 2;
        go_back(sim, good);
    }
    sim->watch.struggle = paid.deep > 0 ? sim->watch.struggle + paid.deep : sim->watch.struggle / 2;
    return LIL_OK;
}

static lil_status check_handles(lil_sim *sim)
{
    char why[512];
    if (lil_positions_finite(&sim->ev.full, sim->state.t, why, sizeof why))
        return LIL_OK;
    return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "%s, at t = %.9g", why, sim->state.t);
}

/* What belongs to the end of a step; where it is not finite the state goes back to where the step began. */
static lil_status commit_step(lil_sim *sim, double t_end)
{
    sim->state.t = t_end; /* which the sum of the parts may miss by a bit */
    lil_status status = check_handles(sim);
    if (status == LIL_OK)
        status = lil_sim_observe_step(sim);
    if (status == LIL_OK)
        status = lil_sim_watch_end(sim);
    if (status != LIL_OK) { /* back to where the step began, where everything was finite */
        char sentence[LIL_MESSAGE_MAX];
        memcpy(sentence, sim->ctx->message, sizeof sentence);
        go_back(sim, &sim->saved);
        lil_sim_observe_step(sim);
        return lil_fail(sim->ctx, status, "%.1000s", sentence);
    }
    sim->steps++;
    lil_sim_watch_step(sim);
    return LIL_OK;
}

static lil_status sim_advance(lil_sim *sim, double h, double t_end)
{
    LIL_TRY(step_with_halving(sim, h));
    return commit_step(sim, t_end);
}

lil_status lil_sim_place(lil_sim *sim, double t, const double *q, const double *p)
{
    size_t size = (size_t)sim->state.n * sizeof *q;
    double energy = sim->energy;
    set_mark(sim, &sim->saved);
    memcpy(sim->state.q, q, size);
    memcpy(sim->state.p, p, size);
    sim->state.t = t;
    lil_status status = refresh(sim);
    if (status != LIL_OK) {
        go_back(sim, &sim->saved);
        return status;
    }
    sim->tally.work_in += sim->energy - energy; /* of whoever places it */
    sim->watch.placed = true;
    sim->grid_start = t;
    sim->grid_steps = 0;
    return commit_step(sim, t);
}

static lil_status report_step(lil_sim *sim, double h)
{
    lil_status status = sim->taken ? sim->taken(sim->taken_user, h) : LIL_OK;
    if (status != LIL_OK)
        lil_sim_undo(sim);
    return status;
}

/* Whoever records the steps may refuse them before they are taken. */
static lil_status sim_ask(lil_sim *sim)
{
    if (sim->may_step)
        LIL_TRY(sim->may_step(sim->taken_user));
    if (sim->taken)
        lil_sim_remember(sim);
    return LIL_OK;
}

static lil_status leave_grid(lil_sim *sim, double h, double t_end)
{
    LIL_TRY(sim_check_direction(sim->ctx, sim->model, h));
    LIL_TRY(sim_ask(sim));
    LIL_TRY(sim_advance(sim, h, t_end));
    sim->grid_start = sim->state.t; /* the grid of lil_sim_step goes on from here */
    sim->grid_steps = 0;
    sim->control.next = 0;
    return report_step(sim, h);
}

lil_status lil_sim_advance(lil_sim *sim, double h)
{
    LIL_NEED(NULL, sim, "sim");
    if (h == 0 || !isfinite(h))
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "the step must be finite and not 0, not %g", h);
    return leave_grid(sim, h, sim->state.t + h);
}

lil_status lil_sim_advance_to(lil_sim *sim, double t)
{
    return leave_grid(sim, t - sim->state.t, t);
}

lil_status lil_sim_next_step(lil_sim *sim, double *h)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, h, "h");
    *h = sim->step;
    return sim->control.def.method ? lil_control_next(&sim->control, &sim->stepper, h) : LIL_OK;
}

lil_status lil_sim_step(lil_sim *sim)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_TRY(sim_ask(sim));
    if (sim->control.def.method) {
        double h;
        LIL_TRY(lil_control_next(&sim->control, &sim->stepper, &h));
        LIL_TRY(sim_advance(sim, h, sim->state.t + h));
        lil_control_taken(&sim->control);
        return report_step(sim, h);
    }
    /* t by multiplication, not by addition: the millionth step is on the grid to the last bit */
    LIL_TRY(sim_advance(sim, sim->step, sim->grid_start + (double)(sim->grid_steps + 1) * sim->step));
    sim->grid_steps++;
    return report_step(sim, sim->step);
}

/* ---- set ---- */

lil_status lil_sim_accept_state(lil_sim *sim, double *change)
{
    lil_status status = project_to_constraints(sim);
    if (status == LIL_OK)
        status = refresh(sim);
    if (status != LIL_OK)
        go_back(sim, &sim->saved);
    *change = sim->energy - sim->saved.energy;
    sim->control.next = 0; /* the next step is found from the new state */
    sim->constrained.swing = INFINITY;
    if (status == LIL_OK)
        lil_stepper_forget(&sim->stepper);
    return status;
}
