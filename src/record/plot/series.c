#include "record/plot/series.h"

#include <math.h>
#include <string.h>

enum { BATCH = 1024 };

typedef struct reader {
    lil_motion *motion;
    const lil_track *a, *b;
    lil_series_fn *value;
    double *rows_a, *rows_b;
    double first[3]; /* of a */
} reader;

static int width(const lil_track *track)
{
    return track->width ? track->width : 1;
}

/* The stretch of frames that is being looked at: where it is smallest and where largest. */
typedef struct stretch {
    int64_t low_at, high_at;
    double low, high;
    bool any;
} stretch;

static void add_point(lil_series *s, double t, double y)
{
    s->t[s->count] = t;
    s->y[s->count++] = y;
}

static void close_stretch(lil_series *s, stretch *x, const double *t)
{
    if (!x->any)
        return;
    bool low_first = x->low_at < x->high_at;
    add_point(s, t[low_first ? x->low_at : x->high_at], low_first ? x->low : x->high);
    if (x->low_at != x->high_at)
        add_point(s, t[low_first ? x->high_at : x->low_at], low_first ? x->high : x->low);
    x->any = false;
}

static void take(lil_series *s, stretch *x, int64_t frame, double y)
{
    if (!isfinite(y))
        return;
    if (isnan(s->first))
        s->first = s->min = s->max = y;
    s->last = y;
    s->min = fmin(s->min, y);
    s->max = fmax(s->max, y);
    if (!x->any)
        *x = (stretch){ frame, frame, y, y, true };
    else if (y < x->low)
        x->low = y, x->low_at = frame;
    else if (y > x->high)
        x->high = y, x->high_at = frame;
}

static lil_status read_batch(reader *r, int64_t from, int64_t count)
{
    lil_trajectory *tr = r->motion->trajectory;
    LIL_TRY(lil_track_read(tr, r->a, from, count, r->rows_a));
    if (r->b)
        LIL_TRY(lil_track_read(tr, r->b, from, count, r->rows_b));
    if (from == 0)
        memcpy(r->first, r->rows_a, (size_t)(width(r->a) < 3 ? width(r->a) : 3) * sizeof(double));
    return LIL_OK;
}

lil_status lil_series_read(lil_motion *m, const lil_track *a, const lil_track *b, lil_series_fn *value, int most,
                           lil_arena *arena, lil_series *s)
{
    int64_t frames = m->trajectory->frames;
    /* frames in a stretch: one, as long as all fit */
    int64_t each = frames <= most ? 1 : (frames + most / 2 - 1) / (most / 2);
    reader r = { .motion = m, .a = a, .b = b, .value = value };
    r.rows_a = LIL_NEW(arena, double, (size_t)width(a) * BATCH);
    r.rows_b = b ? LIL_NEW(arena, double, (size_t)width(b) * BATCH) : NULL;
    *s = (lil_series){ 0, LIL_NEW(arena, double, most), LIL_NEW(arena, double, most), NAN, NAN, NAN, NAN };
    if (!r.rows_a || (b && !r.rows_b) || !s->t || !s->y)
        return lil_fail_memory(m->trajectory->ctx);
    stretch x = { 0 };
    for (int64_t from = 0; from < frames; from += BATCH) {
        int64_t count = frames - from < BATCH ? frames - from : BATCH;
        LIL_TRY(read_batch(&r, from, count));
        for (int64_t i = 0; i < count; i++) {
            if ((from + i) % each == 0)
                close_stretch(s, &x, m->t);
            take(s, &x, from + i, value(r.rows_a + i * width(a), b ? r.rows_b + i * width(b) : NULL, r.first));
        }
    }
    close_stretch(s, &x, m->t);
    return LIL_OK;
}
