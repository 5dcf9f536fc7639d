/* A step: its length, its end, and what is recorded of it. halving.c makes it. */
#include "sim/checkpoint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static lil_status check_handles(lil_sim *sim)
{
    char why[512];
    if (lil_positions_finite(&sim->ev.full, sim->state.t, why, sizeof why))
        return LIL_OK;
    return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "%s, at t = %.9g", why, sim->state.t);
}

/* The end of a step; if it is not finite, the state is restored to the start of the step. */
static lil_status commit_step(lil_sim *sim, double t_end)
{
    sim->state.t = t_end; /* which the sum of the parts may miss by a bit */
    lil_sim_supports_end(sim);
    lil_status status = check_handles(sim);
    lil_phase_begin(sim->ctx->phases, LIL_PHASE_WATCH);
    if (status == LIL_OK)
        status = lil_sim_observe_step(sim);
    if (status == LIL_OK)
        status = lil_sim_watch_end(sim);
    lil_phase_end(sim->ctx->phases);
    if (status != LIL_OK) { /* back to where the step began, where everything was finite */
        char sentence[LIL_MESSAGE_MAX];
        memcpy(sentence, sim->ctx->message, sizeof sentence);
        lil_sim_restore_mark(sim, &sim->saved);
        lil_sim_supports_undo(sim);
        lil_sim_observe_step(sim);
        return lil_fail(sim->ctx, status, "%.1000s", sentence);
    }
    sim->steps++;
    sim->phases.steps += sim->measured;
    lil_phase_begin(sim->ctx->phases, LIL_PHASE_WATCH);
    lil_sim_watch_step(sim);
    lil_phase_end(sim->ctx->phases);
    return LIL_OK;
}

/* A step that the caller ends leaves no trace, also in what it had converged to: a linear solve that was cut short
 * has other bits. */
static lil_status sim_advance(lil_sim *sim, double h, double t_end)
{
    lil_stop *stop = &sim->ctx->stop;
    stop->asked = false;
    lil_sim_supports_begin(sim);
    lil_status status = lil_sim_step_with_halving(sim, h);
    if (stop->asked) {
        lil_sim_undo(sim);
        return lil_fail(sim->ctx, LIL_ERR_INTERRUPTED, "interrupted in the step from t = %.9g", sim->state.t);
    }
    LIL_TRY(status);
    return commit_step(sim, t_end);
}

static lil_status place(lil_sim *sim, double t, const double *q, const double *p)
{
    size_t size = (size_t)sim->state.n * sizeof *q;
    double energy = sim->energy;
    lil_sim_take_mark(sim, &sim->saved);
    memcpy(sim->state.q, q, size);
    memcpy(sim->state.p, p, size);
    sim->state.t = t;
    lil_status status = lil_sim_refresh(sim);
    if (status != LIL_OK) {
        lil_sim_restore_mark(sim, &sim->saved);
        return status;
    }
    sim->tally.work_in += sim->energy - energy; /* work of the caller */
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

/* The recorder may refuse the steps before they are taken. */
static lil_status sim_ask(lil_sim *sim)
{
    if (sim->may_step)
        LIL_TRY(sim->may_step(sim->taken_user));
    if (sim->taken || sim->ctx->stop.watch)
        lil_sim_remember(sim);
    return LIL_OK;
}

static lil_status leave_grid(lil_sim *sim, double h, double t_end)
{
    LIL_TRY(lil_sim_check_direction(sim->ctx, sim->model, h));
    LIL_TRY(sim_ask(sim));
    LIL_TRY(sim_advance(sim, h, t_end));
    sim->grid_start = sim->state.t; /* the grid of lil_sim_step goes on from here */
    sim->grid_steps = 0;
    sim->control.next = 0;
    return report_step(sim, h);
}

static lil_status next_step(lil_sim *sim)
{
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

/* ---- the public steps, each with the Sim's clock running ---- */

static lil_phases *step_begin(lil_sim *sim)
{
    return lil_clock_begin(sim->ctx, sim->measured ? &sim->phases : NULL);
}

static lil_status step_end(lil_sim *sim, lil_phases *before, lil_status status)
{
    lil_clock_end(sim->ctx, before);
    return status;
}

lil_status lil_sim_advance(lil_sim *sim, double h)
{
    LIL_NEED(NULL, sim, "sim");
    if (h == 0 || !isfinite(h))
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "the step must be finite and not 0, not %g", h);
    LIL_TRY(lil_sim_let_go(sim));
    lil_phases *before = step_begin(sim);
    return step_end(sim, before, leave_grid(sim, h, sim->state.t + h));
}

lil_status lil_sim_advance_to(lil_sim *sim, double t)
{
    LIL_TRY(lil_sim_let_go(sim));
    lil_phases *before = step_begin(sim);
    return step_end(sim, before, leave_grid(sim, t - sim->state.t, t));
}

lil_status lil_sim_next_step(lil_sim *sim, double *h)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, h, "h");
    *h = sim->step;
    if (!sim->control.def.method)
        return LIL_OK;
    LIL_TRY(lil_sim_let_go(sim));
    lil_phases *before = step_begin(sim);
    return step_end(sim, before, lil_control_next(&sim->control, &sim->stepper, h));
}

lil_status lil_sim_step(lil_sim *sim)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_TRY(lil_sim_let_go(sim));
    lil_phases *before = step_begin(sim);
    return step_end(sim, before, next_step(sim));
}

lil_status lil_sim_place(lil_sim *sim, double t, const double *q, const double *p)
{
    lil_phases *before = step_begin(sim);
    return step_end(sim, before, place(sim, t, q, p));
}

/* ---- the profile ---- */

lil_status lil_sim_set_profile(lil_sim *sim, bool on)
{
    LIL_NEED(NULL, sim, "sim");
    if (sim->phases.depth)
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "lil_sim_set_profile: not within a step of this Sim");
    if (on)
        sim->phases = (lil_phases){ 0 };
    sim->measured = on;
    return LIL_OK;
}

lil_profile lil_sim_profile(const lil_sim *sim)
{
    return lil_phases_read(&sim->phases);
}
