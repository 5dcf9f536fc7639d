/*
 * A head of hair in the wind (scenes/hair.yaml): how a step's cost grows with the number of strands and of their nodes, on one
 * thread and on two, with energy-momentum and, at 30 nodes, midpoint. (Midpoint steps of 60 nodes are longer than tension
 * allows, so each is divided: docs/constraints.md.) What grows is the processor's time, which other programs lengthen less
 * than they do the clock's. All sizes take turns, and the least of each counts. Two threads are compared by the clock: on a
 * machine that has something else to do that says nothing.
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

static lil_run *make(lil_context *ctx, const char *method, int strands, int nodes)
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
        "integrator: %s\n"
        "time: {step: 1/240, until: 10}\n"
        "solver: {tolerance: 1.0e-4}\n",
        strands, nodes, 1.2e-6 * 29 / (nodes - 1), method);
    if (lil_scene_parse(ctx, "hair", text, strlen(text), &scene) != LIL_OK ||
        lil_run_create(ctx, scene, &def, &run) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    lil_scene_destroy(&scene);
    return run;
}

enum { STRETCHES = 6 };

typedef struct subject {
    const char *method;
    int strands, nodes, threads;
    lil_context *ctx;
    lil_run *run;
    double least, least_cpu; /* s a step, by the clock and of the processor */
} subject;

/* Some steps more. */
static void time_steps(subject *s, int steps)
{
    lil_sim *sim = lil_run_sim(s->run);
    double begun = seconds(CLOCK_MONOTONIC), begun_cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < steps; i++)
        if (lil_sim_step(sim) != LIL_OK) {
            printf("%s\n", lil_context_message(s->ctx));
            exit(EXIT_FAILURE);
        }
    double took = (seconds(CLOCK_MONOTONIC) - begun) / steps,
           took_cpu = (seconds(CLOCK_PROCESS_CPUTIME_ID) - begun_cpu) / steps;
    s->least = took < s->least ? took : s->least;
    s->least_cpu = took_cpu < s->least_cpu ? took_cpu : s->least_cpu;
}

static void print_subject(const subject *s, int steps)
{
    lil_certificate c = lil_sim_certificate(lil_run_sim(s->run));
    printf("%-15s %5d strands x %3d nodes, %d thread%s: %8.3f ms a step, %8.3f of the processor, %5.0f ns a node; "
           "%4.1f iterations a step, %.0f halved, |g| %.1e m\n",
           s->method, s->strands, s->nodes, s->threads, s->threads > 1 ? "s" : " ", 1e3 * s->least,
           1e3 * s->least_cpu, 1e9 * s->least_cpu / (s->strands * s->nodes),
           c.newton_iterations / (STRETCHES * steps), c.halved_steps, c.constraint_max);
}

int main(int argc, char **argv)
{
    static const char em[] = "energy-momentum", midpoint[] = "midpoint";
    subject list[] = {
        { em, 75, 30, 1, NULL, NULL, 1e300, 1e300 },       { em, 300, 30, 1, NULL, NULL, 1e300, 1e300 },
        { em, 1200, 30, 1, NULL, NULL, 1e300, 1e300 },     { em, 300, 15, 1, NULL, NULL, 1e300, 1e300 },
        { em, 300, 60, 1, NULL, NULL, 1e300, 1e300 },      { em, 300, 30, 2, NULL, NULL, 1e300, 1e300 },
        { midpoint, 300, 30, 1, NULL, NULL, 1e300, 1e300 }
    };
    enum { COUNT = sizeof list / sizeof list[0] };
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    for (int i = 0; i < COUNT; i++) {
        list[i].ctx = lil_context_create();
        lil_context_set_threads(list[i].ctx, list[i].threads);
        list[i].run = make(list[i].ctx, list[i].method, list[i].strands, list[i].nodes);
    }
    for (int k = 0; k < STRETCHES; k++)
        for (int i = 0; i < COUNT; i++)
            time_steps(&list[i], steps);
    for (int i = 0; i < COUNT; i++)
        print_subject(&list[i], steps);
    printf("four times the strands cost %.2f and %.2f times as much, twice the nodes %.2f and %.2f; two threads are "
           "%.2f "
           "times as fast\n",
           list[1].least_cpu / list[0].least_cpu, list[2].least_cpu / list[1].least_cpu,
           list[1].least_cpu / list[3].least_cpu, list[4].least_cpu / list[1].least_cpu,
           list[1].least / list[5].least);
    for (int i = 0; i < COUNT; i++) {
        lil_run_destroy(&list[i].run);
        lil_context_destroy(&list[i].ctx);
    }
    return 0;
}
