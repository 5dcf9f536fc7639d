/*
 * Obstacles: shapes, one file = one const table. Positions are relative to the obstacle's own point, so that a moving
 * obstacle only changes its point. The barrier, files and pages use the triangles of a shape with an outline; planes
 * and balls have none and are handled as such everywhere.
 */
#ifndef LIL_GEOMETRY_OBSTACLE_H
#define LIL_GEOMETRY_OBSTACLE_H

#include <lilyan/world.h>

#include "core/context.h"

/* The list, in the order of lil_obstacle_kind: one line a shape. */
#define LIL_OBSTACLES(X)                                                                                             \
    X(lil_obstacle_plane)                                                                                            \
    X(lil_obstacle_sphere)                                                                                           \
    X(lil_obstacle_box)                                                                                              \
    X(lil_obstacle_mesh)

typedef struct lil_obstacle {
    lil_obstacle_kind kind;
    double point[3];  /* on the plane; the centre */
    double normal[3]; /* unit normal of the plane, out of the solid */
    double radius;
    double half[3], R[9]; /* of a box: half its sides, and how it is turned: x = point + R y */
} lil_obstacle;

/* Where a place r is: how deep (negative: how far outside), the normal there, by which the depth falls, and the
 * depth's curvature c: d2(depth)/dr2 = -c (1 - n n'). `face` is equal where the depth is one linear function of r;
 * -1: it is not linear. */
typedef struct lil_depth {
    double depth, n[3], curvature;
    int face;
} lil_depth;

typedef struct lil_obstacle_shape {
    const char *name;        /* the scene's key for it */
    const char *in;          /* how sentences call it: "a plane" */
    const char *example;     /* YAML */
    const char *doc;         /* one sentence */
    const lil_field *fields; /* of a scene's map, members of lil_obstacle_def */
    int field_count;
    /* From a def, R its `rotate`; then what ranges cannot say, with the member that is wrong. NULL: triangles,
     * which the world places. */
    void (*make)(const lil_obstacle_def *def, const double R[9], lil_obstacle *o);
    lil_status (*check)(lil_context *ctx, lil_obstacle *o, const char **member);
    /* NULL: it has no inside, and contact by penalty does not take it. */
    lil_depth (*depth)(const lil_obstacle *o, const double r[3]);
    double (*thickness)(const lil_obstacle *o); /* how far apart its sides are where they are nearest */
    bool round;                                 /* the depth is a radius less |r| */
    /* Its corners, three numbers each in the scene's coordinates, and triangles, counter-clockwise from outside. */
    int corner_count, triangle_count;
    void (*corners)(const lil_obstacle *o, double *x);
    const int (*triangles)[3];
} lil_obstacle_shape;

#define LIL_DECLARE_OBSTACLE(shape) extern const lil_obstacle_shape shape;
LIL_OBSTACLES(LIL_DECLARE_OBSTACLE)
#undef LIL_DECLARE_OBSTACLE

const lil_obstacle_shape *lil_obstacle_shape_at(int kind); /* NULL: there is no such kind */
const lil_obstacle_shape *lil_obstacle_shape_of(const lil_obstacle *o);

/* For shapes that have an inside. */
lil_depth lil_obstacle_depth(const lil_obstacle *o, const double r[3]);
double lil_obstacle_thickness(const lil_obstacle *o); /* infinite: it has one side */

#endif
