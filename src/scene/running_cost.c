/* shot.cost: an expression of q, v and the ghost force that a shot is to keep small too. */
#include "scene/keys.h"

#include "terms/text.h"

/* The names of `observe`, and the ghost force ghost_X of each coordinate or mark X. The expression becomes a
 * Lagrangian of twice as many coordinates: positions, then ghost forces. */
static lil_status make_scope(const lil_reader *rd, const lil_system *sys, const lil_node *node, lil_scope *scope)
{
    int m = sys->inputs, known = sys->scope.count;
    lil_symbol *symbols;
    LIL_ALLOC(rd->ctx, rd->arena, symbols, 2 * known);
    *scope = (lil_scope){ .symbols = symbols, .work = sys->scope.work };
    for (int i = 0; i < known; i++) {
        lil_symbol one = sys->scope.symbols[i];
        bool position = one.kind == LIL_SYMBOL_INPUT && one.input >= lil_input_q(0) && one.input < lil_input_v(m, 0);
        if (one.kind == LIL_SYMBOL_INPUT && one.input >= lil_input_v(m, 0))
            one.input += m;
        symbols[scope->count++] = one;
        if (!position)
            continue;
        one.input += m;
        LIL_HAVE(rd->ctx, one.name = lil_arena_format(rd->arena, "ghost_%s", one.name));
        if (lil_scope_find(&sys->scope, one.name))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                 "'%.60s' is the ghost force here and cannot name anything else", one.name);
        symbols[scope->count++] = one;
    }
    return lil_scope_sort(rd->ctx, rd->arena, scope);
}

lil_status lil_read_running_cost(const lil_reader *rd, const lil_system *sys, const lil_node *node, lil_term *term)
{
    lil_scope scope;
    lil_graph g;
    lil_ex *value;
    int count;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "cost"));
    lil_source plain = lil_node_source(node, "shot.cost"), *source = lil_source_copy(rd->arena, &plain);
    LIL_HAVE(rd->ctx, source);
    LIL_TRY(make_scope(rd, sys, node, &scope));
    LIL_TRY(lil_graph_init(&g, rd->ctx));
    lil_status status = lil_read_hint(rd->ctx, node, lil_build(&g, rd->arena, &scope, source, true, &value, &count));
    if (status != LIL_OK) {
        lil_graph_free(&g);
        return status;
    }
    return lil_term_text(rd->ctx, rd->arena, LIL_LAGRANGIAN, 2 * sys->inputs, &g, *value, NULL, term);
}
