/* Numbers over time, thinned for plots: of every stretch of frames the smallest and the largest are kept. */
#ifndef LIL_RECORD_PLOT_SERIES_H
#define LIL_RECORD_PLOT_SERIES_H

#include "record/file/motion.h"

typedef struct lil_series {
    int count;          /* of kept points */
    double *t, *y;      /* room for `most` */
    double first, last; /* of all frames that are finite; NaN: none is */
    double min, max;
} lil_series;

/* A number of a frame, from the rows of one or two tracks; `first` is what it gave for frame 0's row. */
typedef double lil_series_fn(const double *a, const double *b, const double *first);

/* `most`: even, 4 at least. b may be NULL. The arrays are the arena's. */
lil_status lil_series_read(lil_motion *motion, const lil_track *a, const lil_track *b, lil_series_fn *value, int most,
                           lil_arena *arena, lil_series *series);

#endif
