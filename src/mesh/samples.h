/*
 * Sampled animation: where points are at some times. In between they follow cubic splines, C2, so that velocities and
 * accelerations are continuous. Before the first time and after the last one they stand still: both end velocities are 0. Or
 * the samples are one period of a loop.
 */
#ifndef LIL_MESH_SAMPLES_H
#define LIL_MESH_SAMPLES_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_samples {
    const char *name; /* of the file, for messages */
    int points, count;
    double *t; /* ascending, s */
    double *x; /* 3 of each point at each time, m */
    double *v; /* m/s; NULL until lil_samples_join */
    bool loop;
    bool rounded; /* by a file, which has floats or few digits */
} lil_samples;

/* The interval that a time is in, and how far. */
typedef struct lil_samples_place {
    int at;
    double h, s; /* the length of the interval, s; of it, 0 to 1; h = 0: they stand still */
} lil_samples_place;

/* Room for x of `count` times and one more, which a loop may need. */
lil_status lil_samples_create(lil_context *ctx, lil_arena *arena, const char *name, int points, int count,
                              lil_samples *samples);
/* Refuses times that do not ascend. */
lil_status lil_samples_check_times(lil_context *ctx, const lil_samples *samples);
/* A loop whose last sample is not the first one again, up to 1e-5 of its size, returns to it one mean interval later. */
void lil_samples_close(lil_samples *samples);
/* The splines, after the last change of t and x. */
lil_status lil_samples_join(lil_context *ctx, lil_arena *arena, lil_samples *samples);

lil_samples_place lil_samples_find(const lil_samples *samples, double t);
/* The position and the velocity of one point. */
void lil_samples_at(const lil_samples *samples, const lil_samples_place *place, int point, double x[3], double v[3]);

#endif
