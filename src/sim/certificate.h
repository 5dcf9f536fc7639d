/* What a run can prove, gathered step by step. */
#ifndef LIL_SIM_CERTIFICATE_H
#define LIL_SIM_CERTIFICATE_H

#include "discrete/discrete.h"

/* Least-squares slope of y over x without keeping the points (Welford). */
typedef struct lil_slope {
    double count, mean_x, mean_y, sxx, sxy;
} lil_slope;

/* What is seen of the motion at one moment. */
typedef struct lil_sight {
    double energy, potential;
    double volume;       /* the smallest det F */
    double P[3], L[3];   /* linear momentum, and angular momentum about the watch's centre */
    double p_sum, l_sum; /* sum |p_i| and sum |q_i - c||p_i|, which they are measured by */
} lil_sight;

typedef struct lil_watch {
    double start, now; /* time */
    double energy_initial, energy_now, energy_min, energy_max, potential_min;
    lil_slope energy;
    double volume_min;
    double centre[3], P[3], L[3];                    /* at the start */
    double P_change, L_change, p_sum_max, l_sum_max; /* largest */
    double
        owed_max; /* the most energy that there should have been: what was there, was put in and was not taken out */
    int64_t steps, halved;
    bool told; /* that energy grows */
} lil_watch;

/* The centre of mass at the start. Here and below q and p are those of all vertices, also of those that are held. */
void lil_watch_place(lil_watch *watch, const lil_model *model, const double *q);
void lil_sight_momenta(lil_sight *sight, const lil_model *model, const double centre[3], const double *q,
                       const double *p);
void lil_watch_start(lil_watch *watch, double t, const lil_sight *sight);
void lil_watch_step(lil_watch *watch, double t, const lil_sight *sight);

/* Of bodies: a failure where a step, or all steps so far, brought in energy that nobody put in. `size` is what the energy was
 * summed from, for its round-off. */
lil_status lil_watch_energy(lil_context *ctx, lil_watch *watch, const lil_model *model, const lil_tally *tally,
                            double t, double energy, double size);

lil_certificate lil_watch_certificate(const lil_watch *watch, const lil_model *model, const lil_tally *tally);

#endif
