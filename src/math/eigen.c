/*
 * Householder's reduction to a tridiagonal matrix, then implicit QL steps with Wilkinson's shift (Martin, Reinsch &
 * Wilkinson 1968; Dubrulle, Martin & Wilkinson 1968; EISPACK's tred2 and tql2).
 */
#include "math/eigen.h"

#include <float.h>
#include <math.h>

enum { QL_STEPS = 60 }; /* for one eigenvalue; two are usual */

/* Row i becomes Householder's vector u, and A the matrix (1 - uu'/h) A (1 - uu'/h) over the rows before it. */
static double reflect(int n, int i, double *A, double *e)
{
    double *u = A + i * n, scale = 0, h = 0;
    int last = i - 1;
    for (int k = 0; last > 0 && k <= last; k++)
        scale += fabs(u[k]);
    e[i] = u[last];
    if (scale == 0)
        return 0;
    for (int k = 0; k <= last; k++) {
        u[k] /= scale;
        h += u[k] * u[k];
    }
    double pivot = u[last], g = pivot >= 0 ? -sqrt(h) : sqrt(h), along = 0;
    e[i] = scale * g;
    h -= pivot * g;
    u[last] = pivot - g;
    for (int j = 0; j <= last; j++) { /* e = A u/h, along = u'A u/h */
        double sum = 0;
        for (int k = 0; k <= j; k++)
            sum += A[j * n + k] * u[k];
        for (int k = j + 1; k <= last; k++)
            sum += A[k * n + j] * u[k];
        A[j * n + i] = u[j] / h;
        e[j] = sum / h;
        along += e[j] * u[j];
    }
    for (int j = 0; j <= last; j++) {
        e[j] -= along / (h + h) * u[j];
        for (int k = 0; k <= j; k++)
            A[j * n + k] -= u[j] * e[k] + e[j] * u[k];
    }
    return h;
}

/* A becomes Q with Q'AQ tridiagonal: diagonal d, and e[i] between rows i - 1 and i. */
static void tridiagonalise(int n, double *A, double *d, double *e)
{
    for (int i = n - 1; i > 0; i--)
        d[i] = reflect(n, i, A, e);
    d[0] = e[0] = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; d[i] != 0 && j < i; j++) {
            double g = 0;
            for (int k = 0; k < i; k++)
                g += A[i * n + k] * A[k * n + j];
            for (int k = 0; k < i; k++)
                A[k * n + j] -= g * A[k * n + i];
        }
        d[i] = A[i * n + i];
        A[i * n + i] = 1;
        for (int j = 0; j < i; j++)
            A[j * n + i] = A[i * n + j] = 0;
    }
}

static void transpose(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double a = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = a;
        }
}

/* One QL step on rows from .. to, whose subdiagonal is e[from] ... e[to - 1]; the rotations act on rows of Z. */
static void ql_step(int n, int from, int to, double *d, double *e, double *Z)
{
    double half = (d[from + 1] - d[from]) / (2 * e[from]);
    double g = d[to] - d[from] + e[from] / (half + copysign(hypot(half, 1), half)), s = 1, c = 1, p = 0;
    for (int i = to - 1; i >= from; i--) {
        double f = s * e[i], b = c * e[i], r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0) { /* it falls into two parts */
            d[i + 1] -= p;
            e[to] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        double *x = Z + i * n, *y = x + n;
        for (int k = 0; k < n; k++) {
            double z = y[k];
            y[k] = s * x[k] + c * z;
            x[k] = c * x[k] - s * z;
        }
    }
    d[from] -= p;
    e[from] = g;
    e[to] = 0;
}

static bool diagonalise(int n, double *d, double *e, double *Z)
{
    for (int i = 1; i < n; i++)
        e[i - 1] = e[i];
    e[n - 1] = 0;
    for (int from = 0; from < n; from++)
        for (int step = 0;; step++) {
            int to = from;
            while (to < n - 1 && fabs(e[to]) > DBL_EPSILON * (fabs(d[to]) + fabs(d[to + 1])))
                to++;
            if (to == from)
                break;
            if (step == QL_STEPS)
                return false;
            ql_step(n, from, to, d, e, Z);
        }
    return true;
}

static void sort(int n, double *w, double *Z)
{
    for (int i = 0; i < n; i++) {
        int least = i;
        for (int k = i + 1; k < n; k++)
            least = w[k] < w[least] ? k : least;
        for (int k = 0; least != i && k < n; k++) {
            double z = Z[i * n + k];
            Z[i * n + k] = Z[least * n + k];
            Z[least * n + k] = z;
        }
        double x = w[i];
        w[i] = w[least];
        w[least] = x;
    }
}

bool lil_eigen_symmetric(int n, double *A, double *w, double *work)
{
    for (int k = 0; k < n * n; k++)
        if (!isfinite(A[k]))
            return false;
    if (n < 1)
        return true;
    tridiagonalise(n, A, w, work);
    transpose(n, A);
    if (!diagonalise(n, w, work, A))
        return false;
    sort(n, w, A);
    return true;
}
