/* How a shot was found: its levels, the relaxation of one of them, and the cost by iteration. */
#include "record/plot/plot.h"

static lil_status open_levels(lil_figure *f, lil_trajectory *run, lil_shot_levels *levels)
{
    if (lil_shot_levels_open(run, levels))
        return LIL_OK;
    lil_shot_levels_close(levels);
    return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: is not a shot: only a scene with 'keys' has levels and a cost",
                    run->path);
}

static lil_status add_rows(lil_figure *f, lil_plot_panel *p, lil_trajectory *run, const lil_shot_levels *l,
                           const double *rows, int stride, int k, const char *part)
{
    lil_series s;
    LIL_TRY(
        lil_series_of_rows(run, &f->arena, l, rows, stride, k, part ? lil_plot_part_label(f, run, part) : NULL, &s));
    return lil_plot_add_loop(f, p, s);
}

static lil_status name_axes(lil_figure *f, lil_plot_panel *p, int *k)
{
    LIL_TRY(lil_plot_coordinate(f, f->runs[0], k));
    const char *name = f->runs[0]->names[*k];
    p->y = (lil_axis){ .name = name, .unit = "" };
    for (const char *c = name; *c; c++)
        if (*c == '.') /* of particles: metres */
            p->y.unit = "m";
    return LIL_OK;
}

static lil_status add_levels(lil_figure *f, lil_plot_panel *p, lil_trajectory *run, const lil_shot_levels *l)
{
    int k;
    LIL_TRY(lil_plot_coordinate(f, run, &k));
    for (int i = 0; i < l->count; i++) {
        int64_t frames = (l->rows - 1 + l->strides[i] - 1) / l->strides[i];
        LIL_TRY(add_rows(f, p, run, l, l->frames[i], l->strides[i], k,
                         lil_arena_format(&f->arena, "%lld frames", (long long)frames)));
    }
    return LIL_OK;
}

/* The first level that is relaxed four times, or the last one: its new frames, and up to five half-sweeps. */
static lil_status add_relaxation(lil_figure *f, lil_plot_panel *p, lil_trajectory *run, const lil_shot_levels *l)
{
    enum { SHOWN = 6 };
    int k, first = 0, count = 0;
    LIL_TRY(lil_plot_coordinate(f, run, &k));
    if (!l->steps)
        return lil_fail(f->ctx, LIL_ERR_INPUT,
                        "%.200s: has too many iterations or frames to keep all of them: plot 'levels' instead",
                        run->path);
    for (int level = 0; level < l->count && count < SHOWN - 1; level++) {
        count = 0;
        for (int i = l->iterations - 1; i >= 0; i--)
            if (l->level[i] == level) {
                first = i;
                count++;
            }
    }
    for (int i = first; i < first + count && i < first + SHOWN; i++) {
        const char *part = i == first ? "new frames" : lil_arena_format(&f->arena, "relaxation %d", i - first);
        LIL_TRY(add_rows(f, p, run, l, l->steps + (size_t)i * (size_t)l->rows * (size_t)run->n,
                         l->strides[l->level[i]], k, part));
    }
    return LIL_OK;
}

static lil_status add_cost(lil_figure *f, lil_plot_panel *p, lil_trajectory *run, const lil_shot_levels *l)
{
    lil_series s;
    LIL_TRY(lil_series_of_cost(run, &f->arena, l, &s));
    if (f->run_count > 1)
        s.name = lil_plot_run_label(f, run);
    return lil_plot_add_loop(f, p, s);
}

static lil_status each_run(lil_figure *f, lil_plot_panel *p,
                           lil_status (*add)(lil_figure *, lil_plot_panel *, lil_trajectory *,
                                             const lil_shot_levels *))
{
    for (int i = 0; i < f->run_count; i++) {
        lil_shot_levels levels;
        LIL_TRY(open_levels(f, f->runs[i], &levels));
        lil_status status = add(f, p, f->runs[i], &levels);
        lil_shot_levels_close(&levels);
        LIL_TRY(status);
    }
    return LIL_OK;
}

lil_status lil_plot_levels(lil_figure *f, lil_plot_panel *p)
{
    int k;
    p->about = "A coordinate over time, after each level of a shot";
    LIL_TRY(name_axes(f, p, &k));
    return each_run(f, p, add_levels);
}

lil_status lil_plot_relaxation(lil_figure *f, lil_plot_panel *p)
{
    int k;
    p->about = "A coordinate over time, during the half-sweeps of one level of a shot";
    LIL_TRY(name_axes(f, p, &k));
    return each_run(f, p, add_relaxation);
}

lil_status lil_plot_cost(lil_figure *f, lil_plot_panel *p)
{
    p->about = "The cost of a shot after each iteration";
    p->plane = true;
    p->x = (lil_axis){ .name = "iteration", .unit = "" };
    p->y = (lil_axis){ .name = "cost", .unit = "", .log = true };
    return each_run(f, p, add_cost);
}
