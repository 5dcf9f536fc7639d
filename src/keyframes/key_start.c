/*
 * The initial guess of a shot of bodies. A key with a few points says little about the rest of a body, and frames on
 * straight lines would tear it. So such keys are completed: the body follows the rotation and translation of the
 * points, and deforms as little as possible if they do not move rigidly. The initial guess of the shot is that of the
 * shot through these whole poses.
 */
#include "keyframes/pose_fit.h"
#include "keyframes/shot.h"

#include <math.h>
#include <string.h>

typedef struct placing {
    double R[9], shift[3]; /* of a body, from rest */
} placing;

typedef struct completing {
    lil_shot *shot;
    placing *latest;      /* of each body */
    const double *placed; /* fixed vertices and handles */
    double *x, *fitted;
    bool *held; /* x and held: of all coordinates */
} completing;

static void spread(completing *c, const lil_shot_key *key)
{
    const lil_dofs *dofs = &c->shot->model->dofs;
    for (int k = 0; k < c->shot->n; k++) {
        int i = dofs->free ? dofs->number[k] : k;
        c->x[k] = i >= 0 ? key->q[i] : c->placed[k];
        c->held[k] = i < 0 || !key->held || key->held[i];
    }
}

static bool is_whole(const lil_body *body, const double *x)
{
    for (int e = 0; e < body->mesh.tet_count; e++)
        if (!(lil_mesh_least_ratio(&body->mesh, e, x) > 0))
            return false;
    return true;
}

/* A body without points is not changed, nor one that would be inverted. */
static lil_status complete(completing *c, const lil_body *body, placing *place)
{
    int n = body->mesh.vertex_count, known = 0;
    double *x = c->x + 3 * (size_t)body->first, *to = c->fitted, shift[3];
    lil_pose_miss missed;
    bool *held = c->held + 3 * (size_t)body->first;
    for (int i = 0; i < 3 * n; i++)
        known += held[i];
    if (body->particles || !known)
        return LIL_OK;
    lil_fit_rigid(body->mesh.x, x, held, n, place->R, shift);
    for (int d = 0; d < 3; d++)
        place->shift[d] = isnan(shift[d]) ? place->shift[d] : shift[d];
    if (known == 3 * n)
        return LIL_OK;
    for (int i = 0; i < 3 * n; i++) {
        const double *X = body->mesh.x + 3 * (i / 3), *R = place->R + 3 * (i % 3);
        to[i] = held[i] ? x[i] : R[0] * X[0] + R[1] * X[1] + R[2] * X[2] + place->shift[i % 3];
    }
    lil_pose_fit fit = { .body = body, .held = held };
    memcpy(fit.turn, place->R, sizeof fit.turn);
    LIL_TRY(lil_fit_pose(c->shot->ctx, &c->shot->arena, &fit, to, &missed));
    if (!is_whole(body, to))
        return LIL_OK;
    memcpy(x, to, 3 * (size_t)n * sizeof *x);
    memset(held, true, 3 * (size_t)n * sizeof *held);
    return LIL_OK;
}

static lil_status complete_key(completing *c, const lil_shot_key *key, lil_shot_key *whole)
{
    const lil_model *model = c->shot->model;
    double *q = LIL_NEW(&c->shot->arena, double, model->n);
    bool *held = LIL_NEW(&c->shot->arena, bool, model->n), all = true;
    LIL_HAVE(c->shot->ctx, q && held);
    spread(c, key);
    for (int b = 0; b < c->shot->world->count; b++)
        LIL_TRY(complete(c, &c->shot->world->list[b], &c->latest[b]));
    for (int i = 0; i < model->n; i++) {
        int k = model->dofs.free ? model->dofs.free[i] : i;
        q[i] = c->x[k];
        held[i] = c->held[k];
        all = all && held[i];
    }
    *whole = (lil_shot_key){ .frame = key->frame, .q = q, .held = all ? NULL : held, .v = key->v };
    return LIL_OK;
}

lil_status lil_shot_complete_keys(lil_shot *shot)
{
    bool needed = false;
    for (int i = 0; i < shot->key_count; i++)
        needed = needed || shot->keys[i].held || shot->keys[i].weight > 0;
    if (!needed || !shot->by_mass || shot->start)
        return LIL_OK;
    int bodies = shot->world->count;
    completing c = { .shot = shot,
                     .placed = shot->placed.x,
                     .latest = LIL_NEW(&shot->arena, placing, bodies),
                     .x = LIL_NEW(&shot->arena, double, shot->n),
                     .fitted = LIL_NEW(&shot->arena, double, shot->n),
                     .held = LIL_NEW(&shot->arena, bool, shot->n) };
    shot->whole = LIL_NEW(&shot->arena, lil_shot_key, shot->key_count);
    LIL_HAVE(shot->ctx, c.latest && c.x && c.fitted && c.held && shot->whole);
    for (int b = 0; b < bodies; b++)
        c.latest[b] = (placing){ .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    for (int i = 0; i < shot->key_count; i++) {
        lil_positions_run(&shot->placed, shot->at[i]);
        LIL_TRY(complete_key(&c, &shot->keys[i], &shot->whole[i]));
    }
    return LIL_OK;
}
