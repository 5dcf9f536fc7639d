/*
 * Second derivatives of callbacks: the user's own, dense or sparse; or first ones differenced, centrally, with steps
 * of eps^(1/3): good to about 1e-10, which Newton's method needs only for its direction.
 */
#include "terms/callback.h"

#include "math/difference.h"
#include "math/vector.h"
#include "terms/entries.h"

#include <math.h>
#include <string.h>

enum { DENSE_MAX = 5000 };

static int block_count(const lil_callback *d) /* qq; FORCE: and qv; LAGRANGIAN: and vv */
{
    return d->place == LIL_LAGRANGIAN ? 3 : d->place == LIL_POTENTIAL || d->force.only_time ? 1 : 2;
}

static bool has_own(const lil_callback *d)
{
    return d->lagrangian.hessian || d->separable.hessian || d->force.derivatives;
}

/* The user's, to three places; false: it refuses. */
static bool call_own(const lil_callback *d, double t, const double *q, const double *v, double *qq, double *qv,
                     double *vv)
{
    return d->place == LIL_LAGRANGIAN  ? d->lagrangian.hessian(d->lagrangian.user, t, q, v, qq, qv, vv)
           : d->place == LIL_POTENTIAL ? d->separable.hessian(d->separable.user, t, q, qq)
                                       : d->force.derivatives(d->force.user, t, q, v, qq, qv);
}

/* ---- dense ---- */

static lil_status begin_dense(lil_context *ctx, const lil_callback *d, lil_arena *arena, lil_callback_work *w,
                              lil_entries *entries)
{
    int n = d->n, nn = n <= DENSE_MAX ? n * n : 0, blocks = block_count(d);
    if (n > DENSE_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT,
                        "second derivatives of the callback '%s' are dense, for at most %d coordinates, not %d: give "
                        "their sparsity (lil_sparsity)",
                        d->place == LIL_LAGRANGIAN  ? "lagrangian"
                        : d->place == LIL_POTENTIAL ? "potential"
                                                    : "force",
                        DENSE_MAX, n);
    double *matrices;
    LIL_ALLOC(ctx, arena, matrices, 3 * (size_t)nn);
    LIL_TRY(lil_entries_create(ctx, arena, (size_t)blocks * (size_t)nn, entries));
    w->qq = matrices;
    w->qv = matrices + nn;
    w->vv = matrices + 2 * (size_t)nn;
    entries->qq = nn;
    entries->qv = blocks >= 2 ? nn : 0;
    entries->vv = blocks == 3 ? nn : 0;
    for (int k = 0; k < blocks * nn; k++) {
        entries->row[k] = k % nn / n;
        entries->col[k] = k % n;
    }
    return LIL_OK;
}

/* Column j of the second derivatives: x[j] is q[j] or v[j], x its perturbed copy. */
static void difference_dense(const lil_callback *d, lil_callback_work *w, double t, double *x, int j,
                             double *q_column, double *v_column)
{
    int n = d->n;
    double kept = x[j], h = lil_difference_step(kept), L;
    double *plus_v = d->place == LIL_LAGRANGIAN ? w->plus_v : NULL, *minus_v = plus_v ? w->minus_v : NULL;
    x[j] = kept + h;
    lil_callback_call(d, w, t, w->q, w->v, &L, w->plus_q, plus_v);
    x[j] = kept - h;
    lil_callback_call(d, w, t, w->q, w->v, &L, w->minus_q, minus_v);
    x[j] = kept;
    for (int i = 0; i < n; i++) {
        if (q_column)
            q_column[i * n + j] = (w->plus_q[i] - w->minus_q[i]) / (2 * h);
        if (v_column)
            v_column[i * n + j] = (w->plus_v[i] - w->minus_v[i]) / (2 * h);
    }
}

static bool second_dense(const lil_callback *d, lil_callback_work *w, double t, const double *q, const double *v)
{
    bool lagrangian = d->place == LIL_LAGRANGIAN;
    if (has_own(d))
        return call_own(d, t, q, v, w->qq, w->qv, w->vv);
    for (int j = 0; j < d->n; j++)
        difference_dense(d, w, t, w->q, j, w->qq, NULL);
    for (int j = 0; block_count(d) > 1 && j < d->n; j++)
        difference_dense(d, w, t, w->v, j, w->qv, lagrangian ? w->vv : NULL);
    if (d->place != LIL_FORCE)
        lil_symmetrise(d->n, w->qq);
    if (lagrangian)
        lil_symmetrise(d->n, w->vv);
    return true;
}

/* ---- sparse ---- */

/* qv and vv are differenced by v together: a column's rows are those of either. vv is listed below qv, in rows n
 * to 2 n - 1. */
static lil_status colour_by_v(lil_context *ctx, const lil_callback *d, lil_arena *arena, lil_callback_work *w)
{
    int qv = d->block[1].count, vv = d->block[2].count;
    int *row = LIL_NEW(arena, int, qv + vv), *col = LIL_NEW(arena, int, qv + vv);
    LIL_HAVE(ctx, row && col);
    for (int k = 0; k < qv + vv; k++) {
        const lil_sparsity *from = &d->block[k < qv ? 1 : 2];
        int e = k < qv ? k : k - qv;
        row[k] = from->row[e] + (k < qv ? 0 : d->n);
        col[k] = from->col[e];
    }
    return lil_sparsity_colour(ctx, arena, 2 * d->n, &(lil_sparsity){ qv + vv, row, col }, &w->by_v);
}

static lil_status begin_differences(lil_context *ctx, const lil_callback *d, lil_arena *arena, lil_callback_work *w)
{
    int first = 0;
    LIL_TRY(lil_sparsity_colour(ctx, arena, d->n, &d->block[0], &w->by_q));
    LIL_TRY(colour_by_v(ctx, d, arena, w));
    LIL_ALLOC(ctx, arena, w->twin, d->block[0].count + d->block[1].count + d->block[2].count);
    for (int b = 0; b < 3; b++) {
        const lil_sparsity *block = &d->block[b];
        int *twin = NULL;
        bool symmetric = d->place != LIL_FORCE && b != 1;
        if (symmetric)
            LIL_TRY(lil_sparsity_twins(ctx, arena, d->n, block, &twin));
        for (int k = 0; k < block->count; k++)
            w->twin[first + k] = symmetric ? first + twin[k] : -1;
        first += block->count;
    }
    return LIL_OK;
}

static lil_status begin_sparse(lil_context *ctx, const lil_callback *d, lil_arena *arena, lil_callback_work *w,
                               lil_entries *entries)
{
    int count = d->block[0].count + d->block[1].count + d->block[2].count, first = 0;
    LIL_TRY(lil_entries_create(ctx, arena, (size_t)count, entries));
    for (int b = 0; b < 3; b++)
        for (int k = 0; k < d->block[b].count; k++, first++) {
            entries->row[first] = d->block[b].row[k];
            entries->col[first] = d->block[b].col[k];
        }
    entries->qq = d->block[0].count;
    entries->qv = d->block[1].count;
    entries->vv = d->block[2].count;
    return has_own(d) ? LIL_OK : begin_differences(ctx, d, arena, w);
}

/* Both gradients a step off `x`, which is q or v, in all columns of a colour. */
static void callback_second_shift(const lil_callback *d, lil_callback_work *w, double t, const lil_colouring *c,
                                  int colour, const double *from, double *x, double sign)
{
    double L, *gq = sign > 0 ? w->plus_q : w->minus_q, *gv = sign > 0 ? w->plus_v : w->minus_v;
    for (int j = 0; j < d->n; j++)
        x[j] = from[j] + (c->colour[j] == colour ? sign * lil_difference_step(from[j]) : 0);
    lil_callback_call(d, w, t, w->q, w->v, &L, gq, d->place == LIL_LAGRANGIAN ? gv : NULL);
}

/* Entries first, first + 1 ... of `values` by q, or by v. */
static void difference_sparse(const lil_callback *d, lil_callback_work *w, double t, bool by_v, const double *from,
                              double *x, double *values)
{
    const lil_colouring *c = by_v ? &w->by_v : &w->by_q;
    int qv = d->block[1].count, first = by_v ? d->block[0].count : 0;
    for (int colour = 0; colour < c->count; colour++) {
        callback_second_shift(d, w, t, c, colour, from, x, 1);
        callback_second_shift(d, w, t, c, colour, from, x, -1);
        for (int k = c->start[colour]; k < c->start[colour + 1]; k++) {
            int e = c->entry[k];
            bool below = by_v && e >= qv; /* in vv */
            const lil_sparsity *block = &d->block[!by_v ? 0 : below ? 2 : 1];
            int i = block->row[below ? e - qv : e], j = block->col[below ? e - qv : e];
            const double *plus = below ? w->plus_v : w->plus_q, *minus = below ? w->minus_v : w->minus_q;
            values[first + e] = (plus[i] - minus[i]) / (2 * lil_difference_step(from[j]));
        }
    }
    memcpy(x, from, (size_t)d->n * sizeof *x);
}

static bool second_sparse(const lil_callback *d, lil_callback_work *w, double t, const double *q, const double *v,
                          double *values)
{
    int qq = d->block[0].count, qv = d->block[1].count, count = qq + qv + d->block[2].count;
    if (has_own(d))
        return call_own(d, t, q, v, values, values + qq, values + qq + qv);
    difference_sparse(d, w, t, false, q, w->q, values);
    if (block_count(d) > 1)
        difference_sparse(d, w, t, true, v, w->v, values);
    for (int k = 0; k < count; k++)
        if (w->twin[k] > k)
            values[k] = values[w->twin[k]] = (values[k] + values[w->twin[k]]) / 2;
    return true;
}

/* ---- the table's ---- */

lil_status lil_callback_begin_second(lil_context *ctx, const lil_callback *d, lil_arena *arena, lil_callback_work *w,
                                     lil_entries *entries)
{
    if (d->force.only_time)
        return LIL_OK;
    return d->sparse ? begin_sparse(ctx, d, arena, w, entries) : begin_dense(ctx, d, arena, w, entries);
}

void lil_callback_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const lil_callback *d = data;
    lil_callback_work *w = work;
    if (d->force.only_time)
        return;
    size_t n = (size_t)d->n, count = (size_t)block_count(d) * n * n;
    double *values = to->entries;
    memcpy(w->q, at->q, n * sizeof *at->q);
    if (at->v)
        memcpy(w->v, at->v, n * sizeof *at->v);
    if (d->sparse)
        count = (size_t)(d->block[0].count + d->block[1].count + d->block[2].count);
    bool exists =
        d->sparse ? second_sparse(d, w, at->t, at->q, at->v, values) : second_dense(d, w, at->t, at->q, at->v);
    if (!d->sparse)
        memcpy(values, w->qq, count * sizeof *values); /* qq, qv, vv are contiguous */
    for (size_t k = 0; !exists && k < count; k++)
        values[k] = NAN;
    if (has_own(d) && (!exists || !lil_all_finite((int)count, values))) {
        w->refused = d->place == LIL_FORCE ? "derivatives" : "hessian";
        w->refused_t = at->t;
    }
}
