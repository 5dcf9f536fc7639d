/*
 * Every kind of term of a body, on a small mesh deformed at random: derivatives by differences, projections, ends,
 * invariances, momenta.
 */
#include "core/field.h"
#include "solids.h"
#include "terms/loads.h"
#include "terms/springs.h"

#include <float.h>

static lil_context *ctx;
static lil_arena arena;

/* ---- the mesh: 2 x 1 x 1 cells of 5 tets, so that the last block of four is not full ---- */

enum { VERTICES = 12, N = 3 * VERTICES, TETS = 10, MATERIALS_MAX = 16 };
static double X[N], mass[VERTICES];
static int tets[TETS][4];
static lil_material materials[MATERIALS_MAX];
static lil_tets *bodies[MATERIALS_MAX];
static lil_spring spring_list[4];
static lil_springs springs = { 4, spring_list };

static void make_mesh(void)
{
    lil_run *run = body_problem(ctx, "bodies:\n  b:\n    shape: {type: bar, size: [1.9, 1, 1.1], cells: [2, 1, 1]}\n"
                                     "    material: {mu: 1, kappa: 2, density: 3}\n" TIME);
    const lil_world *bs = run->plan.world;
    CHECK(bs->list[0].mesh.vertex_count == VERTICES && bs->list[0].mesh.tet_count == TETS);
    memcpy(X, bs->list[0].mesh.x, sizeof X);
    memcpy(tets, bs->list[0].mesh.tets, sizeof tets);
    memcpy(mass, bs->mass, sizeof mass);
    double total = 0;
    for (int i = 0; i < VERTICES; i++)
        total += mass[i];
    CHECK_NEAR(total, 3 * 1.9 * 1 * 1.1, 1e-14); /* the body's */
    lil_run_destroy(&run);
    for (int i = 0; i < lil_material_count(); i++) {
        const lil_material_table *table = lil_material_at(i);
        void *config = lil_arena_alloc(&arena, 1, table->config_size + 1);
        lil_fields_default(table->fields, table->field_count, config);
        materials[i] = (lil_material){ .table = table, .moduli = { 1, 2.3 }, .config = config, .density = 3 };
        lil_tets_create(ctx, &arena, "b", &materials[i], X, (const int(*)[4])tets, NULL, TETS, 0, &bodies[i]);
    }
    for (int e = 0; e < springs.count; e++) { /* half as long, as long, and longer than they are */
        spring_list[e] = (lil_spring){ e, VERTICES - 1 - 2 * e, 1 + e, 0 };
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += pow(X[3 * spring_list[e].i + d] - X[3 * spring_list[e].j + d], 2);
        spring_list[e].length = sqrt(square);
    }
}

/* det F of all tets, the smallest */
static double smallest_volume(const double *x)
{
    double least = INFINITY;
    for (int e = 0; e < TETS; e++)
        least = fmin(least, lil_tet_volume(x, tets[e]) / lil_tet_volume(X, tets[e]));
    return least;
}

/* Squeezed by `scale` along z, shaken by `shake`, then turned and shifted; never inverted. */
static void deform(double scale, double shake, double *x)
{
    double R[9], c[3], y[N];
    random_rotation(R);
    for (int d = 0; d < 3; d++)
        c[d] = uniform(-1, 1);
    do
        for (int i = 0; i < N; i++)
            y[i] = X[i] * (i % 3 == 2 ? scale : 1) + uniform(-shake, shake);
    while (smallest_volume(y) < 0.2);
    move_rigidly(VERTICES, R, c, y, x);
}

/* ---- a term at work ---- */

typedef struct subject {
    lil_term term;
    char name[64];
    bool internal;  /* no net force */
    bool objective; /* a rotation is nothing to it */
    bool inverts;   /* it exists where det F <= 0 */
    bool straight;  /* exact for straight steps: no leftover of order h under rigid velocities */
    int block;      /* rows of an element's matrix */
    void *work;
    lil_entries entries;
} subject;

static void begin(subject *s)
{
    if (s->term.table->begin(ctx, s->term.data, &arena, true, &s->work, &s->entries) != LIL_OK)
        exit(EXIT_FAILURE);
}

static double value_at(const subject *s, const double *x, double *g)
{
    double W = 0;
    if (g)
        memset(g, 0, N * sizeof *g);
    s->term.table->evaluate(s->term.data, s->work, &(lil_at){ 0, x, NULL }, &(lil_sums){ &W, g, NULL });
    return W;
}

/* of STEP, KICK and IMPULSE, prepared */
static double step_at(const subject *s, const double *q, const double *v, double *D)
{
    double S = 0;
    if (D)
        memset(D, 0, N * sizeof *D);
    s->term.table->evaluate(s->term.data, s->work, &(lil_at){ 0, q, v },
                            &(lil_sums){ s->term.table->place == LIL_STEP ? &S : NULL, NULL, D });
    return S;
}

static void prepare(const subject *s, double h, const double *q)
{
    s->term.table->prepare(s->term.data, s->work, 0, h, q);
}

static void dense(const subject *s, const double *values, double *A)
{
    memset(A, 0, N * N * sizeof *A);
    for (int k = 0; k < s->entries.qq + s->entries.vv; k++)
        A[N * s->entries.row[k] + s->entries.col[k]] += values[k];
}

static double values_a[144 * TETS], values_b[144 * TETS];

static void second_at(const subject *s, const double *q, const double *v, double *A)
{
    if (s->term.table->second) /* without it they are 0 */
        s->term.table->second(s->term.data, s->work, &(lil_at){ 0, q, v }, &(lil_sink){ .entries = values_a });
    dense(s, values_a, A);
}

static const double at4[4] = { 1, -1, 2, -2 }, weight4[4] = { 8. / 12, -8. / 12, -1. / 12, 1. / 12 };

/* ---- lists of them ---- */

enum { SUBJECTS_MAX = 32 };
static subject potentials[SUBJECTS_MAX], dampings[4][SUBJECTS_MAX];
static int potential_count, damping_count;
static const double kD = 0.3;

static void list_subjects(void)
{
    static const char *const forms[] = { "exact", "minimised", "paper", "explicit" };
    for (int i = 0; i < lil_material_count(); i++) {
        unsigned holds = materials[i].table->holds;
        subject s = { .term = lil_tets_term(bodies[i]),
                      .internal = true,
                      .objective = holds & LIL_MATERIAL_OBJECTIVE,
                      .inverts = holds & LIL_MATERIAL_INVERTS,
                      .block = 12 };
        snprintf(s.name, sizeof s.name, "%s", materials[i].table->name);
        potentials[potential_count++] = s;
    }
    subject s = { .term = lil_springs_term(&springs),
                  .name = "springs",
                  .internal = true,
                  .objective = true,
                  .inverts = true,
                  .block = 6 };
    potentials[potential_count++] = s;
    subject gravity = { .name = "gravity", .inverts = true };
    lil_term_gravity(ctx, &arena, (double[3]){ 0.3, -2, 9.81 }, mass, VERTICES, &gravity.term);
    potentials[potential_count++] = gravity;
    for (int i = 0; i < potential_count; i++)
        begin(&potentials[i]);
    damping_count = lil_material_count() + 1;
    for (int f = 0; f < 4; f++)
        for (int i = 0; i < damping_count; i++) {
            subject *d = &dampings[f][i];
            *d = potentials[i];
            if (i < lil_material_count())
                lil_tets_damping(ctx, &arena, bodies[i], kD, f, &d->term);
            else
                lil_springs_damping(ctx, &arena, &springs, kD, f, &d->term);
            snprintf(d->name, sizeof d->name, "%.40s, %s", potentials[i].name, forms[f]);
            d->entries = (lil_entries){ 0 };
            begin(d);
        }
}

static void whose(const subject *s, int failures_before)
{
    if (test_failures > failures_before)
        printf("    so far for %s\n", s->name);
}

static int rounds(int many)
{
    return test_small() ? 1 : many;
}

/* ---- potentials ---- */

/* 4th-order differences over 1e-3: their error is (1e-3)^4 times a fifth derivative, their round-off 1e-16/1e-3; energies
 * and stiffnesses are of order 1 (kappa = 2.3, lengths 1) */
TEST(potentials_are_differentiated_right)
{
    static double K[N * N];
    const double e = 1e-3;
    for (int i = 0; i < potential_count; i++) {
        int before = test_failures;
        for (int round = 0; round < rounds(4); round++) {
            const subject *s = &potentials[i];
            double x[N], g[N], y[N], gy[N], plain, asymmetry = 0;
            deform(round % 2 ? 0.7 : 1, 0.1, x);
            double W = value_at(s, x, g);
            s->term.table->evaluate(s->term.data, s->work, &(lil_at){ 0, x, NULL },
                                    &(lil_sums){ NULL, memset(gy, 0, sizeof gy), NULL });
            CHECK(memcmp(g, gy, sizeof g) == 0); /* the gradient alone is the same gradient */
            plain = value_at(s, x, NULL);
            CHECK(plain == W);
            second_at(s, x, NULL, K);
            for (int j = 0; j < N; j++) {
                double slope = 0, row[N] = { 0 };
                for (int k = 0; k < 4; k++) {
                    memcpy(y, x, sizeof y);
                    y[j] += at4[k] * e;
                    slope += weight4[k] * value_at(s, y, gy) / e;
                    for (int m = 0; m < N; m++)
                        row[m] += weight4[k] * gy[m] / e;
                }
                CHECK_NEAR(g[j], slope, 1e-8);
                CHECK_BELOW(apart(N, row, K + N * j), 1e-7);
                for (int m = 0; m < N; m++)
                    asymmetry = fmax(asymmetry, fabs(K[N * j + m] - K[N * m + j]));
            }
            CHECK_BELOW(asymmetry, 1e-13);
        }
        whose(&potentials[i], before);
    }
}

/* Of each element: positive semidefinite, and the true matrix, bit for bit, where that is. */
TEST(projections_are_definite_and_no_more)
{
    int true_ones = 0, projected = 0;
    for (int i = 0; i < potential_count; i++) {
        const subject *s = &potentials[i];
        int before = test_failures, m = s->block;
        if (!s->term.table->projects)
            continue;
        for (int round = 0; round < rounds(8); round++) {
            double x[N], least, most, A[144];
            deform(round % 2 ? 0.5 : 1, round % 2 ? 0.2 : 0.05, x);
            s->term.table->second(s->term.data, s->work, &(lil_at){ 0, x, NULL }, &(lil_sink){ .entries = values_a });
            s->term.table->second(s->term.data, s->work, &(lil_at){ 0, x, NULL },
                                  &(lil_sink){ .definite = true, .entries = values_b });
            for (int e = 0; e < s->entries.qq / (m * m); e++) {
                size_t bytes = (size_t)(m * m) * sizeof *A;
                eigenvalues(m, memcpy(A, values_a + m * m * e, bytes), &least, &most);
                bool definite = least > -1e-9;
                bool same = memcmp(values_a + m * m * e, values_b + m * m * e, bytes) == 0;
                if (fabs(least) < 1e-13 || least < -1e-9)
                    CHECK(same == definite);
                true_ones += definite;
                projected += !definite;
                eigenvalues(m, memcpy(A, values_b + m * m * e, bytes), &least, &most);
                CHECK(least > -1e-12 * most);
            }
        }
        whose(s, before);
    }
    CHECK(true_ones > 20 && projected > 20); /* or it was no test */
}

TEST(volumes_and_ends)
{
    for (int i = 0; i < potential_count; i++) {
        const subject *s = &potentials[i];
        int before = test_failures, inside = 0, ends = 0;
        if (!s->term.table->longest)
            continue;
        for (int round = 0; round < rounds(200); round++) {
            double x[N], d[N], y[N], size = uniform(0.1, 2);
            deform(1, 0.1, x);
            value_at(s, x, NULL);
            CHECK_NEAR(s->term.table->least_volume(s->work), smallest_volume(x), 1e-14);
            for (int k = 0; k < N; k++)
                d[k] = uniform(-size, size);
            double reach = s->term.table->longest(s->term.data, s->work, 0, x, d);
            CHECK(reach > 0 && reach <= 1);
            if (s->inverts) {
                CHECK(reach == 1);
                continue;
            }
            for (int k = 0; k <= 400; k++) { /* all the way */
                double t = reach * (1 - 1e-7) * k / 400;
                for (int m = 0; m < N; m++)
                    y[m] = x[m] + t * d[m];
                CHECK(smallest_volume(y) > 0);
            }
            if (reach == 1) {
                inside++;
                continue;
            }
            for (int m = 0; m < N; m++) /* 1e-9 is how well the root is found */
                y[m] = x[m] + (reach + 3e-9) * d[m];
            CHECK(smallest_volume(y) <= 0);
            ends++;
        }
        CHECK(s->inverts || test_small() || (inside > 10 && ends > 10));
        whose(s, before);
    }
}

/* Steps in a row, short and long: what was found at one place is used at the next ones, and must not promise too much. */
TEST(ends_after_many_steps)
{
    for (int i = 0; i < potential_count; i++) {
        const subject *s = &potentials[i];
        int before = test_failures, ends = 0;
        if (!s->term.table->longest || s->inverts)
            continue;
        for (int walk = 0; walk < rounds(20); walk++) {
            double x[N], d[N], y[N];
            deform(1, 0.05, x);
            for (int step = 0; step < 60; step++) {
                double size = pow(10, uniform(-2.5, 0)), reach, least = INFINITY;
                for (int k = 0; k < N; k++)
                    d[k] = uniform(-size, size);
                reach = s->term.table->longest(s->term.data, s->work, 0, x, d);
                for (int k = 0; k <= 100; k++) {
                    for (int m = 0; m < N; m++)
                        y[m] = x[m] + reach * (1 - 1e-7) * k / 100 * d[m];
                    least = fmin(least, smallest_volume(y));
                }
                CHECK(least > 0);
                ends += reach < 1;
                for (int m = 0; m < N; m++)
                    x[m] += 0.5 * reach * d[m];
            }
        }
        CHECK(ends > 10);
        whose(s, before);
    }
}

TEST(nothing_exists_inside_out)
{
    for (int i = 0; i < potential_count; i++) {
        const subject *s = &potentials[i];
        double x[N], y[N], centre[3] = { 0 };
        deform(1, 0.1, x);
        for (int k = 0; k < N; k++) /* a mirror image: every tet is inverted */
            y[k] = k % 3 ? x[k] : -x[k];
        CHECK(s->inverts ? isfinite(value_at(s, y, NULL)) : value_at(s, y, NULL) == INFINITY);
        memcpy(y, x,
               sizeof y); /* one tet alone: its vertex goes to the other side of the opposite face, and beyond */
        for (int a = 1; a < 4; a++)
            for (int d = 0; d < 3; d++)
                centre[d] += x[3 * tets[TETS - 1][a] + d] / 3;
        for (int d = 0; d < 3; d++)
            y[3 * tets[TETS - 1][0] + d] = 2 * centre[d] - x[3 * tets[TETS - 1][0] + d];
        CHECK(smallest_volume(y) < 0);
        CHECK(s->inverts ? isfinite(value_at(s, y, NULL)) : value_at(s, y, NULL) == INFINITY);
        double g[N] = { 0 }; /* and forces alone, which is all that rk4 asks for on its way */
        s->term.table->evaluate(s->term.data, s->work, &(lil_at){ 0, y, NULL }, &(lil_sums){ NULL, g, NULL });
        CHECK(isfinite(lil_norm(N, g)) == s->inverts);
    }
}

/* The paper's damping knows two shapes, of which one can be inside out: D must not be a number then. */
TEST(no_damping_between_a_shape_and_its_mirror_image)
{
    const double h = 0.1;
    for (int form = LIL_DAMP_PAPER; form <= LIL_DAMP_EXPLICIT; form++)
        for (int i = 0; i < lil_material_count(); i++) {
            const subject *s = &dampings[form][i];
            double q[N], v[N], D[N] = { 0 };
            deform(1, 0.1, q);
            for (int k = 0; k < N; k++) /* x is -x a step later, or was -x a step ago */
                v[k] = k % 3 ? 0 : (form == LIL_DAMP_PAPER ? -2 : 2) * q[k] / h;
            prepare(s, h, q);
            s->term.table->evaluate(s->term.data, s->work, &(lil_at){ 0, q, v }, &(lil_sums){ NULL, NULL, D });
            CHECK(isfinite(lil_norm(N, D)) == s->inverts);
        }
}

/* round-off: sums of some hundred products of numbers of order 1 */
TEST(rigid_motions_change_nothing)
{
    const double I[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    for (int i = 0; i < potential_count; i++) {
        const subject *s = &potentials[i];
        int before = test_failures;
        for (int round = 0; round < 5 && s->internal; round++) {
            double x[N], y[N], g[N], R[9], c[3] = { uniform(-3, 3), uniform(-3, 3), uniform(-3, 3) };
            double force[3], torque[3];
            deform(round % 2 ? 0.7 : 1, 0.1, x);
            random_rotation(R);
            double W = value_at(s, x, g);
            move_rigidly(VERTICES, I, c, x, y);
            CHECK_NEAR(value_at(s, y, NULL), W, 1e-13);
            sum_up(VERTICES, x, g, force, torque);
            CHECK_BELOW(largest(3, force), 1e-14);
            CHECK(largest(N, g) > 0.01);
            move_rigidly(VERTICES, R, c, x, y);
            if (s->objective) {
                CHECK_NEAR(value_at(s, y, NULL), W, 1e-13);
                CHECK_BELOW(largest(3, torque), 2e-14);
            } else {
                CHECK(fabs(value_at(s, y, NULL) - W) > 1e-3); /* `linear` does not claim it, and so */
                CHECK(largest(3, torque) > 1e-3);
            }
        }
        whose(s, before);
    }
}

TEST(rest_is_rest_wherever_it_is)
{
    const double I[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    for (int i = 0; i < potential_count; i++) {
        const subject *s = &potentials[i];
        int before = test_failures;
        for (int round = 0; round < 5 && s->internal; round++) {
            double y[N], g[N], R[9], c[3] = { uniform(-3, 3), uniform(-3, 3), uniform(-3, 3) };
            random_rotation(R);
            move_rigidly(VERTICES, s->objective && round ? R : I, c, X, y);
            double W = value_at(s, y, g), size_W = 0, size_g = 0;
            CHECK_NEAR(W, 0, 1e-14);
            CHECK_BELOW(largest(N, g), 1e-14);
            /* all of it is round-off, as large as the term says, but no hundred times less */
            s->term.table->size(s->term.data, s->work, y, &size_W, &size_g);
            CHECK(fabs(W) <= 4 * DBL_EPSILON * size_W || s->block == 6);
            CHECK(lil_norm(N, g) <= 4 * DBL_EPSILON * size_g);
            CHECK(lil_norm(N, g) > 0.01 * DBL_EPSILON * size_g || !s->objective || round == 0);
        }
        whose(s, before);
    }
}

/* ---- damping ---- */

static void random_velocity(double *v)
{
    for (int k = 0; k < N; k++)
        v[k] = uniform(-1, 1);
}

static void random_rigid(const double *x, bool turns, double *v)
{
    double w[3], c[3];
    for (int d = 0; d < 3; d++) {
        w[d] = turns ? uniform(-1, 1) : 0;
        c[d] = uniform(-1, 1);
    }
    rigid_velocity(VERTICES, w, c, x, v);
}

TEST(steps_are_differentiated_right)
{
    static double A[N * N], differences[N * N];
    const double e = 1e-3, h = 0.05;
    for (int form = LIL_DAMP_MINIMISED; form <= LIL_DAMP_PAPER; form++)
        for (int i = 0; i < damping_count; i++) {
            const subject *s = &dampings[form][i];
            int before = test_failures;
            for (int round = 0; round < 3; round++) {
                double q[N], v[N], D[N], y[N], Dy[N], least, most;
                deform(1, 0.1, q);
                random_velocity(v);
                for (int k = 0; k < N && round;
                     k++) /* expanding: all is in tension, so the paper's Hessian is definite */
                    v[k] = (round == 1 ? 1 : -1) * (q[k] - q[k % 3]) + 0.05 * v[k];
                prepare(s, h, q);
                CHECK(isfinite(step_at(s, q, v, D)));
                second_at(s, q, v, A);
                for (int j = 0; j < N; j++) {
                    double slope = 0, *row = memset(differences + N * j, 0, N * sizeof *row);
                    for (int k = 0; k < 4; k++) {
                        memcpy(y, v, sizeof y);
                        y[j] += at4[k] * e;
                        slope += weight4[k] * step_at(s, q, y, Dy) / e;
                        for (int m = 0; m < N; m++)
                            row[m] += weight4[k] * Dy[m] / e;
                    }
                    CHECK_NEAR(D[j], slope, 1e-9);
                }
                if (form == LIL_DAMP_MINIMISED || round == 1)
                    CHECK_BELOW(apart(N * N, A, differences), 1e-9);
                /* projected: semidefinite, and more than the true one */
                for (int k = 0; k < N * N; k++)
                    differences[k] = A[k] - differences[k];
                eigenvalues(N, differences, &least, &most);
                CHECK(least > -1e-9);
                eigenvalues(N, A, &least, &most);
                CHECK(least > -1e-12 * most && most > 0);
            }
            whose(s, before);
        }
}

TEST(kicks_are_symmetric_and_take_out)
{
    static double C[N * N];
    for (int i = 0; i < damping_count; i++) {
        const subject *s = &dampings[LIL_DAMP_EXACT][i];
        int before = test_failures;
        for (int round = 0; round < 3; round++) {
            double q[N], v[N], Cv[N], product[N] = { 0 }, asymmetry = 0, least, most, power = 0;
            deform(round % 2 ? 0.7 : 1, 0.1, q);
            random_velocity(v);
            prepare(s, 0, q);
            step_at(s, q, v, Cv);
            second_at(s, NULL, NULL, C);
            for (int a = 0; a < N; a++) {
                for (int b = 0; b < N; b++) {
                    asymmetry = fmax(asymmetry, fabs(C[N * a + b] - C[N * b + a]));
                    product[a] += C[N * a + b] * v[b];
                }
                power += v[a] * Cv[a];
            }
            CHECK_BELOW(asymmetry, 1e-15);
            CHECK_BELOW(apart(N, Cv, product), 1e-14);
            CHECK(power > 0.01);
            eigenvalues(N, C, &least, &most);
            CHECK(least > -1e-14 * most);
            random_rigid(q, true, v);
            step_at(s, q, v, Cv);
            CHECK_BELOW(largest(N, Cv), 1e-14);
        }
        whose(s, before);
    }
}

/* No form gives a net force. About q_k all but the paper's give no net torque; the paper's acts at q_{k+1}, and there it
 * gives none. */
TEST(damping_keeps_momenta)
{
    for (int form = 0; form < 4; form++)
        for (int i = 0; i < damping_count; i++) {
            const subject *s = &dampings[form][i];
            int before = test_failures;
            double q[N], v[N], D[N], force[3], torque[3], h = 0.05;
            bool objective = s->objective || form == LIL_DAMP_EXACT || form == LIL_DAMP_MINIMISED;
            deform(1, 0.1, q);
            random_velocity(v);
            prepare(s, h, q);
            step_at(s, q, v, D);
            CHECK(largest(N, D) > 1e-3);
            sum_up(VERTICES, q, D, force, torque);
            CHECK_BELOW(largest(3, force), 1e-15);
            if (form == LIL_DAMP_PAPER) {
                CHECK((largest(3, torque) > 1e-4) == s->objective); /* `linear` is its own quadratic part */
                for (int k = 0; k < N; k++)
                    q[k] += h * v[k];
                sum_up(VERTICES, q, D, force, torque);
            }
            CHECK(objective == (largest(3, torque) < 3e-15));
            whose(s, before);
        }
}

/* Rigid velocities: nothing of what is quadratic; of the paper's energy, whose steps are straight, a strain of order h^2,
 * so that a quarter remains at half the step. */
TEST(rigid_velocities_are_not_damped)
{
    for (int form = 1; form < 4; form++)
        for (int i = 0; i < damping_count; i++) {
            const subject *s = &dampings[form][i];
            int before = test_failures;
            double q[N], v[N], D[N], most[2];
            deform(1, 0.1, q);
            random_rigid(q, false, v);
            prepare(s, 0.05, q);
            step_at(s, q, v, D);
            CHECK_BELOW(largest(N, D), 1e-14);
            random_rigid(q, true, v);
            for (int k = 0; k < 2; k++) {
                prepare(s, k ? 0.01 : 0.02, q);
                step_at(s, q, v, D);
                most[k] = largest(N, D);
            }
            if (form == LIL_DAMP_MINIMISED || (form == LIL_DAMP_PAPER && !s->objective))
                CHECK_BELOW(most[0], 1e-15);
            else
                CHECK_NEAR(most[0] / most[1], 4, 0.3);
            whose(s, before);
        }
}

/* As h vanishes all forms take out h kD Kd(q) v, first order in h; minimised is that for every h. */
TEST(all_forms_are_one_damping)
{
    for (int i = 0; i < damping_count; i++) {
        /* materials that survive inversion measure strain rates from rest, where all is one; the paper's from now */
        bool one = !potentials[i].inverts || i == lil_material_count();
        for (int deformed = 0; deformed < 2; deformed++) {
            double q[N], v[N], D[4][N], Cv[N], off[4][2];
            if (deformed)
                deform(1, 0.1, q);
            else
                memcpy(q, X, sizeof q);
            random_velocity(v);
            for (int k = 0; k < 2; k++) {
                double h = k ? 0.5e-3 : 1e-3;
                for (int form = 0; form < 4; form++) {
                    const subject *s = &dampings[form][i];
                    prepare(s, h, q);
                    step_at(s, q, v, D[form]);
                    for (int m = 0; m < N && form; m++)
                        D[form][m] /= h;
                }
                memcpy(Cv, D[LIL_DAMP_EXACT], sizeof Cv);
                for (int form = 1; form < 4; form++)
                    off[form][k] = apart(N, D[form], Cv) / largest(N, Cv);
            }
            CHECK_BELOW(off[LIL_DAMP_MINIMISED][0], 1e-14);
            for (int form = LIL_DAMP_PAPER; form < 4; form++) {
                if (deformed && !one)
                    continue;
                CHECK_BELOW(off[form][0], 0.02);
                if (potentials[i].objective) /* `linear` is linear in h too */
                    CHECK_NEAR(off[form][0] / off[form][1], 2, 0.2);
            }
        }
    }
}

/* the largest eigenvalue of M^-1 C at rest, against its bound */
TEST(rates_are_bounds)
{
    static double C[N * N];
    for (int i = 0; i < damping_count; i++) {
        const subject *s = &dampings[LIL_DAMP_EXACT][i];
        double least, most, bound = 0, sums[N / 3] = { 0 };
        s->term.table->dissipation->rows(s->term.data, sums);
        for (int v = 0; v < N / 3; v++)
            bound = fmax(bound, sums[v] / mass[v]);
        prepare(s, 0, X);
        second_at(s, NULL, NULL, C);
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++)
                C[N * a + b] /= sqrt(mass[a / 3]) * sqrt(mass[b / 3]);
        eigenvalues(N, C, &least, &most);
        CHECK(most <= bound && most > 0.1 * bound); /* a bound, and of some use */
        if (i == 0)
            printf("        %s: rate %.4g, bound %.4g\n", s->name, most, bound);
    }
}

/* ---- drag ---- */

/* F = -c (v - w): dF/dq and dF/dv by differences, also where the wind depends on the place; nobody else is dragged. */
TEST(drag_is_differentiated_right)
{
    enum { DOFS = 9 };
    lil_run *run =
        body_problem(ctx, "particles:\n  calm: {at: [1, 2, 3], mass: 1}\n"
                          "  p: {at: [[0, 0, 0], [1, 1, 0]], mass: 2, drag: 0.7, wind: [\"sin(x*y) + t\", \"z^2 - "
                          "x\", \"exp(y)*z\"]}\n" TIME);
    const lil_model *model = run->plan.model;
    CHECK(model->term_count == 1 && lil_model_forces_use_v(model) && model->uses_time && !model->points.linear);
    const lil_term *term = &model->terms[0];
    void *work;
    lil_entries entries = { 0 };
    MUST(term->table->begin(ctx, term->data, &arena, true, &work, &entries));
    CHECK(entries.qq == 18 && entries.qv == 6 && entries.vv == 0);
    double q[DOFS], v[DOFS], F[DOFS] = { 0 }, values[24], A[2][DOFS][DOFS] = { 0 };
    for (int i = 0; i < DOFS; i++) {
        q[i] = uniform(-1, 1);
        v[i] = uniform(-1, 1);
    }
    term->table->evaluate(term->data, work, &(lil_at){ 0.3, q, v }, &(lil_sums){ NULL, F, NULL });
    CHECK(F[0] == 0 && F[1] == 0 && F[2] == 0);
    CHECK_NEAR(F[3], -0.7 * (v[3] - sin(q[3] * q[4]) - 0.3), 1e-15);
    CHECK_NEAR(F[7], -0.7 * (v[7] - q[8] * q[8] + q[6]), 1e-15);
    term->table->second(term->data, work, &(lil_at){ 0.3, q, v }, &(lil_sink){ .entries = values });
    for (int k = 0; k < 24; k++)
        A[k >= entries.qq][entries.row[k]][entries.col[k]] += values[k];
    for (int j = 0; j < 2 * DOFS; j++) {
        double *x = j < DOFS ? &q[j] : &v[j - DOFS], at = *x, d[DOFS] = { 0 }, h = 1e-3;
        for (int s = 0; s < 4; s++) {
            double G[DOFS] = { 0 };
            *x = at + at4[s] * h;
            term->table->evaluate(term->data, work, &(lil_at){ 0.3, q, v }, &(lil_sums){ NULL, G, NULL });
            for (int i = 0; i < DOFS; i++)
                d[i] += weight4[s] / h * G[i];
        }
        *x = at;
        for (int i = 0; i < DOFS; i++)
            CHECK_NEAR(A[j >= DOFS][i][j % DOFS], d[i], 1e-11); /* h^4, and round-off over h */
    }
    lil_run_destroy(&run);
}

int main(void)
{
    ctx = lil_context_create();
    srand(1);
    make_mesh();
    list_subjects();
    RUN(potentials_are_differentiated_right);
    RUN(projections_are_definite_and_no_more);
    RUN(volumes_and_ends);
    RUN(ends_after_many_steps);
    RUN(nothing_exists_inside_out);
    RUN(no_damping_between_a_shape_and_its_mirror_image);
    RUN(rigid_motions_change_nothing);
    RUN(rest_is_rest_wherever_it_is);
    RUN(steps_are_differentiated_right);
    RUN(kicks_are_symmetric_and_take_out);
    RUN(damping_keeps_momenta);
    RUN(rigid_velocities_are_not_damped);
    RUN(all_forms_are_one_damping);
    RUN(rates_are_bounds);
    RUN(drag_is_differentiated_right);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return test_end();
}
