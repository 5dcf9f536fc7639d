/* start: {rest: true}: bodies that start in static equilibrium. */
#ifndef LIL_SCENE_REST_H
#define LIL_SCENE_REST_H

#include "discrete/rest.h"
#include "scene/system.h"

/* Brings the bodies that start so from system->q, where they are placed, to their equilibrium at `t`, with velocities 0; everything else stays where it starts.
 * *rest: what was found; not `found`: nobody asked. */
lil_status lil_find_rest(lil_context *ctx, lil_arena *arena, lil_system *system, int linear, double t,
                         lil_rest *rest);

#endif
