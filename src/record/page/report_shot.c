/* A shot on a page: its keys, their errors, ghost forces as arrows, levels, and the cost of each iteration. */
#include "record/page/report.h"

#include <math.h>

enum {
    LEVEL_NUMBERS = 40000, /* of all levels' frames on a page, at most */
    TARGETS = 200000,      /* places of all keys together, at most */
};

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

/* ---- what keys ask for ---- */

typedef struct targets {
    lil_page *page;
    lil_report_run *run;
    const double *q;
    const int *asked, *frames;
    int64_t count;
    double *row, *places; /* of a frame */
} targets;

/* Of a place on a surface: free if one of its tet's vertices is, else asked for if one of them is. */
static int state_of_surface(const lil_recorded_body *b, int i, const int *state)
{
    bool any = false, some = false;
    int room[4];
    const int *tet = lil_recorded_part(b, b->surface.tet[i], room);
    for (int k = 0; k < 4; k++) {
        int s = state[b->first + tet[k]];
        any = any || s == 0;
        some = some || s == 1;
    }
    return any ? 0 : some ? 1 : 2;
}

/* 0, 1 or 2 as in the file, of each place; of a vertex 1 if one of its coordinates is asked for. */
static void write_states(const targets *t, const int *asked, int *vertex, int *place)
{
    const lil_motion *m = &t->run->motion;
    for (int v = 0; v < m->trajectory->n / 3; v++) {
        const int *a = asked + 3 * (size_t)v;
        vertex[v] = a[0] == 1 || a[1] == 1 || a[2] == 1 ? 1 : a[0] && a[1] && a[2] ? 2 : 0;
        if (t->run->place[v] >= 0)
            place[t->run->place[v]] = vertex[v];
    }
    for (int b = 0; b < m->body_count; b++)
        for (int i = 0; !lil_report_shows_tets(&m->bodies[b]) && i < m->bodies[b].surface.vertex_count; i++)
            place[t->run->body_place[b] + i] = state_of_surface(&m->bodies[b], i, vertex);
    for (int i = 0; i < t->run->vertex_count; i++)
        lil_page_u16(t->page, (unsigned)place[i]);
}

/* Positions at key k: what it asks for, else where the motion is. */
static lil_status write_positions(const targets *t, int64_t k)
{
    lil_trajectory *tr = t->run->motion.trajectory;
    const lil_track *q;
    size_t n = (size_t)tr->n;
    LIL_TRY(lil_track_need(tr, "q", &q));
    LIL_TRY(lil_track_read(tr, q, t->frames[k], 1, t->row));
    for (size_t i = 0; i < n; i++)
        if (t->asked[n * (size_t)k + i] == 1)
            t->row[i] = t->q[n * (size_t)k + i];
    lil_report_place(t->run, t->run->motion.t[t->frames[k]], t->row, t->places);
    for (int i = 0; i < 3 * t->run->vertex_count; i++)
        lil_page_f32(t->page, t->places[i]);
    return LIL_OK;
}

static lil_status write_targets(targets *t, lil_arena *arena)
{
    lil_trajectory *tr = t->run->motion.trajectory;
    int *vertex, *place;
    LIL_ALLOC(tr->ctx, arena, vertex, tr->n);
    LIL_ALLOC(tr->ctx, arena, place, t->run->vertex_count);
    LIL_ALLOC(tr->ctx, arena, t->row, tr->n);
    LIL_ALLOC(tr->ctx, arena, t->places, 3 * (size_t)t->run->vertex_count);
    lil_text_add(&t->page->header, "\"targets\":{\"x\":%d,", lil_page_begin(t->page));
    for (int64_t k = 0; k < t->count; k++)
        LIL_TRY(write_positions(t, k));
    lil_page_end(t->page);
    lil_text_add(&t->page->header, "\"asked\":%d},", lil_page_begin(t->page));
    for (int64_t k = 0; k < t->count; k++)
        write_states(t, t->asked + k * tr->n, vertex, place);
    lil_page_end(t->page);
    return LIL_OK;
}

/* Of bodies and particles, unless they are too many or the file is older. */
static lil_status ask(lil_page *page, lil_report_run *run)
{
    lil_trajectory *tr = run->motion.trajectory;
    lil_arena arena = { 0 };
    targets t = { .page = page, .run = run };
    int64_t rows = 0, more = 0;
    lil_quiet quiet = lil_quiet_begin();
    t.frames = lil_h5_read_wholes(&arena, tr->file, "shot/keys", 1, &t.count);
    if (t.frames && H5Lexists(tr->file, "shot/key_q", H5P_DEFAULT) > 0 &&
        H5Lexists(tr->file, "shot/key_asked", H5P_DEFAULT) > 0) {
        t.q = lil_h5_read_reals(&arena, tr->file, "shot/key_q", tr->n, &rows);
        t.asked = lil_h5_read_wholes(&arena, tr->file, "shot/key_asked", tr->n, &more);
    }
    lil_quiet_end(quiet);
    bool good = t.q && t.asked && rows == t.count && more == t.count && run->vertex_count &&
                t.count * run->vertex_count <= TARGETS;
    for (int64_t k = 0; good && k < t.count; k++)
        good = t.frames[k] >= 0 && t.frames[k] < tr->frames;
    lil_status status = good ? write_targets(&t, &arena) : LIL_OK;
    lil_arena_free(&arena);
    return status;
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
    hid_t file = run->motion.trajectory->file;
    lil_arena arena = { 0 };
    lil_quiet quiet = lil_quiet_begin();
    int64_t keys = 0;
    bool any = H5Lexists(file, "shot", H5P_DEFAULT) > 0;
    if (any && !lil_h5_read_wholes(&arena, file, "shot/keys", 1, &keys))
        keys = 0;
    lil_quiet_end(quiet);
    lil_arena_free(&arena);
    return any ? 4. / 3 * (16 * LEVEL_NUMBERS + 14 * fmin((double)keys * run->vertex_count, TARGETS)) : 0;
}

lil_status lil_report_shot(lil_page *page, lil_report_run *run)
{
    if (H5Lexists(run->motion.trajectory->file, "shot", H5P_DEFAULT) <= 0)
        return LIL_OK;
    keys(page, &run->motion);
    LIL_TRY(ask(page, run));
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
