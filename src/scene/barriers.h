/* contact: {method: barrier}: what the barrier needs to know of bodies, particles and obstacles, with defaults from mesh, material, mass and
 * step. */
#ifndef LIL_SCENE_BARRIERS_H
#define LIL_SCENE_BARRIERS_H

#include "scene/obstacles.h"
#include "terms/barrier.h"

typedef struct lil_barrier_def {
    double d_hat;     /* m; 0: the default */
    double stiffness; /* Pa; not positive: the default */
    double step;      /* of the scene, s */
    bool meet;        /* bodies touch each other and themselves, not only obstacles */
} lil_barrier_def;

/* What touches at the start is refused, except where strands grow out of it. */
lil_status lil_read_barriers(const lil_reader *rd, const lil_node *contact, lil_bodies *bodies,
                             const lil_barrier_def *def);

/*
 * What the start decides: d_hat between parts that start nearer to each other than that, so that nothing pushes then; and the first links of
 * strands that start within something: they belong to the part of the roots, which stands behind all others, and that does not
 * meet what they start in. Elements, touching vertices and pairs of parts as in the barriers.
 */
typedef struct lil_barrier_roots {
    int *part, *touching_part;
    bool *meet;
    double *rest;  /* of all points */
    double *d_hat; /* of pairs of parts */
    bool given;    /* d_hat is the scene's own: it stays */
} lil_barrier_roots;

/* ---- barrier_start.c ---- */

/* Strands that would hang through something, or through each other, start as they would be without weight: bodies->x. */
lil_status lil_check_barrier_start(const lil_reader *rd, lil_bodies *bodies, const lil_barriers *barriers,
                                   const lil_barrier_roots *roots);

#endif
