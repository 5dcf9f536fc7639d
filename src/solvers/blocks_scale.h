/* Eight blocks at once, scaled by the factors of their rows' diagonal blocks. */
#ifndef LIL_SOLVERS_BLOCKS_SCALE_H
#define LIL_SOLVERS_BLOCKS_SCALE_H

#include "math/float8.h"

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

#endif
