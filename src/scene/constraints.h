/* constraints: what binds a system. */
#ifndef LIL_SCENE_CONSTRAINTS_H
#define LIL_SCENE_CONSTRAINTS_H

#include "scene/system.h"

/* Of a text Lagrangian: a map of names to expressions that are 0. Binds the system's model. */
lil_status lil_read_text_constraints(const lil_reader *rd, const lil_node *root, lil_system *system);

#endif
