#include "solvers/projected.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- create ---- */

/* Which rows of A are bound, and which entries of G belong to which of them: `index` is of A's rows, -1 where nothing binds. */
static lil_status list_bound(lil_context *ctx, lil_arena *arena, lil_projected *p, const int *own, int *index)
{
    const lil_rows_matrix *G = p->G;
    int rows = p->A->n;
    for (int i = 0; i < rows; i++)
        index[i] = -1;
    for (int k = 0; k < G->count; k++)
        if (G->col[k] >= 0)
            index[own[G->col[k] / 3]] = 0;
    for (int i = 0; i < rows; i++)
        p->bound += index[i] == 0;
    p->row = LIL_NEW(arena, int, p->bound);
    if (!p->row)
        return lil_fail_memory(ctx);
    for (int i = 0, at = 0; i < rows; i++)
        if (index[i] == 0) {
            p->row[at] = i;
            index[i] = at++;
        }
    return LIL_OK;
}

typedef struct pair {
    int row, bound, entry;
} pair;

static int compare(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->bound != b->bound)
        return a->bound < b->bound ? -1 : 1;
    return (a->entry > b->entry) - (a->entry < b->entry);
}

/* Scaling mixes the coordinates of a vertex: a pair has entries for all three. */
static lil_status list_scaled(lil_context *ctx, lil_arena *arena, lil_projected *p, const int *own, const int *index)
{
    const lil_rows_matrix *G = p->G;
    pair *pairs = malloc(((size_t)G->count + 1) * sizeof *pairs);
    int count = 0, found = 0;
    p->where = LIL_NEW(arena, int, G->count);
    if (!pairs || !p->where) {
        free(pairs);
        return lil_fail_memory(ctx);
    }
    for (int k = 0; k < G->count; k++) {
        p->where[k] = -1;
        if (G->col[k] >= 0)
            pairs[count++] = (pair){ G->row[k], index[own[G->col[k] / 3]], k };
    }
    qsort(pairs, (size_t)count, sizeof *pairs, compare);
    for (int k = 0; k < count; k++) {
        found += k == 0 || pairs[k].row != pairs[k - 1].row || pairs[k].bound != pairs[k - 1].bound;
        p->where[pairs[k].entry] = 3 * (found - 1);
    }
    int *row = LIL_NEW(arena, int, 3 * (size_t)found), *col = LIL_NEW(arena, int, 3 * (size_t)found);
    for (int k = 0; row && col && k < count; k++)
        for (int e = 0, at = p->where[pairs[k].entry]; e < 3; e++) {
            row[at + e] = pairs[k].row;
            col[at + e] = 3 * pairs[k].bound + e;
        }
    free(pairs);
    p->scaled = (lil_rows_matrix){ .n = 3 * p->bound, .m = G->m, .count = 3 * found, .row = row, .col = col };
    return row && col ? LIL_OK : lil_fail_memory(ctx);
}

/* The blocks of A whose row or column is bound; without a list it counts. */
static int list_taken(const lil_blocks *A, const int *index, lil_taken *list, int *rows, int *begin)
{
    int found = 0, touched = 0;
    for (int i = 0; i < A->n; i++) {
        int before = found;
        for (int side = 0; side < 2; side++)
            for (int k = lil_blocks_first(A, i / 8, side); k < lil_blocks_last(A, i / 8, side); k++) {
                int j = A->column[k][i % 8];
                if (A->source[k][i % 8] < 0 || (index[i] < 0 && index[j] < 0))
                    continue;
                if (list)
                    list[found] = (lil_taken){ .slot = k, .lane = i % 8, .column = j };
                found++;
            }
        if (found > before && list) {
            rows[touched] = i;
            begin[touched] = before;
        }
        touched += found > before;
    }
    if (list)
        begin[touched] = found;
    return list ? touched : found;
}

static lil_status create_lists(lil_context *ctx, lil_arena *arena, lil_projected *p, int *own, int *index)
{
    lil_blocks *A = p->A;
    for (int i = 0; i < A->n; i++)
        own[A->order[i]] = i;
    LIL_TRY(list_bound(ctx, arena, p, own, index));
    LIL_TRY(list_scaled(ctx, arena, p, own, index));
    int count = list_taken(A, index, NULL, NULL, NULL);
    p->taken = LIL_NEW(arena, lil_taken, count);
    p->touched_row = LIL_NEW(arena, int, count);
    p->begin = LIL_NEW(arena, int, (size_t)count + 1);
    p->saved = LIL_NEW(arena, lil_float4, count);
    if (!p->taken || !p->touched_row || !p->begin || !p->saved)
        return lil_fail_memory(ctx);
    p->touched = list_taken(A, index, p->taken, p->touched_row, p->begin);
    return LIL_OK;
}

lil_status lil_projected_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, lil_blocks *A,
                                const lil_rows_matrix *G, lil_projected *p)
{
    *p = (lil_projected){ .A = A, .G = G };
    int *own = malloc(((size_t)A->n + 1) * sizeof *own), *index = malloc(((size_t)A->n + 1) * sizeof *index);
    lil_status status = own && index ? create_lists(ctx, arena, p, own, index) : lil_fail_memory(ctx);
    free(own);
    free(index);
    LIL_TRY(status);
    struct {
        double **vector;
        int size;
    } vectors[] = { { &p->F, p->scaled.count }, { &p->values, p->scaled.count }, { &p->ones, p->scaled.n },
                    { &p->r, p->scaled.n },     { &p->x, p->scaled.n },          { &p->y, G->m },
                    { &p->zero, G->m } };
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        if (!(*vectors[k].vector = LIL_NEW(arena, double, vectors[k].size)))
            return lil_fail_memory(ctx);
    for (int i = 0; i < p->scaled.n; i++)
        p->ones[i] = 1;
    lil_float4 **all[] = { &p->d, &p->q, &p->p, &p->s, &p->e, &p->work };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if (!(*all[k] = LIL_NEW(arena, lil_float4, lil_blocks_rows(A))))
            return lil_fail_memory(ctx);
    return lil_saddle_create(ctx, arena, threads, &p->scaled, p->ones, NULL, &p->normal);
}

/* ---- the matrix ---- */

void lil_projected_set(lil_projected *p, const double *F, const double *G, const double *s)
{
    p->now = F;
    p->next = G;
    p->gap = s;
}

/* Takes the blocks of bound rows and columns out of A, once. */
static void take_out(lil_projected *p)
{
    if (p->version == p->A->version)
        return;
    p->version = p->A->version;
    for (int k = 0; k < p->begin[p->touched]; k++)
        lil_blocks_remove(p->A, p->taken[k].slot, p->taken[k].lane, p->taken[k].N);
}

/* out = the rows of `values`, each scaled by the triangle of its vertex: g L^-T, or g R^-T */
static void scale_rows(const lil_projected *p, const float (*triangles)[8], const double *values, double *out)
{
    const lil_rows_matrix *G = p->G, *S = &p->scaled;
    memset(out, 0, (size_t)S->count * sizeof *out);
    for (int k = 0; k < G->count; k++)
        if (p->where[k] >= 0)
            out[p->where[k] + G->col[k] % 3] += values[k];
    for (int k = 0; k < S->count; k += 3) {
        const float *i = triangles[p->row[S->col[k] / 3]];
        double g[3] = { out[k], out[k + 1], out[k + 2] };
        out[k] = i[0] * g[0];
        out[k + 1] = i[1] * g[0] + i[2] * g[1];
        out[k + 2] = i[3] * g[0] + i[4] * g[1] + i[5] * g[2];
    }
}

static bool factor(lil_projected *p)
{
    const lil_blocks *A = p->A;
    bool same = p->now == p->next && A->iL == A->iR;
    scale_rows(p, (const float(*)[8])A->iL, p->now, p->F);
    if (!same)
        scale_rows(p, (const float(*)[8])A->iR, p->next, p->values);
    return lil_saddle_factor(&p->normal, NULL, p->F, same ? p->F : p->values);
}

/* z = Pi z of (P1) */
static void project(lil_projected *p, lil_float4 *z)
{
    for (int b = 0; b < p->bound; b++)
        for (int e = 0; e < 3; e++)
            p->r[3 * b + e] = z[p->row[b]][e];
    lil_saddle_solve(&p->normal, p->r, p->zero, p->x, p->y);
    for (int b = 0; b < p->bound; b++)
        z[p->row[b]] = (lil_float4){ (float)p->x[3 * b], (float)p->x[3 * b + 1], (float)p->x[3 * b + 2], 0 };
}

/* y = Pi (1 + L)^-1 A (1 + L')^-1 x, where A is what is left of it and what was taken. x is changed and restored. */
static void apply(lil_projected *p, lil_float4 *x, lil_float4 *y)
{
    const lil_blocks *A = p->A;
    lil_blocks_backward(A, x, p->work);
    for (int a = 0; a < p->touched; a++) {
        lil_float4 sum = { 0 };
        for (int k = p->begin[a]; k < p->begin[a + 1]; k++) {
            const float *N = p->taken[k].N;
            lil_float4 v = p->work[p->taken[k].column];
            sum += (lil_float4){ N[0], N[3], N[6], 0 } * v[0] + (lil_float4){ N[1], N[4], N[7], 0 } * v[1] +
                   (lil_float4){ N[2], N[5], N[8], 0 } * v[2];
        }
        int i = p->touched_row[a];
        p->saved[a] = x[i];
        x[i] += sum;
    }
    lil_blocks_forward_swept(A, x, y, p->work);
    for (int a = 0; a < p->touched; a++)
        x[p->touched_row[a]] = p->saved[a];
    project(p, y);
}

/* ---- solve ---- */

/* Of Pi A d = r with |r| about 1, so that no square leaves float's range. r is p->e. */
static void iterate(lil_projected *p, lil_pcg_ask *ask)
{
    const lil_blocks *A = p->A;
    size_t bytes = (size_t)lil_blocks_rows(A) * sizeof *p->d;
    double rr = lil_blocks_dot(A, p->e, p->e), qq = 0, start = sqrt(rr);
    memset(p->p, 0, bytes);
    memset(p->q, 0, bytes);
    while (ask->iterations < ask->iterations_max && sqrt(rr) > ask->eta * start) {
        apply(p, p->e, p->s);
        ask->iterations++;
        float c = qq > 0 ? (float)(-lil_blocks_dot(A, p->s, p->q) / qq) : 0;
        lil_blocks_turn(A, c, p->e, p->p);
        lil_blocks_turn(A, c, p->s, p->q);
        qq = lil_blocks_dot(A, p->q, p->q);
        double rq = lil_blocks_dot(A, p->e, p->q), before = rr;
        rr = lil_blocks_advance(A, (float)(rq / qq), p->p, p->q, p->d, p->e);
        if (!(rr < before)) { /* also where a number is none */
            ask->curvature = true;
            break;
        }
    }
    ask->residual = start > 0 ? sqrt(rr) / start : 0;
}

/* d = what of bound rows alone meets G d = s, which is of the size that comes back */
static double meet(lil_projected *p)
{
    double square = 0;
    lil_saddle_solve(&p->normal, NULL, p->gap, p->x, p->y);
    for (int i = 0; i < p->scaled.n; i++)
        square += p->x[i] * p->x[i];
    return sqrt(square);
}

void lil_projected_solve(lil_projected *p, const double *r, double *x, lil_pcg_ask *ask)
{
    lil_blocks *A = p->A;
    size_t rows = (size_t)lil_blocks_rows(A);
    ask->iterations = 0;
    ask->curvature = false;
    take_out(p);
    double norm = lil_blocks_norm(A, r), gap = factor(p) ? meet(p) : NAN, size = fmax(norm, gap);
    ask->residual = size == 0 ? 0 : 1;
    if (!(size > 0) || !(norm < INFINITY) || !(gap < INFINITY)) {
        memset(x, 0, 3 * (size_t)A->n * sizeof *x);
        ask->curvature = size != 0;
        return;
    }
    memset(p->d, 0, rows * sizeof *p->d);
    for (int b = 0; b < p->bound; b++)
        for (int e = 0; e < 3; e++)
            p->d[p->row[b]][e] = (float)(p->x[3 * b + e] / size);
    lil_blocks_take(A, 1 / size, r, p->e);
    lil_blocks_forward(A, p->e, p->e);
    project(p, p->e);
    if (gap > 0) {
        apply(p, p->d, p->s);
        ask->iterations++;
        lil_blocks_turn(A, -1, p->e, p->s); /* s = e - s */
        memcpy(p->e, p->s, rows * sizeof *p->e);
    }
    iterate(p, ask);
    lil_blocks_backward(A, p->d, p->d);
    lil_blocks_give(A, size, p->d, x);
}
