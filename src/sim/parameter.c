/*
 * Parameters of a text model that change between steps. A Sim has values of its own, which its programs read
 * (arena.h).
 *
 * q and p are held: a change, however sudden, is the limit of L(t, q, v) that changes fast, and p = dL/dv is
 * continuous there, since dp/dt = dL/dq stays finite. v jumps where the mass changes: a pendulum that is pulled in
 * keeps its angular momentum. The work is what dH/dt = -dL/dt gives, the energy after minus the energy before.
 */
#include "sim/sim.h"

#include "core/field.h"

#include <math.h>
#include <string.h>

static lil_status parameter_find(const lil_sim *sim, const char *name, const char *function, int *index)
{
    const lil_model *model = sim->model;
    char hint[LIL_HINT_MAX];
    for (*index = 0; *index < model->parameter_count; ++*index)
        if (strcmp(model->parameters[*index], name) == 0)
            return LIL_OK;
    if (!model->parameter_count)
        return lil_fail(
            sim->ctx, LIL_ERR_ARGUMENT,
            "%s: no parameter of this Sim is live, so '%.60s' is not: name those that may change in lil_run_def.live",
            function, name);
    return lil_fail(
        sim->ctx, LIL_ERR_ARGUMENT, "%s: no parameter '%.60s' is live%s", function, name,
        lil_hint(lil_nearest(name, model->parameters, model->parameter_count, sizeof model->parameters[0]), hint));
}

lil_status lil_sim_parameter(const lil_sim *sim, const char *name, double *value)
{
    int i;
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, name, "name");
    LIL_NEED(sim->ctx, value, "value");
    LIL_TRY(parameter_find(sim, name, __func__, &i));
    *value = sim->parameters[i];
    return LIL_OK;
}

lil_status lil_sim_set_parameter(lil_sim *sim, const char *name, double value)
{
    int i;
    double change;
    char reason[LIL_MESSAGE_MAX];
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, name, "name");
    LIL_TRY(parameter_find(sim, name, __func__, &i));
    if (!isfinite(value))
        return lil_fail(sim->ctx, LIL_ERR_ARGUMENT, "%s: '%s' must be finite, not %g", __func__, name, value);
    double before = sim->parameters[i], work = sim->tally.work_in, loss = sim->tally.work_out;
    lil_sim_set_mark(sim);
    sim->parameters[i] = value;
    sim->ev.frame_valid = false;
    lil_status status = lil_sim_accept_state(sim, &change);
    if (status != LIL_OK) {
        sim->parameters[i] = before;
        sim->ev.frame_valid = false;
        memcpy(reason, sim->ctx->message, sizeof reason);
        return lil_fail(sim->ctx, status, "%s: with '%s' = %g: %.800s", __func__, name, value, reason);
    }
    sim->tally.work_in = work + change; /* all of it, also where constraints had to be met anew */
    sim->tally.work_out = loss;
    lil_watch_drive(&sim->watch, change, sim->energy, sim->potential);
    sim->kick.made = false;
    return LIL_OK;
}
