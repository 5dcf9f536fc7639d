/* Everything that the next step, and the certificate, depend on: as a row of numbers. */
#ifndef LIL_SIM_CHECKPOINT_H
#define LIL_SIM_CHECKPOINT_H

#include "sim/sim.h"

int lil_sim_words(lil_sim *sim); /* how many */
void lil_sim_save(lil_sim *sim, double *words);
/* Into a Sim made from the same scene: it goes on bit for bit. */
void lil_sim_load(lil_sim *sim, const double *words);

#endif
