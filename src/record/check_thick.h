/*
 * What lil_trajectory_check has to know of particles and links: that they are thick, which of them grow out of something, and that links
 * which a link joins, as the diagonals of a cell of cloth, may cross. Distances here are of double precision, not exact: what is less than
 * 1e-9 of a radius too near is not seen.
 */
#ifndef LIL_RECORD_CHECK_THICK_H
#define LIL_RECORD_CHECK_THICK_H

#include "record/check.h"

typedef struct lil_thick {
    const double *radius; /* of each part */
    const bool *root;     /* of each vertex, also those of surfaces that ride in bodies */
    int vertex_count;
    const int *start, *joined; /* of each vertex: those that links join it to */
    const double *first;       /* where everything is in the first frame; NULL: this is it */
} lil_thick;

lil_status lil_thick_create(lil_context *ctx, lil_arena *arena, const lil_motion *motion, int part_count,
                            int vertex_count, lil_thick *thick);

/* They need not be apart: one grows out of the other, or a link joins them. */
bool lil_thick_may_meet(const lil_thick *thick, const lil_checked *a, const lil_checked *b);

/* They are nearer than they are thick, and not because their links are shorter than that. */
bool lil_thick_overlap(const lil_thick *thick, const lil_checked *a, const lil_checked *b, const double *x);

#endif
