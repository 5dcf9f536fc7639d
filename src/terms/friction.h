/*
 * Coulomb's friction, smoothed: a contact with the normal force N and the sliding velocity u has the friction force
 *
 *     mu N f(|u|/slip),   f(y) = 2 y - y^2 up to y = 1, then 1
 *
 * so that sticking contacts creep slower than `slip`. N and the normal are those at the start of the step, the
 * damper's part of N that of the step before; then it is the slope of
 *
 *     S(v) = h sum mu N phi(|u|),   phi' = f
 *
 * which is convex and a part of the Lilyan. So is contact damping, kD k (d')^2/2 h, with the rate d' of the depth,
 * which damps bounces. Methods with explicit forces have it after each kick instead (discrete/friction_impulse.h):
 * each contact slows down as the implicit Euler method would slow it down.
 */
#ifndef LIL_TERMS_FRICTION_H
#define LIL_TERMS_FRICTION_H

#include "terms/contact_penalty.h"
#include "terms/contact_penalty_bodies.h"

typedef struct lil_friction {
    const lil_contact *const *contacts; /* with obstacles */
    const double *mu;                   /* of each */
    int contact_count;
    const lil_collision *collision; /* NULL: bodies do not touch each other */
    double mu_bodies;
    double slip;        /* m/s */
    double damping;     /* kD, s */
    int count;          /* of vertices that can touch, */
    const int *points;  /* ascending */
    const double *mass; /* of all vertices; infinite where they are held */
} lil_friction;

lil_term lil_friction_term(const lil_friction *friction);

#endif
