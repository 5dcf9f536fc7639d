/*
 * Shots of bodies: a bar of jelly that jumps a metre to the side, turns by 90 degrees and lands at rest, 96 frames, on one
 * thread: time, memory, and how they grow with its degrees of freedom.
 */
#include "run/run.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char *const cells[] = { "[8, 2, 2]", "[12, 3, 3]", "[27, 5, 5]" };
enum { SIZES = sizeof cells / sizeof cells[0] };

static double megabytes(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss / 1024;
}

int main(void)
{
    lil_context *ctx = lil_context_create();
    lil_run_def def = lil_run_def_default();
    double first = 0;
    int first_n = 0;
    bool ok = ctx && lil_context_set_threads(ctx, 1) == LIL_OK;
    printf("shots of bodies, 96 frames, one thread\n");
    for (int i = 0; ok && i < SIZES; i++) {
        char text[1024];
        lil_scene *scene = NULL;
        lil_run *run = NULL;
        snprintf(text, sizeof text,
                 "gravity: 9.81\nbodies:\n  bar:\n    shape: {type: bar, size: [0.4, 0.1, 0.1], cells: %s}\n"
                 "    material: {model: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"
                 "keys:\n  - {at: 0, pose: rest, velocity: 0}\n"
                 "  - {at: 1, pose: {rotate: [0, 90, 0], translate: [1, 0, 0.3]}, velocity: 0}\nshot: {frames: 96}\n",
                 cells[i]);
        clock_t began = clock();
        ok = lil_scene_parse(ctx, "bar", text, strlen(text), &scene) == LIL_OK &&
             lil_run_create(ctx, scene, &def, &run) == LIL_OK &&
             lil_shot_solve_frames(run->plan.shot, NULL, NULL) == LIL_OK;
        double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
        if (ok) {
            const lil_problem *shot = run->plan.shot->problem;
            if (i == 0) {
                first = seconds;
                first_n = shot->n;
            }
            printf("  %5d degrees of freedom: %7.1f s, %2d iterations, %4.0f MB%s", shot->n, seconds,
                   shot->iterations, megabytes(), shot->converged ? "" : ", not converged");
            if (i > 0)
                printf("; %.1f times the unknowns take %.1f times as long", (double)shot->n / first_n,
                       seconds / first);
            printf("\n");
        }
        lil_run_destroy(&run);
        lil_scene_destroy(&scene);
    }
    if (!ok)
        fprintf(stderr, "bench_directing: %s\n", ctx ? lil_context_message(ctx) : "no memory");
    lil_context_destroy(&ctx);
    return ok ? 0 : 1;
}
