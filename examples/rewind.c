// Which push brings a swing highest? From one moment several are tried: save, try, rewind.
#include <lilyan/lilyan.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool swing(void *user, double t, const double *q, double *W, double *dW)
{
    (void)user, (void)t;
    *W = -9.81 * cos(q[0]);
    if (dW)
        dW[0] = 9.81 * sin(q[0]);
    return true;
}

// The largest angle within two seconds after a push of dp.
static lil_status highest(lil_sim *sim, double dp, double *angle)
{
    const lil_state *x = lil_sim_state(sim);
    double p = x->p[0] + dp;
    lil_status status = lil_sim_set_p(sim, &p);
    *angle = 0;
    for (int k = 0; k < 200 && status == LIL_OK; k++) {
        status = lil_sim_step(sim);
        *angle = fmax(*angle, fabs(x->q[0]));
    }
    return status;
}

static lil_status try_pushes(lil_sim *sim)
{
    size_t size = lil_sim_state_size(sim);
    void *here = malloc(size);
    double angle;
    lil_status status = here ? lil_sim_save_state(sim, here, size) : LIL_ERR_MEMORY;
    for (int k = -2; k <= 2 && status == LIL_OK; k++) {
        status = highest(sim, 0.2 * k, &angle);
        if (status == LIL_OK)
            printf("a push of %+.1f at t = 0.5 s: up to %.4f\n", 0.2 * k, angle);
        if (status == LIL_OK)
            status = lil_sim_load_state(sim, here, size); // as if nothing had happened, to the last bit
    }
    free(here);
    return status;
}

int main(void)
{
    double inertia = 1, start = 0.5;
    lil_separable_def model_def = { .n = 1, .mass = &inertia, .potential = swing };
    lil_sim_def sim_def = lil_sim_def_default();
    lil_context *ctx = lil_context_create();
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    sim_def.q = &start;
    lil_status status = lil_model_create_separable(ctx, &model_def, &model);
    if (status == LIL_OK)
        status = lil_sim_create(ctx, model, &sim_def, &sim);
    for (int k = 0; k < 50 && status == LIL_OK; k++)
        status = lil_sim_step(sim);
    if (status == LIL_OK)
        status = try_pushes(sim);
    if (status != LIL_OK)
        fprintf(stderr, "%s\n", lil_context_message(ctx));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_context_destroy(&ctx);
    return status == LIL_OK ? 0 : 1;
}
