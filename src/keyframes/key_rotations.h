/*
 * A spline goes straight from pose to pose: between poses that are turned by 180 degrees a body would shrink to
 * nothing. So where bodies begin, the spline goes through poses that are turned back, and its frames are turned with
 * them again:
 *
 *     q_k = R_k (u_k - c_k) + c_k        c the centre of mass; R_k at keys the rotation nearest to the pose, between them about
 *                                        one axis, as smoothly as velocities are given
 *
 * A key that holds only some vertices of a body counts as the latest pose before it, moved rigidly so that these are
 * nearest to where they are to be.
 */
#ifndef LIL_KEYFRAMES_KEY_ROTATIONS_H
#define LIL_KEYFRAMES_KEY_ROTATIONS_H

#include "keyframes/problem.h"
#include "keyframes/rigid_motion.h"

typedef struct lil_key_rotations {
    lil_problem *shot;
    const lil_rigid_bodies *bodies;
    bool *key;    /* each frame and part: there is a pose */
    double *pose; /* of all frames */
    double *R;    /* of each frame and part with a pose: from the first of the part's poses */
    bool *held;   /* the shot's own */
} lil_key_rotations;

lil_status lil_key_rotations_create(lil_problem *shot, const lil_rigid_bodies *bodies, lil_key_rotations *turned);
/* Sets key poses, rotated back; then rotates all frames forward again, with keyed coordinates as they were. */
void lil_key_rotations_back(lil_key_rotations *turned);
void lil_key_rotations_forth(lil_key_rotations *turned);

#endif
