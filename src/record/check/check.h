/*
 * Do bodies intersect in a recording? Every frame, and on request the straight paths between frames, element by
 * element: exact predicates (geometry/exact.h) at frames, separating directions along paths. Contact has no part in
 * this: this shares no code with the contact that moved the bodies, and would find its mistakes.
 *
 * For a body with an embedded surface, that surface is checked, not its tets. Triangles of one surface that cut
 * through each other at rest, and their neighbours, are not checked against each other. check_rules.h lists other
 * pairs that may overlap.
 */
#ifndef LIL_RECORD_CHECK_CHECK_H
#define LIL_RECORD_CHECK_CHECK_H

#include "record/file/motion.h"

/* Triangles, links of strands, nets and cloth, and points alone (loose particles, balls), in one numbering of
 * points: the vertices of q, those of surfaces that ride in bodies, then the corners of boxes, the points of
 * meshes and the centres of balls. */
typedef struct lil_checked {
    int part;   /* which body, particles or obstacle; also names it */
    int at[3];  /* the third of a link is -1, of a point also the second */
    int number; /* among those of its part, from 0 on */
} lil_checked;

static inline int lil_checked_corners(const lil_checked *c)
{
    return c->at[1] < 0 ? 1 : c->at[2] < 0 ? 2 : 3;
}

/* How many vertices both have. */
static inline int lil_checked_shared(const lil_checked *a, const lil_checked *b)
{
    int count = 0;
    for (int i = 0; i < lil_checked_corners(a); i++)
        count += b->at[0] == a->at[i] || b->at[1] == a->at[i] || b->at[2] == a->at[i];
    return count;
}

/* Do two of them, at x, have a point in common that is no vertex of both? */
bool lil_check_meet(const lil_checked *a, const lil_checked *b, const double *x);
/* Does a direction separate them, by more than `thick`, at every instant while their points move straight from x0
 * to x1, perhaps one direction for each part of the way? False: they meet, or come so close that 2^-30 of the way
 * does not tell. */
bool lil_check_apart(const lil_checked *a, const lil_checked *b, double thick, const double *x0, const double *x1);

#endif
