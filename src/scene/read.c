#include "scene/read.h"

#include <string.h>

lil_status lil_read_fail_at(const lil_reader *rd, const lil_node *node, lil_status status)
{
    char sentence[LIL_MESSAGE_MAX];
    memcpy(sentence, rd->ctx->message, sizeof sentence);
    return lil_node_fail(rd->ctx, node, status, "%.800s", sentence);
}

bool lil_read_torn(const lil_node *node)
{
    int open = 0;
    if (!node->in_flow || node->quoted || node->kind != LIL_NODE_SCALAR)
        return false;
    for (const char *c = node->text; *c; c++)
        open += *c == '(' ? 1 : *c == ')' ? -1 : 0;
    return open != 0;
}

lil_status lil_read_hint(lil_context *ctx, const lil_node *node, lil_status status)
{
    if (status != LIL_ERR_INPUT || !lil_read_torn(node))
        return status;
    char sentence[LIL_MESSAGE_MAX];
    memcpy(sentence, ctx->message, sizeof sentence);
    return lil_fail(ctx, status, "%.900s (an expression with commas inside { } must be quoted)", sentence);
}

static lil_status read_expression(const lil_reader *rd, const lil_node *node, const char *what, bool scalar,
                                  double **x, int *count)
{
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, what));
    lil_source source = lil_node_source(node, what);
    return lil_read_hint(rd->ctx, node, lil_build_numbers(rd->ctx, rd->arena, &rd->scope, &source, scalar, x, count));
}

lil_status lil_read_numbers(const lil_reader *rd, const lil_node *node, const char *what, bool scalar, double **x,
                            int *count)
{
    if (node->kind != LIL_NODE_LIST || scalar)
        return read_expression(rd, node, what, scalar, x, count);
    *count = node->count;
    *x = LIL_NEW(rd->arena, double, node->count);
    LIL_HAVE(rd->ctx, *x);
    int i = 0, one;
    for (const lil_node *child = node->first; child; child = child->next, i++) {
        double *value;
        LIL_TRY(read_expression(rd, child, what, true, &value, &one));
        (*x)[i] = *value;
    }
    return LIL_OK;
}

lil_status lil_read_vector(const lil_reader *rd, const lil_node *node, const char *what, double x[3])
{
    double *values;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, what, false, &values, &count));
    if (count != 3)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' must have 3 numbers, not %d", what, count);
    memcpy(x, values, 3 * sizeof *x);
    return LIL_OK;
}

lil_status lil_read_member(const lil_reader *rd, const lil_node *map, const char *key, const lil_node **node)
{
    *node = lil_node_get(map, key);
    return *node ? LIL_OK : lil_node_fail(rd->ctx, map, LIL_ERR_INPUT, "'%s' is missing here", key);
}
