#include "geometry/obstacle.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

const char *const lil_obstacle_names[] = { "plane", "sphere", "box", "mesh", 0 };

static lil_depth in_plane(const lil_obstacle *o, const double r[3])
{
    return (lil_depth){ .depth = -lil_dot3(o->normal, r), .n = { o->normal[0], o->normal[1], o->normal[2] } };
}

/* R - |r|; at the very centre every way out is as long, and up is one of them */
static lil_depth in_sphere(const lil_obstacle *o, const double r[3])
{
    double far = sqrt(lil_dot3(r, r));
    lil_depth at = { .depth = o->radius - far, .n = { 0, 0, 1 }, .face = -1 };
    for (int d = 0; d < 3 && far > 0; d++)
        at.n[d] = r[d] / far;
    at.curvature = far > 0 ? 1 / far : 0;
    return at;
}

/* Inside the way out is through the nearest face; outside the nearest point may be on an edge. */
static lil_depth in_box(const lil_obstacle *o, const double r[3])
{
    double y[3], out[3], beyond = 0;
    int axis = 0;
    for (int d = 0; d < 3; d++) {
        y[d] = o->R[d] * r[0] + o->R[3 + d] * r[1] + o->R[6 + d] * r[2];
        out[d] = fabs(y[d]) - o->half[d];
        beyond += out[d] > 0 ? out[d] * out[d] : 0;
        axis = out[d] > out[axis] ? d : axis;
    }
    lil_depth at = { .depth = -out[axis], .face = 2 * axis + (y[axis] < 0) };
    double away[3] = { 0 };
    away[axis] = y[axis] < 0 ? -1 : 1;
    if (beyond > out[axis] * out[axis] && out[axis] > 0) {
        double far = sqrt(beyond);
        for (int d = 0; d < 3; d++)
            away[d] = out[d] > 0 ? copysign(out[d], y[d]) / far : 0;
        at.depth = -far;
        at.face = -1;
    }
    for (int d = 0; d < 3; d++)
        at.n[d] = lil_dot3(o->R + 3 * d, away);
    return at;
}

double lil_obstacle_thickness(const lil_obstacle *o)
{
    switch (o->kind) {
    case LIL_OBSTACLE_SPHERE: return 2 * o->radius;
    case LIL_OBSTACLE_BOX: return 2 * fmin(o->half[0], fmin(o->half[1], o->half[2]));
    default: return INFINITY;
    }
}

lil_depth lil_obstacle_depth(const lil_obstacle *o, const double r[3])
{
    static lil_depth (*const in[])(const lil_obstacle *, const double *) = { in_plane, in_sphere, in_box };
    return in[o->kind](o, r);
}
