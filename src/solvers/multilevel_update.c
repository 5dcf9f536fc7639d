/* Values: Galerkin's matrices, bounds of eigenvalues, inverses of the coarsest. */
#include "solvers/multilevel.h"

#include "core/threads.h"

#include <math.h>
#include <string.h>

enum { RANGE = 1024, POWERS = 8 };
static const double MARGIN = 1.1;

typedef struct job {
    const lil_level *level;
    const lil_blocks *next;
    float *total;
} job;

/* ---- P'H P ---- */

/* to += w B */
LIL_INLINE void add_block(float *sums, int target, float w, const lil_float8 B[2], float last)
{
    float *to = sums + 9 * (size_t)(target >> 1);
    *(lil_loose8 *)to += w * B[target & 1];
    to[8] += w * last;
}

LIL_INLINE void add_pair(const lil_level *level, int q, float *sums)
{
    const float *from = level->A->pairs + 9 * (size_t)q;
    lil_float8 plain = *(const lil_loose8 *)from;
    lil_float8 B[2] = { plain, __builtin_shufflevector(plain, plain, 0, 3, 6, 1, 4, 7, 2, 5) };
    const float one[4] = { 1, 0, 0, 0 };
    int a = level->A->at[q][0], b = level->A->at[q][1];
    const float *wa = level->P.weight[a], *wb = b < 0 ? one : level->P.weight[b];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            add_block(sums, level->target[q][4 * i + j], wa[i] * wb[j], B, from[8]);
}

/* H_aa = L L' */
LIL_INLINE void add_diagonal(const lil_level *level, int a, float *sums)
{
    const float *L = level->A->L[a], *w = level->P.weight[a];
    float d00 = L[0] * L[0], d10 = L[1] * L[0], d20 = L[3] * L[0], d11 = L[1] * L[1] + L[2] * L[2];
    float d21 = L[3] * L[1] + L[4] * L[2], d22 = L[3] * L[3] + L[4] * L[4] + L[5] * L[5];
    lil_float8 D = { d00, d10, d20, d10, d11, d21, d20, d21 };
    lil_float8 both[2] = { D, D };
    for (int i = 0, k = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++, k++)
            add_block(sums, level->own[a][k], w[i] * w[j], both, d22);
}

LIL_KERNEL static void add_part(void *data, int part)
{
    const job *work = data;
    const lil_level *level = work->level;
    float *sums = level->sums[part];
    memset(sums, 0, 9 * ((size_t)work->next->places + 1) * sizeof *sums);
    int places = level->A->places, n = level->A->n;
    for (int q = (int)((int64_t)places * part / level->parts); q < (int64_t)places * (part + 1) / level->parts; q++)
        add_pair(level, q, sums);
    for (int a = (int)((int64_t)n * part / level->parts); a < (int64_t)n * (part + 1) / level->parts; a++)
        add_diagonal(level, a, sums);
}

LIL_KERNEL static void add_parts(void *data, int range)
{
    const job *work = data;
    size_t first = (size_t)RANGE * (size_t)range, last = 9 * (size_t)work->next->places;
    last = first + RANGE < last ? first + RANGE : last;
    float *total = work->level->sums[0];
    for (int k = 1; k < work->level->parts; k++) {
        const float *part = work->level->sums[k];
        for (size_t e = first; e < last; e++)
            total[e] += part[e];
    }
}

static bool galerkin(lil_level *level, lil_blocks *next)
{
    job work = { .level = level, .next = next };
    lil_parallel(level->A->threads, level->parts, add_part, &work);
    if (level->parts > 1)
        lil_parallel(level->A->threads, (9 * next->places + RANGE - 1) / RANGE, add_parts, &work);
    for (int I = 0; I < next->n; I++) {
        double sum = 0;
        for (int e = level->begin[I]; e < level->begin[I + 1]; e++)
            sum += (double)level->share[e] * level->A->mass[level->fine[e]];
        level->mass[next->order[I]] = sum;
    }
    return lil_blocks_set(next, level->mass, level->sums[0]);
}

/* ---- the largest eigenvalue ---- */

/* By powers of A from numbers at random, always the same ones: from below, so with a margin. */
static double bound(const lil_level *level)
{
    const lil_blocks *A = level->A;
    lil_float4 *x = level->z, *y = level->y;
    uint32_t seed = 1;
    for (int i = 0; i < lil_blocks_rows(A); i++)
        for (int d = 0; d < 4; d++) {
            seed = seed * 1664525u + 1013904223u;
            x[i][d] = i < A->n && d < 3 ? (float)(seed >> 8) * 0x1p-23f - 1 : 0;
        }
    double top = 1, square = lil_blocks_dot(A, x, x);
    for (int k = 0; k < POWERS && square > 0; k++) {
        lil_blocks_apply(A, x, y);
        double next = lil_blocks_dot(A, y, y);
        top = sqrt(next / square);
        square = next;
        lil_float4 *swap = x;
        x = y;
        y = swap;
    }
    return MARGIN * top;
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
    for (int l = 1; l < m->levels; l++)
        m->level[l].coarse->threads = m->level[0].A->threads;
    m->used = 1;
    while (m->used < m->levels && galerkin(&m->level[m->used - 1], m->level[m->used].coarse))
        m->used++;
    bool whole = m->used == m->levels;
    for (int l = 0; l < m->used; l++)
        m->level[l].top = bound(&m->level[l]);
    if (whole && m->inverse)
        invert_parts(m);
}
