/* integrator, solver, time, record. */
#ifndef LIL_SCENE_SETTINGS_H
#define LIL_SCENE_SETTINGS_H

#include "run/plan.h"
#include "scene/table.h"

struct lil_shot_settings;

/* A shot, whose times have been read, needs no `time`. */
lil_status lil_read_settings(const lil_reader *rd, const lil_node *root, const struct lil_shot_settings *shot,
                             lil_settings *settings);

#endif
