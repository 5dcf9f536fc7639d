#include "solvers/projected.h"

#include "core/order.h"
#include "solvers/multilevel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 24 };        /* constraints: each costs a cycle a step, and a vector */
enum { CYCLES_MAX = 300 };        /* then sweeps take over, which converge wherever H is definite and F is near G */
enum { PIECE = 512 };             /* rows that a thread does at a time */
static const double NOISE = 1e-5; /* of float in G B F' */

/* ---- create ---- */

/* Which rows of A are bound, and which entries of G belong to which of them: `index` is of A's rows, -1 where
 * nothing binds. */
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
    LIL_ALLOC(ctx, arena, p->row, p->bound);
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

static int projected_compare(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    if (a->row != b->row)
        return lil_order(a->row, b->row);
    return a->bound != b->bound ? lil_order(a->bound, b->bound) : lil_order(a->entry, b->entry);
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
    qsort(pairs, (size_t)count, sizeof *pairs, projected_compare);
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
    LIL_ALLOC(ctx, arena, p->taken, count);
    LIL_ALLOC(ctx, arena, p->touched_row, count);
    LIL_ALLOC(ctx, arena, p->begin, (size_t)count + 1);
    LIL_ALLOC(ctx, arena, p->saved, count);
    p->touched = list_taken(A, index, p->taken, p->touched_row, p->begin);
    return LIL_OK;
}

static lil_status create_columns(lil_context *ctx, lil_arena *arena, lil_projected *p)
{
    lil_columns *c = &p->columns;
    int m = p->G->m, all = m * m;
    *c = (lil_columns){ .there = true };
    c->C = LIL_NEW(arena, lil_float4, (size_t)m * (size_t)lil_blocks_rows(p->A));
    c->S = LIL_NEW(arena, double, all);
    c->y = LIL_NEW(arena, double, m);
    int *row = LIL_NEW(arena, int, all), *col = LIL_NEW(arena, int, all), *where = LIL_NEW(arena, int, all);
    LIL_HAVE(ctx, c->C && c->S && c->y && row && col && where);
    for (int k = 0; k < all; k++) {
        row[k] = k % m;
        col[k] = k / m;
    }
    LIL_TRY(lil_pattern_create(ctx, arena, m, row, col, all, &c->pattern, where));
    return lil_lu_create(ctx, arena, &c->pattern, &c->lu);
}

lil_status lil_projected_create(lil_context *ctx, lil_arena *arena, lil_threads *threads, lil_blocks *A,
                                const lil_rows_matrix *G, bool levels, lil_projected *p)
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
        LIL_HAVE(ctx, *vectors[k].vector = LIL_NEW(arena, double, vectors[k].size));
    for (int i = 0; i < p->scaled.n; i++)
        p->ones[i] = 1;
    LIL_ALLOC_ALL(ctx, arena, lil_float4, lil_blocks_rows(A), &p->d, &p->q, &p->p, &p->s, &p->e, &p->work);
    if (levels && G->m <= COLUMNS_MAX)
        LIL_TRY(create_columns(ctx, arena, p));
    return lil_saddle_create(ctx, arena, threads, &p->scaled, p->ones, NULL, &p->normal);
}

/* ---- the matrix ---- */

void lil_projected_set(lil_projected *p, const double *F, const double *G, const double *s)
{
    p->now = F;
    p->next = G;
    p->gap = s;
}

/* Takes the blocks of bound rows and columns out of A, unless that has been done; or puts them back. */
static void projected_take_out(lil_projected *p, bool out)
{
    const float none[9] = { 0 };
    bool is_out = p->version == p->A->version;
    for (int k = 0; out != is_out && k < p->begin[p->touched]; k++) {
        lil_taken *block = &p->taken[k];
        if (out)
            lil_blocks_get(p->A, block->slot, block->lane, block->N);
        lil_blocks_put(p->A, block->slot, block->lane, out ? none : block->N);
    }
    p->version = out ? p->A->version : 0;
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

static bool projected_factor(lil_projected *p)
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

/* ---- multilevel ---- */

/* C = B F', column by column */
static void make_columns(lil_projected *p, lil_multilevel *levels)
{
    size_t rows = (size_t)lil_blocks_rows(p->A);
    const lil_rows_matrix *S = &p->scaled;
    p->columns.made = true;
    for (int i = 0; i < p->G->m; i++) {
        memset(p->work, 0, rows * sizeof *p->work);
        for (int k = 0; k < S->count; k++)
            if (S->row[k] == i)
                p->work[p->row[S->col[k] / 3]][S->col[k] % 3] = (float)p->F[k];
        memcpy(p->columns.C + (size_t)i * rows, lil_multilevel_cycle(levels, p->work), rows * sizeof *p->work);
    }
}

/* G C, with what lets rows of G depend on each other */
static bool factor_columns(lil_projected *p)
{
    const double *G = p->normal.values_G;
    size_t rows = (size_t)lil_blocks_rows(p->A);
    const lil_rows_matrix *S = &p->scaled;
    int m = p->G->m;
    lil_columns *c = &p->columns;
    memset(c->S, 0, (size_t)m * (size_t)m * sizeof *c->S);
    for (int j = 0; j < m; j++)
        for (int k = 0; k < S->count; k++)
            c->S[j * m + S->row[k]] +=
                G[k] * (double)c->C[(size_t)j * rows + (size_t)p->row[S->col[k] / 3]][S->col[k] % 3];
    for (int i = 0; i < m; i++)
        c->S[i * m + i] += c->S[i * m + i] > 0 ? NOISE * c->S[i * m + i] : 1;
    return lil_lu_factor(&c->lu, c->S);
}

typedef struct column_job {
    const lil_projected *p;
    lil_float4 *z;
} column_job;

LIL_KERNEL static void subtract_columns(void *data, int chunk)
{
    const column_job *job = data;
    const lil_projected *p = job->p;
    int rows = lil_blocks_rows(p->A), first = 8 * LIL_BLOCKS_CHUNK * chunk, last = first + 8 * LIL_BLOCKS_CHUNK;
    for (int i = 0; i < p->G->m; i++) {
        const lil_float4 *C = p->columns.C + (size_t)i * (size_t)rows;
        float y = (float)p->columns.y[i];
        for (int k = first; k < last && k < rows; k++)
            job->z[k] -= y * C[k];
    }
}

/* z = B r - C (G C)^-1 G B r, and the projection of what float leaves of G z */
static void projected_cycle(lil_projected *p, lil_multilevel *levels, const lil_float4 *r, lil_float4 *z)
{
    const lil_blocks *A = p->A;
    memcpy(z, lil_multilevel_cycle(levels, r), (size_t)lil_blocks_rows(A) * sizeof *z);
    for (int b = 0; b < p->bound; b++)
        for (int e = 0; e < 3; e++)
            p->r[3 * b + e] = z[p->row[b]][e];
    lil_rows_multiply(&p->scaled, p->normal.values_G, p->r, p->columns.y);
    lil_lu_solve(&p->columns.lu, p->columns.y);
    lil_parallel(A->threads, A->chunks, subtract_columns, &(column_job){ p, z });
    project(p, z);
}

/* y = Pi A x; x'A x */
static double projected_apply(lil_projected *p, const lil_float4 *x, lil_float4 *y)
{
    double curvature = lil_blocks_apply(p->A, x, y);
    project(p, y);
    return curvature;
}

/* Conjugate gradients over bound cycles. Where F is not G nothing of this is quite symmetric, so that the next
 * direction is made conjugate to the latest one by what it is (Polak & Ribiere), not by what it would be. r is
 * p->e, |r| about 1. */
static void iterate_cycles(lil_projected *p, lil_pcg_ask *ask)
{
    const lil_blocks *A = p->A;
    double rr = lil_blocks_dot(A, p->e, p->e), start = sqrt(rr), enough = ask->eta * start, before = 0, alpha = 0;
    while (ask->iterations < CYCLES_MAX && sqrt(rr) > enough && !lil_stopped(ask->stop)) {
        projected_cycle(p, ask->multilevel, p->e, p->s);
        double rz = lil_blocks_dot(A, p->e, p->s);
        double turn = before > 0 ? -alpha * lil_blocks_dot(A, p->q, p->s) / before : 0;
        lil_blocks_new_direction(A, (float)turn, p->s, p->p);
        double curvature = projected_apply(p, p->p, p->q);
        ask->iterations++;
        if (!(rz > 0 && curvature > 0)) {
            ask->curvature = true;
            break;
        }
        before = rz;
        alpha = rz / curvature;
        rr = lil_blocks_advance(A, (float)alpha, p->p, p->q, p->d, p->e);
    }
    ask->residual = start > 0 ? sqrt(rr) / start : 0;
}

/* ---- sweeps ---- */

typedef struct taken_job {
    lil_projected *p;
    lil_float4 *x;
} taken_job;

/* x += the taken blocks times t, which is in p->work; x as it was is saved */
LIL_KERNEL static void add_taken(void *data, int piece)
{
    const taken_job *job = data;
    const lil_projected *p = job->p;
    int last = PIECE * (piece + 1) < p->touched ? PIECE * (piece + 1) : p->touched;
    for (int a = PIECE * piece; a < last; a++) {
        lil_float4 sum = { 0 };
        for (int k = p->begin[a]; k < p->begin[a + 1]; k++) {
            const float *N = p->taken[k].N;
            lil_float4 t = p->work[p->taken[k].column];
            sum += (lil_float4){ N[0], N[3], N[6], 0 } * t[0] + (lil_float4){ N[1], N[4], N[7], 0 } * t[1] +
                   (lil_float4){ N[2], N[5], N[8], 0 } * t[2];
        }
        int i = p->touched_row[a];
        p->saved[a] = job->x[i];
        job->x[i] += sum;
    }
}

/* y = Pi S x with S = (1 + L)^-1 A (1 + L')^-1, A with the blocks that were taken; x'S x. x is changed and restored. */
static double apply_swept(lil_projected *p, lil_float4 *x, lil_float4 *y)
{
    const lil_blocks *A = p->A;
    lil_blocks_backward(A, x, p->work);
    lil_parallel(A->threads, (p->touched + PIECE - 1) / PIECE, add_taken, &(taken_job){ p, x });
    double curvature = lil_blocks_forward_swept(A, x, y, p->work);
    for (int a = 0; a < p->touched; a++) {
        int i = p->touched_row[a];
        lil_float4 more = (x[i] - p->saved[a]) * y[i];
        curvature -= more[0] + more[1] + more[2];
        x[i] = p->saved[a];
    }
    project(p, y);
    return curvature;
}

/* Minimal residuals, as in orthomin.c. r is p->e, |r| about 1. */
static void iterate_sweeps(lil_projected *p, lil_pcg_ask *ask)
{
    const lil_blocks *A = p->A;
    double rr = lil_blocks_dot(A, p->e, p->e), qq = 0, start = sqrt(rr);
    while (ask->iterations < ask->iterations_max && sqrt(rr) > ask->eta * start && !lil_stopped(ask->stop)) {
        double curvature = apply_swept(p, p->e, p->s);
        ask->iterations++;
        float c = qq > 0 ? (float)(-lil_blocks_dot(A, p->s, p->q) / qq) : 0;
        lil_blocks_new_direction(A, c, p->e, p->p);
        lil_blocks_new_direction(A, c, p->s, p->q);
        qq = lil_blocks_dot(A, p->q, p->q);
        double rq = lil_blocks_dot(A, p->e, p->q), before = rr;
        rr = lil_blocks_advance(A, (float)(rq / qq), p->p, p->q, p->d, p->e);
        if (!(curvature > 0 && rr < before)) { /* also where a number is none */
            ask->curvature = true;
            break;
        }
    }
    ask->residual = start > 0 ? sqrt(rr) / start : 0;
}

/* ---- solve ---- */

/* d = what of bound rows alone meets G d = s, which is of the size that comes back */
static double projected_meet(lil_projected *p)
{
    double square = 0;
    lil_saddle_solve(&p->normal, NULL, p->gap, p->x, p->y);
    for (int i = 0; i < p->scaled.n; i++)
        square += p->x[i] * p->x[i];
    return sqrt(square);
}

/* From the d that meets G d = s on. */
static void projected_solve(lil_projected *p, const double *r, double size, lil_pcg_ask *ask)
{
    lil_blocks *A = p->A;
    size_t bytes = (size_t)lil_blocks_rows(A) * sizeof *p->d;
    lil_float4 *zeros[] = { p->d, p->p, p->q };
    for (int k = 0; k < 3; k++)
        memset(zeros[k], 0, bytes);
    double gap = projected_meet(p);
    for (int b = 0; b < p->bound; b++)
        for (int e = 0; e < 3; e++)
            p->d[p->row[b]][e] = (float)(p->x[3 * b + e] / size);
    lil_blocks_import(A, 1 / size, r, p->e);
    if (!ask->multilevel)
        lil_blocks_forward(A, p->e, p->e);
    project(p, p->e);
    if (gap > 0) {
        (void)(ask->multilevel ? projected_apply(p, p->d, p->s) : apply_swept(p, p->d, p->s));
        lil_blocks_new_direction(A, -1, p->e, p->s); /* s = e - s */
        lil_float4 *rest = p->s;
        p->s = p->e;
        p->e = rest;
    }
    (ask->multilevel ? iterate_cycles : iterate_sweeps)(p, ask);
    if (!ask->multilevel)
        lil_blocks_backward(A, p->d, p->d);
}

/* The data of F and G for a cycle or a sweep. */
static bool projected_prepare(lil_projected *p, lil_multilevel *levels)
{
    bool good = projected_factor(p);
    projected_take_out(p, !levels);
    if (good && levels && !p->columns.made)
        make_columns(p, levels);
    return good && (!levels || factor_columns(p));
}

void lil_projected_solve(lil_projected *p, const double *r, double *x, lil_pcg_ask *ask)
{
    lil_blocks *A = p->A;
    ask->iterations = 0;
    ask->curvature = false;
    bool good = projected_prepare(p, ask->multilevel);
    double norm = lil_blocks_norm(A, r), size = good ? fmax(norm, projected_meet(p)) : NAN;
    ask->residual = size == 0 ? 0 : 1;
    if (!(size > 0) || !(norm < INFINITY) || !(size < INFINITY)) {
        memset(x, 0, 3 * (size_t)A->n * sizeof *x);
        ask->curvature = size != 0;
        return;
    }
    projected_solve(p, r, size, ask);
    if (ask->multilevel && !ask->curvature && !(ask->residual <= ask->eta)) {
        ask->multilevel = NULL;
        projected_take_out(p, true);
        projected_solve(p, r, size, ask);
    }
    lil_blocks_export(A, size, p->d, x);
}
