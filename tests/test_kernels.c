/*
 * The kernels of tets, over a mesh of several chunks whose vertices and tets are numbered at random: they match the plain
 * path of reference.h, and give the same bits on any number of threads.
 */
#include "core/field.h"
#include "math/cubic.h"
#include "reference.h"

#include <float.h>

static lil_context *ctx;
static lil_arena arena;

/* ---- the mesh: a shaken grid of cells, six tets each, in no order ---- */

enum { CELLS = 8, SIDE = CELLS + 1, VERTICES = SIDE * SIDE * SIDE, TETS = 6 * CELLS * CELLS * CELLS - 3 };
enum { FIRST = 5, ALL = FIRST + VERTICES + 2, N = 3 * ALL }; /* the body's vertices stand among others */
static double X[N];
static int tets[TETS][4];     /* over X */
static int own_tets[TETS][4]; /* over the body */
static lil_material materials[16];
static lil_tets *bodies[16];

static void shuffle(int n, int *x)
{
    for (int i = n - 1; i > 0; i--) {
        int j = rand() % (i + 1), kept = x[i];
        x[i] = x[j];
        x[j] = kept;
    }
}

static void make_mesh(void)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
    static int name[VERTICES], place[TETS + 3];
    const int stride[3] = { 1, SIDE, SIDE * SIDE };
    for (int i = 0; i < VERTICES; i++)
        name[i] = i;
    for (int e = 0; e < TETS + 3; e++)
        place[e] = e;
    shuffle(VERTICES, name);
    shuffle(TETS + 3, place);
    for (int i = 0; i < VERTICES; i++)
        for (int d = 0; d < 3; d++)
            X[3 * (FIRST + name[i]) + d] = i / stride[d] % SIDE + uniform(-0.15, 0.15);
    for (int e = 0; e < TETS + 3; e++) {
        int cell = e / 6, at = cell % CELLS + cell / CELLS % CELLS * SIDE + cell / CELLS / CELLS * SIDE * SIDE;
        if (place[e] >= TETS) /* so that chunks and blocks do not come out even */
            continue;
        int *tet = own_tets[place[e]];
        tet[0] = name[at];
        for (int k = 0; k < 3; k++)
            tet[k + 1] = name[at += stride[orders[e % 6][k]]];
        if (e % 6 >= 3) { /* odd orders turn left */
            int kept = tet[2];
            tet[2] = tet[3];
            tet[3] = kept;
        }
        for (int a = 0; a < 4; a++)
            tets[place[e]][a] = FIRST + tet[a];
    }
}

static void make_bodies(void)
{
    for (int i = 0; i < lil_material_count(); i++) {
        const lil_material_table *table = lil_material_at(i);
        void *config = lil_arena_alloc(&arena, 1, table->config_size + 1);
        lil_fields_default(table->fields, table->field_count, config);
        materials[i] = (lil_material){ .table = table, .moduli = { 1, 2.3 }, .config = config, .density = 3 };
        MUST(lil_tets_create(ctx, &arena, "b", &materials[i], X + 3 * FIRST, (const int(*)[4])own_tets, NULL, TETS,
                             FIRST, &bodies[i]));
    }
}

/* det F of each tet, the smallest */
static double smallest(const double *x)
{
    double least = INFINITY;
    for (int e = 0; e < TETS; e++)
        least = fmin(least, lil_tet_volume(x, tets[e]) / lil_tet_volume(X, tets[e]));
    return least;
}

/* Sheared, turned, and shaken: by so much that tets are inside out, or by so little that none is. */
static void deform(bool inverted, double *x)
{
    double R[9], y[N];
    random_rotation(R);
    for (int i = 0; i < N; i++)
        y[i] = X[i] + (i % 3 == 0 ? 0.2 * X[i + 1] : 0) + (inverted ? uniform(-0.6, 0.6) : uniform(-0.08, 0.08));
    move_rigidly(ALL, R, (double[3]){ 3, -1, 2 }, y, x);
}

static double *vector(double size)
{
    double *x = LIL_NEW(&arena, double, N);
    for (int i = 0; i < N; i++)
        x[i] = size * uniform(-1, 1);
    return x;
}

/* ---- the layout ---- */

TEST(the_mesh_is_one)
{
    double volume = 0;
    for (int e = 0; e < TETS; e++) {
        CHECK(lil_tet_volume(X, tets[e]) > 0.01);
        volume += lil_tet_volume(X, tets[e]);
    }
    CHECK_NEAR(volume, CELLS * CELLS * CELLS, 0.1 * CELLS * CELLS * CELLS);
}

TEST(every_tet_is_where_it_is_found)
{
    const lil_tet_chunks *c = &bodies[0]->chunks;
    int counted = 0, slots = 0, own = 0;
    CHECK(c->count >= 2); /* or it was no test */
    for (int e = 0; e < TETS; e++) {
        lil_tet tet;
        double D[9], B[9], V;
        lil_tets_get(bodies[0], e, &tet);
        plain_edges(tets[e], X, D);
        V = plain_inverse(D, B);
        CHECK(memcmp(tet.id, tets[e], sizeof tets[e]) == 0);
        CHECK_NEAR(tet.V, V, 1e-15);
        CHECK(apart(9, tet.B, B) < 1e-14);
    }
    for (int k = 0; k < c->count; k++) {
        const lil_tet_chunk *chunk = &c->chunks[k];
        for (int i = 0; i < chunk->block_count; i++)
            for (int l = 0; l < LIL_LANES; l++)
                counted += c->blocks[chunk->block + i].V[l] > 0;
        CHECK(4 * chunk->block_count <= LIL_CHUNK_TETS && chunk->slot_count <= LIL_CHUNK_SLOTS);
        CHECK(chunk->slot == slots);
        slots += chunk->slot_count;
        own += chunk->own_count;
    }
    CHECK(counted == TETS && slots == c->slot_count && c->vertex_count == VERTICES);
    CHECK(own + c->shared_count == VERTICES);
    CHECK(own + c->share_count == slots);
    printf("        %d tets in %d chunks, %.2f slots a vertex\n", TETS, c->count, (double)slots / VERTICES);
}

/* ---- against the plain path ---- */

static plain_sums zero_sums(void)
{
    return (plain_sums){ .f = LIL_NEW(&arena, double, N), .f_size = LIL_NEW(&arena, double, ALL) };
}

static double worst; /* of all comparisons */

/* Some eps of what was summed, which is much more than comes out: 1e-13 of that. */
static void compare(const char *what, double W, const double *f, const plain_sums *plain)
{
    double most = fabs(W - plain->W) / plain->W_size, result = largest(N, plain->f);
    for (int i = 0; i < N; i++) {
        double size = plain->f_size[i / 3];
        most = size > 0 ? fmax(most, fabs(f[i] - plain->f[i]) / size) : f[i] == 0 ? most : INFINITY;
        if (isnan(f[i]))
            most = NAN;
    }
    if (!(most < 4 * DBL_EPSILON) || !(apart(N, f, plain->f) < 1e-13 * result)) {
        printf("    %s is apart from the plain path by %.2g of what is summed, %.2g of the result\n", what, most,
               apart(N, f, plain->f) / result);
        test_failures++;
    }
    worst = fmax(worst, most);
}

static void *begin(const lil_term *term)
{
    lil_entries entries = { 0 };
    void *work = NULL;
    if (term->table->begin(ctx, term->data, &arena, false, &work, &entries) != LIL_OK)
        exit(EXIT_FAILURE);
    return work;
}

TEST(forces_and_energies_are_those_of_the_plain_path)
{
    static double x[N];
    int tried = 0;
    worst = 0;
    for (int i = 0; i < lil_material_count(); i++)
        for (int inverted = 0; inverted < 2; inverted++) {
            lil_term term = lil_tets_term(bodies[i]);
            void *work = begin(&term);
            plain_sums plain = zero_sums();
            double W = 0, *f = LIL_NEW(&arena, double, N), alone = 0, *f_alone = LIL_NEW(&arena, double, N);
            if (inverted && !(materials[i].table->holds & LIL_MATERIAL_INVERTS))
                continue;
            deform(inverted, x);
            bool known = true;
            for (int e = 0; e < TETS && known; e++) {
                double Dm[9], D[9], B[9];
                plain_edges(tets[e], X, Dm);
                plain_edges(tets[e], x, D);
                double V = plain_inverse(Dm, B);
                known = plain_element(&materials[i], tets[e], D, B, V, 1, &plain);
            }
            if (!known)
                continue;
            tried++;
            term.table->evaluate(term.data, work, &(lil_at){ 0, x, NULL }, &(lil_sums){ &W, f, NULL });
            compare(materials[i].table->name, W, f, &plain);
            CHECK_NEAR(term.table->least_volume(work), smallest(x), 1e-13);
            CHECK(inverted == (smallest(x) < 0));
            /* one alone is the same, to the last bit */
            term.table->evaluate(term.data, work, &(lil_at){ 0, x, NULL }, &(lil_sums){ &alone, NULL, NULL });
            term.table->evaluate(term.data, work, &(lil_at){ 0, x, NULL }, &(lil_sums){ NULL, f_alone, NULL });
            CHECK(alone == W && memcmp(f, f_alone, N * sizeof *f) == 0);
        }
    CHECK(tried >= 10); /* six materials, four of them inside out as well */
    printf("        %.1e of what is summed, at most\n", worst);
}

/* Where a material does not exist its energy is infinite and its forces are not numbers, in any lane. */
TEST(what_is_inside_out_is_told)
{
    static double x[N];
    lil_term term = lil_tets_term(bodies[0]);
    void *work = begin(&term);
    for (int round = 0; round < 40; round++) {
        double W = 0, *f = LIL_NEW(&arena, double, N), sum = 0;
        int e = rand() % TETS, at = tets[e][0];
        memcpy(x, X, sizeof x);
        for (int d = 0; d < 3; d++) /* through the opposite face and beyond */
            x[3 * at + d] +=
                2 * ((x[3 * tets[e][1] + d] + x[3 * tets[e][2] + d] + x[3 * tets[e][3] + d]) / 3 - x[3 * at + d]);
        term.table->evaluate(term.data, work, &(lil_at){ 0, x, NULL }, &(lil_sums){ &W, f, NULL });
        for (int i = 0; i < N; i++)
            sum += f[i];
        CHECK(W == INFINITY && isnan(sum));
        CHECK(term.table->least_volume(work) < 0);
    }
}

static double plain_longest(const int tet[4], const double *x, const double *d)
{
    double D[9], dD[9], cofD[9], cofd[9], c1 = 0, c2 = 0;
    plain_edges(tet, x, D);
    plain_edges(tet, d, dD);
    lil_cofactor3(D, cofD);
    lil_cofactor3(dD, cofd);
    for (int k = 0; k < 9; k++) {
        c1 += cofD[k] * dD[k];
        c2 += D[k] * cofd[k];
    }
    return lil_cubic_positive(lil_determinant3(D), c1, c2, lil_determinant3(dD));
}

TEST(how_far_it_goes_is_that_of_the_plain_path)
{
    static double x[N], y[N];
    lil_term term = lil_tets_term(bodies[0]);
    void *work = begin(&term);
    for (int round = 0; round < 30; round++) {
        double *d = vector(pow(10, uniform(-2, 0.5))), plain = 1;
        deform(false, x);
        for (int e = 0; e < TETS; e++)
            plain = fmin(plain, plain_longest(tets[e], x, d));
        double s = term.table->longest(term.data, work, 0, x, d);
        CHECK_NEAR(s, plain, 3e-9); /* how well roots are found */
        for (int i = 0; i < N; i++)
            y[i] = x[i] + 0.999 * s * d[i];
        CHECK(smallest(y) > 0);
    }
}

/* Of one tet at a time, so that none hides behind a shorter one; motions that squeeze a tet late, with the second and third
 * power of s, among them. */
TEST(each_tet_ends_where_it_ends)
{
    int ends = 0;
    for (int round = 0; round < 3000; round++) {
        int e = rand() % TETS;
        double *d = vector(uniform(0.2, 3));
        lil_tets *single;
        MUST(lil_tets_create(ctx, &arena, "b", &materials[0], X + 3 * FIRST, (const int(*)[4])own_tets + e, NULL, 1,
                             FIRST, &single));
        lil_term term = lil_tets_term(single);
        double s = term.table->longest(term.data, begin(&term), 0, X, d), plain = plain_longest(tets[e], X, d);
        CHECK_NEAR(s, plain, 3e-9);
        ends += plain < 1;
    }
    CHECK(ends > 300 && ends < 2700); /* or it was no test */
}

/* ---- damping ---- */

/* weight V (2 mu D:D + lambda tr^2 D)/2 with D = sym(R' L), and its forces V R S g */
static void plain_rate(const lil_material *m, const int tet[4], const double R[9], const double L[9],
                       const double B[9], double V, double weight, plain_sums *sums)
{
    double RL[9], D[9], P[9];
    lil_multiply3_tn(R, L, RL);
    for (int k = 0; k < 9; k++)
        D[k] = (RL[k] + RL[k % 3 * 3 + k / 3]) / 2;
    plain_stress s = plain_quadratic(m->moduli.mu, m->moduli.kappa, D, norm9(R) * norm9(L));
    lil_multiply3(R, s.P, P);
    sums->W += weight * V * s.w;
    sums->W_size += weight * V * s.w_size;
    plain_add(tet, B, weight * V, P, s.P_size * norm9(R), sums);
}

/* What each form says, of one tet. */
static void plain_damping(const lil_material *m, lil_damping form, double kD, double h, const int tet[4],
                          const double *q, const double *v, plain_sums *sums)
{
    double Dm[9], D[9], dD[9], B0[9], B[9], L[9], F[9], before[9], V0, V;
    const double I[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    plain_edges(tet, X, Dm);
    plain_edges(tet, q, D);
    plain_edges(tet, v, dD);
    V0 = plain_inverse(Dm, B0);
    V = plain_inverse(D, B);
    if (form == LIL_DAMP_EXACT || form == LIL_DAMP_MINIMISED) {
        double weight = form == LIL_DAMP_EXACT ? kD : kD * h;
        bool survives = m->table->holds & LIL_MATERIAL_INVERTS;
        lil_multiply3(dD, survives ? B0 : B, L);
        lil_multiply3(D, B0, F);
        if (survives)
            plain_rate(m, tet, F, L, B0, V0, weight, sums);
        else
            plain_rate(m, tet, I, L, B, V, weight, sums);
    } else if (form == LIL_DAMP_PAPER) { /* (kD/h) w(I + h L), I + h L = (D + h dD) B */
        for (int k = 0; k < 9; k++)
            D[k] += h * dD[k];
        double size = sums->W_size, W = sums->W;
        plain_element(m, tet, D, B, V, kD, sums);
        sums->W = W + (sums->W - W) / h;
        sums->W_size = size + (sums->W_size - size) / h;
    } else {
        for (int k = 0; k < 9; k++)
            before[k] = D[k] - h * dD[k];
        V = plain_inverse(before, B);
        plain_element(m, tet, D, B, V, kD, sums);
    }
}

TEST(damping_is_that_of_the_plain_path)
{
    static double q[N];
    const double kD = 0.03, h = 0.01;
    worst = 0;
    for (int i = 0; i < lil_material_count(); i++)
        for (int form = 0; lil_damping_names[form]; form++) {
            lil_term term;
            plain_sums plain = zero_sums();
            double S = 0, *D = LIL_NEW(&arena, double, N), *v = vector(1);
            MUST(lil_tets_damping(ctx, &arena, bodies[i], kD, (lil_damping)form, &term));
            void *work = begin(&term);
            bool valued = term.table->place == LIL_STEP;
            deform(false, q);
            for (int e = 0; e < TETS; e++)
                plain_damping(&materials[i], (lil_damping)form, kD, h, tets[e], q, v, &plain);
            term.table->prepare(term.data, work, 0, h, q);
            term.table->evaluate(term.data, work, &(lil_at){ 0, q, v }, &(lil_sums){ valued ? &S : NULL, NULL, D });
            compare(lil_damping_names[form], valued ? S : plain.W, D, &plain);
        }
    printf("        %.1e of what is summed, at most\n", worst);
}

/* ---- threads ---- */

/* All that a term computes, with a work of so many threads. */
typedef struct outcome {
    double W, *f, reach, volume;
} outcome;

static outcome evaluate_on(int threads, const lil_term *term, const double *q, const double *v)
{
    outcome o = { .f = LIL_NEW(&arena, double, N), .reach = 1 };
    lil_context_set_threads(ctx, threads);
    void *work = begin(term);
    bool potential = term->table->place == LIL_POTENTIAL, valued = potential || term->table->place == LIL_STEP;
    if (term->table->prepare)
        term->table->prepare(term->data, work, 0, 0.01, q);
    term->table->evaluate(term->data, work, &(lil_at){ 0, q, v },
                          &(lil_sums){ valued ? &o.W : NULL, potential ? o.f : NULL, potential ? NULL : o.f });
    if (term->table->longest)
        o.reach = term->table->longest(term->data, work, 0, q, v);
    if (term->table->least_volume)
        o.volume = term->table->least_volume(work);
    return o;
}

TEST(terms_give_the_same_bits_on_any_number_of_threads)
{
    static const int threads[] = { 2, 3, 4, 16 };
    static double q[N];
    for (int i = 0; i < lil_material_count(); i++)
        for (int form = -1; form < 0 || lil_damping_names[form]; form++) {
            lil_term term = lil_tets_term(bodies[i]);
            double *v = vector(0.5);
            if (form >= 0)
                MUST(lil_tets_damping(ctx, &arena, bodies[i], 0.03, (lil_damping)form, &term));
            deform(false, q);
            outcome one = evaluate_on(1, &term, q, v);
            CHECK(largest(N, one.f) > 1e-4);
            for (size_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
                outcome o = evaluate_on(threads[k], &term, q, v);
                CHECK(o.W == one.W && o.reach == one.reach && o.volume == one.volume);
                CHECK(memcmp(o.f, one.f, N * sizeof *o.f) == 0);
            }
        }
}

static lil_run *bar_on(int threads, const char *damping, const char *integrator)
{
    lil_context_set_threads(ctx, threads);
    return body_problem(ctx,
                        "bodies:\n  bar:\n    shape: {type: bar, size: [1, 0.25, 0.25], cells: [18, 5, 5]}\n"
                        "    material: {model: neo-hookean, mu: 2e4, kappa: 1e5, density: 1000}\n"
                        "    damping: %s\n    start: {stretch: 1.2, twist: 60, spin: [1, 0.6, 2]}\n"
                        "integrator: %s\ntime: {step: 1e-4, until: 1}\n",
                        damping, integrator);
}

/* Whole runs: what the step, the watch and the certificate make of it as well. */
TEST(runs_give_the_same_bits_on_any_number_of_threads)
{
    static const char *const cases[][2] = { { "0", "stormer-verlet" },
                                            { "0", "symplectic-euler" },
                                            { "{kD: 1e-3, form: exact}", "stormer-verlet" },
                                            { "{kD: 1e-3, form: explicit}", "stormer-verlet" },
                                            { "{kD: 1e-3, form: minimised}", "stormer-verlet" },
                                            { "{kD: 1e-3, form: paper}", "stormer-verlet" },
                                            { "0", "midpoint" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lil_run *one = bar_on(1, cases[i][0], cases[i][1]);
        const lil_state *x = lil_sim_state(lil_run_sim(one));
        int steps = i < 2 ? 100 : test_small() ? 1 : 3;
        CHECK(((const lil_tets *)lil_run_model(one)->terms[0].data)->chunks.count >= 2);
        MUST(lil_run_advance(one, steps));
        for (int threads = 2; threads <= 4; threads += 2) {
            lil_run *run = bar_on(threads, cases[i][0], cases[i][1]);
            const lil_state *y = lil_sim_state(lil_run_sim(run));
            MUST(lil_run_advance(run, steps));
            size_t bytes = (size_t)x->n * sizeof *x->q;
            CHECK(!memcmp(x->q, y->q, bytes) && !memcmp(x->p, y->p, bytes) && !memcmp(x->v, y->v, bytes));
            lil_certificate a = lil_sim_certificate(lil_run_sim(one)), b = lil_sim_certificate(lil_run_sim(run));
            CHECK(a.energy_final == b.energy_final && a.energy_drift == b.energy_drift);
            CHECK(a.angular_momentum_drift == b.angular_momentum_drift);
            CHECK(a.linear_momentum_drift == b.linear_momentum_drift);
            lil_run_destroy(&run);
        }
        lil_run_destroy(&one);
    }
}

int main(void)
{
    ctx = lil_context_create();
    srand(6);
    make_mesh();
    make_bodies();
    RUN(the_mesh_is_one);
    RUN(every_tet_is_where_it_is_found);
    RUN(forces_and_energies_are_those_of_the_plain_path);
    RUN(what_is_inside_out_is_told);
    RUN(how_far_it_goes_is_that_of_the_plain_path);
    RUN(each_tet_ends_where_it_ends);
    RUN(damping_is_that_of_the_plain_path);
    RUN(terms_give_the_same_bits_on_any_number_of_threads);
    RUN(runs_give_the_same_bits_on_any_number_of_threads);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return test_end();
}
