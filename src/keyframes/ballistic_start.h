/* The initial guess of bodies that have a velocity at the first key and no later key: their motion in a
 * simulation. */
#ifndef LIL_KEYFRAMES_BALLISTIC_START_H
#define LIL_KEYFRAMES_BALLISTIC_START_H

#include "keyframes/gramian.h"

/* Into shot->q; if a step does not converge, the frames are not changed. */
lil_status lil_ballistic_start(lil_problem *shot, lil_gramian *sweeps);

#endif
