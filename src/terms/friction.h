/*
 * Coulomb's friction, smoothed: what touches with the force N is held back against sliding, whose velocity is u, by
 *
 *     mu N f(|u|/slip),   f(y) = 2 y - y^2 up to y = 1, then 1
 *
 * so that what sticks creeps, slower than `slip`. N and the normal are those at the start of the step, the damper's part of N that of the step before; then it is the slope of
 *
 *     S(v) = h sum mu N phi(|u|),   phi' = f
 *
 * which is convex, and takes its part in the Lilyan. So does damping of what touches, kD k (d')^2/2 h, d' how fast the depth changes, which
 * takes bounces out. Methods with explicit forces have it after each kick instead (discrete/friction_impulse.h): each contact slows down
 * as the implicit Euler method would slow it down.
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
