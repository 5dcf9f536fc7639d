/* Monitors of a Sim, before and after it accepts a step. */
#include "sim/sim.h"

#include "terms/constraint_springs.h"

#include <math.h>

static void watch_contact(lil_sim *sim, double h)
{
    const lil_state *x = &sim->state;
    const lil_model *model = sim->model;
    lil_touch most = { .step = h != 0 ? h : sim->step, .depth = -INFINITY };
    most.watch = h == 0 || isnan(sim->watch.first_contact);
    if (!model->touches)
        return;
    const double *q = lil_positions_of(&sim->ev.full, x->t, x->q),
                 *v = lil_positions_velocity(&sim->ev.full, x->t, x->v);
    for (int i = 0; i < model->term_count; i++) {
        double sunk = most.sunk, ahead = most.ahead;
        if (model->terms[i].table->contact)
            model->terms[i].table->contact->touch(model->terms[i].data, sim->ev.work[i], &(lil_at){ x->t, q, v },
                                                  &most);
        if (most.sunk > sunk)
            most.sunk_who.term = i;
        if (most.ahead > ahead)
            most.ahead_who.term = i;
    }
    lil_watch_touch(sim->ctx, &sim->watch, model, &most, x->t, h);
}

int lil_sim_touching(lil_sim *sim, lil_touching *list, int room)
{
    const lil_state *x = &sim->state;
    const lil_model *model = sim->model;
    const double *q = lil_positions_of(&sim->ev.full, x->t, x->q);
    int count = 0;
    for (int i = 0; i < model->term_count && count >= 0; i++) {
        const lil_term *term = &model->terms[i];
        int left = room > count ? room - count : 0;
        if (!term->table->contact || !term->table->contact->list)
            continue;
        int more = term->table->contact->list(term->data, sim->ev.work[i], &(lil_at){ x->t, q, NULL },
                                              left ? list + count : NULL, left);
        count = more < 0 ? -1 : count + more;
    }
    return count;
}

static void watch_constraints(lil_sim *sim)
{
    const lil_state *x = &sim->state;
    const lil_model *model = sim->model;
    int loose = model->penalties - 1;
    if (model->constraint_count)
        lil_watch_constraints(&sim->watch, lil_constrained_violation(&sim->constrained, x->t, x->q));
    else if (loose >= 0)
        lil_watch_constraints(&sim->watch,
                              lil_constraint_springs_violation(&model->terms[loose], sim->ev.work[loose],
                                                               lil_positions_of(&sim->ev.full, x->t, x->q)));
}

/* Only constraints that are 'differential' can part from the motion: others are met by every step, or are springs. */
static lil_status watch_distance(lil_sim *sim)
{
    const lil_state *x = &sim->state;
    double off;
    if (!lil_stepper_is_differential(&sim->stepper))
        return LIL_OK;
    double distance = lil_constrained_distance(&sim->constrained, x->t, x->q);
    if (lil_watch_satisfied(&sim->watch, distance, lil_largest(x->n, x->q)))
        return LIL_OK;
    return lil_watch_distance(sim->ctx, &sim->watch, x->t, distance,
                              lil_constrained_worst(&sim->constrained, x->t, x->q, &off),
                              sim->stepper.solver.feedback);
}

void lil_sim_watch_start(lil_sim *sim)
{
    const lil_state *x = &sim->state;
    lil_watch *w = &sim->watch;
    sim->tally.work_in = 0; /* what brought p to where it may be came before */
    lil_watch_start(w, x->t, sim->energy, sim->potential, sim->volume);
    lil_hard_steps_begin(sim, x->t);
    w->gain = sim->stepper.gain;
    w->unbooked = !lil_stepper_books(&sim->stepper);
    w->directed = sim->role != LIL_SIM_STEPPED;
    w->hides = lil_model_terms(sim->model, LIL_STEP) && !lil_stepper_is_by_gradient(&sim->stepper);
    if (lil_stepper_is_differential(&sim->stepper)) {
        w->reach = lil_largest(x->n, x->q);
        w->distance_start = lil_constrained_distance(&sim->constrained, x->t, x->q);
    }
    watch_contact(sim, 0);
    lil_centre_of_mass(sim->model, lil_positions_of(&sim->ev.full, x->t, x->q), w->centre);
    if (sim->model->points.linear) {
        lil_momenta m = lil_momenta_of(sim->model, w->centre, x->q, x->p, sim->ev.threads, sim->parts);
        lil_watch_start_momenta(w, &m);
    }
}

lil_status lil_sim_watch_try(lil_sim *sim)
{
    const lil_state *x = &sim->state;
    double size = 0;
    if (!sim->model->points.count)
        return LIL_OK;
    lil_evaluate_size(&sim->ev, LIL_POTENTIAL, x->t, x->q, &size, NULL);
    return lil_watch_energy(sim->ctx, &sim->watch, sim->model, &sim->tally, x->t, sim->energy, size,
                            lil_stepper_solves(&sim->stepper));
}

lil_status lil_sim_watch_end(lil_sim *sim)
{
    if (!sim->model->points.count)
        LIL_TRY(lil_watch_blow_up(sim->ctx, &sim->watch, sim->model, &sim->tally, sim->state.t, sim->energy));
    return watch_distance(sim);
}

/* The energy change of a step with barrier contact, and how it was solved. */
static void watch_barrier(lil_sim *sim)
{
    const lil_mark *start = &sim->saved;
    const lil_tally *tally = &sim->tally;
    double work = (tally->work_in - start->work_in) - (tally->work_out - start->work_out);
    if (!tally->touched)
        return;
    lil_watch_contact_step(&sim->watch,
                           sim->watch.halved > start->halved     ? LIL_RUNG_HALVED
                           : tally->continued > start->continued ? LIL_RUNG_CONTINUED
                                                                 : LIL_RUNG_NEWTON,
                           sim->energy - start->energy - work,
                           fmax(sim->energy - sim->potential, start->energy - start->potential));
    sim->tally.touched = false;
}

void lil_sim_watch_step(lil_sim *sim)
{
    const lil_state *x = &sim->state;
    double h = x->t - sim->watch.now;
    lil_watch_step(&sim->watch, x->t, sim->energy, sim->potential, sim->volume);
    if (!sim->model->points.count)
        lil_watch_drift(sim->ctx, &sim->watch, sim->model, &sim->tally);
    watch_constraints(sim);
    watch_contact(sim, h);
    watch_barrier(sim);
    lil_hard_steps_watch(sim, h);
    if (sim->model->points.linear) { /* nothing is held: q and p are those of all vertices */
        lil_momenta m = lil_momenta_of(sim->model, sim->watch.centre, x->q, x->p, sim->ev.threads, sim->parts);
        lil_watch_step_momenta(&sim->watch, &m);
    }
}
