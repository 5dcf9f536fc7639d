/* Where a cubic stays positive. */
#ifndef LIL_MATH_CUBIC_H
#define LIL_MATH_CUBIC_H

/* The largest s <= 1 such that c0 + c1 s + c2 s^2 + c3 s^3 > 0 on [0, s), from below; 0 where c0 <= 0 or not a
 * number. */
double lil_cubic_positive(double c0, double c1, double c2, double c3);

#endif
