// A pendulum from callbacks: its potential energy, its mass, and ten seconds of motion.
#include <lilyan/lilyan.h>
#include <math.h>
#include <stdio.h>

// W(theta) = -m g l cos(theta), and its derivative if requested; m = l = 1
static bool pendulum(void *user, double t, const double *q, double *W, double *dW)
{
    (void)user, (void)t;
    *W = -9.81 * cos(q[0]);
    if (dW)
        dW[0] = 9.81 * sin(q[0]);
    return true;
}

int main(void)
{
    double inertia = 1, theta = 2; // m l^2, and the initial angle, at rest
    lil_separable_def model_def = { .n = 1, .mass = &inertia, .potential = pendulum };
    lil_sim_def sim_def = lil_sim_def_default(); // auto: midpoint here, steps of 0.01 s
    lil_context *ctx = lil_context_create();
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    sim_def.q = &theta;
    lil_status status = lil_model_create_separable(ctx, &model_def, &model);
    if (status == LIL_OK)
        status = lil_sim_create(ctx, model, &sim_def, &sim);
    for (int k = 0; k < 1000 && status == LIL_OK; k++)
        status = lil_sim_step(sim);
    if (status == LIL_OK)
        printf("theta(%g s) = %.6f, energy %.6f J\n", lil_sim_state(sim)->t, lil_sim_state(sim)->q[0],
               lil_sim_energy(sim));
    else
        fprintf(stderr, "%s: %s\n", lil_status_name(status), lil_context_message(ctx));
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_context_destroy(&ctx);
    return status == LIL_OK ? 0 : 1;
}
