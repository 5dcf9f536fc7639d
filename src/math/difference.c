#include "math/difference.h"

#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 12 };

/* Round-off and the step's own error leave 1e-11 or so of a smooth function; what is wrong by its formula is off
 * by far more than this. */
static const double LEAST_TOLERANCE = 1e-7;

/* (8 (y(h) - y(-h)) - (y(2h) - y(-2h))) / 12 h */
static bool stencil(lil_difference_fn *f, const void *user, int m, int n, const double *x, int j, double h,
                    double *dy)
{
    static const double place[4] = { 1, -1, 2, -2 }, weight[4] = { 8, -8, -1, 1 };
    double at[LIL_DIFFERENCE_IN], y[LIL_DIFFERENCE_OUT];
    memcpy(at, x, (size_t)m * sizeof *at);
    memset(dy, 0, (size_t)n * sizeof *dy);
    for (int k = 0; k < 4; k++) {
        at[j] = x[j] + place[k] * h;
        if (!f(user, at, y))
            return false;
        for (int i = 0; i < n; i++)
            dy[i] += weight[k] * y[i] / (12 * h);
    }
    for (int i = 0; i < n; i++)
        if (!isfinite(dy[i]))
            return false;
    return true;
}

bool lil_difference(lil_difference_fn *f, const void *user, int m, int n, const double *x, int j, double reach,
                    double *dy, double *error)
{
    double now[LIL_DIFFERENCE_OUT], before[LIL_DIFFERENCE_OUT];
    bool had = false;
    *error = INFINITY;
    for (int k = 0; k <= HALVINGS; k++) {
        bool has = stencil(f, user, m, n, x, j, ldexp(reach, -k), now);
        double apart = 0;
        for (int i = 0; has && had && i < n; i++)
            apart = fmax(apart, fabs(now[i] - before[i]));
        if (has && had && apart < *error) {
            *error = apart;
            memcpy(dy, now, (size_t)n * sizeof *dy);
        }
        memcpy(before, now, (size_t)n * sizeof *before);
        had = has;
    }
    return isfinite(*error);
}

double lil_difference_step(double x)
{
    return cbrt(DBL_EPSILON) * fmax(1, fabs(x));
}

bool lil_difference_all(lil_difference_fn *f, const void *user, int m, int n, const double *x, double *room,
                        double *J)
{
    double *at = room, *plus = room + m, *minus = plus + n;
    memcpy(at, x, (size_t)m * sizeof *at);
    for (int j = 0; j < m; j++) {
        double h = lil_difference_step(x[j]);
        at[j] = x[j] + h;
        bool exists = f(user, at, plus);
        at[j] = x[j] - h;
        if (!exists || !f(user, at, minus))
            return false;
        at[j] = x[j];
        for (int i = 0; i < n; i++)
            J[i * m + j] = (plus[i] - minus[i]) / (2 * h);
    }
    return true;
}

void lil_symmetrise(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}

void lil_points_elsewhere(int k, int m, const double *x, double *y)
{
    double R[9], extent = lil_largest(m, x);
    const double by[3] = { 0.3 * extent, -0.7 * extent, 0.5 * extent };
    lil_some_rotation(2.1 * k, R);
    for (int i = 0; i < m; i++) {
        const double *p = x + i / 3 * 3, *row = R + 3 * (i % 3);
        y[i] = k ? row[0] * p[0] + row[1] * p[1] + row[2] * p[2] : x[i] + by[i % 3];
    }
}

/* ---- verdicts ---- */

/* NaN is as wrong as can be. */
static double excess(double error, double tolerance)
{
    return error <= tolerance ? error / fmax(tolerance, DBL_MIN) : isfinite(error) ? error / tolerance : INFINITY;
}

void lil_verdict_add(lil_verdict *verdict, double error, double tolerance, const char *format, ...)
{
    va_list args;
    if (!(excess(error, tolerance) > excess(verdict->error, verdict->tolerance)))
        return;
    verdict->error = isnan(error) ? INFINITY : error;
    verdict->tolerance = tolerance;
    verdict->holds = error <= tolerance;
    va_start(args, format);
    vsnprintf(verdict->sentence, sizeof verdict->sentence, format, args);
    va_end(args);
}

void lil_verdict_close(lil_verdict *verdict, const char *format, ...)
{
    va_list args;
    if (!verdict->holds)
        return;
    va_start(args, format);
    vsnprintf(verdict->sentence, sizeof verdict->sentence, format, args);
    va_end(args);
}

static double difference_largest(int count, const double *x)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fabs(x[k]) > most || isnan(x[k]) ? fabs(x[k]) : most;
    return most;
}

bool lil_verdict_derivative(lil_verdict *verdict, const char *name, lil_difference_fn *f, const void *user, int m,
                            int n, const double *x, double reach, const double *J)
{
    double dy[LIL_DIFFERENCE_OUT], error, size = difference_largest(m * n, J);
    for (int j = 0; j < m; j++) {
        if (!lil_difference(f, user, m, n, x, j, reach, dy, &error))
            return false;
        double scale = fmax(fmax(size, difference_largest(n, dy)), DBL_MIN);
        for (int i = 0; i < n; i++)
            lil_verdict_add(verdict, fabs(J[i * m + j] - dy[i]) / scale, LEAST_TOLERANCE + 10 * error / scale,
                            "%s: entry (%d, %d) is %.6g, but differences give %.6g", name, i, j, J[i * m + j], dy[i]);
    }
    return true;
}

void lil_verdict_symmetry(lil_verdict *verdict, const char *name, int n, const double *A)
{
    double size = fmax(difference_largest(n * n, A), DBL_MIN);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) /* as formulas round */
            lil_verdict_add(verdict, fabs(A[i * n + j] - A[j * n + i]) / size, 1e-10,
                            "%s is not symmetric: entries (%d, %d) and (%d, %d) are %.9g and %.9g", name, i, j, j, i,
                            A[i * n + j], A[j * n + i]);
}

/* Rodrigues */
void lil_some_rotation(double angle, double R[9])
{
    const double u[3] = { 0.36, 0.48, 0.8 }; /* a unit vector */
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j;
            double cross = i == j ? 0 : (j - i + 3) % 3 == 1 ? -u[k] : u[k];
            R[3 * i + j] = (i == j ? c : 0) + (1 - c) * u[i] * u[j] + s * cross;
        }
}
