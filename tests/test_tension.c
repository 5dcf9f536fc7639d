/* Ropes of rigid links under tension: energy-momentum holds at any step, other steps know how long they may be (docs/theory.md). */
#include "problems.h"
#include "warned.h"

#include "sim/checkpoint.h"
#include "sim/sim.h"

static lil_context *ctx;

/*
 * A rope of 101 masses at rest, T = 10 m g and more: 4 T / (m l) h^2 is above 4 from h = 0.01 on, where tension that acts along G of where
 * the step begins throws it off. In the equations it is stable at any step.
 */
#define ROPE                                                                                                         \
    "particles: {rope: {type: rope, to: [2, 0, 0], length: 2.5, count: 101, mass: 0.02, fixed: [first, last]}}\n"    \
    "gravity: 9.81\n"

TEST(a_rope_hangs_still)
{
    const double steps[] = { 0.02, 0.1, 1 };
    for (int i = 0; i < 3; i++) {
        char text[512];
        double before[3 * 101], most = 0;
        snprintf(text, sizeof text, ROPE "integrator: energy-momentum\ntime: {step: %g, until: 1000}\n", steps[i]);
        lil_run *run = problem(ctx, text);
        const lil_state *s = lil_sim_state(lil_run_sim(run));
        memcpy(before, s->q, (size_t)s->n * sizeof *before);
        CHECK(lil_run_advance(run, 100) == LIL_OK);
        for (int k = 0; k < s->n; k++)
            most = fmax(most, fabs(s->q[k] - before[k]));
        CHECK_BELOW(most,
                    1e-8); /* how well its shape at rest was solved for, 1e-10, and what that falls in so long */
        CHECK_BELOW(fabs(lil_sim_certificate(lil_run_sim(run)).energy_final -
                         lil_sim_certificate(lil_run_sim(run)).energy_initial),
                    1e-12);
        CHECK(lil_sim_certificate(lil_run_sim(run)).halved_steps == 0);
        lil_run_destroy(&run);
    }
}

/* One end let go: it falls and swings, T = 20 m g and more at the held end, h omega = 3. What is left of 200 steps' equations. */
TEST(a_rope_falls_without_losing_energy)
{
    lil_run *run = problem(
        ctx, "particles: {rope: {type: rope, to: [2, 0, 0], length: 2.5, count: 101, mass: 0.02, fixed: first}}\n"
             "gravity: 9.81\nintegrator: energy-momentum\ntime: {step: 0.005, until: 1000}\n");
    lil_sim *sim = lil_run_sim(run);
    MUST(lil_run_advance(run, 200));
    lil_certificate c = lil_sim_certificate(sim);
    CHECK(lil_sim_state(sim)->q[lil_sim_state(sim)->n - 1] < -1); /* it did */
    CHECK_BELOW(c.energy_max - c.energy_min, 1e-9 * 10);          /* some 10 J go to and fro */
    CHECK_BELOW(c.constraint_max, 8 * 2.3e-16 * 6 * 3);
    CHECK(c.halved_steps == 0);
    lil_run_destroy(&run);
}

/*
 * Other steps have the limit of a string of masses m, l apart, under tension T: h omega < 2 with omega^2 = 4 T / (m l), of which a rope with
 * ends that hold it has nearly all. It is known before the first step, and steps are divided.
 */
TEST(tension_is_known_in_time)
{
    const char *const methods[] = { "midpoint", "stormer-verlet", "composition" };
    for (int m = 0; m < 3; m++)
        for (int long_ = 0; long_ < 2; long_++) {
            char text[512];
            double before[3 * 101], most = 0, largest = 0, named = 0, zero[3 * 101];
            snprintf(text, sizeof text, ROPE "integrator: %s\ntime: {step: %g, until: 1000}\n", methods[m],
                     long_ ? 0.02 : 0.005);
            lil_run *run = problem(ctx, text);
            lil_sim *sim = lil_run_sim(run);
            const lil_state *s = lil_sim_state(sim);
            MUST(lil_stepper_force(&sim->stepper, s->t, s->q, s->v, zero));
            MUST(lil_constrained_force(&sim->constrained, 0, s->t, s->q, s->v, zero));
            for (int k = 0; k < sim->constrained.G.m; k++)
                largest = fmax(largest, -sim->constrained.lambda[k]);
            memcpy(before, s->q, (size_t)s->n * sizeof *before);
            warned[0] = 0;
            lil_context_set_log(ctx, catch_warning, NULL);
            CHECK(lil_run_advance(run, 1) == LIL_OK);
            CHECK((strstr(warned, "tension in 'rope'") && strstr(warned, "energy-momentum")) == long_);
            const char *at = strstr(warned, "limits stable steps of ");
            double limit = (m == 2 ? 2.5 : 2) / sqrt(4 * largest / (0.02 * 2.5 / 100));
            if (long_ && at && sscanf(at, "limits stable steps of %*s to %lf", &named) == 1)
                CHECK(named > 0.97 * limit &&
                      named < 1.03 * limit); /* three digits, and links next to each other are not alike */
            warned[0] = 0;
            CHECK(lil_run_advance(run, 199) == LIL_OK);
            CHECK(!strstr(warned, "tension")); /* once is enough */
            for (int k = 0; k < s->n; k++)
                most = fmax(most, fabs(s->q[k] - before[k]));
            CHECK_BELOW(most, 1e-8);
            CHECK(lil_sim_certificate(sim).halved_steps == (long_ ? 200 : 0));
            lil_context_set_log(ctx, NULL, NULL);
            lil_run_destroy(&run);
        }
}

/* 6 % beyond the limit a disturbance doubles and more with each step: dividing must not stop where the step is nearly right. */
TEST(a_step_that_is_hardly_too_long)
{
    lil_run *run = problem(ctx, ROPE "integrator: midpoint\ntime: {step: 0.007, until: 700}\n");
    lil_sim *sim = lil_run_sim(run);
    warned[0] = 0;
    lil_context_set_log(ctx, catch_warning, NULL);
    double z = lil_sim_state(sim)->q[2];
    MUST(lil_run_advance(run, 200));
    CHECK_NEAR(lil_sim_state(sim)->q[2], z, 1e-8);
    CHECK(lil_sim_certificate(sim).halved_steps == 200 && strstr(warned, "tension in 'rope'"));
    lil_context_set_log(ctx, NULL, NULL);
    lil_run_destroy(&run);
}

/* A rope that falls, its steps divided as its tension wants it, stopped and resumed halfway. */
TEST(a_resumed_rope_has_the_same_bits)
{
    const char *const methods[] = { "midpoint", "energy-momentum" };
    for (int m = 0; m < 2; m++) {
        char text[512];
        snprintf(text, sizeof text,
                 "particles: {rope: {type: rope, to: [2, 0, 0], length: 2.5, count: 41, mass: 0.02, fixed: first}}\n"
                 "gravity: 9.81\nintegrator: %s\ntime: {step: 0.02, until: 1000}\n",
                 methods[m]);
        lil_run *runs[2] = { problem(ctx, text), problem(ctx, text) };
        lil_sim *whole = lil_run_sim(runs[0]), *resumed = lil_run_sim(runs[1]);
        MUST(lil_run_advance(runs[0], 20));
        double *words = calloc((size_t)lil_sim_words(whole), sizeof *words);
        lil_sim_save(whole, words);
        CHECK(lil_sim_load(resumed, words));
        MUST(lil_run_advance(runs[0], 20));
        MUST(lil_run_advance(runs[1], 20));
        size_t bytes = (size_t)lil_sim_state(whole)->n * sizeof(double);
        CHECK(memcmp(lil_sim_state(whole)->q, lil_sim_state(resumed)->q, bytes) == 0);
        CHECK(memcmp(lil_sim_state(whole)->p, lil_sim_state(resumed)->p, bytes) == 0);
        CHECK(m == 1 || lil_sim_certificate(whole).halved_steps > 20);
        free(words);
        lil_run_destroy(&runs[0]);
        lil_run_destroy(&runs[1]);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(a_rope_hangs_still);
    RUN(a_rope_falls_without_losing_energy);
    RUN(tension_is_known_in_time);
    RUN(a_step_that_is_hardly_too_long);
    RUN(a_resumed_rope_has_the_same_bits);
    lil_context_destroy(&ctx);
    return test_end();
}
