/*
 * From blocks of virtual vertices to blocks of nodes. With y_i(k) = own x_ik + all sum_l x_il - ends x_ii and n_i(l) = all -
 * ends (if l = i), the blocks of x_il and x_jm are
 *
 *     own^2 K_ij(l) (if l = m) + own (n_j(m) K_ij(l) + n_i(l) K_ij(m)) + n_i(l) n_j(m) sum_k K_ij(k)
 *
 * and node x_il is also x_li. Blocks K_ii are minus the sum of the others in their row.
 */
#include "terms/tet_stiffness.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_tangent.h"

#include "terms/tet_stiffness_lanes.h"

/* ---- recipes ---- */

enum { SUM = LIL_STIFFNESS_POINTS, BLOCKS = LIL_TET_NODES * LIL_TET_NODES };

static int source_of(int i, int j, int k)
{
    return (LIL_STIFFNESS_POINTS + 1) * (4 * i + j) + k;
}

bool lil_stiffness_recipe_create(lil_arena *arena, const lil_mix *mix, lil_stiffness_recipe *recipe)
{
    double weight[BLOCKS][LIL_STIFFNESS_SOURCES] = { { 0 } };
    for (int t = 0; t < 256; t++) {
        int i = t / 64, l = t / 16 % 4, j = t / 4 % 4, m = t % 4;
        double *to = weight[LIL_TET_NODES * lil_tet_node[i][l] + lil_tet_node[j][m]];
        double n_il = mix->all - (l == i ? mix->ends : 0), n_jm = mix->all - (m == j ? mix->ends : 0);
        to[source_of(i, j, l)] += (l == m ? mix->own * mix->own : 0) + mix->own * n_jm;
        to[source_of(i, j, m)] += mix->own * n_il;
        to[source_of(i, j, SUM)] += n_il * n_jm;
    }
    int count = 0;
    for (int b = 0; b < BLOCKS; b++)
        for (int s = 0; s < LIL_STIFFNESS_SOURCES; s++)
            count += weight[b][s] != 0;
    recipe->source = LIL_NEW(arena, uint16_t, count);
    recipe->weight = LIL_NEW(arena, float, count);
    if (!recipe->source || !recipe->weight)
        return false;
    count = 0;
    for (int b = 0; b < BLOCKS; b++) {
        recipe->begin[b] = count;
        for (int s = 0; s < LIL_STIFFNESS_SOURCES; s++)
            if (weight[b][s] != 0) {
                recipe->source[count] = (uint16_t)s;
                recipe->weight[count++] = (float)weight[b][s];
            }
    }
    recipe->begin[BLOCKS] = count;
    return true;
}

/* ---- blocks ---- */

typedef struct block {
    lanes first;
    float last;
} block;

LIL_INLINE block load_block(const float *x)
{
    return (block){ *(const eight *)x, x[8] };
}

LIL_INLINE block transposed(block b)
{
    return (block){ LIL_PICK_(b.first, b.first, 0, 3, 6, 1, 4, 7, 2, 5), b.last };
}

/* K_ij(k) and their sums over k, of a group */
LIL_INLINE void set_sources(const float *from, int each, block K[LIL_STIFFNESS_SOURCES])
{
    for (int i = 0; i < LIL_STIFFNESS_SOURCES; i++)
        K[i] = (block){ { 0 }, 0 };
    for (int k = 0; k < LIL_STIFFNESS_POINTS; k++)
        for (int m = 0; m < 6; m++) {
            int i = ends[m][0], j = ends[m][1];
            const float *x = from + each * (6 * k + m);
            block ij = load_block(x), ji = each == 18 ? load_block(x + 9) : transposed(ij);
            K[source_of(i, j, k)] = ij;
            K[source_of(j, i, k)] = ji;
            K[source_of(i, i, k)].first -= ij.first;
            K[source_of(i, i, k)].last -= ij.last;
            K[source_of(j, j, k)].first -= ji.first;
            K[source_of(j, j, k)].last -= ji.last;
        }
    for (int ij = 0; ij < LIL_STIFFNESS_SOURCES; ij += LIL_STIFFNESS_POINTS + 1) {
        K[ij + SUM].first = (K[ij].first + K[ij + 1].first) + (K[ij + 2].first + K[ij + 3].first);
        K[ij + SUM].last = (K[ij].last + K[ij + 1].last) + (K[ij + 2].last + K[ij + 3].last);
    }
}

LIL_INLINE void add_nodes(const lil_stiffness_recipe *recipe, const block *K, int p, int q, float *to)
{
    block sum = load_block(to);
    for (int s = recipe->begin[LIL_TET_NODES * p + q]; s < recipe->begin[LIL_TET_NODES * p + q + 1]; s++) {
        float w = recipe->weight[s];
        const block *from = &K[recipe->source[s]];
        sum.first += w * from->first;
        sum.last += w * from->last;
    }
    *(eight *)to = sum.first;
    to[8] = sum.last;
}

LIL_KERNEL static void add_group(const lil_stiffness_recipe *recipe, const lil_stiffness_nodes *nodes, int each,
                                 const float *from, float *edges)
{
    block K[LIL_STIFFNESS_SOURCES];
    set_sources(from, each, K);
    for (int n = 0, p = 0; p < LIL_TET_NODES; p++)
        for (int q = p + 1; q < LIL_TET_NODES; q++, n++) {
            int a = nodes->turned[n] ? q : p, b = nodes->turned[n] ? p : q;
            float *to = edges + each * nodes->edge[n];
            add_nodes(recipe, K, a, b, to);
            if (each == 18)
                add_nodes(recipe, K, b, a, to + 9);
        }
}

float *lil_stiffness_begin(const lil_tet_stiffness *p, int first, int blocks, int each,
                           lil_stiffness_virtual collected, float *edges)
{
    size_t one = (size_t)(each * LIL_STIFFNESS_VIRTUAL), at = (size_t)(first % LIL_STIFFNESS_BATCH);
    if (!p->mixes)
        return edges;
    memset(collected + one * at, 0, one * (size_t)blocks * sizeof *collected);
    return collected;
}

void lil_stiffness_end(const lil_tet_stiffness *p, const lil_stiffness_chunk *chunk, int first, int blocks, int each,
                       const float *collected, float *edges)
{
    for (int i = first; i < first + blocks && p->mixes; i++)
        for (int half = 0; half < 2; half++) {
            const lil_stiffness_mix *mix = &p->mixes[chunk->block + i];
            int lane = LIL_STIFFNESS_POINTS * half, at = LIL_STIFFNESS_VIRTUAL * (i % LIL_STIFFNESS_BATCH) + 6 * lane;
            if (mix->tet[half] >= 0)
                add_group(mix->recipe[half], &p->nodes[chunk->tet + mix->tet[half]], each, collected + each * at,
                          edges);
        }
}
