/* Reading a trajectory file. */
#ifndef LIL_RECORD_FILE_TRAJECTORY_H
#define LIL_RECORD_FILE_TRAJECTORY_H

#include "core/text.h"
#include "record/file/recorder.h"

#include <hdf5.h>

typedef struct lil_track {
    const char *name; /* "t", "q", "observe/L" */
    int width;        /* 0: a number per frame */
    bool single;      /* stored as float */
    const char *unit; /* "": unknown, or given by the name */
    hid_t set;
} lil_track;

enum { LIL_TRACKS_MAX = 4096 };

struct lil_trajectory {
    lil_context *ctx;
    lil_arena arena;
    const char *path;
    hid_t file;
    int n;
    const char **names;
    const char *what;  /* which of q, v and p were recorded: "q v" */
    lil_track *tracks; /* t first */
    int track_count;
    int64_t frames;                                                          /* of the shortest track */
    const char *variant, *integrator, *integrator_reason, *version, *status; /* reason NULL: it was named */
    lil_warnings warnings;
    bool warnings_read;
    lil_text description;
    struct lil_motion *motion; /* for reading frames; NULL: not opened yet */
    double *between;           /* q, v, p of a time between frames */
};

/* Rows from .. from + count - 1 of a track. */
lil_status lil_track_read(lil_trajectory *trajectory, const lil_track *track, int64_t from, int64_t count,
                          double *rows);

/* The points of a loop in phase space, which is not among the tracks; 0: there is none. Damaged: it does not have
 * as many frames. */
lil_status lil_loop_points(lil_trajectory *trajectory, int *points);
/* q and p of all its points at a frame: 2 n numbers a point. */
lil_status lil_loop_read(lil_trajectory *trajectory, int64_t frame, int points, double *row);

/* NULL: there is no such track. */
const lil_track *lil_track_find(const lil_trajectory *trajectory, const char *name);
/* q, v or p, which a recording may lack; where it does, the message says how to record it. */
lil_status lil_track_need(const lil_trajectory *trajectory, const char *name, const lil_track **track);

/* The name of a number of a row: before, name and after, joined. Of q "theta", of v "dtheta", of p "p_theta", of
 * observe/L "L", of draw/bob "bob.x". */
typedef struct lil_column {
    const char *before, *name, *after;
} lil_column;

lil_column lil_column_of(const lil_trajectory *trajectory, const lil_track *track, int k);

/* The result of a shot: numbers below /shot. Ends with NULL. */
extern const char *const lil_shot_numbers[];

#endif
