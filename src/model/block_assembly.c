#include "model/block_assembly.h"

#include <stdlib.h>
#include <string.h>

bool lil_block_assembly_couples(const lil_model *model, bool (*wanted)(lil_place))
{
    for (int i = 0; i < model->term_count; i++)
        if (wanted(model->terms[i].table->place) && model->terms[i].table->couples)
            return true;
    return false;
}

bool lil_block_assembly_possible(const lil_model *model, bool (*wanted)(lil_place))
{
    if (!model->points.count || !model->mass.constant || !model->mass.diagonal)
        return false;
    for (int i = 0; i < model->term_count; i++)
        if (wanted(model->terms[i].table->place) && !lil_term_has_blocks(model->terms[i].table))
            return false;
    return true;
}

/* the terms' own pairs */
static lil_status block_assembly_list_pairs(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                            void *const *work, bool (*wanted)(lil_place), lil_block_pairs *own,
                                            size_t *total)
{
    *total = 0;
    for (int i = 0; i < model->term_count; i++) {
        const lil_term *term = &model->terms[i];
        if (!wanted(term->table->place) || !term->table->second)
            continue;
        LIL_TRY(term->table->pairs(ctx, term->data, arena, work[i], &own[i]));
        *total += (size_t)own[i].count;
    }
    return *total <= INT32_MAX
               ? LIL_OK
               : lil_fail(ctx, LIL_ERR_LIMIT, "the system is too large for a matrix: %zu pairs", *total);
}

static void block_assembly_number_rows(const lil_model *model, const int *number, const lil_block_pairs *own,
                                       int (*at)[2])
{
    for (int i = 0; i < model->term_count; at += own[i++].count)
        for (int k = 0; k < own[i].count; k++)
            for (int end = 0; end < 2; end++)
                at[k][end] = lil_couplings_row(number, own[i].at[k][end]);
}

/* Terms that add on several threads see to it that nothing is added twice at once. */
static lil_status block_assembly_place_pairs(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                             void *const *work, const lil_block_pairs *own, const int (*rows)[2])
{
    for (int i = 0; i < model->term_count; rows += own[i++].count)
        if (own[i].count && model->terms[i].table->place_pairs)
            LIL_TRY(model->terms[i].table->place_pairs(ctx, arena, work[i], rows));
    return LIL_OK;
}

/* of a general matrix: where both blocks of each pair are; `where` becomes the first of them, the only one for
 * pairs with pinned vertices */
static lil_status place_two(lil_context *ctx, lil_arena *arena, const lil_model *model, const lil_block_pairs *own,
                            int total, const int (*at)[2], int *where, lil_block_assembly *a)
{
    int(*place)[2] = lil_arena_alloc(arena, (size_t)total + 1, sizeof *place);
    a->two = lil_arena_alloc(arena, (size_t)model->term_count, sizeof *a->two);
    LIL_HAVE(ctx, place && a->two);
    LIL_TRY(lil_blocks_generalise(ctx, arena, &a->A, total, at, where, place));
    for (int k = 0; k < total; k++)
        where[k] = place[k][0];
    for (int i = 0; i < model->term_count; place += own[i++].count)
        a->two[i] = place;
    return LIL_OK;
}

static lil_status block_assembly_create_matrix(lil_context *ctx, lil_arena *arena, const lil_model *model, int total,
                                               const int (*at)[2], bool general, int *where, lil_block_assembly *a)
{
    int rows = model->n / 3;
    LIL_ALLOC(ctx, arena, a->mass, rows);
    LIL_ALLOC(ctx, arena, a->x, model->n);
    for (int i = 0; i < model->n; i++)
        a->x[i] = model->dofs.held[model->dofs.free ? model->dofs.free[i] : i];
    for (int i = 0; i < rows; i++)
        a->mass[i] = model->mass.diagonal[3 * i];
    LIL_TRY(lil_blocks_create(ctx, arena, rows, a->x, total, at, ctx->threads, &a->A, where));
    a->values = LIL_NEW(arena, float, (general ? 18 : 9) * (size_t)a->A.places);
    return a->values ? LIL_OK : lil_fail_memory(ctx);
}

lil_status lil_block_assembly_create(lil_context *ctx, lil_arena *arena, const lil_model *model, void *const *work,
                                     bool (*wanted)(lil_place), bool general, lil_block_assembly *a)
{
    size_t total = 0;
    *a = (lil_block_assembly){ .where = LIL_NEW(arena, int *, model->term_count),
                               .couplings.arena = arena,
                               .number = model->dofs.free ? model->dofs.number : NULL };
    lil_block_pairs *own = calloc((size_t)model->term_count + 1, sizeof *own);
    lil_status status = own && a->where ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK)
        status = block_assembly_list_pairs(ctx, arena, model, work, wanted, own, &total);
    int *where = LIL_NEW(arena, int, total), (*at)[2] = malloc((total + 1) * sizeof *at);
    if (status == LIL_OK && (!where || !at))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK) {
        block_assembly_number_rows(model, a->number, own, at);
        status = block_assembly_create_matrix(ctx, arena, model, (int)total, (const int(*)[2])at, general, where, a);
        if (status == LIL_OK && general)
            status = place_two(ctx, arena, model, own, (int)total, (const int(*)[2])at, where, a);
        for (int i = 0; i < model->term_count; where += own[i++].count)
            a->where[i] = where;
    }
    if (status == LIL_OK)
        status = block_assembly_place_pairs(ctx, arena, model, work, own, (const int(*)[2])at);
    if (status == LIL_OK && lil_block_assembly_couples(model, wanted))
        status = lil_blocks_couple_create(ctx, arena, &a->A);
    free(own);
    free(at);
    return status;
}

void lil_block_assembly_zero(lil_block_assembly *a)
{
    memset(a->values, 0, (a->two ? 18 : 9) * (size_t)a->A.places * sizeof *a->values);
    a->couplings.count = 0;
    a->couplings.lost = false;
}

void lil_couplings_number(lil_couplings *c, const int *number)
{
    c->number = number;
    for (int i = 0; i < c->count; i++)
        for (int k = 0; k < c->list[i].count; k++)
            if (!c->carried || c->list[i].at[k] < c->carried->vertex_count)
                c->list[i].at[k] = lil_couplings_row(number, c->list[i].at[k]);
}

static void block_assembly_add_diagonal(lil_block_assembly *a, int own, const double D[9])
{
    float *to = a->values + (a->two ? 18 : 9) * (size_t)a->A.held[own];
    for (int e = 0; e < 9; e++)
        to[e] -= (float)D[e];
}

/* Diagonal blocks go to the place of the row's pairs with pinned vertices. False: memory ran out. */
static bool place_couplings(lil_block_assembly *a)
{
    const int *rows;
    const double(*D)[9];
    lil_couplings_number(&a->couplings, a->number);
    if (!lil_blocks_carry(&a->A, &a->couplings))
        return false;
    for (int i = 0; i < a->couplings.count; i++) {
        const lil_coupling *c = &a->couplings.list[i];
        for (int k = 0; k < c->count && !lil_coupling_is_carried(&a->couplings, c); k++) {
            double own[9];
            if (c->at[k] < 0)
                continue;
            for (int e = 0; e < 9; e++)
                own[e] = c->H[3 * k + e / 3][3 * k + e % 3];
            block_assembly_add_diagonal(a, lil_blocks_row(&a->A, c->at[k]), own);
        }
    }
    int tied = lil_blocks_carried_diagonal(&a->A, &rows, &D);
    for (int i = 0; i < tied; i++)
        block_assembly_add_diagonal(a, rows[i], D[i]);
    return true;
}

bool lil_block_assembly_finish(lil_block_assembly *a)
{
    if (!place_couplings(a))
        return false;
    if (!(a->two ? lil_blocks_set_general : lil_blocks_set)(&a->A, a->mass, a->values))
        return false;
    return !a->A.couplings || lil_blocks_couple(&a->A, &a->couplings);
}
