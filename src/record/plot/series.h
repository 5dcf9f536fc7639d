/*
 * Numbers over time, or over other numbers, of a trajectory: the one source of what SVG plots and pages draw. A
 * series is read in batches, however long it is, measured, and thinned.
 */
#ifndef LIL_RECORD_PLOT_SERIES_H
#define LIL_RECORD_PLOT_SERIES_H

#include "record/file/shot_levels.h"

/* A number per frame: one column of a track, less one of another; or how far a row of three has moved, over `scale`. */
typedef struct lil_series_source {
    const lil_track *track, *minus; /* minus NULL: nothing is taken off */
    int column;
    bool change;      /* |row - origin| / scale */
    double origin[3]; /* where change is counted from */
    double scale;
} lil_series_source;

typedef struct lil_series {
    const char *name;
    lil_trajectory *run;
    lil_series_source x, y;
    int64_t count;        /* of points */
    const double *points; /* x y, ...; NULL: they are read from the run */
    /* of y unless noted, over all finite pairs; first is NaN: there is none */
    double x_first, x_last, first, last;
    double x_min, x_max, min, max;
    double least_positive; /* for logarithms; infinite: none */
} lil_series;

/* A column of a track over the run's time. */
lil_series lil_series_of(lil_trajectory *run, const char *name, const lil_track *track, int column);
/* How far its rows are from the first, over `scale`. */
lil_status lil_series_of_change(lil_trajectory *run, const char *name, const lil_track *track, double scale,
                                lil_series *series);

/* Calls back with all points in their order; pairs that are not finite come too. */
typedef void lil_series_fn(void *user, double x, double y);
lil_status lil_series_each(const lil_series *series, lil_series_fn *call, void *user);
/* Sets first, last, least and largest. */
lil_status lil_series_measure(lil_series *series);

/* Measures it, and keeps the smallest and the largest of every stretch of points: at most `most` of them, an even
 * number. All are kept where they fit. */
typedef struct lil_thinned {
    int count;
    double *x, *y; /* the arena's */
    bool *breaks;  /* values that are not finite precede this point */
} lil_thinned;

lil_status lil_series_thin(lil_series *series, int most, lil_arena *arena, lil_thinned *thinned);

/* ---- the plots of a run ---- */

enum { LIL_ON_PAGES = 1, LIL_ON_PLOTS = 2 };

typedef struct lil_series_kind {
    const char *group, *name;
    const char *track, *minus, *unit; /* the unit of the track; a change is relative, and has none */
    int where;
    const char *unless; /* on plots: left out where there is this track */
    bool optional;      /* on plots: left out where it is nothing but 0 */
    const char *
        /* distance that a row of three has moved; pages divide it by the scale of this field of the certificate */
        drift;
} lil_series_kind;

/* NULL: there are no more. */
const lil_series_kind *lil_series_kind_at(int index);
/* False: the run does not have it. */
bool lil_series_of_kind(lil_trajectory *run, const lil_series_kind *kind, lil_series *series);

/* For a shot: coordinate k of every stride-th row and the last one, over time; its cost by iteration. The points
 * live in the arena. */
lil_status lil_series_of_rows(lil_trajectory *run, lil_arena *arena, const lil_shot_levels *levels,
                              const double *rows, int stride, int k, const char *name, lil_series *series);
lil_status lil_series_of_cost(lil_trajectory *run, lil_arena *arena, const lil_shot_levels *levels,
                              lil_series *series);

#endif
