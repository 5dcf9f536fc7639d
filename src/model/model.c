#include "model/model.h"

#include "terms/callback.h"
#include "terms/penalty.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_LIMIT = 10 * 1000 * 1000 };

lil_model *lil_model_new(lil_context *ctx, int n)
{
    lil_model *model = calloc(1, sizeof *model);
    if (!model) {
        lil_fail_memory(ctx);
        return NULL;
    }
    model->n = model->dofs.total = n;
    model->terms = LIL_NEW(&model->arena, lil_term, LIL_TERMS_MAX);
    model->names = LIL_NEW(&model->arena, const char *, n);
    if (!model->names || !model->terms) {
        lil_fail_memory(ctx);
        lil_model_destroy(&model);
    }
    return model;
}

lil_status lil_model_add(lil_context *ctx, lil_model *model, lil_term term)
{
    if (model->term_count == LIL_TERMS_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "a model may have at most %d terms", LIL_TERMS_MAX);
    lil_place place = term.table->place;
    model->terms[model->term_count++] = term;
    model->uses_time = model->uses_time || term.uses_t;
    bool lagrangian = place == LIL_POTENTIAL || place == LIL_LAGRANGIAN;
    model->drives = model->drives || (term.uses_t && lagrangian && (term.table->driven || term.table->rate));
    model->touches = model->touches || term.table->touch;
    model->bodies_meet = model->bodies_meet || (place == LIL_POTENTIAL && term.table->couple);
    model->impassable = model->impassable || term.table->impassable;
    model->has_step = model->has_step || place == LIL_STEP;
    model->has_kick = model->has_kick || place == LIL_KICK;
    model->has_impulse = model->has_impulse || place == LIL_IMPULSE;
    model->has_friction = model->has_friction || place == LIL_FRICTION;
    model->may_stick = model->may_stick || term.holds;
    model->loses = model->loses || term.loses;
    if (place == LIL_FORCE) {
        model->has_force = true;
        model->force_varies = model->force_varies || term.uses_q || term.uses_v;
        model->force_uses_v = model->force_uses_v || term.uses_v;
    }
    return LIL_OK;
}

bool lil_model_who(const lil_model *model, const lil_contact_id *which, lil_pair *names)
{
    if (which->term < 0 || which->term >= model->term_count)
        return false;
    const lil_term *term = &model->terms[which->term];
    return term->table->who && term->table->who(term->data, which, names);
}

void lil_model_bind(lil_model *model, const lil_constraint *constraints, int count)
{
    model->constraints = constraints;
    model->constraint_count = count;
}

lil_status lil_model_loosen(lil_context *ctx, lil_model *model, double stiffness)
{
    lil_term term;
    if (!model->constraint_count)
        return LIL_OK;
    LIL_TRY(lil_penalty_term(ctx, &model->arena, model->constraints, model->constraint_count, stiffness, &term));
    model->constraint_count = 0;
    LIL_TRY(lil_model_add(ctx, model, term));
    model->penalties = model->term_count;
    return LIL_OK;
}

lil_status lil_mass_diagonal(lil_context *ctx, lil_model *model, const double *mass)
{
    double *copy = LIL_NEW(&model->arena, double, model->n);
    if (!copy)
        return lil_fail_memory(ctx);
    memcpy(copy, mass, (size_t)model->n * sizeof *copy);
    model->mass.constant = true;
    model->mass.diagonal = copy;
    return LIL_OK;
}

lil_source *lil_source_copy(lil_arena *arena, const lil_source *source)
{
    lil_source *copy = LIL_NEW(arena, lil_source, 1);
    if (!copy)
        return NULL;
    *copy = *source;
    copy->text = lil_arena_copy(arena, source->text, strlen(source->text));
    copy->what = lil_arena_copy(arena, source->what, strlen(source->what));
    copy->file = source->file ? lil_arena_copy(arena, source->file, strlen(source->file)) : NULL;
    return copy->text && copy->what && (copy->file || !source->file) ? copy : NULL;
}

void lil_model_destroy(lil_model **model)
{
    if (!model || !*model)
        return;
    for (int i = 0; i < (*model)->term_count; i++)
        if ((*model)->terms[i].table->destroy)
            (*model)->terms[i].table->destroy((*model)->terms[i].data);
    lil_arena_free(&(*model)->arena);
    free(*model);
    *model = NULL;
}

/* ---- models from C ---- */

static lil_status check_size(lil_context *ctx, int n)
{
    if (n < 1 || n > SIZE_LIMIT)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a model needs between 1 and %d coordinates, not n = %d", SIZE_LIMIT,
                        n);
    return LIL_OK;
}

static lil_status number_names(lil_context *ctx, lil_model *model)
{
    for (int i = 0; i < model->n; i++)
        if (!(model->names[i] = lil_arena_format(&model->arena, "q[%d]", i + 1)))
            return lil_fail_memory(ctx);
    return LIL_OK;
}

lil_status lil_model_create_lagrangian(lil_context *ctx, const lil_lagrangian_def *def, lil_model **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "model");
    *out = NULL;
    LIL_NEED(ctx, def, "def");
    LIL_TRY(check_size(ctx, def->n));
    LIL_NEED(ctx, def->lagrangian, "def->lagrangian");
    lil_model *model = lil_model_new(ctx, def->n);
    if (!model)
        return LIL_ERR_MEMORY;
    lil_term term;
    lil_status status = number_names(ctx, model);
    if (status == LIL_OK)
        status = lil_term_lagrangian(ctx, &model->arena, def, &term);
    if (status == LIL_OK)
        status = lil_model_add(ctx, model, term);
    if (status != LIL_OK)
        lil_model_destroy(&model);
    *out = model;
    return status;
}

lil_status lil_model_create_separable(lil_context *ctx, const lil_separable_def *def, lil_model **out)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, out, "model");
    *out = NULL;
    LIL_NEED(ctx, def, "def");
    LIL_TRY(check_size(ctx, def->n));
    LIL_NEED(ctx, def->potential, "def->potential");
    LIL_NEED(ctx, def->mass, "def->mass");
    for (int i = 0; i < def->n; i++)
        if (!(def->mass[i] > 0) || !isfinite(def->mass[i]))
            return lil_fail(ctx, LIL_ERR_ARGUMENT, "mass[%d] must be positive and finite, not %g", i, def->mass[i]);
    lil_model *model = lil_model_new(ctx, def->n);
    if (!model)
        return LIL_ERR_MEMORY;
    lil_term term;
    lil_status status = number_names(ctx, model);
    if (status == LIL_OK)
        status = lil_mass_diagonal(ctx, model, def->mass);
    if (status == LIL_OK)
        status = lil_term_potential(ctx, &model->arena, def, &term);
    if (status == LIL_OK)
        status = lil_model_add(ctx, model, term);
    if (status != LIL_OK)
        lil_model_destroy(&model);
    *out = model;
    return status;
}

int lil_model_size(const lil_model *model)
{
    return model->n;
}

const char *lil_model_name(const lil_model *model, int i)
{
    return i >= 0 && i < model->n ? model->names[i] : NULL;
}

bool lil_model_has_constant_mass(const lil_model *model)
{
    return model->mass.constant;
}
