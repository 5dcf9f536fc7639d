#include "discrete/friction_impulse.h"

#include <string.h>

lil_status lil_friction_impulse_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_tally *tally,
                                       lil_friction_impulse *r)
{
    *r = (lil_friction_impulse){ .ev = ev, .tally = tally };
    LIL_ALLOC_ALL(ctx, arena, double, ev->n, &r->D, &r->v, &r->before, &r->mean);
    return LIL_OK;
}

void lil_friction_impulse_apply(lil_friction_impulse *r, double t, double tau, const double *q, double *p)
{
    lil_mass_solve(r->ev, p, r->before);
    if (tau > 0) {
        lil_evaluate_prepare(r->ev, LIL_FRICTION, t, tau, q);
        lil_evaluate_impulse(r->ev, t, q, r->before, r->D, &r->held, &r->driven);
    } else {
        memset(r->D, 0, (size_t)r->ev->n * sizeof *r->D);
        r->held = r->driven = 0;
        lil_supports_scale(r->ev->supports, LIL_SUPPORT_FRICTION, 0);
    }
    lil_add(r->ev->n, -1, r->D, p);
    lil_mass_solve(r->ev, p, r->v);
}

void lil_friction_impulse_begin(lil_friction_impulse *r)
{
    memset(r->mean, 0, (size_t)r->ev->n * sizeof *r->mean);
}

void lil_friction_impulse_add(lil_friction_impulse *r, double b)
{
    lil_add(r->ev->n, b, r->D, r->mean);
}

/* a moving obstacle does work by friction: its share of the work is -driven */
static void friction_impulse_book(lil_friction_impulse *r, double work)
{
    lil_supports_add(r->ev->supports, LIL_SUPPORT_FRICTION, 1);
    r->tally->work_out += work + r->held - r->driven;
    r->tally->work_in += r->held - r->driven;
}

void lil_friction_impulse_book(lil_friction_impulse *r, const double *v)
{
    friction_impulse_book(r, lil_dot(r->ev->n, r->D, v));
}

void lil_friction_impulse_book_kick(lil_friction_impulse *r, const double *p)
{
    for (int k = 0; k < r->ev->n; k++)
        r->v[k] = p[k] - r->D[k] / 2;
    lil_mass_solve(r->ev, r->v, r->before);
    friction_impulse_book(r, lil_dot(r->ev->n, r->D, r->before));
}

void lil_friction_impulse_apply_step(lil_friction_impulse *r, double t, double h, const double *v, const double *q,
                                     double *p)
{
    double work = 0;
    lil_friction_impulse_apply(r, t, h, q, p);
    for (int k = 0; k < r->ev->n; k++)
        work += r->D[k] * (r->before[k] + r->v[k]) / 2 - r->mean[k] * (r->before[k] - v[k]);
    friction_impulse_book(r, work);
}
