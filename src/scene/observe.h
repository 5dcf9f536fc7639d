/* observe and draw: named quantities and points of (t, q, v). */
#ifndef LIL_SCENE_OBSERVE_H
#define LIL_SCENE_OBSERVE_H

#include "run/plan.h"
#include "scene/system.h"

lil_status lil_read_observe(const lil_reader *rd, const lil_node *root, const lil_system *system,
                            lil_observe *observe);
lil_status lil_read_draw(const lil_reader *rd, const lil_node *root, const lil_system *system, lil_draw *draw);

#endif
