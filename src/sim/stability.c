/*
 * Is the step too long? The largest frequency at the start, omega^2 = largest eigenvalue of M^-1 K, by power iteration
 * with K x from differences of the gradient. The quotient x'Kx / x'Mx approaches from below: where it warns, it is so,
 * as far as the motion is linear.
 */
#include "sim/sim.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITERATIONS = 30, TRIES = 4 };

/* Kx and y = M^-1 K x at the start; false where W does not exist beside it */
static bool stability_apply(lil_sim *sim, const double *x, double *y, double *Kx, double *shifted, double *minus)
{
    lil_evaluator *ev = &sim->ev;
    const lil_state *s = &sim->state;
    int n = s->n;
    /* no vertex is moved by more than its neighbours are away, however many there are and however few the mode x
     * moves */
    double e = cbrt(DBL_EPSILON) * fmax(1, lil_largest(n, s->q)) / lil_largest(n, x);
    bool finite = false;
    for (int k = 0; !finite && k < TRIES; k++, e /= 32) { /* far enough to turn a small tet inside out? */
        for (int i = 0; i < n; i++)
            shifted[i] = s->q[i] + e * x[i];
        lil_evaluate_potential(ev, s->t, shifted, NULL, Kx);
        for (int i = 0; i < n; i++)
            shifted[i] = s->q[i] - e * x[i];
        lil_evaluate_potential(ev, s->t, shifted, NULL, minus);
        for (int i = 0; i < n; i++)
            Kx[i] = (Kx[i] - minus[i]) / (2 * e);
        lil_mass_solve(ev, Kx, y);
        finite = isfinite(lil_norm(n, y));
    }
    return finite;
}

static double largest_frequency(lil_sim *sim, double *memory)
{
    int n = sim->state.n;
    double *x = memory, *y = x + n, *Kx = y + n, *shifted = Kx + n, *minus = shifted + n, lambda = 0;
    for (int i = 0; i < n; i++)
        x[i] = 1 + 0.5 * sin(1.7 * i); /* no symmetry of the system may be orthogonal to it */
    for (int k = 0; k < ITERATIONS; k++) {
        double size = lil_norm(n, x);
        for (int i = 0; i < n; i++)
            x[i] /= size;
        if (!stability_apply(sim, x, y, Kx, shifted, minus))
            return 0;
        lil_mass_multiply(sim->model, x, shifted);
        lambda = lil_dot(n, x, Kx) / lil_dot(n, x, shifted);
        if (lil_norm(n, y) == 0)
            return 0;
        for (int i = 0; i < n; i++)
            x[i] = y[i];
    }
    return lambda > 0 ? sqrt(lambda) : 0;
}

/* the largest kD of what damps before the step */
static double explicit_damping(const lil_model *model)
{
    double kD = 0;
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_IMPULSE)
            kD = fmax(kD, model->terms[i].damping);
    return kD;
}

/* The largest stable h. Damping before the step multiplies p by s = 1 - h kD omega^2: det = s. The trace of a
 * symmetric step, which treats q and p alike, gets the factor (1 + s)/2, so each has its own limit, h omega <
 * limit and s > -1; with symplectic Euler the trace is 1 + s - (h omega)^2, so both share one, (h omega)^2 + 2 h
 * kD omega^2 < 4. */
static double stability_longest_step(double limit, double kD, double omega, bool symmetric)
{
    double a = isinf(limit) ? 0 : 2 * omega / limit, b = kD * omega * omega;
    if (symmetric)
        return fmin(limit / omega, 2 / b);
    return a == 0 && b == 0 ? INFINITY : 4 / (b + sqrt(b * b + 4 * a * a));
}

/* The fastest oscillation, in words: the element where the mode x is largest, or nothing. */
static void name_stiffest(const lil_model *model, const double *x, char *name, size_t size)
{
    int most = 0;
    char element[200];
    name[0] = 0;
    for (int i = 1; i < model->n; i++)
        most = fabs(x[i]) > fabs(x[most]) ? i : most;
    int vertex = (model->dofs.free ? model->dofs.free[most] : most) / 3;
    for (int i = 0; i < model->term_count; i++) {
        const lil_term *term = &model->terms[i];
        if (term->table->stiffest && term->table->stiffest(term->data, vertex, element, sizeof element)) {
            snprintf(name, size, ", limited by %s", element);
            return;
        }
    }
}

lil_status lil_stability_frequency(lil_sim *sim, double *omega)
{
    double *memory = malloc(5 * (size_t)sim->state.n * sizeof *memory);
    LIL_HAVE(sim->ctx, memory);
    *omega = largest_frequency(sim, memory);
    free(memory);
    return LIL_OK;
}

lil_status lil_stability_check(lil_sim *sim)
{
    lil_claims claims = sim->stepper.method->claims(sim->stepper.config);
    double limit = claims.stable, h = fabs(sim->step), kD = explicit_damping(sim->model);
    bool symmetric = claims.holds & LIL_SYMMETRIC;
    if (lil_model_terms(sim->model, LIL_KICK) && claims.holds & LIL_EXPLICIT)
        lil_warn(sim->ctx,
                 "damping 'exact' solves equations, which %s otherwise does not need: 'explicit' is faster here",
                 sim->stepper.method->name);
    if (!sim->model->mass.constant || !(limit > 0) || (isinf(limit) && kD == 0))
        return LIL_OK;
    double *memory = malloc(5 * (size_t)sim->state.n * sizeof *memory);
    LIL_HAVE(sim->ctx, memory);
    double omega = largest_frequency(sim, memory), longest = stability_longest_step(limit, kD, omega, symmetric);
    char limit_by[256];
    name_stiffest(sim->model, memory, limit_by, sizeof limit_by);
    free(memory);
    if (h > longest * (1 + 1e-6)) /* differences are good to about 1e-10 */
        lil_warn_once(sim->ctx, &sim->warnings, LIL_WARNING_LONG,
                      "the step %g s is too long for %s%s: at the start it is stable up to %.3g s "
                      "(the fastest oscillation has omega = %.3g rad/s%s)",
                      sim->step, sim->stepper.method->name, kD > 0 ? " with explicit damping" : "", longest, omega,
                      limit_by);
    return LIL_OK;
}

/* Before p is projected, multipliers carry but the share sum b_i a_i of a force, as Q has it in (7); where that is
 * 0, they tell nothing. */
static double stability_share_of(const lil_stepper *s)
{
    const lil_rule rule = lil_stepper_quadrature(s->inner ? s->inner : s);
    double share = 0;
    for (int i = 0; i < rule.n; i++)
        share += rule.b[i] * rule.a[i];
    return share;
}

/* Over a mass that is not diagonal the bound is a guess. */
static double latest_swing(const lil_sim *sim)
{
    double share = stability_share_of(&sim->stepper),
           omega = share > 0 ? sqrt(sim->constrained.swing / share) : INFINITY;
    return sim->constrained.mass.mass ? omega : 4 * omega;
}

/* At once, if the first step is far too long; else where it lasts, since a start that rings may pass. */
static void tell_tension(lil_sim *sim, double omega, double limit, double h, const char *label, bool divided)
{
    const int LASTING = 20;
    const double FAR = 1.3;
    bool far = sim->steps == 0 && omega * fabs(h) > FAR * limit;
    if (sim->taut < 0 || (!far && ++sim->taut < LASTING))
        return;
    sim->taut = -1;
    lil_warn_once(sim->ctx, &sim->warnings, LIL_WARNING_TENSION,
                  "at t = %.6g s the tension in %.200s limits stable steps of %s to %.3g s: %s (the integrator "
                  "'energy-momentum' has no such limit)",
                  sim->state.t, label, sim->stepper.method->name, limit / omega,
                  divided ? "longer steps are divided"
                          : "'halvings' of 'time' does not allow them to be divided that far");
}

/* Multipliers act along G of where a step begins, whatever else is implicit: what they hold swings as by
 * Stormer-Verlet, with the limit h omega < 2 (in compositions 2.5 and more). omega is the lesser of that of (C3)
 * now and that of the latest step: forces that ring are in one of them only. The first step is tried to have both. */
lil_status lil_stability_tension(lil_sim *sim, double h, int64_t *part)
{
    const lil_state *x = &sim->state;
    const lil_stepper *s = &sim->stepper;
    lil_constrained *c = &sim->constrained;
    double limit = s->inner ? 2.5 : 2, enough = limit / fabs(h), omega = 0;
    const char *label = "";
    if (!s->constrained || !c->curved.count || c->between || lil_stepper_is_differential(s))
        return LIL_OK;
    if (latest_swing(sim) > enough) {
        LIL_TRY(lil_stepper_force(&sim->stepper, x->t, x->q, x->v, c->q_trial));
        LIL_TRY(lil_constrained_force(c, 0, x->t, x->q, x->v, c->q_trial));
        omega = lil_constrained_frequency(c, x->t, x->q, enough, &label);
    }
    if (omega > enough && isinf(c->swing)) {
        s->method->step(&sim->stepper, h);
        lil_sim_back(sim);
    }
    omega = fmin(omega, latest_swing(sim));
    if (!(omega > enough)) {
        sim->taut = sim->taut > 0 ? 0 : sim->taut;
        return LIL_OK;
    }
    int64_t whole = *part;
    for (; omega > enough && *part > 1; enough *= 2)
        *part /= 2;
    tell_tension(sim, omega, limit, h, label, !(omega > enough));
    sim->watch.halved += *part < whole;
    return LIL_OK;
}
