/*
 * Second derivatives over lanes and as blocks of pairs of vertices, against those of one tet after the other: every material,
 * every term that has pairs, on a mesh of several chunks whose vertices are numbered at random.
 */
#include "core/field.h"
#include "materials/invariants.h"
#include "solids.h"
#include "terms/springs.h"
#include "terms/tet_stiffness.h"

#include <float.h>

static lil_context *ctx;
static lil_arena arena;      /* bodies */
static lil_arena work_arena; /* freed after each term */

/* ---- the mesh: 1680 tets, so that there are several chunks; the body's vertex 0 is the model's FIRST ---- */

enum { FIRST = 5, VERTICES_MAX = 600, TETS_MAX = 1680 };
static double X[3 * VERTICES_MAX]; /* of the model */
static int tets[TETS_MAX][4], mids[TETS_MAX][6];
static int vertices, tet_count, n; /* n: vertices of the model */
static bool quadratic;             /* tets with mid nodes, some of them curved */
static const double cell = 0.1;

static void shuffle(int count, int *order)
{
    for (int i = 0; i < count; i++)
        order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = rand() % (i + 1), x = order[i];
        order[i] = order[j];
        order[j] = x;
    }
}

static int middle_of(int a, int b, const int (*edges)[2], int count)
{
    for (int k = 0; k < count; k++)
        if (edges[k][0] == (a < b ? a : b) && edges[k][1] == (a < b ? b : a))
            return k;
    return count;
}

/* Mid nodes, numbered after the corners; half of them leave the middle. */
static void add_mid_nodes(int corners)
{
    static const int ends[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
    int count = 0, edges[VERTICES_MAX][2];
    for (int e = 0; e < tet_count; e++)
        for (int k = 0; k < 6; k++) {
            int a = tets[e][ends[k][0]], b = tets[e][ends[k][1]];
            int at = middle_of(a, b, (const int(*)[2])edges, count);
            mids[e][k] = corners + at;
            if (at < count)
                continue;
            edges[count][0] = a < b ? a : b;
            edges[count++][1] = a < b ? b : a;
            for (int d = 0; d < 3; d++)
                X[3 * (FIRST + mids[e][k]) + d] = (X[3 * (FIRST + a) + d] + X[3 * (FIRST + b) + d]) / 2 +
                                                  (X[3 * (FIRST + a)] > 0.3 ? uniform(-0.05, 0.05) * cell : 0);
        }
    vertices = corners + count;
    n = FIRST + vertices;
    CHECK(n <= VERTICES_MAX);
}

/* All vertices of the body get other numbers. */
static void renumber(void)
{
    int order[VERTICES_MAX];
    double x[3 * VERTICES_MAX];
    shuffle(vertices, order);
    memcpy(x, X + 3 * FIRST, sizeof x - 3 * FIRST * sizeof *x);
    for (int v = 0; v < vertices; v++)
        memcpy(X + 3 * (FIRST + order[v]), x + 3 * v, 3 * sizeof *X);
    for (int e = 0; e < tet_count; e++) {
        for (int a = 0; a < 4; a++)
            tets[e][a] = order[tets[e][a]];
        for (int k = 0; k < 6; k++)
            mids[e][k] = quadratic ? order[mids[e][k]] : 0;
    }
}

static void make_mesh(const char *cells)
{
    lil_run *run = body_problem(ctx,
                                "bodies:\n  b:\n    shape: {type: bar, size: [0.8, 0.7, 0.6], cells: %s}\n"
                                "    material: {mu: 1, kappa: 2, density: 3}\n" TIME,
                                cells);
    const lil_mesh *mesh = &run->plan.world->list[0].mesh;
    vertices = mesh->vertex_count;
    tet_count = mesh->tet_count;
    n = FIRST + vertices;
    CHECK(n <= VERTICES_MAX && tet_count <= TETS_MAX);
    memcpy(X + 3 * FIRST, mesh->x, 3 * (size_t)vertices * sizeof *X);
    for (int e = 0; e < tet_count; e++)
        memcpy(tets[e], mesh->tets[e], sizeof tets[e]);
    lil_run_destroy(&run);
    if (quadratic)
        add_mid_nodes(vertices);
    renumber();
}

/* Stretched, turned, shaken by a part of a cell, mirrored if it is to be inside out, and moved: all in units of `size`. */
static void deform(double size, double shake, double far, bool inverted, double *x)
{
    double R[9], c[3], y[3 * VERTICES_MAX];
    random_rotation(R);
    for (int d = 0; d < 3; d++)
        c[d] = far * uniform(-1, 1) * size;
    for (int i = 0; i < 3 * n; i++)
        y[i] = size * (X[i] * (i % 3 == 2 ? (inverted ? -0.7 : 0.7) : 1.2) + uniform(-shake, shake) * cell);
    move_rigidly(n, R, c, y, x);
}

/* ---- materials: the library's, and two of the test's ---- */

/* w = mu (I1/2 + I2/4 + I1 I2/20 + I2^2/40 + I1^2/10 + I1 J/5 + I2 J/6) + kappa/2 (J - 1.3)^2: all derivatives at once */
static lil_invariant_derivatives everything(const lil_moduli *m, double I1, double I2, double J)
{
    double mu = m->mu;
    return (lil_invariant_derivatives){ .w1 = mu * (1. / 2 + I2 / 20 + I1 / 5 + J / 5),
                                        .w2 = mu * (1. / 4 + I1 / 20 + I2 / 20 + J / 6),
                                        .wJ = mu * (I1 / 5 + I2 / 6) + m->kappa * (J - 1.3),
                                        .w11 = mu / 5,
                                        .w12 = mu / 20,
                                        .w22 = mu / 20,
                                        .w1J = mu / 5,
                                        .w2J = mu / 6,
                                        .wJJ = m->kappa };
}

static void derive(const lil_moduli *m, const void *config, int count, const lil_lanes_invariants *x,
                   lil_lanes_derivatives *d)
{
    (void)config;
    for (int i = 0; i < count; i++)
        for (int l = 0; l < LIL_LANES; l++) {
            lil_invariant_derivatives one = everything(m, x[i].I1[l], x[i].I2[l], x[i].J[l]);
            for (int k = 0; k < 10; k++)
                (&d[i].w1)[k][l] = (&one.w1)[k];
        }
}

static void tangent(const lil_moduli *m, const void *config, const double F[9], double A[81])
{
    lil_invariants x = lil_invariants_of(F);
    lil_invariant_derivatives d = everything(m, x.I1, x.I2, x.J);
    (void)config;
    lil_invariants_tangent(F, &d, A);
}

static void principal(const lil_moduli *m, const void *config, const double s[3], lil_principal *p)
{
    lil_invariants x = lil_invariants_of_stretches(s);
    lil_invariant_derivatives d = everything(m, x.I1, x.I2, x.J);
    (void)config;
    lil_invariants_principal(s, &d, p);
}

static const lil_material_table in_lanes = {
    .name = "everything", .holds = LIL_MATERIAL_INVERTS, .derive = derive, .uses = LIL_USES_I2
};
static const lil_material_table one_by_one = {
    .name = "one by one", .holds = LIL_MATERIAL_INVERTS, .tangent = tangent, .principal = principal
};

static int material_count(void)
{
    return lil_material_count() + 2;
}

static lil_material material(int i, double mu)
{
    int own = lil_material_count();
    const lil_material_table *table = i < own ? lil_material_at(i) : i == own ? &in_lanes : &one_by_one;
    void *config = lil_arena_alloc(&arena, 1, table->config_size + 1);
    lil_fields_default(table->fields, table->field_count, config);
    return (lil_material){ .table = table, .moduli = { mu, 2.3 * mu }, .config = config, .density = 3 };
}

static lil_tets *body(const lil_material *m, double size)
{
    lil_tets *t = NULL;
    double x[3 * VERTICES_MAX];
    for (int i = 0; i < 3 * vertices; i++)
        x[i] = size * X[3 * FIRST + i];
    if (lil_tets_create(ctx, &arena, "b", m, x, (const int(*)[4])tets, quadratic ? (const int(*)[6])mids : NULL,
                        tet_count, FIRST, &t) != LIL_OK)
        exit(EXIT_FAILURE);
    return t;
}

/* ---- entries, in double over lanes, against the plain path ---- */

static void plain(const lil_tets *t, int e, const double *x, bool definite, double K[144])
{
    lil_tet tet;
    double D[9], F[9], A[81], G[12];
    lil_tets_get(t, e, &tet);
    lil_tet_edges(&tet, x, D);
    lil_multiply3(D, tet.B, F);
    lil_material_tangent(&t->material, F, definite, A);
    lil_tet_gradients(tet.B, G);
    lil_tet_element_stiffness(G, A, tet.V, K);
}

/* Round-off of some hundred operations, 2e-16 each; projecting is no worse (the nearest point of a convex cone), but V is
 * known to round-off over s2/s1, which is above 1/4 here. */
TEST(entries_over_lanes_are_those_of_one_after_the_other)
{
    for (int i = 0; i < material_count(); i++)
        for (int round = 0; round < 4; round++) {
            lil_material m = material(i, 7);
            lil_tets *t = body(&m, 1);
            lil_term term = lil_tets_term(t);
            lil_entries entries = { 0 };
            void *work;
            bool inverted = round >= 2 && m.table->holds & LIL_MATERIAL_INVERTS, definite = round % 2;
            double x[3 * VERTICES_MAX], K[144], worst = 0;
            double *values = LIL_NEW(&work_arena, double, 144 * (size_t)tet_count);
            MUST(term.table->begin(ctx, t, &work_arena, true, &work, &entries));
            deform(1, 0.15, 1, inverted, x);
            term.table->second(t, work, &(lil_at){ 0, x, NULL },
                               &(lil_sink){ .definite = definite, .entries = values });
            for (int e = 0; e < tet_count; e++) {
                plain(t, e, x, definite, K);
                worst = fmax(worst, apart(144, K, values + 144 * e) / largest(144, K));
            }
            lil_arena_free(&work_arena);
            CHECK_BELOW(worst, 1e-13);
            if (worst >= 1e-13)
                printf("    of %s, %s\n", m.table->name, definite ? "projected" : "as it is");
        }
}

/* ---- pairs against entries ---- */

typedef struct subject {
    lil_term term;
    void *work;
    lil_entries entries;
    lil_block_pairs pairs;
} subject;

static subject begin(lil_term term, int threads)
{
    subject s = { .term = term };
    lil_context_set_threads(ctx, threads);
    if (term.table->begin(ctx, term.data, &work_arena, true, &s.work, &s.entries) != LIL_OK ||
        term.table->pairs(ctx, term.data, &work_arena, s.work, &s.pairs) != LIL_OK)
        exit(EXIT_FAILURE);
    return s;
}

static void entries_at(const subject *s, const double *x, const double *v, bool definite, double *values)
{
    s->term.table->second(s->term.data, s->work, &(lil_at){ 0, x, v },
                          &(lil_sink){ .definite = definite, .entries = values });
}

/* Blocks of all vertices, by double sums of entries: A[9 (n a + b) + 3 i + j]. */
static double *assemble(const subject *s, const double *values)
{
    double *A = LIL_NEW(&work_arena, double, 9 * (size_t)(n * n));
    for (int k = 0; k < s->entries.qq + s->entries.vv; k++) {
        int row = s->entries.row[k], col = s->entries.col[k];
        A[9 * (n * (row / 3) + col / 3) + 3 * (row % 3) + col % 3] += values[k];
    }
    return A;
}

/* The pairs are those that entries couple, each once. */
static void check_list(const subject *s)
{
    char *seen = lil_arena_alloc(&work_arena, (size_t)(n * n), 1);
    int expected = 0;
    for (int k = 0; k < s->entries.qq + s->entries.vv; k++) {
        int a = s->entries.row[k] / 3, b = s->entries.col[k] / 3;
        expected += a < b && !seen[n * a + b];
        seen[n * a + b] = 1;
    }
    CHECK(s->pairs.count == expected);
    for (int k = 0; k < s->pairs.count; k++) {
        int a = s->pairs.at[k][0], b = s->pairs.at[k][1];
        CHECK(0 <= a && a < b && b < n && seen[n * a + b] == 1);
        seen[n * a + b] = 2;
    }
}

/* Each block to `tolerance` of its row's diagonal block; blocks in any order, added to what is there; one in ten not wanted.
 * Row sums follow: minus the sum of its blocks is the diagonal. */
static double check_blocks(const subject *s, const double *x, const double *v, bool definite, double weight)
{
    double *values = LIL_NEW(&work_arena, double, s->entries.qq + s->entries.vv), worst = 0;
    int count = s->pairs.count, *where = LIL_NEW(&work_arena, int, count), wanted = 0;
    float *blocks = LIL_NEW(&work_arena, float, 9 * (size_t)count);
    entries_at(s, x, v, definite, values);
    double *A = assemble(s, values), *sums = LIL_NEW(&work_arena, double, 9 * (size_t)n);
    shuffle(count, where);
    double size = largest(9 * n * n, A) * fabs(weight);
    for (int k = 0; k < 9 * count; k++)
        blocks[k] = (float)size;
    for (int k = 0; k < count; k += 10)
        where[k] = -1;
    s->term.table->second(s->term.data, s->work, &(lil_at){ 0, x, v },
                          &(lil_sink){ .definite = definite, .weight = weight, .where = where, .blocks = blocks });
    for (int k = 0; k < count; k++) {
        int a = s->pairs.at[k][0], b = s->pairs.at[k][1];
        const double *exact = A + 9 * (n * a + b);
        double row = fmin(largest(9, A + 9 * (n * a + a)), largest(9, A + 9 * (n * b + b))) * fabs(weight);
        wanted += where[k] >= 0;
        for (int i = 0; i < 9 && where[k] >= 0; i++) /* less what adding to `size` costs */
            worst =
                fmax(worst, (fabs(blocks[9 * where[k] + i] - size - weight * exact[i]) - FLT_EPSILON * size) / row);
        for (int i = 0; i < 9; i++) {
            sums[9 * a + i] -= exact[i];
            sums[9 * b + i] -= exact[i / 3 + i % 3 * 3];
        }
    }
    CHECK(wanted > 0 || count < 2);
    for (int a = 0; a < n; a++)
        CHECK(apart(9, sums + 9 * a, A + 9 * (n * a + a)) <= 1e-12 * largest(9, A + 9 * (n * a + a)));
    return worst;
}

/*
 * What a float costs. Positions are known to 2^-24 of the distance to the chunk's first vertex, here at most 11 edges: edges,
 * and so strains, to 1e-6. A block changes by some times that, as the stretches are below 1.5; the sum over its tets by less than
 * the diagonal does, which has as many again. Mixing multiplies errors of positions by up to 4 (tet_mix.h).
 */
static const double float_tolerance = 1e-5;

static void check_term(lil_term term, const char *name, double size, double shake, double far, bool inverted)
{
    double x[3 * VERTICES_MAX], q[3 * VERTICES_MAX], v[3 * VERTICES_MAX], h = 0.02;
    subject s = begin(term, 2);
    int before = test_failures;
    deform(size, shake, far, inverted, x);
    deform(size, shake, far, inverted, q);
    for (int i = 0; i < 3 * n; i++)
        v[i] = size * uniform(-0.1, 0.1) * cell / h;
    check_list(&s);
    bool potential = term.table->place == LIL_POTENTIAL;
    if (!potential)
        term.table->prepare(term.data, s.work, 0, h, x);
    for (int definite = 0; definite < 1 + potential; definite++)
        CHECK_BELOW(check_blocks(&s, potential ? x : NULL, potential ? NULL : v, definite, definite ? -0.3 : 0.7),
                    quadratic ? 4 * float_tolerance : float_tolerance);
    lil_arena_free(&work_arena);
    if (test_failures > before)
        printf("    so far for %s of %s\n", term.table->name, name);
}

/* potential and dampings of a body of a material */
static void check_body(int i, double size, double mu, double far, bool inverted)
{
    lil_material m = material(i, mu);
    lil_tets *t = body(&m, size);
    check_term(lil_tets_term(t), m.table->name, size, 0.15, far, inverted);
    for (int form = LIL_DAMP_EXACT; form <= LIL_DAMP_PAPER; form++) {
        lil_term term;
        MUST(lil_tets_damping(ctx, &arena, t, 0.3, (lil_damping)form, &term));
        check_term(term, m.table->name, size, 0.15, far, inverted);
    }
}

TEST(pairs_of_tets_are_sums_of_entries)
{
    for (int i = 0; i < material_count(); i++)
        check_body(i, 1, 1, 1, false);
}

/* But for what is steep without bound there, where two stretches add up to nothing. */
TEST(also_inside_out)
{
    for (int i = 0; i < material_count(); i++)
        if (material(i, 1).table->holds & LIL_MATERIAL_INVERTS && !(material(i, 1).table->uses & LIL_USES_T))
            check_body(i, 1, 1, 1, true);
}

/* Nothing depends on units or places: steel by the micrometre, jelly by the light second, a kilometre from the origin
 * (there doubles have 1e-13 of a metre left, 1e-12 of an edge). */
TEST(units_and_places_do_not_matter)
{
    for (int i = 0; i < material_count(); i += test_small() ? 6 : 1) {
        check_body(i, 1e-6, 8e10, 1, false);
        check_body(i, 3e8, 1e3, 1, false);
        check_body(i, 1, 1e6, 1e3, false);
    }
}

enum { SPRINGS = 300 };

TEST(pairs_of_springs_are_sums_of_entries)
{
    static lil_spring list[SPRINGS];
    lil_springs springs = { SPRINGS, list };
    for (int e = 0; e < SPRINGS; e++) { /* some pairs several times, and both ways */
        int i = rand() % n, j = (i + 1 + rand() % (n - 1)) % n;
        list[e] = (lil_spring){ i, j, uniform(1, 3), uniform(0, 0.6) };
        if (e % 7 == 6)
            list[e] = (lil_spring){ list[e - 1].j, list[e - 1].i, 2, 0 };
    }
    check_term(lil_springs_term(&springs), "springs", 1, 0.15, 1, false);
    for (int form = LIL_DAMP_EXACT; form <= LIL_DAMP_PAPER; form++) {
        lil_term term;
        MUST(lil_springs_damping(ctx, &arena, &springs, 0.3, (lil_damping)form, &term));
        check_term(term, "springs", 1, 0.15, 1, false);
    }
}

/* ---- threads ---- */

static float *blocks_on(lil_term term, int threads, const double *x, const double *v, int *count)
{
    subject s = begin(term, threads);
    int *where = LIL_NEW(&work_arena, int, s.pairs.count);
    float *blocks = LIL_NEW(&work_arena, float, 9 * (size_t)s.pairs.count);
    for (int k = 0; k < s.pairs.count; k++)
        where[k] = k;
    if (term.table->prepare)
        term.table->prepare(term.data, s.work, 0, 0.02, x);
    term.table->second(term.data, s.work, &(lil_at){ 0, x, v },
                       &(lil_sink){ .definite = true, .weight = 1, .where = where, .blocks = blocks });
    term.table->second(term.data, s.work, &(lil_at){ 0, x, v },
                       &(lil_sink){ .definite = false, .weight = 1, .where = where, .blocks = blocks });
    *count = s.pairs.count;
    return blocks;
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    double x[3 * VERTICES_MAX], v[3 * VERTICES_MAX];
    deform(1, 0.15, 1, false, x);
    for (int i = 0; i < 3 * n; i++)
        v[i] = uniform(-1, 1) * cell;
    for (int i = 0; i < material_count(); i++) {
        lil_material m = material(i, 1);
        lil_tets *t = body(&m, 1);
        for (int form = -1; form <= LIL_DAMP_PAPER; form++) {
            lil_term term = lil_tets_term(t);
            int count, others;
            if (form >= 0)
                MUST(lil_tets_damping(ctx, &arena, t, 0.3, (lil_damping)form, &term));
            float *one = blocks_on(term, 1, x, v, &count);
            for (int threads = test_small() ? 4 : 2; threads <= 4; threads++) {
                float *more = blocks_on(term, threads, x, v, &others);
                CHECK(others == count && memcmp(one, more, 9 * (size_t)count * sizeof *one) == 0);
            }
            lil_arena_free(&work_arena);
        }
    }
}

int main(void)
{
    ctx = lil_context_create();
    make_mesh("[8, 7, 6]");
    RUN(entries_over_lanes_are_those_of_one_after_the_other);
    RUN(pairs_of_tets_are_sums_of_entries);
    RUN(also_inside_out);
    RUN(units_and_places_do_not_matter);
    RUN(pairs_of_springs_are_sums_of_entries);
    RUN(any_number_of_threads_gives_the_same_bits);
    quadratic = true;
    make_mesh("[4, 3, 3]");
    RUN(pairs_of_tets_are_sums_of_entries);
    RUN(also_inside_out);
    RUN(any_number_of_threads_gives_the_same_bits);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return test_end();
}
