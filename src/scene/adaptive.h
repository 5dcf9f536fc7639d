/* time.adaptive: how long steps are. */
#ifndef LIL_SCENE_ADAPTIVE_H
#define LIL_SCENE_ADAPTIVE_H

#include "scene/system.h"

/* The control's memory is in the reader's arena. */
lil_status lil_read_adaptive(const lil_reader *rd, const lil_node *root, const lil_system *system,
                             lil_control_def *control);

#endif
