/*
 * What exact energy costs: energy-momentum beside the midpoint rule, one thread, CPU time. First the residual of a tet, then
 * the stiff rod at tolerance 1e-12 (pieces of both in turn, minima), then the twisted bar, undamped, from its start to
 * 1,000 steps (or as many as the first argument says), where the midpoint rule has long gained energy. Run it from the
 * repository's folder.
 */
#include "model/evaluator.h"
#include "scene/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static lil_run *load(lil_context *ctx, const char *path, const char *integrator, const char *until)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    if (lil_scene_load(ctx, path, &scene) != LIL_OK || lil_scene_set_integrator(scene, integrator) != LIL_OK ||
        lil_scene_set(scene, until) != LIL_OK || lil_run_create(ctx, scene, &def, &run) != LIL_OK) {
        fprintf(stderr, "bench_energy: %s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    lil_scene_destroy(&scene);
    return run;
}

static double advance(lil_context *ctx, lil_run *run, int steps)
{
    double start = cpu_seconds();
    if (lil_run_advance(run, steps) != LIL_OK)
        printf("  %s: %s\n", lil_run_integrator(run), lil_context_message(ctx));
    return cpu_seconds() - start;
}

static void certify(lil_run *run, const char *scene, double milliseconds)
{
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    double steps = (double)lil_run_steps_done(run);
    printf(
        "  %-12s %-16s %8.0f steps %8.3f ms a step  solves %5.2f  linear %6.1f  energy band %.1e  P %.1e  L %.1e\n",
        scene, lil_run_integrator(run), steps, milliseconds, c.newton_iterations / steps, c.linear_iterations / steps,
        c.energy_band, c.linear_momentum_drift, c.angular_momentum_drift);
    printf(
        "{\"bench\": \"energy\", \"scene\": \"%s\", \"integrator\": \"%s\", \"steps\": %.0f, \"milliseconds\": %.6g, "
        "\"energy_band\": %.6g, \"linear_momentum_drift\": %.6g, \"angular_momentum_drift\": %.6g}\n",
        scene, lil_run_integrator(run), steps, milliseconds, c.energy_band, c.linear_momentum_drift,
        c.angular_momentum_drift);
}

/* pieces of both in turn, so that what else the machine does strikes both */
static void compare(lil_context *ctx, const char *name, const char *path, int pieces, int steps)
{
    lil_run *runs[2] = { load(ctx, path, "midpoint", "time.until=1000"),
                         load(ctx, path, "energy-momentum", "time.until=1000") };
    double least[2] = { INFINITY, INFINITY }, sum[2] = { 0 };
    for (int i = 0; i < pieces; i++)
        for (int k = 0; k < 2; k++) {
            double spent = advance(ctx, runs[k], steps);
            least[k] = fmin(least[k], spent);
            sum[k] += spent;
        }
    for (int k = 0; k < 2; k++) {
        certify(runs[k], name, 1e3 * least[k] / steps);
        lil_run_destroy(&runs[k]);
    }
    printf("  %-12s %.2f times a midpoint step (of sums: %.2f)\n", name, least[1] / least[0], sum[1] / sum[0]);
}

static void measure_residual(lil_context *ctx)
{
    lil_run *run = load(ctx, "scenes/twisted-bar.yaml", "midpoint", "time.until=1000");
    lil_evaluator *ev = &lil_run_sim(run)->ev;
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    double *q1 = malloc((size_t)ev->n * sizeof *q1), *g = malloc((size_t)ev->n * sizeof *g), least[2];
    double held, noise, W, *x0 = malloc((size_t)ev->n * sizeof *x0);
    least[0] = least[1] = INFINITY;
    memcpy(x0, x->q, (size_t)ev->n * sizeof *x0);
    for (int i = 0; i < ev->n; i++)
        q1[i] = x0[i] + 0.01 * x->v[i];
    for (int i = 0; i < 30; i++) {
        double start = cpu_seconds();
        lil_evaluate_potential(ev, 0, q1, &W, g);
        double middle = cpu_seconds();
        lil_evaluate_between(ev, x0, 0.01, q1, g, &held, &noise);
        least[1] = fmin(least[1], cpu_seconds() - middle);
        least[0] = fmin(least[0], middle - start);
    }
    printf("  24,200 tets: W and its gradient %.1f ns a tet, the discrete gradient %.1f\n", 1e9 * least[0] / 24200,
           1e9 * least[1] / 24200);
    free(q1);
    free(g);
    free(x0);
    lil_run_destroy(&run);
}

int main(int argc, char **argv)
{
    lil_context *ctx = lil_context_create();
    int steps = argc > 1 ? atoi(argv[1]) : 1000;
    if (!ctx || lil_context_set_threads(ctx, 1) != LIL_OK || steps < 1)
        return EXIT_FAILURE;
    printf("energy-momentum and midpoint, one thread\n");
    measure_residual(ctx);
    compare(ctx, "stiff-rod", "scenes/stiff-rod.yaml", 10, 200);
    compare(ctx, "twisted-bar", "scenes/twisted-bar.yaml", 10, steps / 10);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
