/* Poses of which only a part is given: the tets of a body that take it. */
#ifndef LIL_KEYFRAMES_POSE_FIT_H
#define LIL_KEYFRAMES_POSE_FIT_H

#include "world/world.h"

typedef struct lil_pose_fit {
    const lil_body *body;
    const bool *held; /* of each coordinate: x stays as it is */
    const double *y;  /* of the surface that rides in the tets: where its vertices are to be; NULL: anywhere */
    double turn[9];   /* about how the body is turned from rest */
} lil_pose_fit;

/* The rotation and the shift x -> R x + s that take points nearest to where they are to be (Kabsch 1976);
 * components that they leave undetermined keep R. Only coordinates that are `held` count, NULL: all; a vertex
 * turns with all three. */
void lil_fit_rigid(const double *from, const double *to, const bool *held, int count, double R[9], double shift[3]);

/* How far vertices of the surface are from their y, m. */
typedef struct lil_pose_miss {
    double most, mean;
} lil_pose_miss;

/* x, of the body's vertices, such that the surface is nearest to y, and of all such the one that deforms the tets
 * least. *missed is 0 where there is no y. */
lil_status lil_fit_pose(lil_context *ctx, lil_arena *arena, const lil_pose_fit *fit, double *x,
                        lil_pose_miss *missed);

#endif
