/* The loop: what a Sim watches, rolls back, halves and certifies; and a million steps of the pendulum. */
#include "problems.h"

#include <pthread.h>

static lil_context *ctx;

/* A ball that runs into a wall at x = 0, where W = 1/sqrt(x) ends: a step of 0.1 at speed 5 lands behind it. */
#define WALL                                                                                                         \
    "lagrangian: 1/2*dx^2 - 1/sqrt(x)\n"                                                                             \
    "start: {x: 0.9, dx: -5}\n"                                                                                      \
    "integrator: stormer-verlet\n"                                                                                   \
    "time: {step: 0.1, until: 1}\n"

TEST(a_step_out_of_the_domain_is_halved)
{
    lil_run *run = problem(ctx, WALL);
    lil_sim *sim = lil_run_sim(run);
    for (int k = 1; k <= 10; k++) {
        MUST(lil_sim_step(sim));
        CHECK(lil_sim_state(sim)->t == k * 0.1); /* back on the grid, to the last bit */
    }
    lil_certificate c = lil_sim_certificate(sim);
    CHECK(c.halved_steps >= 1 && c.halved_steps <= 4); /* the wall is near for two or three steps only */
    CHECK(lil_sim_state(sim)->q[0] > 1 && lil_sim_state(sim)->v[0] > 0); /* it bounced */
    lil_run_destroy(&run);
}

/* A method that refuses what it does not like, to see exactly what the Sim makes of it: symplectic Euler, but not with
 * steps above 0.03, and from t = 0.35 on not above 0.01. It notes the steps that it took. */
static double taken[64];
static int taken_count;

static lil_claims fussy_claims(const void *config)
{
    (void)config;
    return (lil_claims){ .order = 1, .holds = LIL_SYMPLECTIC };
}

static lil_status fussy_step(lil_stepper *s, double h)
{
    lil_state *x = lil_stepper_state(s);
    double Q;
    lil_stepper_force(s, x->t, x->q, x->v, &Q);
    x->p[0] += h * Q;
    x->q[0] += h * x->p[0];
    if (h > (x->t > 0.349 ? 0.01 : 0.03))
        return LIL_ERR_CONVERGENCE; /* after it has spoilt the state */
    if (taken_count < 64)
        taken[taken_count++] = h;
    return LIL_OK;
}

static const lil_integrator fussy = { .name = "fussy", .claims = fussy_claims, .step = fussy_step };

/* A halved step is its parts, the same bits as if they had been asked for; the parts grow again when they fit. */
TEST(halves_are_ordinary_steps)
{
    lil_run *run = problem(ctx, PENDULUM);
    lil_sim *sim = start(ctx, run, "fussy", NULL, 0.1, NULL, NULL);
    MUST(lil_sim_step(sim));
    lil_sim *fine = start(ctx, run, "symplectic-euler", NULL, 0.025, NULL, NULL);
    advance(ctx, fine, 4);
    CHECK(taken_count == 4 && taken[0] == 0.025 && taken[3] == 0.025);
    CHECK(lil_sim_state(sim)->q[0] == lil_sim_state(fine)->q[0] &&
          lil_sim_state(sim)->p[0] == lil_sim_state(fine)->p[0]);
    CHECK(lil_sim_state(sim)->t == 0.1 && lil_sim_certificate(sim).halved_steps == 1);
    MUST(lil_sim_step(sim));
    MUST(lil_sim_step(sim));
    taken_count = 0;
    MUST(lil_sim_step(sim)); /* from 0.3: two quarters, then sixteenths from 0.35 on */
    CHECK(taken_count == 2 + 8 && taken[1] == 0.025 && taken[2] == 0.00625 && taken[9] == 0.00625);
    CHECK(lil_sim_certificate(sim).halved_steps == 4);
    lil_sim_destroy(&fine);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* Keeps two words: how many steps it took, and how many it tried. A try that fails must be forgotten. */
static lil_status counting_begin(lil_stepper *s)
{
    double *words = lil_stepper_keep(s, 2);
    lil_stepper_set_data(s, words);
    return words ? LIL_OK : LIL_ERR_MEMORY;
}

static const double *counted;

static lil_status counting_step(lil_stepper *s, double h)
{
    double *words = lil_stepper_data(s);
    counted = words;
    words[1]++;
    lil_status status = fussy_step(s, h);
    words[0] += status == LIL_OK;
    return status;
}

static const lil_integrator counting = {
    .name = "counting", .claims = fussy_claims, .begin = counting_begin, .step = counting_step
};

TEST(a_halved_step_puts_the_words_back)
{
    lil_run *run = problem(ctx, PENDULUM);
    lil_sim *sim = start(ctx, run, "counting", NULL, 0.1, NULL, NULL);
    for (int k = 0; k < 3; k++)
        MUST(lil_sim_step(sim));
    CHECK(counted[0] == 12 && counted[1] == 12); /* four quarters each */
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* M^-1 (M v) need not be v to the last bit: a failed first step must not show the difference. */
TEST(a_failed_first_step_leaves_every_bit)
{
    lil_run *run = problem(ctx, "lagrangian: 1/2*49*dx^2\nforce: {x: 1}\nstart: {x: 0}\ntime: {step: 1, until: 2}\n");
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    const double q = 0, v = 0.11;
    CHECK(49 * v / 49 != v);
    def.integrator = "counting";
    def.q = &q;
    def.v = &v;
    def.step = 1;
    def.halvings = 1;
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &sim));
    lil_certificate before = lil_sim_certificate(sim);
    CHECK(lil_sim_step(sim) == LIL_ERR_CONVERGENCE);
    CHECK(lil_sim_state(sim)->v[0] == v && lil_sim_state(sim)->q[0] == q);
    CHECK(counted[0] == 0 && counted[1] == 0);
    CHECK(lil_sim_certificate(sim).external_work == before.external_work &&
          lil_sim_energy(sim) == before.energy_initial);
    CHECK(lil_sim_certificate(sim).halved_steps == 1);
    def.halvings = 0;
    lil_sim_destroy(&sim);
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &sim));
    CHECK(lil_sim_step(sim) == LIL_ERR_CONVERGENCE && lil_sim_certificate(sim).halved_steps == 0);
    lil_sim_destroy(&sim);
    def.control.method = 7;
    CHECK(lil_sim_create(ctx, lil_run_model(run), &def, &sim) == LIL_ERR_ARGUMENT);
    lil_run_destroy(&run);
}

/* A fall into the centre cannot be stepped over: the sentence says what happens where, and the state is untouched. */
TEST(a_failed_step_leaves_the_state)
{
    static const char *const methods[] = { "stormer-verlet", "midpoint", "symplectic-euler", "explicit-euler" };
    for (int i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "lagrangian: 1/2*dx^2 - log(x)\nforce: {x: -1/x}\nstart: {x: 0.5, dx: -30}\n"
                 "integrator: %s\ntime: {step: 0.01, until: 1}\n",
                 methods[i]);
        lil_run *run = problem(ctx, text);
        lil_sim *sim = lil_run_sim(run);
        const lil_state *x = lil_sim_state(sim);
        lil_status status = LIL_OK;
        double t = 0, q = 0, p = 0, energy = 0;
        while (status == LIL_OK && lil_sim_steps(sim) < 100) {
            t = x->t;
            q = x->q[0];
            p = x->p[0];
            energy = lil_sim_energy(sim);
            status = lil_sim_step(sim);
        }
        CHECK(status != LIL_OK);
        CHECK(x->t == t && x->q[0] == q && x->p[0] == p && lil_sim_energy(sim) == energy);
        CHECK(isfinite(x->q[0]) && isfinite(x->p[0]) && isfinite(x->v[0]));
        CHECK(strlen(lil_context_message(ctx)) > 10);
        lil_run_destroy(&run);
    }
}

TEST(no_convergence_says_where_it_stands)
{
    lil_run *run = problem(ctx, PENDULUM "integrator: midpoint\nsolver: {iterations: 1, tolerance: 1.0e-15}\n");
    lil_sim *sim = lil_run_sim(run);
    lil_sim_def def = lil_sim_def_default();
    def.integrator = "midpoint";
    def.q = lil_sim_state(sim)->q;
    def.v = lil_sim_state(sim)->v;
    def.solver.iterations = 1;
    def.halvings = 2;
    def.step = 0.5;
    lil_sim *hopeless = NULL;
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &hopeless));
    CHECK(lil_sim_step(hopeless) == LIL_ERR_CONVERGENCE);
    CHECK(strstr(lil_context_message(ctx), "after 1 iterations") != NULL);
    CHECK(strstr(lil_context_message(ctx), "0.125") != NULL); /* the smallest part it tried */
    lil_sim_destroy(&hopeless);
    lil_run_destroy(&run);
}

TEST(steps_of_any_size)
{
    lil_run *run = problem(ctx, PENDULUM "integrator: midpoint\n");
    lil_sim *a = start(ctx, run, "midpoint", NULL, 0.01, NULL, NULL);
    MUST(lil_sim_advance(a, 0.02));
    MUST(lil_sim_advance(a, -0.02)); /* symmetric: comes home */
    CHECK_NEAR(lil_sim_state(a)->q[0], 1, 1e-15);
    CHECK_NEAR(lil_sim_state(a)->p[0], 0.5, 1e-15);
    MUST(lil_sim_advance(a, 0.5));
    MUST(lil_sim_step(a)); /* the grid goes on from where it is */
    CHECK_NEAR(lil_sim_state(a)->t, 0.51, 1e-15);
    CHECK(lil_sim_advance(a, 0) == LIL_ERR_ARGUMENT && lil_sim_advance(a, NAN) == LIL_ERR_ARGUMENT);
    lil_sim_destroy(&a);
    lil_run_destroy(&run);
}

/* ---- step control ---- */

/* Where a monitor passes through 0 no step is short enough, and the sentence says so. */
static bool vanishing(void *user, double t, const double *q, const double *v, double *m, double *rate)
{
    (void)user;
    (void)t;
    *m = fabs(q[0]);
    *rate = v[0] / q[0];
    return true;
}

/* The acceleration of a pendulum passes through 0 at the bottom; the default monitor does not, and its energy stays in
 * a band like that of fixed steps. */
TEST(a_monitor_that_vanishes_is_named)
{
    lil_run *run = problem(ctx, PENDULUM);
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    lil_status status = LIL_OK;
    def.integrator = "stormer-verlet";
    def.q = lil_sim_state(lil_run_sim(run))->q;
    def.control.method = LIL_CONTROL_REVERSIBLE;
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &sim));
    for (int k = 0; k < 20000; k++)
        MUST(lil_sim_step(sim));
    CHECK_BELOW(lil_sim_certificate(sim).energy_band, 1e-3);
    lil_sim_destroy(&sim);
    def.control.monitor = vanishing;
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &sim));
    for (int k = 0; k < 100000 && status == LIL_OK; k++)
        status = lil_sim_step(sim);
    CHECK(status == LIL_ERR_CONVERGENCE && strstr(lil_context_message(ctx), "away from 0"));
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

static lil_status with(const char *text, const char *assignment, lil_run **run)
{
    lil_scene *scene = NULL;
    lil_run_def def = lil_run_def_default();
    lil_status status = lil_scene_parse(ctx, "problem", text, strlen(text), &scene);
    if (status == LIL_OK)
        status = lil_scene_set(scene, assignment);
    if (status == LIL_OK)
        status = lil_run_create(ctx, scene, &def, run);
    lil_scene_destroy(&scene);
    return status;
}

TEST(adaptive_in_scenes)
{
    static const char text[] = "lagrangian: 1/2*(dx^2 + dy^2) + 1/sqrt(x^2 + y^2)\nstart: {x: 1, y: 0, dy: 0.8}\n"
                               "integrator: stormer-verlet\ntime: {step: 0.01, until: 1, adaptive: reversible}\n";
    lil_run *run = NULL;
    MUST(with(text, "time.adaptive.monitor=1/(x^2 + y^2)", &run)); /* the short form grows a member */
    lil_run_destroy(&run);
    MUST(with(text, "time.adaptive={control: fixed}", &run));
    MUST(lil_run_advance(run, 1000));
    CHECK(lil_sim_steps(lil_run_sim(run)) == 100 && lil_sim_state(lil_run_sim(run))->t == 1);
    lil_run_destroy(&run);
    CHECK(with(text, "variants.a.integrator=rk4", &run) == LIL_ERR_ARGUMENT); /* it would have no effect */
    /* at t = 1e20 a step of 2000 changes nothing: an error, not a run without end */
    MUST(with(text, "time={start: 1.0e+20, step: 2000, until: 1.1e+20, adaptive: {monitor: 1 + x^2}}", &run));
    CHECK(lil_run_advance(run, 1000) == LIL_ERR_CONVERGENCE);
    lil_run_destroy(&run);
}

/* one const model, two sims: stepping them in turns changes nothing */
TEST(sims_share_a_model)
{
    lil_run *run = problem(ctx, DOUBLE_PENDULUM);
    lil_sim *a = start(ctx, run, "midpoint", NULL, 0.01, NULL, NULL);
    lil_sim *b = start(ctx, run, "stormer-verlet", NULL, 0.02, NULL, NULL);
    lil_sim *alone = start(ctx, run, "midpoint", NULL, 0.01, NULL, NULL);
    for (int k = 0; k < 100; k++) {
        advance(ctx, a, 1);
        advance(ctx, b, 1);
    }
    advance(ctx, alone, 100);
    CHECK(!memcmp(lil_sim_state(a)->q, lil_sim_state(alone)->q, 2 * sizeof(double)));
    CHECK(!memcmp(lil_sim_state(a)->p, lil_sim_state(alone)->p, 2 * sizeof(double)));
    lil_sim_destroy(&a);
    lil_sim_destroy(&b);
    lil_sim_destroy(&alone);
    lil_run_destroy(&run);
}

/* A state that is set is one that could have been there from the start; what is not finite changes nothing. */
TEST(states_can_be_set)
{
    static const char *const texts[] = { PENDULUM, DOUBLE_PENDULUM };
    for (int k = 0; k < 2; k++) {
        lil_run *run = problem(ctx, texts[k]);
        int n = lil_model_size(lil_run_model(run));
        const double q[2] = { 0.3, -0.4 }, v[2] = { 1.1, 0.2 };
        lil_sim *set = start(ctx, run, "midpoint", NULL, 0.01, NULL, NULL);
        lil_sim *fresh = start(ctx, run, "midpoint", NULL, 0.01, q, v);
        MUST(lil_sim_set_q(set, q));
        MUST(lil_sim_set_v(set, v));
        for (int i = 0; i < n; i++) /* dL/dv at the same place */
            CHECK_NEAR(lil_sim_state(set)->p[i], lil_sim_state(fresh)->p[i], 1e-15);
        CHECK_NEAR(lil_sim_energy(set), lil_sim_energy(fresh), 1e-14);
        MUST(lil_sim_set_p(set, lil_sim_state(fresh)->p));
        advance(ctx, set, 100);
        advance(ctx, fresh, 100);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(lil_sim_state(set)->q[i], lil_sim_state(fresh)->q[i], 1e-10);
        const double bad[2] = { 1, NAN };
        double before = lil_sim_state(set)->q[n - 1];
        CHECK(n == 1 || lil_sim_set_q(set, bad) == LIL_ERR_NOT_FINITE);
        CHECK(lil_sim_set_v(set, bad + (n == 1)) != LIL_OK && lil_sim_set_p(set, bad + (n == 1)) != LIL_OK);
        CHECK(lil_sim_state(set)->q[n - 1] == before && isfinite(lil_sim_energy(set)));
        lil_sim_destroy(&set);
        lil_sim_destroy(&fresh);
        lil_run_destroy(&run);
    }
}

/* Two simulations in two threads, each with a context of its own, and of one text: the bits of one alone. */
typedef struct thread_work {
    double q[2], p[2];
} thread_work;

static void *run_in_thread(void *user)
{
    thread_work *w = user;
    lil_context *own = lil_context_create();
    lil_run *run = problem(own, DOUBLE_PENDULUM "integrator: midpoint\n");
    lil_sim *sim = lil_run_sim(run);
    for (int k = 0; k < 2000; k++)
        if (lil_sim_step(sim) != LIL_OK)
            break;
    memcpy(w->q, lil_sim_state(sim)->q, sizeof w->q);
    memcpy(w->p, lil_sim_state(sim)->p, sizeof w->p);
    lil_run_destroy(&run);
    lil_context_destroy(&own);
    return NULL;
}

TEST(two_threads_do_not_disturb_each_other)
{
    thread_work alone, both[2];
    pthread_t threads[2];
    run_in_thread(&alone);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run_in_thread, &both[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    CHECK(!memcmp(&alone, &both[0], sizeof alone) && !memcmp(&alone, &both[1], sizeof alone));
}

static int warnings;

static char warned[1024];

static void count_warning(void *user, const char *sentence)
{
    (void)user;
    snprintf(warned, sizeof warned, "%s", sentence);
    warnings += strstr(sentence, "too long") != NULL;
}

/* omega = 10 from the text, so Verlet is stable up to h = 0.2 */
TEST(warns_where_the_step_is_too_long)
{
    lil_run *run = problem(ctx, OSCILLATOR);
    static const struct {
        const char *method;
        double h;
        int warned;
    } cases[] = { { "stormer-verlet", 0.199, 0 },
                  { "stormer-verlet", 0.201, 1 },
                  { "symplectic-euler", 0.201, 1 },
                  { "midpoint", 5, 0 } };
    lil_context_set_log(ctx, count_warning, NULL);
    for (int i = 0; i < 4; i++) {
        warnings = 0;
        lil_sim *sim = start(ctx, run, cases[i].method, NULL, cases[i].h, NULL, NULL);
        CHECK(warnings == cases[i].warned);
        lil_sim_destroy(&sim);
    }
    lil_context_set_log(ctx, NULL, NULL);
    lil_run_destroy(&run);
}

/* A bar one of whose layers of cells is thin: a tet of it is what limits the step. */
TEST(names_the_tet_that_limits_the_step)
{
    lil_run *run = problem(ctx, "bodies:\n  slab:\n    shape: {type: bar, size: [1, 1, 0.01], cells: [2, 2, 1]}\n"
                                "    material: {mu: 1e4, kappa: 5e4, density: 1000}\n"
                                "time: {step: 0.01, until: 1}\n");
    warnings = 0;
    lil_context_set_log(ctx, count_warning, NULL);
    lil_sim *sim = start(ctx, run, "stormer-verlet", NULL, 0.01, NULL, NULL);
    lil_context_set_log(ctx, NULL, NULL);
    CHECK(warnings == 1);
    CHECK(strstr(warned, "limited by tet ") && strstr(warned, " of body 'slab', which is 0.0"));
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* ---- answers ---- */

/* period * sqrt(g/l) from rest at theta0 (docs/theory.md): time from start to the second turning point. Verlet's period
 * is wrong by (omega h)^2/24 = 4e-7 of itself at most; the turning point is interpolated to O(h^2) of a step. */
TEST(pendulum_period)
{
    static const double theta0[] = { 1. / 6, 1. / 2, 3. / 4 },
                        period[] = { 6.392568008450, 7.416298709205, 9.600377836535 };
    const double h = 1e-3, pi = 3.14159265358979323846;
    lil_run *run = problem(ctx, PENDULUM);
    for (int i = 0; i < 3; i++) {
        const double q = theta0[i] * pi, v = 0;
        lil_sim *sim = start(ctx, run, "stormer-verlet", NULL, h, &q, &v);
        double t = 0;
        for (int turns = 0; turns < 2;) {
            double before = lil_sim_state(sim)->p[0];
            t = lil_sim_state(sim)->t;
            if (!advance(ctx, sim, 1))
                break;
            double after = lil_sim_state(sim)->p[0];
            if (before != 0 && (before < 0) != (after < 0)) {
                turns++;
                t += h * before / (before - after);
            }
        }
        CHECK_NEAR(t * sqrt(9.81), period[i], 1e-5);
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

TEST(double_pendulum_in_angles)
{
    lil_run *run = problem(ctx, "lagrangian: da^2 + 1/2*db^2 + da*db*cos(a - b) + 9.81*(2*cos(a) + cos(b))\n"
                                "start: {a: pi/2, b: pi/2}\nintegrator: midpoint\ntime: {step: 1.0e-4, until: 3}\n");
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    MUST(lil_run_advance(run, 10000));
    CHECK_NEAR(x->q[0], -0.625087699806, 1e-6);
    CHECK_NEAR(x->q[1], -1.034585085680, 1e-6);
    MUST(lil_run_advance(run, 20000));
    CHECK_NEAR(x->q[0], 1.785795522077, 1e-6);
    CHECK_NEAR(x->q[1], 1.118107461205, 1e-6);
    CHECK(lil_sim_certificate(lil_run_sim(run)).halved_steps == 0);
    lil_run_destroy(&run);
}

/* the slides' map x <- x - h y, y <- y + h x: its invariant to round-off, and six steps of h = 1 are none */
TEST(oscillator_of_the_slides)
{
    lil_run *run = problem(ctx, "lagrangian: 1/2*dy^2 - 1/2*y^2\nstart: {y: 0, dy: 1}\ntime: {step: 1, until: 6}\n");
    const double y0 = 0, x0 = 1;
    for (double h = 0.1; h < 2; h += 0.3) {
        lil_sim *sim = start(ctx, run, "symplectic-euler", NULL, h, &y0, &x0);
        advance(ctx, sim, 10000);
        double y = lil_sim_state(sim)->q[0], x = lil_sim_state(sim)->p[0];
        /* 1e4 roundings of a quantity whose parts are up to 1/(2 - h) in size */
        CHECK_NEAR(x * x + y * y - h * x * y, 1, 1e4 * 1.2e-16 / (2 - h));
        lil_sim_destroy(&sim);
    }
    lil_sim *six = start(ctx, run, "symplectic-euler", NULL, 1, &y0, &x0);
    advance(ctx, six, 6);
    CHECK(lil_sim_state(six)->q[0] == 0 && lil_sim_state(six)->p[0] == 1);
    lil_sim_destroy(&six);
    lil_run_destroy(&run);
}

/* ---- a million steps of the pendulum of Fig. 1 ---- */

typedef struct story {
    double first, last, band, start, end;
} story;

static story pendulum_story(const char *method, double h, long steps)
{
    lil_run *run = problem(ctx, PENDULUM);
    const double q = 2, v = 0;
    lil_sim *sim = start(ctx, run, method, NULL, h, &q, &v);
    story s = { .start = lil_sim_energy(sim) };
    double least = s.start, most = s.start;
    for (long k = 0; k < steps && advance(ctx, sim, 1); k++) {
        double E = lil_sim_energy(sim);
        least = fmin(least, E);
        most = fmax(most, E);
        s.first += k < steps / 10 ? E / (double)(steps / 10) : 0;
        s.last += k >= steps - steps / 10 ? E / (double)(steps / 10) : 0;
    }
    s.band = most - least;
    s.end = lil_sim_energy(sim);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
    return s;
}

/* A tenth cuts off part of one swing of about 280 steps: 280 / 1e5 = 3e-3 of the band at the very worst; measured over
 * whole swings it would be nothing. The bar is 1e-3; with few steps the cut weighs more. */
TEST(a_million_steps)
{
    static const char *const second_order[] = { "midpoint", "stormer-verlet" };
    long steps = test_small() ? 20000 : 1000000;
    double bar = test_small() ? 280 / (0.1 * (double)steps) : 1e-3;
    for (int i = 0; i < 2; i++) {
        story s = pendulum_story(second_order[i], 0.01, steps);
        printf("        %s: band %.3g of %.3g J, drift %.3g of the band\n", second_order[i], s.band, s.start,
               fabs(s.last - s.first) / s.band);
        CHECK_BELOW(fabs(s.last - s.first), bar * s.band);
        CHECK_BELOW(s.band / (s.start + 9.81), 1e-3); /* of the energy above rest */
    }
    story one = pendulum_story("symplectic-euler", 0.01, steps),
          half = pendulum_story("symplectic-euler", 0.005, steps);
    CHECK_BELOW(fabs(one.last - one.first), bar * one.band);
    CHECK_NEAR(one.band / half.band, 2, 0.1); /* first order: the band halves with h */
}

/* Fig. 1: explicit Euler amplifies, implicit Euler dampens, the symplectic one keeps */
TEST(figure_1)
{
    story up = pendulum_story("explicit-euler", 0.01, 2000), down = pendulum_story("implicit-euler", 0.01, 2000);
    story kept = pendulum_story("symplectic-euler", 0.01, 2000);
    CHECK(up.last > up.first && up.end > up.start + 1);
    CHECK(down.last < down.first && down.end < down.start - 1);
    CHECK(up.end > kept.end && kept.end > down.end);
    CHECK_BELOW(fabs(kept.end - kept.start), kept.band + 1e-15);
    CHECK_BELOW(kept.band, 0.1 * fmin(up.band, down.band));
}

static bool ends(void *user)
{
    int *left = user;
    return --*left > 0;
}

/* A step that is ended, at whichever of its iterations, leaves every bit; the next one is the one that it would have
 * been. */
TEST(a_step_that_is_ended_leaves_every_bit)
{
    lil_run *run = problem(ctx, DOUBLE_PENDULUM "integrator: midpoint\n");
    lil_sim *sim = lil_run_sim(run);
    const lil_state *x = lil_sim_state(sim);
    double q[2], p[2], energy = lil_sim_certificate(sim).energy_final;
    for (int asked = 1; asked <= 3; asked++) {
        int left = asked;
        memcpy(q, x->q, sizeof q);
        memcpy(p, x->p, sizeof p);
        lil_context_set_watch(ctx, ends, &left);
        CHECK(lil_sim_step(sim) == LIL_ERR_INTERRUPTED && left == 0);
        CHECK(strstr(lil_context_message(ctx), "interrupted in the step from t = 0") != NULL);
        CHECK(!memcmp(q, x->q, sizeof q) && !memcmp(p, x->p, sizeof p) && x->t == 0);
        CHECK(lil_sim_certificate(sim).energy_final == energy && lil_sim_certificate(sim).newton_iterations == 0);
    }
    lil_context_set_watch(ctx, NULL, NULL);
    for (int k = 0; k < 2000; k++)
        MUST(lil_sim_step(sim));
    thread_work alone;
    run_in_thread(&alone);
    CHECK(!memcmp(alone.q, x->q, sizeof q) && !memcmp(alone.p, x->p, sizeof p));
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    lil_context_register_integrator(ctx, &fussy);
    lil_context_register_integrator(ctx, &counting);
    RUN(a_step_out_of_the_domain_is_halved);
    RUN(halves_are_ordinary_steps);
    RUN(a_halved_step_puts_the_words_back);
    RUN(a_failed_first_step_leaves_every_bit);
    RUN(a_failed_step_leaves_the_state);
    RUN(no_convergence_says_where_it_stands);
    RUN(a_step_that_is_ended_leaves_every_bit);
    RUN(steps_of_any_size);
    RUN(a_monitor_that_vanishes_is_named);
    RUN(adaptive_in_scenes);
    RUN(sims_share_a_model);
    RUN(states_can_be_set);
    RUN(two_threads_do_not_disturb_each_other);
    RUN(warns_where_the_step_is_too_long);
    RUN(names_the_tet_that_limits_the_step);
    RUN(pendulum_period);
    RUN(double_pendulum_in_angles);
    RUN(oscillator_of_the_slides);
    RUN(a_million_steps);
    RUN(figure_1);
    lil_context_destroy(&ctx);
    return test_end();
}
