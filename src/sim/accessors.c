/* Getters of a Sim, and its claims. */
#include "sim/sim.h"

const lil_state *lil_sim_state(const lil_sim *sim)
{
    return &sim->state;
}

const char *lil_sim_integrator(const lil_sim *sim, const char **reason)
{
    if (reason)
        *reason = sim->choice.why[0] ? sim->choice.why : NULL;
    return sim->choice.method->name;
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
    if (!lil_model_is_damped(model))
        return c;
    /* kicks are symmetric about the step, unless p is projected after them, the other two are not; damped motion
     * is neither symplectic nor keeps energy */
    const int *count = model->place_count;
    int most = count[LIL_STEP] || count[LIL_IMPULSE] || count[LIL_FRICTION] || model->constraint_count ? 1 : 2;
    c.order = c.order < most ? c.order : most;
    c.holds &= ~(unsigned)(LIL_SYMPLECTIC | LIL_SYMMETRIC | LIL_ENERGY | LIL_ENERGY_EXACT);
    /* dS/dv depends on v: there are equations to solve; so does friction on what binds */
    if (count[LIL_STEP] || (model->may_stick && model->constraint_count))
        c.holds &= ~(unsigned)LIL_EXPLICIT;
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->dissipation && model->terms[i].table->dissipation->leaks)
            c.holds &= ~(unsigned)LIL_MOMENTA;
    return c;
}

bool lil_sim_deepest(const lil_sim *sim, lil_pair *pair)
{
    return lil_watch_deepest(&sim->watch, sim->model, pair);
}

const char *lil_sim_warning(const lil_sim *sim, int i)
{
    return lil_warning_at(&sim->warnings, i);
}

lil_certificate lil_sim_certificate(const lil_sim *sim)
{
    return lil_watch_certificate(&sim->watch, sim->model, &sim->tally);
}
