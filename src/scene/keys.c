#include "scene/keys.h"

#include "core/field.h"
#include "scene/bodies.h"

#include <math.h>
#include <stdlib.h>

const lil_field lil_shot_fields[] = {
    { .name = "frames",
      .kind = LIL_INTEGER,
      .offset = offsetof(lil_shot_settings, frames),
      .preset = NAN,
      .least = 2,
      .most = 1e7,
      .unit = "",
      .doc = "intervals from the first key to the last, all of one length" },
    { .name = "smoothness",
      .kind = LIL_REAL,
      .offset = offsetof(lil_shot_settings, smoothness),
      .preset = 0,
      .least = 0,
      .most = 1e12,
      .unit = "s",
      .doc = "over which time changes of the ghost force cost as much as the force" },
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
    const char **names = LIL_NEW(rd->arena, const char *, lil_shot_field_count + st->method->field_count + 3);
    if (!st->config || !names)
        return lil_fail_memory(rd->ctx);
    int count = 0;
    names[count++] = "method";
    names[count++] = "cost";
    for (int i = 0; i < lil_shot_field_count; i++)
        names[count++] = lil_shot_fields[i].name;
    for (int i = 0; i < st->method->field_count; i++)
        names[count++] = st->method->fields[i].name;
    LIL_TRY(lil_node_check_keys(rd->ctx, node, names, "shot"));
    lil_fields_default(st->method->fields, st->method->field_count, st->config);
    LIL_TRY(lil_read_known_fields(rd, node, lil_shot_fields, lil_shot_field_count, st));
    return lil_read_known_fields(rd, node, st->method->fields, st->method->field_count, st->config);
}

/* ---- when the keys are ---- */

static lil_status read_times(const lil_reader *rd, lil_shot_settings *st)
{
    static const char *const members[] = { "at", "q", "velocity", NULL };
    int i = 0, one;
    for (const lil_node *key = st->node->first; key; key = key->next, i++) {
        const lil_node *at;
        double *t;
        LIL_TRY(lil_node_expect(rd->ctx, key, LIL_NODE_MAP, "a key"));
        LIL_TRY(lil_node_check_keys(rd->ctx, key, members, "a key"));
        LIL_TRY(lil_read_member(rd, key, "at", &at));
        LIL_TRY(lil_read_numbers(rd, at, "at", true, &t, &one));
        st->at[i] = *t;
        if (!isfinite(*t))
            return lil_node_fail(rd->ctx, at, LIL_ERR_INPUT, "a key cannot be at %g", *t);
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

/* Keys fall on frames. */
static lil_status place_keys(const lil_reader *rd, lil_shot_settings *st)
{
    double t0 = st->at[0], h = (st->at[st->count - 1] - t0) / st->frames;
    int i = 0;
    for (const lil_node *key = st->node->first; key; key = key->next, i++) {
        double place = (st->at[i] - t0) / h, nearest = round(place);
        const lil_node *at = lil_node_get(key, "at");
        if (fabs(place - nearest) > 1e-6)
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

/* What is fixed is where it is fixed. */
static lil_status check_fixed(const lil_reader *rd, const lil_node *q, const lil_system *sys, const double *x)
{
    const lil_dofs *dofs = &sys->model->dofs;
    for (int k = 0; dofs->free && k < sys->n; k++)
        if (dofs->number[k] < 0 && !is_scripted(dofs, k / 3) &&
            !(fabs(x[k] - dofs->held[k]) <= 1e-9 * fmax(1, fabs(dofs->held[k]))))
            return lil_node_fail(rd->ctx, q, LIL_ERR_INPUT, "'%s' is fixed at %.10g, but this key puts it at %.10g",
                                 sys->names[k], dofs->held[k], x[k]);
    return LIL_OK;
}

static lil_status read_key(const lil_reader *rd, const lil_node *node, const lil_system *sys, lil_shot_key *key)
{
    const lil_node *q, *velocity = lil_node_get(node, "velocity");
    double *x = LIL_NEW(rd->arena, double, sys->n), *v = LIL_NEW(rd->arena, double, sys->n);
    bool *held = LIL_NEW(rd->arena, bool, sys->n);
    if (!x || !v || !held)
        return lil_fail_memory(rd->ctx);
    LIL_TRY(lil_read_member(rd, node, "q", &q));
    if (q->kind == LIL_NODE_MAP && !sys->bodies) {
        LIL_TRY(read_named(rd, q, sys, x, held));
        key->held = held;
        if (velocity)
            return lil_node_fail(rd->ctx, velocity, LIL_ERR_INPUT,
                                 "a key that leaves coordinates free has no velocity: give 'q' as a list of all");
    } else {
        LIL_TRY(read_row(rd, q, "q", sys->n, x));
        LIL_TRY(check_fixed(rd, q, sys, x));
    }
    if (velocity) {
        LIL_TRY(read_row(rd, velocity, "velocity", sys->n, v));
        keep_free(sys->model, v);
        key->v = v;
    }
    keep_free(sys->model, x);
    key->q = x;
    return LIL_OK;
}

static lil_status check_system(const lil_reader *rd, const lil_system *sys, const lil_integrator *integrator,
                               const lil_node *node)
{
    for (int i = 0; sys->bodies && i < sys->bodies->count; i++)
        if (!sys->bodies->list[i].particles)
            return lil_node_fail_key(rd->ctx, node, "a shot is made of particles or a Lagrangian, not of bodies");
    if (strcmp(integrator->name, "midpoint") != 0 && strcmp(integrator->name, "stormer-verlet") != 0)
        return lil_node_fail_key(rd->ctx, node, "a shot needs the integrator midpoint or stormer-verlet, not %s",
                                 integrator->name);
    lil_status status = lil_shot_check(rd->ctx, sys->model);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

lil_status lil_read_keys(const lil_reader *rd, lil_system *sys, const lil_integrator *integrator,
                         lil_shot_settings *st)
{
    if (!st->node)
        return LIL_OK;
    LIL_TRY(check_system(rd, sys, integrator, st->node));
    if (st->cost)
        LIL_TRY(lil_read_running(rd, sys, st->cost, &st->running));
    int i = 0;
    for (const lil_node *node = st->node->first; node; node = node->next, i++)
        LIL_TRY(read_key(rd, node, sys, &st->keys[i]));
    for (int k = 0; k < sys->model->n; k++) {
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
    if (!keep_history(&st->history, st->shot, level, cost))
        st->history.failed = true;
    return !st->history.failed && (!st->watch || st->watch(st->user, level, iteration, cost));
}

lil_status lil_shot_run(lil_context *ctx, const lil_model *model, const lil_rule *rule, lil_shot_settings *st)
{
    lil_shot_def def = { .model = model,
                         .rule = *rule,
                         .frames = st->frames,
                         .t0 = st->at[0],
                         .t1 = st->at[st->count - 1],
                         .keys = st->keys,
                         .key_count = st->count,
                         .smoothness = st->smoothness,
                         .running = st->cost ? &st->running : NULL,
                         .watch = watch,
                         .user = st };
    LIL_TRY(lil_shot_create(ctx, &def, &st->shot));
    LIL_TRY(st->method->solve(st->shot, st->config));
    return st->history.failed ? lil_fail_memory(ctx) : LIL_OK;
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

double lil_shot_key_error(const lil_shot_settings *st)
{
    int n = st->shot->n;
    double most = 0;
    for (int i = 0; i < st->count; i++)
        for (int k = 0; k < n; k++)
            if (!st->keys[i].held || st->keys[i].held[k])
                most = fmax(most, fabs(st->shot->q[(size_t)st->keys[i].frame * n + k] - st->keys[i].q[k]));
    return most;
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
