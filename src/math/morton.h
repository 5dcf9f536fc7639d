/*
 * Morton's order of points: along a curve that keeps neighbours together, so that neighbours in space are neighbours
 * in memory (Morton, A computer oriented geodetic data base, IBM 1966).
 */
#ifndef LIL_MATH_MORTON_H
#define LIL_MATH_MORTON_H

#include <stdbool.h>

/* order[0], order[1] ...: the `count` points x (3 numbers each) along the curve; those at one place stay in their
 * order. False: out of memory. */
bool lil_morton_order(int count, const double *x, int *order);

#endif
