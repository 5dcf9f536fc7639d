/* Where the time of steps goes: phases add up to it, are counted as the certificate counts, and change no bit. No test says how long anything takes:
 * all bounds are of one clock, read inside what it bounds. */
#include "problems.h"

#include "core/phases.h"

#include <time.h>
#include <unistd.h>

static lil_context *ctx;

static int64_t clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- the clock ---- */

static int64_t sum_of(const lil_phases *p)
{
    int64_t sum = 0;
    for (int i = 0; i < LIL_PHASE_COUNT; i++)
        sum += p->own[i];
    return sum;
}

TEST(own_times_add_up_to_the_nanosecond)
{
    lil_phases p = { 0 };
    int64_t before = clock_now();
    for (int k = 0; k < 1000; k++) {
        lil_phase_begin(&p, LIL_PHASE_OTHER);
        lil_phase_begin(&p, LIL_PHASE_LINE_SEARCH);
        lil_phase_begin(&p, LIL_PHASE_EVALUATE);
        lil_phase_begin(&p, LIL_PHASE_EVALUATE); /* goes on */
        lil_phase_begin(&p, LIL_PHASE_CONTACT_SEARCH);
        lil_phase_begin(&p, LIL_PHASE_EVALUATE); /* inside itself */
        for (int i = 0; i < 6; i++)
            lil_phase_end(&p);
    }
    int64_t after = clock_now();
    CHECK(p.depth == 0);
    CHECK(sum_of(&p) == p.all);
    CHECK(p.all > 0 && p.all <= after - before);
    CHECK(p.calls[LIL_PHASE_OTHER] == 1000 && p.calls[LIL_PHASE_LINE_SEARCH] == 1000);
    CHECK(p.calls[LIL_PHASE_EVALUATE] == 2000 && p.calls[LIL_PHASE_CONTACT_SEARCH] == 1000);
    CHECK(p.calls[LIL_PHASE_KICKS] == 0 && p.own[LIL_PHASE_KICKS] == 0);
    CHECK(p.whole[LIL_PHASE_OTHER] == p.all);
    /* all of evaluate, the search inside it included, once */
    CHECK(p.whole[LIL_PHASE_EVALUATE] == p.own[LIL_PHASE_EVALUATE] + p.own[LIL_PHASE_CONTACT_SEARCH]);
    CHECK(p.whole[LIL_PHASE_LINE_SEARCH] == p.own[LIL_PHASE_LINE_SEARCH] + p.whole[LIL_PHASE_EVALUATE]);
}

TEST(phases_that_are_too_deep_count_as_the_one_around_them)
{
    lil_phases p = { 0 };
    for (int i = 0; i < LIL_PHASE_DEPTH + 5; i++)
        lil_phase_begin(&p, i % 2 ? LIL_PHASE_EVALUATE : LIL_PHASE_KICKS);
    for (int i = 0; i < LIL_PHASE_DEPTH + 5; i++)
        lil_phase_end(&p);
    CHECK(p.depth == 0 && sum_of(&p) == p.all);
    CHECK(p.calls[LIL_PHASE_EVALUATE] + p.calls[LIL_PHASE_KICKS] == LIL_PHASE_DEPTH);
}

TEST(every_phase_has_a_name_and_a_sentence)
{
    for (int i = 0; i < LIL_PHASE_COUNT; i++) {
        CHECK(lil_phase_name((lil_phase)i) && lil_phase_doc((lil_phase)i));
        for (int k = 0; k < i; k++)
            CHECK(strcmp(lil_phase_name((lil_phase)i), lil_phase_name((lil_phase)k)) != 0);
    }
    CHECK(!lil_phase_name(LIL_PHASE_COUNT) && !lil_phase_doc((lil_phase)-1));
}

/* ---- a Sim ---- */

typedef struct spring {
    lil_sim *sim;
    int64_t inside, calls; /* ns in the callback */
    lil_status asked;
} spring;

static bool potential(void *user, double t, const double *q, double *W, double *g)
{
    spring *s = user;
    int64_t before = clock_now();
    (void)t;
    *W = 1 - cos(q[0]);
    if (g)
        g[0] = sin(q[0]);
    if (s->sim)
        s->asked = lil_sim_set_profile(s->sim, false);
    s->calls++;
    s->inside += clock_now() - before;
    return true;
}

static lil_sim *make_spring(spring *s, lil_model **model)
{
    double mass = 1, q = 1;
    lil_separable_def def = { .n = 1, .mass = &mass, .potential = potential, .user = s };
    lil_sim_def sd = lil_sim_def_default();
    lil_sim *sim = NULL;
    sd.q = &q;
    sd.integrator = "stormer-verlet";
    CHECK(lil_model_create_separable(ctx, &def, model) == LIL_OK);
    CHECK(lil_sim_create(ctx, *model, &sd, &sim) == LIL_OK);
    return sim;
}

static double seconds_of(const lil_profile *p)
{
    double sum = 0;
    for (int i = 0; i < LIL_PHASE_COUNT; i++)
        sum += p->phases[i].seconds;
    return sum;
}

/* The callback's own time is part of evaluate's, evaluate's of all, all of what passes around the steps. */
TEST(seconds_bound_each_other)
{
    spring s = { 0 };
    lil_model *model;
    lil_sim *sim = make_spring(&s, &model);
    MUST(lil_sim_set_profile(sim, true));
    s = (spring){ 0 };
    int64_t before = clock_now();
    for (int k = 0; k < 500; k++)
        MUST(lil_sim_step(sim));
    double around = 1e-9 * (double)(clock_now() - before);
    lil_profile p = lil_sim_profile(sim);
    double few = 1e-14 * p.seconds; /* from ns to seconds, rounded ten times */
    CHECK(p.steps == 500 && s.calls > 0);
    CHECK(p.phases[LIL_PHASE_EVALUATE].calls >= 500);
    CHECK(1e-9 * (double)s.inside <= p.phases[LIL_PHASE_EVALUATE].seconds + few);
    CHECK(p.phases[LIL_PHASE_EVALUATE].seconds < p.seconds);
    CHECK(p.seconds <= around);
    CHECK_NEAR(seconds_of(&p), p.seconds, few);
    /* switched off it stays as it is, switched on it starts at 0 */
    MUST(lil_sim_set_profile(sim, false));
    MUST(lil_sim_step(sim));
    CHECK(lil_sim_profile(sim).seconds == p.seconds && lil_sim_profile(sim).steps == 500);
    MUST(lil_sim_set_profile(sim, true));
    CHECK(lil_sim_profile(sim).seconds == 0 && lil_sim_profile(sim).phases[LIL_PHASE_EVALUATE].calls == 0);
    /* not within a step */
    s.sim = sim;
    MUST(lil_sim_step(sim));
    CHECK(s.asked == LIL_ERR_ARGUMENT && strstr(lil_context_message(ctx), "lil_sim_set_profile"));
    CHECK(lil_sim_profile(sim).steps == 1);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
}

/* A clock is its Sim's alone: one that is not measured, on the same context, has none. */
TEST(only_the_sim_that_was_asked_is_measured)
{
    lil_run *one = problem(ctx, PENDULUM), *other = problem(ctx, PENDULUM);
    MUST(lil_sim_set_profile(lil_run_sim(one), true));
    for (int k = 0; k < 10; k++) {
        MUST(lil_sim_step(lil_run_sim(one)));
        MUST(lil_sim_step(lil_run_sim(other)));
    }
    lil_profile p = lil_sim_profile(lil_run_sim(one)), none = lil_sim_profile(lil_run_sim(other));
    CHECK(p.steps == 10 && p.phases[LIL_PHASE_OTHER].calls == 10 && none.steps == 0 && none.seconds == 0);
    lil_run_destroy(&one);
    lil_run_destroy(&other);
}

/* ---- counts ---- */

/* Each Newton iteration is one direction and one line search, each solve looks once more; the certificate counts iterations itself. */
static void counts_agree(const char *text, int steps)
{
    lil_run *run = problem(ctx, text);
    lil_sim *sim = lil_run_sim(run);
    MUST(lil_sim_set_profile(sim, true));
    for (int k = 0; k < steps; k++)
        MUST(lil_sim_step(sim));
    lil_profile p = lil_sim_profile(sim);
    lil_certificate c = lil_sim_certificate(sim);
    CHECK(p.steps == steps && c.halved_steps == 0);
    CHECK(p.phases[LIL_PHASE_LINEAR_SOLVE].calls > 0);
    CHECK_NEAR((double)p.phases[LIL_PHASE_LINEAR_SOLVE].calls, c.newton_iterations, 0);
    CHECK(p.phases[LIL_PHASE_LINE_SEARCH].calls >= p.phases[LIL_PHASE_LINEAR_SOLVE].calls);
    CHECK(p.phases[LIL_PHASE_EVALUATE].calls > p.phases[LIL_PHASE_LINEAR_SOLVE].calls);
    CHECK(p.phases[LIL_PHASE_ASSEMBLE].calls > 0 && p.phases[LIL_PHASE_KICKS].calls == 0);
    lil_run_destroy(&run);
}

#define BAR                                                                                                          \
    "gravity: 9.81\nbodies:\n  bar:\n    shape: {type: bar, size: [0.4, 0.1, 0.1], cells: [8, 2, 2]}\n"              \
    "    material: {model: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n"                                  \
    "    start: {spin: [0, 3, 1]}\n"

TEST(linear_solves_are_newton_iterations)
{
    counts_agree(PENDULUM "integrator: midpoint\n", 50);                          /* minimised */
    counts_agree(PENDULUM "integrator: midpoint\nsolver: {method: root}\n", 50);  /* a root */
    counts_agree(PENDULUM "integrator: {method: gauss, stages: 2}\n", 50);        /* stages */
    counts_agree(BAR "integrator: midpoint\ntime: {step: 0.01, until: 1}\n", 20); /* iterative */
    counts_agree(BAR "integrator: midpoint\nsolver: {linear: direct}\ntime: {step: 0.01, until: 1}\n", 20);
    counts_agree(BAR "integrator: energy-momentum\ntime: {step: 0.01, until: 1}\n", 20);
}

/* Exact damping kicks before and after each step. */
TEST(kicks_are_two_a_step)
{
    lil_run *run = problem(ctx, BAR "    damping: 0.01\nintegrator: midpoint\ntime: {step: 0.01, until: 1}\n");
    MUST(lil_sim_set_profile(lil_run_sim(run), true));
    MUST(lil_run_advance(run, 10));
    lil_profile p = lil_sim_profile(lil_run_sim(run));
    CHECK(p.phases[LIL_PHASE_KICKS].calls == 20);
    CHECK(p.phases[LIL_PHASE_KICKS].whole > p.phases[LIL_PHASE_KICKS].seconds); /* they solve */
    lil_run_destroy(&run);
}

/* ---- bits ---- */

static const char *const CONTACT =
    "gravity: 9.81\nbodies:\n  low:\n    shape: {type: box, size: [0.2, 0.2, 0.1], cells: [3, 3, 2]}\n"
    "    material: {model: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n    damping: 0.005\n"
    "  high:\n    shape: {type: box, size: [0.2, 0.2, 0.1], cells: [3, 3, 2]}\n"
    "    material: {model: neo-hookean, young: 1e5, poisson: 0.4, density: 1000}\n    damping: 0.005\n"
    "    at: [0.05, 0, 0.11]\n    start: {velocity: [0, 0, -1]}\n"
    "contact: {friction: 0.3}\nobstacles: {floor: {plane: {point: [0, 0, -0.06], normal: [0, 0, 1]}}}\n"
    "integrator: energy-momentum\ntime: {step: 1/240, until: 1}\n";

static lil_run *stepped(const char *text, int threads, bool profile, int steps)
{
    CHECK(lil_context_set_threads(ctx, threads) == LIL_OK);
    lil_run *run = problem(ctx, text);
    CHECK(lil_sim_set_profile(lil_run_sim(run), profile) == LIL_OK);
    CHECK(lil_run_advance(run, steps) == LIL_OK);
    return run;
}

static void same_bits(const char *text, int steps)
{
    lil_run *plain = stepped(text, 1, false, steps);
    const lil_state *x = lil_sim_state(lil_run_sim(plain));
    lil_profile first = { 0 };
    for (int threads = 1; threads <= 4; threads *= 2) {
        lil_run *run = stepped(text, threads, true, steps);
        const lil_state *y = lil_sim_state(lil_run_sim(run));
        lil_profile p = lil_sim_profile(lil_run_sim(run));
        lil_certificate a = lil_sim_certificate(lil_run_sim(plain)), b = lil_sim_certificate(lil_run_sim(run));
        CHECK(memcmp(x->q, y->q, (size_t)x->n * sizeof *x->q) == 0);
        CHECK(memcmp(x->p, y->p, (size_t)x->n * sizeof *x->p) == 0);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
        for (int i = 0; threads > 1 && i < LIL_PHASE_COUNT; i++) /* so are the counts */
            CHECK(p.phases[i].calls == first.phases[i].calls);
        first = p;
        lil_run_destroy(&run);
    }
    CHECK(lil_sim_profile(lil_run_sim(plain)).seconds == 0);
    lil_run_destroy(&plain);
    MUST(lil_context_set_threads(ctx, 1));
}

TEST(results_have_the_same_bits)
{
    same_bits(PENDULUM "integrator: midpoint\n", 100);
    same_bits(BAR "    damping: 0.01\nintegrator: midpoint\ntime: {step: 0.01, until: 1}\n", 10);
    same_bits(CONTACT, test_small() ? 5 : 20);
}

TEST(contact_is_searched_for)
{
    lil_run *run = stepped(CONTACT, 1, true, 5);
    lil_profile p = lil_sim_profile(lil_run_sim(run));
    CHECK(p.phases[LIL_PHASE_CONTACT_SEARCH].calls > 0 && p.phases[LIL_PHASE_CONTACT_SEARCH].seconds > 0);
    lil_run_destroy(&run);
}

/* ---- shots, tables ---- */

TEST(a_shot_is_measured_too)
{
    const char *text =
        "lagrangian: 1/2*dx^2 - x^4\nstart: {x: 0}\nkeys: [{at: 0, q: [0]}, {at: 1, q: [1]}]\nshot: {frames: 16}\n";
    lil_scene *scene = NULL;
    lil_run *run = NULL;
    lil_run_def def = lil_run_def_default();
    lil_profile p;
    def.profile = true;
    MUST(lil_scene_parse(ctx, "shot", text, strlen(text), &scene));
    MUST(lil_run_create(ctx, scene, &def, &run));
    MUST(lil_run_advance(run, 100));
    CHECK(lil_run_profile(run, &p));
    CHECK(p.steps == 16); /* frames that were placed */
    CHECK(p.phases[LIL_PHASE_ASSEMBLE].calls > 0 && p.phases[LIL_PHASE_LINEAR_SOLVE].calls > 0);
    CHECK(p.phases[LIL_PHASE_RECORD].calls == 16);
    CHECK_NEAR(seconds_of(&p), p.seconds, 1e-14 * p.seconds);
    lil_run_destroy(&run);
    lil_scene_destroy(&scene);
}

TEST(a_table_has_a_line_for_each_phase_that_ran)
{
    lil_profile p = { .steps = 4, .seconds = 2 };
    p.phases[LIL_PHASE_LINEAR_SOLVE] = (lil_phase_time){ .seconds = 1.5, .whole = 1.75, .calls = 12 };
    p.phases[LIL_PHASE_OTHER] = (lil_phase_time){ .seconds = 0.5, .whole = 2, .calls = 4 };
    char *table = lil_profile_table(&p);
    CHECK(table && strstr(table, "linear solve") && strstr(table, "75.0 %") && strstr(table, "1.75"));
    CHECK(table && strstr(table, "other") && !strstr(table, "kicks"));
    lil_free(table);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(own_times_add_up_to_the_nanosecond);
    RUN(phases_that_are_too_deep_count_as_the_one_around_them);
    RUN(every_phase_has_a_name_and_a_sentence);
    RUN(seconds_bound_each_other);
    RUN(only_the_sim_that_was_asked_is_measured);
    RUN(linear_solves_are_newton_iterations);
    RUN(kicks_are_two_a_step);
    RUN(results_have_the_same_bits);
    RUN(contact_is_searched_for);
    RUN(a_shot_is_measured_too);
    RUN(a_table_has_a_line_for_each_phase_that_ran);
    lil_context_destroy(&ctx);
    return test_end();
}
