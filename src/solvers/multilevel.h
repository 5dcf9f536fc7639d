#ifndef LIL_SOLVERS_MULTILEVEL_H
#define LIL_SOLVERS_MULTILEVEL_H
#include "math/blocks.h"
typedef struct lil_multilevel {
    int x;
} lil_multilevel;
static inline lil_status lil_multilevel_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A,
                                               const double *x, lil_multilevel *m)
{
    (void)ctx, (void)arena, (void)A, (void)x, (void)m;
    return LIL_OK;
}
static inline void lil_multilevel_update(lil_multilevel *m)
{
    (void)m;
}
#endif
