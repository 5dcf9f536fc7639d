/* What a trajectory file has of a world, whoever records it: tables that do not change, and at each frame where everything is that is held or
 * driven, and what touches. */
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
    int n;                  /* coordinates, also of what is held */
    double *full;           /* q, v, p of all of them at the latest frame, where some are held; NULL: none is */
    lil_drive_slots *slots; /* of obstacles */
    double *places;         /* of each: its point, and how it is turned, a quaternion */
    lil_touching *touching;
    int room;
    double d_hat;                     /* of the barrier, the largest, m */
    double gap, force, energy, pairs; /* of the barrier */
} lil_world_record;

/* Whatever it needs is in the arena. */
lil_status lil_world_record_begin(lil_context *ctx, lil_arena *arena, lil_sim *sim, lil_world_record *record);

/* world_tables.c: the recorder's tables, labels and parts: of the world, of a shot that was solved (NULL: none), pairs of drawn points, and the
 * upward axis, 'y' or 'z'. */
lil_status lil_record_tables(lil_world_record *record, const lil_shot *shot, const int *links, int link_count,
                             char up, lil_recorder_def *def);

/* Its channels, and where their values stand. */
int lil_world_record_channels_max(const lil_world_record *record);
lil_status lil_world_record_channels(lil_world_record *record, lil_channel *channels, const double **values,
                                     int *count);

/* Brings `full` up to date, where there is one; p of what is held is what its mass would have. */
void lil_world_record_fill(lil_world_record *record);
/* The rest of a frame; tells the recorder what touches. */
lil_status lil_world_record_frame(lil_world_record *record, lil_recorder *recorder);

/* Contact by barrier claims that nothing intersects: `lilyan check` looks at all that was recorded, also before a run was resumed, and the
 * certificate tells. What cannot be looked at is no failure. */
lil_status lil_world_record_look(const lil_world_record *record, lil_recorder *recorder, const char *path);

#endif
