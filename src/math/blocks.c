/* The structure: which block is where. */
#include "math/blocks.h"

#include "math/morton.h"
#include "math/sparse.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 8 * LIL_BLOCKS_CHUNK }; /* rows, sorted by degree */

/* Scratch of lil_blocks_create. */
typedef struct build {
    int *row;          /* of the caller's row, among A's */
    int *degree;       /* of the caller's row */
    int *low, *high;   /* of a pair that has a place, own rows; high == n: held */
    int *pair, *place; /* which pair that is; its place */
    int count;         /* such pairs */
    int *begin;        /* n + 1: entries of an own row, counted up */
} build;

static bool build_alloc(build *b, int n, int pairs)
{
    size_t rows = (size_t)n + 2, count = (size_t)pairs + 1;
    b->row = malloc(rows * sizeof(int));
    b->degree = calloc(rows, sizeof(int));
    b->begin = calloc(rows, sizeof(int));
    b->low = malloc(count * sizeof(int));
    b->high = malloc(count * sizeof(int));
    b->pair = malloc(count * sizeof(int));
    b->place = malloc(count * sizeof(int));
    return b->row && b->degree && b->begin && b->low && b->high && b->pair && b->place;
}

static void build_free(build *b)
{
    int *all[] = { b->row, b->degree, b->begin, b->low, b->high, b->pair, b->place };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        free(all[k]);
}

/* Rows along the curve; within each window those of high degree first, so that the eight of a group have about as many. */
static bool order_rows(lil_blocks *A, const double *x, build *b)
{
    int *curve = malloc(((size_t)A->n + 1) * sizeof *curve), most = 0;
    bool ok = curve && lil_morton_order(A->n, x, curve);
    for (int i = 0; i < A->n; i++)
        most = b->degree[i] > most ? b->degree[i] : most;
    int *bucket = calloc((size_t)most + 2, sizeof *bucket);
    ok = ok && bucket;
    for (int first = 0; ok && first < A->n; first += WINDOW) {
        int last = first + WINDOW < A->n ? first + WINDOW : A->n;
        memset(bucket, 0, ((size_t)most + 2) * sizeof *bucket);
        for (int i = first; i < last; i++)
            bucket[most - b->degree[curve[i]] + 1]++;
        for (int k = 0; k <= most; k++)
            bucket[k + 1] += bucket[k];
        for (int i = first; i < last; i++)
            A->order[first + bucket[most - b->degree[curve[i]]]++] = curve[i];
    }
    for (int i = 0; ok && i < A->n; i++)
        b->row[A->order[i]] = i;
    free(curve);
    free(bucket);
    return ok;
}

/* Places stand in the order of their lower row, so that setting values walks through them. */
static lil_status place_pairs(lil_context *ctx, lil_arena *arena, lil_blocks *A, const int (*at)[2], int pairs,
                              build *b, int *where)
{
    for (int k = 0; k < pairs; k++) {
        where[k] = -1;
        int i = at[k][0] < 0 ? A->n : b->row[at[k][0]], j = at[k][1] < 0 ? A->n : b->row[at[k][1]];
        if (i == j)
            continue;
        b->low[b->count] = i < j ? i : j;
        b->high[b->count] = i < j ? j : i;
        b->pair[b->count++] = k;
    }
    lil_pattern pattern;
    lil_arena scratch = { 0 };
    lil_status status = lil_pattern_create(ctx, &scratch, A->n + 1, b->high, b->low, b->count, &pattern, b->place);
    if (status == LIL_OK) {
        A->places = pattern.count;
        memcpy(A->first, pattern.start, ((size_t)A->n + 1) * sizeof *A->first);
    }
    lil_arena_free(&scratch);
    LIL_TRY(status);
    A->at = lil_arena_alloc(arena, (size_t)A->places, sizeof(int[2]));
    if (!A->at)
        return lil_fail_memory(ctx);
    for (int e = 0; e < b->count; e++) {
        int k = b->pair[e], p = where[k] = b->place[e];
        bool held = b->high[e] == A->n, flipped = !held && at[k][0] >= 0 && b->row[at[k][0]] != b->low[e];
        A->at[p][0] = flipped ? b->high[e] : b->low[e];
        A->at[p][1] = held ? -1 : flipped ? b->low[e] : b->high[e];
    }
    return LIL_OK;
}

static lil_status alloc_rows(lil_context *ctx, lil_arena *arena, lil_blocks *A)
{
    int rows = lil_blocks_rows(A);
    A->order = LIL_NEW(arena, int, rows);
    A->held = LIL_NEW(arena, int, rows);
    A->first = LIL_NEW(arena, int, rows + 1);
    A->start = LIL_NEW(arena, int, A->groups + 1);
    A->L = lil_arena_alloc(arena, (size_t)rows, sizeof(float[8]));
    A->iL = lil_arena_alloc(arena, (size_t)rows, sizeof(float[8]));
    A->mass = LIL_NEW(arena, double, rows);
    A->partial = LIL_NEW(arena, double, A->chunks);
    A->bad = LIL_NEW(arena, bool, A->chunks);
    A->iR = A->iL;
    if (!A->order || !A->held || !A->first || !A->start || !A->L || !A->iL || !A->mass || !A->partial || !A->bad)
        return lil_fail_memory(ctx);
    return LIL_OK;
}

static lil_status place_slots(lil_context *ctx, lil_arena *arena, lil_blocks *A, build *b)
{
    for (int p = 0; p < A->places; p++)
        if (A->at[p][1] >= 0)
            for (int end = 0; end < 2; end++)
                b->begin[A->at[p][end] + 1]++;
    for (int g = 0; g < A->groups; g++) {
        int most = 0;
        for (int i = 8 * g; i < 8 * g + 8 && i < A->n; i++)
            most = b->begin[i + 1] > most ? b->begin[i + 1] : most;
        A->start[g + 1] = A->start[g] + most;
    }
    int slots = A->start[A->groups];
    A->slots = LIL_NEW(arena, lil_slot, slots);
    A->source = lil_arena_alloc(arena, (size_t)slots, sizeof(int[8]));
    if (!A->slots || !A->source)
        return lil_fail_memory(ctx);
    memset(A->source, -1, (size_t)slots * sizeof *A->source);
    for (int g = 0; g < A->groups; g++)
        for (int k = A->start[g]; k < A->start[g + 1]; k++)
            for (int l = 0; l < 8; l++)
                A->slots[k].column[l] = 8 * g + l; /* where nothing follows: near, and times zero */
    memset(b->begin, 0, ((size_t)A->n + 2) * sizeof *b->begin);
    memset(A->held, -1, (size_t)lil_blocks_rows(A) * sizeof *A->held);
    for (int p = 0; p < A->places; p++) { /* in their order: columns ascend */
        if (A->at[p][1] < 0)
            A->held[A->at[p][0]] = p;
        for (int end = 0; end < 2 && A->at[p][1] >= 0; end++) {
            int i = A->at[p][end], k = A->start[i / 8] + b->begin[i]++;
            A->slots[k].column[i % 8] = A->at[p][1 - end];
            A->source[k][i % 8] = 2 * p + end;
        }
    }
    return LIL_OK;
}

lil_status lil_blocks_create(lil_context *ctx, lil_arena *arena, int n, const double *x, int pairs,
                             const int (*at)[2], lil_threads *threads, lil_blocks *A, int *where)
{
    *A = (lil_blocks){ .n = n, .threads = threads, .groups = (n + 7) / 8 };
    A->chunks = (A->groups + LIL_BLOCKS_CHUNK - 1) / LIL_BLOCKS_CHUNK;
    build b = { 0 };
    lil_status status = alloc_rows(ctx, arena, A);
    if (status == LIL_OK && !build_alloc(&b, n, pairs))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK) {
        for (int k = 0; k < pairs; k++)
            for (int end = 0; end < 2; end++)
                if (at[k][end] >= 0)
                    b.degree[at[k][end]]++;
        status = order_rows(A, x, &b) ? place_pairs(ctx, arena, A, at, pairs, &b, where) : lil_fail_memory(ctx);
    }
    if (status == LIL_OK)
        status = place_slots(ctx, arena, A, &b);
    build_free(&b);
    return status;
}
