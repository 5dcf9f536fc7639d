/* constraints of points in space: particles and vertices of bodies. */
#include "constraints/text.h"
#include "core/field.h"
#include "scene/bodies.h"
#include "scene/constraints.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const lil_reader *rd;
    const lil_node *node, *on; /* the constraint's map, and the value of its kind */
    const lil_bond_kind *kind;
    lil_world *bs;
    lil_bond bond;
} entry;

/* ---- which points ---- */

static lil_status fail_unknown(const entry *e, const lil_node *node)
{
    const lil_world *bs = e->bs;
    char hint[LIL_HINT_MAX], word[80];
    strncpy(word, node->text, sizeof word - 1);
    word[sizeof word - 1] = 0;
    const char *near = lil_nearest(word, &bs->marks[0].name, bs->mark_count, sizeof *bs->marks);
    if (!near && strchr(word, '.')) { /* of rpoe.19 the number is not what is wrong */
        *strchr(word, '.') = 0;
        near = lil_nearest(word, &bs->marks[0].name, bs->mark_count, sizeof *bs->marks);
    }
    return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT, "there is no particle, body or group '%.60s'%s", node->text,
                         lil_hint(near, hint));
}

/* NAME.19, or NAME.last with a group's name */
static lil_status find_part(const entry *e, const lil_node *node, const lil_body *body, const char *part,
                            const int **vertices, int *count)
{
    int total = body->group_count + body->mesh.group_count, *numbers;
    char *end;
    long number = isdigit((unsigned char)part[0]) ? strtol(part, &end, 10) : -1;
    if (number >= 0 && !*end) {
        if (number >= body->mesh.vertex_count)
            return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT,
                                 "there is no '%.60s': points go from %.60s.0 to %.60s.%d", node->text, body->name,
                                 body->name, body->mesh.vertex_count - 1);
        LIL_ALLOC(e->rd->ctx, e->rd->arena, numbers, 1);
        *numbers = body->first + (int)number;
        *vertices = numbers;
        *count = 1;
        return LIL_OK;
    }
    for (int i = 0; i < total; i++) {
        const lil_group *g = i < body->group_count ? &body->groups[i] : &body->mesh.groups[i - body->group_count];
        if (strcmp(g->name, part) != 0)
            continue;
        LIL_ALLOC(e->rd->ctx, e->rd->arena, numbers, g->vertex_count);
        for (int k = 0; k < g->vertex_count; k++)
            numbers[k] = body->first + g->vertices[k];
        *vertices = numbers;
        *count = g->vertex_count;
        return LIL_OK;
    }
    return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT, "'%.60s' has neither a vertex nor a group '%.60s'",
                         body->name, part);
}

/* particles, a body or a group by name, or a part of the first two */
static lil_status find_points(const entry *e, const lil_node *node, const int **vertices, int *count)
{
    const lil_world *bs = e->bs;
    LIL_TRY(lil_node_expect(e->rd->ctx, node, LIL_NODE_SCALAR, "a point"));
    for (int i = 0; i < bs->mark_count; i++)
        if (strcmp(bs->marks[i].name, node->text) == 0) {
            *vertices = bs->marks[i].vertices;
            *count = bs->marks[i].count;
            return LIL_OK;
        }
    const char *dot_at = strchr(node->text, '.');
    for (int i = 0; dot_at && i < bs->count; i++) {
        size_t length = (size_t)(dot_at - node->text);
        if (strlen(bs->list[i].name) == length && strncmp(bs->list[i].name, node->text, length) == 0)
            return find_part(e, node, &bs->list[i], dot_at + 1, vertices, count);
    }
    return fail_unknown(e, node);
}

/* A list of n points, or of n sets of as many points each. */
static lil_status read_ends(entry *e, int n)
{
    if (e->on->kind != LIL_NODE_LIST || e->on->count != n)
        return lil_node_fail(e->rd->ctx, e->on, LIL_ERR_INPUT, "'%s' needs a list of %d points", e->on->key, n);
    const lil_node *child = e->on->first;
    for (int k = 0; k < n; k++, child = child->next) {
        int some;
        LIL_TRY(find_points(e, child, &e->bond.points[k], &some));
        e->bond.count = k ? e->bond.count : some;
        if (some != e->bond.count)
            return lil_node_fail(e->rd->ctx, child, LIL_ERR_INPUT,
                                 "'%.60s' has %d points and '%.60s' has %d: write NAME.0 for the first point of NAME",
                                 child->text, some, e->on->first->text, e->bond.count);
    }
    return LIL_OK;
}

/* One point or set of points, or a list of them. */
static lil_status read_set(entry *e)
{
    bool list = e->on->kind == LIL_NODE_LIST;
    int total = 0, *all = NULL;
    for (int pass = 0; pass < 2; pass++) { /* how many, and which */
        if (pass && !(all = LIL_NEW(e->rd->arena, int, total)))
            return lil_fail_memory(e->rd->ctx);
        total = 0;
        for (const lil_node *child = list ? e->on->first : e->on; child; child = list ? child->next : NULL) {
            const int *vertices;
            int some;
            LIL_TRY(find_points(e, child, &vertices, &some));
            for (int k = 0; k < some; k++, total++)
                if (all)
                    all[total] = vertices[k];
        }
    }
    e->bond.points[0] = all;
    e->bond.count = total;
    return LIL_OK;
}

/* ---- expressions ---- */

static lil_status read_text(const entry *e, const lil_node *node, const struct lil_text_constraint **text)
{
    const char *what = lil_arena_format(e->rd->arena, "constraints.%s", e->node->key);
    lil_scope scope;
    LIL_HAVE(e->rd->ctx, what);
    LIL_TRY(lil_node_expect(e->rd->ctx, node, LIL_NODE_SCALAR, what));
    LIL_TRY(lil_read_text_scope(e->rd, &(lil_texts_def){ .xyz = true }, &scope));
    lil_source source = lil_node_source(node, what);
    return lil_read_hint(e->rd->ctx, node,
                         lil_text_constraint_create(e->rd->ctx, e->rd->arena, &scope, 3, &source, text));
}

/* value: one, or values: a list of two */
static lil_status read_expressions(const entry *e, lil_binding *from)
{
    const lil_node *node = lil_node_get(e->node, e->kind->texts == 1 ? "value" : "values");
    if (e->kind->texts == 1)
        return read_text(e, node, &from->texts[0]);
    if (node->kind != LIL_NODE_LIST || node->count != 2)
        return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT,
                             "a curve is where two expressions of x, y and z are 0: 'values' must be a list of two");
    LIL_TRY(read_text(e, node->first, &from->texts[0]));
    return read_text(e, node->first->next, &from->texts[1]);
}

/* ---- the kinds ---- */

/* The map of one kind: its points under its name, its expressions, its numbers. */
typedef struct kind_map {
    lil_key keys[3];
    lil_mapping all;
} kind_map;

static void list_keys(const lil_bond_kind *k, kind_map *m)
{
    static const char *const points[] = { "text | [text]", "", "[text; 2]", "[text; 3]" },
                             *const texts[] = { "", "value", "values" },
                             *const types[] = { "", "number", "[number; 2]" };
    *m = (kind_map){ .keys = { { LIL_KEY(k->name, points[k->ends], ""), .required = LIL_REQUIRED } },
                     .all = { .in = k->name, .keys = m->keys, .fields = k->fields, .field_count = k->field_count } };
    if (k->carried)
        m->keys[1] = (lil_key){ LIL_KEY("to", "text", ""), .required = LIL_REQUIRED };
    if (k->texts)
        m->keys[1] = (lil_key){ LIL_KEY(texts[k->texts], types[k->texts], ""), .required = LIL_REQUIRED };
}

void lil_reference_constraints(lil_text *text)
{
    const lil_bond_kind *k;
    lil_text_add(text, "| kind | | |\n|---|---|---|\n");
    for (int i = 0; (k = lil_bond_kind_at(i)); i++)
        lil_text_add(text, "| `%s` | %s | `%s` |\n", k->name, k->doc, k->example);
}

void lil_schema_constraints(lil_text *text)
{
    const lil_bond_kind *k;
    kind_map m;
    for (int i = 0; (k = lil_bond_kind_at(i)); i++) {
        list_keys(k, &m);
        lil_text_add(text, i ? ", " : "{\"anyOf\": [");
        lil_schema_table(text, NULL, &m.all);
    }
    lil_text_add(text, "]}");
}

/* ---- all of them ---- */

static lil_status find_kind(const lil_reader *rd, const lil_node *node, const lil_bond_kind **found)
{
    enum { KINDS_MAX = 32 };
    const char *names[KINDS_MAX];
    char hint[LIL_MESSAGE_MAX / 4];
    int count = 0;
    *found = NULL;
    for (const lil_bond_kind *k; count < KINDS_MAX && (k = lil_bond_kind_at(count)); count++) {
        names[count] = k->name;
        if (!lil_node_get(node, k->name))
            continue;
        if (*found)
            return lil_node_fail_key(rd->ctx, lil_node_get(node, k->name),
                                     "'%.60s' is a '%s' already: a constraint has one kind", node->key,
                                     (*found)->name);
        *found = k;
    }
    if (*found)
        return LIL_OK;
    const char *near = NULL;
    const lil_node *at = node;
    for (const lil_node *child = node->first; child && !near; child = child->next)
        if ((near = lil_nearest(child->key, names, count, sizeof *names)))
            at = child;
    return lil_node_fail_key(rd->ctx, at, "the constraint '%.60s' has no kind%s", node->key,
                             near ? lil_hint(near, hint) : lil_hint_all(names, count, hint, sizeof hint));
}

static lil_status bind(entry *e)
{
    lil_constraint_def def = lil_constraint_def_default();
    lil_binding from = { .def = &def };
    kind_map m;
    list_keys(e->kind, &m);
    LIL_TRY(lil_read_table(e->rd, e->node, &m.all, &def));
    def.as_placed = !lil_node_get(e->node, "through");
    if (e->kind->carried)
        LIL_TRY(lil_read_carrier(e->rd, lil_node_get(e->node, "to"), "to", "tie to", e->bs, &def.body));
    LIL_TRY(e->kind->ends ? read_ends(e, e->kind->ends) : read_set(e));
    if (e->kind->texts)
        LIL_TRY(read_expressions(e, &from));
    lil_status status = lil_world_bind_kind(e->bs, e->kind, &e->bond, &from);
    const char *member = e->bs->blame.member;
    return lil_read_blame(e->rd, member && strcmp(member, "points") == 0 ? e->on : e->node, e->bs, status);
}

static lil_status read_one(const lil_reader *rd, const lil_node *node, lil_world *w)
{
    entry e = { .rd = rd, .node = node, .bs = w };
    LIL_TRY(lil_check_name(rd->ctx, node, "constraint"));
    if (node->kind == LIL_NODE_SCALAR)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "a constraint on points must be a map, {surface: NAME, value: expression}");
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, node->key));
    LIL_TRY(find_kind(rd, node, &e.kind));
    e.on = lil_node_get(node, e.kind->name);
    e.bond.label = lil_read_label(rd, node);
    e.bond.name = lil_arena_copy(rd->arena, node->key, strlen(node->key));
    return e.bond.label && e.bond.name ? bind(&e) : lil_fail_memory(rd->ctx);
}

lil_status lil_read_point_constraints(const lil_reader *rd, const lil_node *root, lil_world *bs)
{
    const lil_node *map = lil_node_get(root, "constraints");
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "constraints"));
    for (const lil_node *node = map->first; node; node = node->next)
        LIL_TRY(read_one(rd, node, bs));
    return LIL_OK;
}
