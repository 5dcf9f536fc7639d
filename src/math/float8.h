/*
 * Eight single-precision numbers at once, and four: GCC's vector types, as in lanes.h. What takes or returns them is
 * always inlined; outer functions are LIL_KERNELs.
 */
#ifndef LIL_MATH_FLOAT8_H
#define LIL_MATH_FLOAT8_H

#include "math/lanes.h"

typedef float lil_float4 __attribute__((vector_size(16), may_alias));
typedef float lil_float8 __attribute__((vector_size(32), may_alias));
typedef float lil_loose8 __attribute__((vector_size(32), may_alias, aligned(4))); /* in memory, anywhere */
typedef int32_t lil_int8 __attribute__((vector_size(32), may_alias));
typedef int16_t lil_short8 __attribute__((vector_size(16), may_alias));

LIL_INLINE lil_float8 lil_float8_all(float x)
{
    return (lil_float8){ x, x, x, x, x, x, x, x };
}

/* where mask: a, else b */
LIL_INLINE lil_float8 lil_float8_select(lil_int8 mask, lil_float8 a, lil_float8 b)
{
    return (lil_float8)((mask & (lil_int8)a) | (~mask & (lil_int8)b));
}

/* in double, from the left in each half */
LIL_INLINE double lil_float8_sum(lil_float8 a)
{
    return (((double)a[0] + a[1]) + ((double)a[2] + a[3])) + (((double)a[4] + a[5]) + ((double)a[6] + a[7]));
}

/* names of the machine's shuffles: within each half of four */
#define LIL_LOW_(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define LIL_HIGH_(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LIL_FIRST_(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define LIL_LAST_(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define LIL_LOWER_HALVES_(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define LIL_UPPER_HALVES_(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

LIL_INLINE void lil_float8_transpose(lil_float8 a[8])
{
    lil_float8 b[8], c[8];
    for (int i = 0; i < 8; i += 2) {
        b[i] = LIL_LOW_(a[i], a[i + 1]);
        b[i + 1] = LIL_HIGH_(a[i], a[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        c[i] = LIL_FIRST_(b[i], b[i + 2]);
        c[i + 1] = LIL_LAST_(b[i], b[i + 2]);
        c[i + 2] = LIL_FIRST_(b[i + 1], b[i + 3]);
        c[i + 3] = LIL_LAST_(b[i + 1], b[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        a[i] = LIL_LOWER_HALVES_(c[i], c[i + 4]);
        a[i + 4] = LIL_UPPER_HALVES_(c[i], c[i + 4]);
    }
}

/* x, y, z of the rows id[0..7], from (x, y, z, -) a row */
LIL_INLINE void lil_float8_gather(const lil_float4 *x, const int id[8], lil_float8 v[3])
{
    lil_float8 r[4], xy[2], z[2];
    for (int l = 0; l < 4; l++)
        r[l] = __builtin_shufflevector(x[id[l]], x[id[l + 4]], 0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < 2; i++) {
        xy[i] = LIL_LOW_(r[2 * i], r[2 * i + 1]);
        z[i] = LIL_HIGH_(r[2 * i], r[2 * i + 1]);
    }
    v[0] = LIL_FIRST_(xy[0], xy[1]);
    v[1] = LIL_LAST_(xy[0], xy[1]);
    v[2] = LIL_FIRST_(z[0], z[1]);
}

/* the other way, for eight rows in a row: two of them, (x, y, z, 0) each, in one of four vectors */
LIL_INLINE void lil_float8_rows(const lil_float8 v[3], lil_float8 rows[4])
{
    lil_float8 zero = lil_float8_all(0);
    lil_float8 xy[2] = { LIL_LOW_(v[0], v[1]), LIL_HIGH_(v[0], v[1]) };
    lil_float8 z[2] = { LIL_LOW_(v[2], zero), LIL_HIGH_(v[2], zero) };
    lil_float8 a = LIL_FIRST_(xy[0], z[0]), b = LIL_LAST_(xy[0], z[0]);
    lil_float8 c = LIL_FIRST_(xy[1], z[1]), d = LIL_LAST_(xy[1], z[1]);
    rows[0] = LIL_LOWER_HALVES_(a, b);
    rows[1] = LIL_LOWER_HALVES_(c, d);
    rows[2] = LIL_UPPER_HALVES_(a, b);
    rows[3] = LIL_UPPER_HALVES_(c, d);
}

#endif
