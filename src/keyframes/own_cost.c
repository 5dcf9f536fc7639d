/* The user's cost as a callback, in the form of running_cost.h: a Lagrangian of twice as many coordinates,
 * positions and ghost forces. */
#include "keyframes/shot.h"
#include "terms/callback.h"

#include <string.h>

typedef struct given {
    lil_cost_fn *cost;
    void *user;
    int m;
} given;

static bool call(void *user, double t, const double *q, const double *v, double *L, double *Lq, double *Lv)
{
    const given *g = user;
    if (Lv) /* the ghost force has no velocity */
        memset(Lv + g->m, 0, (size_t)g->m * sizeof *Lv);
    return g->cost(g->user, t, q, v, q + g->m, L, Lq, Lv, Lq ? Lq + g->m : NULL);
}

lil_status lil_shot_take_cost(lil_shot *shot, lil_cost_fn *cost, void *user)
{
    const lil_points *points = &shot->model->points;
    given *g;
    LIL_ALLOC(shot->ctx, &shot->arena, g, 1);
    *g = (given){ cost, user, points->count ? 3 * points->mark_count : shot->model->n };
    const lil_lagrangian_def def = { .n = 2 * g->m, .lagrangian = call, .user = g };
    LIL_TRY(lil_term_lagrangian(shot->ctx, &shot->arena, &def, &shot->own_cost));
    shot->cost = &shot->own_cost;
    return LIL_OK;
}
