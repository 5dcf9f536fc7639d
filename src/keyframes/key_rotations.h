/*
 * A spline moves vertices on straight lines from pose to pose: between poses that are rotated by 180 degrees a body
 * would shrink to a point. So the initial guess of bodies is a spline through poses that are rotated back, and its
 * frames are then rotated forward again:
 *
 *     q_k = R_k (u_k - c_k) + c_k        c the centre of mass; R_k at keys the rotation nearest to the pose, between them about
 *                                        one axis, as smoothly as velocities are given
 *
 * A key for only some vertices of a body counts as the latest pose before it, moved rigidly so that these vertices
 * are nearest to the key.
 */
#ifndef LIL_KEYFRAMES_KEY_ROTATIONS_H
#define LIL_KEYFRAMES_KEY_ROTATIONS_H

#include "keyframes/problem.h"
#include "keyframes/rigid_motion.h"

typedef struct lil_key_rotations {
    lil_problem *shot;
    const lil_rigid_bodies *bodies;
    bool *key;    /* each frame and part: has a pose */
    double *pose; /* of all frames */
    double *R;    /* of each frame and part with a pose: from the first of the part's poses */
    bool *held;   /* a copy of the shot's */
} lil_key_rotations;

lil_status lil_key_rotations_create(lil_problem *shot, const lil_rigid_bodies *bodies, lil_key_rotations *turned);
/* Sets key poses, rotated back; then rotates all frames forward again, with keyed coordinates as they were. */
void lil_key_rotations_back(lil_key_rotations *turned);
void lil_key_rotations_forth(lil_key_rotations *turned);

#endif
