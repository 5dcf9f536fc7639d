/* What engineers ask for, by name: reactions, contact forces, stresses, elastic energies. */
#ifndef LIL_SIM_MEASURE_H
#define LIL_SIM_MEASURE_H

#include "model/model.h"

#include <lilyan/lilyan.h>

/* An element, and the number among the measured nodes of each of its vertices; -1: it is none of them. */
typedef struct lil_measured_element {
    int term, element;
    int node[LIL_ELEMENT_VERTICES];
} lil_measured_element;

typedef struct lil_measure {
    lil_quantity quantity;
    const char *name;
    int width;           /* how many numbers it has */
    const int *vertices; /* of a reaction or a stress */
    int count;
    int number; /* of an obstacle or a constraint; -1: of a reaction at vertices */
    lil_measured_element *elements;
    int element_count;
    double *nodes; /* of each vertex: the sum of V sigma, and of V */
} lil_measure;

/* How many numbers a quantity has, its unit, and what scenes call it; the list ends with NULL. */
typedef struct lil_quantity_info {
    const char *name, *unit;
    int width;
} lil_quantity_info;

const lil_quantity_info *lil_quantity_at(int quantity);

/* `name` of a model that a world made. The sentence of a failure begins with "reaction(left): ". */
lil_status lil_measure_create(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_quantity quantity,
                              const char *name, lil_measure *measure);

#endif
