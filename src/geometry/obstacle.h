/* What bodies bounce off: a half space, a ball, a box, which are solid, or a surface of triangles. Places are relative to the obstacle's own point, so that one that moves
 * is the same obstacle with another point. */
#ifndef LIL_GEOMETRY_OBSTACLE_H
#define LIL_GEOMETRY_OBSTACLE_H

typedef enum lil_obstacle_kind {
    LIL_OBSTACLE_PLANE,
    LIL_OBSTACLE_SPHERE,
    LIL_OBSTACLE_BOX,
    LIL_OBSTACLE_MESH
} lil_obstacle_kind;

extern const char *const lil_obstacle_names[]; /* ended by NULL */

typedef struct lil_obstacle {
    lil_obstacle_kind kind;
    double point[3];  /* on the plane; the centre */
    double normal[3]; /* of the plane, of length 1, out of what is solid */
    double radius;
    double half[3], R[9]; /* of a box: half its sides, and how it is turned: x = point + R y */
} lil_obstacle;

/* Where a place r is: how deep (negative: how far outside), the normal there, by which the depth falls, and the depth's
 * curvature c: d2(depth)/dr2 = -c (1 - n n'). `face` is equal where the depth is one linear function of r; -1: it is none. */
typedef struct lil_depth {
    double depth, n[3], curvature;
    int face;
} lil_depth;

/* How far apart its sides are where they are nearest; infinite: a plane has one side. */
double lil_obstacle_thickness(const lil_obstacle *o);

/* Of solids. */
lil_depth lil_obstacle_depth(const lil_obstacle *o, const double r[3]);

#endif
