/* The kinds of plot: what each shows of one run, and of several. */
#include "core/field.h"
#include "record/file/h5.h"
#include "record/plot/plot.h"

#include <stdio.h>
#include <string.h>

/* ---- series ---- */

lil_status lil_plot_add(lil_figure *f, lil_plot_panel *p, lil_series series)
{
    LIL_HAVE(f->ctx, series.name);
    if (p->series_count == LIL_PLOT_SERIES_MAX)
        return lil_fail(f->ctx, LIL_ERR_LIMIT, "more than %d lines in one plot", LIL_PLOT_SERIES_MAX);
    p->series[p->series_count] = (lil_plot_series){ .of = series, .style = p->series_count };
    p->series_count++;
    return LIL_OK;
}

lil_status lil_plot_add_loop(lil_figure *f, lil_plot_panel *p, lil_series series)
{
    LIL_TRY(lil_plot_add(f, p, series));
    p->series[p->series_count - 1].loop = true;
    return LIL_OK;
}

static const char *file_name(const lil_trajectory *run)
{
    const char *slash = strrchr(run->path, '/');
    return slash ? slash + 1 : run->path;
}

/* The variant, or the file; and the integrator, unless that says the same. */
const char *lil_plot_run_label(lil_figure *f, const lil_trajectory *run)
{
    const char *name = run->variant[0] ? run->variant : file_name(run);
    const char *end = run->variant[0] ? NULL : strrchr(name, '.');
    int length = (int)(end && strcmp(end, ".h5") == 0 ? (size_t)(end - name) : strlen(name));
    if (strstr(name, run->integrator) || !run->integrator[0])
        return lil_arena_format(&f->arena, "%.*s", length, name);
    return lil_arena_format(&f->arena, "%.*s (%s)", length, name, run->integrator);
}

/* "x" of one run; "run, x" of several */
const char *lil_plot_part_label(lil_figure *f, const lil_trajectory *run, const char *part)
{
    return f->run_count == 1 ? part : lil_arena_format(&f->arena, "%s, %s", lil_plot_run_label(f, run), part);
}

/* ---- names ---- */

static bool is_name(lil_column c, const char *name)
{
    size_t a = strlen(c.before), b = strlen(c.name);
    return strncmp(name, c.before, a) == 0 && strncmp(name + a, c.name, b) == 0 && strcmp(name + a + b, c.after) == 0;
}

static int width_of(const lil_track *track)
{
    return track->width ? track->width : 1;
}

/* All that can be asked for by name: first what is not a coordinate, since there may be very many of these. */
static lil_status list_names(lil_figure *f, const lil_trajectory *run, const char *const **names, int *count)
{
    int room = 0;
    for (int i = 1; i < run->track_count; i++)
        room += width_of(&run->tracks[i]);
    const char **all = LIL_NEW(&f->arena, const char *, room);
    *count = 0;
    for (int pass = 0; all && pass < 2; pass++)
        for (int i = 1; i < run->track_count; i++) {
            const lil_track *track = &run->tracks[i];
            bool coordinate = strlen(track->name) == 1;
            for (int k = 0; coordinate == (pass == 1) && k < width_of(track); k++) {
                lil_column c = lil_column_of(run, track, k);
                LIL_HAVE(f->ctx, all[(*count)++] = lil_arena_format(&f->arena, "%s%s%s", c.before, c.name, c.after));
            }
        }
    *names = all;
    return all ? LIL_OK : lil_fail_memory(f->ctx);
}

/* `asked` NULL: nothing was asked for by name. */
static lil_status unknown(lil_figure *f, const lil_trajectory *run, const char *asked, const char *problem)
{
    enum { KINDS = 16 };
    const char *const *names;
    const char *kinds[KINDS], *near = NULL;
    char all[560], hint[LIL_HINT_MAX];
    int count, kind_count = 0;
    LIL_TRY(list_names(f, run, &names, &count));
    for (const lil_plot_kind *k; kind_count < KINDS && (k = lil_plot_kind_at(kind_count)); kind_count++)
        kinds[kind_count] = k->name;
    if (asked)
        near = lil_nearest(asked, names, count, sizeof *names);
    if (asked && !near)
        near = lil_nearest(asked, kinds, kind_count, sizeof *kinds);
    return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: %s%s%s", run->path, problem, lil_hint(near, hint),
                    lil_hint_all(names, count, all, sizeof all));
}

/* ---- energy ---- */

static lil_status prepare_energy(lil_figure *f, lil_plot_panel *p)
{
    const lil_series_kind *kind;
    lil_series s;
    p->about = "Energy over time";
    p->y = (lil_axis){ .name = "energy", .unit = "J" };
    for (int i = 0; f->run_count > 1 && i < f->run_count; i++)
        LIL_TRY(lil_plot_add(
            f, p,
            lil_series_of(f->runs[i], lil_plot_run_label(f, f->runs[i]), lil_track_find(f->runs[i], "energy"), 0)));
    for (int i = 0; f->run_count == 1 && (kind = lil_series_kind_at(i)); i++) {
        bool shown = strcmp(kind->group, "energy") == 0 && (kind->where & LIL_ON_PLOTS) &&
                     !(kind->unless && lil_track_find(f->runs[0], kind->unless));
        if (!shown || !lil_series_of_kind(f->runs[0], kind, &s))
            continue;
        LIL_TRY(lil_plot_add(f, p, s));
        p->series[p->series_count - 1].optional = kind->optional;
    }
    return LIL_OK;
}

/* ---- momentum ---- */

static lil_status prepare_momentum(lil_figure *f, lil_plot_panel *p)
{
    p->about =
        "Changes of linear and angular momentum over time, |P(t) - P(0)| over the largest sum of all |p| and |L(t) - "
        "L(0)| over that of all |q - c||p|; values below 1e-18, exact zeros too, are drawn on the lower edge";
    p->y = (lil_axis){ .name = "relative change", .unit = "", .log = true };
    for (int i = 0; i < f->run_count; i++) {
        lil_trajectory *run = f->runs[i];
        const lil_track *tracks[] = { lil_track_find(run, "linear_momentum"),
                                      lil_track_find(run, "angular_momentum") };
        const char *const names[] = { "linear momentum", "angular momentum" };
        double sizes[2];
        if (!tracks[0] || !tracks[1])
            return unknown(f, run, NULL, "has no momenta of bodies");
        LIL_TRY(lil_plot_momenta_sizes(f, run, &sizes[0], &sizes[1]));
        for (int k = 0; k < 2; k++) { /* nothing moves: then nothing changes either */
            lil_series s;
            LIL_TRY(lil_series_of_change(run, lil_plot_part_label(f, run, names[k]), tracks[k],
                                         sizes[k] > 0 ? sizes[k] : 1, &s));
            LIL_TRY(lil_plot_add(f, p, s));
        }
    }
    return LIL_OK;
}

/* ---- phase ---- */

lil_status lil_plot_coordinate(lil_figure *f, lil_trajectory *run, int *k)
{
    for (*k = 0; *k < run->n; ++*k)
        if (!f->coordinate || strcmp(run->names[*k], f->coordinate) == 0)
            return LIL_OK;
    char all[560], hint[LIL_HINT_MAX];
    return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: there is no coordinate '%.60s'%s%s", run->path, f->coordinate,
                    lil_hint(lil_nearest(f->coordinate, run->names, run->n, sizeof *run->names), hint),
                    lil_hint_all(run->names, run->n, all, sizeof all));
}

/* One frame of a loop: q and p of coordinate k of each of its points, and the first once more. */
static lil_status add_loop(lil_figure *f, lil_plot_panel *p, lil_trajectory *run, int64_t frame, int k,
                           const char *label)
{
    int points;
    double t;
    LIL_TRY(lil_loop_points(run, &points));
    size_t width = 2 * (size_t)run->n;
    double *row = LIL_NEW(&f->arena, double, width *(size_t)points);
    double *xy = LIL_NEW(&f->arena, double, 2 * ((size_t)points + 1));
    if (!row || !xy)
        return lil_fail_memory(f->ctx);
    LIL_TRY(lil_track_read(run, &run->tracks[0], frame, 1, &t));
    LIL_TRY(lil_loop_read(run, frame, points, row));
    for (int j = 0; j <= points; j++) {
        xy[2 * j] = row[(size_t)(j % points) * width + (size_t)k];
        xy[2 * j + 1] = row[(size_t)(j % points) * width + (size_t)(run->n + k)];
    }
    return lil_plot_add_loop(f, p,
                             (lil_series){ .name = label ? label : lil_arena_format(&f->arena, "t = %.4g s", t),
                                           .run = run,
                                           .count = points + 1,
                                           .points = xy });
}

/* One run: the loop at five times; several runs: their common start, and the end of each. */
static lil_status add_loops(lil_figure *f, lil_plot_panel *p, int k)
{
    enum { TIMES = 5 };
    int64_t last = f->runs[0]->frames - 1, before = -1;
    p->about = "A closed loop in phase space";
    for (int i = 0; f->run_count == 1 && i < TIMES; i++) {
        int64_t frame = last * i / (TIMES - 1);
        if (frame > before)
            LIL_TRY(add_loop(f, p, f->runs[0], frame, k, NULL));
        before = frame;
    }
    if (f->run_count == 1)
        return LIL_OK;
    LIL_TRY(add_loop(f, p, f->runs[0], 0, k, "start"));
    for (int i = 0; i < f->run_count; i++)
        LIL_TRY(add_loop(f, p, f->runs[i], f->runs[i]->frames - 1, k, lil_plot_run_label(f, f->runs[i])));
    return LIL_OK;
}

static bool all_have_loops(const lil_figure *f)
{
    bool all = true;
    for (int i = 0; i < f->run_count; i++)
        all = all && H5Lexists(f->runs[i]->file, "loop", H5P_DEFAULT) > 0;
    return all;
}

static lil_status prepare_phase(lil_figure *f, lil_plot_panel *p)
{
    int k;
    LIL_TRY(lil_plot_coordinate(f, f->runs[0], &k));
    const char *name = f->runs[0]->names[k];
    bool length = strchr(name, '.');
    p->about = "Momentum against position";
    p->plane = true;
    p->x = (lil_axis){ .name = name, .unit = length ? "m" : "" };
    p->y = (lil_axis){ .name = lil_arena_format(&f->arena, "p_%s", name), .unit = length ? "kg m/s" : "" };
    LIL_HAVE(f->ctx, p->y.name);
    if (all_have_loops(f))
        return add_loops(f, p, k);
    for (int i = 0; i < f->run_count; i++) {
        lil_trajectory *run = f->runs[i];
        LIL_TRY(lil_plot_coordinate(f, run, &k));
        const lil_track *track_q, *track_p;
        LIL_TRY(lil_track_need(run, "q", &track_q));
        LIL_TRY(lil_track_need(run, "p", &track_p));
        lil_series s = lil_series_of(run, f->run_count > 1 ? lil_plot_run_label(f, run) : name, track_p, k);
        s.x = (lil_series_source){ .track = track_q, .column = k };
        LIL_TRY(lil_plot_add(f, p, s));
    }
    return LIL_OK;
}

/* ---- area ---- */

static lil_status prepare_area(lil_figure *f, lil_plot_panel *p)
{
    p->about = "Area of a loop in phase space over time";
    p->y = (lil_axis){ .name = "area", .unit = "J s" };
    for (int i = 0; i < f->run_count; i++) {
        lil_trajectory *run = f->runs[i];
        const lil_track *area = lil_track_find(run, "area");
        if (!area)
            return unknown(f, run, NULL, "has no loop, so there is no area to plot");
        LIL_TRY(
            lil_plot_add(f, p, lil_series_of(run, f->run_count > 1 ? lil_plot_run_label(f, run) : "area", area, 0)));
    }
    return LIL_OK;
}

/* ---- any quantity ---- */

static const char *unit_of(const lil_track *track, lil_column c)
{
    const lil_series_kind *kind;
    for (int i = 0; (kind = lil_series_kind_at(i)); i++)
        if (strcmp(track->name, kind->track) == 0)
            return kind->unit;
    if (track->unit[0])
        return track->unit;
    if (strncmp(track->name, "draw/", 5) == 0)
        return "m";
    if (strncmp(track->name, "force/", 6) == 0)
        return "N";
    if (track->name[1] || !strchr(c.name, '.')) /* coordinates of text have units of their own */
        return "";
    return track->name[0] == 'q' ? "m" : track->name[0] == 'v' ? "m/s" : "kg m/s";
}

/* A column by its name, or by its track's: then all its columns, where these are few. */
static lil_status add_columns(lil_figure *f, lil_plot_panel *p, lil_trajectory *run, int *found)
{
    *found = 0;
    for (int i = 1; i < run->track_count && !*found; i++) {
        const lil_track *track = &run->tracks[i];
        lil_column whole = lil_column_of(run, track, 0);
        whole.after = "";
        bool all = strlen(track->name) > 1 && (is_name(whole, p->what) || strcmp(track->name, p->what) == 0);
        for (int k = 0; k < width_of(track); k++) {
            lil_column c = lil_column_of(run, track, k);
            if (!all && !is_name(c, p->what))
                continue;
            const char *part = lil_arena_format(&f->arena, "%s%s%s", c.before, c.name, c.after);
            bool alone = width_of(track) == 1 || !all;
            const char *label = alone && f->run_count > 1 ? lil_plot_run_label(f, run)
                                : part                    ? lil_plot_part_label(f, run, part)
                                                          : NULL;
            LIL_TRY(lil_plot_add(f, p, lil_series_of(run, label, track, k)));
            p->y.unit = unit_of(track, c);
            ++*found;
        }
    }
    return LIL_OK;
}

lil_status lil_plot_quantity(lil_figure *f, lil_plot_panel *p)
{
    p->about = lil_arena_format(&f->arena, "%s over time", p->what);
    p->y = (lil_axis){ .name = p->what, .unit = "" };
    LIL_HAVE(f->ctx, p->about);
    for (int i = 0; i < f->run_count; i++) {
        int found;
        LIL_TRY(add_columns(f, p, f->runs[i], &found));
        char problem[128];
        snprintf(problem, sizeof problem, "'%.60s' is not recorded", p->what);
        if (!found)
            return unknown(f, f->runs[i], p->what, problem);
    }
    return LIL_OK;
}

/* ---- the table ---- */

static const lil_plot_kind kinds[] = {
    { "energy", "one run: total, kinetic, potential, dissipated energy; several runs: the total of each",
      prepare_energy },
    { "momentum", "change of linear and angular momentum of bodies since the start, relative", prepare_momentum },
    { "phase", "momentum against position of one coordinate; with a loop, the loop at several times", prepare_phase },
    { "area", "the area of a loop in phase space", prepare_area },
    { "levels", "shot: a coordinate after each level", lil_plot_levels },
    { "relaxation", "shot: a coordinate during the half-sweeps of a level", lil_plot_relaxation },
    { "cost", "shot: its cost by iteration", lil_plot_cost },
};

const lil_plot_kind *lil_plot_kind_at(int index)
{
    return index >= 0 && index < (int)(sizeof kinds / sizeof kinds[0]) ? &kinds[index] : NULL;
}

bool lil_plot_entry(int index, const char **name, const char **doc)
{
    const lil_plot_kind *kind = lil_plot_kind_at(index);
    if (!kind || !name || !doc)
        return false;
    *name = kind->name;
    *doc = kind->doc;
    return true;
}
