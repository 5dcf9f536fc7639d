/* follow: sampled animation of a handle or of the mesh of an obstacle. */
#ifndef LIL_SCENE_FOLLOW_H
#define LIL_SCENE_FOLLOW_H

#include "mesh/samples.h"
#include "scene/table.h"

/* The name of a file, or a map. Not joined; NULL node: NULL. */
lil_status lil_read_follow(const lil_reader *rd, const lil_node *node, lil_samples **samples);

#endif
