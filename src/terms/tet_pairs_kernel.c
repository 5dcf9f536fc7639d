/* The blocks of a chunk: tet_tangent.h in float, and how numbers go from vertices to lanes and from lanes to edges. */
#include "terms/tet_pairs.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_projection.h"

enum { BATCH = 8 }; /* times eight tets: what is kept of them stays in the nearest cache */

/* as they stand among other floats */
typedef float quad __attribute__((vector_size(16), aligned(4), may_alias));
typedef float eight __attribute__((vector_size(32), aligned(4), may_alias));

/* ---- in and out ---- */

/* The chunk's vertices, seen from the first, in the body's unit. */
LIL_INLINE void gather(const lil_tet_pairs *p, const lil_pair_chunk *chunk, const double *q, float *x)
{
    const int *vertex = p->vertices + chunk->vertex;
    const double *origin = q + 3 * (size_t)vertex[0], per = 1 / p->length;
    for (int v = 0; v < chunk->vertices; v++) {
        const double *at = q + 3 * (size_t)vertex[v];
        for (int i = 0; i < 3; i++)
            x[4 * v + i] = (float)(per * (at[i] - origin[i]));
        x[4 * v + 3] = 0;
    }
}

#define LIL_PICK_(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)

LIL_INLINE lanes two(const float *x, int v, int w)
{
    return LIL_PICK_(*(const quad *)(x + v), *(const quad *)(x + w), 0, 1, 2, 3, 4, 5, 6, 7);
}

/* eight vertices as three vectors */
LIL_INLINE void load_vertices(const float *x, const uint16_t id[LANES], lanes y[3])
{
    lanes r0 = two(x, id[0], id[4]), r1 = two(x, id[1], id[5]), r2 = two(x, id[2], id[6]), r3 = two(x, id[3], id[7]);
    lanes t0 = LIL_PICK_(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13), t1 = LIL_PICK_(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    lanes t2 = LIL_PICK_(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15), t3 = LIL_PICK_(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    y[0] = LIL_PICK_(t0, t1, 0, 1, 8, 9, 4, 5, 12, 13);
    y[1] = LIL_PICK_(t0, t1, 2, 3, 10, 11, 6, 7, 14, 15);
    y[2] = LIL_PICK_(t2, t3, 0, 1, 8, 9, 4, 5, 12, 13);
}

LIL_INLINE void load_edges(const lil_pair_block *block, const float *x, shape *s)
{
    lanes first[3];
    load_vertices(x, block->vertex[0], first);
    for (int a = 0; a < 3; a++) {
        load_vertices(x, block->vertex[a + 1], s->d[a]);
        for (int i = 0; i < 3; i++)
            s->d[a][i] -= first[i];
    }
}

LIL_INLINE void load_rest(const lil_pair_block *block, shape *s)
{
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            s->g[a][i] = *(const eight *)block->B[3 * a + i];
    s->r = *(const eight *)block->r;
}

/* rows to columns, 8 x 8 */
LIL_INLINE void transpose(const lanes a[8], lanes b[8])
{
    lanes t[8], r[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = LIL_PICK_(a[i], a[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        t[i + 1] = LIL_PICK_(a[i], a[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            r[i + 2 * j] = LIL_PICK_(t[i + j], t[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            r[i + 2 * j + 1] = LIL_PICK_(t[i + j], t[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int i = 0; i < 4; i++) {
        b[i] = LIL_PICK_(r[i], r[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        b[i + 4] = LIL_PICK_(r[i], r[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* blocks of one edge of eight tets to their sums */
LIL_INLINE void scatter(const lanes k[9], const uint16_t edge[LANES], float *edges)
{
    lanes row[8];
    transpose(k, row);
    for (int l = 0; l < LANES; l++) {
        float *sum = edges + edge[l];
        *(eight *)sum += row[l];
        sum[8] += k[8][l];
    }
}

/* ---- a batch ---- */

typedef struct batch {
    int n;
    shape s[BATCH];
    lil_lanes weight[HALVES * BATCH]; /* with the volume */
    lil_lanes_derivatives d[HALVES * BATCH];
} batch;

LIL_INLINE void weigh(lanes V, double weight, lil_lanes weights[HALVES])
{
    for (int h = 0; h < HALVES; h++)
        weights[h] = weight * widen(V, h);
}

/* Gradients, r and volumes of tets whose shape is that of rest: positive ones, and 0 where the block repeats one. */
LIL_INLINE lanes set_rest(const lil_pair_block *block, const shape *at_rest, shape *s)
{
    for (int a = 0; a < 3; a++)
        cross(at_rest->d[(a + 1) % 3], at_rest->d[(a + 2) % 3], s->g[a]);
    lanes det = dot(at_rest->d[0], s->g[0]);
    s->r = 1 / det;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 3; i++)
            s->g[a][i] *= s->r;
    return choose(*(const eight *)block->V, choose(det, det, -det) / 6, all(0));
}

/* F, and what scales the blocks. */
LIL_INLINE void load(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x, const float *rest,
                     batch *b)
{
    b->n = n;
    for (int i = 0; i < n; i++) {
        shape before;
        lanes V = *(const eight *)blocks[i].V;
        load_edges(&blocks[i], x, &b->s[i]);
        if (rest) {
            load_edges(&blocks[i], rest, &before);
            V = set_rest(&blocks[i], &before, &b->s[i]);
        } else {
            load_rest(&blocks[i], &b->s[i]);
        }
        weigh(V, job->weight, &b->weight[HALVES * i]);
        set_gradient(&b->s[i]);
    }
}

LIL_INLINE void derive(const lil_material *m, bool second, batch *b)
{
    lil_lanes_invariants in[HALVES * BATCH];
    int i = 0;
    do /* there is at least one */
        set_invariants(&b->s[i], second, &in[HALVES * i]);
    while (++i < b->n);
    m->table->derive(&m->moduli, m->config, HALVES * b->n, in, b->d);
}

/* ---- elastic ---- */

LIL_INLINE void elastic(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x, bool second,
                        float *edges)
{
    batch b;
    load(job, blocks, n, x, NULL, &b);
    derive(&job->pairs->tets->material, second, &b);
    for (int i = 0; i < n; i++) {
        coefficients w;
        element e;
        set_coefficients(&b.d[HALVES * i], &b.weight[HALVES * i], second ? LIL_USES_I2 : 0, &w);
        set_element(&b.s[i], &w, second, &e);
        for (int k = 0; k < 6; k++) {
            lanes block[9];
            set_block(&e, k, second, block);
            scatter(block, blocks[i].edge[k], edges);
        }
    }
}

LIL_KERNEL static void add_first(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x,
                                 const float *rest, float *edges)
{
    (void)rest;
    elastic(job, blocks, n, x, false, edges);
}

LIL_KERNEL static void add_second_invariant(const lil_pair_job *job, const lil_pair_block *blocks, int n,
                                            const float *x, const float *rest, float *edges)
{
    (void)rest;
    elastic(job, blocks, n, x, true, edges);
}

/* ---- through singular values ---- */

/* Weights that are negative turn the blocks around, not the projection. */
LIL_KERNEL static void add_principal(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x,
                                     const float *rest, float *edges)
{
    const lil_material_table *table = job->pairs->tets->material.table;
    lil_pair_job positive = *job;
    batch b;
    positive.weight = job->weight < 0 ? -job->weight : job->weight;
    load(&positive, blocks, n, x, rest, &b);
    derive(&job->pairs->tets->material, table->uses & LIL_USES_I2, &b);
    for (int i = 0; i < n; i++) {
        coefficients w;
        principal_axes axes;
        principal p;
        principal_element e;
        set_coefficients(&b.d[HALVES * i], &b.weight[HALVES * i], table->uses, &w);
        set_axes(&b.s[i], &axes);
        set_principal(axes.s, &w, table->uses, &p);
        if (job->definite)
            project(&p);
        set_principal_element(&b.s[i], &axes, &p, job->weight < 0 ? -1 : 1, &e);
        for (int k = 0; k < 6; k++) {
            lanes block[9];
            set_principal_block(&e, k, block);
            scatter(block, blocks[i].edge[k], edges);
        }
    }
}

/* ---- small strains ---- */

/* V in double may be more, or less, than a float holds of a modulus times it */
LIL_INLINE void add_small(const lil_pair_job *job, const lil_pair_block *block, const shape *s,
                          const lil_lanes weight[HALVES], bool turned, float *edges)
{
    const lil_moduli *m = &job->pairs->tets->material.moduli;
    lil_lanes lambda[HALVES], mu[HALVES];
    small e;
    for (int h = 0; h < HALVES; h++) {
        lambda[h] = (m->kappa - 2 * m->mu / 3) * weight[h];
        mu[h] = m->mu * weight[h];
    }
    set_small(s, narrow(lambda), narrow(mu), turned, &e);
    for (int k = 0; k < 6; k++) {
        lanes values[9];
        set_small_block(&e, k, values);
        scatter(values, block->edge[k], edges);
    }
}

/* at rest, or with the shape `rest` at rest */
LIL_KERNEL static void add_linear(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x,
                                  const float *rest, float *edges)
{
    batch b;
    load(job, blocks, n, x, rest, &b);
    for (int i = 0; i < n; i++)
        add_small(job, &blocks[i], &b.s[i], &b.weight[HALVES * i], false, edges);
}

LIL_KERNEL static void add_turned(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x,
                                  const float *rest, float *edges)
{
    batch b;
    (void)rest;
    load(job, blocks, n, x, NULL, &b);
    for (int i = 0; i < n; i++)
        add_small(job, &blocks[i], &b.s[i], &b.weight[HALVES * i], true, edges);
}

/* ---- one tet after the other: a material that is in no invariants ---- */

static void add_one(const lil_pair_job *job, const lil_pair_block *block, const shape *s, double weight, int lane,
                    float *edges)
{
    double F[9], A[81], B[9], G[12], K[144];
    for (int i = 0; i < 9; i++) {
        F[i] = (double)s->F[i / 3][i % 3][lane];
        B[i] = (double)s->g[i / 3][i % 3][lane];
    }
    lil_tet_gradients(B, G);
    lil_material_tangent(&job->pairs->tets->material, F, job->definite, A);
    lil_tet_stiffness(G, A, weight, K);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 9; i++)
            edges[block->edge[k][lane] + i] += (float)K[12 * (3 * ends[k][0] + i / 3) + 3 * ends[k][1] + i % 3];
}

static void add_plain(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x, const float *rest,
                      float *edges)
{
    batch b;
    load(job, blocks, n, x, rest, &b);
    for (int i = 0; i < n; i++)
        for (int lane = 0; lane < LANES; lane++)
            if (blocks[i].V[lane] > 0)
                add_one(job, &blocks[i], &b.s[i], b.weight[HALVES * i + lane / LIL_LANES][lane % LIL_LANES], lane,
                        edges);
}

/* ---- a chunk ---- */

typedef void add_fn(const lil_pair_job *job, const lil_pair_block *blocks, int n, const float *x, const float *rest,
                    float *edges);

static add_fn *which(const lil_pair_job *job)
{
    const lil_material_table *table = job->pairs->tets->material.table;
    if (job->kind == LIL_PAIRS_RATE_REFERENCE)
        return add_turned;
    if (job->kind == LIL_PAIRS_RATE_CURRENT || table->holds & LIL_MATERIAL_LINEAR)
        return add_linear;
    if (!table->derive)
        return add_plain;
    if (job->definite || job->kind == LIL_PAIRS_STEP || table->uses & LIL_USES_T)
        return add_principal;
    return table->uses & LIL_USES_I2 ? add_second_invariant : add_first;
}

LIL_KERNEL static void look(const lil_tet_pairs *p, const lil_pair_chunk *chunk, const double *q, float *x)
{
    gather(p, chunk, q, x);
}

void lil_pair_chunk_keep(const lil_tet_pairs *p, const lil_pair_chunk *chunk, const double *q)
{
    look(p, chunk, q, p->kept + 4 * (size_t)chunk->vertex);
}

/* x = what is kept + h v */
static void step(const lil_pair_job *job, const lil_pair_chunk *chunk, const float *kept, float *x)
{
    look(job->pairs, chunk, job->v, x);
    for (int i = 0; i < 4 * chunk->vertices; i++)
        x[i] = kept[i] + (float)(job->h * (double)x[i]);
}

void lil_pair_chunk_blocks(const lil_pair_job *job, const lil_pair_chunk *chunk, float *edges)
{
    const lil_tet_pairs *p = job->pairs;
    const lil_pair_block *blocks = p->blocks + chunk->block;
    float local[4 * LIL_PAIR_VERTICES];
    const float *x = local, *kept = p->kept + 4 * (size_t)chunk->vertex, *rest = NULL;
    lil_pair_job inner = *job;
    add_fn *add = which(job);
    inner.weight *= p->length; /* V over the square of a length */
    if (job->kind == LIL_PAIRS_ELASTIC)
        look(p, chunk, job->q, local);
    else if (job->kind == LIL_PAIRS_STEP)
        step(job, chunk, kept, local);
    else
        x = kept;
    if (job->kind == LIL_PAIRS_STEP || job->kind == LIL_PAIRS_RATE_CURRENT)
        rest = kept;
    memset(edges, 0, 9 * (size_t)(chunk->interior + chunk->shared) * sizeof *edges);
    for (int i = 0; i < chunk->blocks; i += BATCH)
        add(&inner, blocks + i, chunk->blocks - i < BATCH ? chunk->blocks - i : BATCH, x, rest, edges);
}
