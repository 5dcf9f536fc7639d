/*
 * Couplings over carried points, beside a matrix of blocks: C = P'H P. A product takes u = P x of each distinct point
 * once, f = H u of each coupling, and spreads the sum of f at each point to its rows. The matrix has the diagonal
 * blocks of C, exactly
 *
 *     D_r = sum_ab w_ar w_br H_ab
 *
 * over the points a and b of one coupling that share row r; products subtract them again.
 */
#include "solvers/blocks.h"
#include "solvers/blocks_scale.h"

#include <string.h>

enum { CHUNK = 128 }; /* couplings, points or rows that one thread takes at a time */

typedef struct carried_coupling {
    int point[LIL_COUPLING];                /* -1: held */
    float H[LIL_COUPLING][LIL_COUPLING][9]; /* including a = b */
} carried_coupling;

/* A weight of a point at a row. */
typedef struct share {
    int other; /* of a point's: the row; of a row's: the point */
    float weight;
} share;

struct lil_carried_couplings {
    lil_arena *arena;
    carried_coupling *list;
    lil_float4 *f; /* of each coupling: the forces at its points */
    int *parts;    /* places in f, point by point */
    int count, room;
    int *point_of; /* of a vertex's row or a carried point: its index among the distinct points, or -1 */
    int *key;      /*   the inverse of point_of */
    int *begin;    /* of a point: where its shares and its parts begin */
    int *part;
    lil_float4 *u; /* P x, then the force at each point */
    int point_count, point_room;
    share *shares; /* of points, then, by `row_begin`, of rows */
    share *back;
    double *exact; /* weights of shares, not rounded */
    int share_count, share_room;
    int *place; /* n: of own rows, or -1 */
    int *rows, *row_begin;
    double (*D)[9];
    float (*d)[9];
    double (*mixed)[LIL_COUPLING]; /* of a row: its weights in the points of one coupling */
    lil_float4 *force;
    int row_count;
};

/* ---- new values ---- */

static struct lil_carried_couplings *blocks_carry_create(lil_arena *arena, int n)
{
    struct lil_carried_couplings *t = LIL_NEW(arena, struct lil_carried_couplings, 1);
    if (!t)
        return NULL;
    *t = (struct lil_carried_couplings){ .arena = arena,
                                         .place = LIL_NEW(arena, int, n),
                                         .rows = LIL_NEW(arena, int, n),
                                         .row_begin = LIL_NEW(arena, int, n + 1),
                                         .D = lil_arena_alloc(arena, (size_t)n, sizeof *t->D),
                                         .d = lil_arena_alloc(arena, (size_t)n, sizeof *t->d),
                                         .mixed = lil_arena_alloc(arena, (size_t)n, sizeof *t->mixed),
                                         .force = LIL_NEW(arena, lil_float4, n) };
    for (int i = 0; t->place && i < n; i++)
        t->place[i] = -1;
    return t->place && t->rows && t->row_begin && t->D && t->d && t->mixed && t->force ? t : NULL;
}

static bool room_for_points(struct lil_carried_couplings *t, const lil_carried *c)
{
    int most = c->vertex_count + c->count;
    if (most <= t->point_room)
        return true;
    t->point_of = LIL_NEW(t->arena, int, most);
    t->key = LIL_NEW(t->arena, int, most);
    t->begin = LIL_NEW(t->arena, int, most + 1);
    t->part = LIL_NEW(t->arena, int, most + 1);
    t->u = LIL_NEW(t->arena, lil_float4, most);
    t->point_room = t->point_of && t->key && t->begin && t->part && t->u ? most : 0;
    for (int i = 0; i < t->point_room; i++)
        t->point_of[i] = -1;
    return t->point_room;
}

static bool room_for_couplings(struct lil_carried_couplings *t, int count)
{
    if (count <= t->room)
        return true;
    t->list = LIL_NEW(t->arena, carried_coupling, 2 * (size_t)count);
    t->f = LIL_NEW(t->arena, lil_float4, 2 * LIL_COUPLING * (size_t)count);
    t->parts = LIL_NEW(t->arena, int, 2 * LIL_COUPLING * (size_t)count);
    t->room = t->list && t->f && t->parts ? 2 * count : 0;
    return t->room;
}

static bool room_for_shares(struct lil_carried_couplings *t, int count)
{
    if (count <= t->share_room)
        return true;
    t->shares = LIL_NEW(t->arena, share, 2 * (size_t)count);
    t->back = LIL_NEW(t->arena, share, 2 * (size_t)count);
    t->exact = LIL_NEW(t->arena, double, 2 * (size_t)count);
    t->share_room = t->shares && t->back && t->exact ? 2 * count : 0;
    return t->share_room;
}

static void blocks_carry_forget(struct lil_carried_couplings *t)
{
    for (int i = 0; i < t->point_count; i++)
        t->point_of[t->key[i]] = -1;
    for (int i = 0; i < t->row_count; i++)
        t->place[t->rows[i]] = -1;
    t->count = t->point_count = t->share_count = t->row_count = 0;
}

static void blocks_carry_take(struct lil_carried_couplings *t, const lil_coupling *from)
{
    carried_coupling *to = &t->list[t->count++];
    for (int i = 0; i < LIL_COUPLING; i++) {
        int at = i < from->count ? from->at[i] : -1;
        if (at >= 0 && t->point_of[at] < 0) {
            t->part[t->point_count] = 0;
            t->key[t->point_count] = at;
            t->point_of[at] = t->point_count++;
        }
        to->point[i] = at >= 0 ? t->point_of[at] : -1;
        if (at >= 0)
            t->part[to->point[i]]++;
        for (int j = 0; j < LIL_COUPLING; j++)
            for (int e = 0; e < 9; e++)
                to->H[i][j][e] = (float)from->H[3 * i + e / 3][3 * j + e % 3];
    }
}

/* lists the entries of f of each point, in order */
static void blocks_carry_list_parts(struct lil_carried_couplings *t)
{
    for (int i = 1; i < t->point_count; i++)
        t->part[i] += t->part[i - 1];
    t->part[t->point_count] = t->point_count ? t->part[t->point_count - 1] : 0;
    for (int k = LIL_COUPLING * t->count - 1; k >= 0; k--) {
        int point = t->list[k / LIL_COUPLING].point[k % LIL_COUPLING];
        if (point >= 0)
            t->parts[--t->part[point]] = k;
    }
}

static void add_share(struct lil_carried_couplings *t, int row, double weight)
{
    if (t->place[row] < 0) {
        t->row_begin[t->row_count] = 0;
        t->rows[t->row_count] = row;
        t->place[row] = t->row_count++;
    }
    t->row_begin[t->place[row]]++;
    t->exact[t->share_count] = weight;
    t->shares[t->share_count++] = (share){ t->place[row], (float)weight };
}

/* The free rows of each point, and their weights; then the points of each row. */
static bool list_shares(struct lil_carried_couplings *t, const lil_blocks *A, const lil_couplings *c)
{
    const lil_carried *by = c->carried;
    int most = 0;
    for (int i = 0; i < t->point_count; i++) {
        int k = t->key[i] - by->vertex_count;
        most += k < 0 ? 1 : by->begin[k + 1] - by->begin[k];
    }
    if (!room_for_shares(t, most))
        return false;
    for (int i = 0; i < t->point_count; i++) {
        int k = t->key[i] - by->vertex_count;
        t->begin[i] = t->share_count;
        if (k < 0)
            add_share(t, lil_blocks_row(A, t->key[i]), 1);
        for (int e = k < 0 ? 0 : by->begin[k]; k >= 0 && e < by->begin[k + 1]; e++) {
            int row = lil_couplings_row(c->number, by->vertex[e]);
            if (row >= 0)
                add_share(t, lil_blocks_row(A, row), by->weight[e]);
        }
    }
    t->begin[t->point_count] = t->share_count;
    for (int i = 1; i < t->row_count; i++)
        t->row_begin[i] += t->row_begin[i - 1];
    t->row_begin[t->row_count] = t->share_count;
    for (int i = t->point_count - 1; i >= 0; i--)
        for (int e = t->begin[i + 1] - 1; e >= t->begin[i]; e--)
            t->back[--t->row_begin[t->shares[e].other]] = (share){ i, t->shares[e].weight };
    return true;
}

/* D_r += sum_ab w_ar w_br H_ab of one coupling */
static void blocks_carry_add_diagonal(struct lil_carried_couplings *t, const carried_coupling *it,
                                      const lil_coupling *c)
{
    for (int a = 0; a < LIL_COUPLING; a++)
        for (int e = it->point[a] < 0 ? 0 : t->begin[it->point[a]];
             it->point[a] >= 0 && e < t->begin[it->point[a] + 1]; e++)
            t->mixed[t->shares[e].other][a] += t->exact[e];
    for (int a = 0; a < LIL_COUPLING; a++)
        for (int e = it->point[a] < 0 ? 0 : t->begin[it->point[a]];
             it->point[a] >= 0 && e < t->begin[it->point[a] + 1]; e++) {
            int row = t->shares[e].other;
            double *w = t->mixed[row]; /* the first point with this row adds everything */
            for (int i = 0; i < LIL_COUPLING; i++)
                for (int j = 0; j < LIL_COUPLING; j++)
                    for (int k = 0; k < 9 && w[i] != 0 && w[j] != 0; k++)
                        t->D[row][k] += w[i] * w[j] * c->H[3 * i + k / 3][3 * j + k % 3];
            memset(w, 0, sizeof t->mixed[row]);
        }
}

bool lil_blocks_carry(lil_blocks *A, const lil_couplings *c)
{
    int count = 0;
    if (A->carried)
        blocks_carry_forget(A->carried);
    for (int i = 0; i < c->count; i++)
        count += lil_coupling_is_carried(c, &c->list[i]);
    if (!count)
        return true;
    if (!A->carried && !(A->carried = blocks_carry_create(c->arena, A->n)))
        return false;
    struct lil_carried_couplings *t = A->carried;
    if (!room_for_points(t, c->carried) || !room_for_couplings(t, count))
        return false;
    for (int i = 0; i < c->count; i++)
        if (lil_coupling_is_carried(c, &c->list[i]))
            blocks_carry_take(t, &c->list[i]);
    blocks_carry_list_parts(t);
    if (!list_shares(t, A, c))
        return false;
    memset(t->D, 0, (size_t)t->row_count * sizeof *t->D);
    for (int i = 0, k = 0; i < c->count; i++)
        if (lil_coupling_is_carried(c, &c->list[i]))
            blocks_carry_add_diagonal(t, &t->list[k++], &c->list[i]);
    for (int i = 0; i < 9 * t->row_count; i++)
        t->d[i / 9][i % 9] = (float)t->D[i / 9][i % 9];
    return true;
}

int lil_blocks_carried_diagonal(const lil_blocks *A, const int **rows, const double (**D)[9])
{
    const struct lil_carried_couplings *t = A->carried;
    *rows = t ? t->rows : NULL;
    *D = t ? (const double(*)[9])t->D : NULL;
    return t ? t->row_count : 0;
}

/* ---- products ---- */

typedef struct job {
    const lil_blocks *A;
    const lil_float4 *x;
} job;

/* u = P x; the velocity of a row is R^-T x */
LIL_KERNEL static void find_points(void *data, int chunk)
{
    const job *work = data;
    const struct lil_carried_couplings *t = work->A->carried;
    for (int i = CHUNK * chunk; i < CHUNK * (chunk + 1) && i < t->point_count; i++) {
        lil_float4 u = { 0 };
        for (int e = t->begin[i]; e < t->begin[i + 1]; e++) {
            int row = t->rows[t->shares[e].other];
            u += t->shares[e].weight * lil_row_upper(work->A->iR[row], work->x[row]);
        }
        t->u[i] = u;
    }
}

LIL_KERNEL static void find_forces(void *data, int chunk)
{
    const job *work = data;
    const struct lil_carried_couplings *t = work->A->carried;
    for (int c = CHUNK * chunk; c < CHUNK * (chunk + 1) && c < t->count; c++) {
        const carried_coupling *it = &t->list[c];
        for (int i = 0; i < LIL_COUPLING; i++) {
            lil_float4 f = { 0 };
            for (int j = 0; j < LIL_COUPLING; j++)
                if (it->point[j] >= 0)
                    f += lil_row_block(it->H[i][j], t->u[it->point[j]]);
            t->f[LIL_COUPLING * c + i] = f;
        }
    }
}

LIL_KERNEL static void gather_forces(void *data, int chunk)
{
    const job *work = data;
    const struct lil_carried_couplings *t = work->A->carried;
    for (int i = CHUNK * chunk; i < CHUNK * (chunk + 1) && i < t->point_count; i++) {
        lil_float4 f = { 0 };
        for (int e = t->part[i]; e < t->part[i + 1]; e++)
            f += t->f[t->parts[e]];
        t->u[i] = f;
    }
}

LIL_KERNEL static void spread_forces(void *data, int chunk)
{
    const job *work = data;
    const struct lil_carried_couplings *t = work->A->carried;
    for (int i = CHUNK * chunk; i < CHUNK * (chunk + 1) && i < t->row_count; i++) {
        int row = t->rows[i];
        lil_float4 f = -lil_row_block(t->d[i], lil_row_upper(work->A->iR[row], work->x[row]));
        for (int e = t->row_begin[i]; e < t->row_begin[i + 1]; e++)
            f += t->back[e].weight * t->u[t->back[e].other];
        t->force[i] = f;
    }
}

static int chunks(int count)
{
    return (count + CHUNK - 1) / CHUNK;
}

const lil_float4 *lil_blocks_carried_forces(const lil_blocks *A, const lil_float4 *x)
{
    const struct lil_carried_couplings *t = A->carried;
    if (!t || !t->count)
        return NULL;
    job work = { .A = A, .x = x };
    lil_parallel(A->threads, chunks(t->point_count), find_points, &work);
    lil_parallel(A->threads, chunks(t->count), find_forces, &work);
    lil_parallel(A->threads, chunks(t->point_count), gather_forces, &work);
    lil_parallel(A->threads, chunks(t->row_count), spread_forces, &work);
    return t->force;
}
