/*
 * Every registered integrator is held to what its table claims, and to nothing less where it does not claim: order,
 * symplecticity, symmetry, momenta, energy, explicitness. A new method is tested by being registered.
 */
#include "springs.h"

static lil_context *ctx;

/* ---- the cases: each method with its defaults, and configurations whose claims differ ---- */

typedef struct method_case {
    const char *name, *options;
    lil_claims claims;
} method_case;

static const char *const configured[][2] = {
    { "hamilton-pontryagin", "alpha=0" },
    { "hamilton-pontryagin", "alpha=0.25" },
    { "hamilton-pontryagin", "alpha=1" },
    { "hamilton-pontryagin", "nodes=0,1 weights=0.5,0.5" },
    /* Simpson */
    { "hamilton-pontryagin", "nodes=0,0.5,1 weights=0.16666666666666666,0.66666666666666663,0.16666666666666666" },
    /* Gauss, two nodes */
    { "hamilton-pontryagin", "nodes=0.21132486540518711,0.78867513459481287 weights=0.5,0.5" },
    /* second order without being symmetric: sum b c = 1/2 */
    { "hamilton-pontryagin", "nodes=0,0.66666666666666663 weights=0.25,0.75" },
    { "composition", "order=6" },
    { "composition", "order=8" },
    { "composition", "order=4 base=midpoint" },
    { "composition", "order=8 base=midpoint" },
    { "composition", "order=6 base=my-leapfrog" },
    { "gauss", "stages=1" },
    { "gauss", "stages=3" },
    { "gauss", "stages=4" },
    { "lobatto", "stages=2" },
    { "lobatto", "stages=4" },
    { "newmark", "beta=0" },
    { "newmark", "beta=0.3 gamma=0.6" },
    { "asynchronous", "courant=0.4" },
    { "composition", "order=4 base=asynchronous" },
};

enum { CASES_MAX = 64 };
static method_case cases[CASES_MAX];
static int case_count;

/* what takes elements alone, and what is composed of it */
static bool elements_only(const method_case *c)
{
    return lil_integrator_claims(lil_integrator_find(ctx, c->name)).holds & LIL_ELEMENTS_ONLY ||
           (c->options && strstr(c->options, "base=asynchronous"));
}

static void list_cases(lil_run *pendulum)
{
    for (int i = 0; i < lil_integrator_count(ctx); i++)
        cases[case_count++] = (method_case){ .name = lil_integrator_at(ctx, i)->name };
    for (size_t i = 0; i < sizeof configured / sizeof configured[0]; i++)
        cases[case_count++] = (method_case){ .name = configured[i][0], .options = configured[i][1] };
    chain zigzag;
    chain_zigzag(ctx, &zigzag);
    for (int i = 0; i < case_count; i++) {
        lil_sim *sim = elements_only(&cases[i])
                           ? chain_start(ctx, &zigzag, cases[i].name, cases[i].options, 0.01, NULL, NULL)
                           : start(ctx, pendulum, cases[i].name, cases[i].options, 0.01, NULL, NULL);
        cases[i].claims = lil_sim_claims(sim);
        lil_sim_destroy(&sim);
    }
    chain_free(&zigzag);
}

static void say(const method_case *c, const char *what, double value)
{
    printf("        %-20s %-40.40s %-14s %10.3g\n", c->name, c->options ? c->options : "", what, value);
}

/* holds where claimed, and visibly fails where not */
static void hold(const method_case *c, unsigned claim, double value, double holds_below, double fails_above)
{
    if (c->claims.holds & claim) {
        if (!(value < holds_below)) {
            test_failures++;
            printf("%s: %s %s claims it, but %.3g >= %.3g\n", test_name, c->name, c->options ? c->options : "", value,
                   holds_below);
        }
    } else if (!(value > fails_above)) {
        test_failures++;
        printf("%s: %s %s does not claim it, but passes with %.3g <= %.3g\n", test_name, c->name,
               c->options ? c->options : "", value, fails_above);
    }
}

/* my-leapfrog is one by nature, and so is what is composed of it */
static bool constant_mass_only(const method_case *c)
{
    return c->claims.holds & LIL_CONSTANT_MASS_ONLY || (c->options && strstr(c->options, "my-leapfrog"));
}

/* ---- order ---- */

typedef void rate_fn(const long double *x, long double *dx); /* x = (q, p) */

static void pendulum_rate(const long double *x, long double *dx)
{
    dx[0] = x[1];
    dx[1] = -9.81L * sinl(x[0]);
}

static void kepler_rate(const long double *x, long double *dx)
{
    long double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrtl(r2);
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = -x[0] / r3;
    dx[3] = -x[1] / r3;
}

/* RK4 in long double with steps so small that its error, about (T/N)^4, is below 1e-15 */
static void reference(rate_fn *f, int size, long double T, long double *x)
{
    enum { N = 40000 };
    long double h = T / N, k[4][4], y[4];
    for (int step = 0; step < N; step++) {
        for (int s = 0; s < 4; s++) {
            long double a = s == 0 ? 0 : s == 3 ? h : h / 2;
            for (int i = 0; i < size; i++)
                y[i] = x[i] + (s ? a * k[s - 1][i] : 0);
            f(y, k[s]);
        }
        for (int i = 0; i < size; i++)
            x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static double final_error(lil_run *problem_run, const method_case *c, double T, int steps, const long double *exact)
{
    lil_sim *sim = start(ctx, problem_run, c->name, c->options, T / steps, NULL, NULL);
    double sum = 0;
    if (!advance(ctx, sim, steps))
        sum = NAN;
    const lil_state *x = lil_sim_state(sim);
    for (int i = 0; i < x->n; i++) {
        double dq = (double)(x->q[i] - exact[i]), dp = (double)(x->p[i] - exact[x->n + i]);
        sum += dq * dq + dp * dp;
    }
    lil_sim_destroy(&sim);
    return sqrt(sum);
}

/* least-squares slope of log error over log h, errors between 1e-11 and 1e-2 only (1e-5 for order 6, 1e-8 for order 8:
 * beyond that their steps are so long that the leading term does not lead) */
static double fitted_order(lil_run *problem_run, const method_case *c, double T, const long double *exact)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    int order = c->claims.order, most = order == 1 ? 8192 : order == 2 ? 2048 : 512;
    double ratio = order <= 2 ? 2 : order <= 4 ? 1.5 : order <= 6 ? 1.25 : 1.1;
    double largest = order <= 4 ? 1e-2 : order <= 6 ? 1e-5 : 1e-8;
    for (int steps = order <= 2 ? 64 : order <= 4 ? 16 : 6; steps <= most; steps = (int)ceil(ratio * steps)) {
        double e = final_error(problem_run, c, T, steps, exact), x = log(T / steps), y = log(e);
        if (e < 1e-11)
            break;
        if (!(e < largest))
            continue;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return n >= 3 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : NAN;
}

static void check_order(const char *text, rate_fn *rate, double T)
{
    lil_run *run = problem(ctx, text);
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    long double exact[4];
    for (int i = 0; i < x->n; i++) {
        exact[i] = x->q[i];
        exact[x->n + i] = x->p[i];
    }
    reference(rate, 2 * x->n, T, exact);
    for (int i = 0; i < case_count; i++) {
        if (elements_only(&cases[i]))
            continue;
        double order = fitted_order(run, &cases[i], T, exact);
        say(&cases[i], "order", order);
        CHECK_NEAR(order, cases[i].claims.order, cases[i].claims.order == 8 ? 0.3 : 0.2);
    }
    lil_run_destroy(&run);
}

/* generic end times, so that no error vanishes by symmetry */
TEST(order_on_pendulum)
{
    check_order(PENDULUM, pendulum_rate, 1.37);
}

TEST(order_on_kepler)
{
    check_order(KEPLER, kepler_rate, 1.71);
}

/* ---- symplecticity: |D'JD - J| of one step's derivative D, by 4th-order differences ---- */

static void map(lil_run *run, const method_case *c, double h, const double *x, double *y, int n)
{
    /* p = v here: all masses are 1 */
    lil_sim *sim = start(ctx, run, c->name, c->options, h, x, x + n);
    advance(ctx, sim, 1);
    memcpy(y, lil_sim_state(sim)->q, (size_t)n * sizeof *y);
    memcpy(y + n, lil_sim_state(sim)->p, (size_t)n * sizeof *y);
    lil_sim_destroy(&sim);
}

static double symplectic_defect(lil_run *run, const method_case *c, double h, const double *x0, int n)
{
    enum { M = 4 };
    const double e = 1e-4;
    double D[M][M], worst = 0;
    for (int j = 0; j < 2 * n; j++) {
        static const double at[4] = { 1, -1, 2, -2 }, weight[4] = { 8. / 12, -8. / 12, -1. / 12, 1. / 12 };
        for (int i = 0; i < 2 * n; i++)
            D[i][j] = 0;
        for (int s = 0; s < 4; s++) {
            double x[M], y[M];
            memcpy(x, x0, 2 * (size_t)n * sizeof *x);
            x[j] += at[s] * e;
            map(run, c, h, x, y, n);
            for (int i = 0; i < 2 * n; i++)
                D[i][j] += weight[s] * y[i] / e;
        }
    }
    for (int a = 0; a < 2 * n; a++)
        for (int b = 0; b < 2 * n; b++) {
            double sum = 0, J = a + n == b ? 1 : b + n == a ? -1 : 0;
            for (int k = 0; k < n; k++)
                sum += D[k][a] * D[k + n][b] - D[k + n][a] * D[k][b];
            worst = fmax(worst, fabs(sum - J));
        }
    return worst;
}

/* 1e-9: differences of values good to 1e-16 over 1e-4 leave about 1e-11; rk4 is at 7e-7, Newmark at 1.8e-4, implicit
 * Euler at 5e-2 (docs/theory.md) */
TEST(symplectic_on_pendulum)
{
    lil_run *run = problem(ctx, PENDULUM);
    const double x0[] = { 1, 0.5 };
    for (int i = 0; i < case_count; i++) {
        if (elements_only(&cases[i]))
            continue;
        double defect = symplectic_defect(run, &cases[i], 0.1, x0, 1);
        say(&cases[i], "|D'JD - J|", defect);
        hold(&cases[i], LIL_SYMPLECTIC, defect, 1e-9, 1e-7);
    }
    lil_run_destroy(&run);
}

TEST(symplectic_on_kepler)
{
    lil_run *run = problem(ctx, KEPLER);
    const double x0[] = { 0.8, 0.3, -0.2, 1.1 };
    for (int i = 0; i < case_count; i++)
        if (!elements_only(&cases[i]))
            hold(&cases[i], LIL_SYMPLECTIC, symplectic_defect(run, &cases[i], 0.1, x0, 2), 1e-9, 1e-7);
    lil_run_destroy(&run);
}

/* ---- symmetry, and the adjoint ---- */

static double distance_home(lil_run *run, const char *name, const char *there, const char *back, double h)
{
    enum { STEPS = 20, N_MAX = 4 };
    lil_sim *out = start(ctx, run, name, there, h, NULL, NULL);
    advance(ctx, out, STEPS);
    const lil_state *x = lil_sim_state(out), *x0 = lil_sim_state(lil_run_sim(run));
    lil_sim *home = start(ctx, run, name, back, -h, x->q, x->v);
    advance(ctx, home, STEPS);
    double worst = 0;
    for (int i = 0; i < x->n; i++)
        worst =
            fmax(worst, fmax(fabs(lil_sim_state(home)->q[i] - x0->q[i]), fabs(lil_sim_state(home)->p[i] - x0->p[i])));
    lil_sim_destroy(&out);
    lil_sim_destroy(&home);
    return worst;
}

/* 2e-12: 40 steps of up to 17 stages of round-off, magnified by the motion; one that is not symmetric misses by
 * 40 h^(order + 1) times a constant, which at order 4 is still 1e-7 */
TEST(symmetric_methods_come_home)
{
    static const char *const texts[] = { PENDULUM, KEPLER, DOUBLE_PENDULUM };
    for (int k = 0; k < 3; k++) {
        lil_run *run = problem(ctx, texts[k]);
        for (int i = 0; i < case_count; i++) {
            if (elements_only(&cases[i]))
                continue;
            if (k == 2 && constant_mass_only(&cases[i]))
                continue;
            double miss = distance_home(run, cases[i].name, cases[i].options, cases[i].options, 0.02);
            hold(&cases[i], LIL_SYMMETRIC, miss, 2e-12, 2e-11);
        }
        lil_run_destroy(&run);
    }
}

/* the inverse of (alpha, h) is (1 - alpha, -h) */
TEST(adjoint_comes_home)
{
    static const char *const pairs[][2] = { { "alpha=0", "alpha=1" },
                                            { "alpha=0.25", "alpha=0.75" },
                                            { "alpha=0.5", "alpha=0.5" },
                                            { "alpha=1", "alpha=0" } };
    static const char *const texts[] = { PENDULUM, KEPLER, DOUBLE_PENDULUM, POLAR_KEPLER };
    for (int k = 0; k < 4; k++) {
        lil_run *run = problem(ctx, texts[k]);
        for (int i = 0; i < 4; i++)
            CHECK_BELOW(distance_home(run, "hamilton-pontryagin", pairs[i][0], pairs[i][1], 0.02), 1e-12);
        CHECK(distance_home(run, "hamilton-pontryagin", "alpha=0.25", "alpha=0.25", 0.02) > 1e-5);
        lil_run_destroy(&run);
    }
}

/* ---- momenta ---- */

static double angular_momentum(const lil_state *x)
{
    return x->q[0] * x->p[1] - x->q[1] * x->p[0];
}

/* 1e-13: round-off of 1000 steps, 1e-16 each, adding up at worst; Euler's loss is of order h */
TEST(momenta)
{
    lil_run *run = problem(ctx, KEPLER);
    for (int i = 0; i < case_count; i++) {
        if (elements_only(&cases[i]))
            continue;
        lil_sim *sim = start(ctx, run, cases[i].name, cases[i].options, 0.01, NULL, NULL);
        double before = angular_momentum(lil_sim_state(sim)), worst = 0;
        for (int k = 0; k < 1000 && advance(ctx, sim, 1); k++)
            worst = fmax(worst, fabs(angular_momentum(lil_sim_state(sim)) / before - 1));
        say(&cases[i], "momentum", worst);
        hold(&cases[i], LIL_MOMENTA, worst, 1e-13, 1e-12);
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

/* In polar coordinates the same momentum is p_phi itself: kept exactly by p += D1 Ld, whose phi part is 0. A method
 * of general Lagrangians that used (6) instead would only keep it to the solver's tolerance. */
TEST(momentum_of_a_cyclic_coordinate_is_exact)
{
    lil_run *run = problem(ctx, POLAR_KEPLER);
    for (int i = 0; i < case_count; i++) {
        if (constant_mass_only(&cases[i]) || elements_only(&cases[i]))
            continue;
        lil_sim *sim = start(ctx, run, cases[i].name, cases[i].options, 0.01, NULL, NULL);
        double before = lil_sim_state(sim)->p[1];
        advance(ctx, sim, 500);
        if (cases[i].claims.holds & LIL_MOMENTA)
            CHECK(lil_sim_state(sim)->p[1] == before);
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

/* ---- energy ---- */

typedef struct energy_story {
    double first_tenth, last_tenth, band, start, end;
} energy_story;

static energy_story watch_energy(lil_sim *sim, long steps)
{
    energy_story s = { .start = lil_sim_energy(sim) };
    double least = s.start, most = s.start;
    for (long k = 0; k < steps && advance(ctx, sim, 1); k++) {
        double E = lil_sim_energy(sim);
        least = fmin(least, E);
        most = fmax(most, E);
        s.first_tenth += k < steps / 10 ? E : 0;
        s.last_tenth += k >= steps - steps / 10 ? E : 0;
    }
    s.first_tenth /= (double)(steps / 10);
    s.last_tenth /= (double)(steps / 10);
    s.band = most - least;
    s.end = lil_sim_energy(sim);
    return s;
}

/* 2e-14: 200 steps of round-off, 1e-16 each, adding up at worst; of the others even order 4 is off by 5e-10. */
TEST(exact_energy)
{
    static const char *const texts[] = { PENDULUM, KEPLER };
    for (int k = 0; k < 2; k++) {
        lil_run *run = problem(ctx, texts[k]);
        for (int i = 0; i < case_count; i++) {
            if (cases[i].claims.order > 4 || elements_only(&cases[i])) /* high orders need no exact energy */
                continue;
            lil_sim *sim = start(ctx, run, cases[i].name, cases[i].options, 0.02, NULL, NULL);
            double start_energy = lil_sim_energy(sim), worst = 0;
            for (int n = 0; n < 200 && advance(ctx, sim, 1); n++)
                worst = fmax(worst, fabs(lil_sim_energy(sim) / start_energy - 1));
            say(&cases[i], "energy", worst);
            hold(&cases[i], LIL_ENERGY_EXACT, worst, 2e-14, 1e-10);
            lil_sim_destroy(&sim);
        }
        lil_run_destroy(&run);
    }
}

/* The mean over a tenth moves only by what part of a swing of 2.2 s the tenth cuts off; a drift would be of the size of
 * the band itself. High orders take long steps, or their band would be round-off. */
TEST(energy_without_drift)
{
    lil_run *run = problem(ctx, PENDULUM);
    for (int i = 0; i < case_count; i++) {
        if (elements_only(&cases[i]))
            continue;
        int order = cases[i].claims.order;
        if (cases[i].claims.holds & LIL_ENERGY_EXACT) /* its band is round-off */
            continue;
        double h = order <= 2 ? 0.01 : order <= 4 ? 0.05 : order <= 6 ? 0.1 : 0.2;
        long steps = (long)((test_small() ? 200 : 1000) / h);
        lil_sim *sim = start(ctx, run, cases[i].name, cases[i].options, h, NULL, NULL);
        energy_story s = watch_energy(sim, steps);
        double drift = fabs(s.last_tenth - s.first_tenth) / s.band;
        say(&cases[i], "energy drift", drift);
        double cut_off = 2.2 / (0.1 * h * (double)steps);
        hold(&cases[i], LIL_ENERGY, drift, cut_off, 2 * cut_off);
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

/* ---- linear stability ---- */

static double amplitude(lil_run *run, const method_case *c, double h)
{
    lil_sim *sim = start(ctx, run, c->name, c->options, h, NULL, NULL);
    double most = 0;
    for (int k = 0; k < 5000 && most < 1e6 && advance(ctx, sim, 1); k++)
        most = fmax(most, fabs(lil_sim_state(sim)->q[0]));
    lil_sim_destroy(&sim);
    return most;
}

/* At 1 % below its limit the orbit is a bounded ellipse, stretched about sqrt(100)-fold; 1 % above it, it grows by a
 * factor at every step (for Verlet by 1.2), without end. */
TEST(stable_up_to_the_limit)
{
    lil_run *run = problem(ctx, "lagrangian: 1/2*dx^2 - 1/2*x^2\nstart: {x: 1}\ntime: {step: 1, until: 1}\n");
    for (int i = 0; i < case_count; i++) {
        if (elements_only(&cases[i]))
            continue;
        double limit = cases[i].claims.stable;
        if (limit == 0)
            continue;
        say(&cases[i], "stable h omega", limit);
        CHECK_BELOW(amplitude(run, &cases[i], isinf(limit) ? 100 : 0.99 * limit), 1000);
        if (!isinf(limit))
            CHECK(amplitude(run, &cases[i], 1.01 * limit) >= 1e6);
    }
    lil_run_destroy(&run);
}

/* ---- explicitness ---- */

TEST(explicit_methods_solve_nothing)
{
    lil_run *run = problem(ctx, PENDULUM);
    for (int i = 0; i < case_count; i++) {
        if (elements_only(&cases[i]))
            continue;
        lil_sim *sim = start(ctx, run, cases[i].name, cases[i].options, 0.01, NULL, NULL);
        advance(ctx, sim, 10);
        bool solves = lil_sim_certificate(sim).newton_iterations > 0, claims = cases[i].claims.holds & LIL_EXPLICIT;
        CHECK(solves == !claims || (cases[i].options && strstr(cases[i].options, "my-leapfrog")));
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

/* ---- methods that take elements alone: the same on a chain of springs whose steps differ ---- */

enum { ZIGZAG = 15 }; /* coordinates; masses are 1, so p = v */

static chain zigzag;

/* n steps of h from x = (q, p) */
static void map_chain(const method_case *c, double h, int steps, const double *x, double *y)
{
    lil_sim *sim = chain_start(ctx, &zigzag, c->name, c->options, h, x, x + ZIGZAG);
    advance(ctx, sim, steps);
    memcpy(y, lil_sim_state(sim)->q, ZIGZAG * sizeof *y);
    memcpy(y + ZIGZAG, lil_sim_state(sim)->p, ZIGZAG * sizeof *y);
    lil_sim_destroy(&sim);
}

static void start_chain(double x[2 * ZIGZAG])
{
    memcpy(x, zigzag.x, ZIGZAG * sizeof *x);
    memcpy(x + ZIGZAG, zigzag.v, ZIGZAG * sizeof *x);
}

static double chain_defect(const method_case *c, double h)
{
    enum { M = 2 * ZIGZAG };
    static const double at[4] = { 1, -1, 2, -2 }, weight[4] = { 8. / 12, -8. / 12, -1. / 12, 1. / 12 };
    const double e = 1e-4;
    double D[M][M] = { { 0 } }, worst = 0;
    for (int j = 0; j < M; j++)
        for (int s = 0; s < 4; s++) {
            double x[M], y[M];
            start_chain(x);
            x[j] += at[s] * e;
            map_chain(c, h, 1, x, y);
            for (int i = 0; i < M; i++)
                D[i][j] += weight[s] * y[i] / e;
        }
    for (int a = 0; a < M; a++)
        for (int b = 0; b < M; b++) {
            double sum = 0, J = a + ZIGZAG == b ? 1 : b + ZIGZAG == a ? -1 : 0;
            for (int k = 0; k < ZIGZAG; k++)
                sum += D[k][a] * D[k + ZIGZAG][b] - D[k + ZIGZAG][a] * D[k][b];
            worst = fmax(worst, fabs(sum - J));
        }
    return worst;
}

/* Steps of 0.3 s, of which the stiff springs make several and the soft ones one. 1e-9 as above */
TEST(elements_are_symplectic)
{
    for (int i = 0; i < case_count; i++)
        if (elements_only(&cases[i])) {
            double defect = chain_defect(&cases[i], 0.3);
            say(&cases[i], "|D'JD - J|", defect);
            hold(&cases[i], LIL_SYMPLECTIC, defect, 1e-9, 1e-7);
        }
}

TEST(elements_come_home)
{
    for (int i = 0; i < case_count; i++) {
        double x[2 * ZIGZAG], y[2 * ZIGZAG], worst = 0;
        if (!elements_only(&cases[i]))
            continue;
        start_chain(x);
        map_chain(&cases[i], 0.3, 20, x, y);
        map_chain(&cases[i], -0.3, 20, y, y);
        for (int k = 0; k < 2 * ZIGZAG; k++)
            worst = fmax(worst, fabs(y[k] - x[k]));
        hold(&cases[i], LIL_SYMMETRIC, worst, 1e-11, 1e-9);
    }
}

/* 1e-12: round-off of 1000 steps of some 20 kicks */
TEST(elements_keep_momenta)
{
    for (int i = 0; i < case_count; i++)
        if (elements_only(&cases[i])) {
            lil_sim *sim = chain_start(ctx, &zigzag, cases[i].name, cases[i].options, 0.3, NULL, NULL);
            advance(ctx, sim, 1000);
            lil_certificate c = lil_sim_certificate(sim);
            double worst = fmax(c.linear_momentum_drift, c.angular_momentum_drift);
            say(&cases[i], "momenta", worst);
            hold(&cases[i], LIL_MOMENTA, worst, 1e-12, 1e-11);
            lil_sim_destroy(&sim);
        }
}

/* Means over tenths of 10,000 steps, against the width of the energies: half of it is what tenths of a motion without a
 * period differ by */
TEST(elements_without_drift)
{
    for (int i = 0; i < case_count; i++)
        if (elements_only(&cases[i])) {
            lil_sim *sim = chain_start(ctx, &zigzag, cases[i].name, cases[i].options, 0.3, NULL, NULL);
            energy_story s = watch_energy(sim, test_small() ? 2000 : 10000);
            double drift = fabs(s.last_tenth - s.first_tenth) / s.band;
            say(&cases[i], "energy drift", drift);
            hold(&cases[i], LIL_ENERGY, drift, 0.5, 1);
            CHECK_BELOW(s.band, 0.5 * s.start);
            lil_sim_destroy(&sim);
        }
}

/* The lengths of all steps in proportion: courant and h are halved together. The answer is that of the finest. */
TEST(elements_have_their_order)
{
    enum { LEVELS = 5 };
    double x[2 * ZIGZAG], y[LEVELS + 2][2 * ZIGZAG], e[LEVELS];
    start_chain(x);
    for (int k = 0; k < LEVELS + 2; k++) {
        char options[32];
        int finer = 1 << k;
        snprintf(options, sizeof options, "courant=%.17g", 0.8 / finer);
        map_chain(&(method_case){ .name = "asynchronous", .options = options }, 0.3 / finer, 4 * finer, x, y[k]);
    }
    for (int k = 0; k < LEVELS; k++) {
        e[k] = 0;
        for (int i = 0; i < 2 * ZIGZAG; i++)
            e[k] = fmax(e[k], fabs(y[k][i] - y[k + 1][i]));
    }
    for (int k = 2; k + 1 < LEVELS; k++)
        CHECK_NEAR(log2(e[k] / e[k + 1]), 2, 0.2);
}

/* any step, because it is divided; 100 times the period of the stiffest spring */
TEST(elements_are_stable)
{
    for (int i = 0; i < case_count; i++)
        if (cases[i].claims.holds & LIL_ELEMENTS_ONLY) {
            lil_sim *sim = chain_start(ctx, &zigzag, cases[i].name, cases[i].options, 30, NULL, NULL);
            double first = lil_sim_energy(sim);
            advance(ctx, sim, 100);
            CHECK_BELOW(lil_sim_certificate(sim).energy_max, 2 * first);
            CHECK(lil_sim_certificate(sim).newton_iterations == 0);
            lil_sim_destroy(&sim);
        }
}

/* ---- a user's own method, registered at run time, gets no easier treatment ---- */

static lil_claims leapfrog_claims(const void *config)
{
    (void)config;
    unsigned holds =
        LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY | LIL_EXPLICIT | LIL_CONSTANT_MASS_ONLY;
    return (lil_claims){ .order = 2, .holds = holds, .stable = 2 };
}

static lil_status leapfrog_begin(lil_stepper *s)
{
    double *memory = lil_stepper_alloc(s, 2 * (size_t)lil_stepper_state(s)->n * sizeof *memory);
    lil_stepper_set_data(s, memory);
    return memory ? LIL_OK : LIL_ERR_MEMORY;
}

/* half a drift, a kick, half a drift; for constant mass */
static lil_status leapfrog_step(lil_stepper *s, double h)
{
    lil_state *x = lil_stepper_state(s);
    double *Q = lil_stepper_data(s), *v = Q + x->n;
    for (int half = 0; half < 2; half++) {
        lil_status status = lil_stepper_velocity(s, x->t, x->q, x->p, v);
        for (int i = 0; i < x->n && status == LIL_OK; i++)
            x->q[i] += h / 2 * v[i];
        if (status == LIL_OK && half == 0)
            status = lil_stepper_force(s, x->t, x->q, v, Q);
        for (int i = 0; i < x->n && status == LIL_OK && half == 0; i++)
            x->p[i] += h * Q[i];
        if (status != LIL_OK)
            return status;
    }
    return LIL_OK;
}

static const lil_integrator leapfrog = {
    .name = "my-leapfrog",
    .summary = "drift, kick, drift",
    .formula = "q += h/2 v, p -= h dW(q), q += h/2 v",
    .citation = "the test",
    .claims = leapfrog_claims,
    .begin = leapfrog_begin,
    .step = leapfrog_step,
};

TEST(registration)
{
    CHECK(lil_integrator_find(ctx, "my-leapfrog") == &leapfrog);
    CHECK(lil_context_register_integrator(ctx, &leapfrog) == LIL_ERR_ARGUMENT); /* the name is taken */
    lil_run *run = problem(ctx, PENDULUM "integrator: my-leapfrog\n");          /* scenes know it too */
    CHECK(strcmp(lil_run_integrator(run), "my-leapfrog") == 0);
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    lil_context_register_integrator(ctx, &leapfrog);
    lil_run *pendulum = problem(ctx, PENDULUM);
    list_cases(pendulum);
    lil_run_destroy(&pendulum);
    RUN(registration);
    RUN(order_on_pendulum);
    RUN(order_on_kepler);
    RUN(symplectic_on_pendulum);
    RUN(symplectic_on_kepler);
    RUN(symmetric_methods_come_home);
    RUN(adjoint_comes_home);
    RUN(momenta);
    RUN(momentum_of_a_cyclic_coordinate_is_exact);
    RUN(energy_without_drift);
    RUN(exact_energy);
    RUN(stable_up_to_the_limit);
    RUN(explicit_methods_solve_nothing);
    chain_zigzag(ctx, &zigzag);
    RUN(elements_are_symplectic);
    RUN(elements_come_home);
    RUN(elements_keep_momenta);
    RUN(elements_without_drift);
    RUN(elements_have_their_order);
    RUN(elements_are_stable);
    chain_free(&zigzag);
    lil_context_destroy(&ctx);
    return test_end();
}
