#include "scene/node.h"

#include "core/field.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const lil_node *lil_node_get(const lil_node *map, const char *key)
{
    for (const lil_node *child = map ? map->first : NULL; child; child = child->next)
        if (child->key && strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

/* ---- merging ---- */

static lil_node *copy_as_child(lil_arena *arena, const lil_node *node)
{
    lil_node *copy = LIL_NEW(arena, lil_node, 1);
    if (copy) {
        *copy = *node; /* children are shared */
        copy->next = NULL;
    }
    return copy;
}

/* `integrator: midpoint` is short for {method: midpoint}, `damping: 0.1` for {kD: 0.1} and so on; an observable for
 * {value: ...} */
static const char *short_for(const char *key)
{
    if (key && strcmp(key, "links") == 0) /* `rigid` is short for nothing that a map could say */
        return NULL;
    static const char *const forms[][2] = { { "integrator", "method" }, { "solver", "method" },
                                            { "adaptive", "control" },  { "shape", "type" },
                                            { "material", "model" },    { "damping", "kD" } };
    for (size_t i = 0; key && i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(key, forms[i][0]) == 0)
            return forms[i][1];
    return "value";
}

static const lil_node *long_form(lil_arena *arena, const lil_node *scalar)
{
    lil_node *member = copy_as_child(arena, scalar), *map = copy_as_child(arena, scalar);
    if (!member || !map)
        return NULL;
    member->key = short_for(scalar->key);
    map->kind = LIL_NODE_MAP;
    map->first = member;
    map->count = 1;
    return map;
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words && strcmp(word, *words) != 0)
        words++;
    return *words;
}

/* A new choice, not a change of the old one: an integrator's method, a shape's type, which vertices. */
static bool replaces(const lil_node *over)
{
    static const char *const selections[] = { "fixed", "from", "to", "select", NULL };
    static const char *const ways[] = { "box", "sphere", "plane", "vertices", "group", NULL };
    const char *key = over->key ? over->key : "";
    if (over->kind != LIL_NODE_MAP)
        return true;
    if (strcmp(key, "integrator") == 0)
        return lil_node_get(over, "method");
    if (strcmp(key, "shape") == 0)
        return lil_node_get(over, "type");
    return over->count == 1 && is_one_of(key, selections) && is_one_of(over->first->key, ways);
}

lil_node *lil_node_merge(lil_arena *arena, const lil_node *base, const lil_node *over)
{
    lil_node *merged = copy_as_child(arena, over);
    if (!merged || replaces(over))
        return merged;
    if (base->kind == LIL_NODE_SCALAR && !short_for(base->key))
        return merged;
    if (base->kind == LIL_NODE_SCALAR && !(base = long_form(arena, base)))
        return NULL;
    if (base->kind != LIL_NODE_MAP)
        return merged;
    merged->first = NULL;
    merged->count = 0;
    merged->file = base->file;
    merged->line = base->line;
    merged->column = base->column;
    lil_node **end = &merged->first;
    for (const lil_node *child = base->first; child; child = child->next) {
        const lil_node *other = lil_node_get(over, child->key);
        lil_node *copy = other ? lil_node_merge(arena, child, other) : copy_as_child(arena, child);
        if (!copy)
            return NULL;
        copy->next = NULL;
        *end = copy;
        end = &copy->next;
        merged->count++;
    }
    for (const lil_node *child = over->first; child; child = child->next) {
        if (lil_node_get(base, child->key))
            continue;
        lil_node *copy = copy_as_child(arena, child);
        if (!copy)
            return NULL;
        *end = copy;
        end = &copy->next;
        merged->count++;
    }
    return merged;
}

lil_node *lil_node_at_path(lil_arena *arena, const char *path, const lil_node *value)
{
    const char *dot = strrchr(path, '.');
    lil_node *member = copy_as_child(arena, value), *map = copy_as_child(arena, value);
    if (!member || !map)
        return NULL;
    const char *key = dot ? dot + 1 : path;
    member->key = lil_arena_copy(arena, key, strlen(key));
    member->key_line = value->line;
    member->key_column = value->column;
    map->kind = LIL_NODE_MAP;
    map->first = member;
    map->count = 1;
    if (!member->key || !dot)
        return member->key ? map : NULL;
    char *parent = lil_arena_copy(arena, path, (size_t)(dot - path));
    return parent ? lil_node_at_path(arena, parent, map) : NULL;
}

/* ---- messages ---- */

static lil_status fail_at(lil_context *ctx, const char *file, int line, int column, lil_status status,
                          const char *format, va_list args)
{
    char sentence[LIL_MESSAGE_MAX];
    vsnprintf(sentence, sizeof sentence, format, args);
    if (line > 0)
        return lil_fail(ctx, status, "%.200s:%d:%d: %.800s", file, line, column, sentence);
    return lil_fail(ctx, status, "%.200s: %.800s", file, sentence);
}

lil_status lil_node_fail(lil_context *ctx, const lil_node *node, lil_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(ctx, node->file, node->line, node->column, status, format, args);
    va_end(args);
    return status;
}

lil_status lil_node_fail_key(lil_context *ctx, const lil_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail_at(ctx, node->file, node->key_line, node->key_column, LIL_ERR_INPUT, format, args);
    va_end(args);
    return LIL_ERR_INPUT;
}

static const char *const kind_names[] = { "a value", "a list", "a map" };

lil_status lil_node_expect(lil_context *ctx, const lil_node *node, lil_node_kind kind, const char *what)
{
    if (node->kind == kind)
        return LIL_OK;
    return lil_node_fail(ctx, node, LIL_ERR_INPUT, "'%s' must be %s, not %s", what, kind_names[kind],
                         kind_names[node->kind]);
}

/* The probable intention, or the list of choices. */
static lil_status fail_unknown(lil_context *ctx, const lil_node *child, const char *const *keys, int count,
                               const char *in)
{
    enum { LISTED_MAX = 20 };
    const char *near = lil_nearest(child->key, keys, count, sizeof *keys);
    char hint[LIL_MESSAGE_MAX / 2] = "";
    if (strpbrk(child->key, "()"))
        snprintf(hint, sizeof hint, " (an expression with commas inside { } must be quoted)");
    else if (near)
        lil_hint(near, hint);
    else if (count <= LISTED_MAX)
        lil_hint_all(keys, count, hint, sizeof hint);
    return lil_node_fail_key(ctx, child, "unknown key '%.60s' in %s%s", child->key, in, hint);
}

lil_status lil_node_check_keys(lil_context *ctx, const lil_node *map, const char *const *keys, const char *in)
{
    int count = 0;
    while (keys[count])
        count++;
    for (const lil_node *child = map->first; child; child = child->next) {
        bool known = false;
        for (int i = 0; i < count; i++)
            known = known || strcmp(child->key, keys[i]) == 0;
        if (known)
            continue;
        return fail_unknown(ctx, child, keys, count, in);
    }
    return LIL_OK;
}

lil_source lil_node_source(const lil_node *node, const char *what)
{
    return (lil_source){ .text = node->text,
                         .what = what,
                         .file = node->file,
                         .line = node->line,
                         .column = node->column + (node->quoted ? 1 : 0),
                         .single_line = node->single_line };
}
