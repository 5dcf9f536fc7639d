#include "discrete/bound_energy.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the pattern of (B2) ---- */

/* Entries of G in the order of their rows, those of free columns alone. */
static lil_status sort_by_row(lil_context *ctx, lil_arena *arena, lil_bound_energy *b)
{
    const lil_rows_matrix *G = &b->c.G;
    LIL_ALLOC(ctx, arena, b->row_first, G->m + 2);
    LIL_ALLOC(ctx, arena, b->by_row, G->count);
    int *next = b->row_first + 1;
    for (int k = 0; k < G->count; k++)
        if (G->col[k] >= 0)
            next[G->row[k] + 1]++;
    for (int i = 0; i < G->m; i++)
        next[i + 1] += next[i];
    for (int k = 0; k < G->count; k++)
        if (G->col[k] >= 0)
            b->by_row[next[G->row[k]]++] = k;
    return LIL_OK;
}

static int64_t count_products(const lil_bound_energy *b)
{
    int64_t sum = 0;
    for (int i = 0; i < b->c.G.m; i++) {
        int64_t width = b->row_first[i + 1] - b->row_first[i];
        sum += width * width;
    }
    return sum;
}

typedef struct positions {
    int *row, *col, count;
} positions;

static void add_position(positions *p, int row, int col)
{
    p->row[p->count] = row;
    p->col[p->count++] = col;
}

static void list_positions(const lil_bound_energy *b, const lil_pattern *H, positions *p)
{
    const lil_rows_matrix *G = &b->c.G;
    const lil_geometric_stiffness *curved = &b->c.curved;
    for (int j = 0; j < H->n; j++)
        for (int k = H->start[j]; k < H->start[j + 1]; k++)
            add_position(p, H->row[k], j);
    for (int k = 0; k < curved->count; k++) { /* pinned: a place that exists anyway */
        bool free = curved->a[k] >= 0 && curved->b[k] >= 0;
        add_position(p, free ? curved->a[k] : 0, free ? curved->b[k] : 0);
    }
    for (int i = 0; i < G->m; i++)
        for (int k = b->row_first[i]; k < b->row_first[i + 1]; k++)
            for (int l = b->row_first[i]; l < b->row_first[i + 1]; l++)
                add_position(p, G->col[b->by_row[k]], G->col[b->by_row[l]]);
}

static lil_status place(lil_context *ctx, lil_arena *arena, const lil_evaluator *ev, const int *where,
                        lil_bound_energy *b)
{
    const lil_pattern *H = &ev->matrix.pattern;
    lil_geometric_stiffness *curved = &b->c.curved;
    LIL_TRY(lil_assembly_place(ctx, arena, ev->model, ev->entries, &ev->matrix, where, b->pattern.count, &b->matrix));
    where += H->count;
    for (int k = 0; k < curved->count; k++)
        curved->where[k] = curved->a[k] >= 0 && curved->b[k] >= 0 ? where[k] : -1;
    where += curved->count;
    int64_t products = count_products(b);
    LIL_ALLOC(ctx, arena, b->where_G, products);
    memcpy(b->where_G, where, (size_t)products * sizeof *where);
    return LIL_OK;
}

static lil_status create_pattern(lil_context *ctx, lil_arena *arena, const lil_evaluator *ev, lil_bound_energy *b)
{
    const lil_pattern *H = &ev->matrix.pattern;
    int64_t total = (int64_t)H->count + b->c.curved.count + count_products(b);
    if (total > INT32_MAX / 2)
        return lil_fail(ctx, LIL_ERR_LIMIT, "too many constraints act on one coordinate");
    size_t size = ((size_t)total + 1) * sizeof(int);
    positions p = { malloc(size), malloc(size), 0 };
    int *where = malloc(size);
    lil_status status = p.row && p.col && where ? LIL_OK : lil_fail_memory(ctx);
    if (status == LIL_OK) {
        list_positions(b, H, &p);
        status = lil_pattern_create(ctx, arena, H->n, p.row, p.col, p.count, &b->pattern, where);
    }
    if (status == LIL_OK)
        status = place(ctx, arena, ev, where, b);
    free(p.row);
    free(p.col);
    free(where);
    return status;
}

lil_status lil_bound_energy_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, lil_bound_energy *b)
{
    *b = (lil_bound_energy){ 0 };
    LIL_TRY(lil_constrained_create(ctx, arena, ev, LIL_BOUND_EXPLICIT, &b->c));
    LIL_ALLOC_ALL(ctx, arena, double, b->c.G.m, &b->y, &b->f, &b->g);
    LIL_ALLOC(ctx, arena, b->G, b->c.G.count);
    LIL_TRY(sort_by_row(ctx, arena, b));
    return create_pattern(ctx, arena, ev, b);
}

/* ---- values ---- */

/* g, G and f at (t, q) */
static void look(lil_bound_energy *b, double t, const double *q)
{
    lil_constrained_look(&b->c, t, q, b->g, b->G);
    for (int i = 0; i < b->c.G.m; i++)
        b->f[i] = b->y[i] - b->rho * b->g[i];
}

lil_status lil_bound_energy_begin(lil_bound_energy *b, double t, const double *q, const double *zero,
                                  const double *gradient)
{
    lil_constrained *c = &b->c;
    for (int k = 0; k < c->G.n; k++)
        c->r[k] = -gradient[k];
    lil_status status = lil_constrained_make(c, t, q, zero);
    if (status != LIL_OK)
        return status;
    /* G M^-1 G'y = -G M^-1 Q, as (C2) at rest */
    memset(c->s, 0, (size_t)c->G.m * sizeof *c->s);
    lil_saddle_solve(&c->mass, c->r, c->s, c->dv, b->y);
    for (int i = 0; i < c->G.m; i++)
        b->y[i] = -b->y[i];
    return LIL_OK;
}

void lil_bound_energy_add(lil_bound_energy *b, double t, const double *q, double *W, double *gradient, double *size_W,
                          double *size_gradient)
{
    const lil_rows_matrix *G = &b->c.G;
    look(b, t, q);
    lil_constrained_measure(&b->c, b->G, t, q);
    double sum = 0, own = 0, forces = 0;
    for (int i = 0; i < G->m; i++) {
        sum += b->g[i] * (b->rho / 2 * b->g[i] - b->y[i]);
        own += b->c.size[i] * (b->rho * fabs(b->g[i]) + fabs(b->y[i]));
        forces += (fabs(b->f[i]) + b->rho * b->c.size[i]) * (fabs(b->f[i]) + b->rho * b->c.size[i]);
    }
    for (int k = 0; k < G->count; k++)
        if (G->col[k] >= 0)
            gradient[G->col[k]] -= b->G[k] * b->f[G->row[k]];
    *W += sum;
    *size_W += own;
    *size_gradient += sqrt(forces);
}

void lil_bound_energy_second(lil_bound_energy *b, double t, const double *q, double weight, double *values)
{
    lil_constrained *c = &b->c;
    look(b, t, q);
    const double *x = lil_positions_of(&c->ev->full, t, q);
    for (int i = 0; i < c->slices.count; i++)
        lil_constrained_curve_slice(c, i, x);
    lil_geometric_stiffness_add(&c->curved, 0, c->curved.count, weight, b->f, values);
    const int *where = b->where_G;
    for (int i = 0; i < c->G.m; i++)
        for (int k = b->row_first[i]; k < b->row_first[i + 1]; k++)
            for (int l = b->row_first[i]; l < b->row_first[i + 1]; l++)
                values[*where++] += weight * b->rho * b->G[b->by_row[k]] * b->G[b->by_row[l]];
}

double lil_bound_energy_update(lil_bound_energy *b, double t, const double *q)
{
    look(b, t, q);
    lil_constrained_measure(&b->c, b->G, t, q);
    memcpy(b->y, b->f, (size_t)b->c.G.m * sizeof *b->y);
    return lil_constrained_off(&b->c, b->g);
}
