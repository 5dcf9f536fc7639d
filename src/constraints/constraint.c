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

/* ---- constraints of points ---- */

/* coordinate k % 3 of vertex k / 3 of a member */
static int constraint_column(const lil_constraint *set, int member, int k)
{
    const int *vertices = (const int *)((const char *)set->data + (size_t)member * set->table->stride);
    return 3 * vertices[k / 3] + k % 3;
}

lil_status lil_constraint_begin(lil_context *ctx, const lil_constraint *set, lil_arena *arena, void **work,
                                lil_jacobian *G)
{
    int each = 3 * set->table->points, rows = set->table->rows;
    *work = NULL;
    if (set->table->begin)
        return set->table->begin(ctx, set, arena, work, G);
    LIL_TRY(lil_jacobian_create(ctx, arena, set->count, each, G));
    for (int e = 0; e < G->count; e++) {
        G->row[e] = rows * (e / each) + e % 3 % rows;
        G->col[e] = constraint_column(set, e / each, e % each);
    }
    return LIL_OK;
}

lil_status lil_constraint_begin_second(lil_context *ctx, const lil_constraint *set, lil_arena *arena,
                                       lil_hessian *hessian)
{
    const lil_constraint_table *table = set->table;
    int width = 3 * table->points, each = table->isotropic ? width * table->points : width * width;
    if (table->begin_second)
        return table->begin_second(ctx, set, arena, hessian);
    LIL_TRY(lil_hessian_create(ctx, arena, set->count, each, hessian));
    for (int e = 0; e < hessian->count; e++) {
        int k = e % each, a = table->isotropic ? k / width * 3 + k % 3 : k / width;
        hessian->row[e] = e / each;
        hessian->a[e] = constraint_column(set, e / each, a);
        hessian->b[e] = constraint_column(set, e / each, k % width);
    }
    return LIL_OK;
}

void lil_constraint_curvature(const lil_constraint *set, void *work, const double *x, const double *v, double *k)
{
    if (set->table->curvature)
        set->table->curvature(set, work, x, v, k);
    else
        memset(k, 0, (size_t)(set->table->rows * set->count) * sizeof *k);
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
