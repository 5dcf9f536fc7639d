/*
 * A force of your own: a motor swings up a pendulum with drag. The certificate counts the work of the motor (F at v = 0) as
 * external work and that of the drag as dissipated energy.
 */
#include <lilyan/lilyan.h>
#include <math.h>

typedef struct motor {
    double torque, drag;
} motor;

static bool weight(void *user, double t, const double *q, double *W, double *g)
{
    (void)user, (void)t;
    *W = -9.81 * cos(q[0]);
    if (g)
        g[0] = 9.81 * sin(q[0]);
    return true;
}

static bool drive(void *user, double t, const double *q, const double *v, double *F)
{
    const motor *m = (const motor *)user;
    (void)q;
    F[0] = (t < 3 ? m->torque : 0) - m->drag * v[0];
    return true;
}

int main(void)
{
    motor m = { .torque = 6, .drag = 0.3 };
    const double mass = 1, q = 0.1;
    const lil_model_parts parts = { .force = { .force = drive, .user = &m } };
    const lil_separable_def def = { .n = 1, .mass = &mass, .potential = weight, .parts = parts };
    lil_context *ctx = lil_context_create();
    lil_sim_def start = lil_sim_def_default();
    lil_model *model = NULL;
    lil_sim *sim = NULL;
    start.integrator = "midpoint";
    start.step = 0.01;
    start.q = &q;
    bool ok =
        lil_model_create_separable(ctx, &def, &model) == LIL_OK && lil_sim_create(ctx, model, &start, &sim) == LIL_OK;
    for (int k = 0; k < 1000 && ok; k++)
        ok = lil_sim_step(sim) == LIL_OK;
    if (ok) {
        lil_certificate c = lil_sim_certificate(sim);
        printf("energy %+.4f J = %.4f put in - %.4f taken out\n", c.energy_final - c.energy_initial, c.external_work,
               c.energy_dissipated);
    } else {
        printf("%s\n", lil_context_message(ctx));
    }
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    lil_context_destroy(&ctx);
    return ok ? 0 : 1;
}
