/* The certificate, gathered step by step. */
#ifndef LIL_SIM_CERTIFICATE_H
#define LIL_SIM_CERTIFICATE_H

#include "discrete/discrete.h"
#include "sim/warnings.h"

/* Least-squares slope of y over x without keeping the points (Welford). */
typedef struct lil_slope {
    double count, mean_x, mean_y, sxx, sxy;
} lil_slope;

/* Of points in space. */
typedef struct lil_momenta {
    double P[3], L[3];   /* linear, kg m/s, and angular about some point, kg m^2/s */
    double p_sum, l_sum; /* sum |p_i| and sum |q_i - c||p_i|, which they are measured by */
} lil_momenta;

/* The latest steps: where they began, how many there are, and their costs. */
typedef struct lil_pace {
    double since;
    int64_t steps, halved, iterations; /* the latter two as they were before them */
    bool begun;
} lil_pace;

typedef struct lil_watch {
    double start, now; /* time */
    double energy_initial, energy_now, energy_min, energy_max, potential_min;
    lil_slope energy;
    double volume_min, constraint_max;
    lil_touch touched;                     /* the most of all steps; omega times the step */
    double sunk_time;                      /* when touched.sunk was reached; NaN: never */
    double gap_min;                        /* the smallest distance that was seen; NaN: none was */
    double intersections;                  /* in recorded frames; NaN: not checked. Not part of a checkpoint */
    double first_contact;                  /* NaN: there was none */
    double gap_t, gap, gap_rate, gap_bend; /* at the latest step: the depth, by t, by t twice */
    double centre[3];                      /* of mass, at the start */
    lil_momenta momenta;                   /* at the start, but of the sums the largest */
    double P_change, L_change;             /* largest */
    double owed_max; /* the largest energy that the balance allows: initial energy plus work minus dissipation */
    double size;     /* the largest of what energies were summed from: below some eps of it they are round-off */
    double gain;     /* by how much of itself the energy may seem to grow under steps that are stable */
    double pumped;   /* the energy that had come from nowhere when steps were shifted last */
    double given;    /* energy added between steps by setting positions or momenta */
    double parts_start, parts; /* |T| + |W| at the start, and the largest: the energy is good to some eps of it */
    double kinetic, duration;  /* the integral of |T|, and over how long */
    double off_first, off_now; /* energy beyond the balance: means over the first and the latest steps */
    double reach,
        distance_start; /* of differential constraints: the largest |q| while they held; how far q was from them */
    int64_t steps, halved, shifted;
    int64_t struggle; /* iterations that short parts of steps have lost, in a row (sim.c) */
    int64_t contact_steps, contact_continued,
        contact_halved; /* by barrier: all of them, and on which rung they ended */
    double contact_error,
        contact_kinetic; /* of these: the largest energy from nowhere, and the largest kinetic energy, J */
    lil_pace pace;
    lil_warnings *warnings;                /* the Sim's */
    bool directed;                         /* a shot places it: what bodies go through is the artist's */
    bool rested;                           /* it starts in an equilibrium that was found, */
    double rest_iterations, rest_residual; /*   in so many iterations, to this of the loads */
    bool placed;                           /* its positions were set from outside, which changes energy and momenta */
    bool driven;   /* t or a parameter was changed between steps: work, even if the model itself does none */
    bool keeps;    /* the method claims that energy errors stay bounded */
    bool unbooked; /* the method does not book the work that is done */
    bool hides;    /* damping in the step (STEP), whose loss is unknown */
} lil_watch;

/* q and p are those of all vertices, also of those that are held. */
void lil_centre_of_mass(const lil_model *model, const double *q, double centre[3]);
/* `parts` has room for lil_pieces(3 vertices). */
lil_momenta lil_momenta_of(const lil_model *model, const double centre[3], const double *q, const double *p,
                           lil_threads *threads, lil_momenta *parts);

void lil_watch_start(lil_watch *watch, double t, double energy, double potential, double volume);
void lil_watch_step(lil_watch *watch, double t, double energy, double potential, double volume);
/* Beside them, where momenta are kept. */
void lil_watch_start_momenta(lil_watch *watch, const lil_momenta *momenta);
void lil_watch_step_momenta(lil_watch *watch, const lil_momenta *momenta);

/* Between steps: t jumps by dt. Durations and slopes leave that out. */
void lil_watch_jump(lil_watch *watch, double dt);
/* Between steps: t or a parameter was changed, which did this work. */
void lil_watch_drive(lil_watch *watch, double work, double energy, double potential);
/* Before the first step: it starts in an equilibrium that was found. */
void lil_watch_rest(lil_watch *watch, int iterations, double residual);

/* Beside them, where something binds: the largest |g|. */
void lil_watch_constraints(lil_watch *watch, double violation);

/* Beside them, where something touches: at the start (h = 0), and after a step of h that ended at t. */
void lil_watch_touch(lil_context *ctx, lil_watch *watch, const lil_model *model, const lil_touch *touch, double t,
                     double h);
/* How a step by which something impassable pushed was solved (discrete/ladder.h). */
typedef enum lil_rung_count { LIL_RUNG_NEWTON, LIL_RUNG_CONTINUED, LIL_RUNG_HALVED } lil_rung_count;
/* After such a step: the energy that it made from nowhere, and the larger kinetic energy of its ends. */
void lil_watch_contact_step(lil_watch *watch, lil_rung_count rung, double error, double kinetic);

/* The deepest penetration, relative to size; false: none. */
bool lil_watch_deepest(const lil_watch *watch, const lil_model *model, lil_pair *pair);

/* For bodies: fails if a step, or all steps so far, created spurious energy. `size` is the sum of magnitudes of
 * the energy's terms, for its round-off; `solves`: steps solve equations, so that energy-momentum costs no more. */
lil_status lil_watch_energy(lil_context *ctx, lil_watch *watch, const lil_model *model, const lil_tally *tally,
                            double t, double energy, double size, bool solves);

/* For models without points, from texts and callbacks, whose W is arbitrary. Fails if the energy has blown up. */
lil_status lil_watch_blow_up(lil_context *ctx, const lil_watch *watch, const lil_model *model, const lil_tally *tally,
                             double t, double energy);
/* After lil_watch_step: a warning where a method that claims to keep the energy does not. */
void lil_watch_drift(lil_context *ctx, lil_watch *watch, const lil_model *model, const lil_tally *tally);

/* Differential constraints: whether they are satisfied, with q at this distance from the constraint manifold and
 * |q| this large. */
bool lil_watch_satisfied(lil_watch *watch, double distance, double size);
/* If they are not: a warning, or a failure if the motion has left them. `worst` is the one that is violated most,
 * `feedback` as in lil_solver_def. */
lil_status lil_watch_distance(lil_context *ctx, lil_watch *watch, double t, double distance, const char *worst,
                              double feedback);

/* Whether more of it has come, since steps were shifted last, than stable steps can show. */
bool lil_watch_resonance(const lil_watch *watch, const lil_model *model, const lil_tally *tally, double energy);
/* Steps are shifted: the energy gained until now is no reason to shift them again. */
void lil_watch_shift(lil_context *ctx, lil_watch *watch, const lil_model *model, const lil_tally *tally, double t,
                     double energy);

/* The energy dissipated so far, J. Damping inside the step (STEP) changes how the step exchanges kinetic for
 * potential energy as well, to first order in h, so of it only the whole loss is known. */
double lil_watch_dissipated(const lil_watch *watch, const lil_tally *tally, double energy);

lil_certificate lil_watch_certificate(const lil_watch *watch, const lil_model *model, const lil_tally *tally);

#endif
