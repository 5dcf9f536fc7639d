/* A recorded run whose frames become keys of a shot, or where one begins. */
#ifndef LIL_RECORD_FILE_RECORDED_KEYS_H
#define LIL_RECORD_FILE_RECORDED_KEYS_H

#include "record/file/motion.h"
#include "record/file/trajectory.h"
#include "world/world.h"

typedef struct lil_recorded {
    lil_trajectory *trajectory;
    lil_motion motion;
    double first, last; /* times */
} lil_recorded;

/* A run of n coordinates and, where there is a world, of bodies of the same names, vertices and shapes, wherever
 * they are. */
lil_status lil_recorded_open(lil_context *ctx, const char *path, int n, const lil_world *world, lil_recorded *run);
void lil_recorded_close(lil_recorded *run);
/* Before its first frame and after its last the motion is at rest. v may be NULL. */
lil_status lil_recorded_at(lil_recorded *run, double t, double *q, double *v);
/* How a body's surface was carried in that run, which may have been a shot as well; stays as it is where that has
 * none. */
lil_status lil_recorded_weights(const lil_recorded *run, lil_arena *arena, const lil_body *body, double t,
                                const double **weights);

#endif
