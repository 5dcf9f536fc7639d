/* Holonomic constraints: their derivatives, and what steps keep that are bound by them (docs/theory.md). */
#include "problems.h"
#include "warned.h"

#include "constraints/constraint.h"
#include "constraints/text.h"
#include "sim/checkpoint.h"
#include "sim/sim.h"
#include "terms/loads.h"

static lil_context *ctx;

enum { POINTS_MAX = 16 };

/* Points in space under gravity, bound by sets. */
typedef struct linkage {
    int count;
    double x[3 * POINTS_MAX], v[3 * POINTS_MAX], mass[POINTS_MAX], gravity;
    bool held[POINTS_MAX];
    lil_constraint sets[4];
    int set_count;
    lil_arena arena;
    lil_model *model;
} linkage;

static void build(linkage *k)
{
    lil_term term;
    const double g[3] = { 0, 0, -k->gravity };
    static const char *all[3 * POINTS_MAX];
    for (int i = 0; i < 3 * POINTS_MAX; i++)
        all[i] = "x";
    const lil_points_def def = { .count = k->count, .names = all, .x = k->x, .mass = k->mass, .held = k->held };
    MUST(lil_model_create_points(ctx, &def, &k->model));
    if (k->gravity != 0) {
        MUST(lil_term_gravity(ctx, &k->arena, g, k->mass, k->count, &term));
        MUST(lil_model_add(ctx, k->model, term));
    }
    lil_model_bind(k->model, k->sets, k->set_count);
}

static lil_sim *begin(const linkage *k, const char *integrator, const char *options, double h)
{
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.integrator = integrator;
    def.options = options;
    def.step = h;
    def.q = k->x;
    def.v = k->v;
    def.solver.tolerance = 1e-15;
    if (strcmp(integrator, "rk4") == 0)
        def.solver.constraints = LIL_CONSTRAINTS_DIFFERENTIAL;
    if (lil_sim_create(ctx, k->model, &def, &sim) != LIL_OK) {
        printf("%s: %s\n", integrator, lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return sim;
}

static void destroy(linkage *k)
{
    lil_model_destroy(&k->model);
    lil_arena_free(&k->arena);
}

static double drawn(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) * 0x1p-23 - 1;
}

/* ---- derivatives ---- */

static const lil_link links[] = { { 0, 1, 0.7 }, { 2, 3, 1.3 } };
static const lil_on_plane planes[] = { { 1, { 0.6, 0, 0.8 }, 0.2 } };
static const lil_on_sphere spheres[] = { { 2, { 0.1, 0.2, -0.3 }, 0.9 }, { 0, { 0, 0, 0 }, 2 } };
static const lil_angle angles[] = { { 0, 1, 2, 0.3, 0.8 }, { 3, 2, 0, -0.5, 1.2 } };
static const lil_joint joints[] = { { 3, 0 } };

/* d2g/dx2 against differences of G, which err by h^2 / 6 d4g + eps / h */
static void check_second(const lil_constraint *set, lil_arena *arena, void *work, const lil_jacobian *G, double *x)
{
    enum { X = 12, M = 8 };
    double D[M][X][X] = { { { 0 } } }, values[256], above[64], below[64];
    const double h = 1e-5;
    lil_hessian hessian = { 0 };
    if (set->table->second) {
        MUST(lil_constraint_begin_second(ctx, set, arena, &hessian));
        set->table->second(set, work, x, values);
    }
    for (int k = 0; k < hessian.count; k++)
        D[hessian.row[k]][hessian.a[k]][hessian.b[k]] += values[k];
    for (int j = 0; j < X; j++) {
        double kept = x[j];
        x[j] = kept + h;
        set->table->evaluate(set, work, x, NULL, above);
        x[j] = kept - h;
        set->table->evaluate(set, work, x, NULL, below);
        x[j] = kept;
        for (int k = 0; k < G->count; k++)
            D[G->row[k]][G->col[k]][j] -= (above[k] - below[k]) / (2 * h);
    }
    for (int i = 0; i < M; i++)
        for (int a = 0; a < X; a++)
            for (int b = 0; b < X; b++)
                CHECK_NEAR(D[i][a][b], 0, 1e-7);
}

/* G.(x1 - x0) = g(x1) - g(x0) to round-off, without force or torque about the middles where g is of the links alone */
static void check_between(const lil_constraint *set, void *work, const lil_jacobian *G, const double *x0,
                          const double *dx, bool balanced)
{
    enum { X = 12, M = 8 };
    double x1[X], mean[X], g0[M], g1[M], values[64], sum[M] = { 0 }, force[M][3] = { { 0 } },
                                                     torque[M][3] = { { 0 } };
    for (int i = 0; i < X; i++) {
        x1[i] = x0[i] + dx[i];
        mean[i] = (x0[i] + x1[i]) / 2;
    }
    set->table->evaluate(set, work, x0, g0, NULL);
    set->table->evaluate(set, work, x1, g1, NULL);
    if (set->table->between)
        set->table->between(set, x0, x1, values);
    else
        set->table->evaluate(set, work, mean, NULL, values);
    for (int k = 0; k < G->count; k++) {
        int r = G->row[k], d = G->col[k] % 3;
        const double *at = mean + (G->col[k] - d);
        sum[r] += values[k] * (x1[G->col[k]] - x0[G->col[k]]);
        force[r][d] += values[k];
        torque[r][(d + 1) % 3] += at[(d + 2) % 3] * values[k];
        torque[r][(d + 2) % 3] -= at[(d + 1) % 3] * values[k];
    }
    for (int r = 0; r < set->count * set->table->rows; r++) {
        CHECK_NEAR(sum[r], g1[r] - g0[r], 1e-14);
        for (int d = 0; d < 3 && balanced; d++) {
            CHECK_NEAR(force[r][d], 0, 1e-14);
            CHECK_NEAR(torque[r][d], 0, 1e-14);
        }
    }
}

static void check_derivatives(const lil_constraint *set)
{
    enum { X = 12, M = 8 };
    lil_arena arena = { 0 };
    lil_jacobian G;
    void *work;
    double x[X], v[X], values[64], above[M], below[M], here[M], curvature[M];
    unsigned seed = 5;
    int m = set->count * set->table->rows;
    MUST(lil_constraint_begin(ctx, set, &arena, &work, &G));
    for (int i = 0; i < X; i++) {
        x[i] = drawn(&seed);
        v[i] = drawn(&seed);
    }
    set->table->evaluate(set, work, x, here, values);
    lil_constraint_curvature(set, work, x, v, curvature);
    for (int j = 0; j < X; j++) { /* differences err by h^2 g''' / 6 + eps / h */
        const double h = 1e-5;
        double kept = x[j], column[M] = { 0 };
        for (int k = 0; k < G.count; k++)
            if (G.col[k] == j)
                column[G.row[k]] += values[k];
        x[j] = kept + h;
        set->table->evaluate(set, work, x, above, NULL);
        x[j] = kept - h;
        set->table->evaluate(set, work, x, below, NULL);
        x[j] = kept;
        for (int i = 0; i < m; i++)
            CHECK_NEAR(column[i], (above[i] - below[i]) / (2 * h), 2e-8);
    }
    const double h = 1e-3;
    double forth[X], back[X];
    for (int i = 0; i < X; i++) {
        forth[i] = x[i] + h * v[i];
        back[i] = x[i] - h * v[i];
    }
    set->table->evaluate(set, work, forth, above, NULL);
    set->table->evaluate(set, work, back, below, NULL);
    for (int i = 0; i < m; i++)
        CHECK_NEAR(curvature[i], (above[i] - 2 * here[i] + below[i]) / (h * h), 5e-4);
    check_second(set, &arena, work, &G, x);
    if (set->table->quadratic || set->table->between) {
        bool balanced = set->table == &lil_constraint_distance || set->table == &lil_constraint_angle;
        for (double size = 0.3; size > 1e-9; size /= 100) {
            for (int i = 0; i < X; i++)
                forth[i] = size * v[i];
            check_between(set, work, &G, x, forth, balanced);
        }
    }
    lil_arena_free(&arena);
}

TEST(every_kind_differentiates_itself)
{
    const lil_constraint sets[] = { { &lil_constraint_distance, links, 2, "", "" },
                                    { &lil_constraint_plane, planes, 1, "", "" },
                                    { &lil_constraint_sphere, spheres, 2, "", "" },
                                    { &lil_constraint_angle, angles, 2, "", "" },
                                    { &lil_constraint_equal, joints, 1, "", "" } };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        check_derivatives(&sets[i]);
}

TEST(a_text_differentiates_itself)
{
    lil_arena arena = { 0 };
    const lil_symbol symbols[] = { { "x", LIL_SYMBOL_INPUT, 0, NULL, lil_input_q(0) },
                                   { "y", LIL_SYMBOL_INPUT, 0, NULL, lil_input_q(1) },
                                   { "z", LIL_SYMBOL_INPUT, 0, NULL, lil_input_q(2) } };
    const lil_scope scope = { .symbols = symbols, .count = 3 };
    const lil_source source = { .text = "x*y^2 + sin(z)*x - 0.3", .what = "g" };
    const struct lil_text_constraint *text;
    MUST(lil_text_constraint_create(ctx, &arena, &scope, 3, &source, &text));
    const lil_on_text members[] = { { text, 3 }, { text, 9 } };
    const lil_constraint set = { &lil_constraint_text, members, 2, "", "" };
    check_derivatives(&set);
    lil_arena_free(&arena);
}

/* ---- the pendulum, as a point on a circle ---- */

static const double G0 = 9.81;

static linkage pendulum(double theta, double rate)
{
    static const lil_on_sphere sphere[] = { { 0, { 0, 0, 0 }, 1 } };
    static const lil_on_plane plane[] = { { 0, { 0, 1, 0 }, 0 } };
    linkage k = { .count = 1,
                  .mass = { 1 },
                  .gravity = G0,
                  .x = { sin(theta), 0, -cos(theta) },
                  .v = { rate * cos(theta), 0, rate * sin(theta) },
                  .sets = { { &lil_constraint_sphere, sphere, 1, "'sphere'", "sphere" },
                            { &lil_constraint_plane, plane, 1, "'plane'", "plane" } },
                  .set_count = 2 };
    return k;
}

/* theta and dtheta at t = 1 from the pendulum in its angle */
static void reference(double theta, double rate, double *end)
{
    lil_run *run = problem(ctx, PENDULUM);
    lil_sim *sim = start(ctx, run, "gauss", "stages=4", 0.01, &theta, &rate);
    for (int i = 0; i < 100; i++)
        MUST(lil_sim_step(sim));
    end[0] = lil_sim_state(sim)->q[0];
    end[1] = lil_sim_state(sim)->p[0];
    lil_sim_destroy(&sim);
    lil_run_destroy(&run);
}

/* errors of theta and of its momentum at t = 1 */
static void errors(const char *integrator, const char *options, double h, double *e)
{
    linkage k = pendulum(1, 0.5);
    double exact[2] = { 0 };
    reference(1, 0.5, exact);
    build(&k);
    lil_sim *sim = begin(&k, integrator, options, h);
    for (int i = 0; i < (int)round(1 / h); i++)
        MUST(lil_sim_step(sim));
    const lil_state *s = lil_sim_state(sim);
    double theta = atan2(s->q[0], -s->q[2]);
    e[0] = fabs(theta - exact[0]);
    e[1] = fabs(s->p[0] * cos(theta) + s->p[2] * sin(theta) - exact[1]);
    CHECK_BELOW(lil_sim_certificate(sim).constraint_max, 1e-14);
    /* p is projected: along the wire alone. Where energy is exact it is not, and off by less than h^2 v |a| / r (constraint_gradient.h) */
    double off = fabs(s->q[0] * s->p[0] + s->q[2] * s->p[2]);
    CHECK_BELOW(off, strcmp(integrator, "energy-momentum") == 0 ? h * h * 3 * G0 : 1e-14);
    lil_sim_destroy(&sim);
    destroy(&k);
}

static void has_order(const char *integrator, const char *options, double h, int order)
{
    double coarse[2], fine[2];
    errors(integrator, options, h, coarse);
    errors(integrator, options, h / 2, fine);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(log2(coarse[i] / fine[i]), order, 0.15);
}

TEST(orders_in_q_and_p)
{
    has_order("midpoint", NULL, 0.02, 2);
    has_order("energy-momentum", NULL, 0.02, 2);
    has_order("stormer-verlet", NULL, 0.02, 2);
    has_order("symplectic-euler", NULL, 0.001, 1);
    has_order("hamilton-pontryagin", "alpha=0.3", 0.001, 1);
    has_order("composition", "base=stormer-verlet", 0.02, 4);
    has_order("composition", "base=midpoint", 0.02, 4);
}

TEST(a_step_there_and_back_comes_home)
{
    const char *const methods[] = { "midpoint", "stormer-verlet", "energy-momentum" };
    for (int m = 0; m < 3; m++) {
        linkage k = pendulum(1, 0.5);
        build(&k);
        lil_sim *sim = begin(&k, methods[m], NULL, 0.05);
        MUST(lil_sim_advance(sim, 0.05));
        CHECK(fabs(lil_sim_state(sim)->q[0] - k.x[0]) > 1e-3);
        MUST(lil_sim_advance(sim, -0.05));
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(lil_sim_state(sim)->q[i], k.x[i], 1e-14);
            CHECK_NEAR(lil_sim_state(sim)->v[i], k.v[i], 1e-13);
        }
        lil_sim_destroy(&sim);
        destroy(&k);
    }
}

/* ---- the spherical pendulum: symplectic on the constraint manifold ---- */

/* y = (theta, phi, p_theta, p_phi) through one step */
static void spherical_step(const char *integrator, const char *options, const double y[4], double out[4])
{
    static const lil_on_sphere sphere[] = { { 0, { 0, 0, 0 }, 1 } };
    double s = sin(y[0]), c = cos(y[0]), cf = cos(y[1]), sf = sin(y[1]);
    double rate = y[2], spin = y[3] / (s * s);
    linkage k = { .count = 1,
                  .mass = { 1 },
                  .gravity = G0,
                  .x = { s * cf, s * sf, -c },
                  .v = { rate * c * cf - spin * s * sf, rate * c * sf + spin * s * cf, rate * s },
                  .sets = { { &lil_constraint_sphere, sphere, 1, "'sphere'", "sphere" } },
                  .set_count = 1 };
    build(&k);
    lil_sim *sim = begin(&k, integrator, options, 0.1);
    MUST(lil_sim_step(sim));
    const double *q = lil_sim_state(sim)->q, *p = lil_sim_state(sim)->p;
    out[0] = atan2(hypot(q[0], q[1]), -q[2]);
    out[1] = atan2(q[1], q[0]);
    out[2] = (p[0] * cos(out[1]) + p[1] * sin(out[1])) * cos(out[0]) + p[2] * sin(out[0]);
    out[3] = q[0] * p[1] - q[1] * p[0];
    lil_sim_destroy(&sim);
    destroy(&k);
}

/* |D'JD - J| with D by fourth-order differences */
static double asymplectic(const char *integrator, const char *options)
{
    const double y[4] = { 1.1, 0.4, 0.5, 0.9 }, e = 1e-3;
    double D[4][4], worst = 0;
    for (int j = 0; j < 4; j++) {
        const double at[4] = { -2, -1, 1, 2 }, weight[4] = { 1. / 12, -2. / 3, 2. / 3, -1. / 12 };
        for (int i = 0; i < 4; i++)
            D[i][j] = 0;
        for (int k = 0; k < 4; k++) {
            double moved[4], out[4] = { 0 };
            memcpy(moved, y, sizeof moved);
            moved[j] += at[k] * e;
            spherical_step(integrator, options, moved, out);
            for (int i = 0; i < 4; i++)
                D[i][j] += weight[k] * out[i] / e;
        }
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            double sum = 0;
            for (int i = 0; i < 2; i++)
                sum += D[i][a] * D[i + 2][b] - D[i + 2][a] * D[i][b];
            double J = b == a + 2 ? 1 : a == b + 2 ? -1 : 0;
            worst = fmax(worst, fabs(sum - J));
        }
    return worst;
}

TEST(symplectic_on_the_manifold)
{
    CHECK_BELOW(asymplectic("midpoint", NULL), 1e-9);
    CHECK_BELOW(asymplectic("stormer-verlet", NULL), 1e-9);
    CHECK_BELOW(asymplectic("symplectic-euler", NULL), 1e-9);
    CHECK_BELOW(asymplectic("hamilton-pontryagin", "alpha=0.3"), 1e-9);
    CHECK_BELOW(asymplectic("hamilton-pontryagin", "alpha=1"), 1e-9);
    CHECK_BELOW(asymplectic("composition", "base=midpoint"), 1e-9);
    CHECK(asymplectic("rk4", NULL) > 1e-8); /* which is not: the check can fail */
}

/* ---- linkages ---- */

/* A tetrahedron of rods with a tail of two, tumbling through space. */
static linkage tumbling(void)
{
    static const lil_link rods[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 0, 1 },   { 0, 3, 1 },
                                     { 1, 3, 1 }, { 2, 3, 1 }, { 3, 4, 0.5 }, { 4, 5, 0.7 } };
    static const lil_angle elbow[] = { { 3, 4, 5, 0.5, 0.5 } };
    double third = 1 / sqrt(3), height = sqrt(2. / 3);
    linkage k = { .count = 6,
                  .mass = { 1, 2, 0.5, 1, 3, 1.5 },
                  .x = { third, 0, 0, -third / 2, 0.5, 0, -third / 2, -0.5, 0, 0, 0, height, 0, 0, height + 0.5 },
                  .sets = { { &lil_constraint_distance, rods, 8, "'rods'", "rods" },
                            { &lil_constraint_angle, elbow, 1, "'elbow'", "elbow" } },
                  .set_count = 2 };
    /* 60 degrees at the elbow, from the rod that hangs down */
    k.x[15] = 0.7 * sin(acos(0.5));
    k.x[17] = k.x[14] - 0.7 * 0.5;
    const double omega[3] = { 1, -2, 0.7 }, push[3] = { 3e-4, 1e-4, -2e-4 };
    double centre[3] = { 0 }, total = 0; /* far from where it starts the last places of x would show */
    for (int i = 0; i < k.count; i++) {
        total += k.mass[i];
        for (int d = 0; d < 3; d++)
            centre[d] += k.mass[i] * k.x[3 * i + d];
    }
    for (int i = 0; i < 3 * k.count; i++)
        k.x[i] -= centre[i % 3] / total;
    for (int i = 0; i < k.count; i++)
        for (int d = 0; d < 3; d++)
            k.v[3 * i + d] = push[d] + omega[(d + 1) % 3] * k.x[3 * i + (d + 2) % 3] -
                             omega[(d + 2) % 3] * k.x[3 * i + (d + 1) % 3];
    return k;
}

TEST(a_free_linkage_keeps_momenta_and_energy)
{
    const char *const methods[] = { "midpoint", "stormer-verlet", "composition" };
    for (int m = 0; m < 3; m++) {
        int steps = test_small() ? 2000 : m == 1 ? 200000 : 50000;
        linkage k = tumbling();
        build(&k);
        lil_sim *sim = begin(&k, methods[m], NULL, 0.005);
        for (int i = 0; i < steps; i++)
            MUST(lil_sim_step(sim));
        lil_certificate c = lil_sim_certificate(sim);
        CHECK_BELOW(c.constraint_max, 16 * 2.3e-16 * 10); /* the last places of coordinates of some metres */
        CHECK_BELOW(c.linear_momentum_drift, 1e-16 * steps + 1e-14);
        CHECK_BELOW(c.angular_momentum_drift, 1e-16 * steps + 1e-14);
        /* no drift: less than a few times the band over the run, itself h^2 */
        CHECK_BELOW(c.energy_band, 1e-3);
        CHECK_BELOW(fabs(c.energy_drift), (test_small() ? 1 : 0.1) * c.energy_band + 1e-12);
        CHECK(c.halved_steps == 0);
        lil_sim_destroy(&sim);
        destroy(&k);
    }
}

TEST(a_resumed_run_has_the_same_bits)
{
    const char *const methods[] = { "midpoint", "stormer-verlet", "composition", "energy-momentum" };
    for (int m = 0; m < 4; m++) {
        linkage k = tumbling();
        k.gravity = 1;
        build(&k);
        lil_sim *whole = begin(&k, methods[m], NULL, 0.01), *resumed = begin(&k, methods[m], NULL, 0.01);
        for (int i = 0; i < 10; i++)
            MUST(lil_sim_step(whole));
        double *words = calloc((size_t)lil_sim_words(whole), sizeof *words);
        lil_sim_save(whole, words);
        CHECK(lil_sim_load(resumed, words));
        for (int i = 0; i < 10; i++) {
            MUST(lil_sim_step(whole));
            MUST(lil_sim_step(resumed));
        }
        CHECK(memcmp(lil_sim_state(whole)->q, lil_sim_state(resumed)->q, 18 * sizeof(double)) == 0);
        CHECK(memcmp(lil_sim_state(whole)->p, lil_sim_state(resumed)->p, 18 * sizeof(double)) == 0);
        free(words);
        lil_sim_destroy(&whole);
        lil_sim_destroy(&resumed);
        destroy(&k);
    }
}

/* ---- energy-momentum ---- */

/* P, J and the energy, with links and an angle, at a step of 3 degrees of turn and at one of 30. */
TEST(energy_momentum_keeps_all_three)
{
    for (int long_ = 0; long_ < 2; long_++) {
        int steps = test_small() ? 1000 : 20000;
        linkage k = tumbling();
        build(&k);
        lil_sim *sim = begin(&k, "energy-momentum", NULL, long_ ? 0.2 : 0.02);
        for (int i = 0; i < steps; i++)
            MUST(lil_sim_step(sim));
        lil_certificate c = lil_sim_certificate(sim);
        CHECK_BELOW(c.constraint_max, 16 * 2.3e-16 * 10);
        CHECK_BELOW(c.linear_momentum_drift, 1e-16 * steps + 1e-14);
        CHECK_BELOW(c.angular_momentum_drift, 1e-15 * steps + 1e-14); /* h v x r of what is left of the equations */
        CHECK_BELOW(c.energy_band, 1e-15 * steps + 1e-13);
        CHECK(c.halved_steps == 0);
        lil_sim_destroy(&sim);
        destroy(&k);
    }
}

/* |G v| is of second order, as the pendulum's length is not changed by it. */
TEST(velocities_keep_to_constraints_to_second_order)
{
    double worst[2] = { 0 };
    for (int fine = 0; fine < 2; fine++) {
        linkage k = pendulum(1, 0.5);
        build(&k);
        lil_sim *sim = begin(&k, "energy-momentum", NULL, fine ? 0.005 : 0.01);
        for (int i = 0; i < (fine ? 4000 : 2000); i++) { /* 20 s, some nine swings: it does not grow */
            MUST(lil_sim_step(sim));
            const lil_state *s = lil_sim_state(sim);
            worst[fine] = fmax(worst[fine], fabs(s->q[0] * s->v[0] + s->q[2] * s->v[2]));
        }
        lil_sim_destroy(&sim);
        destroy(&k);
    }
    CHECK_NEAR(log2(worst[0] / worst[1]), 2, 0.15);
}

/* A wire of fourth degree, whose discrete gradient has a quotient; a surface in space; and a rod whose other end is led, in whose
 * books every joule is. */
TEST(energy_momentum_on_any_constraint)
{
    const struct {
        const char *text;
        double size; /* of the energies that are exchanged, J */
    } scenes[] = {
        { "lagrangian: 1/2*2*(dx^2 + dz^2) - 2*9.81*z\nconstraints: {wire: z - x^4 + x^2 - sin(x)/3}\n"
          "start: {x: 0.9, z: 0.9^4 - 0.9^2 + sin(0.9)/3}\n",
          20 },
        { "particles:\n  a: {at: [1, 0, 0.5], velocity: [0, 1, 0], mass: 2}\ngravity: 9.81\n"
          "constraints: {bowl: {surface: a, value: z - 0.5*(x^2 + y^2)^1.5}}\n",
          20 },
        { "particles:\n  a: {at: [1, 0, 0], mass: 2}\n"
          "  b: {at: [0, 0, 0], mass: 1, handles: {move: [0.3*sin(4*t), 0, 0.2*cos(5*t) - 0.2]}}\ngravity: 9.81\n"
          "constraints: {rod: {distance: [a, b]}}\n",
          40 },
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%sintegrator: energy-momentum\ntime: {step: 0.02, until: 20}\n", scenes[i].text);
        lil_run *run = problem(ctx, text);
        CHECK(lil_run_advance(run, 500) == LIL_OK);
        lil_certificate c = lil_sim_certificate(lil_run_sim(run));
        CHECK(c.halved_steps == 0);
        double work = i == 2 ? c.external_work : 0;
        CHECK_NEAR(c.energy_final - work, c.energy_initial, 500 * 1e-15 * scenes[i].size + 1e-12);
        CHECK(i != 2 || fabs(work) > 1e-3);
        CHECK_BELOW(c.constraint_max, 1e-14);
        lil_run_destroy(&run);
    }
}

/* Three rods hold a weight so that nothing can move: their tension makes nothing swing, however large it is. */
TEST(tension_without_play_limits_nothing)
{
    static const lil_link rods[] = { { 0, 3, 1.7320508075688772 },
                                     { 1, 3, 1.7320508075688772 },
                                     { 2, 3, 1.7320508075688772 } };
    linkage k = { .count = 4,
                  .mass = { 1, 1, 1, 1 },
                  .gravity = 1e6,
                  .x = { 1, 1, 1, 1, -1, -1, -1, 1, -1 },
                  .held = { true, true, true },
                  .sets = { { &lil_constraint_distance, rods, 3, "'rods'", "rods" } },
                  .set_count = 1 };
    build(&k);
    warned[0] = 0;
    lil_context_set_log(ctx, catch_warning, NULL);
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    def.q = k.x + 9;
    MUST(lil_sim_create(ctx, k.model, &def, &sim));
    for (int i = 0; i < 10; i++)
        MUST(lil_sim_step(sim));
    CHECK(!warned[0] && lil_sim_certificate(sim).halved_steps == 0);
    lil_context_set_log(ctx, NULL, NULL);
    lil_sim_destroy(&sim);
    destroy(&k);
}

/* ---- the start ---- */

/* A square with both diagonals, all in a plane: of six rods one is too many. */
TEST(dependent_constraints_share_their_forces)
{
    static const lil_link sides[] = { { 0, 1, 1 }, { 1, 2, 1 }, { 2, 3, 1 }, { 3, 0, 1 } };
    static const lil_link diagonals[] = { { 0, 2, 1.4142135623730951 }, { 1, 3, 1.4142135623730951 } };
    static const lil_on_plane plane[] = {
        { 0, { 0, 1, 0 }, 0 }, { 1, { 0, 1, 0 }, 0 }, { 2, { 0, 1, 0 }, 0 }, { 3, { 0, 1, 0 }, 0 }
    };
    linkage k = { .count = 4,
                  .mass = { 1, 1, 1, 1 },
                  .gravity = 0,
                  .x = { 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1 },
                  .sets = { { &lil_constraint_distance, sides, 4, "'sides'", "sides" },
                            { &lil_constraint_distance, diagonals, 2, "'diagonals'", "diagonals" },
                            { &lil_constraint_plane, plane, 4, "'plane'", "plane" } },
                  .set_count = 3 };
    for (int i = 0; i < 4; i++) { /* it spins about its middle, in its plane, w = 2 */
        k.v[3 * i] = 2 * (k.x[3 * i + 2] - 0.5);
        k.v[3 * i + 2] = -2 * (k.x[3 * i] - 0.5);
    }
    warned[0] = 0;
    lil_context_set_log(ctx, catch_warning, NULL);
    build(&k);
    lil_sim *sim = begin(&k, "midpoint", NULL, 0.01);
    CHECK(strstr(warned, "constraints are redundant:") && strstr(warned, "'sides' number 1") &&
          strstr(warned, "'sides' number 4") && strstr(warned, "'diagonals' number 2") && !strstr(warned, "'plane'"));
    for (int i = 0; i < 1000; i++)
        MUST(lil_sim_step(sim));
    lil_certificate c = lil_sim_certificate(sim);
    CHECK_BELOW(c.constraint_max, 1e-14);
    CHECK(c.halved_steps == 0);
    /* Each corner is pulled to the middle by m w^2 r. The forces of a side and of a diagonal are s and d with
     * s sqrt(2) + d = 4 / sqrt(2) m, and of all such the least squares 4 s^2 + 2 d^2 is where d = s sqrt(2) */
    const lil_state *x = lil_sim_state(sim);
    double zero[12] = { 0 };
    MUST(lil_constrained_force(&sim->constrained, 0, x->t, x->q, x->v, zero));
    double w = hypot(x->v[0], x->v[2]) / sqrt(0.5), s = -w * w * sqrt(0.5) / (2 * sqrt(2));
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(sim->constrained.lambda[i], s, 1e-6);
    for (int i = 4; i < 6; i++)
        CHECK_NEAR(sim->constrained.lambda[i], s * sqrt(2), 1e-6);
    lil_context_set_log(ctx, NULL, NULL);
    lil_sim_destroy(&sim);
    destroy(&k);
}

TEST(a_start_is_brought_to_its_constraints_or_refused)
{
    linkage k = pendulum(1, 0);
    k.x[0] *= 1.001;
    k.v[0] = 1;
    warned[0] = 0;
    lil_context_set_log(ctx, catch_warning, NULL);
    build(&k);
    lil_sim *sim = begin(&k, "midpoint", NULL, 0.01);
    CHECK(strstr(warned, "the constraints were not quite satisfied:"));
    const lil_state *x = lil_sim_state(sim);
    CHECK_NEAR(hypot(x->q[0], x->q[2]), 1, 1e-15);
    CHECK_NEAR(x->q[0] * x->v[0] + x->q[2] * x->v[2], 0, 1e-15);
    lil_sim_destroy(&sim);
    lil_sim_def def = lil_sim_def_default();
    def.integrator = "midpoint";
    def.q = k.x;
    k.x[0] *= 1.5;
    CHECK(lil_sim_create(ctx, k.model, &def, &sim) == LIL_ERR_INPUT &&
          strstr(lil_context_message(ctx), "are not satisfied"));
    static const lil_on_plane far_away[] = { { 0, { 0, 0, 1 }, 5 } };
    k.x[0] = 1;
    k.sets[k.set_count++] = (lil_constraint){ &lil_constraint_plane, far_away, 1, "'far'", "far" };
    lil_model_bind(k.model, k.sets, k.set_count);
    CHECK(lil_sim_create(ctx, k.model, &def, &sim) == LIL_ERR_INPUT &&
          strstr(lil_context_message(ctx), "the constraints cannot all be satisfied:"));
    lil_context_set_log(ctx, NULL, NULL);
    destroy(&k);
}

/* ---- wherever the origin is ---- */

/* A body held at one side, pulled along x and bound, `up` from the origin; implicit Euler to where it rests, h = 10 s. */
static int64_t pulled(const char *constraint, double up, int vertices, double *x)
{
    char text[1024];
    snprintf(text, sizeof text,
             "bodies:\n  b:\n    shape: {type: box, cells: [2, 2, 2]}\n    at: [0, 0, %.17g]\n"
             "    material: {young: 1e5, poisson: 0.3, density: 1}\n"
             "    groups: {some: {box: [[-0.4, -1, -1], [1, 1, 1e4]]}}\n"
             "    loads: {select: top, traction: [1000, 0, 0]}\n    fixed: left\n"
             "constraints: {held: {%s}}\nintegrator: implicit-euler\ntime: {step: 10, until: 50}\n",
             up, constraint);
    lil_run *run = problem(ctx, text);
    CHECK(lil_run_advance(run, 5) == LIL_OK);
    const lil_certificate c = lil_sim_certificate(lil_run_sim(run));
    CHECK(lil_sim_state(lil_run_sim(run))->n == 3 * vertices);
    CHECK(c.halved_steps == 0);
    /* the last places of coordinates, of each of the few that g is summed from */
    CHECK_BELOW(c.constraint_max, 16 * 2.3e-16 * 3 * (1 + up));
    for (int i = 0; i < 3 * vertices; i++)
        x[i] = lil_sim_state(lil_run_sim(run))->q[i] - (i % 3 == 2 ? up : 0);
    lil_run_destroy(&run);
    return c.newton_iterations;
}

/* z = 0 is as good a place as any. Positions have an absolute error of up * eps, and 5 steps of a stiff body (condition
 * about 100) carry it on. */
TEST(constraints_do_not_know_the_origin)
{
    enum { FREE = 18 };
    const char *const kinds[] = { "plane: some, normal: [0, 0, 1]", "line: some, along: [1, 0, 0]" };
    const double shifts[] = { 1e-3, 10, 1000 };
    for (int k = 0; k < 2; k++) {
        double at_0[3 * FREE], x[3 * FREE];
        int64_t iterations = pulled(kinds[k], 0, FREE, at_0);
        for (int s = 0; s < 3; s++) {
            CHECK_BELOW(fabs((double)(pulled(kinds[k], shifts[s], FREE, x) - iterations)), 5); /* one a step */
            for (int i = 0; i < 3 * FREE; i++)
                CHECK_NEAR(x[i], at_0[i], 100 * 5 * 2.3e-16 * (1 + shifts[s]));
        }
    }
}

/* A single point at rest in the origin, on a plane and on a sphere through it: nothing to measure by but radii and weight. */
TEST(a_point_at_rest_in_the_origin)
{
    static const lil_on_plane plane[] = { { 0, { 0, 0, 1 }, 0 } };
    static const lil_on_sphere sphere[] = { { 0, { 1, 1, 1 }, 1.7320508075688772 } };
    for (int kind = 0; kind < 2; kind++)
        for (int m = 0; m < 2; m++) {
            linkage k = { .count = 1, .mass = { 1 }, .gravity = G0, .set_count = 1 };
            k.sets[0] = kind ? (lil_constraint){ &lil_constraint_sphere, sphere, 1, "'sphere'", "sphere" }
                             : (lil_constraint){ &lil_constraint_plane, plane, 1, "'plane'", "plane" };
            build(&k);
            lil_sim *sim = begin(&k, m ? "stormer-verlet" : "midpoint", NULL, 0.01);
            for (int i = 0; i < 10; i++)
                MUST(lil_sim_step(sim));
            CHECK_BELOW(lil_sim_certificate(sim).constraint_max, 1e-14);
            CHECK_BELOW((double)lil_sim_certificate(sim).newton_iterations, 100); /* of 40 a step that there may be */
            lil_sim_destroy(&sim);
            destroy(&k);
        }
}

/* ---- the comparison that Treuille's slides make ---- */

#define BEAD                                                                                                         \
    "lagrangian: 1/2*m*(dx^2 + dz^2) - m*g*z\n"                                                                      \
    "parameters: {m: 1, g: 9.81, r: 1}\n"                                                                            \
    "constraints: {wire: (x^2 + z^2 - r^2)/(2*r)}\n"

/* The violation after `steps` of 0.001 s from x = `from`, and the largest that there was. */
static double bead(const char *settings, double from, int steps, double *most)
{
    char text[1024];
    const char *time = strstr(settings, "time:") ? "" : "time: {step: 0.001, until: 1000}\n";
    snprintf(text, sizeof text, BEAD "start: {x: %g, z: 0}\n%s%s", from, settings, time);
    lil_run *run = problem(ctx, text);
    lil_context_set_log(ctx, NULL, NULL);
    lil_status status = lil_run_advance(run, steps);
    const lil_state *x = lil_sim_state(lil_run_sim(run));
    double off = fabs(hypot(x->q[0], x->q[1]) - 1);
    *most = status == LIL_OK ? lil_sim_certificate(lil_run_sim(run)).constraint_max : INFINITY;
    lil_run_destroy(&run);
    return off;
}

TEST(who_holds_the_bead)
{
    int steps = test_small() ? 20000 : 200000;
    double most, bare, held;
    bead("integrator: midpoint\n", 1, steps, &most);
    CHECK_BELOW(most, 1e-12);
    bead("integrator: stormer-verlet\n", 1, steps, &most);
    CHECK_BELOW(most, 1e-12);
    bead("integrator: rk4\nsolver: {constraints: differential}\n", 1, steps, &bare);
    bead("integrator: rk4\nsolver: {constraints: differential, feedback: 0.01}\n", 1, steps, &held);
    CHECK_BELOW((test_small() ? 2 : 10) * held, bare);
    bead("integrator: symplectic-euler\nsolver: {constraints: differential}\n", 1, steps, &bare);
    bead("integrator: symplectic-euler\nsolver: {constraints: differential, feedback: 0.01}\n", 1, steps, &held);
    CHECK_BELOW(100 * held, bare);
    CHECK_BELOW(held, 1e-3);
    /* explicit Euler gains energy until feedback holds the bead no longer */
    double early, late;
    bead("integrator: explicit-euler\nsolver: {constraints: differential, feedback: 0.01}\n", 1, 5000, &early);
    bead("integrator: explicit-euler\nsolver: {constraints: differential, feedback: 0.01}\n", 1, steps, &late);
    CHECK(late > 1.2 * early && (test_small() || isinf(late)));
    bead("integrator: explicit-euler\nsolver: {constraints: differential}\n", 1, steps, &bare);
    CHECK(bare > 0.1);
}

/* Springs of k give way by 3 m g / k at the bottom, and explicit steps are stable while h sqrt(k/m) < 2: four more digits take
 * steps a hundred times shorter. Multipliers hold to round-off at any step. */
TEST(penalties_need_far_shorter_steps)
{
    double most, weak, stiff, unstable;
    weak = bead("integrator: stormer-verlet\nsolver: {constraints: penalty, stiffness: 1e4}\n", 1, 592, &most);
    CHECK_NEAR(weak, 3 * 9.81 / 1e4,
               1e-3); /* it passes the bottom 0.836 s after it was let go, at speed from 0.6 on */
    stiff = bead(
        "integrator: stormer-verlet\nsolver: {constraints: penalty, stiffness: 1e8}\ntime: {step: 1e-5, until: 10}\n",
        1, 59200, &most);
    CHECK_NEAR(stiff, 3 * 9.81 / 1e8, 0.05 * 3 * 9.81 / 1e8);
    unstable = bead("integrator: stormer-verlet\nsolver: {constraints: penalty, stiffness: 1e8}\n", 1, 592, &most);
    CHECK(isinf(most) || unstable > 100 * stiff);
    bead("integrator: stormer-verlet\ntime: {step: 0.05, until: 10}\n", 1, 200, &most);
    CHECK_BELOW(most, 1e-14);
}

/* y'' + 2 y'/T + y/T^2 = 0: (1 + t/T) exp(-t/T) of it is left, 5e-4 after ten T */
TEST(feedback_pulls_in_a_start_that_is_off)
{
    double most;
    CHECK_NEAR(bead("integrator: rk4\nsolver: {constraints: differential, feedback: 0.01}\n", 1.01, 10, &most),
               0.01 * 2 * exp(-1), 1e-4);
    CHECK_BELOW(bead("integrator: rk4\nsolver: {constraints: differential, feedback: 0.01}\n", 1.01, 100, &most),
                1e-5);
    CHECK(bead("integrator: rk4\nsolver: {constraints: differential}\n", 1.01, 100, &most) > 9e-3);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(every_kind_differentiates_itself);
    RUN(a_text_differentiates_itself);
    RUN(orders_in_q_and_p);
    RUN(a_step_there_and_back_comes_home);
    RUN(symplectic_on_the_manifold);
    RUN(a_free_linkage_keeps_momenta_and_energy);
    RUN(a_resumed_run_has_the_same_bits);
    RUN(energy_momentum_keeps_all_three);
    RUN(velocities_keep_to_constraints_to_second_order);
    RUN(energy_momentum_on_any_constraint);
    RUN(tension_without_play_limits_nothing);
    RUN(dependent_constraints_share_their_forces);
    RUN(a_start_is_brought_to_its_constraints_or_refused);
    RUN(constraints_do_not_know_the_origin);
    RUN(a_point_at_rest_in_the_origin);
    RUN(who_holds_the_bead);
    RUN(penalties_need_far_shorter_steps);
    RUN(feedback_pulls_in_a_start_that_is_off);
    lil_context_destroy(&ctx);
    return test_end();
}
