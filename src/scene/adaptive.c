#include "scene/adaptive.h"

#include <stdlib.h>
#include <string.h>

static const char *const methods[] = { "fixed", "reversible", "naive", NULL };

static const lil_field fields[] = {
    LIL_FIELD_CHOICE(lil_adaptive, "control", method, LIL_CONTROL_REVERSIBLE, methods,
                     "reversible: preserves the symmetry of the integrator; naive: drifts, for comparison"),
};
static const lil_key keys[] = { { LIL_KEY("monitor", "number", "") }, { 0 } };
const lil_mapping lil_adaptive_table = { .in = "adaptive", .keys = keys, LIL_FIELDS(fields), .brief = "control" };

/* d/dt log m = (dm/dt + sum dm/dq_i v_i) / m */
static lil_status rate_of(const lil_reader *rd, lil_graph *g, const lil_node *node, int n, lil_ex m, lil_ex *rate)
{
    lil_tape tape = { 0 };
    size_t inputs = 1 + 2 * (size_t)n;
    int *input = malloc(inputs * sizeof *input), count = 0;
    lil_ex *d = malloc(inputs * sizeof *d);
    lil_status status = input && d ? lil_ex_gradient(&tape, g, m, input, d, &count) : lil_fail_memory(rd->ctx);
    *rate = lil_ex_const(g, 0);
    for (int k = 0; status == LIL_OK && k < count; k++) {
        if (input[k] >= lil_input_v(n, 0)) {
            status = lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                   "the monitor may depend on positions and t, not on velocities");
            break;
        }
        lil_ex v = input[k] == LIL_INPUT_T ? lil_ex_const(g, 1) : lil_ex_input(g, lil_input_v(n, input[k] - 1));
        *rate = lil_ex_binary(g, LIL_OP_ADD, *rate, lil_ex_binary(g, LIL_OP_MUL, d[k], v));
    }
    *rate = lil_ex_binary(g, LIL_OP_DIV, *rate, m);
    lil_tape_free(&tape);
    free(input);
    free(d);
    return status == LIL_OK ? g->status : status;
}

static lil_status read_monitor(const lil_reader *rd, const lil_node *node, const lil_system *sys, lil_adaptive *ad)
{
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "monitor"));
    lil_source plain = lil_node_source(node, "time.adaptive.monitor"), *source = lil_source_copy(rd->arena, &plain);
    lil_graph g;
    lil_ex *m, out[2];
    int count;
    if (!source)
        return lil_fail_memory(rd->ctx);
    LIL_TRY(lil_graph_init(&g, rd->ctx));
    lil_status status = lil_read_hint(rd->ctx, node, lil_build(&g, rd->arena, &sys->scope, source, true, &m, &count));
    if (status == LIL_OK)
        status = rate_of(rd, &g, node, sys->n, out[0] = *m, &out[1]);
    if (status == LIL_OK)
        status = lil_program_compile(&g, rd->arena, sys->n, out, 2, &ad->monitor);
    lil_graph_free(&g);
    LIL_TRY(status);
    if (ad->monitor.parameter_count)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "the monitor may not depend on a parameter that is live");
    ad->slots = lil_program_slots(&ad->monitor, rd->arena);
    return ad->slots ? LIL_OK : lil_fail_memory(rd->ctx);
}

lil_status lil_read_adaptive(const lil_reader *rd, const lil_node *root, const lil_system *sys, lil_adaptive *ad)
{
    const lil_node *node = lil_node_get(lil_node_get(root, "time"), "adaptive");
    *ad = (lil_adaptive){ 0 };
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_table(rd, node, &lil_adaptive_table, ad));
    const lil_node *monitor = lil_node_get(node, "monitor");
    if (monitor && sys->bodies)
        return lil_node_fail_key(rd->ctx, monitor,
                                 "bodies do not support a 'monitor': their steps follow the acceleration");
    return monitor ? read_monitor(rd, monitor, sys, ad) : LIL_OK;
}

static bool monitor(void *user, double t, const double *q, const double *v, double *m, double *rate)
{
    const lil_adaptive *ad = user;
    double out[2];
    lil_program_run(&ad->monitor, ad->slots, t, q, v, out);
    *m = out[0];
    *rate = out[1];
    return true;
}

lil_control_def lil_adaptive_control(lil_adaptive *ad)
{
    return (lil_control_def){ ad->method, ad->monitor.output_count ? monitor : NULL, ad };
}
