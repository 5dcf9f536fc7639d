/* integrator: auto, the default of scenes and of lil_sim_def: energy-momentum where it applies, else midpoint. */
#ifndef LIL_SIM_CHOICE_H
#define LIL_SIM_CHOICE_H

#include "integrators/stepper.h"

extern const char lil_auto[]; /* its name */

typedef struct lil_choice {
    const lil_integrator *method;
    char why[160]; /* one clause, for people; "": the method was named */
} lil_choice;

/* The integrator of `def` for this model; directed: a shot places the Sim. A name that does not exist is refused. */
lil_status lil_choose_integrator(lil_context *ctx, const lil_model *model, const lil_sim_def *def, bool directed,
                                 lil_choice *choice);

#endif
