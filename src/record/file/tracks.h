/* What is recorded of any Sim beside t, q, v, p and its energies, where it applies. */
#ifndef LIL_RECORD_FILE_TRACKS_H
#define LIL_RECORD_FILE_TRACKS_H

#include "sim/sim.h"

typedef struct lil_tracks {
    double elastic, dissipated, work; /* J; the latter two from the start on */
    double linear[3], angular[3];     /* kg m/s, and kg m^2/s about where the centre of mass started */
    double iterations;                /* of Newton's method, from the start on */
    double *forces, violation;        /* of each named constraint, N; the largest |g| */
} lil_tracks;

/* Whether energy goes in or out of the model, so that there are books. */
bool lil_tracks_books(const lil_model *model);

/* As they are now. q and p are those of all coordinates, also of those that are held; NULL: momenta are left out. */
lil_status lil_tracks_measure(lil_sim *sim, const double *q, const double *p, lil_tracks *tracks);

#endif
