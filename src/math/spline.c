/*
 * Where two cubics meet, their second derivatives are equal if
 *
 *     v_{i-1}/h_{i-1} + 2 (1/h_{i-1} + 1/h_i) v_i + v_{i+1}/h_i = 3 (d_{i-1}/h_{i-1} + d_i/h_i),   d_i = (x_{i+1} - x_i)/h_i
 *
 * A tridiagonal system with a dominant diagonal: elimination needs no pivots.
 */
#include "math/spline.h"

#include <string.h>

/* The inner slopes between those of the first and the last row, which are given. up: the eliminated upper diagonal. */
static void solve_between(int count, const double *t, int width, const double *x, double *v, double *up)
{
    up[0] = 0;
    for (int i = 1; i < count - 1; i++) {
        const double *y = x ? x + (long)i * width : NULL;
        double *slope = v + (long)i * width, a = 1 / (t[i] - t[i - 1]), c = 1 / (t[i + 1] - t[i]);
        double pivot = 1 / (2 * (a + c) - a * up[i - 1]);
        up[i] = c * pivot;
        for (int k = 0; k < width; k++) {
            double right = y ? 3 * (a * a * (y[k] - y[k - width]) + c * c * (y[k + width] - y[k])) : 0;
            slope[k] = (right - a * slope[k - width]) * pivot;
        }
    }
    for (int i = count - 2; i > 0; i--)
        for (long k = (long)i * width; k < ((long)i + 1) * width; k++)
            v[k] -= up[i] * v[k + width];
}

/* The first slope s, which is the last one too, adds s z to those between, where z solves the system without right side
 * between two ones. The equation of the first row determines it. */
static void close(int count, const double *t, int width, const double *x, double *v, double *z, double *up)
{
    long last = count - 1;
    double a = 1 / (t[last] - t[last - 1]), c = 1 / (t[1] - t[0]);
    memset(z, 0, (unsigned long)count * sizeof *z);
    z[0] = z[last] = 1;
    solve_between(count, t, 1, NULL, z, up);
    double pivot = 1 / (2 * (a + c) + a * z[last - 1] + c * z[1]);
    for (int k = 0; k < width; k++) {
        double right =
            3 * (a * a * (x[last * width + k] - x[(last - 1) * width + k]) + c * c * (x[width + k] - x[k]));
        double s = (right - a * v[(last - 1) * width + k] - c * v[width + k]) * pivot;
        for (long i = 0; i <= last; i++)
            v[i * width + k] += s * z[i];
    }
}

void lil_spline_slopes(int count, const double *t, int width, bool periodic, const double *x, double *v, double *work)
{
    memset(v, 0, (unsigned long)count * (unsigned long)width * sizeof *v);
    solve_between(count, t, width, x, v, work);
    if (periodic && count > 2)
        close(count, t, width, x, v, work + count, work);
}
