/* start: where a body's vertices are at first, and how they move. */
#include "scene/bodies.h"

#include <math.h>
#include <string.h>

lil_status lil_read_body_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_body *body,
                               double *out)
{
    lil_program program;
    LIL_TRY(lil_read_texts(rd, node, what, &(lil_texts_def){ .xyz = true }, &program));
    double *slots = lil_program_slots(&program, rd->arena);
    LIL_HAVE(rd->ctx, slots);
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        const double *X = body->mesh.x + 3 * i;
        lil_program_run(&program, slots, 0, X, NULL, out + 3 * i);
        for (int d = 0; d < 3; d++)
            if (!isfinite(out[3 * i + d]))
                return lil_node_fail(rd->ctx, node, LIL_ERR_NOT_FINITE,
                                     "'%s' is not finite at vertex %d, at (%g, %g, %g)", what, i, X[0], X[1], X[2]);
    }
    return LIL_OK;
}

static const lil_field fields[] = {
    LIL_FIELD(lil_start_def, LIL_REAL, "stretch", stretch, 1, -1e300, 1e300, "",
              "stretch factor (> 0) along the mesh's own x at the middle of the body; it changes smoothly to 1 at "
              "both ends"),
    LIL_FIELD(lil_start_def, LIL_REAL, "twist", twist, 0, -1e300, 1e300, "degrees",
              "rotation of one end against the other, about the mesh's own x"),
    LIL_FIELD(lil_start_def, LIL_VECTOR, "spin", spin, 0, -1e300, 1e300, "rad/s",
              "angular velocity about the centre of mass"),
    LIL_FIELD(lil_start_def, LIL_VECTOR, "push", push, 0, -1e300, 1e300, "m/s", "velocity of all vertices"),
    LIL_FIELD(lil_start_def, LIL_FLAG, "rest", rest, 0, 0, 1, "",
              "start in static equilibrium; the search starts where the other keys place the body"),
};
static const lil_key keys[] = {
    { LIL_KEY("position", "texts", "initial position, m: three expressions of the rest position `x`, `y`, `z`") },
    { LIL_KEY("velocity", "texts", "initial velocity, m/s: three expressions of the rest position") },
    { 0 },
};
const lil_mapping lil_body_start_table = { .in = "start of a body",
                                           .keys = keys,
                                           LIL_FIELDS(fields),
                                           .exclude =
                                               "position stretch, position twist, velocity spin, velocity push" };

/* A body at rest has no velocity of its own. */
static lil_status check_rest(const lil_reader *rd, const lil_node *map)
{
    static const char *const others[] = { "velocity", "spin", "push" };
    for (int i = 0; i < 3; i++)
        if (lil_node_get(map, others[i]))
            return lil_node_fail_key(rd->ctx, lil_node_get(map, "rest"), "'%s' and 'rest' cannot both be given",
                                     others[i]);
    return LIL_OK;
}

/* position or velocity, of each vertex */
static lil_status read_texts(const lil_reader *rd, const lil_node *map, const char *key, const lil_body *body,
                             const double **x)
{
    const lil_node *node = lil_node_get(map, key);
    if (!node)
        return LIL_OK;
    double *out = LIL_NEW(rd->arena, double, 3 * (size_t)body->mesh.vertex_count);
    *x = out;
    return out ? lil_read_body_texts(rd, node, key, body, out) : lil_fail_memory(rd->ctx);
}

lil_status lil_read_body_start(const lil_reader *rd, int index, lil_world *w)
{
    const lil_body *body = &w->list[index];
    const lil_node *node = lil_node_get(body->node, "start");
    lil_start_def start = lil_start_def_default();
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_table(rd, node, &lil_body_start_table, &start));
    LIL_TRY(start.rest ? check_rest(rd, node) : LIL_OK);
    LIL_TRY(read_texts(rd, node, "position", body, &start.x));
    LIL_TRY(read_texts(rd, node, "velocity", body, &start.v));
    return lil_read_blame(rd, node, w, lil_world_set_start(w, index, &start));
}

lil_status lil_read_start_rest(lil_context *ctx, const lil_world *w, int body, lil_status status)
{
    char sentence[LIL_MESSAGE_MAX];
    memcpy(sentence, ctx->message, sizeof sentence);
    lil_node_fail_key(ctx, lil_node_get(lil_node_get(w->list[body].node, "start"), "rest"), "%s", sentence);
    return status;
}
