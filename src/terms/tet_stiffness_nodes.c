/*
 * From blocks of virtual vertices to blocks of nodes (tet_mix.h). With y_i(k) = own x_ik + all sum_l x_il - ends x_ii, the
 * block of x_il and x_jm is
 *
 *     T_ij(l,m) = A_l + A_m + own^2 K_l (if l = m) - ends B_m (if l = i) - ends B_l (if m = j) + ends^2 S (if both)
 *
 *     K_l = K_ij(l),  S = sum_l K_l,  A_l = all (own K_l + all S/2),  B_l = own K_l + all S
 *
 * and node x_il is also x_li. Blocks K_ii are minus the sum of the others in their row.
 */
#include "terms/tet_stiffness.h"

#include <string.h>

#define LIL_TANGENT_FLOAT 1
#include "terms/tet_tangent.h"

#include "terms/tet_stiffness_lanes.h"

enum { POINTS = LIL_STIFFNESS_POINTS };

typedef struct block {
    lanes first;
    float last;
} block;

/* Of one group: D_l = A_l + A_l + own^2 K_l, C_l = A_l - ends B_l, Q = ends^2 S, all [4 i + j] */
typedef struct parts {
    block K[16][POINTS], A[16][POINTS], C[16][POINTS], D[16][POINTS], Q[16];
} parts;

LIL_INLINE block load_block(const float *x)
{
    return (block){ *(const eight *)x, x[8] };
}

LIL_INLINE block transposed(block b)
{
    return (block){ LIL_PICK_(b.first, b.first, 0, 3, 6, 1, 4, 7, 2, 5), b.last };
}

LIL_INLINE block plus(block a, block b)
{
    return (block){ a.first + b.first, a.last + b.last };
}

LIL_INLINE block times_number(float w, block a)
{
    return (block){ w * a.first, w * a.last };
}

/* ---- parts ---- */

LIL_INLINE void set_virtual(const float *from, int each, parts *t)
{
    for (int k = 0; k < POINTS; k++) {
        for (int i = 0; i < 4; i++)
            t->K[5 * i][k] = (block){ { 0 }, 0 };
        for (int m = 0; m < 6; m++) {
            int i = ends[m][0], j = ends[m][1];
            const float *x = from + each * (6 * k + m);
            block ij = load_block(x), ji = each == 18 ? load_block(x + 9) : transposed(ij);
            t->K[4 * i + j][k] = ij;
            t->K[4 * j + i][k] = ji;
            t->K[5 * i][k] = plus(t->K[5 * i][k], times_number(-1, ij));
            t->K[5 * j][k] = plus(t->K[5 * j][k], times_number(-1, ji));
        }
    }
}

LIL_INLINE void set_parts(float own, float all_of, float ends_of, parts *t)
{
    for (int ij = 0; ij < 16; ij++) {
        const block *K = t->K[ij];
        block S = plus(plus(K[0], K[1]), plus(K[2], K[3]));
        block half = times_number(all_of * all_of / 2, S),
              back = times_number(all_of * all_of / 2 - ends_of * all_of, S);
        for (int l = 0; l < POINTS; l++) {
            block A = t->A[ij][l] = plus(times_number(own * all_of, K[l]), half);
            t->C[ij][l] = plus(times_number(own * (all_of - ends_of), K[l]), back);
            t->D[ij][l] = plus(times_number(own * own, K[l]), plus(A, A));
        }
        t->Q[ij] = times_number(ends_of * ends_of, S);
    }
}

/* ---- blocks of nodes; `back`: the block (q, p) instead of (p, q), whose parts are those of j, i ---- */

LIL_INLINE int of(int i, int j, bool back)
{
    return back ? 4 * j + i : 4 * i + j;
}

/* x_i and x_j */
LIL_INLINE block of_corners(const parts *t, int i, int j, bool back)
{
    int ij = of(i, j, back);
    return plus(plus(t->C[ij][i], t->C[ij][j]), t->Q[ij]);
}

/* x_i and x_ij: T_ii(i,j) + T_ij(i,i), where B_i of the second is (A_i - C_i)/ends */
LIL_INLINE block of_corner_and_own(const parts *t, int i, int j, bool back)
{
    int ii = 5 * i, ij = of(i, j, back);
    block own = plus(t->D[ij][i], plus(t->C[ij][i], times_number(-1, t->A[ij][i])));
    return plus(plus(t->A[ii][i], t->C[ii][j]), own);
}

/* x_i and x_jm: T_ij(i,m) + T_im(i,j) */
LIL_INLINE block of_corner_and_other(const parts *t, int i, int j, int m, bool back)
{
    int ij = of(i, j, back), im = of(i, m, back);
    return plus(plus(t->A[ij][i], t->C[ij][m]), plus(t->A[im][i], t->C[im][j]));
}

/* x_ij and x_im: T_ii(j,m) + T_im(j,i) + T_ji(i,m) + T_jm(i,i) */
LIL_INLINE block of_neighbours(const parts *t, int i, int j, int m, bool back)
{
    int ii = 5 * i, im = of(i, m, back), ji = of(j, i, back), jm = of(j, m, back);
    return plus(plus(plus(t->A[ii][j], t->A[ii][m]), plus(t->A[im][j], t->A[im][i])),
                plus(plus(t->A[ji][i], t->A[ji][m]), t->D[jm][i]));
}

/* x_il and x_jm, all four different: T_ij(l,m) + T_im(l,j) + T_lj(i,m) + T_lm(i,j) */
LIL_INLINE block of_opposites(const parts *t, int i, int l, int j, int m, bool back)
{
    int ij = of(i, j, back), im = of(i, m, back), lj = of(l, j, back), lm = of(l, m, back);
    return plus(plus(plus(t->A[ij][l], t->A[ij][m]), plus(t->A[im][l], t->A[im][j])),
                plus(plus(t->A[lj][i], t->A[lj][m]), plus(t->A[lm][i], t->A[lm][j])));
}

/* ---- a group ---- */

/* The number of the pair p q among 45, in any order. */
LIL_INLINE int pair_of(int p, int q)
{
    int low = p < q ? p : q, high = p < q ? q : p;
    return low * (2 * LIL_TET_NODES - 3 - low) / 2 + high - 1;
}

LIL_INLINE void add_block(block b, float *to)
{
    *(eight *)to += b.first;
    to[8] += b.last;
}

/* adds the block of p and q, and the other one, made by BLOCK from `back` */
#define ADD_(p, q, BLOCK)                                                                                            \
    do {                                                                                                             \
        int n_ = pair_of(p, q);                                                                                      \
        bool back = nodes->turned[n_] != ((p) > (q));                                                                \
        float *to_ = edges + each * nodes->edge[n_];                                                                 \
        add_block(BLOCK, to_);                                                                                       \
        if (each == 18) {                                                                                            \
            back = !back;                                                                                            \
            add_block(BLOCK, to_ + 9);                                                                               \
        }                                                                                                            \
    } while (0)

LIL_INLINE void add_group(const lil_stiffness_mix *mix, int lane, const lil_stiffness_nodes *nodes, int each,
                          const float *from, float *edges)
{
    parts t;
    set_virtual(from, each, &t);
    set_parts(mix->own[lane], mix->all[lane], mix->ends[lane], &t);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            if (j == i)
                continue;
            if (i < j)
                ADD_(i, j, of_corners(&t, i, j, back));
            ADD_(i, lil_tet_node[i][j], of_corner_and_own(&t, i, j, back));
            for (int m = j + 1; m < 4; m++) {
                if (m == i)
                    continue;
                ADD_(i, lil_tet_node[j][m], of_corner_and_other(&t, i, j, m, back));
                ADD_(lil_tet_node[i][j], lil_tet_node[i][m], of_neighbours(&t, i, j, m, back));
            }
        }
    for (int l = 1; l < 4; l++) {
        int j = l == 1 ? 2 : 1, m = l == 3 ? 2 : 3;
        ADD_(lil_tet_node[0][l], lil_tet_node[j][m], of_opposites(&t, 0, l, j, m, back));
    }
}
#undef ADD_

LIL_KERNEL static void add_one(const lil_stiffness_mix *mix, int lane, const lil_stiffness_nodes *nodes,
                               const float *from, float *edges)
{
    add_group(mix, lane, nodes, 9, from, edges);
}

LIL_KERNEL static void add_two(const lil_stiffness_mix *mix, int lane, const lil_stiffness_nodes *nodes,
                               const float *from, float *edges)
{
    add_group(mix, lane, nodes, 18, from, edges);
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
            int lane = POINTS * half, at = LIL_STIFFNESS_VIRTUAL * (i % LIL_STIFFNESS_BATCH) + 6 * lane;
            if (mix->tet[half] >= 0)
                (each == 18 ? add_two : add_one)(mix, lane, &p->nodes[chunk->tet + mix->tet[half]],
                                                 collected + each * at, edges);
        }
}
