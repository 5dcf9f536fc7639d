/*
 * Four numbers at once: GCC's vector types, which compile to the machine's vectors. Arithmetic reads like that of one
 * number, and gives the same bits in every lane on every machine: + - * / and operations on bits only, no libm.
 */
#ifndef LIL_MATH_LANES_H
#define LIL_MATH_LANES_H

#include <stdint.h>

enum { LIL_LANES = 4 };

typedef double lil_lanes __attribute__((vector_size(32)));
typedef int64_t lil_mask __attribute__((vector_size(32)));  /* what comparing lanes gives: all bits or none */
typedef uint64_t lil_bits __attribute__((vector_size(32))); /* a lane's sign, exponent and fraction */

#define LIL_INLINE static inline __attribute__((always_inline))

/* Functions over lanes that are worth compiling twice: for machines with AVX2, chosen when the program starts, and
 * for all. Both give the same bits. The choice is made before main, by code that gcc instruments as well: a
 * sanitizer's runtime is not up yet then, so under sanitizers there is one version. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&             \
    !defined(__SANITIZE_THREAD__)
#define LIL_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define LIL_KERNEL
#endif

/* Always inlined: how a function would take or return lanes depends on the instruction set, so others take pointers. */
LIL_INLINE lil_lanes lil_lanes_all(double x)
{
    return (lil_lanes){ x, x, x, x };
}

/* four numbers in a row, wherever they begin */
LIL_INLINE lil_lanes lil_lanes_load(const double *x)
{
    typedef double loose __attribute__((vector_size(32), aligned(8)));
    return *(const loose *)x;
}

LIL_INLINE void lil_lanes_store(double *x, lil_lanes some)
{
    typedef double loose __attribute__((vector_size(32), aligned(8)));
    *(loose *)x = some;
}

/* where mask: a, else b */
LIL_INLINE lil_lanes lil_lanes_select(lil_mask mask, lil_lanes a, lil_lanes b)
{
    return (lil_lanes)((mask & (lil_mask)a) | (~mask & (lil_mask)b));
}

/* by lanes, as the machine rounds it: the same on all */
LIL_INLINE lil_lanes lil_lanes_sqrt(lil_lanes x)
{
    return (lil_lanes){ __builtin_sqrt(x[0]), __builtin_sqrt(x[1]), __builtin_sqrt(x[2]), __builtin_sqrt(x[3]) };
}

/* ---- points: (x, y, z, anything) each ---- */

/* x, y, z of four points, each as lanes */
LIL_INLINE void lil_lanes_from_points(const lil_lanes *a, const lil_lanes *b, const lil_lanes *c, const lil_lanes *d,
                                      lil_lanes x[3])
{
    lil_lanes even_ab = __builtin_shufflevector(*a, *b, 0, 4, 2, 6),
              odd_ab = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    lil_lanes even_cd = __builtin_shufflevector(*c, *d, 0, 4, 2, 6),
              odd_cd = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(even_ab, even_cd, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(even_ab, even_cd, 2, 3, 6, 7);
}

/* and back: four points (x, y, z, 0) */
LIL_INLINE void lil_lanes_to_points(const lil_lanes x[3], lil_lanes point[4])
{
    lil_lanes none = { 0 };
    lil_lanes xy_02 = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
              xy_13 = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    lil_lanes z_02 = __builtin_shufflevector(x[2], none, 0, 4, 2, 6),
              z_13 = __builtin_shufflevector(x[2], none, 1, 5, 3, 7);
    point[0] = __builtin_shufflevector(xy_02, z_02, 0, 1, 4, 5);
    point[1] = __builtin_shufflevector(xy_13, z_13, 0, 1, 4, 5);
    point[2] = __builtin_shufflevector(xy_02, z_02, 2, 3, 6, 7);
    point[3] = __builtin_shufflevector(xy_13, z_13, 2, 3, 6, 7);
}

/* ---- functions ---- */

/* 2^52 + i has i as its last bits for whole 0 <= i < 2^51: so whole numbers go from bits to doubles and back. */
#define LIL_TWO52 0x1p52
#define LIL_TWO52_BITS UINT64_C(0x4330000000000000)

/*
 * x^(-1/3) for normal x > 0, to 2 units in the last place; anything elsewhere, without a trap.
 *
 * The upper half of x's bits is nearly a logarithm, so taking a third of it from a constant gives y within 3.5 %
 * (Kahan's trick). With e = 1 - x y^3, x^(-1/3) = y (1 - e)^(-1/3) =
 * y (1 + e/3 + 2/9 e^2 + 14/81 e^3 + 35/243 e^4 + ...): |e| <= 0.11, then 5e-6, then round-off.
 */
LIL_INLINE lil_lanes lil_lanes_rcbrt(lil_lanes x)
{
    lil_lanes upper = (lil_lanes)((lil_bits)x >> 32 | LIL_TWO52_BITS) - LIL_TWO52;
    lil_bits third = (lil_bits)(upper * (1. / 3) + LIL_TWO52) << 32;
    lil_lanes y = (lil_lanes)((UINT64_C(0x553ef0ff) << 32) - third);
    lil_lanes e = 1 - x * y * y * y; /* from the left: every product is a normal number */
    y += y * (e * (1. / 3 + e * (2. / 9 + e * (14. / 81 + e * (35. / 243)))));
    e = 1 - x * y * y * y;
    return y + y * (e * (1. / 3 + e * (2. / 9)));
}

/* of many: one after the other they need not wait for each other, as within a longer computation they would */
LIL_INLINE void lil_lanes_rcbrts(int count, const lil_lanes *x, lil_lanes *y)
{
    for (int i = 0; i < count; i++)
        y[i] = lil_lanes_rcbrt(x[i]);
}

/* log x for normal x > 0, to 2 units in the last place; anything elsewhere. x = 2^k m with m in [sqrt(1/2), sqrt
 * 2); log m = 2 atanh(s), s = (m - 1)/(m + 1), |s| < 0.172: nine terms of its series are more than a double holds.
 * As in FDLIBM, m - 1 is kept whole, because it is exact, and log 2 is split so that k times its upper part is
 * too. */
LIL_INLINE lil_lanes lil_lanes_log(lil_lanes x)
{
    const uint64_t half_root = UINT64_C(0x3fe6a09e667f3bcd), fraction = (UINT64_C(1) << 52) - 1;
    lil_bits shifted = (lil_bits)x - half_root + (UINT64_C(1023) << 52);
    lil_lanes k = (lil_lanes)(shifted >> 52 | LIL_TWO52_BITS) - (LIL_TWO52 + 1023);
    lil_lanes m = (lil_lanes)((shifted & fraction) + half_root);
    lil_lanes f = m - 1, s = f / (2 + f), z = s * s, half = f * f / 2;
    lil_lanes R = lil_lanes_all(2. / 19);
    for (int n = 17; n >= 3; n -= 2)
        R = R * z + 2. / n;
    /* log(1 + f) = f - f^2/2 + s (f^2/2 + z R), because 2 s = f - s f and s f = f^2/2 - s f^2/2 */
    return k * 0x1.62e42feep-1 - ((half - (s * (half + z * R) + k * 0x1.a39ef35793c76p-33)) - f);
}

/* ---- 3x3 by rows ---- */

LIL_INLINE lil_lanes lil_lanes_dot9(const lil_lanes A[9], const lil_lanes B[9])
{
    return (A[0] * B[0] + A[1] * B[1] + A[2] * B[2]) + (A[3] * B[3] + A[4] * B[4] + A[5] * B[5]) +
           (A[6] * B[6] + A[7] * B[7] + A[8] * B[8]);
}

/* G = cof F = d(det F)/dF; det F = its first row times F's */
LIL_INLINE void lil_lanes_cofactor(const lil_lanes F[9], lil_lanes G[9])
{
    G[0] = F[4] * F[8] - F[5] * F[7];
    G[1] = F[5] * F[6] - F[3] * F[8];
    G[2] = F[3] * F[7] - F[4] * F[6];
    G[3] = F[2] * F[7] - F[1] * F[8];
    G[4] = F[0] * F[8] - F[2] * F[6];
    G[5] = F[1] * F[6] - F[0] * F[7];
    G[6] = F[1] * F[5] - F[2] * F[4];
    G[7] = F[2] * F[3] - F[0] * F[5];
    G[8] = F[0] * F[4] - F[1] * F[3];
}

LIL_INLINE lil_lanes lil_lanes_determinant(const lil_lanes F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/* C = A'B */
LIL_INLINE void lil_lanes_multiply_tn(const lil_lanes A[9], const lil_lanes B[9], lil_lanes C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

/* H = A x B, H_ij = eps_ikl eps_jmn A_km B_ln (Bonet, Gil & Ortigosa 2015): F x F = 2 cof F, d(cof F) = F x dF */
LIL_INLINE void lil_lanes_cross(const lil_lanes A[9], const lil_lanes B[9], lil_lanes H[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 * ((i + 1) % 3), l = 3 * ((i + 2) % 3), m = (j + 1) % 3, n = (j + 2) % 3;
            H[3 * i + j] = (A[k + m] * B[l + n] - A[k + n] * B[l + m]) + (A[l + n] * B[k + m] - A[l + m] * B[k + n]);
        }
}

#endif
