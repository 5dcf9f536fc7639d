#include "terms/registered.h"

#include "core/kind.h"
#include "math/difference.h"
#include "math/semidefinite.h"
#include "terms/entries.h"

#include <math.h>
#include <stdio.h>

typedef struct registered {
    lil_term_kind kind;
    int count;
    const int *at;    /* kind.coordinates of each element */
    const char *data; /* kind.data_size of each element */
    double sign;      /* POTENTIAL: 1; LAGRANGIAN: -1 */
} registered;

typedef struct registered_work {
    double *x, *g, *K, *room; /* of one element */
    int refused;              /* which element did last, -1: none, and at what time */
    double refused_t;
} registered_work;

/* ---- build ---- */

lil_status lil_context_register_term(lil_context *ctx, const lil_term_kind *kind)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, kind, "kind");
    lil_term_kind *taken;
    LIL_ALLOC(ctx, &ctx->arena, taken, 1);
    LIL_TRY(lil_term_kind_take(ctx, kind, taken));
    return lil_kind_register(ctx, LIL_KIND_TERM, taken->name, taken);
}

lil_status lil_term_kind_take(lil_context *ctx, const lil_term_kind *kind, lil_term_kind *taken)
{
    const size_t least = offsetof(lil_term_kind, hessian) + sizeof kind->hessian;
    LIL_TRY(lil_kind_take(ctx, "term", kind, least, sizeof *taken, taken));
    if (!taken->name)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "kind->name is NULL");
    if (!taken->energy)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "kind->energy is NULL");
    const unsigned claims = LIL_KIND_TRANSLATIONS | LIL_KIND_ROTATIONS | LIL_KIND_TIME;
    return lil_kind_check(ctx, "term", taken->name, taken->coordinates, taken->holds, claims);
}

static lil_status set_kind(lil_context *ctx, const lil_term_set *def, const char *what, registered *d)
{
    if (!def->kind)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s.kind is NULL", what);
    const lil_term_kind *kind = lil_kind_find(ctx, LIL_KIND_TERM, def->kind);
    if (!kind)
        return lil_kind_fail_unknown(ctx, LIL_KIND_TERM, def->kind);
    d->kind = *kind;
    return LIL_OK;
}

static lil_status registered_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                   lil_entries *entries)
{
    const registered *d = data;
    size_t m = (size_t)d->kind.coordinates;
    registered_work *w = *work = LIL_NEW(arena, registered_work, 1);
    double *room = LIL_NEW(arena, double, (5 + m) * m);
    LIL_HAVE(ctx, w && room);
    *w = (registered_work){ .x = room, .g = room + m, .room = room + 2 * m, .K = room + 5 * m, .refused = -1 };
    if (!second)
        return LIL_OK;
    if ((size_t)d->count * m > INT32_MAX / m)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d elements of the term '%.60s' are too many for an implicit step",
                        d->count, d->kind.name);
    entries->qq = d->count * (int)(m * m);
    LIL_TRY(lil_entries_create(ctx, arena, (size_t)entries->qq, entries));
    for (int k = 0; k < entries->qq; k++) {
        const int *at = d->at + (size_t)k / (m * m) * m;
        entries->row[k] = at[(size_t)k / m % m];
        entries->col[k] = at[(size_t)k % m];
    }
    return LIL_OK;
}

/* ---- values and derivatives ---- */

static const char *registered_data_of(const registered *d, int e)
{
    return d->data ? d->data + (size_t)e * d->kind.data_size : NULL;
}

static void registered_gather(const registered *d, int e, const double *q, double *x)
{
    const int *at = d->at + (size_t)e * (size_t)d->kind.coordinates;
    for (int i = 0; i < d->kind.coordinates; i++)
        x[i] = q[at[i]];
}

static void registered_refuse(registered_work *w, int e, double t)
{
    w->refused = e;
    w->refused_t = t;
}

static void registered_evaluate(const void *data, void *work, const lil_at *here, const lil_sums *sums)
{
    const registered *d = data;
    registered_work *w = work;
    int m = d->kind.coordinates;
    double sum = 0;
    if (!sums->value && !sums->gq)
        return;
    for (int e = 0; e < d->count; e++) {
        const int *at = d->at + (size_t)e * (size_t)m;
        double W = 0, bad = 0;
        registered_gather(d, e, here->q, w->x);
        bool exists = d->kind.energy(registered_data_of(d, e), here->t, w->x, &W, sums->gq ? w->g : NULL);
        W = exists ? W : NAN;
        sum += W;
        bad = W - W;
        for (int i = 0; sums->gq && i < m; i++) {
            double g = exists ? w->g[i] : NAN;
            sums->gq[at[i]] += d->sign * g;
            bad += g - g;
        }
        if (bad != 0)
            registered_refuse(w, e, here->t);
    }
    lil_sums_add(sums, d->sign * sum);
}

bool lil_term_element_gradient(const void *element, const double *x, double *g)
{
    const lil_term_element *e = element;
    double W;
    return e->kind->energy(e->data, e->t, x, &W, g);
}

bool lil_term_element_hessian(const lil_term_element *e, const double *x, double *room, double *K)
{
    int m = e->kind->coordinates;
    if (e->kind->hessian)
        return e->kind->hessian(e->data, e->t, x, K);
    if (!lil_difference_all(lil_term_element_gradient, e, m, m, x, room, K))
        return false;
    lil_symmetrise(m, K);
    return true;
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const registered *d = data;
    registered_work *w = work;
    size_t mm = (size_t)d->kind.coordinates * (size_t)d->kind.coordinates;
    double *values = to->entries;
    for (int e = 0; e < d->count; e++, values += mm) {
        registered_gather(d, e, at->q, w->x);
        double bad = 0;
        const lil_term_element element = { &d->kind, registered_data_of(d, e), at->t };
        bool exists = lil_term_element_hessian(&element, w->x, w->room, w->K);
        for (size_t k = 0; k < mm; k++)
            bad += w->K[k] - w->K[k];
        if (!exists || bad != 0)
            registered_refuse(w, e, at->t);
        else if (to->definite)
            lil_make_semidefinite(d->kind.coordinates, w->K);
        for (size_t k = 0; k < mm; k++)
            values[k] = exists ? d->sign * w->K[k] : NAN;
    }
}

/* Central differences of order 4 over a small part of the step, as of callbacks. */
static double registered_rate(const void *data, void *work, const lil_at *at, double span)
{
    const registered *d = data;
    const double later = at->t + fabs(span) / 16, s = later - at->t;
    static const double weight[4] = { 1, -8, 8, -1 }, place[4] = { -2, -1, 1, 2 };
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        double W = 0;
        registered_evaluate(d, work, &(lil_at){ at->t + place[k] * s, at->q, at->v }, &(lil_sums){ &W, NULL, NULL });
        sum += weight[k] * W;
    }
    return sum / (12 * s);
}

/* ---- refusals ---- */

static bool registered_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const registered *d = data;
    registered_work *w = work;
    for (int e = 0; e < d->count; e++) {
        double W = 0, bad = 0;
        registered_gather(d, e, at->q, w->x);
        bool exists = d->kind.energy(registered_data_of(d, e), at->t, w->x, &W, w->g);
        for (int i = 0; i < d->kind.coordinates; i++)
            bad += w->g[i] - w->g[i];
        if (exists && isfinite(W) && bad == 0)
            continue;
        snprintf(sentence, size, "the term '%.60s' refused: its energy %s in element %d", d->kind.name,
                 exists ? "is not finite" : "returned false", e);
        return true;
    }
    return false;
}

static bool refused(const void *data, const void *work, double t, double h, char *sentence, size_t size)
{
    const registered *d = data;
    const registered_work *w = work;
    if (w->refused < 0 || (w->refused_t - t) * h < 0)
        return false;
    snprintf(sentence, size,
             "the term '%.60s' refused at t = %.9g in element %d: false, or a number that is not finite",
             d->kind.name, w->refused_t, w->refused);
    return true;
}

#define REGISTERED_FUNCTIONS                                                                                         \
    .begin = registered_begin, .evaluate = registered_evaluate, .second = second, .rate = registered_rate,           \
    .explain = registered_explain, .refused = refused

static const lil_term_table as_potential = {
    .name = "registered",
    .doc = "W(t, q) of a registered kind",
    .place = LIL_POTENTIAL,
    .projects = true,
    REGISTERED_FUNCTIONS,
};

/* elements that are too large to be projected */
static const lil_term_table as_large_potential = {
    .name = "registered-large",
    .doc = "W(t, q) of a registered kind with many coordinates",
    .place = LIL_POTENTIAL,
    REGISTERED_FUNCTIONS,
};

static const lil_term_table as_lagrangian = {
    .name = "registered-lagrangian",
    .doc = "-W(t, q) of a registered kind",
    .place = LIL_LAGRANGIAN,
    REGISTERED_FUNCTIONS,
};

lil_status lil_term_registered(lil_context *ctx, lil_arena *arena, int n, const lil_term_set *def, const char *what,
                               bool potential, lil_term *term)
{
    registered *d = LIL_NEW(arena, registered, 1);
    LIL_HAVE(ctx, d);
    LIL_TRY(set_kind(ctx, def, what, d));
    const lil_kind_use use = {
        what, d->kind.coordinates, d->kind.data_size, def->count, def->coordinates, def->data
    };
    LIL_TRY(lil_kind_use_check(ctx, n, &use));
    LIL_TRY(lil_kind_use_copy(ctx, arena, &use, &d->at, &d->data));
    d->count = def->count;
    d->sign = potential ? 1 : -1;
    lil_term_table *table = LIL_NEW(arena, lil_term_table, 1);
    LIL_HAVE(ctx, table);
    *table = !potential                                    ? as_lagrangian
             : d->kind.coordinates <= LIL_SEMIDEFINITE_MAX ? as_potential
                                                           : as_large_potential;
    table->name = d->kind.name; /* for messages */
    *term = (lil_term){ .table = table, .data = d, .uses_t = d->kind.holds & LIL_KIND_TIME, .uses_q = true };
    return LIL_OK;
}
