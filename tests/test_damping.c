/*
 * Damping of bodies: kicks alone, against what the trapezoidal rule and TR-BDF2 do to a mode; and the rates at which a
 * mode decays, against closed formulas (docs/theory.md, Damping).
 */
#include "solids.h"

#include <float.h>

static lil_context *ctx;

/* ---- modes ---- */

#define CLAMPED(form, kD)                                                                                            \
    "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [6, 2, 2]}\n"                               \
    "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n    fixed: left\n"                                          \
    "    damping: {kD: " kD ", form: " form "}\nintegrator: midpoint\nsolver: {linear: direct}\n" TIME

/* The lowest (or, by power iteration, the highest) mode of A phi = lambda M phi, phi'M phi = 1. */
typedef struct mode {
    double *phi, lambda;
} mode;

static double modal(const lil_model *model, const double *phi, const double *x)
{
    double sum = 0;
    for (int i = 0; i < model->n; i++)
        sum += model->mass.diagonal[i] * phi[i] * x[i];
    return sum;
}

static mode find_mode(const lil_model *model, lil_arena *arena, const lil_pattern *pattern, const double *A,
                      bool lowest)
{
    int n = model->n;
    mode m = { .phi = LIL_NEW(arena, double, n) };
    double *y = LIL_NEW(arena, double, n), *work = LIL_NEW(arena, double, n), before = 0;
    lil_ldl ldl;
    CHECK(!lowest || (lil_ldl_create(ctx, arena, pattern, &ldl) == LIL_OK && lil_ldl_factor(&ldl, A)));
    for (int i = 0; i < n; i++)
        m.phi[i] = 1 + (i % 3 == 2) + sin(1.7 * i);
    for (int round = 0; round < 20000; round++) {
        if (lowest) {
            lil_mass_multiply(model, m.phi, y);
            lil_ldl_solve(&ldl, y, m.phi, work);
        } else {
            lil_sparse_multiply(pattern, A, m.phi, y);
            for (int i = 0; i < n; i++)
                m.phi[i] = y[i] / model->mass.diagonal[i];
        }
        double size = sqrt(modal(model, m.phi, m.phi));
        for (int i = 0; i < n; i++)
            m.phi[i] /= size;
        lil_sparse_multiply(pattern, A, m.phi, y);
        m.lambda = lil_dot(n, m.phi, y);
        double miss = 0;
        for (int i = 0; i < n; i++)
            miss += pow(y[i] - m.lambda * model->mass.diagonal[i] * m.phi[i], 2);
        if (sqrt(miss) < 1e-13 * sqrt(lil_dot(n, y, y)) || (round > 500 && m.lambda == before))
            break;
        before = m.lambda;
    }
    return m;
}

/* K at rest, over the evaluator's pattern */
static double *stiffness(lil_sim *sim, lil_arena *arena)
{
    double *K = LIL_NEW(arena, double, sim->ev.matrix.pattern.count);
    lil_evaluate_second(&sim->ev, 0, sim->state.q, sim->state.v, &(lil_weights){ .Qq = -1 }, K);
    return K;
}

/* ---- kicks ---- */

#define FREE(form, kD)                                                                                               \
    "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [6, 2, 2]}\n"                               \
    "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n    damping: {kD: " kD ", form: " form "}\n"                \
    "    start: {stretch: 1.2, twist: 60, spin: [1, 0.6, 2], push: [0.3, 0.2, -0.1]}\n" TIME

static void momenta(const lil_model *model, const double *q, const double *p, double P[3], double J[3])
{
    sum_up(model->points.count, q, p, P, J);
}

/* v'Cv of the kicks where the sim is */
static double kick_power(lil_sim *sim, const double *v)
{
    double taken, *Cv = calloc((size_t)sim->state.n, sizeof *Cv);
    lil_evaluate_prepare(&sim->ev, LIL_KICK, sim->state.t, 0, sim->state.q);
    lil_evaluate_damping(&sim->ev, LIL_KICK, sim->state.t, sim->state.q, v, NULL, Cv, &taken, NULL);
    free(Cv);
    return taken;
}

/* Energy falls in a kick by exactly tau vm'C vm, and what is booked is that; P and J stay to round-off. */
TEST(a_kick_takes_out_what_it_says)
{
    lil_run *run = problem(ctx, FREE("exact", "0.002"));
    lil_sim *sim = lil_run_sim(run);
    const lil_model *model = lil_run_model(run);
    lil_state *x = &sim->state;
    int n = x->n;
    double *p = malloc(3 * (size_t)n * sizeof *p), *before = p + n, *vm = before + n;
    for (int i = 0; i < n; i++) /* something to damp, on top of the motion */
        p[i] = x->p[i] + model->mass.diagonal[i] * 0.3 * sin(2.3 * i);
    for (double tau = 1e-4; tau * sim->kick.rate <= 2; tau *= 3) {
        double P[2][3], J[2][3], power, out = sim->tally.work_out, energy[2];
        memcpy(before, p, (size_t)n * sizeof *p);
        momenta(model, x->q, p, P[0], J[0]);
        energy[0] = 0;
        for (int i = 0; i < n; i++)
            energy[0] += p[i] * p[i] / (2 * model->mass.diagonal[i]);
        MUST(lil_kick_half(&sim->kick, 0, tau, x->q, p));
        energy[1] = 0;
        for (int i = 0; i < n; i++) {
            energy[1] += p[i] * p[i] / (2 * model->mass.diagonal[i]);
            vm[i] = (p[i] + before[i]) / (2 * model->mass.diagonal[i]);
        }
        momenta(model, x->q, p, P[1], J[1]);
        power = kick_power(sim, vm);
        CHECK(tau * power > 1e-4 * energy[0] || tau < 1e-3);
        CHECK_NEAR(energy[0] - energy[1], tau * power, 1e-14 * energy[0]);
        CHECK_NEAR(sim->tally.work_out - out, tau * power, 1e-14 * energy[0]);
        CHECK_BELOW(apart(3, P[0], P[1]), 1e-14 * lil_norm(n, p));
        CHECK_BELOW(apart(3, J[0], J[1]), 1e-14 * lil_norm(n, p));
    }
    free(p);
    lil_run_destroy(&run);
}

/* Where tau C > 2 M a kick is TR-BDF2: on a mode it is R(z) = (1 - (sqrt 2 - 1) z)/(1 + (1 - sqrt(1/2)) z)^2, z = tau lambda,
 * which is exp(-z) up to z^3, never beyond 0.21 when z is large, and vanishes at infinity. Below it is the trapezoidal rule's
 * (1 - z/2)/(1 + z/2), which would ring: -1 at infinity. */
TEST(stiff_kicks_do_not_ring)
{
    static const double taus[] = { 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 1000, 1e6 };
    lil_run *run = problem(ctx, CLAMPED("exact", "0.02"));
    lil_sim *sim = lil_run_sim(run);
    const lil_model *model = lil_run_model(run);
    lil_arena arena = { 0 };
    int n = model->n, stiff = 0, soft = 0;
    double *K = stiffness(sim, &arena), *p = LIL_NEW(&arena, double, n);
    const mode modes[2] = { find_mode(model, &arena, &sim->ev.matrix.pattern, K, true),
                            find_mode(model, &arena, &sim->ev.matrix.pattern, K, false) };
    for (int m = 0; m < 2; m++) {
        double lambda = 0.02 * modes[m].lambda; /* at rest Kd = K */
        CHECK(lambda <= sim->kick.rate);
        for (size_t k = 0; k < sizeof taus / sizeof taus[0]; k++) {
            double z = taus[k] * lambda, a = 1 - sqrt(0.5);
            bool tr_bdf2 = taus[k] * sim->kick.rate > 2;
            double R = tr_bdf2 ? (1 - (sqrt(2) - 1) * z) / ((1 + a * z) * (1 + a * z)) : (1 - z / 2) / (1 + z / 2);
            lil_mass_multiply(model, modes[m].phi, p);
            MUST(lil_kick_half(&sim->kick, 0, taus[k], sim->state.q, p));
            double worst = 0;
            for (int i = 0; i < n; i++)
                worst = fmax(worst, fabs(p[i] / model->mass.diagonal[i] - R * modes[m].phi[i]));
            /* the mode itself is good to 1e-7 at least, its eigenvalue to the square of that */
            CHECK_BELOW(worst, 1e-6 * largest(n, modes[m].phi));
            CHECK(R > (tr_bdf2 ? -0.21 : -1e-9) && R < 1);
            CHECK(!tr_bdf2 || m == 0 ||
                  fabs(R) < 0.35); /* kinetic energy of the stiffest mode: at most an eighth stays */
            stiff += tr_bdf2;
            soft += !tr_bdf2;
        }
    }
    CHECK(stiff > 4 && soft > 4);
    printf("        rates from %.3g to %.4g 1/s, bound %.4g\n", 0.02 * modes[0].lambda, 0.02 * modes[1].lambda,
           sim->kick.rate);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

/* p after n kicks over T in all, at fixed q */
static void kick_often(lil_sim *sim, double T, int n, const double *p0, double *p)
{
    memcpy(p, p0, (size_t)sim->state.n * sizeof *p);
    for (int k = 0; k < n; k++)
        CHECK(lil_kick_half(&sim->kick, 0, T / n, sim->state.q, p) == LIL_OK);
}

/* Second order in both regimes, of a velocity in which many modes take part; also across the border between them. */
TEST(kicks_are_second_order)
{
    lil_run *run = problem(ctx, CLAMPED("exact", "0.02"));
    lil_sim *sim = lil_run_sim(run);
    const lil_model *model = lil_run_model(run);
    int n = model->n;
    double *p0 = malloc(4 * (size_t)n * sizeof *p0), *fine = p0 + n, *p = fine + n, *v = p + n;
    for (int i = 0; i < n; i++) { /* sideways and bending: smooth, and at rest where the bar is clamped */
        double s = sim->state.q[3 * (i / 3)] + 0.5;
        v[i] = i % 3 == 2 ? s * s : i % 3 == 1 ? 0.3 * s * s * s : 0;
        p0[i] = model->mass.diagonal[i] * v[i];
    }
    static const struct {
        double T;
        int coarse;
    } cases[] = { { 0.02, 40 }, { 1, 20 } };
    for (int c = 0; c < 2; c++) {
        double T = cases[c].T, error[3];
        int coarse = cases[c].coarse;
        bool stiff = T / (4 * coarse) * sim->kick.rate > 2, soft = T / coarse * sim->kick.rate <= 2;
        CHECK(c ? stiff : soft);
        kick_often(sim, T, 64 * coarse, p0, fine);
        for (int k = 0; k < 3; k++) {
            kick_often(sim, T, coarse << k, p0, p);
            error[k] = apart(n, p, fine) / largest(n, fine);
        }
        printf("        %s: errors %.2g, %.2g, %.2g: order %.2f\n", c ? "TR-BDF2" : "trapezoidal", error[0], error[1],
               error[2], log2(error[0] / error[2]) / 2);
        CHECK_NEAR(log2(error[0] / error[2]) / 2, 2, 0.2);
    }
    free(p0);
    lil_run_destroy(&run);
}

/* A whole run with kicks so stiff that a trapezoidal rule would keep the stiff modes alive: they are gone at once, what
 * remains is the rigid motion, and momenta are kept. */
TEST(stiff_damping_leaves_a_rigid_motion)
{
    lil_run *run = problem(ctx, FREE("exact", "2"));
    lil_sim *sim = start(ctx, run, "midpoint", NULL, 0.01, NULL, NULL);
    double power[2];
    CHECK(0.01 * sim->kick.rate > 400);
    advance(ctx, sim, 1);
    for (int k = 0; k < 2; k++) {
        power[k] = kick_power(sim, sim->state.v);
        advance(ctx, sim, 20);
    }
    lil_certificate z = lil_sim_certificate(sim);
    printf("        v'Kd v falls from %.3g to %.3g in 20 steps; J %.1e\n", power[0] / 2, power[1] / 2,
           z.angular_momentum_drift);
    CHECK(power[1] < power[0] && z.energy_final < z.energy_initial);
    for (int k = 1; k < 20; k++) { /* and falls steadily */
        double E = lil_sim_energy(sim);
        advance(ctx, sim, 1);
        CHECK(lil_sim_energy(sim) < E);
    }
    CHECK_BELOW(z.angular_momentum_drift, 1e-12);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* ---- decay rates ---- */

/* One step's map of a mode's amplitude and momentum is linear where they are small: its determinant is exp(-2 rate h). */
static double decay_rate(lil_run *run, const char *method, const mode *m, double h)
{
    const lil_model *model = lil_run_model(run);
    const double *q0 = lil_sim_state(lil_run_sim(run))->q;
    int n = model->n;
    double small = 1e-6, omega = sqrt(m->lambda), D[2][2], *q = malloc(2 * (size_t)n * sizeof *q), *v = q + n;
    for (int j = 0; j < 2; j++) {
        for (int i = 0; i < n; i++) {
            q[i] = q0[i] + (j == 0 ? small / omega * m->phi[i] : 0);
            v[i] = j == 1 ? small * m->phi[i] : 0;
        }
        lil_sim *sim = start(ctx, run, method, NULL, h, q, v);
        const lil_state *x = lil_sim_state(sim);
        advance(ctx, sim, 1);
        for (int i = 0; i < n; i++)
            q[i] = x->q[i] - q0[i];
        D[0][j] = omega * modal(model, m->phi, q) / small;
        D[1][j] = lil_dot(n, m->phi, x->p) / small;
        lil_sim_destroy(&sim);
    }
    free(q);
    return -log(D[0][0] * D[1][1] - D[0][1] * D[1][0]) / (2 * h);
}

/* With c = kD omega^2: the formulas of one step of an oscillator, docs/theory.md, Damping. 1e-4: the motion is small, not
 * infinitely so, and differences of positions of 1 m leave 1e-10 of an amplitude of 1e-6 m / omega. */
TEST(modes_decay_as_they_should)
{
    static const char *const texts[] = { CLAMPED("exact", "0.002"), CLAMPED("minimised", "0.002"),
                                         CLAMPED("paper", "0.002"), CLAMPED("explicit", "0.002") };
    static const char *const names[] = { "exact", "minimised", "paper", "explicit" };
    lil_arena arena = { 0 };
    lil_run *bare = problem(ctx, CLAMPED("exact", "0"));
    mode m = find_mode(lil_run_model(bare), &arena, &lil_run_sim(bare)->ev.matrix.pattern,
                       stiffness(lil_run_sim(bare), &arena), true);
    double omega = sqrt(m.lambda), kD = 0.002, c = kD * m.lambda, asked = c / 2, change[5];
    printf("        omega = %.6g rad/s, kD omega = %.4g, rate asked for %.6g 1/s\n", omega, kD * omega, asked);
    for (int f = 0; f < 4; f++) {
        lil_run *run = problem(ctx, texts[f]);
        double rate[2];
        for (int k = 0; k < 2; k++) {
            double h = (k ? 0.8 : 0.2) / omega, x = h * h * m.lambda / 4, formula = asked;
            rate[k] = decay_rate(run, "midpoint", &m, h);
            if (f == LIL_DAMP_MINIMISED || f == LIL_DAMP_PAPER)
                formula = -log(1 - h * c / (1 + x + h * c)) / (2 * h);
            if (f == LIL_DAMP_EXPLICIT)
                formula = -log(1 - h * c) / (2 * h);
            CHECK_NEAR(rate[k] / formula, 1, f == LIL_DAMP_EXACT ? 0.001 : 1e-4);
        }
        change[f] = rate[1] / rate[0] - 1;
        printf("        %-10s %.6f of it at h omega = 0.2, %.6f at 0.8: %+.2f %%\n", names[f], rate[0] / asked,
               rate[1] / asked, 100 * change[f]);
        lil_run_destroy(&run);
    }
    CHECK_BELOW(fabs(change[LIL_DAMP_EXACT]), 0.01);
    CHECK(change[LIL_DAMP_MINIMISED] < -0.11 && change[LIL_DAMP_MINIMISED] > -0.16);
    /* implicit Euler damps by itself, as the step is: 1/(1 + (h omega)^2) a step */
    double own[2];
    for (int k = 0; k < 2; k++) {
        double h = (k ? 0.8 : 0.2) / omega;
        own[k] = decay_rate(bare, "implicit-euler", &m, h);
        CHECK_NEAR(own[k] / (log(1 + h * h * m.lambda) / (2 * h)), 1, 1e-4);
    }
    change[4] = own[1] / own[0] - 1;
    printf("        implicit-euler, undamped: %+.0f %%\n", 100 * change[4]);
    CHECK(fabs(change[4]) > 10 * fabs(change[LIL_DAMP_MINIMISED]));
    /* and without damping the midpoint rule takes nothing out */
    CHECK_NEAR(decay_rate(bare, "midpoint", &m, 0.8 / omega) / asked, 0, 1e-4);
    lil_arena_free(&arena);
    lil_run_destroy(&bare);
}

/* the certificate says what was asked for and what was got */
TEST(the_certificate_measures_damping)
{
    static const struct {
        const char *text;
        double miss;
    } cases[] = { { FREE("exact", "0.002"), 0.005 }, { FREE("explicit", "0.002"), 0.05 } };
    for (int i = 0; i < 2; i++) {
        lil_run *run = problem(ctx, cases[i].text);
        lil_sim *sim = start(ctx, run, "midpoint", NULL, 0.002, NULL, NULL);
        advance(ctx, sim, 250);
        lil_certificate z = lil_sim_certificate(sim);
        CHECK(z.damping_requested == 0.002);
        CHECK_NEAR(z.damping_measured / 0.002, 1, cases[i].miss);
        CHECK_NEAR(z.energy_dissipated, z.energy_initial - z.energy_final, 0.01 * z.energy_dissipated);
        lil_sim_destroy(&sim);
        lil_run_destroy(&run);
    }
    /* damping inside the step decays at 1/(1 + (h omega)^2/4) of what was asked for, which its own v does not show: no number */
    static const char *const inside[] = { FREE("minimised", "0.002"), FREE("paper", "0.002") };
    for (int i = 0; i < 2; i++) {
        lil_run *run = problem(ctx, inside[i]);
        lil_sim *sim = start(ctx, run, "midpoint", NULL, 0.002, NULL, NULL);
        advance(ctx, sim, 250);
        lil_certificate z = lil_sim_certificate(sim);
        CHECK(z.damping_requested == 0.002 && isnan(z.damping_measured));
        CHECK(z.energy_dissipated > 0);
        lil_sim_destroy(&sim);
        lil_run_destroy(&run);
    }
}

/* ---- explicit damping has a limit, h kD omega^2 < 2; with symplectic Euler (h omega)^2 + 2 h kD omega^2 < 4 ---- */

static char warned[1024];

static void keep_warning(void *user, const char *sentence)
{
    (void)user;
    snprintf(warned, sizeof warned, "%s", sentence);
}

/* the motion of the highest mode, after many steps, over what it was */
static double growth(lil_run *run, const char *method, double h, const mode *m)
{
    const lil_model *model = lil_run_model(run);
    const double *q0 = lil_sim_state(lil_run_sim(run))->q;
    double *v = malloc((size_t)model->n * sizeof *v), start_energy;
    for (int i = 0; i < model->n; i++)
        v[i] = 1e-4 * m->phi[i];
    warned[0] = 0;
    lil_context_set_log(ctx, keep_warning, NULL);
    lil_sim *sim = start(ctx, run, method, NULL, h, q0, v);
    lil_context_set_log(ctx, NULL, NULL);
    start_energy = lil_sim_energy(sim);
    for (int k = 0; k < 300 && lil_sim_energy(sim) < 1e6 * start_energy; k++)
        if (lil_sim_step(sim) != LIL_OK)
            break;
    /* energy from nowhere is watched, and its step halved */
    double grown = lil_sim_certificate(sim).halved_steps > 0 ? INFINITY : lil_sim_energy(sim) / start_energy;
    printf("        %-18s h = %.5f: energy times %.3g\n", method, h, grown);
    lil_sim_destroy(&sim);
    free(v);
    return grown;
}

TEST(explicit_damping_warns_at_its_limit)
{
    static const char *const methods[] = { "midpoint", "stormer-verlet", "symplectic-euler" };
    lil_run *run = problem(ctx, CLAMPED("explicit", "0.01"));
    lil_sim *sim = lil_run_sim(run);
    lil_arena arena = { 0 };
    mode m = find_mode(lil_run_model(run), &arena, &sim->ev.matrix.pattern, stiffness(sim, &arena), false);
    for (int i = 0; i < 3; i++) {
        double b = 0.01 * m.lambda, limit = i == 2 ? 4 / (b + sqrt(b * b + 4 * m.lambda)) : 2 / b;
        CHECK_BELOW(growth(run, methods[i], 0.95 * limit, &m), 10);
        CHECK(strcmp(warned, "") == 0);
        CHECK(growth(run, methods[i], 1.05 * limit, &m) > 1000);
        CHECK(strstr(warned, "too long") && strstr(warned, "explicit damping"));
    }
    printf("        %s\n", warned);
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(a_kick_takes_out_what_it_says);
    RUN(stiff_kicks_do_not_ring);
    RUN(kicks_are_second_order);
    RUN(stiff_damping_leaves_a_rigid_motion);
    RUN(modes_decay_as_they_should);
    RUN(explicit_damping_warns_at_its_limit);
    RUN(the_certificate_measures_damping);
    lil_context_destroy(&ctx);
    return test_end();
}
