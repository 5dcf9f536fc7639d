/* New values: diagonal blocks, their factors, and the scaled matrix. */
#include "solvers/blocks.h"

#include "core/threads.h"
#include "solvers/blocks_scale.h"

#include <math.h>

/* 16 bits change the scaled matrix by some 1e-5. Its least eigenvalues (of rigid motions) are about one over the
 * stiffness: beyond this limit 16 bits would change them too much. */
static const double PACKED_MOST = 1000;

typedef struct job {
    lil_blocks *A;
    const double *mass;
} job;

static const float nothing[9];

/* D = m 1 - sum_b B_ab. Which of B_ab and its transpose a place holds does not matter: their symmetric parts are
 * equal, and D is symmetric because the antisymmetric ones cancel. In double, because the sum may be as small as
 * the mass. */
LIL_INLINE void sum_row(const lil_blocks *A, int i, double m, double D[6][4], int lane)
{
    const int(*source)[8] = (const int(*)[8])A->source;
    const float *B = A->held[i] >= 0 ? A->pairs + 9 * (size_t)A->held[i] : nothing;
    lil_lanes low = lil_to_double(B), high = lil_to_double(B + 4);
    double last = B[8];
    for (int side = 0; side < 2; side++)
        for (int k = lil_blocks_first(A, i / 8, side), end = lil_blocks_last(A, i / 8, side); k < end; k++) {
            if (source[k][i % 8] < 0)
                continue;
            B = A->pairs + 9 * (size_t)(source[k][i % 8] >> 1);
            low += lil_to_double(B);
            high += lil_to_double(B + 4);
            last += B[8];
        }
    D[0][lane] = m - low[0];
    D[1][lane] = -(low[1] + low[3]) / 2;
    D[2][lane] = m - high[0];
    D[3][lane] = -(low[2] + high[2]) / 2;
    D[4][lane] = -(high[1] + high[3]) / 2;
    D[5][lane] = m - last;
}

LIL_INLINE lil_lanes root(lil_lanes x)
{
    return (lil_lanes){ sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3]) };
}

/* D = L L' of four rows, by rows of the lower triangle. False, also for a NaN: one of them is not positive
 * definite. What float leaves of a pivot must be its own: below 2^-24 of the block it is round-off. */
LIL_INLINE bool factor(const lil_lanes D[6], float (*L)[8], float (*iL)[8])
{
    lil_lanes l00 = root(D[0]), i00 = 1 / l00, l10 = D[1] * i00, l20 = D[3] * i00;
    lil_lanes d11 = D[2] - l10 * l10, l11 = root(d11), i11 = 1 / l11, l21 = (D[4] - l20 * l10) * i11;
    lil_lanes d22 = D[5] - l20 * l20 - l21 * l21, l22 = root(d22), i22 = 1 / l22;
    lil_lanes i10 = -l10 * i00 * i11, i21 = -l21 * i11 * i22, i20 = -(l20 * i00 + l21 * i10) * i22;
    lil_lanes all[6] = { l00, l10, l11, l20, l21, l22 }, inverse[6] = { i00, i10, i11, i20, i21, i22 };
    for (int e = 0; e < 6; e++)
        for (int l = 0; l < 4; l++) {
            L[l][e] = (float)all[e][l];
            iL[l][e] = (float)inverse[e][l];
        }
    lil_mask fine = (D[0] > 0) & (d11 > 0x1p-24 * D[2]) & (d22 > 0x1p-24 * D[5]) & (D[0] < INFINITY) &
                    (d11 < INFINITY) & (d22 < INFINITY);
    return fine[0] & fine[1] & fine[2] & fine[3];
}

LIL_KERNEL static void diagonals(void *data, int chunk)
{
    const job *work = data;
    lil_blocks *A = work->A;
    int first = 8 * LIL_BLOCKS_CHUNK * chunk, last = first + 8 * LIL_BLOCKS_CHUNK;
    bool fine = true;
    for (int i = first; i < last && i < A->n; i += 4) {
        _Alignas(32) double D[6][4] = { { 1, 1, 1, 1 }, { 0 }, { 1, 1, 1, 1 }, { 0 }, { 0 }, { 1, 1, 1, 1 } };
        for (int l = 0; l < 4 && i + l < A->n; l++) {
            A->mass[i + l] = work->mass[A->order[i + l]];
            sum_row(A, i + l, A->mass[i + l], D, l);
        }
        fine = factor((const lil_lanes *)D, A->L + i, A->iL + i) && fine;
    }
    A->bad[chunk] = !fine;
}

/* B of eight places, each transposed if its source is odd, as nine vectors */
LIL_INLINE void gather_blocks(const float *pairs, const int source[8], lil_float8 B[9])
{
    const float *from[8];
    for (int l = 0; l < 8; l++)
        from[l] = source[l] >= 0 ? pairs + 9 * (size_t)(source[l] >> 1) : nothing;
    lil_float8 H[8];
    for (int l = 0; l < 8; l++)
        H[l] = *(const lil_loose8 *)from[l];
    lil_float8_transpose(H);
    lil_int8 odd = -(*(const lil_int8 *)source & 1);
    B[0] = H[0];
    B[1] = lil_float8_select(odd, H[3], H[1]);
    B[2] = lil_float8_select(odd, H[6], H[2]);
    B[3] = lil_float8_select(odd, H[1], H[3]);
    B[4] = H[4];
    B[5] = lil_float8_select(odd, H[7], H[5]);
    B[6] = lil_float8_select(odd, H[2], H[6]);
    B[7] = lil_float8_select(odd, H[5], H[7]);
    B[8] = (lil_float8){ from[0][8], from[1][8], from[2][8], from[3][8],
                         from[4][8], from[5][8], from[6][8], from[7][8] };
}

LIL_INLINE void gather_factors(const float (*iL)[8], const int row[8], lil_float8 m[8])
{
    for (int l = 0; l < 8; l++)
        m[l] = *(const lil_float8 *)iL[row[l]];
    lil_float8_transpose(m);
}

/* x, at most 1, in units of 1 / LIL_PACKED_ONE less something, rounded: 1.5 2^23 + i has i as its last bits.
 * Beyond 1 only a matrix that is not definite has anything, and none is with 1 there. */
LIL_INLINE lil_int8 rounded(lil_float8 x, lil_float8 less)
{
    lil_float8 one = lil_float8_all(1);
    x = lil_float8_select(x > one, one, lil_float8_select(x < -one, -one, x));
    return (lil_int8)(x * LIL_PACKED_ONE - less + 0x1.8p23f) - 0x4b400000;
}

LIL_INLINE void pack(const lil_float8 N[9], lil_packed *slot)
{
    typedef int32_t loose __attribute__((vector_size(32), may_alias, aligned(16)));
    lil_float8 none = lil_float8_all(0);
    for (int k = 0; k < 4; k++) {
        lil_int8 second = rounded(N[2 * k + 1], none);
        lil_int8 first = rounded(N[2 * k], __builtin_convertvector(second, lil_float8) * 0x1p-16f);
        *(loose *)slot->v[k] = (first << 16) + second;
    }
    slot->last = __builtin_convertvector(rounded(N[8], none), lil_short8);
}

LIL_KERNEL static void scale(void *data, int chunk)
{
    lil_blocks *A = ((const job *)data)->A;
    int first = LIL_BLOCKS_CHUNK * chunk, last = first + LIL_BLOCKS_CHUNK;
    for (int g = first; g < last && g < A->groups; g++) {
        lil_float8 m[8], n[8], B[9] = { { 0 } }; /* or gcc 12 finds B[8] uninitialised */
        gather_factors(
            (const float(*)[8])A->iL,
            (const int[8]){ 8 * g, 8 * g + 1, 8 * g + 2, 8 * g + 3, 8 * g + 4, 8 * g + 5, 8 * g + 6, 8 * g + 7 }, m);
        for (int side = 0; side < 2; side++)
            for (int k = lil_blocks_first(A, g, side), end = lil_blocks_last(A, g, side); k < end; k++) {
                gather_blocks(A->pairs, A->source[k], B);
                gather_factors((const float(*)[8])A->iL, A->column[k], n);
                if (A->packed) {
                    lil_float8 N[9];
                    lil_blocks_scale(m, n, B, N);
                    pack(N, (lil_packed *)A->slots + k);
                } else {
                    lil_blocks_scale(m, n, B, A->slots[k].v);
                }
            }
    }
}

bool lil_blocks_set(lil_blocks *A, const double *mass, const float *pairs)
{
    job work = { A, mass };
    A->pairs = pairs;
    A->version++;
    lil_parallel(A->threads, A->chunks, diagonals, &work);
    for (int c = 0; c < A->chunks; c++)
        if (A->bad[c])
            return false;
    A->packed = A->n >= A->packed_from && lil_blocks_stiffness(A) < PACKED_MOST;
    lil_parallel(A->threads, A->chunks, scale, &work);
    return true;
}

double lil_blocks_value(const lil_blocks *A, int slot, int entry, int lane)
{
    if (!A->packed)
        return A->slots[slot].v[entry][lane];
    const lil_packed *from = (const lil_packed *)A->slots + slot;
    if (entry == 8)
        return (double)from->last[lane] / LIL_PACKED_ONE;
    int32_t both = from->v[entry / 2][lane];
    return (entry % 2 ? (double)(int16_t)both : 0x1p-16 * both) / LIL_PACKED_ONE;
}

void lil_blocks_get(const lil_blocks *A, int slot, int lane, float N[9])
{
    for (int e = 0; e < 9; e++)
        N[e] = (float)lil_blocks_value(A, slot, e, lane);
}

/* as `pack` does it */
void lil_blocks_put(lil_blocks *A, int slot, int lane, const float N[9])
{
    lil_packed *packed = (lil_packed *)A->slots + slot;
    for (int e = 0; !A->packed && e < 9; e++)
        A->slots[slot].v[e][lane] = N[e];
    for (int k = 0; A->packed && k < 4; k++) {
        long second = lrint((double)N[2 * k + 1] * LIL_PACKED_ONE);
        long first = lrint((double)N[2 * k] * LIL_PACKED_ONE - 0x1p-16 * (double)second);
        packed->v[k][lane] = (int32_t)(first * 65536 + second);
    }
    if (A->packed)
        packed->last[lane] = (int16_t)lrint((double)N[8] * LIL_PACKED_ONE);
}

double lil_blocks_stiffness(const lil_blocks *A)
{
    double sum = 0;
    for (int i = 0; i < A->n; i++) {
        const float *L = A->L[i];
        double trace = 0;
        for (int k = 0; k < 6; k++)
            trace += (double)L[k] * L[k];
        sum += trace / (3 * A->mass[i]);
    }
    return A->n ? sum / A->n : 0;
}
