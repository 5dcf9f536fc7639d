/*
 * Distances between thick elements: particles and links that have a radius, and balls. Distances here are of double
 * precision, not exact: overlaps below 1e-9 of a radius are not detected.
 */
#ifndef LIL_RECORD_CHECK_CHECK_THICK_H
#define LIL_RECORD_CHECK_CHECK_THICK_H

#include "record/check/check.h"

/* How far apart two elements are at x, and unless it is NULL the way from the nearest point of a to that of b. */
double lil_thick_distance(const lil_checked *a, const lil_checked *b, const double *x, double way[3]);

/* The distance less both radii. */
static inline double lil_thick_sum(const double *radius, const lil_checked *a, const lil_checked *b)
{
    return (radius[a->part] + radius[b->part]) * (1 - 1e-9);
}

#endif
