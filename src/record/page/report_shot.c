/* A shot on a page: its keys, their errors, ghost forces as arrows, levels, and the cost of each iteration. */
#include "record/page/report.h"

#include <math.h>

enum { LEVEL_NUMBERS = 40000 }; /* of all levels' frames on a page, at most */

/* ---- keys ---- */

static void keys(lil_page *page, const lil_motion *m)
{
    lil_arena arena = { 0 };
    lil_quiet quiet = lil_quiet_begin();
    int64_t count = 0;
    const int *frames = lil_h5_read_wholes(&arena, m->trajectory->file, "shot/keys", 1, &count);
    lil_quiet_end(quiet);
    for (int64_t i = 0; frames && i < count; i++) {
        bool there = frames[i] >= 0 && frames[i] < m->trajectory->frames;
        lil_text_add(&page->header, i ? "," : "\"keys\":[");
        lil_text_json_number(&page->header, there ? m->t[frames[i]] : m->t[0]);
    }
    lil_text_add(&page->header, frames && count ? "]," : "");
    lil_arena_free(&arena);
}

/* ---- the result ---- */

static void result(lil_page *page, const lil_trajectory *tr)
{
    lil_quiet quiet = lil_quiet_begin();
    for (int i = 0; lil_shot_numbers[i]; i++) {
        char path[40];
        snprintf(path, sizeof path, "shot/%s", lil_shot_numbers[i]);
        lil_text_add(&page->header, "%s\"%s\":", i ? "," : "\"shot\":{", lil_shot_numbers[i]);
        lil_text_json_number(&page->header, lil_h5_read_number(tr->file, path));
    }
    lil_text_add(&page->header, "},");
    lil_quiet_end(quiet);
}

/* ---- arrows ---- */

/* The track of forces on place i: of vertices all of them in one. */
static const lil_track *force_track(lil_report_run *run, int i)
{
    char name[200];
    if (i < run->vertex_count)
        return lil_motion_track(&run->motion, "ghost_force");
    snprintf(name, sizeof name, "ghost/%.180s", run->motion.points[i - run->vertex_count]);
    return lil_motion_track(&run->motion, name);
}

static bool has_arrows(lil_report_run *run)
{
    bool all = run->vertex_count + run->point_count > 0;
    for (int i = 0; all && i < run->vertex_count + run->point_count; i++) {
        const lil_track *track = force_track(run, i);
        all = track != NULL;
        if (i < run->vertex_count) /* one for all of them */
            i = run->vertex_count - 1;
    }
    return all;
}

/* Forces on all places of a frame, 3 each; `row` has room for those on all coordinates. */
static lil_status read_forces(lil_report_run *run, int64_t frame, double *row, double *f)
{
    lil_trajectory *tr = run->motion.trajectory;
    if (run->vertex_count) {
        LIL_TRY(lil_track_read(tr, force_track(run, 0), frame, 1, row));
        lil_report_force(run, row, f);
    }
    for (int i = 0; i < run->point_count; i++)
        LIL_TRY(lil_track_read(tr, force_track(run, run->vertex_count + i), frame, 1,
                               f + 3 * ((size_t)run->vertex_count + (size_t)i)));
    return LIL_OK;
}

static int64_t kept_frame(const lil_report_run *run, int64_t k)
{
    int64_t last = run->motion.trajectory->frames - 1;
    return k * run->stride < last ? k * run->stride : last;
}

/* 16 bits a number, from -most to most. */
static lil_status write_arrows(lil_page *page, lil_report_run *run, double *row, double *f)
{
    int numbers = 3 * (run->vertex_count + run->point_count);
    double most = 0;
    for (int64_t k = 0; k < run->kept; k++) {
        LIL_TRY(read_forces(run, kept_frame(run, k), row, f));
        for (int i = 0; i < numbers; i++)
            most = isfinite(f[i]) ? fmax(most, fabs(f[i])) : most;
    }
    lil_text_add(&page->header, "\"arrows\":{\"block\":%d,\"most\":", lil_page_begin(page));
    lil_text_json_number(&page->header, most);
    lil_text_add(&page->header, "},");
    for (int64_t k = 0; k < run->kept; k++) {
        LIL_TRY(read_forces(run, kept_frame(run, k), row, f));
        for (int i = 0; i < numbers; i++) {
            double s = most > 0 && isfinite(f[i]) ? f[i] / most : 0;
            lil_page_u16(page, (unsigned)lrint(32767 + 32767 * s));
        }
    }
    lil_page_end(page);
    return LIL_OK;
}

double lil_report_arrow_bytes(const lil_report_run *run)
{
    return 4. / 3 * 6 * (run->vertex_count + run->point_count);
}

/* ---- levels and costs ---- */

/* Coordinate k as each level left it, at the level's own frames. */
static lil_status level_series(lil_page *page, lil_trajectory *tr, lil_shot_levels *l, int k)
{
    for (int i = 0; i < l->count; i++) {
        lil_series s;
        char part[40];
        LIL_TRY(lil_series_of_rows(tr, &l->arena, l, l->frames[i], l->strides[i], k, tr->names[k], &s));
        snprintf(part, sizeof part, "%lld frames", (long long)s.count - 1);
        LIL_TRY(lil_report_series(page, &s, INT32_MAX, "levels", part, "", NAN));
    }
    return LIL_OK;
}

static lil_status found(lil_page *page, lil_trajectory *tr, lil_shot_levels *l)
{
    int64_t most = LEVEL_NUMBERS / (4 * l->rows);
    lil_series s;
    LIL_TRY(lil_series_of_cost(tr, &l->arena, l, &s));
    LIL_TRY(lil_report_series(page, &s, INT32_MAX, "cost", "", "", NAN));
    for (int k = 0; l->count > 1 && k < tr->n && k < most; k++)
        LIL_TRY(level_series(page, tr, l, k));
    return LIL_OK;
}

lil_status lil_report_shot_series(lil_page *page, lil_report_run *run)
{
    lil_shot_levels l;
    lil_trajectory *tr = run->motion.trajectory;
    lil_status status = lil_shot_levels_open(tr, &l) ? found(page, tr, &l) : LIL_OK;
    lil_shot_levels_close(&l);
    return status;
}

double lil_report_shot_bytes(const lil_report_run *run)
{
    return H5Lexists(run->motion.trajectory->file, "shot", H5P_DEFAULT) > 0 ? 4. / 3 * 16 * LEVEL_NUMBERS : 0;
}

lil_status lil_report_shot(lil_page *page, lil_report_run *run)
{
    if (H5Lexists(run->motion.trajectory->file, "shot", H5P_DEFAULT) <= 0)
        return LIL_OK;
    keys(page, &run->motion);
    result(page, run->motion.trajectory);
    if (!has_arrows(run))
        return LIL_OK;
    lil_arena arena = { 0 };
    double *f = LIL_NEW(&arena, double, 3 * (size_t)(run->vertex_count + run->point_count));
    double *row = LIL_NEW(&arena, double, run->motion.trajectory->n);
    lil_status status = f && row ? write_arrows(page, run, row, f) : lil_fail_memory(run->motion.trajectory->ctx);
    lil_arena_free(&arena);
    return status;
}
