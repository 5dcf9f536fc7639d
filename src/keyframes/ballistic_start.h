/* Bodies that no key leads after the first, which says how they move: frames of theirs begin as they would fly in
 * a run. */
#ifndef LIL_KEYFRAMES_BALLISTIC_START_H
#define LIL_KEYFRAMES_BALLISTIC_START_H

#include "keyframes/gramian.h"

/* Into shot->q; where a step is not found they stay as they are. */
lil_status lil_ballistic_start(lil_problem *shot, lil_gramian *sweeps);

#endif
