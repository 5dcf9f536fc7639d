/* Which equations of a saddle share nothing with the others: slices. */
#include "solvers/saddle.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 256 }; /* coordinates of a slice: fewer are not worth a call */

/* What is found before the slices are cut. */
typedef struct cutting {
    const lil_rows_matrix *G;
    int *low, *high; /* the coordinates of each row, from the first to the last */
    int *crossing;   /* how many couplings begin to cross just before a coordinate, less those that end to */
    int *slice;      /* of each coordinate */
} cutting;

/* Nothing is cut between coordinates `low` and `high`. */
static void saddle_tie(cutting *c, int low, int high)
{
    c->crossing[low + 1]++;
    c->crossing[high + 1]--;
}

static void tie_rows(cutting *c)
{
    const lil_rows_matrix *G = c->G;
    for (int i = 0; i < G->m; i++) {
        c->low[i] = G->n;
        c->high[i] = -1;
    }
    for (int k = 0; k < G->count; k++) {
        int i = G->row[k], j = G->col[k];
        if (j >= 0 && j < c->low[i])
            c->low[i] = j;
        if (j > c->high[i])
            c->high[i] = j;
    }
    for (int i = 0; i < G->m; i++) { /* a row without coordinates goes where the one before is */
        if (c->high[i] < 0)
            c->low[i] = c->high[i] = i ? c->low[i - 1] : 0;
        saddle_tie(c, c->low[i], c->high[i]);
    }
}

static void tie_matrix(cutting *c, const lil_pattern *H)
{
    for (int j = 0; j < H->n; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++)
            saddle_tie(c, H->row[k] < j ? H->row[k] : j, H->row[k] < j ? j : H->row[k]);
}

/* The coordinates of a grove, from the first to the last. */
static void reach_of(const cutting *c, const lil_saddle *s, const lil_grove *g, int *low, int *high)
{
    *low = c->G->n;
    *high = -1;
    for (int e = 0; e < g->count * g->tree->n; e++) {
        int at = g->index[e / g->tree->n][e % g->tree->n], row = s->mass ? at : at - c->G->n;
        int first = row < 0 ? at : c->low[row], last = row < 0 ? at : c->high[row];
        *low = first < *low ? first : *low;
        *high = last > *high ? last : *high;
    }
}

static void tie_groves(cutting *c, const lil_saddle *s)
{
    for (int g = 0; g < s->forest.count; g++) {
        int low, high;
        reach_of(c, s, &s->forest.groves[g], &low, &high);
        saddle_tie(c, low, high);
    }
}

/* Slices by their coordinates. */
static void cut_columns(cutting *c, int unit, lil_slices *slices)
{
    int n = c->G->n, crossing = 0, from = 0;
    slices->count = 0;
    for (int j = 0; j <= n; j++) {
        crossing += c->crossing[j];
        bool last = j == n, here = crossing == 0 && j % unit == 0 && j - from >= LEAST && n - j >= LEAST;
        if (!last && !here)
            continue;
        for (int k = from; k < j; k++)
            c->slice[k] = slices->count;
        slices->list[slices->count++] = (lil_slice){ .col = from, .col_end = j };
        from = j;
    }
}

/* Where those of each slice begin, of `count` things in `slice_of`; false: they are not in the order of slices. */
static bool begin_slices(int count, const int *slice_of, int slices, int *begin)
{
    for (int i = 0, at = 0; i < count; at = slice_of[i++])
        if (slice_of[i] < at)
            return false;
    for (int i = 0, k = 0; i <= slices; i++) {
        while (k < count && slice_of[k] < i)
            k++;
        begin[i] = k;
    }
    return true;
}

/* Into begin and, of `slices` + 1 each. `of` has room for all that is numbered. */
static bool cut_rows(const cutting *c, lil_slices *slices, int *of, int *begin)
{
    const lil_rows_matrix *G = c->G;
    for (int i = 0; i < G->m; i++)
        of[i] = c->slice[c->low[i]];
    if (!begin_slices(G->m, of, slices->count, begin))
        return false;
    for (int i = 0; i < slices->count; i++) {
        slices->list[i].row = begin[i];
        slices->list[i].row_end = begin[i + 1];
    }
    for (int k = 0; k < G->count; k++)
        of[k] = c->slice[c->low[G->row[k]]];
    if (!begin_slices(G->count, of, slices->count, begin))
        return false;
    for (int i = 0; i < slices->count; i++) {
        slices->list[i].entry = begin[i];
        slices->list[i].entry_end = begin[i + 1];
    }
    return true;
}

static bool cut_saddle(const cutting *c, const lil_slices *slices, int *of, lil_saddle *s)
{
    for (int g = 0; g < s->forest.count; g++) {
        int low, high;
        reach_of(c, s, &s->forest.groves[g], &low, &high);
        of[g] = c->slice[low];
    }
    if (!begin_slices(s->forest.count, of, slices->count, s->groves))
        return false;
    for (int k = 0; k < s->products; k++)
        of[k] = c->slice[c->G->col[s->product[k][0]]];
    return begin_slices(s->products, of, slices->count, s->by_slice);
}

static lil_status allocate_cutting(lil_context *ctx, lil_arena *arena, const lil_rows_matrix *G, cutting *c)
{
    *c = (cutting){ .G = G };
    LIL_ALLOC(ctx, arena, c->low, G->m);
    LIL_ALLOC(ctx, arena, c->high, G->m);
    LIL_ALLOC(ctx, arena, c->crossing, (size_t)G->n + 2);
    LIL_ALLOC(ctx, arena, c->slice, G->n);
    return LIL_OK;
}

static lil_status allocate_starts(lil_context *ctx, lil_arena *arena, int count, lil_saddle *s)
{
    LIL_ALLOC(ctx, arena, s->groves, (size_t)count + 1);
    LIL_ALLOC(ctx, arena, s->by_slice, (size_t)count + 1);
    LIL_ALLOC(ctx, arena, s->factored, count);
    return LIL_OK;
}

/* With the rows of all saddles, which may couple what others do not. */
static lil_status saddle_cut(lil_context *ctx, lil_arena *arena, lil_arena *room, lil_saddle *const *saddles,
                             int count, int unit, lil_slices *slices)
{
    const lil_rows_matrix *G = saddles[0]->G;
    cutting c;
    int most = G->count, *of, *begin;
    LIL_TRY(allocate_cutting(ctx, room, G, &c));
    LIL_ALLOC(ctx, arena, slices->list, (size_t)G->n / LEAST + 1);
    tie_rows(&c);
    for (int i = 0; i < count; i++) {
        const lil_saddle *s = saddles[i];
        if (s->H)
            tie_matrix(&c, s->H);
        tie_groves(&c, s);
        most = s->products > most ? s->products : most;
        most = s->forest.count > most ? s->forest.count : most;
    }
    cut_columns(&c, unit, slices);
    LIL_ALLOC(ctx, room, of, most > G->m ? most : G->m);
    LIL_ALLOC(ctx, room, begin, (size_t)slices->count + 1);
    bool cut = slices->count > 1 && cut_rows(&c, slices, of, begin);
    for (int i = 0; i < count && slices->count > 1; i++)
        LIL_TRY(allocate_starts(ctx, arena, slices->count, saddles[i]));
    for (int i = 0; i < count; i++)
        cut = cut && cut_saddle(&c, slices, of, saddles[i]);
    slices->count = cut ? slices->count : 1;
    return LIL_OK;
}

lil_status lil_saddle_slice(lil_context *ctx, lil_arena *arena, lil_saddle *const *saddles, int count, int unit,
                            lil_slices *slices)
{
    lil_arena room = { 0 };
    lil_status status = saddle_cut(ctx, arena, &room, saddles, count, unit, slices);
    lil_arena_free(&room);
    LIL_TRY(status);
    if (slices->count == 1)
        slices->list[0] = saddles[0]->slices->list[0];
    for (int i = 0; i < count; i++) {
        lil_saddle *s = saddles[i];
        s->slices = slices;
        if (slices->count == 1) {
            s->groves[0] = s->by_slice[0] = 0;
            s->groves[1] = s->forest.count;
            s->by_slice[1] = s->products;
        }
    }
    return LIL_OK;
}
