/*
 * The discrete Lagrangian itself: a step (q, p) -> (q, p) satisfies the discrete Euler-Lagrange equations
 * D2 Ld(q_{k-1}, q_k) + D1 Ld(q_k, q_{k+1}) = 0 to round-off, with Ld written out here from L alone; forces enter as
 * the discrete Pontryagin-d'Alembert principle says.
 */
#include "problems.h"

static lil_context *ctx;

enum { N = 2 };
typedef double lagrangian_fn(const double *q, const double *v);

static double kepler_L(const double *q, const double *v)
{
    return (v[0] * v[0] + v[1] * v[1]) / 2 + 1 / hypot(q[0], q[1]);
}

static double double_pendulum_L(const double *q, const double *v)
{
    return v[0] * v[0] + v[1] * v[1] / 2 + v[0] * v[1] * cos(q[0] - q[1]) + 9.81 * (2 * cos(q[0]) + cos(q[1]));
}

typedef struct rule {
    const char *options;
    int n;
    double b[3], c[3];
} rule;

static const rule rules[] = {
    { "alpha=0", 1, { 1 }, { 0 } },
    { "alpha=0.25", 1, { 1 }, { 0.25 } },
    { "alpha=0.5", 1, { 1 }, { 0.5 } },
    { "alpha=1", 1, { 1 }, { 1 } },
    { "nodes=0,1 weights=0.5,0.5", 2, { 0.5, 0.5 }, { 0, 1 } },
    { "nodes=0,0.5,1 weights=0.25,0.5,0.25", 3, { 0.25, 0.5, 0.25 }, { 0, 0.5, 1 } },
};

/* Ld(a, b) of two positions */
static double Ld(lagrangian_fn *L, const rule *r, double h, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < r->n; i++) {
        double q[N], v[N];
        for (int k = 0; k < N; k++) {
            v[k] = (b[k] - a[k]) / h;
            q[k] = a[k] + r->c[i] * (b[k] - a[k]);
        }
        sum += h * r->b[i] * L(q, v);
    }
    return sum;
}

/* derivative of Ld by coordinate k of its first or second argument, 4th-order differences */
static double DLd(lagrangian_fn *L, const rule *r, double h, const double *a, const double *b, int second, int k)
{
    static const double at[4] = { 1, -1, 2, -2 }, weight[4] = { 8. / 12, -8. / 12, -1. / 12, 1. / 12 };
    const double e = 1e-4;
    double sum = 0;
    for (int s = 0; s < 4; s++) {
        double x[2][N];
        memcpy(x[0], a, sizeof x[0]);
        memcpy(x[1], b, sizeof x[1]);
        x[second][k] += at[s] * e;
        sum += weight[s] * Ld(L, r, h, x[0], x[1]) / e;
    }
    return sum;
}

/* 1e-9: Ld is about 1/h in size per unit of squared displacement, so its differences over 1e-4 are good to 1e-11 */
static void check_two_step(const char *text, lagrangian_fn *L)
{
    const double h = 0.05;
    lil_run *run = problem(ctx, text);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        lil_sim *sim = start(ctx, run, "hamilton-pontryagin", rules[i].options, h, NULL, NULL);
        const lil_state *x = lil_sim_state(sim);
        double q[3][N], p[3][N];
        for (int k = 0; k < 3; k++) {
            memcpy(q[k], x->q, sizeof q[k]);
            memcpy(p[k], x->p, sizeof p[k]);
            advance(ctx, sim, 1);
        }
        for (int k = 0; k < N; k++) {
            double from_left = DLd(L, &rules[i], h, q[0], q[1], 1, k);
            double from_right = DLd(L, &rules[i], h, q[1], q[2], 0, k);
            CHECK_NEAR(from_left + from_right, 0, 1e-9);
            /* the momentum between the two steps is both of them: p = D2 Ld = -D1 Ld */
            CHECK_NEAR(p[1][k], from_left, 1e-9);
            CHECK_NEAR(p[1][k], -from_right, 1e-9);
        }
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

TEST(two_step_equation_constant_mass)
{
    check_two_step(KEPLER, kepler_L);
}

TEST(two_step_equation_general)
{
    check_two_step(DOUBLE_PENDULUM, double_pendulum_L);
}

/* To round-off, in closed form: M (q_2 - 2 q_1 + q_0) = -h^2/2 (dW(q_01) + dW(q_12)) for the midpoint rule, and
 * -h^2 dW(q_1) for Verlet. The sum on the left cancels: allow a few units of the last place of q. */
TEST(two_step_equation_to_round_off)
{
    const double h = 0.05;
    lil_run *run = problem(ctx, PENDULUM);
    for (int verlet = 0; verlet < 2; verlet++) {
        lil_sim *sim = start(ctx, run, verlet ? "stormer-verlet" : "midpoint", NULL, h, NULL, NULL);
        for (int k = 0; k < 100; k++) {
            double q[3];
            for (int i = 0; i < 3; i++) {
                q[i] = lil_sim_state(sim)->q[0];
                advance(ctx, sim, i < 2 ? 1 : 0);
            }
            double force = verlet ? -9.81 * sin(q[1]) : -9.81 / 2 * (sin((q[0] + q[1]) / 2) + sin((q[1] + q[2]) / 2));
            CHECK_NEAR(q[2] - 2 * q[1] + q[0], h * h * force, 8e-16);
        }
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

/* the slides' falling object: (z_{k+1} - 2 z_k + z_{k-1}) / h^2 = -g, and exact for every h */
TEST(falling)
{
    lil_run *run = problem(ctx, "lagrangian: 1/2*m*dz^2 - m*g*z\nparameters: {m: 2, g: 9.81}\n"
                                "start: {z: 100, dz: 3}\ntime: {step: 0.5, until: 4}\n");
    static const char *const methods[] = { "midpoint", "stormer-verlet" };
    for (int i = 0; i < 2; i++) {
        lil_sim *sim = start(ctx, run, methods[i], NULL, 0.5, NULL, NULL);
        double z[3] = { 0, 0, 0 };
        for (int k = 0; k <= 8; k++) {
            double t = lil_sim_state(sim)->t;
            z[0] = z[1];
            z[1] = z[2];
            z[2] = lil_sim_state(sim)->q[0];
            CHECK_NEAR(z[2], 100 + 3 * t - 9.81 / 2 * t * t, 1e-13);
            if (k >= 2)
                CHECK_NEAR((z[2] - 2 * z[1] + z[0]) / 0.25, -9.81, 1e-12);
            advance(ctx, sim, 1);
        }
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

/* minimising the Lilyan and finding the root of its gradient are the same step */
TEST(minimise_and_root_agree)
{
    static const char *const solvers[] = { "solver: minimise\n", "solver: root\n" };
    double q[2][N];
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%sintegrator: midpoint\n", KEPLER, solvers[i]);
        lil_run *run = problem(ctx, text);
        MUST(lil_run_advance(run, 100));
        memcpy(q[i], lil_sim_state(lil_run_sim(run))->q, sizeof q[i]);
        lil_run_destroy(&run);
    }
    /* both stop at a relative gradient of 1e-12 or better, a hundred times */
    CHECK_NEAR(q[0][0], q[1][0], 1e-10);
    CHECK_NEAR(q[0][1], q[1][1], 1e-10);
}

/* ---- forces ---- */

/* -ln(spectral radius)/h of one step of the damped oscillator m = 1, k = 100, c = 0.2 */
static double decay_rate(const char *method, const char *options, double h)
{
    lil_run *run = problem(ctx, OSCILLATOR);
    double D[2][2];
    for (int j = 0; j < 2; j++) {
        const double q = j == 0, v = j == 1;
        lil_sim *sim = start(ctx, run, method, options, h, &q, &v);
        advance(ctx, sim, 1);
        D[0][j] = lil_sim_state(sim)->q[0];
        D[1][j] = lil_sim_state(sim)->p[0];
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
    /* the eigenvalues are complex: their modulus squared is the determinant */
    return -log(D[0][0] * D[1][1] - D[0][1] * D[1][0]) / (2 * h);
}

/* docs/theory.md, Problems with known answers; half a unit of its sixth digit */
TEST(damped_oscillator)
{
    static const double h[] = { 0.01, 0.02, 0.08 };
    static const double minus[] = { 0.099651, 0.098814, 0.085618 }, both[] = { 0.099751, 0.099010, 0.086208 };
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(decay_rate("hamilton-pontryagin", "alpha=0.5 forcing=minus", h[i]), minus[i], 5.1e-7);
        CHECK_NEAR(decay_rate("midpoint", "forcing=minus", h[i]), minus[i], 5.1e-7);
        CHECK_NEAR(decay_rate("hamilton-pontryagin", "alpha=0.5 forcing=both", h[i]), both[i], 5.1e-7);
        CHECK_NEAR(decay_rate("midpoint", NULL, h[i]), both[i], 5.1e-7);
    }
    CHECK_NEAR(decay_rate("implicit-euler", NULL, 0.01), 0.5964, 5.1e-5);
}

/* With a force at both ends the forced step is second order, all in F- first order: halving h divides the error of
 * the decay rate by 4 or by 2. (The conservative part damps nothing, so all of the error is the force's; at h omega =
 * 0.1 the next order changes the ratio by a few percent.) */
TEST(order_of_forcing)
{
    double both = (decay_rate("midpoint", NULL, 0.01) - 0.1) / (decay_rate("midpoint", NULL, 0.005) - 0.1);
    CHECK_NEAR(both, 4, 0.2);
    /* x(t) of the damped oscillator from rest at 1, against the exact solution */
    static const char *const options[] = { "forcing=both", "forcing=minus" };
    for (int i = 0; i < 2; i++) {
        double error[2], omega = sqrt(100 - 0.01), T = 0.7;
        double exact = exp(-0.1 * T) * (cos(omega * T) + 0.1 / omega * sin(omega * T));
        lil_run *run = problem(ctx, OSCILLATOR);
        for (int k = 0; k < 2; k++) {
            int steps = k ? 2800 : 1400;
            lil_sim *sim = start(ctx, run, "midpoint", options[i], T / steps, NULL, NULL);
            advance(ctx, sim, steps);
            error[k] = fabs(lil_sim_state(sim)->q[0] - exact);
            lil_sim_destroy(&sim);
        }
        lil_run_destroy(&run);
        CHECK_NEAR(log2(error[0] / error[1]), i == 0 ? 2 : 1, 0.2);
    }
}

/* The energy balance of the certificate: what a force takes out is what is missing. With a constant force the work is
 * F times the way, exactly; with damping it matches to the order of the step. */
TEST(work_is_booked)
{
    lil_run *pushed = problem(ctx, "lagrangian: 1/2*dx^2\nforce: {x: 3}\nstart: {x: 0, dx: 1}\n"
                                   "time: {step: 0.1, until: 2}\n");
    MUST(lil_run_advance(pushed, 20));
    lil_certificate c = lil_sim_certificate(lil_run_sim(pushed));
    CHECK_NEAR(c.external_work, 3 * lil_sim_state(lil_run_sim(pushed))->q[0], 1e-13);
    CHECK_NEAR(c.external_work, c.energy_final - c.energy_initial, 1e-12);
    CHECK(c.energy_dissipated == 0);
    CHECK(c.newton_iterations > 0 && lil_sim_state(lil_run_sim(pushed))->q[0] > 7.99); /* 1*2 + 3/2*2^2 = 8 */
    lil_run_destroy(&pushed);

    lil_run *damped = problem(ctx, OSCILLATOR "integrator: midpoint\n");
    MUST(lil_run_advance(damped, 100));
    c = lil_sim_certificate(lil_run_sim(damped));
    /* omega h = 0.1: the booked work and the lost energy differ by O((omega h)^2) of it */
    CHECK_NEAR(c.energy_dissipated, c.energy_initial - c.energy_final, 0.01 * c.energy_dissipated);
    CHECK(c.energy_dissipated > 0 && c.external_work == 0);
    lil_run_destroy(&damped);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(two_step_equation_constant_mass);
    RUN(two_step_equation_general);
    RUN(two_step_equation_to_round_off);
    RUN(falling);
    RUN(minimise_and_root_agree);
    RUN(damped_oscillator);
    RUN(order_of_forcing);
    RUN(work_is_booked);
    lil_context_destroy(&ctx);
    return test_end();
}
