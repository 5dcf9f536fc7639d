/* How a shot was found: its levels, the relaxation of one of them, and the cost by iteration. */
#include "record/file/shot_levels.h"
#include "record/plot/plot.h"

static lil_status open_levels(lil_figure *f, lil_trajectory *run, lil_shot_levels *levels)
{
    if (lil_shot_levels_open(run, levels))
        return LIL_OK;
    lil_shot_levels_close(levels);
    return lil_fail(f->ctx, LIL_ERR_INPUT, "%.200s: is not a shot: only a scene with 'keys' has levels and a cost",
                    run->path);
}

/* Every stride-th row of a coordinate over the time, and the last one. */
static lil_status add_rows(lil_figure *f, lil_plot_panel *p, lil_trajectory *run, const lil_shot_levels *l,
                           const double *rows, int stride, int k, const char *label)
{
    int64_t last = l->rows - 1, count = (last + stride - 1) / stride + 1;
    double ends[2], *xy = LIL_NEW(&f->arena, double, 2 * (size_t)count);
    lil_plot_series *s = xy && label ? lil_plot_add_series(p, run, label) : NULL;
    if (!xy || !label)
        return lil_fail_memory(f->ctx);
    if (!s)
        return lil_plot_no_room(f);
    LIL_TRY(lil_track_read(run, &run->tracks[0], 0, 1, &ends[0]));
    LIL_TRY(lil_track_read(run, &run->tracks[0], run->frames - 1, 1, &ends[1]));
    for (int64_t i = 0; i < count; i++) {
        int64_t row = i * stride < last ? i * stride : last;
        xy[2 * i] = ends[0] + (ends[1] - ends[0]) * (double)row / (double)last;
        xy[2 * i + 1] = rows[row * run->n + k];
    }
    s->points = xy;
    s->count = count;
    s->loop = true; /* all of them are drawn */
    return LIL_OK;
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
        const char *part = lil_arena_format(&f->arena, "%lld frames", (long long)frames);
        LIL_TRY(
            add_rows(f, p, run, l, l->frames[i], l->strides[i], k, part ? lil_plot_part_label(f, run, part) : NULL));
    }
    return LIL_OK;
}

lil_status lil_plot_levels(lil_figure *f, lil_plot_panel *p)
{
    int k;
    p->about = "A coordinate over time, after each level of a shot";
    LIL_TRY(name_axes(f, p, &k));
    for (int i = 0; i < f->run_count; i++) {
        lil_shot_levels levels;
        LIL_TRY(open_levels(f, f->runs[i], &levels));
        lil_status status = add_levels(f, p, f->runs[i], &levels);
        lil_shot_levels_close(&levels);
        LIL_TRY(status);
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
                         l->strides[l->level[i]], k, part ? lil_plot_part_label(f, run, part) : NULL));
    }
    return LIL_OK;
}

lil_status lil_plot_relaxation(lil_figure *f, lil_plot_panel *p)
{
    int k;
    p->about = "A coordinate over time, during the half-sweeps of one level of a shot";
    LIL_TRY(name_axes(f, p, &k));
    for (int i = 0; i < f->run_count; i++) {
        lil_shot_levels levels;
        LIL_TRY(open_levels(f, f->runs[i], &levels));
        lil_status status = add_relaxation(f, p, f->runs[i], &levels);
        lil_shot_levels_close(&levels);
        LIL_TRY(status);
    }
    return LIL_OK;
}

lil_status lil_plot_cost(lil_figure *f, lil_plot_panel *p)
{
    p->about = "The cost of a shot after each iteration";
    p->plane = true;
    p->x = (lil_axis){ .name = "iteration", .unit = "" };
    p->y = (lil_axis){ .name = "cost", .unit = "", .log = true };
    for (int i = 0; i < f->run_count; i++) {
        lil_shot_levels l;
        LIL_TRY(open_levels(f, f->runs[i], &l));
        double *xy = LIL_NEW(&f->arena, double, 2 * (size_t)l.iterations);
        lil_plot_series *s =
            xy ? lil_plot_add_series(p, f->runs[i], f->run_count > 1 ? lil_plot_run_label(f, f->runs[i]) : "cost")
               : NULL;
        for (int k = 0; s && k < l.iterations; k++) {
            xy[2 * k] = k + 1;
            xy[2 * k + 1] = l.cost[k];
        }
        int count = l.iterations;
        lil_shot_levels_close(&l);
        if (!s)
            return xy ? lil_plot_no_room(f) : lil_fail_memory(f->ctx);
        s->points = xy;
        s->count = count;
        s->loop = true;
    }
    return LIL_OK;
}
