/* How much linear tets lock: the table behind `lilyan info`, computed. */
#include "problems.h"

#include "mesh/check/layers.h"

static lil_context *ctx;

/* A cantilever of 1 x 0.1 x 0.1 under a small load at its end, at rest: its tip over Timoshenko's P L^3/(3 E I) (1 +
 * 3 E I/(k G A L^2)). */
static double tip(int layers, double nu, int pattern)
{
    char scene[2000];
    const double E = 1e6, P = 1, a = 0.1;
    snprintf(
        scene, sizeof scene,
        "bodies: {b: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [%d, %d, %d], pattern: %d},\n"
        "  material: {model: st-venant-kirchhoff, young: 1e6, poisson: %g, density: 1}, fixed: left,\n"
        "  groups: {tip: right}, loads: {select: right, force: [0, 0, -1]}, start: {rest: true}}}\n"
        "time: {step: 0.01, until: 1}\nintegrator: midpoint\nsolver: {linear: direct}\nobserve: {z: \"tip[3]\"}\n",
        10 * layers, layers, layers, pattern, nu);
    lil_run *run = problem(ctx, scene);
    lil_observable o = { 0 };
    CHECK(lil_run_observable(run, 0, &o));
    lil_run_destroy(&run);
    double I = a * a * a * a / 12, k = 10 * (1 + nu) / (12 + 11 * nu), G = E / (2 * (1 + nu));
    return -o.first / (P / (3 * E * I) * (1 + 3 * E * I / (k * G * a * a)));
}

TEST(the_table_is_what_tets_do)
{
    static const double nu[] = { 0, 0.3, 0.45, 0.49, 0.499 };
    static const int layers[] = { 1, 2, 4 };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 5; k++) {
            lil_locking table = lil_tet_locking(layers[i], nu[k]);
            double best = tip(layers[i], nu[k], 5), worst = tip(layers[i], nu[k], 6);
            if (getenv("LIL_TEST_PRINT"))
                printf("{ %.2f, %.2f }%s", fmax(best, worst), fmin(best, worst), k < 4 ? ", " : "\n");
            CHECK_NEAR(table.best, fmax(best, worst), 0.006); /* two digits */
            CHECK_NEAR(table.worst, fmin(best, worst), 0.006);
        }
    /* between its rows and columns, and beyond */
    lil_locking a = lil_tet_locking(3, 0.4), b = lil_tet_locking(2, 0.45), c = lil_tet_locking(4, 0.3);
    CHECK(a.best > b.best && a.best < c.best && lil_tet_locking(100, 0.3).best > 0.9);
}

TEST(layers_are_counted)
{
    for (int n = 1; n <= 4; n++) {
        char scene[400];
        int layers;
        snprintf(scene, sizeof scene,
                 "bodies: {b: {shape: {type: bar, size: [1, 0.1, 0.1], cells: [8, %d, 4]}, material: rubber}}\n"
                 "time: {step: 0.01, until: 1}\n",
                 n);
        lil_run *run = problem(ctx, scene);
        const char *text = lil_run_describe(run);
        CHECK((strstr(text, "locks") != NULL));
        snprintf(scene, sizeof scene, "%d layer", layers = n == 1 ? 1 : n == 4 ? 4 : 2);
        CHECK(strstr(text, scene));
        lil_run_destroy(&run);
    }
}

int main(void)
{
    if (!(ctx = lil_context_create()))
        return EXIT_FAILURE;
    RUN_RELEASE(the_table_is_what_tets_do);
    RUN(layers_are_counted);
    lil_context_destroy(&ctx);
    return test_end();
}
