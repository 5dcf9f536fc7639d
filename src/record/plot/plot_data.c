/* The numbers of a figure: read in batches, measured, and reduced to what can be seen. */
#include "record/file/motion.h"
#include "record/plot/plot.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH_NUMBERS = 1 << 16 };

/* ---- reading ---- */

/* Runs through the points of a series; pairs that are not finite come too. */
typedef lil_status point_fn(void *user, double x, double y);

static int width_of(const lil_track *track)
{
    return track && track->width ? track->width : 1;
}

static int64_t batch_of(int width)
{
    int64_t rows = BATCH_NUMBERS / width;
    return rows < 1 ? 1 : rows;
}

static lil_status read_source(const lil_plot_series *s, const lil_plot_source *source, int64_t from, int64_t count,
                              double *rows, double *out)
{
    int w = width_of(source->track);
    LIL_TRY(lil_track_read(s->run, source->track, from, count, rows));
    for (int64_t i = 0; i < count; i++) {
        const double *row = rows + i * w, *o = source->origin;
        if (!source->change)
            out[i] = row[source->column];
        else
            out[i] = hypot(hypot(row[0] - o[0], row[1] - o[1]), row[2] - o[2]) / source->scale;
    }
    if (!source->minus)
        return LIL_OK;
    w = width_of(source->minus);
    LIL_TRY(lil_track_read(s->run, source->minus, from, count, rows));
    for (int64_t i = 0; i < count; i++)
        out[i] -= rows[i * w + source->minus_column];
    return LIL_OK;
}

static int widest(const lil_plot_series *s)
{
    const lil_track *tracks[] = { s->x.track, s->x.minus, s->y.track, s->y.minus };
    int w = 1;
    for (int i = 0; i < 4; i++)
        w = width_of(tracks[i]) > w ? width_of(tracks[i]) : w;
    return w;
}

static lil_status each_point(lil_figure *f, const lil_plot_series *s, point_fn *call, void *user)
{
    for (int64_t i = 0; s->points && i < s->count; i++)
        LIL_TRY(call(user, s->points[2 * i], s->points[2 * i + 1]));
    if (s->points)
        return LIL_OK;
    int64_t batch = batch_of(widest(s));
    batch = batch < s->count ? batch : s->count;
    double *x = malloc((size_t)batch * (size_t)(widest(s) + 2) * sizeof *x), *y = x + batch, *rows = y + batch;
    lil_status status = x ? LIL_OK : lil_fail_memory(f->ctx);
    for (int64_t from = 0; status == LIL_OK && from < s->count; from += batch) {
        int64_t count = s->count - from < batch ? s->count - from : batch;
        status = read_source(s, &s->x, from, count, rows, x);
        if (status == LIL_OK)
            status = read_source(s, &s->y, from, count, rows, y);
        for (int64_t i = 0; status == LIL_OK && i < count; i++)
            status = call(user, x[i], y[i]);
    }
    free(x);
    return status;
}

/* ---- measuring ---- */

static lil_status measure_point(void *user, double x, double y)
{
    lil_plot_series *s = user;
    if (!isfinite(x) || !isfinite(y))
        return LIL_OK;
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
    return LIL_OK;
}

static const double ROUND_OFF = 1e-18; /* of relative changes: a hundredth of the last bit */

static void fit_axes(lil_plot_panel *p)
{
    double x_min = INFINITY, x_max = -INFINITY, y_min = INFINITY, y_max = -INFINITY, positive = INFINITY;
    for (int i = 0; i < p->series_count; i++) {
        const lil_plot_series *s = &p->series[i];
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
    if (p->y.log) { /* what is far below round-off, or an exact zero, stands on the lower edge */
        positive = fmax(isfinite(positive) ? positive : 0, ROUND_OFF);
        y_max = fmax(y_max, 10 * ROUND_OFF);
    }
    lil_axis_fit(&p->y, p->y.log ? positive : y_min, y_max, 0.05);
}

lil_status lil_panel_measure(lil_figure *f, lil_plot_panel *p)
{
    double largest = 0;
    int kept = 0;
    for (int i = 0; i < p->series_count; i++) {
        lil_plot_series *s = &p->series[i];
        s->first = s->last = NAN;
        s->x_min = s->min = s->least_positive = INFINITY;
        s->x_max = s->max = -INFINITY;
        LIL_TRY(each_point(f, s, measure_point, s));
        if (isnan(s->first))
            return lil_fail(f->ctx, LIL_ERR_NOT_FINITE, "%.200s: %.60s has no finite number to plot", s->run->path,
                            s->label);
        largest = fmax(largest, fmax(fabs(s->min), fabs(s->max)));
    }
    for (int i = 0; i < p->series_count; i++) { /* the sum's round-off is nothing, too */
        const lil_plot_series *s = &p->series[i];
        if (!s->optional || fmax(fabs(s->min), fabs(s->max)) > 1e-12 * largest)
            p->series[kept++] = *s;
    }
    p->series_count = kept;
    fit_axes(p);
    return LIL_OK;
}

/* ---- reducing ---- */

typedef struct place {
    double x, y;
} place;

enum { COLUMNS = 560, EACH = 2, PATH_MAX_POINTS = 24000 };

typedef struct reducer {
    lil_figure *figure;
    const lil_plot_panel *panel;
    lil_plot_series *series;
    bool broken; /* the next point begins a new line */
    int64_t seen;
    /* along time: what fell into this column of pixels */
    long column;
    int64_t count, least_at, most_at;
    int turns; /* from up to down and back, in this column */
    bool rising;
    place some[EACH], least, most, latest;
    /* the way from the last point written to `pending` passes near all points between: slopes it may have */
    bool has_anchor, has_pending;
    place anchor, pending;
    double steepest_up, steepest_down;
    /* in a plane: cells of the picture that have ink */
    bool *ink;
    int level, written_at_level;
} reducer;

static place place_of(const lil_plot_panel *p, double x, double y)
{
    return (place){ p->left + p->width * lil_axis_place(&p->x, x),
                    p->top + p->height * (1 - lil_axis_place(&p->y, y)) };
}

static void write_point(reducer *r, place at)
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

/* A point that lies on the way is left out: the way from the anchor to the newest point passes all others within TOLERANCE. */
static const double TOLERANCE = 0.06;

static void narrow(reducer *r, place at)
{
    double dx = at.x - r->anchor.x;
    r->steepest_up = fmin(r->steepest_up, (at.y + TOLERANCE - r->anchor.y) / dx);
    r->steepest_down = fmax(r->steepest_down, (at.y - TOLERANCE - r->anchor.y) / dx);
    r->pending = at;
    r->has_pending = true;
}

static void set_anchor(reducer *r, place at)
{
    write_point(r, at);
    r->anchor = at;
    r->has_anchor = true;
    r->has_pending = false;
    r->steepest_up = INFINITY;
    r->steepest_down = -INFINITY;
}

static void emit(reducer *r, place at)
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

static void flush_column(reducer *r)
{
    if (r->count <= EACH)
        for (int i = 0; i < r->count; i++)
            emit(r, r->some[i]);
    else if (r->turns > 1) { /* to and fro within a column: one way round everywhere, or there would be stripes */
        emit(r, (place){ fmin(r->least.x, r->most.x), r->least.y });
        emit(r, (place){ fmax(r->least.x, r->most.x), r->most.y });
    } else if (r->least_at < r->most_at) {
        emit(r, r->least);
        emit(r, r->most);
    } else {
        emit(r, r->most);
        emit(r, r->least);
    }
    r->count = r->turns = 0;
}

static void end_line(reducer *r)
{
    bool last = r->count > EACH;
    flush_column(r);
    if (last)
        emit(r, r->latest);
    if (r->has_pending)
        write_point(r, r->pending);
    r->has_anchor = r->has_pending = false;
    r->broken = true;
}

static lil_status reduce_in_time(void *user, double x, double y)
{
    reducer *r = user;
    if (!isfinite(x) || !isfinite(y)) {
        end_line(r);
        return LIL_OK;
    }
    place at = place_of(r->panel, x, y);
    long column = (long)floor((at.x - r->panel->left) * COLUMNS / r->panel->width);
    if (r->count && column != r->column)
        flush_column(r);
    r->column = column;
    if (r->count < EACH)
        r->some[r->count] = at;
    if (r->count == 0 || at.y < r->least.y) {
        r->least = at;
        r->least_at = r->count;
    }
    if (r->count == 0 || at.y > r->most.y) {
        r->most = at;
        r->most_at = r->count;
    }
    if (r->count > 0 && at.y != r->latest.y) {
        bool rising = at.y > r->latest.y;
        r->turns += r->count > 1 && rising != r->rising;
        r->rising = rising;
    }
    r->latest = at;
    r->count++;
    if (r->seen++ == 0) /* the first point of all stays */
        flush_column(r);
    return LIL_OK;
}

/* ---- curves in a plane ---- */

/* A million turns of one orbit are one orbit to the eye: what would only cover ink that is there already is left out. When a
 * picture needs many pieces all the same, ink is looked for in larger cells. */
enum { CELLS = 512, PIECES = 3000, LEVELS = 5 };

static bool *cover(reducer *r, place at)
{
    double fx = (at.x - r->panel->left) / r->panel->width, fy = (at.y - r->panel->top) / r->panel->height;
    int x = (int)(fx * (CELLS - 1)) >> r->level, y = (int)(fy * (CELLS - 1)) >> r->level;
    x = x < 0 ? 0 : x;
    y = y < 0 ? 0 : y;
    return r->ink + (size_t)y * CELLS + (size_t)x;
}

static bool ink_piece(reducer *r, place a, place b)
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

static void coarsen(reducer *r)
{
    for (size_t y = 0; y < CELLS / 2; y++)
        for (size_t x = 0; x < CELLS / 2; x++) {
            const bool *from = r->ink + 2 * y * CELLS + 2 * x;
            r->ink[y * CELLS + x] = from[0] || from[1] || from[CELLS] || from[CELLS + 1];
        }
    r->level++;
    r->written_at_level = 0;
}

static lil_status reduce_in_plane(void *user, double x, double y)
{
    reducer *r = user;
    if (!isfinite(x) || !isfinite(y)) {
        r->has_anchor = r->has_pending = false;
        r->broken = true;
        return LIL_OK;
    }
    place at = place_of(r->panel, x, y);
    if (!r->has_anchor) {
        r->anchor = at;
        r->has_anchor = true;
        write_point(r, at);
        ink_piece(r, at, at);
        return LIL_OK;
    }
    r->pending = at;
    r->has_pending = true;
    if (hypot(at.x - r->anchor.x, at.y - r->anchor.y) < 0.75)
        return LIL_OK;
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
    return LIL_OK;
}

static lil_status reduce_loop(void *user, double x, double y)
{
    reducer *r = user;
    write_point(r, place_of(r->panel, x, y));
    return LIL_OK;
}

static lil_status reduce_series(lil_figure *f, const lil_plot_panel *p, lil_plot_series *s)
{
    size_t room = (size_t)(s->count < PATH_MAX_POINTS ? s->count : PATH_MAX_POINTS) + 8;
    reducer r = { .figure = f, .panel = p, .series = s };
    if (p->plane && !s->loop) /* a piece that begins anew takes two */
        room = PATH_MAX_POINTS;
    s->path = lil_arena_alloc(&f->arena, room, sizeof *s->path);
    s->breaks = LIL_NEW(&f->arena, bool, room);
    if (p->plane)
        r.ink = LIL_NEW(&f->arena, bool, CELLS *CELLS);
    if (!s->path || !s->breaks || (p->plane && !r.ink))
        return lil_fail_memory(f->ctx);
    LIL_TRY(each_point(f, s, s->loop ? reduce_loop : p->plane ? reduce_in_plane : reduce_in_time, &r));
    if (!p->plane)
        end_line(&r);
    else if (r.has_pending && !r.broken)
        write_point(&r, r.pending);
    return LIL_OK;
}

lil_status lil_panel_reduce(lil_figure *f, lil_plot_panel *p)
{
    for (int i = 0; i < p->series_count; i++)
        LIL_TRY(reduce_series(f, p, &p->series[i]));
    return LIL_OK;
}

/* ---- momenta ---- */

/* Of the bodies' masses, a quarter of each tet's at each of its corners: as they move, so at the first frame. */
static void add_body(const lil_recorded_body *body, const double *q, double sum[4])
{
    for (int i = 0; i < body->tet_count; i++) {
        const int *v = body->tets[i];
        double e[3][3], m;
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 3; d++)
                e[k][d] = body->rest[3 * v[k + 1] + d] - body->rest[3 * v[0] + d];
        m = body->material.density / 24 *
            fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                 e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]));
        for (int k = 0; k < 4; k++) {
            for (int d = 0; d < 3; d++)
                sum[d] += m * q[3 * (body->first + v[k]) + d];
            sum[3] += m;
        }
    }
}

static void add_particles(const lil_recorded_particles *p, const double *q, double sum[4])
{
    for (int i = 0; i < p->count; i++) {
        for (int d = 0; d < 3; d++)
            sum[d] += p->mass[i] * q[3 * (p->first + i) + d];
        sum[3] += p->mass[i];
    }
}

static lil_status find_centre(lil_trajectory *run, double *q, double centre[3])
{
    lil_motion motion;
    double sum[4] = { 0 };
    LIL_TRY(lil_track_read(run, &run->tracks[1], 0, 1, q));
    LIL_TRY(lil_motion_open(run, &motion));
    for (int i = 0; i < motion.body_count; i++)
        add_body(&motion.bodies[i], q, sum);
    for (int i = 0; i < motion.particles_count; i++)
        add_particles(&motion.particles[i], q, sum);
    lil_motion_close(&motion);
    for (int d = 0; d < 3; d++)
        centre[d] = sum[3] > 0 ? sum[d] / sum[3] : 0;
    return LIL_OK;
}

static void momenta_size(const double *q, const double *p, int points, const double c[3], double *p_size,
                         double *l_size)
{
    double p_sum = 0, l_sum = 0;
    for (int i = 0; i < points; i++, q += 3, p += 3) {
        double pp = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]), x = q[0] - c[0], y = q[1] - c[1], z = q[2] - c[2];
        p_sum += pp;
        l_sum += pp * sqrt(x * x + y * y + z * z);
    }
    *p_size = fmax(*p_size, p_sum);
    *l_size = fmax(*l_size, l_sum);
}

lil_status lil_plot_momenta_sizes(lil_figure *f, lil_trajectory *run, double *p_size, double *l_size)
{
    int n = run->n;
    int64_t batch = batch_of(n);
    double *q = malloc(2 * (size_t)batch * (size_t)n * sizeof *q), *p = q + batch * n, centre[3];
    lil_status status = q ? find_centre(run, q, centre) : lil_fail_memory(f->ctx);
    *p_size = *l_size = 0;
    for (int64_t from = 0; status == LIL_OK && from < run->frames; from += batch) {
        int64_t count = run->frames - from < batch ? run->frames - from : batch;
        status = lil_track_read(run, &run->tracks[1], from, count, q);
        if (status == LIL_OK)
            status = lil_track_read(run, &run->tracks[3], from, count, p);
        for (int64_t i = 0; status == LIL_OK && i < count; i++)
            momenta_size(q + i * n, p + i * n, n / 3, centre, p_size, l_size);
    }
    free(q);
    return status;
}
