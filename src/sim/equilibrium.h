/* Bodies of a world that start in static equilibrium. */
#ifndef LIL_SIM_EQUILIBRIUM_H
#define LIL_SIM_EQUILIBRIUM_H

#include "discrete/equilibrium.h"
#include "world/world.h"

/* Some body of the model's world starts so. */
bool lil_sim_rests(const lil_model *model);
/* Brings the bodies that start so from q, where they are placed, to their equilibrium at `t`, with velocities 0;
 * everything else stays where it starts. *rest: the result; not `found`: not requested. *blame: the body that
 * failed. */
lil_status lil_sim_find_rest(lil_context *ctx, lil_arena *arena, const lil_model *model, int linear, double t,
                             double *q, double *v, lil_rest *rest, int *blame);

#endif
