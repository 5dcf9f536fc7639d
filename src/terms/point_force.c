/*
 * F(t, x, v) of each vertex from the user's C function. Second derivatives are blocks of single vertices: the user's,
 * or the force differenced, centrally, with steps of eps^(1/3): good to about 1e-10, which Newton's method needs only
 * for its direction.
 */
#include "terms/point_force.h"

#include "math/difference.h"
#include "math/vector.h"
#include "terms/entries.h"

#include <math.h>
#include <stdio.h>

typedef struct point_work {
    double *slopes;      /* of each vertex dF/dx and dF/dv, by rows */
    const char *refused; /* which function refused last, at which vertex and time; NULL: none did */
    int vertex;
    double t;
} point_work;

/* ---- calls ---- */

static void point_force_refuse(point_work *w, const char *which, int vertex, double t, double *out, int n)
{
    w->refused = which;
    w->vertex = vertex;
    w->t = t;
    for (int i = 0; i < n; i++)
        out[i] = NAN;
}

static void point_force_call(const lil_point_force_def *d, point_work *w, double t, int i, const double *x,
                             const double *v, double F[3])
{
    F[0] = F[1] = F[2] = 0;
    if (!d->force(d->user, t, i, x, v, F) || !lil_all_finite(3, F))
        point_force_refuse(w, "force", i, t, F, 3);
}

static void point_force_difference(const lil_point_force_def *d, point_work *w, double t, int i, const double *x,
                                   const double *v, double slopes[18])
{
    double y[6] = { x[0], x[1], x[2], v[0], v[1], v[2] }, low[3], high[3];
    for (int j = 0; j < 6; j++) {
        double kept = y[j], h = lil_difference_step(kept);
        y[j] = kept - h;
        point_force_call(d, w, t, i, y, y + 3, low);
        y[j] = kept + h;
        point_force_call(d, w, t, i, y, y + 3, high);
        y[j] = kept;
        for (int k = 0; k < 3; k++)
            slopes[9 * (j / 3) + 3 * k + j % 3] = (high[k] - low[k]) / (2 * h);
    }
}

/* Into w->slopes, of all vertices. */
static void point_force_find_slopes(const lil_point_force_def *d, point_work *w, const lil_at *at)
{
    double t = at->t;
    for (int i = 0; i < d->count; i++) {
        const double *x = at->q + 3 * (size_t)(d->first + i), *u = at->v + 3 * (size_t)(d->first + i);
        double *slopes = w->slopes + 18 * (size_t)i;
        if (!d->slopes)
            point_force_difference(d, w, t, i, x, u, slopes);
        else if (!d->slopes(d->user, t, i, x, u, slopes, slopes + 9) || !lil_all_finite(18, slopes))
            point_force_refuse(w, "slopes", i, t, slopes, 18);
    }
}

/* ---- the table's ---- */

/* A block of each vertex by x, then one by v */
static lil_status point_force_list_entries(lil_context *ctx, const lil_point_force_def *d, lil_arena *arena,
                                           lil_entries *entries)
{
    const lil_corners corners = lil_corners_single(NULL, d->first, d->count);
    entries->qq = entries->qv = 9 * d->count;
    LIL_TRY(lil_entries_create(ctx, arena, 18 * (size_t)d->count, entries));
    lil_corners_list(&corners, entries->row, entries->col);
    lil_corners_list(&corners, entries->row + entries->qq, entries->col + entries->qq);
    return LIL_OK;
}

static lil_status point_force_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                    lil_entries *entries)
{
    const lil_point_force_def *d = data;
    point_work *w = LIL_NEW(arena, point_work, 1);
    LIL_HAVE(ctx, w && (w->slopes = LIL_NEW(arena, double, 18 * (size_t)d->count)));
    *work = w;
    return second ? point_force_list_entries(ctx, d, arena, entries) : LIL_OK;
}

static void point_force_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_point_force_def *d = data;
    for (int i = 0; sums->gq && i < d->count; i++) {
        size_t k = 3 * (size_t)(d->first + i);
        double F[3];
        point_force_call(d, work, at->t, i, at->q + k, at->v + k, F);
        for (int e = 0; e < 3; e++)
            sums->gq[k + e] += F[e];
    }
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const lil_point_force_def *d = data;
    point_work *w = work;
    size_t all = 9 * (size_t)d->count;
    point_force_find_slopes(d, w, at);
    for (int i = 0; i < d->count; i++) {
        const double *slopes = w->slopes + 18 * (size_t)i;
        for (int e = 0; e < 9; e++)
            if (to->entries) {
                to->entries[9 * i + e] = slopes[e];
                to->entries[all + 9 * i + e] = slopes[9 + e];
            } else if (to->where[i] >= 0) {
                to->blocks[9 * (size_t)to->where[i] + e] -=
                    (float)(to->weight * slopes[e] + to->weight_v * slopes[9 + e]);
            }
    }
}

static lil_status point_force_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work,
                                    lil_block_pairs *list)
{
    const lil_point_force_def *d = data;
    (void)work;
    return lil_block_pairs_single(ctx, arena, NULL, d->first, d->count, list);
}

/* ---- what is not finite ---- */

static bool point_force_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const lil_point_force_def *d = data;
    point_work *w = work;
    double F[3];
    w->refused = NULL;
    for (int i = 0; i < d->count && !w->refused; i++)
        point_force_call(d, w, at->t, i, at->q + 3 * (size_t)(d->first + i), at->v + 3 * (size_t)(d->first + i), F);
    if (w->refused)
        snprintf(sentence, size,
                 "the callback 'force' refused at vertex %d: it returned false, or a number that is not finite",
                 w->vertex);
    return w->refused;
}

static bool refused(const void *data, const void *work, double t, double h, char *sentence, size_t size)
{
    const point_work *w = work;
    (void)data;
    if (!w->refused || (w->t - t) * h < 0)
        return false;
    snprintf(sentence, size,
             "the callback '%s' refused at vertex %d, t = %.9g: it returned false, or a number that is not finite",
             w->refused, w->vertex, w->t);
    return true;
}

static const lil_term_table table = {
    .name = "point-force",
    .doc = "F(t, x, v) of each vertex from C",
    .place = LIL_FORCE,
    .begin = point_force_begin,
    .evaluate = point_force_evaluate,
    .second = second,
    .pairs = point_force_pairs,
    .explain = point_force_explain,
    .refused = refused,
};

lil_status lil_term_point_force(lil_context *ctx, lil_arena *arena, const lil_point_force_def *def, lil_term *term)
{
    lil_point_force_def *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = *def;
    *term = (lil_term){ .table = &table, .data = d, .uses_t = true, .uses_q = true, .uses_v = true };
    return LIL_OK;
}
