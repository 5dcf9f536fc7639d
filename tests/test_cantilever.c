/*
 * A cantilever against beam theory (docs/theory.md): 1 x 0.05 x 0.05 m, E = 1e6, rho = 1000, nu = 0. Linear tets lock in
 * bending, so that single meshes are wrong, by an error that falls as the square of the cells; what is extrapolated from
 * it is right. Quadratic tets, two cells thick, are right to half a percent, also near nu = 1/2.
 */
#include "solids.h"

#include <float.h>
#include <time.h>

static lil_context *ctx;

enum { LEVELS_MAX = 3, BLOCK = 8, MODES = 4 };

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the beam, with the sparse matrix and the solver of its midpoint steps ---- */

typedef struct beam {
    lil_run *run;
    lil_evaluator *ev;
    lil_newton *newton;
    int n;
} beam;

static beam make_thick_beam(double thick, int along, int cells, const char *elements, double poisson,
                            const char *load)
{
    lil_run *run =
        body_problem(ctx,
                     "bodies:\n  beam:\n    shape: {type: bar, size: [1, %g, %g], cells: [%d, %d, %d]}\n"
                     "    elements: %s\n    material: {young: 1e6, poisson: %g, density: 1000}\n    fixed: left\n"
                     "    groups: {tip: right}\n%sintegrator: midpoint\nsolver: {linear: direct}\n" TIME,
                     thick, thick, along, cells, cells, elements, poisson, load);
    lil_sim *sim = lil_run_sim(run);
    return (beam){ run, &sim->ev, &lil_stepper_rule(&sim->stepper)->newton, sim->model->n };
}

static beam make_beam(int cells, const char *load)
{
    return make_thick_beam(0.05, 20 * cells, cells, "linear", 0, load);
}

/* ---- frequencies: subspace iteration, whose blocks hold both planes of bending ---- */

/* The small generalised problem A c = lambda B c by Jacobi on B^(-1/2) A B^(-1/2): B is the identity, because the block is
 * orthonormal in the mass. Eigenvalues ascend; vectors are the columns of C. */
static void small_eigen(double A[BLOCK][BLOCK], double lambda[BLOCK], double C[BLOCK][BLOCK])
{
    for (int i = 0; i < BLOCK; i++)
        for (int j = 0; j < BLOCK; j++)
            C[i][j] = i == j;
    for (int sweep = 0; sweep < 40; sweep++)
        for (int p = 0; p < BLOCK; p++)
            for (int q = p + 1; q < BLOCK; q++) {
                if (A[p][q] == 0)
                    continue;
                double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < BLOCK; k++) {
                    double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - s * y;
                    A[k][q] = s * x + c * y;
                    x = C[k][p], y = C[k][q];
                    C[k][p] = c * x - s * y;
                    C[k][q] = s * x + c * y;
                }
                for (int k = 0; k < BLOCK; k++) {
                    double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y;
                    A[q][k] = s * x + c * y;
                }
            }
    for (int i = 0; i < BLOCK; i++) {
        int least = i;
        for (int j = 0; j < BLOCK; j++)
            if (j >= i && A[j][j] < A[least][least])
                least = j;
        lambda[i] = A[least][least];
        A[least][least] = A[i][i];
        for (int k = 0; k < BLOCK; k++) {
            double swap = C[k][i];
            C[k][i] = C[k][least];
            C[k][least] = swap;
        }
    }
}

static double mass_dot(const beam *b, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < b->n; i++)
        sum += b->ev->model->mass.diagonal[i] * x[i] * y[i];
    return sum;
}

static void orthonormalise(const beam *b, double *V)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < BLOCK; i++) {
            double *x = V + i * b->n;
            for (int j = 0; j < i; j++) {
                double share = mass_dot(b, x, V + j * b->n);
                for (int k = 0; k < b->n; k++)
                    x[k] -= share * V[j * b->n + k];
            }
            double size = sqrt(mass_dot(b, x, x));
            for (int k = 0; k < b->n; k++)
                x[k] /= size;
        }
}

/* the MODES lowest, in Hz */
static void frequencies(const beam *b, double f[MODES])
{
    const double *q = lil_sim_state(lil_run_sim(b->run))->q;
    double *V = malloc((size_t)(2 * BLOCK * b->n) * sizeof *V), *Y = V + BLOCK * b->n, before = 0;
    double A[BLOCK][BLOCK], C[BLOCK][BLOCK], lambda[BLOCK];
    double *K = b->newton->H, *work = b->newton->work, *right = b->newton->g;
    memset(K, 0, (size_t)b->ev->matrix.pattern.count * sizeof *K);
    lil_evaluate_second(b->ev, 0, q, q, &(lil_weights){ .Qq = -1 }, K);
    CHECK(lil_ldl_factor(&b->newton->ldl, K));
    for (int i = 0; i < BLOCK * b->n; i++)
        V[i] = uniform(-1, 1);
    for (int round = 0; round < 40; round++) {
        orthonormalise(b, V);
        for (int i = 0; i < BLOCK; i++) { /* Y = K^-1 M V */
            for (int k = 0; k < b->n; k++)
                right[k] = b->ev->model->mass.diagonal[k] * V[i * b->n + k];
            lil_ldl_solve(&b->newton->ldl, right, Y + i * b->n, work);
        }
        memcpy(V, Y, (size_t)(BLOCK * b->n) * sizeof *V);
        orthonormalise(b, V);
        for (int i = 0; i < BLOCK; i++) {
            lil_sparse_multiply(&b->ev->matrix.pattern, K, V + i * b->n, right);
            for (int j = 0; j < BLOCK; j++)
                A[i][j] = lil_dot(b->n, right, V + j * b->n);
        }
        small_eigen(A, lambda, C);
        memset(Y, 0, (size_t)(BLOCK * b->n) * sizeof *Y);
        for (int i = 0; i < BLOCK; i++)
            for (int j = 0; j < BLOCK; j++)
                for (int k = 0; k < b->n; k++)
                    Y[i * b->n + k] += C[j][i] * V[j * b->n + k];
        memcpy(V, Y, (size_t)(BLOCK * b->n) * sizeof *V);
        if (fabs(lambda[MODES - 1] / before - 1) < 1e-10)
            break;
        before = lambda[MODES - 1];
    }
    for (int i = 0; i < MODES; i++)
        f[i] = sqrt(lambda[i]) / (2 * acos(-1));
    free(V);
}

/* ---- deflection ---- */

static void potential_value(void *self, const double *x, double *E, double *g, lil_noise *noise)
{
    const beam *b = self;
    lil_evaluate_potential(b->ev, 0, x, E, g);
    *noise = (lil_noise){ .E = 1e-13, .g = 1e-12 }; /* of 1 N m, and of forces of EA/1e4 */
}

static void potential_hessian(void *self, const double *x, double *H)
{
    const beam *b = self;
    memset(H, 0, (size_t)b->ev->matrix.pattern.count * sizeof *H);
    lil_evaluate_second(b->ev, 0, x, x, &(lil_weights){ .Qq = -1 }, H);
}

static void potential_definite(void *self, const double *x, double *H)
{
    const beam *b = self;
    memset(H, 0, (size_t)b->ev->matrix.pattern.count * sizeof *H);
    lil_evaluate_second(b->ev, 0, x, x, &(lil_weights){ .Qq = -1, .definite = true }, H);
}

static double potential_longest(void *self, const double *x, const double *d)
{
    const beam *b = self;
    return lil_evaluate_longest(b->ev, 0, x, d);
}

/* theta'' = -load cos(theta), theta(0) = 0, theta'(1) = 0, by shooting: the curve at s as (x, z, theta) */
static double elastica(double load, double s_end, double at[3])
{
    enum { STEPS = 2000 };
    double low = 0, high = 2, kappa = 0;
    for (int pass = 0; pass < 60; pass++) {
        double y[4] = { 0, 0, 0, kappa = (low + high) / 2 }, h = 1.0 / STEPS; /* x, z, theta, theta' */
        for (int k = 0; k < STEPS; k++) {
            if (pass == 59 && k <= (int)(s_end * STEPS + 1e-9))
                memcpy(at, y, 3 * sizeof *at);
            double middle = y[2] + h / 2 * y[3], slope = y[3] - h / 2 * load * cos(y[2]); /* midpoint */
            y[0] += h * cos(middle);
            y[1] += h * sin(middle);
            y[3] -= h * load * cos(middle);
            y[2] += h * slope;
        }
        *(y[3] > 0 ? &high : &low) = kappa;
        if (pass == 59 && s_end >= 1)
            memcpy(at, y, 3 * sizeof *at);
        if (pass == 59)
            return y[1];
    }
    return NAN;
}

/* Down by W's minimum from the elastica of a softer load, which is nearer to where a locking mesh ends. */
static double deflection(const beam *b, double share, int *iterations)
{
    lil_objective f = { .n = b->n,
                        .pattern = &b->ev->matrix.pattern,
                        .self = (void *)b,
                        .value = potential_value,
                        .hessian = potential_hessian,
                        .definite = potential_definite,
                        .longest = potential_longest };
    lil_solve solve = { .tolerance = 1e-6, .reference = 1, .iterations_max = 60 };
    const lil_world *bs = b->run->plan.world;
    const lil_dofs *dofs = &b->ev->model->dofs;
    double *x = malloc((size_t)b->n * sizeof *x), at[3] = { 0 }, tip = 0, s_before = -1;
    for (int i = 0; i < bs->vertex_count; i++) { /* each section turned with the curve; vertices go by x */
        const double *X = bs->x + 3 * i;
        double s = X[0] - bs->x[0], height = X[2];
        if (s != s_before)
            elastica(share, s_before = s, at);
        const double place[3] = { bs->x[0] + at[0] + height * sin(at[2]), X[1], -at[1] + height * cos(at[2]) };
        for (int d = 0; d < 3; d++)
            if (dofs->number[3 * i + d] >= 0)
                x[dofs->number[3 * i + d]] = place[d];
    }
    lil_minimise(b->newton, &f, &solve, x);
    CHECK(solve.converged);
    *iterations = solve.iterations;
    const lil_mark_set *mark = &b->ev->model->points.marks[1];
    for (int i = 0; i < mark->count; i++)
        tip += mark->weights[i] * (x[dofs->number[3 * mark->vertices[i] + 2]] - bs->x[3 * mark->vertices[i] + 2]);
    free(x);
    return -tip;
}

/* ---- the table ---- */

static const int cells_of_levels[LEVELS_MAX] = { 2, 4, 6 };

static double refinement(int level)
{
    return (double)cells_of_levels[level] / cells_of_levels[level - 1];
}

/* The limit, where errors are of second order. */
static double extrapolate(const double *value, int last)
{
    double r = refinement(last);
    return value[last] + (value[last] - value[last - 1]) / (r * r - 1);
}

TEST(cantilever)
{
    static const double exact[3] = { 0.25500, 1.58263, 0.30172 };
    static const char *const what[3] = { "f1, Hz", "f2, Hz", "tip/L" };
    int levels = test_small() ? 2 : 3;
    double value[3][LEVELS_MAX];
    double at[3];
    CHECK_NEAR(elastica(1, 1, at), exact[2], 1e-5); /* the guess is of the right kind */
    printf("        cells        f1, Hz           f2, Hz           tip/L            iterations, s\n");
    for (int k = 0; k < levels; k++) {
        static const double share[LEVELS_MAX] = { 0.5, 0.8, 0.93 }; /* how much of the load a locking mesh feels */
        double f[MODES], start = seconds();
        int cells = cells_of_levels[k], iterations;
        beam b = make_beam(cells, "");
        double built = seconds();
        frequencies(&b, f);
        double found = seconds();
        lil_run_destroy(&b.run);
        CHECK_NEAR(f[0] / f[1], 1, 1e-6); /* both planes are alike */
        CHECK_NEAR(f[2] / f[3], 1, 1e-6);
        value[0][k] = f[0];
        value[1][k] = f[2];
        b = make_beam(cells, "    loads: [{select: right, force: [0, 0, -0.52083333333333333]}]\n");
        double rebuilt = seconds();
        value[2][k] = deflection(&b, share[k], &iterations);
        double bent = seconds();
        lil_run_destroy(&b.run);
        printf("        %3d %3d %3d", 20 * cells, cells, cells);
        for (int i = 0; i < 3; i++)
            printf("  %8.5f %+5.1f%%", value[i][k], 100 * (value[i][k] / exact[i] - 1));
        printf("  %d; build %.1f, modes %.1f, bend %.1f\n", iterations, built - start, found - built, bent - rebuilt);
    }
    printf("        extrapolated");
    for (int i = 0; i < 3; i++) {
        double x = extrapolate(value[i], levels - 1);
        printf(" %8.5f %+5.1f%%", x, 100 * (x / exact[i] - 1));
    }
    printf("\n");
    for (int i = 0; i < 3; i++) {
        for (int k = 1; k < levels; k++) { /* errors fall by about 4 a halving: by 2.2 or 3 at least, and 5 at most */
            double order = log((value[i][k - 1] - exact[i]) / (value[i][k] - exact[i])) / log(refinement(k));
            printf("        %s: order %.2f\n", what[i], order);
            CHECK(order > log2(k == 1 ? 2.2 : 3) && order < log2(5));
        }
        CHECK_NEAR(extrapolate(value[i], levels - 1) / exact[i], 1, levels == 3 ? 0.02 : 0.1);
    }
}

/* With quadratic tets, without extrapolation: what 40 x 2 x 2 cells miss is 4e-4 of the waves' energy (h^4), and the
 * lumped mass. */
TEST(quadratic_cantilever)
{
    static const double exact[3] = { 0.25500, 1.58263, 0.30172 };
    double f[MODES], value[3];
    int iterations;
    beam b = make_thick_beam(0.05, 40, 2, "quadratic", 0, "");
    frequencies(&b, f);
    lil_run_destroy(&b.run);
    value[0] = f[0];
    value[1] = f[2];
    b = make_thick_beam(0.05, 40, 2, "quadratic", 0,
                        "    loads: [{select: right, force: [0, 0, -0.52083333333333333]}]\n");
    value[2] = deflection(&b, 1, &iterations);
    lil_run_destroy(&b.run);
    printf("        quadratic   ");
    for (int i = 0; i < 3; i++) {
        printf(" %8.5f %+5.2f%%", value[i], 100 * (value[i] / exact[i] - 1));
        CHECK_NEAR(value[i] / exact[i], 1, 0.005);
    }
    printf("\n");
}

/* Nearly incompressible, twice as thick, two cells through. Beam theory does not know the root, which cannot contract: the
 * answers are 0.98292 and 0.98642, 0.98210 and 0.98554 with 20 and 40 cells along, extrapolated with order 2. */
TEST(nearly_incompressible)
{
    static const double poisson[2] = { 0.49, 0.499 }, exact[2] = { 0.9876, 0.9867 };
    const double load = 0.01, euler = load / 3;
    for (int i = 0; i < 2; i++) {
        int iterations;
        beam b = make_thick_beam(0.1, 20, 2, "quadratic", poisson[i],
                                 "    loads: [{select: right, force: [0, 0, -0.083333333333333333]}]\n");
        double tip = deflection(&b, load, &iterations) / euler;
        lil_run_destroy(&b.run);
        printf("        nu = %g: tip %.5f of Euler's, %+.2f%% after %d iterations\n", poisson[i], tip,
               100 * (tip / exact[i] - 1), iterations);
        CHECK_NEAR(tip / exact[i], 1, 0.01);
    }
}

int main(void)
{
    ctx = lil_context_create();
    srand(1);
    RUN(cantilever);
    RUN_RELEASE(quadratic_cantilever);
    RUN_RELEASE(nearly_incompressible);
    lil_context_destroy(&ctx);
    return test_end();
}
