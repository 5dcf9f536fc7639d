/* A circle is a plane and a sphere. */
#include "constraints/constraint.h"

#include <math.h>

static lil_status circle_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                              const char **wrong)
{
    double n[3];
    if (part == 1)
        return lil_make_on_sphere(ctx, b, v[0], member, wrong);
    LIL_TRY(lil_constraint_direction(ctx, "normal", b->def->axis, n, wrong));
    lil_make_on_plane(b, v[0], n, b->def->point, member);
    return LIL_OK;
}

static const lil_field fields[] = {
    LIL_FIELD(lil_constraint_def, LIL_VECTOR, "centre", point, NAN, -1e300, 1e300, "m", "its centre"),
    LIL_FIELD_REAL(lil_constraint_def, radius, NAN, 1e-300, 1e300, "m", "distance from the centre"),
    LIL_FIELD(lil_constraint_def, LIL_VECTOR, "normal", axis, NAN, -1e300, 1e300, "", "the normal of its plane"),
};

const lil_bond_kind lil_bond_circle = {
    .name = "circle",
    .doc = "points stay on a circle in the plane normal to `normal`",
    .example = "{circle: bead, centre: [0, 0, 0], radius: 1, normal: [0, 1, 0]}",
    LIL_FIELDS(fields),
    .parts = 2,
    .table = { &lil_constraint_plane, &lil_constraint_sphere },
    .member_size = { sizeof(lil_on_plane), sizeof(lil_on_sphere) },
    .make = circle_make,
};
