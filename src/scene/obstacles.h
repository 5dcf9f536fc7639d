/* obstacles and contact: what bodies, particles and strands bounce off, and how. */
#ifndef LIL_SCENE_OBSTACLES_H
#define LIL_SCENE_OBSTACLES_H

#include "core/text.h"
#include "scene/bodies.h"
#include "world/contact.h"

enum { LIL_OBSTACLE_SHAPES_MAX = 16 };

lil_status lil_read_obstacles(const lil_reader *rd, const lil_node *root, lil_world *world);

void lil_reference_obstacles(lil_text *text);
void lil_schema_obstacles(lil_text *text);

#endif
