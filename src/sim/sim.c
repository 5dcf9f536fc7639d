#include "sim/sim.h"

#include "core/field.h"
#include "core/threads.h"
#include "sim/checkpoint.h"

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
static lil_status check_direction(lil_context *ctx, const lil_model *model, double h)
{
    if (h < 0 && (model->has_step || model->has_kick || model->has_impulse || model->has_friction || model->loses))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a system with damping cannot be stepped backwards, by %g s", h);
    return LIL_OK;
}

static lil_status check_def(lil_context *ctx, const lil_model *model, const lil_sim_def *def)
{
    if (def->step == 0 || !isfinite(def->step))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the step must be finite and not 0, not %g", def->step);
    LIL_TRY(check_direction(ctx, model, def->step));
    if (!isfinite(def->start))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the start time must be finite, not %g", def->start);
    if (!(def->solver.tolerance > 0) || def->solver.iterations < 1)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the solver needs a positive tolerance and at least one iteration");
    if (def->solver.method < LIL_SOLVER_AUTO || def->solver.method > LIL_SOLVER_ROOT)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "there is no solver method %d", def->solver.method);
    if (def->solver.linear < LIL_LINEAR_AUTO || def->solver.linear > LIL_LINEAR_ITERATIVE)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "there is no linear solver %d", def->solver.linear);
    if (def->solver.preconditioner < LIL_PRECONDITIONER_AUTO ||
        def->solver.preconditioner > LIL_PRECONDITIONER_MULTILEVEL)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "there is no preconditioner %d", def->solver.preconditioner);
    if (def->solver.constraints < LIL_CONSTRAINTS_VARIATIONAL || def->solver.constraints > LIL_CONSTRAINTS_PENALTY)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "there is no constraint method %d", def->solver.constraints);
    if (!(def->solver.feedback >= 0) || !isfinite(def->solver.feedback))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the time of feedback must be 0 or positive, not %g",
                        def->solver.feedback);
    if (def->control.method < LIL_CONTROL_FIXED || def->control.method > LIL_CONTROL_NAIVE)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "there is no step control %d", def->control.method);
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

static lil_status configure(lil_sim *sim, const lil_sim_def *def)
{
    const lil_integrator *method;
    LIL_TRY(find_method(sim->ctx, def->integrator, &method));
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
static lil_status obey(lil_sim *sim)
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

static lil_status set_start(lil_sim *sim, const lil_sim_def *def)
{
    lil_state *x = &sim->state;
    x->t = def->start;
    memcpy(x->q, def->q, (size_t)x->n * sizeof *x->q);
    if (def->v)
        memcpy(x->v, def->v, (size_t)x->n * sizeof *x->v);
    lil_evaluate_lagrangian(&sim->ev, x->t, x->q, x->v, NULL, NULL, x->p);
    if (sim->model->constraint_count)
        LIL_TRY(lil_constrained_check(&sim->constrained, x->t, x->q, x->v));
    LIL_TRY(obey(sim));
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
    char why[512], reason[LIL_MESSAGE_MAX];
    if (def->v)
        memcpy(x->v, def->v, (size_t)x->n * sizeof *x->v);
    memcpy(reason, sim->ctx->message, sizeof reason);
    if (lil_evaluate_explain(&sim->ev, x->t, x->q, x->v, why, sizeof why))
        return lil_fail(sim->ctx, status, "%s, at the start", why);
    return lil_fail(sim->ctx, status, "at the start: %.900s", reason);
}

/* Steps of (7) as a discrete Lagrangian gives them, and implicit Euler's. */
static bool is_bindable(const lil_rule *rule, const lil_discrete_table *table)
{
    for (int i = 0; i < rule->n; i++)
        if (rule->e[i] != rule->b[i] || (rule->n > 1 && rule->a[i] != 1 - rule->c[i]))
            return false;
    return table;
}

/* Methods that ask for forces (rk4, explicit Euler, a user's own), and symplectic Euler, which has them at its start. */
static bool takes_forces(const lil_stepper *s)
{
    if (s->inner || s->stages.ev || s->gradient || s->shift)
        return false;
    for (int i = 0; s->discrete.table && i < s->discrete.rule.n; i++)
        if (s->discrete.rule.c[i] != 0)
            return false;
    return !s->discrete.table || s->discrete.explicit_;
}

/* Which steps can be bound, and how. */
static lil_status begin_constraints(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper, *base = s->inner ? s->inner : s;
    const lil_discrete *d = &base->discrete;
    bool differential = lil_stepper_is_differential(s);
    if (differential && !takes_forces(s))
        return lil_fail(
            sim->ctx, LIL_ERR_INPUT,
            "%s cannot take constraints as forces: use rk4 or symplectic-euler, or variational constraints",
            s->method->name);
    if (!differential && !s->gradient && !is_bindable(&d->rule, d->table))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s cannot be bound by variational constraints: use midpoint, energy-momentum, "
                        "stormer-verlet or a composition%s",
                        s->method->name, takes_forces(s) ? ", or constraints that are 'differential'" : "");
    bool implicit = d->table && !d->explicit_, iterative = implicit && sim->ev.blocks.values;
    lil_bound bound = s->gradient              ? LIL_BOUND_BETWEEN
                      : implicit && !iterative ? LIL_BOUND_IMPLICIT
                                               : LIL_BOUND_EXPLICIT;
    LIL_TRY(lil_constrained_create(sim->ctx, &sim->arena, &sim->ev, bound, &sim->constrained));
    return iterative ? lil_constrained_create_iterative(sim->ctx, &sim->arena,
                                                        lil_discrete_levels(s->solver.preconditioner), d->minimise,
                                                        &sim->constrained)
                     : LIL_OK;
}

/* Factors of a fixed pattern have a bound in the place of these couplings. With friction, which is stiff, Newton's method then takes hundreds
 * of iterations a step. */
static lil_status check_friction_of_bodies(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper;
    if (s->stages.ev)
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s cannot take friction between bodies: use midpoint, energy-momentum or stormer-verlet",
                        s->method->name);
    if (s->constrained && s->gradient)
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s with constraints cannot take friction between bodies: use midpoint", s->method->name);
    if (s->constrained && s->discrete.table && !s->discrete.explicit_ && s->solver.linear == LIL_LINEAR_DIRECT)
        return lil_fail(
            sim->ctx, LIL_ERR_INPUT,
            "with constraints the linear solver 'direct' cannot take friction between bodies: use 'auto'");
    return LIL_OK;
}

/* Friction after the step would let what sticks slide on by h F/m of each vertex, and is refused. */
static lil_status check_friction(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper;
    if (!s->model->may_stick)
        return LIL_OK;
    if (lil_stepper_is_differential(s))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "constraints that are 'differential' know nothing of friction: use variational ones");
    if (!s->rubs)
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s%s cannot take friction into its steps: use midpoint, energy-momentum or stormer-verlet",
                        s->method->name, s->constrained ? " with constraints" : "");
    if (s->model->impassable && !s->gradient) /* it is part of the barrier's discrete gradient */
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s takes contact by barrier without friction, restitution and damping of contact: use "
                        "energy-momentum",
                        s->method->name);
    /* the barrier's is in its couplings, which constraints solve for beside their factor */
    return s->model->bodies_meet && !s->model->impassable ? check_friction_of_bodies(sim) : LIL_OK;
}

/* By the barrier's discrete gradient, or at the end of a step, where it is minimised. */
static bool takes_barrier(const lil_stepper *s)
{
    return s->method == &lil_energy_momentum || s->method == &lil_midpoint || s->method == &lil_implicit_euler;
}

/* The barrier's matrix is known by blocks, or with constraints as couplings beside a factor. */
static lil_status check_barrier(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper;
    if (!s->model->impassable)
        return LIL_OK;
    if (!takes_barrier(s))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s does not take contact by barrier: use energy-momentum or midpoint, or contact: {method: "
                        "penalty}",
                        s->method->name);
    if (!s->constrained && (s->solver.linear == LIL_LINEAR_DIRECT || s->second))
        return lil_fail(sim->ctx, LIL_ERR_INPUT, "contact by barrier is solved iteratively: use %s",
                        s->second ? "a fixed step" : "the linear solver 'auto'");
    if (s->constrained && s->method != &lil_energy_momentum)
        return lil_fail(
            sim->ctx, LIL_ERR_INPUT,
            "%s does not take contact by barrier together with constraints: use energy-momentum, or contact: "
            "{method: penalty}",
            s->method->name);
    if (!s->constrained && (s->model->force_varies || !lil_block_assembly_possible(s->model, lil_in_the_matrix)))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "contact by barrier does not go together with %s: use contact: {method: penalty}",
                        s->model->force_varies ? "forces that depend on the motion" : "all terms of this scene");
    return LIL_OK;
}

static lil_status begin(lil_sim *sim)
{
    lil_stepper *s = &sim->stepper;
    LIL_TRY(check_barrier(sim));
    LIL_TRY(lil_stepper_begin(s));
    LIL_TRY(lil_stepper_begin_evaluator(s, LIL_SECOND_NONE));
    if (s->model->has_step && !s->discrete.table)
        return lil_fail(sim->ctx, LIL_ERR_INPUT, "%s cannot take damping into its steps: use damping 'exact'",
                        s->method->name);
    LIL_TRY(check_friction(sim));
    if (s->constrained)
        LIL_TRY(begin_constraints(sim));
    LIL_TRY(lil_kick_create(sim->ctx, &sim->arena, &sim->ev, &s->solver, &sim->tally, &sim->kick));
    sim->parts = LIL_NEW(&sim->arena, lil_momenta, lil_pieces(3 * (size_t)s->model->points.count));
    if (!sim->parts)
        return lil_fail_memory(sim->ctx);
    LIL_TRY(new_mark(sim, &sim->saved));
    return new_mark(sim, &sim->good);
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
    LIL_NEED(ctx, def->q, "def->q");
    return lil_sim_make(ctx, model, def, &part, out);
}

lil_status lil_sim_make(lil_context *ctx, const lil_model *model, const lil_sim_def *def, lil_sim_part *part,
                        lil_sim **out)
{
    *out = NULL;
    *part = LIL_SIM_DEF;
    LIL_TRY(check_def(ctx, model, def));
    lil_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return lil_fail_memory(ctx);
    sim->ctx = ctx;
    sim->model = model;
    sim->grid_start = def->start;
    sim->step = def->step;
    sim->halvings = def->halvings;
    sim->volume = INFINITY;
    *part = LIL_SIM_METHOD;
    lil_status status = configure(sim, def);
    if (status == LIL_OK)
        status = new_state(sim, &sim->state);
    if (status == LIL_OK)
        status = begin(sim);
    if (status == LIL_OK) {
        *part = LIL_SIM_START;
        status = set_start(sim, def);
    }
    if (status == LIL_OK) {
        *part = LIL_SIM_CONTROL;
        status = lil_control_create(ctx, &sim->arena, &def->control, def->step, &sim->stepper, &sim->control);
    }
    if (status == LIL_OK) /* steps that only look at where they begin spoil what a symplectic method keeps */
        sim->watch.keeps = lil_sim_claims(sim).holds & LIL_ENERGY && def->control.method != LIL_CONTROL_NAIVE;
    if (status == LIL_OK)
        status = lil_stability_check(sim);
    if (status != LIL_OK)
        lil_sim_destroy(&sim);
    *out = sim;
    return status;
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
static lil_status damped(lil_sim *sim)
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
static lil_status kick(lil_sim *sim, double h)
{
    lil_state *x = &sim->state;
    if (!sim->model->has_kick)
        return LIL_OK;
    LIL_TRY(lil_kick_half(&sim->kick, x->t, h / 2, x->q, x->p));
    return damped(sim);
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

/* One try at a step of h, by the method itself or as a `last` resort. */
static lil_status attempt(lil_sim *sim, double h, bool last)
{
    lil_state *x = &sim->state;
    if (sim->model->has_impulse && !sim->stepper.damps) {
        lil_kick_impulse(&sim->kick, x->t, h, x->q, x->p);
        LIL_TRY(damped(sim));
    }
    LIL_TRY(kick(sim, h));
    LIL_TRY(last ? rescue(sim, h) : sim->stepper.method->step(&sim->stepper, h));
    x->t += h;
    if (sim->model->has_friction && !sim->stepper.rubs) { /* damping of contact alone */
        lil_kick_friction(&sim->kick, x->t, h, x->q, x->p);
        LIL_TRY(damped(sim));
    }
    LIL_TRY(kick(sim, h));
    LIL_TRY(refresh(sim));
    return lil_sim_watch_try(sim);
}

/* What presses hardest before a step that failed at every size: that is where it cannot go on. */
static bool explain_press(lil_sim *sim, const lil_state *at, char *why, size_t size)
{
    lil_pair pair;
    double force;
    if (!sim->model->impassable || !lil_evaluate_hardest(&sim->ev, at->t, at->q, &pair, &force))
        return false;
    if (strcmp(pair.what, pair.in) == 0)
        snprintf(why, size, "'%s' presses on itself with %.3g N", pair.what, force);
    else
        snprintf(why, size, "'%s' and '%s' press on each other with %.3g N", pair.what, pair.in, force);
    return true;
}

/* The sentence for a step that failed at every size: why, where, and what stands in the texts there. */
static lil_status give_up(lil_sim *sim, lil_status status, const lil_state *at, double h, int failed)
{
    char why[512], reason[LIL_MESSAGE_MAX];
    lil_evaluator *ev = &sim->ev;
    const lil_state *x = &sim->state; /* still as the failing step left it */
    memcpy(reason, sim->ctx->message, sizeof reason);
    bool explained = lil_evaluate_explain(ev, at->t, at->q, at->v, why, sizeof why) ||
                     lil_evaluate_explain(ev, x->t, x->q, x->v, why, sizeof why) ||
                     lil_evaluate_explain(ev, at->t + h, at->q, at->v, why, sizeof why);
    if (explained)
        return lil_fail(sim->ctx, status == LIL_ERR_INVERTED ? status : LIL_ERR_NOT_FINITE, "%s, at t = %.9g", why,
                        at->t);
    if (explain_press(sim, at, why, sizeof why))
        return lil_fail(
            sim->ctx, status,
            "at t = %.9g %s, and the motion cannot go on from there: %d attempts failed, the last one a step "
            "of %.3g s: %.400s",
            at->t, why, failed, h, reason);
    return lil_fail(sim->ctx, status, "the step at t = %.9g fails, even halved to %.3g s: %.700s", at->t, h, reason);
}

/* Energy that no stable step can bring is what elements whose steps resonate bring: back, and on with other steps. */
static bool shift(lil_sim *sim, const lil_mark *good)
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
           sim->stepper.gradient && !sim->stepper.constrained;
}

/* After a part has succeeded. What has failed once is not tried again within the step; but contact that cannot be passed is hard for a moment, and
 * after it parts grow again, where two make one of twice the length. */
static int64_t next_part(const lil_sim *sim, int64_t done, int64_t part, bool grows)
{
    return grows && sim->model->impassable && done % (2 * part) == 0 ? 2 * part : part;
}

/*
 * A step of h, halved where it fails: the interval is walked in units of h / 2^halvings. After a failure the parts are
 * half as long.
 */
static lil_status walk(lil_sim *sim, double h)
{
    enum { FAILURES = 8 }; /* for each time that a step may be halved: where parts grow again, each may fail again */
    int most = FAILURES * sim->halvings;
    int64_t whole = (int64_t)1 << sim->halvings, done = 0, part = whole;
    int failed = 0;
    const lil_mark *good = &sim->saved; /* where to go back to */
    set_mark(sim, &sim->saved);
    LIL_TRY(lil_stability_tension(sim, h, &part));
    while (done < whole) {
        double length = part == whole ? h : h * ((double)part / (double)whole);
        lil_status status = attempt(sim, length, false);
        if (part == 1 && failed <= most && can_rescue(sim, status)) {
            failed++;
            go_back(sim, good);
            status = attempt(sim, length, true);
        }
        if (status == LIL_OK && shift(sim, good))
            continue;
        if (status == LIL_OK) {
            done += part;
            if (done < whole) {
                part = next_part(sim, done, part, failed <= most / 2);
                set_mark(sim, &sim->good);
                good = &sim->good;
            }
            continue;
        }
        failed++;
        if (part == 1 || failed > most) {
            status = give_up(sim, status, &good->state, length, failed);
            go_back(sim, &sim->saved);
            return status;
        }
        if (part == whole)
            sim->watch.halved++;
        part /= 2;
        go_back(sim, good);
    }
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
static lil_status arrive(lil_sim *sim, double t_end)
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

static lil_status advance(lil_sim *sim, double h, double t_end)
{
    LIL_TRY(walk(sim, h));
    return arrive(sim, t_end);
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
    return arrive(sim, t);
}

static lil_status report_step(lil_sim *sim, double h)
{
    return sim->taken ? sim->taken(sim->taken_user, h) : LIL_OK;
}

/* Whoever records the steps may refuse them before they are taken. */
static lil_status ask(lil_sim *sim)
{
    return sim->may_step ? sim->may_step(sim->taken_user) : LIL_OK;
}

static lil_status leave_grid(lil_sim *sim, double h, double t_end)
{
    LIL_TRY(check_direction(sim->ctx, sim->model, h));
    LIL_TRY(ask(sim));
    LIL_TRY(advance(sim, h, t_end));
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
    LIL_TRY(ask(sim));
    if (sim->control.def.method) {
        double h;
        LIL_TRY(lil_control_next(&sim->control, &sim->stepper, &h));
        LIL_TRY(advance(sim, h, sim->state.t + h));
        lil_control_taken(&sim->control);
        return report_step(sim, h);
    }
    /* t by multiplication, not by addition: the millionth step is on the grid to the last bit */
    LIL_TRY(advance(sim, sim->step, sim->grid_start + (double)(sim->grid_steps + 1) * sim->step));
    sim->grid_steps++;
    return report_step(sim, sim->step);
}

/* ---- set ---- */

/* Brings v and the energies up to date after a change, or takes the change back. */
static lil_status take_over(lil_sim *sim)
{
    lil_status status = obey(sim);
    if (status == LIL_OK)
        status = refresh(sim);
    if (status == LIL_OK)
        sim->watch.given += sim->energy - sim->saved.energy; /* by whoever sets it */
    else
        go_back(sim, &sim->saved);
    sim->control.next = 0; /* the next step is found from the new state */
    sim->constrained.swing = INFINITY;
    if (status == LIL_OK)
        lil_stepper_forget(&sim->stepper);
    return status;
}

static lil_status check_finite(lil_sim *sim, const double *x)
{
    for (int i = 0; i < sim->state.n; i++)
        if (!isfinite(x[i]))
            return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "'%s' would be set to %g", sim->model->names[i], x[i]);
    return LIL_OK;
}

lil_status lil_sim_set_q(lil_sim *sim, const double *q)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, q, "q");
    LIL_TRY(check_finite(sim, q));
    set_mark(sim, &sim->saved);
    memcpy(sim->state.q, q, (size_t)sim->state.n * sizeof *q);
    return take_over(sim);
}

lil_status lil_sim_set_p(lil_sim *sim, const double *p)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, p, "p");
    LIL_TRY(check_finite(sim, p));
    set_mark(sim, &sim->saved);
    memcpy(sim->state.p, p, (size_t)sim->state.n * sizeof *p);
    return take_over(sim);
}

lil_status lil_sim_set_v(lil_sim *sim, const double *v)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, v, "v");
    lil_state *x = &sim->state;
    LIL_TRY(check_finite(sim, v));
    set_mark(sim, &sim->saved);
    memcpy(x->v, v, (size_t)x->n * sizeof *v);
    lil_evaluate_lagrangian(&sim->ev, x->t, x->q, x->v, NULL, NULL, x->p);
    return take_over(sim);
}

/* ---- look ---- */

const lil_state *lil_sim_state(const lil_sim *sim)
{
    return &sim->state;
}

double lil_sim_energy(const lil_sim *sim)
{
    return sim->energy;
}

double lil_sim_potential(const lil_sim *sim)
{
    return sim->potential;
}

int64_t lil_sim_steps(const lil_sim *sim)
{
    return sim->steps;
}

lil_claims lil_sim_claims(const lil_sim *sim)
{
    lil_claims c = sim->stepper.method->claims(sim->stepper.config);
    const lil_model *model = sim->model;
    if (lil_stepper_is_differential(&sim->stepper))
        c.holds &= ~(unsigned)(LIL_SYMPLECTIC | LIL_SYMMETRIC | LIL_ENERGY | LIL_MOMENTA);
    c.holds &= ~sim->stepper.withdrawn;
    if (!model->has_step && !model->has_kick && !model->has_impulse && !model->has_friction && !model->loses)
        return c;
    /* kicks are symmetric about the step, unless p is projected after them, the other two are not; damped motion is neither symplectic nor keeps energy */
    int most = model->has_step || model->has_impulse || model->has_friction || model->constraint_count ? 1 : 2;
    c.order = c.order < most ? c.order : most;
    c.holds &= ~(unsigned)(LIL_SYMPLECTIC | LIL_SYMMETRIC | LIL_ENERGY | LIL_ENERGY_EXACT);
    /* dS/dv depends on v: there are equations to solve; so does friction on what binds */
    if (model->has_step || (model->may_stick && model->constraint_count))
        c.holds &= ~(unsigned)LIL_EXPLICIT;
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->leaks)
            c.holds &= ~(unsigned)LIL_MOMENTA;
    return c;
}

bool lil_sim_deepest(const lil_sim *sim, lil_pair *pair)
{
    return lil_watch_deepest(&sim->watch, sim->model, pair);
}

lil_certificate lil_sim_certificate(const lil_sim *sim)
{
    return lil_watch_certificate(&sim->watch, sim->model, &sim->tally);
}
