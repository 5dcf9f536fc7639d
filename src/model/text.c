/*
 * A model from a text Lagrangian. Whether L = 1/2 v'Mv - W(t, q) with constant M is found out: it is so when every
 * d(dL/dv_i) is a constant by velocities and zero by everything else, dL/dv vanishes at v = 0 and does not jump, and
 * M is positive definite. Then W = -L(t, q, 0). Everything else stays a general L(t, q, v).
 */
#include "model/model_check.h"

#include "terms/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct mass_entries {
    int *row, *col;
    double *value;
    int count;
} mass_entries;

typedef struct builder {
    lil_context *ctx;
    lil_model *model;
    lil_graph graph;
    lil_tape tape;
    lil_ex L;
    lil_ex *Lv;
    mass_entries mass;
} builder;

static lil_status builder_init(builder *b, lil_context *ctx, lil_model *model)
{
    b->ctx = ctx;
    b->model = model;
    b->Lv = calloc((size_t)model->n, sizeof *b->Lv);
    LIL_HAVE(ctx, b->Lv);
    return lil_graph_init(&b->graph, ctx);
}

static void builder_free(builder *b)
{
    lil_graph_free(&b->graph);
    lil_tape_free(&b->tape);
    free(b->Lv);
    free(b->mass.row);
    free(b->mass.col);
    free(b->mass.value);
}

static lil_status text_build_lagrangian(builder *b, const lil_text_def *def)
{
    int n = def->n, count;
    lil_ex *node = NULL;
    lil_source *source = lil_source_copy(&b->model->arena, &def->lagrangian);
    LIL_HAVE(b->ctx, source);
    LIL_TRY(lil_build(&b->graph, &b->model->arena, &def->scope, source, true, &node, &count));
    b->L = *node;
    LIL_TRY(lil_ex_gradient(&b->tape, &b->graph, b->L));
    for (int k = 0; k < b->tape.inputs; k++)
        if (b->tape.input[k] >= lil_input_v(n, 0))
            b->Lv[b->tape.input[k] - lil_input_v(n, 0)] = b->tape.by[k];
    for (int i = 0; i < n; i++)
        if (!b->Lv[i]) {
            char where[LIL_WHERE_MAX];
            return lil_fail(b->ctx, LIL_ERR_INPUT,
                            "%sthe velocity 'd%s' does not occur in the lagrangian: '%s' has no inertia "
                            "(start makes it a coordinate; a velocity there is written dx)",
                            lil_source_where(source, 0, where), def->names[i], def->names[i]);
        }
    return LIL_OK;
}

/* dL/dv_i has only constant derivatives, and only by velocities: collects them as row i of M. */
static lil_status constant_row(builder *b, int i, bool *constant)
{
    const lil_tape *d = &b->tape;
    int first = lil_input_v(b->model->n, 0);
    LIL_TRY(lil_ex_gradient(&b->tape, &b->graph, b->Lv[i]));
    for (int k = 0; k < d->inputs; k++)
        if (d->input[k] < first || !lil_ex_is_const(&b->graph, d->by[k])) {
            *constant = false;
            return LIL_OK;
        }
    mass_entries *m = &b->mass;
    size_t size = (size_t)m->count + (size_t)d->inputs + 1;
    int *row = realloc(m->row, size * sizeof *row);
    if (row)
        m->row = row;
    int *col = row ? realloc(m->col, size * sizeof *col) : NULL;
    if (col)
        m->col = col;
    double *value = col ? realloc(m->value, size * sizeof *value) : NULL;
    LIL_HAVE(b->ctx, value);
    m->value = value;
    for (int k = 0; k < d->inputs; k++, m->count++) {
        m->row[m->count] = i;
        m->col[m->count] = d->input[k] - first;
        m->value[m->count] = b->graph.nodes[d->by[k]].value;
    }
    return LIL_OK;
}

static lil_status find_mass(builder *b, bool *constant)
{
    *constant = true;
    for (int i = 0; i < b->model->n && *constant; i++) {
        LIL_TRY(constant_row(b, i, constant));
        lil_ex at_rest = lil_ex_zeroed(&b->tape, &b->graph, b->Lv[i], lil_input_v(b->model->n, 0));
        bool jumps = lil_ex_has_jumps(&b->tape, &b->graph, b->Lv[i]); /* |v| has a constant derivative, twice */
        LIL_TRY(b->graph.status);
        *constant = *constant && at_rest == 0 && !jumps; /* a part of L linear in v would not be in M */
    }
    return LIL_OK;
}

/* Puts the entries into the model's mass. `positive`: M is positive definite. */
static lil_status text_set_mass(builder *b, bool *positive)
{
    lil_model *model = b->model;
    lil_mass *mass = &model->mass;
    const mass_entries *m = &b->mass;
    int n = model->n, *where = LIL_NEW(&model->arena, int, m->count);
    double *values = LIL_NEW(&model->arena, double, m->count), *diagonal = LIL_NEW(&model->arena, double, n);
    LIL_HAVE(b->ctx, where && values && diagonal);
    bool is_diagonal = true;
    *positive = true;
    for (int k = 0; k < m->count; k++) {
        is_diagonal = is_diagonal && m->row[k] == m->col[k];
        diagonal[m->col[k]] = m->value[k];
    }
    if (is_diagonal) {
        for (int i = 0; i < n; i++)
            *positive = *positive && diagonal[i] > 0;
        mass->diagonal = diagonal;
    } else {
        LIL_TRY(lil_pattern_create(b->ctx, &model->arena, n, m->row, m->col, m->count, &mass->pattern, where));
        for (int k = 0; k < m->count; k++)
            values[where[k]] = m->value[k];
        mass->values = values;
        LIL_TRY(lil_ldl_create(b->ctx, &model->arena, &mass->pattern, &mass->factor));
        *positive = lil_ldl_factor(&mass->factor, values);
    }
    mass->constant = *positive;
    return LIL_OK;
}

static lil_status add_lagrangian(builder *b)
{
    bool constant, positive = false;
    LIL_TRY(find_mass(b, &constant));
    if (constant)
        LIL_TRY(text_set_mass(b, &positive));
    lil_ex value = b->L;
    if (positive)
        value = lil_ex_unary(&b->graph, LIL_OP_NEG,
                             lil_ex_zeroed(&b->tape, &b->graph, b->L, lil_input_v(b->model->n, 0)));
    LIL_TRY(b->graph.status);
    lil_term term;
    LIL_TRY(lil_term_text(b->ctx, &b->model->arena, positive ? LIL_POTENTIAL : LIL_LAGRANGIAN, b->model->n, &b->graph,
                          value, NULL, &term));
    return lil_model_add(b->ctx, b->model, term);
}

static lil_status build_forces(lil_context *ctx, lil_model *model, const lil_text_def *def, lil_graph *graph,
                               lil_ex *force)
{
    for (int i = 0; i < def->force_count; i++) {
        const lil_force_def *f = &def->forces[i];
        lil_ex *nodes;
        int count;
        lil_source *source = lil_source_copy(&model->arena, &f->source);
        LIL_HAVE(ctx, source);
        LIL_TRY(lil_build(graph, &model->arena, &def->scope, source, !f->list, &nodes, &count));
        if (count != f->count) {
            char where[LIL_WHERE_MAX];
            return lil_fail(ctx, LIL_ERR_INPUT, "%s%s has %d entries, but the coordinate has %d",
                            lil_source_where(source, 0, where), source->what, count, f->count);
        }
        memcpy(force + f->first, nodes, (size_t)count * sizeof *force);
    }
    return graph->status;
}

static lil_status text_add_forces(lil_context *ctx, lil_model *model, const lil_text_def *def)
{
    lil_graph graph;
    lil_term term;
    lil_ex *force;
    LIL_ALLOC(ctx, &model->arena, force, def->n);
    LIL_TRY(lil_graph_init(&graph, ctx));
    lil_status status = build_forces(ctx, model, def, &graph, force);
    if (status != LIL_OK) {
        lil_graph_free(&graph);
        return status;
    }
    LIL_TRY(lil_term_text(ctx, &model->arena, LIL_FORCE, def->n, &graph, 0, force, &term));
    return lil_model_add(ctx, model, term);
}

/* The live parameters of the scope; a Sim has its own values. */
static lil_status list_parameters(lil_context *ctx, lil_model *model, const lil_scope *scope)
{
    for (int i = 0; i < scope->count; i++)
        model->parameter_count += scope->symbols[i].kind == LIL_SYMBOL_LIVE;
    LIL_ALLOC(ctx, &model->arena, model->parameters, model->parameter_count);
    LIL_ALLOC(ctx, &model->arena, model->parameter_values, model->parameter_count);
    for (int i = 0; i < scope->count; i++) {
        const lil_symbol *s = &scope->symbols[i];
        if (s->kind != LIL_SYMBOL_LIVE)
            continue;
        model->parameter_values[s->input] = s->values[0];
        LIL_HAVE(ctx, model->parameters[s->input] = lil_arena_copy(&model->arena, s->name, strlen(s->name)));
    }
    return LIL_OK;
}

lil_status lil_model_create_text(lil_context *ctx, const lil_text_def *def, lil_model **out)
{
    *out = NULL;
    lil_model *model = lil_model_new(ctx, def->n);
    if (!model)
        return LIL_ERR_MEMORY;
    builder b = { 0 };
    lil_status status = builder_init(&b, ctx, model);
    for (int i = 0; status == LIL_OK && i < def->n; i++)
        if (!(model->names[i] = lil_arena_copy(&model->arena, def->names[i], strlen(def->names[i]))))
            status = lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = list_parameters(ctx, model, &def->scope);
    if (status == LIL_OK)
        status = text_build_lagrangian(&b, def);
    if (status == LIL_OK)
        status = add_lagrangian(&b);
    builder_free(&b);
    if (status == LIL_OK && def->force_count)
        status = text_add_forces(ctx, model, def);
    if (status == LIL_OK)
        status = LIL_DEBUG_CHECK(lil_model_check(ctx, model));
    if (status != LIL_OK)
        lil_model_destroy(&model);
    *out = model;
    return status;
}
