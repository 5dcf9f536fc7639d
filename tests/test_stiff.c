/*
 * Where float and double run out of digits: bodies far from the origin, stiff ones, and those that are nearly incompressible. Steps are as
 * good there as anywhere, and cost no more than a few times what they must.
 */
#include "solids.h"

#include "discrete/torque.h"
#include "sim/checkpoint.h"

#include <float.h>

static lil_context *ctx;

/* ---- far from the origin ---- */

#define BALL(at)                                                                                                     \
    "bodies:\n  ball:\n    shape: {type: ball, radius: 0.1, cells: 3}\n    material: rubber\n    at: " at "\n"       \
    "    start: {stretch: 1.1, spin: [1, 0.6, 2], push: [0.3, 0.2, -0.1]}\n"

/* Forces see differences of positions alone, so a step is the same wherever it is made, but for the last place of q, which moves forces
 * by less than the solver's tolerance. Stored positions are rounded once a step: J is off by |p| times that, 2e-12 m. */
TEST(far_from_the_origin)
{
    static const char *const integrators[] = { "integrator: midpoint\ntime: {step: 0.002, until: 1}\n",
                                               "integrator: energy-momentum\ntime: {step: 0.002, until: 1}\n" };
    int steps = test_small() ? 5 : 50;
    for (int m = 0; m < 2; m++) {
        char texts[2][1000];
        lil_certificate z[2];
        snprintf(texts[0], sizeof texts[0], "%s%s", BALL("[0, 0, 0]"), integrators[m]);
        snprintf(texts[1], sizeof texts[1], "%s%s", BALL("[10000, -3000, 5000]"), integrators[m]);
        for (int k = 0; k < 2; k++) {
            lil_run *run = problem(ctx, texts[k]);
            advance(ctx, lil_run_sim(run), steps);
            z[k] = lil_sim_certificate(lil_run_sim(run));
            lil_run_destroy(&run);
        }
        printf("        %g and 11 km away %g Newton iterations, %g and %g linear, J kept to %.1e and %.1e\n",
               z[0].newton_iterations, z[1].newton_iterations, z[0].linear_iterations, z[1].linear_iterations,
               z[0].angular_momentum_drift, z[1].angular_momentum_drift);
        CHECK(z[1].halved_steps == z[0].halved_steps);
        CHECK_BELOW(z[1].newton_iterations, 1.1 * z[0].newton_iterations);
        CHECK_BELOW(z[1].gradient_max, 4 * z[0].gradient_max);
        CHECK_BELOW(z[1].angular_momentum_drift, 1e-10);
    }
}

/* ---- angular momentum ---- */

/* A rigid rotation of p takes out h sum v x r, and no net momentum. */
TEST(what_a_residual_does_to_angular_momentum)
{
    enum { N = 7 };
    double q[3 * N], v[3 * N], r[3 * N], p[3 * N] = { 0 }, mass[N], P[3] = { 0 }, J[3] = { 0 }, h = 0.3;
    for (int i = 0; i < 3 * N; i++) {
        q[i] = sin(1 + 3.1 * i);
        v[i] = cos(2.3 * i);
        r[i] = sin(5.7 * i);
        mass[i / 3] = 1 + i / 3;
    }
    lil_torque_remove(N, mass, h, v, r, q, p);
    for (int i = 0; i < N; i++)
        for (int d = 0; d < 3; d++) {
            int e = (d + 1) % 3, f = (d + 2) % 3;
            P[d] += p[3 * i + d];
            J[d] += q[3 * i + e] * p[3 * i + f] - q[3 * i + f] * p[3 * i + e];
            J[d] -= h * (v[3 * i + e] * r[3 * i + f] - v[3 * i + f] * r[3 * i + e]);
        }
    CHECK_BELOW(lil_norm(3, P), 1e-13); /* sums of 28 kg times 1 m, and for J an inertia of condition 10 */
    CHECK_BELOW(lil_norm(3, J), 1e-12);
    memset(p, 0, sizeof p); /* on a line nothing can be turned by the torque along it */
    for (int i = 0; i < 3 * N; i++)
        q[i] = i / 3;
    lil_torque_remove(N, mass, h, v, r, q, p);
    CHECK(lil_norm(3 * N, p) == 0);
}

/* What is left is the torque of forces that should have none: of each tet round-off of mu V, and random. Over `steps` steps of h that is
 * below eps h mu V sqrt(steps). Without taking out what the residual does it is 100 times as much, and more far away. */
TEST(angular_momentum_of_stiff_bodies)
{
    static const char *const at[] = { "[0, 0, 0]", "[1000, 300, -500]" };
    int steps = test_small() ? 10 : 100;
    for (int k = 0; k < 4; k++) {
        char text[1000];
        const double E = k < 2 ? 1e9 : 2e11, mu = E / 2.6, V = 0.04, rho = 4000, h = 0.002;
        snprintf(text, sizeof text,
                 "bodies:\n  bar:\n    shape: {type: bar, size: [1, 0.2, 0.2], cells: [10, 2, 2]}\n    at: %s\n"
                 "    material: {young: %g, poisson: 0.3, density: %g}\n"
                 "    start: {spin: [1, 0.6, 2]}\nintegrator: midpoint\ntime: {step: %g, until: 1}\n",
                 at[k % 2], E, rho, h);
        lil_run *run = problem(ctx, text);
        advance(ctx, lil_run_sim(run), steps);
        lil_certificate z = lil_sim_certificate(lil_run_sim(run));
        double J = rho * V / 12 * 2; /* m l^2/12 omega */
        printf("        E = %g Pa at %s: %.1e, torques %.1e\n", E, at[k % 2], z.angular_momentum_drift,
               DBL_EPSILON * h * mu * V * sqrt(steps) / J);
        CHECK_BELOW(z.angular_momentum_drift, DBL_EPSILON * h * mu * V * sqrt(steps) / J + 1e-13);
        lil_run_destroy(&run);
    }
}

/* ---- stalls ---- */

/* A thin, nearly incompressible beam in steps far longer than its slowest vibration. In float its matrix is not even definite. */
#define BEAM(damping, linear)                                                                                        \
    "bodies:\n  beam:\n    shape: {type: bar, size: [1, 0.05, 0.05], cells: [40, 2, 2]}\n"                           \
    "    material: {young: 1e6, poisson: 0.499, density: 1}\n    fixed: left\n" damping                              \
    "    loads: {select: right, traction: [0, 0, -2.0833333]}\nintegrator: implicit-euler\n"                         \
    "solver: {linear: " linear "}\ntime: {step: 0.5, until: 5}\n"

/* A solve looks for another way after 300 iterations, which it then takes: at most 600, and half as many for each solve of the damping, of
 * which a step has four. The motion is that of direct solves to the solver's tolerance, 1e-12 of forces that are 1e6 times what
 * bends it. */
TEST(a_stall_is_noticed)
{
    static const char *const texts[2][2] = {
        { BEAM("", "auto"), BEAM("", "direct") },
        { BEAM("    damping: 0.01\n", "auto"), BEAM("    damping: 0.01\n", "direct") },
    };
    int steps = test_small() ? 2 : 10;
    for (int c = 0; c < 2; c++) {
        lil_run *run = problem(ctx, texts[c][0]), *direct = problem(ctx, texts[c][1]);
        lil_sim *a = lil_run_sim(run), *b = lil_run_sim(direct);
        advance(ctx, a, steps);
        advance(ctx, b, steps);
        lil_certificate z = lil_sim_certificate(a), y = lil_sim_certificate(b);
        double off = apart(lil_sim_state(a)->n, lil_sim_state(a)->q, lil_sim_state(b)->q);
        printf("        %g Newton, %g linear iterations; direct %g; apart %.1e\n", z.newton_iterations,
               z.linear_iterations, y.newton_iterations, off);
        CHECK(z.halved_steps == 0);
        CHECK_BELOW(z.linear_iterations, (c ? 1200 : 600) * steps);
        CHECK_BELOW(off, 1e-6);
        lil_run_destroy(&run);
        lil_run_destroy(&direct);
    }
}

/* Each solve decides by itself: nothing of that need be in a checkpoint. */
TEST(bits_of_an_interrupted_run)
{
    lil_run *whole = problem(ctx, BEAM("    damping: 0.01\n", "auto")),
            *resumed = problem(ctx, BEAM("    damping: 0.01\n", "auto"));
    lil_sim *a = lil_run_sim(whole), *b = lil_run_sim(resumed);
    double *words = malloc((size_t)lil_sim_words(a) * sizeof *words);
    advance(ctx, a, 2);
    lil_sim_save(a, words);
    CHECK(lil_sim_load(b, words));
    advance(ctx, a, 2);
    advance(ctx, b, 2);
    CHECK(memcmp(lil_sim_state(a)->q, lil_sim_state(b)->q, 3 * (size_t)lil_sim_state(a)->n * sizeof(double)) == 0);
    CHECK(lil_sim_certificate(a).linear_iterations == lil_sim_certificate(b).linear_iterations);
    free(words);
    lil_run_destroy(&whole);
    lil_run_destroy(&resumed);
}

int main(void)
{
    ctx = lil_context_create();
    lil_context_set_threads(ctx, 1);
    RUN(far_from_the_origin);
    RUN(what_a_residual_does_to_angular_momentum);
    RUN(angular_momentum_of_stiff_bodies);
    RUN(a_stall_is_noticed);
    RUN(bits_of_an_interrupted_run);
    lil_context_destroy(&ctx);
    return test_end();
}
