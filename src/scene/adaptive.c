#include "scene/adaptive.h"

#include "sim/text_monitor.h"

typedef struct config {
    int method; /* lil_control_method */
} config;

static const char *const methods[] = { "fixed", "reversible", "naive", NULL };

static const lil_field fields[] = {
    LIL_FIELD_CHOICE(config, "control", method, LIL_CONTROL_REVERSIBLE, methods,
                     "reversible: preserves the symmetry of the integrator; naive: drifts, for comparison"),
};
static const lil_key keys[] = { { LIL_KEY("monitor", "number", "") }, { 0 } };
const lil_mapping lil_adaptive_table = { .in = "adaptive", .keys = keys, LIL_FIELDS(fields), .brief = "control" };

static lil_status read_monitor(const lil_reader *rd, const lil_node *node, const lil_system *sys,
                               lil_control_def *control)
{
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "monitor"));
    lil_source plain = lil_node_source(node, "time.adaptive.monitor"), *source = lil_source_copy(rd->arena, &plain);
    lil_graph g;
    lil_ex *m;
    int count;
    LIL_HAVE(rd->ctx, source);
    LIL_TRY(lil_graph_init(&g, rd->ctx));
    lil_status status = lil_read_hint(rd->ctx, node, lil_build(&g, rd->arena, &sys->scope, source, true, &m, &count));
    if (status == LIL_OK) {
        status = lil_text_monitor(rd->ctx, rd->arena, &g, sys->n, *m, control);
        status = status == LIL_ERR_INPUT ? lil_read_fail_at(rd, node, status) : status;
    }
    lil_graph_free(&g);
    return status;
}

lil_status lil_read_adaptive(const lil_reader *rd, const lil_node *root, const lil_system *sys,
                             lil_control_def *control)
{
    const lil_node *node = lil_node_get(lil_node_get(root, "time"), "adaptive");
    config c = { LIL_CONTROL_FIXED };
    if (node)
        LIL_TRY(lil_read_table(rd, node, &lil_adaptive_table, &c));
    *control = (lil_control_def){ .method = c.method };
    const lil_node *monitor = lil_node_get(node, "monitor");
    if (monitor && sys->bodies)
        return lil_node_fail_key(rd->ctx, monitor,
                                 "bodies do not support a 'monitor': their steps follow the acceleration");
    return monitor ? read_monitor(rd, monitor, sys, control) : LIL_OK;
}
