#include "math/vector.h"

#include "math/lanes.h"

#include <math.h>

enum { SUMS = 4, STRIDE = SUMS * LIL_LANES };

/* Sixteen sums side by side, because each addition has to wait for the one before; then the rest. */
double lil_dot(int n, const double *x, const double *y)
{
    lil_lanes sum[SUMS] = { { 0 } };
    double rest = 0;
    int i = 0;
    for (; i + STRIDE <= n; i += STRIDE)
        for (int k = 0; k < SUMS; k++)
            sum[k] += lil_lanes_load(x + i + LIL_LANES * k) * lil_lanes_load(y + i + LIL_LANES * k);
    for (; i < n; i++)
        rest += x[i] * y[i];
    lil_lanes all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return ((all[0] + all[1]) + (all[2] + all[3])) + rest;
}

double lil_norm(int n, const double *x)
{
    return sqrt(lil_dot(n, x, x));
}

void lil_add(int n, double s, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
}

double lil_largest(int n, const double *x)
{
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* x - x is 0, or not a number where x is infinite or none itself. */
bool lil_all_finite(int n, const double *x)
{
    lil_lanes none[SUMS] = { { 0 } };
    double rest = 0;
    int i = 0;
    for (; i + STRIDE <= n; i += STRIDE)
        for (int k = 0; k < SUMS; k++) {
            lil_lanes some = lil_lanes_load(x + i + LIL_LANES * k);
            none[k] += some - some;
        }
    for (; i < n; i++)
        rest += x[i] - x[i];
    lil_lanes all = (none[0] + none[1]) + (none[2] + none[3]);
    return ((all[0] + all[1]) + (all[2] + all[3])) + rest == 0;
}
