/* How long the next step is. */
#ifndef LIL_SIM_CONTROL_H
#define LIL_SIM_CONTROL_H

#include "integrators/stepper.h"

typedef struct lil_control {
    lil_control_def def;
    double step;             /* of the first step, nearly: epsilon */
    double m_0;              /* the monitor at the start */
    double floor;            /* of the default monitor */
    double rho;              /* reversible: m/m_0 between the latest two steps */
    bool started;            /* rho is half a step on */
    double next;             /* the step that comes; 0: to be found */
    double next_rho;         /* its rho */
    double *g, *dg, *Kv, *K; /* of the default monitor */
} lil_control;

lil_status lil_control_create(lil_context *ctx, lil_arena *arena, const lil_control_def *def, double step,
                              lil_stepper *stepper, lil_control *control);
/* The step from the state as it is now; the same until lil_control_taken. */
lil_status lil_control_next(lil_control *control, lil_stepper *stepper, double *h);
void lil_control_taken(lil_control *control);

#endif
