/*
 * Pins let go: between two steps the Sim continues with the next model, which has more degrees of freedom
 * (model/model.h). Everything that has the size of the state is made anew, in place, because others point at the Sim.
 *
 * Positions and velocities of all vertices stay, and with them the energy and the momenta. The kinetic energy of what
 * a handle moved belongs to the energy from now on: its change is work of the handle.
 */
#include "sim/checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that belong to the run rather than to the model. */
static void keep_numbers(const lil_sim *from, lil_sim *to)
{
    to->taut = from->taut;
    to->watch = from->watch;
    to->watch.warnings = &to->warnings;
    to->tally = from->tally;
    to->warnings = from->warnings;
    to->grid_start = from->grid_start;
    to->grid_steps = from->grid_steps;
    to->steps = from->steps;
    to->measured = from->measured;
    to->phases = from->phases;
    to->ev.supports = from->ev.supports;
    to->ev.frame_valid = !from->ev.supports; /* what it has is without their row */
    to->saved.impulse = from->saved.impulse;
    to->good.impulse = from->good.impulse;
    to->measures = from->measures;
    to->measure_count = from->measure_count;
    to->may_step = from->may_step;
    to->taken = from->taken;
    to->taken_user = from->taken_user;
    if (!from->state.n) /* it has waited: what moves from now on begins at rest, or as its handle moved */
        to->watch.steps = 0;
}

/* As they are, to the last bit: not as the constraints of the new model would have them at a start. */
static lil_status keep_state(const lil_sim *from, lil_sim *to, const double *x, const double *v)
{
    const lil_dofs *before = &from->model->dofs, *after = &to->model->dofs;
    double now = from->energy;
    to->state.t = from->state.t;
    for (int i = 0; i < to->state.n; i++) {
        int k = after->free[i], old = before->number[k];
        to->state.q[i] = x[k];
        to->state.p[i] = old >= 0 ? from->state.p[old] : to->model->mass.diagonal[i] * v[k];
    }
    LIL_TRY(lil_sim_refresh(to));
    to->tally.work_in += to->energy - now;
    if (lil_stepper_is_differential(&to->stepper))
        to->watch.reach = fmax(to->watch.reach, lil_largest(to->state.n, to->state.q));
    return LIL_OK;
}

static void keep_control(const lil_sim *from, lil_sim *to)
{
    if (!from->state.n)
        return;
    to->control.m_0 = from->control.m_0;
    to->control.rho = from->control.rho;
    to->control.started = from->control.started;
}

static lil_status keep_observables(const lil_sim *from, lil_sim *to)
{
    to->observables = from->observables;
    if (!to->observables.count)
        return LIL_OK;
    to->observables.slots = lil_program_slots(to->observables.program, &to->arena);
    return to->observables.slots ? LIL_OK : lil_fail_memory(to->ctx);
}

/* `sim` is zeroed but for what lasts; `from` is the same Sim as it was. */
static lil_status go_on(const lil_sim *from, lil_sim *sim, const double *x, const double *v)
{
    lil_sim_def def = lil_sim_def_like(from);
    def.start = from->state.t;
    LIL_TRY(lil_sim_prepare(sim, from->model->next, &from->choice, &def, (lil_sim_role)from->role));
    keep_numbers(from, sim);
    LIL_TRY(keep_state(from, sim, x, v));
    LIL_TRY(lil_sim_begin_control(sim, &def.control));
    keep_control(from, sim);
    return keep_observables(from, sim);
}

/* A link between two hands is pulled tight when they let go: its impulse takes out what does not fit, as an inelastic
 * impact does. */
static lil_status fit_velocity(lil_sim *sim)
{
    const lil_state *x = &sim->state;
    lil_constrained *c = &sim->constrained;
    if (lil_stepper_is_differential(&sim->stepper))
        return LIL_OK;
    LIL_TRY(lil_constrained_make(c, x->t, x->q, x->v));
    lil_constrained_measure(c, c->now, x->t, x->q);
    lil_constrained_rates(c, x->t, x->v);
    if (lil_constrained_off(c, c->rate) <= LIL_CONSTRAINED_SETTLED)
        return LIL_OK;
    LIL_TRY(lil_sim_lose_velocity(sim));
    return lil_sim_refresh(sim);
}

/* What handles move does not obey constraints between them; from now on these hold. Differential ones may have
 * drifted. */
static lil_status check_constraints(const lil_sim *from, lil_sim *sim)
{
    const double MET = 1e-9, DRIFTED = 1e-3; /* of the largest coordinate, as at a start */
    const lil_state *x = &sim->state;
    lil_constrained *c = &sim->constrained;
    double off, size = lil_largest(x->n, x->q);
    if (!sim->model->constraint_count)
        return LIL_OK;
    if (lil_constrained_distance(c, x->t, x->q) >
        (lil_stepper_is_differential(&sim->stepper) ? DRIFTED : MET) * size) {
        const char *worst = lil_constrained_worst(c, x->t, x->q, &off);
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "at t = %.9g pins let go (until %.9g), and %.200s, which holds from then on, is violated by "
                        "%.3g: handles that let go must leave it satisfied",
                        x->t, from->model->until, worst, off);
    }
    if (c->G.m > from->constrained.G.m)
        LIL_TRY(lil_constrained_check(c, x->t, x->q, x->v));
    return fit_velocity(sim);
}

/* To the next model; `now`: it is time, not only a file that has begun with that model. On failure the Sim is as it
 * was. */
static lil_status advance_model(lil_sim *sim, bool now)
{
    lil_sim before = *sim;
    lil_positions *all = &sim->ev.full;
    size_t n = (size_t)sim->model->dofs.total;
    double *x = malloc(2 * n * sizeof *x), *v = x ? x + n : NULL;
    LIL_HAVE(sim->ctx, x);
    memcpy(x, lil_positions_of(all, sim->state.t, sim->state.q), n * sizeof *x);
    memcpy(v, lil_positions_velocity(all, sim->state.t, sim->state.v), n * sizeof *v);
    *sim = (lil_sim){ .ctx = before.ctx, .first = before.first, .lasting = before.lasting };
    lil_status status = go_on(&before, sim, x, v);
    if (status == LIL_OK && now)
        status = check_constraints(&before, sim);
    free(x);
    if (status != LIL_OK) {
        lil_sim_empty(sim);
        *sim = before;
        return status;
    }
    lil_sim_empty(&before);
    return LIL_OK;
}

/* Round-off in t is no reason to wait for another step. */
static bool is_due(const lil_sim *sim)
{
    const double SOON = 1e-9;
    return sim->model->next && sim->state.t >= sim->model->until - SOON * sim->step;
}

lil_status lil_sim_let_go(lil_sim *sim)
{
    while (is_due(sim))
        LIL_TRY(advance_model(sim, true));
    return LIL_OK;
}

/* ---- checkpoints: a row has the same length all the time, and begins with the number of the model ---- */

static lil_status count_words(const lil_sim *sim, const lil_model *model, int *words)
{
    lil_sim *other = calloc(1, sizeof *other);
    lil_sim_def def = lil_sim_def_like(sim);
    LIL_HAVE(sim->ctx, other);
    other->ctx = sim->ctx;
    lil_status status = lil_sim_prepare(other, model, &sim->choice, &def, (lil_sim_role)sim->role);
    int more = 4 * sim->observables.count + (sim->ev.supports ? sim->ev.supports->size : 0);
    *words = status == LIL_OK ? lil_sim_words(other) + more : 0;
    lil_sim_empty(other);
    lil_arena_free(&other->lasting);
    free(other);
    return status;
}

lil_status lil_sim_checkpoint_words(lil_sim *sim, int *words)
{
    *words = lil_sim_words(sim);
    for (const lil_model *model = sim->model->next; model; model = model->next) {
        int own = 0;
        LIL_TRY(count_words(sim, model, &own));
        *words = own > *words ? own : *words;
    }
    *words += sim->first->next != NULL;
    return LIL_OK;
}

void lil_sim_checkpoint_save(lil_sim *sim, double *words)
{
    if (sim->first->next) {
        *words = 0;
        for (const lil_model *model = sim->first; model != sim->model; model = model->next)
            ++*words;
        words++;
    }
    lil_sim_save(sim, words);
}

bool lil_sim_checkpoint_load(lil_sim *sim, const double *words)
{
    if (!sim->first->next)
        return lil_sim_load(sim, words);
    double number = *words++;
    while (number >= 1 && sim->model->next) {
        if (advance_model(sim, false) != LIL_OK)
            return false;
        number--;
    }
    return number == 0 && lil_sim_load(sim, words);
}
