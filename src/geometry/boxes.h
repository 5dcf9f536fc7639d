/* A tree of boxes around things in space: what is nearest to a point is found without looking at all of them. */
#ifndef LIL_GEOMETRY_BOXES_H
#define LIL_GEOMETRY_BOXES_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_box {
    double low[3], high[3];
} lil_box;

/* Things along Morton's curve, a few to a leaf; leaves in pairs, these in pairs again, as in a heap: the children of node i are
 * 2i and 2i + 1. */
typedef struct lil_boxes {
    int count, leaves; /* leaves: a power of two */
    int *order;
    lil_box *nodes; /* from 1 on */
} lil_boxes;

/* The boxes are copied into the arena. */
lil_status lil_boxes_create(lil_context *ctx, lil_arena *arena, const lil_box *boxes, int count, lil_boxes *tree);

/* The square of the distance from x to thing i, exactly as it counts. */
typedef double lil_distance_fn(const void *data, int i, const double x[3]);

/* The thing nearest to x, and of those equally near the first; -1: there is none. */
int lil_boxes_nearest(const lil_boxes *tree, const double x[3], lil_distance_fn *distance, const void *data);

#endif
