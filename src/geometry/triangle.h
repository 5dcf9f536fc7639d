/* One triangle and a point, or a segment. */
#ifndef LIL_GEOMETRY_TRIANGLE_H
#define LIL_GEOMETRY_TRIANGLE_H

#include <stdbool.h>

/* The part of a triangle that is nearest to a point: the face, a corner, or the edge from a corner to the next. */
typedef enum lil_triangle_region {
    LIL_TRIANGLE_FACE,
    LIL_TRIANGLE_CORNER,
    LIL_TRIANGLE_EDGE = LIL_TRIANGLE_CORNER + 3
} lil_triangle_region;

/* The nearest point as a + s (b - a) + t (c - a), by the region that q lies in (Ericson, Real-Time Collision
 * Detection, 5.1.5) */
lil_triangle_region lil_triangle_parameters(const double ab[3], const double ac[3], const double aq[3], double *s,
                                            double *t);

/* The squared distance from q to the triangle, and its nearest point. */
double lil_triangle_nearest(const double *a, const double *b, const double *c, const double q[3], double p[3]);

/* Does the way from p to q go through the triangle? Then `t` of it lies before. Touching its border counts. */
bool lil_triangle_crossed(const double *a, const double *b, const double *c, const double *p, const double *q,
                          double *t);

/* The sum of solid angles under which triangles are seen: positive where their corners go counter-clockwise seen
 * from behind, 0 for one in whose plane the point is. Half of it is the angle of a complex number, plus whole
 * turns: only the end of the sum needs a function of angles. */
typedef struct lil_solid_angle {
    double re, im;
    int turns;
} lil_solid_angle;

lil_solid_angle lil_solid_angle_begin(void);
void lil_solid_angle_add(lil_solid_angle *sum, const double *a, const double *b, const double *c, const double q[3]);
double lil_solid_angle_end(const lil_solid_angle *sum);

#endif
