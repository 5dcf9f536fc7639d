/*
 * Shots against what is known of them: closed forms of the free particle and of the oscillator, motions that need no ghost
 * force, derivatives by differences, and the two methods against each other.
 */
#include "problems.h"

#include "core/field.h"
#include "keyframes/problem.h"
#include "run/run.h"

static lil_context *ctx;

static lil_rule midpoint(void)
{
    return lil_rule_variational(1, (double[]){ 1 }, (double[]){ 0.5 }, false);
}

static lil_rule verlet(void)
{
    return lil_rule_variational(2, (double[]){ 0.5, 0.5 }, (double[]){ 0, 1 }, false);
}

typedef lil_rule rule_fn(void);
static rule_fn *const rules[] = { midpoint, verlet };

#define FREE "lagrangian: 1/2*dx^2\nstart: {x: 0}\ntime: {step: 0.1, until: 1}\n"
/* the thesis' mass on a spring, M = k = 2 */
#define SPRING "lagrangian: dx^2 - x^2\nstart: {x: 1}\ntime: {step: 0.1, until: 1}\n"
#define CHAIN                                                                                                        \
    "lagrangian: 1/2*(dx^2 + dy^2 + du^2 + dw^2) - 4*(sqrt(x^2 + y^2 + 0.1) - 1)^2"                                  \
    " - 4*(sqrt((u-x)^2 + (w-y)^2 + 0.1) - 1)^2 - 2*y - 2*w\n"                                                       \
    "start: {x: 0.5, y: -0.8, u: 1.2, w: -1.5}\ntime: {step: 0.1, until: 1}\n"
#define DAMPED                                                                                                       \
    "lagrangian: 1/2*dtheta^2 + 9.81*cos(theta)\nforce: {theta: -0.3*dtheta + 0.2*cos(3*t)}\n"                       \
    "start: {theta: 1}\ntime: {step: 0.1, until: 1}\n"

/* four particles, the first of which is held, on three springs */
#define PARTICLES(hold, spring, more)                                                                                \
    "particles:\n  chain: {at: [[0, 0, 0], [1.1, 0, 0], [2, 0.3, 0.1], [2.9, 0, -0.4]], mass: [1, 1, 2, 1], " hold   \
    ","                                                                                                              \
    " velocity: [[0, 0, 0], [0, 1, 0], [0, 0, 1.5], [0.5, -1, 0]], pairs: [[0, 1], [1, 2], [2, 3]],"                 \
    " links: {stiffness: 40, length: 0.9" spring "}" more "}\ngravity: 9.81\ntime: {step: 0.02, until: 1}\n"
/* damping along springs, and drag in the wind */
#define DAMPED_PARTICLES PARTICLES("fixed: [0]", ", damping: 0.02", ", drag: 0.3, wind: [1, 0, sin(t)]")

/* and the first one moves as it is told, which the damping feels */
#define DRIVEN_PARTICLES PARTICLES("handles: [{select: [0], move: [0, 0.3*sin(5*t), 0]}]", ", damping: 0.02", "")

/* solves it, or ends the program: a test cannot go on without */
static lil_problem *solve(const lil_problem_def *def, const lil_shot_method *method, const char *options)
{
    lil_problem *shot = NULL;
    char config[1024] __attribute__((aligned(16)));
    lil_fields_default(method->fields, method->field_count, config);
    if ((options && lil_fields_parse(ctx, method->fields, method->field_count, config, options) != LIL_OK) ||
        lil_problem_create(ctx, def, &shot) != LIL_OK || method->solve(shot, config) != LIL_OK) {
        printf("%s: %s\n", test_name, lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return shot;
}

/* one coordinate from a to b in T, at rest at both ends */
static lil_problem_def from_to(const lil_model *model, lil_rule rule, int frames, double T, lil_shot_key keys[2])
{
    return (lil_problem_def){ .model = model, .rule = rule, .frames = frames, .t1 = T, .keys = keys, .key_count = 2 };
}

static double apart(int n, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* from 0 to 1 in 1, at rest at both ends, the least sum of w |phi|^2 is 12/(1 + 2 h^2): the cubic's 12 */
TEST(free_particle_costs_what_it_must)
{
    lil_run *run = problem(ctx, FREE);
    double zero = 0, one = 1;
    for (int r = 0; r < 2; r++)
        for (int N = 4; N <= 256; N *= 4) {
            lil_shot_key keys[] = { { .frame = 0, .q = &zero, .v = &zero }, { .frame = N, .q = &one, .v = &zero } };
            lil_problem_def def = from_to(lil_run_model(run), rules[r](), N, 1, keys);
            lil_problem *shot = solve(&def, &lil_shot_global, NULL);
            CHECK_NEAR(shot->now.C / (12 / (1 + 2.0 / N / N)), 1, 1e-10);
            CHECK(shot->converged);
            CHECK(shot->q[0] == 0 && shot->q[N] == 1);
            lil_problem_destroy(&shot);
        }
    lil_run_destroy(&run);
}

/* M = k = 2, from 1 to 8 in 6 pi at rest: phi = c sin t, q = cos t + ..., cost 392/(6 pi) in the limit, at second order */
TEST(oscillator_converges_at_second_order)
{
    lil_run *run = problem(ctx, SPRING);
    double one = 1, eight = 8, zero = 0, T = 6 * acos(-1), before[2] = { 0 };
    for (int r = 0; r < 2; r++)
        for (int N = 192; N <= 768; N *= 2) {
            lil_shot_key keys[] = { { .frame = 0, .q = &one, .v = &zero }, { .frame = N, .q = &eight, .v = &zero } };
            lil_problem_def def = from_to(lil_run_model(run), rules[r](), N, T, keys);
            lil_problem *shot = solve(&def, &lil_shot_global, NULL);
            double error = fabs(shot->now.C - 392 / T), worst = 0;
            for (int k = 0; k <= N;
                 k++) { /* 2 q'' + 2 q = phi = b sin t, q' = 0 at both ends: q = cos t + (b/4)(sin t - t cos t) */
                double t = shot->t[k], b = -4 * 7 / T;
                worst = fmax(worst, fabs(shot->q[k] - (cos(t) + b / 4 * (sin(t) - t * cos(t)))));
            }
            if (N > 192) {
                CHECK_NEAR(log2(before[0] / error), 2, 0.15);
                CHECK_NEAR(log2(before[1] / worst), 2, 0.15);
            }
            before[0] = error;
            before[1] = worst;
            lil_problem_destroy(&shot);
        }
    lil_run_destroy(&run);
}

static unsigned long seed = 1;
static double noise(void)
{
    seed = seed * 6364136223846793005UL + 1442695040888963407UL;
    return (double)(seed >> 33) / (1UL << 30) - 1;
}

/* g = (dC/dq)/2 and, unless curvature is left out, its derivative against differences, about frames shaken by so much */
static void check_derivatives(lil_problem *shot, double shake, bool all_of_curvature)
{
    int total = (shot->N + 1) * shot->n;
    double *all = calloc(5 * (size_t)total, sizeof *all), C[2], e = 1e-5;
    double *d = all, *g = d + total, *Hd = g + total, *side[2] = { Hd + total, Hd + 2 * total };
    lil_banded A;
    MUST(lil_problem_banded(shot, &A));
    for (int i = 0; i < total; i++) {
        d[i] = shot->held[i] ? 0 : noise();
        shot->q[i] += shot->held[i] ? 0 : shake * noise();
    }
    lil_ghost_evaluate(shot, shot->q, &shot->now);
    lil_ghost_derivatives(shot);
    lil_ghost_gradient(shot, &shot->now, g);
    lil_ghost_matrix(shot, &shot->now, true, &A);
    lil_banded_multiply(&A, d, Hd);
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < total; i++)
            shot->q[i] += (s ? -2 : 1) * e * d[i];
        lil_ghost_evaluate(shot, shot->q, &shot->next);
        lil_ghost_derivatives(shot);
        lil_ghost_gradient(shot, &shot->next, side[s]);
        C[s] = shot->next.C;
    }
    CHECK_NEAR((C[0] - C[1]) / (4 * e), lil_dot(total, g, d), 1e-7 * lil_norm(total, g) * lil_norm(total, d));
    for (int i = 0; all_of_curvature && i < total; i++)
        CHECK_NEAR((side[0][i] - side[1][i]) / (2 * e), Hd[i], 1e-6 * lil_norm(total, Hd));
    free(all);
}

/* with smoothness, partial keys, velocities inside, and any L */
TEST(derivatives_agree_with_differences)
{
    const char *texts[] = { CHAIN, DAMPED, DOUBLE_PENDULUM, PARTICLES("fixed: [0]", "", ""), DAMPED_PARTICLES };
    enum { N = 7, MOST = 9 };
    for (int p = 0; p < 5; p++)
        for (int r = 0; r < 2; r++) {
            lil_run *run = problem(ctx, texts[p]);
            const lil_model *model = lil_run_model(run);
            int n = lil_model_size(model);
            double q[3][MOST], v[MOST];
            bool held[MOST] = { true };
            for (int i = 0; i < 3 * MOST; i++)
                q[i / MOST][i % MOST] =
                    0.3 * noise() + (n == MOST ? lil_sim_state(lil_run_sim(run))->q[i % MOST] : i % MOST > 1);
            for (int i = 0; i < MOST; i++)
                v[i] = noise();
            lil_shot_key keys[] = { { .frame = 0, .q = q[0], .v = v },
                                    { .frame = 2, .q = q[1], .held = held },
                                    { .frame = 4, .q = q[1], .v = v },
                                    { .frame = N, .q = q[2] } };
            lil_problem_def def = { .model = model,
                                    .rule = rules[r](),
                                    .frames = N,
                                    .t1 = 1.4,
                                    .keys = keys,
                                    .key_count = 4,
                                    .smoothness = 0.3 };
            lil_problem *shot = NULL;
            MUST(lil_problem_create(ctx, &def, &shot));
            check_derivatives(shot, 0.1, !lil_model_terms(model, LIL_KICK)); /* of kicks the curvature is left out */
            lil_problem_destroy(&shot);
            lil_run_destroy(&run);
        }
}

/* Keys from a run need no ghost force, and the frames are those of the run. */
static void check_forward(const char *text, const char *integrator, lil_rule rule, int every, int segments, double h)
{
    lil_run *run = problem(ctx, text);
    lil_sim *sim = start(ctx, run, integrator, NULL, h, NULL, NULL);
    int n = lil_model_size(lil_run_model(run)), N = every * segments;
    double *path = calloc((size_t)(N + 1) * n, sizeof *path);
    lil_shot_key *keys = calloc((size_t)segments + 1, sizeof *keys);
    for (int k = 0; k <= N; k++) {
        memcpy(path + (size_t)k * n, lil_sim_state(sim)->q, (size_t)n * sizeof *path);
        if (k % every == 0)
            keys[k / every] = (lil_shot_key){ .frame = k, .q = path + (size_t)k * n };
        if (k < N)
            advance(ctx, sim, 1);
    }
    lil_problem_def def = {
        .model = lil_run_model(run), .rule = rule, .frames = N, .t1 = N * h, .keys = keys, .key_count = segments + 1
    };
    lil_problem *shot = solve(&def, &lil_shot_global, NULL);
    CHECK(shot->converged);
    CHECK_BELOW(shot->now.C, 1e-15 * shot->spline_cost);
    CHECK_BELOW(apart((N + 1) * n, shot->q, path), 1e-9);
    free(keys);
    free(path);
    lil_problem_destroy(&shot);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

TEST(keys_from_a_run_give_the_run)
{
    check_forward(CHAIN, "midpoint", midpoint(), 8, 5, 0.05);
    check_forward(CHAIN, "stormer-verlet", verlet(), 8, 5, 0.05);
    check_forward(DAMPED, "midpoint", midpoint(), 16, 3, 0.04);
    check_forward(DAMPED, "stormer-verlet", verlet(), 16, 3, 0.04);
    check_forward(DOUBLE_PENDULUM, "midpoint", midpoint(), 8, 4, 0.04);
    check_forward(PARTICLES("fixed: [0]", "", ""), "midpoint", midpoint(), 8, 6, 0.02);
    check_forward(PARTICLES("fixed: [0]", "", ""), "stormer-verlet", verlet(), 8, 6, 0.02);
    check_forward(DAMPED_PARTICLES, "midpoint", midpoint(), 8, 6, 0.02);
    check_forward(DAMPED_PARTICLES, "stormer-verlet", verlet(), 8, 6, 0.02);
    check_forward(DRIVEN_PARTICLES, "midpoint", midpoint(), 8, 6, 0.02);
    check_forward(DRIVEN_PARTICLES, "stormer-verlet", verlet(), 8, 6, 0.02);
}

TEST(local_goes_where_global_is)
{
    lil_run *run = problem(ctx, CHAIN);
    double q[3][4] = { { 0.5, -0.8, 1.2, -1.5 }, { -0.3, -1, 0.2, -1.8 }, { 0.6, -0.6, 1.4, -0.5 } }, v[4] = { 0 };
    for (int r = 0; r < 2; r++) {
        lil_shot_key keys[] = { { .frame = 0, .q = q[0], .v = v },
                                { .frame = 4, .q = q[1] },
                                { .frame = 8, .q = q[2] } };
        lil_problem_def def = {
            .model = lil_run_model(run), .rule = rules[r](), .frames = 8, .t1 = 1, .keys = keys, .key_count = 3
        };
        lil_problem *global = solve(&def, &lil_shot_global, NULL);
        lil_problem *local = solve(&def, &lil_shot_local, "sweeps=0,4000 relaxation=1.5");
        CHECK(global->converged);
        CHECK_NEAR(local->now.C / global->now.C, 1, 1e-9);
        CHECK_BELOW(apart(9 * 4, local->q, global->q), 1e-6);
        lil_problem_destroy(&global);
        lil_problem_destroy(&local);
    }
    lil_run_destroy(&run);
}

/* also where springs are damped, the air drags, and a particle is fixed */
TEST(local_goes_where_global_is_with_damping)
{
    lil_run *run = problem(ctx, DAMPED_PARTICLES);
    const double *x = lil_sim_state(lil_run_sim(run))->q;
    double q[2][9], v[9] = { 0.3, -0.2 };
    for (int i = 0; i < 9; i++) {
        q[0][i] = x[i];
        q[1][i] = x[i] + 0.1 * (i % 4) - 0.2;
    }
    lil_shot_key keys[] = { { .frame = 0, .q = q[0], .v = v }, { .frame = 4, .q = q[1] } };
    lil_problem_def def = from_to(lil_run_model(run), midpoint(), 4, 0.15, keys);
    lil_problem *global = solve(&def, &lil_shot_global, NULL);
    lil_problem *local = solve(&def, &lil_shot_local, "sweeps=0,400 relaxation=1.5");
    CHECK(global->converged && local->converged);
    CHECK_BELOW(apart(5 * 9, local->q, global->q), 1e-6);
    lil_problem_destroy(&global);
    lil_problem_destroy(&local);
    lil_run_destroy(&run);
}

/* Regularisers move frames, the less the shorter h is: by its square, as much as frames are off anyway. */
TEST(regularisers_vanish_with_h)
{
    const char *names[] = { "laplacian", "rayleigh", "spline" };
    lil_run *run = problem(ctx, "lagrangian: 1/2*dx^2 + dy^2 - 2*x^2 - 3*(y - x)^2 - y^4\nstart: {x: 1, y: 0}\n"
                                "time: {step: 0.1, until: 1}\n");
    double a[] = { 1, 0 }, b[] = { -0.5, 1 }, v[2] = { 0 };
    for (int i = 0; i < 3; i++) {
        double before = 0;
        for (int N = 4; N <= (test_small() ? 8 : 16); N *= 2) {
            char options[100];
            lil_shot_key keys[] = { { .frame = 0, .q = a, .v = v }, { .frame = N, .q = b, .v = v } };
            lil_problem_def def = from_to(lil_run_model(run), midpoint(), N, 1, keys);
            snprintf(options, sizeof options, "sweeps=%d relaxation=1.8 regularise=%s strength=1", 16 * N * N,
                     names[i]);
            lil_problem *global = solve(&def, &lil_shot_global, NULL), *local = solve(&def, &lil_shot_local, options);
            double off = apart(2 * (N + 1), global->q, local->q);
            printf("       %s, %d frames: moved by %.2e\n", names[i], N, off);
            CHECK(off > 1e-9);
            if (N > 4)
                CHECK(off < before / 3.2);
            before = off;
            lil_problem_destroy(&global);
            lil_problem_destroy(&local);
        }
    }
    lil_run_destroy(&run);
}

/* ---- running costs ---- */

static lil_problem *solved(lil_run *run)
{
    CHECK(lil_shot_solve(run->plan.shot, NULL, NULL) == LIL_OK);
    return run->plan.shot->problem;
}

#define THROWN(shot)                                                                                                 \
    "lagrangian: 1/2*dx^2 + dy^2 - x*y^2\nforce: {y: -0.1*dy*x}\nstart: {x: 0, y: 0}\nintegrator: midpoint\n"        \
    "keys: [{at: 0, q: [0, 0], velocity: [1, 0]}, {at: 1/2, q: [1, 1], velocity: [0, 1]}, {at: 3/2, q: {x: 0}},"     \
    " {at: 2, q: [2, 1]}]\nshot: {frames: 16, smoothness: 0.2" shot "}\n"

/* its derivatives against differences: with all that can be seen, marks and what is fixed too */
static void check_running(const char *text)
{
    lil_run *run = problem(ctx, text);
    lil_problem *shot = solved(run);
    CHECK(shot->converged);
    check_derivatives(shot, 0.02,
                      !lil_model_forces_vary(lil_run_model(run))); /* of forces the curvature is left out */
    lil_run_destroy(&run);
}

TEST(running_cost_has_its_derivatives)
{
    check_running(THROWN(", cost: \"x^2*dy^2 + ghost_x^2*x^2/8 + 0.1*t*ghost_y*dx + cos(y) + 3\""));
    check_running("lagrangian: 1/2*dx^2 + dy^2 - x*y^2\nstart: {x: 0, y: 0}\nintegrator: stormer-verlet\n"
                  "keys: [{at: 0, q: [0, 0]}, {at: 1, q: [1, 1], velocity: [0, 1]}, {at: 2, q: [2, 1]}]\n"
                  "shot: {frames: 10, cost: \"x^2*dy^2 + ghost_x^2*x^2/8 + 0.1*t*ghost_y*dx + cos(y) + 3\"}\n");
    check_running(
        "particles:\n  chain: {at: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], mass: 1, fixed: [0], pairs: [[0, 1], [1, 2]],"
        " links: {stiffness: 10}, groups: {tip: [2]}}\nintegrator: midpoint\n"
        "keys: [{at: 0, q: [[0, 0, 0], [1, 0, 0], [2, 0, 0]]}, {at: 1, q: [[0, 0, 0], [0, 0, 1], [0, 1, 2]]}]\n"
        "shot: {frames: 8, cost: \"tip[3]^2*ghost_chain[1]^2/20 + dtip[1]^2 + "
        "chain[2]*dchain[3]*ghost_tip[2]/10\"}\n");
}

/* the ghost force's own cost once more is the same shot at twice the cost */
TEST(running_cost_of_the_force_doubles_it)
{
    lil_run *once = problem(ctx, THROWN("")), *none = problem(ctx, THROWN(", cost: 0*x")),
            *twice = problem(
                ctx,
                "lagrangian: dx^2 - x^2\nstart: {x: 1}\nkeys: [{at: 0, q: [1], velocity: [0]}, {at: 3, q: [8]}]\n"
                "integrator: midpoint\nshot: {frames: 32, cost: ghost_x^2}\n"),
            *plain = problem(
                ctx,
                "lagrangian: dx^2 - x^2\nstart: {x: 1}\nkeys: [{at: 0, q: [1], velocity: [0]}, {at: 3, q: [8]}]\n"
                "integrator: midpoint\nshot: {frames: 32}\n");
    CHECK_NEAR(solved(none)->now.C / solved(once)->now.C, 1, 1e-12);
    CHECK_NEAR(solved(twice)->now.C / solved(plain)->now.C, 2, 1e-12);
    CHECK_BELOW(apart(33, twice->plan.shot->problem->q, plain->plan.shot->problem->q), 1e-11);
    lil_run *all[] = { once, none, twice, plain };
    for (int i = 0; i < 4; i++)
        lil_run_destroy(&all[i]);
}

/* the least of int phi^2 + 9 x'^2, phi = x'': x'''' = 9 x'', from 0 to 1 in 1 s, at rest */
TEST(running_cost_of_the_speed_is_met_at_second_order)
{
    double before = 0, k = 3, s = sinh(k), c = cosh(k);
    /* x = a (sinh(k t) - k t) + b (cosh(k t) - 1), x(1) = 1, x'(1) = 0 */
    double p = s - k, q = c - 1, r = c - 1, u = s, det = p * u - q * r, a = u / det, b = -r / det;
    for (int N = 16; N <= 64; N *= 2) {
        char text[400];
        snprintf(text, sizeof text,
                 "lagrangian: 1/2*dx^2\nstart: {x: 0}\nintegrator: midpoint\nshot: {frames: %d, cost: 9*dx^2}\n"
                 "keys: [{at: 0, q: [0], velocity: [0]}, {at: 1, q: [1], velocity: [0]}]\n",
                 N);
        lil_run *run = problem(ctx, text);
        const lil_problem *shot = solved(run);
        double worst = 0;
        for (int i = 0; i <= N; i++) {
            double t = shot->t[i], x = a * (sinh(k * t) - k * t) + b * (cosh(k * t) - 1);
            worst = fmax(worst, fabs(shot->q[i] - x));
        }
        if (N > 16)
            CHECK_NEAR(log2(before / worst), 2, 0.2);
        before = worst;
        lil_run_destroy(&run);
    }
}

static double off_cosine(const lil_problem *shot)
{
    double worst = 0;
    for (int k = 0; k <= shot->N; k++)
        worst = fmax(worst, fabs(shot->q[k] - cos(shot->t[k])));
    return worst;
}

/* Fig. 6.4: two periods between two keys need much relaxation, or all frames at once */
TEST(two_periods_need_relaxation)
{
    lil_run *run = problem(ctx, SPRING);
    double one = 1, zero = 0;
    lil_shot_key keys[] = { { .frame = 0, .q = &one, .v = &zero }, { .frame = 32, .q = &one, .v = &zero } };
    lil_problem_def def = from_to(lil_run_model(run), midpoint(), 32, 4 * acos(-1), keys);
    lil_problem *few = solve(&def, &lil_shot_local, "sweeps=5 relaxation=1.8");
    lil_problem *many = solve(&def, &lil_shot_local, "sweeps=0,0,20,30,40 relaxation=1.8");
    lil_problem *global = solve(&def, &lil_shot_global, NULL);
    printf("       5 a level %.3f, progressive %.3f, global %.4f\n", off_cosine(few), off_cosine(many),
           off_cosine(global));
    CHECK(!few->converged && !many->converged && global->converged);
    CHECK_NEAR(few->residual, off_cosine(few), 0.01); /* how far off they are is what they say */
    CHECK_NEAR(many->residual, off_cosine(many), 0.01);
    CHECK_NEAR(off_cosine(few), 0.81, 0.01);
    CHECK_NEAR(off_cosine(many), 0.23, 0.01);
    CHECK_BELOW(off_cosine(global), 0.01);
    lil_problem_destroy(&few);
    lil_problem_destroy(&many);
    lil_problem_destroy(&global);
    lil_run_destroy(&run);
}

/*
 * The same oscillator between (a, at rest) and (b, at rest) in long double, not by minimising: phi obeys the recurrence
 * alpha (phi_{k-1} + phi_{k+1}) + beta phi_k = 0 that the free frames' gradient is, q the same one driven by h phi, and two
 * unknowns, phi_0 and phi_1, meet the two conditions at the end. Nothing in it grows faster than k^2.
 */
typedef struct shooting {
    int N;
    long double h, alpha, beta;
} shooting;

/* q from phi_0, phi_1; *end is what f_N lacks */
static void shoot(const shooting *s, long double a, long double phi0, long double phi1, long double *q,
                  long double *end)
{
    long double h = s->h, before = phi0, phi = phi1;
    q[0] = a;
    q[1] = (h / 2 * phi0 + (2 / h - h / 2) * a) / s->alpha; /* p+ = 2 (q1 - q0)/h + h/2 (q0 + q1) */
    for (int k = 1; k < s->N; k++) {
        q[k + 1] = (h * phi - s->beta * q[k]) / s->alpha - q[k - 1];
        long double next = -s->beta / s->alpha * phi - before;
        before = phi;
        phi = next;
    }
    *end = -(2 / h * (q[s->N] - q[s->N - 1]) - h / 2 * (q[s->N] + q[s->N - 1])) - h / 2 * phi;
}

static void exact_shot(int N, double T, double a, double b, double *out)
{
    long double h = (long double)T / N, *q[3], end[3];
    shooting s = { N, h, 2 / h + h / 2, -4 / h + h };
    for (int i = 0; i < 3; i++) {
        q[i] = malloc(((size_t)N + 1) * sizeof *q[i]);
        shoot(&s, i == 0 ? a : 0, i == 1, i == 2, q[i], &end[i]);
    }
    long double det = q[1][N] * end[2] - q[2][N] * end[1], r0 = b - q[0][N], r1 = -end[0];
    long double x = (r0 * end[2] - q[2][N] * r1) / det, y = (q[1][N] * r1 - r0 * end[1]) / det;
    for (int k = 0; k <= N; k++)
        out[k] = (double)(q[0][k] + x * q[1][k] + y * q[2][k]);
    for (int i = 0; i < 3; i++)
        free(q[i]);
}

TEST(long_shots_keep_their_digits)
{
    lil_run *run = problem(ctx, SPRING);
    double a = 1, b = 8, zero = 0, pi = acos(-1), T[] = { 6 * pi, 40 * pi };
    for (int i = 0; i < 2; i++)
        for (int N = 1000; N <= 10000; N *= 10) {
            double *exact = malloc(((size_t)N + 1) * sizeof *exact);
            lil_shot_key keys[] = { { .frame = 0, .q = &a, .v = &zero }, { .frame = N, .q = &b, .v = &zero } };
            lil_problem_def def = from_to(lil_run_model(run), midpoint(), N, T[i], keys);
            lil_problem *shot = solve(&def, &lil_shot_global, NULL);
            exact_shot(N, T[i], a, b, exact);
            printf("       %d frames over %.0f pi: %.1e, %d iterations\n", N, T[i] / pi, apart(N + 1, shot->q, exact),
                   shot->iterations);
            CHECK(shot->converged);
            CHECK_BELOW(apart(N + 1, shot->q, exact), 1e-8);
            free(exact);
            lil_problem_destroy(&shot);
        }
    lil_run_destroy(&run);
}

/* twenty periods, 64 frames each, between two keys */
TEST(many_periods_are_found)
{
    lil_run *run = problem(ctx, SPRING);
    double one = 1, zero = 0;
    int N = 64 * 20;
    lil_shot_key keys[] = { { .frame = 0, .q = &one, .v = &zero }, { .frame = N, .q = &one, .v = &zero } };
    for (int r = 0; r < 2; r++) {
        lil_problem_def def = from_to(lil_run_model(run), rules[r](), N, 40 * acos(-1), keys);
        lil_problem *shot = solve(&def, &lil_shot_global, NULL);
        printf("       off by %.2e\n", off_cosine(shot));
        CHECK_BELOW(off_cosine(shot), 2e-3);
        lil_problem_destroy(&shot);
    }
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(free_particle_costs_what_it_must);
    RUN(oscillator_converges_at_second_order);
    RUN(derivatives_agree_with_differences);
    RUN(keys_from_a_run_give_the_run);
    RUN(local_goes_where_global_is);
    RUN(local_goes_where_global_is_with_damping);
    RUN(regularisers_vanish_with_h);
    RUN(running_cost_has_its_derivatives);
    RUN(running_cost_of_the_force_doubles_it);
    RUN(running_cost_of_the_speed_is_met_at_second_order);
    RUN(two_periods_need_relaxation);
    RUN(long_shots_keep_their_digits);
    RUN(many_periods_are_found);
    lil_context_destroy(&ctx);
    return test_end();
}
