#include "solvers/saddle.h"

#include "core/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SMALL = 1e-10; /* of e beside the diagonal of G H^-1 G' */

/* ---- G ---- */

static lil_slice saddle_whole(const lil_rows_matrix *G)
{
    return (lil_slice){ 0, G->n, 0, G->m, 0, G->count };
}

void lil_rows_add_transposed_slice(const lil_rows_matrix *G, const lil_slice *slice, const double *values,
                                   const double *y, double *out)
{
    for (int k = slice->entry; k < slice->entry_end; k++)
        if (G->col[k] >= 0)
            out[G->col[k]] += values[k] * y[G->row[k]];
}

static void multiply_slice(const lil_rows_matrix *G, const lil_slice *slice, const double *values, const double *x,
                           double *out)
{
    memset(out + slice->row, 0, (size_t)(slice->row_end - slice->row) * sizeof *out);
    for (int k = slice->entry; k < slice->entry_end; k++)
        if (G->col[k] >= 0)
            out[G->row[k]] += values[k] * x[G->col[k]];
}

void lil_rows_add_transposed(const lil_rows_matrix *G, const double *values, const double *y, double *out)
{
    const lil_slice all = saddle_whole(G);
    lil_rows_add_transposed_slice(G, &all, values, y, out);
}

void lil_rows_multiply(const lil_rows_matrix *G, const double *values, const double *x, double *out)
{
    const lil_slice all = saddle_whole(G);
    multiply_slice(G, &all, values, x, out);
}

/* ---- the pattern of G M^-1 G' ---- */

typedef struct by_column {
    int col, entry;
} by_column;

static int saddle_compare(const void *x, const void *y)
{
    const by_column *a = x, *b = y;
    return a->col != b->col ? lil_order(a->col, b->col) : lil_order(a->entry, b->entry);
}

/* Calls for each pair of entries of one column; without a list it counts. */
static int64_t list_products(const by_column *sorted, int count, int (*list)[2])
{
    int64_t found = 0;
    for (int first = 0, end; first < count; first = end) {
        for (end = first; end < count && sorted[end].col == sorted[first].col; end++)
            ;
        for (int a = first; a < end; a++)
            for (int b = first; b < end; b++, found++)
                if (list) {
                    list[found][0] = sorted[a].entry;
                    list[found][1] = sorted[b].entry;
                }
    }
    return found;
}

/* The entries of the products, then the m of the diagonal. */
static lil_status place_products(lil_context *ctx, lil_arena *arena, lil_saddle *s)
{
    const lil_rows_matrix *G = s->G;
    size_t total = (size_t)s->products + (size_t)G->m;
    s->entries = (int)total;
    int *row = malloc(total * sizeof *row), *col = malloc(total * sizeof *col);
    s->where = LIL_NEW(arena, int, total);
    lil_status status = row && col && s->where ? LIL_OK : lil_fail_memory(ctx);
    for (int k = 0; status == LIL_OK && k < s->products; k++) {
        row[k] = G->row[s->product[k][0]];
        col[k] = G->row[s->product[k][1]];
    }
    for (int i = 0; status == LIL_OK && i < G->m; i++)
        row[s->products + i] = col[s->products + i] = i;
    if (status == LIL_OK)
        status = lil_pattern_create(ctx, arena, G->m, row, col, (int)total, &s->pattern, s->where);
    s->where_e = s->where ? s->where + s->products : NULL;
    free(row);
    free(col);
    return status;
}

static lil_status create_normal(lil_context *ctx, lil_arena *arena, lil_saddle *s)
{
    const lil_rows_matrix *G = s->G;
    by_column *sorted = malloc((size_t)(G->count + 1) * sizeof *sorted);
    int count = 0;
    LIL_HAVE(ctx, sorted);
    for (int k = 0; k < G->count; k++)
        if (G->col[k] >= 0)
            sorted[count++] = (by_column){ G->col[k], k };
    qsort(sorted, (size_t)count, sizeof *sorted, saddle_compare);
    int64_t products = list_products(sorted, count, NULL);
    if (products < INT32_MAX - G->m)
        s->product = lil_arena_alloc(arena, (size_t)products + 1, sizeof *s->product);
    if (s->product) {
        s->products = (int)products;
        list_products(sorted, count, s->product);
    }
    free(sorted);
    if (products >= INT32_MAX - G->m)
        return lil_fail(ctx, LIL_ERR_LIMIT, "too many constraints act on one coordinate");
    return s->product ? place_products(ctx, arena, s) : lil_fail_memory(ctx);
}

/* ---- the pattern of the whole ---- */

static lil_status create_whole(lil_context *ctx, lil_arena *arena, lil_saddle *s)
{
    const lil_rows_matrix *G = s->G;
    const lil_pattern *H = s->H;
    size_t total = (size_t)H->count + 2 * (size_t)G->count + (size_t)G->m, at = 0;
    if (total > INT32_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "a constrained system of %d coordinates is too large for a direct solve",
                        G->n);
    int *row = malloc(total * sizeof *row), *col = malloc(total * sizeof *col);
    s->entries = (int)total;
    s->where = LIL_NEW(arena, int, total);
    lil_status status = row && col && s->where ? LIL_OK : lil_fail_memory(ctx);
    for (int j = 0; status == LIL_OK && j < H->n; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++, at++) {
            row[at] = H->row[k];
            col[at] = j;
        }
    for (int k = 0; status == LIL_OK && k < 2 * G->count; k++, at++) {
        int i = G->n + G->row[k / 2],
            j = G->col[k / 2] >= 0 ? G->col[k / 2] : i; /* none: a place that is there anyway */
        row[at] = k % 2 ? i : j;
        col[at] = k % 2 ? j : i;
    }
    for (int i = 0; status == LIL_OK && i < G->m; i++, at++)
        row[at] = col[at] = G->n + i;
    if (status == LIL_OK)
        status = lil_pattern_create(ctx, arena, G->n + G->m, row, col, (int)total, &s->pattern, s->where);
    s->where_G = s->where ? s->where + H->count : NULL;
    s->where_e = s->where ? s->where_G + 2 * G->count : NULL;
    free(row);
    free(col);
    return status;
}

static lil_status find_diagonal(lil_context *ctx, lil_arena *arena, lil_saddle *s)
{
    const lil_pattern *H = s->H;
    LIL_ALLOC(ctx, arena, s->where_diagonal, H->n);
    for (int j = 0; j < H->n; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++)
            if (H->row[k] == j)
                s->where_diagonal[j] = s->where[k];
    return LIL_OK;
}

/* Until it is cut, all of it is one slice. */
static lil_status use_whole(lil_context *ctx, lil_arena *arena, lil_saddle *s)
{
    lil_slices *slices;
    LIL_ALLOC(ctx, arena, slices, 1);
    LIL_ALLOC(ctx, arena, slices->list, 1);
    LIL_ALLOC(ctx, arena, s->groves, 2);
    LIL_ALLOC(ctx, arena, s->by_slice, 2);
    LIL_ALLOC(ctx, arena, s->factored, 1);
    slices->list[0] = saddle_whole(s->G);
    slices->count = 1;
    s->slices = slices;
    s->groves[1] = s->forest.count;
    s->by_slice[1] = s->products;
    return LIL_OK;
}

lil_status lil_saddle_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, const lil_rows_matrix *G,
                             const double *mass, const lil_pattern *H, lil_saddle *s)
{
    *s = (lil_saddle){ .ctx = ctx, .G = G, .mass = mass, .H = H };
    LIL_TRY((mass ? create_normal : create_whole)(ctx, arena, s));
    LIL_TRY(lil_forest_create(ctx, arena, threads, &s->pattern, mass ? G->m : G->n, &s->forest));
    for (int k = 0; k < s->entries; k++)
        s->where[k] = s->forest.place[s->where[k]];
    LIL_TRY(H ? find_diagonal(ctx, arena, s) : LIL_OK);
    int n = G->n + G->m;
    LIL_ALLOC(ctx, arena, s->values, s->forest.size);
    LIL_ALLOC(ctx, arena, s->over, n);
    LIL_ALLOC(ctx, arena, s->b, n);
    LIL_ALLOC(ctx, arena, s->x, n);
    for (int j = 0; mass && j < G->n; j++)
        s->over[j] = 1 / mass[j];
    return use_whole(ctx, arena, s);
}

/* ---- factor ---- */

/* The diagonal of G D^-1 G' with D that of H, of which `over` is 1 over the size; and e of it. */
static void set_small(lil_saddle *s, const lil_slice *slice, double sign)
{
    const lil_rows_matrix *G = s->G;
    double *sums = s->b + (s->mass ? 0 : G->n); /* where solutions of the same slice have their rows */
    memset(sums + slice->row, 0, (size_t)(slice->row_end - slice->row) * sizeof *sums);
    for (int k = slice->entry; k < slice->entry_end; k++)
        if (G->col[k] >= 0)
            sums[G->row[k]] += s->values_G[k] * s->values_G[k] * s->over[G->col[k]];
    for (int i = slice->row; i < slice->row_end; i++)
        s->values[s->where_e[i]] += sign * (sums[i] > 0 ? SMALL * sums[i] : 1);
}

static void set_products(lil_saddle *s, int i)
{
    for (int k = s->by_slice[i]; k < s->by_slice[i + 1]; k++) {
        int a = s->product[k][0], b = s->product[k][1];
        s->values[s->where[k]] += s->values_G[a] * s->F[b] * s->over[s->G->col[a]];
    }
}

static void set_whole(lil_saddle *s, const lil_slice *slice)
{
    const lil_rows_matrix *G = s->G;
    const int *start = s->H->start;
    for (int k = start[slice->col]; s->given != s->values && k < start[slice->col_end]; k++)
        s->values[s->where[k]] += s->given[k];
    for (int j = slice->col; j < slice->col_end; j++)
        s->over[j] = 1 / fabs(s->values[s->where_diagonal[j]]);
    for (int k = slice->entry; k < slice->entry_end; k++)
        if (G->col[k] >= 0) {
            s->values[s->where_G[2 * k]] += s->F[k];
            s->values[s->where_G[2 * k + 1]] += s->values_G[k];
        }
}

static int values_from(const lil_saddle *s, int i)
{
    int grove = s->groves[i];
    return grove < s->forest.count ? s->forest.groves[grove].at : s->forest.size;
}

void lil_saddle_begin(lil_saddle *s, const double *values_H, const double *F, const double *values_G)
{
    s->given = values_H;
    s->F = F;
    s->values_G = values_G;
    lil_forest_begin(&s->forest, s->values, F == values_G);
}

void lil_saddle_zero_slice(lil_saddle *s, int i)
{
    int from = values_from(s, i);
    memset(s->values + from, 0, (size_t)(values_from(s, i + 1) - from) * sizeof *s->values);
}

bool lil_saddle_factor_slice(lil_saddle *s, int i)
{
    const lil_slice *slice = &s->slices->list[i];
    lil_forest *forest = &s->forest;
    if (s->given != s->values)
        lil_saddle_zero_slice(s, i);
    if (s->mass)
        set_products(s, i);
    else
        set_whole(s, slice);
    set_small(s, slice, s->mass ? 1 : -1);
    return s->slices->count == 1 ? lil_forest_factor(forest, s->values, forest->symmetric)
                                 : lil_forest_factor_groves(forest, s->groves[i], s->groves[i + 1]);
}

static void factor_one(void *data, int i)
{
    lil_saddle *s = data;
    s->factored[i] = lil_saddle_factor_slice(s, i);
}

bool lil_saddle_factor(lil_saddle *s, const double *values_H, const double *F, const double *values_G)
{
    bool factored = true;
    lil_phase_begin(s->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    lil_saddle_begin(s, values_H, F, values_G);
    lil_parallel(s->forest.threads, s->slices->count, factor_one, s);
    for (int i = 0; i < s->slices->count; i++)
        factored = factored && s->factored[i];
    lil_phase_end(s->ctx->phases);
    return factored;
}

/* ---- solve ---- */

static void solve_groves(lil_saddle *s, const double *b, double *x, int i)
{
    if (s->slices->count == 1)
        lil_forest_solve(&s->forest, b, x);
    else
        lil_forest_solve_groves(&s->forest, b, x, s->groves[i], s->groves[i + 1]);
}

/* G M^-1 F'y = G M^-1 r - s, M x = r - F'y */
static void solve_normal(lil_saddle *s, const double *r, const double *rhs, double *x, double *y, int i)
{
    const lil_slice *slice = &s->slices->list[i];
    for (int j = slice->col; r && j < slice->col_end; j++)
        s->x[j] = r[j] * s->over[j];
    if (r)
        multiply_slice(s->G, slice, s->values_G, s->x, s->b);
    for (int k = slice->row; k < slice->row_end; k++)
        s->b[k] = (r ? s->b[k] : 0) - rhs[k];
    solve_groves(s, s->b, y, i);
    if (!x)
        return;
    memset(s->x + slice->col, 0, (size_t)(slice->col_end - slice->col) * sizeof *s->x);
    lil_rows_add_transposed_slice(s->G, slice, s->F, y, s->x);
    for (int j = slice->col; j < slice->col_end; j++)
        x[j] = ((r ? r[j] : 0) - s->x[j]) * s->over[j];
}

static void solve_whole(lil_saddle *s, const double *r, const double *rhs, double *x, double *y, int i)
{
    const lil_slice *slice = &s->slices->list[i];
    int n = s->G->n;
    for (int j = slice->col; j < slice->col_end; j++)
        s->b[j] = r ? r[j] : 0;
    for (int k = slice->row; k < slice->row_end; k++)
        s->b[n + k] = rhs[k];
    solve_groves(s, s->b, s->x, i);
    for (int j = slice->col; x && j < slice->col_end; j++)
        x[j] = s->x[j];
    for (int k = slice->row; k < slice->row_end; k++)
        y[k] = s->x[n + k];
}

void lil_saddle_solve_slice(lil_saddle *s, const double *r, const double *rhs, double *x, double *y, int i)
{
    (s->mass ? solve_normal : solve_whole)(s, r, rhs, x, y, i);
}

typedef struct solve_job {
    lil_saddle *saddle;
    const double *r, *s;
    double *x, *y;
} solve_job;

static void solve_one(void *data, int i)
{
    const solve_job *job = data;
    lil_saddle_solve_slice(job->saddle, job->r, job->s, job->x, job->y, i);
}

void lil_saddle_solve(lil_saddle *s, const double *r, const double *rhs, double *x, double *y)
{
    solve_job job = { s, r, rhs, x, y };
    lil_phase_begin(s->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    lil_parallel(s->forest.threads, s->slices->count, solve_one, &job);
    lil_phase_end(s->ctx->phases);
}
