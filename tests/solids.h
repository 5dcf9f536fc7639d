/* What tests of bodies share: scenes of bars, vectors over vertices, eigenvalues of small matrices. */
#ifndef LIL_TEST_SOLIDS_H
#define LIL_TEST_SOLIDS_H

#include "problems.h"

#include "math/matrix3.h"
#include "math/svd3.h"
#include "model/evaluator.h"
#include "run/run.h"
#include "sim/sim.h"
#include "world/world.h"

#include <stdarg.h>

static inline double uniform(double lo, double hi)
{
    return lo + (hi - lo) * (rand() / (double)RAND_MAX);
}

/* A scene made as printf makes text. */
__attribute__((format(printf, 2, 3))) static inline lil_run *body_problem(lil_context *ctx, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return problem(ctx, text);
}

#define TIME "time: {step: 0.01, until: 1}\n"

static inline double largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = isnan(x[i]) ? NAN : fmax(most, fabs(x[i]));
    return most;
}

static inline double apart(int n, const double *x, const double *y)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = isnan(x[i] - y[i]) ? NAN : fmax(most, fabs(x[i] - y[i]));
    return most;
}

static inline void add_cross(const double a[3], const double b[3], double sum[3])
{
    sum[0] += a[1] * b[2] - a[2] * b[1];
    sum[1] += a[2] * b[0] - a[0] * b[2];
    sum[2] += a[0] * b[1] - a[1] * b[0];
}

/* sum f and sum x cross f, over vertices */
static inline void sum_up(int vertices, const double *x, const double *f, double force[3], double torque[3])
{
    for (int d = 0; d < 3; d++)
        force[d] = torque[d] = 0;
    for (int i = 0; i < vertices; i++) {
        for (int d = 0; d < 3; d++)
            force[d] += f[3 * i + d];
        add_cross(x + 3 * i, f + 3 * i, torque);
    }
}

static inline void random_rotation(double R[9])
{
    double F[9], U[9], V[9], s[3];
    for (int i = 0; i < 9; i++)
        F[i] = uniform(-1, 1);
    lil_svd3(F, U, s, V);
    lil_multiply3_nt(U, V, R);
}

/* y = R x + c of all vertices */
static inline void move_rigidly(int vertices, const double R[9], const double c[3], const double *x, double *y)
{
    for (int i = 0; i < vertices; i++)
        for (int d = 0; d < 3; d++)
            y[3 * i + d] = R[3 * d] * x[3 * i] + R[3 * d + 1] * x[3 * i + 1] + R[3 * d + 2] * x[3 * i + 2] + c[d];
}

/* v = c + w cross x */
static inline void rigid_velocity(int vertices, const double w[3], const double c[3], const double *x, double *v)
{
    for (int i = 0; i < vertices; i++) {
        memcpy(v + 3 * i, c, 3 * sizeof *v);
        add_cross(w, x + 3 * i, v + 3 * i);
    }
}

/* Smallest and largest eigenvalue of a symmetric matrix, by Jacobi's rotations; A is overwritten. */
static inline void eigenvalues(int n, double *A, double *least, double *most)
{
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0, on = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                *(i == j ? &on : &off) += A[n * i + j] * A[n * i + j];
        if (off <= 1e-30 * on)
            break;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                double apq = A[n * p + q];
                if (apq == 0)
                    continue;
                double theta = (A[n * q + q] - A[n * p + p]) / (2 * apq);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(1 + theta * theta));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < n; k++) {
                    double akp = A[n * k + p], akq = A[n * k + q];
                    A[n * k + p] = c * akp - s * akq;
                    A[n * k + q] = s * akp + c * akq;
                }
                for (int k = 0; k < n; k++) {
                    double apk = A[n * p + k], aqk = A[n * q + k];
                    A[n * p + k] = c * apk - s * aqk;
                    A[n * q + k] = s * apk + c * aqk;
                }
            }
    }
    *least = INFINITY;
    *most = -INFINITY;
    for (int i = 0; i < n; i++) {
        *least = fmin(*least, A[n * i + i]);
        *most = fmax(*most, A[n * i + i]);
    }
}

#endif
