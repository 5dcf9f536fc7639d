/*
 * Explicit Euler, a control: everything at the start of the step. It adds energy without end.
 */
#include "integrators/stepper.h"

static lil_claims explicit_euler_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 1, .holds = LIL_EXPLICIT };
}

static lil_status explicit_euler_begin(lil_stepper *s)
{
    double *Q = lil_stepper_alloc(s, (size_t)s->state->n * sizeof *Q);
    LIL_HAVE(s->ctx, Q);
    lil_stepper_set_data(s, Q);
    return lil_stepper_begin_friction(s);
}

static lil_status explicit_euler_step(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    double *Q = s->data;
    LIL_TRY(lil_stepper_force(s, x->t, x->q, x->v, Q));
    lil_tally_drive(s->tally, s->ev, h, x->t, x->q, x->v);
    if (lil_model_terms(s->model, LIL_FORCE)) /* lil_stepper_force leaves F in the scratch */
        lil_tally_work(s->tally, s->ev, h, x->t, x->q, x->v, s->ev->scratch);
    for (int i = 0; i < x->n; i++) {
        x->q[i] += h * x->v[i];
        x->p[i] += h * Q[i];
    }
    if (s->friction_impulse.ev) {
        lil_friction_impulse_apply(&s->friction_impulse, x->t + h, h, x->q, x->p);
        for (int i = 0; i < x->n; i++) /* T changes along the mean of both ends' velocities */
            Q[i] = (x->v[i] + s->friction_impulse.v[i]) / 2;
        lil_friction_impulse_book(&s->friction_impulse, Q);
    }
    return LIL_OK;
}

const lil_integrator lil_explicit_euler = {
    .name = "explicit-euler",
    .summary = "For comparison: energy grows at every step.",
    .formula = "q_{k+1} = q_k + h M^-1 p_k,  p_{k+1} = p_k - h dW(q_k)",
    .citation = "Stern & Desbrun 2006 (as the method to avoid)",
    .claims = explicit_euler_claims,
    .begin = explicit_euler_begin,
    .step = explicit_euler_step,
};
