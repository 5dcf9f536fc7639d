/*
 * Shots: scenes/keys-letters.yaml by all frames at once and by the thesis' scheme, time and cost, in turns, the fastest of each; and
 * how the time of all frames at once grows with their number. On one thread. Run it from the repository's folder.
 */
#include "core/field.h"
#include "scene/run.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5 };

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct result {
    double seconds, cost;
    int iterations;
} result;

/* The scene's keys over `factor` times as many frames. */
static bool measure(lil_context *ctx, lil_run *run, const lil_shot_method *method, const char *options, int factor,
                    result *r)
{
    const lil_shot_settings *st = &run->shot;
    char config[1024] __attribute__((aligned(16)));
    lil_shot_key keys[16];
    lil_shot *shot = NULL;
    for (int i = 0; i < st->count; i++) {
        keys[i] = st->keys[i];
        keys[i].frame *= factor;
    }
    lil_shot_def def = st->shot->def;
    def.frames *= factor;
    def.keys = keys;
    def.watch = NULL;
    lil_fields_default(method->fields, method->field_count, config);
    if (options && lil_fields_parse(ctx, method->fields, method->field_count, config, options) != LIL_OK)
        return false;
    double start = cpu_seconds();
    lil_status status = lil_shot_create(ctx, &def, &shot);
    if (status == LIL_OK)
        status = method->solve(shot, config);
    r->seconds = fmin(r->seconds, cpu_seconds() - start);
    if (status == LIL_OK) {
        r->cost = shot->now.C;
        r->iterations = shot->iterations;
    }
    lil_shot_destroy(&shot);
    return status == LIL_OK;
}

static bool compare(lil_context *ctx, lil_run *run)
{
    const struct {
        const lil_shot_method *method;
        const char *options, *label;
        int factor, rounds;
    } cases[] = { { &lil_shot_global, NULL, "global, 192 frames", 1, ROUNDS },
                  { &lil_shot_global, NULL, "global, 384 frames", 2, ROUNDS },
                  { &lil_shot_global, NULL, "global, 1536 frames", 8, 2 },
                  { &lil_shot_local, "sweeps=50", "local, 192 frames, 50 half-sweeps a level", 1, 2 } };
    enum { CASES = sizeof cases / sizeof cases[0] };
    result results[CASES];
    for (int i = 0; i < CASES; i++)
        results[i] = (result){ .seconds = INFINITY };
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < CASES; i++)
            if (round < cases[i].rounds &&
                !measure(ctx, run, cases[i].method, cases[i].options, cases[i].factor, &results[i]))
                return false;
    for (int i = 0; i < CASES; i++)
        printf("  %-44s %9.2f ms  cost %.9g, %d iterations\n", cases[i].label, 1e3 * results[i].seconds,
               results[i].cost, results[i].iterations);
    return true;
}

int main(void)
{
    lil_context *ctx = lil_context_create();
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    bool ok = ctx && lil_context_set_threads(ctx, 1) == LIL_OK &&
              lil_scene_load(ctx, "scenes/keys-letters.yaml", &scene) == LIL_OK &&
              lil_run_create(ctx, scene, &def, &run) == LIL_OK;
    if (ok)
        printf("key frames, scenes/keys-letters.yaml: 21 coordinates, 4 keys\n");
    ok = ok && compare(ctx, run);
    if (!ok)
        fprintf(stderr, "bench_keyframes: %s\n", ctx ? lil_context_message(ctx) : "no memory");
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    lil_context_destroy(&ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
