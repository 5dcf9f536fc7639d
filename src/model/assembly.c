#include "model/assembly.h"

#include "model/sliced_assembly.h"

#include <stdlib.h>
#include <string.h>

/* Positions that may occur, with the place where each one's place in the pattern will be kept; those that are not among
 * the degrees of freedom are marked at once. */
typedef struct positions {
    const int *number; /* NULL: coordinates are degrees of freedom */
    int *row, *col, **keep;
    size_t count;
} positions;

static void add_position(positions *p, int row, int col, int *keep)
{
    if (p->number) {
        row = p->number[row];
        col = p->number[col];
    }
    *keep = -1;
    if (row < 0 || col < 0)
        return;
    p->row[p->count] = row;
    p->col[p->count] = col;
    p->keep[p->count++] = keep;
}

/* the mass is numbered as the degrees of freedom are */
static void add_mass_positions(lil_assembly *a, const lil_model *model, positions *p)
{
    const lil_mass *mass = &model->mass;
    const int *number = p->number;
    p->number = NULL;
    for (int i = 0; i < model->n; i++)
        add_position(p, i, i, &a->where_mass[i]); /* the diagonal, also where there is no mass on it */
    for (int j = 0; mass->values && j < model->n; j++)
        for (int k = mass->pattern.start[j]; k < mass->pattern.start[j + 1]; k++)
            add_position(p, mass->pattern.row[k], j, &a->where_mass[k]);
    p->number = number;
}

static void add_term_positions(const lil_entries *e, int *where, int *where_turned, positions *p)
{
    for (int k = 0; k < lil_entry_count(e); k++)
        add_position(p, e->row[k], e->col[k], &where[k]);
    for (int k = e->qq; k < e->qq + e->qv; k++)
        add_position(p, e->col[k], e->row[k], &where_turned[k - e->qq]);
}

static lil_status assembly_allocate(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                    const lil_entries *entries, bool (*wanted)(lil_place), lil_assembly *a,
                                    size_t *total)
{
    size_t most = 0, mass = model->mass.values ? (size_t)model->mass.pattern.count : 0;
    *total = (size_t)model->n + mass;
    LIL_ALLOC(ctx, arena, a->where, model->term_count);
    LIL_ALLOC(ctx, arena, a->where_turned, model->term_count);
    LIL_ALLOC(ctx, arena, a->where_mass, mass > (size_t)model->n ? mass : (size_t)model->n);
    for (int i = 0; i < model->term_count; i++) {
        const lil_entries *e = &entries[i];
        if (!wanted(model->terms[i].table->place))
            continue;
        size_t count = (size_t)lil_entry_count(e);
        *total += count + (size_t)e->qv;
        most = count > most ? count : most;
        LIL_ALLOC(ctx, arena, a->where[i], count);
        LIL_ALLOC(ctx, arena, a->where_turned[i], e->qv);
    }
    a->values = LIL_NEW(arena, double, most);
    if (*total > INT32_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "the system is too large for a matrix: %zu entries", *total);
    return a->values ? LIL_OK : lil_fail_memory(ctx);
}

lil_status lil_assembly_create(lil_context *ctx, lil_arena *arena, const lil_model *model, const lil_entries *entries,
                               bool (*wanted)(lil_place), lil_assembly *a)
{
    size_t total;
    *a = (lil_assembly){ 0 };
    LIL_TRY(assembly_allocate(ctx, arena, model, entries, wanted, a, &total));
    positions p = { .number = model->dofs.free ? model->dofs.number : NULL,
                    .row = malloc(total * sizeof(int)),
                    .col = malloc(total * sizeof(int)),
                    .keep = malloc(total * sizeof(int *)) };
    int *where = malloc(total * sizeof(int));
    lil_status status = p.row && p.col && p.keep && where ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK) {
        add_mass_positions(a, model, &p);
        for (int i = 0; i < model->term_count; i++)
            if (wanted(model->terms[i].table->place))
                add_term_positions(&entries[i], a->where[i], a->where_turned[i], &p);
        status = lil_pattern_create(ctx, arena, model->n, p.row, p.col, (int)p.count, &a->pattern, where);
    }
    for (size_t k = 0; status == LIL_OK && k < p.count; k++)
        *p.keep[k] = where[k];
    a->size = a->pattern.count;
    free(p.row);
    free(p.col);
    free(p.keep);
    free(where);
    return status;
}

static int *placed(lil_arena *arena, const int *where, int count, const int *place)
{
    int *to = where ? LIL_NEW(arena, int, count) : NULL;
    for (int k = 0; to && k < count; k++)
        to[k] = where[k] < 0 ? -1 : place[where[k]];
    return to;
}

lil_status lil_assembly_place(lil_context *ctx, lil_arena *arena, const lil_model *model, const lil_entries *entries,
                              const lil_assembly *from, const int *place, int size, lil_assembly *a)
{
    int mass = model->mass.values ? model->mass.pattern.count : model->n;
    *a = *from;
    a->size = size;
    a->where = LIL_NEW(arena, int *, model->term_count);
    a->where_turned = LIL_NEW(arena, int *, model->term_count);
    a->where_mass = placed(arena, from->where_mass, mass, place);
    bool there = a->where && a->where_turned && a->where_mass;
    for (int i = 0; there && i < model->term_count; i++) {
        a->where[i] = placed(arena, from->where[i], lil_entry_count(&entries[i]), place);
        a->where_turned[i] = placed(arena, from->where_turned[i], entries[i].qv, place);
        there = !from->where[i] || (a->where[i] && a->where_turned[i]);
    }
    return there ? LIL_OK : lil_fail_memory(ctx);
}

void lil_assembly_zero(const lil_assembly *a, double *values)
{
    if (!a->sliced || !a->sliced->open)
        memset(values, 0, (size_t)a->size * sizeof *values);
}

void lil_assembly_add_mass(const lil_assembly *a, const lil_model *model, double weight, double *values)
{
    const lil_mass *mass = &model->mass;
    if (!mass->constant || weight == 0)
        return;
    const double *M = mass->diagonal ? mass->diagonal : mass->values;
    int count = mass->diagonal ? model->n : mass->pattern.count;
    for (int k = 0; k < count; k++)
        values[a->where_mass[k]] += weight * M[k];
}

void lil_assembly_add(const double *from, const int *where, int count, double weight, double *values)
{
    for (int k = 0; weight != 0 && k < count; k++)
        if (where[k] >= 0)
            values[where[k]] += weight * from[k];
}
