#include "discrete/coupled.h"

#include "solvers/gcr.h"

#include <math.h>
#include <string.h>

static const double ENOUGH = 1e-8; /* relative to the solution: Newton's method needs no more digits */

lil_status lil_coupled_create(lil_context *ctx, lil_arena *arena, const lil_saddle *saddle,
                              const lil_pattern *pattern, lil_coupled *c)
{
    *c = (lil_coupled){ .list.arena = arena, .pattern = pattern, .where = saddle->where };
    c->room = LIL_NEW(arena, double, lil_gcr_room(saddle->G->n) + 3 * (size_t)saddle->G->n);
    c->none = LIL_NEW(arena, double, saddle->G->m);
    return c->room && c->none ? LIL_OK : lil_fail_memory(ctx);
}

/* Where (row, col) is among the entries of the pattern; -1: nowhere. */
static int coupled_find(const lil_pattern *p, int row, int col)
{
    int low = p->start[col], high = p->start[col + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->start[col + 1] && p->row[low] == row ? low : -1;
}

/* The block of two vertices of a coupling. */
static void place_block(lil_coupled *c, lil_coupling *it, int a, int b, double *values)
{
    for (int e = 0; e < 9; e++) {
        int at = coupled_find(c->pattern, 3 * it->at[a] + e / 3, 3 * it->at[b] + e % 3);
        double *H = &it->H[3 * a + e / 3][3 * b + e % 3];
        if (at < 0)
            continue;
        values[c->where[at]] += *H;
        *H = 0;
    }
}

void lil_coupled_place(lil_coupled *c, double *values)
{
    int left = 0;
    for (int i = 0; i < c->list.count; i++) {
        lil_coupling it = c->list.list[i];
        bool carried = lil_coupling_is_carried(&c->list, &it); /* its rows have no block of their own */
        double rest = 0;
        for (int k = 0; k < it.count * it.count && !carried; k++)
            if (it.at[k / it.count] >= 0 && it.at[k % it.count] >= 0)
                place_block(c, &it, k / it.count, k % it.count, values);
        for (int k = 0; k < 9 * it.count * it.count; k++) {
            int row = k / (3 * it.count), col = k % (3 * it.count);
            if (it.at[row / 3] >= 0 && it.at[col / 3] >= 0)
                rest = fmax(rest, fabs(it.H[row][col]));
        }
        if (rest > 0)
            c->list.list[left++] = it;
    }
    c->list.count = left;
}

/* The k-th row of a point (-1: fixed) and its weight there. A vertex has one row, a carried point several. False:
 * there is no k-th. */
static bool coupled_rows_of(const lil_coupled *c, int at, int k, int *row, double *weight)
{
    const lil_carried *p = c->list.carried;
    if (!p || at < p->vertex_count) {
        *row = at;
        *weight = 1;
        return at >= 0 && k == 0;
    }
    int from = p->begin[at - p->vertex_count] + k;
    if (from >= p->begin[at - p->vertex_count + 1])
        return false;
    *row = lil_couplings_row(c->list.number, p->vertex[from]);
    *weight = p->weight[from];
    return true;
}

/* y = R x */
static void coupled_multiply(const lil_coupled *c, int n, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int i = 0; i < c->list.count; i++) {
        const lil_coupling *it = &c->list.list[i];
        double u[3 * LIL_COUPLING] = { 0 }, weight;
        int row;
        for (int a = 0; a < it->count; a++)
            for (int k = 0; coupled_rows_of(c, it->at[a], k, &row, &weight); k++)
                for (int e = 0; e < 3 && row >= 0; e++)
                    u[3 * a + e] += weight * x[3 * row + e];
        for (int a = 0; a < it->count; a++) {
            double f[3] = { 0 };
            for (int e = 0; e < 9 * it->count; e++)
                f[e / (3 * it->count)] +=
                    it->H[3 * a + e / (3 * it->count)][e % (3 * it->count)] * u[e % (3 * it->count)];
            for (int k = 0; coupled_rows_of(c, it->at[a], k, &row, &weight); k++)
                for (int e = 0; e < 3 && row >= 0; e++)
                    y[3 * row + e] += weight * f[e];
        }
    }
}

typedef struct rest {
    lil_coupled *c;
    lil_saddle *saddle;
    double *work, *y;
} rest;

/* q = (1 + R S) z of (C5), z the residual itself */
static void rest_direction(void *self, const double *r, double *z, double *q)
{
    const rest *it = self;
    int n = it->saddle->G->n;
    memcpy(z, r, (size_t)n * sizeof *z);
    lil_saddle_solve(it->saddle, z, it->c->none, it->work, it->y);
    coupled_multiply(it->c, n, it->work, q);
    lil_add(n, 1, z, q);
}

void lil_coupled_solve(lil_coupled *c, lil_saddle *saddle, const double *r, const double *s, double *x, double *y)
{
    int n = saddle->G->n;
    lil_saddle_solve(saddle, r, s, x, y);
    if (!c->pattern || !c->list.count)
        return;
    double *u = c->room, *left = u + n;
    rest it = { c, saddle, left + n, y };
    lil_gcr gcr = {
        .n = n, .room = it.work + n, .direction = rest_direction, .self = &it, .enough = ENOUGH, .most = 200
    };
    coupled_multiply(c, n, x, left);
    lil_gcr_solve(&gcr, left, u);
    c->iterations = gcr.iterations;
    for (int i = 0; i < n; i++)
        u[i] = (r ? r[i] : 0) - u[i];
    lil_saddle_solve(saddle, u, s, x, y);
}
