#include "record/file/tracks.h"

#include <string.h>

/* Whether energy goes in or out of the model. In a shot the work of damping and of the ghost force is unknown. */
static bool keeps_books(const lil_model *m, const lil_tracks *tr)
{
    return !tr->ghost_force && (lil_model_terms(m, LIL_FORCE) || lil_model_is_damped(m) || m->dofs.script_count ||
                                m->drives || m->parameter_count);
}

enum { TRACKS = 16 };

int lil_tracks_max(const lil_sim *sim)
{
    return TRACKS + lil_sim_constraints(sim);
}

lil_status lil_track_add(const lil_world_record *world, const char *group, const char *name, int width,
                         const double *value, lil_channel *channels, const double **values, int *count)
{
    const char *full = lil_arena_format(world->arena, "%s/%s", group, name);
    LIL_HAVE(world->ctx, full);
    channels[*count] = (lil_channel){ full, width, NULL };
    values[(*count)++] = value;
    return LIL_OK;
}

lil_status lil_tracks_list(lil_tracks *tr, const lil_world_record *world, lil_channel *channels,
                           const double **values, int *count)
{
    const lil_sim *sim = world->sim;
    const lil_model *model = sim->model;
    const lil_state *x = &sim->state;
    int n = world->n;
    const double *full = world->full;
    bool books = keeps_books(model, tr);
    const struct {
        bool applies;
        lil_channel channel;
        const double *value;
    } tracks[TRACKS] = {
        { true, { "t", 0, NULL }, &x->t },
        { tr->form.q, { "q", n, NULL }, full ? full : x->q },
        { tr->form.v, { "v", n, NULL }, full ? full + n : x->v },
        { tr->form.p, { "p", n, NULL }, full ? full + 2 * n : x->p },
        { true, { "energy", 0, NULL }, &sim->energy },
        { true, { "potential", 0, NULL }, &sim->potential },
        { model->points.count, { "elastic", 0, NULL }, &tr->elastic },
        { books, { "dissipated", 0, NULL }, &tr->dissipated },
        { books, { "external_work", 0, NULL }, &tr->work },
        { model->points.count, { "linear_momentum", 3, NULL }, tr->linear },
        { model->points.count, { "angular_momentum", 3, NULL }, tr->angular },
        { tr->adaptive, { "step", 0, NULL }, &tr->step },
        { lil_stepper_solves(&sim->stepper) && !tr->ghost_force, { "iterations", 0, NULL }, &tr->iterations },
        { model->constraint_count, { "violation", 0, NULL }, &tr->violation },
        { tr->ghost_force, { "ghost_force", n, NULL }, tr->ghost_force },
        { tr->ghost_force, { "ghost_force_norm", 0, NULL }, &tr->ghost_size },
    };
    int forces = lil_sim_constraints(sim);
    LIL_ALLOC(world->ctx, world->arena, tr->forces, forces);
    for (int i = 0; i < TRACKS; i++)
        if (tracks[i].applies) {
            channels[*count] = tracks[i].channel;
            values[(*count)++] = tracks[i].value;
        }
    for (int i = 0; i < forces; i++)
        LIL_TRY(
            lil_track_add(world, "force", lil_sim_constraint(sim, i), 0, &tr->forces[i], channels, values, count));
    return LIL_OK;
}

lil_status lil_tracks_measure(const lil_world_record *world, lil_tracks *tr)
{
    lil_sim *sim = world->sim;
    const lil_state *x = &sim->state;
    const double *q = world->full ? world->full : x->q, *p = world->full ? world->full + 2 * world->n : x->p;
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
    lil_momenta m = lil_momenta_of(model, sim->watch.centre, q, p, sim->ev.threads, sim->parts);
    memcpy(tr->linear, m.P, sizeof tr->linear);
    memcpy(tr->angular, m.L, sizeof tr->angular);
    return LIL_OK;
}
