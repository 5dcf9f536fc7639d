/* The lines of a figure: measured, and reduced to what can be seen. */
#include "record/plot/plot.h"

#include <math.h>
#include <string.h>

/* ---- measuring ---- */

enum { THINNED = 1120 }; /* points of a line over time: two for each of 560 columns */

static const double ROUND_OFF = 1e-18; /* of relative changes: a hundredth of the last bit */

static void fit_axes(lil_plot_panel *p)
{
    double x_min = INFINITY, x_max = -INFINITY, y_min = INFINITY, y_max = -INFINITY, positive = INFINITY;
    for (int i = 0; i < p->series_count; i++) {
        const lil_series *s = &p->series[i].of;
        x_min = fmin(x_min, s->x_min);
        x_max = fmax(x_max, s->x_max);
        y_min = fmin(y_min, s->min);
        y_max = fmax(y_max, s->max);
        positive = fmin(positive, s->least_positive);
    }
    if (!p->plane && y_min > 0 && y_min < 0.3 * y_max) /* what is near zero shows it */
        y_min = 0;
    if (!p->plane && y_max < 0 && y_max > 0.3 * y_min)
        y_max = 0;
    p->from = x_min;
    p->to = x_max;
    lil_axis_fit(&p->x, x_min, x_max, p->plane ? 0.05 : 0);
    if (p->y.log) { /* values far below round-off and exact zeros are drawn on the lower edge */
        positive = fmax(isfinite(positive) ? positive : 0, ROUND_OFF);
        y_max = fmax(y_max, 10 * ROUND_OFF);
    }
    lil_axis_fit(&p->y, p->y.log ? positive : y_min, y_max, 0.05);
}

/* Lines over time are thinned by the same reading. */
static lil_status measure(lil_figure *f, const lil_plot_panel *p, lil_plot_series *s)
{
    LIL_TRY(p->plane || s->loop ? lil_series_measure(&s->of)
                                : lil_series_thin(&s->of, THINNED, &f->arena, &s->thinned));
    return isnan(s->of.first) ? lil_fail(f->ctx, LIL_ERR_NOT_FINITE, "%.200s: %.60s has no finite number to plot",
                                         s->of.run->path, s->of.name)
                              : LIL_OK;
}

lil_status lil_panel_measure(lil_figure *f, lil_plot_panel *p)
{
    double largest = 0;
    int kept = 0;
    for (int i = 0; i < p->series_count; i++) {
        LIL_TRY(measure(f, p, &p->series[i]));
        largest = fmax(largest, fmax(fabs(p->series[i].of.min), fabs(p->series[i].of.max)));
    }
    for (int i = 0; i < p->series_count; i++) { /* the sum's round-off is nothing, too */
        const lil_plot_series *s = &p->series[i];
        if (!s->optional || fmax(fabs(s->of.min), fabs(s->of.max)) > 1e-12 * largest)
            p->series[kept++] = *s;
    }
    p->series_count = kept;
    fit_axes(p);
    return LIL_OK;
}

/* ---- drawing ---- */

typedef struct place {
    double x, y;
} place;

enum { PATH_MAX_POINTS = 24000 };

typedef struct pen {
    const lil_plot_panel *panel;
    lil_plot_series *series;
    bool broken; /* the next point begins a new line */
    /* the way from the last point written to `pending` passes near all points between: slopes it may have */
    bool has_anchor, has_pending;
    place anchor, pending;
    double steepest_up, steepest_down;
    /* in a plane: cells of the picture that have ink */
    bool *ink;
    int level, written_at_level;
} pen;

static place place_of(const lil_plot_panel *p, double x, double y)
{
    return (place){ p->left + p->width * lil_axis_place(&p->x, x),
                    p->top + p->height * (1 - lil_axis_place(&p->y, y)) };
}

static void write_point(pen *r, place at)
{
    lil_plot_series *s = r->series;
    if (s->path_count == PATH_MAX_POINTS)
        return;
    int32_t x = (int32_t)lround(100 * at.x), y = (int32_t)lround(100 * at.y);
    int k = s->path_count;
    if (k && !r->broken && s->path[k - 1][0] == x && s->path[k - 1][1] == y)
        return;
    s->breaks[k] = r->broken || k == 0;
    s->path[k][0] = x;
    s->path[k][1] = y;
    s->path_count++;
    r->broken = false;
}

/* A point that lies on the way is left out: the way from the anchor to the newest point passes all others within
 * TOLERANCE. */
static const double TOLERANCE = 0.06;

static void narrow(pen *r, place at)
{
    double dx = at.x - r->anchor.x;
    r->steepest_up = fmin(r->steepest_up, (at.y + TOLERANCE - r->anchor.y) / dx);
    r->steepest_down = fmax(r->steepest_down, (at.y - TOLERANCE - r->anchor.y) / dx);
    r->pending = at;
    r->has_pending = true;
}

static void set_anchor(pen *r, place at)
{
    write_point(r, at);
    r->anchor = at;
    r->has_anchor = true;
    r->has_pending = false;
    r->steepest_up = INFINITY;
    r->steepest_down = -INFINITY;
}

static void emit(pen *r, place at)
{
    if (!r->has_anchor) {
        set_anchor(r, at);
        return;
    }
    double dx = at.x - r->anchor.x, slope = (at.y - r->anchor.y) / dx;
    if (dx > 1e-3 && slope <= r->steepest_up && slope >= r->steepest_down) {
        narrow(r, at);
        return;
    }
    if (r->has_pending)
        set_anchor(r, r->pending);
    if (at.x - r->anchor.x > 1e-3)
        narrow(r, at);
    else
        set_anchor(r, at);
}

static void end_line(pen *r)
{
    if (r->has_pending)
        write_point(r, r->pending);
    r->has_anchor = r->has_pending = false;
    r->broken = true;
}

static void draw_over_time(pen *r)
{
    const lil_thinned *t = &r->series->thinned;
    for (int i = 0; i < t->count; i++) {
        if (t->breaks[i])
            end_line(r);
        emit(r, place_of(r->panel, t->x[i], t->y[i]));
    }
    end_line(r);
}

/* ---- curves in a plane ---- */

/* A million turns of one orbit are one orbit to the eye: what would only cover ink that is there already is left
 * out. When a picture needs many pieces all the same, ink is looked for in larger cells. */
enum { CELLS = 512, PIECES = 3000, LEVELS = 5 };

static bool *cover(pen *r, place at)
{
    double fx = (at.x - r->panel->left) / r->panel->width, fy = (at.y - r->panel->top) / r->panel->height;
    int x = (int)(fx * (CELLS - 1)) >> r->level, y = (int)(fy * (CELLS - 1)) >> r->level;
    x = x < 0 ? 0 : x;
    y = y < 0 ? 0 : y;
    return r->ink + (size_t)y * CELLS + (size_t)x;
}

static bool ink_piece(pen *r, place a, place b)
{
    double length = hypot(b.x - a.x, b.y - a.y);
    int steps = 1 + (int)(2 * length);
    bool fresh = false;
    for (int i = 0; i <= steps; i++) {
        double s = (double)i / steps;
        bool *cell = cover(r, (place){ a.x + s * (b.x - a.x), a.y + s * (b.y - a.y) });
        fresh |= !*cell;
        *cell = true;
    }
    return fresh;
}

static void coarsen(pen *r)
{
    for (size_t y = 0; y < CELLS / 2; y++)
        for (size_t x = 0; x < CELLS / 2; x++) {
            const bool *from = r->ink + 2 * y * CELLS + 2 * x;
            r->ink[y * CELLS + x] = from[0] || from[1] || from[CELLS] || from[CELLS + 1];
        }
    r->level++;
    r->written_at_level = 0;
}

static void draw_in_plane(void *user, double x, double y)
{
    pen *r = user;
    if (!isfinite(x) || !isfinite(y)) {
        r->has_anchor = r->has_pending = false;
        r->broken = true;
        return;
    }
    place at = place_of(r->panel, x, y);
    if (!r->has_anchor) {
        r->anchor = at;
        r->has_anchor = true;
        write_point(r, at);
        ink_piece(r, at, at);
        return;
    }
    r->pending = at;
    r->has_pending = true;
    if (hypot(at.x - r->anchor.x, at.y - r->anchor.y) < 0.75)
        return;
    if (ink_piece(r, r->anchor, at)) {
        if (r->broken)
            write_point(r, r->anchor);
        write_point(r, at);
        if (++r->written_at_level >= PIECES && r->level < LEVELS)
            coarsen(r);
    } else {
        r->broken = true;
    }
    r->anchor = at;
    r->has_pending = false;
}

static void draw_point(void *user, double x, double y)
{
    pen *r = user;
    write_point(r, place_of(r->panel, x, y));
}

static lil_status draw(lil_figure *f, const lil_plot_panel *p, lil_plot_series *s)
{
    bool ink = p->plane && !s->loop;
    int64_t most = ink || s->of.count > PATH_MAX_POINTS ? PATH_MAX_POINTS : s->of.count;
    pen r = { .panel = p, .series = s };
    s->path = lil_arena_alloc(&f->arena, (size_t)most, sizeof *s->path);
    s->breaks = LIL_NEW(&f->arena, bool, most);
    if (ink)
        r.ink = LIL_NEW(&f->arena, bool, CELLS *CELLS);
    if (!s->path || !s->breaks || (ink && !r.ink))
        return lil_fail_memory(f->ctx);
    if (!p->plane && !s->loop)
        draw_over_time(&r);
    else
        LIL_TRY(lil_series_each(&s->of, ink ? draw_in_plane : draw_point, &r));
    if (ink && r.has_pending && !r.broken)
        write_point(&r, r.pending);
    return LIL_OK;
}

lil_status lil_panel_draw(lil_figure *f, lil_plot_panel *p)
{
    for (int i = 0; i < p->series_count; i++)
        LIL_TRY(draw(f, p, &p->series[i]));
    return LIL_OK;
}
