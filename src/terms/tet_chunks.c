#include "terms/tet_chunks.h"

#include "core/threads.h"
#include "math/matrix3.h"
#include "math/morton.h"

#include <stdlib.h>
#include <string.h>

/* What creating needs for a while. */
typedef struct builder {
    const double *X;
    const int (*tets)[4];
    int *order;   /* of tets */
    int *slot;    /* of each vertex of the body in the chunk at hand; -1: none */
    int *members; /* the chunk's vertices */
    int vertices; /* of the body */
} builder;

/* ---- where chunks begin and end ---- */

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The tets order[from] ... that make a chunk of at most `most` tets; b->members are its vertices, ascending. */
static int fill_chunk(builder *b, int from, int count, int most, int *member_count)
{
    int tets = 0, members = 0;
    for (; from + tets < count && tets < most; tets++) {
        const int *tet = b->tets[b->order[from + tets]];
        if (members + 4 > LIL_CHUNK_SLOTS)
            break;
        for (int a = 0; a < 4; a++)
            if (b->slot[tet[a]] < 0) {
                b->slot[tet[a]] = 0;
                b->members[members++] = tet[a];
            }
    }
    qsort(b->members, (size_t)members, sizeof *b->members, compare);
    for (int s = 0; s < members; s++)
        b->slot[b->members[s]] = s;
    *member_count = members;
    return tets;
}

static void clear_chunk(builder *b, int members)
{
    for (int s = 0; s < members; s++)
        b->slot[b->members[s]] = -1;
}

/* Chunks of equal sizes, as long as slots last: the same for any number of threads. */
static int chunk_size(int count)
{
    int chunks = (count + LIL_CHUNK_TETS - 1) / LIL_CHUNK_TETS, batch = LIL_BATCH * LIL_LANES;
    int even = (count + chunks - 1) / chunks;
    return (even + batch - 1) / batch * batch;
}

static void count_chunks(builder *b, lil_tet_chunks *c)
{
    int members, most = chunk_size(c->tet_count);
    for (int from = 0; from < c->tet_count;) {
        int tets = fill_chunk(b, from, c->tet_count, most, &members);
        clear_chunk(b, members);
        c->count++;
        c->block_count += (tets + LIL_LANES - 1) / LIL_LANES;
        c->slot_count += members;
        from += tets;
    }
}

/* ---- blocks ---- */

static void set_lane(lil_tet_block *block, int lane, const builder *b, int e, bool counts)
{
    const int *tet = b->tets[e];
    double D[9], G[9];
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 3; a++)
            D[3 * d + a] = b->X[3 * (size_t)tet[a + 1] + (size_t)d] - b->X[3 * (size_t)tet[0] + (size_t)d];
    lil_cofactor3(D, G);
    double det = lil_determinant3(D);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block->B[3 * i + j][lane] = G[3 * j + i] / det; /* D^-1 = cof' / det */
    block->V[lane] = counts ? det / 6 : 0;
    for (int a = 0; a < 4; a++)
        block->slot[a][lane] = (uint16_t)b->slot[tet[a]];
}

static void set_chunks(builder *b, int first, lil_tet_chunks *c)
{
    int from = 0, block = 0, slot = 0, most = chunk_size(c->tet_count);
    for (int k = 0; k < c->count; k++) {
        int members, tets = fill_chunk(b, from, c->tet_count, most, &members),
                     blocks = (tets + LIL_LANES - 1) / LIL_LANES;
        c->chunks[k] = (lil_tet_chunk){ block, blocks, slot, members };
        for (int i = 0; i < LIL_LANES * blocks; i++) { /* what is left over repeats the last */
            int e = b->order[from + (i < tets ? i : tets - 1)], at = block + i % blocks, lane = i / blocks;
            set_lane(&c->blocks[at], lane, b, e, i < tets);
            if (i < tets)
                c->place[e] = LIL_LANES * at + lane;
        }
        for (int i = 0; i < blocks; i++)
            c->block_chunk[block + i] = k;
        for (int s = 0; s < members; s++)
            c->slot_vertex[slot + s] = first + b->members[s];
        clear_chunk(b, members);
        from += tets;
        block += blocks;
        slot += members;
    }
}

/* ---- vertices ---- */

/* Slots by vertex, counted and then sorted in; b->slot counts. */
static void set_sums(builder *b, int first, lil_tet_chunks *c)
{
    int *seen = b->slot, vertex = 0;
    memset(seen, 0, (size_t)b->vertices * sizeof *seen);
    for (int s = 0; s < c->slot_count; s++)
        seen[c->slot_vertex[s] - first]++;
    for (int v = 0, from = 0; v < b->vertices; v++)
        if (seen[v]) {
            c->vertex[vertex] = first + v;
            c->sums[vertex++] = from;
            from += seen[v];
            seen[v] = from - seen[v]; /* from now on: where its next slot goes */
        }
    c->vertex_count = vertex;
    c->sums[vertex] = c->slot_count;
    for (int s = 0; s < c->slot_count; s++)
        c->sum_slot[seen[c->slot_vertex[s] - first]++] = s;
}

/* ---- create ---- */

static bool morton_order(builder *b, int count)
{
    double *centres = malloc(3 * (size_t)count * sizeof *centres);
    if (!centres)
        return false;
    for (int e = 0; e < count; e++)
        for (int d = 0; d < 3; d++) {
            double sum = 0;
            for (int a = 0; a < 4; a++)
                sum += b->X[3 * (size_t)b->tets[e][a] + (size_t)d];
            centres[3 * (size_t)e + (size_t)d] = sum / 4;
        }
    bool ok = lil_morton_order(count, centres, b->order);
    free(centres);
    return ok;
}

static bool allocate(lil_arena *arena, lil_tet_chunks *c)
{
    c->chunks = LIL_NEW(arena, lil_tet_chunk, c->count);
    c->blocks = LIL_NEW(arena, lil_tet_block, c->block_count);
    c->block_chunk = LIL_NEW(arena, int, c->block_count);
    c->slot_vertex = LIL_NEW(arena, int, c->slot_count);
    c->place = LIL_NEW(arena, int, c->tet_count);
    c->vertex = LIL_NEW(arena, int, c->slot_count);
    c->sums = LIL_NEW(arena, int, c->slot_count + 1);
    c->sum_slot = LIL_NEW(arena, int, c->slot_count);
    return c->chunks && c->blocks && c->block_chunk && c->slot_vertex && c->place && c->vertex && c->sums &&
           c->sum_slot;
}

lil_status lil_tet_chunks_create(lil_context *ctx, lil_arena *arena, const double *X, const int (*tets)[4], int count,
                                 int first, lil_tet_chunks *c)
{
    builder b = { .X = X, .tets = tets };
    *c = (lil_tet_chunks){ .tet_count = count };
    for (int e = 0; e < count; e++)
        for (int a = 0; a < 4; a++)
            b.vertices = tets[e][a] >= b.vertices ? tets[e][a] + 1 : b.vertices;
    b.order = malloc((size_t)count * sizeof *b.order);
    b.slot = malloc((size_t)b.vertices * sizeof *b.slot);
    b.members = malloc(LIL_CHUNK_SLOTS * sizeof *b.members);
    bool ok = b.order && b.slot && b.members && morton_order(&b, count);
    for (int v = 0; ok && v < b.vertices; v++)
        b.slot[v] = -1;
    if (ok)
        count_chunks(&b, c);
    ok = ok && allocate(arena, c);
    if (ok) {
        set_chunks(&b, first, c);
        set_sums(&b, first, c);
    }
    free(b.order);
    free(b.slot);
    free(b.members);
    return ok ? LIL_OK : lil_fail_memory(ctx);
}

/* ---- sums ---- */

typedef struct gather_job {
    const lil_tet_chunks *chunks;
    const lil_lanes *f;
    double *x;
} gather_job;

enum { GATHERED = 2048 }; /* vertices in one piece */

LIL_KERNEL static void gather_piece(void *data, int piece)
{
    const gather_job *job = data;
    const lil_tet_chunks *c = job->chunks;
    int from = piece * GATHERED, to = from + GATHERED < c->vertex_count ? from + GATHERED : c->vertex_count;
    for (int i = from; i < to; i++) {
        double *x = job->x + 3 * (size_t)c->vertex[i];
        lil_lanes sum = job->f[c->sum_slot[c->sums[i]]];
        for (int k = c->sums[i] + 1; k < c->sums[i + 1]; k++)
            sum += job->f[c->sum_slot[k]];
        for (int d = 0; d < 3; d++)
            x[d] += sum[d];
    }
}

void lil_tet_chunks_gather(const lil_tet_chunks *chunks, lil_threads *threads, const lil_lanes *f, double *x)
{
    gather_job job = { chunks, f, x };
    lil_parallel(threads, (chunks->vertex_count + GATHERED - 1) / GATHERED, gather_piece, &job);
}
