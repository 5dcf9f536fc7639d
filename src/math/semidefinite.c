/*
 * A = Q D Q' by cyclic Jacobi rotations (Golub & Van Loan, Matrix Computations, section 8.5), then Q max(D, 0) Q'. Of
 * few eigenvalues below 0 only these are taken out, A - sum lambda q q', so that what was semidefinite keeps its last
 * bits.
 */
#include "math/semidefinite.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 30 }; /* it takes 5 to 8: convergence is quadratic */

/* Zeroes A_pq by a rotation of the axes p and q, which Q's rows p and q take part in. */
static void semidefinite_rotate(int n, double *A, double *Q, int p, int q)
{
    double apq = A[n * p + q];
    if (apq == 0)
        return;
    double theta = (A[n * q + q] - A[n * p + p]) / (2 * apq);
    double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta)), c = 1 / hypot(1, t), s = t * c;
    for (int k = 0; k < n; k++) {
        double akp = A[n * k + p], akq = A[n * k + q];
        A[n * k + p] = c * akp - s * akq;
        A[n * k + q] = s * akp + c * akq;
    }
    for (int k = 0; k < n; k++) {
        double apk = A[n * p + k], aqk = A[n * q + k], qp = Q[n * p + k], qq = Q[n * q + k];
        A[n * p + k] = c * apk - s * aqk;
        A[n * q + k] = s * apk + c * aqk;
        Q[n * p + k] = c * qp - s * qq;
        Q[n * q + k] = s * qp + c * qq;
    }
    A[n * p + q] = A[n * q + p] = 0;
}

/* A becomes diagonal, Q's rows the eigenvectors. */
static void diagonalise(int n, double *A, double *Q)
{
    memset(Q, 0, (size_t)(n * n) * sizeof *Q);
    for (int i = 0; i < n; i++)
        Q[n * i + i] = 1;
    for (int sweep = 0; sweep < SWEEPS_MAX; sweep++) {
        double off = 0, all = 0;
        for (int e = 0; e < n * n; e++) {
            all += A[e] * A[e];
            off += e / n == e % n ? 0 : A[e] * A[e];
        }
        if (!(off > DBL_EPSILON * DBL_EPSILON * all))
            return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++)
                semidefinite_rotate(n, A, Q, p, q);
    }
}

void lil_make_semidefinite(int n, double *A)
{
    double D[LIL_SEMIDEFINITE_MAX * LIL_SEMIDEFINITE_MAX], Q[LIL_SEMIDEFINITE_MAX * LIL_SEMIDEFINITE_MAX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            A[n * i + j] = A[n * j + i] = (A[n * i + j] + A[n * j + i]) / 2;
    memcpy(D, A, (size_t)(n * n) * sizeof *D);
    diagonalise(n, D, Q);
    for (int k = 0; k < n; k++) {
        double lambda = D[n * k + k];
        for (int e = 0; e < n * n && lambda < 0; e++)
            A[e] -= lambda * (Q[n * k + e / n] * Q[n * k + e % n]); /* symmetric to the last bit */
    }
}
