/* Keys of bodies and particles: poses of whole bodies, positions of points, frames of other runs. */
#ifndef LIL_SCENE_KEY_POSES_H
#define LIL_SCENE_KEY_POSES_H

#include "scene/bodies.h"

#include <lilyan/shot.h>

/* A key as it is read, with the locations of its parts. */
typedef struct lil_key_text {
    const lil_node *node;
    const lil_node **poses, **surfaces, **points; /* of each pose, of the file of its surface, and of each point */
    const double **carried; /* of each body: weights of its embedded surface then; NULL: unknown */
} lil_key_text;

/* pose, points, file, frame and velocity of a key. */
lil_status lil_read_key_pose(const lil_reader *rd, const lil_system *system, lil_key_text *text, lil_key_def *def);
/* The frames of a run, at times t_k: count x system->n numbers. Before its first frame and after its last the
 * motion is at rest. */
lil_status lil_read_frames(const lil_reader *rd, const lil_node *file, const lil_system *system, const double *t,
                           int count, double *q);

#endif
