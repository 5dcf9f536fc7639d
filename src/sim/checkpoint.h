/* Everything that the next step, and the certificate, depend on: as a row of numbers. */
#ifndef LIL_SIM_CHECKPOINT_H
#define LIL_SIM_CHECKPOINT_H

#include "sim/sim.h"

int lil_sim_words(lil_sim *sim); /* how many */
void lil_sim_save(lil_sim *sim, double *words);
/* Into a Sim made from the same scene: it goes on bit for bit. False: these words (of a damaged file) are no Sim's, and
 * this one is as it was. */
bool lil_sim_load(lil_sim *sim, const double *words);

/* The same for a Sim whose pins let go: the words of any of its models, and which of them it is (let_go.c). */
lil_status lil_sim_checkpoint_words(lil_sim *sim, int *words);
void lil_sim_checkpoint_save(lil_sim *sim, double *words);
bool lil_sim_checkpoint_load(lil_sim *sim, const double *words);

/* The same for what the stepper alone keeps from step to step: the method's words, and what its tolerance refers to. */
int lil_stepper_words(lil_stepper *stepper);
void lil_stepper_save(lil_stepper *stepper, double *words);
void lil_stepper_load(lil_stepper *stepper, const double *words);

#endif
