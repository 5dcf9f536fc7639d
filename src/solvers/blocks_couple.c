/* Couplings beside a matrix of blocks: products without their diagonal blocks. */
#include "solvers/blocks.h"
#include "solvers/blocks_scale.h"

enum { CHUNK = 128 }; /* couplings, or rows, that one thread takes at a time */

/* a coupling, over A's rows (-1: fixed) */
typedef struct coupled_rows {
    int row[LIL_COUPLING];
    float H[LIL_COUPLING][LIL_COUPLING][9]; /* those with a = b are in the matrix */
} coupled_rows;

struct lil_block_couplings {
    lil_arena *arena;
    int count, room, row_count;
    coupled_rows *list;
    lil_float4 *f;  /* of each coupling: the forces in its rows */
    int *own;       /* n: A's number of the caller's row */
    int *place;     /* n: index of a row among the coupled ones, or -1 */
    int *rows;      /* n: these, */
    int *begin;     /*   whose parts are begin[i] ... begin[i + 1] - 1 */
    int *parts;     /* places in f */
    int *carried;   /*   and which of the rows of carried couplings each is, or -1 */
    lil_float4 *Cx; /* 0 in rows that are not coupled */
    double *sums;   /* of chunks */
};

lil_status lil_blocks_couple_create(lil_context *ctx, lil_arena *arena, lil_blocks *A)
{
    struct lil_block_couplings *b;
    LIL_ALLOC(ctx, arena, b, 1);
    b->arena = arena;
    LIL_ALLOC(ctx, arena, b->own, A->n);
    LIL_ALLOC(ctx, arena, b->place, A->n);
    LIL_ALLOC(ctx, arena, b->rows, A->n);
    LIL_ALLOC(ctx, arena, b->begin, A->n + 1);
    LIL_ALLOC(ctx, arena, b->carried, A->n);
    LIL_ALLOC(ctx, arena, b->Cx, lil_blocks_rows(A));
    LIL_ALLOC(ctx, arena, b->sums, A->n / CHUNK + 1);
    for (int i = 0; i < A->n; i++) {
        b->own[A->order[i]] = i;
        b->place[i] = -1;
    }
    A->couplings = b;
    return LIL_OK;
}

int lil_blocks_row(const lil_blocks *A, int row)
{
    return A->couplings->own[row];
}

/* ---- new values ---- */

static bool blocks_couple_make_room(struct lil_block_couplings *b, int count)
{
    if (count <= b->room)
        return true;
    int room = 2 * count;
    b->list = LIL_NEW(b->arena, coupled_rows, room);
    b->f = LIL_NEW(b->arena, lil_float4, LIL_COUPLING * (size_t)room);
    b->parts = LIL_NEW(b->arena, int, LIL_COUPLING *(size_t)room);
    b->room = b->list && b->f && b->parts ? room : 0;
    return b->room;
}

static void blocks_couple_forget(struct lil_block_couplings *b)
{
    for (int i = 0; i < b->row_count; i++) {
        b->place[b->rows[i]] = -1;
        b->Cx[b->rows[i]] = (lil_float4){ 0 };
    }
    b->count = b->row_count = 0;
}

static void blocks_couple_take(struct lil_block_couplings *b, const lil_coupling *from)
{
    coupled_rows *to = &b->list[b->count];
    int free = 0;
    for (int i = 0; i < LIL_COUPLING; i++) {
        bool there = i < from->count && from->at[i] >= 0;
        to->row[i] = there ? b->own[from->at[i]] : -1;
        free += there;
        for (int j = 0; j < LIL_COUPLING; j++)
            for (int e = 0; e < 9; e++)
                to->H[i][j][e] = (float)from->H[3 * i + e / 3][3 * j + e % 3];
    }
    b->count += free > 1; /* a coupling of one row has only a diagonal block */
}

static void blocks_couple_add_row(struct lil_block_couplings *b, int row)
{
    b->place[row] = b->row_count;
    b->rows[b->row_count] = row;
    b->carried[b->row_count] = -1;
    b->begin[b->row_count++] = 0;
}

/* Rows in the order in which couplings name them, and how many parts each has, at begin[i]. */
static void blocks_couple_number_rows(struct lil_block_couplings *b)
{
    for (int k = 0; k < LIL_COUPLING * b->count; k++) {
        int row = b->list[k / LIL_COUPLING].row[k % LIL_COUPLING];
        if (row < 0)
            continue;
        if (b->place[row] < 0)
            blocks_couple_add_row(b, row);
        b->begin[b->place[row]]++;
    }
}

/* Rows of carried couplings, also those that no other coupling has. */
static void number_carried(const lil_blocks *A)
{
    struct lil_block_couplings *b = A->couplings;
    const double(*D)[9];
    const int *rows;
    int count = lil_blocks_carried_diagonal(A, &rows, &D);
    for (int i = 0; i < count; i++) {
        if (b->place[rows[i]] < 0)
            blocks_couple_add_row(b, rows[i]);
        b->carried[b->place[rows[i]]] = i;
    }
}

static void blocks_couple_list_parts(struct lil_block_couplings *b)
{
    for (int i = 1; i < b->row_count; i++)
        b->begin[i] += b->begin[i - 1];
    b->begin[b->row_count] = b->row_count ? b->begin[b->row_count - 1] : 0;
    for (int k = LIL_COUPLING * b->count - 1; k >= 0; k--) { /* backwards, so that each row has them forwards */
        int row = b->list[k / LIL_COUPLING].row[k % LIL_COUPLING];
        if (row >= 0)
            b->parts[--b->begin[b->place[row]]] = k;
    }
}

bool lil_blocks_couple(lil_blocks *A, const lil_couplings *couplings)
{
    struct lil_block_couplings *b = A->couplings;
    blocks_couple_forget(b);
    if (couplings->lost || !blocks_couple_make_room(b, couplings->count))
        return false;
    for (int c = 0; c < couplings->count; c++)
        if (!lil_coupling_is_carried(couplings, &couplings->list[c]))
            blocks_couple_take(b, &couplings->list[c]);
    blocks_couple_number_rows(b);
    number_carried(A);
    blocks_couple_list_parts(b);
    return true;
}

/* ---- products ---- */

typedef struct job {
    const lil_blocks *A;
    const lil_float4 *x, *carried;
} job;

LIL_KERNEL static void find_forces(void *data, int chunk)
{
    const job *work = data;
    const struct lil_block_couplings *b = work->A->couplings;
    for (int c = CHUNK * chunk; c < CHUNK * (chunk + 1) && c < b->count; c++) {
        const coupled_rows *it = &b->list[c];
        lil_float4 u[LIL_COUPLING];
        for (int i = 0; i < LIL_COUPLING; i++)
            u[i] = it->row[i] >= 0 ? lil_row_upper(work->A->iR[it->row[i]], work->x[it->row[i]]) : (lil_float4){ 0 };
        for (int i = 0; i < LIL_COUPLING; i++) {
            lil_float4 f = { 0 };
            for (int j = 0; j < LIL_COUPLING; j++)
                if (j != i)
                    f += lil_row_block(it->H[i][j], u[j]);
            b->f[LIL_COUPLING * c + i] = f;
        }
    }
}

/* C x of the rows that are coupled; x'C x */
LIL_KERNEL static void add_forces(void *data, int chunk)
{
    const job *work = data;
    const lil_blocks *A = work->A;
    const struct lil_block_couplings *b = A->couplings;
    double sum = 0;
    for (int i = CHUNK * chunk; i < CHUNK * (chunk + 1) && i < b->row_count; i++) {
        int row = b->rows[i];
        lil_float4 f = { 0 };
        for (int e = b->begin[i]; e < b->begin[i + 1]; e++)
            f += b->f[b->parts[e]];
        if (b->carried[i] >= 0)
            f += work->carried[b->carried[i]];
        f = lil_row_lower(A->iL[row], f);
        lil_float4 xf = work->x[row] * f;
        b->Cx[row] = f;
        sum += ((double)xf[0] + xf[1]) + xf[2];
    }
    b->sums[chunk] = sum;
}

const lil_float4 *lil_blocks_couplings_multiply(const lil_blocks *A, const lil_float4 *x, double *xCx)
{
    const struct lil_block_couplings *b = A->couplings;
    *xCx = 0;
    if (!b || !b->row_count)
        return NULL;
    job work = { .A = A, .x = x, .carried = lil_blocks_carried_forces(A, x) };
    int chunks = (b->row_count + CHUNK - 1) / CHUNK;
    lil_parallel(A->threads, (b->count + CHUNK - 1) / CHUNK, find_forces, &work);
    lil_parallel(A->threads, chunks, add_forces, &work);
    for (int c = 0; c < chunks; c++)
        *xCx += b->sums[c];
    return b->Cx;
}

double lil_blocks_couplings_add(const lil_blocks *A, const lil_float4 *x, lil_float4 *y)
{
    double xCx;
    const struct lil_block_couplings *b = A->couplings;
    const lil_float4 *Cx = lil_blocks_couplings_multiply(A, x, &xCx);
    for (int i = 0; Cx && i < b->row_count; i++)
        y[b->rows[i]] += Cx[b->rows[i]];
    return xCx;
}
