/* Contact of bodies, particles and strands with obstacles and each other, by penalty or barrier. */
#ifndef LIL_WORLD_CONTACT_H
#define LIL_WORLD_CONTACT_H

#include "terms/contact_penalty_bodies.h"
#include "terms/friction.h"
#include "terms/pose.h"
#include "world/world.h"

typedef struct lil_world_obstacle {
    const char *name;
    const struct lil_node *node; /* of a scene: its location */
    lil_contact contact;         /* its shape; of penalty also what may touch it, once the world is built */
    lil_surface mesh;            /* where it is of one; otherwise empty */
    lil_placement placement;     /* of the mesh; its `at` is the obstacle's point */
    lil_drive drive;             /* about its point */
    lil_samples *follow;        /* of the mesh, in its own coordinates until it is placed; NULL: it keeps its shape */
    lil_pose start;             /* where it is at the start, once the world is built */
    double friction, stiffness; /* NaN, not positive: as of all contact */
    bool rubs;                  /* the friction is its own */
    lil_look look;
} lil_world_obstacle;

/* ---- obstacles.c ---- */

/* Its shape and how it is driven are set, a mesh is in its own coordinates; all of it is in the world's arena.
 * Blames normal, radius, size or mesh. */
void lil_world_make_shape(const lil_obstacle_def *def, lil_obstacle *shape); /* of one that is no mesh */
lil_status lil_world_obstruct(lil_world *world, const lil_world_obstacle *obstacle);
/* A part by its name: a body, or an obstacle i as -1 - i. Blames `member`. */
lil_status lil_world_find_part(lil_world *world, const char *member, const char *name, int *id);
/* Its number where bodies come first, then obstacles. */
int lil_world_part(const lil_world *world, int id);

/* ---- contact.c ---- */

/* After lil_world_number: sets up the collision pairs and checks the start. Blames a body, a member of an
 * obstacle, or one of the contact. */
lil_status lil_world_prepare_contact(lil_world *world);
lil_status lil_world_contact_terms(lil_world *world, lil_model *model);

/* Penalty: refuses a key at x that puts its vertices inside an obstacle or, if it sets all, bodies inside each
 * other. t NaN: its time is free, and positions of moving obstacles are unknown. */
lil_status lil_world_check_key(lil_world *world, double t, const double *x, const bool *held);

#endif
