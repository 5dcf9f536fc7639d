/* Barrier contact: its data of bodies, particles and obstacles, with defaults from mesh, material, mass and step. */
#ifndef LIL_WORLD_BARRIERS_H
#define LIL_WORLD_BARRIERS_H

#include "terms/barrier.h"
#include "world/contact.h"

/* The colliding elements of particles, three vertices each: a triangle, a link (the third is -1) or a point (also
 * the second). */
lil_status lil_particle_elements(lil_context *ctx, lil_arena *arena, const lil_body *body, int (**elements)[3],
                                 int *count);
/* Which vertices never move: those that are fixed and have no handle. */
void lil_world_still(const lil_world *world, bool *still);

/* w->barriers, with defaults from w->contact. What touches at the start is refused, except where strands grow out
 * of it. Blames a body. */
lil_status lil_world_barriers(lil_world *world);

/* Data from the start: d_hat between parts that start nearer than that, so that nothing pushes then; rest
 * positions of strands; and the parts from which the first links of strands grow. */
typedef struct lil_barrier_roots {
    lil_barriers *barriers; /* whose growth is set */
    double *rest;           /* of all points */
    double *d_hat;          /* of pairs of parts */
    bool given;             /* d_hat is w->contact's own: it stays */
} lil_barrier_roots;

/* ---- barrier_start.c: with barrier_start_*.c ---- */

/* Strands that would hang through something, or through each other, start as they would be without weight: world->x. */
lil_status lil_check_barrier_start(lil_world *world, const lil_barriers *barriers, const lil_barrier_roots *roots);

/* ---- barrier_inside.c ---- */

/* Refuses parts that are wholly inside a body or a box, and warns about parts inside a closed mesh. y: all points
 * as they start; none of their surfaces cross. */
lil_status lil_check_barrier_inside(lil_world *world, const lil_barriers *barriers, const double *y);

/* ---- barrier_lift.c ---- */

/* How parts that touched were moved apart, one entry a body; shift NULL: nothing was. */
typedef struct lil_lift {
    double (*shift)[3]; /* m */
    const char **from;  /* the names of the parts it touched; "": none */
} lil_lift;

/* Moves whole parts, in world->x, by the least that opens gaps which are closed at the start to d_hat. y: all
 * points as they start. What is held stays; where there is no room, or things are deeper in each other than d_hat,
 * nothing is moved. */
lil_status lil_lift_barrier_start(lil_world *world, const lil_barriers *barriers, const double *y, lil_lift *lift);
void lil_lift_warn(lil_world *world, const lil_lift *lift);

#endif
