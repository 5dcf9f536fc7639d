/* parameters, and start, lagrangian, force or bodies -> a model and where it starts. */
#ifndef LIL_SCENE_SYSTEM_H
#define LIL_SCENE_SYSTEM_H

#include "expr/program.h"
#include "model/model.h"
#include "scene/table.h"

/* One key of `start`: a number or a list of coordinates. */
typedef struct lil_coordinate {
    const lil_node *node;
    const char *name;
    int length; /* 0: a number */
    int first;  /* its (first) place in q */
} lil_coordinate;

typedef struct lil_system {
    lil_coordinate *coordinates;
    int coordinate_count;
    int n; /* coordinates that are recorded, also those that are held */
    const char **names;
    const lil_node *node; /* lent by the scene, for locations in messages while it is read */
    double *q, *v;        /* of the degrees of freedom, at the start */
    lil_scope scope;      /* parameters, t, coordinates, velocities: what `observe` and `draw` see */
    int inputs;           /* of each kind that they see: n, or of bodies three a mark */
    lil_model *model;
    lil_world *bodies; /* owned; NULL: a text Lagrangian */
} lil_system;

/* Whether a name can be a coordinate's, a parameter's, a body's. */
lil_status lil_check_name(lil_context *ctx, const lil_node *node, const char *what);

/* Reads the parameters into the reader's scope. */
lil_status lil_read_parameters(lil_reader *rd, const lil_node *root);
/* Parameters that the reader calls live: may they be, in this scene? */
lil_status lil_check_live(const lil_reader *rd, const lil_node *root);
/* Makes the requested ones of these parameters, a copy of the reader's, live; impossible ones are refused. */
lil_status lil_read_live(const lil_reader *rd, const lil_node *root, lil_symbol *symbols);
/* Which axis is up, into the reader. */
lil_status lil_read_up(lil_reader *rd, const lil_node *root);
/* On success system->model is the caller's. */
lil_status lil_read_system(const lil_reader *rd, const lil_node *root, lil_system *system);

#endif
