#include "math/sparsity.h"

#include <stdlib.h>
#include <string.h>

/* Entries by their columns, and by rows within each; start[j] is where column j begins. With the roles of row and
 * col exchanged, by rows. Two stable counting sorts. NULL: no memory. */
static int *sorted(int n, int count, const int *row, const int *col, int *start)
{
    int *by_row = malloc(((size_t)count + 1) * sizeof *by_row), *order = malloc(((size_t)count + 1) * sizeof *order);
    if (by_row && order) {
        memset(start, 0, ((size_t)n + 1) * sizeof *start);
        for (int k = 0; k < count; k++)
            start[row[k] + 1]++;
        for (int i = 0; i < n; i++)
            start[i + 1] += start[i];
        for (int k = 0; k < count; k++)
            by_row[start[row[k]]++] = k;
        memset(start, 0, ((size_t)n + 1) * sizeof *start);
        for (int k = 0; k < count; k++)
            start[col[k] + 1]++;
        for (int j = 0; j < n; j++)
            start[j + 1] += start[j];
        for (int k = 0; k < count; k++)
            order[start[col[by_row[k]]]++] = by_row[k];
        for (int j = n; j > 0; j--) /* each start went on to its end, which is the next one's start */
            start[j] = start[j - 1];
        start[0] = 0;
    } else {
        free(order);
        order = NULL;
    }
    free(by_row);
    return order;
}

/* ---- checks ---- */

static lil_status check_places(lil_context *ctx, const char *what, int n, const lil_sparsity *p)
{
    if (p->count < 0)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s has %d entries", what, p->count);
    if (p->count == 0 && (p->row || p->col))
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "%s lists places, but has 0 entries: set its count, or leave row and col NULL", what);
    if (p->count > 0 && (!p->row || !p->col))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s has %d entries, but its %s is NULL", what, p->count,
                        p->row ? "col" : "row");
    for (int k = 0; k < p->count; k++)
        if (p->row[k] < 0 || p->row[k] >= n || p->col[k] < 0 || p->col[k] >= n)
            return lil_fail(ctx, LIL_ERR_ARGUMENT,
                            "%s: entry %d is in row %d and column %d, but both must be between 0 and %d", what, k,
                            p->row[k], p->col[k], n - 1);
    return LIL_OK;
}

/* `order` by columns, `turned` by rows. */
static lil_status check_order(lil_context *ctx, const char *what, const lil_sparsity *p, const int *order,
                              const int *turned, bool symmetric)
{
    for (int k = 1; k < p->count; k++) {
        int a = order[k - 1], b = order[k];
        if (p->row[a] == p->row[b] && p->col[a] == p->col[b])
            return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s: entries %d and %d are both in row %d and column %d", what, a,
                            b, p->row[a], p->col[a]);
    }
    for (int k = 0; symmetric && k < p->count; k++) {
        int a = order[k], b = turned[k]; /* the k-th place (col, row) is the k-th place (row, col) */
        if (p->col[a] == p->row[b] && p->row[a] == p->col[b])
            continue;
        /* the lesser of the two lacks its mirror image */
        bool first = p->col[a] < p->row[b] || (p->col[a] == p->row[b] && p->row[a] < p->col[b]);
        int e = first ? a : b;
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "%s is not symmetric: it has row %d, column %d (entry %d), but not row %d, column %d", what,
                        p->row[e], p->col[e], e, p->col[e], p->row[e]);
    }
    return LIL_OK;
}

lil_status lil_sparsity_check(lil_context *ctx, const char *what, int n, const lil_sparsity *p, bool symmetric)
{
    LIL_TRY(check_places(ctx, what, n, p));
    if (p->count == 0)
        return LIL_OK;
    int *start = malloc(((size_t)n + 1) * sizeof *start), *order = NULL, *turned = NULL;
    if (start) {
        order = sorted(n, p->count, p->row, p->col, start);
        turned = sorted(n, p->count, p->col, p->row, start);
    }
    lil_status status = order && turned ? check_order(ctx, what, p, order, turned, symmetric) : lil_fail_memory(ctx);
    free(start);
    free(order);
    free(turned);
    return status;
}

lil_status lil_sparsity_copy(lil_context *ctx, lil_arena *arena, const lil_sparsity *from, lil_sparsity *to)
{
    int *row = LIL_NEW(arena, int, from->count), *col = LIL_NEW(arena, int, from->count);
    LIL_HAVE(ctx, row && col);
    for (int k = 0; k < from->count; k++) {
        row[k] = from->row[k];
        col[k] = from->col[k];
    }
    *to = (lil_sparsity){ from->count, row, col };
    return LIL_OK;
}

/* ---- differencing ---- */

lil_status lil_sparsity_twins(lil_context *ctx, lil_arena *arena, int n, const lil_sparsity *p, int **twin)
{
    int *start = malloc(((size_t)n + 1) * sizeof *start), *order = NULL, *turned = NULL;
    if (start) {
        order = sorted(n, p->count, p->row, p->col, start);
        turned = sorted(n, p->count, p->col, p->row, start);
    }
    *twin = LIL_NEW(arena, int, p->count);
    bool room = order && turned && *twin;
    for (int k = 0; room && k < p->count; k++)
        (*twin)[order[k]] = turned[k];
    free(start);
    free(order);
    free(turned);
    return room ? LIL_OK : lil_fail_memory(ctx);
}

typedef struct sides {
    int *column_start, *by_column, *row_start, *by_row;
    int *taken; /* of each colour: the latest column whose neighbour has it */
} sides;

/* The least colour that no column has which shares a row with j. */
static int first_fit(const lil_sparsity *p, const sides *s, const int *colour, int j)
{
    for (int k = s->column_start[j]; k < s->column_start[j + 1]; k++) {
        int i = p->row[s->by_column[k]];
        for (int m = s->row_start[i]; m < s->row_start[i + 1]; m++) {
            int other = colour[p->col[s->by_row[m]]];
            if (other >= 0)
                s->taken[other] = j;
        }
    }
    int c = 0;
    while (s->taken[c] == j)
        c++;
    return c;
}

static lil_status sparsity_collect(lil_context *ctx, lil_arena *arena, const lil_sparsity *p, lil_colouring *c)
{
    LIL_ALLOC(ctx, arena, c->start, c->count + 2);
    LIL_ALLOC(ctx, arena, c->entry, p->count);
    for (int k = 0; k < p->count; k++)
        c->start[c->colour[p->col[k]] + 2]++;
    for (int i = 0; i < c->count; i++)
        c->start[i + 2] += c->start[i + 1];
    for (int k = 0; k < p->count; k++)
        c->entry[c->start[c->colour[p->col[k]] + 1]++] = k;
    return LIL_OK;
}

lil_status lil_sparsity_colour(lil_context *ctx, lil_arena *arena, int n, const lil_sparsity *p, lil_colouring *c)
{
    sides s = { .column_start = malloc(((size_t)n + 1) * sizeof(int)),
                .row_start = malloc(((size_t)n + 1) * sizeof(int)),
                .taken = malloc(((size_t)n + 1) * sizeof(int)) };
    *c = (lil_colouring){ .colour = LIL_NEW(arena, int, n) };
    bool room = s.column_start && s.row_start && s.taken && c->colour;
    if (room) {
        s.by_column = sorted(n, p->count, p->row, p->col, s.column_start);
        s.by_row = sorted(n, p->count, p->col, p->row, s.row_start);
        room = s.by_column && s.by_row;
    }
    for (int j = 0; room && j < n; j++)
        c->colour[j] = s.taken[j] = -1;
    if (room)
        s.taken[n] = -1;
    for (int j = 0; room && j < n; j++) {
        if (s.column_start[j] == s.column_start[j + 1])
            continue;
        c->colour[j] = first_fit(p, &s, c->colour, j);
        c->count = c->colour[j] >= c->count ? c->colour[j] + 1 : c->count;
    }
    lil_status status = room ? sparsity_collect(ctx, arena, p, c) : lil_fail_memory(ctx);
    free(s.column_start);
    free(s.row_start);
    free(s.taken);
    free(s.by_column);
    free(s.by_row);
    return status;
}
