/* The V-cycle: exact interpolation and Galerkin's matrices, symmetry, iterations that do not grow, difficult bodies. */
#include "elastic.h"
#include "test.h"

#include "solvers/ldl.h"
#include "solvers/multilevel.h"
#include "solvers/pcg.h"

static lil_context *ctx;

static const double weight = 0.25e-4; /* h^2/4 at h = 0.01 */

typedef struct body {
    system_t s;
    lil_pcg cg;
    lil_multilevel m;
    double *b, *d;
} body;

static void shape_body(body *w, const char *shape, const char *options, int count, double jitter)
{
    *w = (body){ 0 };
    elastic_make(ctx, shape, options, count, jitter, true, &w->s.e);
    elastic_twist(&w->s.e);
}

/* forces that are smooth but for a tenth */
static void load_body(body *w)
{
    unsigned seed = 11;
    for (int i = 0; i < 3 * w->s.e.n; i++) {
        const double *X = w->s.e.rows + 3 * (i / 3);
        double along = sin(3 * X[0] + i % 3) + cos(5 * X[1] - 2 * X[2] + 2 * (i % 3));
        w->b[i] = w->s.e.mass[i / 3] * (along + 0.2 * elastic_random(&seed) - 0.1);
    }
}

static void finish_body(body *w, double stiff, int threads)
{
    elastic_finish(&w->s.e, 1000);
    CHECK(system_make(ctx, &w->s, 2e4 * stiff, 1e5 * stiff, true, weight, threads));
    MUST(lil_pcg_create(ctx, &w->s.arena, &w->s.A, &w->cg));
    MUST(lil_multilevel_create(ctx, &w->s.arena, &w->s.A, w->s.e.rows, &w->m));
    lil_multilevel_update(&w->m);
    CHECK(w->m.used == w->m.levels);
    w->b = must_alloc(3 * (size_t)w->s.e.n, sizeof *w->b);
    w->d = must_alloc(3 * (size_t)w->s.e.n, sizeof *w->d);
    load_body(w);
}

static void free_body(body *w)
{
    free(w->b);
    free(w->d);
    system_free(&w->s);
}

/* |L^-1 (b - H d)| over |L^-1 b|, the residual from blocks in double */
static double true_residual(const body *w)
{
    const elastic *e = &w->s.e;
    double *r = must_alloc(3 * (size_t)e->n, sizeof *r), K[144];
    for (int i = 0; i < 3 * e->n; i++)
        r[i] = w->b[i] - e->mass[i / 3] * w->d[i];
    for (int t = 0; t < e->tets; t++) {
        elastic_tet(e, &w->s.material, true, weight, t, K);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                int a = e->row[e->tet[t][i / 3]], b = e->row[e->tet[t][j / 3]];
                if (a >= 0 && b >= 0)
                    r[3 * a + i % 3] -= K[12 * i + j] * w->d[3 * b + j % 3];
            }
    }
    double residual = lil_blocks_norm(&w->s.A, r) / lil_blocks_norm(&w->s.A, w->b);
    free(r);
    return residual;
}

static int solve(body *w, double eta, bool multilevel)
{
    lil_pcg_ask ask = { .eta = eta, .iterations_max = 5000, .multilevel = multilevel ? &w->m : NULL };
    lil_pcg_solve(&w->cg, w->b, w->d, &ask);
    CHECK(!ask.curvature && ask.residual <= eta);
    return ask.iterations;
}

/* ---- its parts ---- */

/* sum w x_node = x, but for rows that had to drop a tiny weight: few, and by a hundredth of a cell at most */
TEST(interpolation_is_exact_on_linear_functions)
{
    static const struct {
        const char *shape, *options;
        double jitter;
    } cases[] = { { "ball", "cells=7", 0.2 }, { "bar", "cells=20,6,6", 0.3 }, { "torus", "", 0.1 } };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        body w;
        shape_body(&w, cases[k].shape, cases[k].options, 2, cases[k].jitter);
        finish_body(&w, 1, 1);
        lil_cloud cloud, coarse;
        lil_interpolation P;
        CHECK(lil_cloud_create(&w.s.A, w.s.e.rows, &cloud) && cloud.parts == 2);
        MUST(lil_coarsen(ctx, &w.s.arena, w.s.A.n, &cloud, 3, 24, &P, &coarse));
        CHECK(P.nodes > 0 && P.nodes < w.s.A.n / 4);
        int rough = 0;
        for (int i = 0; i < w.s.A.n; i++) {
            double sum = 0, x[3] = { 0 }, off = 0;
            for (int j = 0; j < 4; j++) {
                sum += P.weight[i][j];
                for (int d = 0; d < 3; d++)
                    x[d] += P.weight[i][j] * coarse.x[3 * P.node[i][j] + d];
                CHECK(P.weight[i][j] == 0 || coarse.part[P.node[i][j]] == cloud.part[i]);
            }
            for (int d = 0; d < 3; d++)
                off = fmax(off, fabs(x[d] - cloud.x[3 * i + d]));
            CHECK_NEAR(sum, 1, 1e-6);
            CHECK_BELOW(off, 0.05 * coarse.size[P.node[i][0]]);
            rough += off > 1e-5 * coarse.size[P.node[i][0]];
        }
        CHECK(rough <= w.s.A.n / 100);
        lil_cloud_free(&cloud);
        lil_cloud_free(&coarse);
        free_body(&w);
    }
}

/* y'(P'H P) y = (P y)'H (P y), on every level, also where vertices are held */
TEST(coarse_matrices_are_galerkins)
{
    body w;
    shape_body(&w, "ball", "cells=6", 1, 0.2);
    for (int i = 0; i < w.s.e.vertices; i++)
        w.s.e.held[i] = w.s.e.X[3 * i + 2] < -0.35;
    finish_body(&w, 1, 1);
    CHECK(w.m.levels >= 3);
    for (int l = 0; l + 1 < w.m.levels; l++) {
        const lil_blocks *A = w.m.level[l].A, *C = w.m.level[l + 1].A;
        const lil_interpolation *P = &w.m.level[l].P;
        double *y = must_alloc(3 * (size_t)C->n, sizeof *y), *Cy = must_alloc(3 * (size_t)C->n, sizeof *y);
        double *x = must_alloc(3 * (size_t)A->n, sizeof *x), *Ax = must_alloc(3 * (size_t)A->n, sizeof *x);
        unsigned seed = 3;
        for (int i = 0; i < 3 * C->n; i++)
            y[i] = elastic_random(&seed) - 0.5;
        for (int i = 0; i < A->n; i++) /* rows of P are in the matrices' own order */
            for (int k = 0; k < 4; k++)
                for (int d = 0; d < 3; d++)
                    x[3 * A->order[i] + d] += P->weight[i][k] * y[3 * C->order[P->node[i][k]] + d];
        lil_blocks_multiply(A, x, Ax, LIL_NEW(&w.s.arena, lil_float4, 2 * lil_blocks_rows(A)));
        lil_blocks_multiply(C, y, Cy, LIL_NEW(&w.s.arena, lil_float4, 2 * lil_blocks_rows(C)));
        double fine = lil_dot(3 * A->n, x, Ax), coarse = lil_dot(3 * C->n, y, Cy);
        CHECK_NEAR(coarse, fine, 1e-5 * fine); /* sums of some hundred floats of both signs */
        free(x);
        free(y);
        free(Ax);
        free(Cy);
    }
    free_body(&w);
}

static lil_float4 *random_rows(body *w, unsigned seed)
{
    lil_float4 *x = LIL_NEW(&w->s.arena, lil_float4, lil_blocks_rows(&w->s.A));
    for (int i = 0; i < w->s.A.n; i++)
        for (int d = 0; d < 3; d++)
            x[i][d] = (float)elastic_random(&seed) - 0.5f;
    return x;
}

/* x'My = y'Mx, x'Mx > 0 */
static void check_symmetric(body *w)
{
    const lil_blocks *A = &w->s.A;
    lil_float4 *x = random_rows(w, 1), *y = random_rows(w, 2);
    const lil_float4 *z = lil_multilevel_cycle(&w->m, y);
    double xMy = lil_blocks_dot(A, x, z), yMy = lil_blocks_dot(A, y, z);
    z = lil_multilevel_cycle(&w->m, x);
    double yMx = lil_blocks_dot(A, y, z), xMx = lil_blocks_dot(A, x, z);
    CHECK(xMx > 0 && yMy > 0);
    CHECK_NEAR(xMy, yMx, 1e-5 * sqrt(xMx * yMy));
}

TEST(the_cycle_is_symmetric_and_definite)
{
    body w;
    shape_body(&w, "bar", "cells=16,5,5", 1, 0.2);
    finish_body(&w, 20, 1);
    check_symmetric(&w);
    int fresh = solve(&w, 1e-3, true);
    /* half as stiff, and turned by a radian: the coarse matrices are of another day */
    double c = cos(1), s = sin(1);
    for (int i = 0; i < w.s.e.vertices; i++) {
        double *x = w.s.e.x + 3 * i, turned = c * x[0] - s * x[1];
        x[1] = s * x[0] + c * x[1];
        x[0] = turned;
    }
    elastic_blocks(&w.s.e, &w.s.material, true, weight / 2, w.s.where, w.s.A.places, w.s.blocks);
    CHECK(lil_blocks_set(&w.s.A, w.s.e.mass, w.s.blocks));
    check_symmetric(&w);
    int stale = solve(&w, 1e-3, true);
    lil_multilevel_update(&w.m);
    CHECK(stale > fresh && solve(&w, 1e-3, true) <= fresh);
    free_body(&w);
}

/* ---- iterations ---- */

static int iterations(const char *shape, const char *options, double jitter, double stiff, double eta)
{
    body w;
    shape_body(&w, shape, options, 1, jitter);
    finish_body(&w, stiff, 1);
    int count = solve(&w, eta, true);
    CHECK_BELOW(true_residual(&w), 1.01 * eta + 1e-6 * stiff); /* float's round-off over the least eigenvalue */
    free_body(&w);
    return count;
}

/* Eight times the tets, or ten. At the scene's stiffness the smallest ones are mostly mass, and too easy to compare with. */
TEST(iterations_do_not_grow)
{
    for (double stiff = 1; stiff <= 400; stiff *= 20) {
        int bar = iterations("bar", stiff > 1 ? "cells=16,4,4" : "cells=22,6,6", 0, stiff, 1e-4);
        int ball = iterations("ball", stiff > 1 ? "cells=4" : "cells=6", 0.1, stiff, 1e-4);
        CHECK(iterations("bar", test_small() ? "cells=20,6,6" : "cells=32,9,9", 0, stiff, 1e-4) <= 1.5 * bar);
        CHECK(iterations("ball", test_small() ? "cells=6" : "cells=9", 0.1, stiff, 1e-4) <= 1.5 * ball);
        CHECK(bar <= 15 && ball <= 15);
        /* 1029 rows: five more than fit into a chunk of sweeps */
        CHECK(iterations("bar", "cells=20,6,6", 0, stiff, 1e-4) <= 1.5 * bar);
    }
}

TEST(solution_is_that_without_it)
{
    body w;
    shape_body(&w, "bar", "cells=20,6,6", 1, 0.2);
    for (int i = 0; i < w.s.e.vertices; i++)
        w.s.e.held[i] = w.s.e.X[3 * i] < -0.45;
    finish_body(&w, 20, 1);
    int n = 3 * w.s.e.n, plain = solve(&w, 1e-6, false);
    double *d = must_alloc((size_t)n, sizeof *d), apart = 0, size = 0;
    memcpy(d, w.d, (size_t)n * sizeof *d);
    int cycles = solve(&w, 1e-6, true);
    for (int i = 0; i < n; i++) {
        apart += pow(d[i] - w.d[i], 2);
        size += pow(d[i], 2);
    }
    CHECK_BELOW(sqrt(apart / size), 1e-4); /* float, and the root of the condition */
    CHECK(2 * cycles < plain);
    free(d);
    free_body(&w);
}

/* ---- difficult bodies ---- */

TEST(stiffness_ratio_of_a_million)
{
    body w;
    shape_body(&w, "bar", "cells=12,4,4", 2, 0.1);
    for (int t = 0; t < w.s.e.tets; t++) /* the second one stands at y = 1.5 */
        w.s.e.scale[t] = w.s.e.X[3 * w.s.e.tet[t][0] + 1] > 0.75 ? 1e6 : 1;
    finish_body(&w, 1, 1);
    CHECK(solve(&w, 1e-3, true) <= 30);
    CHECK_BELOW(true_residual(&w),
                0.5); /* eigenvalues of 1e-7 of the blocks, where float ends: a refinement's work */
    free_body(&w);
}

/* A million between two bodies around the usual one: all of it is in float's reach. */
TEST(stiffness_ratio_of_a_million_about_the_middle)
{
    body w;
    shape_body(&w, "bar", "cells=12,4,4", 2, 0.1);
    for (int t = 0; t < w.s.e.tets; t++)
        w.s.e.scale[t] = w.s.e.X[3 * w.s.e.tet[t][0] + 1] > 0.75 ? 1e3 : 1e-3;
    finish_body(&w, 1, 1);
    CHECK(solve(&w, 1e-3, true) <= 30);
    CHECK_BELOW(true_residual(&w), 2e-3);
    free_body(&w);
}

/* Layers that are 30 times thinner at one end, flat tets from jitter, and one stiff inclusion. */
TEST(graded_and_bad_meshes)
{
    body w;
    shape_body(&w, "bar", "cells=30,5,5", 1, 0);
    for (int i = 0; i < w.s.e.vertices; i++) {
        double *X = w.s.e.X + 3 * i, t = X[0] + 0.5;
        X[0] = t * t * (1.03 - 0.03 * t) + 0.03 * t;
        memcpy(w.s.e.x + 3 * i, X, 3 * sizeof *X);
    }
    finish_body(&w, 20, 1);
    CHECK(solve(&w, 1e-3, true) <= 40);
    free_body(&w);
    shape_body(&w, "ball", "cells=6", 1, 0.45);
    memcpy(w.s.e.x, w.s.e.X, 3 * (size_t)w.s.e.vertices * sizeof(double));
    for (int t = 0; t < w.s.e.tets; t++)
        w.s.e.scale[t] = w.s.e.X[3 * w.s.e.tet[t][0]] > 0.2 ? 1e4 : 1;
    finish_body(&w, 1, 1);
    CHECK(solve(&w, 1e-3, true) <= 100);
    CHECK_BELOW(true_residual(&w), 2e-2);
    free_body(&w);
}

/* Edges are ten times longer around the ring than across it: their mean would make cells for all of it. */
TEST(long_tets)
{
    body w;
    shape_body(&w, "torus", "cells=16,4", 1, 0.1);
    memcpy(w.s.e.x, w.s.e.X, 3 * (size_t)w.s.e.vertices * sizeof(double));
    finish_body(&w, 20, 1);
    int plain = solve(&w, 1e-2, false);
    CHECK(w.m.level[1].A->n > w.s.A.n / 120);
    CHECK(3 * solve(&w, 1e-2, true) < plain);
    free_body(&w);
}

TEST(many_small_bodies)
{
    body w;
    shape_body(&w, "bar", "cells=3,1,1", 100, 0.1);
    for (int t = 0; t < w.s.e.tets; t++)
        w.s.e.scale[t] = 1 + 1000 * (t % 7 == 0);
    finish_body(&w, 20, 1);
    CHECK(w.m.parts == 100 && w.m.levels == 1); /* each is inverted at once */
    CHECK(solve(&w, 1e-4, true) <= 2);
    free_body(&w);
    shape_body(&w, "bar", "cells=8,3,3", 10, 0.1); /* a few larger ones */
    finish_body(&w, 20, 1);
    CHECK(w.m.parts == 10 && w.m.levels > 1);
    CHECK(solve(&w, 1e-4, true) <= 12);
    free_body(&w);
}

TEST(the_smallest_matrices)
{
    lil_arena arena = { 0 };
    lil_blocks A;
    lil_pcg cg;
    lil_multilevel m;
    double x[6] = { 0, 0, 0, 1, 0, 0 }, mass[2] = { 2, 4 }, b[6] = { 1, 2, 3, 4, 5, 6 }, d[6];
    for (int n = 0; n <= 2; n++) {
        MUST(lil_blocks_create(ctx, &arena, n, x, 0, NULL, ctx->threads, &A, NULL));
        CHECK(lil_blocks_set(&A, mass, NULL));
        MUST(lil_pcg_create(ctx, &arena, &A, &cg));
        MUST(lil_multilevel_create(ctx, &arena, &A, x, &m));
        lil_multilevel_update(&m);
        lil_pcg_ask ask = { .eta = 1e-5, .iterations_max = 10, .multilevel = &m };
        lil_pcg_solve(&cg, b, d, &ask);
        for (int i = 0; i < 3 * n; i++)
            CHECK_NEAR(d[i], b[i] / mass[i / 3], 1e-5 * b[i]);
    }
    lil_arena_free(&arena);
    body w; /* one cell of five tets, of which some vertices are held */
    shape_body(&w, "bar", "cells=1,1,1", 1, 0);
    memcpy(w.s.e.x, w.s.e.X, 3 * (size_t)w.s.e.vertices * sizeof(double));
    for (int i = 0; i < w.s.e.vertices; i++)
        w.s.e.held[i] = w.s.e.X[3 * i] < 0;
    finish_body(&w, 1, 1);
    CHECK(solve(&w, 1e-5, true) <= 2);
    free_body(&w);
}

/* A matrix that is indefinite after the coarse ones were made: reported, and the direction goes downhill. */
TEST(negative_curvature_with_the_cycle)
{
    body w;
    shape_body(&w, "bar", "cells=12,4,4", 1, 0.1);
    finish_body(&w, 1, 1);
    float *K = must_alloc(9 * (size_t)w.s.A.places, sizeof *K);
    memcpy(K, w.s.blocks, 9 * (size_t)w.s.A.places * sizeof *K);
    double share = 1; /* of K that may be subtracted from M, and diagonal blocks are just definite still */
    do {
        share *= 0.95;
        for (int k = 0; k < 9 * w.s.A.places; k++)
            w.s.blocks[k] = (float)-share * K[k];
    } while (!lil_blocks_set(&w.s.A, w.s.e.mass, w.s.blocks));
    free(K);
    lil_pcg_ask ask = { .eta = 1e-6, .iterations_max = 500, .multilevel = &w.m };
    lil_pcg_solve(&w.cg, w.b, w.d, &ask);
    CHECK(ask.curvature && lil_dot(3 * w.s.e.n, w.b, w.d) > 0);
    lil_multilevel_update(&w.m); /* of a matrix like that */
    lil_pcg_solve(&w.cg, w.b, w.d, &ask);
    CHECK(lil_dot(3 * w.s.e.n, w.b, w.d) > 0);
    free_body(&w);
}

TEST(bits_do_not_depend_on_threads)
{
    double *first = NULL;
    for (int threads = 1; threads <= 4; threads *= 2) {
        body w;
        shape_body(&w, "ball", test_small() ? "cells=6" : "cells=9", 1, 0.1);
        finish_body(&w, 20, threads);
        solve(&w, 1e-4, true);
        size_t bytes = 3 * (size_t)w.s.e.n * sizeof *w.d;
        if (!first) {
            first = must_alloc(1, bytes);
            memcpy(first, w.d, bytes);
        }
        CHECK(memcmp(first, w.d, bytes) == 0);
        free_body(&w);
    }
    free(first);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(interpolation_is_exact_on_linear_functions);
    RUN(coarse_matrices_are_galerkins);
    RUN(the_cycle_is_symmetric_and_definite);
    RUN(iterations_do_not_grow);
    RUN(solution_is_that_without_it);
    RUN(stiffness_ratio_of_a_million);
    RUN(stiffness_ratio_of_a_million_about_the_middle);
    RUN(graded_and_bad_meshes);
    RUN(long_tets);
    RUN(many_small_bodies);
    RUN(the_smallest_matrices);
    RUN(negative_curvature_with_the_cycle);
    RUN(bits_do_not_depend_on_threads);
    lil_context_destroy(&ctx);
    return test_end();
}
