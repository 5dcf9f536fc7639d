#include "terms/tet_chunks.h"

#include "core/order.h"
#include "core/threads.h"
#include "math/matrix3.h"
#include "math/morton.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Temporary data of the construction. */
typedef struct builder {
    const double *X;
    const int (*tets)[4], (*mids)[6];
    const lil_mix *straight;
    int nodes;    /* of a tet */
    int vertices; /* of the body */
    int *order;   /* of tets: straight ones first */
    int *slot;    /* of each vertex in the chunk at hand; -1: none */
    int *chunks;  /* of each vertex: how many have it */
    int *members; /* the chunk's vertices: first those of this chunk only, then shared ones, ascending */
    int *others;
} builder;

static int tet_chunks_node(const builder *b, int e, int a)
{
    return a < 4 ? b->tets[e][a] : b->mids[e][a - 4];
}

/* Whether a mid node is away from the middle, by more than round-off. */
static bool is_curved(const builder *b, int e)
{
    const double ROUND_OFF = 1e-10;
    for (int i = 0; b->mids && i < 4; i++)
        for (int l = 0; l < i; l++) {
            const double *x = b->X + 3 * (size_t)b->tets[e][i], *y = b->X + 3 * (size_t)b->tets[e][l];
            const double *z = b->X + 3 * (size_t)tet_chunks_node(b, e, lil_tet_node[i][l]);
            double off = 0, length = 0;
            for (int d = 0; d < 3; d++) {
                off += fabs(z[d] - (x[d] + y[d]) / 2);
                length += fabs(x[d] - y[d]);
            }
            if (off > ROUND_OFF * length)
                return true;
        }
    return false;
}

/* ---- where chunks begin and end ---- */

/* Collects the vertices of a chunk of at most `most` tets, from order[from] on; returns the number of tets. */
static int tet_chunks_collect(builder *b, int from, int count, int most, int *member_count)
{
    int tets = 0, members = 0;
    bool curved = is_curved(b, b->order[from]);
    for (; from + tets < count && tets < most && members + b->nodes <= LIL_CHUNK_SLOTS; tets++) {
        int e = b->order[from + tets];
        if (is_curved(b, e) != curved)
            break;
        for (int a = 0; a < b->nodes; a++) {
            int v = tet_chunks_node(b, e, a);
            if (b->slot[v] < 0) {
                b->slot[v] = 0;
                b->members[members++] = v;
            }
        }
    }
    *member_count = members;
    return tets;
}

/* Gives them slots; returns how many belong to this chunk only. */
static int tet_chunks_number(builder *b, int members)
{
    int own = 0, others = 0;
    qsort(b->members, (size_t)members, sizeof *b->members, lil_order_ints);
    for (int s = 0; s < members; s++)
        if (b->chunks[b->members[s]] == 1)
            b->members[own++] = b->members[s];
        else
            b->others[others++] = b->members[s];
    memcpy(b->members + own, b->others, (size_t)others * sizeof *b->members);
    for (int s = 0; s < members; s++)
        b->slot[b->members[s]] = s;
    return own;
}

static void tet_chunks_forget(builder *b, int members)
{
    for (int s = 0; s < members; s++)
        b->slot[b->members[s]] = -1;
}

/* Chunks of equal sizes, limited by slots: the same for any number of threads. */
static int tet_chunks_chunk_size(const builder *b, int count)
{
    int most = b->mids ? LIL_CHUNK_TETS / LIL_LANES : LIL_CHUNK_TETS;
    int chunks = (count + most - 1) / most, batch = LIL_BATCH * LIL_LANES;
    int even = (count + chunks - 1) / chunks;
    return (even + batch - 1) / batch * batch;
}

/* The blocks of so many tets from order[from] on. */
static int count_blocks(const builder *b, int from, int tets)
{
    return b->mids ? (1 + is_curved(b, b->order[from])) * tets : (tets + LIL_LANES - 1) / LIL_LANES;
}

static void count_chunks(builder *b, lil_tet_chunks *c)
{
    int members, most = tet_chunks_chunk_size(b, c->tet_count);
    for (int from = 0; from < c->tet_count;) {
        int tets = tet_chunks_collect(b, from, c->tet_count, most, &members);
        for (int s = 0; s < members; s++)
            b->chunks[b->members[s]]++;
        tet_chunks_forget(b, members);
        c->count++;
        c->block_count += count_blocks(b, from, tets);
        c->slot_count += members;
        from += tets;
    }
    for (int v = 0; v < b->vertices; v++) {
        c->vertex_count += b->chunks[v] > 0;
        c->shared_count += b->chunks[v] > 1;
        c->share_count += b->chunks[v] > 1 ? b->chunks[v] : 0;
    }
    c->point_count = b->mids ? LIL_LANES * c->block_count : c->tet_count;
}

/* ---- blocks ---- */

static void tet_chunks_set_lane(lil_tet_block *block, int lane, const builder *b, int e, bool counts)
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

/* Four quadrature points of tet e. False: the tet is folded there. */
static bool set_points(lil_tet_block *block, const lil_mix *mix, const builder *b, int e)
{
    lil_lanes D[9], G[9];
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < LIL_LANES; l++)
            block->slot[i][l] = (uint16_t)b->slot[tet_chunks_node(b, e, lil_tet_node[i][l])];
    for (int a = 0; a < 3; a++)
        for (int l = 0; l < LIL_LANES; l++) {
            const double *x = b->X + 3 * (size_t)tet_chunks_node(b, e, lil_tet_node[a + 1][l]);
            const double *x0 = b->X + 3 * (size_t)tet_chunks_node(b, e, lil_tet_node[0][l]);
            for (int d = 0; d < 3; d++)
                D[3 * d + a][l] = x[d] - x0[d];
        }
    lil_mix_edges(mix, D);
    lil_lanes_cofactor(D, G);
    lil_lanes det = D[0] * G[0] + D[1] * G[1] + D[2] * G[2];
    for (int i = 0; i < 9; i++)
        block->B[i] = G[3 * (i % 3) + i / 3] / det;
    block->V = det / 6;
    return det[0] > 0 && det[1] > 0 && det[2] > 0 && det[3] > 0;
}

/* Returns a tet that is folded, or -1. */
static int set_quadratic_blocks(const builder *b, const lil_tet_chunk *chunk, const int *order, int tets,
                                lil_tet_chunks *c)
{
    int each = chunk->block_count / tets, folded = -1;
    for (int i = 0; i < chunk->block_count; i++) {
        int e = order[i / each], at = chunk->block + i;
        if (!set_points(&c->blocks[at], lil_chunk_mix(chunk, i), b, e))
            folded = e;
        c->block_chunk[at] = (int)(chunk - c->chunks);
        for (int k = 0; k < LIL_LANES; k++)
            c->place[c->point[e] + LIL_LANES * (i % each) + k] = LIL_LANES * at + k;
    }
    return folded;
}

static void tet_chunks_set_blocks(const builder *b, const lil_tet_chunk *chunk, const int *order, int tets,
                                  lil_tet_chunks *c)
{
    for (int i = 0; i < LIL_LANES * chunk->block_count; i++) { /* unused lanes repeat the last tet */
        int e = order[i < tets ? i : tets - 1], at = chunk->block + i % chunk->block_count;
        int lane = i / chunk->block_count;
        tet_chunks_set_lane(&c->blocks[at], lane, b, e, i < tets);
        c->block_chunk[at] = (int)(chunk - c->chunks);
        if (i < tets)
            c->place[e] = LIL_LANES * at + lane;
    }
}

static void set_mix(const builder *b, int e, lil_tet_chunk *chunk)
{
    bool curved = is_curved(b, e);
    for (int i = 0; i < 2; i++)
        chunk->mix[i] = curved ? lil_mix_curved[i] : b->mids ? *b->straight : lil_mix_linear;
}

/* Returns a tet that is folded, or -1. */
static int set_chunks(builder *b, int first, lil_tet_chunks *c)
{
    lil_tet_chunk next = { 0 };
    int from = 0, most = tet_chunks_chunk_size(b, c->tet_count), folded = -1;
    for (int k = 0; k < c->count; k++) {
        int tets = tet_chunks_collect(b, from, c->tet_count, most, &next.slot_count), bad = -1;
        next.own_count = tet_chunks_number(b, next.slot_count);
        next.block_count = count_blocks(b, from, tets);
        set_mix(b, b->order[from], &next);
        c->chunks[k] = next;
        if (b->mids)
            bad = set_quadratic_blocks(b, &c->chunks[k], b->order + from, tets, c);
        else
            tet_chunks_set_blocks(b, &c->chunks[k], b->order + from, tets, c);
        folded = bad >= 0 ? bad : folded;
        for (int s = 0; s < next.slot_count; s++)
            c->slot_vertex[next.slot + s] = first + b->members[s];
        tet_chunks_forget(b, next.slot_count);
        from += tets;
        next.block += next.block_count;
        next.slot += next.slot_count;
        next.share += next.slot_count - next.own_count;
    }
    return folded;
}

/* ---- vertices ---- */

/* Sorts shares by vertex: counts them, then stores each at the next index of its vertex, in b->slot. */
static void set_sums(builder *b, int first, lil_tet_chunks *c)
{
    int vertex = 0, shared = 0, from = 0;
    for (int v = 0; v < b->vertices; v++) {
        if (b->chunks[v])
            c->vertex[vertex++] = first + v;
        if (b->chunks[v] < 2)
            continue;
        c->shared[shared] = first + v;
        c->sums[shared++] = b->slot[v] = from;
        from += b->chunks[v];
    }
    c->sums[shared] = from;
    for (int k = 0; k < c->count; k++) {
        const lil_tet_chunk *chunk = &c->chunks[k];
        for (int s = chunk->own_count; s < chunk->slot_count; s++)
            c->sum_share[b->slot[c->slot_vertex[chunk->slot + s] - first]++] = chunk->share + s - chunk->own_count;
    }
}

/* ---- create ---- */

static bool straight_first(builder *b, int count)
{
    int straight = 0, curved = 0, *later = malloc((size_t)count * sizeof *later);
    for (int i = 0; later && i < count; i++)
        if (is_curved(b, b->order[i]))
            later[curved++] = b->order[i];
        else
            b->order[straight++] = b->order[i];
    if (later)
        memcpy(b->order + straight, later, (size_t)curved * sizeof *later);
    free(later);
    return later != NULL;
}

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
    return ok && (!b->mids || straight_first(b, count));
}

static bool tet_chunks_allocate(lil_arena *arena, lil_tet_chunks *c)
{
    c->chunks = LIL_NEW(arena, lil_tet_chunk, c->count);
    c->blocks = LIL_NEW(arena, lil_tet_block, c->block_count + LIL_BATCH); /* prefetches stay inside the array */
    c->block_chunk = LIL_NEW(arena, int, c->block_count);
    c->slot_vertex = LIL_NEW(arena, int, c->slot_count);
    c->place = LIL_NEW(arena, int, c->point_count);
    c->vertex = LIL_NEW(arena, int, c->vertex_count);
    c->shared = LIL_NEW(arena, int, c->shared_count);
    c->sums = LIL_NEW(arena, int, c->shared_count + 1);
    c->sum_share = LIL_NEW(arena, int, c->share_count);
    return c->chunks && c->blocks && c->block_chunk && c->slot_vertex && c->place && c->vertex && c->shared &&
           c->sums && c->sum_share;
}

static bool number_points(const builder *b, lil_arena *arena, lil_tet_chunks *c)
{
    if (!b->mids)
        return true;
    c->point = LIL_NEW(arena, int, c->tet_count + 1);
    for (int e = 0; c->point && e < c->tet_count; e++)
        c->point[e + 1] = c->point[e] + LIL_LANES * (1 + is_curved(b, e));
    return c->point != NULL;
}

static bool tet_chunks_build(builder *b, lil_arena *arena, int first, lil_tet_chunks *c, int *folded)
{
    if (!b->order || !b->slot || !b->chunks || !b->members || !b->others || !morton_order(b, c->tet_count))
        return false;
    for (int v = 0; v < b->vertices; v++)
        b->slot[v] = -1;
    count_chunks(b, c);
    if (!tet_chunks_allocate(arena, c) || !number_points(b, arena, c))
        return false;
    *folded = set_chunks(b, first, c);
    set_sums(b, first, c);
    return true;
}

lil_status lil_tet_chunks_create(lil_context *ctx, lil_arena *arena, const char *body, const double *X,
                                 const int (*tets)[4], const int (*mids)[6], const lil_mix *straight, int count,
                                 int first, lil_tet_chunks *c)
{
    builder b = { .X = X, .tets = tets, .mids = mids, .straight = straight, .nodes = mids ? LIL_TET_NODES : 4 };
    int folded = -1;
    *c = (lil_tet_chunks){ .tet_count = count };
    for (int e = 0; e < count; e++)
        for (int a = 0; a < b.nodes; a++) {
            int v = tet_chunks_node(&b, e, a);
            b.vertices = v >= b.vertices ? v + 1 : b.vertices;
        }
    b.order = malloc((size_t)count * sizeof *b.order);
    b.slot = malloc((size_t)b.vertices * sizeof *b.slot);
    b.chunks = calloc((size_t)b.vertices, sizeof *b.chunks);
    b.members = malloc(LIL_CHUNK_SLOTS * sizeof *b.members);
    b.others = malloc(LIL_CHUNK_SLOTS * sizeof *b.others);
    bool ok = tet_chunks_build(&b, arena, first, c, &folded);
    free(b.order);
    free(b.slot);
    free(b.chunks);
    free(b.members);
    free(b.others);
    if (!ok)
        return lil_fail_memory(ctx);
    if (folded >= 0)
        return lil_fail(
            ctx, LIL_ERR_INPUT,
            "body '%.60s': quadratic tet %d is folded: its mid nodes are too far from the middles of its edges", body,
            folded);
    return LIL_OK;
}

/* ---- triangular blocks ---- */

/* B = T Q', T an upper triangle: from B's last row upwards (Gram and Schmidt) */
static void tet_chunks_turn(const double B[9], double T[6])
{
    const double *b0 = B, *b1 = B + 3, *b2 = B + 6;
    double q1[3], q2[3], q3[3];
    T[5] = lil_norm(3, b2);
    for (int d = 0; d < 3; d++)
        q3[d] = b2[d] / T[5];
    T[4] = lil_dot(3, b1, q3);
    for (int d = 0; d < 3; d++)
        q2[d] = b1[d] - T[4] * q3[d];
    T[3] = lil_norm(3, q2);
    for (int d = 0; d < 3; d++)
        q2[d] /= T[3];
    for (int d = 0; d < 3; d++) /* q2 x q3: a rotation, not a mirror */
        q1[d] = q2[(d + 1) % 3] * q3[(d + 2) % 3] - q2[(d + 2) % 3] * q3[(d + 1) % 3];
    T[0] = lil_dot(3, b0, q1);
    T[1] = lil_dot(3, b0, q2);
    T[2] = lil_dot(3, b0, q3);
}

lil_triangular_block *lil_tet_chunks_triangularise(lil_arena *arena, const lil_tet_chunks *chunks)
{
    lil_triangular_block *triangular = LIL_NEW(arena, lil_triangular_block, chunks->block_count + LIL_BATCH);
    for (int i = 0; triangular && i < chunks->block_count; i++) {
        const lil_tet_block *block = &chunks->blocks[i];
        triangular[i].V = block->V;
        memcpy(triangular[i].slot, block->slot, sizeof block->slot);
        for (int l = 0; l < LIL_LANES; l++) {
            double B[9], T[6];
            for (int k = 0; k < 9; k++)
                B[k] = block->B[k][l];
            tet_chunks_turn(B, T);
            for (int k = 0; k < 6; k++)
                triangular[i].B[k][l] = T[k];
        }
    }
    return triangular;
}

/* ---- sums ---- */

typedef struct gather_job {
    const lil_tet_chunks *chunks;
    const lil_lanes *shares;
    double *x;
} gather_job;

enum { GATHERED = 2048 }; /* vertices in one piece */

LIL_KERNEL static void gather_piece(void *data, int piece)
{
    const gather_job *job = data;
    const lil_tet_chunks *c = job->chunks;
    int from = piece * GATHERED, to = from + GATHERED < c->shared_count ? from + GATHERED : c->shared_count;
    for (int i = from; i < to; i++) {
        double *x = job->x + 3 * (size_t)c->shared[i];
        lil_lanes sum = job->shares[c->sum_share[c->sums[i]]];
        for (int k = c->sums[i] + 1; k < c->sums[i + 1]; k++)
            sum += job->shares[c->sum_share[k]];
        for (int d = 0; d < 3; d++)
            x[d] += sum[d];
    }
}

void lil_tet_chunks_gather(const lil_tet_chunks *chunks, lil_threads *threads, const lil_lanes *shares, double *x)
{
    gather_job job = { chunks, shares, x };
    lil_parallel(threads, (chunks->shared_count + GATHERED - 1) / GATHERED, gather_piece, &job);
}

/* ---- check ---- */

static bool is_shared(const lil_tet_chunks *c, int vertex)
{
    int low = 0, high = c->shared_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (c->shared[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->shared_count && c->shared[low] == vertex;
}

static const char *check_chunk(const lil_tet_chunks *c, const lil_tet_chunk *chunk, int vertices)
{
    if (chunk->block < 0 || chunk->block + chunk->block_count > c->block_count || chunk->slot < 0 ||
        chunk->slot + chunk->slot_count > c->slot_count || chunk->own_count > chunk->slot_count ||
        chunk->share + chunk->slot_count - chunk->own_count > c->share_count)
        return "a chunk goes beyond what there is";
    for (int s = 0; s < chunk->slot_count; s++) {
        int vertex = c->slot_vertex[chunk->slot + s];
        if (vertex < 0 || vertex >= vertices)
            return "a chunk has a vertex that the model has not";
        if ((s < chunk->own_count) == is_shared(c, vertex))
            return "a vertex that chunks share is one chunk's own, or the other way round";
    }
    for (int b = chunk->block; b < chunk->block + chunk->block_count; b++)
        for (int a = 0; a < 4; a++)
            for (int l = 0; l < LIL_LANES; l++)
                if (c->blocks[b].slot[a][l] >= chunk->slot_count)
                    return "a tet has a slot that its chunk has not";
    return NULL;
}

const char *lil_tet_chunks_check(const lil_tet_chunks *c, int vertices)
{
    const char *wrong = NULL;
    for (int i = 0; i < c->count && !wrong; i++)
        wrong = check_chunk(c, &c->chunks[i], vertices);
    for (int i = 0; i < c->shared_count && !wrong; i++)
        if (c->sums[i + 1] - c->sums[i] < 2 || (i && c->shared[i] <= c->shared[i - 1]))
            wrong = "a shared vertex has fewer than two shares, or they do not ascend";
    for (int k = 0; c->shared_count && k < c->sums[c->shared_count] && !wrong; k++)
        if (c->sum_share[k] < 0 || c->sum_share[k] >= c->share_count)
            wrong = "a shared vertex sums up a share that is not there";
    return wrong;
}
