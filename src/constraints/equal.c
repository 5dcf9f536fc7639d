/* Two points that are one: g = x_j - x_i, three equations. */
#include "constraints/constraint.h"

static lil_status equal_begin(lil_context *ctx, const void *data, int count, lil_arena *arena, void **work,
                              lil_jacobian *G)
{
    const lil_joint *joints = data;
    *work = NULL;
    LIL_TRY(lil_jacobian_create(ctx, arena, count, 6, G));
    for (int e = 0; e < G->count; e++) {
        const lil_joint *joint = &joints[e / 6];
        G->row[e] = 3 * (e / 6) + e % 3;
        G->col[e] = 3 * (e % 6 < 3 ? joint->i : joint->j) + e % 3;
    }
    return LIL_OK;
}

static void equal_evaluate(const void *data, int count, void *work, const double *x, double *g, double *G)
{
    const lil_joint *joint = data;
    (void)work;
    for (int c = 0; c < count; c++, joint++)
        for (int k = 0; k < 3; k++) {
            if (g)
                g[3 * c + k] = x[3 * joint->j + k] - x[3 * joint->i + k];
            if (G) {
                G[6 * c + k] = -1;
                G[6 * c + 3 + k] = 1;
            }
        }
}

static void equal_curvature(const void *data, int count, void *work, const double *x, const double *v, double *k)
{
    (void)data;
    (void)work;
    (void)x;
    (void)v;
    for (int c = 0; c < 3 * count; c++)
        k[c] = 0;
}

const lil_constraint_table lil_constraint_equal = {
    .name = "equal",
    .doc = "two coincident points",
    .rows = 3,
    .begin = equal_begin,
    .evaluate = equal_evaluate,
    .curvature = equal_curvature,
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
