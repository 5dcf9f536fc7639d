/* loop: a closed loop of initial conditions beside the scene's own. */
#ifndef LIL_SCENE_PHASE_LOOP_H
#define LIL_SCENE_PHASE_LOOP_H

#include "scene/system.h"

typedef struct lil_phase_loop_settings {
    const lil_node *node; /* NULL: there is none */
    double *q, *v;        /* the centre */
    double radius;
    int points;
} lil_phase_loop_settings;

lil_status lil_read_phase_loop(const lil_reader *rd, const lil_node *root, const lil_system *system, bool adaptive,
                               lil_phase_loop_settings *loop);

#endif
