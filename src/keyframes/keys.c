/* Keys: from defs to the input of a problem. All faults are found here, and reported with their place. */
#include "keyframes/shot.h"
#include "world/contact.h"

#include <math.h>
#include <string.h>

#define REFUSE(shot, key, member, status, ...)                                                                       \
    lil_shot_refuse((shot)->ctx, &(shot)->places, (lil_shot_place){ key, member, -1 }, status, __VA_ARGS__)

/* ---- what needs no model ---- */

static lil_status check_numbers(lil_context *ctx, const lil_shot_places *places, const lil_shot_def *def)
{
    const struct {
        const char *name;
        double x, least, most;
    } members[] = { { "frames", def->frames, 2, 1e7 },
                    { "smoothness", def->smoothness, 0, 1e12 },
                    { "physicality", def->physicality, 0, 1 },
                    { "times", def->times, LIL_TIMES_FIXED, LIL_TIMES_FREE } };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (!(members[i].x >= members[i].least && members[i].x <= members[i].most))
            return lil_shot_refuse(ctx, places, (lil_shot_place){ -1, members[i].name, -1 }, LIL_ERR_INPUT,
                                   "'%s' must be between %g and %g, not %g", members[i].name, members[i].least,
                                   members[i].most, members[i].x);
    return LIL_OK;
}

static lil_status check_time(lil_context *ctx, const lil_shot_places *places, const lil_key_def *keys, int i)
{
    lil_shot_place at = { i, "t", -1 };
    double t = keys[i].t, before = i > 0 ? keys[i - 1].t : -INFINITY;
    if (keys[i].size != sizeof *keys)
        return lil_shot_refuse(ctx, places, (lil_shot_place){ i, NULL, -1 }, LIL_ERR_ARGUMENT,
                               "its size is %zu, not %zu: begin with lil_key_def_default", keys[i].size,
                               sizeof *keys);
    if (!(fabs(t) <= 1e12))
        return lil_shot_refuse(ctx, places, at, LIL_ERR_INPUT, "the time of a key must be at most 1e12 s, not %g", t);
    if (t == before)
        return lil_shot_refuse(ctx, places, at, LIL_ERR_INPUT, "two keys are at t = %.10g: a time can have only one",
                               t);
    if (t < before)
        return lil_shot_refuse(ctx, places, at, LIL_ERR_INPUT,
                               "this key is at t = %.10g, before the one above at %.10g: list keys in order of time",
                               t, before);
    return LIL_OK;
}

/* Keys fall on frames; those whose times are free start from the nearest. */
static lil_status find_frame(lil_context *ctx, const lil_shot_places *places, const lil_shot_def *def,
                             const lil_key_def *keys, int count, int i, int *frame)
{
    lil_shot_place at = { i, "t", -1 };
    double t0 = keys[0].t, h = (keys[count - 1].t - t0) / def->frames, place = (keys[i].t - t0) / h,
           nearest = round(place);
    if (fabs(place - nearest) > 1e-6 && def->times == LIL_TIMES_FIXED)
        return lil_shot_refuse(ctx, places, at, LIL_ERR_INPUT,
                               "the key at t = %.10g is not on a frame: the nearest of %d frames is at %.10g",
                               keys[i].t, def->frames, t0 + nearest * h);
    if (i > 0 && (int)nearest <= *frame + 1)
        return lil_shot_refuse(
            ctx, places, at, LIL_ERR_INPUT,
            "no free frame lies between the keys at t = %.10g and %.10g: use more than %d 'frames'", keys[i - 1].t,
            keys[i].t, def->frames);
    *frame = (int)nearest;
    return LIL_OK;
}

lil_status lil_shot_check_def(lil_context *ctx, const lil_shot_places *places, const lil_shot_def *def,
                              const lil_key_def *keys, int count, int *frames)
{
    int frame = 0;
    if (def->size != sizeof *def)
        return lil_fail(ctx, LIL_ERR_ARGUMENT,
                        "lil_shot_create: the def's size is %zu, not %zu: begin with lil_shot_def_default", def->size,
                        sizeof *def);
    LIL_TRY(check_numbers(ctx, places, def));
    if (count < 2)
        return lil_shot_refuse(ctx, places, (lil_shot_place){ -1, "keys", -1 }, LIL_ERR_INPUT,
                               "a shot needs at least two keys");
    for (int i = 0; i < count; i++)
        LIL_TRY(check_time(ctx, places, keys, i));
    if (def->times == LIL_TIMES_FREE && count < 3)
        return lil_shot_refuse(ctx, places, (lil_shot_place){ -1, "times:", -1 }, LIL_ERR_INPUT,
                               "free times need a key between the first and the last, whose times are fixed");
    for (int i = 0; i < count; i++) {
        LIL_TRY(find_frame(ctx, places, def, keys, count, i, &frame));
        if (frames)
            frames[i] = frame;
    }
    return LIL_OK;
}

/* ---- their coordinates ---- */

void lil_shot_select_free(const lil_model *model, double *x)
{
    for (int i = 0; model->dofs.free && i < model->n; i++)
        x[i] = x[model->dofs.free[i]];
}

static bool is_scripted(const lil_dofs *dofs, int vertex)
{
    for (int i = 0; i < dofs->script_count; i++)
        for (int k = 0; k < dofs->scripts[i].count; k++)
            if (dofs->scripts[i].vertices[k] == vertex)
                return true;
    return false;
}

/* Fixed vertices and vertices of handles have the position at t: a file may store it with fewer digits. */
static lil_status check_fixed(const lil_shot *shot, int key, const lil_key_pose *pose, bool posed)
{
    const lil_dofs *dofs = &shot->model->dofs;
    bool free_time = shot->def.times == LIL_TIMES_FREE && key > 0 && key < shot->key_count - 1;
    const char *member = posed ? NULL : "q";
    double digits = posed ? 1e-5 : 1e-9;
    for (int k = 0; dofs->free && k < shot->n; k++) {
        double x = shot->placed.x[k];
        if (dofs->number[k] >= 0 || !pose->held[k])
            continue;
        if (free_time && is_scripted(dofs, k / 3))
            return REFUSE(
                shot, key, member, LIL_ERR_INPUT,
                "a handle moves '%s', and the time of this key is free: leave that coordinate out of the key",
                shot->names[k]);
        if (fabs(pose->x[k] - x) <= digits * fmax(1, fabs(x)))
            continue;
        if (is_scripted(dofs, k / 3))
            return REFUSE(shot, key, member, LIL_ERR_INPUT,
                          "a handle puts '%s' at %.10g at t = %.10g, but this key puts it at %.10g: move the handle "
                          "there, or leave that coordinate out of the key",
                          shot->names[k], x, shot->placed.t, pose->x[k]);
        return REFUSE(shot, key, member, LIL_ERR_INPUT, "'%s' is fixed at %.10g, but this key puts it at %.10g",
                      shot->names[k], x, pose->x[k]);
    }
    return LIL_OK;
}

/* For a model without a world. */
static lil_status take_coordinates(const lil_shot *shot, const lil_key_def *def, int key, lil_key_pose *pose)
{
    bool any = false;
    if (def->pose_count || def->point_count)
        return REFUSE(shot, key, NULL, LIL_ERR_INPUT,
                      "poses and points need a world: the keys of this model have coordinates, 'q'");
    if (!def->q)
        return REFUSE(shot, key, NULL, LIL_ERR_INPUT, "'q' is missing here");
    for (int k = 0; k < shot->n; k++) {
        if (def->held && !def->held[k])
            continue;
        if (!isfinite(def->q[k]))
            return REFUSE(shot, key, "q", LIL_ERR_NOT_FINITE, "this key puts '%s' at %g", shot->names[k], def->q[k]);
        pose->x[k] = def->q[k];
        pose->held[k] = any = true;
    }
    return any ? LIL_OK : REFUSE(shot, key, "q", LIL_ERR_INPUT, "a key must set at least one coordinate");
}

static lil_status take_weight(const lil_shot *shot, const lil_key_def *def, int i)
{
    if (!(def->weight >= 0))
        return REFUSE(shot, i, "weight", LIL_ERR_INPUT, "the weight of a soft key must be positive, not %g",
                      def->weight);
    if (def->weight > 1e100)
        return REFUSE(shot, i, "weight", LIL_ERR_INPUT,
                      "the weight of a soft key must be at most 1e100, not %g: a key without a weight is hard",
                      def->weight);
    if (def->weight > 0 && def->v)
        return REFUSE(shot, i, "weight:", LIL_ERR_INPUT,
                      "a soft key cannot have a velocity: leave out 'weight' or 'velocity'");
    shot->keys[i].weight = def->weight;
    return LIL_OK;
}

/* A body with a pose of its tets has the weights of its surface at rest; for a pose of some vertices they are
 * unknown. */
static void carry_as_at_rest(const lil_body *body, const lil_key_pose *pose, const double **weights)
{
    bool whole = body->surface.vertex_count > 0;
    for (int k = 0; whole && k < 3 * body->mesh.vertex_count; k++)
        whole = pose->held[3 * body->first + k];
    if (whole && !*weights)
        *weights = body->embedding.weights[0];
}

static lil_status take_velocity(lil_shot *shot, const lil_key_def *def, int key, bool posed, double *v)
{
    if (!def->v)
        return LIL_OK;
    if (shot->keys[key].held)
        return REFUSE(shot, key, "v", LIL_ERR_INPUT, "a key that leaves coordinates free cannot have a velocity: %s",
                      posed ? "give the pose of everything" : "give 'q' as a list of all");
    for (int k = 0; k < shot->n; k++)
        if (!isfinite(v[k] = def->v[k]))
            return REFUSE(shot, key, "v", LIL_ERR_NOT_FINITE, "the velocity of '%s' is %g", shot->names[k], v[k]);
    lil_shot_select_free(shot->model, v);
    shot->keys[key].v = v;
    return LIL_OK;
}

static lil_status take_key(lil_shot *shot, const lil_key_def *def, int i)
{
    const lil_model *model = shot->model;
    lil_world *world = shot->world;
    int bodies = world ? world->count : 0;
    bool posed = world && (!def->q || def->recorded), all = true;
    bool free_time = shot->def.times == LIL_TIMES_FREE && i > 0 && i < shot->key_count - 1;
    double *v = LIL_NEW(&shot->arena, double, shot->n);
    lil_key_pose pose = { .x = LIL_NEW(&shot->arena, double, shot->n),
                          .held = LIL_NEW(&shot->arena, bool, shot->n),
                          .placed = shot->placed.x,
                          .weights = shot->weights + (size_t)i * (size_t)bodies,
                          .missed = NAN };
    lil_positions_run(&shot->placed, shot->at[i]);
    LIL_HAVE(shot->ctx, pose.x && v && pose.held);
    LIL_TRY(world ? lil_shot_take_poses(shot, def, i, &pose) : take_coordinates(shot, def, i, &pose));
    LIL_TRY(check_fixed(shot, i, &pose, posed));
    for (int b = 0; b < bodies; b++)
        carry_as_at_rest(&world->list[b], &pose, &pose.weights[b]);
    LIL_TRY(take_weight(shot, def, i));
    /* a soft key may be missed, and the state of a run is possible, even with penetration */
    if (world && def->weight == 0 && !def->recorded)
        LIL_TRY(lil_shot_put_place(shot->ctx, &shot->places, (lil_shot_place){ i, NULL, -1 },
                                   lil_world_check_key(world, free_time ? NAN : shot->at[i], pose.x, pose.held)));
    lil_shot_select_free(model, pose.x);
    for (int k = 0; k < model->n; k++) {
        pose.held[k] = pose.held[model->dofs.free ? model->dofs.free[k] : k];
        all = all && pose.held[k];
    }
    shot->keys[i].q = pose.x;
    shot->keys[i].held = all ? NULL : pose.held;
    shot->pose_error = fmax(shot->pose_error, pose.missed);
    return take_velocity(shot, def, i, posed, v);
}

lil_status lil_shot_take_keys(lil_shot *shot, const lil_shot_parts *parts)
{
    size_t count = (size_t)parts->key_count, bodies = shot->world ? (size_t)shot->world->count : 0;
    shot->key_count = parts->key_count;
    LIL_ALLOC(shot->ctx, &shot->arena, shot->at, count);
    LIL_ALLOC(shot->ctx, &shot->arena, shot->keys, count);
    LIL_ALLOC(shot->ctx, &shot->arena, shot->weights, count * bodies);
    shot->pose_error = NAN;
    if (parts->carried)
        memcpy(shot->weights, parts->carried, count * bodies * sizeof *shot->weights);
    LIL_TRY(lil_positions_create(shot->ctx, &shot->arena, &shot->model->dofs, &shot->placed));
    for (int i = 0; i < parts->key_count; i++) {
        shot->at[i] = parts->keys[i].t;
        shot->keys[i].frame = shot->key_frames[i];
        LIL_TRY(take_key(shot, &parts->keys[i], i));
    }
    return LIL_OK;
}
