/* obstacles and contact: what bodies, particles and strands bounce off, and how. */
#ifndef LIL_SCENE_OBSTACLES_H
#define LIL_SCENE_OBSTACLES_H

#include "core/text.h"
#include "scene/bodies.h"
#include "terms/collision.h"
#include "terms/friction.h"
#include "terms/pose.h"

typedef struct lil_obstacle_def {
    const char *name;
    lil_contact contact;
    lil_surface mesh; /* where it is of one; otherwise empty */
    lil_drive drive;  /* about its point */
    lil_pose start;   /* where it is when the scene starts */
    double friction;
} lil_obstacle_def;

/* mesh, at, rotate, scale */
lil_status lil_read_obstacle_mesh(const lil_reader *rd, const lil_node *map, lil_obstacle_def *obstacle);

lil_status lil_read_obstacles(const lil_reader *rd, const lil_node *root, lil_bodies *bodies);
lil_status lil_add_contact_terms(const lil_reader *rd, const lil_bodies *bodies, lil_model *model);

/* A key that puts what it holds inside an obstacle or, where it holds all, bodies inside each other is refused. t NaN: its
 * time is free, and nobody knows where obstacles that move are then. */
lil_status lil_check_key_contact(const lil_reader *rd, const lil_node *node, const lil_bodies *bodies, double t,
                                 const double *x, const bool *held);

extern const lil_field lil_contact_fields[];
extern const int lil_contact_field_count;

void lil_reference_obstacles(lil_text *text);
void lil_schema_obstacles(lil_text *text);

#endif
