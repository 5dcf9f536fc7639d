/*
 * Quadratic tets, straight and curved: energy and forces against shape functions, the patch test, second derivatives
 * against differences, momenta and energy of the discrete gradient, bits on threads. Their pairs are in test_pairs.c.
 */
#include "core/field.h"
#include "reference.h"
#include "terms/tet_mix.h"

#include <float.h>

static lil_context *ctx;
static lil_arena arena;

/* ---- the mesh: a grid of cells, six tets each, with mid nodes; its faces are plane, its inside may be bent ---- */

enum { CELLS = 4, SIDE = 2 * CELLS + 1, ALL = SIDE * SIDE * SIDE, TETS = 6 * CELLS * CELLS * CELLS, N = 3 * ALL };
static double X[N];
static bool outside[ALL];
static int tets[TETS][4], mids[TETS][6];

/* A grid of half cells has all nodes. Corners are moved by up to `shake` of a cell, mid nodes inside from the middle by
 * `bend`. */
static void make_mesh(double shake, double bend)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 1, 0, 2 }, { 0, 2, 1 }, { 2, 1, 0 } };
    static const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
    const int stride[3] = { 1, SIDE, SIDE * SIDE };
    for (int v = 0; v < ALL; v++) {
        outside[v] = false;
        for (int d = 0; d < 3; d++) {
            int at = v / stride[d] % SIDE;
            outside[v] = outside[v] || at == 0 || at == SIDE - 1;
            X[3 * v + d] = at / 2. + (at > 0 && at < SIDE - 1 ? uniform(-shake, shake) : 0);
        }
    }
    for (int e = 0; e < TETS; e++) {
        int cell = e / 6;
        int at[4] = { 2 * (cell % CELLS + cell / CELLS % CELLS * SIDE + cell / CELLS / CELLS * SIDE * SIDE) };
        for (int k = 0; k < 3; k++)
            at[k + 1] = at[k] + 2 * stride[orders[e % 6][k]];
        if (e % 6 >= 3) { /* odd orders turn left */
            int kept = at[2];
            at[2] = at[3];
            at[3] = kept;
        }
        memcpy(tets[e], at, sizeof at);
        for (int k = 0; k < 6; k++) /* a vertex of the half grid is the middle */
            mids[e][k] = (at[edge[k][0]] + at[edge[k][1]]) / 2;
    }
    bool *done = lil_arena_alloc(&arena, ALL, sizeof *done);
    for (int e = 0; e < TETS; e++)
        for (int k = 0; k < 6; k++)
            for (int d = 0; d < 3 && !done[mids[e][k]]; d++) {
                int v = mids[e][k];
                X[3 * v + d] = (X[3 * tets[e][edge[k][0]] + d] + X[3 * tets[e][edge[k][1]] + d]) / 2;
                X[3 * v + d] += outside[v] ? 0 : uniform(-bend, bend);
                done[v] = d == 2;
            }
}

static lil_material material(int i)
{
    const lil_material_table *table = lil_material_at(i);
    void *config = lil_arena_alloc(&arena, 1, table->config_size + 1);
    lil_fields_default(table->fields, table->field_count, config);
    return (lil_material){ .table = table, .moduli = { 1, 2.3 }, .config = config, .density = 3 };
}

static lil_tets *body(const lil_material *m)
{
    lil_tets *t = NULL;
    MUST(lil_tets_create(ctx, &arena, "b", m, X, (const int(*)[4])tets, (const int(*)[6])mids, TETS, 0, &t));
    return t;
}

/* Sheared, turned, and shaken by a part of a cell. */
static void deform(double shake, double *x)
{
    double R[9], y[N];
    random_rotation(R);
    for (int i = 0; i < N; i++)
        y[i] = X[i] + (i % 3 == 0 ? 0.2 * X[i + 1] : 0) + uniform(-shake, shake);
    move_rigidly(ALL, R, (double[3]){ 3, -1, 2 }, y, x);
}

static double energy(const lil_term *term, void *work, const double *x, double *g)
{
    double W = 0;
    if (g)
        memset(g, 0, N * sizeof *g);
    term->table->evaluate(term->data, work, &(lil_at){ 0, x, NULL }, &(lil_sums){ .value = &W, .gq = g });
    return W;
}

static void *begin(const lil_term *term, bool second, lil_entries *entries)
{
    void *work;
    MUST(term->table->begin(ctx, term->data, &arena, second, &work, entries));
    return work;
}

/* ---- against shape functions ---- */

/* dx/dL_i at L: the derivative of sum L_i (2 L_i - 1) x_i + sum 4 L_i L_l x_il */
static void jacobian(int e, const double L[4], const double *x, double D[9])
{
    double y[4][3];
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++) {
            y[i][d] = (4 * L[i] - 1) * x[3 * tets[e][i] + d];
            for (int l = 0; l < 4; l++)
                if (l != i)
                    y[i][d] += 4 * L[l] * x[3 * mids[e][lil_tet_node[i][l] - 4] + d];
        }
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            D[3 * d + a] = y[a + 1][d] - y[0][d];
}

/* The t of a rule's groups, from its moments alone (tet_mix.h). */
static int rule(bool curved, double t[2])
{
    double u = 0.06;
    for (int k = 0; k < 20; k++)
        u -= (u * u * u - 3 * u / 40 + 1. / 240) / (3 * u * u - 3. / 40);
    double spread = sqrt(u * u / 4 - (u * u - 1. / 40) / 2);
    t[0] = curved ? u / 2 + spread : sqrt(1. / 80);
    t[1] = u / 2 - spread;
    return curved ? 2 : 1;
}

static double plain_energy(const lil_material *m, const double *x, bool curved)
{
    double W = 0, t[2], P[9];
    int groups = rule(curved, t);
    for (int e = 0; e < TETS; e++)
        for (int k = 0; k < 4 * groups; k++) {
            double L[4], D[9], D0[9], B[9], F[9];
            for (int i = 0; i < 4; i++)
                L[i] = 0.25 + (i == k % 4 ? 3 : -1) * t[k / 4];
            jacobian(e, L, X, D0);
            jacobian(e, L, x, D);
            double V = plain_inverse(D0, B) / (4 * groups);
            lil_multiply3(D, B, F);
            W += V * lil_material_stress(m, F, P);
        }
    return W;
}

/* Round-off: 384 tets of 4 or 8 points, each a few operations. Straight tets that are bent by less than 1e-10 count as
 * straight. */
TEST(energy_is_that_of_shape_functions)
{
    double x[N];
    for (int curved = 0; curved < 2; curved++) {
        make_mesh(0.12, curved ? 0.06 : 0);
        deform(0.03, x);
        for (int i = 0; i < lil_material_count(); i++) {
            lil_material m = material(i);
            lil_term term = lil_tets_term(body(&m));
            void *work = begin(&term, false, NULL);
            double W = energy(&term, work, x, NULL), V = 0;
            /* tets at the surface are straight: their eight points give other sums than four */
            if (!curved)
                CHECK_NEAR(W / plain_energy(&m, x, curved), 1, 1e-12);
            const lil_tets *t = term.data;
            for (int p = 0; p < t->chunks.point_count; p++) {
                lil_tet tet;
                lil_tets_get(t, p, &tet);
                V += tet.V;
            }
            CHECK_NEAR(V, CELLS * CELLS * CELLS, 1e-12 * CELLS * CELLS * CELLS);
        }
    }
}

TEST(forces_are_differences_of_energy)
{
    double x[N], y[N], g[N];
    for (int curved = 0; curved < 2; curved++) {
        make_mesh(0.12, curved ? 0.06 : 0);
        deform(0.03, x);
        for (int i = 0; i < lil_material_count(); i++) {
            lil_material m = material(i);
            lil_term term = lil_tets_term(body(&m));
            void *work = begin(&term, false, NULL);
            double size = 0, worst = 0, h = 1e-5;
            energy(&term, work, x, g);
            size = largest(N, g);
            for (int n = 0; n < 40; n++) {
                int at = rand() % N;
                memcpy(y, x, sizeof y);
                y[at] = x[at] + h;
                double W = energy(&term, work, y, NULL);
                y[at] = x[at] - h;
                W -= energy(&term, work, y, NULL);
                worst = fmax(worst, fabs(W / (2 * h) - g[at]));
            }
            CHECK_BELOW(worst / size, 1e-6); /* h^2, and 1e-16 W/h of some 10 J */
        }
    }
}

/* Affine displacements of the surface: the affine motion of all nodes is in equilibrium. */
TEST(the_patch_test)
{
    double x[N], g[N];
    for (int kind = 0; kind < 3; kind++) {
        make_mesh(kind ? 0.12 : 0, kind == 2 ? 0.06 : 0);
        for (int i = 0; i < lil_material_count(); i++) {
            lil_material m = material(i);
            lil_term term = lil_tets_term(body(&m));
            void *work = begin(&term, false, NULL);
            double F[9], inside = 0;
            for (int k = 0; k < 9; k++)
                F[k] = (k % 4 == 0) + uniform(-0.2, 0.2);
            for (int v = 0; v < ALL; v++)
                for (int d = 0; d < 3; d++)
                    x[3 * v + d] = F[3 * d] * X[3 * v] + F[3 * d + 1] * X[3 * v + 1] + F[3 * d + 2] * X[3 * v + 2];
            energy(&term, work, x, g);
            for (int v = 0; v < ALL; v++)
                for (int d = 0; d < 3 && !outside[v]; d++)
                    inside = fmax(inside, fabs(g[3 * v + d]));
            CHECK_BELOW(inside / largest(N, g), 1e-12);
        }
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(energy_is_that_of_shape_functions);
    RUN(forces_are_differences_of_energy);
    RUN(the_patch_test);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return test_end();
}
