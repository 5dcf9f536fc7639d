/* Models from C: a Lagrangian or a potential from callbacks, and the parts that either may have. */
#include "constraints/registered.h"
#include "model/model_check.h"
#include "terms/callback.h"
#include "terms/registered.h"

#include <math.h>
#include <stdio.h>

enum { SIZE_LIMIT = 10 * 1000 * 1000 };

static lil_status callbacks_check_size(lil_context *ctx, int n)
{
    if (n < 1 || n > SIZE_LIMIT)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a model needs between 1 and %d coordinates, not n = %d", SIZE_LIMIT,
                        n);
    return LIL_OK;
}

static lil_status number_names(lil_context *ctx, lil_model *model)
{
    for (int i = 0; i < model->n; i++)
        LIL_HAVE(ctx, model->names[i] = lil_arena_format(&model->arena, "q[%d]", i + 1));
    return LIL_OK;
}

/* ---- parts ---- */

static lil_status check_parts(lil_context *ctx, const lil_model_parts *parts)
{
    if (parts->term_count < 0 || parts->constraint_count < 0)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a model cannot have %d terms and %d constraints", parts->term_count,
                        parts->constraint_count);
    if (parts->term_count && !parts->terms)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "parts.term_count is %d, but parts.terms is NULL", parts->term_count);
    if (parts->constraint_count && !parts->constraints)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "parts.constraint_count is %d, but parts.constraints is NULL",
                        parts->constraint_count);
    return LIL_OK;
}

static lil_status callbacks_bind(lil_context *ctx, lil_model *model, const lil_model_parts *parts)
{
    lil_constraint *sets;
    char what[64];
    LIL_ALLOC(ctx, &model->arena, sets, parts->constraint_count);
    for (int i = 0; i < parts->constraint_count; i++) {
        snprintf(what, sizeof what, "parts.constraints[%d]", i);
        LIL_TRY(lil_constraint_registered(ctx, &model->arena, model->n, &parts->constraints[i], what, &sets[i]));
    }
    lil_model_bind(model, sets, parts->constraint_count);
    return LIL_OK;
}

static lil_status add_parts(lil_context *ctx, lil_model *model, const lil_model_parts *parts)
{
    lil_term term;
    char what[64];
    LIL_TRY(check_parts(ctx, parts));
    for (int i = 0; i < parts->term_count; i++) {
        snprintf(what, sizeof what, "parts.terms[%d]", i);
        LIL_TRY(
            lil_term_registered(ctx, &model->arena, model->n, &parts->terms[i], what, model->mass.constant, &term));
        LIL_TRY(lil_model_add(ctx, model, term));
    }
    if (parts->force.force) {
        LIL_TRY(lil_term_force(ctx, &model->arena, model->n, &parts->force, &term));
        LIL_TRY(lil_model_add(ctx, model, term));
    } else if (parts->force.derivatives || parts->force.Fq.count || parts->force.Fv.count) {
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "parts.force has derivatives, but no function: force is NULL");
    }
    return parts->constraint_count ? callbacks_bind(ctx, model, parts) : LIL_OK;
}

/* ---- models ---- */

static lil_status callbacks_build_lagrangian(lil_context *ctx, const lil_lagrangian_def *def, lil_model *model)
{
    lil_term term;
    LIL_TRY(number_names(ctx, model));
    LIL_TRY(lil_term_lagrangian(ctx, &model->arena, def, &term));
    LIL_TRY(lil_model_add(ctx, model, term));
    return add_parts(ctx, model, &def->parts);
}

lil_status lil_model_create_lagrangian(lil_context *ctx, const lil_lagrangian_def *def, lil_model **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "model");
    *out = NULL;
    LIL_NEED(ctx, def, "def");
    LIL_TRY(callbacks_check_size(ctx, def->n));
    LIL_NEED(ctx, def->lagrangian, "def->lagrangian");
    lil_model *model = lil_model_new(ctx, def->n);
    if (!model)
        return LIL_ERR_MEMORY;
    lil_status status = callbacks_build_lagrangian(ctx, def, model);
    if (status == LIL_OK)
        status = LIL_DEBUG_CHECK(lil_model_check(ctx, model));
    if (status != LIL_OK)
        lil_model_destroy(&model);
    *out = model;
    return status;
}

static lil_status build_separable(lil_context *ctx, const lil_separable_def *def, lil_model *model)
{
    lil_term term;
    LIL_TRY(number_names(ctx, model));
    LIL_TRY(lil_mass_diagonal(ctx, model, def->mass));
    if (def->potential) {
        LIL_TRY(lil_term_potential(ctx, &model->arena, def, &term));
        LIL_TRY(lil_model_add(ctx, model, term));
    } else if (def->hessian || def->rate || def->qq.count) {
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "def has derivatives of a potential, but def->potential is NULL");
    }
    return add_parts(ctx, model, &def->parts);
}

lil_status lil_model_create_separable(lil_context *ctx, const lil_separable_def *def, lil_model **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "model");
    *out = NULL;
    LIL_NEED(ctx, def, "def");
    LIL_TRY(callbacks_check_size(ctx, def->n));
    if (!def->parts.term_count)
        LIL_NEED(ctx, def->potential, "def->potential");
    LIL_NEED(ctx, def->mass, "def->mass");
    for (int i = 0; i < def->n; i++)
        if (!(def->mass[i] > 0) || !isfinite(def->mass[i]))
            return lil_fail(ctx, LIL_ERR_ARGUMENT, "mass[%d] must be positive and finite, not %g", i, def->mass[i]);
    lil_model *model = lil_model_new(ctx, def->n);
    if (!model)
        return LIL_ERR_MEMORY;
    lil_status status = build_separable(ctx, def, model);
    if (status == LIL_OK)
        status = LIL_DEBUG_CHECK(lil_model_check(ctx, model));
    if (status != LIL_OK)
        lil_model_destroy(&model);
    *out = model;
    return status;
}
