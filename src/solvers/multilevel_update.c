/* Values: Galerkin's matrices, bounds of eigenvalues, inverses of the coarsest. */
#include "solvers/multilevel.h"

#include "core/threads.h"

#include <math.h>
#include <string.h>

enum { STEPS = 6 };

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
    for (int s = next->start[I / 8]; s < next->start[I / 8 + 1] && next->source[s][I % 8] >= 0; s++) {
        int source = next->source[s][I % 8], J = next->at[source >> 1][1 - (source & 1)];
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

/* ---- the largest eigenvalue ---- */

/* Of Lanczos' tridiagonal matrix: alpha on the diagonal, beta below it. */
typedef struct tridiagonal {
    int n;
    double alpha[STEPS], beta[STEPS]; /* the last beta leads out of it */
} tridiagonal;

/* all eigenvalues are below x: pivots of x - T are positive (Sturm) */
static bool is_above(const tridiagonal *T, double x)
{
    double pivot = x - T->alpha[0];
    for (int k = 1; k < T->n && pivot > 0; k++)
        pivot = x - T->alpha[k] - T->beta[k - 1] * T->beta[k - 1] / pivot;
    return pivot > 0;
}

/* The largest eigenvalue of T, and what may be beyond it: beta times the last of its eigenvector (Zhou & Li, Linear
 * Algebra Appl. 435 (2011), 480-493). */
static double upper_bound(const tridiagonal *T)
{
    double low = 0, high = 1;
    while (!is_above(T, high) && high < 1e6)
        high *= 2;
    for (int k = 0; k < 40; k++) {
        double middle = (low + high) / 2;
        *(is_above(T, middle) ? &high : &low) = middle;
    }
    double before = 0, s = 1, square = 1;
    for (int k = 0; k + 1 < T->n; k++) {
        double next = ((high - T->alpha[k]) * s - (k ? T->beta[k - 1] * before : 0)) / T->beta[k];
        before = s;
        s = next;
        square += s * s;
    }
    return high + T->beta[T->n - 1] * fabs(s) / sqrt(square);
}

/* Lanczos from numbers at random, always the same ones, with vectors that are not normalised:
 * u_(k+1) = A u_k - alpha_k u_k - beta_(k-1)^2 u_(k-1), alpha_k = u_k'A u_k / u_k'u_k, beta_k = |u_(k+1)| / |u_k|. */
static double bound(const lil_level *level)
{
    const lil_blocks *A = level->A;
    lil_float4 *u = level->z, *before = level->y, *Au = level->w, *unused = level->r;
    tridiagonal T = { 0 };
    uint32_t seed = 1;
    for (int i = 0; i < lil_blocks_rows(A); i++) {
        before[i] = unused[i] = u[i] = lil_float4_all(0);
        for (int d = 0; d < 3 && i < A->n; d++) {
            seed = seed * 1664525u + 1013904223u;
            u[i][d] = (float)(seed >> 8) * 0x1p-23f - 1;
        }
    }
    double square = lil_blocks_dot(A, u, u), ratio = 0;
    while (T.n < STEPS && square > 0) {
        double alpha = lil_blocks_apply(A, u, Au) / square;
        lil_blocks_turn(A, (float)-ratio, Au, before);
        double next = lil_blocks_advance(A, (float)alpha, u, u, unused, before);
        ratio = next / square;
        T.alpha[T.n] = alpha;
        T.beta[T.n++] = sqrt(ratio);
        if (ratio < 1e-8) /* there is nothing else, but for round-off */
            break;
        square = next;
        lil_float4 *swap = u;
        u = before;
        before = swap;
    }
    return T.n ? upper_bound(&T) : 1;
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
        for (int k = A->start[i / 8]; k < A->start[i / 8 + 1] && A->source[k][l] >= 0; k++)
            for (int b = 0; b < rows; b++)
                if (row[b] == A->slots[k].column[l])
                    for (int e = 0; e < 9; e++)
                        M[(3 * a + e / 3) * n + 3 * b + e % 3] = A->slots[k].v[e][l];
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
static void invert(int n, const double *C, double *I, float *inverse)
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
        invert(n, M, I, m->inverse + m->part_inverse[p]);
    }
}

void lil_multilevel_update(lil_multilevel *m)
{
    m->used = 1;
    while (m->used < m->levels && galerkin(&m->level[m->used - 1], m->level[m->used].coarse))
        m->used++;
    bool whole = m->used == m->levels;
    for (int l = 0; l < m->used; l++)
        m->level[l].top = bound(&m->level[l]);
    if (whole && m->inverse)
        invert_parts(m);
}
