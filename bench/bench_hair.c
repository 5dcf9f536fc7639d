/*
 * A head of hair in the wind (scenes/hair.yaml): how a step's cost grows with the number of strands and of their nodes, on one
 * thread and on two. What grows is the processor's time, which other programs lengthen less than they do the clock's.
 */
#include "run/run.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static lil_run *make(lil_context *ctx, int strands, int nodes)
{
    char text[2048];
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    snprintf(
        text, sizeof text,
        "strands:\n"
        "  hair: {roots: {type: cap, radius: 0.085, axis: [-0.35, 0, 1], from: 14, to: 88}, count: %d, nodes: %d,\n"
        "         length: 0.32, radius: 6e-5, spread: 0.35, damping: 0.01, drag: %g,\n"
        "         wind: [-3*sin(1.1*t)^2*(0.6 + 0.4*sin(6*t + 9*y + 5*x)), 2*sin(0.8*t)*sin(6*t + 9*y + 5*x), 0]}\n"
        "gravity: 9.81\n"
        "time: {step: 1/240, until: 10}\n"
        "solver: {tolerance: 1.0e-4}\n",
        strands, nodes, 1.2e-6 * 29 / (nodes - 1));
    if (lil_scene_parse(ctx, "hair", text, strlen(text), &scene) != LIL_OK ||
        lil_run_create(ctx, scene, &def, &run) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    lil_scene_destroy(&scene);
    return run;
}

/* s of the processor a step, of the fastest of a few stretches of steps: the machine has other things to do */
static double time_steps(lil_context *ctx, int strands, int nodes, int threads, int steps)
{
    enum { STRETCHES = 4 };
    double least = 1e300, least_cpu = 1e300;
    lil_context_set_threads(ctx, threads);
    lil_run *run = make(ctx, strands, nodes);
    lil_sim *sim = lil_run_sim(run);
    for (int s = 0; s < STRETCHES; s++) {
        double begun = seconds(CLOCK_MONOTONIC), begun_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < steps; i++)
            if (lil_sim_step(sim) != LIL_OK) {
                printf("%s\n", lil_context_message(ctx));
                exit(EXIT_FAILURE);
            }
        double took = (seconds(CLOCK_MONOTONIC) - begun) / steps,
               took_cpu = (seconds(CLOCK_PROCESS_CPUTIME_ID) - begun_cpu) / steps;
        least = took < least ? took : least;
        least_cpu = took_cpu < least_cpu ? took_cpu : least_cpu;
    }
    lil_certificate c = lil_sim_certificate(sim);
    printf("%5d strands x %3d nodes, %d thread%s: %8.3f ms a step, %8.3f of the processor, %5.0f ns a node; "
           "%.1f iterations, %.0f halved, |g| %.1e m\n",
           strands, nodes, threads, threads > 1 ? "s" : " ", 1e3 * least, 1e3 * least_cpu,
           1e9 * least_cpu / (strands * nodes), c.newton_iterations / (STRETCHES * steps), c.halved_steps,
           c.constraint_max);
    lil_run_destroy(&run);
    return least_cpu;
}

int main(int argc, char **argv)
{
    static const int sizes[][2] = { { 75, 30 }, { 300, 30 }, { 1200, 30 }, { 300, 15 }, { 300, 60 } };
    int steps = argc > 1 ? atoi(argv[1]) : 60;
    double one[5];
    lil_context *ctx = lil_context_create();
    for (int i = 0; i < 5; i++) {
        one[i] = time_steps(ctx, sizes[i][0], sizes[i][1], 1, steps);
        time_steps(ctx, sizes[i][0], sizes[i][1], 2, steps);
    }
    printf("one thread: four times the strands cost %.2f and %.2f times as much, twice the nodes %.2f and %.2f\n",
           one[1] / one[0], one[2] / one[1], one[1] / one[3], one[4] / one[1]);
    lil_context_destroy(&ctx);
    return 0;
}
