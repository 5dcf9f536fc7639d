#include "model/model.h"

/* Which coordinates are degrees of freedom; none is held: x is q, without a map. */
static lil_status number_dofs(lil_context *ctx, lil_model *model, const lil_points_def *def)
{
    lil_dofs *dofs = &model->dofs;
    dofs->total = 3 * def->count;
    dofs->held = def->x;
    dofs->scripts = def->scripts;
    dofs->script_count = def->script_count;
    if (model->n == dofs->total && !def->lets_go)
        return LIL_OK;
    int *free = LIL_NEW(&model->arena, int, model->n), *number = LIL_NEW(&model->arena, int, dofs->total), n = 0;
    LIL_HAVE(ctx, free && number);
    for (int k = 0; k < dofs->total; k++) {
        number[k] = def->held[k / 3] ? -1 : n;
        if (!def->held[k / 3])
            free[n++] = k;
    }
    dofs->free = free;
    dofs->number = number;
    return LIL_OK;
}

static lil_status points_build(lil_context *ctx, lil_model *model, const lil_points_def *def)
{
    LIL_TRY(number_dofs(ctx, model, def));
    double *mass;
    LIL_ALLOC(ctx, &model->arena, mass, model->n);
    for (int i = 0; i < model->n; i++) {
        int k = model->dofs.free ? model->dofs.free[i] : i;
        mass[i] = def->mass[k / 3];
        model->names[i] = def->names[k];
    }
    model->uses_time = def->script_count > 0;
    model->points = (lil_points){ .count = def->count,
                                  .mass = def->mass,
                                  .linear = !model->dofs.free,
                                  .angular = !model->dofs.free,
                                  .marks = def->marks,
                                  .mark_count = def->mark_count };
    return lil_mass_diagonal(ctx, model, mass);
}

lil_status lil_model_create_points(lil_context *ctx, const lil_points_def *def, lil_model **out)
{
    int free = 0;
    *out = NULL;
    for (int i = 0; i < def->count; i++)
        free += !def->held[i];
    if (!free && !def->lets_go)
        return lil_fail(ctx, LIL_ERR_INPUT, "every vertex is pinned, so nothing can move");
    lil_model *model = lil_model_new(ctx, 3 * free);
    if (!model)
        return LIL_ERR_MEMORY;
    lil_status status = points_build(ctx, model, def);
    if (status != LIL_OK)
        lil_model_destroy(&model);
    *out = model;
    return status;
}
