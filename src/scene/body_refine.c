/* refine: where a body's tets are to be finer. */
#include "scene/bodies.h"

const lil_mapping lil_refine_table = { .in = "refine", LIL_FIELDS(lil_refine_fields) };

lil_status lil_read_body_refine(const lil_reader *rd, lil_body *body)
{
    const lil_node *node = lil_node_get(body->node, "refine");
    if (!node || (node->kind == LIL_NODE_LIST && !node->count))
        return LIL_OK;
    int count = node->kind == LIL_NODE_LIST ? node->count : 1;
    LIL_ALLOC(rd->ctx, rd->arena, body->fineness, count);
    for (const lil_node *each = lil_first_of(node); each; each = lil_next_of(node, each))
        LIL_TRY(lil_read_table(rd, each, &lil_refine_table, &body->fineness[body->fineness_count++]));
    return LIL_OK;
}
