/*
 * What the barrier costs, in processor time of one thread, by ratios within one run:
 *
 *     a body that hops    beside the same scene with contact by penalty (the bunny if scripts/get-bunny.sh has fetched it, else the bear)
 *     a pile              beside free steps: the same bodies at the same places and velocities, without contact and gravity
 *     broad phase, CCD    their share of the pile's steps: how often they were called times what a call takes along all of a step, which
 *                         is more than what it takes along the short ways of Newton's later iterations
 *
 * The first argument is the number of cells along an edge of the pile's boxes, 13 unless told: 8 boxes are then 105,456 tets.
 * Run it from the repository's folder.
 */
#include "model/evaluator.h"
#include "run/run.h"
#include "terms/barrier_work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(lil_context *ctx)
{
    fprintf(stderr, "bench_contact: %s\n", lil_context_message(ctx));
    exit(EXIT_FAILURE);
}

static double advance(lil_context *ctx, lil_run *run, int steps)
{
    double start = cpu_seconds();
    for (int i = 0; i < steps; i++)
        if (lil_sim_step(lil_run_sim(run)) != LIL_OK)
            stop(ctx);
    return cpu_seconds() - start;
}

static void tell(const char *name, lil_run *run, double seconds, int steps)
{
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    double all = (double)lil_sim_steps(lil_run_sim(run));
    printf("  %-16s %9.2f ms a step  %5.2f solves  %6.1f linear iterations  %.0f steps halved\n", name,
           1e3 * seconds / steps, c.newton_iterations / all, c.linear_iterations / all, c.halved_steps);
}

/* ---- a body that hops ---- */

static lil_run *parse(lil_context *ctx, const char *name, const char *text)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    if (lil_scene_parse(ctx, name, text, strlen(text), &scene) != LIL_OK ||
        lil_run_create(ctx, scene, &def, &run) != LIL_OK)
        stop(ctx);
    lil_scene_destroy(&scene);
    return run;
}

/* As scenes/hopping-bunny.yaml, its preview, but that both go by energy-momentum and nothing rubs: that is what both have. The bear
 * is that of scenes/gummy-bear.yaml. */
static lil_run *hopper(lil_context *ctx, bool bunny, const char *contact)
{
    char text[4096];
    snprintf(
        text, sizeof text,
        "%s  body: {surface: %s, %s,\n"
        "    material: {young: 5e5, poisson: 0.35, density: 1000}, damping: 0.004}\n"
        "obstacles: {floor: {plane: {}}}\ncontact: %s\ngravity: 9.81\nintegrator: energy-momentum\n"
        "solver: {tolerance: 1e-6}\ntime: {step: 1/240, until: 1000}\n",
        bunny ? "up: y\nbodies:\n"
              : "parameters:\n"
                "  X: [0, 0, 0, 0.29, -0.29, 0, 0.36, -0.36, 0.47, -0.47, 0.36, -0.36, 0.44, -0.44, 0]\n"
                "  Y: [0, 0, -0.06, -0.02, -0.02, -0.42, -0.12, -0.12, -0.32, -0.32, -0.3, -0.3, -0.58, -0.58, 0.5]\n"
                "  Z: [0, 0.42, 0.95, 1.29, 1.29, 0.86, 0.5, 0.5, 0.42, 0.42, -0.34, -0.34, -0.36, -0.36, -0.36]\n"
                "  R: [0.56, 0.44, 0.42, 0.17, 0.17, 0.2, 0.2, 0.2, 0.17, 0.17, 0.27, 0.27, 0.24, 0.24, 0.2]\n"
                "bodies:\n",
        bunny ? "scenes/bunny.obj"
              : "{inside: \"sum(i, 1, 15, exp(4 - 4*((x - X[i])^2 + (y - Y[i])^2 + (z - Z[i])^2)/R[i]^2)) - 1\", "
                "box: [[-0.8, -0.9, -0.8], [0.8, 0.8, 1.7]], cells: 48}",
        bunny ? "scale: 0.1, rotate: [0, 0, -20], at: [0, 0.7, 0], vertices: 1500, start: {spin: [0, 3, 0]}"
              : "scale: 0.6, rotate: [20, 0, 0], at: [0, 0, 0.8], vertices: 1500, start: {spin: [0, 0, 3]}",
        contact);
    return parse(ctx, bunny ? "bunny" : "bear", text);
}

/* In turns, so that what else the machine does strikes both. */
static void hop(lil_context *ctx)
{
    enum { TURNS = 12, STEPS = 20 };
    FILE *file = fopen("scenes/bunny.obj", "r");
    const char *name = file ? "bunny" : "bear";
    lil_run *penalty = hopper(ctx, file, "{stiffness: 2e6}"), *barrier = hopper(ctx, file, "{method: barrier}");
    double spent[2] = { 0 };
    if (file)
        fclose(file);
    for (int i = 0; i < TURNS; i++) {
        spent[0] += advance(ctx, penalty, STEPS);
        spent[1] += advance(ctx, barrier, STEPS);
    }
    printf("a %s that hops for %d steps\n", name, TURNS * STEPS);
    tell("penalty", penalty, spent[0], TURNS * STEPS);
    tell("barrier", barrier, spent[1], TURNS * STEPS);
    printf("  barrier over penalty: %.2f (at most 2)\n", spent[1] / spent[0]);
    printf("{\"bench\": \"contact\", \"scene\": \"%s\", \"barrier_over_penalty\": %.4g}\n", name,
           spent[1] / spent[0]);
    lil_run_destroy(&penalty);
    lil_run_destroy(&barrier);
}

/* ---- a pile ---- */

enum { BOXES = 8 };

/* Two towers of boxes that are turned against each other, so that no vertices meet. */
static lil_run *pile(lil_context *ctx, int cells, bool contact)
{
    char text[4096] = "bodies:\n";
    size_t at = strlen(text);
    double edge = 0.2 / cells;
    for (int i = 0; i < BOXES; i++)
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "  b%d: {shape: {type: box, size: [0.2, 0.2, 0.2], cells: [%d, %d, %d]}, material: jelly, "
            "damping: 0.005, at: [%g, %g, %g], rotate: [0, 0, %d]}\n",
            i, cells, cells, cells, 0.4 * (i % 2) + 0.003 * i, 0.004 * (i / 2 % 2),
            0.1 + (0.2 + 0.1 * edge) * (i / 2) + 0.1 * edge, 7 * (i / 2));
    snprintf(text + at, sizeof text - at, "%sintegrator: energy-momentum\ntime: {step: 1/240, until: 1000}\n",
             contact ? "obstacles: {floor: {plane: {}}}\ncontact: {method: barrier}\ngravity: 9.81\n"
                     : "contact: {bodies: pass}\n");
    return parse(ctx, "pile", text);
}

static const lil_term *barrier_of(lil_run *run, lil_barrier_work **work)
{
    const lil_evaluator *ev = &lil_run_sim(run)->ev;
    for (int i = 0; i < ev->model->term_count; i++)
        if (lil_term_is_impassable(ev->model->terms[i].table)) {
            *work = ev->work[i];
            return &ev->model->terms[i];
        }
    return NULL;
}

/* s that a search for candidates takes, and an advancement of all of them along the latest velocity */
static void time_calls(lil_run *run, double took[2])
{
    enum { CALLS = 20 };
    lil_barrier_work *w;
    const lil_barriers *d = barrier_of(run, &w)->data;
    const lil_state *state = lil_sim_state(lil_run_sim(run));
    double h = 1. / 240, *way = malloc((size_t)state->n * sizeof *way);
    for (int k = 0; way && k < state->n; k++)
        way[k] = h * state->v[k];
    took[0] = took[1] = 0;
    for (int i = 0; way && i < CALLS; i++) {
        lil_barrier_prepare(d, w, state->t, h, state->q);
        double start = cpu_seconds();
        lil_barrier_longest(d, w, state->t, state->q, way);
        double middle = cpu_seconds();
        lil_barrier_longest(d, w, state->t, state->q, way);
        took[1] += (cpu_seconds() - middle) / CALLS;
        took[0] += (middle - start) / CALLS;
    }
    took[0] -= took[1];
    free(way);
}

static void heap(lil_context *ctx, int cells)
{
    enum { SETTLE = 20, TURNS = 4, STEPS = 3 };
    lil_run *run = pile(ctx, cells, true), *free_run = pile(ctx, cells, false);
    lil_barrier_work *w;
    double spent[2] = { 0 }, took[2], searched = 0, advanced = 0, pairs = 0;
    barrier_of(run, &w);
    advance(ctx, run, SETTLE);
    for (int i = 0; i < TURNS; i++) {
        const lil_state *state = lil_sim_state(lil_run_sim(run));
        if (lil_sim_set_q(lil_run_sim(free_run), state->q) != LIL_OK ||
            lil_sim_set_v(lil_run_sim(free_run), state->v) != LIL_OK)
            stop(ctx);
        advance(ctx, free_run, 1); /* which knows of no step before, and so begins further from its solution */
        spent[0] += advance(ctx, free_run, STEPS);
        double searches = (double)w->searches, advances = (double)w->advances;
        spent[1] += advance(ctx, run, STEPS);
        searched += (double)w->searches - searches;
        advanced += (double)w->advances - advances;
        pairs += (double)(w->near_total + w->plane_total) / TURNS;
    }
    time_calls(run, took);
    double share = (searched * took[0] + advanced * took[1]) / spent[1];
    printf("a pile of %d tets, %.0f pairs within the barrier\n", 6 * BOXES * cells * cells * cells, pairs);
    tell("free", free_run, spent[0], TURNS * STEPS);
    tell("pile", run, spent[1], TURNS * STEPS);
    printf("  pile over free: %.2f (at most 4)\n", spent[1] / spent[0]);
    printf("  broad phase %.2f ms, %.1f a step; CCD %.2f ms, %.1f a step; together %.1f %% of a step (at most 25)\n",
           1e3 * took[0], searched / (TURNS * STEPS), 1e3 * took[1], advanced / (TURNS * STEPS), 100 * share);
    printf("{\"bench\": \"contact\", \"scene\": \"pile\", \"tets\": %d, \"pairs\": %.0f, \"pile_over_free\": %.4g, "
           "\"broad_phase_and_ccd\": %.4g}\n",
           6 * BOXES * cells * cells * cells, pairs, spent[1] / spent[0], share);
    lil_run_destroy(&run);
    lil_run_destroy(&free_run);
}

int main(int argc, char **argv)
{
    int cells = argc > 1 ? atoi(argv[1]) : 13;
    lil_context *ctx = lil_context_create();
    if (!ctx)
        return EXIT_FAILURE;
    lil_context_set_threads(ctx, 1);
    if (argc < 3)
        hop(ctx);
    heap(ctx, cells > 0 ? cells : 13);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
