/* The blocks of a chunk: tet_tangent.h in float, and how numbers go from vertices to lanes and from lanes to edges. */
#include "terms/tet_stiffness.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_projection.h"

#include "terms/tet_stiffness_lanes.h"

enum { BATCH = LIL_STIFFNESS_BATCH }; /* times eight tets: their data stays in the nearest cache */

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

/* Gradients, r and volumes of tets in their rest shape; the volume is 0 in lanes that repeat a tet. */
LIL_INLINE lanes set_rest(const lil_stiffness_block *block, const shape *at_rest, shape *s)
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
LIL_INLINE void load(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n, const float *x,
                     const float *rest, batch *b)
{
    b->n = n;
    for (int i = 0; i < n; i++) {
        shape before;
        lanes V = *(const eight *)blocks[i].V;
        const lil_stiffness_mix *mix = mix_of(job->pairs, &blocks[i]);
        load_edges(mix, &blocks[i], x, &b->s[i]);
        if (rest) {
            load_edges(mix, &blocks[i], rest, &before);
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
    do /* at least one block */
        set_invariants(&b->s[i], second, &in[HALVES * i]);
    while (++i < b->n);
    m->table->derive(&m->moduli, m->config, HALVES * b->n, in, b->d);
}

/* ---- elastic ---- */

LIL_INLINE void elastic(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n, const float *x,
                        bool second, float *edges)
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

LIL_KERNEL static void add_first(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                 const float *x, const float *rest, float *edges)
{
    (void)rest;
    elastic(job, blocks, n, x, false, edges);
}

LIL_KERNEL static void add_second_invariant(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                            const float *x, const float *rest, float *edges)
{
    (void)rest;
    elastic(job, blocks, n, x, true, edges);
}

/* ---- through singular values ---- */

/* Negative weights change the sign of the blocks after the projection. */
LIL_KERNEL static void add_principal(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                     const float *x, const float *rest, float *edges)
{
    const lil_material_table *table = job->pairs->tets->material.table;
    lil_stiffness_job positive = *job;
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

/* a modulus times V may exceed the range of a float */
LIL_INLINE void add_small(const lil_stiffness_job *job, const lil_stiffness_block *block, const shape *s,
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
LIL_KERNEL static void add_linear(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                  const float *x, const float *rest, float *edges)
{
    batch b;
    load(job, blocks, n, x, rest, &b);
    for (int i = 0; i < n; i++)
        add_small(job, &blocks[i], &b.s[i], &b.weight[HALVES * i], false, edges);
}

LIL_KERNEL static void add_turned(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n,
                                  const float *x, const float *rest, float *edges)
{
    batch b;
    (void)rest;
    load(job, blocks, n, x, NULL, &b);
    for (int i = 0; i < n; i++)
        add_small(job, &blocks[i], &b.s[i], &b.weight[HALVES * i], true, edges);
}

/* ---- one tet after the other: a material without invariants ---- */

static void add_one(const lil_stiffness_job *job, const lil_stiffness_block *block, const shape *s, double weight,
                    int lane, float *edges)
{
    double F[9], A[81], B[9], G[12], K[144];
    for (int i = 0; i < 9; i++) {
        F[i] = (double)s->F[i / 3][i % 3][lane];
        B[i] = (double)s->g[i / 3][i % 3][lane];
    }
    lil_tet_gradients(B, G);
    lil_material_tangent(&job->pairs->tets->material, F, job->definite, A);
    lil_tet_element_stiffness(G, A, weight, K);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 9; i++)
            edges[block->edge[k][lane] + i] += (float)K[12 * (3 * ends[k][0] + i / 3) + 3 * ends[k][1] + i % 3];
}

static void add_plain(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n, const float *x,
                      const float *rest, float *edges)
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

typedef void add_fn(const lil_stiffness_job *job, const lil_stiffness_block *blocks, int n, const float *x,
                    const float *rest, float *edges);

static add_fn *which(const lil_stiffness_job *job)
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

LIL_KERNEL static void look(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q, float *x)
{
    gather(p, chunk, q, x);
}

void lil_stiffness_chunk_keep(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, const double *q)
{
    look(p, chunk, q, p->reference + 4 * (size_t)chunk->vertex);
}

/* x = reference + h v */
static void tet_stiffness_kernel_step(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk,
                                      const float *reference, float *x)
{
    look(job->pairs, chunk, job->v, x);
    for (int i = 0; i < 4 * chunk->vertices; i++)
        x[i] = reference[i] + (float)(job->h * (double)x[i]);
}

static void add_all(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, const float *x, const float *rest,
                    float *edges)
{
    const lil_tet_stiffness *p = job->pairs;
    const lil_stiffness_block *blocks = p->blocks + chunk->block;
    lil_stiffness_job inner = *job;
    lil_stiffness_virtual collected;
    add_fn *add = which(job);
    inner.weight *= p->length; /* V over the square of a length */
    memset(edges, 0, 9 * (size_t)(chunk->interior + chunk->shared) * sizeof *edges);
    for (int i = 0; i < chunk->blocks; i += BATCH) {
        int n = chunk->blocks - i < BATCH ? chunk->blocks - i : BATCH;
        float *to = lil_stiffness_begin(p, i, n, 9, collected, edges);
        add(&inner, blocks + i, n, x, rest, to);
        lil_stiffness_end(p, chunk, i, n, 9, to, edges);
    }
}

void lil_stiffness_chunk_middle(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges)
{
    float x[4 * LIL_STIFFNESS_VERTICES], x1[4 * LIL_STIFFNESS_VERTICES];
    lil_stiffness_job inner = *job;
    look(job->pairs, chunk, job->q, x);
    look(job->pairs, chunk, job->v, x1);
    for (int i = 0; i < 4 * chunk->vertices; i++)
        x[i] = (x[i] + x1[i]) / 2;
    inner.kind = LIL_PAIRS_ELASTIC;
    add_all(&inner, chunk, x, NULL, edges);
}

void lil_stiffness_chunk_blocks(const lil_stiffness_job *job, const lil_stiffness_chunk *chunk, float *edges)
{
    const lil_tet_stiffness *p = job->pairs;
    float local[4 * LIL_STIFFNESS_VERTICES];
    const float *x = local, *reference = p->reference ? p->reference + 4 * (size_t)chunk->vertex : NULL, *rest = NULL;
    if (job->kind == LIL_PAIRS_ELASTIC)
        look(p, chunk, job->q, local);
    else if (job->kind == LIL_PAIRS_STEP)
        tet_stiffness_kernel_step(job, chunk, reference, local);
    else
        x = reference;
    if (job->kind == LIL_PAIRS_STEP || job->kind == LIL_PAIRS_RATE_CURRENT)
        rest = reference;
    add_all(job, chunk, x, rest, edges);
}
