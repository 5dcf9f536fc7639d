/* What a run can prove, gathered step by step. */
#ifndef LIL_SIM_CERTIFICATE_H
#define LIL_SIM_CERTIFICATE_H

#include "discrete/discrete.h"

/* Least-squares slope of y over x without keeping the points (Welford). */
typedef struct lil_slope {
    double count, mean_x, mean_y, sxx, sxy;
} lil_slope;

typedef struct lil_watch {
    double start, now; /* time */
    double energy_initial, energy_now, energy_min, energy_max, potential_min;
    lil_slope energy;
    int64_t halved;
} lil_watch;

void lil_watch_start(lil_watch *watch, double t, double energy, double potential);
void lil_watch_step(lil_watch *watch, double t, double energy, double potential);

lil_certificate lil_watch_certificate(const lil_watch *watch, const lil_model *model, const lil_tally *tally);

#endif
