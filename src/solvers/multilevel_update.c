/* Values: Galerkin's matrices, inverses of the coarsest. */
#include "solvers/multilevel.h"

#include "core/threads.h"

#include <math.h>
#include <string.h>

typedef struct job {
    lil_level *level;
    const lil_blocks *next;
} job;

/* ---- P'H P ---- */

/* B and, from 1, its transpose */
typedef struct block {
    lil_float8 B[2];
    float last;
} block;

LIL_INLINE void add_block(float *blocks, int target, float w, const block *b)
{
    float *to = blocks + 9 * (size_t)(target >> 1);
    *(lil_loose8 *)to += w * b->B[target & 1];
    to[8] += w * b->last;
}

/* H_aa = L L' */
LIL_INLINE block diagonal(const float *L)
{
    float d00 = L[0] * L[0], d10 = L[1] * L[0], d20 = L[3] * L[0], d11 = L[1] * L[1] + L[2] * L[2];
    float d21 = L[3] * L[1] + L[4] * L[2], d22 = L[3] * L[3] + L[4] * L[4] + L[5] * L[5];
    lil_float8 D = { d00, d10, d20, d10, d11, d21, d20, d21 };
    return (block){ { D, D }, d22 };
}

/* Where the blocks of row I are, the k-th node of the row that is looked at: often it was the last one's as well. */
LIL_INLINE const int *map_of(const lil_blocks *next, lil_galerkin *part, int k, int I)
{
    lil_galerkin_map *at = &part->maps[k];
    if (at->node == I)
        return at->map;
    for (int e = 0; e < at->count; e++)
        at->map[at->list[e]] = 2 * next->places;
    at->node = I;
    at->count = 0;
    for (int side = 0; side < 2; side++)
        for (int s = lil_blocks_first(next, I / 8, side); s < lil_blocks_last(next, I / 8, side); s++) {
            int source = next->source[s][I % 8];
            if (source < 0)
                continue;
            int J = next->at[source >> 1][1 - (source & 1)];
            at->list[at->count++] = J;
            at->map[J] = source;
        }
    return at->map;
}

/* Row a's own block, to where its nodes have theirs with each other. */
LIL_INLINE void add_own(const lil_level *level, float *blocks, const int *const map[4], int a)
{
    const int *node = level->P.node[a];
    const float *w = level->P.weight[a];
    block D = diagonal(level->A->L[a]);
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            add_block(blocks, map[i][node[j]], w[i] * w[j], &D);
}

/* The blocks that it has with the rows after it: to where the nodes of the one have theirs with those of the other. */
LIL_INLINE void add_others(const lil_level *level, const lil_blocks *next, float *blocks, const int *const map[4],
                           int a)
{
    const lil_blocks *A = level->A;
    const lil_interpolation *P = &level->P;
    float wa[4], wb[4];
    int node[4], last = A->first[a + 1];
    memcpy(wa, P->weight[a], sizeof wa);
    for (int q = A->first[a]; q < last; q++) {
        const float *from = A->pairs + 9 * (size_t)q;
        lil_float8 B = *(const lil_loose8 *)from, T = __builtin_shufflevector(B, B, 0, 3, 6, 1, 4, 7, 2, 5);
        bool flipped = A->at[q][0] != a;
        block b = { { flipped ? T : B, flipped ? B : T }, from[8] };
        if (A->at[q][1] < 0) {
            for (int i = 0; i < 4; i++)
                if (wa[i] != 0)
                    add_block(blocks, 2 * next->held[P->node[a][i]], wa[i], &b);
            continue;
        }
        int other = A->at[q][flipped ? 0 : 1];
        memcpy(node, P->node[other], sizeof node);
        memcpy(wb, P->weight[other], sizeof wb);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                add_block(blocks, map[i][node[j]], wa[i] * wb[j], &b);
    }
}

LIL_KERNEL static void add_part(void *data, int k)
{
    const job *work = data;
    lil_level *level = work->level;
    lil_galerkin *part = level->part[k];
    int n = level->A->n, last = (int)((int64_t)n * (k + 1) / LIL_GALERKIN_PARTS);
    memset(part->blocks, 0, 9 * ((size_t)work->next->places + 1) * sizeof *part->blocks);
    for (int r = (int)((int64_t)n * k / LIL_GALERKIN_PARTS); r < last; r++) {
        int a = level->sorted[r];
        const int *map[4] = { part->maps[0].map };
        for (int i = 0; i < 4; i++) /* where a weight is zero, so is what is added, anywhere */
            map[i] = level->P.weight[a][i] != 0 ? map_of(work->next, part, i, level->P.node[a][i]) : map[0];
        add_own(level, part->blocks, map, a);
        add_others(level, work->next, part->blocks, map, a);
    }
}

static bool galerkin(lil_level *level, lil_blocks *next)
{
    lil_parallel(level->A->threads, LIL_GALERKIN_PARTS, add_part, &(job){ level, next });
    for (int k = 1; k < LIL_GALERKIN_PARTS; k++)
        for (size_t e = 0; e < 9 * (size_t)next->places; e++)
            level->part[0]->blocks[e] += level->part[k]->blocks[e];
    for (int I = 0; I < next->n; I++) {
        double mass = 0;
        for (int e = level->begin[I]; e < level->begin[I + 1]; e++)
            mass += (double)level->share[e] * level->A->mass[level->fine[e]];
        level->mass[next->order[I]] = mass;
    }
    return lil_blocks_set(next, level->mass, level->part[0]->blocks);
}

/* ---- the coarsest ---- */

/* The part's 1 + N, made a little more definite than it is. */
static void copy_part(const lil_blocks *A, const int *row, int rows, double shift, double *M)
{
    int n = 3 * rows;
    memset(M, 0, (size_t)n * (size_t)n * sizeof *M);
    for (int a = 0; a < rows; a++) {
        int i = row[a], l = i % 8;
        for (int d = 0; d < 3; d++)
            M[(3 * a + d) * n + 3 * a + d] = 1 + shift;
        for (int side = 0; side < 2; side++)
            for (int k = lil_blocks_first(A, i / 8, side); k < lil_blocks_last(A, i / 8, side); k++)
                for (int b = 0; b < rows; b++)
                    if (A->source[k][l] >= 0 && row[b] == A->column[k][l])
                        for (int e = 0; e < 9; e++)
                            M[(3 * a + e / 3) * n + 3 * b + e % 3] = lil_blocks_value(A, k, e, l);
    }
}

/* M = C C' in place, below the diagonal; false: not definite */
static bool cholesky(int n, double *M)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = M[i * n + j];
            for (int k = 0; k < j; k++)
                s -= M[i * n + k] * M[j * n + k];
            if (i == j && !(s > 0))
                return false;
            M[i * n + j] = i == j ? sqrt(s) : s / M[j * n + j];
        }
    return true;
}

/* C^-1 (lower) in I, then M^-1 = C^-T C^-1 */
static void multilevel_update_invert(int n, const double *C, double *I, float *inverse)
{
    memset(I, 0, (size_t)n * (size_t)n * sizeof *I);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            for (int j = 0; j <= k; j++)
                I[i * n + j] -= C[i * n + k] * I[k * n + j];
        I[i * n + i] = 1;
        for (int j = 0; j <= i; j++)
            I[i * n + j] /= C[i * n + i];
    }
    double *sum = (double *)C; /* done with */
    memset(sum, 0, (size_t)n * (size_t)n * sizeof *sum);
    for (int k = 0; k < n; k++)
        for (int i = 0; i <= k; i++)
            for (int j = 0; j <= i; j++)
                sum[i * n + j] += I[k * n + i] * I[k * n + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            inverse[i * n + j] = inverse[j * n + i] = (float)sum[i * n + j];
}

static void invert_parts(lil_multilevel *m)
{
    const lil_blocks *A = m->level[m->levels - 1].A;
    for (int p = 0; p < m->parts; p++) {
        int rows = m->part_begin[p + 1] - m->part_begin[p], n = 3 * rows;
        const int *row = m->part_row + m->part_begin[p];
        double *M = m->dense, *I = M + (size_t)n * (size_t)n, shift = 1e-6;
        copy_part(A, row, rows, shift, M);
        while (!cholesky(n, M) && shift < 10) { /* round-off, or nodes that depend on each other */
            shift *= 100;
            copy_part(A, row, rows, shift, M);
        }
        multilevel_update_invert(n, M, I, m->inverse + m->part_inverse[p]);
    }
}

void lil_multilevel_update(lil_multilevel *m)
{
    m->used = 1;
    while (m->used < m->levels && galerkin(&m->level[m->used - 1], m->level[m->used].coarse))
        m->used++;
    bool whole = m->used == m->levels;
    if (whole && m->inverse)
        invert_parts(m);
}
