/* fixed, handles, loads, springs: what a body is held, moved, pushed and pulled by. */
#include "scene/bodies.h"

#include "run/plan.h"
#include "scene/follow.h"
#include "scene/select.h"

#include <math.h>
#include <string.h>

/* A body needs a selection; for particles the default is all of them. */
#define SELECT(type) LIL_KEY("select", type, "")
static const lil_key handle_keys[] = {
    { SELECT("selection"), .required = LIL_REQUIRED },
    { LIL_KEY("move", "texts", "") },
    { LIL_KEY("turn", "texts", "") },
    { LIL_KEY("about", "vector", "") },
    { LIL_KEY("follow", "text | follow", "") },
    { LIL_KEY("until", "number", "") },
    { 0 },
};
static const lil_key particle_handle_keys[] = {
    { SELECT("particle_selection") },
    { LIL_KEY("move", "texts", "") },
    { LIL_KEY("turn", "texts", "") },
    { LIL_KEY("about", "vector", "") },
    { LIL_KEY("follow", "text | follow", "") },
    { LIL_KEY("until", "number", "") },
    { 0 },
};
static const lil_key pin_keys[] = {
    { SELECT("selection"), .required = LIL_REQUIRED },
    { LIL_KEY("until", "number", ""), .required = LIL_REQUIRED },
    { 0 },
};
static const lil_key particle_pin_keys[] = {
    { SELECT("particle_selection"), .required = LIL_REQUIRED },
    { LIL_KEY("until", "number", ""), .required = LIL_REQUIRED },
    { 0 },
};
static const lil_key load_keys[] = {
    { SELECT("selection"), .required = LIL_REQUIRED },
    { LIL_KEY("force", "texts", "") },
    { LIL_KEY("traction", "texts", "") },
    { LIL_KEY("pressure", "number", "") },
    { 0 },
};
static const lil_key particle_load_keys[] = {
    { SELECT("particle_selection") },
    { LIL_KEY("force", "texts", ""), .required = LIL_REQUIRED },
    { 0 },
};
const lil_mapping lil_handle_tables[] = {
    { .in = "a handle", .keys = handle_keys, .any_of = "move turn follow" },
    { .in = "a handle", .keys = particle_handle_keys, .any_of = "move turn follow" }
};
const lil_mapping lil_pin_tables[] = { { .in = "a pin that lets go", .keys = pin_keys },
                                       { .in = "a pin that lets go", .keys = particle_pin_keys } };
const lil_mapping lil_load_tables[] = { { .in = "a load", .keys = load_keys, .one_of = "force traction pressure" },
                                        { .in = "a load", .keys = particle_load_keys } };

static lil_status select_of(const lil_reader *rd, const lil_body *body, const lil_node *node, lil_group *selection)
{
    return lil_select(rd, node, &body->mesh, body->groups, body->group_count, selection);
}

/* The selection of a member of a map; without one, all particles. *node is the location for messages. */
static lil_status select_by(const lil_reader *rd, const lil_body *body, const lil_node *map, const char *key,
                            const lil_node **node, lil_group *selection)
{
    static const lil_node all = { .kind = LIL_NODE_SCALAR, .text = "all" };
    bool whole = body->particles && !lil_node_get(map, key);
    *node = map;
    if (!whole)
        LIL_TRY(lil_read_member(rd, map, key, node));
    return select_of(rd, body, whole ? &all : *node, selection);
}

/* ---- fixed and handles ---- */

/* The time at which what is pinned here lets go, if the map has one. */
static lil_status read_until(const lil_reader *rd, const lil_node *map, int index, const lil_group *selection,
                             lil_world *w)
{
    const lil_node *node = lil_node_get(map, "until");
    double *t, start = rd->settings ? rd->settings->time.start : -INFINITY;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "until", true, &t, &count));
    if (!(*t > start))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'until' must be after the start, %g s, not %g s: what is never pinned needs no pin",
                             start, *t);
    return lil_read_blame(rd, map, w,
                          lil_world_release(w, index, selection->vertices, selection->vertex_count, *t, node));
}

/* NULL: the handle does not have it. */
static lil_status read_motion(const lil_reader *rd, const lil_node *map, const char *key, bool places,
                              const lil_program **out)
{
    const lil_node *node = lil_node_get(map, key);
    lil_program *program;
    if (!node)
        return LIL_OK;
    LIL_ALLOC(rd->ctx, rd->arena, program, 1);
    *out = program;
    return lil_read_texts(rd, node, key, &(lil_texts_def){ .t = true, .xyz = places, .rates = true }, program);
}

static lil_status read_handle(const lil_reader *rd, const lil_node *node, int index, lil_world *w)
{
    const lil_node *on, *about = lil_node_get(node, "about");
    lil_group selection;
    lil_script script = { 0 };
    lil_samples *samples;
    LIL_TRY(lil_table_check(rd, node, &lil_handle_tables[w->list[index].particles], NULL));
    LIL_TRY(select_by(rd, &w->list[index], node, "select", &on, &selection));
    LIL_TRY(read_motion(rd, node, "move", true, &script.move));
    LIL_TRY(read_motion(rd, node, "turn", false, &script.turn.turn));
    LIL_TRY(lil_read_follow(rd, lil_node_get(node, "follow"), &samples));
    if (!script.move && !script.turn.turn && !samples)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "a handle needs 'move', 'turn' or 'follow'");
    if (about && !script.turn.turn)
        return lil_node_fail_key(rd->ctx, about,
                                 "'about' is the centre of a 'turn', which this handle does not have");
    lil_world_middle(w, index, selection.vertices, selection.vertex_count, script.turn.centre);
    LIL_TRY(lil_read_vector(rd, about, "about", script.turn.centre));
    if (samples)
        LIL_TRY(lil_read_blame(
            rd, node, w, lil_world_follow(w, index, selection.vertices, selection.vertex_count, samples, &script)));
    LIL_TRY(
        lil_read_blame(rd, node, w, lil_world_drive(w, index, selection.vertices, selection.vertex_count, &script)));
    return read_until(rd, node, index, &selection, w);
}

/* {select: top, until: 1}; other selections stay pinned. */
static bool is_pin(const lil_node *node)
{
    return node->kind == LIL_NODE_MAP && (lil_node_get(node, "until") || lil_node_get(node, "select"));
}

static lil_status read_pin(const lil_reader *rd, const lil_node *node, int index, lil_world *w)
{
    lil_group selection;
    bool lets_go = is_pin(node);
    if (lets_go)
        LIL_TRY(lil_table_check(rd, node, &lil_pin_tables[w->list[index].particles], NULL));
    LIL_TRY(select_of(rd, &w->list[index], lets_go ? lil_node_get(node, "select") : node, &selection));
    LIL_TRY(lil_world_hold(w, index, selection.vertices, selection.vertex_count));
    return lets_go ? read_until(rd, node, index, &selection, w) : LIL_OK;
}

/* One selection, or a list in which some let go. */
static lil_status read_fixed(const lil_reader *rd, const lil_node *node, int index, lil_world *w)
{
    bool pins = false;
    for (const lil_node *child = node->kind == LIL_NODE_LIST ? node->first : NULL; child; child = child->next)
        pins = pins || is_pin(child);
    if (!pins)
        return read_pin(rd, node, index, w);
    for (const lil_node *child = node->first; child; child = child->next)
        if (is_pin(child))
            LIL_TRY(read_pin(rd, child, index, w));
    for (const lil_node *child = node->first; child; child = child->next)
        if (!is_pin(child)) /* also of what a pin lets go of */
            LIL_TRY(read_pin(rd, child, index, w));
    return LIL_OK;
}

lil_status lil_read_body_handles(const lil_reader *rd, int index, lil_world *w)
{
    const lil_body *body = &w->list[index];
    const lil_node *fixed = lil_node_get(body->node, "fixed"), *handles = lil_node_get(body->node, "handles");
    if (fixed)
        LIL_TRY(read_fixed(rd, fixed, index, w));
    for (const lil_node *node = lil_first_of(handles); node; node = lil_next_of(handles, node))
        LIL_TRY(read_handle(rd, node, index, w));
    return LIL_OK;
}

/* ---- loads ---- */

/* One expression of t, with its rate. */
static lil_status read_pressure(const lil_reader *rd, const lil_node *node, lil_program *program)
{
    const lil_texts_def def = { .t = true, .rates = true };
    lil_scope scope;
    int wrong;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "pressure"));
    lil_source plain = lil_node_source(node, "pressure"), *source = lil_source_copy(rd->arena, &plain);
    LIL_HAVE(rd->ctx, source);
    LIL_TRY(lil_read_text_scope(rd, &def, &scope));
    return lil_read_hint(rd->ctx, node,
                         lil_texts_compile(rd->ctx, rd->arena, &scope,
                                           (const lil_source *const[3]){ source, source, source }, &def, program,
                                           &wrong));
}

static lil_status read_load(const lil_reader *rd, const lil_node *node, int index, lil_world *w)
{
    const lil_node *on, *force, *traction, *pressure;
    lil_group selection;
    lil_program program;
    LIL_TRY(lil_table_check(rd, node, &lil_load_tables[w->list[index].particles], NULL));
    LIL_TRY(select_by(rd, &w->list[index], node, "select", &on, &selection));
    force = lil_node_get(node, "force");
    traction = lil_node_get(node, "traction");
    pressure = lil_node_get(node, "pressure");
    if (!!force + !!traction + !!pressure != 1)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "a load needs a 'force' in N, a 'traction' in N/m^2 or a 'pressure' in Pa%s",
                             force || traction || pressure ? ", only one of them" : "");
    if (pressure) {
        LIL_TRY(read_pressure(rd, pressure, &program));
        return lil_read_blame(rd, node, w,
                              lil_world_press(w, index, selection.vertices, selection.vertex_count, &program));
    }
    LIL_TRY(lil_read_texts(rd, force ? force : traction, force ? "force" : "traction", &(lil_texts_def){ .t = true },
                           &program));
    return lil_read_blame(rd, node, w,
                          lil_world_load(w, index, selection.vertices, selection.vertex_count, traction, &program));
}

lil_status lil_read_body_loads(const lil_reader *rd, int index, lil_world *w)
{
    const lil_node *loads = lil_node_get(w->list[index].node, "loads");
    for (const lil_node *node = lil_first_of(loads); node; node = lil_next_of(loads, node))
        LIL_TRY(read_load(rd, node, index, w));
    return LIL_OK;
}

/* ---- springs ---- */

static const lil_key end_keys[] = {
    { LIL_KEY("body", "text", ""), .required = LIL_REQUIRED },
    { SELECT("selection"), .required = LIL_REQUIRED },
    { 0 },
};
const lil_mapping lil_end_table = { .in = "the end of a spring", .keys = end_keys };

static const lil_key spring_keys[] = {
    { LIL_KEY("from", "selection", "vertices that get one spring each: a selection"), .required = LIL_REQUIRED },
    { LIL_KEY("to", "end", "the other end: a point, a selection, or `{body: NAME, select: ...}`"),
      .required = LIL_REQUIRED },
    { 0 }
};
static const lil_key particle_spring_keys[] = {
    { LIL_KEY("from", "particle_selection", "particles that get one spring each: a selection (default: all)") },
    { LIL_KEY("to", "end", "the other end: a point, a selection, or `{body: NAME, select: ...}`"),
      .required = LIL_REQUIRED },
    { 0 }
};
const lil_mapping lil_spring_tables[] = {
    { .in = "a spring", .keys = spring_keys, LIL_FIELDS(lil_spring_fields) },
    { .in = "a spring", .keys = particle_spring_keys, LIL_FIELDS(lil_spring_fields) },
};
const lil_mapping lil_link_table = { .in = "a link", LIL_FIELDS(lil_spring_fields) };

static lil_status find_body(const lil_reader *rd, const lil_node *node, const lil_world *w, int *index)
{
    char hint[LIL_HINT_MAX];
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "body"));
    for (*index = 0; *index < w->count; ++*index)
        if (strcmp(w->list[*index].name, node->text) == 0)
            return LIL_OK;
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "there is no body '%.60s'%s", node->text,
                         lil_hint(lil_nearest(node->text, &w->list[0].name, w->count, sizeof *w->list), hint));
}

/* The other end: a point of space, or vertices of a body. */
static lil_status read_other_end(const lil_reader *rd, const lil_node *node, int index, const lil_world *w,
                                 lil_spring_end *end)
{
    const lil_node *of = node->kind == LIL_NODE_MAP ? lil_node_get(node, "body") : NULL, *what = node;
    lil_group selection;
    *end = (lil_spring_end){ .body = -1 };
    if (node->kind == LIL_NODE_LIST)
        return lil_read_vector(rd, node, "to", end->at);
    end->body = index;
    if (of) {
        LIL_TRY(lil_table_check(rd, node, &lil_end_table, NULL));
        what = lil_node_get(node, "select");
        LIL_TRY(find_body(rd, of, w, &end->body));
    }
    LIL_TRY(select_of(rd, &w->list[end->body], what, &selection));
    end->vertices = selection.vertices;
    end->count = selection.vertex_count;
    return LIL_OK;
}

static lil_status read_spring(const lil_reader *rd, const lil_node *node, int index, lil_world *w)
{
    const lil_node *from;
    lil_group selection;
    lil_spring_end end;
    lil_spring_config c;
    LIL_TRY(lil_read_table(rd, node, &lil_spring_tables[w->list[index].particles], &c));
    LIL_TRY(select_by(rd, &w->list[index], node, "from", &from, &selection));
    LIL_TRY(read_other_end(rd, lil_node_get(node, "to"), index, w, &end));
    const lil_spring_end start = { .body = index, .vertices = selection.vertices, .count = selection.vertex_count };
    return lil_read_blame(rd, node, w, lil_world_tie(w, &start, &end, &c));
}

lil_status lil_read_body_springs(const lil_reader *rd, int index, lil_world *w)
{
    const lil_node *springs = lil_node_get(w->list[index].node, "springs");
    for (const lil_node *node = lil_first_of(springs); node; node = lil_next_of(springs, node))
        LIL_TRY(read_spring(rd, node, index, w));
    return LIL_OK;
}
