/*
 * What a text Lagrangian costs: the pendulum with Stormer-Verlet, stepped by Lilyan from its text and by the C loop
 * that one would write by hand, both with the energy at every step. Interleaved repeats in one run, minima.
 */
#define _POSIX_C_SOURCE 200809L
#include <lilyan/lilyan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 1000000, REPEATS = 7 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* by hand: one sine and one cosine a step */
static double by_hand(double *q_out, double *band)
{
    const double h = 0.01, m = 1, l = 1, g = 9.81, theta0 = 2;
    double q = theta0, p = 0, grad = m * g * l * sin(q), least = INFINITY, most = -INFINITY;
    double start = seconds();
    for (long k = 0; k < STEPS; k++) {
        p -= h / 2 * grad;
        q += h * p / (m * l * l);
        grad = m * g * l * sin(q);
        p -= h / 2 * grad;
        double E = p * p / (2 * m * l * l) - m * g * l * cos(q);
        least = fmin(least, E);
        most = fmax(most, E);
    }
    *q_out = q;
    *band = most - least;
    return seconds() - start;
}

static double from_text(lil_context *ctx, double *q_out, double *band)
{
    static const char text[] = "lagrangian: 1/2*m*l^2*dtheta^2 + m*g*l*cos(theta)\n"
                               "parameters: {m: 1, l: 1, g: 9.81}\nstart: {theta: 2}\n"
                               "integrator: stormer-verlet\ntime: {step: 0.01, until: 10000}\n";
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    if (lil_scene_parse(ctx, "bench", text, strlen(text), &scene) != LIL_OK ||
        lil_run_create(ctx, scene, &def, &run) != LIL_OK) {
        fprintf(stderr, "bench_text: %s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    double start = seconds();
    if (lil_run_advance(run, STEPS) != LIL_OK)
        fprintf(stderr, "bench_text: %s\n", lil_context_message(ctx));
    double spent = seconds() - start;
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    *q_out = lil_sim_state(lil_run_sim(run))->q[0];
    *band = c.energy_max - c.energy_min;
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
    return spent;
}

int main(void)
{
    lil_context *ctx = lil_context_create();
    double hand = INFINITY, text = INFINITY, q[2] = { 0, 0 }, band[2] = { 0, 0 };
    for (int i = 0; i < REPEATS; i++) {
        hand = fmin(hand, by_hand(&q[0], &band[0]));
        text = fmin(text, from_text(ctx, &q[1], &band[1]));
    }
    printf("pendulum, Stormer-Verlet, %d steps, energy at every step, minimum of %d repeats\n", STEPS, REPEATS);
    printf("  by hand    %7.1f ns a step   (theta = %.12f)\n", 1e9 * hand / STEPS, q[0]);
    printf("  from text  %7.1f ns a step   (theta = %.12f)\n", 1e9 * text / STEPS, q[1]);
    printf("  ratio      %7.2f             (the bar is 10)\n", text / hand);
    printf("{\"bench\": \"text\", \"hand_ns\": %.17g, \"text_ns\": %.17g, \"ratio\": %.17g}\n", 1e9 * hand / STEPS,
           1e9 * text / STEPS, text / hand);
    lil_context_destroy(&ctx);
    return EXIT_SUCCESS;
}
