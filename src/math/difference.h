/* Derivatives of the user's functions by differences, for checks: how far off, and what differences can tell. */
#ifndef LIL_MATH_DIFFERENCE_H
#define LIL_MATH_DIFFERENCE_H

#include "core/context.h"

/* y(x), n values of m coordinates; false: it does not exist there. */
typedef bool lil_difference_fn(const void *user, const double *x, double *y);

enum { LIL_DIFFERENCE_IN = 48, LIL_DIFFERENCE_OUT = 768 }; /* at most */

/* dy/dx_j by central differences of order 4, of the step that agrees best with half of it: from `reach` down to
 * 2^-12 of it. *error: how far these two are apart, the largest of all n. False: y does not exist near x. */
bool lil_difference(lil_difference_fn *f, const void *user, int m, int n, const double *x, int j, double reach,
                    double *dy, double *error);

/* All of J[i * m + j] = dy_i/dx_j by central differences of order 2, with steps of eps^(1/3): good to about 1e-10,
 * which Newton's method needs only for its direction. False: y does not exist near x. `room`: m + 2 n numbers. */
bool lil_difference_all(lil_difference_fn *f, const void *user, int m, int n, const double *x, double *room,
                        double *J);
double lil_difference_step(double x); /* of x_j there */
/* A = (A + A')/2 */
void lil_symmetrise(int n, double *A);

/* x, y, z of points elsewhere, to see whether that matters: k = 0, moved by about how large they are; k = 1, 2
 * ..., rotated about the origin. */
void lil_points_elsewhere(int k, int m, const double *x, double *y);

/* ---- verdicts ---- */

/* Records a relative error `error` where the comparison is accurate to `tolerance`. The worst is kept. */
void lil_verdict_add(lil_verdict *verdict, double error, double tolerance, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Nothing was found. */
void lil_verdict_close(lil_verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* J[i * m + j] against differences of y_i by x_j; `name` is the name of J in messages. False: y is undefined near
 * x. */
bool lil_verdict_derivative(lil_verdict *verdict, const char *name, lil_difference_fn *f, const void *user, int m,
                            int n, const double *x, double reach, const double *J);
/* A[i * n + j] = A[j * n + i]. */
void lil_verdict_symmetry(lil_verdict *verdict, const char *name, int n, const double *A);

/* A rotation about an axis that is parallel to nothing, by an angle. */
void lil_some_rotation(double angle, double R[9]);

#endif
