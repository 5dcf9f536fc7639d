#include "constraints/registered.h"

#include "constraints/text.h"
#include "core/kind.h"
#include "math/difference.h"
#include "math/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct registered {
    lil_constraint_kind kind;
    const int *at;    /* kind.coordinates of each member */
    const char *data; /* kind.data_size of each member */
} registered;

typedef struct registered_work {
    double *x, *v, *g, *G, *H, *room; /* of one member */
    int refused;                      /* the member that did in the latest evaluate; -1: none */
} registered_work;

/* ---- build ---- */

lil_status lil_constraint_kind_take(lil_context *ctx, const lil_constraint_kind *kind, lil_constraint_kind *taken)
{
    const size_t least = offsetof(lil_constraint_kind, hessian) + sizeof kind->hessian;
    LIL_TRY(lil_kind_take(ctx, "constraint", kind, least, sizeof *taken, taken));
    if (!taken->name)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "kind->name is NULL");
    if (!taken->value)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "kind->value is NULL");
    if (taken->rows < 1 || taken->rows > LIL_KIND_ROWS_MAX)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the constraint '%.60s' must have between 1 and %d rows, not %d",
                        taken->name, LIL_KIND_ROWS_MAX, taken->rows);
    if (taken->holds & LIL_KIND_LINEAR && taken->hessian)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "the constraint '%.60s' is linear, but has second derivatives",
                        taken->name);
    const unsigned claims = LIL_KIND_TRANSLATIONS | LIL_KIND_ROTATIONS | LIL_KIND_LINEAR;
    return lil_kind_check(ctx, "constraint", taken->name, taken->coordinates, taken->holds, claims);
}

lil_status lil_context_register_constraint(lil_context *ctx, const lil_constraint_kind *kind)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, kind, "kind");
    lil_constraint_kind *taken;
    LIL_ALLOC(ctx, &ctx->arena, taken, 1);
    LIL_TRY(lil_constraint_kind_take(ctx, kind, taken));
    return lil_kind_register(ctx, LIL_KIND_CONSTRAINT, taken->name, taken);
}

static size_t entries_of(const registered *d) /* of G of one member */
{
    return (size_t)d->kind.rows * (size_t)d->kind.coordinates;
}

static lil_status registered_begin(lil_context *ctx, const lil_constraint *set, lil_arena *arena, void **work,
                                   lil_jacobian *G)
{
    const registered *d = set->data;
    size_t m = (size_t)d->kind.coordinates, rows = (size_t)d->kind.rows, each = entries_of(d);
    registered_work *w = *work = LIL_NEW(arena, registered_work, 1);
    double *room = LIL_NEW(arena, double, 3 * m + rows + (3 + m) * each);
    LIL_HAVE(ctx, w && room);
    *w = (registered_work){ .x = room,
                            .v = room + m,
                            .g = room + 2 * m,
                            .G = room + 2 * m + rows,
                            .room = room + 2 * m + rows + each,
                            .H = room + 3 * m + rows + 3 * each,
                            .refused = -1 };
    LIL_TRY(lil_jacobian_create(ctx, arena, set->count, (int)each, G));
    for (int k = 0; k < G->count; k++) {
        size_t member = (size_t)k / each, inside = (size_t)k % each;
        G->row[k] = (int)(member * rows + inside / m);
        G->col[k] = d->at[member * m + inside % m];
    }
    return LIL_OK;
}

/* ---- values and derivatives ---- */

static const char *registered_data_of(const registered *d, int c)
{
    return d->data ? d->data + (size_t)c * d->kind.data_size : NULL;
}

static void registered_gather(const registered *d, int c, const double *from, double *x)
{
    const int *at = d->at + (size_t)c * (size_t)d->kind.coordinates;
    for (int i = 0; i < d->kind.coordinates; i++)
        x[i] = from[at[i]];
}

static void registered_write(bool exists, size_t count, const double *from, double *to)
{
    for (size_t k = 0; k < count; k++)
        to[k] = exists ? from[k] : NAN;
}

static void registered_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const registered *d = set->data;
    registered_work *w = work;
    size_t rows = (size_t)d->kind.rows, each = entries_of(d);
    w->refused = -1;
    for (int c = 0; c < set->count; c++) {
        registered_gather(d, c, x, w->x);
        bool exists = d->kind.value(registered_data_of(d, c), w->x, w->g, G ? w->G : NULL);
        if (!exists || !lil_all_finite((int)rows, w->g) || (G && !lil_all_finite((int)each, w->G)))
            w->refused = c;
        if (g)
            registered_write(exists, rows, w->g, g + (size_t)c * rows);
        if (G)
            registered_write(exists, each, w->G, G + (size_t)c * each);
    }
}

bool lil_constraint_member_jacobian(const void *member, const double *x, double *G)
{
    const lil_constraint_member *c = member;
    double g[LIL_KIND_ROWS_MAX];
    return c->kind->value(c->data, x, g, G);
}

bool lil_constraint_member_hessian(const lil_constraint_member *c, const double *x, double *room, double *H)
{
    int m = c->kind->coordinates, rows = c->kind->rows;
    if (c->kind->hessian)
        return c->kind->hessian(c->data, x, H);
    if (!lil_difference_all(lil_constraint_member_jacobian, c, m, rows * m, x, room, H))
        return false;
    for (int r = 0; r < rows; r++)
        lil_symmetrise(m, H + r * m * m);
    return true;
}

static lil_constraint_member member_of(const registered *d, int c)
{
    return (lil_constraint_member){ &d->kind, registered_data_of(d, c) };
}

/* v'Hv */
static void registered_curvature(const lil_constraint *set, void *work, const double *x, const double *v, double *k)
{
    const registered *d = set->data;
    registered_work *w = work;
    int m = d->kind.coordinates, rows = d->kind.rows;
    for (int c = 0; c < set->count; c++) {
        registered_gather(d, c, x, w->x);
        registered_gather(d, c, v, w->v);
        bool linear = d->kind.holds & LIL_KIND_LINEAR;
        const lil_constraint_member member = member_of(d, c);
        bool exists = linear || lil_constraint_member_hessian(&member, w->x, w->room, w->H);
        for (int r = 0; r < rows; r++) {
            double sum = exists ? 0 : NAN;
            for (int e = 0; e < m * m && exists && !linear; e++)
                sum += w->H[r * m * m + e] * w->v[e / m] * w->v[e % m];
            k[c * rows + r] = sum;
        }
    }
}

static lil_status registered_begin_second(lil_context *ctx, const lil_constraint *set, lil_arena *arena,
                                          lil_hessian *hessian)
{
    const registered *d = set->data;
    size_t m = (size_t)d->kind.coordinates, rows = (size_t)d->kind.rows, each = rows * m * m;
    LIL_TRY(lil_hessian_create(ctx, arena, set->count, (int)each, hessian));
    for (int k = 0; k < hessian->count; k++) {
        size_t member = (size_t)k / each, inside = (size_t)k % each;
        hessian->row[k] = (int)(member * rows + inside / (m * m));
        hessian->a[k] = d->at[member * m + inside / m % m];
        hessian->b[k] = d->at[member * m + inside % m];
    }
    return LIL_OK;
}

static void registered_second(const lil_constraint *set, void *work, const double *x, double *values)
{
    const registered *d = set->data;
    registered_work *w = work;
    size_t each = entries_of(d) * (size_t)d->kind.coordinates;
    for (int c = 0; c < set->count; c++) {
        registered_gather(d, c, x, w->x);
        const lil_constraint_member member = member_of(d, c);
        bool exists = lil_constraint_member_hessian(&member, w->x, w->room, w->H);
        registered_write(exists, each, w->H, values + (size_t)c * each);
    }
}

static bool registered_explain(const lil_constraint *set, void *work, const double *x, char *sentence, size_t size)
{
    const registered *d = set->data;
    registered_work *w = work;
    int member = w->refused;
    for (int c = 0; c < set->count && member < 0; c++) {
        registered_gather(d, c, x, w->x);
        if (!d->kind.value(registered_data_of(d, c), w->x, w->g, w->G) || !lil_all_finite(d->kind.rows, w->g) ||
            !lil_all_finite((int)entries_of(d), w->G))
            member = c;
    }
    if (member < 0)
        return false;
    snprintf(sentence, size,
             "the constraint '%.60s' refused: it returned false, or a number that is not finite, for "
             "member %d",
             d->kind.name, member);
    return true;
}

const int *lil_constraint_registered_coordinates(const lil_constraint *set, int k, int *count)
{
    const registered *d = set->data;
    if (set->table->evaluate != registered_evaluate)
        return NULL;
    *count = d->kind.coordinates;
    return d->at + (size_t)k * (size_t)d->kind.coordinates;
}

/* The elements of an array that are kept. */
static lil_status select_elements(lil_context *ctx, lil_arena *arena, const void *from, size_t size, int count,
                                  const bool *keep, const void **to)
{
    char *kept = lil_arena_alloc(arena, (size_t)count, size);
    LIL_HAVE(ctx, kept);
    *to = kept;
    for (int k = 0; k < count; k++)
        if (keep[k]) {
            memcpy(kept, (const char *)from + size * (size_t)k, size);
            kept += size;
        }
    return LIL_OK;
}

lil_status lil_constraint_select(lil_context *ctx, lil_arena *arena, const lil_constraint *from, const bool *keep,
                                 lil_constraint *to)
{
    const registered *own = from->table->evaluate == registered_evaluate ? from->data : NULL;
    size_t size = from->table == &lil_constraint_text ? sizeof(lil_on_text) : from->table->stride;
    *to = *from;
    for (int k = 0; k < from->count; k++)
        to->count -= !keep[k];
    if (to->count == from->count)
        return LIL_OK;
    if (!own)
        return select_elements(ctx, arena, from->data, size, from->count, keep, &to->data);
    registered *d;
    const void *at = NULL, *data = NULL;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = *own;
    LIL_TRY(select_elements(ctx, arena, own->at, (size_t)own->kind.coordinates * sizeof *own->at, from->count, keep,
                            &at));
    if (own->data)
        LIL_TRY(select_elements(ctx, arena, own->data, own->kind.data_size, from->count, keep, &data));
    d->at = at;
    d->data = data;
    to->data = d;
    return LIL_OK;
}

lil_status lil_constraint_registered(lil_context *ctx, lil_arena *arena, int n, const lil_constraint_set *def,
                                     const char *what, lil_constraint *set)
{
    registered *d = LIL_NEW(arena, registered, 1);
    lil_constraint_table *table = LIL_NEW(arena, lil_constraint_table, 1);
    LIL_HAVE(ctx, d && table);
    if (!def->kind)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "%s.kind is NULL", what);
    const lil_constraint_kind *kind = lil_kind_find(ctx, LIL_KIND_CONSTRAINT, def->kind);
    if (!kind)
        return lil_kind_fail_unknown(ctx, LIL_KIND_CONSTRAINT, def->kind);
    d->kind = *kind;
    const lil_kind_use use = { what, kind->coordinates, kind->data_size, def->count, def->coordinates, def->data };
    LIL_TRY(lil_kind_use_check(ctx, n, &use));
    LIL_TRY(lil_kind_use_copy(ctx, arena, &use, &d->at, &d->data));
    bool linear = kind->holds & LIL_KIND_LINEAR;
    *table = (lil_constraint_table){ .name = kind->name,
                                     .doc = kind->doc ? kind->doc : "",
                                     .rows = kind->rows,
                                     .begin = registered_begin,
                                     .evaluate = registered_evaluate,
                                     .curvature = registered_curvature,
                                     .begin_second = linear ? NULL : registered_begin_second,
                                     .second = linear ? NULL : registered_second,
                                     .quadratic = linear,
                                     .explain = registered_explain };
    const char *label = def->label ? def->label : kind->name;
    char *copy = lil_arena_copy(arena, label, strlen(label));
    LIL_HAVE(ctx, copy);
    *set = (lil_constraint){ .table = table, .data = d, .count = def->count, .label = copy, .name = copy };
    return LIL_OK;
}
