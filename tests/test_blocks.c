/* The block matrix against a plain one in double, and conjugate gradients over it against LDL'. */
#include "elastic.h"
#include "test.h"

#include "solvers/ldl.h"
#include "solvers/pcg.h"

static lil_context *ctx;

enum { THREADS_TRIED = 3 };
static const int threads_tried[THREADS_TRIED] = { 1, 2, 4 };

/* ---- the plain one: both triangles, by columns ---- */

typedef struct plain {
    lil_arena arena;
    lil_pattern pattern;
    double *values;
} plain;

static void plain_make(const elastic *e, const lil_material *material, double weight, plain *p)
{
    int most = 144 * e->tets + 3 * e->n, count = 0;
    int *row = must_alloc((size_t)most, sizeof *row), *col = must_alloc((size_t)most, sizeof *col);
    int *where = must_alloc((size_t)most, sizeof *where);
    double *entry = must_alloc((size_t)most, sizeof *entry), K[144];
    for (int t = 0; t < e->tets; t++) {
        elastic_tet(e, material, true, weight, t, K);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                int a = e->row[e->tet[t][i / 3]], b = e->row[e->tet[t][j / 3]];
                if (a < 0 || b < 0)
                    continue;
                row[count] = 3 * a + i % 3;
                col[count] = 3 * b + j % 3;
                entry[count++] = K[12 * i + j];
            }
    }
    for (int i = 0; i < 3 * e->n; i++) {
        row[count] = col[count] = i;
        entry[count++] = e->mass[i / 3];
    }
    *p = (plain){ 0 };
    MUST(lil_pattern_create(ctx, &p->arena, 3 * e->n, row, col, count, &p->pattern, where));
    p->values = must_alloc((size_t)p->pattern.count, sizeof *p->values);
    for (int k = 0; k < count; k++)
        p->values[where[k]] += entry[k];
    free(row);
    free(col);
    free(where);
    free(entry);
}

static void plain_free(plain *p)
{
    free(p->values);
    lil_arena_free(&p->arena);
}

/* ---- bodies ---- */

static const double weight = 0.25e-4; /* h^2/4 at h = 0.01 */

/* what is left of x = -0.4 m is held */
static void make_body(system_t *s, const char *shape, const char *options, int count, double jitter, bool hold,
                      double stiff, int threads)
{
    *s = (system_t){ 0 };
    elastic_make(ctx, shape, options, count, jitter, true, &s->e);
    for (int i = 0; i < s->e.vertices; i++)
        s->e.held[i] = hold && s->e.X[3 * i] < -0.4;
    elastic_twist(&s->e);
    elastic_finish(&s->e, 1000);
    CHECK(system_make(ctx, s, 2e4 * stiff, 1e5 * stiff, true, weight, threads));
}

static double *random_vector(int n, unsigned seed)
{
    double *x = must_alloc((size_t)n, sizeof *x);
    for (int i = 0; i < n; i++)
        x[i] = 2 * elastic_random(&seed) - 1;
    return x;
}

/* ---- the product ---- */

/* Each of y's numbers is a sum of some 40 products rounded to float, of the size of the row's diagonal block. */
static void check_product(const char *shape, const char *options, bool hold, double stiff)
{
    system_t s;
    plain p;
    make_body(&s, shape, options, 1, 0.15, hold, stiff, 1);
    plain_make(&s.e, &s.material, weight, &p);
    int n = 3 * s.e.n;
    double *x = random_vector(n, 1), *y = must_alloc((size_t)n, sizeof *y), *z = must_alloc((size_t)n, sizeof *z);
    lil_float4 *work = LIL_NEW(&s.arena, lil_float4, 2 * lil_blocks_rows(&s.A));
    lil_blocks_multiply(&s.A, x, y, work);
    lil_sparse_multiply(&p.pattern, p.values, x, z);
    double worst = 0, size = 0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(y[i] - z[i]));
        size = fmax(size, fabs(z[i]));
    }
    CHECK_BELOW(worst, 20 * 0x1p-24 * size);
    CHECK(size > 0 && s.A.n == s.e.n);
    free(x);
    free(y);
    free(z);
    plain_free(&p);
    system_free(&s);
}

TEST(product_is_that_of_the_plain_matrix)
{
    check_product("bar", "cells=12,4,4", false, 1);
    check_product("bar", "cells=9,3,5 pattern=6", true, 1);
    check_product("ball", "cells=5", false, 1);
    check_product("ball", "cells=4", true, 1e4);
    check_product("bar", "cells=1,1,1", false, 1);
}

/* H t = M t for a translation t, to float's accuracy of the blocks; and on the whole body, where round-off averages out, to
 * that of the masses, which here are 1e-5 of the blocks. */
TEST(translations_feel_masses_alone)
{
    system_t s;
    make_body(&s, "bar", "cells=16,5,5", 1, 0.1, false, 1e5, 1);
    int n = s.e.n;
    double *t = must_alloc(3 * (size_t)n, sizeof *t), *y = must_alloc(3 * (size_t)n, sizeof *y);
    for (int i = 0; i < 3 * n; i++)
        t[i] = (const double[]){ 1, -2, 0.5 }[i % 3];
    lil_float4 *work = LIL_NEW(&s.arena, lil_float4, 2 * lil_blocks_rows(&s.A));
    lil_blocks_multiply(&s.A, t, y, work);
    double block = 0, total = 0, sum = 0, mass = 0;
    for (int i = 0; i < n; i++)
        block = fmax(block, s.A.L[i][0] * (double)s.A.L[i][0]);
    for (int i = 0; i < n; i++) {
        for (int d = 0; d < 3; d++)
            CHECK_NEAR(y[3 * i + d], s.e.mass[i] * t[d], 20 * 0x1p-24 * 2 * block);
        total += y[3 * i];
        sum += s.e.mass[i] * t[0];
        mass = fmax(mass, s.e.mass[i]);
    }
    CHECK_BELOW(mass, 1e-4 * block); /* so that the check above says something */
    CHECK_NEAR(total, sum, 20 * 0x1p-24 * 2 * block * sqrt(n));
    free(t);
    free(y);
    system_free(&s);
}

/* ---- sweeps ---- */

static lil_float4 *own_vector(system_t *s, unsigned seed)
{
    lil_float4 *x = LIL_NEW(&s->arena, lil_float4, lil_blocks_rows(&s->A));
    for (int i = 0; i < s->A.n; i++)
        for (int d = 0; d < 3; d++)
            x[i][d] = (float)elastic_random(&seed) - 0.5f;
    return x;
}

/* |x - y| over |y| */
static double apart(const lil_blocks *A, lil_float4 *x, const lil_float4 *y)
{
    double size = lil_blocks_dot(A, y, y);
    for (int i = 0; i < lil_blocks_rows(A); i++)
        x[i] -= y[i];
    return sqrt(lil_blocks_dot(A, x, x) / size);
}

static lil_float4 *residual(system_t *s, const lil_float4 *r, const lil_float4 *x)
{
    lil_float4 *y = own_vector(s, 0);
    lil_blocks_apply(&s->A, x, y);
    for (int i = 0; i < lil_blocks_rows(&s->A); i++)
        y[i] = r[i] - y[i];
    return y;
}

/* Each is defined by products with the whole matrix: A = 1 + L + L' + S. */
TEST(sweeps_are_what_they_say)
{
    for (int packed = 0; packed < 2; packed++) {
        system_t s;
        make_body(&s, "bar", test_small() ? "cells=20,7,7" : "cells=32,9,9", 1, 0.1, true, 1, 2);
        const lil_blocks *A = &s.A;
        if (packed)
            s.A.packed_from = 0;
        CHECK(lil_blocks_set(&s.A, s.e.mass, s.blocks) && A->packed == (packed == 1) && A->phases >= 2);
        const lil_float4 *r = own_vector(&s, 1), *v = own_vector(&s, 2);
        lil_float4 *x = own_vector(&s, 3), *y = own_vector(&s, 4), *z = own_vector(&s, 5), *work = own_vector(&s, 6);
        /* x = (1 + L)^-1 r leaves r - A x = -(L' + S) x, and backward is forward's transpose */
        lil_blocks_forward(A, r, x);
        lil_blocks_rest(A, x, y);
        CHECK_BELOW(apart(A, residual(&s, r, x), y), 1e-6);
        lil_blocks_backward(A, v, y);
        CHECK_NEAR(lil_blocks_dot(A, v, x), lil_blocks_dot(A, y, r), 1e-4 * sqrt(lil_blocks_dot(A, r, r)));
        /* both around a product */
        double vy = lil_blocks_apply_swept(A, v, z, work);
        CHECK_NEAR(vy, lil_blocks_apply(A, y, x), 1e-5 * vy);
        lil_blocks_forward(A, x, x);
        CHECK_BELOW(apart(A, x, z), 2e-6);
        /* Gauss & Seidel's step is the backward sweep of the residual */
        x = own_vector(&s, 3);
        lil_blocks_backward(A, residual(&s, r, x), y);
        for (int i = 0; i < lil_blocks_rows(A); i++)
            y[i] += x[i];
        lil_blocks_gauss_seidel(A, r, x, work);
        CHECK_BELOW(apart(A, x, y), 2e-6);
        system_free(&s);
    }
}

/* ---- couplings ---- */

/* Some that share rows, with held vertices among theirs, as stiff as the blocks and much stiffer. */
static void random_couplings(system_t *s, int count, lil_couplings *c)
{
    unsigned seed = 17;
    *c = (lil_couplings){ .arena = &s->arena };
    for (int i = 0; i < count; i++) {
        lil_coupling one = { .count = LIL_COUPLING };
        for (int a = 0; a < LIL_COUPLING; a++)
            one.at[a] = i % 7 == a ? -1 : (i * 37 + a * 11) % (s->e.n / 2);
        for (int k = 0; k < 12; k++)
            for (int j = 0; j <= k; j++)
                one.H[k][j] = one.H[j][k] = elastic_random(&seed) - 0.5;
        lil_couplings_add(c, &one, i % 3 ? 1e-3 : 1);
    }
}

/* The product has them outside the diagonal, to float's accuracy; sweeps do not, and what is swept around a product has them in the
 * product alone. The same bits on any number of threads. */
TEST(couplings_are_in_products)
{
    double *first = NULL;
    for (int k = 0; k < THREADS_TRIED; k++) {
        system_t s;
        lil_couplings c;
        make_body(&s, "bar", "cells=20,7,7", 1, 0.1, true, 1, threads_tried[k]);
        int n = 3 * s.e.n;
        double *x = random_vector(n, 1), *y = must_alloc((size_t)n, sizeof *y), *z = must_alloc((size_t)n, sizeof *z);
        lil_float4 *work = LIL_NEW(&s.arena, lil_float4, 2 * lil_blocks_rows(&s.A));
        lil_blocks_multiply(&s.A, x, z, work);
        random_couplings(&s, 700, &c);
        MUST(lil_blocks_couple_create(ctx, &s.arena, &s.A));
        CHECK(lil_blocks_couple(&s.A, &(lil_couplings){ 0 }));
        CHECK(lil_blocks_couple(&s.A, &c) && c.count == 700);
        lil_blocks_multiply(&s.A, x, y, work);
        double size = 0, worst = 0;
        for (int i = 0; i < 144 * c.count; i++) {
            const lil_coupling *one = &c.list[i / 144];
            int a = i / 12 % 12, b = i % 12, row = one->at[a / 3], col = one->at[b / 3];
            if (a / 3 != b / 3 && row >= 0 && col >= 0)
                z[3 * row + a % 3] += one->H[a][b] * x[3 * col + b % 3];
        }
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs(y[i] - z[i]));
            size = fmax(size, fabs(z[i]));
        }
        CHECK_BELOW(worst, 20 * 0x1p-24 * size);
        const lil_float4 *v = own_vector(&s, 2);
        lil_float4 *t = own_vector(&s, 3), *u = own_vector(&s, 4), *swept = own_vector(&s, 5);
        double vAv = lil_blocks_apply_swept(&s.A, v, swept, work);
        lil_blocks_backward(&s.A, v, t);
        CHECK_NEAR(lil_blocks_apply(&s.A, t, u), vAv, 1e-5 * fabs(vAv));
        lil_blocks_forward(&s.A, u, u);
        CHECK_BELOW(apart(&s.A, u, swept), 2e-6);
        if (first)
            CHECK(memcmp(first, y, (size_t)n * sizeof *y) == 0);
        else
            first = y;
        if (y != first)
            free(y);
        free(x);
        free(z);
        system_free(&s);
    }
    free(first);
}

/* ---- couplings over carried points ---- */

enum { CARRIED = 60, CARRIERS = 9 };

/* Points that share vertices with each other, the latter more numerous than rows: every sixth is held. */
static void random_carried(system_t *s, lil_carried *c, int **number)
{
    int vertices = s->e.n + s->e.n / 5, rows = 0;
    int *begin = LIL_NEW(&s->arena, int, CARRIED + 1), *vertex = LIL_NEW(&s->arena, int, CARRIED *CARRIERS);
    double *w = LIL_NEW(&s->arena, double, CARRIED *CARRIERS);
    unsigned seed = 5;
    *number = LIL_NEW(&s->arena, int, 3 * (size_t)vertices);
    for (int v = 0; v < vertices; v++) {
        bool held = v % 6 == 5 || rows == s->e.n;
        for (int d = 0; d < 3; d++)
            (*number)[3 * v + d] = held ? -1 : 3 * rows + d;
        rows += !held;
    }
    for (int i = 0; i < CARRIED; i++) {
        begin[i + 1] = begin[i] + 1 + i % CARRIERS;
        for (int k = begin[i]; k < begin[i + 1]; k++) {
            vertex[k] = (i / 3 * 7 + 5 * (k - begin[i])) % 97;
            w[k] = 2 * elastic_random(&seed) - 0.7;
        }
    }
    *c = (lil_carried){ vertices, CARRIED, begin, vertex, w };
}

/* of a point that a coupling names, its free rows and weights; over vertices it is a row already */
static int rows_of(const lil_carried *c, const int *number, int at, int row[], double w[])
{
    int count = 0, i = at - c->vertex_count;
    if (i < 0 && at >= 0) {
        row[0] = at;
        w[0] = 1;
        return 1;
    }
    for (int k = at < 0 ? 0 : c->begin[i]; at >= 0 && k < c->begin[i + 1]; k++)
        if (number[3 * c->vertex[k]] >= 0) {
            row[count] = number[3 * c->vertex[k]] / 3;
            w[count++] = c->weight[k];
        }
    return count;
}

/* z += C x without the diagonal blocks of C, which are added up in D. All in double, entry by entry. */
static void dense_product(const lil_couplings *c, const double *x, double *z, double (*D)[9])
{
    for (int i = 0; i < 16 * c->count; i++) {
        const lil_coupling *one = &c->list[i / 16];
        int a = i / 4 % 4, b = i % 4, ra[CARRIERS], rb[CARRIERS];
        double wa[CARRIERS], wb[CARRIERS];
        int na = a < one->count ? rows_of(c->carried, c->number, one->at[a], ra, wa) : 0,
            nb = b < one->count ? rows_of(c->carried, c->number, one->at[b], rb, wb) : 0;
        for (int k = 0; k < 9 * na * nb; k++) {
            int p = k / 9 / nb, q = k / 9 % nb, e = k % 9;
            double entry = wa[p] * wb[q] * one->H[3 * a + e / 3][3 * b + e % 3];
            if (ra[p] == rb[q])
                D[ra[p]][e] += entry;
            else
                z[3 * ra[p] + e / 3] += entry * x[3 * rb[q] + e % 3];
        }
    }
}

/* Products have P'HP without its diagonal blocks, and these are what they must be; symmetric or not, with points of one coupling that
 * share vertices, with vertices among the points, on any number of threads, and after other couplings before. */
TEST(couplings_of_carried_points_are_in_products)
{
    double *first = NULL;
    for (int k = 0; k < 2 * THREADS_TRIED; k++) {
        system_t s;
        lil_carried carried;
        int *number;
        unsigned seed = 3;
        make_body(&s, "bar", "cells=20,7,7", 1, 0.1, true, 1, threads_tried[k % THREADS_TRIED]);
        int n = 3 * s.e.n;
        double *x = random_vector(n, 1), *y = must_alloc((size_t)n, sizeof *y), *z = must_alloc((size_t)n, sizeof *z);
        double(*D)[9] = must_alloc((size_t)s.e.n, sizeof *D);
        lil_float4 *work = LIL_NEW(&s.arena, lil_float4, 2 * lil_blocks_rows(&s.A));
        lil_blocks_multiply(&s.A, x, z, work);
        random_carried(&s, &carried, &number);
        lil_couplings c = { .arena = &s.arena, .carried = &carried, .number = number };
        MUST(lil_blocks_couple_create(ctx, &s.arena, &s.A));
        for (int i = 0; i < 400; i++) {
            lil_coupling one = { .count = 1 + i % 4 };
            for (int a = 0; a < one.count; a++)
                one.at[a] = i % 11 == a        ? -1
                            : (i + a) % 5 == 0 ? (i * 37 + a * 11) % (s.e.n / 2)
                                               : carried.vertex_count + (i * 13 + a) % CARRIED;
            for (int e = 0; e < 144; e++)
                one.H[e / 12][e % 12] = elastic_random(&seed) - 0.5;
            for (int e = 0; e < 144 && k < THREADS_TRIED; e++)
                one.H[e / 12][e % 12] = one.H[e % 12][e / 12];
            lil_couplings_add(&c, &one, i % 3 ? 1e-3 : 1);
            if (i == 20) /* others before */
                CHECK(lil_blocks_carry(&s.A, &c) && lil_blocks_couple(&s.A, &c));
        }
        CHECK(lil_blocks_carry(&s.A, &c) && lil_blocks_couple(&s.A, &c));
        lil_blocks_multiply(&s.A, x, y, work);
        dense_product(&c, x, z, D);
        const int *rows;
        const double(*tied)[9];
        int count = lil_blocks_carried_diagonal(&s.A, &rows, &tied);
        double size = 0, worst = 0, off = 0;
        for (int i = 0; i < c.count; i++) /* the others' diagonal is not theirs */
            for (int e = 0; e < 9 * c.list[i].count && !lil_coupling_is_carried(&c, &c.list[i]); e++)
                if (c.list[i].at[e / 9] >= 0)
                    D[c.list[i].at[e / 9]][e % 9] -= c.list[i].H[3 * (e / 9) + e % 9 / 3][3 * (e / 9) + e % 3];
        for (int i = 0; i < 9 * count; i++) {
            double *to = &D[s.A.order[rows[i / 9]]][i % 9];
            *to -= tied[i / 9][i % 9];
        }
        for (int i = 0; i < 9 * s.e.n; i++)
            off = fmax(off, fabs(D[i / 9][i % 9]));
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs(y[i] - z[i]));
            size = fmax(size, fabs(z[i]));
        }
        CHECK(count > 50);
        CHECK_BELOW(off, 1e-13); /* sums of hundreds of numbers of about 1, in another order */
        CHECK_BELOW(worst,
                    60 * 0x1p-24 * size); /* each number passes through three sums in float: P x, H u and P'f */
        if (k % THREADS_TRIED)
            CHECK(memcmp(first, y, (size_t)n * sizeof *y) == 0);
        else {
            free(first);
            first = y;
        }
        if (y != first)
            free(y);
        free(x);
        free(z);
        free(D);
        system_free(&s);
    }
    free(first);
}

/* Chunks of a phase are not coupled, and each row is somewhere. */
TEST(phases_are_apart)
{
    system_t s;
    make_body(&s, "ball", test_small() ? "cells=7" : "cells=12", 1, 0.2, true, 1, 1);
    const lil_blocks *A = &s.A;
    int *phase = must_alloc((size_t)A->chunks, sizeof *phase), *seen = must_alloc((size_t)A->n, sizeof *seen);
    for (int f = 0; f < A->phases; f++)
        for (int c = A->phase[f]; c < A->phase[f + 1]; c++)
            phase[c] = f;
    CHECK(A->phases >= 2 && A->phase[A->phases] == A->chunks);
    const int rows = 8 * LIL_BLOCKS_CHUNK;
    for (int p = 0; p < A->places; p++) {
        int a = A->at[p][0] / rows, b = A->at[p][1] < 0 ? a : A->at[p][1] / rows;
        CHECK(a == b || phase[a] != phase[b]);
    }
    for (int i = 0; i < A->n; i++)
        seen[A->order[i]]++;
    for (int i = 0; i < A->n; i++)
        CHECK(seen[i] == 1);
    free(phase);
    free(seen);
    system_free(&s);
}

/* In 16 bits each number is within half a unit of what it was. */
TEST(packed_numbers_are_rounded)
{
    system_t s;
    make_body(&s, "ball", "cells=4", 1, 0.2, true, 1, 1);
    int slots = s.A.upper[0];
    double *v = must_alloc(72 * (size_t)slots, sizeof *v), worst = 0;
    for (int pass = 0; pass < 2; pass++) {
        s.A.packed_from = pass == 0 ? s.A.n + 1 : 0;
        CHECK(lil_blocks_set(&s.A, s.e.mass, s.blocks) && s.A.packed == (pass == 1));
        for (int k = 0; k < 72 * slots; k++) {
            double now = lil_blocks_value(&s.A, k / 72, k / 8 % 9, k % 8);
            worst = pass ? fmax(worst, fabs(now - v[k])) : 0;
            v[k] = now;
        }
    }
    CHECK_BELOW(worst, 0.51 / LIL_PACKED_ONE);
    free(v);
    system_free(&s);
}

/* A block that is taken out and put back has the same bits, in 16 bits too. */
TEST(blocks_come_and_go)
{
    const float none[9] = { 0 };
    for (int packed = 0; packed < 2; packed++) {
        system_t s;
        make_body(&s, "ball", "cells=4", 1, 0.2, true, 1, 1);
        s.A.packed_from = packed ? 0 : s.A.n + 1;
        CHECK(lil_blocks_set(&s.A, s.e.mass, s.blocks) && s.A.packed == (packed == 1));
        size_t bytes = (size_t)s.A.upper[0] * (packed ? sizeof(lil_packed) : sizeof(lil_slot));
        void *before = must_alloc(bytes, 1);
        memcpy(before, s.A.slots, bytes);
        for (int k = 0; k < 8 * s.A.upper[0]; k++) {
            float N[9], now[9];
            lil_blocks_get(&s.A, k / 8, k % 8, N);
            lil_blocks_put(&s.A, k / 8, k % 8, none);
            lil_blocks_get(&s.A, k / 8, k % 8, now);
            CHECK(memcmp(now, none, sizeof none) == 0);
            lil_blocks_put(&s.A, k / 8, k % 8, N);
        }
        CHECK(memcmp(before, s.A.slots, bytes) == 0);
        free(before);
        system_free(&s);
    }
}

/* Stiff bodies keep their floats. */
TEST(stiff_bodies_are_not_packed)
{
    system_t s;
    make_body(&s, "ball", "cells=4", 1, 0.2, true, 1e4, 1);
    s.A.packed_from = 0;
    CHECK(lil_blocks_stiffness(&s.A) > 1000);
    CHECK(lil_blocks_set(&s.A, s.e.mass, s.blocks) && !s.A.packed);
    system_free(&s);
}

/* ---- solving ---- */

static double solve(const lil_blocks *A, const double *b, double *d, lil_pcg_ask *ask)
{
    lil_pcg cg;
    lil_arena arena = { 0 };
    CHECK(lil_pcg_create(ctx, &arena, A, &cg) == LIL_OK);
    lil_pcg_solve(&cg, b, d, ask);
    lil_arena_free(&arena);
    return ask->residual;
}

/* |(1 + L)^-1 b| of the scaled matrix, which is what conjugate gradients see */
static double swept_norm(system_t *s, const double *b)
{
    lil_float4 *r = LIL_NEW(&s->arena, lil_float4, lil_blocks_rows(&s->A));
    double size = lil_blocks_norm(&s->A, b);
    lil_blocks_import(&s->A, 1 / size, b, r);
    lil_blocks_forward(&s->A, r, r);
    return size * sqrt(lil_blocks_dot(&s->A, r, r));
}

TEST(solution_is_that_of_a_factorisation)
{
    system_t s;
    plain p;
    lil_ldl ldl;
    make_body(&s, "ball", "cells=5", 1, 0.2, true, 1, 1);
    plain_make(&s.e, &s.material, weight, &p);
    int n = 3 * s.e.n;
    double *b = random_vector(n, 5), *d = must_alloc((size_t)n, sizeof *d), *exact = must_alloc((size_t)n, sizeof *d);
    MUST(lil_ldl_create(ctx, &p.arena, &p.pattern, &ldl));
    CHECK(lil_ldl_factor(&ldl, p.values));
    double *work = must_alloc((size_t)n, sizeof *work);
    lil_ldl_solve(&ldl, b, exact, work);
    for (double eta = 1e-1; eta > 5e-6; eta /= 10) {
        lil_pcg_ask ask = { .eta = eta, .iterations_max = 1000 };
        CHECK(solve(&s.A, b, d, &ask) <= eta && !ask.curvature && ask.iterations > 0);
        /* what it says of the residual is so */
        lil_sparse_multiply(&p.pattern, p.values, d, work);
        for (int i = 0; i < n; i++)
            work[i] = b[i] - work[i];
        CHECK_NEAR(swept_norm(&s, work) / swept_norm(&s, b), ask.residual, 2e-6);
        double error = 0, size = 0;
        for (int i = 0; i < n; i++) {
            error += pow(d[i] - exact[i], 2);
            size += pow(exact[i], 2);
        }
        CHECK_BELOW(sqrt(error / size), 20 * eta); /* the root of the scaled matrix's condition is below 20 */
    }
    free(b);
    free(d);
    free(exact);
    free(work);
    plain_free(&p);
    system_free(&s);
}

/* Float's range is not in the way: forces may be of any size whose square is a double. */
TEST(size_of_the_right_hand_side_is_nothing)
{
    system_t s;
    make_body(&s, "bar", "cells=6,3,3", 1, 0.1, false, 1, 1);
    int n = 3 * s.e.n;
    double *b = random_vector(n, 9), *one = must_alloc((size_t)n, sizeof *one), *d = must_alloc((size_t)n, sizeof *d);
    lil_pcg_ask ask = { .eta = 1e-3, .iterations_max = 100 };
    solve(&s.A, b, one, &ask);
    for (int k = -450; k <= 450; k += 300) { /* powers of 2, so that everything scales to the bit */
        for (int i = 0; i < n; i++)
            b[i] = ldexp(b[i], k);
        solve(&s.A, b, d, &ask);
        bool same = true;
        for (int i = 0; i < n; i++) {
            same = same && d[i] == ldexp(one[i], k);
            b[i] = ldexp(b[i], -k);
        }
        CHECK(same && ask.residual <= 1e-3);
    }
    memset(b, 0, (size_t)n * sizeof *b);
    solve(&s.A, b, d, &ask);
    CHECK(ask.iterations == 0 && ask.residual == 0 && !ask.curvature && d[0] == 0);
    b[1] = NAN;
    solve(&s.A, b, d, &ask);
    CHECK(ask.iterations == 0 && ask.curvature && d[1] == 0);
    free(b);
    free(one);
    free(d);
    system_free(&s);
}

TEST(bits_do_not_depend_on_threads)
{
    static double *first, *first_product;
    for (int k = 0; k < THREADS_TRIED; k++) {
        system_t s;
        make_body(&s, "bar", test_small() ? "cells=20,7,7" : "cells=40,11,11", 1, 0.1, true, 1, threads_tried[k]);
        CHECK(s.A.chunks >= 2);
        int n = 3 * s.e.n;
        double *b = random_vector(n, 2), *d = must_alloc((size_t)n, sizeof *d), *y = must_alloc((size_t)n, sizeof *y);
        lil_pcg_ask ask = { .eta = 1e-4, .iterations_max = 200 };
        solve(&s.A, b, d, &ask);
        lil_blocks_multiply(&s.A, b, y, LIL_NEW(&s.arena, lil_float4, 2 * lil_blocks_rows(&s.A)));
        if (k == 0) {
            first = d;
            first_product = y;
        } else {
            CHECK(memcmp(first, d, (size_t)n * sizeof *d) == 0);
            CHECK(memcmp(first_product, y, (size_t)n * sizeof *y) == 0);
            free(d);
            free(y);
        }
        free(b);
        system_free(&s);
    }
    free(first);
    free(first_product);
}

/* ---- what is not as it should be ---- */

/* Two vertices, a block of which the sign may be wrong: H = [1 + s, -s; -s, 1 + s] (each times the identity) has the
 * eigenvalues 1 and 1 + 2 s. */
static void two_vertices(double s, lil_blocks *A, lil_arena *arena, bool *definite)
{
    static const double x[6] = { 0, 0, 0, 1, 0, 0 }, mass[2] = { 1, 1 };
    static const int at[1][2] = { { 0, 1 } };
    static float block[9];
    int where[1];
    block[0] = block[4] = block[8] = (float)-s;
    MUST(lil_blocks_create(ctx, arena, 2, x, 1, at, ctx->threads, A, where));
    CHECK(A->places == 1 && where[0] == 0);
    *definite = lil_blocks_set(A, mass, block);
}

TEST(negative_curvature_is_reported)
{
    lil_arena arena = { 0 };
    lil_blocks A;
    bool definite = false;
    double b[6] = { 1, 2, 3, -1, -2, -3 }, d[6];
    lil_pcg_ask ask = { .eta = 1e-3, .iterations_max = 10 };
    two_vertices(-0.6, &A, &arena, &definite); /* diagonal blocks 0.4, eigenvalues 1 and -0.2 */
    CHECK(definite);
    solve(&A, b, d, &ask);
    CHECK(ask.curvature && ask.iterations == 1);
    double slope = 0; /* the scaled gradient, downhill */
    for (int i = 0; i < 6; i++)
        slope += b[i] * d[i];
    CHECK(slope > 0 && d[0] != 0);
    /* mostly along the good eigenvector: one good step before it is met, which is kept */
    double good[6] = { 1, 2, 3, 0.9, 1.9, 2.9 };
    solve(&A, good, d, &ask);
    CHECK(ask.curvature && ask.iterations == 2);
    CHECK_NEAR(d[0], 1, 0.2);
    two_vertices(-1.5, &A, &arena, &definite); /* diagonal blocks -0.5 */
    CHECK(!definite);
    two_vertices(NAN, &A, &arena, &definite);
    CHECK(!definite);
    two_vertices(INFINITY, &A, &arena, &definite);
    CHECK(!definite);
    lil_arena_free(&arena);
}

TEST(the_smallest_matrices)
{
    lil_arena arena = { 0 };
    lil_blocks A;
    double x[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, mass[3] = { 2, 4, 8 }, b[9], d[9];
    lil_pcg_ask ask = { .eta = 1e-6, .iterations_max = 10 };
    for (int i = 0; i < 9; i++)
        b[i] = i + 1;
    /* nothing at all, one vertex, three without a pair */
    for (int n = 0; n <= 3; n++) {
        MUST(lil_blocks_create(ctx, &arena, n, x, 0, NULL, ctx->threads, &A, NULL));
        CHECK(lil_blocks_set(&A, mass, NULL) && A.places == 0);
        solve(&A, b, d, &ask);
        for (int i = 0; i < 3 * n; i++)
            CHECK_NEAR(d[i], b[i] / mass[i / 3], 1e-6 * b[i]);
    }
    /* pairs given twice share a place; pairs with held ends are on the diagonal alone; of held ends alone, nowhere */
    const int at[6][2] = { { 0, 2 }, { -1, 1 }, { 0, 2 }, { 1, -1 }, { -1, -1 }, { 0, 1 } };
    int where[6];
    MUST(lil_blocks_create(ctx, &arena, 3, x, 6, at, ctx->threads, &A, where));
    CHECK(A.places == 3 && where[0] == where[2] && where[1] == where[3] && where[4] == -1);
    float blocks[27] = { 0 };
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 3 && where[k] >= 0; i++)
            blocks[9 * where[k] + 4 * i] -= 1;
    CHECK(lil_blocks_set(&A, mass, blocks));
    double e[9] = { 1, 0, 0, 0, 0, 0, 0, 0, 0 }, y[9];
    lil_blocks_multiply(&A, e, y, LIL_NEW(&arena, lil_float4, 2 * lil_blocks_rows(&A)));
    CHECK_NEAR(y[0], 2 + 2 + 1, 1e-6);
    CHECK_NEAR(y[3], -1, 1e-6);
    CHECK_NEAR(y[6], -2, 1e-6);
    memcpy(e, (double[9]){ 0, 0, 0, 1 }, sizeof e);
    lil_blocks_multiply(&A, e, y, LIL_NEW(&arena, lil_float4, 2 * lil_blocks_rows(&A)));
    CHECK_NEAR(y[3], 4 + 1 + 2, 1e-6);
    lil_arena_free(&arena);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(product_is_that_of_the_plain_matrix);
    RUN(translations_feel_masses_alone);
    RUN(solution_is_that_of_a_factorisation);
    RUN(size_of_the_right_hand_side_is_nothing);
    RUN(sweeps_are_what_they_say);
    RUN(couplings_are_in_products);
    RUN(couplings_of_carried_points_are_in_products);
    RUN(phases_are_apart);
    RUN(packed_numbers_are_rounded);
    RUN(blocks_come_and_go);
    RUN(stiff_bodies_are_not_packed);
    RUN(bits_do_not_depend_on_threads);
    RUN(negative_curvature_is_reported);
    RUN(the_smallest_matrices);
    lil_context_destroy(&ctx);
    return test_end();
}
