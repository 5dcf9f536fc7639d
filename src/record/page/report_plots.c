/* Plots on a page: series over time, the phase portrait of a small system, a loop in phase space. */
#include "record/page/report.h"

#include <math.h>
#include <string.h>

enum { PLOTS_MAX = 16 };

/* ---- series ---- */

typedef struct writer {
    lil_page *page;
    lil_report_run *run;
    int points;
} writer;

lil_status lil_report_series(lil_page *page, lil_series *s, int most, const char *group, const char *part,
                             const char *unit, double drift)
{
    lil_arena arena = { 0 };
    lil_thinned thinned;
    lil_text *h = &page->header;
    lil_status status = lil_series_thin(s, most, &arena, &thinned);
    if (status == LIL_OK && thinned.count > 0) {
        /* the largest change among frames is about the certificate's, among steps */
        double scale = isfinite(drift) && drift > 0 && s->max > 0 ? drift / s->max : 1;
        lil_text_add(h, "{\"group\":\"%s\",\"name\":", group);
        lil_text_json_string(h, s->name);
        if (part) {
            lil_text_add(h, ",\"part\":");
            lil_text_json_string(h, part);
        }
        lil_text_add(h, ",\"unit\":\"%s\",\"count\":%d,\"block\":%d", unit, thinned.count, lil_page_begin(page));
        const struct {
            const char *key;
            double x;
        } of_all[] = { { "first", s->first }, { "last", s->last }, { "min", s->min }, { "max", s->max } };
        for (size_t i = 0; i < sizeof of_all / sizeof of_all[0]; i++) {
            lil_text_add(h, ",\"%s\":", of_all[i].key);
            lil_text_json_number(h, scale * of_all[i].x);
        }
        lil_text_add(h, "},");
        for (int i = 0; i < thinned.count; i++)
            lil_page_f64(page, thinned.x[i]);
        for (int i = 0; i < thinned.count; i++)
            lil_page_f64(page, scale * thinned.y[i]);
        lil_page_end(page);
    }
    lil_arena_free(&arena);
    return status;
}

static lil_status standard(writer *w)
{
    lil_trajectory *tr = w->run->motion.trajectory;
    const lil_series_kind *kind;
    for (int i = 0; (kind = lil_series_kind_at(i)); i++) {
        lil_series s;
        double drift = NAN;
        if (!(kind->where & LIL_ON_PAGES) || !lil_series_of_kind(tr, kind, &s))
            continue;
        if (kind->drift) {
            lil_quiet quiet = lil_quiet_begin();
            drift = lil_h5_read_number(tr->file, kind->drift);
            lil_quiet_end(quiet);
            if (!isfinite(drift)) /* not kept by this system, so not a promise to look at */
                continue;
            LIL_TRY(lil_series_of_change(tr, kind->name, s.y.track, 1, &s));
        }
        LIL_TRY(lil_report_series(w->page, &s, w->points, kind->group, NULL, kind->drift ? "" : kind->unit, drift));
    }
    return LIL_OK;
}

/* The tracks of a folder, each a series. */
static lil_status folder(writer *w, const char *name, const char *group, const char *unit)
{
    lil_trajectory *tr = w->run->motion.trajectory;
    size_t length = strlen(name);
    int count = 0;
    for (int i = 0; i < tr->track_count; i++) {
        lil_series s = lil_series_of(tr, tr->tracks[i].name + length, &tr->tracks[i], 0);
        if (strncmp(tr->tracks[i].name, name, length) == 0 && count++ < LIL_REPORT_OBSERVABLES)
            LIL_TRY(lil_report_series(w->page, &s, w->points, group, NULL,
                                      tr->tracks[i].unit[0] ? tr->tracks[i].unit : unit, NAN));
    }
    return LIL_OK;
}

static int observable_count(const lil_report_run *run)
{
    const lil_trajectory *tr = run->motion.trajectory;
    int count = 0;
    for (int i = 0; i < tr->track_count; i++)
        count += strncmp(tr->tracks[i].name, "observe/", 8) == 0;
    return count;
}

/* A portrait and the pictures of a loop become smaller with the series. */
static int64_t portrait_points(int points)
{
    return 2 * (int64_t)points;
}

static int64_t loop_bytes(int points)
{
    return 512 * (int64_t)points;
}

double lil_report_plot_bytes(const lil_report_run *run, int points)
{
    const lil_trajectory *tr = run->motion.trajectory;
    int observed = observable_count(run);
    int count = PLOTS_MAX + (observed < LIL_REPORT_OBSERVABLES ? observed : LIL_REPORT_OBSERVABLES);
    double bytes = 16. * fmin(points, (double)tr->frames) * count;
    if (!run->motion.body_count)
        bytes += 16. * (double)portrait_points(points);
    if (H5Lexists(tr->file, "loop", H5P_DEFAULT) > 0)
        bytes += (double)loop_bytes(points);
    return 4. / 3 * bytes + lil_report_shot_bytes(run);
}

/* ---- phase portrait: q and p of the first coordinate ---- */

static lil_status portrait(writer *w, double *q, double *p)
{
    lil_motion *m = &w->run->motion;
    lil_trajectory *tr = m->trajectory;
    const lil_track *track_q = lil_motion_track(m, "q"), *track_p = lil_motion_track(m, "p");
    int64_t most = portrait_points(w->points), stride = (tr->frames + most - 1) / most;
    int64_t count = (tr->frames + stride - 1) / stride;
    lil_text *h = &w->page->header;
    lil_text_add(h, "\"phase\":{\"coordinate\":");
    lil_text_json_string(h, tr->names[0]);
    lil_text_add(h, ",\"count\":%lld,\"stride\":%lld,\"block\":%d},", (long long)count, (long long)stride,
                 lil_page_begin(w->page));
    for (int64_t i = 0; i < count; i++)
        lil_page_f64(w->page, m->t[i * stride]);
    for (int64_t i = 0; i < count; i++) {
        LIL_TRY(lil_track_read(tr, track_q, i * stride, 1, q));
        LIL_TRY(lil_track_read(tr, track_p, i * stride, 1, p));
        lil_page_f32(w->page, q[0]);
        lil_page_f32(w->page, p[0]);
    }
    lil_page_end(w->page);
    return LIL_OK;
}

static lil_status loop(writer *w, int points, double *row)
{
    lil_motion *m = &w->run->motion;
    lil_trajectory *tr = m->trajectory;
    int64_t most = loop_bytes(w->points) / (8 + 8 * (int64_t)points) + 1, stride = (tr->frames + most - 1) / most;
    int64_t count = (tr->frames + stride - 1) / stride;
    lil_text_add(&w->page->header, "\"loop\":{\"points\":%d,\"count\":%lld,\"block\":%d},", points, (long long)count,
                 lil_page_begin(w->page));
    for (int64_t i = 0; i < count; i++)
        lil_page_f64(w->page, m->t[i * stride]);
    for (int64_t i = 0; i < count; i++) {
        LIL_TRY(lil_loop_read(tr, i * stride, points, row));
        for (int j = 0; j < points; j++) {
            lil_page_f32(w->page, row[(int64_t)j * 2 * tr->n]);
            lil_page_f32(w->page, row[(int64_t)j * 2 * tr->n + tr->n]);
        }
    }
    lil_page_end(w->page);
    return LIL_OK;
}

/* Systems of text have one, where q and p were recorded; of bodies and particles, whose first coordinate means nothing
 * by itself, there is none. */
static lil_status phase(writer *w)
{
    lil_trajectory *tr = w->run->motion.trajectory;
    int points;
    if (w->run->vertex_count || tr->n < 1 || !lil_track_find(tr, "q") || !lil_track_find(tr, "p"))
        return LIL_OK;
    LIL_TRY(lil_loop_points(tr, &points));
    lil_arena arena = { 0 };
    double *row = LIL_NEW(&arena, double, 2 * (size_t)tr->n * (size_t)(points ? points : 1));
    lil_status status = row ? portrait(w, row, row + tr->n) : lil_fail_memory(tr->ctx);
    if (status == LIL_OK && points)
        status = loop(w, points, row);
    lil_arena_free(&arena);
    return status;
}

lil_status lil_report_plots(lil_page *page, lil_report_run *run, int points)
{
    writer w = { page, run, points };
    lil_text *h = &page->header;
    lil_text_add(h, "\"observables\":%d,\"series\":[", observable_count(run));
    LIL_TRY(standard(&w));
    LIL_TRY(folder(&w, "force/", "forces", "N"));
    LIL_TRY(folder(&w, "observe/", "observe", ""));
    if (run->shot)
        LIL_TRY(lil_report_shot_series(page, run));
    if (h->length && h->data[h->length - 1] == ',')
        h->data[--h->length] = 0;
    lil_text_add(h, "],");
    return phase(&w);
}
