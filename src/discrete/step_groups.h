/*
 * The elements of a model in groups of nearly equal steps: stiff and light elements need short ones, the rest does
 * not.
 *
 * An element alone is stable under Stormer-Verlet while h omega_e < 2. In a mesh, omega_e depends on the element's
 * share of the masses. If the mass of each vertex is divided among its elements in any way, no oscillation of the
 * mesh is faster than that of the fastest element (Irons & Treharne 1971). Here an element's share of a vertex is its
 * share of the stiffness there. So springs, which have no mass of their own, get a share of the bodies that they
 * connect.
 *
 * That is not enough: an element that kicks its vertices once every few of their oscillations can amplify them by
 * resonance (Fong, Darve & Lew 2008). So elements that share a vertex with a faster one take its step. The next
 * elements are outside the region where the fast oscillation is large.
 */
#ifndef LIL_DISCRETE_STEP_GROUPS_H
#define LIL_DISCRETE_STEP_GROUPS_H

#include "model/model.h"

typedef struct lil_step_group {
    lil_term part; /* some elements of a term of the model, as a term of their own */
    void *work;
    int count;      /* elements */
    double longest; /* stable step of all of them, s */
    const lil_term *whole;
    int slowest; /* the element of `whole` that limits it */
    /* of its elements: first those that are free, then those that are scripted, then those that are fixed; each
     * ascending */
    int *vertices, free_count, moved_count, vertex_count;
} lil_step_group;

typedef struct lil_step_groups {
    lil_step_group *list;
    int count;
} lil_step_groups;

/* Groups of all POTENTIAL and IMPULSE terms that have elements, in the order of the terms, short steps first. */
lil_status lil_step_groups_create(lil_context *ctx, lil_arena *arena, const lil_model *model,
                                  lil_step_groups *groups);

#endif
