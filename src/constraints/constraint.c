#include "constraints/constraint.h"

lil_status lil_jacobian_create(lil_context *ctx, lil_arena *arena, int count, int each, lil_jacobian *G)
{
    if (count > INT32_MAX / each)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d constraints are too many", count);
    G->count = count * each;
    G->row = LIL_NEW(arena, int, G->count);
    G->col = LIL_NEW(arena, int, G->count);
    return G->row && G->col ? LIL_OK : lil_fail_memory(ctx);
}

lil_status lil_hessian_create(lil_context *ctx, lil_arena *arena, int count, int each, lil_hessian *hessian)
{
    if (each && count > INT32_MAX / each)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d constraints are too many", count);
    hessian->count = count * each;
    hessian->row = LIL_NEW(arena, int, hessian->count);
    hessian->a = LIL_NEW(arena, int, hessian->count);
    hessian->b = LIL_NEW(arena, int, hessian->count);
    return hessian->row && hessian->a && hessian->b ? LIL_OK : lil_fail_memory(ctx);
}
