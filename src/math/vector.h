/* Vectors of n numbers. Sums over them are in an order that does not depend on the machine. */
#ifndef LIL_MATH_VECTOR_H
#define LIL_MATH_VECTOR_H

#include <stdbool.h>

double lil_dot(int n, const double *x, const double *y);
double lil_norm(int n, const double *x);
void lil_add(int n, double s, const double *x, double *y); /* y += s x */
double lil_largest(int n, const double *x);                /* |x_i|; NaN is passed over */
bool lil_all_finite(int n, const double *x);

#endif
