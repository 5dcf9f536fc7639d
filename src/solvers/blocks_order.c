#include "solvers/blocks_order.h"

#include "math/morton.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 8 * LIL_BLOCKS_CHUNK, COLOURS = 64 };

/* The position of a row within its chunk. */
typedef struct rank {
    int colour, before, after; /* neighbours that are swept before and after */
    int row;
} rank;

/* Scratch. */
typedef struct build {
    int *begin, *other; /* n + 1: neighbours of the caller's rows */
    int *curve;         /* the caller's rows, chunk by chunk */
    int *chunk;         /* of the caller's row, along the curve */
    int *colour;        /* of the caller's row */
    int *phase, *taken; /* of a chunk; the latest chunk that cannot be in a phase */
    rank *ranks;        /* of the rows of a chunk */
} build;

static bool blocks_order_build_alloc(build *b, int n, int chunks, int pairs)
{
    size_t rows = (size_t)n + 2;
    b->begin = calloc(rows, sizeof(int));
    b->other = malloc((2 * (size_t)pairs + 1) * sizeof(int));
    b->curve = malloc(rows * sizeof(int));
    b->chunk = malloc(rows * sizeof(int));
    b->colour = malloc(rows * sizeof(int));
    b->phase = malloc(((size_t)chunks + 1) * sizeof(int));
    b->taken = malloc(((size_t)chunks + 1) * sizeof(int));
    b->ranks = malloc(CHUNK * sizeof *b->ranks);
    return b->begin && b->other && b->curve && b->chunk && b->colour && b->phase && b->taken && b->ranks;
}

static void blocks_order_build_free(build *b)
{
    int *all[] = { b->begin, b->other, b->curve, b->chunk, b->colour, b->phase, b->taken };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        free(all[k]);
    free(b->ranks);
}

static void list_neighbours(build *b, int n, int pairs, const int (*at)[2])
{
    for (int k = 0; k < pairs; k++)
        for (int end = 0; end < 2 && at[k][0] >= 0 && at[k][1] >= 0; end++)
            b->begin[at[k][end] + 2]++;
    for (int i = 0; i < n; i++)
        b->begin[i + 2] += b->begin[i + 1];
    for (int k = 0; k < pairs; k++)
        for (int end = 0; end < 2 && at[k][0] >= 0 && at[k][1] >= 0; end++)
            b->other[b->begin[at[k][end] + 1]++] = at[k][1 - end];
}

static int blocks_order_last_of(int chunk, int n)
{
    return CHUNK * (chunk + 1) < n ? CHUNK * (chunk + 1) : n;
}

/* The first phase without a coupled chunk. The last chunk, which may be short, gets the last phase. */
static void choose_phases(lil_blocks *A, build *b)
{
    A->phases = 0;
    for (int c = 0; c < A->chunks; c++) {
        int phase = c == A->chunks - 1 && A->phases > 0 ? A->phases - 1 : 0;
        b->taken[c] = -1;
        for (int r = CHUNK * c; r < blocks_order_last_of(c, A->n); r++)
            for (int e = b->begin[b->curve[r]]; e < b->begin[b->curve[r] + 1]; e++)
                if (b->chunk[b->other[e]] < c)
                    b->taken[b->phase[b->chunk[b->other[e]]]] = c;
        while (b->taken[phase] == c)
            phase++;
        b->phase[c] = phase;
        A->phases = phase < A->phases ? A->phases : phase + 1;
    }
}

static int compare_degree(const void *a, const void *b)
{
    const rank *x = a, *y = b;
    return x->before != y->before ? y->before - x->before : x->after - y->after;
}

static int blocks_order_compare(const void *a, const void *b)
{
    const rank *x = a, *y = b;
    if (x->colour != y->colour)
        return x->colour - y->colour;
    if (x->before != y->before)
        return y->before - x->before;
    return x->after != y->after ? y->after - x->after : x->row - y->row;
}

/* Greedy colouring, rows with many neighbours first. */
static void blocks_order_choose_colours(build *b, int chunk, int count, const int *row)
{
    for (int r = 0; r < count; r++) {
        b->ranks[r] = (rank){ .before = b->begin[row[r] + 1] - b->begin[row[r]], .after = r, .row = row[r] };
        b->colour[row[r]] = -1;
    }
    qsort(b->ranks, (size_t)count, sizeof *b->ranks, compare_degree);
    for (int r = 0; r < count; r++) {
        int i = b->ranks[r].row, colour = 0;
        uint64_t used = 0;
        for (int e = b->begin[i]; e < b->begin[i + 1]; e++)
            if (b->chunk[b->other[e]] == chunk && b->colour[b->other[e]] >= 0)
                used |= UINT64_C(1) << b->colour[b->other[e]];
        while (colour < COLOURS - 1 && used >> colour & 1)
            colour++;
        b->colour[i] = colour;
    }
}

static void sort_chunk(const build *b, int chunk, int count, const int *row, int *order)
{
    for (int r = 0; r < count; r++) {
        int i = row[r];
        rank *to = &b->ranks[r];
        *to = (rank){ .colour = b->colour[i], .row = i };
        for (int e = b->begin[i]; e < b->begin[i + 1]; e++) {
            int j = b->other[e], its = b->chunk[j];
            int after = its == chunk ? b->colour[j] - b->colour[i] : b->phase[its] - b->phase[chunk];
            to->before += after < 0;
            to->after += after > 0;
        }
    }
    qsort(b->ranks, (size_t)count, sizeof *b->ranks, blocks_order_compare);
    for (int r = 0; r < count; r++)
        order[r] = b->ranks[r].row;
}

/* A last chunk of a few rows would be a corner of the body, coupled rows in one group, which sweeps treat only
 * approximately. It gets rows from the whole curve instead. */
static void spread_last(int n, int *curve, int *scratch)
{
    enum { FEW = 64 };
    int last = n % CHUNK, kept = 0, taken = 0;
    if (n < CHUNK || last == 0 || last >= FEW)
        return;
    int every = n / last;
    for (int r = 0; r < n; r++)
        if (r % every == every / 2 && taken < last)
            scratch[taken++] = curve[r];
        else
            curve[kept++] = curve[r];
    memcpy(curve + kept, scratch, (size_t)taken * sizeof *curve);
}

bool lil_blocks_order(lil_blocks *A, const double *x, int pairs, const int (*at)[2])
{
    build b = { 0 };
    bool ok = blocks_order_build_alloc(&b, A->n, A->chunks, pairs) && lil_morton_order(A->n, x, b.curve);
    if (ok) {
        int *order = A->order;
        list_neighbours(&b, A->n, pairs, at);
        spread_last(A->n, b.curve, b.chunk);
        for (int r = 0; r < A->n; r++)
            b.chunk[b.curve[r]] = r / CHUNK;
        choose_phases(A, &b);
        for (int c = 0; c < A->chunks; c++)
            blocks_order_choose_colours(&b, c, blocks_order_last_of(c, A->n) - CHUNK * c, b.curve + CHUNK * c);
        for (int f = 0, next = 0; f < A->phases; f++) {
            A->phase[f] = next;
            for (int c = 0; c < A->chunks; c++)
                if (b.phase[c] == f) {
                    int count = blocks_order_last_of(c, A->n) - CHUNK * c;
                    sort_chunk(&b, c, count, b.curve + CHUNK * c, order);
                    order += count;
                    next++;
                }
        }
        A->phase[A->phases] = A->chunks;
    }
    blocks_order_build_free(&b);
    return ok;
}
