/*
 * Takes back a successful step: the recorder refused it, and a failed call leaves the Sim unchanged. The state and
 * what the method keeps are still in the mark that was set where the step began.
 */
#include "sim/sim.h"

#include <string.h>

static size_t observed_size(const lil_observables *o)
{
    return 4 * (size_t)o->count * sizeof *o->now; /* now, first, least, most are contiguous */
}

void lil_sim_remember(lil_sim *sim)
{
    const lil_observables *o = &sim->observables;
    sim->before = (lil_before){ .watch = sim->watch,
                                .tally = sim->tally,
                                .control = sim->control,
                                .grid_start = sim->grid_start,
                                .swing = sim->constrained.swing,
                                .volume = sim->volume,
                                .grid_steps = sim->grid_steps,
                                .steps = sim->steps,
                                .taut = sim->taut };
    if (o->count)
        memcpy(o->before, o->now, observed_size(o));
}

void lil_sim_undo(lil_sim *sim)
{
    const lil_before *b = &sim->before;
    const lil_observables *o = &sim->observables;
    lil_sim_back(sim);
    lil_sim_supports_undo(sim);
    sim->watch = b->watch;
    sim->tally = b->tally;
    sim->control = b->control;
    sim->grid_start = b->grid_start;
    sim->constrained.swing = b->swing;
    sim->volume = b->volume;
    sim->grid_steps = b->grid_steps;
    sim->steps = b->steps;
    sim->taut = b->taut;
    sim->control.next = 0; /* found again from the state */
    sim->ev.frame_valid = false;
    sim->kick.made = false;
    if (o->count)
        memcpy(o->now, o->before, observed_size(o));
}
