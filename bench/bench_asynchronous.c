/*
 * Steps of its own for every element, against one step for all: scenes/avi-mixed.yaml with asynchronous and with
 * stormer-verlet at its limit, which the smallest tet sets, to the same end. On one thread, in turns, the faster of each.
 * Run it from the repository's folder.
 */
#include "discrete/step_groups.h"
#include "run/run.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 3 };

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* A Sim of the scene's system with another method and step; the run is borrowed. */
static lil_sim *begin(lil_context *ctx, lil_run *run, const char *integrator, double step)
{
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.integrator = integrator;
    def.step = step;
    def.q = x->q;
    def.v = x->v;
    return lil_sim_create(ctx, lil_run_model(run), &def, &sim) == LIL_OK ? sim : NULL;
}

typedef struct result {
    double seconds, updates, band, P, J;
} result;

static bool measure(lil_context *ctx, lil_run *run, const char *integrator, double step, int steps, int elements,
                    result *r)
{
    lil_sim *sim = begin(ctx, run, integrator, step);
    double start = cpu_seconds();
    lil_status status = sim ? LIL_OK : LIL_ERR_INPUT;
    for (int k = 0; k < steps && status == LIL_OK; k++)
        status = lil_sim_step(sim);
    r->seconds = fmin(r->seconds, cpu_seconds() - start);
    if (status == LIL_OK) {
        lil_certificate c = lil_sim_certificate(sim);
        r->updates = isnan(c.element_updates) ? (double)steps * elements : c.element_updates;
        r->band = c.energy_band;
        r->P = c.linear_momentum_drift;
        r->J = c.angular_momentum_drift;
    }
    lil_sim_destroy(&sim);
    return status == LIL_OK;
}

/* the elements by the steps that they may take; returns how many there are */
static int show_step_groups(lil_context *ctx, lil_run *run)
{
    lil_arena arena = { 0 };
    lil_step_groups groups;
    int all = 0;
    if (lil_step_groups_create(ctx, &arena, lil_run_model(run), &groups) != LIL_OK)
        return 0;
    for (int i = 0; i < groups.count; i++) {
        printf("  %6d elements stable up to %.3g s\n", groups.list[i].count, groups.list[i].longest);
        all += groups.list[i].count;
    }
    lil_arena_free(&arena);
    return all;
}

static void show(const char *name, double step, const result *r)
{
    printf("  %-15s steps of %.3g s  %8.3g updates  %7.3f s  %5.1f ns an update  band %.1e  P %.1e  J %.1e\n", name,
           step, r->updates, r->seconds, 1e9 * r->seconds / r->updates, r->band, r->P, r->J);
}

static bool compare(lil_context *ctx, lil_run *run)
{
    double step = lil_run_sim(run)->step, until = 100 * step, omega, NEAR = 0.95;
    int elements = show_step_groups(ctx, run);
    result own = { .seconds = INFINITY }, one = own;
    if (lil_stability_frequency(lil_run_sim(run), &omega) != LIL_OK)
        return false;
    int steps = (int)ceil(until * omega / 2 / NEAR);
    for (int k = 0; k < ROUNDS; k++)
        if (!measure(ctx, run, "asynchronous", step, 100, elements, &own) ||
            !measure(ctx, run, "stormer-verlet", until / steps, steps, elements, &one))
            return false;
    show("asynchronous", step, &own);
    show("stormer-verlet", until / steps, &one);
    printf("  %.1f times fewer updates, %.1f times less time\n", one.updates / own.updates,
           one.seconds / own.seconds);
    printf("{\"bench\": \"asynchronous\", \"updates_ratio\": %.4g, \"time_ratio\": %.4g}\n",
           one.updates / own.updates, one.seconds / own.seconds);
    return true;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "scenes/avi-mixed.yaml";
    lil_context *ctx = lil_context_create();
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    lil_context_set_threads(ctx, 1);
    printf("%s, one thread\n", path);
    bool ok = lil_scene_load(ctx, path, &scene) == LIL_OK && lil_run_create(ctx, scene, &def, &run) == LIL_OK &&
              compare(ctx, run);
    if (!ok)
        fprintf(stderr, "bench_asynchronous: %s\n", lil_context_message(ctx));
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    lil_context_destroy(&ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
