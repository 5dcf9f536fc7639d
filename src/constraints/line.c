/* A line is two planes. */
#include "constraints/constraint.h"

#include <math.h>

static lil_status line_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                            const char **wrong)
{
    double u[3], n[2][3], length = 0;
    int least = 0;
    LIL_TRY(lil_constraint_direction(ctx, "along", b->def->axis, u, wrong));
    for (int k = 1; k < 3; k++)
        least = fabs(u[k]) < fabs(u[least]) ? k : least;
    for (int k = 0; k < 3; k++) { /* the axis farthest from it, less its part along it */
        n[0][k] = (k == least) - u[least] * u[k];
        length += n[0][k] * n[0][k];
    }
    for (int k = 0; k < 3; k++)
        n[0][k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        n[1][k] = u[(k + 1) % 3] * n[0][(k + 2) % 3] - u[(k + 2) % 3] * n[0][(k + 1) % 3];
    lil_make_on_plane(b, v[0], n[part], b->def->as_placed ? NULL : b->def->point, member);
    return LIL_OK;
}

static const lil_field fields[] = {
    LIL_FIELD(lil_constraint_def, LIL_VECTOR, "along", axis, NAN, -1e300, 1e300, "", "the direction along it"),
    LIL_FIELD(lil_constraint_def, LIL_VECTOR, "through", point, 0, -1e300, 1e300, "m",
              "a point on it (default: each point's own start)"),
};

const lil_bond_kind lil_bond_line = {
    .name = "line",
    .doc = "points stay on a straight line `through` a point (default: each point's own start)",
    .example = "{line: bead, along: [1, 0, 0], through: [0, 0, 1]}",
    LIL_FIELDS(fields),
    .parts = 2,
    .table = { &lil_constraint_plane, &lil_constraint_plane },
    .member_size = { sizeof(lil_on_plane), sizeof(lil_on_plane) },
    .make = line_make,
};
