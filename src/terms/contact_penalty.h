/*
 * Contact with obstacles by penalty (Kharevych et al. 2006, section 5.3): a vertex that is d deep in an obstacle has
 *
 *     W = k/2 d^2,   dW/dx = -k d n
 *
 * a part of the potential energy, so steps conserve the same quantities as for any potential. A moving obstacle makes
 * W depend on t: dW/dt is its power.
 */
#ifndef LIL_TERMS_CONTACT_PENALTY_H
#define LIL_TERMS_CONTACT_PENALTY_H

#include "expr/program.h"
#include "geometry/obstacle.h"
#include "terms/term.h"

/* One obstacle, and the vertices that collide with it. */
typedef struct lil_contact {
    lil_obstacle obstacle;
    const lil_program *move; /* its displacement and its velocity over t: six numbers; NULL: it does not move */
    int count;
    const int *vertices;
    const double *k; /* of each, N/m */
    /* of each: the mass of its body, kg, and a number that the vertices of the body share; -1: a single vertex */
    const double *mass;
    const int *whole;
    int number;               /* of the obstacle */
    const char *name;         /* of the obstacle; NULL: no name */
    const lil_party *parties; /* the parts, and */
    const int *party;         /* of each */
} lil_contact;

/* Borrows it, with its arrays. */
lil_term lil_contact_term(const lil_contact *contact);

#endif
