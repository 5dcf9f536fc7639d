/* A point on a plane: g = n.x - d. */
#include "constraints/constraint.h"
#include "math/matrix3.h"

#include <math.h>

static void plane_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const lil_on_plane *p = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, p++) {
        const double *at = x + 3 * p->i;
        if (g)
            g[c] = p->n[0] * at[0] + p->n[1] * at[1] + p->n[2] * at[2] - p->d;
        for (int k = 0; k < 3 && G; k++)
            G[3 * c + k] = p->n[k];
    }
}

static void size(const lil_constraint *set, double *size)
{
    const lil_on_plane *p = set->data;
    for (int c = 0; c < set->count; c++)
        size[c] += fabs(p[c].d);
}

const lil_constraint_table lil_constraint_plane = {
    .name = "plane",
    .doc = "a point on a plane",
    .rows = 1,
    .points = 1,
    .stride = sizeof(lil_on_plane),
    .evaluate = plane_evaluate,
    .size = size,
    .quadratic = true,
};

/* ---- the kind ---- */

void lil_make_on_plane(const lil_binding *b, int vertex, const double n[3], const double *through,
                       lil_on_plane *member)
{
    *member = (lil_on_plane){ vertex, { n[0], n[1], n[2] }, lil_dot3(n, through ? through : b->x + 3 * vertex) };
}

static lil_status plane_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                             const char **wrong)
{
    double n[3];
    (void)part;
    LIL_TRY(lil_constraint_direction(ctx, "normal", b->def->axis, n, wrong));
    lil_make_on_plane(b, v[0], n, b->def->as_placed ? NULL : b->def->point, member);
    return LIL_OK;
}

static const lil_field fields[] = {
    LIL_FIELD(lil_constraint_def, LIL_VECTOR, "normal", axis, NAN, -1e300, 1e300, "", "the direction normal to it"),
    LIL_FIELD(lil_constraint_def, LIL_VECTOR, "through", point, 0, -1e300, 1e300, "m",
              "a point on it (default: each point's own start)"),
};

const lil_bond_kind lil_bond_plane = {
    .name = "plane",
    .doc = "points stay on a plane `through` a point (default: each point's own start)",
    .example = "{plane: [p, q], normal: [0, 0, 1]}",
    LIL_FIELDS(fields),
    .parts = 1,
    .table = { &lil_constraint_plane },
    .member_size = { sizeof(lil_on_plane) },
    .make = plane_make,
};
