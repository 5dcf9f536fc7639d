/*
 * One-sided Jacobi (Hestenes 1958; Demmel & Veselic 1992): columns of B = F V are rotated in pairs until they are
 * orthogonal. It works on F itself, not on F'F, whose small eigenvalues are lost in round-off.
 */
#include "math/svd3.h"

#include "math/matrix3.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 16 }; /* 4 to 6 are usual: convergence is quadratic */

/* (a, b) = (c a - s b, s a + c b) */
static void svd3_rotate(double a[3], double b[3], double c, double s)
{
    for (int i = 0; i < 3; i++) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

/* The rotation by at most 45 degrees that takes away the off-diagonal y of ((x, y), (y, z)). Two roots and a quotient,
 * one after the other, are what a sweep waits for. */
static void jacobi(double x, double y, double z, double *c, double *s)
{
    double d = z - x, twice = 2 * y, r = fabs(d) + sqrt(d * d + twice * twice);
    double n = 1 / sqrt(r * r + twice * twice);
    *c = r * n;
    *s = copysign(n, d) * twice;
}

/* Rows of b and v are the columns of B and V. False: they were orthogonal already. */
static int orthogonalise(double b[3][3], double v[3][3], int i, int j)
{
    double x = lil_dot3(b[i], b[i]), y = lil_dot3(b[i], b[j]), z = lil_dot3(b[j], b[j]), c, s;
    /* the round-off of the product itself; and what has no digits left near the end of the range */
    if (y * y <= 4 * DBL_EPSILON * DBL_EPSILON * x * z + 1e-280)
        return 0;
    jacobi(x, y, z, &c, &s);
    svd3_rotate(b[i], b[j], c, s);
    svd3_rotate(v[i], v[j], c, s);
    return 1;
}

/* A quarter turn, which keeps det V. */
static void swap(double b[3][3], double v[3][3], int i, int j)
{
    svd3_rotate(b[i], b[j], 0, 1);
    svd3_rotate(v[i], v[j], 0, 1);
}

static void svd3_sort(double b[3][3], double v[3][3])
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2 - pass; i++)
            if (lil_dot3(b[i], b[i]) < lil_dot3(b[i + 1], b[i + 1]))
                swap(b, v, i, i + 1);
}

static void svd3_scale(double a[3], double by)
{
    for (int i = 0; i < 3; i++)
        a[i] *= by;
}

/* b's part perpendicular to the unit vector u, made a unit; any such vector where nothing of b remains. */
static void perpendicular(const double u[3], const double b[3], double out[3])
{
    double along = lil_dot3(u, b), most = fmax(fabs(b[0]), fmax(fabs(b[1]), fabs(b[2])));
    for (int i = 0; i < 3; i++)
        out[i] = b[i] - along * u[i];
    if (lil_dot3(out, out) > most * most / 4 &&
        most > DBL_MIN * 0x1p600) { /* most of b is left, with all its digits */
        svd3_scale(out, 1 / sqrt(lil_dot3(out, out)));
        return;
    }
    int least = fabs(u[0]) <= fabs(u[1]) ? 0 : 1;
    least = fabs(u[2]) < fabs(u[least]) ? 2 : least;
    for (int i = 0; i < 3; i++)
        out[i] = (i == least) - u[least] * u[i];
    svd3_scale(out, 1 / sqrt(lil_dot3(out, out)));
}

/* U from the sorted, orthogonal columns of B. Its third column follows from the others, and so does the sign of s3. */
static void left(double b[3][3], double u[3][3], double s[3])
{
    s[0] = sqrt(lil_dot3(b[0], b[0]));
    memcpy(u[0], s[0] > 0 ? b[0] : (double[]){ 1, 0, 0 }, sizeof u[0]);
    if (s[0] > 0)
        svd3_scale(u[0], 1 / s[0]);
    perpendicular(u[0], b[1], u[1]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        u[2][i] = u[0][j] * u[1][k] - u[0][k] * u[1][j];
    }
    s[1] = fmin(fabs(lil_dot3(u[1], b[1])), s[0]); /* the order holds up to round-off, which this takes away */
    s[2] = lil_dot3(u[2], b[2]);
    s[2] = copysign(fmin(fabs(s[2]), s[1]), s[2]);
}

static double svd3_largest(const double F[9])
{
    double most = 0;
    for (int i = 0; i < 9; i++)
        most = fabs(F[i]) > most || isnan(F[i]) ? fabs(F[i]) : most;
    return most;
}

void lil_svd3(const double F[9], double U[9], double s[3], double V[9])
{
    double u[3][3], b[3][3], v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    double most = svd3_largest(F), unit = 1;
    if (most > 0 && (most < 1e-50 || most > 1e50)) /* squares of squares would leave the range */
        unit = most;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            b[j][i] = F[3 * i + j] / unit;
    for (int sweep = 0, turned = 1; sweep < SWEEPS_MAX && turned; sweep++)
        turned = orthogonalise(b, v, 0, 1) + orthogonalise(b, v, 0, 2) + orthogonalise(b, v, 1, 2);
    svd3_sort(b, v);
    left(b, u, s);
    svd3_scale(s, unit);
    for (int i = 0; i < 9; i++) {
        U[i] = u[i % 3][i / 3];
        V[i] = v[i % 3][i / 3];
    }
}

void lil_eig3(const double A[9], double a[3], double Q[9])
{
    double S[9] = { A[0], A[1], A[2], A[1], A[4], A[5], A[2], A[5], A[8] };
    double q[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    double most = svd3_largest(S), unit = most > 0 ? most : 1;
    for (int i = 0; i < 9; i++)
        S[i] /= unit;
    for (int sweep = 0, turned = 1; sweep < SWEEPS_MAX && turned; sweep++) {
        turned = 0;
        for (int i = 0; i < 2; i++)
            for (int j = i + 1; j < 3; j++) {
                int k = 3 - i - j;
                double c, s, y = S[3 * i + j], ki = S[3 * k + i], kj = S[3 * k + j];
                if (!(fabs(y) > DBL_EPSILON / 4))
                    continue;
                jacobi(S[4 * i], y, S[4 * j], &c, &s);
                S[4 * i] -= s / c * y;
                S[4 * j] += s / c * y;
                S[3 * i + j] = S[3 * j + i] = 0;
                S[3 * k + i] = S[3 * i + k] = c * ki - s * kj;
                S[3 * k + j] = S[3 * j + k] = s * ki + c * kj;
                svd3_rotate(q[i], q[j], c, s);
                turned = 1;
            }
    }
    for (int i = 0; i < 9; i++) /* stays where S is not finite, which has no order */
        Q[i] = a[i / 3] = NAN;
    for (int i = 0; i < 3; i++) { /* each to the place that as many are larger as come before */
        int place = 0;
        for (int j = 0; j < 3; j++)
            place += S[4 * j] > S[4 * i] || (S[4 * j] == S[4 * i] && j < i);
        a[place] = S[4 * i] * unit;
        for (int j = 0; j < 3; j++)
            Q[3 * j + place] = q[i][j];
    }
}
