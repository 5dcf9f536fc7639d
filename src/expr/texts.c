#include "expr/texts.h"

lil_status lil_texts_scope(lil_context *ctx, lil_arena *arena, const lil_scope *known, const lil_texts_def *def,
                           lil_scope *scope)
{
    static const char *const axes[] = { "x", "y", "z" };
    lil_symbol *symbols;
    LIL_ALLOC(ctx, arena, symbols, known->count + 4);
    *scope = (lil_scope){ .symbols = symbols, .work = known->work };
    for (int d = 0; def->xyz && d < 3; d++)
        symbols[scope->count++] = (lil_symbol){ axes[d], LIL_SYMBOL_INPUT, 0, NULL, lil_input_q(d) };
    if (def->t)
        symbols[scope->count++] = (lil_symbol){ "t", LIL_SYMBOL_INPUT, 0, NULL, LIL_INPUT_T };
    for (int i = 0; i < known->count; i++) /* a parameter called x gives way to the place */
        if (!lil_scope_find(scope, known->symbols[i].name))
            symbols[scope->count++] = known->symbols[i];
    return lil_scope_sort(ctx, arena, scope);
}

/* df/dt, df/dx, df/dy, df/dz */
static lil_status derive(lil_graph *g, lil_ex f, lil_ex by[4])
{
    lil_tape tape = { 0 };
    lil_status status = lil_ex_gradient(&tape, g, f);
    for (int k = 0; k < 4; k++)
        by[k] = lil_ex_const(g, 0);
    for (int k = 0; status == LIL_OK && k < tape.inputs; k++)
        if (tape.input[k] <= lil_input_q(2))
            by[tape.input[k]] = tape.by[k];
    lil_tape_free(&tape);
    return status;
}

static lil_status build(lil_graph *g, lil_arena *arena, const lil_scope *scope, const lil_source *const sources[3],
                        const lil_texts_def *def, lil_ex *out, int *wrong)
{
    for (int d = 0; d < 3; d++) {
        lil_ex *nodes, by[4];
        int count;
        *wrong = d;
        LIL_TRY(lil_build(g, arena, scope, sources[d], true, &nodes, &count));
        out[d] = *nodes;
        LIL_TRY(derive(g, out[d], by));
        if (def->rates)
            out[3 + d] = by[0];
        for (int k = 0; def->slopes && k < 3; k++)
            out[3 + 3 * d + k] = by[1 + k];
    }
    return g->status;
}

lil_status lil_texts_compile(lil_context *ctx, lil_arena *arena, const lil_scope *scope,
                             const lil_source *const sources[3], const lil_texts_def *def, lil_program *program,
                             int *wrong)
{
    lil_graph g;
    lil_ex out[12];
    LIL_TRY(lil_graph_init(&g, ctx));
    lil_status status = build(&g, arena, scope, sources, def, out, wrong);
    if (status == LIL_OK)
        status = lil_program_compile(&g, arena, 3, out, def->slopes ? 12 : def->rates ? 6 : 3, program);
    lil_graph_free(&g);
    return status;
}
