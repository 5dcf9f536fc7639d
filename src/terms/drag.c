#include "terms/drag.h"

#include "core/threads.h"
#include "terms/entries.h"

#include <string.h>

enum { PIECE = 256 }; /* vertices: on different threads */

typedef struct drag_work {
    lil_threads *threads;
    double *slots, **piece_slots, **piece_slope_slots;
    /* the wind at each vertex, where it was asked for last: what a step asks for several times */
    double at_t, *at_x, *w;
    bool made;
    double *slopes; /* c dw/dx, where blocks are wanted of a wind that depends on the place */
} drag_work;

static int pieces_of(const lil_drag_def *d)
{
    return (d->count + PIECE - 1) / PIECE;
}

static int piece_size(const lil_drag_def *d, int piece)
{
    return d->count - piece * PIECE < PIECE ? d->count - piece * PIECE : PIECE;
}

static bool depends_on_place(const lil_drag_def *d)
{
    return d->wind && d->wind->load_q_count > 0;
}

/* dF/dq = c dw/dx, a block a vertex where the wind depends on the place; dF/dv = -c */
static lil_status drag_list_entries(lil_context *ctx, const lil_drag_def *d, lil_arena *arena, lil_entries *entries)
{
    const lil_corners corners = lil_corners_single(NULL, d->first, depends_on_place(d) ? d->count : 0);
    entries->qq = 9 * corners.count;
    entries->qv = 3 * d->count;
    LIL_TRY(lil_entries_create(ctx, arena, (size_t)entries->qq + (size_t)entries->qv, entries));
    lil_corners_list(&corners, entries->row, entries->col);
    for (int k = 0; k < entries->qv; k++)
        entries->row[entries->qq + k] = entries->col[entries->qq + k] = 3 * d->first + k;
    return LIL_OK;
}

/* Each piece has slots of its own. */
static bool make_slots(const lil_drag_def *d, lil_arena *arena, drag_work *w)
{
    int pieces = pieces_of(d);
    w->slots = lil_program_slots(d->wind, arena);
    w->piece_slots = LIL_NEW(arena, double *, pieces);
    w->piece_slope_slots = LIL_NEW(arena, double *, pieces);
    bool there = w->slots && w->piece_slots && w->piece_slope_slots;
    for (int i = 0; there && i < pieces; i++)
        there = (w->piece_slots[i] = lil_program_slots_many(d->wind, arena)) &&
                (w->piece_slope_slots[i] = lil_program_slots_many(d->slopes, arena));
    return there;
}

static lil_status drag_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                             lil_entries *entries)
{
    const lil_drag_def *d = data;
    drag_work *w = LIL_NEW(arena, drag_work, 1);
    if (!w || (d->wind && !make_slots(d, arena, w)))
        return lil_fail_memory(ctx);
    w->threads = ctx->threads;
    LIL_ALLOC(ctx, arena, w->at_x, 3 * (size_t)d->count);
    LIL_ALLOC(ctx, arena, w->w, 3 * (size_t)d->count);
    *work = w;
    return second ? drag_list_entries(ctx, d, arena, entries) : LIL_OK;
}

/* Shared by the threads. */
typedef struct drag_job {
    const lil_drag_def *d;
    const drag_work *w;
    double t;
    const double *x;
    double *values;
} drag_job;

static void find_piece_wind(void *data, int i)
{
    const drag_job *job = data;
    const int from = 3 * PIECE * i;
    lil_program_run_many(job->d->wind, job->w->piece_slots[i], job->t, piece_size(job->d, i), job->x + from,
                         job->w->w + from);
}

static void find_wind(const lil_drag_def *d, drag_work *w, double t, const double *x)
{
    size_t bytes = 3 * (size_t)d->count * sizeof *x;
    if (!d->wind || (w->made && t == w->at_t && memcmp(x, w->at_x, bytes) == 0))
        return;
    drag_job job = { .d = d, .w = w, .t = t, .x = x };
    lil_parallel(w->threads, pieces_of(d), find_piece_wind, &job);
    memcpy(w->at_x, x, bytes);
    w->at_t = t;
    w->made = true;
}

static void drag_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_drag_def *d = data;
    drag_work *w = work;
    find_wind(d, w, at->t, at->q + 3 * d->first);
    const double *v = at->v + 3 * d->first;
    double *F = sums->gq + 3 * d->first;
    for (int k = 0; k < 3 * d->count; k++)
        F[k] -= d->c * (v[k] - w->w[k]);
}

/* c dw/dx */
static void find_piece_slopes(void *data, int i)
{
    const drag_job *job = data;
    int size = piece_size(job->d, i), from = PIECE * i;
    double out[12 * PIECE]; /* w and dw/dx */
    lil_program_run_many(job->d->slopes, job->w->piece_slope_slots[i], job->t, size, job->x + 3 * from, out);
    for (int k = 0; k < 9 * size; k++)
        job->values[9 * from + k] = job->d->c * out[12 * (k / 9) + 3 + k % 9];
}

static void write_entries(const lil_drag_def *d, drag_work *w, const lil_at *at, double *values)
{
    if (depends_on_place(d)) {
        drag_job job = { .d = d, .w = w, .t = at->t, .x = at->q + 3 * d->first, .values = values };
        lil_parallel(w->threads, pieces_of(d), find_piece_slopes, &job);
        values += 9 * d->count;
    }
    for (int k = 0; k < 3 * d->count; k++)
        *values++ = -d->c;
}

static void take_blocks(const lil_drag_def *d, drag_work *w, const lil_at *at, const lil_sink *to)
{
    if (w->slopes) {
        drag_job job = { .d = d, .w = w, .t = at->t, .x = at->q + 3 * d->first, .values = w->slopes };
        lil_parallel(w->threads, pieces_of(d), find_piece_slopes, &job);
    }
    for (int i = 0; i < d->count; i++)
        for (int e = 0; e < 9 && to->where[i] >= 0; e++)
            to->blocks[9 * (size_t)to->where[i] + e] -=
                (float)((w->slopes ? to->weight * w->slopes[9 * i + e] : 0) - (e % 4 == 0 ? to->weight_v * d->c : 0));
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    if (to->entries)
        write_entries(data, work, at, to->entries);
    else
        take_blocks(data, work, at, to);
}

static lil_status drag_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_block_pairs *list)
{
    const lil_drag_def *d = data;
    drag_work *w = work;
    if (depends_on_place(d) && !(w->slopes = LIL_NEW(arena, double, 9 * (size_t)d->count)))
        return lil_fail_memory(ctx);
    return lil_block_pairs_single(ctx, arena, NULL, d->first, d->count, list);
}

static bool drag_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const lil_drag_def *d = data;
    drag_work *w = work;
    for (int i = d->first; d->wind && i < d->first + d->count; i++)
        if (lil_program_explain(d->wind, w->slots, at->t, at->q + 3 * i, NULL, sentence, size))
            return true;
    return false;
}

static const lil_term_table table = {
    .name = "drag",
    .doc = "air drag, F = -c (v - w)",
    .place = LIL_FORCE,
    .begin = drag_begin,
    .evaluate = drag_evaluate,
    .second = second,
    .pairs = drag_pairs,
    .explain = drag_explain,
};

lil_status lil_term_drag(lil_context *ctx, lil_arena *arena, const lil_drag_def *def, lil_term *term)
{
    lil_drag_def *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = *def;
    *term = (lil_term){ .table = &table,
                        .data = d,
                        .uses_t = def->wind && def->wind->time_slot >= 0,
                        .uses_q = depends_on_place(def),
                        .uses_v = true };
    return LIL_OK;
}
