/* contact: {method: barrier}: what the barrier needs to know of bodies and obstacles, with defaults from mesh and material. */
#ifndef LIL_SCENE_BARRIERS_H
#define LIL_SCENE_BARRIERS_H

#include "scene/obstacles.h"
#include "terms/barrier.h"

/* d_hat 0, stiffness not positive (Pa): the default; meet: bodies touch each other and themselves, not only obstacles. What touches at the
 * start is refused. */
lil_status lil_read_barriers(const lil_reader *rd, lil_bodies *bodies, double d_hat, double stiffness, bool meet);

#endif
