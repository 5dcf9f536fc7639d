/* parameters, start, lagrangian, force -> a model and where it starts. */
#ifndef LIL_SCENE_SYSTEM_H
#define LIL_SCENE_SYSTEM_H

#include "expr/program.h"
#include "model/model.h"
#include "scene/read.h"

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
    int n;
    const char **names;
    const lil_node *lagrangian; /* lent by the scene: for messages while it is read */
    double *q, *v;
    lil_scope scope; /* parameters, t, coordinates, velocities */
    lil_model *model;
} lil_system;

/* Reads the parameters into the reader's scope. */
lil_status lil_read_parameters(lil_reader *rd, const lil_node *root);
/* On success system->model is the caller's. */
lil_status lil_read_system(const lil_reader *rd, const lil_node *root, lil_system *system);

#endif
