#include "record/file/tracks.h"

#include <string.h>

bool lil_tracks_books(const lil_model *m)
{
    return lil_model_terms(m, LIL_FORCE) || lil_model_is_damped(m) || m->dofs.script_count || m->drives ||
           m->parameter_count;
}

lil_status lil_tracks_measure(lil_sim *sim, const double *q, const double *p, lil_tracks *tr)
{
    const lil_state *x = &sim->state;
    const lil_model *model = sim->model;
    tr->dissipated = lil_watch_dissipated(&sim->watch, &sim->tally, sim->energy);
    tr->work = sim->tally.work_in;
    tr->iterations = (double)sim->tally.newton_iterations;
    if (model->constraint_count) {
        tr->violation = lil_constrained_violation(&sim->constrained, x->t, x->q);
        LIL_TRY(lil_sim_forces(sim, tr->forces));
    }
    if (!model->points.count)
        return LIL_OK;
    tr->elastic = lil_evaluate_elastic(&sim->ev, x->t, x->q);
    if (!q)
        return LIL_OK;
    lil_momenta m = lil_momenta_of(model, sim->watch.centre, q, p, sim->ev.threads, sim->parts);
    memcpy(tr->linear, m.P, sizeof tr->linear);
    memcpy(tr->angular, m.L, sizeof tr->angular);
    return LIL_OK;
}
