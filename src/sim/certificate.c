#include "sim/certificate.h"

#include "core/threads.h"
#include "math/lanes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define FIELD(member, unit_, doc_)                                                                                   \
    {                                                                                                                \
        .name = #member, .kind = LIL_REAL, .offset = offsetof(lil_certificate, member), .preset = NAN,               \
        .unit = unit_, .doc = doc_                                                                                   \
    }

static const lil_field fields[] = {
    FIELD(energy_initial, "J", "initial energy"),
    FIELD(energy_final, "J", "final energy"),
    FIELD(energy_min, "J", "smallest energy of all steps"),
    FIELD(energy_max, "J", "largest energy of all steps"),
    FIELD(energy_band, "",
          "range of the energy, (energy_max - energy_min)/(energy_max - W_min). W_min is the smallest potential "
          "energy of "
          "all steps. null if external forces do work"),
    FIELD(energy_drift, "",
          "change of the energy over the run, divided by energy_max - W_min (see energy_band). The change is that of "
          "the straight line fitted by least squares. null if external forces do work"),
    FIELD(relative_energy_error, "",
          "largest |E - energy_initial|, divided by |energy_initial|. null if energy_initial is 0 to round-off, "
          "if external forces do work, or if energy is dissipated"),
    FIELD(linear_momentum_drift, "",
          "largest change of linear momentum since the start, relative to the largest sum of |p| over all vertices"),
    FIELD(angular_momentum_drift, "",
          "largest change of angular momentum since the start, relative to the largest sum of |q - c||p| over all "
          "vertices, "
          "c the initial centre of mass"),
    FIELD(constraint_max, "", "largest violation of a constraint"),
    FIELD(gradient_max, "",
          "largest gradient of the minimised function, or residual of the equations, of an accepted implicit step"),
    FIELD(penetration_max, "m", "deepest penetration; 0 with the barrier"),
    FIELD(
        penetration_relative, "",
        "penalty: deepest penetration relative to the smallest side of the body (of two bodies, the smaller one's), "
        "for a particle relative to the thickness of the obstacle; visible above 0.02, contact too soft above 0.1"),
    FIELD(penetration_time, "s", "time of the largest penetration_relative"),
    FIELD(gap_min, "m", "barrier: smallest gap below d_hat"),
    FIELD(contact_pairs, "", "barrier: largest number of feature pairs closer than d_hat at the end of a step"),
    FIELD(contact_energy, "J", "barrier: its largest energy at the end of a step"),
    FIELD(d_hat_min, "m", "barrier: smallest `d_hat` of all bodies, particles and strands"),
    FIELD(d_hat_max, "m", "barrier: largest `d_hat`"),
    FIELD(barrier_stiffness_min, "Pa",
          "barrier: smallest `stiffness` of all bodies, particles and strands; of the last two, K/(10 d_hat) with "
          "their barrier stiffness K in N/m (contact.md)"),
    FIELD(barrier_stiffness_max, "Pa", "barrier: largest `stiffness`"),
    FIELD(intersections, "",
          "barrier: intersecting pairs of triangles, links and obstacles in recorded frames, by the exact predicates "
          "of `lilyan check`; null if nothing is recorded or the run has not ended"),
    FIELD(contact_implicit_euler, "",
          "barrier: steps, and substeps of halved steps, that only implicit Euler could solve"),
    FIELD(contact_implicit_euler_loss, "J", "energy lost in these steps: part of energy_dissipated"),
    FIELD(contact_steps, "", "barrier: steps with contact"),
    FIELD(contact_pseudo_transient, "",
          "barrier: steps that Newton's method could not solve and pseudo-transient continuation could"),
    FIELD(contact_halved, "", "barrier: steps with contact that were halved"),
    FIELD(contact_energy_error_max, "",
          "barrier: largest energy that a step with contact created or lost beyond the reported losses and work, "
          "relative to the largest kinetic energy; null if damping is part of the step"),
    FIELD(first_contact, "s", "time of the first contact, extrapolated from the gap before it"),
    FIELD(contact_stiffness, "N/m", "penalty: largest contact stiffness of a vertex in contact"),
    FIELD(h_omega_c, "",
          "penalty: largest h omega_c; omega_c is the angular frequency of a body on its contact springs; above 0.3 "
          "bounces change the energy"),
    FIELD(min_volume_ratio, "", "smallest det F of all elements and steps"),
    FIELD(energy_dissipated, "J",
          "energy removed by damping, by friction, and by the velocity-dependent part of forces, F(q, v) - F(q, 0)"),
    FIELD(friction_loss, "J", "part of energy_dissipated: friction of the barrier"),
    FIELD(restitution_loss, "J", "part of energy_dissipated: restitution and damping of the barrier"),
    FIELD(external_work, "J",
          "work done by handles, by moving obstacles, by loads that depend on t, by pressures without a potential, "
          "by forces evaluated at zero velocity, "
          "F(q, 0), and by a Lagrangian that depends on t: the integral of -(partial derivative of L by t)"),
    FIELD(damping_requested, "s", "requested damping kD"),
    FIELD(
        damping_measured, "s",
        "measured damping time: the energy lost, divided by the integral of v'Kd v over time, where -kD Kd v is the "
        "damping force. null for the forms minimised and paper"),
    FIELD(halved_steps, "", "steps that were rolled back and halved"),
    FIELD(
        shifted_steps, "",
        "asynchronous: how often a step was repeated with more parts for every element, because elements resonated"),
    FIELD(element_updates, "", "asynchronous: total number of updates of elements"),
    FIELD(newton_iterations, "", "iterations of the nonlinear solver"),
    FIELD(linear_iterations, "", "iterations of the linear solver; a direct solve counts as one"),
    FIELD(rest_iterations, "", "iterations that found the equilibrium in which bodies start"),
    FIELD(rest_residual, "", "sum of the forces that remain on vertices in that equilibrium, relative to the loads"),
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

/* ---- momenta ---- */

void lil_centre_of_mass(const lil_model *model, const double *q, double centre[3])
{
    double total = 0, c[3] = { 0 };
    for (int i = 0; i < model->points.count; i++) {
        total += model->points.mass[i];
        for (int d = 0; d < 3; d++)
            c[d] += model->points.mass[i] * q[3 * i + d];
    }
    for (int d = 0; d < 3; d++)
        centre[d] = total > 0 ? c[d] / total : 0;
}

typedef struct momenta_job {
    size_t n;
    const double *c, *q, *p;
    lil_momenta *parts;
} momenta_job;

/* Sums over every fourth vertex. */
typedef struct momenta_lanes {
    lil_lanes P[3], L[3], p_sum, l_sum;
} momenta_lanes;

/* four vertices; of the last ones there may be fewer */
LIL_INLINE lil_lanes coordinate(const double *x, int d, int count)
{
    lil_lanes some = { 0 };
    for (int l = 0; l < count; l++)
        some[l] = x[3 * l + d];
    return some;
}

LIL_INLINE void add_momenta(const double c[3], const double *q, const double *p, int count, momenta_lanes *m)
{
    lil_lanes r[3], u[3], pp = { 0 }, rr = { 0 };
    for (int d = 0; d < 3; d++) {
        r[d] = coordinate(q, d, count) - c[d];
        u[d] = coordinate(p, d, count);
        pp += u[d] * u[d];
        rr += r[d] * r[d];
        m->P[d] += u[d];
    }
    for (int d = 0; d < 3; d++)
        m->L[d] += r[(d + 1) % 3] * u[(d + 2) % 3] - r[(d + 2) % 3] * u[(d + 1) % 3];
    m->p_sum += lil_lanes_sqrt(pp);
    m->l_sum += lil_lanes_sqrt(pp * rr);
}

LIL_INLINE double total(lil_lanes x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

LIL_KERNEL static void momenta_piece(void *data, int i)
{
    const momenta_job *job = data;
    const double *q = job->q + (size_t)i * LIL_PIECE, *p = job->p + (size_t)i * LIL_PIECE;
    lil_momenta *part = &job->parts[i];
    momenta_lanes m = { 0 };
    int vertices = lil_piece_size(job->n, i) / 3, v = 0;
    for (; v + LIL_LANES <= vertices; v += LIL_LANES)
        add_momenta(job->c, q + 3 * v, p + 3 * v, LIL_LANES, &m);
    if (v < vertices)
        add_momenta(job->c, q + 3 * v, p + 3 * v, vertices - v, &m);
    for (int d = 0; d < 3; d++) {
        part->P[d] = total(m.P[d]);
        part->L[d] = total(m.L[d]);
    }
    part->p_sum = total(m.p_sum);
    part->l_sum = total(m.l_sum);
}

lil_momenta lil_momenta_of(const lil_model *model, const double c[3], const double *q, const double *p,
                           lil_threads *threads, lil_momenta *parts)
{
    momenta_job job = { 3 * (size_t)model->points.count, c, q, p, parts };
    lil_momenta m = { 0 };
    lil_parallel(threads, lil_pieces(job.n), momenta_piece, &job);
    for (int i = 0; i < lil_pieces(job.n); i++) {
        for (int d = 0; d < 3; d++) {
            m.P[d] += parts[i].P[d];
            m.L[d] += parts[i].L[d];
        }
        m.p_sum += parts[i].p_sum;
        m.l_sum += parts[i].l_sum;
    }
    return m;
}

static double distance(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

void lil_watch_start_momenta(lil_watch *w, const lil_momenta *m)
{
    w->momenta = *m;
}

void lil_watch_step_momenta(lil_watch *w, const lil_momenta *m)
{
    w->P_change = fmax(w->P_change, distance(m->P, w->momenta.P));
    w->L_change = fmax(w->L_change, distance(m->L, w->momenta.L));
    w->momenta.p_sum = fmax(w->momenta.p_sum, m->p_sum);
    w->momenta.l_sum = fmax(w->momenta.l_sum, m->l_sum);
}

void lil_watch_constraints(lil_watch *w, double violation)
{
    w->constraint_max = fmax(w->constraint_max, violation);
}

/* ---- contact ---- */

/* The smallest root in [0, most] of d + r s + b/2 s^2, d <= 0 at s = 0; there is none: most. */
static double time_to_touch(double d, double r, double b, double most)
{
    if (d >= 0)
        return 0;
    double square = r * r - 2 * b * d, root = square > 0 ? sqrt(square) : 0;
    double s = r + root > 0 ? -2 * d / (r + root) : most; /* also for b = 0 */
    return s < most ? s : most;
}

/* Until it touches, things fall: the depth is a parabola of t, which its latest value and rates say. A barrier
 * pushes before: that parabola then goes on to where the gap would be zero. */
static void find_first_contact(lil_watch *w, const lil_touch *touch, double t, double h)
{
    const double AHEAD = 1000; /* steps: a gap that closes later is not of what touches now */
    if (h == 0)
        w->first_contact = t;
    else if (touch->pushed) {
        double s = isfinite(w->gap) ? time_to_touch(w->gap, w->gap_rate, w->gap_bend, INFINITY) : INFINITY;
        w->first_contact = s <= AHEAD * h ? w->gap_t + s : t;
    } else if (isfinite(w->gap))
        w->first_contact = w->gap_t + time_to_touch(w->gap, w->gap_rate, w->gap_bend, t - w->gap_t);
    else /* how far away it was is not known: back along the way it came */
        w->first_contact = t - (touch->rate > 0 ? fmin(touch->depth / touch->rate, h) : 0);
}

const char *lil_penetration_verdict(double relative)
{
    if (relative > 0.1)
        return ": much too deep, contact is too soft";
    return relative > 0.02 ? ": deep enough to be visible" : "";
}

bool lil_watch_deepest(const lil_watch *w, const lil_model *model, lil_pair *pair)
{
    return w->touched.sunk > 0 && lil_model_who(model, &w->touched.sunk_who, pair);
}

/* By penalty nothing is held at once: what is fast, or softly held, is at the other side before it is turned back. */
static void warn_thin(lil_context *ctx, const lil_watch *w, const lil_model *model, const lil_touch *touch, double t)
{
    lil_pair pair;
    char advice[160] = "shorten the step, or increase 'stiffness' of 'contact'";
    if (!lil_model_who(model, &touch->ahead_who, &pair))
        return;
    if (touch->ahead_stiffness < INFINITY)
        snprintf(advice, sizeof advice,
                 "a 'stiffness' of 'contact' of %.2g N/m and steps of at most %.2g s would prevent it",
                 touch->ahead_stiffness, touch->ahead_step);
    lil_warn_once(ctx, w->warnings, LIL_WARNING_THIN,
                  "at t = %.6g s '%s' collides with '%s', which is %.3g m thick, at %.3g m/s and penetrates by %.3g "
                  "m: it may pass through (%s)",
                  t, pair.what, pair.in, touch->ahead_thickness, touch->ahead_speed,
                  touch->ahead * touch->ahead_thickness / 2, advice);
}

/* Deeper than a tenth of what is thinner: far more than a soft contact should show. */
static void warn_deep(lil_context *ctx, const lil_watch *w, const lil_model *model, const lil_touch *touch, double t)
{
    const double DEEP = 0.1, SHALLOW = 0.02;
    lil_pair pair;
    if (!(touch->sunk > DEEP) || lil_was_warned(w->warnings, LIL_WARNING_THIN) ||
        !lil_model_who(model, &touch->sunk_who, &pair))
        return;
    lil_warn_once(ctx, w->warnings, LIL_WARNING_DEEP,
                  "at t = %.6g s '%s' penetrates '%s' by %.0f %% of the thickness of the thinner one: contact is too "
                  "soft (usual cure: 'method: barrier' of 'contact', or a 'stiffness' %.2g times as large with "
                  "shorter steps)",
                  t, pair.what, pair.in, 100 * touch->sunk, touch->sunk / SHALLOW);
}

void lil_watch_touch(lil_context *ctx, lil_watch *w, const lil_model *model, const lil_touch *touch, double t,
                     double h)
{
    const double STIFF = 0.3;
    if (h == 0) {
        w->touched = (lil_touch){ 0 };
        w->first_contact = w->sunk_time = w->gap_min = w->intersections = NAN;
    }
    if (touch->sunk > w->touched.sunk) {
        w->touched.sunk = touch->sunk;
        w->touched.sunk_who = touch->sunk_who;
        w->sunk_time = t;
    }
    if (!w->directed && touch->ahead > 1)
        warn_thin(ctx, w, model, touch, t);
    if (!w->directed)
        warn_deep(ctx, w, model, touch, t);
    if (isnan(w->first_contact) && (touch->depth > 0 || touch->pushed))
        find_first_contact(w, touch, t, h);
    if (touch->pushed && touch->depth < 0 && !(w->gap_min <= -touch->depth))
        w->gap_min = -touch->depth;
    w->gap_bend = h > 0 ? (touch->rate - w->gap_rate) / h : 0;
    w->gap_t = t;
    w->gap = touch->depth;
    w->gap_rate = touch->rate;
    w->touched.depth = fmax(w->touched.depth, touch->depth);
    w->touched.omega = fmax(w->touched.omega, fabs(h) * touch->omega);
    w->touched.energy = fmax(w->touched.energy, touch->energy);
    w->touched.pairs = touch->pairs > w->touched.pairs ? touch->pairs : w->touched.pairs;
    w->touched.stiffness = fmax(w->touched.stiffness, touch->stiffness);
    if (fabs(h) * touch->omega > STIFF)
        lil_warn_once(ctx, w->warnings, LIL_WARNING_STIFF,
                      "at t = %.6g s contact is too stiff for the step, h omega_c = %.3g, above %g: bounces change "
                      "the energy (shorten the step, or reduce 'stiffness' of 'contact')",
                      t, fabs(h) * touch->omega, STIFF);
}

/* ---- energy ---- */

void lil_watch_start(lil_watch *w, double t, double energy, double potential, double volume)
{
    w->start = w->now = t;
    w->energy_initial = w->energy_now = w->energy_min = w->energy_max = w->owed_max = energy;
    w->potential_min = potential;
    w->volume_min = volume;
    w->parts_start = w->parts = fabs(potential) + fabs(energy - potential);
    slope_add(&w->energy, 0, 0);
}

static void note_energy(lil_watch *w, double energy, double potential)
{
    w->energy_now = energy;
    if (energy < w->energy_min)
        w->energy_min = energy;
    if (energy > w->energy_max)
        w->energy_max = energy;
    if (!(potential >= w->potential_min)) /* from a NaN at the start on to a number, and back never */
        w->potential_min = isnan(potential) ? w->potential_min : potential;
}

void lil_watch_drive(lil_watch *w, double work, double energy, double potential)
{
    note_energy(w, energy, potential);
    w->driven = w->driven || work != 0;
}

void lil_watch_step(lil_watch *w, double t, double energy, double potential, double volume)
{
    double T = fabs(energy - potential), h = fabs(t - w->now);
    if (isfinite(T)) {
        w->parts = fmax(w->parts, T + fabs(potential));
        w->kinetic += h * T;
        w->duration += h;
    }
    w->now = t;
    w->steps++;
    note_energy(w, energy, potential);
    if (volume < w->volume_min)
        w->volume_min = volume;
    slope_add(&w->energy, t - w->start, energy - w->energy_initial);
}

void lil_watch_contact_step(lil_watch *w, lil_rung_count rung, double error, double kinetic)
{
    w->contact_steps++;
    w->contact_continued += rung == LIL_RUNG_CONTINUED;
    w->contact_halved += rung == LIL_RUNG_HALVED;
    w->contact_error = fmax(w->contact_error, fabs(error));
    w->contact_kinetic = fmax(w->contact_kinetic, kinetic);
}

/* damping can only take out: where how much is not known (STEP), or it may pump (IMPULSE), what was put in is the
 * bound */
static double energy_owed(const lil_watch *w, const lil_model *model, const lil_tally *tally)
{
    return w->energy_initial + w->given + tally->work_in -
           (w->hides || lil_model_terms(model, LIL_IMPULSE) ? 0 : tally->work_out);
}

/* A stiff solid can gain energy under a symplectic step without any one step being bad, and then blow up. What
 * cannot be so is a gain, counted from the start, that doubles in one step or is ten times all the energy there
 * was. */
lil_status lil_watch_energy(lil_context *ctx, lil_watch *w, const lil_model *model, const lil_tally *tally, double t,
                            double energy, double size, bool solves)
{
    enum {
        EARLY = 2,   /* before, explicit Euler's free fall from rest has gained more than there was */
        SETTLED = 10 /* steps until there is an energy to compare with */
    };
    const double BAD = 1, TOLD = fmax(0.1, w->gain), END = 10;
    double owed = energy_owed(w, model, tally), owed_max = fmax(w->owed_max, owed);
    double scale = owed_max - w->potential_min + 1000 * DBL_EPSILON * size, gain = energy - owed;
    double before = w->energy_now - owed; /* nearly: without one step's work */
    bool settled = w->steps >= SETTLED;
    if (settled && (gain > END * scale || (gain > BAD * scale && gain > 2 * before && before >= 0)))
        return lil_fail(ctx, LIL_ERR_CONVERGENCE,
                        "the energy is %.6g J, but the energy balance allows %.6g J: the rest is spurious", energy,
                        owed);
    w->size = fmax(w->size, size);
    w->owed_max = owed_max; /* what a step that is taken back was owed does not count */
    bool early = w->steps >= EARLY && !w->unbooked && gain > END * (scale + w->parts_start);
    if ((settled && gain > TOLD * scale) || early)
        lil_warn_once(ctx, w->warnings, LIL_WARNING_ENERGY,
                      "at t = %.6g s the energy balance is violated: %.3g J have appeared in addition to the correct "
                      "%.3g J: the step is too long%s",
                      t, gain, owed - w->potential_min,
                      solves ? "; the integrator 'energy-momentum' avoids this" : "");
    return LIL_OK;
}

/* The scale of the energy of any W(q): not the energy itself, which may be 0, nor the depth of W, which may have
 * none, but the exchanged energy, the mean kinetic energy (by the virial theorem |E| for a bound system, E/2 for a
 * linear one) and the work in and out. */
static double exchanged(const lil_watch *w, const lil_tally *tally)
{
    return (w->duration > 0 ? w->kinetic / w->duration : 0) + fabs(tally->work_in) + fabs(tally->work_out) +
           1e4 * DBL_EPSILON * w->parts;
}

/* Controls gain energy, linearly or exponentially, and are meant to be seen doing so. It has blown up where
 * nothing is left of the motion that there was: its energy is below the round-off of the present one, after growth
 * so fast that this is ten times the mean. */
lil_status lil_watch_blow_up(lil_context *ctx, const lil_watch *w, const lil_model *model, const lil_tally *tally,
                             double t, double energy)
{
    enum { SETTLED = 10 };
    const double BLOWN = 1 / DBL_EPSILON, FAST = 10;
    double owed = energy_owed(w, model, tally), off = fabs(energy - owed);
    double there = fmax(fmax(w->owed_max, owed) - w->potential_min, w->parts_start);
    if (w->placed || w->unbooked || w->steps < SETTLED || !(off > BLOWN * there) ||
        !(off > FAST * exchanged(w, tally)))
        return LIL_OK;
    return lil_fail(ctx, LIL_ERR_CONVERGENCE,
                    "at t = %.9g the energy is %.6g instead of %.6g: the motion has blown up, the step is too long",
                    t, energy, owed);
}

/* The energy of a symplectic method oscillates, the more the longer the step, and comes back. So means are
 * compared: those over the first WINDOW steps with those over the latest. An oscillation of h omega has an
 * amplitude of h omega of the energy at most and, averaged over WINDOW steps, 2/WINDOW. A jump, after bodies have
 * passed each other too closely, stays. */
void lil_watch_drift(lil_context *ctx, lil_watch *w, const lil_model *model, const lil_tally *tally)
{
    enum { WINDOW = 64 };
    const double TOLD = 0.2;
    double owed = energy_owed(w, model, tally), off = w->energy_now - owed;
    if (w->placed || isnan(off))
        return;
    w->owed_max = fmax(w->owed_max, owed);
    if (w->steps <= WINDOW) {
        w->off_first += (off - w->off_first) / (double)w->steps;
        w->off_now = w->off_first;
        return;
    }
    w->off_now += (off - w->off_now) / WINDOW;
    double change = w->off_now - w->off_first, scale = exchanged(w, tally);
    if (!w->keeps || w->unbooked || !(fabs(change) > TOLD * scale))
        return;
    lil_warn_once(ctx, w->warnings, LIL_WARNING_ENERGY,
                  "at t = %.6g s the energy balance is violated: an energy of %.3g has %s, %.0f %% of the exchanged "
                  "energy (the mean kinetic energy and the work done): the step is too long",
                  w->now, fabs(change), change > 0 ? "appeared" : "disappeared", 100 * fabs(change) / scale);
}

bool lil_watch_satisfied(lil_watch *w, double distance, double size)
{
    const double TOLD = 0.1;
    bool holds = distance <= fmax(TOLD * w->reach, 2 * w->distance_start);
    if (holds)
        w->reach = fmax(w->reach, size);
    return holds;
}

lil_status lil_watch_distance(lil_context *ctx, lil_watch *w, double t, double distance, const char *worst,
                              double feedback)
{
    const double GONE = 100;
    if (distance > GONE * fmax(w->reach, w->distance_start))
        return lil_fail(ctx, LIL_ERR_CONVERGENCE,
                        "at t = %.9g the motion has left the constraints: %.200s is violated most, by %.3g", t, worst,
                        distance);
    lil_warn_once(
        ctx, w->warnings, LIL_WARNING_DISTANCE,
        "at t = %.6g s the motion violates the constraints, most of all %.200s, by %.3g: %s", t, worst, distance,
        feedback > 0
            ? "a shorter step would satisfy them"
            : "constraints on accelerations alone drift, and a 'feedback' of ten steps or more corrects the drift");
    return LIL_OK;
}

bool lil_watch_resonance(const lil_watch *w, const lil_model *model, const lil_tally *tally, double energy)
{
    double owed = energy_owed(w, model, tally), scale = fmax(w->owed_max, owed) - w->potential_min;
    return energy - owed - w->pumped > w->gain * (scale + w->pumped) + 1000 * DBL_EPSILON * w->size;
}

void lil_watch_shift(lil_context *ctx, lil_watch *w, const lil_model *model, const lil_tally *tally, double t,
                     double energy)
{
    w->pumped = fmax(energy - energy_owed(w, model, tally), 0);
    w->shifted++;
    lil_warn_once(ctx, w->warnings, LIL_WARNING_RESONANCE,
                  "at t = %.6g s the energy balance is violated: %.3g J have appeared, more than stable steps can "
                  "cause: elements resonate, and take shorter steps from here on",
                  t, w->pumped);
}

double lil_watch_dissipated(const lil_watch *w, const lil_tally *tally, double energy)
{
    return w->hides ? w->energy_initial + tally->work_in - energy : tally->work_out;
}

/* Asked for: kD, where it is one for all. Measured: all energy that went, however it went, over the integral of
 * v'Kd v, which is what the damping took out over kD. Damping inside the step (STEP) has no such number: its v is
 * that of the damped step, slower than the motion by 1 + (h omega)^2/4, so that the quotient is kD at any step,
 * while a mode of h omega = 2 decays at 45 % of it. */
static void certify_damping(lil_certificate *c, const lil_watch *w, const lil_model *model, const lil_tally *tally)
{
    double asked = NAN;
    for (int i = 0; i < model->term_count; i++) {
        double one = model->terms[i].damping;
        if (one == 0)
            continue;
        if (!isnan(asked) && asked != one)
            return;
        asked = one;
    }
    if (isnan(asked))
        return;
    c->damping_requested = asked;
    if (!lil_model_terms(model, LIL_STEP) && tally->work_out > 1e4 * DBL_EPSILON * w->size)
        c->damping_measured = asked * (w->energy_initial + tally->work_in - w->energy_now) / tally->work_out;
}

/* Where energy goes in or out, its width and its slope say nothing of how well it is kept. */
static void certify_work(lil_certificate *c, const lil_watch *w, const lil_model *model, const lil_tally *tally)
{
    bool damped = lil_model_is_damped(model);
    double round_off = 1e3 * DBL_EPSILON * w->parts;
    if (w->placed || !(lil_model_terms(model, LIL_FORCE) || model->dofs.script_count || model->drives || damped ||
                       tally->implicit_euler_steps || w->driven))
        return;
    bool worked = w->driven || !(fabs(tally->work_in) <= round_off); /* driven: also where it comes to 0 in the end */
    if (worked)
        c->energy_band = c->energy_drift = NAN;
    if (worked || damped || fabs(tally->work_out) > round_off || w->unbooked)
        c->relative_energy_error = NAN;
    if (w->unbooked && w->steps)
        return;
    c->energy_dissipated = lil_watch_dissipated(w, tally, w->energy_now);
    c->external_work = tally->work_in;
    if (model->loses) {
        c->friction_loss = tally->lost.friction;
        c->restitution_loss = tally->lost.restitution;
    }
}

/* The choice for bodies; obstacles use that of the bodies. */
static void certify_barrier(lil_certificate *c, const lil_watch *w, const lil_model *model, const lil_tally *tally)
{
    lil_touching_part part;
    c->contact_implicit_euler = (double)tally->implicit_euler_steps;
    c->contact_implicit_euler_loss = tally->implicit_euler_loss;
    c->gap_min = w->gap_min;
    c->contact_pairs = w->touched.pairs;
    c->contact_energy = w->touched.energy;
    c->intersections = w->intersections;
    for (int i = 0; i < model->term_count; i++) {
        const lil_term *term = &model->terms[i];
        const lil_term_contact *contact = term->table->contact;
        for (int k = 0; contact && contact->part && contact->part(term->data, k, &part); k++) {
            if (!isfinite(part.modulus))
                continue;
            c->d_hat_min = fmin(c->d_hat_min, part.d_hat);
            c->d_hat_max = fmax(c->d_hat_max, part.d_hat);
            c->barrier_stiffness_min = fmin(c->barrier_stiffness_min, part.modulus);
            c->barrier_stiffness_max = fmax(c->barrier_stiffness_max, part.modulus);
        }
    }
}

void lil_watch_jump(lil_watch *w, double dt)
{
    w->start += dt; /* times of the slope are counted from here */
    w->now += dt;
    w->gap_t += dt;
}

void lil_watch_rest(lil_watch *w, int iterations, double residual)
{
    w->rested = true;
    w->rest_iterations = iterations;
    w->rest_residual = residual;
}

static void certify_contact(lil_certificate *c, const lil_watch *w)
{
    c->contact_steps = (double)w->contact_steps;
    c->contact_pseudo_transient = (double)w->contact_continued;
    c->contact_halved = (double)w->contact_halved;
    if (!w->hides && w->contact_kinetic > 0)
        c->contact_energy_error_max = w->contact_error / w->contact_kinetic;
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
    double largest = fmax(fabs(w->energy_max), fabs(w->energy_min));
    bool rests = scale < 16 * DBL_EPSILON * largest; /* nothing moves but last places */
    c.energy_drift = slope == 0 || rests ? 0 : slope * (w->now - w->start) / scale;
    c.energy_band = w->energy_max > w->energy_min && !rests ? (w->energy_max - w->energy_min) / scale : 0;
    double known = fmax(w->parts_start, w->size); /* what E_0 is summed from: below its round-off it is 0 */
    if (fabs(w->energy_initial) > 1e3 * DBL_EPSILON * known)
        c.relative_energy_error =
            fmax(w->energy_max - w->energy_initial, w->energy_initial - w->energy_min) / fabs(w->energy_initial);
    certify_work(&c, w, model, tally);
    c.halved_steps = (double)w->halved;
    if (tally->element_updates) {
        c.shifted_steps = (double)w->shifted;
        c.element_updates = (double)tally->element_updates;
    }
    c.rest_iterations = w->rested ? w->rest_iterations : NAN;
    c.rest_residual = w->rested ? w->rest_residual : NAN;
    c.newton_iterations = (double)tally->newton_iterations;
    c.linear_iterations = (double)tally->linear_iterations;
    if (tally->newton_iterations)
        c.gradient_max = tally->gradient_max;
    if (isfinite(w->volume_min))
        c.min_volume_ratio = w->volume_min;
    if (model->touches) {
        c.penetration_max = w->touched.depth;
        if (w->touched.sunk > 0 || w->touched.depth == 0)
            c.penetration_relative = w->touched.sunk;
        c.penetration_time = w->sunk_time;
        c.first_contact = w->first_contact;
        c.contact_stiffness = model->impassable ? NAN : w->touched.stiffness;
        c.h_omega_c = model->impassable ? NAN : w->touched.omega;
        if (model->impassable)
            certify_barrier(&c, w, model, tally);
    }
    if (model->impassable)
        certify_contact(&c, w);
    if (model->constraint_count || model->penalties)
        c.constraint_max = w->constraint_max;
    if (model->points.linear && w->momenta.p_sum > 0)
        c.linear_momentum_drift = w->P_change / w->momenta.p_sum;
    if (model->points.angular && w->momenta.l_sum > 0)
        c.angular_momentum_drift = w->L_change / w->momenta.l_sum;
    if (w->placed) { /* nothing is conserved or accounted for: a shot has its own figures */
        c.energy_band = c.energy_drift = c.relative_energy_error = NAN;
        c.linear_momentum_drift = c.angular_momentum_drift = NAN;
        double *counts[] = { &c.halved_steps, &c.newton_iterations, &c.linear_iterations }; /* of steps after it */
        for (int i = 0; i < 3; i++)
            *counts[i] = *counts[i] > 0 ? *counts[i] : NAN;
        return c;
    }
    certify_damping(&c, w, model, tally);
    return c;
}
