/* Morton's order (Z-curve): points that are near each other in space stand near each other in memory. */
#ifndef LIL_MATH_MORTON_H
#define LIL_MATH_MORTON_H

#include <stdbool.h>

/* order[i] is the i-th of n points x (3 numbers each) along the curve; equal places keep their order. False: no memory. */
bool lil_morton_order(int n, const double *x, int *order);

#endif
