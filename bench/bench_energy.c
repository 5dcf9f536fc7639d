/*
 * What exact energy costs: energy-momentum beside the midpoint rule, one thread, CPU time. First the parts of a step, then the
 * stiff rod at tolerance 1e-12, then the twisted bar, undamped: its first 200 steps, and those from 800 to 1,000, where its
 * motion is rough, beside the midpoint rule's first 200: later its energy has grown. The first argument is the number of
 * repeats, 2 if there is none. Run it from the repository's folder.
 */
#include "model/evaluator.h"
#include "run/run.h"

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

static void keep_least(double *least, double start)
{
    *least = fmin(*least, cpu_seconds() - start);
}

enum { PIECE = 20, FIRST = 200, LATE = 800, LAST = 1000 };

static double sum_of(const double *least, int from, int to)
{
    double sum = 0;
    for (int i = from / PIECE; i < to / PIECE; i++)
        sum += least[i];
    return 1e3 * sum / (to - from);
}

/* Pieces of both in turn, so that what else the machine does strikes both; of each piece the least of its repeats. */
static void compare(lil_context *ctx, const char *name, const char *path, int repeats)
{
    double exact_least[LAST / PIECE], midpoint_least[FIRST / PIECE];
    lil_run *exact = NULL, *midpoint = NULL;
    for (int i = 0; i < LAST / PIECE; i++)
        exact_least[i] = midpoint_least[i % (FIRST / PIECE)] = INFINITY;
    for (int r = 0; r < repeats; r++) {
        lil_run_destroy(&exact);
        exact = load(ctx, path, "energy-momentum", "time.until=10000");
        for (int i = 0; i < LAST / PIECE; i++) {
            int k = i % (FIRST / PIECE);
            if (k == 0) {
                lil_run_destroy(&midpoint);
                midpoint = load(ctx, path, "midpoint", "time.until=10000");
            }
            midpoint_least[k] = fmin(midpoint_least[k], advance(ctx, midpoint, PIECE));
            exact_least[i] = fmin(exact_least[i], advance(ctx, exact, PIECE));
        }
    }
    double own = sum_of(exact_least, 0, FIRST), late = sum_of(exact_least, LATE, LAST);
    double other = sum_of(midpoint_least, 0, FIRST);
    certify(midpoint, name, other);
    certify(exact, name, sum_of(exact_least, 0, LAST));
    printf("  %-12s %.2f ms a step of midpoint; %.2f ms, %.2f times that; steps %d to %d: %.2f ms, %.2f times\n",
           name, other, own, own / other, LATE, LAST, late, late / other);
    lil_run_destroy(&midpoint);
    lil_run_destroy(&exact);
}

/* of the first step's guess */
static void measure_parts(lil_context *ctx)
{
    lil_run *run = load(ctx, "scenes/twisted-bar.yaml", "energy-momentum", "time.until=1000");
    lil_evaluator *ev = &lil_run_sim(run)->ev;
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    size_t bytes = (size_t)ev->n * sizeof(double);
    double *x0 = malloc(bytes), *q1 = malloc(bytes), *g = malloc(bytes), W, held, noise, start;
    double least[] = { INFINITY, INFINITY, INFINITY, INFINITY };
    memcpy(x0, x->q, bytes);
    for (int i = 0; i < ev->n; i++)
        q1[i] = x0[i] + 0.01 * x->v[i];
    for (int i = 0; i < 30; i++) {
        start = cpu_seconds();
        lil_evaluate_potential(ev, 0, q1, &W, g);
        keep_least(&least[0], start);
        start = cpu_seconds();
        lil_evaluate_discrete_gradient(ev, 0, x0, 0.01, q1, g, &held, &noise);
        keep_least(&least[1], start);
        start = cpu_seconds();
        lil_block_assembly_zero(&ev->blocks);
        lil_evaluate_discrete_gradient_blocks(ev, 0, x0, 0.01, q1, 0.01 * 0.01 / 2);
        keep_least(&least[2], start);
        start = cpu_seconds();
        lil_block_assembly_finish(&ev->blocks);
        keep_least(&least[3], start);
    }
    for (int k = 0; k < 4; k++) {
        static const char *const names[] = { "W and its gradient", "the discrete gradient", "its derivative",
                                             "the matrix of it" };
        printf("  24,200 tets: %-22s %6.1f ns a tet\n", names[k], 1e9 * least[k] / 24200);
    }
    free(x0);
    free(q1);
    free(g);
    lil_run_destroy(&run);
}

int main(int argc, char **argv)
{
    lil_context *ctx = lil_context_create();
    int repeats = argc > 1 ? atoi(argv[1]) : 2;
    if (!ctx || lil_context_set_threads(ctx, 1) != LIL_OK || repeats < 1)
        return EXIT_FAILURE;
    printf("energy-momentum and midpoint, one thread\n");
    measure_parts(ctx);
    compare(ctx, "stiff-rod", "scenes/stiff-rod.yaml", repeats);
    compare(ctx, "twisted-bar", "scenes/twisted-bar.yaml", repeats);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
