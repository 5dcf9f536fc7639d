/*
 * Strands: derivatives of bending, twisting and of their damping by differences, what rigid motions do, rest; and strands at
 * work: momenta, how fast a clamped one swings, a helix that keeps its screw.
 */
#include "discrete/discrete.h"
#include "solids.h"
#include "terms/bending.h"
#include "terms/loads.h"

static lil_context *ctx;

enum { MOST = 40 };

/* A strand of its own: vertices in a row, the terms between them. */
typedef struct strand {
    int nodes;
    double x[3 * MOST], mass[MOST];
    bool held[MOST];
    lil_link links[MOST];
    lil_bend bend[MOST];
    lil_twist twist[MOST];
    lil_bends bends;
    lil_twists twists;
    lil_constraint set;
    lil_arena arena;
    lil_model *model;
} strand;

static double length(const double *a, const double *b)
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static double cosine(const double *x)
{
    double dot = 0;
    for (int d = 0; d < 3; d++)
        dot += (x[3 + d] - x[d]) * (x[6 + d] - x[3 + d]);
    return dot / (length(x, x + 3) * length(x + 3, x + 6));
}

/* S of three edges */
static double screw(const double *x)
{
    double e[3][3], normal[3] = { 0 };
    for (int k = 0; k < 9; k++)
        e[k / 3][k % 3] = x[3 + k] - x[k];
    add_cross(e[1], e[2], normal);
    return (e[0][0] * normal[0] + e[0][1] * normal[1] + e[0][2] * normal[2]) /
           (length(x, x + 3) * length(x + 3, x + 6) * length(x + 6, x + 9));
}

/* What is at rest as x is; B and C in N m^2, density in kg/m. */
static void make(strand *s, double B, double C, double density)
{
    int n = s->nodes;
    for (int i = 0; i + 1 < n; i++) {
        const double *x = s->x + 3 * i;
        double l = length(x, x + 3);
        s->links[i] = (lil_link){ i, i + 1, l };
        s->mass[i] += density * l / 2;
        s->mass[i + 1] += density * l / 2;
        if (i + 2 < n) {
            double c = cosine(x), natural = 4 * (1 - c) / (1 + c);
            s->bend[i] =
                (lil_bend){ { i, i + 1, i + 2 }, B / (l + length(x + 3, x + 6)), natural > 1e-12 ? natural : 0, 0 };
        }
        if (i + 3 < n) {
            double lengths = l * length(x + 3, x + 6) * length(x + 6, x + 9);
            s->twist[i] = (lil_twist){ { i, i + 1, i + 2, i + 3 }, lengths, C / cbrt(lengths), screw(x), 0 };
        }
    }
    s->bends = (lil_bends){ n - 2, s->bend };
    s->twists = (lil_twists){ n - 3, s->twist };
}

static void make_straight(strand *s, int nodes, double l)
{
    *s = (strand){ .nodes = nodes };
    for (int i = 0; i < nodes; i++)
        s->x[3 * i] = i * l;
}

/* about a vertical axis, downwards; hand = 1 or -1 */
static void make_helix(strand *s, int nodes, double hand)
{
    *s = (strand){ .nodes = nodes };
    for (int i = 0; i < nodes; i++) {
        s->x[3 * i] = 0.01 * cos(0.6 * i);
        s->x[3 * i + 1] = 0.01 * hand * sin(0.6 * i);
        s->x[3 * i + 2] = -0.008 * i;
    }
}

/* ---- terms by themselves ---- */

enum { NODES = 7, N = 3 * NODES };

typedef struct subject {
    const char *name;
    lil_term term;
    int width; /* of an element's matrix */
    void *work;
    lil_entries entries;
} subject;

static strand straight, helix;
static subject subjects[3], damping;

static void begin(subject *s)
{
    if (s->term.table->begin(ctx, s->term.data, &straight.arena, true, &s->work, &s->entries) != LIL_OK)
        exit(EXIT_FAILURE);
}

static void make_subjects(void)
{
    make_straight(&straight, NODES, 1);
    make(&straight, 1, 1, 1);
    make_helix(&helix, NODES, 1);
    for (int i = 0; i < N; i++)
        helix.x[i] *= 100; /* lengths and energies of order 1 */
    make(&helix, 1, 1, 1);
    subjects[0] = (subject){ "straight bends", lil_bends_term(&straight.bends), .width = 9 };
    subjects[1] = (subject){ "curved bends", lil_bends_term(&helix.bends), .width = 9 };
    subjects[2] = (subject){ "twists", lil_twists_term(&helix.twists), .width = 12 };
    damping = (subject){ .name = "damping", .width = 9 };
    lil_bends_damping(ctx, &straight.arena, &helix.bends, 0.3, &damping.term);
    for (int i = 0; i < 3; i++)
        begin(&subjects[i]);
    begin(&damping);
}

/* the helix, shaken, so that angles are far from those at rest but edges do not fold */
static void shake(double size, double *x)
{
    for (int i = 0; i < N; i++)
        x[i] = helix.x[i] + uniform(-size, size);
}

static double value_at(const subject *s, const double *x, double *g)
{
    double W = 0;
    if (g)
        memset(g, 0, N * sizeof *g);
    s->term.table->evaluate(s->term.data, s->work, &(lil_at){ 0, x, NULL }, &(lil_sums){ &W, g, NULL });
    return W;
}

static double values[144 * NODES];

/* entries as they are listed */
static void second_at(const subject *s, const double *x, bool definite)
{
    static int where[144 * NODES];
    for (int k = 0; k < 144 * NODES; k++)
        where[k] = k;
    memset(values, 0, sizeof values);
    s->term.table->second(s->term.data, s->work, &(lil_at){ 0, x, NULL },
                          &(lil_sink){ .definite = definite, .weight = 1, .where = where, .values = values });
}

static void dense(const subject *s, double *A)
{
    memset(A, 0, N * N * sizeof *A);
    for (int k = 0; k < s->entries.qq + s->entries.vv; k++)
        A[N * s->entries.row[k] + s->entries.col[k]] += values[k];
}

static const double at4[4] = { 1, -1, 2, -2 }, weight4[4] = { 8. / 12, -8. / 12, -1. / 12, 1. / 12 };

/* 4th-order differences over 1e-3: an error of 1e-12 times a fifth derivative, round-off 1e-16/1e-3 */
TEST(derivatives)
{
    static double K[N * N];
    const double e = 1e-3;
    for (int k = 0; k < 3 * 4; k++) {
        const subject *s = &subjects[k / 4];
        int before = test_failures;
        double x[N], y[N], g[N], gy[N];
        shake(0.2, x);
        value_at(s, x, g);
        second_at(s, x, false);
        dense(s, K);
        double size = fmax(1, largest(N * N, K));
        for (int j = 0; j < N; j++) {
            double slope = 0, row[N] = { 0 };
            for (int i = 0; i < 4; i++) {
                memcpy(y, x, sizeof y);
                y[j] += at4[i] * e;
                slope += weight4[i] * value_at(s, y, gy) / e;
                for (int m = 0; m < N; m++)
                    row[m] += weight4[i] * gy[m] / e;
            }
            CHECK_NEAR(g[j], slope, 1e-8 * size);
            CHECK_BELOW(apart(N, row, K + N * j), 1e-7 * size);
        }
        if (test_failures > before)
            printf("    so far for %s\n", s->name);
    }
}

TEST(projections_are_semidefinite)
{
    int indefinite = 0;
    for (int k = 0; k < 3 * 8; k++) {
        const subject *s = &subjects[k / 8];
        double x[N], A[144], least, most;
        shake(0.4, x);
        for (int definite = 0; definite < 2; definite++) {
            second_at(s, x, definite);
            for (int e = 0; e < s->entries.qq / (s->width * s->width); e++) {
                memcpy(A, values + s->width * s->width * e, (size_t)(s->width * s->width) * sizeof *A);
                eigenvalues(s->width, A, &least, &most);
                indefinite += !definite && least < -1e-9;
                if (definite)
                    CHECK(least > -1e-12 * most);
            }
        }
    }
    CHECK(indefinite > 10); /* or it was no test */
}

/* round-off of sums of order 1 */
TEST(rigid_motions_change_nothing)
{
    for (int k = 0; k < 3 * 4; k++) {
        const subject *s = &subjects[k / 4];
        double x[N], y[N], g[N], R[9], c[3] = { 1, -2, 3 }, force[3], torque[3];
        shake(0.3, x);
        random_rotation(R);
        move_rigidly(NODES, R, c, x, y);
        double W = value_at(s, x, g);
        CHECK(W > 0);
        CHECK_NEAR(value_at(s, y, NULL), W, 1e-12 * W);
        sum_up(NODES, x, g, force, torque);
        CHECK_BELOW(largest(3, force), 1e-12 * fmax(1, largest(N, g)));
        CHECK_BELOW(largest(3, torque), 1e-11 * fmax(1, largest(N, g)));
    }
}

/* The discrete gradient does the work W_1 - W_0, has no net force, and no torque about the middles: round-off of sums of order 1. Between
 * ends that are near each other it is the gradient halfway, but for the square of the way; turned rigidly nothing does work. */
TEST(discrete_gradients_are_exact)
{
    for (int k = 0; k < 3 * 8; k++) {
        const subject *s = &subjects[k / 8];
        double x0[N], x1[N], middle[N], g[N] = { 0 }, there[N], noise = 0, work = 0, force[3], torque[3];
        double size = k % 2 ? 1e-5 : 0.3;
        shake(0.3, x0);
        for (int i = 0; i < N; i++)
            x1[i] = x0[i] + uniform(-size, size);
        if (k % 8 == 0) {
            double R[9], c[3] = { 0.1, 0.2, -0.3 };
            random_rotation(R);
            move_rigidly(NODES, R, c, x0, x1);
        }
        s->term.table->discrete_gradient->evaluate(s->term.data, s->work, &(lil_ends){ 0, 1, x0, x1, false }, g,
                                                   &noise);
        for (int i = 0; i < N; i++) {
            middle[i] = (x0[i] + x1[i]) / 2;
            work += g[i] * (x1[i] - x0[i]);
        }
        double W0 = value_at(s, x0, NULL), W1 = value_at(s, x1, NULL);
        CHECK_NEAR(work, W1 - W0, 1e-12 * fmax(1, W0 + W1));
        sum_up(NODES, middle, g, force, torque);
        CHECK_BELOW(largest(3, force), 1e-12 * fmax(1, largest(N, g)));
        CHECK_BELOW(largest(3, torque), 1e-11 * fmax(1, largest(N, g)));
        value_at(s, middle, there);
        if (k % 2)
            CHECK_BELOW(apart(N, g, there), 1e-8 * fmax(1, largest(N, there))); /* third derivatives of up to 100 */
    }
}

/* and in its mirror image a helix is as curved, but screwed the other way */
TEST(rest_is_rest)
{
    double g[N], mirrored[N];
    for (int k = 0; k < 3; k++) {
        const double *x = k == 0 ? straight.x : helix.x;
        CHECK_BELOW(value_at(&subjects[k], x, g), 1e-28);
        CHECK_BELOW(largest(N, g), 1e-14);
    }
    for (int i = 0; i < N; i++)
        mirrored[i] = i % 3 == 1 ? -helix.x[i] : helix.x[i];
    CHECK_BELOW(value_at(&subjects[1], mirrored, g), 1e-28);
    double W = 0;
    for (int i = 0; i < helix.twists.count; i++)
        W += helix.twist[i].weight / 2 * pow(2 * helix.twist[i].natural, 2);
    CHECK(W > 0.001);
    CHECK_NEAR(value_at(&subjects[2], mirrored, g), W, 1e-14);
}

/* S is a square of what v is: its differences are exact but for round-off; rigid velocities are not damped */
enum { SIDE = 6 }; /* strands: four side by side, and two */

/* Of all strands at x: W, dW/dx, and entries where a place that is free tells them to go. */
static double side_by_side(lil_term term, const double *x, double *g, int width, bool packed, double *entries)
{
    lil_arena arena = { 0 };
    lil_entries list = { 0 };
    void *work;
    double W = 0;
    CHECK(term.table->begin(ctx, term.data, &arena, true, &work, &list) == LIL_OK);
    int count = list.qq, strand_count = count / SIDE, *where = LIL_NEW(&arena, int, count);
    double *placed = LIL_NEW(&arena, double, LIL_LANES *count);
    for (int k = 0; k < count; k++) {
        int s = k / strand_count, e = k % strand_count;
        where[k] = packed ? s / 4 * 4 * strand_count + 4 * e + s % 4 : count - 1 - k;
        where[k] = e % (width * width) == 5 ? -1 : where[k];
    }
    term.table->evaluate(term.data, work, &(lil_at){ 0, x, NULL },
                         &(lil_sums){ &W, memset(g, 0, SIDE * N * sizeof *g), NULL });
    term.table->second(term.data, work, &(lil_at){ 0, x, NULL },
                       &(lil_sink){ .definite = false, .weight = 0.7, .where = where, .values = placed });
    for (int k = 0; k < count; k++)
        entries[k] = where[k] < 0 ? 0 : placed[where[k]];
    lil_arena_free(&arena);
    return W;
}

/* the same bits as alone, wherever entries go; and energies that add up, to round-off of sums of order 1 */
TEST(strands_side_by_side_are_as_alone)
{
    static lil_bend bend[SIDE * NODES];
    static lil_twist twist[SIDE * NODES];
    static double x[SIDE * N], g[SIDE * N], apart_from[2][144 * SIDE * NODES];
    lil_bends bends = { 0, bend };
    lil_twists twists = { 0, twist };
    for (int s = 0; s < SIDE; s++) {
        const strand *from = s % 3 ? &helix : &straight;
        shake(0.2, x + N * s);
        for (int k = 0; k < from->bends.count; k++, bends.count++) {
            bend[bends.count] = from->bend[k];
            for (int i = 0; i < 3; i++)
                bend[bends.count].vertex[i] += NODES * s;
        }
        for (int k = 0; k < helix.twists.count; k++, twists.count++) {
            twist[twists.count] = helix.twist[k];
            for (int i = 0; i < 4; i++)
                twist[twists.count].vertex[i] += NODES * s;
        }
    }
    for (int k = 0; k < 2; k++) {
        int width = k ? 12 : 9, each = width * width * (k ? helix.twists.count : helix.bends.count);
        lil_term term = k ? lil_twists_term(&twists) : lil_bends_term(&bends);
        double sum = 0, W = side_by_side(term, x, g, width, false, apart_from[0]);
        side_by_side(term, x, g, width, true, apart_from[1]);
        CHECK(memcmp(apart_from[0], apart_from[1], (size_t)(SIDE * each) * sizeof(double)) == 0);
        for (int s = 0; s < SIDE; s++) {
            const subject *alone = &subjects[k ? 2 : s % 3 != 0];
            double g_alone[N];
            sum += value_at(alone, x + N * s, g_alone);
            CHECK(memcmp(g_alone, g + N * s, sizeof g_alone) == 0);
            second_at(alone, x + N * s, false);
            for (int e = 0; e < each; e++)
                if (e % (width * width) != 5)
                    CHECK(apart_from[0][each * s + e] == 0.7 * values[e]);
        }
        CHECK_NEAR(W, sum, 1e-14 * sum);
    }
}

TEST(damping_is_a_square_of_how_fast_it_bends)
{
    static double A[N * N];
    double x[N], v[N], D[N], Av[N] = { 0 }, S = 0, S2 = 0, w[3] = { 1, -2, 0.5 }, c[3] = { 3, 1, 2 };
    const lil_term_table *table = damping.term.table;
    shake(0.2, x);
    for (int i = 0; i < N; i++)
        v[i] = uniform(-1, 1);
    table->prepare(damping.term.data, damping.work, 0, 0.01, x);
    table->evaluate(damping.term.data, damping.work, &(lil_at){ 0, x, v },
                    &(lil_sums){ &S, NULL, memset(D, 0, sizeof D) });
    second_at(&damping, x, false);
    dense(&damping, A);
    for (int i = 0; i < N * N; i++)
        Av[i / N] += A[i] * v[i % N];
    CHECK(S > 0);
    CHECK_BELOW(apart(N, Av, D), 1e-14);
    double power = 0;
    for (int i = 0; i < N; i++)
        power += D[i] * v[i];
    CHECK_NEAR(power, 2 * S, 1e-14);
    /* far from straight it is h kD w (dkappa/dt)^2, with 1e-4 beside kappa^2 */
    double expected = 0, e = 1e-5;
    for (int b = 0; b < NODES - 2; b++) {
        double u[3];
        for (int k = -1; k <= 1; k++) {
            double y[9];
            for (int i = 0; i < 9; i++)
                y[i] = x[3 * b + i] + k * e * v[3 * b + i];
            double cos = cosine(y);
            u[k + 1] = 4 * (1 - cos) / (1 + cos);
        }
        double rate = (u[2] - u[0]) / (2 * e);
        expected += 0.01 * 0.3 * helix.bend[b].weight * rate * rate / (4 * (u[1] + 1e-4));
    }
    CHECK_NEAR(S, expected, 1e-7 * expected);
    rigid_velocity(NODES, w, c, x, v);
    table->evaluate(damping.term.data, damping.work, &(lil_at){ 0, x, v },
                    &(lil_sums){ &S2, NULL, memset(D, 0, sizeof D) });
    CHECK_BELOW(S2, 1e-26);
    CHECK_BELOW(largest(N, D), 1e-13);
}

/* ---- strands at work ---- */

static void finish(strand *s, double kD, double gravity)
{
    static const char *names[3 * MOST];
    lil_term term;
    for (int i = 0; i < 3 * MOST; i++)
        names[i] = "x";
    const lil_points_def def = { .count = s->nodes, .names = names, .x = s->x, .mass = s->mass, .held = s->held };
    MUST(lil_model_create_points(ctx, &def, &s->model));
    MUST(lil_model_add(ctx, s->model, lil_bends_term(&s->bends)));
    MUST(lil_model_add(ctx, s->model, lil_twists_term(&s->twists)));
    if (kD > 0) {
        MUST(lil_bends_damping(ctx, &s->arena, &s->bends, kD, &term));
        MUST(lil_model_add(ctx, s->model, term));
    }
    if (gravity > 0) {
        MUST(lil_term_gravity(ctx, &s->arena, (double[3]){ 0, 0, -gravity }, s->mass, s->nodes, &term));
        MUST(lil_model_add(ctx, s->model, term));
    }
    int first = s->held[0] && s->held[1]; /* a link between what is held binds nothing */
    s->set = (lil_constraint){ .table = &lil_constraint_distance,
                               .data = s->links + first,
                               .count = s->nodes - 1 - first,
                               .label = "\'strand\'" };
    lil_model_bind(s->model, &s->set, 1);
}

/* q and v are taken out of x and dx */
static lil_sim *begin_sim(const strand *s, double h, double tolerance, const double *dx)
{
    lil_sim_def def = lil_sim_def_default();
    lil_sim *sim = NULL;
    double q[3 * MOST], v[3 * MOST];
    for (int i = 0; i < s->model->n; i++) {
        int at = s->model->dofs.free ? s->model->dofs.free[i] : i;
        q[i] = s->x[at];
        v[i] = dx ? dx[at] : 0;
    }
    def.integrator = "midpoint";
    def.step = h;
    def.q = q;
    def.v = v;
    def.solver.tolerance = tolerance;
    if (lil_sim_create(ctx, s->model, &def, &sim) != LIL_OK) {
        printf("%s\n", lil_context_message(ctx));
        exit(EXIT_FAILURE);
    }
    return sim;
}

static void end(strand *s, lil_sim **sim)
{
    lil_sim_destroy(sim);
    lil_model_destroy(&s->model);
    lil_arena_free(&s->arena);
}

/* the solver's tolerance is that of angular momentum (docs/theory.md); damping in the Lilyan takes none */
TEST(a_free_strand_keeps_momenta)
{
    for (int damped = 0; damped < 2; damped++) {
        strand s;
        double dx[3 * MOST];
        make_helix(&s, 12, 1);
        make(&s, 1e-6, 1e-6, 1e-3);
        finish(&s, damped ? 0.02 : 0, 0);
        for (int i = 0; i < 3 * s.nodes; i++)
            dx[i] = uniform(-0.1, 0.1);
        lil_sim *sim = begin_sim(&s, 1e-3, 1e-10, dx);
        for (int i = 0; i < 200; i++)
            MUST(lil_sim_step(sim));
        lil_certificate c = lil_sim_certificate(sim);
        CHECK_BELOW(c.linear_momentum_drift, 1e-13);
        CHECK_BELOW(c.angular_momentum_drift, 1e-9);
        CHECK_BELOW(c.constraint_max, 1e-15);
        if (damped)
            CHECK(c.energy_final < 0.9 * c.energy_initial);
        else
            CHECK_NEAR(c.energy_final, c.energy_initial, 0.02 * c.energy_initial);
        end(&s, &sim);
    }
}

/* Of a strand clamped in the middle of its first link, swinging a little: its mean period over six half swings. */
static double period(int nodes)
{
    const double L = 0.1, B = 1e-8, density = 1e-5, l = L / (nodes - 1.5);
    double T = 2 * acos(-1) * L * L / 3.516 * sqrt(density / B), h = T / 200, dx[3 * MOST] = { 0 };
    double before = 0, first = 0, last = 0;
    int crossings = 0;
    strand s;
    make_straight(&s, nodes, l);
    make(&s, B, 0, density);
    s.held[0] = s.held[1] = true;
    finish(&s, 0, 0);
    for (int i = 2; i < nodes; i++) { /* as it bends under an even load: its first mode, nearly */
        double u = (i - 0.5) * l / L;
        dx[3 * i + 2] = 1e-3 * u * u * (6 - 4 * u + u * u) * L / T;
    }
    lil_sim *sim = begin_sim(&s, h, 1e-9, dx);
    for (int i = 0; i < 800 && crossings < 7; i++) {
        if (lil_sim_step(sim) != LIL_OK)
            return NAN;
        double z = lil_sim_state(sim)->q[s.model->n - 1];
        if (before * z < 0) {
            last = (i + z / (before - z)) * h;
            first = crossings++ ? first : last;
        }
        before = z;
    }
    end(&s, &sim);
    return (last - first) / (crossings - 1) * 2 / T;
}

/* second order in the length of a link, about 0.4 / nodes^2; other modes are in the start by 2 % and average out */
TEST(a_clamped_strand_swings_as_a_beam_does)
{
    double coarse = fabs(period(9) - 1), fine = fabs(period(17) - 1);
    CHECK_BELOW(coarse, 0.03);
    CHECK_BELOW(fine, 0.01);
    CHECK_BELOW(fine, coarse / 2);
}

/* 0.3 m of a curl hangs, longer for its weight but screwed as before everywhere; and mirrors move as mirrors do */
TEST(a_helix_keeps_its_screw)
{
    double tip[2][3] = { { 0 } };
    for (int k = 0; k < 2; k++) {
        strand s;
        double hand = k ? -1 : 1, y[3 * MOST];
        make_helix(&s, 30, hand);
        make(&s, 1e-8, 1e-8, 6.5e-6);
        s.held[0] = s.held[1] = true;
        finish(&s, 0.05, 9.81);
        lil_sim *sim = begin_sim(&s, 1. / 240, 1e-8, NULL);
        for (int i = 0; i < 240; i++)
            MUST(lil_sim_step(sim));
        memcpy(y, s.x, sizeof y);
        for (int i = 0; i < s.model->n; i++)
            y[s.model->dofs.free[i]] = lil_sim_state(sim)->q[i];
        for (int i = 0; i + 3 < s.nodes; i++)
            CHECK(hand * screw(y + 3 * i) < 0 && hand * screw(s.x + 3 * i) < 0);
        CHECK(y[3 * 29 + 2] < s.x[3 * 29 + 2] - 0.001);
        memcpy(tip[k], y + 3 * 29, sizeof tip[k]);
        tip[k][1] *= hand;
        end(&s, &sim);
    }
    CHECK_BELOW(apart(3, tip[0], tip[1]), 1e-7);
}

/* ---- strands of scenes ---- */

#define TUFT(more)                                                                                                   \
    "strands:\n  hair: {roots: {type: cap, radius: 0.1, to: 90}, count: 7, nodes: 12, length: 0.2" more "}\n"        \
    "gravity: 9.81\ntime: {step: 1/240, until: 1}\n"

/* links of one strand are as long, which is its length, to round-off of positions; masses are rho pi r^2 times it */
TEST(strands_are_made_of_equal_links)
{
    static const char *const texts[] = { TUFT(", spread: 0"), TUFT(", spread: 0, curl: {radius: 0.003, pitch: 0.08}"),
                                         TUFT(", spread: 0.5, curl: {radius: 0.003, pitch: 0.08}") };
    for (int k = 0; k < 3; k++) {
        lil_run *run = problem(ctx, texts[k]);
        const lil_world *bs = run->plan.world;
        double total = 0;
        CHECK(bs->vertex_count == 7 * 12 && bs->constraint_count == 1 && bs->constraints[0].count == 7 * 10);
        for (int i = 0; i < 7 * 12; i++) {
            const double *x = bs->x + 3 * i, *first = bs->x + 3 * (i / 12 * 12);
            total += bs->mass[i];
            CHECK(bs->held[i] == (i % 12 < 2));
            if (i % 12 == 0)
                CHECK_NEAR(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 0.1, 1e-15);
            if (i % 12 < 11)
                CHECK_NEAR(length(x, x + 3), length(first, first + 3), 1e-12);
            if (k < 2 && i % 12 < 11)
                CHECK_NEAR(length(x, x + 3), 0.2 / 11, 1e-12);
        }
        if (k < 2)
            CHECK_NEAR(total, 7 * 0.2 * 1300 * acos(-1) * 4e-5 * 4e-5, 1e-15);
        lil_run_destroy(&run);
    }
}

/* straight ones start in equilibrium: what moves is round-off, beside 0.1 m/s that they fall with in 0.01 s */
TEST(tufts_start_at_rest)
{
    lil_run *run = problem(ctx, TUFT(""));
    lil_sim *sim = lil_run_sim(run);
    int n = run->plan.model->n;
    double q[3 * 7 * 12];
    memcpy(q, lil_sim_state(sim)->q, (size_t)n * sizeof *q);
    for (int i = 0; i < 60; i++)
        MUST(lil_sim_step(sim));
    CHECK_BELOW(apart(n, q, lil_sim_state(sim)->q), 1e-9);
    lil_run_destroy(&run);
}

/* roots that are moved take strands along; a curl without weight is at rest wherever it leaves to */
TEST(roots_are_told_where_to_go_and_curls_rest)
{
    lil_run *run = problem(
        ctx, "strands:\n  hair: {roots: [[0, 0, 0], [1, 0, 0]], direction: [1, 1, 0], nodes: 9, length: 0.1,\n"
             "    curl: {radius: 0.003, pitch: 0.06}, handles: {select: roots, move: [t, 0, 0]}}\n"
             "time: {step: 0.001, until: 1}\n");
    const double *x = run->plan.world->x;
    CHECK(x[3 * 9] == 1 && x[0] == 0);
    CHECK(run->plan.model->n == 3 * 2 * 7 && run->plan.world->script_count == 1);
    CHECK_BELOW(lil_sim_potential(lil_run_sim(run)), 1e-30);
    for (int i = 0; i < 20; i++)
        MUST(lil_sim_step(lil_run_sim(run)));
    CHECK(lil_sim_state(lil_run_sim(run))->q[0] > x[3 * 2] + 0.01);
    lil_run_destroy(&run);
}

/* strands of two lengths, so that some are four side by side and some are not; a wind that differs from place to place */
#define WINDY(name, count, nodes)                                                                                    \
    "  " name ": {roots: {type: disc, radius: 0.1}, count: " #count ", nodes: " #nodes ", length: 0.1,\n"            \
    "    curl: {radius: 0.003, pitch: 0.06}, damping: 0.01, drag: 1e-6, wind: [sin(t + 9*x), cos(8*t)*y, t]}\n"

TEST(the_same_bits_on_any_number_of_threads)
{
    static double first[2000];
    for (int threads = 1; threads <= 3; threads++) {
        MUST(lil_context_set_threads(ctx, threads));
        lil_run *run =
            problem(ctx, "strands:\n" WINDY("long", 30, 9) WINDY("short", 24, 7) "gravity: 9.81\n"
                                                                                 "time: {step: 1/240, until: 1}\n");
        const lil_state *x = lil_sim_state(lil_run_sim(run));
        for (int i = 0; i < 12; i++)
            MUST(lil_sim_step(lil_run_sim(run)));
        CHECK(x->n == 990 && lil_run_sim(run)->constrained.slices.count == 3);
        if (threads == 1)
            memcpy(first, x->q, (size_t)x->n * sizeof *first);
        CHECK(memcmp(first, x->q, (size_t)x->n * sizeof *first) == 0);
        lil_run_destroy(&run);
    }
}

/* `count` strands in a row, from number `from` on, in a wind that differs from one to the next */
static lil_run *row_of_strands(const char *method, int from, int count)
{
    char text[8000];
    int at = snprintf(text, sizeof text,
                      "strands:\n  hair: {nodes: 9, length: 0.1, spread: 0, damping: 0.01, drag: 1e-6,\n"
                      "    wind: [sin(9*x), cos(40*x), 1],\n"
                      "    direction: [0, 1, -1], roots: [");
    for (int i = 0; i < count; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s[%g, 0, 0]", i ? ", " : "", 0.02 * (from + i));
    snprintf(text + at, sizeof text - (size_t)at,
             "]}\ngravity: 9.81\nintegrator: %s\nsolver: {tolerance: 1e-11}\ntime: {step: 1/960, until: 1}\n",
             method);
    return problem(ctx, text);
}

/* Strands of other slices are as if they were not there: what differs is how well each step is solved. */
TEST(slices_share_nothing)
{
    /* the last evaluates drag twice in a step: that matrix is not assembled slice by slice */
    static const char *const methods[] = {
        "midpoint", "energy-momentum", "stormer-verlet", "implicit-euler",
        "{method: hamilton-pontryagin, nodes: [0.25, 0.75], weights: [0.5, 0.5]}"
    };
    enum { COUNT = 44, EACH = 3 * 7, STEPS = 24 };
    for (int m = 0; m < 5; m++) {
        lil_run *all = row_of_strands(methods[m], 0, COUNT);
        CHECK(lil_run_sim(all)->constrained.slices.count == 2);
        for (int i = 0; i < STEPS; i++)
            MUST(lil_sim_step(lil_run_sim(all)));
        const double *q = lil_sim_state(lil_run_sim(all))->q;
        for (int k = 0; k < COUNT; k += 14) {
            lil_run *alone = row_of_strands(methods[m], k, 1);
            for (int i = 0; i < STEPS; i++)
                MUST(lil_sim_step(lil_run_sim(alone)));
            CHECK_BELOW(apart(EACH, q + EACH * k, lil_sim_state(lil_run_sim(alone))->q), 1e-9);
            lil_run_destroy(&alone);
        }
        CHECK(apart(EACH, q, q + EACH) > 1e-3);
        lil_run_destroy(&all);
    }
}

/* The same sums in the same order, in slices as at once. */
TEST(slices_have_what_all_have_at_once)
{
    lil_run *run = row_of_strands("midpoint", 0, 44);
    lil_sim *sim = lil_run_sim(run);
    lil_assembly *to = &sim->constrained.matrix;
    const lil_state *at = lil_sim_state(sim);
    size_t bytes = (size_t)to->size * sizeof(double);
    double *whole = malloc(bytes), *sliced = malloc(bytes);
    for (int i = 0; i < 5; i++)
        MUST(lil_sim_step(sim));
    const lil_weights w = { .Pv = 1, .Qq = -1e-4, .Fq = -2e-6, .Fv = -1e-3, .Sv = 1, .to = to };
    memset(whole, 0, bytes);
    memset(sliced, 0, bytes);
    lil_evaluate_second(&sim->ev, at->t, at->q, at->v, &w, whole);
    CHECK(to->sliced != NULL);
    lil_sliced_assembly_begin(to->sliced);
    lil_evaluate_second(&sim->ev, at->t, at->q, at->v, &w, sliced);
    CHECK(lil_sliced_assembly_end(to->sliced));
    for (int i = 0; i < sim->constrained.slices.count; i++)
        lil_sliced_assembly_add(to->sliced, i, sliced);
    CHECK(memcmp(whole, sliced, bytes) == 0);
    /* drag twice has no room, and says so */
    lil_sliced_assembly_begin(to->sliced);
    lil_evaluate_second(&sim->ev, at->t, at->q, at->v, &w, sliced);
    lil_evaluate_second(&sim->ev, at->t, at->q, at->v, &w, sliced);
    CHECK(!lil_sliced_assembly_end(to->sliced));
    free(whole);
    free(sliced);
    lil_run_destroy(&run);
}

int main(void)
{
    srand(7);
    ctx = lil_context_create();
    make_subjects();
    RUN(derivatives);
    RUN(projections_are_semidefinite);
    RUN(rigid_motions_change_nothing);
    RUN(discrete_gradients_are_exact);
    RUN(rest_is_rest);
    RUN(strands_side_by_side_are_as_alone);
    RUN(damping_is_a_square_of_how_fast_it_bends);
    RUN(a_free_strand_keeps_momenta);
    RUN(a_clamped_strand_swings_as_a_beam_does);
    RUN(a_helix_keeps_its_screw);
    RUN(strands_are_made_of_equal_links);
    RUN(tufts_start_at_rest);
    RUN(roots_are_told_where_to_go_and_curls_rest);
    RUN(the_same_bits_on_any_number_of_threads);
    RUN(slices_share_nothing);
    RUN(slices_have_what_all_have_at_once);
    lil_arena_free(&straight.arena);
    lil_context_destroy(&ctx);
    return test_end();
}
