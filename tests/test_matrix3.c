/* Lanes, 3x3 matrices, their singular values and eigenvalues. */
#include "math/lanes.h"
#include "math/matrix3.h"
#include "math/svd3.h"
#include "test.h"

#include <float.h>

static double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

static double norm9(const double A[9])
{
    double sum = 0, most = DBL_MIN;
    for (int i = 0; i < 9; i++)
        most = fmax(most, fabs(A[i]));
    for (int i = 0; i < 9; i++)
        sum += A[i] / most * (A[i] / most);
    return most * sqrt(sum);
}

/* ---- lanes ---- */

/* |x - exact| in units of the last place of a double */
static double units(double x, long double exact)
{
    double near = fabs((double)exact);
    return (double)(fabsl(x - exact) / (nextafter(near, INFINITY) - near));
}

/* rounding in x y^3 thrice, of which a third reaches y, and of the last sum: 1.5 units; log: as FDLIBM says of its own */
static void check_roots(double x)
{
    lil_lanes all = { x, 1, x, 2 }, y = lil_lanes_rcbrt(all), l = lil_lanes_log(all);
    CHECK_BELOW(units(y[0], 1 / cbrtl(x)), 1.6);
    CHECK_BELOW(units(l[0], logl(x)), 1.1);
    CHECK(y[0] == y[2] && l[0] == l[2]);
}

TEST(rcbrt_and_log_over_the_whole_range)
{
    for (int k = 0; k < (test_small() ? 2000 : 200000); k++) {
        check_roots(ldexp(uniform(1, 2), (int)uniform(-1022, 1023)));
        check_roots(uniform(0.5, 2));
        check_roots(1 + uniform(-1, 1) * ldexp(1, -(int)uniform(0, 52)));
    }
    check_roots(DBL_MIN);
    check_roots(DBL_MAX);
    check_roots(nextafter(1, 0));
    lil_lanes one = lil_lanes_rcbrt(lil_lanes_all(1)), zero = lil_lanes_log(lil_lanes_all(1));
    CHECK(one[0] == 1 && one[3] == 1 && zero[0] == 0 && zero[3] == 0);
    CHECK(lil_lanes_rcbrt(lil_lanes_all(8))[1] == 0.5);
}

TEST(lanes_agree_with_scalars)
{
    lil_lanes F[9], G[9], H[9];
    double f[9], g[9], h[9];
    for (int i = 0; i < 9; i++) {
        F[i] = (lil_lanes){ uniform(-2, 2), uniform(-2, 2), uniform(-2, 2), uniform(-2, 2) };
        f[i] = F[i][2];
    }
    lil_lanes_cofactor(F, G);
    lil_lanes_cross(F, F, H);
    lil_cofactor3(f, g);
    double det = lil_determinant3(f);
    lil_multiply3_nt(f, g, h); /* F cof(F)' = det F I */
    for (int i = 0; i < 9; i++) {
        CHECK(G[i][2] == g[i]);
        CHECK_NEAR(H[i][2], 2 * g[i], 32 * DBL_EPSILON);
        CHECK_NEAR(h[i], i % 4 ? 0 : det, 64 * DBL_EPSILON);
    }
    lil_lanes mixed = lil_lanes_select(F[0] > F[1], F[0], F[1]);
    for (int k = 0; k < LIL_LANES; k++)
        CHECK(mixed[k] == fmax(F[0][k], F[1][k]));
}

/* ---- singular values ---- */

static void check_rotation(const double Q[9])
{
    double C[9];
    lil_multiply3_tn(Q, Q, C);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(C[i], i % 4 == 0, 40 * DBL_EPSILON); /* some 15 rotations, a unit or two each */
    CHECK_NEAR(lil_determinant3(Q), 1, 40 * DBL_EPSILON);
}

/* a backward stable algorithm of some 15 rotations: a unit or two of |F| each */
static void check_svd(const double F[9], double s[3])
{
    double U[9], V[9], US[9], again[9], size = norm9(F);
    lil_svd3(F, U, s, V);
    check_rotation(U);
    check_rotation(V);
    for (int i = 0; i < 9; i++)
        US[i] = U[i] * s[i % 3];
    lil_multiply3_nt(US, V, again);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(again[i], F[i], 40 * DBL_EPSILON * size + DBL_MIN);
    CHECK(s[0] >= s[1] && s[1] >= fabs(s[2]));
    double det = lil_determinant3(F) / size / size / size;
    if (fabs(det) > 1e-13)
        CHECK((s[2] < 0) == (det < 0));
}

static void random_rotation(double R[9])
{
    double F[9], U[9], V[9], s[3];
    for (int i = 0; i < 9; i++)
        F[i] = uniform(-1, 1);
    lil_svd3(F, U, s, V);
    lil_multiply3_nt(U, V, R);
}

static void compose(const double s[3], double F[9])
{
    double U[9], V[9];
    random_rotation(U);
    random_rotation(V);
    for (int i = 0; i < 9; i++)
        U[i] *= s[i % 3];
    lil_multiply3_nt(U, V, F);
}

TEST(svd_of_random_matrices)
{
    for (int k = 0; k < (test_small() ? 500 : 20000); k++) {
        double F[9], s[3];
        for (int i = 0; i < 9; i++)
            F[i] = k % 3 ? uniform(-1, 1) : (int)uniform(-3, 3); /* whole numbers: many coincidences */
        check_svd(F, s);
    }
}

TEST(svd_of_hard_cases)
{
    static const double hard[][3] = {
        { 1, 1, 1 },     { 1, 1, -1 },     { 2, 1, 1 },           { 2, 1, -1 },       { 2, 2, 1 },
        { 1, 1, 0 },     { 1, 0, 0 },      { 1, 1e-8, 1e-8 },     { 1, 1e-8, -1e-9 }, { 1, 1e-16, 1e-17 },
        { 1, 1e-20, 0 }, { 1, 1, 1e-300 }, { 1, 1e-150, 1e-200 }, { 3, 3, -1e-14 },   { 1, 1 - 1e-15, 1 - 2e-15 },
    };
    for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++)
        for (int scale = -300; scale <= 300; scale += 100)
            for (int turn = 0; turn < 20; turn++) {
                double F[9], s[3], unit = pow(10, scale);
                compose(hard[k], F);
                for (int i = 0; i < 9; i++)
                    F[i] *= unit;
                check_svd(F, s);
                for (int i = 0; i < 3; i++) /* composed with round-off of its own */
                    CHECK_NEAR(s[i] / unit, hard[k][i], 80 * DBL_EPSILON * hard[k][0]);
            }
}

TEST(svd_of_exact_cases)
{
    static const double zero[9] = { 0 }, inverted[9] = { -1, 0, 0, 0, -1, 0, 0, 0, -1 };
    static const double column[9] = { 0, 0, 3, 0, 0, 0, 0, 0, -4 }, tiny[9] = { 0, 5e-324, 0, 0, 0, 0, 0, 0, 0 };
    static const double ones[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    double s[3], U[9], V[9];
    check_svd(zero, s);
    CHECK(s[0] == 0 && s[1] == 0 && s[2] == 0);
    check_svd(inverted, s);
    CHECK(s[0] == 1 && s[1] == 1 && s[2] == -1);
    check_svd(column, s);
    CHECK_NEAR(s[0], 5, 8 * DBL_EPSILON);
    CHECK(s[1] == 0 && s[2] == 0);
    check_svd(tiny, s);
    CHECK(s[0] == 5e-324 && s[1] == 0);
    check_svd(ones, s);
    CHECK_NEAR(s[0], 3, 16 * DBL_EPSILON);
    CHECK_NEAR(s[1], 0, 16 * DBL_EPSILON);
    for (int k = 0; k < 9; k++) { /* what is not finite ends, and is seen in s */
        double F[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 10 };
        F[k] = k % 2 ? NAN : INFINITY;
        lil_svd3(F, U, s, V);
        CHECK(isnan(s[0]) && isnan(s[1]) && isnan(s[2]));
    }
}

/* small ones are right to their own last digits where columns are merely scaled (Demmel & Veselic 1992) */
TEST(svd_keeps_small_values)
{
    for (int k = 0; k < 200; k++) {
        double R[9], F[9], U[9], V[9], s[3];
        random_rotation(R);
        for (int i = 0; i < 9; i++)
            F[i] = R[i] * (double[]){ 1, 1e-6, 1e-12 }[i % 3];
        lil_svd3(F, U, s, V);
        CHECK_NEAR(s[1], 1e-6, 40 * DBL_EPSILON * 1e-6);
        CHECK_NEAR(s[2], 1e-12, 40 * DBL_EPSILON * 1e-12);
    }
}

/* ---- eigenvalues ---- */

static void check_eig(const double A[9])
{
    double a[3], Q[9], C[9], QA[9], again[9], size = norm9(A);
    lil_eig3(A, a, Q);
    lil_multiply3_tn(Q, Q, C);
    for (int i = 0; i < 9; i++) {
        CHECK_NEAR(C[i], i % 4 == 0, 40 * DBL_EPSILON);
        QA[i] = Q[i] * a[i % 3];
    }
    lil_multiply3_nt(QA, Q, again);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(again[i], A[i], 40 * DBL_EPSILON * size);
    CHECK(a[0] >= a[1] && a[1] >= a[2]);
}

TEST(eigenvalues)
{
    static const double hard[][3] = { { 1, 1, 1 },
                                      { 0, 0, 0 },
                                      { 1, 0, 0 },
                                      { 1, -1, 0 },
                                      { 1, 1, -1 },
                                      { 1e300, 1, -1e300 },
                                      { 1e-300, 2e-300, -1e-300 },
                                      { 1, 1e-9, -1e-9 } };
    for (size_t k = 0; k < sizeof hard / sizeof hard[0]; k++)
        for (int turn = 0; turn < 50; turn++) {
            double R[9], RA[9], A[9];
            random_rotation(R);
            for (int i = 0; i < 9; i++)
                RA[i] = R[i] * hard[k][i % 3];
            lil_multiply3_nt(RA, R, A);
            A[3] = A[1], A[6] = A[2], A[7] = A[5];
            check_eig(A);
        }
    for (int k = 0; k < 1000; k++) {
        double A[9];
        for (int i = 0; i < 9; i++)
            A[i] = k % 2 ? uniform(-1, 1) : (int)uniform(-3, 3);
        A[3] = A[1], A[6] = A[2], A[7] = A[5];
        check_eig(A);
    }
    double A[9] = { 2, 1, 0, 1, 2, 0, 0, 0, NAN }, a[3], Q[9];
    lil_eig3((const double[]){ 2, 1, 0, 1, 2, 0, 0, 0, 7 }, a, Q);
    CHECK_NEAR(a[0], 7, 0);
    CHECK_NEAR(a[1], 3, 8 * DBL_EPSILON);
    CHECK_NEAR(a[2], 1, 8 * DBL_EPSILON);
    lil_eig3(A, a, Q);
    CHECK(isnan(a[0]) || isnan(a[1]) || isnan(a[2]));
}

int main(void)
{
    RUN(rcbrt_and_log_over_the_whole_range);
    RUN(lanes_agree_with_scalars);
    RUN(svd_of_random_matrices);
    RUN(svd_of_hard_cases);
    RUN(svd_of_exact_cases);
    RUN(svd_keeps_small_values);
    RUN(eigenvalues);
    return test_end();
}
