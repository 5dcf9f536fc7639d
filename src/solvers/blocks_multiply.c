/* Products and other operations on vectors in the matrix's own form. */
#include "solvers/blocks.h"

#include "core/threads.h"

#include <math.h>

typedef struct job {
    const lil_blocks *A;
    int first; /* chunk */
    float a, b;
    double scale;
    const double *from;
    double *to;
    const lil_float4 *r, *x, *z;
    lil_float4 *w, *y;
} job;

static void blocks_multiply_run(const lil_blocks *A, void (*kernel)(void *, int), job *work)
{
    work->A = A;
    lil_parallel(A->threads, A->chunks, kernel, work);
}

static double sum_chunks(const lil_blocks *A)
{
    double sum = 0;
    for (int c = 0; c < A->chunks; c++)
        sum += A->partial[c];
    return sum;
}

static double run_sum(const lil_blocks *A, void (*kernel)(void *, int), job *work)
{
    blocks_multiply_run(A, kernel, work);
    return sum_chunks(A);
}

/* groups of a chunk */
LIL_INLINE int first_of(int chunk)
{
    return LIL_BLOCKS_CHUNK * chunk;
}

LIL_INLINE int last_of(const lil_blocks *A, int chunk)
{
    int last = LIL_BLOCKS_CHUNK * (chunk + 1);
    return last < A->groups ? last : A->groups;
}

/* ---- products ---- */

LIL_INLINE void add_block(const lil_float8 N[9], const lil_float4 *x, const int column[8], lil_float8 s[3])
{
    lil_float8 v[3];
    lil_float8_gather(x, column, v);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            s[i] += N[3 * i + j] * v[j];
}

/* N in units of 2^-16 / LIL_PACKED_ONE */
LIL_INLINE void unpack(const lil_packed *slot, lil_float8 N[9])
{
    typedef int32_t loose __attribute__((vector_size(32), may_alias, aligned(16)));
    for (int k = 0; k < 4; k++) {
        lil_int8 both = *(const loose *)slot->v[k];
        N[2 * k] = __builtin_convertvector(both, lil_float8);
        N[2 * k + 1] = __builtin_convertvector(both << 16, lil_float8);
    }
    N[8] = __builtin_convertvector(__builtin_convertvector(slot->last, lil_int8) << 16, lil_float8);
}

/* s += the slots' blocks times x */
LIL_INLINE void add_slots(const lil_blocks *A, int first, int last, const lil_float4 *x, lil_float8 s[3])
{
    if (!A->packed) {
        for (int k = first; k < last; k++)
            add_block(A->slots[k].v, x, A->column[k], s);
        return;
    }
    lil_float8 sum[3] = { { 0 }, { 0 }, { 0 } }, unit = lil_float8_all(0x1p-16f / LIL_PACKED_ONE);
    for (int k = first; k < last; k++) {
        lil_float8 N[9];
        unpack((const lil_packed *)A->slots + k, N);
        add_block(N, x, A->column[k], sum);
    }
    for (int d = 0; d < 3; d++)
        s[d] += unit * sum[d];
}

/* the slots' blocks times x: two rows of group g in each of four vectors */
LIL_INLINE void multiply(const lil_blocks *A, int first, int last, const lil_float4 *x, lil_float8 y[4])
{
    lil_float8 s[3] = { { 0 }, { 0 }, { 0 } };
    add_slots(A, first, last, x, s);
    lil_float8_rows(s, y);
}

/* y = A x of a chunk, each side of the diagonal in memory order */
LIL_KERNEL static void apply(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    double sum = 0;
    for (int g = first_of(chunk); g < last_of(A, chunk); g++) {
        const lil_float8 *x = (const lil_float8 *)(work->x + 8 * (size_t)g);
        lil_float8 *y = (lil_float8 *)(work->y + 8 * (size_t)g), Lx[4];
        multiply(A, A->lower[g], A->lower[g + 1], work->x, Lx);
        for (int k = 0; k < 4; k++)
            y[k] = x[k] + Lx[k];
    }
    for (int g = last_of(A, chunk) - 1; g >= first_of(chunk); g--) {
        const lil_float8 *x = (const lil_float8 *)(work->x + 8 * (size_t)g);
        lil_float8 *y = (lil_float8 *)(work->y + 8 * (size_t)g), Ux[4];
        multiply(A, A->upper[g + 1], A->upper[g], work->x, Ux);
        for (int k = 0; k < 4; k++)
            y[k] += Ux[k];
        sum += lil_float8_sum((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]));
    }
    A->partial[chunk] = sum;
}

double lil_blocks_apply(const lil_blocks *A, const lil_float4 *x, lil_float4 *y)
{
    double sum = run_sum(A, apply, &(job){ .x = x, .y = y });
    return sum + lil_blocks_couplings_add(A, x, y);
}

/* ---- sweeps ---- */

/* out = r - L y */
LIL_INLINE void forward_to(const job *work, int chunk, lil_float4 *out)
{
    const lil_blocks *A = work->A;
    for (int g = first_of(chunk); g < last_of(A, chunk); g++) {
        const lil_float8 *r = (const lil_float8 *)(work->r + 8 * (size_t)g);
        lil_float8 *w = (lil_float8 *)(out + 8 * (size_t)g), Ly[4];
        multiply(A, A->lower[g], A->lower[g + 1], work->y, Ly);
        for (int k = 0; k < 4; k++)
            w[k] = r[k] - Ly[k];
    }
}

/* Group after group, so that earlier rows are known. y may be r, because a group is read before it is written. */
LIL_KERNEL static void forward(void *data, int i)
{
    const job *work = data;
    forward_to(work, work->first + i, work->y);
}

LIL_INLINE void backward_from(const job *work, int chunk, const lil_float4 *from, const int *end)
{
    const lil_blocks *A = work->A;
    for (int g = last_of(A, chunk) - 1; g >= first_of(chunk); g--) {
        const lil_float8 *r = (const lil_float8 *)(from + 8 * (size_t)g);
        lil_float8 *y = (lil_float8 *)(work->y + 8 * (size_t)g), Uy[4];
        multiply(A, A->upper[g + 1], end[g], work->y, Uy);
        for (int k = 0; k < 4; k++)
            y[k] = r[k] - Uy[k];
    }
}

LIL_KERNEL static void backward(void *data, int i)
{
    const job *work = data;
    backward_from(work, work->first + i, work->r, work->A->beside);
}

/* w = r - L y with the current y, then backward from w; S uses the group's old y. */
LIL_KERNEL static void improve(void *data, int i)
{
    const job *work = data;
    forward_to(work, work->first + i, work->w);
    backward_from(work, work->first + i, work->w, work->A->upper);
}

/* For t = (1 + L')^-1 x in w: u = (1 + L)^-1 (x - t + S t + C t) replaces w, and y = t + u. z has C t. */
LIL_KERNEL static void forward_swept(void *data, int i)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    int chunk = work->first + i;
    double sum = 0;
    for (int g = first_of(chunk); g < last_of(A, chunk); g++) {
        size_t row = 8 * (size_t)g;
        const lil_float8 *x = (const lil_float8 *)(work->x + row);
        lil_float8 *w = (lil_float8 *)(work->w + row), *y = (lil_float8 *)(work->y + row), Lu[4], St[4];
        multiply(A, A->lower[g], A->lower[g + 1], work->w, Lu);
        multiply(A, A->beside[g], A->upper[g], work->w, St);
        for (int k = 0; k < 4; k++) {
            lil_float8 u = (x[k] - w[k]) + (St[k] - Lu[k]);
            if (work->z)
                u += ((const lil_float8 *)(work->z + row))[k];
            y[k] = w[k] + u;
            w[k] = u;
        }
        sum += lil_float8_sum((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3]));
    }
    A->partial[chunk] = sum;
}

LIL_KERNEL static void rest(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    for (int g = last_of(A, chunk) - 1; g >= first_of(chunk); g--) {
        lil_float8 *y = (lil_float8 *)(work->y + 8 * (size_t)g), Ux[4];
        multiply(A, A->upper[g + 1], A->upper[g], work->x, Ux);
        for (int k = 0; k < 4; k++)
            y[k] = -Ux[k];
    }
}

static void run_phase(const lil_blocks *A, void (*kernel)(void *, int), job *work, int phase)
{
    work->A = A;
    work->first = A->phase[phase];
    lil_parallel(A->threads, A->phase[phase + 1] - A->phase[phase], kernel, work);
}

static void run_forward(const lil_blocks *A, void (*kernel)(void *, int), job *work)
{
    for (int f = 0; f < A->phases; f++)
        run_phase(A, kernel, work, f);
}

static void run_backward(const lil_blocks *A, void (*kernel)(void *, int), job *work)
{
    for (int f = A->phases - 1; f >= 0; f--)
        run_phase(A, kernel, work, f);
}

void lil_blocks_forward(const lil_blocks *A, const lil_float4 *r, lil_float4 *x)
{
    run_forward(A, forward, &(job){ .r = r, .y = x });
}

void lil_blocks_backward(const lil_blocks *A, const lil_float4 *r, lil_float4 *x)
{
    run_backward(A, backward, &(job){ .r = r, .y = x });
}

void lil_blocks_gauss_seidel(const lil_blocks *A, const lil_float4 *r, lil_float4 *x, lil_float4 *work)
{
    run_backward(A, improve, &(job){ .r = r, .y = x, .w = work });
}

void lil_blocks_rest(const lil_blocks *A, const lil_float4 *x, lil_float4 *y)
{
    blocks_multiply_run(A, rest, &(job){ .x = x, .y = y });
}

double lil_blocks_forward_swept(const lil_blocks *A, const lil_float4 *x, lil_float4 *y, lil_float4 *work)
{
    double tCt;
    run_forward(A, forward_swept,
                &(job){ .x = x, .w = work, .y = y, .z = lil_blocks_couplings_multiply(A, work, &tCt) });
    return sum_chunks(A);
}

double lil_blocks_apply_swept(const lil_blocks *A, const lil_float4 *x, lil_float4 *y, lil_float4 *work)
{
    run_backward(A, backward, &(job){ .r = x, .y = work });
    return lil_blocks_forward_swept(A, x, y, work);
}

/* ---- vectors ---- */

/* Eight rows are four vectors; sums in float over eight rows, in double over the rest. */
LIL_KERNEL static void dot(void *data, int chunk)
{
    const job *work = data;
    double sum = 0;
    for (int g = first_of(chunk); g < last_of(work->A, chunk); g++) {
        const lil_float8 *x = (const lil_float8 *)(work->x + 8 * (size_t)g);
        const lil_float8 *z = (const lil_float8 *)(work->z + 8 * (size_t)g);
        sum += lil_float8_sum((x[0] * z[0] + x[1] * z[1]) + (x[2] * z[2] + x[3] * z[3]));
    }
    work->A->partial[chunk] = sum;
}

LIL_KERNEL static void advance(void *data, int chunk)
{
    const job *work = data;
    lil_float8 a = lil_float8_all(work->a);
    double sum = 0;
    for (int g = first_of(chunk); g < last_of(work->A, chunk); g++) {
        size_t row = 8 * (size_t)g;
        const lil_float8 *p = (const lil_float8 *)(work->x + row), *q = (const lil_float8 *)(work->z + row);
        lil_float8 *d = (lil_float8 *)(work->y + row), *r = (lil_float8 *)(work->w + row);
        for (int k = 0; k < 4; k++) {
            d[k] += a * p[k];
            r[k] -= a * q[k];
        }
        sum += lil_float8_sum((r[0] * r[0] + r[1] * r[1]) + (r[2] * r[2] + r[3] * r[3]));
    }
    work->A->partial[chunk] = sum;
}

LIL_KERNEL static void lessen(void *data, int chunk)
{
    const job *work = data;
    lil_float8 a = lil_float8_all(work->a);
    double sum = 0;
    for (int g = first_of(chunk); g < last_of(work->A, chunk); g++) {
        const lil_float8 *q = (const lil_float8 *)(work->z + 8 * (size_t)g);
        lil_float8 *r = (lil_float8 *)(work->w + 8 * (size_t)g);
        for (int k = 0; k < 4; k++)
            r[k] -= a * q[k];
        sum += lil_float8_sum((r[0] * r[0] + r[1] * r[1]) + (r[2] * r[2] + r[3] * r[3]));
    }
    work->A->partial[chunk] = sum;
}

LIL_KERNEL static void turn(void *data, int chunk)
{
    const job *work = data;
    lil_float8 b = lil_float8_all(work->b);
    size_t first = 4 * (size_t)first_of(chunk), last = 4 * (size_t)last_of(work->A, chunk);
    const lil_float8 *z = (const lil_float8 *)work->z;
    lil_float8 *p = (lil_float8 *)work->y;
    for (size_t k = first; k < last; k++)
        p[k] = z[k] + b * p[k];
}

double lil_blocks_dot(const lil_blocks *A, const lil_float4 *x, const lil_float4 *y)
{
    return run_sum(A, dot, &(job){ .x = x, .z = y });
}

double lil_blocks_advance(const lil_blocks *A, float a, const lil_float4 *p, const lil_float4 *q, lil_float4 *d,
                          lil_float4 *r)
{
    return run_sum(A, advance, &(job){ .a = a, .x = p, .z = q, .y = d, .w = r });
}

double lil_blocks_subtract(const lil_blocks *A, float a, const lil_float4 *q, lil_float4 *r)
{
    return run_sum(A, lessen, &(job){ .a = a, .z = q, .w = r });
}

void lil_blocks_new_direction(const lil_blocks *A, float b, const lil_float4 *z, lil_float4 *p)
{
    blocks_multiply_run(A, turn, &(job){ .b = b, .z = z, .y = p });
}

/* ---- in and out ---- */

/* y = L^-1 b of one row, in double */
LIL_INLINE void scaled(const float iL[8], const double *b, double y[3])
{
    y[0] = iL[0] * b[0];
    y[1] = iL[1] * b[0] + iL[2] * b[1];
    y[2] = iL[3] * b[0] + iL[4] * b[1] + iL[5] * b[2];
}

LIL_INLINE int last_row(const lil_blocks *A, int chunk)
{
    int last = 8 * last_of(A, chunk);
    return last < A->n ? last : A->n;
}

static void blocks_multiply_square(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    double sum = 0, y[3];
    for (int i = 8 * first_of(chunk); i < last_row(A, chunk); i++) {
        scaled(A->iL[i], work->from + 3 * (size_t)A->order[i], y);
        sum += y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
    }
    A->partial[chunk] = sum;
}

static void blocks_multiply_take(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    double s = work->scale, y[3];
    for (int i = 8 * first_of(chunk); i < last_row(A, chunk); i++) {
        scaled(A->iL[i], work->from + 3 * (size_t)A->order[i], y);
        work->y[i] = (lil_float4){ (float)(s * y[0]), (float)(s * y[1]), (float)(s * y[2]), 0 };
    }
    for (int i = last_row(A, chunk); i < 8 * last_of(A, chunk); i++)
        work->y[i] = (lil_float4){ 0 };
}

static void give(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    for (int i = 8 * first_of(chunk); i < last_row(A, chunk); i++) {
        const float *iR = A->iR[i];
        double s = work->scale, x[3] = { work->x[i][0], work->x[i][1], work->x[i][2] };
        double *d = work->to + 3 * (size_t)A->order[i];
        d[0] = s * (iR[0] * x[0] + iR[1] * x[1] + iR[3] * x[2]);
        d[1] = s * (iR[2] * x[1] + iR[4] * x[2]);
        d[2] = s * (iR[5] * x[2]);
    }
}

double lil_blocks_norm(const lil_blocks *A, const double *b)
{
    return sqrt(run_sum(A, blocks_multiply_square, &(job){ .from = b }));
}

void lil_blocks_import(const lil_blocks *A, double scale, const double *b, lil_float4 *r)
{
    blocks_multiply_run(A, blocks_multiply_take, &(job){ .scale = scale, .from = b, .y = r });
}

void lil_blocks_export(const lil_blocks *A, double scale, const lil_float4 *x, double *d)
{
    blocks_multiply_run(A, give, &(job){ .scale = scale, .x = x, .to = d });
}

/* y = s L' x */
static void enter(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    for (int i = 8 * first_of(chunk); i < last_row(A, chunk); i++) {
        const float *L = A->L[i];
        const double *x = work->from + 3 * (size_t)A->order[i], s = work->scale;
        work->y[i] = (lil_float4){ (float)(s * (L[0] * x[0] + L[1] * x[1] + L[3] * x[2])),
                                   (float)(s * (L[2] * x[1] + L[4] * x[2])), (float)(s * (L[5] * x[2])), 0 };
    }
    for (int i = last_row(A, chunk); i < 8 * last_of(A, chunk); i++)
        work->y[i] = (lil_float4){ 0 };
}

/* d = s L x */
static void leave(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    for (int i = 8 * first_of(chunk); i < last_row(A, chunk); i++) {
        const float *L = A->L[i];
        double s = work->scale, x[3] = { work->x[i][0], work->x[i][1], work->x[i][2] };
        double *d = work->to + 3 * (size_t)A->order[i];
        d[0] = s * (L[0] * x[0]);
        d[1] = s * (L[1] * x[0] + L[2] * x[1]);
        d[2] = s * (L[3] * x[0] + L[4] * x[1] + L[5] * x[2]);
    }
}

void lil_blocks_multiply(const lil_blocks *A, const double *x, double *y, lil_float4 *work)
{
    lil_float4 *in = work, *out = work + lil_blocks_rows(A);
    double largest = 0;
    for (int i = 0; i < 3 * A->n; i++)
        largest = fabs(x[i]) > largest ? fabs(x[i]) : largest;
    double scale = largest > 0 && largest < INFINITY ? largest : 1; /* float's range is small */
    blocks_multiply_run(A, enter, &(job){ .scale = 1 / scale, .from = x, .y = in });
    lil_blocks_apply(A, in, out);
    blocks_multiply_run(A, leave, &(job){ .scale = scale, .x = out, .to = y });
}
