/* The forces of supports over the steps of a Sim (model/supports.h). */
#include "sim/sim.h"

#include <string.h>

lil_status lil_sim_watch_supports(lil_sim *sim)
{
    lil_supports *s;
    if (sim->ev.supports)
        return LIL_OK;
    if (lil_stepper_is_differential(&sim->stepper))
        return lil_fail(
            sim->ctx, LIL_ERR_INPUT,
            "with differential constraints forces of supports are not known: use variational constraints");
    LIL_TRY(lil_supports_create(sim->ctx, &sim->lasting, sim->model, &s));
    sim->saved.impulse = LIL_NEW(&sim->lasting, double, s->size);
    sim->good.impulse = LIL_NEW(&sim->lasting, double, s->size);
    LIL_HAVE(sim->ctx, sim->saved.impulse && sim->good.impulse);
    sim->ev.supports = s;
    sim->ev.frame_valid = false; /* without the supports' row */
    return lil_sim_supports_start(sim);
}

/* m v of the vertices that are pinned now; NULL: v is 0 there. */
static const double *prescribed_velocity(lil_sim *sim)
{
    return sim->model->dofs.script_count ? lil_positions_velocity(&sim->ev.full, sim->state.t, sim->state.v) : NULL;
}

static bool is_pinned(const lil_sim *sim, int vertex)
{
    return sim->model->dofs.number[3 * (size_t)vertex] < 0;
}

static void set_momenta(lil_sim *sim, double *p)
{
    const lil_supports *s = sim->ev.supports;
    const double *v = prescribed_velocity(sim);
    memset(p, 0, 3 * (size_t)s->count * sizeof *p);
    for (int i = 0; v && i < s->count; i++)
        for (int d = 0; d < 3; d++)
            p[3 * i + d] = sim->model->points.mass[s->vertices[i]] * v[3 * (size_t)s->vertices[i] + (size_t)d];
}

void lil_sim_supports_begin(lil_sim *sim)
{
    lil_supports *s = sim->ev.supports;
    if (!s)
        return;
    memcpy(s->before, s->mean, (size_t)s->size * sizeof *s->mean);
    memset(s->impulse, 0, (size_t)s->size * sizeof *s->impulse);
    set_momenta(sim, s->start);
}

/* (R) */
static void find_mean(lil_sim *sim, double h, const double *start)
{
    lil_supports *s = sim->ev.supports;
    set_momenta(sim, s->mean);
    for (int i = 0; i < 3 * s->count; i++)
        s->mean[i] = is_pinned(sim, s->vertices[i / 3]) ? (s->mean[i] - start[i] - s->impulse[i]) / h : 0;
    for (int i = 3 * s->count; i < s->size; i++)
        s->mean[i] = s->impulse[i] / h;
}

void lil_sim_supports_end(lil_sim *sim)
{
    if (sim->ev.supports)
        find_mean(sim, sim->state.t - sim->saved.state.t, sim->ev.supports->start);
}

void lil_sim_supports_undo(lil_sim *sim)
{
    lil_supports *s = sim->ev.supports;
    if (s)
        memcpy(s->mean, s->before, (size_t)s->size * sizeof *s->mean);
}

void lil_sim_supports_push(lil_sim *sim, double weight)
{
    lil_supports *s = sim->ev.supports;
    const lil_state *x = &sim->state;
    double *Q = sim->ev.scratch;
    if (!s)
        return;
    lil_evaluate_lagrangian(&sim->ev, x->t, x->q, x->v, NULL, Q, NULL);
    lil_supports_add(s, LIL_SUPPORT_POTENTIAL, weight);
    if (lil_evaluate_force(&sim->ev, x->t, x->q, x->v, Q))
        lil_supports_add(s, LIL_SUPPORT_FORCE, weight);
}

lil_status lil_sim_supports_start(lil_sim *sim)
{
    lil_supports *s = sim->ev.supports;
    const lil_state *x = &sim->state;
    if (!s)
        return LIL_OK;
    memset(s->impulse, 0, (size_t)s->size * sizeof *s->impulse);
    lil_sim_supports_push(sim, 1);
    if (sim->model->constraint_count) {
        LIL_TRY(lil_stepper_force(&sim->stepper, x->t, x->q, x->v, sim->constrained.q_trial));
        LIL_TRY(lil_constrained_force(&sim->constrained, 0, x->t, x->q, x->v, sim->constrained.q_trial));
        lil_constrained_support(&sim->constrained, sim->constrained.now, sim->constrained.lambda, 1);
    }
    set_momenta(sim, s->start);
    find_mean(sim, 1, s->start);
    return LIL_OK;
}
