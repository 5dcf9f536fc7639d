/* The V-cycle. */
#include "solvers/multilevel.h"

#include "core/threads.h"
#include "solvers/blocks_scale.h"

typedef struct job {
    const lil_level *level, *next;
    const lil_float4 *from;
    lil_float4 *to;
    float factor;
    const lil_multilevel *m;
} job;

enum { ROWS = 8 * LIL_BLOCKS_CHUNK };

static int multilevel_cycle_last_of(const lil_blocks *A, int chunk)
{
    return ROWS * (chunk + 1) < A->n ? ROWS * (chunk + 1) : A->n;
}

/* ---- between levels ---- */

LIL_KERNEL static void unscale_residual(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->level->A;
    for (int i = ROWS * chunk; i < multilevel_cycle_last_of(A, chunk); i++)
        work->to[i] = lil_row_lower(A->L[i], work->from[i]);
}

LIL_KERNEL static void restrict_rows(void *data, int chunk)
{
    const job *work = data;
    const lil_level *level = work->level;
    const lil_blocks *next = work->next->A;
    for (int I = ROWS * chunk; I < multilevel_cycle_last_of(next, chunk); I++) {
        lil_float4 s = { 0 };
        for (int e = level->begin[I]; e < level->begin[I + 1]; e++)
            s += level->share[e] * work->from[level->fine[e]];
        work->to[I] = lil_row_lower(next->iL[I], s);
    }
}

LIL_KERNEL static void unscale_correction(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->level->A;
    for (int I = ROWS * chunk; I < multilevel_cycle_last_of(A, chunk); I++)
        work->to[I] = lil_row_upper(A->iL[I], work->from[I]);
}

LIL_KERNEL static void prolong_rows(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->level->A;
    const lil_interpolation *P = &work->level->P;
    for (int i = ROWS * chunk; i < multilevel_cycle_last_of(A, chunk); i++) {
        const int *node = P->node[i];
        const float *w = P->weight[i];
        lil_float4 s = (w[0] * work->from[node[0]] + w[1] * work->from[node[1]]) +
                       (w[2] * work->from[node[2]] + w[3] * work->from[node[3]]);
        work->to[i] += lil_row_upper(A->L[i], s);
    }
}

static void multilevel_cycle_run(const lil_blocks *A, void (*kernel)(void *, int), job *work)
{
    lil_parallel(A->threads, A->chunks, kernel, work);
}

/* ---- the coarsest ---- */

static void solve_part(void *data, int p)
{
    const job *work = data;
    const lil_multilevel *m = work->m;
    const int *row = m->part_row + m->part_begin[p];
    int rows = m->part_begin[p + 1] - m->part_begin[p], n = 3 * rows;
    const float *inverse = m->inverse + m->part_inverse[p];
    for (int a = 0; a < n; a++) {
        float s = 0;
        for (int b = 0; b < rows; b++) {
            const float *I = inverse + (size_t)a * (size_t)n + 3 * (size_t)b;
            lil_float4 r = work->from[row[b]];
            s += I[0] * r[0] + I[1] * r[1] + I[2] * r[2];
        }
        work->to[row[a / 3]][a % 3] = s;
    }
}

/* ---- the cycle ---- */

static lil_float4 *multilevel_cycle_cycle(lil_multilevel *m, int l, const lil_float4 *r)
{
    lil_level *level = &m->level[l], *next = level + 1;
    lil_float4 *x = level->z;
    if (l == m->levels - 1 && m->inverse) {
        lil_parallel(m->parts > 64 ? level->A->threads : NULL, m->parts, solve_part,
                     &(job){ .m = m, .from = r, .to = x });
        return x;
    }
    lil_blocks_forward(level->A, r, x);
    if (l == m->used - 1) {
        lil_blocks_gauss_seidel(level->A, r, x, level->w);
        return x;
    }
    lil_blocks_rest(level->A, x, level->w);
    multilevel_cycle_run(level->A, unscale_residual, &(job){ .level = level, .from = level->w, .to = level->w });
    multilevel_cycle_run(next->A, restrict_rows,
                         &(job){ .level = level, .next = next, .from = level->w, .to = next->r });
    lil_float4 *correction = multilevel_cycle_cycle(m, l + 1, next->r);
    multilevel_cycle_run(next->A, unscale_correction, &(job){ .level = next, .from = correction, .to = next->w });
    multilevel_cycle_run(level->A, prolong_rows, &(job){ .level = level, .from = next->w, .to = x });
    lil_blocks_gauss_seidel(level->A, r, x, level->w);
    return x;
}

const lil_float4 *lil_multilevel_cycle(lil_multilevel *m, const lil_float4 *r)
{
    return m->used ? multilevel_cycle_cycle(m, 0, r) : r;
}
