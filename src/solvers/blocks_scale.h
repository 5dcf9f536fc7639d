/* Blocks and rows, scaled by the factors of their rows' diagonal blocks. */
#ifndef LIL_SOLVERS_BLOCKS_SCALE_H
#define LIL_SOLVERS_BLOCKS_SCALE_H

#include "math/float8.h"
#include "math/lanes.h"

/* N = m B n'; m and n are lower triangles, 00 10 11 20 21 22: L_a^-1 and L_b^-1, or R_b^-1 of a general matrix */
LIL_INLINE void lil_blocks_scale(const lil_float8 m[8], const lil_float8 n[8], const lil_float8 B[9], lil_float8 N[9])
{
    lil_float8 T[9];
    for (int j = 0; j < 3; j++) {
        T[j] = m[0] * B[j];
        T[3 + j] = m[1] * B[j] + m[2] * B[3 + j];
        T[6 + j] = m[3] * B[j] + m[4] * B[3 + j] + m[5] * B[6 + j];
    }
    for (int i = 0; i < 9; i += 3) {
        N[i] = T[i] * n[0];
        N[i + 1] = T[i] * n[1] + T[i + 1] * n[2];
        N[i + 2] = T[i] * n[3] + T[i + 1] * n[4] + T[i + 2] * n[5];
    }
}

/* L x and L'x of one row; L as above */
LIL_INLINE lil_float4 lil_row_lower(const float *L, lil_float4 x)
{
    return (lil_float4){ L[0] * x[0], L[1] * x[0] + L[2] * x[1], L[3] * x[0] + L[4] * x[1] + L[5] * x[2], 0 };
}

LIL_INLINE lil_float4 lil_row_upper(const float *L, lil_float4 x)
{
    return (lil_float4){ L[0] * x[0] + L[1] * x[1] + L[3] * x[2], L[2] * x[1] + L[4] * x[2], L[5] * x[2], 0 };
}

/* H x of a block by rows */
LIL_INLINE lil_float4 lil_row_block(const float *H, lil_float4 x)
{
    return (lil_float4){ H[0] * x[0] + H[1] * x[1] + H[2] * x[2], H[3] * x[0] + H[4] * x[1] + H[5] * x[2],
                         H[6] * x[0] + H[7] * x[1] + H[8] * x[2], 0 };
}

/* Four floats as doubles. */
LIL_INLINE lil_lanes lil_to_double(const float *x)
{
    return (lil_lanes){ x[0], x[1], x[2], x[3] };
}

#endif
