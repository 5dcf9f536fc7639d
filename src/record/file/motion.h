/*
 * A trajectory for viewing: its bodies, particles, springs and drawn points, and their positions at any time between
 * frames. Exports, plots and pages use it.
 */
#ifndef LIL_RECORD_FILE_MOTION_H
#define LIL_RECORD_FILE_MOTION_H

#include "record/file/file_tables.h"
#include "record/file/h5.h"

/* Rows of a track that were read together. */
typedef struct lil_window {
    int64_t from, count;
    double *rows;
} lil_window;

typedef struct lil_motion {
    lil_trajectory *trajectory; /* borrowed */
    lil_arena arena;
    lil_recorded_body *bodies;
    int body_count;
    lil_recorded_particles *particles;
    int particles_count;
    lil_recorded_obstacle *obstacles;
    int obstacle_count;
    lil_recorded_world world;
    char up;         /* y or z */
    int point_count; /* drawn points */
    const char **points;
    int link_count;
    const int (*links)[2]; /* points; -1: the origin */
    const double *t;       /* of every frame, ascending */
    lil_window *windows;   /* one a track */
} lil_motion;

lil_status lil_motion_open(lil_trajectory *trajectory, lil_motion *motion);
void lil_motion_close(lil_motion *motion);
/* For a run that has not ended: its status and progress. */
void lil_motion_warn_incomplete(const lil_motion *motion);

/* Rows from .. from + count - 1 of a track, lent until the next call for it. Read ahead, since times mostly ascend. */
lil_status lil_motion_rows(lil_motion *motion, const lil_track *track, int64_t from, int64_t count,
                           const double **rows);
/* The last frame not later than t; the first, where there is none. */
int64_t lil_motion_frame_before(const lil_motion *motion, double t);

/* q and v (trajectory->n numbers each; either may be NULL) at a time between the first frame and the last: as
 * recorded at a frame's own time, by the cubic that has both frames' positions and velocities in between. Where only
 * one of q and v was recorded, it is lil_motion_track_at's, and the other an error. */
lil_status lil_motion_at(lil_motion *motion, double t, double *q, double *v);

/* The weights of vertex i of the body's own surface at t: those of keys at their times, and between two of them by
 * Hermite's cubic that is flat at both. */
void lil_motion_weights(const lil_recorded_body *body, int i, double t, double w[3]);
/* Where vertex i of the body's own surface is at t, with all vertices at q; and the mean of f over the vertices of
 * its tet, with the weights at rest. */
void lil_motion_carried(const lil_recorded_body *body, int i, double t, const double *q, double x[3]);
void lil_motion_carried_mean(const lil_recorded_body *body, int i, const double *f, double mean[3]);

/* Any other track at a time, in `row`: as recorded at a frame's own time, else by the cubic through the four frames
 * nearest to it (counts by the line through two). */
lil_status lil_motion_track_at(lil_motion *motion, const lil_track *track, double t, double *row);

/* How many times there are with `fps` a second, from the first frame's on; fps = 0: the frames themselves. A time
 * that is a frame's up to round-off is that frame's to the last bit. */
int64_t lil_motion_samples(const lil_motion *motion, double fps);
double lil_motion_time(const lil_motion *motion, double fps, int64_t i);
/* Frames a second as they were recorded; on the average, where they are not regular. */
double lil_motion_rate(const lil_motion *motion);

/* NULL: there is no such track. */
const lil_track *lil_motion_track(const lil_motion *motion, const char *name);

#endif
