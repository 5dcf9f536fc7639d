/*
 * L(t, q, v) or W(t, q) from the user's C functions. Without second derivatives the first ones are differenced,
 * centrally, with steps of eps^(1/3): good to about 1e-10, which Newton's method needs only for its direction. Without the
 * derivative by t, which only the certificate needs, the values are differenced.
 */
#include "terms/callback.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DENSE_MAX = 5000 };

typedef struct callback_term {
    int n;
    lil_lagrangian_def lagrangian;
    lil_separable_def separable;
} callback_term;

typedef struct callback_work {
    double *gq, *gv, *qq, *qv, *vv;                      /* what the callbacks fill: vectors, and n x n by rows */
    double *q, *v, *plus_q, *plus_v, *minus_q, *minus_v; /* for differencing */
} callback_work;

lil_status lil_term_lagrangian(lil_context *ctx, lil_arena *arena, const lil_lagrangian_def *def, lil_term *term)
{
    callback_term *d = LIL_NEW(arena, callback_term, 1);
    if (!d)
        return lil_fail_memory(ctx);
    *d = (callback_term){ .n = def->n, .lagrangian = *def };
    *term =
        (lil_term){ .table = &lil_callback_lagrangian, .data = d, .uses_t = true, .uses_q = true, .uses_v = true };
    return LIL_OK;
}

lil_status lil_term_potential(lil_context *ctx, lil_arena *arena, const lil_separable_def *def, lil_term *term)
{
    callback_term *d = LIL_NEW(arena, callback_term, 1);
    if (!d)
        return lil_fail_memory(ctx);
    *d = (callback_term){ .n = def->n, .separable = *def };
    *term = (lil_term){ .table = &lil_callback_potential, .data = d, .uses_t = true, .uses_q = true };
    return LIL_OK;
}

/* ---- values and first derivatives ---- */

/* Overwrites value, gq, gv; NaN where the callback refuses. */
static void call(const callback_term *d, double t, const double *q, const double *v, double *value, double *gq,
                 double *gv)
{
    bool exists = d->lagrangian.lagrangian ? d->lagrangian.lagrangian(d->lagrangian.user, t, q, v, value, gq, gv)
                                           : d->separable.potential(d->separable.user, t, q, value, gq);
    if (exists)
        return;
    *value = NAN;
    for (int i = 0; i < d->n; i++) {
        if (gq)
            gq[i] = NAN;
        if (gv)
            gv[i] = NAN;
    }
}

static void evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                     double *gq, double *gv)
{
    const callback_term *d = data;
    callback_work *w = work;
    double L = 0;
    call(d, t, q, v, &L, gq ? w->gq : NULL, gv ? w->gv : NULL);
    if (value)
        *value += L;
    for (int i = 0; gq && i < d->n; i++)
        gq[i] += w->gq[i];
    for (int i = 0; gv && i < d->n; i++)
        gv[i] += w->gv[i];
}

/* ---- the derivative by t ---- */

static double value_at(const callback_term *d, double t, const double *q, const double *v)
{
    double value = 0;
    call(d, t, q, v, &value, NULL, NULL);
    return value;
}

/*
 * Without the user's own: central differences of order 4 over a small part of the step, which resolves what L does in t. An L
 * whose value is the same to the last bit a little later does not depend on t, and costs no more than the two values.
 */
static double rate(const void *data, void *work, double t, const double *q, const double *v, double span)
{
    const callback_term *d = data;
    double by_t = NAN;
    (void)work;
    if (d->lagrangian.rate)
        return d->lagrangian.rate(d->lagrangian.user, t, q, v, &by_t) ? by_t : NAN;
    if (d->separable.rate)
        return d->separable.rate(d->separable.user, t, q, &by_t) ? by_t : NAN;
    const double later = t + fabs(span) / 16, s = later - t; /* t + s, t + 2 s are then what they say */
    double a = value_at(d, t + s, q, v), b = value_at(d, t + 2 * s, q, v);
    if (a == b)
        return 0;
    return (8 * (a - value_at(d, t - s, q, v)) - (b - value_at(d, t - 2 * s, q, v))) / (12 * s);
}

/* ---- second derivatives ---- */

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const callback_term *d = data;
    int n = d->n, nn = n <= DENSE_MAX ? n * n : 0, blocks = d->lagrangian.lagrangian ? 3 : 1;
    callback_work *w = LIL_NEW(arena, callback_work, 1);
    double *vectors = LIL_NEW(arena, double, 8 * (size_t)n);
    if (!w || !vectors)
        return lil_fail_memory(ctx);
    double **slots[] = { &w->gq, &w->gv, &w->q, &w->v, &w->plus_q, &w->plus_v, &w->minus_q, &w->minus_v };
    for (int k = 0; k < 8; k++)
        *slots[k] = vectors + k * n;
    *work = w;
    if (!second)
        return LIL_OK;
    if (n > DENSE_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT,
                        "second derivatives of a callback model are dense: at most %d coordinates, not %d", DENSE_MAX,
                        n);
    double *matrices = LIL_NEW(arena, double, 3 * (size_t)nn);
    entries->row = LIL_NEW(arena, int, blocks *(size_t)nn);
    entries->col = LIL_NEW(arena, int, blocks *(size_t)nn);
    if (!matrices || !entries->row || !entries->col)
        return lil_fail_memory(ctx);
    w->qq = matrices;
    w->qv = matrices + nn;
    w->vv = matrices + 2 * (size_t)nn;
    entries->qq = nn;
    entries->qv = entries->vv = blocks == 3 ? nn : 0;
    for (int k = 0; k < blocks * nn; k++) {
        entries->row[k] = k % nn / n;
        entries->col[k] = k % n;
    }
    return LIL_OK;
}

/* Column j of the second derivatives: x[j] is q[j] or v[j], x its perturbed copy. */
static void difference(const callback_term *d, callback_work *w, double t, double *x, int j, double *q_column,
                       double *v_column)
{
    int n = d->n;
    double kept = x[j], h = cbrt(DBL_EPSILON) * fmax(1, fabs(kept)), L;
    double *plus_v = d->lagrangian.lagrangian ? w->plus_v : NULL, *minus_v = plus_v ? w->minus_v : NULL;
    x[j] = kept + h;
    call(d, t, w->q, w->v, &L, w->plus_q, plus_v);
    x[j] = kept - h;
    call(d, t, w->q, w->v, &L, w->minus_q, minus_v);
    x[j] = kept;
    for (int i = 0; i < n; i++) {
        if (q_column)
            q_column[i * n + j] = (w->plus_q[i] - w->minus_q[i]) / (2 * h);
        if (v_column)
            v_column[i * n + j] = (w->plus_v[i] - w->minus_v[i]) / (2 * h);
    }
}

static void symmetrise(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}

static void second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const callback_term *d = data;
    callback_work *w = work;
    size_t n = (size_t)d->n;
    bool general = d->lagrangian.lagrangian, exists = true;
    if (d->lagrangian.hessian) {
        exists = d->lagrangian.hessian(d->lagrangian.user, t, q, v, w->qq, w->qv, w->vv);
    } else if (d->separable.hessian) {
        exists = d->separable.hessian(d->separable.user, t, q, w->qq);
    } else {
        memcpy(w->q, q, n * sizeof *q);
        if (general)
            memcpy(w->v, v, n * sizeof *v);
        for (int j = 0; j < d->n; j++)
            difference(d, w, t, w->q, j, w->qq, NULL);
        for (int j = 0; general && j < d->n; j++)
            difference(d, w, t, w->v, j, w->qv, w->vv);
        symmetrise(d->n, w->qq);
        symmetrise(d->n, w->vv);
    }
    size_t count = (general ? 3 : 1) * n * n;
    memcpy(values, w->qq, count * sizeof *values); /* qq, qv, vv stand in a row */
    for (size_t k = 0; !exists && k < count; k++)
        values[k] = NAN;
}

const lil_term_table lil_callback_lagrangian = {
    .name = "lagrangian-callback",
    .doc = "L(t, q, v) from C",
    .place = LIL_LAGRANGIAN,
    .rate = rate,
    .begin = begin,
    .evaluate = evaluate,
    .second = second,
};

const lil_term_table lil_callback_potential = {
    .name = "potential-callback",
    .doc = "W(t, q) from C",
    .place = LIL_POTENTIAL,
    .rate = rate,
    .begin = begin,
    .evaluate = evaluate,
    .second = second,
};
