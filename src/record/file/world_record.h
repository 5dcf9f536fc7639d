/*
 * The data of a world in a trajectory file: constant tables, and at each frame the positions of pinned and driven
 * vertices, and contacts.
 */
#ifndef LIL_RECORD_FILE_WORLD_RECORD_H
#define LIL_RECORD_FILE_WORLD_RECORD_H

#include "record/file/recorder.h"
#include "sim/sim.h"
#include "world/contact.h"

typedef struct lil_world_record {
    lil_context *ctx;
    lil_arena *arena;
    lil_sim *sim;
    const lil_world *world; /* NULL: the model is not of one */
    int n;                  /* coordinates, pinned ones included */
    double *full;           /* q, v, p of all of them at the latest frame, where some are held; NULL: none is */
    lil_drive_slots *slots; /* of obstacles */
    double *places;         /* of each: its point, and how it is turned, a quaternion */
    double **points;        /*   and all vertices of a mesh that deforms; else NULL */
    lil_touching *touching;
    int room;
    double d_hat;                     /* of the barrier, the largest, m */
    double gap, force, energy, pairs; /* of the barrier */
} lil_world_record;

/* Its memory is in the arena. */
lil_status lil_world_record_begin(lil_context *ctx, lil_arena *arena, lil_sim *sim, lil_world_record *record);

/* world_tables.c: the recorder's tables, labels and parts: of the world, of a shot that was solved (NULL: none),
 * pairs of drawn points, and the upward axis, 'y' or 'z'. */
lil_status lil_record_tables(lil_world_record *record, const lil_shot *shot, const int *links, int link_count,
                             char up, lil_recorder_def *def);

/* Its channels, and the positions of their values. */
int lil_world_record_channels_max(const lil_world_record *record);
lil_status lil_world_record_channels(lil_world_record *record, lil_channel *channels, const double **values,
                                     int *count);

/* Updates `full`, if there is one; p of pinned vertices is mass times velocity. */
void lil_world_record_fill(lil_world_record *record);
/* The rest of a frame; passes its contacts to the recorder. */
lil_status lil_world_record_frame(lil_world_record *record, lil_recorder *recorder);

/* The barrier claims that nothing intersects: the exact check searches all recorded frames, also those before a
 * resume, and the certificate reports the result. A recording that cannot be checked is not a failure. */
lil_status lil_world_record_look(const lil_world_record *record, lil_recorder *recorder, const char *path);

#endif
