/*
 * Quadratic tets, straight and curved: energy and forces against shape functions, the patch test, second derivatives
 * against differences, momenta and energy of the discrete gradient, bits on threads. Their pairs are in test_pairs.c.
 */
#include "core/field.h"
#include "quadratic.h"
#include "reference.h"

#include <float.h>

static lil_context *ctx;
static lil_arena arena;

/* ---- the mesh: shaken cells; its faces are plane, its inside may be bent ---- */

enum { CELLS = 4, SIDE = 2 * CELLS + 1, ALL = SIDE * SIDE * SIDE, N = 3 * ALL };
static box mesh;
static const double *X;

static void make_mesh(double shake, double bend)
{
    mesh = make_box(&arena, (int[3]){ CELLS, CELLS, CELLS }, (double[3]){ CELLS, CELLS, CELLS }, true, shake, bend);
    X = mesh.X;
}

static lil_material material(int i)
{
    const lil_material_table *table = lil_material_at(i);
    void *config = lil_arena_alloc(&arena, 1, table->config_size + 1);
    lil_fields_default(table->fields, table->field_count, config);
    return (lil_material){ .table = table, .moduli = { 1, 2.3 }, .config = config, .density = 3 };
}

static lil_material material_named(const char *name)
{
    int i = 0;
    while (strcmp(lil_material_at(i)->name, name) != 0)
        i++;
    return material(i);
}

static lil_tets *body(const lil_material *m)
{
    return box_tets(ctx, &arena, m, &mesh);
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
    void *work = NULL;
    CHECK(term->table->begin(ctx, term->data, &arena, second, &work, entries) == LIL_OK);
    return work;
}

/* ---- against shape functions ---- */

/* dx/dL_i at L: the derivative of sum L_i (2 L_i - 1) x_i + sum 4 L_i L_l x_il */
static void jacobian(int e, const double L[4], const double *x, double D[9])
{
    double y[4][3];
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++) {
            y[i][d] = (4 * L[i] - 1) * x[3 * mesh.tet[e][i] + d];
            for (int l = 0; l < 4; l++)
                if (l != i)
                    y[i][d] += 4 * L[l] * x[3 * mesh.mid[e][lil_tet_node[i][l] - 4] + d];
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
    for (int e = 0; e < mesh.tets; e++)
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
                for (int d = 0; d < 3 && !mesh.outside[v]; d++)
                    inside = fmax(inside, fabs(g[3 * v + d]));
            CHECK_BELOW(inside / largest(N, g), 1e-12);
        }
    }
}

/* Divided between four points and the centre, a uniform deformation has the same energy; inside, the same forces: none. */
TEST(bulk_of_nearly_incompressible_tets)
{
    double x[N], g[N];
    make_mesh(0.12, 0);
    for (int i = 0; i < lil_material_count(); i++) {
        lil_material m = material(i);
        m.moduli.kappa = 50;
        lil_tets *whole = body(&m), *points = body(&m), *bulk;
        MUST(lil_tets_create_bulk(ctx, &arena, points, &bulk));
        CHECK(bulk != NULL);
        double F[9], W = 0, sum = 0, inside = 0;
        for (int k = 0; k < 9; k++)
            F[k] = (k % 4 == 0) + uniform(-0.2, 0.2);
        for (int v = 0; v < ALL; v++)
            for (int d = 0; d < 3; d++)
                x[3 * v + d] = F[3 * d] * X[3 * v] + F[3 * d + 1] * X[3 * v + 1] + F[3 * d + 2] * X[3 * v + 2];
        lil_tets *all[] = { whole, points, bulk };
        for (int k = 0; k < 3; k++) {
            lil_term term = lil_tets_term(all[k]);
            double one = energy(&term, begin(&term, false, NULL), x, g);
            *(k ? &sum : &W) += one;
            for (int v = 0; v < ALL; v++)
                for (int d = 0; d < 3 && !mesh.outside[v]; d++)
                    inside = fmax(inside, fabs(g[3 * v + d]) / largest(N, g));
        }
        CHECK_NEAR(sum / W, 1, 1e-12);
        CHECK_BELOW(inside, 1e-12);
    }
    lil_material m = material(0);
    lil_tets *bulk, *soft = body(&m);
    MUST(lil_tets_create_bulk(ctx, &arena, soft, &bulk));
    CHECK(!bulk && soft->material.moduli.kappa == m.moduli.kappa);
    make_mesh(0.12, 0.06);
    m.moduli.kappa = 50;
    MUST(lil_tets_create_bulk(ctx, &arena, body(&m), &bulk));
    CHECK(!bulk);
}

/* ---- second derivatives ---- */

/* K u by entries */
static void multiply(const lil_entries *entries, const double *values, const double *u, double *Ku)
{
    memset(Ku, 0, N * sizeof *Ku);
    for (int k = 0; k < entries->qq; k++)
        Ku[entries->row[k]] += values[k] * u[entries->col[k]];
}

/* Differences: h^2 of the third derivative, and 1e-16 of the force over h. Materials with invariants under test_pairs. */
TEST(entries_are_differences_of_forces)
{
    double x[N], y[N], u[N], plus[N], minus[N], Ku[N];
    const double h = 1e-5;
    for (int curved = 0; curved < 2; curved++) {
        make_mesh(0.12, curved ? 0.06 : 0);
        deform(0.03, x);
        for (int i = 0; i < N; i++)
            u[i] = uniform(-1, 1);
        for (int i = 0; i < lil_material_count(); i++) {
            lil_material m = material(i);
            lil_term term = lil_tets_term(body(&m));
            lil_entries entries = { 0 };
            void *work = begin(&term, true, &entries);
            double *values = LIL_NEW(&arena, double, entries.qq);
            term.table->second(term.data, work, &(lil_at){ 0, x, NULL }, &(lil_sink){ .entries = values });
            multiply(&entries, values, u, Ku);
            for (int k = 0; k < N; k++)
                y[k] = x[k] + h * u[k];
            energy(&term, work, y, plus);
            for (int k = 0; k < N; k++)
                y[k] = x[k] - h * u[k];
            energy(&term, work, y, minus);
            for (int k = 0; k < N; k++)
                plus[k] = (plus[k] - minus[k]) / (2 * h);
            CHECK_BELOW(apart(N, plus, Ku) / largest(N, Ku), 1e-7);
        }
    }
}

/* ---- discrete gradients ---- */

static void discrete_gradient(const lil_term *term, void *work, const double *x0, const double *x1, double *G)
{
    double noise = 0;
    memset(G, 0, N * sizeof *G);
    term->table->discrete_gradient->evaluate(term->data, work, &(lil_ends){ 0, 0.1, x0, x1, false }, G, &noise);
}

/* W1 - W0 = G.(x1 - x0); no force, and no torque about the middles: to the round-off of 384 tets. */
TEST(discrete_gradients_conserve)
{
    double x0[N], x1[N], G[N], middle[N];
    for (int curved = 0; curved < 2; curved++) {
        make_mesh(0.12, curved ? 0.06 : 0);
        for (int i = 0; i < lil_material_count(); i++) {
            lil_material m = material(i);
            lil_term term = lil_tets_term(body(&m));
            void *work = begin(&term, false, NULL);
            double work_done = 0, size = 0, force[3] = { 0 }, torque[3] = { 0 };
            deform(0.03, x0);
            for (int k = 0; k < N; k++)
                x1[k] = x0[k] + uniform(-0.03, 0.03);
            discrete_gradient(&term, work, x0, x1, G);
            for (int k = 0; k < N; k++) {
                middle[k] = (x0[k] + x1[k]) / 2;
                work_done += G[k] * (x1[k] - x0[k]);
                size += fabs(G[k]);
            }
            double W0 = energy(&term, work, x0, NULL), W1 = energy(&term, work, x1, NULL);
            sum_up(ALL, middle, G, force, torque);
            CHECK_NEAR(work_done, W1 - W0, 1e-12 * (W0 + W1));
            CHECK_BELOW(largest(3, force) / size, 1e-14);
            if (m.table->holds & LIL_MATERIAL_OBJECTIVE)
                CHECK_BELOW(largest(3, torque) / size, 1e-13);
        }
    }
}

/* dG/dx1 u by blocks of pairs: each row sums to zero */
static void multiply_two(const lil_block_pairs *pairs, const float *blocks, const double *u, double *Ju)
{
    memset(Ju, 0, N * sizeof *Ju);
    for (int k = 0; k < pairs->count; k++)
        for (int end = 0; end < 2; end++) {
            int a = pairs->at[k][end], b = pairs->at[k][1 - end];
            const float *J = blocks + 9 * (2 * k + end);
            for (int e = 0; e < 9; e++)
                Ju[3 * a + e / 3] += (double)J[e] * (u[3 * b + e % 3] - u[3 * a + e % 3]);
        }
}

/* In float, against differences. Where it is halfway (rough), it differs by the order of the step. */
TEST(derivatives_of_discrete_gradients)
{
    double x0[N], x1[N], y[N], u[N], plus[N], minus[N], Ju[N];
    const double h = 1e-5;
    for (int curved = 0; curved < 2; curved++) {
        make_mesh(0.12, curved ? 0.06 : 0);
        deform(0.02, x0);
        for (int k = 0; k < N; k++) {
            x1[k] = x0[k] + uniform(-0.03, 0.03);
            u[k] = uniform(-1, 1);
        }
        for (int i = 0; i < lil_material_count(); i++) {
            lil_material m = material(i);
            lil_term term = lil_tets_term(body(&m));
            lil_block_pairs pairs = { 0 };
            void *work = begin(&term, false, NULL);
            MUST(term.table->pairs(ctx, term.data, &arena, work, &pairs));
            int(*two)[2] = lil_arena_alloc(&arena, (size_t)pairs.count, sizeof *two);
            float *blocks = LIL_NEW(&arena, float, 18 * (size_t)pairs.count);
            for (int k = 0; k < 2 * pairs.count; k++)
                two[k / 2][k % 2] = k;
            term.table->discrete_gradient->second(
                term.data, work, &(lil_ends){ 0, 0.1, x0, x1, false },
                &(lil_sink){ .weight = 1, .two = (const int(*)[2])two, .blocks = blocks });
            multiply_two(&pairs, blocks, u, Ju);
            for (int k = 0; k < N; k++)
                y[k] = x1[k] + h * u[k];
            discrete_gradient(&term, work, x0, y, plus);
            for (int k = 0; k < N; k++)
                y[k] = x1[k] - h * u[k];
            discrete_gradient(&term, work, x0, y, minus);
            for (int k = 0; k < N; k++)
                plus[k] = (plus[k] - minus[k]) / (2 * h);
            bool rough = term.table->discrete_gradient->rough(term.data);
            CHECK_BELOW(apart(N, plus, Ju) / largest(N, Ju), rough ? 0.1 : 1e-4);
        }
    }
}

/* ---- as elements ---- */

/* The largest eigenvalue of M^-1 K of one tet, by power iteration. */
static double largest_eigenvalue(const double *K, const double *inverse_mass)
{
    double x[30], y[30], value = 0;
    for (int i = 0; i < 30; i++)
        x[i] = uniform(-1, 1);
    for (int k = 0; k < 2000; k++) {
        for (int i = 0; i < 30; i++) {
            y[i] = 0;
            for (int j = 0; j < 30; j++)
                y[i] += inverse_mass[i / 3] * K[30 * i + j] * x[j];
        }
        value = lil_norm(30, y) / lil_norm(30, x);
        for (int i = 0; i < 30; i++)
            x[i] = y[i] / value;
    }
    return value;
}

/* The longest step of a tet alone is at most 2/omega, and by 1.11^(1/2) shorter at most; the stiffness at a vertex bounds
 * its block. */
TEST(the_longest_step_of_a_tet)
{
    const lil_material m = material_named("neo-hookean");
    make_mesh(0.12, 0.06);
    lil_tets *t = body(&m);
    for (int e = 0; e < t->count; e += 37) {
        int at[LIL_ELEMENT_VERTICES];
        double stiffness[LIL_ELEMENT_VERTICES], inverse_mass[LIL_ELEMENT_VERTICES];
        lil_term term;
        lil_entries entries = { 0 };
        CHECK(lil_tet_elements.vertices(t, e, at, stiffness) == 10);
        for (int a = 0; a < 10; a++)
            inverse_mass[a] = uniform(1, 5);
        MUST(lil_tet_elements.some(ctx, &arena, t, &e, 1, &term));
        void *work = begin(&term, true, &entries);
        double *K = LIL_NEW(&arena, double, entries.qq);
        term.table->second(term.data, work, &(lil_at){ 0, X, NULL }, &(lil_sink){ .entries = K });
        CHECK(entries.qq == 900);
        double limit = 2 / sqrt(largest_eigenvalue(K, inverse_mass));
        double step = lil_tet_elements.longest_step(t, e, 0, inverse_mass);
        CHECK(step <= limit * (1 + 1e-9) && step > limit / sqrt(1.12));
        for (int a = 0; a < 10; a++)
            for (int d = 0; d < 3; d++)
                CHECK(at[a] == (a < 4 ? mesh.tet[e][a] : mesh.mid[e][a - 4]) &&
                      K[31 * (3 * a + d)] <= stiffness[a] * (1 + 1e-12));
    }
}

/* ---- convergence ---- */

/* u = grad phi with phi harmonic has no divergence, and its Laplacian is 0: it needs no load. */
static void exact(const double x[3], double u[3], double du[9])
{
    const double b = 2, c = 1.5, a = sqrt(b * b + c * c);
    const double E = exp(a * (x[0] - 1)), C = cos(b * x[1]), S = sin(b * x[1]), D = cos(c * x[2]), T = sin(c * x[2]);
    const double grad[3] = { a * E * C * D, -b * E * S * D, -c * E * C * T };
    const double second[9] = { a * a * E * C * D,  -a * b * E * S * D, -a * c * E * C * T,
                               -a * b * E * S * D, -b * b * E * C * D, b * c * E * S * T,
                               -a * c * E * C * T, b * c * E * S * T,  -c * c * E * C * D };
    memcpy(u, grad, sizeof grad);
    memcpy(du, second, sizeof second);
}

/* K d = r where d is free, by conjugate gradients; K d is the force at X + d. */
static void solve(const box *b, const lil_term *term, void *work, double *d)
{
    int n = 3 * b->vertices;
    double *r = LIL_NEW(&arena, double, n), *p = LIL_NEW(&arena, double, n), *y = LIL_NEW(&arena, double, n);
    double *x = LIL_NEW(&arena, double, n), square = 0, first = 0;
    for (int k = 0; k < 5000; k++) {
        const double *from = k ? p : d;
        double curvature = 0, next = 0;
        memset(y, 0, (size_t)n * sizeof *y);
        for (int i = 0; i < n; i++)
            x[i] = b->X[i] + from[i];
        term->table->evaluate(term->data, work, &(lil_at){ 0, x, NULL }, &(lil_sums){ .gq = y });
        for (int i = 0; i < n; i++)
            curvature += b->outside[i / 3] ? 0 : p[i] * y[i];
        double step = k ? square / curvature : 1;
        for (int i = 0; i < n; i++) {
            if (b->outside[i / 3])
                continue;
            d[i] += k ? step * p[i] : 0;
            r[i] -= step * y[i];
            next += r[i] * r[i];
        }
        for (int i = 0; i < n; i++)
            p[i] = b->outside[i / 3] ? 0 : r[i] + (k ? next / square : 0) * p[i];
        first = k ? first : next;
        square = next;
        if (square <= 1e-22 * first)
            return;
    }
    CHECK(!"converged");
}

/* x and dx/dL_i of a tet at L */
static void interpolate(const box *b, int e, const double L[4], const double *x, double at[3], double D[9])
{
    double y[4][3];
    for (int d = 0; d < 3; d++) {
        at[d] = 0;
        for (int i = 0; i < 4; i++) {
            double own = x[3 * b->tet[e][i] + d];
            at[d] += L[i] * (b->mid ? 2 * L[i] - 1 : 1) * own;
            y[i][d] = (b->mid ? 4 * L[i] - 1 : 1) * own;
            for (int l = 0; l < 4 && b->mid; l++) {
                double middle = l == i ? 0 : x[3 * b->mid[e][lil_tet_node[i][l] - 4] + d];
                y[i][d] += 4 * L[l] * middle;
                at[d] += 2 * L[i] * L[l] * middle;
            }
        }
        for (int a = 0; a < 3; a++)
            D[3 * d + a] = y[a + 1][d] - y[0][d];
    }
}

/* errors of displacement and of its gradient, in L2 */
static void find_errors(const box *b, const double *d, double error[2])
{
    double volume = 0;
    error[0] = error[1] = 0;
    for (int e = 0; e < b->tets; e++)
        for (int k = 0; k < 4; k++) {
            double L[4], X0[3], u[3], v[3], D0[9], D[9], B[9], F[9], du[9];
            for (int i = 0; i < 4; i++)
                L[i] = 0.1 * (1 + (i + k) % 4);
            interpolate(b, e, L, b->X, X0, D0);
            interpolate(b, e, L, d, u, D);
            double V = plain_inverse(D0, B) / 4;
            lil_multiply3(D, B, F);
            exact(X0, v, du);
            volume += V;
            for (int i = 0; i < 3; i++)
                error[0] += V * (u[i] - v[i]) * (u[i] - v[i]);
            for (int i = 0; i < 9; i++)
                error[1] += V * (F[i] - du[i]) * (F[i] - du[i]);
        }
    for (int i = 0; i < 2; i++)
        error[i] = sqrt(error[i] / volume);
}

/* Orders 2 and 1 of linear tets, 3 and 2 of quadratic ones, by a fit over three shaken meshes; to a tenth, which higher
 * orders of h change. */
TEST(orders_of_convergence)
{
    const lil_material m = material_named("linear");
    for (int kind = 0; kind < 3; kind++) {
        double slope[2] = { 0 }, weights = 0, errors[3][2];
        for (int k = 0; k < 3; k++) {
            int cells = kind ? 2 + 2 * k : 2 << k;
            double h = 1. / cells;
            box b = make_box(&arena, (int[3]){ cells, cells, cells }, (double[3]){ 1, 1, 1 }, kind > 0, 0.1 * h,
                             kind == 2 ? 0.05 * h * h : 0);
            lil_term term = lil_tets_term(box_tets(ctx, &arena, &m, &b));
            void *work = begin(&term, false, NULL);
            double *d = LIL_NEW(&arena, double, 3 * (size_t)b.vertices), du[9];
            for (int v = 0; v < b.vertices; v++)
                if (b.outside[v])
                    exact(b.X + 3 * v, d + 3 * v, du);
            solve(&b, &term, work, d);
            find_errors(&b, d, errors[k]);
        }
        double x[3], mean = 0;
        for (int k = 0; k < 3; k++)
            mean += (x[k] = -log(kind ? 2 + 2 * k : 2 << k)) / 3;
        for (int k = 0; k < 3; k++) {
            weights += (x[k] - mean) * (x[k] - mean);
            for (int i = 0; i < 2; i++)
                slope[i] += (x[k] - mean) * log(errors[k][i]);
        }
        printf("        %s: errors %.2g and %.2g, orders %.2f and %.2f\n",
               kind == 2 ? "curved"
               : kind    ? "quadratic"
                         : "linear",
               errors[2][0], errors[2][1], slope[0] / weights, slope[1] / weights);
        for (int i = 0; i < 2; i++)
            CHECK(slope[i] / weights > (kind ? 3 : 2) - i - 0.15);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(energy_is_that_of_shape_functions);
    RUN(forces_are_differences_of_energy);
    RUN(the_patch_test);
    RUN(bulk_of_nearly_incompressible_tets);
    RUN(entries_are_differences_of_forces);
    RUN(discrete_gradients_conserve);
    RUN(derivatives_of_discrete_gradients);
    RUN(the_longest_step_of_a_tet);
    RUN(orders_of_convergence);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return test_end();
}
