/*
 * The elements of a model in groups of nearly equal steps: stiff and light elements need short ones, the rest does
 * not.
 *
 * An element alone is stable under Stormer-Verlet while h omega_e < 2. How it stands to the others is a matter of
 * masses: if each vertex's mass is shared out among its elements, no oscillation of the whole is faster than the
 * fastest element's (Irons & Treharne 1971), however it is shared. Here an element gets as large a part of a vertex
 * as it has of the stiffness there, so that springs, which have no mass of their own, get theirs from the bodies that
 * they hold.
 *
 * That is not enough: an element that kicks its vertices once every few of their oscillations can pump them, as a
 * child on a swing is pushed (Fong, Darve & Lew 2008). So elements that share a vertex with a faster one keep up with
 * it. Those after them touch the fast oscillation only where it has all but died out.
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
    int slowest; /* the element of `whole` that allows no longer one */
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
