/* A Sim saved, and loaded into another, goes on bit for bit: the whole row is compared, certificate and all. */
#include "model/model.h"
#include "problems.h"

#include "sim/checkpoint.h"

static lil_context *ctx;

enum { ROW_MAX = 2048 };

static lil_sim *make(lil_run *run, const char *method, int control)
{
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.integrator = method;
    def.q = x->q;
    def.v = x->v;
    def.step = lil_run_model(run)->points.count ? 0.002 : def.step; /* which explicit methods stand */
    def.control.method = control;
    return lil_sim_create(ctx, lil_run_model(run), &def, &sim) == LIL_OK ? sim : NULL;
}

static void goes_on(lil_run *run, const char *method, int control)
{
    double middle[ROW_MAX], whole[ROW_MAX], resumed[ROW_MAX];
    lil_sim *a = make(run, method, control), *b = make(run, method, control);
    if (!a || !b) /* refused: newmark and composition do not take everything */
        return;
    int words = lil_sim_words(a);
    CHECK(words <= ROW_MAX && words == lil_sim_words(b));
    advance(ctx, a, 20);
    lil_sim_save(a, middle);
    advance(ctx, a, 20);
    lil_sim_save(a, whole);
    lil_sim_set_p(b, middle + 1 + lil_sim_state(b)->n); /* it has a past of its own, which must not show */
    advance(ctx, b, 3);
    CHECK(lil_sim_load(b, middle));
    advance(ctx, b, 20);
    lil_sim_save(b, resumed);
    CHECK(memcmp(whole, middle, (size_t)words * sizeof *whole) != 0);
    lil_certificate ca = lil_sim_certificate(a), cb = lil_sim_certificate(b);
    CHECK(memcmp(&ca, &cb, sizeof ca) == 0); /* also what a row might have forgotten */
    if (memcmp(whole, resumed, (size_t)words * sizeof *whole) != 0) {
        test_failures++;
        printf("%s: %s does not resume\n", test_name, method);
    }
    lil_sim_destroy(&a);
    lil_sim_destroy(&b);
}

TEST(every_method_goes_on)
{
    static const char *const texts[] = { PENDULUM, KEPLER, DOUBLE_PENDULUM, OSCILLATOR };
    for (int k = 0; k < 4; k++) {
        lil_run *run = problem(ctx, texts[k]);
        for (int i = 0; i < lil_integrator_count(ctx); i++)
            goes_on(run, lil_integrator_at(ctx, i)->name, LIL_CONTROL_FIXED);
        lil_run_destroy(&run);
    }
}

TEST(step_control_goes_on)
{
    lil_run *run = problem(ctx, KEPLER);
    goes_on(run, "stormer-verlet", LIL_CONTROL_REVERSIBLE);
    goes_on(run, "midpoint", LIL_CONTROL_REVERSIBLE);
    goes_on(run, "stormer-verlet", LIL_CONTROL_NAIVE);
    lil_run_destroy(&run);
}

#define BAR(more)                                                                                                    \
    "bodies:\n  b:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [4, 1, 1]}\n"                               \
    "    material: {mu: 4e3, kappa: 2e4, density: 1000}\n    start: {stretch: 1.3, twist: 90, spin: [1, 0.6, "       \
    "2]}\n" more "time: {step: 0.01, until: 1}\n"

TEST(bodies_go_on)
{
    static const char *const texts[] = {
        BAR(""),
        BAR("    damping: {kD: 0.002, form: exact}\n"),
        BAR("    damping: {kD: 0.5, form: exact}\n"), /* stiff kicks */
        BAR("    damping: {kD: 0.002, form: minimised}\n"),
        BAR("    damping: {kD: 0.002, form: paper}\n"),
        BAR("    damping: {kD: 0.0002, form: explicit}\n"),
        BAR("    fixed: left\n    handles: [{select: right, move: [0.05*sin(2*t), t*y, 0]}]\n"
            "    damping: {kD: 0.002, form: exact}\ngravity: 9.81\n"),
        BAR("    loads: [{select: right, force: [sin(t), 1, 2*t]}]\n    springs: [{from: right, to: [1, 0, 1], "
            "stiffness: "
            "100, damping: 0.01}]\n"),
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        lil_run *run = problem(ctx, texts[k]);
        for (int i = 0; i < lil_integrator_count(ctx); i++)
            goes_on(run, lil_integrator_at(ctx, i)->name, LIL_CONTROL_FIXED);
        lil_run_destroy(&run);
    }
}

/* five strands: four side by side, and one */
TEST(strands_go_on)
{
    lil_run *run = problem(
        ctx, "strands:\n  hair: {roots: {type: disc, radius: 0.1}, count: 5, nodes: 8, length: 0.1,\n"
             "    curl: {radius: 0.003, pitch: 0.06}, damping: 0.01, drag: 1e-6, wind: [sin(9*t + x), 0, 0]}\n"
             "gravity: 9.81\ntime: {step: 1/240, until: 1}\n");
    goes_on(run, "midpoint", LIL_CONTROL_FIXED);
    lil_run_destroy(&run);
}

/* a damaged file */
TEST(counts_that_are_none_are_refused)
{
    lil_run *run = problem(ctx, PENDULUM);
    const double wrong[] = { NAN, INFINITY, -1, 1e300 };
    double row[ROW_MAX];
    for (int i = 0; i < 4; i++) {
        lil_sim *sim = make(run, "midpoint", LIL_CONTROL_FIXED);
        lil_sim_save(sim, row);
        row[1 + 3 + 2 + 1] = wrong[i]; /* grid_steps: after t, q, p, v, energy, potential, grid_start */
        CHECK(!lil_sim_load(sim, row));
        lil_sim_destroy(&sim);
    }
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(every_method_goes_on);
    RUN(step_control_goes_on);
    RUN(bodies_go_on);
    RUN(strands_go_on);
    RUN(counts_that_are_none_are_refused);
    lil_context_destroy(&ctx);
    return test_end();
}
