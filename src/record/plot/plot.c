/* From runs to a figure: which panels, read, measure, lay out, draw, write. */
#include "record/plot/plot.h"

#include "core/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

lil_plot_def lil_plot_def_default(void)
{
    return (lil_plot_def){ .what = "energy" };
}

static lil_status add_panel(lil_figure *f, const char *what, size_t length)
{
    if (f->panel_count == LIL_PLOT_PANELS_MAX)
        return lil_fail(f->ctx, LIL_ERR_LIMIT, "more than %d panels in one figure", LIL_PLOT_PANELS_MAX);
    lil_plot_panel *p = &f->panels[f->panel_count++];
    p->what = lil_arena_copy(&f->arena, what, length);
    p->series = LIL_NEW(&f->arena, lil_plot_series, LIL_PLOT_SERIES_MAX);
    bool is_static = f->run_count > 0 && strcmp(f->runs[0]->integrator, "statics") == 0;
    p->x = is_static ? (lil_axis){ .name = "load factor", .unit = "" } : (lil_axis){ .name = "t", .unit = "s" };
    LIL_HAVE(f->ctx, p->what && p->series);
    if (length == 0)
        return lil_fail(f->ctx, LIL_ERR_INPUT, "there is nothing to plot between two commas");
    const lil_plot_kind *kind;
    for (int i = 0; (kind = lil_plot_kind_at(i)); i++)
        if (strcmp(kind->name, p->what) == 0)
            return kind->prepare(f, p);
    return lil_plot_quantity(f, p);
}

/* "energy,momentum" */
static lil_status add_panels(lil_figure *f, const char *what)
{
    for (;;) {
        size_t length = strcspn(what, ",");
        LIL_TRY(add_panel(f, what, length));
        if (!what[length])
            return LIL_OK;
        what += length + 1;
    }
}

/* Panels over time share their axis, which reaches as far as the longest. */
static void share_time(lil_figure *f)
{
    double from = INFINITY, to = -INFINITY;
    for (int i = 0; i < f->panel_count; i++)
        if (!f->panels[i].plane) {
            from = fmin(from, f->panels[i].from);
            to = fmax(to, f->panels[i].to);
        }
    for (int i = 0; i < f->panel_count; i++)
        if (!f->panels[i].plane)
            lil_axis_fit(&f->panels[i].x, from, to, 0);
}

static lil_status check_runs(lil_figure *f)
{
    for (int i = 0; i < f->run_count; i++) {
        lil_trajectory *run = f->runs[i];
        double t;
        if (run->frames < 1)
            return lil_fail(f->ctx, LIL_ERR_FILE, "%.200s: has no frames", run->path);
        if (strcmp(run->status, "complete") == 0)
            continue;
        LIL_TRY(lil_track_read(run, &run->tracks[0], run->frames - 1, 1, &t));
        bool running = strcmp(run->status, "running") == 0;
        const char *how = !running ? run->status : lil_recorder_is_busy(run->path) ? "still running" : "killed";
        lil_warn(f->ctx, "%.200s: did not finish (%.100s): plotted to t = %.6g s", run->path, how, t);
    }
    return LIL_OK;
}

static lil_status make(lil_figure *f, const char *what, char **svg)
{
    LIL_TRY(check_runs(f));
    LIL_TRY(add_panels(f, what));
    for (int i = 0; i < f->panel_count; i++)
        LIL_TRY(lil_panel_measure(f, &f->panels[i]));
    share_time(f);
    lil_figure_layout(f);
    for (int i = 0; i < f->panel_count; i++)
        LIL_TRY(lil_panel_draw(f, &f->panels[i]));
    lil_text text = { 0 };
    lil_figure_svg(f, &text);
    if (text.failed || !text.data) {
        lil_text_free(&text);
        return lil_fail_memory(f->ctx);
    }
    *svg = text.data;
    return LIL_OK;
}

static lil_status check_call(lil_context *ctx, const char *function, lil_trajectory *const *runs, int count,
                             const lil_plot_def *def)
{
    if (!runs || !def || !def->what)
        return lil_fail_null(ctx, function, !runs ? "runs" : !def ? "def" : "def->what");
    if (count < 1)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "a plot shows at least one run: 'count' is %d", count);
    for (int i = 0; i < count; i++)
        if (!runs[i])
            return lil_fail_null(ctx, function, "runs[i]");
    return LIL_OK;
}

lil_status lil_plot_svg(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_plot_def *def, char **svg)
{
    LIL_NEED(ctx, ctx, "ctx");
    LIL_NEED(ctx, svg, "svg");
    *svg = NULL;
    LIL_TRY(check_call(ctx, __func__, runs, count, def));
    if (count > LIL_PLOT_RUNS_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d runs are too many for one plot: at most %d", count,
                        LIL_PLOT_RUNS_MAX);
    lil_figure *f = calloc(1, sizeof *f);
    LIL_HAVE(ctx, f);
    f->ctx = ctx;
    f->runs = runs;
    f->run_count = count;
    f->coordinate = def->coordinate;
    void *locale = lil_c_locale_begin(ctx);
    lil_status status = make(f, def->what, svg);
    lil_c_locale_end(locale);
    lil_arena_free(&f->arena);
    free(f);
    return status;
}

static bool is_input(const char *path, const lil_trajectory *run)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(run->path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

lil_status lil_plot(lil_context *ctx, lil_trajectory *const *runs, int count, const lil_plot_def *def)
{
    char *svg;
    LIL_NEED(ctx, ctx, "ctx");
    LIL_TRY(check_call(ctx, __func__, runs, count, def));
    LIL_NEED(ctx, def->path, "def->path");
    for (int i = 0; i < count; i++)
        if (is_input(def->path, runs[i]))
            return lil_fail(ctx, LIL_ERR_FILE, "%.200s: the figure would replace the trajectory itself", def->path);
    LIL_TRY(lil_plot_svg(ctx, runs, count, def, &svg));
    lil_status status = lil_file_write(ctx, def->path, def->replace, svg, strlen(svg));
    free(svg);
    return status;
}
