/* A point on a sphere: g = (|x - c|^2 - r^2) / 2r, as a rigid link to its centre. */
#include "constraints/constraint.h"
#include "math/matrix3.h"

#include <math.h>

static void sphere_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const lil_on_sphere *s = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, s++) {
        double rr = 0;
        for (int k = 0; k < 3; k++) {
            double d = x[3 * s->i + k] - s->centre[k];
            rr += d * d;
            if (G)
                G[3 * c + k] = d / s->radius;
        }
        if (g)
            g[c] = (rr - s->radius * s->radius) / (2 * s->radius);
    }
}

static void sphere_curvature(const lil_constraint *set, void *work, const double *x, const double *v, double *k)
{
    const lil_on_sphere *s = set->data;
    (void)work, (void)x;
    for (int c = 0; c < set->count; c++, s++) {
        const double *u = v + 3 * s->i;
        k[c] = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) / s->radius;
    }
}

static void size(const lil_constraint *set, double *size)
{
    const lil_on_sphere *s = set->data;
    for (int c = 0; c < set->count; c++)
        size[c] += s[c].radius / 2;
}

static void sphere_second(const lil_constraint *set, void *work, const double *x, double *values)
{
    const lil_on_sphere *s = set->data;
    (void)work, (void)x;
    for (int e = 0; e < 3 * set->count; e++)
        values[e] = 1 / s[e / 3].radius;
}

const lil_constraint_table lil_constraint_sphere = {
    .name = "sphere",
    .doc = "a point on a sphere",
    .rows = 1,
    .points = 1,
    .stride = sizeof(lil_on_sphere),
    .isotropic = true,
    .evaluate = sphere_evaluate,
    .curvature = sphere_curvature,
    .size = size,
    .second = sphere_second,
    .quadratic = true,
};

/* ---- the kind ---- */

lil_status lil_make_on_sphere(lil_context *ctx, const lil_binding *b, int vertex, lil_on_sphere *member,
                              const char **wrong)
{
    const double *centre = b->def->point;
    double d[3], radius = b->def->radius;
    *wrong = "radius";
    if (!(radius > 0))
        return lil_fail(ctx, LIL_ERR_INPUT, "'radius' must be positive, not %g", radius);
    *member = (lil_on_sphere){ vertex, { centre[0], centre[1], centre[2] }, radius };
    for (int k = 0; k < 3; k++)
        d[k] = b->x[3 * vertex + k] - centre[k];
    *wrong = "points";
    if (!(lil_dot3(d, d) > 0))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "'%.60s' would start with a point at its centre, where its normal is undefined", b->name);
    return LIL_OK;
}

static lil_status sphere_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                              const char **wrong)
{
    (void)part;
    return lil_make_on_sphere(ctx, b, v[0], member, wrong);
}

static const lil_field fields[] = {
    LIL_FIELD(lil_constraint_def, LIL_VECTOR, "centre", point, NAN, -1e300, 1e300, "m", "its centre"),
    LIL_FIELD_REAL(lil_constraint_def, radius, NAN, 1e-300, 1e300, "m", "distance from the centre"),
};

const lil_bond_kind lil_bond_sphere = {
    .name = "sphere",
    .doc = "points stay on a sphere",
    .example = "{sphere: bob, centre: [0, 0, 0], radius: 1}",
    LIL_FIELDS(fields),
    .parts = 1,
    .table = { &lil_constraint_sphere },
    .member_size = { sizeof(lil_on_sphere) },
    .make = sphere_make,
};
