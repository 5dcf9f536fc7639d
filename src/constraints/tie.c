/* A point that a tet carries: g = x - sum_k w_k x_k over its four vertices, three equations. The weights add up to 1
 * and give where the point is at the start, so that the point follows the tet however it moves and deforms. */
#include "constraints/constraint.h"
#include "mesh/fill/embedding.h"

#include <math.h>
#include <string.h>

static void tie_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const lil_tied *tied = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, tied++)
        for (int d = 0; d < 3; d++) {
            double carried = 0;
            for (int k = 0; k < 4; k++)
                carried += tied->w[k] * x[3 * tied->v[k + 1] + d];
            if (g)
                g[3 * c + d] = x[3 * tied->v[0] + d] - carried;
            for (int k = 0; G && k < 5; k++)
                G[15 * c + 3 * k + d] = k ? -tied->w[k - 1] : 1;
        }
}

const lil_constraint_table lil_constraint_tie = {
    .name = "tie",
    .doc = "a point that a tet carries",
    .rows = 3,
    .points = 5,
    .stride = sizeof(lil_tied),
    .evaluate = tie_evaluate,
    .quadratic = true,
};

void lil_make_tied(const lil_mesh *mesh, int first, int tet, int vertex, const double x[3], lil_tied *member)
{
    double w[3];
    int room[4];
    const int *vertices = lil_mesh_part(mesh, tet, room);
    lil_embedding_weights(mesh, tet, x, w);
    member->v[0] = vertex;
    for (int k = 0; k < 4; k++) {
        member->v[k + 1] = first + vertices[k];
        member->w[k] = k ? w[k - 1] : 1 - w[0] - w[1] - w[2];
    }
}

/* ---- the kind ---- */

static double longest_edge(const lil_mesh *mesh, int tet)
{
    double longest = 0;
    int room[4];
    const int *v = lil_mesh_part(mesh, tet, room);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) {
            const double *x = mesh->x + 3 * v[a], *y = mesh->x + 3 * v[b];
            longest = fmax(longest, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
        }
    return longest;
}

static lil_status tie_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                           const char **wrong)
{
    const double *x = b->x + 3 * v[0];
    int tet;
    double distance = lil_embedding_nearest(b->mesh, x, &tet), reach = longest_edge(b->mesh, tet);
    (void)part;
    *wrong = "points";
    if (v[0] >= b->first && v[0] < b->first + b->mesh->vertex_count)
        return lil_fail(ctx, LIL_ERR_INPUT, "'%.60s' ties a point of '%.60s' to '%.60s' itself", b->name, b->owner,
                        b->owner);
    if (distance > reach)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "'%.60s' ties a point at [%.6g, %.6g, %.6g] that is %.3g m away from '%.60s': it must be on "
                        "the body, or closer than the longest edge of the nearest tet, %.3g m",
                        b->name, x[0], x[1], x[2], distance, b->owner, reach);
    lil_make_tied(b->mesh, b->first, tet, v[0], x, member);
    return LIL_OK;
}

const lil_bond_kind lil_bond_tie = {
    .name = "tie",
    .doc = "points keep their place in the body `to`. Whatever has a tied point (the whole rope) does not collide "
           "with that body",
    .example = "{tie: rope.last, to: spot}",
    .carried = true,
    .parts = 1,
    .table = { &lil_constraint_tie },
    .member_size = { sizeof(lil_tied) },
    .make = tie_make,
};
