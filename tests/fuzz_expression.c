/* Any bytes as an expression over t, two coordinates, a list of three, their velocities and some parameters: parsed,
 * built, differentiated twice, compiled and run. A value that is not finite must have an explanation. */
#include "expr/program.h"
#include "expr/scope.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_ = 4096, N = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const double numbers[] = { 3, 0.5, 0, -2, 1e300 };
static const lil_symbol symbols[] = {
    { "n", LIL_SYMBOL_CONSTANT, 0, numbers, 0 },     { "a", LIL_SYMBOL_CONSTANT, 0, numbers + 1, 0 },
    { "z", LIL_SYMBOL_CONSTANT, 0, numbers + 2, 0 }, { "w", LIL_SYMBOL_CONSTANT, 5, numbers, 0 },
    { "t", LIL_SYMBOL_INPUT, 0, NULL, LIL_INPUT_T }, { "x", LIL_SYMBOL_INPUT, 0, NULL, 1 },
    { "y", LIL_SYMBOL_INPUT, 0, NULL, 2 },           { "q", LIL_SYMBOL_INPUT, 3, NULL, 3 },
    { "dx", LIL_SYMBOL_INPUT, 0, NULL, N + 1 },      { "dy", LIL_SYMBOL_INPUT, 0, NULL, N + 2 },
    { "dq", LIL_SYMBOL_INPUT, 3, NULL, N + 3 },
};
static const lil_scope scope = { symbols, sizeof symbols / sizeof symbols[0], NULL, NULL };
static const lil_scope parameters = { symbols, 4, NULL, NULL };

static void evaluate(lil_graph *g, lil_arena *arena, const lil_ex *outputs, int count)
{
    static const double at[][2 * N] = {
        { 0.3, -0.7, 1.5, 2.5, -3.5, 0.1, 0.2, -0.3, 0.4, 0.5 },
        { 0 },
        { 1e200, -1e200, 1e-200, -1e300, 1e300, -1e150, 1e10, 1, -1, 0 },
    };
    lil_program program;
    if (lil_program_compile(g, arena, N, outputs, count, &program) != LIL_OK)
        return;
    double *slots = lil_program_slots(&program, arena), *out = calloc((size_t)count + 1, sizeof *out);
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
        bool finite = true;
        char sentence[512] = "";
        lil_program_run(&program, slots, 0.25, at[k], at[k] + N, out);
        for (int i = 0; i < count; i++)
            finite = finite && isfinite(out[i]);
        bool explained = lil_program_explain(&program, slots, 0.25, at[k], at[k] + N, sentence, sizeof sentence);
        assert(finite || explained);
        assert(!explained || sentence[0]);
    }
    free(out);
}

static void differentiate(lil_graph *g, lil_arena *arena, lil_ex f)
{
    lil_tape tape = { 0 }, more = { 0 };
    if (lil_ex_gradient(&tape, g, f) == LIL_OK) {
        evaluate(g, arena, tape.by, tape.inputs);
        for (int i = 0; i < tape.inputs && lil_ex_gradient(&more, g, tape.by[i]) == LIL_OK; i++)
            evaluate(g, arena, more.by, more.inputs);
        lil_ex rest = lil_ex_zeroed(&tape, g, f, lil_input_v(N, 0));
        if (g->status == LIL_OK)
            evaluate(g, arena, &rest, 1);
    }
    lil_tape_free(&tape);
    lil_tape_free(&more);
}

static void check(lil_context *ctx, const lil_source *source)
{
    lil_arena arena = { 0 };
    lil_graph g;
    lil_ex *nodes = NULL;
    int count = 0;
    if (lil_graph_init(&g, ctx) == LIL_OK && lil_build(&g, &arena, &scope, source, false, &nodes, &count) == LIL_OK) {
        evaluate(&g, &arena, nodes, count);
        if (count > 0 && g.count < 2000)
            differentiate(&g, &arena, nodes[0]);
    } else {
        assert(lil_context_message(ctx)[0]);
    }
    lil_graph_free(&g);
    double *values = NULL;
    if (lil_build_numbers(ctx, &arena, &parameters, source, false, &values, &count) == LIL_OK)
        for (int i = 0; i < count; i++)
            assert(isfinite(values[i]));
    lil_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_)
        return 0;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = 0; /* a zero byte inside ends it: scenes refuse those */
    lil_context *ctx = lil_context_create();
    lil_source source = { text, "expression", "file", 3, 7, 1 };
    check(ctx, &source);
    lil_context_destroy(&ctx);
    free(text);
    return 0;
}
