#include "discrete/step_path.h"

#include <string.h>

lil_status lil_step_path_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_step_path *w)
{
    *w = (lil_step_path){ .ev = ev->model->impassable ? ev : NULL };
    if (!w->ev)
        return LIL_OK;
    double **all[] = { &w->x0, &w->x1, &w->dx }, **own[] = { &w->q1, &w->u, &w->along };
    for (int k = 0; k < 3; k++) {
        *all[k] = LIL_NEW(arena, double, ev->model->dofs.total);
        *own[k] = LIL_NEW(arena, double, ev->n);
        LIL_HAVE(ctx, *all[k] && *own[k]);
    }
    return LIL_OK;
}

void lil_step_path_begin(lil_step_path *w, double t, double h, const double *q)
{
    if (!w->ev)
        return;
    w->t = t;
    w->h = h;
    w->q = q;
    memcpy(w->x0, lil_positions_of(&w->ev->full, t, q), (size_t)w->ev->model->dofs.total * sizeof *w->x0);
    lil_evaluate_prepare(w->ev, LIL_POTENTIAL, t, h, q);
}

bool lil_step_path_is_driven(const lil_step_path *w)
{
    return w->ev && (w->ev->model->dofs.script_count || w->ev->model->drives);
}

static const double *end_of(lil_step_path *w, const double *v)
{
    for (int k = 0; k < w->ev->n; k++)
        w->q1[k] = w->q[k] + w->h * v[k];
    return w->q1;
}

/* Pushes vertices that block the path of v out of it, repeatedly, until it is free; changes v to the free path.
 * *firm: no element inverts on the path. */
static bool open_up(lil_step_path *w, double *v, bool *firm)
{
    enum { PASSES = 30 };
    lil_evaluator *ev = w->ev;
    const int *free = ev->model->dofs.free;
    int total = ev->model->dofs.total, blocked = 1, pass = 0;
    memcpy(w->x1, lil_positions_of(&ev->full, w->t + w->h, end_of(w, v)), (size_t)total * sizeof *w->x1);
    for (; pass < PASSES && blocked > 0; pass++)
        blocked = lil_evaluate_push(ev, w->t, w->x0, w->t + w->h, w->x1);
    if (blocked != 0)
        return false;
    for (int k = 0; k < total; k++)
        w->dx[k] = w->x1[k] - w->x0[k];
    *firm = lil_evaluate_is_firm(ev, w->t + w->h, w->x0, w->dx);
    for (int k = 0; pass > 1 && k < ev->n; k++)
        v[k] = (w->x1[free ? free[k] : k] - w->q[k]) / w->h;
    return true;
}

lil_status lil_step_path_guess(lil_step_path *w, double *v)
{
    int n = w->ev->n;
    bool firm;
    memcpy(w->u, v, (size_t)n * sizeof *v);
    if (open_up(w, w->u, &firm) && firm) {
        memcpy(v, w->u, (size_t)n * sizeof *v);
        return LIL_OK;
    }
    memset(w->u, 0, (size_t)n * sizeof *v);
    if (!open_up(w, w->u, &firm))
        return lil_fail(w->ev->ctx, LIL_ERR_CONVERGENCE, "the prescribed motion leaves no way out");
    for (int k = 0; k < n; k++)
        w->along[k] = w->h * (v[k] - w->u[k]);
    double s = lil_evaluate_longest(w->ev, w->t + w->h, end_of(w, w->u), w->along);
    for (int k = 0; k < n; k++)
        v[k] = w->u[k] + (s < 1 ? 0.9 * s : 1) * (v[k] - w->u[k]);
    return LIL_OK;
}

lil_status lil_step_path_check(lil_step_path *w, const double *v)
{
    if (!w->ev || lil_evaluate_is_open(w->ev, w->t, w->x0, w->t + w->h, end_of(w, v)))
        return LIL_OK;
    return lil_fail(w->ev->ctx, LIL_ERR_CONVERGENCE, "bodies would pass through each other");
}
