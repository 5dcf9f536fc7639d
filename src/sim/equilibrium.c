/* Bodies of a world that start in static equilibrium. */
#include "sim/equilibrium.h"

#include <math.h>
#include <string.h>

static int vertex_of(const lil_model *model, int k)
{
    return (model->dofs.free ? model->dofs.free[k] : k) / 3;
}

/* the sum of the forces that are left on a body, N */
static double net_force(const lil_model *model, const lil_body *body, const double *left)
{
    double net[3] = { 0 };
    for (int k = 0; k < model->n; k++)
        if (&model->world->list[lil_world_body_of(model->world, vertex_of(model, k))] == body)
            net[k % 3] += left[k];
    return sqrt(net[0] * net[0] + net[1] * net[1] + net[2] * net[2]);
}

/* The body with the largest remaining force; one that falls or slides away keeps its own weight. */
static lil_status equilibrium_refuse(lil_context *ctx, const lil_model *model, const double *left,
                                     const lil_rest *rest, int *blame)
{
    const lil_world *w = model->world;
    double most = -1;
    for (int i = 0; i < w->count; i++) {
        double force = w->list[i].rest ? net_force(model, &w->list[i], left) : -1;
        if (force > most) {
            most = force;
            *blame = i;
        }
    }
    return lil_fail(ctx, LIL_ERR_INPUT,
                    "'%.60s' has no equilibrium to start in: after %d iterations and a displacement of %.3g m, a net "
                    "force of %.3g N remains: pin it, support it, or leave 'rest' out",
                    w->list[*blame].name, rest->iterations, rest->moved, most);
}

/* A tower that falls comes to rest too: report the displacement. */
static void tell_far(lil_context *ctx, const lil_model *model, const double *start, const double *q,
                     const lil_rest *rest)
{
    const double FAR = 0.25; /* of how large everything is */
    int most = 0;
    for (int k = 1; k < model->n; k++)
        if (fabs(q[k] - start[k]) > fabs(q[most] - start[most]))
            most = k;
    if (rest->moved > FAR * rest->size)
        lil_warn(ctx, "'%.60s' comes to rest %.3g m from where it is placed",
                 model->world->list[lil_world_body_of(model->world, vertex_of(model, most))].name, rest->moved);
}

/* The search moves bodies without regard to constraints. Refused is a body that starts in equilibrium and has a
 * constraint on a vertex that is free; constraints of everything else may be, but not strands: beside them the search
 * would leave out friction (LIL_SECOND_ENTRIES), and is slow where they touch. */
static lil_status check_unconstrained(lil_context *ctx, lil_arena *arena, const lil_model *model, const bool *stays,
                                      int *blame)
{
    bool *moves = LIL_NEW(arena, bool, model->dofs.total);
    LIL_HAVE(ctx, moves);
    for (int i = 0; i < model->world->count && model->constraint_count; i++)
        if (model->world->list[i].strands)
            return lil_fail(ctx, LIL_ERR_INPUT, "'rest' does not support scenes with strands, here '%.60s'",
                            model->world->list[i].name);
    for (int k = 0; k < model->n; k++)
        moves[model->dofs.free ? model->dofs.free[k] : k] = !stays[k];
    for (int i = 0; i < model->constraint_count; i++) {
        lil_jacobian G = { 0 };
        void *work;
        LIL_TRY(lil_constraint_begin(ctx, &model->constraints[i], arena, &work, &G));
        for (int k = 0; k < G.count; k++)
            if (moves[G.col[k]]) {
                *blame = lil_world_body_of(model->world, G.col[k] / 3);
                return lil_fail(ctx, LIL_ERR_INPUT,
                                "'%.60s' has a constraint, which 'rest' does not support: use springs, or 'fixed'",
                                model->world->list[*blame].name);
            }
    }
    return LIL_OK;
}

bool lil_sim_rests(const lil_model *model)
{
    const lil_world *w = model->world;
    for (int i = 0; w && i < w->count; i++)
        if (w->list[i].rest)
            return true;
    return false;
}

lil_status lil_sim_find_rest(lil_context *ctx, lil_arena *arena, const lil_model *model, int linear, double t,
                             double *q, double *v, lil_rest *rest, int *blame)
{
    const lil_world *w = model->world;
    *rest = (lil_rest){ 0 };
    for (*blame = 0; w && *blame < w->count && !w->list[*blame].rest;)
        ++*blame;
    if (!lil_sim_rests(model))
        return LIL_OK;
    bool *stays = LIL_NEW(arena, bool, model->n);
    double *left = LIL_NEW(arena, double, model->n), *start = LIL_NEW(arena, double, model->n);
    LIL_HAVE(ctx, stays && left && start);
    memcpy(start, q, (size_t)model->n * sizeof *start);
    for (int k = 0; k < model->n; k++)
        stays[k] = !w->list[lil_world_body_of(w, vertex_of(model, k))].rest;
    LIL_TRY(check_unconstrained(ctx, arena, model, stays, blame));
    ctx->stop.asked = false;
    LIL_TRY(lil_rest_find(ctx, model, linear, t, stays, q, left, rest));
    if (ctx->stop.asked)
        return lil_fail(ctx, LIL_ERR_INTERRUPTED, "interrupted in the search for an equilibrium");
    if (!rest->found)
        return equilibrium_refuse(ctx, model, left, rest, blame);
    tell_far(ctx, model, start, q, rest);
    for (int k = 0; k < model->n; k++)
        v[k] = stays[k] ? v[k] : 0;
    return LIL_OK;
}
