/* The history of a shot's solution in its trajectory: see recorder.h, /shot. */
#ifndef LIL_RECORD_FILE_SHOT_LEVELS_H
#define LIL_RECORD_FILE_SHOT_LEVELS_H

#include "record/file/trajectory.h"

typedef struct lil_shot_levels {
    lil_arena arena;
    int iterations;
    const double *cost; /* of each iteration */
    const int *level;
    int count; /* of levels */
    const int *strides;
    const double **frames; /* of each level: a row per frame of the shot, those between its own on straight lines */
    const double *steps;   /* such rows after each iteration; NULL: they were too many */
    int64_t rows;          /* frames of the shot */
} lil_shot_levels;

/* False: it is no shot, or damaged. To be closed in any case. */
bool lil_shot_levels_open(const lil_trajectory *trajectory, lil_shot_levels *levels);
void lil_shot_levels_close(lil_shot_levels *levels);

#endif
