/* Two points that are one: g = x_j - x_i, three equations. */
#include "constraints/constraint.h"

static void equal_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const lil_joint *joint = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, joint++)
        for (int k = 0; k < 3; k++) {
            if (g)
                g[3 * c + k] = x[3 * joint->j + k] - x[3 * joint->i + k];
            if (G) {
                G[6 * c + k] = -1;
                G[6 * c + 3 + k] = 1;
            }
        }
}

const lil_constraint_table lil_constraint_equal = {
    .name = "equal",
    .doc = "two coincident points",
    .rows = 3,
    .points = 2,
    .stride = sizeof(lil_joint),
    .evaluate = equal_evaluate,
    .quadratic = true,
};

/* ---- the kind ---- */

static lil_status equal_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                             const char **wrong)
{
    (void)ctx, (void)b, (void)part, (void)wrong;
    *(lil_joint *)member = (lil_joint){ v[0], v[1] };
    return LIL_OK;
}

const lil_bond_kind lil_bond_equal = {
    .name = "equal",
    .doc = "two points coincide",
    .example = "{equal: [rope.last, body.12]}",
    .ends = 2,
    .parts = 1,
    .table = { &lil_constraint_equal },
    .member_size = { sizeof(lil_joint) },
    .make = equal_make,
};
