#include "sim/phase_loop.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* The derivative of a periodic function from N samples is a sum over all of them (Trefethen, Spectral Methods in
 * Matlab, ch. 3): weights (-1)^k / (2 tan(pi k / N)) for even N, 1 / (2 sin) for odd. A loop that N points resolve
 * is measured to round-off, where a polygon would be wrong by 1/N^2. */
static void spectral_weights(int N, double *w)
{
    w[0] = 0;
    for (int k = 1; k < N; k++) {
        double x = PI * k / N;
        w[k] = (k % 2 ? -0.5 : 0.5) / (N % 2 ? sin(x) : tan(x));
    }
}

static lil_status create_point(lil_context *ctx, const lil_model *model, const lil_sim_def *sim_def,
                               const lil_phase_loop_def *def, lil_sim *centre, int j, lil_sim **sim)
{
    double q[LIL_PHASE_LOOP_SIZE_MAX], p[LIL_PHASE_LOOP_SIZE_MAX], v[LIL_PHASE_LOOP_SIZE_MAX],
        phi = 2 * PI * j / def->points;
    for (int i = 0; i < model->n; i++) {
        q[i] = def->q[i] + def->radius * cos(phi);
        p[i] = def->p[i] + def->radius * sin(phi);
    }
    memcpy(v, lil_sim_state(centre)->v, (size_t)model->n * sizeof *v);
    LIL_TRY(lil_evaluate_velocity(&centre->ev, lil_sim_state(centre)->t, q, p, v));
    lil_sim_def point = *sim_def;
    point.q = q;
    point.v = v;
    return lil_sim_create(ctx, model, &point, sim);
}

lil_status lil_phase_loop_create(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                 const lil_sim_def *sim_def, const lil_phase_loop_def *def, lil_sim *centre,
                                 lil_phase_loop *loop)
{
    *loop = (lil_phase_loop){ .points = def->points, .n = model->n };
    if (model->n > LIL_PHASE_LOOP_SIZE_MAX || def->points < 3 || def->points > LIL_PHASE_LOOP_POINTS_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT,
                        "a loop takes at most %d coordinates and 3 to %d points, not %d coordinates and %d points",
                        LIL_PHASE_LOOP_SIZE_MAX, LIL_PHASE_LOOP_POINTS_MAX, model->n, def->points);
    if (sim_def->control.method != LIL_CONTROL_FIXED)
        return lil_fail(ctx, LIL_ERR_INPUT, "the points of a loop must share one time, so their steps cannot vary");
    LIL_ALLOC(ctx, arena, loop->sims, def->points);
    LIL_ALLOC(ctx, arena, loop->rows, 2 * (size_t)model->n * (size_t)def->points);
    LIL_ALLOC(ctx, arena, loop->slope, def->points);
    spectral_weights(def->points, loop->slope);
    for (int j = 0; j < def->points; j++)
        LIL_TRY(create_point(ctx, model, sim_def, def, centre, j, &loop->sims[j]));
    lil_phase_loop_measure(loop);
    return LIL_OK;
}

void lil_phase_loop_destroy(lil_phase_loop *loop)
{
    for (int j = 0; loop->sims && j < loop->points; j++)
        lil_sim_destroy(&loop->sims[j]);
}

lil_status lil_phase_loop_step(lil_phase_loop *loop, double h)
{
    for (int j = 0; j < loop->points; j++) {
        lil_sim *point = loop->sims[j];
        LIL_TRY(h == point->step ? lil_sim_step(point) : lil_sim_advance(point, h));
    }
    return LIL_OK;
}

void lil_phase_loop_measure(lil_phase_loop *loop)
{
    int n = loop->n, N = loop->points, width = 2 * n;
    for (int j = 0; j < N; j++) {
        const lil_state *x = lil_sim_state(loop->sims[j]);
        memcpy(loop->rows + j * width, x->q, (size_t)n * sizeof(double));
        memcpy(loop->rows + j * width + n, x->p, (size_t)n * sizeof(double));
    }
    /* measured from the first point: a small loop far from the origin would lose its digits otherwise */
    double sum = 0;
    const double *first = loop->rows;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < N; j++) {
            double slope = 0;
            for (int k = 1; k < N; k++)
                slope += loop->slope[k] * (loop->rows[((j - k + N) % N) * width + n + i] - first[n + i]);
            sum += (loop->rows[j * width + i] - first[i]) * slope;
        }
    loop->area = sum * 2 * PI / N;
}
