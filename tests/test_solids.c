/*
 * Elastic bodies being stepped: order, momenta, symplecticity, work, inversion. Damping is tested in test_damping.c, the
 * terms themselves in test_terms.c.
 */
#include "solids.h"

static lil_context *ctx;

#define ROD(cells, more)                                                                                             \
    "bodies:\n  rod:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [" cells "]}\n"                           \
    "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n"                                                           \
    "    start: {stretch: 1.3, twist: 90, spin: [1, 0.6, 2], push: [0.3, 0.2, -0.1]}\n" more TIME
#define DAMPED(form) "    damping: {kD: 0.002, form: " form "}\n"

/* ---- order ---- */

/* q, then p, at T */
static double *arrive(lil_run *run, const char *method, double T, int steps)
{
    lil_sim *sim = start(ctx, run, method, NULL, T / steps, NULL, NULL);
    const lil_state *x = lil_sim_state(sim);
    double *end = malloc(2 * (size_t)x->n * sizeof *end);
    advance(ctx, sim, steps);
    CHECK(lil_sim_certificate(sim).halved_steps == 0);
    memcpy(end, x->q, (size_t)x->n * sizeof *end);
    memcpy(end + x->n, x->p, (size_t)x->n * sizeof *end);
    lil_sim_destroy(&sim);
    return end;
}

/* The slope over three halvings, in q and in p, against a reference eight times as fine as the finest: it adds 1/64 to errors
 * of second order. For damping it is the `exact` one, so that all forms are seen to converge to the same motion. */
enum { HALVINGS = 3 };
static const double DURATION = 0.2;

static int coarse(void)
{
    return test_small() ? 50 : 160;
}

static void check_order(const char *name, const char *text, const double *fine, const char *method, int order)
{
    lil_run *run = problem(ctx, text);
    int n = lil_run_model(run)->n;
    double error[2][HALVINGS + 1], slope[2];
    for (int k = 0; k <= HALVINGS; k++) {
        double *end = arrive(run, method, DURATION, coarse() << k);
        for (int i = 0; i < 2; i++)
            error[i][k] = apart(n, end + i * n, fine + i * n);
        free(end);
    }
    for (int i = 0; i < 2; i++) {
        slope[i] = log2(error[i][0] / error[i][HALVINGS]) / HALVINGS;
        CHECK_NEAR(slope[i], order, 0.15);
    }
    printf("        %-40s order %.3f in q, %.3f in p; error in q %.2g\n", name, slope[0], slope[1], error[0][0]);
    lil_run_destroy(&run);
}

#define SMALL_ROD(more) ROD("4, 1, 1", more)
#define MORE_DAMPED(form) "    damping: {kD: 0.01, form: " form "}\n"

static double *reference(const char *text)
{
    lil_run *run = problem(ctx, text);
    double *fine = arrive(run, "stormer-verlet", DURATION, (test_small() ? 32 : 64) * coarse());
    lil_run_destroy(&run);
    return fine;
}

TEST(order_of_steps)
{
    double *fine = reference(SMALL_ROD(""));
    check_order("midpoint", SMALL_ROD(""), fine, "midpoint", 2);
    check_order("stormer-verlet", SMALL_ROD(""), fine, "stormer-verlet", 2);
    check_order("symplectic-euler", SMALL_ROD(""), fine, "symplectic-euler", 1);
    free(fine);
}

TEST(order_of_damped_steps)
{
    double *fine = reference(SMALL_ROD(MORE_DAMPED("exact")));
    check_order("midpoint, exact", SMALL_ROD(MORE_DAMPED("exact")), fine, "midpoint", 2);
    check_order("stormer-verlet, exact", SMALL_ROD(MORE_DAMPED("exact")), fine, "stormer-verlet", 2);
    check_order("midpoint, minimised", SMALL_ROD(MORE_DAMPED("minimised")), fine, "midpoint", 1);
    check_order("midpoint, paper", SMALL_ROD(MORE_DAMPED("paper")), fine, "midpoint", 1);
    check_order("stormer-verlet, explicit", SMALL_ROD(MORE_DAMPED("explicit")), fine, "stormer-verlet", 1);
    check_order("symplectic-euler, explicit", SMALL_ROD(MORE_DAMPED("explicit")), fine, "symplectic-euler", 1);
    free(fine);
}

/* ---- momenta ---- */

static const struct {
    const char *text;
    const char *name;
    bool in_the_step, keeps;
} momentum_cases[] = {
    { SMALL_ROD(""), "undamped", false, true },
    { SMALL_ROD(DAMPED("exact")), "exact", false, true },
    { SMALL_ROD(DAMPED("minimised")), "minimised", true, true },
    { SMALL_ROD(DAMPED("paper")), "paper", true, false },
    { SMALL_ROD(DAMPED("explicit")), "explicit", false, true },
};

/* 1e-13: the round-off of 200 steps; the solver goes as far as it can */
TEST(momenta_of_every_method)
{
    for (size_t c = 0; c < sizeof momentum_cases / sizeof momentum_cases[0]; c++) {
        lil_run *run = problem(ctx, momentum_cases[c].text);
        for (int i = 0; i < lil_integrator_count(ctx); i++) {
            const char *name = lil_integrator_at(ctx, i)->name;
            lil_sim_def def = lil_sim_def_default();
            lil_sim *sim = NULL;
            const lil_state *x = lil_sim_state(lil_run_sim(run));
            def.integrator = name;
            def.step = 1e-3;
            def.q = x->q;
            def.v = x->v;
            def.solver.tolerance = 1e-15;
            if (lil_sim_create(ctx, lil_run_model(run), &def, &sim) != LIL_OK) {
                /* only where the damping would have to be inside a step that has no Lilyan */
                CHECK(momentum_cases[c].in_the_step && strstr(lil_context_message(ctx), "use damping 'exact'"));
                continue;
            }
            unsigned claims = lil_sim_claims(sim).holds;
            advance(ctx, sim, test_small() ? 20 : 200);
            lil_certificate z = lil_sim_certificate(sim);
            int before = test_failures;
            CHECK(z.halved_steps == 0);
            CHECK((z.newton_iterations > 0) == !(claims & LIL_EXPLICIT));
            CHECK_BELOW(z.linear_momentum_drift, 1e-13); /* which every method keeps: all forces are pairs */
            if (claims & LIL_MOMENTA)
                CHECK_BELOW(z.angular_momentum_drift, 1e-13);
            else
                CHECK(z.angular_momentum_drift > 1e-13);
            if (lil_integrator_claims(lil_integrator_at(ctx, i)).holds & LIL_MOMENTA)
                CHECK(!!(claims & LIL_MOMENTA) == momentum_cases[c].keeps);
            if (test_failures > before)
                printf("    so far for %s, %s\n", name, momentum_cases[c].name);
            lil_sim_destroy(&sim);
        }
        lil_run_destroy(&run);
    }
}

/* ---- drift: many steps at the tolerance that users have ---- */

static lil_certificate run_rod(const char *more, const char *method, double h, long steps)
{
    lil_run *run = body_problem(ctx,
                                "bodies:\n  rod:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [8, 2, 2]}\n"
                                "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n%s"
                                "    start: {stretch: 1.3, twist: 90, spin: [1, 0.6, 2], push: [0.3, 0.2, -0.1]}\n"
                                "integrator: %s\nsolver: {tolerance: 1e-11}\ntime: {step: %g, until: %g}\n",
                                more, method, h, h * (double)steps);
    if (lil_run_advance(run, steps) != LIL_OK) {
        test_failures++;
        printf("%s: %s\n", test_name, lil_context_message(ctx));
    }
    lil_certificate z = lil_sim_certificate(lil_run_sim(run));
    lil_run_destroy(&run);
    return z;
}

TEST(momenta_do_not_drift)
{
    static const char *const dampings[] = { "", DAMPED("exact"), DAMPED("minimised") };
    static const char *const names[] = { "undamped", "exact", "minimised" };
    long steps = test_small() ? 200 : 10000;
    for (int i = 0; i < 3; i++) {
        lil_certificate z = run_rod(dampings[i], "midpoint", 0.01, steps);
        printf("        midpoint, %-10s %ld steps: P %.1e, J %.1e, energy %+.4f, kD %.6f, halved %g\n", names[i],
               steps, z.linear_momentum_drift, z.angular_momentum_drift, z.energy_final / z.energy_initial - 1,
               z.damping_measured, z.halved_steps);
        CHECK_BELOW(z.linear_momentum_drift, 1e-12);
        CHECK_BELOW(z.angular_momentum_drift, 1e-9);
    }
}

/* The paper's damping acts at the end of a straight step: it leaks angular momentum, to first order in h. */
TEST(the_papers_damping_leaks)
{
    double leak[2];
    for (int k = 0; k < 2; k++)
        leak[k] = run_rod(DAMPED("paper"), "midpoint", k ? 0.0025 : 0.005, k ? 200 : 100).angular_momentum_drift;
    printf("        paper: J leaks %.3g at h = 0.005, %.3g at 0.0025\n", leak[0], leak[1]);
    CHECK_NEAR(leak[0] / leak[1], 2, 0.3);
    CHECK(leak[1] > 1e-5);
}

/* ---- symplecticity: |D'JD - J| of one step of a cube of five tets, 24 degrees of freedom ---- */

enum { CUBE = 24 };

static void map(lil_run *run, const char *method, double h, const double *x, double *y)
{
    const double *mass = lil_run_model(run)->mass.diagonal;
    double v[CUBE];
    for (int i = 0; i < CUBE; i++)
        v[i] = x[CUBE + i] / mass[i];
    lil_sim *sim = start(ctx, run, method, NULL, h, x, v);
    advance(ctx, sim, 1);
    memcpy(y, lil_sim_state(sim)->q, CUBE * sizeof *y);
    memcpy(y + CUBE, lil_sim_state(sim)->p, CUBE * sizeof *y);
    lil_sim_destroy(&sim);
}

static double symplectic_defect(lil_run *run, const char *method, double h)
{
    static const double at[4] = { 1, -1, 2, -2 }, weight[4] = { 8. / 12, -8. / 12, -1. / 12, 1. / 12 };
    static double D[2 * CUBE][2 * CUBE];
    const double e = 1e-3;
    double x0[2 * CUBE], worst = 0;
    memcpy(x0, lil_sim_state(lil_run_sim(run))->q, CUBE * sizeof *x0);
    memcpy(x0 + CUBE, lil_sim_state(lil_run_sim(run))->p, CUBE * sizeof *x0);
    memset(D, 0, sizeof D);
    for (int j = 0; j < 2 * CUBE; j++)
        for (int s = 0; s < 4; s++) {
            double x[2 * CUBE], y[2 * CUBE];
            memcpy(x, x0, sizeof x);
            x[j] += at[s] * e;
            map(run, method, h, x, y);
            for (int i = 0; i < 2 * CUBE; i++)
                D[i][j] += weight[s] * y[i] / e;
        }
    for (int a = 0; a < 2 * CUBE; a++)
        for (int b = 0; b < 2 * CUBE; b++) {
            double sum = 0, J = a + CUBE == b ? 1 : b + CUBE == a ? -1 : 0;
            for (int k = 0; k < CUBE; k++)
                sum += D[k][a] * D[k + CUBE][b] - D[k + CUBE][a] * D[k][b];
            worst = fmax(worst, fabs(sum - J));
        }
    return worst;
}

/* stiffness, masses and lengths of order 1; 1e-9 as in test_integrators.c */
TEST(symplectic_on_a_cube)
{
    lil_run *run = problem(ctx, "bodies:\n  cube:\n    shape: {type: bar, size: [1, 1, 1], cells: [1, 1, 1]}\n"
                                "    material: {mu: 1, kappa: 2, density: 8}\n"
                                "    start: {stretch: 1.2, twist: 20, spin: [0.3, 0.2, 0.5]}\n" TIME);
    for (int i = 0; i < lil_integrator_count(ctx); i++) {
        const char *name = lil_integrator_at(ctx, i)->name;
        bool claims = lil_integrator_claims(lil_integrator_at(ctx, i)).holds & LIL_SYMPLECTIC;
        double defect = symplectic_defect(run, name, 0.3);
        printf("        %-20s |D'JD - J| %.2g\n", name, defect);
        CHECK(claims ? defect < 1e-9 : defect > 1e-7);
    }
    lil_run_destroy(&run);
}

/* ---- work ---- */

/* energy_final - energy_initial - work put in + work taken out, as it was booked step by step (of damping inside the step the
 * certificate gives the whole loss instead), relative to what went in */
static double imbalance(const char *text, const char *method, double T, int steps)
{
    lil_run *run = problem(ctx, text);
    lil_sim *sim = start(ctx, run, method, NULL, T / steps, NULL, NULL);
    advance(ctx, sim, steps);
    lil_certificate z = lil_sim_certificate(sim);
    CHECK(z.halved_steps == 0);
    CHECK(fabs(z.external_work) > 0.1);
    double miss = z.energy_final - z.energy_initial - z.external_work + sim->tally.work_out;
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
    return fabs(miss) / fabs(z.external_work);
}

#define BLOCK_OF(more)                                                                                               \
    "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.5, 0.5], cells: [3, 1, 1]}\n"                                 \
    "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n    fixed: left\n" more TIME
#define HANDLE "    handles: [{select: right, move: [0.1*sin(3*t), 0.05*t^2, 0.2*t*y]}]\n"
#define LOAD "    loads: [{select: right, force: [200*sin(4*t), 100*t, 0]}]\n"

TEST(work_is_booked)
{
    static const struct {
        const char *name, *text;
        int order;
    } cases[] = {
        { "handle", BLOCK_OF(HANDLE), 2 },
        { "handle, exact", BLOCK_OF(HANDLE DAMPED("exact")), 2 },
        { "handle, minimised", BLOCK_OF(HANDLE MORE_DAMPED("minimised")), 1 },
        { "handle, paper", BLOCK_OF(HANDLE MORE_DAMPED("paper")), 1 },
        { "handle, explicit", BLOCK_OF(HANDLE DAMPED("explicit")), 1 },
        { "handle and spring",
          BLOCK_OF(HANDLE "    springs: [{from: {vertices: [5]}, to: {body: b, select: right}, "
                          "stiffness: 1000, damping: 0.01}]\n"),
          2 },
        { "load", BLOCK_OF(LOAD), 2 },
        { "load, exact", BLOCK_OF(LOAD DAMPED("exact")), 2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int verlet = 0; verlet < (test_small() ? 1 : 2); verlet++) {
            const char *method = verlet ? "stormer-verlet" : "midpoint";
            double miss[2];
            for (int k = 0; k < 2; k++)
                miss[k] = imbalance(cases[i].text, method, 0.8, k ? 1600 : 800);
            printf("        %-20s %-14s imbalance %.2e, falls by %.2f\n", cases[i].name, method, miss[0],
                   miss[0] / miss[1]);
            CHECK_BELOW(miss[0], 0.02);
            CHECK(miss[0] / miss[1] > (cases[i].order == 2 ? 3.3 : 1.7) || miss[0] < 1e-9);
        }
}

/* and by methods with stages: order 4 */
TEST(work_of_handles_in_stages)
{
    static const char *const methods[] = { "gauss", "lobatto" };
    for (int i = 0; i < 2; i++) {
        double miss[2];
        for (int k = 0; k < 2; k++)
            miss[k] = imbalance(BLOCK_OF(HANDLE), methods[i], 0.8, k ? 80 : 40);
        printf("        %-14s imbalance %.2e, falls by %.2f\n", methods[i], miss[0], miss[0] / miss[1]);
        CHECK(miss[0] / miss[1] > 12 && miss[0] < 1e-3);
    }
}

/* A rod carried along by its end, by three cells a step: where v = 0 the end would stand behind its neighbours, so
 * that the guess, which is exact here, must not be shortened towards it. Backwards or forwards is one. */
TEST(handles_may_run_ahead)
{
    static const char *const methods[] = { "midpoint", "gauss" };
    for (int i = 0; i < 4; i++) {
        int way = i % 2 ? 20 : -20;
        lil_run *run =
            body_problem(ctx,
                         "bodies:\n  rod:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [8, 2, 2]}\n"
                         "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n"
                         "    handles: {select: left, move: [%d*t, 0, 0]}\n"
                         "    start: {push: [%d, 0, 0]}\n" TIME,
                         way, way);
        lil_sim *sim = start(ctx, run, methods[i / 2], NULL, 0.02, NULL, NULL);
        advance(ctx, sim, 20);
        lil_certificate z = lil_sim_certificate(sim);
        CHECK(z.halved_steps == 0);
        CHECK_BELOW(z.energy_band, 1e-12); /* round-off: nothing but a translation */
        lil_sim_destroy(&sim);
        lil_run_destroy(&run);
    }
}

/* Two dampings have no one kD, but what they take out is one sum. */
TEST(dissipation_is_certified_whatever_the_damping)
{
    lil_run *run =
        problem(ctx, "bodies:\n"
                     "  a: {shape: {type: box, cells: [1, 1, 1]}, material: jelly, damping: 0.01, start: "
                     "{stretch: 1.2}}\n"
                     "  b: {shape: {type: box, cells: [1, 1, 1]}, at: [3, 0, 0], material: jelly, damping: "
                     "0.02, start: {stretch: 1.2}}\n" TIME);
    lil_sim *sim = lil_run_sim(run);
    MUST(lil_run_advance(run, 10));
    lil_certificate z = lil_sim_certificate(sim);
    CHECK(isnan(z.damping_requested) && isnan(z.damping_measured));
    CHECK(z.energy_dissipated > 0 && z.external_work == 0);
    lil_run_destroy(&run);
}

/* constant loads are a potential: no work is booked, energy stays */
TEST(constant_loads_are_conservative)
{
    lil_run *run = problem(
        ctx, BLOCK_OF("    loads: [{select: right, force: [100, 0, 50]}, {select: top, traction: [0, 0, -200]}]\n"
                      "gravity: 9.81\n"));
    lil_sim *sim = start(ctx, run, "midpoint", NULL, 2e-3, NULL, NULL);
    advance(ctx, sim, 500);
    lil_certificate z = lil_sim_certificate(sim);
    CHECK(isnan(z.external_work) && isnan(z.energy_dissipated));
    CHECK_BELOW(z.energy_band, 0.01);
    CHECK(isnan(z.linear_momentum_drift) && isnan(z.angular_momentum_drift)); /* and momenta are nobody's claim */
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* ---- stiffness: steel, whose energies are far above those of its motion ---- */

TEST(stiff_bodies_step)
{
    static const char *const starts[] = { "push: [0.001, 0, 0]", "spin: [0.1, 0.2, 0]", "twist: 0.01",
                                          "push: [0, 0, 0]" };
    static const char *const more[] = { "", "    fixed: left\n", "    damping: {kD: 1e-5, form: exact}\n",
                                        "    damping: {kD: 1e-5, form: minimised}\n",
                                        "    damping: {kD: 0.01, form: paper}\n" };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 5; k++) {
            lil_run *run =
                body_problem(ctx,
                             "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [4, 1, 1]}\n"
                             "    material: {young: 2e11, poisson: 0.3, density: 7800}\n"
                             "    start: {%s}\n%sgravity: 9.81\nintegrator: %s\n"
                             "time: {step: 0.01, until: 0.5}\n",
                             starts[i], more[k], i % 2 && k < 3 ? "gauss" : "midpoint");
            MUST(lil_run_advance(run, 50));
            lil_certificate z = lil_sim_certificate(lil_run_sim(run));
            CHECK(z.halved_steps == 0);
            CHECK_BELOW(z.newton_iterations, 50 * 10);
            lil_run_destroy(&run);
        }
}

/* The paper's energy is (kD/h) times differences of numbers of the size of mu V, however short the step. */
TEST(short_steps_of_the_papers_damping)
{
    lil_run *run = problem(ctx, SMALL_ROD(MORE_DAMPED("paper")));
    lil_sim *sim = start(ctx, run, "midpoint", NULL, 1e-6, NULL, NULL);
    advance(ctx, sim, 200);
    lil_certificate z = lil_sim_certificate(sim);
    CHECK(z.halved_steps == 0);
    CHECK_BELOW(z.newton_iterations, 200 * 6);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* ---- inversion ---- */

#define VIOLENT(cells, start)                                                                                        \
    "bodies:\n  rod:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [" cells "]}\n"                           \
    "    material: {mu: 5e3, kappa: 2.5e4, density: 1000}\n    start: " start "\n"                                   \
    "integrator: midpoint\ntime: {step: 0.05, until: 5}\n"
#define STRETCHED "{stretch: 2, twist: 180, spin: [1, 0.6, 2]}"

TEST(a_violent_start_never_inverts)
{
    lil_run *run = problem(ctx, test_small() ? VIOLENT("8, 2, 2", STRETCHED) : VIOLENT("16, 5, 5", STRETCHED));
    lil_sim *sim = lil_run_sim(run);
    int steps = test_small() ? 40 : 26; /* 2000 tets; later every step of these is halved */
    for (int k = 0; k < steps; k++) {
        double before = lil_sim_certificate(sim).halved_steps;
        MUST(lil_run_advance(run, 1));
        CHECK(sim->volume > 0);
        CHECK(lil_sim_certificate(sim).halved_steps - before <= 1);
    }
    lil_certificate z = lil_sim_certificate(sim);
    printf("        %d steps: %g halved, smallest det F %.3f, energy %+.1f %%, %g iterations\n", steps,
           z.halved_steps, z.min_volume_ratio, 100 * (z.energy_final / z.energy_initial - 1), z.newton_iterations);
    CHECK(z.min_volume_ratio > 0);
    CHECK(z.halved_steps > 0); /* or it was not violent */
    lil_run_destroy(&run);
}

TEST(a_failed_step_changes_nothing)
{
    lil_run *run = problem(ctx, VIOLENT("8, 2, 2", "{stretch: 2.5, twist: 300, spin: [1, 5, 2]}"));
    const lil_state *x0 = lil_sim_state(lil_run_sim(run));
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim;
    int n = x0->n, failed = 0;
    double *before = malloc(3 * (size_t)n * sizeof *before);
    def.q = x0->q;
    def.v = x0->v;
    def.step = 0.2;
    def.halvings = 0;
    MUST(lil_sim_create(ctx, lil_run_model(run), &def, &sim));
    for (int k = 0; k < 40; k++) {
        const lil_state *x = lil_sim_state(sim);
        double t = x->t, energy = lil_sim_energy(sim), potential = lil_sim_potential(sim);
        memcpy(before, x->q, 3 * (size_t)n * sizeof *before);
        lil_certificate a = lil_sim_certificate(sim);
        lil_status status = lil_sim_step(sim);
        if (status == LIL_OK)
            continue;
        CHECK((status == LIL_ERR_INVERTED) == (strstr(lil_context_message(ctx), "is inverted") != NULL));
        lil_certificate b = lil_sim_certificate(sim);
        failed++;
        CHECK(strlen(lil_context_message(ctx)) > 20);
        CHECK(x->t == t && memcmp(before, x->q, 3 * (size_t)n * sizeof *before) == 0);
        CHECK(lil_sim_energy(sim) == energy && lil_sim_potential(sim) == potential);
        CHECK(a.energy_final == b.energy_final && a.min_volume_ratio == b.min_volume_ratio);
        CHECK(a.energy_max == b.energy_max && a.angular_momentum_drift == b.angular_momentum_drift);
        if (lil_sim_advance(sim, 0.002) != LIL_OK) /* a shorter one goes on from there */
            break;
    }
    printf("        %d steps failed, the last one so: %s\n", failed, lil_context_message(ctx));
    CHECK(failed > 0);
    free(before);
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

TEST(an_inverted_start_is_refused)
{
    static const char *const starts[] = { "{position: [-x, y, z]}", "{position: [x, y, 0]}",
                                          "{position: ['x - 2*max(x - 0.45, 0)*10', y, z]}" };
    for (int i = 0; i < 3; i++) {
        char text[2048];
        lil_scene *scene = NULL;
        lil_run *run = NULL;
        lil_run_def def = lil_run_def_default();
        snprintf(text, sizeof text,
                 "bodies:\n  rod:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [8, 2, 2]}\n"
                 "    material: {mu: 5e3, kappa: 2.5e4, density: 1000}\n    start: %s\n" TIME,
                 starts[i]);
        MUST(lil_scene_parse(ctx, "inverted", text, strlen(text), &scene));
        CHECK(lil_run_create(ctx, scene, &def, &run) != LIL_OK && !run);
        CHECK(strstr(lil_context_message(ctx), "of its volume") && strstr(lil_context_message(ctx), "rod"));
        lil_scene_destroy(&scene);
    }
    printf("        %s\n", lil_context_message(ctx));
}

/* A material that counts where it is asked for. */
static const lil_material_table *spied;
static long asked, inside_out;

static void spy(const lil_moduli *m, const void *config, int count, const lil_lanes *F, const lil_lanes *J,
                lil_lanes *w, lil_lanes *P)
{
    for (int i = 0; i < count * LIL_LANES; i++) {
        int e = i / LIL_LANES, l = i % LIL_LANES;
        double f[9];
        for (int k = 0; k < 9; k++)
            f[k] = F[9 * e + k][l];
        asked++;
        inside_out += !(lil_determinant3(f) > 0);
    }
    spied->stress(m, config, count, F, J, w, P);
}

/* No guess and no trial of a step puts a node where W does not exist, also of steps that fail or end inverted. */
TEST(nodes_are_never_inside_out)
{
    static const char *const methods[] = { "midpoint", "hamilton-pontryagin", "gauss", "implicit-euler" };
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        lil_run *run = problem(ctx, VIOLENT("4, 1, 1", "{stretch: 2, twist: 250, spin: [1, 5, 2]}"));
        lil_sim *sim = start(ctx, run, methods[i], NULL, 2e-3, NULL, NULL);
        lil_tets *tets = run->plan.model->terms[0].data;
        int n = lil_run_model(run)->n, shortened = 0;
        double *kept = malloc(3 * (size_t)n * sizeof *kept);
        lil_material_table table = *tets->material.table;
        spied = tets->material.table;
        table.stress = spy;
        tets->material.table = &table;
        asked = inside_out = 0;
        for (int k = 0; k < (test_small() ? 25 : 100); k++) {
            lil_state *x = &sim->state;
            memcpy(kept, x->q, 3 * (size_t)n * sizeof *kept);
            for (double h = 0.02; h < 0.5; h *= 2) {
                bool ends = false;
                double *way = sim->saved.state.q;
                for (int m = 0; m < n; m++)
                    way[m] = h / 2 * x->v[m];
                ends = lil_evaluate_longest(&sim->ev, x->t, x->q, way) < 1;
                shortened += ends;
                (void)sim->stepper.method->step(&sim->stepper, h); /* the step alone: no frame is looked at */
                memcpy(x->q, kept, 3 * (size_t)n * sizeof *kept);
            }
            long before = inside_out;
            if (!advance(ctx, sim, 1))
                break;
            inside_out = before;
        }
        printf("        %-20s %ld times asked, %ld inside out, %d guesses shortened\n", methods[i], asked, inside_out,
               shortened);
        CHECK(asked > 1000 && shortened > (test_small() ? 2 : 10));
        CHECK(inside_out == 0);
        tets->material.table = spied;
        free(kept);
        lil_sim_destroy(&sim);
        lil_run_destroy(&run);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(order_of_steps);
    RUN(order_of_damped_steps);
    RUN(momenta_of_every_method);
    RUN(momenta_do_not_drift);
    RUN(the_papers_damping_leaks);
    RUN(symplectic_on_a_cube);
    RUN(work_is_booked);
    RUN(work_of_handles_in_stages);
    RUN(handles_may_run_ahead);
    RUN(dissipation_is_certified_whatever_the_damping);
    RUN(constant_loads_are_conservative);
    RUN(stiff_bodies_step);
    RUN(short_steps_of_the_papers_damping);
    RUN(a_violent_start_never_inverts);
    RUN(a_failed_step_changes_nothing);
    RUN(an_inverted_start_is_refused);
    RUN(nodes_are_never_inside_out);
    lil_context_destroy(&ctx);
    return test_end();
}
