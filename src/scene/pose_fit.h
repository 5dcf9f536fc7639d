/* The tets of a body in a pose of the surface that rides in them. */
#ifndef LIL_SCENE_POSE_FIT_H
#define LIL_SCENE_POSE_FIT_H

#include "scene/bodies.h"

/* x, of the body's vertices, such that the surface is nearest to y (as many points as it has vertices), and of all such the one that
 * deforms the tets least. What is held (of each vertex) stays at rest. */
lil_status lil_fit_pose(const lil_reader *rd, const lil_node *node, const lil_body *body, const bool *held,
                        const double *y, double *x);

#endif
