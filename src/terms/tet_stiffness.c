#include "terms/tet_stiffness.h"

#include "core/order.h"
#include "core/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- create: chunks ---- */

enum { TABLE = 16 * LIL_STIFFNESS_EDGES }; /* of edges, by hashing; a power of 2 */

/* An edge of a chunk: a < b; its index in the chunk, and among the pairs. */
typedef struct edge {
    int a, b, chunk;
    int local;
    int slot; /* -1: in no other chunk */
} edge;

typedef struct builder {
    const lil_tets *tets;
    bool stores;
    lil_tet_stiffness *p;
    int *order;    /* of tets */
    int *local;    /* of each vertex of the model: its number in the chunk + 1, or 0 */
    int *vertices; /* of all chunks, one after the other */
    int vertex_count;
    edge *edges; /* likewise */
    int edge_count;
    lil_stiffness_chunk *chunks;
    int *first_edge, *first_tet; /* of each chunk, and one more */
    int chunk_count;
    int *tet_edge;    /* `pairs` of each tet, in the chunk, in the order of discovery */
    int nodes, pairs; /* of a tet */
    int table[TABLE]; /* the chunk's edges: number + 1, or 0 */
    int models;       /* lower bound of the number of the model's vertices */
    int most;         /* tets of a chunk */
} builder;

/* The order of tets in the chunks of forces (Morton's order). */
static void set_order(const lil_tets *t, int *at, int *order)
{
    const lil_tet_chunks *c = &t->chunks;
    int n = 0;
    for (int i = 0; i < LIL_LANES * c->block_count; i++)
        at[i] = -1;
    for (int p = 0; p < c->point_count; p++)
        at[c->place[p]] = p;
    for (int k = 0; k < c->count; k++)
        for (int lane = 0; lane < LIL_LANES; lane++)
            for (int i = 0; i < c->chunks[k].block_count; i++) {
                int p = at[LIL_LANES * (c->chunks[k].block + i) + lane], e = p < 0 ? -1 : lil_tets_of_point(t, p);
                if (e >= 0 && p == lil_tets_point(t, e))
                    order[n++] = e;
            }
}

static void sort4(int *id)
{
    for (int a = 1; a < 4; a++)
        for (int b = a; b > 0 && id[b] < id[b - 1]; b--) {
            int x = id[b];
            id[b] = id[b - 1];
            id[b - 1] = x;
        }
}

/* The number of the edge a b in the open chunk, a new one if it has none. */
static int tet_stiffness_find_edge(builder *m, int a, int b)
{
    int begin = m->first_edge[m->chunk_count];
    unsigned at = ((unsigned)a * 73856093u ^ (unsigned)b * 19349663u) % TABLE;
    for (; m->table[at]; at = (at + 1) % TABLE) {
        const edge *e = &m->edges[begin + m->table[at] - 1];
        if (e->a == a && e->b == b)
            return m->table[at] - 1;
    }
    m->edges[m->edge_count] = (edge){ .a = a, .b = b, .chunk = m->chunk_count };
    m->table[at] = ++m->edge_count - begin;
    return m->table[at] - 1;
}

static void close_chunk(builder *m, int next_tet)
{
    lil_stiffness_chunk *c = &m->chunks[m->chunk_count];
    c->vertices = m->vertex_count - c->vertex;
    for (int i = 0; i < c->vertices; i++)
        m->local[m->vertices[c->vertex + i]] = 0;
    memset(m->table, 0, sizeof m->table);
    int points = 0;
    for (int i = m->first_tet[m->chunk_count]; i < next_tet; i++)
        points += lil_tets_point(m->tets, m->order[i] + 1) - lil_tets_point(m->tets, m->order[i]);
    c->blocks = (points + LIL_STIFFNESS_LANES - 1) / LIL_STIFFNESS_LANES;
    m->chunk_count++;
    m->first_tet[m->chunk_count] = next_tet;
    m->first_edge[m->chunk_count] = m->edge_count;
    c[1] = (lil_stiffness_chunk){ .block = c->block + c->blocks, .vertex = m->vertex_count, .tet = next_tet };
}

/* Chunks of equal sizes: the same for any number of threads. */
static int tet_stiffness_chunk_size(int count, int most)
{
    int chunks = (count + most - 1) / most, even = (count + chunks - 1) / chunks;
    return (even + LIL_STIFFNESS_LANES - 1) / LIL_STIFFNESS_LANES * LIL_STIFFNESS_LANES;
}

/* Divides the tets, in their order, into chunks. */
static void tet_stiffness_cut(builder *m)
{
    int most_edges = m->tets->mids ? LIL_STIFFNESS_QUADRATIC_EDGES : LIL_STIFFNESS_EDGES;
    for (int i = 0; i < m->tets->count; i++) {
        lil_tet tet;
        lil_tets_get(m->tets, lil_tets_point(m->tets, m->order[i]), &tet);
        if (!m->tets->mids)
            sort4(tet.id);
        if (i - m->first_tet[m->chunk_count] == m->most ||
            m->vertex_count - m->chunks[m->chunk_count].vertex > LIL_STIFFNESS_VERTICES - m->nodes ||
            m->edge_count - m->first_edge[m->chunk_count] > most_edges - m->pairs)
            close_chunk(m, i);
        for (int a = 0; a < m->nodes; a++)
            if (m->local[tet.id[a]] == 0) {
                m->vertices[m->vertex_count++] = tet.id[a];
                m->local[tet.id[a]] = m->vertex_count - m->chunks[m->chunk_count].vertex;
            }
        for (int k = 0, a = 0; a < m->nodes; a++)
            for (int b = a + 1; b < m->nodes; b++, k++) {
                bool turned = tet.id[a] > tet.id[b];
                m->tet_edge[m->pairs * i + k] =
                    tet_stiffness_find_edge(m, tet.id[turned ? b : a], tet.id[turned ? a : b]);
            }
    }
    close_chunk(m, m->tets->count);
}

/* ---- create: pairs ---- */

static int tet_stiffness_by_ends(const void *x, const void *y)
{
    const edge *e = *(const edge *const *)x, *f = *(const edge *const *)y;
    return e->b != f->b ? lil_order(e->b, f->b) : lil_order(e->chunk, f->chunk);
}

/* Edges sorted by ends, then by chunk: first by a, in buckets. */
static void sort_edges(const builder *m, int *bucket, edge **sorted)
{
    for (int k = 0; k < m->edge_count; k++)
        bucket[m->edges[k].a + 2]++;
    for (int v = 0; v < m->models; v++)
        bucket[v + 2] += bucket[v + 1];
    for (int k = 0; k < m->edge_count; k++)
        sorted[bucket[m->edges[k].a + 1]++] = &m->edges[k];
    for (int v = 0; v < m->models; v++)
        qsort(sorted + bucket[v], (size_t)(bucket[v + 1] - bucket[v]), sizeof *sorted, tet_stiffness_by_ends);
}

/* Edges that several chunks share get a slot in each; slots are numbered chunk by chunk. */
static void mark_shared(builder *m, edge **sorted, int *slot_count)
{
    for (int k = 0; k < m->edge_count; k++)
        sorted[k]->slot = -1;
    for (int k = 1; k < m->edge_count; k++)
        if (sorted[k]->a == sorted[k - 1]->a && sorted[k]->b == sorted[k - 1]->b)
            sorted[k]->slot = sorted[k - 1]->slot = 0;
    *slot_count = 0;
    for (int k = 0; k < m->edge_count; k++)
        if (m->edges[k].slot == 0)
            m->edges[k].slot = (*slot_count)++;
}

/* Interior edges are a chunk's first, and its pairs in the same order; shared pairs follow those of all chunks. */
static void number_edges(builder *m)
{
    int pair = 0, slot = 0;
    for (int c = 0; c < m->chunk_count; c++) {
        lil_stiffness_chunk *chunk = &m->chunks[c];
        chunk->pair = pair;
        chunk->slot = slot;
        for (int k = m->first_edge[c]; k < m->first_edge[c + 1]; k++)
            if (m->edges[k].slot < 0)
                m->edges[k].local = chunk->interior++;
        for (int k = m->first_edge[c]; k < m->first_edge[c + 1]; k++)
            if (m->edges[k].slot >= 0)
                m->edges[k].local = chunk->interior + chunk->shared++;
        pair += chunk->interior;
        slot += chunk->shared;
    }
    m->p->interior = pair;
}

static lil_status list_shared(lil_context *ctx, lil_arena *arena, builder *m, edge **sorted, int slot_count)
{
    lil_tet_stiffness *p = m->p;
    p->shared = 0;
    for (int k = 0; k < m->edge_count; k++)
        p->shared +=
            sorted[k]->slot >= 0 && (k == 0 || sorted[k]->a != sorted[k - 1]->a || sorted[k]->b != sorted[k - 1]->b);
    LIL_ALLOC(ctx, arena, p->first_slot, p->shared + 1);
    LIL_ALLOC(ctx, arena, p->slots, slot_count);
    LIL_ALLOC(ctx, arena, p->sums, (size_t)slot_count + 1);
    int pair = -1, n = 0;
    for (int k = 0; k < m->edge_count; k++) {
        if (sorted[k]->slot < 0)
            continue;
        if (k == 0 || sorted[k]->a != sorted[k - 1]->a || sorted[k]->b != sorted[k - 1]->b)
            p->first_slot[++pair] = n;
        p->slots[n++] = sorted[k]->slot;
    }
    p->first_slot[p->shared] = n;
    return LIL_OK;
}

static lil_status tet_stiffness_list_pairs(lil_context *ctx, lil_arena *arena, const builder *m, edge **sorted,
                                           lil_block_pairs *pairs)
{
    lil_tet_stiffness *p = m->p;
    pairs->count = p->interior + p->shared;
    LIL_ALLOC(ctx, arena, pairs->at, pairs->count);
    int shared = p->interior;
    for (int k = 0; k < m->edge_count; k++) {
        const edge *e = sorted[k];
        bool first = k == 0 || e->a != sorted[k - 1]->a || e->b != sorted[k - 1]->b;
        int at = e->slot < 0 ? m->chunks[e->chunk].pair + e->local : shared;
        if (e->slot >= 0 && !first)
            continue;
        shared += e->slot >= 0;
        pairs->at[at][0] = e->a;
        pairs->at[at][1] = e->b;
    }
    return LIL_OK;
}

/* ---- create: blocks ---- */

/* Its vertices in ascending order. In the body's unit of length. */
static void tet_stiffness_set_lane(const builder *m, int c, int i, int lane, bool counts, lil_stiffness_block *block)
{
    lil_tet tet;
    double G[12], unit = m->p->length, sign = 1;
    int order[4] = { 0, 1, 2, 3 };
    lil_tets_get(m->tets, m->order[i], &tet);
    lil_tet_gradients(tet.B, G);
    for (int a = 1; a < 4; a++)
        for (int b = a; b > 0 && tet.id[order[b]] < tet.id[order[b - 1]]; b--, sign = -sign) {
            int x = order[b];
            order[b] = order[b - 1];
            order[b - 1] = x;
        }
    for (int k = 0; k < 9; k++)
        block->B[k][lane] = (float)(unit * G[3 * order[1 + k / 3] + k % 3]);
    block->r[lane] = (float)(sign * unit * unit * unit / (6 * tet.V));
    block->V[lane] = counts ? (float)(tet.V / (unit * unit * unit)) : 0;
    for (int a = 0; a < 4; a++)
        block->vertex[a][lane] = (uint16_t)(4 * (m->local[tet.id[order[a]]] - 1));
    for (int k = 0; k < 6; k++)
        block->edge[k][lane] = (uint16_t)(9 * m->edges[m->first_edge[c] + m->tet_edge[6 * i + k]].local);
}

/* Four quadrature points of the chunk's tet `tet`, whose vertices keep their order; -1: they count nothing. */
static void set_group(const builder *m, int point, int tet, int group, int c)
{
    int at_block = m->chunks[c].block + group / 2;
    lil_stiffness_block *block = &m->p->blocks[at_block];
    lil_stiffness_mix *mix = &m->p->mixes[at_block];
    double unit = m->p->length;
    for (int k = 0; k < LIL_STIFFNESS_POINTS; k++) {
        int lane = LIL_STIFFNESS_POINTS * (group % 2) + k, at = group / 2 % LIL_STIFFNESS_BATCH;
        lil_tet one;
        lil_tets_get(m->tets, point + k, &one);
        for (int e = 0; e < 9; e++)
            block->B[e][lane] = (float)(unit * one.B[e]);
        block->r[lane] = (float)(unit * unit * unit / (6 * one.V));
        block->V[lane] = tet >= 0 ? (float)(one.V / (unit * unit * unit)) : 0;
        for (int i = 0; i < 4; i++)
            block->vertex[i][lane] = (uint16_t)(4 * (m->local[one.id[lil_tet_node[i][k]]] - 1));
        for (int e = 0; e < 6; e++)
            block->edge[e][lane] = (uint16_t)(9 * (LIL_STIFFNESS_VIRTUAL * at + 6 * lane + e));
        mix->own[lane] = (float)one.mix->own;
        mix->all[lane] = (float)one.mix->all;
        mix->ends[lane] = (float)one.mix->ends;
    }
    mix->tet[group % 2] = tet;
}

static void set_nodes(const builder *m, int c, int i, lil_stiffness_nodes *nodes)
{
    lil_tet tet;
    lil_tets_get(m->tets, lil_tets_point(m->tets, m->order[i]), &tet);
    for (int k = 0, a = 0; a < LIL_TET_NODES; a++)
        for (int b = a + 1; b < LIL_TET_NODES; b++, k++) {
            nodes->edge[k] = (uint16_t)m->edges[m->first_edge[c] + m->tet_edge[m->pairs * i + k]].local;
            nodes->turned[k] = tet.id[a] > tet.id[b];
        }
}

static void fill_quadratic_chunk(const builder *m, int c)
{
    const lil_stiffness_chunk *chunk = &m->chunks[c];
    int group = 0, point = 0;
    for (int i = m->first_tet[c]; i < m->first_tet[c + 1]; i++) {
        set_nodes(m, c, i, &m->p->nodes[i]);
        for (point = lil_tets_point(m->tets, m->order[i]); point < lil_tets_point(m->tets, m->order[i] + 1);
             point += LIL_STIFFNESS_POINTS, group++)
            set_group(m, point, i - chunk->tet, group, c);
    }
    if (group % 2) /* the other half is unused: it repeats the last one */
        set_group(m, point - LIL_STIFFNESS_POINTS, -1, group, c);
}

/* The unused lanes of the last block repeat the last tet, with zero volume. */
static void fill_chunk(const builder *m, int c)
{
    const lil_stiffness_chunk *chunk = &m->chunks[c];
    int first = m->first_tet[c], count = m->first_tet[c + 1] - first;
    for (int i = 0; i < chunk->vertices; i++)
        m->local[m->vertices[chunk->vertex + i]] = i + 1;
    if (m->tets->mids) {
        fill_quadratic_chunk(m, c);
        return;
    }
    for (int i = 0; i < LIL_STIFFNESS_LANES * chunk->blocks; i++) {
        int at = first + (i < count ? i : count - 1), block = chunk->block + i % chunk->blocks,
            lane = i / chunk->blocks;
        tet_stiffness_set_lane(m, c, at, lane, i < count, &m->p->blocks[block]);
    }
}

/* False: out of memory. */
static bool alloc_quadratic(lil_arena *arena, const builder *m, int blocks)
{
    lil_tet_stiffness *p = m->p;
    if (!m->tets->mids)
        return true;
    p->mixes = LIL_NEW(arena, lil_stiffness_mix, blocks);
    p->nodes = LIL_NEW(arena, lil_stiffness_nodes, m->tets->count);
    return p->mixes && p->nodes;
}

static lil_status tet_stiffness_fill(lil_context *ctx, lil_arena *arena, builder *m)
{
    lil_tet_stiffness *p = m->p;
    int blocks = m->chunks[m->chunk_count].block;
    p->chunk_count = m->chunk_count;
    p->chunks = LIL_NEW(arena, lil_stiffness_chunk, m->chunk_count);
    p->blocks = LIL_NEW(arena, lil_stiffness_block, blocks);
    p->vertices = LIL_NEW(arena, int, m->vertex_count);
    p->reference = m->stores ? LIL_NEW(arena, float, 4 * (size_t)m->vertex_count) : NULL;
    if (!p->chunks || !p->blocks || !p->vertices || (m->stores && !p->reference) ||
        !alloc_quadratic(arena, m, blocks))
        return lil_fail_memory(ctx);
    memcpy(p->chunks, m->chunks, (size_t)m->chunk_count * sizeof *p->chunks);
    memcpy(p->vertices, m->vertices, (size_t)m->vertex_count * sizeof *p->vertices);
    for (int c = 0; c < m->chunk_count; c++)
        fill_chunk(m, c);
    return LIL_OK;
}

/* ---- create ---- */

/* about the size of a tet */
static double tet_stiffness_unit_of(const lil_tets *t)
{
    double sum = 0;
    for (int p = 0; p < t->chunks.point_count; p++) {
        lil_tet tet;
        lil_tets_get(t, p, &tet);
        sum += tet.V;
    }
    return ldexp(1, ilogb(cbrt(6 * sum / t->count)));
}

static lil_status tet_stiffness_build(lil_context *ctx, lil_arena *arena, builder *m, lil_block_pairs *pairs)
{
    size_t n = (size_t)m->tets->count, chunks = n / 8 + 3;
    m->nodes = m->tets->nodes;
    m->pairs = m->nodes * (m->nodes - 1) / 2;
    size_t all = (size_t)m->pairs * n;
    m->most =
        tet_stiffness_chunk_size(m->tets->count, m->tets->mids ? LIL_STIFFNESS_QUADRATIC_TETS : LIL_STIFFNESS_TETS);
    m->models = m->tets->chunks.vertex[m->tets->chunks.vertex_count - 1] + 1;
    m->order = malloc(n * sizeof *m->order);
    m->local = calloc((size_t)m->models + 1, sizeof *m->local);
    m->vertices = malloc((size_t)m->nodes * n * sizeof *m->vertices);
    m->edges = malloc(all * sizeof *m->edges);
    m->chunks = calloc(chunks, sizeof *m->chunks);
    m->first_edge = calloc(chunks, sizeof *m->first_edge);
    m->first_tet = calloc(chunks, sizeof *m->first_tet);
    m->tet_edge = malloc(all * sizeof *m->tet_edge);
    int *bucket = calloc((size_t)m->models + 3, sizeof *bucket), slot_count;
    int *at = malloc(LIL_LANES * (size_t)m->tets->chunks.block_count * sizeof *at);
    edge **sorted = malloc(all * sizeof *sorted);
    lil_status status = LIL_OK;
    if (!at || !m->order || !m->local || !m->vertices || !m->edges || !m->chunks || !m->first_edge || !m->first_tet ||
        !m->tet_edge || !bucket || !sorted) {
        status = lil_fail_memory(ctx);
    } else {
        set_order(m->tets, at, m->order);
        tet_stiffness_cut(m);
        sort_edges(m, bucket, sorted);
        mark_shared(m, sorted, &slot_count);
        number_edges(m);
        status = list_shared(ctx, arena, m, sorted, slot_count);
        status = status == LIL_OK ? tet_stiffness_list_pairs(ctx, arena, m, sorted, pairs) : status;
        status = status == LIL_OK ? tet_stiffness_fill(ctx, arena, m) : status;
    }
    free(bucket);
    free(at);
    free(sorted);
    return status;
}

lil_status lil_tet_stiffness_create(lil_context *ctx, lil_arena *arena, const lil_tets *tets, bool stores,
                                    lil_block_pairs *pairs, lil_tet_stiffness **out)
{
    if (tets->count > INT32_MAX / (tets->mids ? 90 : 16))
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d tets are too many for an implicit step", tets->count);
    lil_tet_stiffness *p = *out = LIL_NEW(arena, lil_tet_stiffness, 1);
    builder *m = calloc(1, sizeof *m);
    if (!p || !m) {
        free(m);
        return lil_fail_memory(ctx);
    }
    *p = (lil_tet_stiffness){ .tets = tets, .length = tet_stiffness_unit_of(tets), .threads = ctx->threads };
    m->tets = tets;
    m->stores = stores;
    m->p = p;
    lil_status status = tet_stiffness_build(ctx, arena, m, pairs);
    free(m->order);
    free(m->local);
    free(m->vertices);
    free(m->edges);
    free(m->chunks);
    free(m->first_edge);
    free(m->first_tet);
    free(m->tet_edge);
    free(m);
    return status;
}

lil_status lil_tet_stiffness_place(lil_context *ctx, lil_arena *arena, const int (*rows)[2], lil_tet_stiffness *p)
{
    int n = p->interior + p->shared, any = 0;
    for (int k = 0; k < n; k++)
        any += (rows[k][0] < 0) != (rows[k][1] < 0);
    if (!any)
        return LIL_OK;
    LIL_ALLOC(ctx, arena, p->late, n);
    LIL_ALLOC(ctx, arena, p->late_pairs, any);
    LIL_ALLOC(ctx, arena, p->late_sums, any);
    for (int k = 0; k < n; k++)
        p->late[k] = (rows[k][0] < 0) != (rows[k][1] < 0);
    for (int c = 0; c < p->chunk_count; c++) {
        lil_stiffness_chunk *chunk = &p->chunks[c];
        chunk->late = p->late_count;
        for (int k = chunk->pair; k < chunk->pair + chunk->interior; k++)
            if (p->late[k])
                p->late_pairs[p->late_count++] = k;
    }
    return LIL_OK;
}

/* ---- add ---- */

LIL_INLINE void add9(const float x[9], float *y)
{
    for (int i = 0; i < 9; i++)
        y[i] += x[i];
}

/* the block of a pair, or both blocks of a discrete gradient, to their places */
LIL_INLINE void add_pair(const lil_stiffness_job *job, int pair, const float *x, bool two)
{
    for (int end = 0; end < 1 + two; end++) {
        int at = two ? job->two[pair][end] : job->where[pair];
        if (at >= 0)
            add9(x + 9 * end, job->blocks + 9 * (size_t)at);
    }
}

LIL_INLINE void add_interior(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, const float *edges,
                             bool two)
{
    const lil_tet_stiffness *p = job->pairs;
    int late = chunk->late, each = two ? 18 : 9;
    for (int k = 0; k < chunk->interior; k++)
        if (p->late && p->late[chunk->pair + k])
            memcpy(p->late_sums[late++], edges + each * k, (size_t)each * sizeof *edges);
        else
            add_pair(job, chunk->pair + k, edges + each * k, two);
}

LIL_KERNEL static void add_chunk_one(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk,
                                     const float *edges)
{
    add_interior(job, chunk, edges, false);
}

LIL_KERNEL static void add_chunk_two(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk,
                                     const float *edges)
{
    add_interior(job, chunk, edges, true);
}

static void add_chunk(void *data, int c)
{
    const lil_stiffness_job *job = data;
    const lil_tet_stiffness *p = job->pairs;
    const lil_stiffness_chunk *chunk = &p->chunks[c];
    bool two = job->kind == LIL_PAIRS_BETWEEN;
    int each = two ? 18 : 9;
    float edges[18 * LIL_STIFFNESS_QUADRATIC_EDGES];
    (two ? lil_stiffness_chunk_discrete_gradient : lil_stiffness_chunk_blocks)(job, chunk, edges);
    (two ? add_chunk_two : add_chunk_one)(job, chunk, edges);
    for (int k = 0; k < chunk->shared; k++)
        memcpy(p->sums[chunk->slot + k], edges + each * (chunk->interior + k), (size_t)each * sizeof *edges);
}

enum { PIECE = 1024 }; /* of shared pairs */

LIL_INLINE void add_slots(const lil_stiffness_job *job, int k, bool two)
{
    const lil_tet_stiffness *p = job->pairs;
    float sum[18] = { 0 };
    for (int s = p->first_slot[k]; s < p->first_slot[k + 1]; s++)
        for (int b = 0; b < (two ? 18 : 9); b += 9)
            add9(p->sums[p->slots[s]] + b, sum + b);
    add_pair(job, p->interior + k, sum, two);
}

LIL_KERNEL static void add_shared_one(const lil_stiffness_job *job, int k)
{
    add_slots(job, k, false);
}

LIL_KERNEL static void add_shared_two(const lil_stiffness_job *job, int k)
{
    add_slots(job, k, true);
}

static void add_shared(void *data, int piece)
{
    const lil_stiffness_job *job = data;
    const lil_tet_stiffness *p = job->pairs;
    int end = (piece + 1) * PIECE < p->shared ? (piece + 1) * PIECE : p->shared;
    for (int k = piece * PIECE; k < end; k++)
        if (!p->late || !p->late[p->interior + k])
            (job->kind == LIL_PAIRS_BETWEEN ? add_shared_two : add_shared_one)(job, k);
}

/* In the order in which a single thread adds them. */
static void add_late(const lil_stiffness_job *job)
{
    const lil_tet_stiffness *p = job->pairs;
    bool two = job->kind == LIL_PAIRS_BETWEEN;
    for (int i = 0; i < p->late_count; i++)
        add_pair(job, p->late_pairs[i], p->late_sums[i], two);
    for (int k = 0; p->late && k < p->shared; k++)
        if (p->late[p->interior + k])
            (two ? add_shared_two : add_shared_one)(job, k);
}

void lil_tet_stiffness_add(const lil_stiffness_job *job)
{
    const lil_tet_stiffness *p = job->pairs;
    lil_stiffness_job shared = *job;
    lil_parallel(p->threads, p->chunk_count, add_chunk, &shared);
    lil_parallel(p->threads, (p->shared + PIECE - 1) / PIECE, add_shared, &shared);
    add_late(job);
}

static void keep_chunk(void *data, int c)
{
    const lil_stiffness_job *job = data;
    lil_stiffness_chunk_keep(job->pairs, &job->pairs->chunks[c], job->q);
}

void lil_tet_stiffness_keep(lil_tet_stiffness *p, const double *q)
{
    lil_stiffness_job job = { .pairs = p, .q = q };
    lil_parallel(p->threads, p->chunk_count, keep_chunk, &job);
}
