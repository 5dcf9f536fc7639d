/*
 * Shots by all frames at once, by the thesis' scheme and, where it is installed, by Ipopt on the same cost with the same second
 * derivatives: time and cost of scenes/keys-letters.yaml and of a long shot, in turns, the fastest of each; and how the time of
 * all frames at once grows with their number. On one thread. Run it from the repository's folder.
 */
#include "core/field.h"
#include "run/run.h"

#ifdef LILYAN_IPOPT
#include "ipopt.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, WAYS_MOST = 8 };

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

typedef struct result {
    double seconds, cost;
    int iterations;
    bool failed; /* Ipopt gave up */
} result;

/* One way to solve it; without a method, Ipopt. */
typedef struct way {
    const lil_shot_method *method;
    const char *options, *label;
    int factor, rounds; /* so many times the scene's frames */
} way;

static lil_status solve(lil_context *ctx, lil_problem *shot, const way *w, result *r)
{
    char config[1024] __attribute__((aligned(16)));
    (void)r;
#ifdef LILYAN_IPOPT
    r->failed = !w->method && !ipopt_solve(shot, 1e-8);
    if (!w->method)
        return LIL_OK;
#endif
    lil_fields_default(w->method->fields, w->method->field_count, config);
    if (w->options)
        LIL_TRY(lil_fields_parse(ctx, w->method->fields, w->method->field_count, config, w->options));
    return w->method->solve(shot, config);
}

static bool measure(lil_context *ctx, lil_run *run, const way *w, result *r)
{
    const lil_shot *made = run->plan.shot;
    lil_shot_key keys[16];
    lil_problem *shot = NULL;
    for (int i = 0; i < made->key_count; i++) {
        keys[i] = made->keys[i];
        keys[i].frame *= w->factor;
    }
    lil_problem_def def = made->problem->def;
    def.frames *= w->factor;
    def.keys = keys;
    def.watch = NULL;
    double start = cpu_seconds();
    lil_status status = lil_problem_create(ctx, &def, &shot);
    if (status == LIL_OK)
        status = solve(ctx, shot, w, r);
    r->seconds = fmin(r->seconds, cpu_seconds() - start);
    if (status == LIL_OK) {
        r->cost = shot->now.C;
        r->iterations = shot->iterations;
    }
    lil_problem_destroy(&shot);
    return status == LIL_OK;
}

static bool compare(lil_context *ctx, lil_run *run, const way *ways, int count)
{
    result results[WAYS_MOST];
    for (int i = 0; i < count; i++)
        results[i] = (result){ .seconds = INFINITY };
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < count; i++)
            if (round < ways[i].rounds && !measure(ctx, run, &ways[i], &results[i]))
                return false;
    for (int i = 0; i < count; i++) {
        printf("  %-46s %9.2f ms  cost %.9g", ways[i].label, 1e3 * results[i].seconds, results[i].cost);
        if (ways[i].method)
            printf(", %d iterations, %.2f us a frame each\n", results[i].iterations,
                   1e6 * results[i].seconds / (ways[i].factor * run->plan.shot->def.frames) / results[i].iterations);
        else
            printf("%s\n", results[i].failed ? ", where it gave up" : "");
    }
    for (int i = 1; i < count; i++)
        if (ways[i].method == ways[0].method && ways[i].factor == 8)
            printf("  with 8 times the frames global takes %.1f times as long\n",
                   results[i].seconds / results[0].seconds);
    return true;
}

static const way letters[] = {
    { &lil_shot_global, NULL, "global, 192 frames", 1, ROUNDS },
    { &lil_shot_global, NULL, "global, 384 frames", 2, ROUNDS },
    { &lil_shot_global, NULL, "global, 1536 frames", 8, ROUNDS },
    { &lil_shot_local, "sweeps=50", "local, 192 frames, 50 half-sweeps a level", 1, 2 },
#ifdef LILYAN_IPOPT
    { NULL, NULL, "Ipopt, 192 frames", 1, 2 },
    { NULL, NULL, "Ipopt, 1536 frames", 8, 1 },
#endif
};

static const way long_shot[] = {
    { &lil_shot_global, NULL, "global, 1280 frames", 1, ROUNDS },
    { &lil_shot_global, NULL, "global, 10240 frames", 8, ROUNDS },
    { &lil_shot_local, "sweeps=50", "local, 1280 frames, 50 half-sweeps a level", 1, 2 },
    { &lil_shot_local, "sweeps=1000", "local, 1280 frames, 1000 half-sweeps a level", 1, 1 },
#ifdef LILYAN_IPOPT
    { NULL, NULL, "Ipopt, 1280 frames", 1, 2 },
    { NULL, NULL, "Ipopt, 10240 frames", 8, 1 },
#endif
};

static const char oscillator[] = "lagrangian: dx^2 - x^2\nstart: {x: 1}\nintegrator: midpoint\n"
                                 "keys: [{at: 0, q: [1], velocity: [0]}, {at: 40*pi, q: [8], velocity: [0]}]\n"
                                 "shot: {frames: 1280}\n";

int main(void)
{
    lil_context *ctx = lil_context_create();
    lil_scene *scenes[2] = { NULL, NULL };
    lil_run *runs[2] = { NULL, NULL };
    lil_run_def def = lil_run_def_default();
    bool ok = ctx && lil_context_set_threads(ctx, 1) == LIL_OK &&
              lil_scene_load(ctx, "scenes/keys-letters.yaml", &scenes[0]) == LIL_OK &&
              lil_scene_parse(ctx, "oscillator", oscillator, strlen(oscillator), &scenes[1]) == LIL_OK;
    for (int i = 0; ok && i < 2; i++)
        ok = lil_run_create(ctx, scenes[i], &def, &runs[i]) == LIL_OK;
    printf("key frames, scenes/keys-letters.yaml: 21 coordinates, 4 keys\n");
    ok = ok && compare(ctx, runs[0], letters, sizeof letters / sizeof letters[0]);
    printf("key frames, a long shot: an oscillator, 20 periods between 2 keys\n");
    ok = ok && compare(ctx, runs[1], long_shot, sizeof long_shot / sizeof long_shot[0]);
#ifndef LILYAN_IPOPT
    printf("  Ipopt is missing (coinor-libipopt-dev): nothing to compare with\n");
#endif
    if (!ok)
        fprintf(stderr, "bench_keyframes: %s\n", ctx ? lil_context_message(ctx) : "no memory");
    for (int i = 0; i < 2; i++) {
        lil_run_destroy(&runs[i]);
        lil_scene_destroy(&scenes[i]);
    }
    lil_context_destroy(&ctx);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
