/*
 * Writing a trajectory file (HDF5), frame by frame.
 *
 *     /t /energy /potential              one number a frame
 *     /q /p /v                           one row a frame, in the order of /names
 *     /observe/NAME, /draw/NAME          a number, or x y z, a frame
 *     /certificate/FIELD                 numbers, NaN where they do not apply
 *     /scene /overrides /variant /integrator /version /status
 *
 * Datasets, not attributes, and all of them there from the start: what a reader finds does not depend on how the run
 * ended.
 */
#ifndef LIL_RECORD_RECORDER_H
#define LIL_RECORD_RECORDER_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_channel {
    const char *name; /* "energy", "observe/L" */
    int width;        /* 0: a number a frame; n: a row of n */
} lil_channel;

typedef struct lil_recorder_def {
    const char *path;
    bool replace;
    const lil_channel *channels;
    int channel_count;
    const char *const *names; /* of the coordinates */
    int n;
    const char *scene, *overrides, *variant, *integrator;
} lil_recorder_def;

typedef struct lil_recorder lil_recorder;

lil_status lil_recorder_create(lil_context *ctx, const lil_recorder_def *def, lil_recorder **recorder);
/* values[i] are those of channel i. Collected, and written out every half second. */
lil_status lil_recorder_frame(lil_recorder *recorder, const double *const *values);
/* Writes the rest, the certificate and how the run ended ("complete", or a sentence); closes the file. */
lil_status lil_recorder_finish(lil_recorder *recorder, const lil_certificate *certificate, const char *ended);
void lil_recorder_destroy(lil_recorder **recorder);
int64_t lil_recorder_frames(const lil_recorder *recorder);

enum { LIL_STATUS_MAX = 256 }; /* bytes of /status */

#endif
