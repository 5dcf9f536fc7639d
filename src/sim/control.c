/*
 * Step control that does not spoil what a symmetric integrator keeps (Hairer & Soderlind, Explicit, time reversible,
 * adaptive step size control, SIAM J. Sci. Comput. 26, 2005). With a monitor m(q), epsilon the step where m = m_0,
 * and G = d/dt log m along the motion,
 *
 *     rho_{1/2} = 1 + epsilon G(y_0) / 2,    rho_{k+1/2} = rho_{k-1/2} + epsilon G(y_k),    h_{k+1/2} = epsilon / rho_{k+1/2}.
 *
 * Backwards in time G changes its sign and the same steps come back. The naive h = epsilon m_0 / m(q_k) looks only at
 * where a step begins: backwards it begins elsewhere, and the energy drifts.
 */
#include "sim/control.h"

#include <math.h>
#include <string.h>

/* m = sqrt(|a|^2 + a_0^2) with a = -M^-1 dW/dq and a_0 its size at the start, so that it never vanishes; then
 * d/dt log m = a.da/dt / m^2 with da/dt = -M^-1 K v */
static bool acceleration(lil_control *c, lil_stepper *s, double *m, double *rate)
{
    lil_evaluator *ev = s->ev;
    const lil_state *x = s->state;
    const double *gradient;
    int n = x->n;
    lil_evaluate_frame(ev, x->t, x->q, NULL, &gradient);
    lil_mass_solve(ev, gradient, c->g);
    memset(c->K, 0, (size_t)ev->matrix.pattern.count * sizeof *c->K);
    lil_evaluate_second(ev, x->t, x->q, x->v, &(lil_weights){ .Qq = -1 }, c->K);
    lil_sparse_multiply(&ev->matrix.pattern, c->K, x->v, c->Kv);
    lil_mass_solve(ev, c->Kv, c->dg);
    *m = hypot(lil_norm(n, c->g), c->floor);
    *rate = lil_dot(n, c->g, c->dg) / (*m * *m);
    return true;
}

static lil_status control_look(lil_control *c, lil_stepper *s, double *m, double *rate)
{
    const lil_state *x = s->state;
    bool there =
        c->def.monitor ? c->def.monitor(c->def.user, x->t, x->q, x->v, m, rate) : acceleration(c, s, m, rate);
    if (there && *m > 0 && isfinite(*m) && isfinite(*rate))
        return LIL_OK;
    return lil_fail(s->ctx, LIL_ERR_NOT_FINITE,
                    "the monitor of the step size must be positive and finite, not %g, at t = %.9g", there ? *m : NAN,
                    x->t);
}

lil_status lil_control_create(lil_context *ctx, lil_arena *arena, const lil_control_def *def, double step,
                              lil_stepper *s, lil_control *c)
{
    *c = (lil_control){ .def = *def, .step = step, .rho = 1 };
    if (def->method == LIL_CONTROL_FIXED)
        return LIL_OK;
    if (def->method == LIL_CONTROL_REVERSIBLE && !(s->method->claims(s->config).holds & LIL_SYMMETRIC))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "reversible step control needs a symmetric integrator, which %s is not: use stormer-verlet, "
                        "midpoint, gauss, lobatto or a composition",
                        s->method->name);
    if (!def->monitor && !s->model->mass.constant)
        return lil_fail(ctx, LIL_ERR_INPUT, "step control of a system whose mass is not constant needs a 'monitor'");
    if (!def->monitor) {
        LIL_ALLOC(ctx, arena, c->g, s->state->n);
        LIL_ALLOC(ctx, arena, c->Kv, s->state->n);
        LIL_ALLOC(ctx, arena, c->dg, s->state->n);
        LIL_ALLOC(ctx, arena, c->K, s->ev->matrix.pattern.count);
    }
    double rate;
    if (!s->state->n)
        return LIL_OK;
    LIL_TRY(control_look(c, s, &c->m_0, &rate));
    c->floor = def->monitor ? 0 : c->m_0;
    return control_look(c, s, &c->m_0, &rate);
}

lil_status lil_control_next(lil_control *c, lil_stepper *s, double *h)
{
    double m, rate;
    if (!s->state->n) { /* it waits until pins let go */
        *h = c->step;
        return LIL_OK;
    }
    if (c->next == 0) {
        LIL_TRY(control_look(c, s, &m, &rate));
        c->next_rho =
            c->def.method == LIL_CONTROL_NAIVE ? m / c->m_0 : c->rho + c->step * rate * (c->started ? 1 : 0.5);
        double next = c->step / c->next_rho, t = s->state->t;
        if (!(c->next_rho > 0) || !isfinite(next))
            return lil_fail(s->ctx, LIL_ERR_CONVERGENCE,
                            "the step control breaks down at t = %.9g, where the monitor is %.3g of its initial "
                            "value: use a monitor that stays away from 0, or a shorter step",
                            t, m / c->m_0);
        if (t + next == t)
            return lil_fail(s->ctx, LIL_ERR_CONVERGENCE,
                            "the step control requests a step of %.3g s, too short to change t = %.9g", next, t);
        c->next = next;
    }
    *h = c->next;
    return LIL_OK;
}

void lil_control_taken(lil_control *c)
{
    if (c->next == 0) /* it waited */
        return;
    c->rho = c->next_rho;
    c->started = true;
    c->next = 0;
}
