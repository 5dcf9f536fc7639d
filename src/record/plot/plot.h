/*
 * A figure of one or several trajectories: its kinds (plot_kinds.c), numbers (series.h), axes (plot_axis.c), lines
 * (plot_lines.c) and SVG (plot_svg.c). A figure is made of panels that share the axis of time; a panel is a kind of
 * plot.
 */
#ifndef LIL_RECORD_PLOT_PLOT_H
#define LIL_RECORD_PLOT_PLOT_H

#include "record/plot/series.h"

/* ---- numbers ---- */

/* A line of a panel. */
typedef struct lil_plot_series {
    lil_series of;
    bool loop;     /* a curve in the plane, or few points: all of them are drawn, in any order of x */
    bool optional; /* left out where it is nothing but 0 */
    int style;
    lil_thinned thinned; /* of a line over time */
    /* as drawn, 1/100 of a unit of the figure; a break precedes a point where the line restarts */
    int32_t (*path)[2];
    bool *breaks;
    int path_count;
} lil_plot_series;

/* ---- axes ---- */

enum { LIL_TICKS_MAX = 9, LIL_MINOR_MAX = 96 };

typedef struct lil_axis {
    const char *name, *unit;
    bool log;
    /* drawn is u = x / 10^exponent, or log10(x), from `least` to `most` */
    int exponent;
    double least, most;
    /* tick labels are offset by so much, and count in 10^factor */
    double offset;
    int factor;
    int digits; /* after the point */
    int tick_count, minor_count;
    double ticks[LIL_TICKS_MAX], minor[LIL_MINOR_MAX]; /* in u */
} lil_axis;

/* Fits the axis to numbers from least to most; of a logarithmic one both are positive. `pad` is left free on both
 * sides, as a share of the range. */
void lil_axis_fit(lil_axis *axis, double least, double most, double pad);
/* Position of a number: 0 at `least`, 1 at `most`. Zero is at the lower end of a logarithmic axis. */
double lil_axis_place(const lil_axis *axis, double x);
double lil_axis_tick_place(const lil_axis *axis, double u);

/* ---- figures ---- */

enum { LIL_PLOT_RUNS_MAX = 64, LIL_PLOT_SERIES_MAX = 256, LIL_PLOT_PANELS_MAX = 6 };

/* The paper's width of a column, 8.9 cm, is so many units. */
enum { LIL_PLOT_WIDTH = 520 };

typedef struct lil_plot_kind lil_plot_kind;

typedef struct lil_plot_panel {
    const char *what; /* the kind's name, or that of a quantity */
    const char *about;
    lil_axis x, y;
    lil_plot_series *series;
    int series_count;
    bool plane;                      /* the axis of x is not the time */
    double from, to;                 /* of x */
    double left, top, width, height; /* of the area of data */
} lil_plot_panel;

typedef struct lil_figure {
    lil_context *ctx;
    lil_arena arena;
    lil_trajectory *const *runs;
    int run_count;
    const char *coordinate; /* NULL: the first */
    lil_plot_panel panels[LIL_PLOT_PANELS_MAX];
    int panel_count;
    double width, height;
} lil_figure;

struct lil_plot_kind {
    const char *name, *doc;
    /* Adds the panel's series, and names its axes. */
    lil_status (*prepare)(lil_figure *figure, lil_plot_panel *panel);
};

const lil_plot_kind *lil_plot_kind_at(int index); /* NULL: there are no more */
/* For shots, in plot_shot.c. */
lil_status lil_plot_levels(lil_figure *figure, lil_plot_panel *panel);
lil_status lil_plot_relaxation(lil_figure *figure, lil_plot_panel *panel);
lil_status lil_plot_cost(lil_figure *figure, lil_plot_panel *panel);

/* For kinds: one more line, added last; what a run, or a part of it, is called; which coordinate was asked for. */
lil_status lil_plot_add(lil_figure *figure, lil_plot_panel *panel, lil_series series);
lil_status lil_plot_add_loop(lil_figure *figure, lil_plot_panel *panel, lil_series series);
const char *lil_plot_run_label(lil_figure *figure, const lil_trajectory *run);
const char *lil_plot_part_label(lil_figure *figure, const lil_trajectory *run, const char *part);
lil_status lil_plot_coordinate(lil_figure *figure, lil_trajectory *run, int *k);

/* Any recorded quantity over time. */
lil_status lil_plot_quantity(lil_figure *figure, lil_plot_panel *panel);

/* Reads through all numbers of a panel, and fits its axes. Series that are optional and 0 are left out. */
lil_status lil_panel_measure(lil_figure *figure, lil_plot_panel *panel);
/* Their lines, once axes and area are known. */
lil_status lil_panel_draw(lil_figure *figure, lil_plot_panel *panel);
/* plot_momenta.c: the largest sum over all points of |p|, and of |q - centre||p|, of all frames. */
lil_status lil_plot_momenta_sizes(lil_figure *figure, lil_trajectory *run, double *p_size, double *l_size);

/* Where legends, axes and areas go; then all of it as text. */
void lil_figure_layout(lil_figure *figure);
void lil_figure_svg(const lil_figure *figure, lil_text *svg);

#endif
