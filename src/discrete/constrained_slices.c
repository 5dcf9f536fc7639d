/* Slices of constrained steps: which there are, and what is done for one of them. */
#include "discrete/constrained.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- create ---- */

/* Sets can be cut whose members stand in a row and need nothing beside them. */
static bool can_be_cut(const lil_model *model)
{
    for (int i = 0; i < model->constraint_count; i++)
        if (!model->constraints[i].table->points || model->constraints[i].table->begin)
            return false;
    return model->points.count > 0;
}

/* What slice `from` to `end` of the rows has of the sets; without a list it counts. */
static int list_sets(const lil_constrained *c, int from, int end, lil_set_slice *list)
{
    const lil_model *model = c->ev->model;
    int count = 0;
    for (int i = 0, first = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        int rows = set->table->rows, after = first + set->count * rows;
        int low = from > first ? from : first, high = end < after ? end : after;
        if (low < high && list) {
            int member = (low - first) / rows, members = (high - low) / rows;
            int entries = (c->entries[i + 1] - c->entries[i]) / set->count;
            int curves = (c->curved.sets[i + 1] - c->curved.sets[i]) / set->count;
            list[count] = (lil_set_slice){
                *set, c->work[i], i, low, c->entries[i] + member * entries, c->curved.sets[i] + member * curves
            };
            if (members < set->count) {
                list[count].set.data = (const char *)set->data + (size_t)member * set->table->stride;
                list[count].set.count = members;
            }
        }
        count += low < high;
        first = after;
    }
    return count;
}

static lil_status take_sets(lil_context *ctx, lil_arena *arena, lil_constrained *c)
{
    const lil_slices *slices = &c->slices;
    LIL_ALLOC(ctx, arena, c->sets_begin, (size_t)slices->count + 1);
    for (int i = 0; i < slices->count; i++)
        c->sets_begin[i + 1] = c->sets_begin[i] + list_sets(c, slices->list[i].row, slices->list[i].row_end, NULL);
    LIL_ALLOC(ctx, arena, c->sets, c->sets_begin[slices->count]);
    for (int i = 0; i < slices->count; i++)
        list_sets(c, slices->list[i].row, slices->list[i].row_end, c->sets + c->sets_begin[i]);
    LIL_ALLOC(ctx, arena, c->curves_begin, (size_t)slices->count + 1);
    c->curves_begin[slices->count] = c->curved.count;
    for (int i = slices->count - 1; i >= 0; i--)
        c->curves_begin[i] =
            c->sets_begin[i] < c->sets_begin[i + 1] ? c->sets[c->sets_begin[i]].curve : c->curves_begin[i + 1];
    return LIL_OK;
}

lil_status lil_constrained_slice(lil_context *ctx, lil_arena *arena, bool implicit, lil_constrained *c)
{
    lil_saddle *saddles[2] = { &c->mass, &c->step };
    if (can_be_cut(c->ev->model))
        LIL_TRY(lil_saddle_slice(ctx, arena, saddles, implicit ? 2 : 1, 3, &c->slices));
    else
        c->slices = *c->mass.slices;
    LIL_TRY(take_sets(ctx, arena, c));
    LIL_ALLOC(ctx, arena, c->slice_most, c->slices.count);
    LIL_ALLOC(ctx, arena, c->slice_own, c->slices.count);
    LIL_ALLOC(ctx, arena, c->slice_left, c->slices.count);
    return LIL_OK;
}

/* ---- all slices ---- */

void lil_constrained_each(lil_constrained *c, void (*job)(void *data, int i), void *data)
{
    lil_parallel(c->ev->threads, c->slices.count, job, data);
}

double lil_constrained_most(const lil_constrained *c)
{
    double most = 0;
    for (int i = 0; i < c->slices.count; i++)
        most = c->slice_most[i] > most ? c->slice_most[i] : most;
    return most;
}

/* ---- one ---- */

static const double *scatter_slice(const lil_constrained *c, int i, const double *q, double *x)
{
    const int *free = c->ev->model->dofs.free;
    const lil_slice *slice = &c->slices.list[i];
    for (int j = slice->col; free && j < slice->col_end; j++)
        x[free[j]] = q[j];
    return free ? x : q;
}

const double *lil_constrained_positions_slice(lil_constrained *c, int i, const double *q)
{
    return scatter_slice(c, i, q, c->ev->full.x);
}

const double *lil_constrained_velocity_slice(lil_constrained *c, int i, const double *v)
{
    return scatter_slice(c, i, v, c->ev->full.v);
}

void lil_constrained_evaluate_slice(lil_constrained *c, int i, const double *x, double *g, double *G)
{
    for (const lil_set_slice *s = c->sets + c->sets_begin[i]; s < c->sets + c->sets_begin[i + 1]; s++)
        s->set.table->evaluate(&s->set, s->work, x, g ? g + s->row : NULL, G ? G + s->entry : NULL);
}

void lil_constrained_curve_slice(lil_constrained *c, int i, const double *x)
{
    for (const lil_set_slice *s = c->sets + c->sets_begin[i]; s < c->sets + c->sets_begin[i + 1]; s++)
        if (s->set.table->second)
            s->set.table->second(&s->set, s->work, x, c->curved.values + s->curve);
}

void lil_constrained_rates_slice(lil_constrained *c, int i, const double *dx, double most)
{
    const lil_slice *slice = &c->slices.list[i];
    size_t bytes = (size_t)(slice->row_end - slice->row) * sizeof *c->rate;
    memset(c->rate + slice->row, 0, bytes);
    memset(c->size + slice->row, 0, bytes);
    for (int k = slice->entry; k < slice->entry_end; k++) {
        c->rate[c->row[k]] += c->now[k] * dx[c->col_x[k]];
        c->size[c->row[k]] += fabs(c->now[k]) * most;
    }
}

double lil_constrained_off_slice(const lil_constrained *c, int i, const double *x)
{
    const lil_slice *slice = &c->slices.list[i];
    double most = 0;
    for (int k = slice->row; k < slice->row_end; k++) {
        double size = c->size[k] > DBL_MIN ? c->size[k] : DBL_MIN, ratio = fabs(x[k]) / size;
        most = ratio <= most ? most : isnan(ratio) ? INFINITY : ratio;
    }
    return most / DBL_EPSILON;
}
