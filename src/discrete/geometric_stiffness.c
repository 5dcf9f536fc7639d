#include "discrete/geometric_stiffness.h"

#include <stdlib.h>
#include <string.h>

static lil_status list_sets(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_hessian *sets,
                            lil_geometric_stiffness *c)
{
    int64_t total = 0;
    for (int i = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        if (set->table->second)
            LIL_TRY(lil_constraint_begin_second(ctx, set, arena, &sets[i]));
        total += sets[i].count;
        if (total > INT32_MAX / 4)
            return lil_fail(ctx, LIL_ERR_LIMIT, "too many constraints");
        c->sets[i + 1] = (int)total;
    }
    c->count = (int)total;
    return LIL_OK;
}

static void geometric_stiffness_place(const lil_model *model, const lil_hessian *sets, lil_geometric_stiffness *c)
{
    const int *number = model->dofs.number;
    for (int i = 0, at = 0, first = 0; i < model->constraint_count; i++) {
        for (int k = 0; k < sets[i].count; k++, at++) {
            int a = sets[i].a[k], b = sets[i].b[k];
            c->row[at] = first + sets[i].row[k];
            c->a[at] = number ? number[a] : a;
            c->b[at] = number ? number[b] : b;
            c->where[at] = -1;
        }
        first += model->constraints[i].count * model->constraints[i].table->rows;
    }
}

lil_status lil_geometric_stiffness_create(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                          lil_geometric_stiffness *c)
{
    *c = (lil_geometric_stiffness){ .sets = LIL_NEW(arena, int, model->constraint_count + 1) };
    lil_hessian *sets = calloc((size_t)model->constraint_count, sizeof *sets);
    lil_status status = c->sets && sets ? list_sets(ctx, arena, model, sets, c) : lil_fail_memory(ctx);
    if (status == LIL_OK) {
        c->row = LIL_NEW(arena, int, c->count);
        c->a = LIL_NEW(arena, int, c->count);
        c->b = LIL_NEW(arena, int, c->count);
        c->where = LIL_NEW(arena, int, c->count);
        c->values = LIL_NEW(arena, double, c->count);
        if (!c->row || !c->a || !c->b || !c->where || !c->values)
            status = lil_fail_memory(ctx);
    }
    if (status == LIL_OK)
        geometric_stiffness_place(model, sets, c);
    free(sets);
    return status;
}

void lil_geometric_stiffness_add(const lil_geometric_stiffness *c, int from, int end, double weight, const double *y,
                                 double *matrix)
{
    for (int k = from; k < end; k++)
        if (c->where[k] >= 0)
            matrix[c->where[k]] -= weight * y[c->row[k]] * c->values[k];
}

void lil_geometric_stiffness_multiply(const lil_geometric_stiffness *c, const double *y, const double *x, int n,
                                      double *out)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = 0; k < c->count; k++)
        if (c->a[k] >= 0 && c->b[k] >= 0)
            out[c->a[k]] -= y[c->row[k]] * c->values[k] * x[c->b[k]];
}
