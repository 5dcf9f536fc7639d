/*
 * Contact with obstacles by penalty (Kharevych et al. 2006, section 5.3): a vertex that is d deep in an obstacle has
 *
 *     W = k/2 d^2,   dW/dx = -k d n
 *
 * a part of the potential energy, so that steps conserve the same quantities as for any potential. An obstacle that
 * moves makes W depend on t: dW/dt is the work that it does.
 */
#ifndef LIL_TERMS_CONTACT_PENALTY_H
#define LIL_TERMS_CONTACT_PENALTY_H

#include "expr/program.h"
#include "geometry/obstacle.h"
#include "terms/term.h"

/* One obstacle and the vertices that it may meet. */
typedef struct lil_contact {
    lil_obstacle obstacle;
    const lil_program *move; /* how far from its place it is, and its velocity, over t: six numbers; NULL: it stays */
    int count;
    const int *vertices;
    const double *k; /* of each, N/m */
    /* of each: the mass of what bounces as a whole, kg, and a number that its vertices share; -1: it is the vertex
     * alone */
    const double *mass;
    const int *whole;
    const char *name;         /* of the obstacle; NULL: no name */
    const lil_party *parties; /* whose the vertices are: */
    const int *party;         /* of each */
} lil_contact;

/* Borrows it, with its arrays. */
lil_term lil_contact_term(const lil_contact *contact);

#endif
