/* loop: a closed loop of initial conditions beside the scene's own. */
#ifndef LIL_SCENE_PHASE_LOOP_H
#define LIL_SCENE_PHASE_LOOP_H

#include "run/plan.h"
#include "scene/system.h"

lil_status lil_read_phase_loop(const lil_reader *rd, const lil_node *root, const lil_system *system, bool adaptive,
                               lil_loop_def *loop);

#endif
