/*
 * Four numbers at once: GCC's vector types, which compile to what the machine has. Arithmetic reads like that of one
 * number, and gives the same bits in every lane on every machine.
 */
#ifndef LIL_MATH_LANES_H
#define LIL_MATH_LANES_H

#include <stdint.h>

enum { LIL_LANES = 4 };

typedef double lil_lanes __attribute__((vector_size(32)));
typedef int64_t lil_mask __attribute__((vector_size(32))); /* what comparing lanes gives: all bits or none */

#define LIL_INLINE static inline __attribute__((always_inline))

LIL_INLINE lil_lanes lil_lanes_all(double x)
{
    return (lil_lanes){ x, x, x, x };
}

/* where mask: a, else b */
LIL_INLINE lil_lanes lil_lanes_select(lil_mask mask, lil_lanes a, lil_lanes b)
{
    return (lil_lanes)((mask & (lil_mask)a) | (~mask & (lil_mask)b));
}

#endif
