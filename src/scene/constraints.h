/* constraints: what binds a system. */
#ifndef LIL_SCENE_CONSTRAINTS_H
#define LIL_SCENE_CONSTRAINTS_H

#include "core/text.h"
#include "scene/bodies.h"

/* For a text Lagrangian: a map of names to expressions that are 0. Adds them to the system's model. */
lil_status lil_read_text_constraints(const lil_reader *rd, const lil_node *root, lil_system *system);

/* For points in space: a map of names to maps, added to bodies->constraints. */
lil_status lil_read_point_constraints(const lil_reader *rd, const lil_node *root, lil_world *world);

/* The kinds of these, for the page and the schema. */
void lil_reference_constraints(lil_text *text);
void lil_schema_constraints(lil_text *text);

#endif
