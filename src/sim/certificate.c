#include "sim/certificate.h"

#include <math.h>

#define FIELD(member, unit_, doc_)                                                                                   \
    {                                                                                                                \
        .name = #member, .kind = LIL_REAL, .offset = offsetof(lil_certificate, member), .preset = NAN,               \
        .unit = unit_, .doc = doc_                                                                                   \
    }

static const lil_field fields[] = {
    FIELD(energy_initial, "J", "energy at the start"),
    FIELD(energy_final, "J", "energy at the end"),
    FIELD(energy_min, "J", "smallest energy of all steps"),
    FIELD(energy_max, "J", "largest energy of all steps"),
    FIELD(energy_band, "", "width of the energies, (energy_max - energy_min) over (energy_max - least potential)"),
    FIELD(energy_drift, "", "least-squares slope of the energy times duration, over (energy_max - least potential)"),
    FIELD(linear_momentum_drift, "", "largest change of linear momentum, relative"),
    FIELD(angular_momentum_drift, "", "largest change of angular momentum, relative"),
    FIELD(constraint_max, "", "largest violation of a constraint"),
    FIELD(gradient_max, "", "largest |grad E| that an implicit step was accepted with"),
    FIELD(penetration_max, "m", "deepest penetration"),
    FIELD(min_volume_ratio, "", "smallest det F of all elements and steps"),
    FIELD(energy_dissipated, "J", "energy taken out by what forces owe to the velocity, F(q, v) - F(q, 0)"),
    FIELD(external_work, "J", "energy put in by what forces are at rest, F(q, 0)"),
    FIELD(damping_requested, "s", "the damping that was asked for"),
    FIELD(damping_measured, "s", "the damping that was measured"),
    FIELD(halved_steps, "", "steps that were rolled back and halved"),
    FIELD(newton_iterations, "", "iterations of the nonlinear solver"),
    FIELD(linear_iterations, "", "linear systems solved"),
};

const lil_field *lil_certificate_fields(int *count)
{
    *count = sizeof fields / sizeof fields[0];
    return fields;
}

static void slope_add(lil_slope *s, double x, double y)
{
    s->count++;
    double dx = x - s->mean_x, share = 1 / s->count;
    s->mean_x += dx * share;
    s->mean_y += (y - s->mean_y) * share;
    s->sxx += dx * (x - s->mean_x);
    s->sxy += dx * (y - s->mean_y);
}

void lil_watch_start(lil_watch *w, double t, double energy, double potential)
{
    *w = (lil_watch){ .start = t,
                      .now = t,
                      .energy_initial = energy,
                      .energy_now = energy,
                      .energy_min = energy,
                      .energy_max = energy,
                      .potential_min = potential };
    slope_add(&w->energy, 0, 0);
}

void lil_watch_step(lil_watch *w, double t, double energy, double potential)
{
    w->now = t;
    w->energy_now = energy;
    if (energy < w->energy_min)
        w->energy_min = energy;
    if (energy > w->energy_max)
        w->energy_max = energy;
    if (!(potential >= w->potential_min)) /* from a NaN at the start on to a number, and back never */
        w->potential_min = isnan(potential) ? w->potential_min : potential;
    slope_add(&w->energy, t - w->start, energy - w->energy_initial);
}

lil_certificate lil_watch_certificate(const lil_watch *w, const lil_model *model, const lil_tally *tally)
{
    lil_certificate c;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        *(double *)((char *)&c + fields[i].offset) = NAN;
    c.energy_initial = w->energy_initial;
    c.energy_final = w->energy_now;
    c.energy_min = w->energy_min;
    c.energy_max = w->energy_max;
    double slope = w->energy.sxx > 0 ? w->energy.sxy / w->energy.sxx : 0;
    double scale = w->energy_max - w->potential_min;
    c.energy_drift = slope == 0 ? 0 : slope * (w->now - w->start) / scale;
    c.energy_band = w->energy_max > w->energy_min ? (w->energy_max - w->energy_min) / scale : 0;
    c.halved_steps = (double)w->halved;
    c.newton_iterations = (double)tally->newton_iterations;
    c.linear_iterations = (double)tally->linear_solves;
    if (tally->newton_iterations)
        c.gradient_max = tally->gradient_max;
    if (model->has_force) {
        c.energy_dissipated = tally->work_out;
        c.external_work = tally->work_in;
    }
    return c;
}
