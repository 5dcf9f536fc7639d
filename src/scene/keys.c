#include "scene/keys.h"

#include "core/field.h"
#include "keyframes/problem.h"
#include "scene/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool shot_method_at(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    const lil_shot_method *m = lil_shot_method_at(i);
    if (m)
        *v = (lil_variant){ m->name, m->summary, NULL, NULL, m->citation, m->fields, m->field_count, false, true };
    return m;
}

static const lil_key key_keys[] = {
    { LIL_KEY("at", "number", ""), .required = LIL_REQUIRED },
    { LIL_KEY("q", "rows | {numbers}", "") },
    { LIL_KEY("velocity", "rows | {numbers}", "") },
    { LIL_KEY("pose", "pose | {pose}", "") },
    { LIL_KEY("points", "{texts | point}", "") },
    { LIL_KEY("file", "text", "") },
    { LIL_KEY("frame", "frame", "") },
    { LIL_KEY("weight", "number", "") },
    { 0 },
};
const lil_mapping lil_key_table = { .in = "a key", .keys = key_keys, .any_of = "q pose points file frame" };

static const char *const times_choices[] = { "fixed", "free", NULL };

static const lil_field shot_fields[] = {
    LIL_FIELD(lil_shot_settings, LIL_INTEGER, "frames", def.frames, NAN, 2, 1e7, "",
              "number of equal intervals from the first key to the last; with free times they are equal only between "
              "neighbouring keys"),
    LIL_FIELD(lil_shot_settings, LIL_REAL, "smoothness", def.smoothness, 0, 0, 1e12, "s",
              "time scale on which changes of the ghost force cost as much as the force itself"),
    LIL_FIELD(lil_shot_settings, LIL_REAL, "physicality", def.physicality, 1, 0, 1, "",
              "factor on all natural forces. With 0 there are none, and the motion is a spline"),
    LIL_FIELD_CHOICE(
        lil_shot_settings, "times", def.times, 0, times_choices,
        "times of the keys between the first and the last. fixed: as given. free: chosen so that the ghost force is "
        "smallest"),
    LIL_FIELD_REAL(lil_shot_settings, after, 0, 0, 1e12, "s", "duration of a simulation after the last key"),
};
static const lil_key shot_keys[] = {
    { LIL_KEY("cost", "number", "with the method `global`: an expression that is minimised too (default: 0)"),
      .only = "global" },
    { LIL_KEY("start", "text",
              "with the method `global`: the file of an earlier run of the same "
              "bodies; the solver starts from its frames (default: none)"),
      .only = "global" },
    { 0 }
};
const lil_mapping lil_shot_table = {
    .in = "shot", .keys = shot_keys, LIL_FIELDS(shot_fields), .choice = "method", .variant = shot_method_at
};

/* ---- locations ---- */

/* The first of the scene's own keys that is there, or the system. */
static const lil_node *one_of(const lil_shot_settings *st, const char *a, const char *b)
{
    const lil_node *node = lil_node_get(st->root, a);
    node = node ? node : lil_node_get(st->root, b);
    return node ? node : st->system;
}

static const lil_node *find_in_key(const lil_key_text *text, lil_shot_place at, const char *member)
{
    static const char *const names[][2] = {
        { "t", "at" }, { "v", "velocity" }, { "q", "q" }, { "weight", "weight" }
    };
    if (strcmp(member, "poses") == 0)
        return text->poses[at.index];
    if (strcmp(member, "surface") == 0)
        return text->surfaces[at.index];
    if (strcmp(member, "points") == 0)
        return text->points[at.index];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(member, names[i][0]) == 0)
            return lil_node_get(text->node, names[i][1]);
    return NULL;
}

static const lil_node *find_in_shot(const lil_shot_settings *st, const char *member)
{
    const lil_node *shot = lil_node_get(st->root, "shot"), *node = lil_node_get(shot, member);
    if (strcmp(member, "integrator") == 0)
        return one_of(st, "integrator", "keys");
    if (strcmp(member, "constraints") == 0)
        return one_of(st, "constraints", "constraints");
    if (strcmp(member, "contact") == 0)
        return one_of(st, "contact", "obstacles");
    if (strcmp(member, "model") == 0)
        return st->system;
    return strcmp(member, "keys") == 0 ? st->node : node ? node : shot;
}

/* A colon after a member: the location of its key. */
static void find_place(void *user, lil_shot_place at, char *text, size_t size)
{
    const lil_shot_settings *st = user;
    char member[32];
    size_t length = at.member ? strcspn(at.member, ":") : 0;
    snprintf(member, sizeof member, "%.*s", (int)length, at.member ? at.member : "");
    const lil_node *node = at.key < 0 ? find_in_shot(st, member) : find_in_key(&st->texts[at.key], at, member);
    bool key = node && at.member && at.member[length];
    node = node ? node : st->texts[at.key].node;
    int line = key ? node->key_line : node->line, column = key ? node->key_column : node->column;
    if (line > 0)
        snprintf(text, size, "%.200s:%d:%d: ", node->file, line, column);
    else
        snprintf(text, size, "%.200s: ", node->file);
}

static lil_shot_places places_of(lil_shot_settings *st)
{
    return (lil_shot_places){ find_place, st };
}

/* ---- shot ---- */

static lil_status read_method(const lil_reader *rd, const lil_node *node, lil_shot_settings *st)
{
    lil_variant own;
    LIL_TRY(lil_read_variant(rd, lil_node_get(node, "method"), &lil_shot_table, "global", &own));
    st->method = lil_shot_method_find(own.name);
    st->config = lil_arena_alloc(rd->arena, 1, st->method->config_size);
    LIL_HAVE(rd->ctx, st->config);
    if (st->method != &lil_shot_global && lil_node_get(node, "cost"))
        return lil_node_fail_key(rd->ctx, lil_node_get(node, "cost"), "a 'cost' needs the method 'global'");
    LIL_TRY(lil_table_check(rd, node, &lil_shot_table, &own));
    lil_fields_default(st->method->fields, st->method->field_count, st->config);
    st->def.physicality = 1;
    LIL_TRY(lil_read_known_fields(rd, node, shot_fields, lil_shot_table.field_count, st));
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
        LIL_TRY(lil_table_check(rd, key, &lil_key_table, NULL));
        at = lil_node_get(key, "at");
        LIL_TRY(lil_read_numbers(rd, at, "at", true, &t, &one));
        st->texts[i].node = key;
        st->keys[i] = lil_key_def_default();
        st->keys[i].t = *t;
    }
    return LIL_OK;
}

lil_status lil_read_shot(const lil_reader *rd, const lil_node *root, lil_shot_settings *st)
{
    const lil_node *node = lil_node_get(root, "shot");
    st->node = lil_node_get(root, "keys");
    st->root = root;
    st->def = lil_shot_def_default();
    if (!st->node)
        return node ? lil_node_fail_key(rd->ctx, node, "a scene with a 'shot' needs 'keys'") : LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, st->node, LIL_NODE_LIST, "keys"));
    if (st->node->count < 2)
        return lil_node_fail(rd->ctx, st->node, LIL_ERR_INPUT, "a shot needs at least two keys");
    if (!node)
        return lil_node_fail_key(rd->ctx, st->node, "a scene with 'keys' needs a 'shot': {frames: ...}");
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "shot"));
    if (!lil_node_get(node, "frames"))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "shot has no 'frames'");
    LIL_TRY(read_method(rd, node, st));
    st->cost = lil_node_get(node, "cost");
    st->count = st->node->count;
    LIL_ALLOC(rd->ctx, rd->arena, st->keys, st->count);
    LIL_ALLOC(rd->ctx, rd->arena, st->texts, st->count);
    LIL_TRY(read_times(rd, st));
    lil_shot_places places = places_of(st);
    LIL_TRY(lil_shot_check_def(rd->ctx, &places, &st->def, st->keys, st->count, NULL));
    double steps = st->after / (st->keys[st->count - 1].t - st->keys[0].t) * st->def.frames;
    if (!(steps <= 1e8))
        return lil_node_fail(rd->ctx, lil_node_get(node, "after"), LIL_ERR_LIMIT,
                             "%.3g frames after the last key are too many", steps);
    st->steps_after = st->after > 0 ? (int)fmax(1, round(steps)) : 0;
    return LIL_OK;
}

/* ---- their coordinates ---- */

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
    const char **names;
    LIL_ALLOC(rd->ctx, rd->arena, names, sys->coordinate_count + 1);
    for (int i = 0; i < sys->coordinate_count; i++)
        names[i] = sys->coordinates[i].name;
    if (!map->first)
        return lil_node_fail(rd->ctx, map, LIL_ERR_INPUT, "'q' is empty: a key must set at least one coordinate");
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

/* q: a list of all coordinates, or a map of some */
static lil_status read_coordinates(const lil_reader *rd, const lil_node *node, const lil_system *sys,
                                   lil_key_def *def)
{
    const lil_node *q, *velocity = lil_node_get(node, "velocity");
    double *x = LIL_NEW(rd->arena, double, sys->n), *v = LIL_NEW(rd->arena, double, sys->n);
    bool *held = LIL_NEW(rd->arena, bool, sys->n);
    LIL_HAVE(rd->ctx, x && v && held);
    LIL_TRY(lil_read_member(rd, node, "q", &q));
    for (const lil_node *other = node->first; other; other = other->next)
        if (strcmp(other->key, "pose") == 0 || strcmp(other->key, "points") == 0 || strcmp(other->key, "file") == 0 ||
            strcmp(other->key, "frame") == 0)
            return lil_node_fail_key(rd->ctx, other, "a key with 'q' cannot have '%s'", other->key);
    bool some = q->kind == LIL_NODE_MAP && !sys->bodies;
    LIL_TRY(some ? read_named(rd, q, sys, x, held) : read_row(rd, q, "q", sys->n, x));
    if (velocity)
        LIL_TRY(read_row(rd, velocity, "velocity", sys->n, v));
    def->q = x;
    def->held = some ? held : NULL;
    def->v = velocity ? v : NULL;
    return LIL_OK;
}

static lil_status read_weight(const lil_reader *rd, const lil_node *node, lil_key_def *def)
{
    const lil_node *weight = lil_node_get(node, "weight");
    double *x;
    int one;
    if (!weight)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, weight, "weight", true, &x, &one));
    if (!(*x > 0))
        return lil_node_fail(rd->ctx, weight, LIL_ERR_INPUT, "the weight of a soft key must be positive, not %g", *x);
    def->weight = *x;
    return LIL_OK;
}

static lil_status read_key(const lil_reader *rd, const lil_system *sys, lil_key_text *text, lil_key_def *def)
{
    bool posed = sys->bodies && !lil_node_get(text->node, "q");
    LIL_TRY(posed ? lil_read_key_pose(rd, sys, text, def) : read_coordinates(rd, text->node, sys, def));
    return read_weight(rd, text->node, def);
}

/* shot.start: the frames of another run of the same things. */
static lil_status read_start(const lil_reader *rd, const lil_system *sys, lil_shot_settings *st)
{
    size_t frames = (size_t)st->def.frames + 1;
    double t0 = st->keys[0].t, t1 = st->keys[st->count - 1].t;
    if (!st->start)
        return LIL_OK;
    double *t = LIL_NEW(rd->arena, double, frames), *start = LIL_NEW(rd->arena, double, frames *(size_t)sys->n);
    LIL_HAVE(rd->ctx, t && start);
    for (size_t k = 0; k < frames; k++)
        t[k] = t0 + (t1 - t0) * (double)k / st->def.frames;
    st->def.start = start;
    return lil_read_frames(rd, st->start, sys, t, (int)frames, start);
}

/* The system starts where the first key says. */
static void start_at_key(const lil_shot_key *key, lil_system *sys)
{
    bool begins = key->weight == 0 && !(key->held && sys->bodies); /* part of a body alone would tear it */
    for (int k = 0; begins && k < sys->model->n; k++) {
        if (!key->held || key->held[k])
            sys->q[k] = key->q[k];
        sys->v[k] = key->v ? key->v[k] : 0;
    }
}

lil_status lil_read_keys(const lil_reader *rd, lil_system *sys, lil_shot_settings *st)
{
    if (!st->node)
        return LIL_OK;
    size_t bodies = sys->bodies ? (size_t)sys->bodies->count : 0;
    const double **carried;
    LIL_ALLOC(rd->ctx, rd->arena, carried, (size_t)st->count * bodies);
    st->system = sys->node;
    if (st->cost)
        LIL_TRY(lil_read_running_cost(rd, sys, st->cost, st->running));
    for (int i = 0; i < st->count; i++) {
        st->texts[i].carried = carried + (size_t)i * bodies;
        LIL_TRY(read_key(rd, sys, &st->texts[i], &st->keys[i]));
    }
    LIL_TRY(read_start(rd, sys, st));
    const lil_shot_parts parts = { .model = sys->model,
                                   .world = sys->bodies,
                                   .keys = st->keys,
                                   .key_count = st->count,
                                   .def = &st->def,
                                   .integrator = rd->settings->method,
                                   .integrator_config = rd->settings->config,
                                   .method = st->method,
                                   .config = st->config,
                                   .running = st->cost ? st->running : NULL,
                                   .carried = carried,
                                   .places = places_of(st) };
    LIL_TRY(lil_shot_make(rd->ctx, &parts, &st->shot));
    start_at_key(&st->shot->keys[0], sys);
    return LIL_OK;
}
