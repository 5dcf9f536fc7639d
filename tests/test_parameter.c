/* Parameters that change between steps: the work they do is booked, q and p stay, and a Sim's state has them. */
#include "test.h"

#include <float.h>
#include <unistd.h>

static lil_context *ctx;

#define OSCILLATOR                                                                                                   \
    "parameters: {k: 4}\nlagrangian: 1/2*dx^2 - 1/2*k*x^2\nstart: {x: 1}\ntime: {step: 0.05, until: 10}\n"
#define PENDULUM                                                                                                     \
    "parameters: {m: 2, g: 9.81, l: 1}\nlagrangian: 1/2*m*l^2*da^2 + m*g*l*cos(a)\nstart: {a: 0.5, da: 1}\n"         \
    "observe: {height: -l*cos(a)}\ndraw: {points: {bob: [l*sin(a), 0, -l*cos(a)]}}\ntime: {step: 0.01, until: 2}\n"

static lil_status create(const char *text, const char *output, bool resume, const char *const *live, int count,
                         lil_run **run)
{
    lil_scene *scene = NULL;
    lil_run_def def = lil_run_def_default();
    def.live = live;
    def.live_count = count;
    def.output = output;
    def.resume = resume;
    *run = NULL;
    lil_status status = lil_scene_parse(ctx, "text", text, strlen(text), &scene);
    if (status == LIL_OK)
        status = lil_run_create(ctx, scene, &def, run);
    lil_scene_destroy(&scene);
    return status;
}

static lil_run *live(const char *text, const char *a, const char *b)
{
    lil_run *run;
    lil_status status = create(text, NULL, false, (const char *const[]){ a, b }, b ? 2 : 1, &run);
    if (status != LIL_OK) {
        test_failures++;
        printf("%s: %s\n", test_name, lil_context_message(ctx));
    }
    return run;
}

static void walk(lil_sim *sim, int steps)
{
    for (int k = 0; k < steps; k++)
        MUST(lil_sim_step(sim));
}

static bool same(const lil_sim *a, const lil_sim *b)
{
    const lil_state *x = lil_sim_state(a), *y = lil_sim_state(b);
    size_t size = (size_t)x->n * sizeof *x->q;
    return memcmp(x->q, y->q, size) == 0 && memcmp(x->p, y->p, size) == 0 && memcmp(x->v, y->v, size) == 0;
}

/* Midpoint keeps 1/2 p^2 + 1/2 k q^2 exactly, and a change of k does the work 1/2 (k' - k) q^2: E = E_0 + W to round-off, some eps of
 * the largest energy a step. A way there and back does work too, for q has moved in between. */
TEST(the_books_of_an_oscillator_close)
{
    lil_run *run = live(OSCILLATOR, "k", NULL);
    if (!run)
        return;
    lil_sim *sim = lil_run_sim(run);
    double k = 4, booked = 0, most = 2;
    for (int i = 0; i < 40; i++) {
        double next = 1 + (i * 7) % 11, q = lil_sim_state(sim)->q[0], p = lil_sim_state(sim)->p[0], now;
        double energy = lil_sim_energy(sim);
        MUST(lil_sim_set_parameter(sim, "k", next));
        CHECK(lil_sim_state(sim)->q[0] == q && lil_sim_state(sim)->p[0] == p);
        MUST(lil_sim_parameter(sim, "k", &now));
        CHECK(now == next);
        booked += 0.5 * (next - k) * q * q;
        most = fmax(most, lil_sim_energy(sim));
        CHECK_NEAR(lil_sim_energy(sim) - energy, 0.5 * (next - k) * q * q, 8 * DBL_EPSILON * most);
        CHECK_NEAR(lil_sim_certificate(sim).energy_final, lil_sim_energy(sim), 0); /* without a step */
        k = next;
        walk(sim, 5);
    }
    lil_certificate c = lil_sim_certificate(sim);
    CHECK_NEAR(c.external_work, booked, 40 * 8 * DBL_EPSILON * most);
    CHECK_NEAR(c.energy_final, c.energy_initial + c.external_work, 200 * 8 * DBL_EPSILON * most);
    CHECK(fabs(c.external_work) > 0.1 && c.energy_dissipated == 0); /* or it was no test */
    CHECK(isnan(c.energy_drift) && isnan(c.energy_band) && isnan(c.relative_energy_error));
    lil_run_destroy(&run);
}

/* A pendulum that is pulled in keeps its angular momentum p = m l^2 a': H = p^2/(2 m l^2) - m g l cos a on both sides. */
TEST(a_pendulum_that_is_pulled_in)
{
    lil_run *run = live(PENDULUM, "l", "g");
    if (!run)
        return;
    lil_sim *sim = lil_run_sim(run);
    walk(sim, 30);
    double p = lil_sim_state(sim)->p[0], a = lil_sim_state(sim)->q[0], l = 0.6, g = 3;
    double before = lil_sim_energy(sim), booked = lil_sim_certificate(sim).external_work;
    MUST(lil_sim_set_parameter(sim, "l", l));
    MUST(lil_sim_set_parameter(sim, "g", g));
    CHECK(lil_sim_state(sim)->p[0] == p && lil_sim_state(sim)->q[0] == a);
    CHECK_NEAR(lil_sim_state(sim)->v[0], p / (2 * l * l), 1e-12 * fabs(p)); /* by Newton's method: solver.tolerance */
    CHECK_NEAR(lil_sim_energy(sim), p * p / (4 * l * l) - 2 * g * l * cos(a), 1e-12 * 20);
    CHECK_NEAR(lil_sim_certificate(sim).external_work - (isnan(booked) ? 0 : booked), lil_sim_energy(sim) - before,
               1e-12);
    lil_observable height;
    MUST(lil_sim_step(sim));
    CHECK(lil_run_observable(run, 0, &height) && height.last == -0.6 * cos(lil_sim_state(sim)->q[0]));
    lil_run_destroy(&run);
}

/* From a change on it moves as a Sim does that has had the new value from its start. Others that share the model do not notice. */
TEST(a_change_is_a_new_value)
{
    char text[512];
    lil_run *run = live(PENDULUM, "l", "g"), *other;
    lil_sim_def def = lil_sim_def_default();
    lil_sim *alike = NULL, *neighbour = NULL, *unmoved = NULL;
    if (!run)
        return;
    lil_sim *sim = lil_run_sim(run);
    snprintf(text, sizeof text, "%s", PENDULUM);
    memcpy(strstr(text, "l: 1}"), "l: 3}", 5);
    other = live(text, "l", "g");
    double q0 = 0.5, v0 = 1;
    def.q = &q0;
    def.v = &v0;
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &neighbour));
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &unmoved));
    MUST(lil_sim_set_parameter(sim, "l", 3));
    walk(sim, 1);
    walk(neighbour, 1);
    walk(unmoved, 1);
    CHECK(same(neighbour, unmoved) && !same(sim, neighbour));
    def.q = lil_sim_state(sim)->q;
    def.v = lil_sim_state(sim)->v;
    MUST(lil_sim_create(ctx, lil_run_model(other), &def, &alike));
    MUST(lil_sim_set_p(alike, lil_sim_state(sim)->p)); /* to the bit, and both begin anew */
    MUST(lil_sim_set_p(sim, lil_sim_state(sim)->p));
    for (int k = 0; k < 50; k++) {
        walk(sim, 1);
        walk(alike, 1);
        CHECK(same(sim, alike));
    }
    lil_sim_destroy(&alike);
    lil_sim_destroy(&neighbour);
    lil_sim_destroy(&unmoved);
    lil_run_destroy(&other);
    lil_run_destroy(&run);
}

/* What is live and stays moves as what is not, to round-off: nothing else is different. */
TEST(live_and_unchanged)
{
    static const char *const methods[] = { "midpoint", "stormer-verlet", "{method: gauss, stages: 2}", "rk4" };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        char text[512];
        lil_run *plain = NULL, *run;
        snprintf(text, sizeof text, OSCILLATOR "integrator: %s\n", methods[i]);
        run = live(text, "k", NULL);
        MUST(create(text, NULL, false, NULL, 0, &plain));
        if (!run || !plain)
            return;
        walk(lil_run_sim(run), 200);
        walk(lil_run_sim(plain), 200);
        CHECK_NEAR(lil_sim_state(lil_run_sim(run))->q[0], lil_sim_state(lil_run_sim(plain))->q[0], 1e-11);
        lil_run_destroy(&run);
        lil_run_destroy(&plain);
    }
}

/* A force does no work by being changed, and a constraint is met with the new value: a bead on a circle whose radius grows by 2 %. */
TEST(forces_and_constraints)
{
    lil_run *run = live("parameters: {c: 0}\nlagrangian: 1/2*dx^2 - 1/2*x^2\nforce: {x: -c*dx}\nstart: {x: 1}\n"
                        "time: {step: 0.05, until: 10}\n",
                        "c", NULL);
    walk(lil_run_sim(run), 20);
    CHECK_NEAR(lil_sim_certificate(lil_run_sim(run)).energy_dissipated, 0, 1e-15);
    MUST(lil_sim_set_parameter(lil_run_sim(run), "c", 0.3));
    CHECK(lil_sim_certificate(lil_run_sim(run)).external_work == 0);
    walk(lil_run_sim(run), 20);
    CHECK(lil_sim_certificate(lil_run_sim(run)).energy_dissipated > 0.01);
    lil_run_destroy(&run);
    run = live("parameters: {r: 1}\nlagrangian: 1/2*(dx^2 + dy^2) - 9.81*y\nconstraints: {rod: x^2 + y^2 - r^2}\n"
               "start: {x: 1, y: 0}\ntime: {step: 0.01, until: 10}\n",
               "r", NULL);
    lil_sim *sim = lil_run_sim(run);
    const double *q = lil_sim_state(sim)->q;
    walk(sim, 20);
    MUST(lil_sim_set_parameter(sim, "r", 1.02));
    CHECK_NEAR(hypot(q[0], q[1]), 1.02, 1e-12);
    lil_certificate c = lil_sim_certificate(sim);
    CHECK_NEAR(c.energy_final, c.energy_initial + c.external_work, 1e-3); /* midpoint's own error is O(h^2) */
    CHECK_NEAR(c.energy_final, lil_sim_energy(sim), 0);
    walk(sim, 50);
    CHECK_NEAR(hypot(q[0], q[1]), 1.02, 1e-12);
    double far = q[0];
    CHECK(lil_sim_set_parameter(sim, "r", 3) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(ctx), "with 'r' = 3") && q[0] == far);
    lil_run_destroy(&run);
}

TEST(rewound_and_copied)
{
    lil_run *run = live(PENDULUM, "l", NULL);
    lil_sim *sim = NULL, *copy = NULL;
    MUST(lil_sim_copy(ctx, lil_run_sim(run), &sim));
    size_t size = lil_sim_state_size(sim);
    void *here = malloc(size), *end = malloc(size), *again = malloc(size);
    double l;
    walk(sim, 10);
    MUST(lil_sim_set_parameter(sim, "l", 0.8));
    walk(sim, 10);
    MUST(lil_sim_save_state(sim, here, size));
    MUST(lil_sim_set_parameter(sim, "l", 1.3));
    walk(sim, 10);
    MUST(lil_sim_save_state(sim, end, size));
    MUST(lil_sim_load_state(sim, here, size));
    CHECK(lil_sim_parameter(sim, "l", &l) == LIL_OK && l == 0.8);
    MUST(lil_sim_copy(ctx, sim, &copy));
    CHECK(lil_sim_parameter(copy, "l", &l) == LIL_OK && l == 0.8);
    MUST(lil_sim_set_parameter(sim, "l", 1.3));
    walk(sim, 10);
    MUST(lil_sim_save_state(sim, again, size));
    CHECK(memcmp(end, again, size) == 0);
    MUST(lil_sim_set_parameter(copy, "l", 1.3));
    walk(copy, 10);
    MUST(lil_sim_save_state(copy, again, size));
    CHECK(memcmp(end, again, size) == 0);
    free(here), free(end), free(again);
    lil_sim_destroy(&copy);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* What is drawn follows the length. */
static void bob_is_at(const char *file, double l)
{
    lil_trajectory *tr = NULL;
    double x[3], first[3];
    MUST(lil_trajectory_open(ctx, file, &tr));
    MUST(lil_trajectory_read(tr, "draw/bob", 0, 1, first));
    MUST(lil_trajectory_read(tr, "draw/bob", lil_trajectory_frames(tr) - 1, 1, x));
    CHECK_NEAR(hypot(first[0], first[2]), 1, 1e-15);
    CHECK_NEAR(hypot(x[0], x[2]), l, 1e-15);
    lil_trajectory_destroy(&tr);
}

/* The file has the value: a run that is resumed goes on with it, and ends at the bits of one that was not interrupted. */
TEST(resumed)
{
    static const char *const names[] = { "l" };
    char path[] = "/tmp/lilyan-parameter-XXXXXX";
    double q[2], l;
    int folder = mkdtemp(path) != NULL;
    char file[64];
    CHECK(folder);
    snprintf(file, sizeof file, "%s/run.h5", path);
    for (int way = 0; way < 2; way++) {
        lil_run *run;
        MUST(create(PENDULUM, file, false, names, 1, &run));
        MUST(lil_run_advance(run, 50));
        MUST(lil_sim_set_parameter(lil_run_sim(run), "l", 0.7));
        MUST(lil_run_advance(run, 50));
        if (way) {
            MUST(lil_run_finish(run));
            lil_run_destroy(&run);
            MUST(create(PENDULUM, file, true, names, 1, &run));
            CHECK(lil_sim_parameter(lil_run_sim(run), "l", &l) == LIL_OK && l == 0.7);
        }
        MUST(lil_run_advance(run, 100));
        CHECK(lil_run_complete(run));
        q[way] = lil_sim_state(lil_run_sim(run))->q[0];
        MUST(lil_run_finish(run));
        lil_run_destroy(&run);
        bob_is_at(file, 0.7);
        if (way) {
            CHECK(create(PENDULUM, file, true, NULL, 0, &run) != LIL_OK); /* another model's words */
            lil_run_destroy(&run);
        }
        unlink(file);
    }
    CHECK(q[0] == q[1]);
    rmdir(path);
}

/* A sentence for each thing that cannot be, with the name in it. */
TEST(what_cannot_change)
{
    static const struct {
        const char *text, *live, *sentence;
    } bad[] = {
        { OSCILLATOR, "x", "no such parameter" },
        { "parameters: {gravity: 9.81}\nlagrangian: 1/2*dx^2 - gravity*x\nstart: {x: 1}\ntime: {step: 0.1, until: "
          "1}\n",
          "gravty", "did you mean 'gravity'" },
        { "parameters: {n: 3}\nlagrangian: sum(i, 1, n, 1/2*dx[i]^2 - 1/2*x[i]^2)\nstart: {x: [1, 2, 3]}\n"
          "time: {step: 0.1, until: 1}\n",
          "n", "the last index cannot depend on 'n'" },
        { "parameters: {i: 1}\nlagrangian: 1/2*dx[1]^2 + 1/2*dx[2]^2 - 1/2*x[i]^2\nstart: {x: [1, 2]}\n"
          "time: {step: 0.1, until: 1}\n",
          "i", "an index cannot depend on 'i'" },
        { "parameters: {k: [1, 2]}\nlagrangian: 1/2*dx^2 - 1/2*k[1]*x^2\nstart: {x: 1}\ntime: {step: 0.1, until: "
          "1}\n",
          "k", "'k' is a list" },
        { "parameters: {k: 2, w: sqrt(k)}\nlagrangian: 1/2*dx^2 - 1/2*w^2*x^2\nstart: {x: 1}\ntime: {step: 0.1, "
          "until: 1}\n",
          "k", "'w' is computed once, from 'k'" },
        { "parameters: {k: 2}\nlagrangian: 1/2*dx^2 - 1/2*k*x^2\nstart: {x: 1}\n"
          "time: {step: 0.1, until: 1, adaptive: {monitor: 1 + k*x^2}}\n",
          "k", "the monitor may not depend on a parameter that is live" },
        { OSCILLATOR "loop: {radius: 0.1}\n", "k", "no parameter can be live in a scene with 'loop'" },
        { "bodies: {b: {shape: {type: box}, material: jelly}}\ntime: {step: 0.1, until: 1}\n", "k", "lagrangian" },
    };
    lil_run *run;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        lil_status status = create(bad[i].text, NULL, false, &bad[i].live, 1, &run);
        if (status == LIL_OK || !strstr(lil_context_message(ctx), bad[i].sentence)) {
            test_failures++;
            printf("'%s' expected, and what is said is %d '%s'\n", bad[i].sentence, status, lil_context_message(ctx));
        }
        lil_run_destroy(&run);
    }
    run = live(
        "parameters: {k: 2}\nlagrangian: 1/2*dx^2 - 1/2*log(k)*x^2\nstart: {x: 1}\ntime: {step: 0.1, until: 1}\n",
        "k", NULL);
    lil_sim *sim = lil_run_sim(run);
    double energy = lil_sim_energy(sim), k;
    CHECK(lil_sim_set_parameter(sim, "k", -1) == LIL_ERR_NOT_FINITE);
    CHECK(strstr(lil_context_message(ctx), "with 'k' = -1"));
    CHECK(lil_sim_set_parameter(sim, "k", NAN) == LIL_ERR_ARGUMENT);
    CHECK(lil_sim_set_parameter(sim, "q", 1) == LIL_ERR_ARGUMENT && strstr(lil_context_message(ctx), "'q'"));
    CHECK(lil_sim_parameter(sim, "k", &k) == LIL_OK && k == 2 && lil_sim_energy(sim) == energy);
    walk(sim, 1);
    lil_run_destroy(&run);
    MUST(create(OSCILLATOR, NULL, false, NULL, 0, &run));
    CHECK(lil_sim_set_parameter(lil_run_sim(run), "k", 1) == LIL_ERR_ARGUMENT);
    CHECK(strstr(lil_context_message(ctx), "lil_run_def.live"));
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(the_books_of_an_oscillator_close);
    RUN(a_pendulum_that_is_pulled_in);
    RUN(a_change_is_a_new_value);
    RUN(live_and_unchanged);
    RUN(forces_and_constraints);
    RUN(rewound_and_copied);
    RUN(resumed);
    RUN(what_cannot_change);
    lil_context_destroy(&ctx);
    return test_end();
}
