/* A solid box. */
#include "core/field.h"
#include "geometry/obstacle.h"
#include "math/matrix3.h"

#include <math.h>
#include <string.h>

static const lil_field fields[] = {
    LIL_FIELD(lil_obstacle_def, LIL_VECTOR, "centre", point, 0, -1e300, 1e300, "m", "its centre"),
    LIL_FIELD(lil_obstacle_def, LIL_VECTOR, "size", extent, NAN, -INFINITY, INFINITY, "m", "its sides"),
    LIL_FIELD(lil_obstacle_def, LIL_VECTOR, "rotate", rotate, 0, -1e6, 1e6, "degrees", "about x, then y, then z"),
};

static void obstacle_box_make(const lil_obstacle_def *def, const double R[9], lil_obstacle *o)
{
    memcpy(o->R, R, sizeof o->R);
    for (int d = 0; d < 3; d++)
        o->half[d] = def->extent[d] / 2;
}

static lil_status obstacle_box_check(lil_context *ctx, lil_obstacle *o, const char **member)
{
    *member = "size";
    for (int d = 0; d < 3; d++)
        if (!(2 * o->half[d] > 0 && 2 * o->half[d] < 1e100))
            return lil_fail(ctx, LIL_ERR_INPUT, "'size' must be positive, not %g m", 2 * o->half[d]);
    return LIL_OK;
}

/* Inside the way out is through the nearest face; outside the nearest point may be on an edge. */
static lil_depth obstacle_box_depth(const lil_obstacle *o, const double r[3])
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

static double obstacle_box_thickness(const lil_obstacle *o)
{
    return 2 * fmin(o->half[0], fmin(o->half[1], o->half[2]));
}

static void corners(const lil_obstacle *o, double *x)
{
    for (int c = 0; c < 8; c++, x += 3) {
        double y[3];
        for (int k = 0; k < 3; k++)
            y[k] = (c >> k & 1 ? 1 : -1) * o->half[k];
        for (int k = 0; k < 3; k++)
            x[k] = o->point[k] + o->R[3 * k] * y[0] + o->R[3 * k + 1] * y[1] + o->R[3 * k + 2] * y[2];
    }
}

static const int triangles[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                      { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };

const lil_obstacle_shape lil_obstacle_box = {
    .name = "box",
    .in = "a box",
    .example = "box: {centre: [x, y, z], size: [a, b, c], rotate: [0, 0, 0]}",
    .doc = "a solid box, rotated in degrees about x, then y, then z",
    LIL_FIELDS(fields),
    .make = obstacle_box_make,
    .check = obstacle_box_check,
    .depth = obstacle_box_depth,
    .thickness = obstacle_box_thickness,
    .corner_count = 8,
    .triangle_count = 12,
    .corners = corners,
    .triangles = triangles,
};
