/* Vectors in space, and 3x3 matrices by rows: A_ij is A[3 * i + j]. */
#ifndef LIL_MATH_MATRIX3_H
#define LIL_MATH_MATRIX3_H

static inline double lil_dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* c = a - b */
static inline void lil_subtract3(const double a[3], const double b[3], double c[3])
{
    for (int d = 0; d < 3; d++)
        c[d] = a[d] - b[d];
}

/* a.(b x c) */
static inline double lil_triple3(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* y = A x, which is not x */
static inline void lil_transform3(const double A[9], const double x[3], double y[3])
{
    for (int a = 0; a < 3; a++)
        y[a] = lil_dot3(A + 3 * a, x);
}

/* c = a x b, which is neither of them */
static inline void lil_cross3(const double a[3], const double b[3], double c[3])
{
    for (int d = 0; d < 3; d++)
        c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/* G = cof F = d(det F)/dF = det F F^-T */
static inline void lil_cofactor3(const double F[9], double G[9])
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

static inline double lil_determinant3(const double F[9])
{
    return F[0] * (F[4] * F[8] - F[5] * F[7]) + F[1] * (F[5] * F[6] - F[3] * F[8]) +
           F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/* C = A B; A' B; A B'. C is neither A nor B. */
static inline void lil_multiply3(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static inline void lil_multiply3_tn(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}

static inline void lil_multiply3_nt(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[3 * j] + A[3 * i + 1] * B[3 * j + 1] + A[3 * i + 2] * B[3 * j + 2];
}

#endif
