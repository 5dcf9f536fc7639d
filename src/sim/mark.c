/* The data that a step changes: saved before it, restored if it fails, and updated after it. */
#include "sim/sim.h"

#include "core/threads.h"
#include "sim/checkpoint.h"

#include <math.h>
#include <string.h>

void lil_sim_copy_state(const lil_sim *sim, lil_state *to, const lil_state *from)
{
    to->t = from->t; /* q, p, v are contiguous */
    lil_parallel_copy(sim->ev.threads, 3 * (size_t)from->n, from->q, to->q);
}

void lil_sim_take_mark(lil_sim *sim, lil_mark *mark)
{
    lil_sim_copy_state(sim, &mark->state, &sim->state);
    lil_stepper_save(&sim->stepper, mark->words);
    mark->energy = sim->energy;
    mark->potential = sim->potential;
    mark->work_in = sim->tally.work_in;
    mark->work_out = sim->tally.work_out;
    mark->lost = sim->tally.lost;
    mark->gradient_max = sim->tally.gradient_max;
    mark->implicit_euler_steps = sim->tally.implicit_euler_steps;
    mark->implicit_euler_loss = sim->tally.implicit_euler_loss;
    mark->halved = sim->watch.halved;
    mark->continued = sim->tally.continued;
    if (mark->impulse)
        memcpy(mark->impulse, sim->ev.supports->impulse, (size_t)sim->ev.supports->size * sizeof *mark->impulse);
}

void lil_sim_restore_mark(lil_sim *sim, const lil_mark *mark)
{
    lil_sim_copy_state(sim, &sim->state, &mark->state);
    lil_stepper_load(&sim->stepper, mark->words);
    sim->energy = mark->energy;
    sim->potential = mark->potential;
    sim->tally.work_in = mark->work_in;
    sim->tally.work_out = mark->work_out;
    sim->tally.lost = mark->lost;
    sim->tally.gradient_max = mark->gradient_max;
    sim->tally.implicit_euler_steps = mark->implicit_euler_steps;
    sim->tally.implicit_euler_loss = mark->implicit_euler_loss;
    if (mark->impulse)
        memcpy(sim->ev.supports->impulse, mark->impulse, (size_t)sim->ev.supports->size * sizeof *mark->impulse);
}

void lil_sim_set_mark(lil_sim *sim)
{
    lil_sim_take_mark(sim, &sim->saved);
}

void lil_sim_back(lil_sim *sim)
{
    lil_sim_restore_mark(sim, &sim->saved);
}

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

lil_status lil_sim_refresh(lil_sim *sim)
{
    lil_phase_begin(sim->ctx->phases, LIL_PHASE_EVALUATE);
    lil_status status = refresh(sim);
    lil_phase_end(sim->ctx->phases);
    return status;
}

lil_status lil_sim_project_to_constraints(lil_sim *sim)
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
                        "the constraints are not satisfied: %.200s is violated most, by %.3g: a coordinate would "
                        "have to move by %.3g",
                        worst, off, moved);
    if (moved > 1e-9 * size)
        lil_warn(sim->ctx,
                 "the constraints were not quite satisfied: %.200s was violated most, by %.3g: a coordinate moved by "
                 "%.3g to satisfy them",
                 worst, off, moved);
    return lil_constrained_project(&sim->constrained, &sim->tally, x->t, x->q, x->p, x->v);
}

lil_status lil_sim_accept_state(lil_sim *sim, double *change)
{
    lil_status status = lil_sim_project_to_constraints(sim);
    if (status == LIL_OK)
        status = lil_sim_refresh(sim);
    if (status != LIL_OK)
        lil_sim_restore_mark(sim, &sim->saved);
    *change = sim->energy - sim->saved.energy;
    sim->control.next = 0; /* the next step is found from the new state */
    sim->constrained.swing = INFINITY;
    if (status == LIL_OK)
        lil_stepper_forget(&sim->stepper);
    return status;
}
