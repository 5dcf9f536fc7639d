/* Fits the tets of a body to a pose that prescribes only some points. */
#ifndef LIL_KEYFRAMES_POSE_FIT_H
#define LIL_KEYFRAMES_POSE_FIT_H

#include "world/world.h"

typedef struct lil_pose_fit {
    const lil_body *body;
    const bool *held; /* of each coordinate: x stays as it is */
    const double *y;  /* positions of the vertices of the embedded surface; NULL: none */
    double turn[9];   /* approximate rotation of the body from rest */
} lil_pose_fit;

/* The rotation and the shift x -> R x + s that take points nearest to their targets (Kabsch 1976). Components that
 * the points do not determine keep R. Only coordinates that are `held` count (NULL: all); only vertices with all
 * three determine R. */
void lil_fit_rigid(const double *from, const double *to, const bool *held, int count, double R[9], double shift[3]);

/* How far vertices of the surface are from their y, m. */
typedef struct lil_pose_miss {
    double most, mean;
} lil_pose_miss;

/* x of the body's vertices such that the surface is nearest to y; of all such x, the one that deforms the tets
 * least. *missed is 0 without y. */
lil_status lil_fit_pose(lil_context *ctx, lil_arena *arena, const lil_pose_fit *fit, double *x,
                        lil_pose_miss *missed);

#endif
