#include "record/plot/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

enum { BATCH_NUMBERS = 1 << 16 };

static int width_of(const lil_track *track)
{
    return track && track->width ? track->width : 1;
}

lil_series lil_series_of(lil_trajectory *run, const char *name, const lil_track *track, int column)
{
    return (lil_series){ .name = name,
                         .run = run,
                         .count = run->frames,
                         .x = { .track = &run->tracks[0] },
                         .y = { .track = track, .column = column } };
}

lil_status lil_series_of_change(lil_trajectory *run, const char *name, const lil_track *track, double scale,
                                lil_series *s)
{
    *s = lil_series_of(run, name, track, 0);
    s->y.change = true;
    s->y.scale = scale;
    return lil_track_read(run, track, 0, 1, s->y.origin);
}

static lil_status read_source(const lil_series *s, const lil_series_source *source, int64_t from, int64_t count,
                              double *rows, double *out)
{
    int w = width_of(source->track);
    LIL_TRY(lil_track_read(s->run, source->track, from, count, rows));
    for (int64_t i = 0; i < count; i++) {
        const double *row = rows + i * w, *o = source->origin;
        out[i] = row[source->column];
        if (source->change) {
            double x = row[0] - o[0], y = row[1] - o[1], z = row[2] - o[2];
            out[i] = sqrt(x * x + y * y + z * z) / source->scale;
        }
    }
    if (!source->minus)
        return LIL_OK;
    w = width_of(source->minus);
    LIL_TRY(lil_track_read(s->run, source->minus, from, count, rows));
    for (int64_t i = 0; i < count; i++)
        out[i] -= rows[i * w];
    return LIL_OK;
}

static int widest(const lil_series *s)
{
    const lil_track *tracks[] = { s->x.track, s->x.minus, s->y.track, s->y.minus };
    int w = 1;
    for (int i = 0; i < 4; i++)
        w = width_of(tracks[i]) > w ? width_of(tracks[i]) : w;
    return w;
}

lil_status lil_series_each(const lil_series *s, lil_series_fn *call, void *user)
{
    for (int64_t i = 0; s->points && i < s->count; i++)
        call(user, s->points[2 * i], s->points[2 * i + 1]);
    if (s->points)
        return LIL_OK;
    int64_t batch = BATCH_NUMBERS / widest(s);
    batch = batch < 1 ? 1 : batch < s->count ? batch : s->count;
    double *x = malloc((size_t)batch * (size_t)(widest(s) + 2) * sizeof *x), *y = x + batch, *rows = y + batch;
    lil_status status = x ? LIL_OK : lil_fail_memory(s->run->ctx);
    for (int64_t from = 0; status == LIL_OK && from < s->count; from += batch) {
        int64_t count = s->count - from < batch ? s->count - from : batch;
        status = read_source(s, &s->x, from, count, rows, x);
        if (status == LIL_OK)
            status = read_source(s, &s->y, from, count, rows, y);
        for (int64_t i = 0; status == LIL_OK && i < count; i++)
            call(user, x[i], y[i]);
    }
    free(x);
    return status;
}

/* ---- measuring ---- */

static void begin_measure(lil_series *s)
{
    s->first = s->last = NAN;
    s->x_min = s->min = s->least_positive = INFINITY;
    s->x_max = s->max = -INFINITY;
}

static void measure_point(void *user, double x, double y)
{
    lil_series *s = user;
    if (!isfinite(x) || !isfinite(y))
        return;
    if (isnan(s->first)) {
        s->x_first = x;
        s->first = y;
    }
    s->x_last = x;
    s->last = y;
    s->x_min = fmin(s->x_min, x);
    s->x_max = fmax(s->x_max, x);
    s->min = fmin(s->min, y);
    s->max = fmax(s->max, y);
    if (y > 0)
        s->least_positive = fmin(s->least_positive, y);
}

lil_status lil_series_measure(lil_series *s)
{
    begin_measure(s);
    return lil_series_each(s, measure_point, s);
}

/* ---- thinning ---- */

typedef struct thinner {
    lil_series *series;
    lil_thinned *to;
    int64_t seen, each; /* points of a stretch */
    bool any, broken;
    struct {
        int64_t at;
        double x, y;
    } low, high; /* of the stretch that is being read */
} thinner;

static void keep(thinner *t, double x, double y)
{
    lil_thinned *to = t->to;
    to->x[to->count] = x;
    to->y[to->count] = y;
    to->breaks[to->count++] = t->broken;
    t->broken = false;
}

static void close_stretch(thinner *t)
{
    bool low_first = t->low.at < t->high.at;
    if (!t->any)
        return;
    keep(t, low_first ? t->low.x : t->high.x, low_first ? t->low.y : t->high.y);
    if (t->low.at != t->high.at)
        keep(t, low_first ? t->high.x : t->low.x, low_first ? t->high.y : t->low.y);
    t->any = false;
}

static void thin_point(void *user, double x, double y)
{
    thinner *t = user;
    int64_t at = t->seen++;
    if (at % t->each == 0)
        close_stretch(t);
    measure_point(t->series, x, y);
    if (!isfinite(x) || !isfinite(y)) {
        t->broken = true;
        return;
    }
    if (!t->any || y < t->low.y) {
        t->low.at = at;
        t->low.x = x;
        t->low.y = y;
    }
    if (!t->any || y > t->high.y) {
        t->high.at = at;
        t->high.x = x;
        t->high.y = y;
    }
    t->any = true;
}

lil_status lil_series_thin(lil_series *s, int most, lil_arena *arena, lil_thinned *to)
{
    size_t room = (size_t)(s->count < most ? s->count : most);
    *to = (lil_thinned){ 0, LIL_NEW(arena, double, room), LIL_NEW(arena, double, room), LIL_NEW(arena, bool, room) };
    LIL_HAVE(s->run->ctx, to->x && to->y && to->breaks);
    thinner t = { .series = s, .to = to, .broken = true };
    t.each = s->count <= most ? 1 : (s->count + most / 2 - 1) / (most / 2);
    begin_measure(s);
    LIL_TRY(lil_series_each(s, thin_point, &t));
    close_stretch(&t);
    return LIL_OK;
}

/* ---- the plots of a run ---- */

enum { PAGES = LIL_ON_PAGES, PLOTS = LIL_ON_PLOTS, BOTH = LIL_ON_PAGES | LIL_ON_PLOTS };

static const lil_series_kind kinds[] = {
    { "energy", "total", "energy", NULL, "J", .where = BOTH },
    { "energy", "kinetic", "energy", "potential", "J", .where = BOTH },
    { "energy", "potential", "potential", NULL, "J", .where = BOTH, .unless = "elastic" },
    { "energy", "elastic", "elastic", NULL, "J", .where = BOTH },
    { "energy", "gravity and loads", "potential", "elastic", "J", .where = PLOTS, .optional = true },
    { "energy", "dissipated", "dissipated", NULL, "J", .where = BOTH, .optional = true },
    { "energy", "external work", "external_work", NULL, "J", .where = BOTH, .optional = true },
    { "energy", "contact", "contact/energy", NULL, "J", .where = PAGES },
    { "gap", "smallest gap", "contact/gap", NULL, "m", .where = PAGES },
    { "contact", "contact force", "contact/force", NULL, "N", .where = PAGES },
    { "momentum", "linear momentum", "linear_momentum", NULL, "kg m/s", .where = BOTH,
      .drift = "certificate/linear_momentum_drift" },
    { "momentum", "angular momentum", "angular_momentum", NULL, "kg m\xc2\xb2/s", .where = BOTH,
      .drift = "certificate/angular_momentum_drift" },
    { "step", "step", "step", NULL, "s", .where = PAGES },
    { "constraints", "violation", "violation", NULL, "", .where = PAGES }, /* in the unit of each constraint */
    { "ghost", "ghost force", "ghost_force_norm", NULL, "", .where = PAGES },
    { "iterations", "iterations", "iterations", NULL, "", .where = PAGES },
    { "area", "area of the loop", "area", NULL, "J s", .where = PAGES },
};

const lil_series_kind *lil_series_kind_at(int index)
{
    return index >= 0 && index < (int)(sizeof kinds / sizeof kinds[0]) ? &kinds[index] : NULL;
}

bool lil_series_of_kind(lil_trajectory *run, const lil_series_kind *kind, lil_series *s)
{
    const lil_track *track = lil_track_find(run, kind->track);
    *s = lil_series_of(run, kind->name, track, 0);
    s->y.minus = kind->minus ? lil_track_find(run, kind->minus) : NULL;
    return track && (!kind->minus || s->y.minus);
}

/* ---- of shots ---- */

lil_status lil_series_of_rows(lil_trajectory *run, lil_arena *arena, const lil_shot_levels *l, const double *rows,
                              int stride, int k, const char *name, lil_series *s)
{
    int64_t last = l->rows - 1, count = (last + stride - 1) / stride + 1;
    double ends[2], *xy = LIL_NEW(arena, double, 2 * (size_t)count);
    LIL_HAVE(run->ctx, xy && name);
    LIL_TRY(lil_track_read(run, &run->tracks[0], 0, 1, &ends[0]));
    LIL_TRY(lil_track_read(run, &run->tracks[0], run->frames - 1, 1, &ends[1]));
    for (int64_t i = 0; i < count; i++) {
        int64_t row = i * stride < last ? i * stride : last;
        xy[2 * i] = ends[0] + (ends[1] - ends[0]) * (double)row / (double)last;
        xy[2 * i + 1] = rows[row * run->n + k];
    }
    *s = (lil_series){ .name = name, .run = run, .count = count, .points = xy };
    return LIL_OK;
}

lil_status lil_series_of_cost(lil_trajectory *run, lil_arena *arena, const lil_shot_levels *l, lil_series *s)
{
    double *xy;
    LIL_ALLOC(run->ctx, arena, xy, 2 * (size_t)l->iterations);
    for (int i = 0; i < l->iterations; i++) {
        xy[2 * i] = i + 1;
        xy[2 * i + 1] = l->cost[i];
    }
    *s = (lil_series){ .name = "cost", .run = run, .count = l->iterations, .points = xy };
    return LIL_OK;
}
