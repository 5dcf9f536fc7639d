#include "model/model.h"

#include "terms/constraint_springs.h"

#include <stdlib.h>
#include <string.h>

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
    model->place_count[place]++;
    model->uses_time = model->uses_time || term.uses_t;
    bool lagrangian = place == LIL_POTENTIAL || place == LIL_LAGRANGIAN;
    model->drives = model->drives || (term.uses_t && lagrangian && (term.table->driven || term.table->rate));
    model->touches = model->touches || term.table->contact;
    model->bodies_meet = model->bodies_meet || (place == LIL_POTENTIAL && term.table->couples);
    model->impassable = model->impassable || lil_term_is_impassable(term.table);
    model->may_stick = model->may_stick || term.holds;
    model->loses = model->loses || term.loses;
    return LIL_OK;
}

bool lil_model_forces_vary(const lil_model *model)
{
    for (int i = 0; model->place_count[LIL_FORCE] && i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_FORCE && (model->terms[i].uses_q || model->terms[i].uses_v))
            return true;
    return false;
}

const lil_term *lil_model_without_gradient(const lil_model *model)
{
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_POTENTIAL && !model->terms[i].table->discrete_gradient)
            return &model->terms[i];
    return NULL;
}

bool lil_model_forces_use_v(const lil_model *model)
{
    for (int i = 0; model->place_count[LIL_FORCE] && i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_FORCE && model->terms[i].uses_v)
            return true;
    return false;
}

bool lil_model_step_bends(const lil_model *model)
{
    for (int i = 0; model->place_count[LIL_STEP] && i < model->term_count; i++) {
        const lil_term_table *table = model->terms[i].table;
        if (table->place == LIL_STEP && !(table->dissipation && table->dissipation->viscous))
            return true;
    }
    return false;
}

bool lil_model_is_damped(const lil_model *model)
{
    const int *count = model->place_count;
    return count[LIL_STEP] || count[LIL_KICK] || count[LIL_IMPULSE] || count[LIL_FRICTION] || model->loses;
}

bool lil_model_who(const lil_model *model, const lil_contact_id *which, lil_pair *names)
{
    if (which->term < 0 || which->term >= model->term_count)
        return false;
    const lil_term *term = &model->terms[which->term];
    const lil_term_contact *contact = term->table->contact;
    return contact && contact->who && contact->who(term->data, which, names);
}

void lil_model_bind(lil_model *model, const lil_constraint *constraints, int count)
{
    model->constraints = constraints;
    model->constraint_count = count;
}

lil_status lil_model_loosen(lil_context *ctx, lil_model *model, double stiffness)
{
    lil_term term;
    if (model->next)
        LIL_TRY(lil_model_loosen(ctx, model->next, stiffness));
    if (!model->constraint_count)
        return LIL_OK;
    LIL_TRY(lil_constraint_springs_term(ctx, &model->arena, model->constraints, model->constraint_count, stiffness,
                                        &term));
    model->constraint_count = 0;
    LIL_TRY(lil_model_add(ctx, model, term));
    model->penalties = model->term_count;
    return LIL_OK;
}

lil_status lil_mass_diagonal(lil_context *ctx, lil_model *model, const double *mass)
{
    double *copy;
    LIL_ALLOC(ctx, &model->arena, copy, model->n);
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
    lil_model_destroy(&(*model)->next);
    for (int i = 0; i < (*model)->term_count; i++)
        if ((*model)->terms[i].table->destroy)
            (*model)->terms[i].table->destroy((*model)->terms[i].data);
    if ((*model)->release)
        (*model)->release((*model)->owner);
    lil_arena_free(&(*model)->arena);
    free(*model);
    *model = NULL;
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
