#include "sim/checkpoint.h"

#include <string.h>

/* Saving, loading and counting walk the same list, so that they cannot disagree. */
typedef struct cursor {
    double *to;         /* saving */
    const double *from; /* loading */
    int count;
    bool dry; /* loading: only looked at, nothing is changed */
    bool bad; /* a count that cannot be one */
} cursor;

static void copy(cursor *c, double *x, int n)
{
    size_t bytes = (size_t)n * sizeof *x;
    if (c->to && n)
        memcpy(c->to + c->count, x, bytes);
    if (c->from && n)
        memcpy(x, c->from + c->count, bytes);
    c->count += n;
}

static void reals(cursor *c, double *x, int n)
{
    if (c->dry)
        c->count += n;
    else
        copy(c, x, n);
}

static void whole(cursor *c, int64_t *x) /* from 0 to 2^53 */
{
    double value = (double)*x;
    copy(c, &value, 1);
    if (!(value >= 0 && value <= 9007199254740992.0))
        c->bad = true;
    else if (!c->dry)
        *x = (int64_t)value;
}

static void checkpoint_number(cursor *c, int *x) /* from 0 on */
{
    double value = *x;
    copy(c, &value, 1);
    if (!(value >= 0 && value <= INT32_MAX))
        c->bad = true;
    else if (!c->dry)
        *x = (int)value;
}

static void flag(cursor *c, bool *x)
{
    double value = *x;
    copy(c, &value, 1);
    if (!c->dry)
        *x = value != 0;
}

static void checkpoint_show(void *to, double *words, int count)
{
    reals(to, words, count);
}

static void visit_stepper(cursor *c, lil_stepper *s)
{
    if (s->family && s->family->words)
        s->family->words(s->work, c->from && !c->dry, checkpoint_show, c);
    reals(c, s->words, s->word_count);
    if (s->inner)
        visit_stepper(c, s->inner);
}

static void visit_watch(cursor *c, lil_watch *w)
{
    reals(c, &w->start, 1);
    reals(c, &w->now, 1);
    reals(c, &w->energy_initial, 1);
    reals(c, &w->energy_now, 1);
    reals(c, &w->energy_min, 1);
    reals(c, &w->energy_max, 1);
    reals(c, &w->potential_min, 1);
    reals(c, &w->energy.count, 1);
    reals(c, &w->energy.mean_x, 1);
    reals(c, &w->energy.mean_y, 1);
    reals(c, &w->energy.sxx, 1);
    reals(c, &w->energy.sxy, 1);
    reals(c, &w->volume_min, 1);
    reals(c, &w->constraint_max, 1);
    reals(c, &w->touched.depth, 1);
    reals(c, &w->touched.omega, 1);
    reals(c, &w->touched.stiffness, 1);
    reals(c, &w->touched.energy, 1);
    checkpoint_number(c, &w->touched.pairs);
    reals(c, &w->touched.sunk, 1);
    checkpoint_number(c, &w->touched.sunk_who.term);
    checkpoint_number(c, &w->touched.sunk_who.own);
    checkpoint_number(c, &w->touched.sunk_who.other);
    reals(c, &w->sunk_time, 1);
    reals(c, &w->gap_min, 1);
    reals(c, &w->first_contact, 1);
    reals(c, &w->gap_t, 1);
    reals(c, &w->gap, 1);
    reals(c, &w->gap_rate, 1);
    reals(c, &w->gap_bend, 1);
    reals(c, w->centre, 3);
    reals(c, w->momenta.P, 3);
    reals(c, w->momenta.L, 3);
    reals(c, &w->momenta.p_sum, 1);
    reals(c, &w->momenta.l_sum, 1);
    reals(c, &w->P_change, 1);
    reals(c, &w->L_change, 1);
    reals(c, &w->owed_max, 1);
    reals(c, &w->size, 1);
    reals(c, &w->given, 1);
    reals(c, &w->parts_start, 1);
    reals(c, &w->parts, 1);
    reals(c, &w->kinetic, 1);
    reals(c, &w->duration, 1);
    reals(c, &w->off_first, 1);
    reals(c, &w->off_now, 1);
    reals(c, &w->reach, 1);
    reals(c, &w->distance_start, 1);
    whole(c, &w->steps);
    whole(c, &w->halved);
    whole(c, &w->struggle);
    whole(c, &w->shifted);
    whole(c, &w->contact_steps);
    whole(c, &w->contact_continued);
    whole(c, &w->contact_halved);
    reals(c, &w->contact_error, 1);
    reals(c, &w->contact_kinetic, 1);
    reals(c, &w->pumped, 1);
    flag(c, &w->driven);
}

static void visit_tally(cursor *c, lil_tally *t)
{
    whole(c, &t->newton_iterations);
    whole(c, &t->linear_iterations);
    whole(c, &t->element_updates);
    whole(c, &t->continued);
    reals(c, &t->gradient_max, 1);
    reals(c, &t->work_in, 1);
    reals(c, &t->work_out, 1);
    reals(c, &t->lost.friction, 1);
    reals(c, &t->lost.restitution, 1);
    whole(c, &t->implicit_euler_steps);
    reals(c, &t->implicit_euler_loss, 1);
}

static void visit_control(cursor *c, lil_control *k)
{
    reals(c, &k->m_0, 1);
    reals(c, &k->rho, 1);
    flag(c, &k->started);
}

static void checkpoint_visitor(cursor *c, lil_sim *sim)
{
    int n = sim->state.n;
    lil_observables *o = &sim->observables;
    reals(c, &sim->state.t, 1);
    reals(c, sim->state.q, n);
    reals(c, sim->state.p, n);
    reals(c, sim->state.v, n);
    reals(c, &sim->energy, 1);
    reals(c, &sim->potential, 1);
    reals(c, &sim->grid_start, 1);
    whole(c, &sim->grid_steps);
    whole(c, &sim->steps);
    visit_stepper(c, &sim->stepper);
    reals(c, &sim->constrained.swing, 1);
    visit_watch(c, &sim->watch);
    visit_tally(c, &sim->tally);
    visit_control(c, &sim->control);
    reals(c, o->now, o->count);
    reals(c, o->first, o->count);
    reals(c, o->least, o->count);
    reals(c, o->most, o->count);
    reals(c, sim->parameters, sim->model->parameter_count);
    if (sim->ev.supports)
        reals(c, sim->ev.supports->mean, sim->ev.supports->size);
}

int lil_stepper_words(lil_stepper *s)
{
    cursor c = { 0 };
    visit_stepper(&c, s);
    return c.count;
}

void lil_stepper_save(lil_stepper *s, double *words)
{
    cursor c = { .to = words };
    visit_stepper(&c, s);
}

void lil_stepper_load(lil_stepper *s, const double *words)
{
    cursor c = { .from = words };
    visit_stepper(&c, s);
}

int lil_sim_words(lil_sim *sim)
{
    cursor c = { 0 };
    checkpoint_visitor(&c, sim);
    return c.count;
}

void lil_sim_save(lil_sim *sim, double *words)
{
    cursor c = { .to = words };
    checkpoint_visitor(&c, sim);
}

bool lil_sim_load(lil_sim *sim, const double *words)
{
    cursor look = { .from = words, .dry = true }, c = { .from = words };
    checkpoint_visitor(&look, sim);
    if (look.bad)
        return false;
    checkpoint_visitor(&c, sim);
    sim->watch.pace.begun = false;
    sim->control.next = 0; /* found again from the state */
    sim->ev.frame_valid = false;
    sim->kick.made = false;
    return true;
}
