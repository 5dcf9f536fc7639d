/* The closed surface of a body that moves: which point of it is nearest to a place, and is that place inside? The
 * tree of boxes is made once, in the order of where triangles are at rest; its boxes follow the motion. */
#ifndef LIL_GEOMETRY_SKIN_H
#define LIL_GEOMETRY_SKIN_H

#include "geometry/boxes.h"

typedef struct lil_skin {
    int count;
    int (*triangles)[3]; /* vertices, counter-clockwise seen from outside */
    int (*beside)[3];    /* the triangle across the edge from corner k to the next */
    int vertex_count;
    int *vertices;       /* each once, ascending */
    int (*corner)[3];    /* of triangles: positions of their vertices in this list */
    int *first, *around; /* the triangles about vertex i are around[first[i]] ... around[first[i + 1] - 1] */
    lil_boxes tree;
} lil_skin;

/* Triangles of vertices first + triangles[...], at x; everything lives in the arena. */
lil_status lil_skin_create(lil_context *ctx, lil_arena *arena, const double *x, const int (*triangles)[3], int count,
                           int first, lil_skin *skin);

/* How many boxes it needs, and these at x. The first of all is number 1, the box around everything. */
int lil_skin_boxes(const lil_skin *skin);
void lil_skin_fit(const lil_skin *skin, const double *x, lil_box *boxes);
lil_box lil_skin_around(const lil_skin *skin, const double *x);

/* The nearest point of the surface, c = sum b_j x_j of triangle `at`; z = q - c. */
typedef struct lil_skin_point {
    int at;
    double b[3], z[3];
    /* directions in which the distance is stiff: 1 (a face), 2 (an edge), 3 (a vertex); and the one that is
     * missing from three or the only one */
    int stiff;
    double n[3];
    bool inside;
} lil_skin_point;

lil_skin_point lil_skin_nearest(const lil_skin *skin, const double *x, const lil_box *boxes, const double q[3]);

#endif
