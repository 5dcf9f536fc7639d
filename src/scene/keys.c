#include "scene/keys.h"

#include "core/field.h"
#include "scene/key_poses.h"
#include "scene/obstacles.h"

#include <math.h>
#include <stdlib.h>

static const char *const times_choices[] = { "fixed", "free", NULL };

const lil_field lil_shot_fields[] = {
    { .name = "frames",
      .kind = LIL_INTEGER,
      .offset = offsetof(lil_shot_settings, frames),
      .preset = NAN,
      .least = 2,
      .most = 1e7,
      .unit = "",
      .doc = "intervals from the first key to the last, all of one length; with free times all of one "
             "length between two keys" },
    { .name = "smoothness",
      .kind = LIL_REAL,
      .offset = offsetof(lil_shot_settings, smoothness),
      .preset = 0,
      .least = 0,
      .most = 1e12,
      .unit = "s",
      .doc = "over which time changes of the ghost force cost as much as the force" },
    { .name = "physicality",
      .kind = LIL_REAL,
      .offset = offsetof(lil_shot_settings, physicality),
      .preset = 1,
      .least = 0,
      .most = 1,
      .unit = "",
      .doc = "how much of the forces of nature counts: 1, all; 0, none, and the motion is a spline" },
    { .name = "times",
      .kind = LIL_CHOICE,
      .offset = offsetof(lil_shot_settings, times),
      .choices = times_choices,
      .unit = "",
      .doc = "of keys between the first and the last: fixed, or free to be where the ghost force is least" },
    { .name = "after",
      .kind = LIL_REAL,
      .offset = offsetof(lil_shot_settings, after),
      .preset = 0,
      .least = 0,
      .most = 1e12,
      .unit = "s",
      .doc = "how long the motion goes on after the last key, as a simulation" },
};
const int lil_shot_field_count = sizeof lil_shot_fields / sizeof lil_shot_fields[0];

/* ---- shot ---- */

static lil_status read_method(const lil_reader *rd, const lil_node *node, lil_shot_settings *st)
{
    const lil_node *name = lil_node_get(node, "method");
    if (name)
        LIL_TRY(lil_node_expect(rd->ctx, name, LIL_NODE_SCALAR, "method"));
    st->method = lil_shot_method_find(name ? name->text : "global");
    if (!st->method)
        return lil_node_fail(rd->ctx, name, LIL_ERR_INPUT, "unknown method '%.60s': there are global, local",
                             name->text);
    st->config = lil_arena_alloc(rd->arena, 1, st->method->config_size);
    const char **names = LIL_NEW(rd->arena, const char *, lil_shot_field_count + st->method->field_count + 4);
    if (!st->config || !names)
        return lil_fail_memory(rd->ctx);
    int count = 0;
    names[count++] = "method";
    names[count++] = "start";
    names[count++] = "cost";
    for (int i = 0; i < lil_shot_field_count; i++)
        names[count++] = lil_shot_fields[i].name;
    for (int i = 0; i < st->method->field_count; i++)
        names[count++] = st->method->fields[i].name;
    LIL_TRY(lil_node_check_keys(rd->ctx, node, names, "shot"));
    lil_fields_default(st->method->fields, st->method->field_count, st->config);
    st->physicality = 1;
    LIL_TRY(lil_read_known_fields(rd, node, lil_shot_fields, lil_shot_field_count, st));
    st->start = lil_node_get(node, "start");
    return lil_read_known_fields(rd, node, st->method->fields, st->method->field_count, st->config);
}

/* ---- when the keys are ---- */

static lil_status read_times(const lil_reader *rd, lil_shot_settings *st)
{
    int i = 0, one;
    for (const lil_node *key = st->node->first; key; key = key->next, i++) {
        const lil_node *at;
        double *t;
        LIL_TRY(lil_node_expect(rd->ctx, key, LIL_NODE_MAP, "a key"));
        LIL_TRY(lil_node_check_keys(rd->ctx, key, lil_key_members, "a key"));
        LIL_TRY(lil_read_member(rd, key, "at", &at));
        LIL_TRY(lil_read_numbers(rd, at, "at", true, &t, &one));
        st->at[i] = *t;
        if (!(fabs(*t) <= 1e12))
            return lil_node_fail(rd->ctx, at, LIL_ERR_INPUT, "the time of a key is at most 1e12 s, not %g", *t);
        if (i > 0 && st->at[i] == st->at[i - 1])
            return lil_node_fail(rd->ctx, at, LIL_ERR_INPUT,
                                 "two keys are at t = %.10g: only one can say where things are then", st->at[i]);
        if (i > 0 && st->at[i] < st->at[i - 1])
            return lil_node_fail(
                rd->ctx, at, LIL_ERR_INPUT,
                "this key is at t = %.10g, before the one above at %.10g: list keys in order of time", st->at[i],
                st->at[i - 1]);
    }
    return LIL_OK;
}

/* Keys fall on frames; those whose times are free start from the nearest. */
static lil_status place_keys(const lil_reader *rd, lil_shot_settings *st)
{
    double t0 = st->at[0], h = (st->at[st->count - 1] - t0) / st->frames;
    int i = 0;
    for (const lil_node *key = st->node->first; key; key = key->next, i++) {
        double place = (st->at[i] - t0) / h, nearest = round(place);
        const lil_node *at = lil_node_get(key, "at");
        if (fabs(place - nearest) > 1e-6 && !st->times)
            return lil_node_fail(rd->ctx, at, LIL_ERR_INPUT,
                                 "the key at t = %.10g is not on a frame: the nearest of %d is at %.10g", st->at[i],
                                 st->frames, t0 + nearest * h);
        st->keys[i].frame = st->key_frames[i] = (int)nearest;
        if (i > 0 && st->keys[i].frame <= st->keys[i - 1].frame + 1)
            return lil_node_fail(rd->ctx, at, LIL_ERR_INPUT,
                                 "there is no free frame between the keys at t = %.10g and %.10g: more 'frames' are "
                                 "needed than %d",
                                 st->at[i - 1], st->at[i], st->frames);
    }
    return LIL_OK;
}

lil_status lil_read_shot(const lil_reader *rd, const lil_node *root, lil_shot_settings *st)
{
    const lil_node *node = lil_node_get(root, "shot");
    st->node = lil_node_get(root, "keys");
    st->root = root;
    if (!st->node)
        return node ? lil_node_fail_key(rd->ctx, node, "a scene with a 'shot' needs 'keys'") : LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, st->node, LIL_NODE_LIST, "keys"));
    if (st->node->count < 2)
        return lil_node_fail(rd->ctx, st->node, LIL_ERR_INPUT, "a shot has at least two keys");
    if (!node)
        return lil_node_fail_key(rd->ctx, st->node, "a scene with 'keys' needs a 'shot': {frames: ...}");
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "shot"));
    if (!lil_node_get(node, "frames"))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "shot has no 'frames'");
    LIL_TRY(read_method(rd, node, st));
    st->cost = lil_node_get(node, "cost");
    if (st->cost && st->method != &lil_shot_global)
        return lil_node_fail_key(rd->ctx, st->cost, "a 'cost' needs the method 'global'");
    st->count = st->node->count;
    st->at = LIL_NEW(rd->arena, double, st->count);
    st->keys = LIL_NEW(rd->arena, lil_shot_key, st->count);
    st->key_frames = LIL_NEW(rd->arena, int, st->count);
    if (!st->at || !st->keys || !st->key_frames)
        return lil_fail_memory(rd->ctx);
    LIL_TRY(read_times(rd, st));
    if (st->times && st->count < 3)
        return lil_node_fail_key(rd->ctx, lil_node_get(node, "times"),
                                 "free times need a key between the first and the last, whose times stay");
    double steps = st->after / (st->at[st->count - 1] - st->at[0]) * st->frames;
    if (!(steps <= 1e8))
        return lil_node_fail(rd->ctx, lil_node_get(node, "after"), LIL_ERR_LIMIT,
                             "%.3g frames after the last key are too many", steps);
    st->steps_after = st->after > 0 ? (int)fmax(1, round(steps)) : 0;
    return place_keys(rd, st);
}

/* ---- what they hold ---- */

/* Numbers, and lists of numbers, in a row. */
static lil_status read_row(const lil_reader *rd, const lil_node *node, const char *what, int n, double *x)
{
    int at = 0, count;
    double *part;
    bool nested = node->kind == LIL_NODE_LIST && node->first && node->first->kind == LIL_NODE_LIST;
    for (const lil_node *child = nested ? node->first : node; child; child = nested ? child->next : NULL) {
        LIL_TRY(lil_read_numbers(rd, child, what, false, &part, &count));
        for (int i = 0; i < count && at + i < n; i++)
            x[at + i] = part[i];
        at += count;
    }
    if (at != n)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'%s' of a key has %d numbers, but there are %d coordinates", what, at, n);
    return LIL_OK;
}

/* q: {x: 1} holds x and leaves the others free */
static lil_status read_named(const lil_reader *rd, const lil_node *map, const lil_system *sys, double *x, bool *held)
{
    const char **names = LIL_NEW(rd->arena, const char *, sys->coordinate_count + 1);
    if (!names)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < sys->coordinate_count; i++)
        names[i] = sys->coordinates[i].name;
    if (!map->first)
        return lil_node_fail(rd->ctx, map, LIL_ERR_INPUT, "'q' is empty: a key holds at least one coordinate");
    LIL_TRY(lil_node_check_keys(rd->ctx, map, names, "q of a key"));
    for (int i = 0; i < sys->coordinate_count; i++) {
        const lil_coordinate *c = &sys->coordinates[i];
        const lil_node *node = lil_node_get(map, c->name);
        int length = c->length ? c->length : 1;
        if (!node)
            continue;
        LIL_TRY(read_row(rd, node, c->name, length, x + c->first));
        for (int k = 0; k < length; k++)
            held[c->first + k] = true;
    }
    return LIL_OK;
}

/* Of all coordinates those that are free to move. */
static void keep_free(const lil_model *model, double *x)
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

/* What is fixed is where it is fixed, what a handle moves is where it is at t: a file may have it to so many digits. */
static lil_status check_fixed(const lil_reader *rd, const lil_node *q, const lil_system *sys,
                              const lil_positions *all, const lil_key_pose *pose, bool free_time, double digits)
{
    const lil_dofs *dofs = &sys->model->dofs;
    for (int k = 0; dofs->free && k < sys->n; k++) {
        double x = all->x[k];
        if (dofs->number[k] >= 0 || !pose->held[k])
            continue;
        if (free_time && is_scripted(dofs, k / 3))
            return lil_node_fail(rd->ctx, q, LIL_ERR_INPUT,
                                 "a handle moves '%s', and the time of this key is free: leave it out of the key",
                                 sys->names[k]);
        if (fabs(pose->x[k] - x) <= digits * fmax(1, fabs(x)))
            continue;
        if (is_scripted(dofs, k / 3))
            return lil_node_fail(rd->ctx, q, LIL_ERR_INPUT,
                                 "a handle has '%s' at %.10g at t = %.10g, but this key puts it at %.10g: move the "
                                 "handle there, or leave it out of the key",
                                 sys->names[k], x, all->t, pose->x[k]);
        return lil_node_fail(rd->ctx, q, LIL_ERR_INPUT, "'%s' is fixed at %.10g, but this key puts it at %.10g",
                             sys->names[k], x, pose->x[k]);
    }
    return LIL_OK;
}

/* q: a list of all coordinates, or a map of some */
static lil_status read_coordinates(const lil_reader *rd, const lil_node *node, const lil_system *sys,
                                   lil_key_pose *pose)
{
    const lil_node *q, *velocity = lil_node_get(node, "velocity");
    LIL_TRY(lil_read_member(rd, node, "q", &q));
    for (const lil_node *other = node->first; other; other = other->next)
        if (strcmp(other->key, "pose") == 0 || strcmp(other->key, "points") == 0 || strcmp(other->key, "file") == 0 ||
            strcmp(other->key, "frame") == 0)
            return lil_node_fail_key(rd->ctx, other, "a key with 'q' has no '%s'", other->key);
    if (q->kind == LIL_NODE_MAP && !sys->bodies) {
        LIL_TRY(read_named(rd, q, sys, pose->x, pose->held));
    } else {
        LIL_TRY(read_row(rd, q, "q", sys->n, pose->x));
        for (int k = 0; k < sys->n; k++)
            pose->held[k] = true;
    }
    if (velocity)
        LIL_TRY(read_row(rd, velocity, "velocity", sys->n, pose->v));
    pose->moving = velocity != NULL;
    return LIL_OK;
}

static lil_status read_weight(const lil_reader *rd, const lil_node *node, lil_shot_key *key)
{
    const lil_node *weight = lil_node_get(node, "weight");
    double *x;
    int one;
    if (!weight)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, weight, "weight", true, &x, &one));
    if (!(*x > 0))
        return lil_node_fail(rd->ctx, weight, LIL_ERR_INPUT, "the weight of a soft key is positive, not %g", *x);
    if (*x > 1e100)
        return lil_node_fail(rd->ctx, weight, LIL_ERR_INPUT,
                             "the weight of a soft key is at most 1e100, not %g: without it the key is hard", *x);
    if (lil_node_get(node, "velocity"))
        return lil_node_fail_key(rd->ctx, weight, "a soft key has no velocity: leave out 'weight' or 'velocity'");
    key->weight = *x;
    return LIL_OK;
}

/* A body that is posed without its surface carries it as it does at rest; of one that is posed in part nobody knows. */
static void carry_as_at_rest(const lil_body *body, const lil_key_pose *pose, const double **weights)
{
    bool whole = body->surface.vertex_count > 0;
    for (int k = 0; whole && k < 3 * body->mesh.vertex_count; k++)
        whole = pose->held[3 * body->first + k];
    if (whole && !*weights)
        *weights = body->embedding.weights[0];
}

static lil_status read_key(const lil_reader *rd, const lil_node *node, const lil_system *sys, lil_shot_settings *st,
                           int i)
{
    const lil_model *model = sys->model;
    lil_shot_key *key = &st->keys[i];
    size_t bodies = sys->bodies ? (size_t)sys->bodies->count : 0;
    bool posed = sys->bodies && !lil_node_get(node, "q"), all = true;
    bool free_time = st->times && i > 0 && i < st->count - 1;
    lil_key_pose pose = { .x = LIL_NEW(rd->arena, double, sys->n),
                          .v = LIL_NEW(rd->arena, double, sys->n),
                          .held = LIL_NEW(rd->arena, bool, sys->n),
                          .placed = st->placed.x,
                          .weights = st->weights + (size_t)i * bodies,
                          .missed = NAN };
    lil_positions_run(&st->placed, st->at[i]);
    if (!pose.x || !pose.v || !pose.held)
        return lil_fail_memory(rd->ctx);
    LIL_TRY(posed ? lil_read_key_pose(rd, node, sys, &pose) : read_coordinates(rd, node, sys, &pose));
    LIL_TRY(check_fixed(rd, posed ? node : lil_node_get(node, "q"), sys, &st->placed, &pose, free_time,
                        posed ? 1e-5 : 1e-9));
    for (size_t b = 0; b < bodies; b++)
        carry_as_at_rest(&sys->bodies->list[b], &pose, &pose.weights[b]);
    LIL_TRY(read_weight(rd, node, key));
    /* a soft key may be missed, and where a run was things can be, also pressed into each other */
    if (sys->bodies && key->weight == 0 && !lil_node_get(node, "frame"))
        LIL_TRY(lil_check_key_contact(rd, node, sys->bodies, free_time ? NAN : st->at[i], pose.x, pose.held));
    keep_free(model, pose.x);
    keep_free(model, pose.v);
    for (int k = 0; k < model->n; k++) {
        pose.held[k] = pose.held[model->dofs.free ? model->dofs.free[k] : k];
        all = all && pose.held[k];
    }
    if (pose.moving && !all)
        return lil_node_fail(rd->ctx, lil_node_get(node, "velocity"), LIL_ERR_INPUT,
                             "a key that leaves coordinates free has no velocity: %s",
                             posed ? "give the pose of everything" : "give 'q' as a list of all");
    key->q = pose.x;
    key->held = all ? NULL : pose.held;
    key->v = pose.moving ? pose.v : NULL;
    st->pose_error = fmax(st->pose_error, pose.missed);
    return LIL_OK;
}

/* The first of the scene's own keys that is there, or the system. */
static const lil_node *one_of(const lil_node *root, const lil_node *otherwise, const char *a, const char *b)
{
    const lil_node *node = lil_node_get(root, a);
    node = node ? node : lil_node_get(root, b);
    return node ? node : otherwise;
}

static bool has_solids(const lil_system *sys)
{
    for (int i = 0; sys->bodies && i < sys->bodies->count; i++)
        if (!sys->bodies->list[i].particles)
            return true;
    return false;
}

static lil_status check_system(const lil_reader *rd, const lil_system *sys, const lil_integrator *integrator,
                               const lil_node *root)
{
    const lil_model *model = sys->model;
    bool bodies = has_solids(sys);
    if (strcmp(integrator->name, "midpoint") != 0 && (bodies || strcmp(integrator->name, "stormer-verlet") != 0))
        return lil_node_fail(rd->ctx, one_of(root, sys->node, "integrator", "keys"), LIL_ERR_INPUT,
                             "a shot%s needs the integrator midpoint%s, not %s", bodies ? " of bodies" : "",
                             bodies ? "" : " or stormer-verlet", integrator->name);
    lil_status status = lil_shot_check(rd->ctx, model);
    if (status == LIL_OK)
        return LIL_OK;
    const lil_node *node = model->constraint_count ? one_of(root, sys->node, "constraints", "constraints")
                           : model->has_friction && !model->has_step && !model->has_impulse
                               ? one_of(root, sys->node, "contact", "obstacles")
                               : sys->node;
    return lil_read_fail_at(rd, node, status);
}

/* What only the method `global` knows. */
static lil_status check_method(const lil_reader *rd, const lil_shot_settings *st)
{
    bool bodies = st->by_mass, soft = false;
    for (int i = 0; i < st->count; i++)
        soft = soft || st->keys[i].weight > 0;
    const char *what = bodies                ? "a shot of bodies"
                       : soft                ? "a soft key"
                       : st->times           ? "a shot whose times are free"
                       : st->physicality < 1 ? "a 'physicality' below 1"
                       : st->start           ? "a shot with a 'start'"
                                             : NULL;
    return what && strcmp(st->method->name, "global") != 0
               ? lil_node_fail(rd->ctx, lil_node_get(lil_node_get(st->root, "shot"), "method"), LIL_ERR_INPUT,
                               "%s needs the method global, not %s", what, st->method->name)
               : LIL_OK;
}

/* shot.start: the frames of another run of the same things. */
static lil_status read_start(const lil_reader *rd, const lil_system *sys, lil_shot_settings *st)
{
    size_t n = (size_t)sys->n, free = (size_t)sys->model->n, frames = (size_t)st->frames + 1;
    double *t = LIL_NEW(rd->arena, double, frames), t0 = st->at[0], t1 = st->at[st->count - 1];
    if (!st->start)
        return LIL_OK;
    st->start_frames = LIL_NEW(rd->arena, double, frames *n);
    if (!t || !st->start_frames)
        return lil_fail_memory(rd->ctx);
    for (size_t k = 0; k < frames; k++)
        t[k] = t0 + (t1 - t0) * (double)k / st->frames;
    LIL_TRY(lil_read_frames(rd, st->start, sys, t, (int)frames, st->start_frames));
    for (size_t k = 0; k < frames; k++) {
        keep_free(sys->model, st->start_frames + k * n);
        memmove(st->start_frames + k * free, st->start_frames + k * n, free * sizeof(double));
    }
    return LIL_OK;
}

lil_status lil_read_keys(const lil_reader *rd, lil_system *sys, const lil_integrator *integrator,
                         lil_shot_settings *st)
{
    if (!st->node)
        return LIL_OK;
    LIL_TRY(check_system(rd, sys, integrator, st->root));
    if (st->cost)
        LIL_TRY(lil_read_running(rd, sys, st->cost, &st->running));
    int i = 0;
    st->pose_error = NAN;
    st->weights =
        LIL_NEW(rd->arena, const double *, (size_t)st->count *(size_t)(sys->bodies ? sys->bodies->count : 0));
    if (!st->weights)
        return lil_fail_memory(rd->ctx);
    LIL_TRY(lil_positions_create(rd->ctx, rd->arena, &sys->model->dofs, &st->placed));
    for (const lil_node *node = st->node->first; node; node = node->next, i++)
        LIL_TRY(read_key(rd, node, sys, st, i));
    st->by_mass = has_solids(sys);
    LIL_TRY(check_method(rd, st));
    LIL_TRY(read_start(rd, sys, st));
    LIL_TRY(lil_complete_keys(rd, sys, st));
    bool begins =
        st->keys[0].weight == 0 && !(st->keys[0].held && sys->bodies); /* part of a body alone would tear it */
    for (int k = 0; begins && k < sys->model->n; k++) {
        if (!st->keys[0].held || st->keys[0].held[k])
            sys->q[k] = st->keys[0].q[k];
        sys->v[k] = st->keys[0].v ? st->keys[0].v[k] : 0;
    }
    return LIL_OK;
}

/* ---- solved ---- */

enum { STEPS_MOST = 1 << 20 }; /* numbers of all iterations' frames that are kept */

/* *array, of elements of `each` bytes, gets room for `count`. */
static bool grow(void *array, size_t count, size_t each)
{
    void *grown, *old;
    memcpy(&old, array, sizeof old);
    grown = realloc(old, count * each);
    if (grown)
        memcpy(array, &grown, sizeof grown);
    return grown != NULL;
}

static void copy_frames(lil_shot *shot, double *to)
{
    int all = shot->def.model->dofs.total;
    for (int k = 0; k <= shot->N; k++)
        memcpy(to + (size_t)k * all, lil_positions_of(&shot->ev.full, shot->t[k], shot->q + (size_t)k * shot->n),
               (size_t)all * sizeof *to);
}

static bool keep_step(lil_shot_history *h, lil_shot *shot, size_t numbers)
{
    size_t before = (size_t)(h->count - 1) * numbers;
    if (before + numbers > STEPS_MOST || (h->count > 1 && !h->steps)) {
        free(h->steps);
        h->steps = NULL;
        return true;
    }
    if (before + numbers > h->steps_room) {
        h->steps_room = 2 * (before + numbers);
        if (!grow(&h->steps, h->steps_room, sizeof *h->steps))
            return false;
    }
    copy_frames(shot, h->steps + before);
    return true;
}

static bool keep_history(lil_shot_history *h, lil_shot *shot, int level, double cost)
{
    size_t numbers = ((size_t)shot->N + 1) * (size_t)shot->def.model->dofs.total;
    if (h->count == h->room) {
        int room = h->room ? 2 * h->room : 64;
        if (!grow(&h->cost, (size_t)room, sizeof *h->cost) || !grow(&h->level, (size_t)room, sizeof *h->level))
            return false;
        h->room = room;
    }
    h->cost[h->count] = cost;
    h->level[h->count++] = level;
    while (h->level_count <= level) {
        size_t count = (size_t)h->level_count + 1;
        if (!grow(&h->frames, count, sizeof *h->frames) || !grow(&h->strides, count, sizeof *h->strides) ||
            !(h->frames[h->level_count] = malloc(numbers * sizeof(double))))
            return false;
        h->level_count++;
    }
    h->strides[level] = shot->stride;
    copy_frames(shot, h->frames[level]);
    return keep_step(h, shot, numbers);
}

static bool watch(void *user, int level, int iteration, double cost)
{
    lil_shot_settings *st = user;
    if (level >= 0 && !keep_history(&st->history, st->shot, level, cost))
        st->history.failed = true;
    return !st->history.failed && (!st->watch || st->watch(st->user, level, iteration, cost));
}

static bool begin_only(void *user, int level, int iteration, double cost)
{
    const lil_shot_settings *st = user;
    return level < 0 && (!st->watch || st->watch(st->user, level, iteration, cost));
}

static lil_shot_def define(const lil_model *model, const lil_rule *rule, lil_shot_settings *st)
{
    return (lil_shot_def){ .model = model,
                           .rule = *rule,
                           .frames = st->frames,
                           .t0 = st->at[0],
                           .t1 = st->at[st->count - 1],
                           .keys = st->keys,
                           .key_count = st->count,
                           .smoothness = st->smoothness,
                           .left_out = 1 - st->physicality,
                           .by_mass = st->by_mass,
                           .free_times = st->times,
                           .running = st->cost ? &st->running : NULL,
                           .watch = watch,
                           .user = st };
}

lil_status lil_shot_begin(lil_context *ctx, const lil_model *model, const lil_rule *rule, lil_shot_settings *st,
                          lil_shot **shot)
{
    lil_shot_def def = define(model, rule, st);
    return lil_shot_create(ctx, &def, shot);
}

/* st->start_frames: those that the shot through whole poses begins with */
static lil_status begin_whole(lil_context *ctx, lil_shot_def def, lil_shot_settings *st, lil_shot **begun)
{
    def.keys = st->whole;
    def.free_times = false;
    def.watch = begin_only;
    LIL_TRY(lil_shot_create(ctx, &def, begun));
    LIL_TRY(lil_shot_solve(*begun, st->method, st->config));
    st->start_frames = (*begun)->q;
    return LIL_OK;
}

static lil_status solve(lil_shot *shot, const lil_shot_settings *st)
{
    for (size_t i = 0; st->start_frames && i < ((size_t)shot->N + 1) * (size_t)shot->n; i++)
        if (!shot->held[i])
            shot->q[i] = st->start_frames[i];
    shot->warm = st->start_frames != NULL;
    return lil_shot_solve(shot, st->method, st->config);
}

/* What a hard key, or a soft one, is missed by, at most; NaN: there is none. */
static double key_error(const lil_shot_settings *st, bool soft)
{
    int n = st->shot->n;
    double most = NAN;
    for (int i = 0; i < st->count; i++)
        for (int k = 0; k < n && (st->keys[i].weight > 0) == soft; k++)
            if (!st->keys[i].held || st->keys[i].held[k])
                most = fmax(most, fabs(st->shot->q[(size_t)st->keys[i].frame * n + k] - st->keys[i].q[k]));
    return most;
}

/* Where free times came to. Pieces between keys are at least 2 % of the shot (keyframes/times.c), which they come near but do not reach. */
static void take_times(lil_context *ctx, lil_shot_settings *st)
{
    const double LIMIT = 0.0202 * (st->at[st->count - 1] - st->at[0]);
    const lil_node *key = st->node->first;
    for (int i = 0; i < st->count; i++)
        st->at[i] = st->shot->t[st->keys[i].frame];
    for (int i = 0; st->times && i < st->count - 1; i++, key = key->next) {
        if (st->at[i + 1] - st->at[i] > LIMIT)
            continue;
        const lil_node *one = i > 0 ? key : key->next; /* the first does not move */
        lil_warn(
            ctx,
            "%.200s:%d:%d: the free time of this key came to t = %.6g, as near to the %s key as it may be, 2 %% of "
            "the shot: without that limit the cost would be lower",
            one->file, one->line, one->column, st->at[i > 0 ? i : 1], i > 0 ? "next" : "first");
    }
}

/* Forces are finite, and what is added to them is not. */
static bool fails_by_cost(const lil_shot *shot)
{
    return shot->running && isfinite(shot->now.C_force) && !isfinite(shot->now.C);
}

lil_status lil_shot_run(lil_context *ctx, const lil_model *model, const lil_rule *rule, lil_shot_settings *st)
{
    lil_shot *begun = NULL;
    LIL_TRY(lil_shot_begin(ctx, model, rule, st, &st->shot));
    lil_status status = st->whole ? begin_whole(ctx, define(model, rule, st), st, &begun) : LIL_OK;
    if (status == LIL_OK)
        status = solve(st->shot, st);
    st->fails_by_cost = status != LIL_OK && (fails_by_cost(st->shot) || (begun && fails_by_cost(begun)));
    if (st->fails_by_cost)
        status = lil_fail(ctx, LIL_ERR_INPUT, "this cost is not finite on the way from key to key");
    lil_shot_destroy(&begun);
    if (status == LIL_OK)
        take_times(ctx, st);
    if (status == LIL_OK)
        st->result = (lil_shot_result){ .cost = st->shot->now.C,
                                        .key_error_max = key_error(st, false),
                                        .soft_error_max = key_error(st, true),
                                        .pose_error_max = st->pose_error,
                                        .ghost_force_max = lil_shot_force_most(st->shot),
                                        .ghost_share = lil_shot_force_share(st->shot),
                                        .residual = st->shot->residual,
                                        .iterations = st->shot->iterations,
                                        .converged = st->shot->converged,
                                        .key_count = st->count,
                                        .key_times = st->at,
                                        .free_times = st->times };
    return status == LIL_OK && st->history.failed ? lil_fail_memory(ctx) : status;
}

const lil_node *lil_shot_blame(const lil_shot_settings *st, lil_status status)
{
    if (status == LIL_ERR_LIMIT)
        return lil_node_get(lil_node_get(st->root, "shot"), "frames");
    return st->fails_by_cost ? st->cost : st->node;
}

void lil_shot_settings_destroy(lil_shot_settings *st)
{
    for (int i = 0; i < st->history.level_count; i++)
        free(st->history.frames[i]);
    free(st->history.frames);
    free(st->history.strides);
    free(st->history.steps);
    free(st->history.cost);
    free(st->history.level);
    lil_shot_destroy(&st->shot);
    if (st->running.table)
        st->running.table->destroy(st->running.data);
}

void lil_shot_frame_force(const lil_shot *shot, int k, double *phi)
{
    int n = shot->n, rows[2] = { k > 0 ? shot->right[k - 1] : -1, k < shot->N ? shot->left[k] : -1 };
    double w = 0;
    memset(phi, 0, (size_t)n * sizeof *phi);
    for (int side = rows[0] == rows[1]; side < 2; side++) {
        if (rows[side] < 0)
            continue;
        w += shot->w[rows[side]];
        for (int i = 0; i < n; i++)
            phi[i] += shot->now.f[(size_t)rows[side] * n + i];
    }
    for (int i = 0; w > 0 && i < n; i++)
        phi[i] /= w;
}
