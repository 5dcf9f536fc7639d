/* Pressure on surfaces: its derivatives, what it conserves, and Lame's sphere. */
#include "problems.h"

#include "discrete/tally.h"
#include "model/evaluator.h"
#include "sim/sim.h"

#include <lilyan/world.h>

static lil_context *ctx;

/* ---- derivatives ---- */

static const lil_active *pressure_of(lil_run *run, lil_place place)
{
    lil_evaluator *ev = &lil_run_sim(run)->ev;
    LIL_EACH_TERM (a, ev, place)
        if (strncmp(a->table->name, "pressure", 8) == 0)
            return a;
    printf("%s: there is no pressure\n", test_name);
    exit(EXIT_FAILURE);
}

#define CUBE(loads)                                                                                                  \
    "bodies: {c: {shape: {type: bar, size: [1, 0.8, 0.6], cells: [2, 2, 2]}, at: [3, 2, 1], groups: {l: left},\n"    \
    "  material: {young: 1e4, poisson: 0.3, density: 100}, loads: " loads "}}\n"                                     \
    "time: {step: 0.01, until: 1}\nintegrator: midpoint\n"

/* positions off rest, for this seed */
static void shake(const lil_sim *sim, int seed, double *x)
{
    memcpy(x, lil_sim_state(sim)->q, (size_t)lil_sim_state(sim)->n * sizeof *x);
    for (int i = 0; i < lil_sim_state(sim)->n; i++)
        x[i] += 0.1 * sin(1.7 * i + seed);
}

/* dW/dq and d2W/dq2 against central differences, which are exact but for round-off: W is cubic, dW/dq quadratic */
TEST(derivatives_are_those_of_the_volume)
{
    enum { N = 81 };
    lil_run *run = problem(ctx, CUBE("{select: all, pressure: \"200*(1 + t)\"}"));
    lil_sim *sim = lil_run_sim(run);
    const lil_active *a = pressure_of(run, LIL_POTENTIAL);
    lil_arena arena = { 0 };
    void *work;
    lil_entries entries = { 0 };
    double x[N], g[N] = { 0 }, K[N][N] = { { 0 } }, values[36 * 200];
    CHECK(lil_sim_state(sim)->n == N);
    CHECK(a->table->begin(ctx, a->data, &arena, true, &work, &entries) == LIL_OK);
    shake(sim, 1, x);
    a->table->evaluate(a->data, work, &(lil_at){ 0.5, x, NULL }, &(lil_sums){ NULL, g, NULL });
    CHECK(entries.qq <= 36 * 200);
    a->table->second(a->data, work, &(lil_at){ 0.5, x, NULL }, &(lil_sink){ .weight = 1, .entries = values });
    for (int k = 0; k < entries.qq; k++)
        K[entries.row[k]][entries.col[k]] += values[k];
    for (int i = 0; i < N; i++) {
        double W[2] = { 0 }, gs[2][N] = { { 0 } }, h = 1e-2, at = x[i];
        for (int s = 0; s < 2; s++) {
            x[i] = at + (s ? h : -h);
            a->table->evaluate(a->data, work, &(lil_at){ 0.5, x, NULL }, &(lil_sums){ &W[s], gs[s], NULL });
        }
        x[i] = at;
        CHECK_NEAR((W[1] - W[0]) / (2 * h), g[i], 1e-9);
        for (int j = 0; j < N; j++)
            CHECK_NEAR((gs[1][j] - gs[0][j]) / (2 * h), K[j][i], 1e-9);
    }
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

/* G.(x1 - x0) = W1 - W0 - what t did, without net force and torque: to round-off */
TEST(the_discrete_gradient_is_exact)
{
    enum { N = 81 };
    lil_run *run = problem(ctx, CUBE("{select: all, pressure: \"200*(1 + t)\"}"));
    const lil_active *a = pressure_of(run, LIL_POTENTIAL);
    for (int seed = 0; seed < 3; seed++) {
        double x0[N], x1[N], G[N] = { 0 }, W0 = 0, W1 = 0, noise = 0, sum = 0, F[3] = { 0 }, T[3] = { 0 };
        shake(lil_run_sim(run), seed, x0);
        shake(lil_run_sim(run), seed + 10, x1);
        a->table->discrete_gradient->evaluate(a->data, a->work, &(lil_ends){ 0.1, 0.4, x0, x1, false }, G, &noise);
        double driven = a->table->driven(a->work);
        a->table->evaluate(a->data, a->work, &(lil_at){ 0.1, x0, NULL }, &(lil_sums){ &W0, NULL, NULL });
        a->table->evaluate(a->data, a->work, &(lil_at){ 0.4, x1, NULL }, &(lil_sums){ &W1, NULL, NULL });
        for (int i = 0; i < N; i++) {
            sum += G[i] * (x1[i] - x0[i]);
            F[i % 3] += G[i];
        }
        for (int v = 0; v < N / 3; v++)
            for (int k = 0; k < 3; k++) {
                int l = (k + 1) % 3, m = (k + 2) % 3;
                T[k] += (x0[3 * v + l] + x1[3 * v + l]) / 2 * G[3 * v + m] -
                        (x0[3 * v + m] + x1[3 * v + m]) / 2 * G[3 * v + l];
            }
        CHECK_NEAR(sum + driven, W1 - W0, 1e-11 * 280); /* of p V, some 100 J, with coordinates up to 4 */
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(F[k], 0, 1e-11 * 280);
            CHECK_NEAR(T[k], 0, 1e-10 * 280);
        }
    }
    lil_run_destroy(&run);
}

/* ---- in motion ---- */

#define FLIGHT                                                                                                       \
    "bodies: {c: {shape: {type: bar, size: [1, 0.8, 0.6], cells: [3, 2, 2]},\n"                                      \
    "  material: {young: 1e4, poisson: 0.3, density: 100}, loads: {select: all, pressure: \"%s\"},\n"                \
    "  start: {spin: [1, 2, 3], push: [1, 0, 0], stretch: 1.2}}}\ntime: {step: 0.01, until: 1}\nintegrator: %s\n"

/* A closed surface: momenta stay whatever p does, and with a constant p the energy too, W among it. */
TEST(a_balloon_in_flight_keeps_its_momenta)
{
    static const struct {
        const char *p, *method;
        double energy, momenta;
    } of[] = { { "-1500", "energy-momentum", 1e-10, 1e-12 },
               { "-1500*sin(9*t)", "energy-momentum", 1e-10, 1e-12 },
               { "-1500", "midpoint", 0.05, 1e-11 },
               { "-1500*sin(9*t)", "{method: stormer-verlet}", 0.05, 1e-12 } };
    for (int i = 0; i < 4; i++) {
        char scene[1000];
        snprintf(scene, sizeof scene, FLIGHT, of[i].p, of[i].method);
        lil_run *run = problem(ctx, scene);
        lil_sim *sim = lil_run_sim(run);
        advance(ctx, sim, 60);
        lil_certificate c = lil_sim_certificate(sim);
        CHECK(c.linear_momentum_drift < 1e-12);
        CHECK(c.angular_momentum_drift < of[i].momenta);
        double work = strchr(of[i].p, 't') ? c.external_work : 0, size = c.energy_max - c.energy_min + 100;
        CHECK_NEAR(c.energy_final - c.energy_initial, work, of[i].energy * size);
        lil_run_destroy(&run);
    }
}

/* One face of a box: no potential, so its force turns with it. Its work is booked, and it pushes by p A n. */
TEST(an_open_patch_is_a_force)
{
    lil_run *run = problem(ctx, CUBE("{select: left, pressure: 50}"));
    pressure_of(run, LIL_FORCE);
    lil_sim *sim = lil_run_sim(run);
    advance(ctx, sim, 1);
    const lil_state *x = lil_sim_state(sim);
    double P[3] = { 0 };
    for (int i = 0; i < x->n; i++)
        P[i % 3] += x->p[i];
    CHECK_NEAR(P[0], 0.01 * 50 * 0.8 * 0.6, 1e-4); /* its area changes by the stretch of a step, 1e-4 */
    CHECK_NEAR(P[1], 0, 1e-4);
    advance(ctx, sim, 50);
    lil_certificate c = lil_sim_certificate(sim);
    /* of second order in h: 1 % of the work */
    CHECK_NEAR(c.energy_final - c.energy_initial, c.external_work, 0.01 * c.external_work);
    CHECK(c.external_work > 1);
    lil_run_destroy(&run);
}

/* Its tangent against differences: those of a quadratic are exact. */
TEST(the_tangent_of_a_patch)
{
    enum { N = 81 };
    lil_run *run = problem(ctx, CUBE("{select: left, pressure: 50}"));
    const lil_active *a = pressure_of(run, LIL_FORCE);
    lil_arena arena = { 0 };
    void *work;
    lil_entries entries = { 0 };
    double x[N], K[N][N] = { { 0 } }, values[81 * 40];
    CHECK(a->table->begin(ctx, a->data, &arena, true, &work, &entries) == LIL_OK && entries.qq <= 81 * 40);
    shake(lil_run_sim(run), 2, x);
    a->table->second(a->data, work, &(lil_at){ 0, x, x }, &(lil_sink){ .weight = 1, .entries = values });
    for (int k = 0; k < entries.qq; k++)
        K[entries.row[k]][entries.col[k]] += values[k];
    for (int i = 0; i < N; i++) {
        double F[2][N] = { { 0 } }, h = 1e-2, at = x[i];
        for (int s = 0; s < 2; s++) {
            x[i] = at + (s ? h : -h);
            a->table->evaluate(a->data, work, &(lil_at){ 0, x, x }, &(lil_sums){ NULL, F[s], NULL });
        }
        x[i] = at;
        for (int j = 0; j < N; j++)
            CHECK_NEAR((F[1][j] - F[0][j]) / (2 * h), K[j][i], 1e-10);
    }
    lil_arena_free(&arena);
    lil_run_destroy(&run);
}

/* A membrane with a fixed rim has a potential: the block's top, with its edges fixed. Pinned vertices are in the pairs of its
 * matrix, so Newton's method sees whether their blocks are the right way round. */
TEST(a_fixed_rim_has_a_potential)
{
    lil_run *run = problem(ctx, "bodies: {c: {shape: {type: bar, size: [1, 1, 0.1], cells: [8, 8, 1]},\n"
                                "  material: {young: 1e4, poisson: 0.3, density: 100},\n"
                                "  fixed: [left, right, back, front], loads: {select: top, pressure: 20}}}\n"
                                "time: {step: 0.1, until: 1}\nintegrator: energy-momentum\n");
    pressure_of(run, LIL_POTENTIAL);
    lil_sim *sim = lil_run_sim(run);
    advance(ctx, sim, 10);
    lil_certificate c = lil_sim_certificate(sim);
    CHECK_NEAR(c.energy_final, c.energy_initial, 1e-9 * fabs(lil_sim_potential(sim)) + 1e-9);
    CHECK(c.newton_iterations <= 10 * 12);
    lil_run_destroy(&run);
}

/* ---- a thick sphere under pressure from within (Lame) ---- */

typedef struct sphere {
    int directions, vertex_count, tet_count;
    double *x;
    int (*tets)[4];
} sphere;

/* The number of a direction: that of an equal one before, or a new one. */
static int direction(sphere *s, double (*list)[3], const double c[3])
{
    double r = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    const double d[3] = { c[0] / r, c[1] / r, c[2] / r };
    for (int i = 0; i < s->directions; i++)
        if (fabs(list[i][0] - d[0]) + fabs(list[i][1] - d[1]) + fabs(list[i][2] - d[2]) < 1e-9)
            return i;
    memcpy(list[s->directions], d, sizeof d);
    return s->directions++;
}

static void add_tet(sphere *s, int a, int b, int c, int d)
{
    const double *x[4] = { s->x + 3 * a, s->x + 3 * b, s->x + 3 * c, s->x + 3 * d };
    double e[3][3];
    for (int k = 0; k < 9; k++)
        e[k / 3][k % 3] = x[k / 3 + 1][k % 3] - x[0][k % 3];
    double det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                 e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    int *t = s->tets[s->tet_count++];
    t[0] = a;
    t[1] = b;
    t[2] = det > 0 ? c : d;
    t[3] = det > 0 ? d : c;
}

/* A prism over a triangle of directions, cut by their order: neighbours have the same diagonals. */
static void add_prism(sphere *s, int layer, int p, int q, int r)
{
    int v[3] = { p, q, r }, low = layer * s->directions, high = low + s->directions;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++)
            if (v[k] > v[k + 1]) {
                int swap = v[k];
                v[k] = v[k + 1];
                v[k + 1] = swap;
            }
    add_tet(s, low + v[0], low + v[1], low + v[2], high + v[2]);
    add_tet(s, low + v[0], low + v[1], high + v[1], high + v[2]);
    add_tet(s, low + v[0], high + v[0], high + v[1], high + v[2]);
}

/* The sides of a cube in n x n cells at equal angles, on spheres of radius a to b. */
static sphere make_sphere(int n, int layers, double a, double b)
{
    sphere s = { 0 };
    size_t most = 6 * (size_t)(n + 1) * (size_t)(n + 1);
    double(*list)[3] = calloc(most, sizeof *list);
    int *grid = calloc(most, sizeof *grid), at = 0;
    for (int side = 0; side < 6; side++)
        for (int k = 0; k < (n + 1) * (n + 1); k++) {
            double c[3];
            c[side % 3] = side < 3 ? 1 : -1;
            c[(side + 1) % 3] = tan((2.0 * (k / (n + 1)) / n - 1) * atan(1));
            c[(side + 2) % 3] = tan((2.0 * (k % (n + 1)) / n - 1) * atan(1));
            grid[at++] = direction(&s, list, c);
        }
    s.vertex_count = s.directions * (layers + 1);
    s.x = calloc(3 * (size_t)s.vertex_count, sizeof *s.x);
    s.tets = calloc(36 * (size_t)(n * n * layers), sizeof *s.tets);
    for (int v = 0; v < s.vertex_count; v++)
        for (int k = 0; k < 3; k++)
            s.x[3 * v + k] = (a + (b - a) * (v / s.directions) / layers) * list[v % s.directions][k];
    for (int cell = 0; cell < 6 * n * n * layers; cell++) {
        int c = cell / layers, side = c / (n * n), i = c % (n * n) / n, j = c % n;
        const int *g = grid + (side * (n + 1) + i) * (n + 1) + j;
        add_prism(&s, cell % layers, g[0], g[1], g[n + 1]);
        add_prism(&s, cell % layers, g[1], g[n + 1], g[n + 2]);
    }
    free(list);
    free(grid);
    return s;
}

/* The radial displacement of the inner surface at rest, which implicit Euler damps out. */
static double inflate(int n, int layers, double a, double b, double p, double E, double nu)
{
    sphere s = make_sphere(n, layers, a, b);
    lil_world *world;
    lil_model *model;
    lil_sim *sim;
    int body, *inner = calloc((size_t)s.directions, sizeof *inner);
    char text[32];
    snprintf(text, sizeof text, "%g", p);
    const lil_vector_def pressure = { .text = { text, "0", "0" } };
    lil_body_def def = lil_body_def_default();
    def.name = "sphere";
    def.x = s.x;
    def.vertex_count = s.vertex_count;
    def.tets = (const int(*)[4])s.tets;
    def.tet_count = s.tet_count;
    def.material.name = "neo-hookean";
    def.material.young = E;
    def.material.poisson = nu;
    def.material.density = 1;
    for (int i = 0; i < s.directions; i++)
        inner[i] = i;
    lil_sim_def sim_def = lil_sim_def_default();
    sim_def.integrator = "implicit-euler";
    sim_def.step = 1;
    sim_def.solver.tolerance = 1e-9;
    bool made = lil_world_create(ctx, &world) == LIL_OK && lil_world_add_body(world, &def, &body) == LIL_OK &&
                lil_world_add_pressure(world, body, inner, s.directions, &pressure) == LIL_OK &&
                lil_world_build(world, &model) == LIL_OK && lil_sim_create(ctx, model, &sim_def, &sim) == LIL_OK;
    if (!made) {
        printf("%s: %s\n", test_name, lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    CHECK(model->points.linear && model->points.angular); /* a closed surface */
    advance(ctx, sim, 3);
    double sum = 0, *x = calloc(3 * (size_t)s.vertex_count, sizeof *x);
    CHECK(lil_sim_positions(sim, x) == LIL_OK);
    for (int i = 0; i < 3 * s.directions; i += 3)
        sum += sqrt(x[i] * x[i] + x[i + 1] * x[i + 1] + x[i + 2] * x[i + 2]) - a;
    free(x);
    free(inner);
    free(s.x);
    free(s.tets);
    lil_sim_destroy(&sim);
    lil_model_destroy(&model);
    int directions = s.directions;
    lil_world_destroy(&world);
    return sum / directions;
}

/* u(r) = p a^3/(E (b^3 - a^3)) ((1 - 2 nu) r + (1 + nu) b^3/(2 r^2)). Linear tets in a polyhedron converge with h^2: halving
 * the cells divides the error by about four, and extrapolation has a tenth of it. */
TEST(a_thick_sphere_inflates_as_lame_says)
{
    const double a = 1, b = 2, E = 1e5, nu = 0.3, p = 10; /* strains of 1e-4: linear to 1e-4 */
    double u = p / (E * (b * b * b - 1)) * ((1 - 2 * nu) + (1 + nu) * b * b * b / 2);
    double coarse = inflate(5, 3, a, b, p, E, nu) / u - 1, fine = inflate(10, 6, a, b, p, E, nu) / u - 1;
    CHECK(fabs(fine) < 0.1 && fabs(fine) < 0.4 * fabs(coarse));
    CHECK_NEAR(fine + (fine - coarse) / 3, 0, 0.015);
    if (getenv("LIL_TEST_PRINT"))
        printf("%.4f %.4f, extrapolated %.4f\n", coarse, fine, fine + (fine - coarse) / 3);
}

int main(void)
{
    if (!(ctx = lil_context_create()))
        return EXIT_FAILURE;
    RUN(derivatives_are_those_of_the_volume);
    RUN(the_discrete_gradient_is_exact);
    RUN(a_balloon_in_flight_keeps_its_momenta);
    RUN(an_open_patch_is_a_force);
    RUN(the_tangent_of_a_patch);
    RUN(a_fixed_rim_has_a_potential);
    RUN_RELEASE(a_thick_sphere_inflates_as_lame_says);
    lil_context_destroy(&ctx);
    return test_end();
}
