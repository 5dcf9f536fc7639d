/* The blocks of a chunk: tet_tangent.h in float, and how numbers go from vertices to lanes and from lanes to edges. */
#include "terms/tet_pairs.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_tangent.h"

enum { BATCH = 8 }; /* times eight tets: what is kept of them stays in the nearest cache */

typedef float quad __attribute__((vector_size(16)));

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
    quad a = *(const quad *)(x + v), b = *(const quad *)(x + w);
    return LIL_PICK_(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
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
            s->g[a][i] = *(const lanes *)block->B[3 * a + i];
    s->r = *(const lanes *)block->r;
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

typedef float unaligned __attribute__((vector_size(32), aligned(4)));

/* blocks of one edge of eight tets to their sums */
LIL_INLINE void scatter(const lanes k[9], const uint16_t edge[LANES], float *edges)
{
    lanes row[8];
    transpose(k, row);
    for (int l = 0; l < LANES; l++) {
        float *sum = edges + edge[l];
        *(unaligned *)sum += row[l];
        sum[8] += k[8][l];
    }
}

/* ---- elastic ---- */

LIL_INLINE void weigh(const lil_pair_block *block, double weight, lil_lanes weights[HALVES])
{
    lanes V = *(const lanes *)block->V;
    for (int h = 0; h < HALVES; h++)
        weights[h] = weight * widen(V, h);
}

LIL_INLINE void elastic(const lil_material *m, const lil_pair_block *blocks, int n, const float *x, bool second,
                        double weight, float *edges)
{
    shape s[BATCH];
    lil_lanes_invariants in[HALVES * BATCH];
    lil_lanes_derivatives d[HALVES * BATCH];
    for (int i = 0; i < n; i++) {
        load_edges(&blocks[i], x, &s[i]);
        load_rest(&blocks[i], &s[i]);
        set_gradient(&s[i]);
        set_invariants(&s[i], second, &in[HALVES * i]);
    }
    m->table->derive(&m->moduli, m->config, HALVES * n, in, d);
    for (int i = 0; i < n; i++) {
        lil_lanes weights[HALVES];
        coefficients w;
        element e;
        weigh(&blocks[i], weight, weights);
        set_coefficients(&d[HALVES * i], weights, second, &w);
        set_element(&s[i], &w, second, &e);
        for (int k = 0; k < 6; k++) {
            lanes block[9];
            set_block(&e, k, second, block);
            scatter(block, blocks[i].edge[k], edges);
        }
    }
}

LIL_KERNEL static void elastic_chunk(const lil_tet_pairs *p, const lil_pair_chunk *chunk, const float *x,
                                     double weight, float *edges)
{
    for (int i = 0; i < chunk->blocks; i += BATCH)
        elastic(&p->tets->material, p->blocks + chunk->block + i,
                chunk->blocks - i < BATCH ? chunk->blocks - i : BATCH, x, false, weight, edges);
}

LIL_KERNEL static void elastic_chunk_second(const lil_tet_pairs *p, const lil_pair_chunk *chunk, const float *x,
                                            double weight, float *edges)
{
    for (int i = 0; i < chunk->blocks; i += BATCH)
        elastic(&p->tets->material, p->blocks + chunk->block + i,
                chunk->blocks - i < BATCH ? chunk->blocks - i : BATCH, x, true, weight, edges);
}

/* ---- a chunk ---- */

void lil_pair_chunk_blocks(const lil_tet_pairs *p, const lil_pair_chunk *chunk, lil_pair_kind kind, const double *q,
                           bool definite, double weight, float *edges)
{
    float x[4 * LIL_PAIR_VERTICES] __attribute__((aligned(32)));
    (void)kind, (void)definite;
    gather(p, chunk, q, x);
    memset(edges, 0, 9 * (size_t)(chunk->interior + chunk->shared) * sizeof *edges);
    if (p->tets->material.table->second_invariant)
        elastic_chunk_second(p, chunk, x, weight * p->length, edges);
    else
        elastic_chunk(p, chunk, x, weight * p->length, edges);
}
