/* A rigid link: g = (|d|^2 - l^2) / 2l with d = x_j - x_i, which has no root and the gradient d/l. */
#include "constraints/constraint.h"
#include "math/matrix3.h"

#include <math.h>

static void distance_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const lil_link *l = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, l++) {
        double d[3], dd = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = x[3 * l->j + k] - x[3 * l->i + k];
            dd += d[k] * d[k];
        }
        if (g)
            g[c] = (dd - l->length * l->length) / (2 * l->length);
        for (int k = 0; k < 3 && G; k++) {
            G[6 * c + k] = -d[k] / l->length;
            G[6 * c + 3 + k] = d[k] / l->length;
        }
    }
}

static void distance_curvature(const lil_constraint *set, void *work, const double *x, const double *v, double *k)
{
    const lil_link *l = set->data;
    (void)work, (void)x;
    for (int c = 0; c < set->count; c++, l++) {
        k[c] = 0;
        for (int d = 0; d < 3; d++) {
            double rate = v[3 * l->j + d] - v[3 * l->i + d];
            k[c] += rate * rate / l->length;
        }
    }
}

static void size(const lil_constraint *set, double *size)
{
    const lil_link *l = set->data;
    for (int c = 0; c < set->count; c++)
        size[c] += l[c].length / 2;
}

/* 1/l of each coordinate with itself, -1/l with the other end's */
static void distance_second(const lil_constraint *set, void *work, const double *x, double *values)
{
    const lil_link *l = set->data;
    (void)work, (void)x;
    for (int e = 0; e < 12 * set->count; e++) {
        int corner = e % 12 / 3;
        values[e] = (corner / 2 == corner % 2 ? 1 : -1) / l[e / 12].length;
    }
}

const lil_constraint_table lil_constraint_distance = {
    .name = "distance",
    .doc = "a rigid link between two points",
    .rows = 1,
    .points = 2,
    .stride = sizeof(lil_link),
    .isotropic = true,
    .evaluate = distance_evaluate,
    .curvature = distance_curvature,
    .size = size,
    .second = distance_second,
    .quadratic = true,
};

/* ---- the kind ---- */

static lil_status distance_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                                const char **wrong)
{
    double d[3], length = b->def->length;
    (void)part;
    for (int k = 0; k < 3; k++)
        d[k] = b->x[3 * v[0] + k] - b->x[3 * v[1] + k];
    double apart = sqrt(lil_dot3(d, d));
    *(lil_link *)member = (lil_link){ v[0], v[1], length > 0 ? length : apart };
    *wrong = "points";
    if (!(apart > 0)) /* without a direction it has no gradient either */
        return lil_fail(
            ctx, LIL_ERR_INPUT,
            "'%.60s' would start with zero length: its points coincide (to keep them together, use 'equal')",
            b->name);
    return LIL_OK;
}

static const lil_field fields[] = {
    LIL_FIELD_REAL(lil_constraint_def, length, -1, 1e-300, 1e300, "m", "the distance (default: its initial value)"),
};

const lil_bond_kind lil_bond_distance = {
    .name = "distance",
    .doc = "a rigid link: two points keep their initial distance, or `length`, m",
    .example = "{distance: [hub, rope.0], length: 1}",
    .ends = 2,
    LIL_FIELDS(fields),
    .parts = 1,
    .table = { &lil_constraint_distance },
    .member_size = { sizeof(lil_link) },
    .make = distance_make,
};
