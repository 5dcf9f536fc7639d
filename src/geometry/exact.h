/*
 * Predicates whose sign is exact for any coordinates that do not overflow: in doubles where these are sure, else in
 * expansions, sums of doubles that do not overlap (Shewchuk, Adaptive precision floating-point arithmetic and fast
 * robust geometric predicates, 1997). The check of contact results uses them, and nothing that contact itself uses.
 */
#ifndef LIL_GEOMETRY_EXACT_H
#define LIL_GEOMETRY_EXACT_H

#include <stdbool.h>

/* The sign, -1, 0 or 1, of det(a - d, b - d, c - d): on which side of the plane through a, b and c does d lie? */
int lil_exact_side(const double a[3], const double b[3], const double c[3], const double d[3]);

/* Does the segment from p to q meet the triangle, its border included? Exact, also where they lie in one plane. */
bool lil_exact_segment_meets_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                                      const double c[3]);

#endif
