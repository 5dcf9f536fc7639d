/* constraints: what binds a system. */
#ifndef LIL_SCENE_CONSTRAINTS_H
#define LIL_SCENE_CONSTRAINTS_H

#include "scene/bodies.h"

/* Of a text Lagrangian: a map of names to expressions that are 0. Binds the system's model. */
lil_status lil_read_text_constraints(const lil_reader *rd, const lil_node *root, lil_system *system);

/* Of points in space: a map of names to maps, added to bodies->constraints. */
lil_status lil_read_point_constraints(const lil_reader *rd, const lil_node *root, lil_bodies *bodies);
/* How many sets these may become. */
int lil_point_constraint_sets(const lil_node *root);

/* A kind of these, for the page and the schema. */
typedef struct lil_constraint_kind {
    const char *name;     /* the key under which its points stand */
    const char *keys[4];  /* its other keys, ended by NULL */
    const char *doc;      /* one sentence */
    const char *example;  /* YAML */
    const char *schema;   /* of its members */
    const char *required; /* "\"line\", \"along\"" */
} lil_constraint_kind;

const lil_constraint_kind *lil_constraint_kind_at(int index); /* NULL: there are no more */

#endif
