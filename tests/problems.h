/* Problems that several tests step: text scenes, their models, and sims started anywhere. */
#ifndef LIL_TEST_PROBLEMS_H
#define LIL_TEST_PROBLEMS_H

#include "test.h"

#define PENDULUM                                                                                                     \
    "lagrangian: 1/2*m*l^2*dtheta^2 + m*g*l*cos(theta)\n"                                                            \
    "parameters: {m: 1, l: 1, g: 9.81}\n"                                                                            \
    "start: {theta: 1, dtheta: 0.5}\n"                                                                               \
    "time: {step: 0.01, until: 1}\n"

#define KEPLER                                                                                                       \
    "lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\n"                                                            \
    "start: {x: 0.8, y: 0.3, dx: -0.2, dy: 1.1}\n"                                                                   \
    "time: {step: 0.01, until: 1}\n"

/* general Lagrangians: the mass depends on where it is */
#define DOUBLE_PENDULUM                                                                                              \
    "lagrangian: da^2 + 1/2*db^2 + da*db*cos(a - b) + 9.81*(2*cos(a) + cos(b))\n"                                    \
    "start: {a: 1, b: 0.7, da: 0.5, db: -0.3}\n"                                                                     \
    "time: {step: 0.01, until: 1}\n"

#define POLAR_KEPLER                                                                                                 \
    "lagrangian: 1/2*(dr^2 + r^2*dphi^2) + 1/r\n"                                                                    \
    "start: {r: 0.9, phi: 0.3, dr: 0.1, dphi: 1.2}\n"                                                                \
    "time: {step: 0.01, until: 1}\n"

#define OSCILLATOR                                                                                                   \
    "lagrangian: 1/2*dx^2 - 50*x^2\n"                                                                                \
    "force: {x: -0.2*dx}\n"                                                                                          \
    "start: {x: 1}\n"                                                                                                \
    "time: {step: 0.01, until: 1}\n"

/* A scene parsed and built; ends the program where that fails, for a test cannot go on without its problem. */
static inline lil_run *problem(lil_context *ctx, const char *text)
{
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    if (lil_scene_parse(ctx, "problem", text, strlen(text), &scene) != LIL_OK ||
        lil_run_create(ctx, scene, &def, &run) != LIL_OK) {
        printf("problem: %s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    lil_scene_destroy(&scene);
    return run;
}

/* A sim of the problem's model from its own start, or from q and v. */
static inline lil_sim *start(lil_context *ctx, lil_run *run, const char *integrator, const char *options, double h,
                             const double *q, const double *v)
{
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.integrator = integrator;
    def.options = options;
    def.step = h;
    def.q = q ? q : x->q;
    def.v = q ? v : x->v;
    def.solver.tolerance = 1e-15; /* as far as round-off lets it go: the tests ask for the method, not the solver */
    if (lil_sim_create(ctx, lil_run_model(run), &def, &sim) != LIL_OK) {
        printf("%s %s: %s\n", integrator, options ? options : "", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return sim;
}

static inline bool advance(lil_context *ctx, lil_sim *sim, long steps)
{
    for (long k = 0; k < steps; k++)
        if (lil_sim_step(sim) != LIL_OK) {
            test_failures++;
            printf("%s: %s\n", test_name, lil_context_message(ctx));
            return false;
        }
    return true;
}

#endif
