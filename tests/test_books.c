/* The energy books: the work of what drives a motion, what is certified where work is done, and what is watched of systems that are
 * text or callbacks. */
#include "problems.h"

static lil_context *ctx;

/* ---- L that depends on t ---- */

#define DUFFING                                                                                                      \
    "lagrangian: 1/2*dx^2 + 1/2*x^2 - 1/4*x^4 + 0.3*x*cos(t)\n"                                                      \
    "force: {x: -0.25*dx}\nstart: {x: 1, dx: 0}\ntime: {step: 0.01, until: 1}\n"

#define DRIVEN "lagrangian: 1/2*dx^2 - 1/2*x^2 + 0.3*x*cos(2*t)\nstart: {x: 1, dx: 0}\ntime: {step: 0.01, until: 1}\n"

/* the mass depends on t and on where it is, and L has a part that is linear in v */
#define SWELLING                                                                                                     \
    "lagrangian: 1/2*(1 + 0.3*sin(t))*(1 + 0.2*x^2)*dx^2 - 1/2*x^2 + 0.3*dx*cos(2*t)\n"                              \
    "start: {x: 1, dx: 0}\ntime: {step: 0.01, until: 1}\n"

/* initial energy + work in - dissipated - final energy */
static double gap(const lil_certificate *c)
{
    return c->energy_initial + c->external_work - c->energy_dissipated - c->energy_final;
}

static double gap_after(lil_run *run, const char *method, const char *options, double h)
{
    lil_sim *sim = start(ctx, run, method, options, h, NULL, NULL);
    advance(ctx, sim, lround(10 / h));
    lil_certificate c = lil_sim_certificate(sim);
    lil_sim_destroy(&sim);
    CHECK(fabs(c.external_work) > 0.2); /* or it was no test */
    return gap(&c);
}

/*
 * With p_t' = dL/dt the driven motion is that of E + p_t, which does not depend on t, and its energy is kept as well as that of any
 * motion: the gap is of the method's order. 1e-9 is then where the method's own error is: at steps of 1e-4 s of order 2, of 0.0125 s of
 * order 4, of 0.05 s of order 6; energy-momentum closes the books at any step.
 */
TEST(a_driven_motion_closes_its_books)
{
    static const struct {
        const char *method, *options;
        double order, h; /* h: where the gap is below 1e-9 */
        bool general;    /* takes any L */
    } methods[] = {
        { "midpoint", NULL, 2, 1e-4, true },          { "stormer-verlet", NULL, 2, 1e-4, true },
        { "gauss", "stages=2", 4, 0.0125, true },     { "gauss", "stages=3", 6, 0.05, true },
        { "lobatto", NULL, 4, 0.0125, true },         { "composition", "order=4", 4, 0.0125, true },
        { "composition", "order=6", 6, 0.025, true }, { "newmark", NULL, 2, 1e-4, false },
        { "symplectic-euler", NULL, 1, 0, true },     { "implicit-euler", NULL, 1, 0, true },
        { "explicit-euler", NULL, 1, 0, true },
    };
    static const char *const texts[] = { DUFFING, DRIVEN, SWELLING };
    for (int k = 0; k < 3; k++) {
        lil_run *run = problem(ctx, texts[k]);
        for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
            if ((!methods[i].general && k == 2) || (strcmp(methods[i].method, "composition") == 0 && k == 0))
                continue; /* compositions take no forces */
            const char *name = methods[i].method, *options = methods[i].options;
            double h = methods[i].order > 4 ? 0.2 : 0.1;
            double coarse = gap_after(run, name, options, h), fine = gap_after(run, name, options, h / 2);
            double order = log2(fabs(coarse / fine));
            double exact = methods[i].h > 0 && !test_small() ? gap_after(run, name, options, methods[i].h) : 0;
            printf("        %d %-16s %-9s order %.2f, %.1e at %g\n", k, name, options ? options : "", order, exact,
                   methods[i].h);
            /* or more: the end is one moment of an error that oscillates */
            CHECK(order > methods[i].order - 0.5);
            CHECK_BELOW(fabs(exact), 1e-9);
        }
        for (int i = 0; i < 2 && k < 2; i++) /* a hundred round-offs of energies of 1 */
            CHECK_NEAR(gap_after(run, "energy-momentum", NULL, i ? 0.2 : 0.01), 0, 1e-13);
        CHECK_BELOW(fabs(gap_after(run, "rk4", NULL, 0.01)), 1e-9);
        lil_run_destroy(&run);
    }
}

TEST(steps_that_vary_close_them_too)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "lagrangian: 1/2*dx^2 - 1/2*x^2 + 0.3*x*cos(2*t)\nstart: {x: 1, dx: 0}\nintegrator: stormer-verlet\n"
                 "time: {step: %g, until: 20, adaptive: {control: reversible, monitor: 2 + x}}\n",
                 i ? 0.005 : 0.01);
        lil_run *run = problem(ctx, text);
        while (lil_sim_state(lil_run_sim(run))->t < 10)
            MUST(lil_run_advance(run, 1));
        lil_certificate c = lil_sim_certificate(lil_run_sim(run));
        CHECK(fabs(c.external_work) > 0.2); /* or it was no test */
        error[i] = fabs(gap(&c));
        lil_run_destroy(&run);
    }
    CHECK_BELOW(error[0], 1e-4);
    CHECK_BELOW(error[1], 0.35 * error[0]); /* of order 2 */
}

static bool spring_calls(void *user, double t, const double *q, double *W, double *g)
{
    double a = *(const double *)user;
    *W = q[0] * q[0] / 2 - a * q[0] * cos(2 * t);
    if (g)
        g[0] = q[0] - a * cos(2 * t);
    return true;
}

static bool spring_rate(void *user, double t, const double *q, double *rate)
{
    *rate = 2 * *(const double *)user * q[0] * sin(2 * t);
    return true;
}

static bool general_calls(void *user, double t, const double *q, const double *v, double *L, double *Lq, double *Lv)
{
    double W, g;
    spring_calls(user, t, q, &W, &g);
    *L = v[0] * v[0] / 2 - W;
    if (Lq)
        Lq[0] = -g;
    if (Lv)
        Lv[0] = v[0];
    return true;
}

static bool general_rate(void *user, double t, const double *q, const double *v, double *rate)
{
    (void)v;
    spring_rate(user, t, q, rate);
    *rate = -*rate;
    return true;
}

/* The same L from C: with its derivative by t the work is that of the text, without it is differenced to order 4 of h/16. */
TEST(callbacks_close_them_too)
{
    static const char *const methods[] = { "midpoint", "stormer-verlet", "gauss", "rk4" };
    double mass = 1, q = 1, a = 0.3, none = 0;
    lil_run *text = problem(ctx, DRIVEN);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 6; k++) {
            lil_separable_def s = { .n = 1,
                                    .mass = &mass,
                                    .potential = spring_calls,
                                    .user = k < 4 ? &a : &none,
                                    .rate = k % 2 ? spring_rate : NULL };
            lil_lagrangian_def g = {
                .n = 1, .lagrangian = general_calls, .user = k < 4 ? &a : &none, .rate = k % 2 ? general_rate : NULL
            };
            lil_model *model;
            lil_sim *sim, *same = start(ctx, text, methods[i], NULL, 0.02, NULL, NULL);
            MUST(k / 2 == 1 ? lil_model_create_lagrangian(ctx, &g, &model)
                            : lil_model_create_separable(ctx, &s, &model));
            lil_sim_def def = lil_sim_def_default();
            def.integrator = methods[i];
            def.step = 0.02;
            def.q = &q;
            MUST(lil_sim_create(ctx, model, &def, &sim));
            advance(ctx, sim, 500);
            advance(ctx, same, 500);
            lil_certificate c = lil_sim_certificate(sim), z = lil_sim_certificate(same);
            CHECK(fabs(z.external_work) > 0.2);
            if (k < 4)
                CHECK_NEAR(c.external_work, z.external_work, 1e-9);
            else /* it does not depend on t: nothing is driven, and the energy is certified as kept */
                CHECK(c.external_work == 0 && c.energy_band >= 0 && c.relative_energy_error >= 0);
            lil_sim_destroy(&sim);
            lil_sim_destroy(&same);
            lil_model_destroy(&model);
        }
    lil_run_destroy(&text);
}

/* ---- what is certified ---- */

static lil_certificate certified(const char *text, long steps)
{
    lil_run *run = problem(ctx, text);
    if (lil_run_advance(run, steps) != LIL_OK) {
        test_failures++;
        printf("%s: %s\n", test_name, lil_context_message(ctx));
    }
    lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    lil_run_destroy(&run);
    return c;
}

/* Where work is done the width of the energies is not a conservation error, and is not printed as one. */
TEST(driven_energy_is_not_certified_as_kept)
{
    lil_certificate c = certified(DRIVEN, 100);
    CHECK(isnan(c.energy_band) && isnan(c.energy_drift) && isnan(c.relative_energy_error));
    CHECK(c.external_work != 0 && c.energy_dissipated == 0);
    c = certified(DUFFING, 100);
    CHECK(isnan(c.energy_band) && c.energy_dissipated > 0);
    /* a part of L that depends on t alone changes the energy too: by -sin(t) */
    c = certified("lagrangian: 1/2*dx^2 + sin(t)\nstart: {x: 1}\ntime: {step: 0.01, until: 1}\n", 100);
    CHECK_NEAR(c.external_work, -sin(1), 1e-5);
    CHECK_NEAR(gap(&c), 0, 1e-5);
    /* what jumps in t does work in no time, which dL/dt does not know: no number rather than a wrong one */
    c = certified(
        "lagrangian: 1/2*dx^2 - 1/2*x^2 + 0.3*x*sign(t - 0.5)\nstart: {x: 1}\ntime: {step: 0.01, until: 1}\n", 100);
    CHECK(isnan(c.external_work) && isnan(c.energy_band));
    /* nothing is driven: all as before */
    c = certified(PENDULUM, 100);
    CHECK(isnan(c.external_work) && c.energy_band > 0 && isfinite(c.energy_drift));
}

TEST(relative_energy_error)
{
    lil_certificate c = certified(PENDULUM, 100);
    CHECK(c.relative_energy_error ==
          fmax(c.energy_max - c.energy_initial, c.energy_initial - c.energy_min) / fabs(c.energy_initial));
    /* a parabola: its energy is 0 to round-off */
    c = certified("lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\nstart: {x: 0.7, y: 0, dy: sqrt(2/0.7)}\n"
                  "time: {step: 0.01, until: 1}\n",
                  100);
    CHECK_BELOW(fabs(c.energy_initial), 1e-15);
    CHECK(isnan(c.relative_energy_error) && c.energy_band > 0);
    c = certified(OSCILLATOR, 100); /* damped */
    CHECK(isnan(c.relative_energy_error));
    /* a body at the origin under a load: the potential's terms cancel, and what is left of them is round-off */
    c = certified("bodies: {b: {shape: {type: box, cells: [2, 2, 2]}, material: jelly, fixed: left, "
                  "loads: {select: top, traction: [10, 0, 0]}}}\ntime: {step: 0.01, until: 1}\n",
                  10);
    CHECK(isnan(c.relative_energy_error));
}

/* ---- what is watched of text ---- */

static int warnings;
static char warned[1024];

static void count_warning(void *user, const char *sentence)
{
    (void)user;
    snprintf(warned, sizeof warned, "%s", sentence);
    warnings += strstr(sentence, "energy balance is violated") || strstr(sentence, "constraints");
}

/* Runs the text; says how many warnings there were, and how it ended. */
static int warnings_of(const char *text, long steps, lil_status *status)
{
    lil_run *run = problem(ctx, text);
    warnings = 0;
    lil_context_set_log(ctx, count_warning, NULL);
    *status = lil_run_advance(run, steps);
    lil_context_set_log(ctx, NULL, NULL);
    lil_run_destroy(&run);
    return warnings;
}

#define COMET "lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\nstart: {x: 1.98, y: 0, dy: sqrt(0.02/1.98/1.0)}\n"

/*
 * A comet of eccentricity 0.98 passes the sun within 0.02, in 0.003 s. Steps of 0.01 s do not see that: it comes back with another
 * energy. Steps of 1e-4 s do.
 */
TEST(energy_that_changes_in_close_passes_is_told)
{
    lil_status status;
    CHECK(warnings_of(COMET "integrator: stormer-verlet\ntime: {step: 0.01, until: 100}\n", 6000, &status) == 1);
    CHECK(status == LIL_OK && strstr(warned, "energy balance is violated") && strstr(warned, "the step is too long"));
    CHECK(warnings_of(COMET "integrator: stormer-verlet\ntime: {step: 1e-4, until: 100}\n",
                      test_small() ? 60000 : 300000, &status) == 0);
}

/* Energies that oscillate and come back, that go where the books say, or that a control loses or gains by design are not told. */
TEST(healthy_text_is_not_warned_of)
{
    static const struct {
        const char *text;
        long steps;
    } cases[] = {
#define OSCILLATES "lagrangian: 1/2*dy^2 - 1/2*y^2\nstart: {y: 0, dy: 1}\nintegrator: symplectic-euler\n"
        { OSCILLATES "time: {step: 0.05, until: 1000}\n", 20000 },
        { OSCILLATES "time: {step: 0.2, until: 4000}\n", 20000 },
        { OSCILLATES "time: {step: 1, until: 20000}\n", 20000 },
        { OSCILLATES "time: {step: 1.9, until: 38000}\n", 20000 }, /* the energy changes by a factor of 39 */
        { PENDULUM "integrator: explicit-euler\n", 10000 },
        { PENDULUM "integrator: implicit-euler\n", 10000 },
        { PENDULUM "integrator: rk4\n", 10000 },
        { PENDULUM "force: {theta: -0.1*dtheta}\n", 200000 }, /* long after it has come to rest */
        { PENDULUM "force: {theta: -50*dtheta}\n", 10000 },
        { DUFFING, 100000 },
        { DRIVEN, 100000 },
        { SWELLING, 100000 },
        { KEPLER "integrator: symplectic-euler\n", 100000 },
        { "lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\nstart: {x: 0.1, y: 0, dy: sqrt(19)}\n"
          "integrator: stormer-verlet\ntime: {step: 2*pi/1000, until: 2000*pi}\n",
          100000 }, /* e = 0.9: 10 % off and back at each pass */
        { "lagrangian: 1/2*dx^2 + 1/2*x^2\nstart: {x: 1e-3}\ntime: {step: 0.01, until: 100}\n",
          3000 }, /* falls off */
        { "lagrangian: 1/2*dx^2 - 1e9*cos(1e-7*x)\nstart: {x: 1}\ntime: {step: 0.1, until: 1000}\n", 10000 },
        { "lagrangian: dx*dy - x*y + 0.1*(x*dy - y*dx)\nstart: {x: 1, y: 1}\ntime: {step: 0.05, until: 100}\n",
          2000 }, /* Bateman's: T is indefinite */
        { "lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 0}\ntime: {step: 0.1, until: 100}\n", 1000 }, /* at rest */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lil_status status;
        CHECK(warnings_of(cases[i].text, test_small() ? cases[i].steps / 10 : cases[i].steps, &status) == 0);
        CHECK(status == LIL_OK);
        if (warnings || status != LIL_OK)
            printf("        %zu: %s\n", i, warnings ? warned : lil_context_message(ctx));
    }
}

/* Who sets velocities puts energy in: it does not come from nowhere. */
TEST(energy_that_is_given_is_not_from_nowhere)
{
    lil_run *run = problem(ctx, PENDULUM);
    lil_sim *sim = lil_run_sim(run);
    warnings = 0;
    lil_context_set_log(ctx, count_warning, NULL);
    for (int k = 0; k < 40; k++) {
        double v = lil_sim_state(sim)->v[0] + 2;
        MUST(lil_run_advance(run, 50));
        MUST(lil_sim_set_v(sim, &v));
    }
    lil_context_set_log(ctx, NULL, NULL);
    CHECK(lil_sim_energy(sim) > 100 && warnings == 0);
    lil_run_destroy(&run);
}

/* A motion that has blown up does not run on to 1e308. */
TEST(a_blow_up_ends_the_run)
{
    lil_status status;
    /* h omega = 2.2: the energy grows by 5.9 a step */
    lil_run *run = problem(ctx, "lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 1}\nintegrator: stormer-verlet\n"
                                "time: {step: 2.2, until: 2200}\n");
    lil_context_set_log(ctx, count_warning, NULL);
    status = lil_run_advance(run, 1000);
    CHECK(status == LIL_ERR_CONVERGENCE && strstr(lil_context_message(ctx), "the motion has blown up"));
    CHECK(lil_sim_energy(lil_run_sim(run)) < 1e17); /* its own 0.5, of which no digit is left, over eps */
    lil_run_destroy(&run);
    lil_context_set_log(ctx, NULL, NULL);

#define BEAD                                                                                                         \
    "parameters: {m: 0.7, g: 9.81, r: 1.5}\nlagrangian: m/2*(dx^2 + dz^2) - m*g*z\nstart: {x: r, z: 0}\n"            \
    "constraints: {wire: (x^2 + z^2 - r^2)/(2*r)}\n"
    if (!test_small()) { /* without feedback the constraint is left after 1800 s */
        CHECK(warnings_of(BEAD
                          "integrator: rk4\nsolver: {constraints: differential}\ntime: {step: 0.01, until: 2000}\n",
                          200000, &status) == 1);
        CHECK(status == LIL_ERR_CONVERGENCE && strstr(warned, "'wire'") && strstr(warned, "'feedback'"));
        CHECK(strstr(lil_context_message(ctx), "left the constraints"));
    }
    /* with feedback of ten steps symplectic Euler does not hold it either */
    CHECK(warnings_of(BEAD "integrator: symplectic-euler\nsolver: {constraints: differential, feedback: 0.1}\n"
                           "time: {step: 0.01, until: 2000}\n",
                      30000, &status) == 1);
    CHECK(status == LIL_ERR_CONVERGENCE && strstr(warned, "'wire'"));
    /* rk4 with feedback does */
    CHECK(warnings_of(BEAD "integrator: rk4\nsolver: {constraints: differential, feedback: 0.1}\n"
                           "time: {step: 0.01, until: 2000}\n",
                      30000, &status) == 0);
    CHECK(status == LIL_OK);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(a_driven_motion_closes_its_books);
    RUN(steps_that_vary_close_them_too);
    RUN(callbacks_close_them_too);
    RUN(driven_energy_is_not_certified_as_kept);
    RUN(relative_energy_error);
    RUN(energy_that_changes_in_close_passes_is_told);
    RUN(healthy_text_is_not_warned_of);
    RUN(energy_that_is_given_is_not_from_nowhere);
    RUN(a_blow_up_ends_the_run);
    lil_context_destroy(&ctx);
    return test_end();
}
