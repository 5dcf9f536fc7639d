/*
 * What recording every step costs: pendulum and outer planets with Stormer-Verlet, without an output and with every step
 * in one. Interleaved repeats in one run, minima. Run it from the repository's folder.
 */
#define _POSIX_C_SOURCE 200809L
#include <lilyan/lilyan.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 5 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* seconds a step */
static double measure(lil_context *ctx, const char *path, const char *until, const char *output)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    def.output = output;
    def.replace = true;
    bool ok = lil_scene_load(ctx, path, &scene) == LIL_OK && lil_scene_set(scene, until) == LIL_OK &&
              lil_scene_set(scene, "record={every: 1}") == LIL_OK &&
              lil_scene_set_integrator(scene, "stormer-verlet") == LIL_OK &&
              lil_run_create(ctx, scene, &def, &run) == LIL_OK;
    double start = seconds();
    ok = ok && lil_run_advance(run, INT64_MAX) == LIL_OK && lil_run_finish(run) == LIL_OK;
    double each = ok ? (seconds() - start) / (double)lil_run_steps_done(run) : NAN;
    if (!ok)
        fprintf(stderr, "bench_record: %s\n", lil_context_message(ctx));
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    return each;
}

int main(void)
{
    static const char *const cases[][3] = { { "pendulum", "scenes/pendulum.yaml", "time.until=5000" },
                                            { "outer-planets", "scenes/outer-planets.yaml", "time.until=4000000" } };
    char output[] = "/tmp/bench_record.XXXXXX";
    lil_context *ctx = lil_context_create();
    int descriptor = mkstemp(output);
    if (descriptor < 0)
        return EXIT_FAILURE;
    close(descriptor);
    printf("recording every step, Stormer-Verlet, minimum of %d repeats\n", REPEATS);
    for (int k = 0; k < 2; k++) {
        double without = INFINITY, with = INFINITY;
        for (int i = 0; i < REPEATS; i++) {
            without = fmin(without, measure(ctx, cases[k][1], cases[k][2], NULL));
            with = fmin(with, measure(ctx, cases[k][1], cases[k][2], output));
        }
        printf("  %-14s %8.1f ns a step, recorded %8.1f: %.1f ns or %.0f %% more (%.0f steps a second)\n",
               cases[k][0], 1e9 * without, 1e9 * with, 1e9 * (with - without), 100 * (with / without - 1),
               1 / without);
        printf("{\"bench\": \"record\", \"scene\": \"%s\", \"ns\": %.17g, \"recorded_ns\": %.17g}\n", cases[k][0],
               1e9 * without, 1e9 * with);
    }
    unlink(output);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
