/*
 * The elastic rod at full length: Fig. 2 and 3 of the paper (2 million explicit steps each), and 10,000 implicit steps in
 * each form of damping. Time on one thread, and what the certificates say. Run it from the repository's folder.
 */
#include <lilyan/lilyan.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool measure(lil_context *ctx, const char *name, const char *path, const char *variant)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    def.variant = variant;
    bool ok = lil_scene_load(ctx, path, &scene) == LIL_OK && lil_run_create(ctx, scene, &def, &run) == LIL_OK;
    double start = cpu_seconds();
    ok = ok && lil_run_advance(run, INT64_MAX) == LIL_OK;
    double spent = cpu_seconds() - start;
    if (ok) {
        lil_certificate c = lil_sim_certificate(lil_run_sim(run));
        double steps = (double)lil_run_steps_done(run);
        printf("  %-22s %8.0f steps %7.2f s %8.2f us a step  band %.3f  P %.1e  L %.1e\n", name, steps, spent,
               1e6 * spent / steps, c.energy_band, c.linear_momentum_drift, c.angular_momentum_drift);
        printf(
            "{\"bench\": \"solids\", \"scene\": \"%s\", \"steps\": %.0f, \"seconds\": %.6g, \"energy_band\": %.6g, "
            "\"linear_momentum_drift\": %.6g, \"angular_momentum_drift\": %.6g}\n",
            name, steps, spent, c.energy_band, c.linear_momentum_drift, c.angular_momentum_drift);
    } else {
        fprintf(stderr, "bench_solids: %s\n", lil_context_message(ctx));
    }
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    return ok;
}

int main(void)
{
    static const char *const cases[][3] = { { "elastic-rod", "scenes/elastic-rod.yaml", NULL },
                                            { "elastic-rod-damped", "scenes/elastic-rod-damped.yaml", NULL },
                                            { "implicit, undamped", "scenes/elastic-rod-implicit.yaml", "undamped" },
                                            { "implicit, exact", "scenes/elastic-rod-implicit.yaml", "exact" },
                                            { "implicit, minimised", "scenes/elastic-rod-implicit.yaml",
                                              "minimised" },
                                            { "implicit, paper", "scenes/elastic-rod-implicit.yaml", "paper" } };
    lil_context *ctx = lil_context_create();
    bool ok = true;
    printf("the elastic rod, 160 tets, one thread\n");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        ok = measure(ctx, cases[k][0], cases[k][1], cases[k][2]) && ok;
    lil_context_destroy(&ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
