/* The structure: the position of each block. */
#include "solvers/blocks.h"

#include "math/sparse.h"
#include "solvers/blocks_order.h"

#include <stdlib.h>
#include <string.h>

enum { PACKED_FROM = 16384 };
enum { LOWER, UPPER, BESIDE, CLASSES };

/* Scratch of lil_blocks_create. */
typedef struct build {
    int *row;               /* of the caller's row, among A's */
    int *low, *high;        /* rows of a pair with a place, A's numbers; high == n: fixed */
    int *pair, *place;      /* number of that pair; its place */
    int count;              /* such pairs */
    int (*filled)[CLASSES]; /* of an own row: blocks of each class */
} build;

static bool blocks_build_alloc(build *b, int n, int pairs)
{
    size_t rows = (size_t)n + 2, count = (size_t)pairs + 1;
    b->row = malloc(rows * sizeof(int));
    b->filled = calloc(rows, sizeof *b->filled);
    b->low = malloc(count * sizeof(int));
    b->high = malloc(count * sizeof(int));
    b->pair = malloc(count * sizeof(int));
    b->place = malloc(count * sizeof(int));
    return b->row && b->filled && b->low && b->high && b->pair && b->place;
}

static void blocks_build_free(build *b)
{
    int *all[] = { b->row, (int *)b->filled, b->low, b->high, b->pair, b->place };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        free(all[k]);
}

/* Places are in the order of their lower row, so that setting values walks through them. */
static lil_status blocks_place_pairs(lil_context *ctx, lil_arena *arena, lil_blocks *A, const int (*at)[2], int pairs,
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
    LIL_HAVE(ctx, A->at);
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
    A->lower = LIL_NEW(arena, int, A->groups + 1);
    A->upper = LIL_NEW(arena, int, A->groups + 1);
    A->beside = LIL_NEW(arena, int, A->groups);
    A->phase = LIL_NEW(arena, int, A->chunks + 1);
    A->L = lil_arena_alloc(arena, (size_t)rows, sizeof(float[8]));
    A->iL = lil_arena_alloc(arena, (size_t)rows, sizeof(float[8]));
    A->mass = LIL_NEW(arena, double, rows);
    A->partial = LIL_NEW(arena, double, A->chunks);
    A->bad = LIL_NEW(arena, bool, A->chunks);
    A->iR = A->iL;
    LIL_HAVE(ctx, A->order && A->held && A->first && A->lower && A->upper && A->beside && A->phase && A->L && A->iL &&
                      A->mass && A->partial && A->bad);
    return LIL_OK;
}

/* The class of the block of rows i and j: before, after or within the group. */
static int class_of(int i, int j)
{
    return i / 8 == j / 8 ? BESIDE : j < i ? LOWER : UPPER;
}

static void count_slots(lil_blocks *A, build *b)
{
    for (int p = 0; p < A->places; p++)
        if (A->at[p][1] >= 0)
            for (int end = 0; end < 2; end++)
                b->filled[A->at[p][end]][class_of(A->at[p][end], A->at[p][1 - end])]++;
    for (int g = 0; g < A->groups; g++) {
        int most[CLASSES] = { 0 };
        for (int i = 8 * g; i < 8 * g + 8 && i < A->n; i++)
            for (int c = 0; c < CLASSES; c++)
                most[c] = b->filled[i][c] > most[c] ? b->filled[i][c] : most[c];
        A->lower[g + 1] = A->lower[g] + most[LOWER];
        A->beside[g] = most[UPPER];
        A->upper[g] = most[UPPER] + most[BESIDE];
    }
    A->upper[A->groups] = A->lower[A->groups];
    for (int g = A->groups - 1; g >= 0; g--) {
        A->beside[g] += A->upper[g + 1];
        A->upper[g] += A->upper[g + 1];
    }
}

static lil_status place_slots(lil_context *ctx, lil_arena *arena, lil_blocks *A, build *b)
{
    count_slots(A, b);
    int slots = A->upper[0];
    A->slots = LIL_NEW(arena, lil_slot, slots);
    A->column = lil_arena_alloc(arena, (size_t)slots, sizeof(int[8]));
    A->source = lil_arena_alloc(arena, (size_t)slots, sizeof(int[8]));
    LIL_HAVE(ctx, A->slots && A->column && A->source);
    memset(A->source, -1, (size_t)slots * sizeof *A->source);
    for (int g = 0; g < A->groups; g++) /* empty slots: a near column, times zero */
        for (int side = 0; side < 2; side++)
            for (int k = lil_blocks_first(A, g, side); k < lil_blocks_last(A, g, side); k++)
                for (int l = 0; l < 8; l++)
                    A->column[k][l] = 8 * g + l;
    memset(b->filled, 0, ((size_t)A->n + 2) * sizeof *b->filled);
    memset(A->held, -1, (size_t)lil_blocks_rows(A) * sizeof *A->held);
    for (int p = 0; p < A->places; p++) { /* in their order: columns ascend */
        if (A->at[p][1] < 0)
            A->held[A->at[p][0]] = p;
        for (int end = 0; end < 2 && A->at[p][1] >= 0; end++) {
            int i = A->at[p][end], j = A->at[p][1 - end], class = class_of(i, j);
            const int *from[CLASSES] = { A->lower, A->upper + 1, A->beside };
            int k = from[class][i / 8] + b->filled[i][class]++;
            A->column[k][i % 8] = j;
            A->source[k][i % 8] = 2 * p + end;
        }
    }
    return LIL_OK;
}

lil_status lil_blocks_create(lil_context *ctx, lil_arena *arena, int n, const double *x, int pairs,
                             const int (*at)[2], lil_threads *threads, lil_blocks *A, int *where)
{
    *A = (lil_blocks){ .n = n, .threads = threads, .groups = (n + 7) / 8, .packed_from = PACKED_FROM };
    A->chunks = (A->groups + LIL_BLOCKS_CHUNK - 1) / LIL_BLOCKS_CHUNK;
    build b = { 0 };
    lil_status status = alloc_rows(ctx, arena, A);
    if (status == LIL_OK && !blocks_build_alloc(&b, n, pairs))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK && !lil_blocks_order(A, x, pairs, at))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK) {
        for (int i = 0; i < n; i++)
            b.row[A->order[i]] = i;
        status = blocks_place_pairs(ctx, arena, A, at, pairs, &b, where);
    }
    if (status == LIL_OK)
        status = place_slots(ctx, arena, A, &b);
    blocks_build_free(&b);
    return status;
}
