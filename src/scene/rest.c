#include "scene/rest.h"

#include "scene/bodies.h"

#include <math.h>

static const lil_body *body_of(const lil_bodies *bs, int vertex)
{
    for (int i = 0; i < bs->count; i++)
        if (vertex >= bs->list[i].first && vertex < bs->list[i].first + bs->list[i].mesh.vertex_count)
            return &bs->list[i];
    return NULL;
}

static int vertex_of(const lil_model *model, int k)
{
    return (model->dofs.free ? model->dofs.free[k] : k) / 3;
}

/* the sum of the forces that are left on a body, N */
static double net_force(const lil_system *sys, const lil_body *body, const double *left)
{
    double net[3] = { 0 };
    for (int k = 0; k < sys->model->n; k++)
        if (body_of(sys->bodies, vertex_of(sys->model, k)) == body)
            net[k % 3] += left[k];
    return sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]);
}

/* Who is left with the largest force; what falls or slides away is left with its own weight. */
static lil_status refuse(lil_context *ctx, const lil_system *sys, const double *left, const lil_rest *rest)
{
    const lil_body *worst = NULL;
    double most = -1;
    for (int i = 0; i < sys->bodies->count; i++) {
        const lil_body *body = &sys->bodies->list[i];
        double force = body->rest ? net_force(sys, body, left) : -1;
        if (force > most) {
            most = force;
            worst = body;
        }
    }
    return lil_node_fail_key(
        ctx, worst->rest,
        "'%.60s' finds no equilibrium to start in: after %d iterations, having moved by %.3g m, it is "
        "left with a net force of %.3g N: hold it, put it on something, or leave 'rest' out",
        worst->name, rest->iterations, rest->moved, most);
}

lil_status lil_find_rest(lil_context *ctx, lil_arena *arena, lil_system *sys, int linear, double t, lil_rest *rest)
{
    const lil_bodies *bs = sys->bodies;
    const lil_model *model = sys->model;
    const lil_node *asked = NULL;
    *rest = (lil_rest){ 0 };
    for (int i = bs ? bs->count - 1 : -1; i >= 0; i--)
        asked = bs->list[i].rest ? bs->list[i].rest : asked;
    if (!asked)
        return LIL_OK;
    if (model->constraint_count)
        return lil_node_fail_key(ctx, asked, "'rest' does not know of constraints: use springs, or 'fixed'");
    bool *stays = LIL_NEW(arena, bool, model->n);
    double *left = LIL_NEW(arena, double, model->n);
    if (!stays || !left)
        return lil_fail_memory(ctx);
    for (int k = 0; k < model->n; k++) {
        const lil_body *body = body_of(bs, vertex_of(model, k));
        stays[k] = !body || !body->rest;
    }
    LIL_TRY(lil_rest_find(ctx, model, linear, t, stays, sys->q, left, rest));
    if (!rest->found)
        return refuse(ctx, sys, left, rest);
    for (int k = 0; k < model->n; k++)
        sys->v[k] = stays[k] ? sys->v[k] : 0;
    return LIL_OK;
}
