/* What a key of bodies and particles says: poses of whole bodies, places of some of their points, frames of other runs. */
#ifndef LIL_SCENE_KEY_POSES_H
#define LIL_SCENE_KEY_POSES_H

#include "scene/bodies.h"

/* A key of all coordinates, also those that the model holds. */
typedef struct lil_key_pose {
    double *x, *v;
    bool *held;             /* which of x count */
    const double *placed;   /* where what is fixed or moved by a handle is then; NULL: there is none */
    bool moving;            /* v is given */
    const double **weights; /* of each body: how its surface is carried then, 3 a vertex; NULL: nobody knows */
    double missed;          /* of surfaces' poses in files: what tets miss them by, at most; NaN: there is none */
} lil_key_pose;

extern const char *const lil_key_members[]; /* ended by NULL */

/* pose, points, file, frame and velocity of a key. */
lil_status lil_read_key_pose(const lil_reader *rd, const lil_node *key, const lil_system *system, lil_key_pose *pose);
/* The frames of a run, at times t_k: count x system->n numbers. Before its first frame and after its last it stands still. */
lil_status lil_read_frames(const lil_reader *rd, const lil_node *file, const lil_system *system, const double *t,
                           int count, double *q);

#endif
