/* Cubic splines through rows of numbers: C2, in Hermite's form (each interval has its ends and their slopes). */
#ifndef LIL_MATH_SPLINE_H
#define LIL_MATH_SPLINE_H

#include <stdbool.h>

/* The slopes v of the spline through rows x at the ascending times t: `count` rows, 2 or more, of `width` numbers. Both end
 * slopes are 0; or the spline is periodic, and the last row equals the first. work holds 2 count numbers. */
void lil_spline_slopes(int count, const double *t, int width, bool periodic, const double *x, double *v,
                       double *work);

/* Hermite's cubic between x0 at s = 0 and x1 at s = 1, from slopes by s: the value, to the last bit x0 and x1 at the ends. */
static inline double lil_hermite(double s, double x0, double v0, double x1, double v1)
{
    double d = x1 - x0;
    return s < 1 ? x0 + s * (v0 + s * (3 * d - 2 * v0 - v1 + s * (v0 + v1 - 2 * d))) : x1;
}

/* Its slope by s. */
static inline double lil_hermite_slope(double s, double x0, double v0, double x1, double v1)
{
    double d = x1 - x0;
    return v0 + s * (2 * (3 * d - 2 * v0 - v1) + s * 3 * (v0 + v1 - 2 * d));
}

#endif
