/*
 * A closed loop of initial conditions, all stepped together, and the area it encloses: the sum over all coordinates of
 * the integral of q_i dp_i. A symplectic step keeps it exactly (Poincare's invariant); others do not.
 */
#ifndef LIL_SIM_PHASE_LOOP_H
#define LIL_SIM_PHASE_LOOP_H

#include "sim/sim.h"

enum { LIL_PHASE_LOOP_SIZE_MAX = 8, LIL_PHASE_LOOP_POINTS_MAX = 10000 };

typedef struct lil_phase_loop_def {
    const double *q, *p; /* the centre */
    double radius;       /* of the circle in each (q_i, p_i) plane */
    int points;
} lil_phase_loop_def;

typedef struct lil_phase_loop {
    lil_sim **sims;
    int points, n;
    double *rows;  /* q and p of all points: points x 2n */
    double *slope; /* weights of the spectral derivative at distance k */
    double area;
} lil_phase_loop;

/* `sim_def` is that of the scene's own Sim; its q and v are replaced. Destroy the loop also where this fails. */
lil_status lil_phase_loop_create(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                 const lil_sim_def *sim_def, const lil_phase_loop_def *def, lil_sim *centre,
                                 lil_phase_loop *loop);
void lil_phase_loop_destroy(lil_phase_loop *loop);
/* One step of h of every point. */
lil_status lil_phase_loop_step(lil_phase_loop *loop, double h);
/* Brings rows and area up to date. */
void lil_phase_loop_measure(lil_phase_loop *loop);

#endif
