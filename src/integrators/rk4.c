/*
 * The classical Runge-Kutta method of order 4 on q' = v(q, p), p' = dL/dq + F, a control: accurate at first, but its
 * energy drifts. Friction is implicit: each stage's velocity has it over the time since the step began
 * (discrete/friction_impulse.h), so that what sticks does not move.
 */
#include "integrators/stepper.h"

#include <string.h>

typedef struct work {
    double *q, *p, *v, *Q, *dq, *dp;
} work;

static lil_claims rk4_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 4, .holds = LIL_EXPLICIT };
}

static lil_status rk4_begin(lil_stepper *s)
{
    size_t n = (size_t)s->state->n;
    work *w = lil_stepper_alloc(s, sizeof *w);
    double *memory = lil_stepper_alloc(s, 6 * n * sizeof *memory);
    LIL_HAVE(s->ctx, w && memory);
    LIL_TRY(lil_stepper_begin_friction(s));
    *w = (work){ memory, memory + n, memory + 2 * n, memory + 3 * n, memory + 4 * n, memory + 5 * n };
    lil_stepper_set_data(s, w);
    return LIL_OK;
}

static lil_status rk4_step(lil_stepper *s, double h)
{
    static const double at[] = { 0, 0.5, 0.5, 1 }, weight[] = { 1. / 6, 1. / 3, 1. / 3, 1. / 6 };
    lil_state *x = s->state;
    work *w = s->data;
    size_t bytes = (size_t)x->n * sizeof *x->q;
    memcpy(w->q, x->q, bytes);
    memcpy(w->p, x->p, bytes);
    memcpy(w->v, x->v, bytes);
    memset(w->dq, 0, bytes);
    memset(w->dp, 0, bytes);
    for (int i = 0; i < 4; i++) {
        double t = x->t + at[i] * h, next = i < 3 ? at[i + 1] * h : 0;
        lil_stepper_rub(s, weight[i], t, at[i] * h, w->q, w->p);
        LIL_TRY(lil_stepper_velocity(s, t, w->q, w->p, w->v));
        LIL_TRY(lil_stepper_force(s, t, w->q, w->v, w->Q));
        lil_tally_drive(s->tally, s->ev, h * weight[i], t, w->q, w->v);
        if (lil_model_terms(s->model, LIL_FORCE)) /* lil_stepper_force leaves F in the scratch */
            lil_tally_work(s->tally, s->ev, h * weight[i], t, w->q, w->v, s->ev->scratch);
        for (int k = 0; k < x->n; k++) {
            w->dq[k] += weight[i] * w->v[k];
            w->dp[k] += weight[i] * w->Q[k];
            w->q[k] = x->q[k] + next * w->v[k];
            w->p[k] = x->p[k] + next * w->Q[k];
        }
    }
    for (int k = 0; k < x->n; k++) {
        x->q[k] += h * w->dq[k];
        x->p[k] += h * w->dp[k];
    }
    lil_stepper_rub_step(s, h, x->v);
    return LIL_OK;
}

const lil_integrator lil_rk4 = {
    .name = "rk4",
    .summary = "For comparison: the classical Runge-Kutta method. Accurate for a while; energy drifts.",
    .formula = "y_{k+1} = y_k + h/6 (k1 + 2 k2 + 2 k3 + k4),  y = (q, p)",
    .citation = "Kutta 1901",
    .claims = rk4_claims,
    .begin = rk4_begin,
    .step = rk4_step,
};
