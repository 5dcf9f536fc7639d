#include "model/sliced_assembly.h"

#include "core/threads.h"
#include "model/assembly.h"
#include "model/evaluator.h"

#include <stdlib.h>

/* ---- create ---- */

/* What the entries of terms belong to. */
typedef struct sorter {
    const lil_model *model;
    int slices, *slice; /* of each degree of freedom */
} sorter;

/* The slice of an entry; -1: it is not among the degrees of freedom. */
static int slice_of(const sorter *s, const lil_entries *e, int k)
{
    const int *number = s->model->dofs.number;
    int row = number ? number[e->row[k]] : e->row[k], col = number ? number[e->col[k]] : e->col[k];
    return row < 0 || col < 0 ? -1 : s->slice[row];
}

/* begin[] of slices for things that come one after the other: thing i is in slice `in`. False: an earlier slice. */
static bool advance(int *begin, int *slice, int i, int in)
{
    if (in < *slice)
        return in < 0; /* nowhere: it may be anywhere */
    while (*slice < in)
        begin[++*slice] = i;
    return true;
}

static void finish(int *begin, int slice, int slices, int count)
{
    while (slice < slices)
        begin[++slice] = count;
}

static bool sort_entries(const sorter *s, const lil_entries *e, int from, int count, int *begin)
{
    int slice = 0;
    for (int k = 0; k < count; k++)
        if (!advance(begin, &slice, k, slice_of(s, e, from + k)))
            return false;
    finish(begin, slice, s->slices, count);
    return true;
}

/* Each piece in one slice. */
static bool sort_pieces(const sorter *s, const lil_entries *e, const lil_sliced_term *t, int *begin)
{
    int slice = 0, count = t->table->pieces->count(t->work);
    for (int i = 0; i < count; i++) {
        int from, end, in = -1;
        t->table->pieces->entries(t->work, i, &from, &end);
        for (int k = from; k < end; k++) {
            int own = slice_of(s, e, k);
            if (own >= 0 && in >= 0 && own != in)
                return false;
            in = own >= 0 ? own : in;
        }
        if (!advance(begin, &slice, i, in))
            return false;
    }
    finish(begin, slice, s->slices, count);
    return true;
}

static lil_status sort_term(lil_context *ctx, lil_arena *arena, const sorter *s, const lil_entries *e,
                            lil_sliced_term *t, bool *sorted)
{
    const int counts[3] = { e->qq, e->qv, e->vv };
    bool pieces = t->table->places && t->table->pieces;
    for (int b = 0; b < (pieces ? 1 : 3); b++)
        LIL_ALLOC(ctx, arena, t->begin[b], (size_t)s->slices + 1);
    if (pieces) {
        *sorted = sort_pieces(s, e, t, t->begin[0]);
        return LIL_OK;
    }
    LIL_ALLOC(ctx, arena, t->entries, lil_entry_count(e));
    *sorted = !t->table->places;
    for (int b = 0, from = 0; b < 3 && *sorted; from += counts[b++])
        *sorted = sort_entries(s, e, from, counts[b], t->begin[b]);
    return LIL_OK;
}

static lil_status sort_all(lil_context *ctx, lil_arena *arena, const sorter *from, void *const *work,
                           const lil_entries *entries, lil_sliced_assembly *s, bool *sorted)
{
    const lil_model *model = s->model;
    *sorted = true;
    for (int i = 0; i < model->term_count && *sorted; i++) {
        const lil_term_table *table = model->terms[i].table;
        s->terms[i] = (lil_sliced_term){ .table = table, .data = model->terms[i].data, .work = work[i] };
        if (!table->second || !lil_in_the_matrix(table->place))
            continue;
        *sorted = !table->couples && table->place != LIL_LAGRANGIAN;
        if (*sorted)
            LIL_TRY(sort_term(ctx, arena, from, &entries[i], &s->terms[i], sorted));
    }
    return LIL_OK;
}

lil_status lil_sliced_assembly_create(lil_context *ctx, lil_arena *arena, const lil_model *model, void *const *work,
                                      const lil_entries *entries, const lil_slices *slices, lil_assembly *to)
{
    lil_sliced_assembly *s;
    sorter from = { .model = model, .slices = slices->count };
    bool sorted;
    if (slices->count == 1 || !model->mass.constant || !model->mass.diagonal)
        return LIL_OK;
    LIL_ALLOC(ctx, arena, s, 1);
    *s = (lil_sliced_assembly){ .threads = ctx->threads, .model = model, .to = to, .slices = slices };
    LIL_ALLOC(ctx, arena, s->terms, model->term_count);
    for (int i = 0; i < LIL_SLICED_POINTS; i++)
        LIL_ALLOC(ctx, arena, s->points[i], model->dofs.total);
    from.slice = malloc((size_t)model->n * sizeof *from.slice);
    LIL_HAVE(ctx, from.slice);
    for (int i = 0; i < slices->count; i++)
        for (int j = slices->list[i].col; j < slices->list[i].col_end; j++)
            from.slice[j] = i;
    lil_status status = sort_all(ctx, arena, &from, work, entries, s, &sorted);
    free(from.slice);
    to->sliced = sorted ? s : NULL;
    return status;
}

/* ---- the list ---- */

void lil_sliced_assembly_begin(lil_sliced_assembly *s)
{
    s->count = s->point_count = 0;
    s->mass = 0;
    s->full = false;
    s->open = true;
    for (int i = 0; i < s->model->term_count; i++)
        s->terms[i].listed = false;
}

bool lil_sliced_assembly_end(lil_sliced_assembly *s)
{
    s->open = false;
    return !s->full;
}

/* A copy of q. NULL: there is no room for it. */
static const double *copy_point(lil_sliced_assembly *s, const double *q)
{
    if (s->point_count == LIL_SLICED_POINTS)
        return NULL;
    double *copy = s->points[s->point_count++];
    lil_parallel_copy(s->threads, (size_t)s->model->dofs.total, q, copy);
    return copy;
}

void lil_sliced_assembly_list(lil_sliced_assembly *s, int term, const lil_at *at, const lil_sink *to,
                              const double weights[3])
{
    lil_sliced_term *t = &s->terms[term];
    lil_sliced_task task = {
        term, { at->t, NULL, NULL }, to->weight, { weights[0], weights[1], weights[2] }, to->definite
    };
    bool pieces = t->table->places;
    s->full = s->full || s->count == LIL_SLICED_TASKS || (!pieces && t->listed);
    if (!s->full && pieces && t->table->pieces->sees_q)
        s->full = !(task.at.q = copy_point(s, at->q));
    if (s->full)
        return;
    if (pieces)
        t->table->pieces->begin(t->work, s->to->where[term]); /* it may have been used for another matrix since */
    else
        t->table->second(t->data, t->work, at, &(lil_sink){ .definite = to->definite, .entries = t->entries });
    t->listed = true;
    s->tasks[s->count++] = task;
}

/* ---- a slice ---- */

static void add_entries(const lil_sliced_assembly *s, const lil_sliced_task *task, int i, double *values)
{
    const lil_sliced_term *t = &s->terms[task->term];
    const int *where = s->to->where[task->term];
    const double *from = t->entries;
    for (int b = 0; b < 3; b++) {
        int first = t->begin[b][i], count = t->begin[b][i + 1] - first, all = t->begin[b][s->slices->count];
        lil_assembly_add(from + first, where + first, count, task->weights[b], values);
        from += all;
        where += all;
    }
}

void lil_sliced_assembly_add(const lil_sliced_assembly *s, int i, double *values)
{
    const lil_slice *slice = &s->slices->list[i];
    for (int j = slice->col; j < slice->col_end; j++)
        values[s->to->where_mass[j]] += s->mass * s->model->mass.diagonal[j];
    for (const lil_sliced_task *task = s->tasks; task < s->tasks + s->count; task++) {
        const lil_sliced_term *t = &s->terms[task->term];
        const lil_sink to = {
            .weight = task->weight, .definite = task->definite, .where = s->to->where[task->term], .values = values
        };
        if (!t->table->places)
            add_entries(s, task, i, values);
        else
            for (int k = t->begin[0][i]; k < t->begin[0][i + 1]; k++)
                t->table->pieces->second(t->data, t->work, &task->at, &to, k);
    }
}
