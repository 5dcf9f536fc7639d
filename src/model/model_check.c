#include "model/model_check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

__attribute__((format(printf, 2, 3))) static lil_status broken(lil_context *ctx, const char *format, ...)
{
    char what[512];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return lil_fail(ctx, LIL_ERR_ARGUMENT, "the model is broken: %s", what);
}

/* ---- degrees of freedom ---- */

static lil_status check_map(lil_context *ctx, const lil_model *model)
{
    const lil_dofs *d = &model->dofs;
    int free = 0;
    if (!d->free)
        return d->total == model->n
                   ? LIL_OK
                   : broken(ctx, "%d degrees of freedom, but %d coordinates, none of them held", model->n, d->total);
    for (int i = 0; i < model->n; i++)
        if (d->free[i] < 0 || d->free[i] >= d->total || (i && d->free[i] <= d->free[i - 1]))
            return broken(ctx, "degree of freedom %d is coordinate %d of %d, or they do not ascend", i, d->free[i],
                          d->total);
    for (int k = 0; k < d->total; k++) {
        int i = d->number[k];
        if (i < -1 || i >= model->n || (i >= 0 && d->free[i] != k))
            return broken(ctx, "coordinate %d is degree of freedom %d, which is another coordinate", k, i);
        free += i >= 0;
    }
    return free == model->n ? LIL_OK : broken(ctx, "%d of %d degrees of freedom have a coordinate", free, model->n);
}

static lil_status check_dofs(lil_context *ctx, const lil_model *model)
{
    const lil_dofs *d = &model->dofs;
    if (model->n < (model->points.count ? 0 : 1)) /* points may all be pinned, until some are let go */
        return broken(ctx, "it has %d degrees of freedom", model->n);
    LIL_TRY(check_map(ctx, model));
    for (int i = 0; i < model->n; i++)
        if (!model->names[i])
            return broken(ctx, "degree of freedom %d has no name", i);
    for (int k = 0; d->held && k < d->total; k++)
        if (!isfinite(d->held[k]))
            return broken(ctx, "coordinate %d starts at %g", k, d->held[k]);
    for (int s = 0; s < d->script_count; s++)
        for (int i = 0; i < d->scripts[s].count; i++) {
            int v = d->scripts[s].vertices[i];
            if (v < 0 || 3 * v >= d->total || !d->number || d->number[3 * v] >= 0)
                return broken(ctx, "script %d moves vertex %d, which is not held", s, v);
        }
    return LIL_OK;
}

/* ---- patterns and mass ---- */

static bool has_entry(const lil_pattern *p, int row, int col)
{
    int low = p->start[col], high = p->start[col + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->start[col + 1] && p->row[low] == row;
}

static lil_status check_pattern(lil_context *ctx, const char *what, const lil_pattern *p, int n)
{
    if (p->n != n || p->start[0] != 0 || p->start[n] != p->count)
        return broken(ctx, "the pattern of %s has %d columns and %d entries, not %d and %d", what, p->n,
                      p->start[p->n], n, p->count);
    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] < 0 || p->row[k] >= n || (k > p->start[j] && p->row[k] <= p->row[k - 1]))
                return broken(ctx, "rows of column %d of %s are not sorted, or row %d is not there", j, what,
                              p->row[k]);
    for (int j = 0; j < n; j++) {
        if (!has_entry(p, j, j))
            return broken(ctx, "%s has no place on its diagonal, in column %d", what, j);
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (!has_entry(p, j, p->row[k]))
                return broken(ctx, "%s has a place in (%d, %d), but none in (%d, %d)", what, p->row[k], j, j,
                              p->row[k]);
    }
    return LIL_OK;
}

static lil_status check_mass(lil_context *ctx, const lil_model *model)
{
    const lil_mass *m = &model->mass;
    if (!m->constant)
        return LIL_OK;
    for (int i = 0; m->diagonal && i < model->n; i++)
        if (!(m->diagonal[i] > 0) || !isfinite(m->diagonal[i]))
            return broken(ctx, "the mass of '%s' is %g", model->names[i], m->diagonal[i]);
    if (m->diagonal)
        return LIL_OK;
    LIL_TRY(check_pattern(ctx, "the mass", &m->pattern, model->n));
    for (int k = 0; k < m->pattern.count; k++)
        if (!isfinite(m->values[k]))
            return broken(ctx, "entry %d of the mass is %g", k, m->values[k]);
    return LIL_OK;
}

/* ---- terms and constraints ---- */

static lil_status check_term(lil_context *ctx, const lil_model *model, int i)
{
    const lil_term_table *table = model->terms[i].table;
    if (!table || !table->name || !table->begin || !table->evaluate)
        return broken(ctx, "term %d has no table, or one without begin or evaluate", i);
    if ((int)table->place < 0 || table->place >= LIL_PLACE_COUNT)
        return broken(ctx, "term %d, %s, has place %d", i, table->name, (int)table->place);
    if ((table->place == LIL_LAGRANGIAN) == model->mass.constant && table->place <= LIL_POTENTIAL)
        return broken(ctx, "term %d, %s, belongs to a mass that is %sconstant", i, table->name,
                      model->mass.constant ? "not " : "");
    const char *wrong = table->check ? table->check(model->terms[i].data, model->dofs.total) : NULL;
    return wrong ? broken(ctx, "term %d, %s: %s", i, table->name, wrong) : LIL_OK;
}

static lil_status check_terms(lil_context *ctx, const lil_model *model)
{
    int count[LIL_PLACE_COUNT] = { 0 };
    bool touches = false, impassable = false, loses = false;
    if (model->term_count < 0 || model->term_count > LIL_TERMS_MAX)
        return broken(ctx, "it has %d terms", model->term_count);
    for (int i = 0; i < model->term_count; i++) {
        const lil_term *term = &model->terms[i];
        LIL_TRY(check_term(ctx, model, i));
        count[term->table->place]++;
        touches = touches || term->table->contact;
        impassable = impassable || lil_term_is_impassable(term->table);
        loses = loses || term->loses;
        if (term->uses_t && !model->uses_time)
            return broken(ctx, "term %d, %s, depends on t, and the model does not know", i, term->table->name);
    }
    for (int place = 0; place < LIL_PLACE_COUNT; place++)
        if (count[place] != model->place_count[place])
            return broken(ctx, "%d terms have place %d, and the model counts %d", count[place], place,
                          model->place_count[place]);
    if (touches != model->touches || impassable != model->impassable || loses != model->loses)
        return broken(
            ctx, "its terms touch (%d), cannot be passed (%d) or lose energy (%d), and the model says %d, %d, %d",
            touches, impassable, loses, model->touches, model->impassable, model->loses);
    return LIL_OK;
}

static lil_status check_jacobian(lil_context *ctx, const lil_model *model, const lil_constraint *set,
                                 lil_arena *arena)
{
    lil_jacobian G = { 0 };
    void *work;
    int rows = set->count * set->table->rows;
    LIL_TRY(lil_constraint_begin(ctx, set, arena, &work, &G));
    for (int k = 0; k < G.count; k++)
        if (G.row[k] < 0 || G.row[k] >= rows || G.col[k] < 0 || G.col[k] >= model->dofs.total)
            return broken(ctx, "constraint '%s' has an entry in row %d of %d, coordinate %d of %d",
                          set->label ? set->label : set->table->name, G.row[k], rows, G.col[k], model->dofs.total);
    return LIL_OK;
}

static lil_status check_constraints(lil_context *ctx, const lil_model *model)
{
    for (int i = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        lil_arena arena = { .parameters = model->parameter_values };
        /* none are left of a set whose members bind only pinned points (world/build.c) */
        if (!set->table || set->count < 0 || set->table->rows < 1)
            return broken(ctx, "constraint set %d has no table, no rows, or %d members", i, set->count);
        lil_status status = check_jacobian(ctx, model, set, &arena);
        lil_arena_free(&arena);
        LIL_TRY(status);
    }
    return LIL_OK;
}

/* ---- points and parameters ---- */

static lil_status check_points(lil_context *ctx, const lil_model *model)
{
    const lil_points *p = &model->points;
    if (!p->count)
        return LIL_OK;
    if (3 * p->count != model->dofs.total)
        return broken(ctx, "it has %d vertices, but %d coordinates", p->count, model->dofs.total);
    for (int v = 0; v < p->count; v++) {
        bool free = !model->dofs.number || model->dofs.number[3 * v] >= 0;
        if (!isfinite(p->mass[v]) || p->mass[v] < 0 || (free && p->mass[v] == 0))
            return broken(ctx, "the mass of vertex %d is %g", v, p->mass[v]);
    }
    for (int m = 0; m < p->mark_count; m++) {
        double sum = 0;
        for (int i = 0; i < p->marks[m].count; i++) {
            if (p->marks[m].vertices[i] < 0 || p->marks[m].vertices[i] >= p->count)
                return broken(ctx, "mark '%s' has vertex %d of %d", p->marks[m].name, p->marks[m].vertices[i],
                              p->count);
            sum += p->marks[m].weights[i];
        }
        if (!(fabs(sum - 1) < 1e-9)) /* rounded as often as there are vertices */
            return broken(ctx, "the weights of mark '%s' add up to %g", p->marks[m].name, sum);
    }
    return LIL_OK;
}

static lil_status check_start(lil_context *ctx, const lil_model *model)
{
    for (int i = 0; model->q0 && i < model->n; i++)
        if (!isfinite(model->q0[i]) || !isfinite(model->v0[i]))
            return broken(ctx, "'%s' starts at %g with %g", model->names[i], model->q0[i], model->v0[i]);
    for (int i = 0; i < model->parameter_count; i++)
        if (!model->parameters[i] || !isfinite(model->parameter_values[i]))
            return broken(ctx, "parameter %d has no name, or is %g", i, model->parameter_values[i]);
    return LIL_OK;
}

lil_status lil_model_check(lil_context *ctx, const lil_model *model)
{
    LIL_TRY(check_dofs(ctx, model));
    LIL_TRY(check_mass(ctx, model));
    LIL_TRY(check_terms(ctx, model));
    LIL_TRY(check_constraints(ctx, model));
    LIL_TRY(check_points(ctx, model));
    return check_start(ctx, model);
}

/* ---- an evaluator ---- */

static lil_status check_entries(const lil_evaluator *ev, int i)
{
    const lil_entries *e = &ev->entries[i];
    const char *name = ev->model->terms[i].table->name;
    for (int k = 0; k < lil_entry_count(e); k++)
        if (e->row[k] < 0 || e->row[k] >= ev->model->dofs.total || e->col[k] < 0 ||
            e->col[k] >= ev->model->dofs.total)
            return broken(ev->ctx, "entry %d of term %d, %s, is at (%d, %d)", k, i, name, e->row[k], e->col[k]);
    const int *where = ev->matrix.where ? ev->matrix.where[i] : NULL;
    for (int k = 0; where && k < lil_entry_count(e); k++)
        if (where[k] < -1 || where[k] >= ev->matrix.size)
            return broken(ev->ctx, "entry %d of term %d, %s, goes to place %d of %d", k, i, name, where[k],
                          ev->matrix.size);
    return LIL_OK;
}

static int phase_of(const lil_blocks *A, int row)
{
    int chunk = row / (8 * LIL_BLOCKS_CHUNK), phase = 0;
    while (phase < A->phases && chunk >= A->phase[phase + 1])
        phase++;
    return phase;
}

/* Chunks of one phase are swept at once: rows of two of them must not be coupled. */
static lil_status check_sweeps(lil_context *ctx, const lil_blocks *A)
{
    for (int i = 0; i < A->n; i++)
        for (int k = A->first[i]; k < A->first[i + 1]; k++) {
            int a = A->at[k][0], b = A->at[k][1];
            if (a < 0 || a >= A->n || b < -1 || b >= A->n)
                return broken(ctx, "block %d couples rows %d and %d of %d", k, a, b, A->n);
            bool apart = b >= 0 && a / (8 * LIL_BLOCKS_CHUNK) != b / (8 * LIL_BLOCKS_CHUNK);
            if (apart && phase_of(A, a) == phase_of(A, b))
                return broken(ctx, "rows %d and %d are coupled, and swept at once", a, b);
        }
    return LIL_OK;
}

lil_status lil_evaluator_check(const lil_evaluator *ev)
{
    for (int i = 0; i < ev->model->term_count; i++)
        LIL_TRY(check_entries(ev, i));
    if (ev->matrix.pattern.n)
        LIL_TRY(check_pattern(ev->ctx, "the matrix", &ev->matrix.pattern, ev->n));
    return ev->blocks.values ? check_sweeps(ev->ctx, &ev->blocks.A) : LIL_OK;
}
