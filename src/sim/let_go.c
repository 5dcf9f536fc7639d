/*
 * Pins let go: between two steps the Sim continues with the next model, which has more degrees of freedom
 * (model/model.h). Everything that has the size of the state is made anew, in place, because others point at the Sim.
 *
 * Positions and velocities of all vertices stay, and with them the energy and the momenta. The kinetic energy of what
 * a handle moved belongs to the energy from now on: its change is work of the handle.
 */
#include "sim/checkpoint.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that belong to the run rather than to the model. */
static void keep_numbers(const lil_sim *from, lil_sim *to)
{
    to->taut = from->taut;
    to->watch = from->watch;
    to->tally = from->tally;
    to->warnings = from->warnings;
    if (from->state.n) {
        to->control.m_0 = from->control.m_0;
        to->control.rho = from->control.rho;
        to->control.started = from->control.started;
    } else {
        to->watch.steps = 0; /* it has waited: what moves from now on begins at rest, or as its handle moved */
    }
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
}

/* As they are, to the last bit: not as the constraints of the new model would have them at a start. */
static lil_status keep_state(const lil_sim *from, lil_sim *to, const double *q, const double *v)
{
    const lil_dofs *before = &from->model->dofs;
    double now = from->energy;
    for (int i = 0; i < to->state.n; i++) {
        int old = before->number[to->model->dofs.free[i]];
        to->state.q[i] = q[i];
        to->state.p[i] = old >= 0 ? from->state.p[old] : to->model->mass.diagonal[i] * v[i];
    }
    LIL_TRY(lil_sim_refresh(to));
    to->tally.work_in += to->energy - now;
    return LIL_OK;
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
static lil_status go_on(lil_sim *from, lil_sim *sim, const double *x, const double *v)
{
    const lil_model *next = from->model->next;
    lil_arena scratch = { 0 };
    double *q = LIL_NEW(&scratch, double, 2 * (size_t)next->n), *dq = q ? q + next->n : NULL;
    lil_sim_part part;
    lil_sim_def def = lil_sim_def_like(from);
    LIL_HAVE(sim->ctx, q);
    for (int i = 0; i < next->n; i++) {
        q[i] = x[next->dofs.free[i]];
        dq[i] = v[next->dofs.free[i]];
    }
    def.start = from->state.t;
    def.q = q;
    def.v = dq;
    lil_status status = lil_sim_fill(sim, next, &from->choice, &def, from->directed, &part);
    if (status == LIL_OK) {
        keep_numbers(from, sim);
        status = keep_state(from, sim, q, dq);
    }
    lil_arena_free(&scratch);
    LIL_TRY(status);
    return keep_observables(from, sim);
}

/* To the next model. On failure the Sim is as it was. */
static lil_status advance_model(lil_sim *sim)
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
        LIL_TRY(advance_model(sim));
    return LIL_OK;
}

/* ---- checkpoints: a row has the same length all the time, and begins with the number of the model ---- */

static lil_status count_words(const lil_sim *sim, const lil_model *model, int *words)
{
    lil_sim *other = calloc(1, sizeof *other);
    lil_sim_part part;
    lil_sim_def def = lil_sim_def_like(sim);
    double *q = malloc((size_t)model->n * sizeof *q);
    lil_status status = other && q ? LIL_OK : lil_fail_memory(sim->ctx);
    if (status == LIL_OK) {
        const double *x = model->dofs.held;
        for (int i = 0; i < model->n; i++)
            q[i] = x[model->dofs.free[i]];
        def.q = q;
        def.v = NULL;
        other->ctx = sim->ctx;
        status = lil_sim_fill(other, model, &sim->choice, &def, sim->directed, &part);
        int more = 4 * sim->observables.count + (sim->ev.supports ? sim->ev.supports->size : 0);
        *words = status == LIL_OK ? lil_sim_words(other) + more : 0;
        lil_sim_empty(other);
        lil_arena_free(&other->lasting);
    }
    free(other);
    free(q);
    return status;
}

lil_status lil_sim_checkpoint_words(lil_sim *sim, int *words)
{
    *words = lil_sim_words(sim);
    for (const lil_model *model = sim->model->next; model; model = model->next) {
        int own;
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
        if (advance_model(sim) != LIL_OK)
            return false;
        number--;
    }
    return number == 0 && lil_sim_load(sim, words);
}
