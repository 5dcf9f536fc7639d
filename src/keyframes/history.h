/* The history of the solver: the costs of all iterations, and the last frames of each level, in all coordinates. */
#ifndef LIL_KEYFRAMES_HISTORY_H
#define LIL_KEYFRAMES_HISTORY_H

#include "keyframes/problem.h"

typedef struct lil_shot_history {
    double *cost;
    int *level;
    int count, room;
    double **frames;
    int *strides; /* of each level: its frames are this far apart */
    int level_count;
    /* the frames after each iteration, one set after the other; NULL: too many to store */
    double *steps;
    size_t steps_room;
    bool failed; /* no memory */
} lil_shot_history;

/* One more iteration; false: no memory. */
bool lil_history_record(lil_shot_history *history, lil_problem *problem, int level, double cost);
void lil_history_free(lil_shot_history *history);

#endif
