#include "scene/constraints.h"

#include "constraints/text.h"

#include <string.h>

const char *lil_read_label(const lil_reader *rd, const lil_node *node)
{
    return lil_arena_format(rd->arena, "'%.60s' (%.200s:%d)", node->key, node->file, node->key_line);
}

static lil_status read_text(const lil_reader *rd, const lil_node *node, const lil_system *sys, lil_constraint *set)
{
    lil_on_text *member = LIL_NEW(rd->arena, lil_on_text, 1);
    const char *label = lil_read_label(rd, node), *what = lil_arena_format(rd->arena, "constraints.%s", node->key);
    LIL_HAVE(rd->ctx, member && label && what);
    LIL_TRY(lil_check_name(rd->ctx, node, "constraint"));
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, what));
    lil_source source = lil_node_source(node, what);
    *set = (lil_constraint){ &lil_constraint_text, member, 1, label,
                             lil_arena_copy(rd->arena, node->key, strlen(node->key)) };
    LIL_HAVE(rd->ctx, set->name);
    return lil_read_hint(rd->ctx, node,
                         lil_text_constraint_create(rd->ctx, rd->arena, &sys->scope, sys->n, &source, &member->text));
}

lil_status lil_read_text_constraints(const lil_reader *rd, const lil_node *root, lil_system *sys)
{
    const lil_node *map = lil_node_get(root, "constraints");
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "constraints"));
    lil_constraint *sets;
    LIL_ALLOC(rd->ctx, rd->arena, sets, map->count);
    int count = 0;
    for (const lil_node *node = map->first; node; node = node->next)
        LIL_TRY(read_text(rd, node, sys, &sets[count++]));
    if (count >= sys->n)
        return lil_node_fail_key(rd->ctx, map, "%d constraints on %d coordinates leave no freedom to move", count,
                                 sys->n);
    lil_model_bind(sys->model, sets, count);
    return LIL_OK;
}
