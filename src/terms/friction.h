/*
 * Coulomb's friction, smoothed: a contact with the normal force N and the sliding velocity u has the friction force
 *
 *     mu N f(|u|/slip),   f(y) = 2 y - y^2 up to y = 1, then 1
 *
 * so that sticking contacts creep slower than `slip`. N and the normal are those at the start of the step, with the
 * damper's part of N at the velocity of the step before. Friction is then the gradient of
 *
 *     S(v) = h sum mu N phi(|u|),   phi' = f
 *
 * which is convex and a part of the Lilyan. So is contact damping, kD k (d')^2/2 h, with the rate d' of the depth.
 * Methods with explicit forces apply both after each kick instead, by implicit Euler (discrete/friction_impulse.h).
 */
#ifndef LIL_TERMS_FRICTION_H
#define LIL_TERMS_FRICTION_H

#include "terms/contact_penalty.h"
#include "terms/contact_penalty_bodies.h"

typedef struct lil_friction {
    const lil_contact *const *contacts; /* with obstacles */
    const double *mu;                   /* of each */
    int contact_count;
    const lil_collision *collision; /* NULL: bodies do not collide */
    double mu_bodies;
    double slip;        /* m/s */
    double damping;     /* kD, s */
    int count;          /* of vertices that can be in contact, */
    const int *points;  /* ascending */
    const double *mass; /* of all vertices; infinite if fixed */
} lil_friction;

lil_term lil_friction_term(const lil_friction *friction);

#endif
