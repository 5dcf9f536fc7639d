/*
 * L(t, q, v), W(t, q) or F(t, q, v) from the user's C functions. Without the derivative by t, which only the
 * certificate needs, the values are differenced. Second derivatives: callback_second.c.
 */
#include "terms/callback.h"

#include "math/vector.h"

#include <math.h>
#include <stdio.h>

/* ---- build ---- */

/* Checks the patterns of qq, qv, vv and copies them. Without any entries matrices are dense. */
static lil_status callback_set_blocks(lil_context *ctx, lil_arena *arena, lil_callback *d,
                                      const lil_sparsity *const from[3], const char *const names[3])
{
    int64_t count = 0;
    for (int k = 0; k < 3 && from[k]; k++) {
        LIL_TRY(lil_sparsity_check(ctx, names[k], d->n, from[k], d->place != LIL_FORCE && k != 1));
        count += from[k]->count;
    }
    if (count > INT32_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "second derivatives may have at most %d entries", INT32_MAX);
    d->sparse = count > 0;
    for (int k = 0; k < 3 && from[k]; k++)
        LIL_TRY(lil_sparsity_copy(ctx, arena, from[k], &d->block[k]));
    return LIL_OK;
}

lil_status lil_term_lagrangian(lil_context *ctx, lil_arena *arena, const lil_lagrangian_def *def, lil_term *term)
{
    lil_callback *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = (lil_callback){ .n = def->n, .place = LIL_LAGRANGIAN, .lagrangian = *def };
    LIL_TRY(callback_set_blocks(ctx, arena, d, (const lil_sparsity *[3]){ &def->qq, &def->qv, &def->vv },
                                (const char *[3]){ "def->qq", "def->qv", "def->vv" }));
    if (d->sparse && !d->block[2].count)
        return lil_fail(
            ctx, LIL_ERR_ARGUMENT,
            "def->vv has no entries while others have: d2L/dv2 would be 0, and nothing would have inertia");
    *term =
        (lil_term){ .table = &lil_callback_lagrangian, .data = d, .uses_t = true, .uses_q = true, .uses_v = true };
    return LIL_OK;
}

lil_status lil_term_potential(lil_context *ctx, lil_arena *arena, const lil_separable_def *def, lil_term *term)
{
    lil_callback *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = (lil_callback){ .n = def->n, .place = LIL_POTENTIAL, .separable = *def };
    LIL_TRY(callback_set_blocks(ctx, arena, d, (const lil_sparsity *[3]){ &def->qq, NULL, NULL },
                                (const char *[3]){ "def->qq", NULL, NULL }));
    *term = (lil_term){ .table = &lil_callback_potential, .data = d, .uses_t = true, .uses_q = true };
    return LIL_OK;
}

lil_status lil_term_force(lil_context *ctx, lil_arena *arena, int n, const lil_force *def, lil_term *term)
{
    lil_callback *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = (lil_callback){ .n = n, .place = LIL_FORCE, .force = *def };
    LIL_TRY(callback_set_blocks(ctx, arena, d, (const lil_sparsity *[3]){ &def->Fq, &def->Fv, NULL },
                                (const char *[3]){ "force.Fq", "force.Fv", NULL }));
    if (def->only_time && (d->sparse || def->derivatives))
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "a force that depends on t alone (only_time) has no derivatives by positions and velocities");
    bool moves = !def->only_time;
    *term = (lil_term){ .table = &lil_callback_force, .data = d, .uses_t = true, .uses_q = moves, .uses_v = moves };
    return LIL_OK;
}

/* ---- values and first derivatives ---- */

static const char *callback_name_of(const lil_callback *d)
{
    return d->place == LIL_LAGRANGIAN ? "lagrangian" : d->place == LIL_POTENTIAL ? "potential" : "force";
}

void lil_callback_call(const lil_callback *d, lil_callback_work *w, double t, const double *q, const double *v,
                       double *value, double *gq, double *gv)
{
    double unused = 0;
    bool exists = d->place == LIL_LAGRANGIAN  ? d->lagrangian.lagrangian(d->lagrangian.user, t, q, v, value, gq, gv)
                  : d->place == LIL_POTENTIAL ? d->separable.potential(d->separable.user, t, q, value, gq)
                                              : d->force.force(d->force.user, t, q, v, gq);
    if (d->place == LIL_FORCE)
        value = &unused;
    if (exists && isfinite(*value) && (!gq || lil_all_finite(d->n, gq)) && (!gv || lil_all_finite(d->n, gv)))
        return;
    w->refused = callback_name_of(d);
    w->refused_t = t;
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

static void callback_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_callback *d = data;
    lil_callback_work *w = work;
    double L = 0;
    lil_callback_call(d, w, at->t, at->q, at->v, &L, sums->gq ? w->gq : NULL, sums->gv ? w->gv : NULL);
    lil_sums_add(sums, L);
    for (int i = 0; sums->gq && i < d->n; i++)
        sums->gq[i] += w->gq[i];
    for (int i = 0; sums->gv && i < d->n; i++)
        sums->gv[i] += w->gv[i];
}

static lil_status callback_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                 lil_entries *entries)
{
    const lil_callback *d = data;
    lil_callback_work *w = LIL_NEW(arena, lil_callback_work, 1);
    double *vectors = LIL_NEW(arena, double, 8 * (size_t)d->n);
    LIL_HAVE(ctx, w && vectors);
    double **slots[] = { &w->gq, &w->gv, &w->q, &w->v, &w->plus_q, &w->plus_v, &w->minus_q, &w->minus_v };
    for (int k = 0; k < 8; k++)
        *slots[k] = vectors + k * (size_t)d->n;
    *work = w;
    return second ? lil_callback_begin_second(ctx, d, arena, w, entries) : LIL_OK;
}

/* ---- what is not finite ---- */

static int first_bad(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* "returned false" or "gave dW/dq[3] = nan". False: it does neither at (t, q, v). */
static bool find_cause(const lil_callback *d, lil_callback_work *w, double t, const double *q, const double *v,
                       char *cause, size_t size)
{
    const char *value_name = d->place == LIL_LAGRANGIAN ? "L" : "W";
    const char *gq_name = d->place == LIL_LAGRANGIAN ? "dL/dq" : d->place == LIL_POTENTIAL ? "dW/dq" : "F";
    double value = 0, *gv = d->place == LIL_LAGRANGIAN ? w->gv : NULL;
    bool exists = d->place == LIL_LAGRANGIAN
                      ? d->lagrangian.lagrangian(d->lagrangian.user, t, q, v, &value, w->gq, gv)
                  : d->place == LIL_POTENTIAL ? d->separable.potential(d->separable.user, t, q, &value, w->gq)
                                              : d->force.force(d->force.user, t, q, v, w->gq);
    int bad_q = exists ? first_bad(d->n, w->gq) : -1, bad_v = exists && gv ? first_bad(d->n, gv) : -1;
    if (!exists)
        snprintf(cause, size, "returned false");
    else if (!isfinite(value))
        snprintf(cause, size, "gave %s = %g", value_name, isnan(value) ? (double)NAN : value);
    else if (bad_q >= 0)
        snprintf(cause, size, "gave %s[%d] = %g", gq_name, bad_q, isnan(w->gq[bad_q]) ? (double)NAN : w->gq[bad_q]);
    else if (bad_v >= 0)
        snprintf(cause, size, "gave dL/dv[%d] = %g", bad_v, isnan(gv[bad_v]) ? (double)NAN : gv[bad_v]);
    else
        return false;
    return true;
}

static bool callback_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const lil_callback *d = data;
    char cause[96];
    if (!find_cause(d, work, at->t, at->q, at->v, cause, sizeof cause))
        return false;
    snprintf(sentence, size, "the callback '%s' refused: it %s", callback_name_of(d), cause);
    return true;
}

static bool callback_refused(const void *data, const void *work, double t, double h, char *sentence, size_t size)
{
    const lil_callback_work *w = work;
    (void)data;
    if (!w->refused || (w->refused_t - t) * h < 0)
        return false;
    snprintf(sentence, size,
             "the callback '%s' refused at t = %.9g: it returned false, or a number that is not finite", w->refused,
             w->refused_t);
    return true;
}

/* ---- the derivative by t ---- */

static double value_at(const lil_callback *d, lil_callback_work *w, double t, const double *q, const double *v)
{
    double value = 0;
    lil_callback_call(d, w, t, q, v, &value, NULL, NULL);
    return value;
}

/* Without the user's own: central differences of order 4 over a small part of the step, which resolves what L does
 * in t. An L whose value is the same to the last bit a little later does not depend on t, and costs no more than
 * the two values. */
static double callback_rate(const void *data, void *work, const lil_at *at, double span)
{
    const lil_callback *d = data;
    lil_callback_work *w = work;
    double by_t = NAN;
    if (d->lagrangian.rate)
        return d->lagrangian.rate(d->lagrangian.user, at->t, at->q, at->v, &by_t) ? by_t : NAN;
    if (d->separable.rate)
        return d->separable.rate(d->separable.user, at->t, at->q, &by_t) ? by_t : NAN;
    const double later = at->t + fabs(span) / 16, s = later - at->t; /* t + s, t + 2 s are then what they say */
    double a = value_at(d, w, at->t + s, at->q, at->v), b = value_at(d, w, at->t + 2 * s, at->q, at->v);
    if (a == b)
        return 0;
    return (8 * (a - value_at(d, w, at->t - s, at->q, at->v)) - (b - value_at(d, w, at->t - 2 * s, at->q, at->v))) /
           (12 * s);
}

#define CALLBACK_FUNCTIONS                                                                                           \
    .begin = callback_begin, .evaluate = callback_evaluate, .second = lil_callback_second,                           \
    .explain = callback_explain, .refused = callback_refused

const lil_term_table lil_callback_lagrangian = {
    .name = "lagrangian-callback",
    .doc = "L(t, q, v) from C",
    .place = LIL_LAGRANGIAN,
    .rate = callback_rate,
    CALLBACK_FUNCTIONS,
};

const lil_term_table lil_callback_potential = {
    .name = "potential-callback",
    .doc = "W(t, q) from C",
    .place = LIL_POTENTIAL,
    .rate = callback_rate,
    CALLBACK_FUNCTIONS,
};

const lil_term_table lil_callback_force = {
    .name = "force-callback",
    .doc = "F(t, q, v) from C",
    .place = LIL_FORCE,
    CALLBACK_FUNCTIONS,
};
