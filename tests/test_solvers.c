/* Sparse patterns, the two factorisations and Newton's method in its two forms. */
#include "solvers/newton.h"
#include "solvers/panels.h"
#include "test.h"

#include <float.h>

static lil_context *ctx;

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

/* ---- matrices: entries as they come, a pattern, and the same in dense form ---- */

typedef struct matrix {
    lil_arena arena;
    int n, count;
    int *row, *col, *where;
    lil_pattern pattern;
    double *values, *dense, *b, *x, *work;
} matrix;

static void matrix_init(matrix *A, int n, int most)
{
    *A = (matrix){ .n = n };
    A->row = LIL_NEW(&A->arena, int, most);
    A->col = LIL_NEW(&A->arena, int, most);
    A->where = LIL_NEW(&A->arena, int, most);
    A->values = LIL_NEW(&A->arena, double, most);
    A->dense = LIL_NEW(&A->arena, double, n *n);
    A->b = LIL_NEW(&A->arena, double, n);
    A->x = LIL_NEW(&A->arena, double, n);
    A->work = LIL_NEW(&A->arena, double, n);
}

static void put(matrix *A, int i, int j, double value)
{
    A->row[A->count] = i;
    A->col[A->count++] = j;
    A->dense[i * A->n + j] += value;
}

/* the pattern of what was put, with the values of the dense matrix */
static void fill(matrix *A)
{
    for (int k = 0; k < A->count; k++)
        A->values[A->where[k]] = A->dense[A->row[k] * A->n + A->col[k]];
}

static lil_status finish(matrix *A)
{
    lil_status status = lil_pattern_create(ctx, &A->arena, A->n, A->row, A->col, A->count, &A->pattern, A->where);
    if (status == LIL_OK)
        fill(A);
    for (int i = 0; i < A->n; i++)
        A->b[i] = uniform(-1, 1);
    return status;
}

/* max |A x - b| / max (|A| |x| + |b|): a backward stable solution has a small multiple of eps */
static double backward_error(const matrix *A)
{
    double residual = 0, size = 0;
    for (int i = 0; i < A->n; i++) {
        double r = -A->b[i], s = fabs(A->b[i]);
        for (int j = 0; j < A->n; j++) {
            r += A->dense[i * A->n + j] * A->x[j];
            s += fabs(A->dense[i * A->n + j] * A->x[j]);
        }
        residual = fmax(residual, fabs(r));
        size = fmax(size, s);
    }
    return residual / size;
}

/* symmetric, a few entries a row, definite because each diagonal entry exceeds the sum of its row (Gershgorin) */
static lil_status random_definite(matrix *A, int n)
{
    matrix_init(A, n, 9 * n);
    for (int i = 0; i < n; i++) {
        put(A, i, i, 0.1);
        for (int k = 0; k < 2 && n > 1; k++) {
            int j = rand() % n;
            double value = uniform(-1, 1);
            put(A, i, i, fabs(value));
            put(A, j, j, fabs(value));
            if (j != i) {
                put(A, i, j, value);
                put(A, j, i, value);
            }
        }
    }
    return finish(A);
}

/* no symmetry, nothing on the diagonal but by chance: a factorisation without pivoting would divide by zero */
static lil_status random_general(matrix *A, int n)
{
    matrix_init(A, n, 5 * n);
    for (int i = 0; i < n; i++) {
        put(A, i, (i + 1) % n, uniform(1, 2));
        for (int k = 0; k < 3; k++)
            put(A, rand() % n, rand() % n, uniform(-0.5, 0.5));
    }
    return finish(A);
}

TEST(pattern_merges_and_sorts)
{
    srand(1);
    for (int n = 1; n <= 40; n += 13) {
        matrix A;
        double y[64];
        matrix_init(&A, n, 6 * n);
        for (int k = 0; k < 6 * n; k++)
            put(&A, rand() % n, rand() % n, 1 + rand() % 9); /* whole numbers: sums are exact in any order */
        MUST(finish(&A));
        int distinct = 0;
        for (int k = 0; k < n * n; k++)
            distinct += A.dense[k] != 0;
        CHECK(A.pattern.count == distinct);
        CHECK(A.pattern.start[0] == 0 && A.pattern.start[n] == distinct);
        for (int j = 0; j < n; j++)
            for (int k = A.pattern.start[j] + 1; k < A.pattern.start[j + 1]; k++)
                CHECK(A.pattern.row[k - 1] < A.pattern.row[k]);
        for (int k = 0; k < A.count; k++) {
            int at = A.where[k], j = A.col[k];
            CHECK(A.pattern.row[at] == A.row[k] && A.pattern.start[j] <= at && at < A.pattern.start[j + 1]);
        }
        for (int i = 0; i < n; i++)
            A.x[i] = i + 1;
        lil_sparse_multiply(&A.pattern, A.values, A.x, y);
        for (int i = 0; i < n; i++) {
            double expected = 0;
            for (int j = 0; j < n; j++)
                expected += A.dense[i * n + j] * A.x[j];
            CHECK_NEAR(y[i], expected, 0);
        }
        lil_arena_free(&A.arena);
    }
}

/* ---- LDL' ---- */

TEST(ldl_solves_definite_systems)
{
    srand(2);
    for (int n = 1; n <= 300; n = 3 * n + 1) {
        matrix A;
        lil_ldl ldl;
        MUST(random_definite(&A, n));
        MUST(lil_ldl_create(ctx, &A.arena, &A.pattern, &ldl));
        CHECK(lil_ldl_factor(&ldl, A.values));
        lil_ldl_solve(&ldl, A.b, A.x, A.work);
        /* Cholesky without pivoting is backward stable: 3 n eps (Higham, Accuracy and Stability, thm 10.4) */
        CHECK_BELOW(backward_error(&A), 3 * (n + 1) * DBL_EPSILON);
        lil_arena_free(&A.arena);
    }
}

/* the same factors, a dense end of L and columns alone among them, packed once and filled twice */
TEST(panels_solve_as_ldl_does)
{
    srand(12);
    for (int n = 1; n <= 300; n = 2 * n + 1) {
        matrix A;
        lil_ldl ldl;
        lil_panels panels;
        lil_panelled panelled;
        MUST(random_definite(&A, n));
        MUST(lil_ldl_create(ctx, &A.arena, &A.pattern, &ldl));
        MUST(lil_panels_create(ctx, &A.arena, &ldl, &panels));
        MUST(lil_panelled_create(ctx, &A.arena, &panels, &panelled));
        double *work = LIL_NEW(&A.arena, double, n + 1);
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < n; i++)
                A.dense[i * n + i] += pass;
            fill(&A);
            CHECK(lil_ldl_factor(&ldl, A.values));
            lil_panelled_set(&panels, &panelled);
            lil_panelled_solve(&panels, &panelled, A.b, A.x, work);
            CHECK_BELOW(backward_error(&A), 3 * (n + 1) * DBL_EPSILON);
        }
        lil_arena_free(&A.arena);
    }
}

TEST(ldl_detects_indefiniteness)
{
    matrix A;
    lil_ldl ldl;
    srand(3);
    MUST(random_definite(&A, 60));
    MUST(lil_ldl_create(ctx, &A.arena, &A.pattern, &ldl));
    double *first = LIL_NEW(&A.arena, double, 60);
    CHECK(lil_ldl_factor(&ldl, A.values));
    lil_ldl_solve(&ldl, A.b, first, A.work);
    for (int i = 0; i < 60; i++) { /* e_i'A e_i <= 0 in turn; not a number; and good again */
        static const double bad[] = { -1e-9, 0, NAN };
        double kept = A.dense[i * 60 + i];
        A.dense[i * 60 + i] = bad[i % 3];
        fill(&A);
        CHECK(!lil_ldl_factor(&ldl, A.values));
        A.dense[i * 60 + i] = kept;
    }
    fill(&A);
    CHECK(lil_ldl_factor(&ldl, A.values));
    lil_ldl_solve(&ldl, A.b, A.x, A.work);
    CHECK(memcmp(A.x, first, 60 * sizeof *first) == 0); /* failures leave nothing behind */
    lil_arena_free(&A.arena);
}

TEST(ldl_sees_what_the_diagonal_hides)
{
    static const double off[] = { 0.999, 1, 1.001, -1.001 }; /* eigenvalues 1 + off and 1 - off */
    for (int k = 0; k < 4; k++) {
        matrix A;
        lil_ldl ldl;
        matrix_init(&A, 2, 4);
        put(&A, 0, 0, 1);
        put(&A, 1, 1, 1);
        put(&A, 0, 1, off[k]);
        put(&A, 1, 0, off[k]);
        MUST(finish(&A));
        MUST(lil_ldl_create(ctx, &A.arena, &A.pattern, &ldl));
        CHECK(lil_ldl_factor(&ldl, A.values) == (k == 0));
        lil_arena_free(&A.arena);
    }
}

/* ---- LU: dense up to 64, KLU beyond ---- */

TEST(lu_solves_general_systems)
{
    static const int sizes[] = { 1, 2, 3, 10, 63, 64, 65, 66, 200 };
    srand(4);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int again = 0; again < 5; again++) {
            matrix A;
            lil_lu lu;
            MUST(random_general(&A, sizes[s]));
            MUST(lil_lu_create(ctx, &A.arena, &A.pattern, &lu));
            CHECK((lu.dense != NULL) == (sizes[s] <= LIL_LU_DENSE_MAX));
            CHECK(lil_lu_factor(&lu, A.values));
            memcpy(A.x, A.b, (size_t)A.n * sizeof *A.x);
            lil_lu_solve(&lu, A.x);
            /* 3 n eps times the growth of the pivots (Higham, thm 9.5): below n^(2/3) on such matrices with the largest
             * pivots; KLU takes one from the diagonal that is 1000 times smaller, if that keeps the factors sparse */
            double growth = pow(A.n, 2. / 3) * (lu.dense ? 1 : 1000);
            CHECK_BELOW(backward_error(&A), 3 * A.n * growth * DBL_EPSILON);
            lil_lu_destroy(&lu);
            lil_arena_free(&A.arena);
        }
}

/* A run that is resumed must repeat every bit: a factorisation may not remember the one before. */
TEST(lu_depends_on_the_matrix_alone)
{
    static const int sizes[] = { 20, 100 };
    srand(5);
    for (int s = 0; s < 2; s++) {
        matrix A;
        lil_lu lu;
        double first[100];
        size_t bytes = (size_t)sizes[s] * sizeof(double);
        MUST(random_general(&A, sizes[s]));
        MUST(lil_lu_create(ctx, &A.arena, &A.pattern, &lu));
        double *other = LIL_NEW(&A.arena, double, A.pattern.count);
        for (int k = 0; k < A.pattern.count; k++)
            other[k] = uniform(-1, 1);
        for (int round = 0; round < 3; round++) {
            lil_lu_factor(&lu, round == 1 ? other : A.values);
            memcpy(A.x, A.b, bytes);
            lil_lu_solve(&lu, A.x);
            if (round == 0)
                memcpy(first, A.x, bytes);
        }
        CHECK(memcmp(first, A.x, bytes) == 0);
        lil_lu_destroy(&lu);
        lil_arena_free(&A.arena);
    }
}

/* Two equal rows (every elimination step treats them alike, so the zero is exact), a zero column, an empty column. */
TEST(lu_detects_singular_matrices)
{
    static const int sizes[] = { 2, 30, 64, 65, 150 };
    srand(6);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int kind = 0; kind < 4; kind++) {
            int n = sizes[s];
            matrix A;
            lil_lu lu;
            matrix_init(&A, n, n * n);
            for (int i = 0; i < n; i++)
                for (int j = kind == 2; j < n; j++)
                    put(&A, i, j, uniform(-1, 1));
            for (int j = 0; j < n && kind == 0; j++)
                A.dense[(n - 1) * n + j] = A.dense[j];
            for (int i = 0; i < n && kind == 1; i++)
                A.dense[i * n] = 0;
            MUST(finish(&A));
            lil_status status = lil_lu_create(ctx, &A.arena, &A.pattern, &lu);
            CHECK(status == LIL_OK || kind == 2);
            CHECK(status != LIL_OK || lil_lu_factor(&lu, A.values) == (kind == 3));
            if (status == LIL_OK)
                lil_lu_destroy(&lu);
            lil_arena_free(&A.arena);
        }
}

/* ---- Newton ---- */

/* A problem with what happened to it: the gradient and E where the Hessian was asked for. */
typedef struct problem {
    lil_arena arena;
    lil_objective objective;
    lil_pattern pattern;
    lil_newton newton;
    lil_solve solve;
    int *where, hessians, values;
    double gradients[100], energies[100];
} problem;

typedef void value_fn(void *self, const double *x, double *E, double *g, lil_noise *noise);
typedef void hessian_fn(void *self, const double *x, double *H);

/* dense n x n (band < 0), or banded */
static lil_status problem_init(problem *p, int n, int band, bool symmetric, value_fn *value, hessian_fn *hessian)
{
    *p = (problem){ .solve = { .tolerance = 1e-10, .iterations_max = 100 } };
    int *row = LIL_NEW(&p->arena, int, n *n), *col = LIL_NEW(&p->arena, int, n *n), count = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (band < 0 || abs(i - j) <= band) {
                row[count] = i;
                col[count++] = j;
            }
    p->where = LIL_NEW(&p->arena, int, n *n);
    lil_status status = lil_pattern_create(ctx, &p->arena, n, row, col, count, &p->pattern, p->where);
    if (status == LIL_OK)
        status = lil_newton_create(ctx, &p->arena, &p->pattern, symmetric, &p->newton);
    p->objective = (lil_objective){ .n = n, .pattern = &p->pattern, .self = p, .value = value, .hessian = hessian };
    return status;
}

static void problem_end(problem *p)
{
    lil_newton_destroy(&p->newton);
    lil_arena_free(&p->arena);
}

static void note_value(problem *p)
{
    p->values++;
}

static void note_hessian(problem *p, const double *x)
{
    double E, g[200];
    lil_noise noise;
    p->objective.value(p, x, &E, g, &noise);
    p->gradients[p->hessians] = lil_norm(p->objective.n, g);
    p->energies[p->hessians++] = E;
}

static void rosenbrock(void *self, const double *x, double *E, double *g, lil_noise *noise)
{
    double a = 1 - x[0], b = x[1] - x[0] * x[0];
    note_value(self);
    *E = a * a + 100 * b * b;
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    noise->E = 4 * DBL_EPSILON * (a * a + 100 * (x[1] * x[1] + x[0] * x[0] * x[0] * x[0]));
    noise->g = 4 * DBL_EPSILON * (2 + 400 * (fabs(x[0] * x[1]) + fabs(x[0] * x[0] * x[0])));
}

static void rosenbrock_hessian(void *self, const double *x, double *H)
{
    note_hessian(self, x);
    H[0] = 2 - 400 * (x[1] - 3 * x[0] * x[0]);
    H[1] = H[2] = -400 * x[0];
    H[3] = 200;
}

TEST(minimise_rosenbrock)
{
    problem p;
    double x[] = { -1.2, 1 };
    MUST(problem_init(&p, 2, -1, true, rosenbrock, rosenbrock_hessian));
    lil_minimise(&p.newton, &p.objective, &p.solve, x);
    CHECK(p.solve.converged);
    /* |x - x*| <= |g| / least eigenvalue of H, which is 0.4 at the minimum; |g| <= 1e-10 of 233 */
    CHECK_NEAR(x[0], 1, 233e-10 / 0.39);
    CHECK_NEAR(x[1], 1, 233e-10 / 0.39);
    CHECK_NEAR(p.solve.gradient_start, hypot(215.6, 88), 1e-10); /* printed in every textbook */
    CHECK(p.solve.iterations == p.hessians && p.solve.linear_iterations == p.hessians);
    CHECK(p.hessians > 5 && p.hessians < 40); /* 21 with exact line searches; steepest descent takes thousands */
    for (int k = 1; k < p.hessians; k++)
        CHECK(p.energies[k] < p.energies[k - 1]);
    problem_end(&p);
}

/* x^4/4 - x^2/2 + y^2/2: H is indefinite for |x| < 1/sqrt(3), where plain Newton would climb to the saddle at 0. */
static void two_wells(void *self, const double *x, double *E, double *g, lil_noise *noise)
{
    note_value(self);
    *E = x[0] * x[0] * (x[0] * x[0] / 4 - 0.5) + x[1] * x[1] / 2;
    g[0] = x[0] * (x[0] * x[0] - 1);
    g[1] = x[1];
    *noise = (lil_noise){ 4 * DBL_EPSILON, 4 * DBL_EPSILON };
}

static void two_wells_hessian(void *self, const double *x, double *H)
{
    note_hessian(self, x);
    H[0] = 3 * x[0] * x[0] - 1;
    H[1] = H[2] = 0;
    H[3] = 1;
}

TEST(minimise_from_an_indefinite_start)
{
    static const double starts[][2] = { { 0.1, 1 }, { -1e-3, -2 }, { 0.57, 3 } };
    for (int k = 0; k < 3; k++) {
        problem p;
        double x[] = { starts[k][0], starts[k][1] };
        MUST(problem_init(&p, 2, -1, true, two_wells, two_wells_hessian));
        lil_minimise(&p.newton, &p.objective, &p.solve, x);
        CHECK(p.solve.converged);
        CHECK_NEAR(x[0], starts[k][0] > 0 ? 1 : -1, 1e-9); /* tolerance 1e-10 of |g| < 4, H = diag(2, 1) there */
        CHECK_NEAR(x[1], 0, 1e-9);
        for (int i = 1; i < p.hessians; i++)
            CHECK(p.energies[i] < p.energies[i - 1]);
        problem_end(&p);
    }
}

/* x - log x, which exists for x > 0 only: the full step from 3 leads to -3. */
static void half_line(void *self, const double *x, double *E, double *g, lil_noise *noise)
{
    note_value(self);
    *E = *x > 0 ? *x - log(*x) : -1000; /* g alone tells that there is nothing */
    *g = *x > 0 ? 1 - 1 / *x : NAN;
    *noise = (lil_noise){ 4 * DBL_EPSILON, 4 * DBL_EPSILON };
}

static void half_line_hessian(void *self, const double *x, double *H)
{
    note_hessian(self, x);
    *H = 1 / (*x * *x);
}

TEST(minimise_stays_in_the_domain)
{
    problem p;
    double x = 3, outside = -1;
    MUST(problem_init(&p, 1, -1, true, half_line, half_line_hessian));
    lil_minimise(&p.newton, &p.objective, &p.solve, &x);
    CHECK(p.solve.converged);
    CHECK_NEAR(x, 1, 1e-10);
    lil_minimise(&p.newton, &p.objective, &p.solve, &outside);
    CHECK(!p.solve.converged && p.solve.iterations == 0 && outside == -1);
    problem_end(&p);
}

/* A convex chain: sum e^x_i - a_i x_i + 1/2 (x_i - x_{i-1})^2. */
enum { CHAIN = 50 };

static void chain(void *self, const double *x, double *E, double *g, lil_noise *noise)
{
    double sum = 0, size = 0;
    note_value(self);
    for (int i = 0; i < CHAIN; i++) {
        double a = 1 + 0.05 * i, left = i ? x[i] - x[i - 1] : 0;
        sum += exp(x[i]) - a * x[i] + left * left / 2;
        g[i] = exp(x[i]) - a + left;
        if (i)
            g[i - 1] -= left;
        size += exp(x[i]) + fabs(a * x[i]) + left * left;
    }
    if (E)
        *E = sum;
    noise->E = noise->g = 4 * DBL_EPSILON * size;
}

static void chain_hessian(void *self, const double *x, double *H)
{
    problem *p = self;
    note_hessian(p, x);
    for (int j = 0; j < CHAIN; j++)
        for (int k = p->pattern.start[j]; k < p->pattern.start[j + 1]; k++)
            H[k] = p->pattern.row[k] == j ? exp(x[j]) + (j > 0) + (j < CHAIN - 1) : -1;
}

/* |x_{k+1} - x*| <= |H^-1| |H'| / 2 |x_k - x*|^2, in gradients |g_{k+1}| <= |H'| |H^-1|^2 / 2 |g_k|^2 = C |g_k|^2. Here
 * 0 <= x <= 1.3, so |H^-1| <= 1 and |H'| <= e^1.3 = 3.7: C = 2. */
static void check_quadratic(const problem *p)
{
    int seen = 0;
    for (int k = 1; k < p->hessians; k++)
        if (p->gradients[k - 1] < 0.5) {
            CHECK_BELOW(p->gradients[k], 2 * p->gradients[k - 1] * p->gradients[k - 1] + 1e-13);
            seen++;
        }
    CHECK(seen >= 1);
    CHECK(p->hessians <= 10);
}

TEST(both_converge_quadratically)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        problem p;
        double x[CHAIN] = { 0 };
        MUST(problem_init(&p, CHAIN, 1, symmetric, chain, chain_hessian));
        p.solve.tolerance = 1e-13;
        symmetric ? lil_minimise(&p.newton, &p.objective, &p.solve, x)
                  : lil_root(&p.newton, &p.objective, &p.solve, x);
        CHECK(p.solve.converged);
        CHECK(p.solve.iterations == p.hessians);
        check_quadratic(&p);
        problem_end(&p);
    }
}

/* x^2 + y^2 = 4, x y = 1: a root at x = sqrt(2 + sqrt 3). */
static void circle(void *self, const double *x, double *E, double *r, lil_noise *noise)
{
    note_value(self);
    if (E)
        *E = 0;
    r[0] = x[0] * x[0] + x[1] * x[1] - 4;
    r[1] = x[0] * x[1] - 1;
    noise->E = 0;
    noise->g = 4 * DBL_EPSILON * (4 + x[0] * x[0] + x[1] * x[1]);
}

static void circle_hessian(void *self, const double *x, double *H)
{
    note_hessian(self, x);
    H[0] = 2 * x[0];
    H[1] = x[1];
    H[2] = 2 * x[1];
    H[3] = x[0];
}

TEST(root_of_a_small_system)
{
    problem p;
    double x[] = { 3, 0.1 };
    MUST(problem_init(&p, 2, -1, false, circle, circle_hessian));
    p.solve.tolerance = 1e-12;
    lil_root(&p.newton, &p.objective, &p.solve, x);
    CHECK(p.solve.converged && p.solve.iterations == p.hessians && p.hessians < 10);
    CHECK_NEAR(x[0], sqrt(2 + sqrt(3)), 1e-11); /* tolerance 1e-12 of |r| = 5; |J^-1| = 0.6 at the root */
    CHECK_NEAR(x[1], sqrt(2 - sqrt(3)), 1e-11);

    double singular[] = { 1, 1 }; /* x = y: det J = 0 */
    lil_root(&p.newton, &p.objective, &p.solve, singular);
    CHECK(!p.solve.converged && p.solve.iterations == 0);
    problem_end(&p);
}

/* atan(x) = 0: from 3 the plain Newton step leads to -9.5, the next one to 124, and so on. */
static void arctangent(void *self, const double *x, double *E, double *r, lil_noise *noise)
{
    note_value(self);
    if (E)
        *E = 0;
    *r = atan(*x);
    *noise = (lil_noise){ 0, DBL_MIN };
}

static void arctangent_hessian(void *self, const double *x, double *H)
{
    note_hessian(self, x);
    *H = 1 / (1 + *x * *x);
}

TEST(root_is_guarded)
{
    problem p;
    double x = 3;
    MUST(problem_init(&p, 1, -1, false, arctangent, arctangent_hessian));
    lil_root(&p.newton, &p.objective, &p.solve, &x);
    CHECK(p.solve.converged);
    CHECK_NEAR(x, 0, 1.25e-10); /* 1e-10 of atan(3) */
    for (int k = 1; k < p.hessians; k++)
        CHECK(p.gradients[k] < p.gradients[k - 1]);
    problem_end(&p);
}

/* u'' + e^u = 0, u(0) = u(1) = 0 (Bratu), 150 points: through KLU. */
enum { BRATU = 150 };

static void bratu(void *self, const double *u, double *E, double *r, lil_noise *noise)
{
    const double h = 1. / (BRATU + 1);
    note_value(self);
    if (E)
        *E = 0;
    for (int i = 0; i < BRATU; i++)
        r[i] = (i ? u[i - 1] : 0) - 2 * u[i] + (i < BRATU - 1 ? u[i + 1] : 0) + h * h * exp(u[i]);
    noise->E = 0;
    noise->g = 4 * DBL_EPSILON * (4 * lil_norm(BRATU, u));
}

static void bratu_hessian(void *self, const double *u, double *H)
{
    const double h = 1. / (BRATU + 1);
    problem *p = self;
    note_hessian(p, u);
    for (int j = 0; j < BRATU; j++)
        for (int k = p->pattern.start[j]; k < p->pattern.start[j + 1]; k++)
            H[k] = p->pattern.row[k] == j ? -2 + h * h * exp(u[j]) : 1;
}

TEST(root_of_a_large_system)
{
    problem p;
    double u[BRATU] = { 0 }, most = 0;
    MUST(problem_init(&p, BRATU, 1, false, bratu, bratu_hessian));
    lil_root(&p.newton, &p.objective, &p.solve, u);
    CHECK(p.solve.converged && p.hessians < 8);
    for (int i = 0; i < BRATU; i++)
        most = fmax(most, u[i]);
    CHECK_NEAR(most, 0.14053921440, 1e-5); /* known; the second-order differences err by h^2/12 u'''' < 1e-5 */
    problem_end(&p);
}

/* ---- when to stop ---- */

TEST(an_impossible_tolerance_ends_at_round_off)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        problem p;
        double x[CHAIN] = { 0 }, E, g[CHAIN];
        lil_noise noise;
        MUST(problem_init(&p, CHAIN, 1, symmetric, chain, chain_hessian));
        p.solve.tolerance = 1e-16;
        symmetric ? lil_minimise(&p.newton, &p.objective, &p.solve, x)
                  : lil_root(&p.newton, &p.objective, &p.solve, x);
        chain(&p, x, &E, g, &noise);
        CHECK(p.solve.converged && p.solve.iterations < 12);
        CHECK_BELOW(lil_norm(CHAIN, g), noise.g * 100);
        CHECK_NEAR(p.solve.gradient, lil_norm(CHAIN, g), 0); /* what it reports is what it has */
        problem_end(&p);
    }
}

/* as above, but the estimate of the noise is too small, as it is bound to be now and then */
static void optimistic_chain(void *self, const double *x, double *E, double *g, lil_noise *noise)
{
    chain(self, x, E, g, noise);
    noise->E /= 1e6;
    noise->g /= 1e6;
}

TEST(an_optimistic_noise_ends_at_round_off)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        problem p;
        double x[CHAIN] = { 0 };
        MUST(problem_init(&p, CHAIN, 1, symmetric, optimistic_chain, chain_hessian));
        p.solve.tolerance = 1e-20;
        symmetric ? lil_minimise(&p.newton, &p.objective, &p.solve, x)
                  : lil_root(&p.newton, &p.objective, &p.solve, x);
        CHECK(p.solve.converged && p.solve.iterations < 30);
        CHECK_BELOW(p.solve.gradient, 1e-13); /* 50 terms of size 5, eps each */
        problem_end(&p);
    }
}

/* x^2 + 1 = 0 */
static void no_root(void *self, const double *x, double *E, double *r, lil_noise *noise)
{
    note_value(self);
    if (E)
        *E = 0;
    *r = *x * *x + 1;
    *noise = (lil_noise){ 0, 4 * DBL_EPSILON * *r };
}

static void no_root_hessian(void *self, const double *x, double *H)
{
    note_hessian(self, x);
    *H = 2 * *x;
}

TEST(it_ends_without_convergence)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        problem p;
        double x[CHAIN] = { 0 };
        MUST(problem_init(&p, CHAIN, 1, symmetric, chain, chain_hessian));
        p.solve.iterations_max = 2;
        symmetric ? lil_minimise(&p.newton, &p.objective, &p.solve, x)
                  : lil_root(&p.newton, &p.objective, &p.solve, x);
        CHECK(!p.solve.converged && p.solve.iterations == 2);
        CHECK_BELOW(p.solve.gradient, p.solve.gradient_start);
        problem_end(&p);
    }
    problem p;
    double x = 3;
    MUST(problem_init(&p, 1, -1, false, no_root, no_root_hessian));
    lil_root(&p.newton, &p.objective, &p.solve, &x);
    CHECK(!p.solve.converged && p.solve.gradient >= 1);
    problem_end(&p);
}

TEST(tolerance_is_relative_to_the_reference)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        problem p;
        double x[CHAIN] = { 0 };
        MUST(problem_init(&p, CHAIN, 1, symmetric, chain, chain_hessian));
        p.solve.tolerance = 1e-2;
        p.solve.reference = 1e4;
        symmetric ? lil_minimise(&p.newton, &p.objective, &p.solve, x)
                  : lil_root(&p.newton, &p.objective, &p.solve, x);
        CHECK(p.solve.converged && p.solve.iterations == 0 && p.solve.gradient == p.solve.gradient_start);
        problem_end(&p);
    }
}

int main(void)
{
    ctx = lil_context_create();
    RUN(pattern_merges_and_sorts);
    RUN(ldl_solves_definite_systems);
    RUN(panels_solve_as_ldl_does);
    RUN(ldl_detects_indefiniteness);
    RUN(ldl_sees_what_the_diagonal_hides);
    RUN(lu_solves_general_systems);
    RUN(lu_depends_on_the_matrix_alone);
    RUN(lu_detects_singular_matrices);
    RUN(minimise_rosenbrock);
    RUN(minimise_from_an_indefinite_start);
    RUN(minimise_stays_in_the_domain);
    RUN(both_converge_quadratically);
    RUN(root_of_a_small_system);
    RUN(root_is_guarded);
    RUN(root_of_a_large_system);
    RUN(an_impossible_tolerance_ends_at_round_off);
    RUN(an_optimistic_noise_ends_at_round_off);
    RUN(it_ends_without_convergence);
    RUN(tolerance_is_relative_to_the_reference);
    lil_context_destroy(&ctx);
    return test_end();
}
