/* Parameters that may change while a scene runs: which of them can. */
#include "scene/system.h"

#include "core/field.h"

#include <string.h>

typedef struct search {
    const char *name;
    bool found;
} search;

static lil_status visit(void *user, const char *name, int offset)
{
    search *s = user;
    (void)offset;
    s->found = s->found || strcmp(s->name, name) == 0;
    return LIL_OK;
}

static bool mentions(lil_context *ctx, const lil_node *node, const char *name)
{
    search s = { name, false };
    if (node->kind == LIL_NODE_SCALAR) {
        lil_source source = lil_node_source(node, "parameter");
        lil_names(ctx, &source, visit, &s);
    }
    for (const lil_node *child = node->first; child; child = child->next)
        s.found = s.found || (child->kind == LIL_NODE_SCALAR && mentions(ctx, child, name));
    return s.found;
}

lil_status lil_check_live(const lil_reader *rd, const lil_node *root)
{
    static const char *const alone[] = { "keys", "loop" }; /* what cannot follow a change */
    if (rd->live_count < 0 || (rd->live_count && !rd->live))
        return lil_fail(rd->ctx, LIL_ERR_ARGUMENT, "lil_run_create: def->live has %d names%s", rd->live_count,
                        rd->live ? "" : ", but is NULL");
    for (int i = 0; i < rd->live_count; i++)
        if (!rd->live[i])
            return lil_fail(rd->ctx, LIL_ERR_ARGUMENT, "lil_run_create: def->live[%d] is NULL", i);
    if (rd->live_count && !lil_node_get(root, "lagrangian"))
        return lil_node_fail(rd->ctx, root, LIL_ERR_ARGUMENT,
                             "def->live: only parameters of a lagrangian can be live, and this scene has none");
    for (int i = 0; rd->live_count && i < 2; i++)
        if (lil_node_get(root, alone[i]))
            return lil_node_fail_key(rd->ctx, lil_node_get(root, alone[i]),
                                     "no parameter can be live in a scene with '%s'", alone[i]);
    return LIL_OK;
}

static lil_status check(const lil_reader *rd, const lil_node *map, const char *name)
{
    const lil_node *node = map ? lil_node_get(map, name) : NULL;
    const lil_symbol *symbol = node ? lil_scope_find(&rd->scope, name) : NULL;
    char hint[LIL_HINT_MAX];
    if (!symbol)
        return lil_fail(rd->ctx, LIL_ERR_ARGUMENT,
                        "lil_run_create: def->live names '%.60s', and the scene has no such parameter%s", name,
                        lil_hint(rd->scope.count ? lil_nearest(name, &rd->scope.symbols[0].name, rd->scope.count,
                                                               sizeof(lil_symbol))
                                                 : NULL,
                                 hint));
    if (symbol->length)
        return lil_node_fail_key(rd->ctx, node, "'%s' is a list, and only a single number can be live", name);
    for (const lil_node *other = map->first; other; other = other->next)
        if (other != node && mentions(rd->ctx, other, name))
            return lil_node_fail_key(rd->ctx, other,
                                     "'%s' is computed once, from '%s', which is live and may change: write it out "
                                     "where it is used, or make it live instead",
                                     other->key, name);
    return LIL_OK;
}

lil_status lil_read_live(const lil_reader *rd, const lil_node *root, lil_symbol *symbols)
{
    const lil_node *map = lil_node_get(root, "parameters");
    int count = 0;
    for (int k = 0; k < rd->live_count; k++) {
        LIL_TRY(check(rd, map, rd->live[k]));
        for (int i = 0; i < rd->scope.count; i++)
            if (symbols[i].kind == LIL_SYMBOL_CONSTANT && strcmp(symbols[i].name, rd->live[k]) == 0) {
                symbols[i].kind = LIL_SYMBOL_LIVE;
                symbols[i].input = count++;
            }
    }
    return LIL_OK;
}
