#include "scene/observe.h"

#include <string.h>

/* One expression over the scope, into the graph. Its source lives as long as the program that is made of it. */
static lil_status build(const lil_reader *rd, const lil_scope *scope, lil_graph *g, const lil_node *node,
                        const char *what, lil_ex *out)
{
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, what));
    lil_source plain = lil_node_source(node, what), *source = lil_source_copy(rd->arena, &plain);
    lil_ex *nodes;
    int count;
    LIL_HAVE(rd->ctx, source);
    LIL_TRY(lil_read_hint(rd->ctx, node, lil_build(g, rd->arena, scope, source, true, &nodes, &count)));
    *out = *nodes;
    return LIL_OK;
}

/* A name becomes a dataset's and a column's. */
static lil_status check_name(const lil_reader *rd, const lil_node *node, const char *what)
{
    if (!node->key[0] || strlen(node->key) > 60 || strpbrk(node->key, "/,\"\n") || node->key[0] == '.')
        return lil_node_fail_key(rd->ctx, node, "'%.60s' cannot name %s%s", node->key, what,
                                 strpbrk(node->key, "()") ? " (an expression with commas inside { } must be quoted)"
                                                          : "");
    return LIL_OK;
}

/* Columns of a table must differ: t, energies, coordinates, velocities (dX) and momenta (p_X) are there already. */
static lil_status check_free(const lil_reader *rd, const lil_system *sys, const lil_node *node)
{
    static const char *const others[] = { "t",    "energy",     "potential", "elastic", "dissipated", "external_work",
                                          "step", "iterations", "area",      NULL };
    const char *name = node->key;
    bool taken = false;
    for (int i = 0; others[i]; i++)
        taken = taken || strcmp(name, others[i]) == 0;
    const char *bare = strncmp(name, "p_", 2) == 0 ? name + 2 : name[0] == 'd' && name[1] ? name + 1 : name;
    for (int i = 0; i < sys->n && !taken; i++)
        taken = strcmp(sys->names[i], name) == 0 || strcmp(sys->names[i], bare) == 0;
    return taken ? lil_node_fail_key(rd->ctx, node, "'%s' is recorded already: the quantity needs another name", name)
                 : LIL_OK;
}

/* ---- observe ---- */

static const lil_field quantity_fields[] = { { .name = "invariant", .kind = LIL_FLAG, .unit = "", .doc = "" } };
static const lil_key quantity_keys[] = { { LIL_KEY("value", "number", ""), .required = LIL_REQUIRED }, { 0 } };
const lil_mapping lil_quantity_table = {
    .in = "a quantity", .keys = quantity_keys, LIL_FIELDS(quantity_fields), .brief = "value"
};

static const lil_node *value_of(const lil_node *node)
{
    const lil_node *value = node->kind == LIL_NODE_MAP ? lil_node_get(node, "value") : node;
    return value ? value : node;
}

static lil_status read_quantity(const lil_reader *rd, const lil_system *sys, const lil_scope *scope, lil_graph *g,
                                const lil_node *node, bool *invariant, lil_ex *out)
{
    const char *what = lil_arena_format(rd->arena, "observe.%s", node->key);
    LIL_HAVE(rd->ctx, what);
    LIL_TRY(check_name(rd, node, "a quantity"));
    LIL_TRY(check_free(rd, sys, node));
    if (node->kind == LIL_NODE_MAP) {
        lil_mapping table = lil_quantity_table;
        table.in = what;
        LIL_TRY(lil_read_table(rd, node, &table, invariant));
    }
    return build(rd, scope, g, value_of(node), what, out);
}

/* For an invariant that is zero but for round-off a relative change would mean nothing: its scale is the sum of
 * magnitudes of its terms. */
static lil_status add_sizes(lil_observe *ob, lil_graph *g, lil_ex *out, int *count)
{
    lil_tape tape = { 0 };
    *count = ob->count;
    for (int i = 0; i < ob->count; i++) {
        ob->size[i] = ob->invariant[i] ? *count : -1;
        if (ob->invariant[i])
            out[(*count)++] = lil_ex_size(&tape, g, out[i]);
    }
    lil_tape_free(&tape);
    return g->status;
}

/* ---- measures: reaction(left) and the like ---- */

typedef struct collector {
    const lil_reader *rd;
    const lil_node *root;
    const lil_system *sys;
    const lil_source *source;
    lil_observe *ob;
} collector;

static lil_status refuse_measure(const collector *c, int offset, const char *why)
{
    char where[LIL_WHERE_MAX];
    return lil_fail(c->rd->ctx, LIL_ERR_INPUT, "%s%s", lil_source_where(c->source, offset, where), why);
}

static lil_status add_measure(collector *c, lil_quantity quantity, const char *text, const char *name, int offset)
{
    lil_observe *ob = c->ob;
    lil_measured *longer;
    lil_measure made;
    char why[LIL_MESSAGE_MAX];
    if (!c->sys->model->world)
        return refuse_measure(c, offset, "reactions, forces, stresses and energies belong to bodies and particles");
    if (lil_node_get(c->root, "keys") && (quantity == LIL_REACTION || quantity == LIL_CONTACT_FORCE))
        return refuse_measure(c, offset, "a shot is not simulated: it has no reactions and contact forces");
    lil_status status = lil_measure_create(c->rd->ctx, c->rd->arena, c->sys->model, quantity, name, &made);
    if (status == LIL_ERR_INPUT) {
        memcpy(why, c->rd->ctx->message, sizeof why);
        return refuse_measure(c, offset, why);
    }
    LIL_TRY(status);
    LIL_ALLOC(c->rd->ctx, c->rd->arena, longer, ob->measure_count + 1);
    if (ob->measure_count)
        memcpy(longer, ob->measures, (size_t)ob->measure_count * sizeof *longer);
    longer[ob->measure_count++] = (lil_measured){ quantity, made.name, text };
    ob->measures = longer;
    return LIL_OK;
}

/* Of all names in a text those with brackets. */
static lil_status visit_measure(void *user, const char *name, int offset)
{
    collector *c = user;
    const char *open = strchr(name, '(');
    for (int i = 0; open && i < c->ob->measure_count; i++)
        if (strcmp(c->ob->measures[i].text, name) == 0)
            return LIL_OK;
    for (int i = 0; open && lil_quantity_at(i); i++) {
        const char *own = lil_quantity_at(i)->name;
        if (strncmp(own, name, (size_t)(open - name)) != 0 || own[open - name])
            continue;
        const char *text = lil_arena_copy(c->rd->arena, name, strlen(name)),
                   *of = lil_arena_copy(c->rd->arena, open + 1, strlen(open) - 2);
        LIL_HAVE(c->rd->ctx, text && of);
        return add_measure(c, (lil_quantity)i, text, of, offset);
    }
    return LIL_OK;
}

/* A text with one measure, and nothing that would change its unit. */
static const char *unit_of(const lil_observe *ob, const char *text)
{
    const lil_quantity_info *q = NULL;
    for (int i = 0; i < ob->measure_count && !strpbrk(text, "*/^"); i++)
        if (strstr(text, ob->measures[i].text)) {
            const lil_quantity_info *own = lil_quantity_at((int)ob->measures[i].quantity);
            if (q && strcmp(q->unit, own->unit) != 0)
                return "";
            q = own;
        }
    return q ? q->unit : "";
}

static lil_status collect_measures(const lil_reader *rd, const lil_node *root, const lil_node *map,
                                   const lil_system *sys, lil_observe *ob)
{
    int i = 0;
    LIL_ALLOC(rd->ctx, rd->arena, ob->units, map->count);
    for (const lil_node *node = map->first; node; node = node->next, i++) {
        const lil_node *value = value_of(node);
        const char *what = lil_arena_format(rd->arena, "observe.%s", node->key);
        LIL_HAVE(rd->ctx, what);
        ob->units[i] = "";
        if (value->kind != LIL_NODE_SCALAR) /* which is refused where it is read */
            continue;
        lil_source source = lil_node_source(value, what);
        collector c = { rd, root, sys, &source, ob };
        LIL_TRY(lil_read_hint(rd->ctx, value, lil_names(rd->ctx, &source, visit_measure, &c)));
        ob->units[i] = unit_of(ob, value->text);
    }
    return LIL_OK;
}

/* The system's scope and the measures, whose numbers are inputs after all of q: velocities come after them. */
static lil_status widen_scope(const lil_reader *rd, const lil_system *sys, const lil_observe *ob, lil_scope *scope,
                              int *inputs)
{
    lil_symbol *symbols;
    int n = sys->inputs, at = n, count = sys->scope.count;
    for (int i = 0; i < ob->measure_count; i++)
        at += lil_quantity_at((int)ob->measures[i].quantity)->width;
    *inputs = at;
    LIL_ALLOC(rd->ctx, rd->arena, symbols, count + ob->measure_count);
    memcpy(symbols, sys->scope.symbols, (size_t)count * sizeof *symbols);
    for (int i = 0; i < count; i++)
        if (symbols[i].kind == LIL_SYMBOL_INPUT && symbols[i].input >= lil_input_v(n, 0))
            symbols[i].input += at - n;
    at = n;
    for (int i = 0; i < ob->measure_count; i++) {
        int width = lil_quantity_at((int)ob->measures[i].quantity)->width;
        symbols[count++] =
            (lil_symbol){ ob->measures[i].text, LIL_SYMBOL_INPUT, width > 1 ? width : 0, NULL, lil_input_q(at) };
        at += width;
    }
    *scope = (lil_scope){ .symbols = symbols, .count = count, .work = sys->scope.work };
    return lil_scope_sort(rd->ctx, rd->arena, scope);
}

lil_status lil_read_observe(const lil_reader *rd, const lil_node *root, const lil_system *sys, lil_observe *ob)
{
    int outputs = 0, inputs;
    lil_scope scope;
    const lil_node *map = lil_node_get(root, "observe");
    *ob = (lil_observe){ 0 };
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "observe"));
    lil_graph g;
    lil_ex *out;
    LIL_ALLOC(rd->ctx, rd->arena, out, 2 * (size_t)map->count);
    LIL_ALLOC(rd->ctx, rd->arena, ob->names, map->count);
    LIL_ALLOC(rd->ctx, rd->arena, ob->invariant, map->count);
    LIL_ALLOC(rd->ctx, rd->arena, ob->size, map->count);
    LIL_TRY(collect_measures(rd, root, map, sys, ob));
    LIL_TRY(widen_scope(rd, sys, ob, &scope, &inputs));
    lil_status status = lil_graph_init(&g, rd->ctx);
    for (const lil_node *node = map->first; node && status == LIL_OK; node = node->next, ob->count++) {
        ob->names[ob->count] = lil_arena_copy(rd->arena, node->key, strlen(node->key)); /* the scene may go first */
        status = !ob->names[ob->count]
                     ? lil_fail_memory(rd->ctx)
                     : read_quantity(rd, sys, &scope, &g, node, &ob->invariant[ob->count], &out[ob->count]);
    }
    if (status == LIL_OK)
        status = add_sizes(ob, &g, out, &outputs);
    if (status == LIL_OK)
        status = lil_program_compile(&g, rd->arena, inputs, out, outputs, &ob->program);
    lil_graph_free(&g);
    return status;
}

/* ---- draw ---- */

static const lil_key draw_keys[] = {
    { LIL_KEY("points", "{[number; 3]}", ""), .required = LIL_REQUIRED },
    { LIL_KEY("links", "[[text, text]]", "") },
    { 0 },
};
const lil_mapping lil_draw_table = { .in = "draw", .keys = draw_keys };

static lil_status read_points(const lil_reader *rd, const lil_node *map, const lil_system *sys, lil_graph *g,
                              lil_draw *draw, lil_ex *out)
{
    for (const lil_node *node = map->first; node; node = node->next, draw->count++) {
        const char *what = lil_arena_format(rd->arena, "draw.points.%s", node->key);
        LIL_HAVE(rd->ctx, what);
        LIL_TRY(check_name(rd, node, "a point"));
        if (strcmp(node->key, "origin") == 0)
            return lil_node_fail_key(rd->ctx, node, "the point 'origin' exists already, at [0, 0, 0]");
        LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_LIST, what));
        bool torn = false;
        for (const lil_node *child = node->first; child; child = child->next)
            torn = torn || lil_read_torn(child);
        if (node->count != 3)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%s needs x, y and z, not %d entries%s", what,
                                 node->count, torn ? " (an expression with commas inside [ ] must be quoted)" : "");
        LIL_HAVE(rd->ctx, draw->names[draw->count] = lil_arena_copy(rd->arena, node->key, strlen(node->key)));
        lil_ex *at = out + 3 * draw->count;
        for (const lil_node *child = node->first; child; child = child->next)
            LIL_TRY(build(rd, &sys->scope, g, child, what, at++));
    }
    return LIL_OK;
}

static lil_status find_point(const lil_reader *rd, const lil_draw *draw, const lil_node *node, int *index)
{
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "draw.links"));
    *index = -1;
    if (strcmp(node->text, "origin") == 0)
        return LIL_OK;
    for (int i = 0; i < draw->count; i++)
        if (strcmp(draw->names[i], node->text) == 0)
            *index = i;
    if (*index >= 0)
        return LIL_OK;
    char hint[LIL_HINT_MAX];
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "no point is called '%.60s'%s", node->text,
                         lil_hint(lil_nearest(node->text, draw->names, draw->count, sizeof *draw->names), hint));
}

static lil_status read_links(const lil_reader *rd, const lil_node *list, lil_draw *draw)
{
    LIL_TRY(lil_node_expect(rd->ctx, list, LIL_NODE_LIST, "draw.links"));
    LIL_ALLOC(rd->ctx, rd->arena, draw->links, list->count);
    for (const lil_node *node = list->first; node; node = node->next, draw->link_count++) {
        LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_LIST, "draw.links"));
        if (node->count != 2)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "a link joins two points, not %d", node->count);
        LIL_TRY(find_point(rd, draw, node->first, &draw->links[draw->link_count][0]));
        LIL_TRY(find_point(rd, draw, node->first->next, &draw->links[draw->link_count][1]));
    }
    return LIL_OK;
}

lil_status lil_read_draw(const lil_reader *rd, const lil_node *root, const lil_system *sys, lil_draw *draw)
{
    const lil_node *map = lil_node_get(root, "draw");
    *draw = (lil_draw){ 0 };
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_table_check(rd, map, &lil_draw_table, NULL));
    const lil_node *points = lil_node_get(map, "points"), *links = lil_node_get(map, "links");
    LIL_TRY(lil_node_expect(rd->ctx, points, LIL_NODE_MAP, "draw.points"));
    lil_graph g;
    lil_ex *out;
    LIL_ALLOC(rd->ctx, rd->arena, out, 3 * (size_t)points->count);
    LIL_ALLOC(rd->ctx, rd->arena, draw->names, points->count);
    lil_status status = lil_graph_init(&g, rd->ctx);
    if (status == LIL_OK)
        status = read_points(rd, points, sys, &g, draw, out);
    if (status == LIL_OK)
        status = lil_program_compile(&g, rd->arena, sys->inputs, out, 3 * draw->count, &draw->program);
    lil_graph_free(&g);
    return status == LIL_OK && links ? read_links(rd, links, draw) : status;
}
