/* A half space: solid on the side to which the normal does not point. */
#include "core/field.h"
#include "geometry/obstacle.h"
#include "math/matrix3.h"

#include <math.h>
#include <string.h>

static const lil_field fields[] = {
    LIL_FIELD_VECTOR(lil_obstacle_def, point, 0, "m", "a point on it"),
    LIL_FIELD_VECTOR(lil_obstacle_def, normal, 0, "", "points out of the solid (default: up)"),
};

static void obstacle_plane_make(const lil_obstacle_def *def, const double R[9], lil_obstacle *o)
{
    (void)R;
    memcpy(o->normal, def->normal, sizeof o->normal);
}

static lil_status obstacle_plane_check(lil_context *ctx, lil_obstacle *o, const char **member)
{
    double *n = o->normal, length = hypot(hypot(n[0], n[1]), n[2]);
    *member = "normal";
    if (!(length > 0 && length < 1e100))
        return lil_fail(ctx, LIL_ERR_INPUT, "the 'normal' of a plane must not be a zero vector, but is [%g, %g, %g]",
                        n[0], n[1], n[2]);
    for (int d = 0; d < 3; d++)
        n[d] /= length;
    return LIL_OK;
}

static lil_depth obstacle_plane_depth(const lil_obstacle *o, const double r[3])
{
    return (lil_depth){ .depth = -lil_dot3(o->normal, r), .n = { o->normal[0], o->normal[1], o->normal[2] } };
}

const lil_obstacle_shape lil_obstacle_plane = {
    .name = "plane",
    .in = "a plane",
    .example = "plane: {point: [x, y, z], normal: [x, y, z]}",
    .doc = "a half-space, solid on the side away from its normal (default: the ground, below 0)",
    LIL_FIELDS(fields),
    .make = obstacle_plane_make,
    .check = obstacle_plane_check,
    .depth = obstacle_plane_depth,
};
