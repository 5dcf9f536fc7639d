/* General matrices in the same form: the differences in setting them. */
#include "solvers/blocks.h"
#include "solvers/blocks_scale.h"

#include <math.h>

typedef struct job {
    lil_blocks *A;
    const double *mass;
    const float *blocks;
} job;

static const float nothing[9];

/* A source is 2 place + end, which numbers B_ab (end 0) and B_ba of the place's pair. */
lil_status lil_blocks_generalise(lil_context *ctx, lil_arena *arena, lil_blocks *A, int pairs, const int (*at)[2],
                                 const int *where, int (*place)[2])
{
    LIL_ALLOC(ctx, arena, A->iR, (size_t)lil_blocks_rows(A));
    for (int k = 0; k < pairs; k++) {
        bool held = at[k][0] < 0 || at[k][1] < 0;
        place[k][0] = where[k] < 0 || at[k][0] < 0 ? -1 : 2 * where[k];
        place[k][1] = where[k] < 0 || at[k][1] < 0 ? -1 : 2 * where[k] + !held;
    }
    return LIL_OK;
}

/* D = m 1 - sum_b B_ab of A's row i, in double */
LIL_INLINE void sum_row(const job *work, int i, double D[9])
{
    const lil_blocks *A = work->A;
    const float *B = A->held[i] >= 0 ? work->blocks + 18 * (size_t)A->held[i] : nothing;
    lil_lanes low = lil_to_double(B), high = lil_to_double(B + 4);
    double last = B[8], m = A->mass[i];
    for (int side = 0; side < 2; side++)
        for (int k = lil_blocks_first(A, i / 8, side), end = lil_blocks_last(A, i / 8, side); k < end; k++) {
            if (A->source[k][i % 8] < 0)
                continue;
            B = work->blocks + 9 * (size_t)A->source[k][i % 8];
            low += lil_to_double(B);
            high += lil_to_double(B + 4);
            last += B[8];
        }
    lil_lanes_store(D, (lil_lanes){ m, 0, 0, 0 } - low);
    lil_lanes_store(D + 4, (lil_lanes){ m, 0, 0, 0 } - high);
    D[8] = m - last;
}

/* The inverse of a lower triangle a; d e; f g h, as 00 10 11 20 21 22. */
static void blocks_general_invert(double a, double d, double e, double f, double g, double h, float i[8])
{
    i[0] = (float)(1 / a);
    i[1] = (float)(-d / (a * e));
    i[2] = (float)(1 / e);
    i[3] = (float)((d * g - f * e) / (a * e * h));
    i[4] = (float)(-g / (e * h));
    i[5] = (float)(1 / h);
}

/* D = L R', both with the roots of the pivots on their diagonals, R with their signs: Cholesky's where D is
 * symmetric and definite. False: a pivot is round-off, or not finite. */
static bool blocks_general_factor(const double D[9], float L[8], float iL[8], float iR[8])
{
    double p0 = D[0], u1 = D[1], u2 = D[2], l1 = D[3] / p0, l2 = D[6] / p0;
    double p1 = D[4] - l1 * u1, v2 = D[5] - l1 * u2, m2 = (D[7] - l2 * u1) / p1, p2 = D[8] - l2 * u2 - m2 * v2;
    double least = 0x1p-24 * (fabs(D[0]) + fabs(D[4]) + fabs(D[8]));
    if (!(fabs(p0) > least && fabs(p1) > least && fabs(p2) > least && isfinite(p0 + p1 + p2)))
        return false;
    double a = sqrt(fabs(p0)), e = sqrt(fabs(p1)), h = sqrt(fabs(p2));
    double sa = copysign(a, p0), se = copysign(e, p1), sh = copysign(h, p2);
    const double lower[6] = { a, l1 * a, e, l2 * a, m2 * e, h };
    for (int k = 0; k < 6; k++)
        L[k] = (float)lower[k];
    blocks_general_invert(a, l1 * a, e, l2 * a, m2 * e, h, iL);
    blocks_general_invert(sa, u1 / a, se, u2 / a, v2 / e, sh, iR);
    return true;
}

LIL_KERNEL static void diagonals(void *data, int chunk)
{
    const job *work = data;
    lil_blocks *A = work->A;
    int first = 8 * LIL_BLOCKS_CHUNK * chunk, last = first + 8 * LIL_BLOCKS_CHUNK;
    A->bad[chunk] = false;
    for (int i = first; i < last && i < A->n; i++) {
        double D[9];
        A->mass[i] = work->mass[A->order[i]];
        sum_row(work, i, D);
        A->bad[chunk] = !blocks_general_factor(D, A->L[i], A->iL[i], A->iR[i]) || A->bad[chunk];
    }
}

/* the first eight numbers of eight rows, as vectors */
LIL_INLINE void gather(const float *const from[8], lil_float8 x[8])
{
    for (int l = 0; l < 8; l++)
        x[l] = *(const lil_loose8 *)from[l];
    lil_float8_transpose(x);
}

LIL_INLINE void scale_slot(const job *work, const lil_float8 m[8], int k)
{
    const lil_blocks *A = work->A;
    const float *from[8];
    lil_float8 n[8], B[9] = { { 0 } }; /* avoids gcc 12's warning that B[8] is uninitialised */
    for (int l = 0; l < 8; l++)
        from[l] = A->iR[A->column[k][l]];
    gather(from, n);
    for (int l = 0; l < 8; l++)
        from[l] = A->source[k][l] >= 0 ? work->blocks + 9 * (size_t)A->source[k][l] : nothing;
    gather(from, B);
    B[8] = (lil_float8){ from[0][8], from[1][8], from[2][8], from[3][8],
                         from[4][8], from[5][8], from[6][8], from[7][8] };
    lil_blocks_scale(m, n, B, A->slots[k].v);
}

LIL_KERNEL static void scale(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    int first = LIL_BLOCKS_CHUNK * chunk, last = first + LIL_BLOCKS_CHUNK;
    for (int g = first; g < last && g < A->groups; g++) {
        const float *from[8];
        lil_float8 m[8];
        for (int l = 0; l < 8; l++)
            from[l] = A->iL[8 * g + l];
        gather(from, m);
        for (int side = 0; side < 2; side++)
            for (int k = lil_blocks_first(A, g, side); k < lil_blocks_last(A, g, side); k++)
                scale_slot(work, m, k);
    }
}

bool lil_blocks_set_general(lil_blocks *A, const double *mass, const float *blocks)
{
    job work = { A, mass, blocks };
    A->version++;
    lil_parallel(A->threads, A->chunks, diagonals, &work);
    for (int c = 0; c < A->chunks; c++)
        if (A->bad[c])
            return false;
    lil_parallel(A->threads, A->chunks, scale, &work);
    return true;
}
