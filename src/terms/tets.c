#include "terms/tets.h"

#include "core/threads.h"
#include "math/cubic.h"
#include "math/matrix3.h"
#include "terms/entries.h"
#include "terms/tet_discrete_gradient.h"
#include "terms/tet_second.h"
#include "terms/tet_stiffness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- create ---- */

/* of which energies and stresses are differences */
static double tets_modulus(const lil_tets *t)
{
    return t->bulk ? t->material.moduli.kappa : t->material.moduli.mu;
}

/* Shape functions' gradients g_a of each tet: mu V |g_a| and (2 mu + lambda) V |g_a|^2 at each vertex. */
static lil_status set_sizes(lil_context *ctx, lil_tets *t, int first)
{
    const lil_moduli *m = &t->material.moduli;
    int vertices = t->chunks.vertex[t->chunks.vertex_count - 1] + 1 - first;
    double stiffness = m->kappa + 4 * m->mu / 3, *at = calloc(2 * (size_t)vertices, sizeof *at);
    LIL_HAVE(ctx, at);
    for (int p = 0; p < t->chunks.point_count; p++) {
        lil_tet tet;
        double G[3 * LIL_TET_NODES];
        lil_tets_get(t, p, &tet);
        lil_tet_node_gradients(&tet, tet.B, G);
        t->size_W += 1.5 * tets_modulus(t) * tet.V;
        for (int a = 0; a < tet.nodes; a++) {
            const double *g = G + 3 * a, square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
            at[2 * (tet.id[a] - first)] += tets_modulus(t) * tet.V * sqrt(square);
            at[2 * (tet.id[a] - first) + 1] += stiffness * tet.V * square;
        }
    }
    for (int i = 0; i < vertices; i++) {
        t->size_g += at[2 * i] * at[2 * i];
        t->size_K += at[2 * i + 1] * at[2 * i + 1];
    }
    t->size_g = sqrt(t->size_g);
    t->size_K = sqrt(t->size_K);
    free(at);
    return LIL_OK;
}

static double extent_of(const lil_tets *t)
{
    double most = 0;
    for (const lil_tet_chunk *c = t->chunks.chunks; c < t->chunks.chunks + t->chunks.count; c++) {
        const int *vertex = t->chunks.slot_vertex + c->slot;
        const double *from = t->X + 3 * (size_t)(vertex[0] - t->first);
        for (int s = 0; s < c->slot_count; s++)
            for (int d = 0; d < 3; d++)
                most = fmax(most, fabs(t->X[3 * (size_t)(vertex[s] - t->first) + (size_t)d] - from[d]));
    }
    return most;
}

static lil_status set_nodes(lil_context *ctx, lil_arena *arena, lil_tets *t)
{
    t->nodes = t->mids ? LIL_TET_NODES : 4;
    t->node = t->tets[0];
    if (!t->mids)
        return LIL_OK;
    int(*node)[LIL_TET_NODES] = lil_arena_alloc(arena, (size_t)t->count, sizeof *node);
    LIL_HAVE(ctx, node);
    for (int e = 0; e < t->count; e++) {
        memcpy(node[e], t->tets[e], sizeof t->tets[e]);
        memcpy(node[e] + 4, t->mids[e], sizeof t->mids[e]);
    }
    t->node = node[0];
    return LIL_OK;
}

/* With its members up to `first` set. */
static lil_status tets_build(lil_context *ctx, lil_arena *arena, lil_tets *t)
{
    LIL_TRY(set_nodes(ctx, arena, t));
    LIL_TRY(lil_tet_chunks_create(ctx, arena, t->body, t->X, t->tets, t->mids,
                                  t->bulk ? &lil_mix_centre : &lil_mix_straight, t->count, t->first, &t->chunks));
    if (t->material.table->holds & LIL_MATERIAL_ISOTROPIC &&
        !(t->triangular = lil_tet_chunks_triangularise(arena, &t->chunks)))
        return lil_fail_memory(ctx);
    t->extent = extent_of(t);
    return set_sizes(ctx, t, t->first);
}

lil_status lil_tets_create(lil_context *ctx, lil_arena *arena, const char *body, const lil_material *material,
                           const double *X, const int (*tets)[4], const int (*mids)[6], int count, int first,
                           lil_tets **out)
{
    lil_tets *t = *out = LIL_NEW(arena, lil_tets, 1);
    LIL_HAVE(ctx, t);
    *t = (lil_tets){
        .body = body, .material = *material, .X = X, .tets = tets, .mids = mids, .count = count, .first = first
    };
    return tets_build(ctx, arena, t);
}

lil_status lil_tets_create_some(lil_context *ctx, lil_arena *arena, const lil_tets *of, const int (*tets)[4],
                                const int (*mids)[6], int count, lil_tets **out)
{
    lil_tets *t = *out = LIL_NEW(arena, lil_tets, 1);
    LIL_HAVE(ctx, t);
    *t = (lil_tets){ .body = of->body,
                     .material = of->material,
                     .X = of->X,
                     .tets = tets,
                     .mids = mids,
                     .bulk = of->bulk,
                     .count = count,
                     .first = of->first };
    return tets_build(ctx, arena, t);
}

static bool has_curved(const lil_tets *t)
{
    bool any = false;
    for (int i = 0; i < t->chunks.count; i++)
        any = any || t->chunks.chunks[i].mix[0].all == lil_mix_curved[0].all;
    return any;
}

lil_status lil_tets_create_bulk(lil_context *ctx, lil_arena *arena, lil_tets *tets, lil_tets **bulk)
{
    const double AT_POINTS = 14. / 3; /* kappa over mu at nu = 0.4 */
    double most = AT_POINTS * tets->material.moduli.mu, rest = tets->material.moduli.kappa - most;
    *bulk = NULL;
    if (!tets->mids || !(rest > 0) || tets->material.table->registered || has_curved(tets))
        return LIL_OK;
    LIL_ALLOC(ctx, arena, *bulk, 1);
    **bulk = *tets;
    (*bulk)->bulk = true;
    (*bulk)->material.moduli = (lil_moduli){ .mu = 0, .kappa = rest };
    tets->material.moduli.kappa = most;
    (*bulk)->size_W = (*bulk)->size_g = (*bulk)->size_K = 0;
    return tets_build(ctx, arena, *bulk);
}

int lil_tets_of_point(const lil_tets *t, int point)
{
    int low = 0, high = t->count;
    if (!t->mids)
        return point;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (t->chunks.point[middle] <= point)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void lil_tets_get(const lil_tets *t, int point, lil_tet *tet)
{
    const lil_tet_chunks *c = &t->chunks;
    int at = c->place[point] / LIL_LANES, lane = c->place[point] % LIL_LANES;
    const lil_tet_block *block = &c->blocks[at];
    const lil_tet_chunk *chunk = &c->chunks[c->block_chunk[at]];
    const int *vertex = c->slot_vertex + chunk->slot;
    tet->nodes = t->nodes;
    tet->k = lane;
    tet->mix = lil_chunk_mix(chunk, at - chunk->block);
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < i + 1 && t->mids; l++)
            tet->id[lil_tet_node[i][l]] = vertex[block->slot[i][l]];
    for (int a = 0; a < 4 && !t->mids; a++)
        tet->id[a] = vertex[block->slot[a][lane]];
    for (int m = 0; m < 9; m++)
        tet->B[m] = block->B[m][lane];
    tet->V = block->V[lane];
}

void lil_tet_mixed_edges(const lil_tet *tet, const double *x, double D[9])
{
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++) {
            double E[4], total = 0;
            for (int l = 0; l < 4; l++) {
                E[l] = x[3 * tet->id[lil_tet_node[a + 1][l]] + d] - x[3 * tet->id[lil_tet_node[0][l]] + d];
                total += E[l];
            }
            D[3 * d + a] = tet->mix->own * E[tet->k] + (tet->mix->all * total - tet->mix->ends * (E[0] + E[a + 1]));
        }
}

void lil_tet_node_gradients(const lil_tet *tet, const double B[9], double G[3 * LIL_TET_NODES])
{
    if (!lil_mixes(tet->mix)) {
        lil_tet_gradients(B, G);
        return;
    }
    memset(G, 0, 3 * LIL_TET_NODES * sizeof *G);
    for (int a = 0; a < 3; a++)
        for (int l = 0; l < 4; l++)
            for (int d = 0; d < 3; d++) {
                double g = lil_mix_weight(tet->mix, a, tet->k, l) * B[3 * a + d];
                G[3 * lil_tet_node[a + 1][l] + d] += g;
                G[3 * lil_tet_node[0][l] + d] -= g;
            }
}

lil_status lil_tets_entries(lil_context *ctx, lil_arena *arena, const lil_tets *t, int *block, lil_entries *entries)
{
    const lil_corners corners = { "tets", t->count, t->nodes, t->node, (size_t)t->nodes * sizeof *t->node, t->first };
    return lil_corners_create(ctx, arena, &corners, block, entries);
}

void lil_tets_put_matrix(const lil_tets *t, int point, const double K[144], double *entries)
{
    if (!t->mids) {
        memcpy(entries + 144 * (size_t)point, K, 144 * sizeof *K);
        return;
    }
    int e = lil_tets_of_point(t, point);
    lil_tet tet;
    lil_tets_get(t, point, &tet);
    if (point == t->chunks.point[e])
        memset(entries + 900 * (size_t)e, 0, 900 * sizeof *entries);
    lil_mix_matrix(tet.mix, tet.k, K, entries + 900 * (size_t)e);
}

/* ---- energy and force ---- */

typedef struct tets_work {
    lil_threads *threads;
    double volume;     /* smallest det F of the latest evaluate */
    lil_lanes *shares; /* of forces */
    double *W, *least; /* of each chunk: energy (or noise); smallest det F, or longest step */
    lil_lanes *firm_x; /* by slot: positions at which `firm` was computed */
    double *firm;      /* of each chunk: distance to inversion, m (see is_firm) */
    lil_tet_stiffness *pairs;
    const double *low; /* positions are x + low (term.h); NULL: x */
    double reach;
} tets_work;

static lil_status tets_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                             lil_entries *entries)
{
    const lil_tets *t = data;
    tets_work *w = *work = LIL_NEW(arena, tets_work, 1);
    LIL_HAVE(ctx, w);
    w->threads = ctx->threads;
    LIL_ALLOC(ctx, arena, w->shares, t->chunks.share_count);
    LIL_ALLOC(ctx, arena, w->W, t->chunks.count);
    LIL_ALLOC(ctx, arena, w->least, t->chunks.count);
    LIL_ALLOC(ctx, arena, w->firm_x, t->chunks.slot_count);
    LIL_ALLOC(ctx, arena, w->firm, t->chunks.count);
    if (!second)
        return LIL_OK;
    return lil_tets_entries(ctx, arena, t, &entries->qq, entries);
}

typedef struct evaluate_job {
    const lil_tets *tets;
    tets_work *work;
    const double *x;
    double *g; /* NULL: no forces */
    bool energy;
} evaluate_job;

/* The data of a batch of blocks between its phases. */
typedef struct batch {
    lil_lanes F[9 * LIL_BATCH], P[9 * LIL_BATCH], J[LIL_BATCH], w[LIL_BATCH], V[LIL_BATCH];
} batch;

/* The sums of a chunk. */
typedef struct chunk_sums {
    lil_lanes x[LIL_CHUNK_SLOTS], f[LIL_CHUNK_SLOTS], W, least;
} chunk_sums;

LIL_INLINE void set_J(batch *b, int i, lil_lanes V, chunk_sums *s)
{
    lil_lanes J = b->J[i] = lil_lanes_determinant(b->F + 9 * i);
    s->least = lil_lanes_select(J < s->least, J, s->least);
    b->V[i] = V;
}

/* Three phases over a batch, so that no phase waits for the roots and quotients of one tet: F and J, the material,
 * forces. The chunk's blocks from `first` on, triangular or not. */
LIL_INLINE void evaluate_batch(const evaluate_job *job, const lil_tet_chunk *chunk, int first, int count,
                               bool triangular, chunk_sums *s)
{
    int at = chunk->block + first;
    const lil_material *m = &job->tets->material;
    const lil_tet_block *block = job->tets->chunks.blocks + at;
    const lil_triangular_block *turn = triangular ? job->tets->triangular + at : NULL;
    batch b;
    for (int i = 0; i < count; i++) {
        lil_lanes D[9];
        lil_slot_edges(lil_chunk_mix(chunk, first + i), triangular ? turn[i].slot : block[i].slot, s->x, D);
        if (triangular)
            lil_triangular_multiply(D, turn[i].B, b.F + 9 * i);
        else
            lil_block_multiply(D, block[i].B, b.F + 9 * i);
        set_J(&b, i, triangular ? turn[i].V : block[i].V, s);
    }
    m->table->stress(&m->moduli, m->config, count, b.F, b.J, job->energy ? b.w : NULL, job->g ? b.P : NULL);
    for (int i = 0; i < count && job->energy; i++)
        s->W += lil_lanes_select(b.V[i] > 0, b.V[i] * b.w[i], lil_lanes_all(0));
    for (int i = 0; i < count && job->g; i++) {
        lil_lanes V = lil_block_volume(m, b.V[i], b.J[i]);
        if (triangular) {
            lil_prefetch(&turn[i + LIL_BATCH], sizeof *turn);
            lil_triangular_forces(lil_chunk_mix(chunk, first + i), &turn[i], V, b.P + 9 * i, s->f);
        } else {
            lil_block_forces(lil_chunk_mix(chunk, first + i), &block[i], V, b.P + 9 * i, block[i].B, s->f);
        }
    }
}

LIL_INLINE void evaluate_blocks(const evaluate_job *job, int k, bool triangular)
{
    const lil_tets *t = job->tets;
    const lil_tet_chunk *chunk = &t->chunks.chunks[k];
    chunk_sums s;
    s.W = lil_lanes_all(0);
    s.least = lil_lanes_all(INFINITY);
    lil_chunk_near(&t->chunks, chunk, job->x, job->work->low, s.x);
    if (job->g)
        memset(s.f, 0, (size_t)chunk->slot_count * sizeof *s.f);
    for (int first = 0; first < chunk->block_count; first += LIL_BATCH) {
        int count = chunk->block_count - first < LIL_BATCH ? chunk->block_count - first : LIL_BATCH;
        evaluate_batch(job, chunk, first, count, triangular, &s);
    }
    if (job->g)
        lil_chunk_add(&t->chunks, chunk, s.f, job->work->shares, job->g);
    job->work->W[k] = (s.W[0] + s.W[1]) + (s.W[2] + s.W[3]);
    job->work->least[k] = fmin(fmin(s.least[0], s.least[1]), fmin(s.least[2], s.least[3]));
}

LIL_KERNEL static void evaluate_chunk(void *data, int k)
{
    evaluate_blocks(data, k, false);
}

LIL_KERNEL static void evaluate_turned_chunk(void *data, int k)
{
    evaluate_blocks(data, k, true);
}

static void tets_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_tets *d = data;
    tets_work *w = work;
    evaluate_job job = { d, w, at->q, sums->gq, sums->value };
    lil_parallel(w->threads, d->chunks.count, d->triangular ? evaluate_turned_chunk : evaluate_chunk, &job);
    w->volume = INFINITY;
    for (int k = 0; k < d->chunks.count; k++) {
        w->volume = fmin(w->volume, w->least[k]);
        lil_sums_add(sums, w->W[k]);
    }
    if (sums->gq)
        lil_tet_chunks_gather(&d->chunks, w->threads, w->shares, sums->gq);
}

static void tets_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    const lil_tets *d = data;
    tets_work *w = work;
    double size = 1.5 * tets_modulus(d); /* w is a difference of numbers of this size */
    lil_tets_discrete_gradient(&(lil_tet_discrete_gradient){ .tets = d,
                                                             .threads = w->threads,
                                                             .x0 = ends->q0,
                                                             .x1 = ends->q1,
                                                             .low = w->low,
                                                             .g = g,
                                                             .shares = w->shares,
                                                             .least = w->least,
                                                             .noise = w->W });
    w->volume = INFINITY;
    for (int k = 0; k < d->chunks.count; k++) {
        w->volume = fmin(w->volume, w->least[k]);
        *noise += size * size * w->W[k];
    }
}

static double least_volume(const void *work)
{
    return ((const tets_work *)work)->volume;
}

static void tets_lower(void *work, const double *low, double reach)
{
    tets_work *w = work;
    w->low = low;
    w->reach = reach;
}

/* one vertex in sixteen is enough to measure the body's distance from the origin */
static double tets_distance(const lil_tets *t, const double *q)
{
    double far = 0;
    for (int i = 0; i < t->chunks.vertex_count; i += 16)
        for (int d = 0; d < 3; d++)
            far = fmax(far, fabs(q[3 * (size_t)t->chunks.vertex[i] + (size_t)d]));
    return far;
}

static void size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_tets *t = data;
    const tets_work *w = work;
    double far = w->low ? t->extent + w->reach : gradient ? tets_distance(t, q) : 0;
    *value += t->size_W;
    if (gradient)
        *gradient += t->size_g + far * t->size_K;
}

/* ---- stiffness ---- */

void lil_tet_element_stiffness(const double G[12], const double A[81], double weight, double K[144])
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double T[3][4]; /* T_jb = sum_l A_(ij)(kl) G_bl */
            for (int j = 0; j < 3; j++)
                for (int b = 0; b < 4; b++) {
                    const double *row = A + 9 * (3 * i + j) + 3 * k, *Gb = G + 3 * b;
                    T[j][b] = weight * (row[0] * Gb[0] + row[1] * Gb[1] + row[2] * Gb[2]);
                }
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++)
                    K[12 * (3 * a + i) + 3 * b + k] =
                        G[3 * a] * T[0][b] + G[3 * a + 1] * T[1][b] + G[3 * a + 2] * T[2][b];
        }
}

static lil_status pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_block_pairs *list)
{
    return lil_tet_stiffness_create(ctx, arena, data, false, list, &((tets_work *)work)->pairs);
}

static lil_status tets_place_pairs(lil_context *ctx, lil_arena *arena, void *work, const int (*rows)[2])
{
    return lil_tet_stiffness_place(ctx, arena, rows, ((const tets_work *)work)->pairs);
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const tets_work *w = work;
    if (to->entries)
        lil_tets_second(data, w->threads, at->q, to->definite, to->entries);
    else
        lil_tet_stiffness_add(&(lil_stiffness_job){ .pairs = w->pairs,
                                                    .kind = LIL_PAIRS_ELASTIC,
                                                    .q = at->q,
                                                    .definite = to->definite,
                                                    .weight = to->weight,
                                                    .where = to->where,
                                                    .blocks = to->blocks });
}

static void tets_discrete_gradient_second(const void *data, void *work, const lil_ends *ends, const lil_sink *to)
{
    (void)data;
    lil_tet_stiffness_add(&(lil_stiffness_job){ .pairs = ((const tets_work *)work)->pairs,
                                                .kind = LIL_PAIRS_BETWEEN,
                                                .q = ends->q0,
                                                .v = ends->q1,
                                                .weight = to->weight,
                                                .two = to->two,
                                                .blocks = to->blocks });
}

/* ---- inversion ---- */

typedef struct longest_job {
    const lil_tets *tets;
    tets_work *work;
    const double *x, *d;
} longest_job;

/* the square of the largest sum |own| + 4 |all| + 2 |ends|, of which an edge's movement is at most so many times that of
 * a corner tet's */
LIL_INLINE double largest_mix(const lil_tet_chunk *chunk)
{
    double most = 0;
    for (int i = 0; i < 2; i++)
        most = fmax(most, fabs(chunk->mix[i].own) + 4 * fabs(chunk->mix[i].all) + 2 * fabs(chunk->mix[i].ends));
    return most * most;
}

/* Most steps are short, and most chunks far from inversion. A tet does not invert while its edges D move by less,
 * in the norm, than the least singular value of D, which is at least 2 det D / |D|^2. Edges move by at most the
 * size of the box around all displacements of the chunk since that value was computed, times what mixing makes of it;
 * and on the path from x to x + d by at most the displacement at its ends. */
LIL_INLINE bool is_firm(const lil_tet_chunk *chunk, const lil_lanes *from, double firm, const lil_lanes *x,
                        const lil_lanes *dx)
{
    lil_lanes low = lil_lanes_all(INFINITY), high = lil_lanes_all(-INFINITY), low_d = low, high_d = high;
    for (int i = 0; i < chunk->slot_count; i++) {
        lil_lanes u = x[i] - from[i], v = u + dx[i];
        low = lil_lanes_select(u < low, u, low);
        high = lil_lanes_select(u > high, u, high);
        low_d = lil_lanes_select(v < low_d, v, low_d);
        high_d = lil_lanes_select(v > high_d, v, high_d);
    }
    lil_lanes size = high - low, size_d = high_d - low_d;
    size *= size;
    size_d *= size_d;
    double most = fmax(size[0] + size[1] + size[2], size_d[0] + size_d[1] + size_d[2]);
    most *= largest_mix(chunk);
    return 3 * most < firm * firm && firm > 0; /* three edges, each by the box's diagonal at most */
}

/* det(D + s d) is a cubic in s, with coefficients det D, cof D : d, D : cof d, det d. It is positive on all of [0,
 * 1] if the first plus all negative others is: then nothing is solved. */
LIL_INLINE double longest_of_block(const lil_lanes D[9], const lil_lanes d[9], double s, lil_lanes *firm)
{
    lil_lanes cofD[9], cofd[9], none = { 0 };
    lil_lanes_cofactor(D, cofD);
    lil_lanes_cofactor(d, cofd);
    lil_lanes c0 = D[0] * cofD[0] + D[1] * cofD[1] + D[2] * cofD[2], c1 = lil_lanes_dot9(cofD, d);
    lil_lanes c3 = d[0] * cofd[0] + d[1] * cofd[1] + d[2] * cofd[2], c2 = lil_lanes_dot9(D, cofd);
    lil_lanes own = 2 * c0 / lil_lanes_dot9(D, D);
    *firm = lil_lanes_select(own < *firm, own, *firm);
    lil_lanes least = c0 + lil_lanes_select(c1 < 0, c1, none) + lil_lanes_select(c2 < 0, c2, none) +
                      lil_lanes_select(c3 < 0, c3, none);
    if (least[0] > 0 && least[1] > 0 && least[2] > 0 && least[3] > 0)
        return s;
    for (int l = 0; l < LIL_LANES; l++)
        s = fmin(s, lil_cubic_positive(c0[l], c1[l], c2[l], c3[l]));
    return s;
}

LIL_KERNEL static void longest_chunk(void *data, int k)
{
    const longest_job *job = data;
    const lil_tet_chunks *all = &job->tets->chunks;
    const lil_tet_chunk *chunk = &all->chunks[k];
    lil_lanes x[LIL_CHUNK_SLOTS], dx[LIL_CHUNK_SLOTS], firm = lil_lanes_all(INFINITY);
    double s = 1;
    lil_chunk_local(all, chunk, job->x, x);
    lil_chunk_local(all, chunk, job->d, dx);
    job->work->least[k] = 1;
    if (is_firm(chunk, job->work->firm_x + chunk->slot, job->work->firm[k], x, dx))
        return;
    for (int i = 0; i < chunk->block_count; i++) {
        const lil_tet_block *block = &all->blocks[chunk->block + i];
        lil_lanes D[9], d[9];
        lil_block_edges(lil_chunk_mix(chunk, i), block, x, D);
        lil_block_edges(lil_chunk_mix(chunk, i), block, dx, d);
        s = longest_of_block(D, d, s, &firm);
    }
    job->work->least[k] = s;
    memcpy(job->work->firm_x + chunk->slot, x, (size_t)chunk->slot_count * sizeof *x);
    job->work->firm[k] = fmin(fmin(firm[0], firm[1]), fmin(firm[2], firm[3]));
}

static double tets_longest(const void *data, void *work, double time, const double *q, const double *dq)
{
    const lil_tets *t = data;
    tets_work *w = work;
    longest_job job = { t, w, q, dq };
    double s = 1;
    (void)time;
    if (t->material.table->holds & LIL_MATERIAL_INVERTS)
        return s;
    lil_parallel(w->threads, t->chunks.count, longest_chunk, &job);
    for (int k = 0; k < t->chunks.count; k++)
        s = fmin(s, w->least[k]);
    return s;
}

static double flattest(const void *data, const double *q, const char **body, int *element)
{
    const lil_tets *d = data;
    double least = INFINITY;
    for (int p = 0; p < d->chunks.point_count; p++) {
        lil_tet tet;
        double D[9];
        lil_tets_get(d, p, &tet);
        lil_tet_edges(&tet, q, D);
        double J = lil_determinant3(D) / (6 * tet.V);
        if (J < least) {
            least = J;
            *element = lil_tets_of_point(d, p);
        }
    }
    *body = d->body;
    return least;
}

static bool tets_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const lil_tets *d = data;
    (void)work;
    const lil_material_table *m = d->material.table;
    for (int p = 0; p < d->chunks.point_count && (m->registered || !(m->holds & LIL_MATERIAL_INVERTS)); p++) {
        lil_tet tet;
        double D[9], F[9], P[9], J;
        int e = lil_tets_of_point(d, p);
        lil_tets_get(d, p, &tet);
        lil_tet_edges(&tet, at->q, D);
        J = lil_determinant3(D) / (6 * tet.V);
        if (J <= 0 && !(m->holds & LIL_MATERIAL_INVERTS)) {
            snprintf(sentence, size, "body '%.60s': tet %d is inverted (det F = %.3g)", d->body, e, J);
            return true;
        }
        lil_multiply3(D, tet.B, F);
        if (m->registered && !isfinite(lil_material_stress(&d->material, F, P))) {
            snprintf(sentence, size,
                     "body '%.60s': the material '%.60s' refused the deformation of tet %d (det F = %.3g)", d->body,
                     m->name, e, J);
            return true;
        }
    }
    return false;
}

/* the tet with the smallest height: 1 over the largest gradient of a shape function */
static bool tets_stiffest(const void *data, int vertex, char *name, size_t size)
{
    const lil_tets *t = data;
    double most = 0;
    for (int p = 0; p < t->chunks.point_count; p++) {
        lil_tet tet;
        bool has = false;
        lil_tets_get(t, p, &tet);
        for (int a = 0; a < tet.nodes; a++)
            has = has || tet.id[a] == vertex;
        if (!has)
            continue;
        double steepest = lil_tet_steepest(&tet);
        if (steepest > most)
            lil_tet_elements.name(t, lil_tets_of_point(t, p), name, size);
        most = fmax(most, steepest);
    }
    return most > 0;
}

static const char *tets_check(const void *data, int total)
{
    const lil_tets *t = data;
    for (int i = 0; i < t->count; i++)
        for (int a = 0; a < t->nodes; a++)
            if (t->node[t->nodes * i + a] < 0 || 3 * (t->first + t->node[t->nodes * i + a]) >= total)
                return "a tet has a vertex that the model has not";
    return t->count == t->chunks.tet_count ? lil_tet_chunks_check(&t->chunks, total / 3)
                                           : "its chunks have another number of tets";
}

/* By K/2 in the middle (tet_discrete_gradient_stiffness.c), which is exact for a K that is constant. */
static bool tets_rough(const void *data)
{
    const lil_material_table *t = ((const lil_tets *)data)->material.table;
    return (!t->derive || t->uses & LIL_USES_T) && !(t->holds & LIL_MATERIAL_LINEAR);
}

static const lil_term_discrete_gradient discrete_gradient = { .evaluate = tets_discrete_gradient,
                                                              .second = tets_discrete_gradient_second,
                                                              .rough = tets_rough };

static const lil_term_table table = {
    .name = "tets",
    .doc = "elastic tetrahedra, W = sum V w(F)",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .elements = &lil_tet_elements,
    .solid = &lil_tet_solid,
    .begin = tets_begin,
    .evaluate = tets_evaluate,
    .second = second,
    .projects = true,
    .pairs = pairs,
    .place_pairs = tets_place_pairs,
    .discrete_gradient = &discrete_gradient,
    .lower = tets_lower,
    .longest = tets_longest,
    .size = size,
    .least_volume = least_volume,
    .flattest = flattest,
    .explain = tets_explain,
    .stiffest = tets_stiffest,
    .check = tets_check,
};

lil_term lil_tets_term(lil_tets *tets)
{
    return (lil_term){ .table = &table, .data = tets, .uses_q = true };
}
