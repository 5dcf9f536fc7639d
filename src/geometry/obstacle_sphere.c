/* A solid ball. */
#include "core/field.h"
#include "geometry/obstacle.h"
#include "math/matrix3.h"

#include <math.h>

static const lil_field fields[] = {
    LIL_FIELD(lil_obstacle_def, LIL_VECTOR, "centre", point, 0, -1e300, 1e300, "m", "its centre"),
    LIL_FIELD_REAL(lil_obstacle_def, radius, NAN, -INFINITY, INFINITY, "m",
                   "distance from the centre to the surface"),
};

static void obstacle_sphere_make(const lil_obstacle_def *def, const double R[9], lil_obstacle *o)
{
    (void)R;
    o->radius = def->radius;
}

static lil_status obstacle_sphere_check(lil_context *ctx, lil_obstacle *o, const char **member)
{
    *member = "radius";
    return o->radius > 0 && o->radius < 1e100
               ? LIL_OK
               : lil_fail(ctx, LIL_ERR_INPUT, "'radius' must be positive, not %g m", o->radius);
}

/* R - |r|; at the very centre every way out is as long, and up is one of them */
static lil_depth obstacle_sphere_depth(const lil_obstacle *o, const double r[3])
{
    double far = sqrt(lil_dot3(r, r));
    lil_depth at = { .depth = o->radius - far, .n = { 0, 0, 1 }, .face = -1 };
    for (int d = 0; d < 3 && far > 0; d++)
        at.n[d] = r[d] / far;
    at.curvature = far > 0 ? 1 / far : 0;
    return at;
}

static double obstacle_sphere_thickness(const lil_obstacle *o)
{
    return 2 * o->radius;
}

const lil_obstacle_shape lil_obstacle_sphere = {
    .name = "sphere",
    .in = "a sphere",
    .example = "sphere: {centre: [x, y, z], radius: r}",
    .doc = "a solid ball",
    LIL_FIELDS(fields),
    .make = obstacle_sphere_make,
    .check = obstacle_sphere_check,
    .depth = obstacle_sphere_depth,
    .thickness = obstacle_sphere_thickness,
    .round = true,
};
