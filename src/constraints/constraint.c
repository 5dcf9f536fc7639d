#include "constraints/constraint.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

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

/* ---- kinds ---- */

#define ENTRY(type, name) &lil_bond_##name,
static const lil_bond_kind *const kinds[] = { LIL_CONSTRAINT_TYPES(ENTRY) };
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const lil_bond_kind *lil_bond_kind_at(int type)
{
    return type >= 0 && type < KINDS ? kinds[type] : NULL;
}

lil_status lil_constraint_direction(lil_context *ctx, const char *member, const double n[3], double unit[3],
                                    const char **wrong)
{
    double length = sqrt(lil_dot3(n, n));
    *wrong = member;
    if (!(length > 0) || !isfinite(length))
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must not be a zero vector", member);
    for (int k = 0; k < 3; k++)
        unit[k] = n[k] / length;
    return LIL_OK;
}
