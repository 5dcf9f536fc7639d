/* strands: what they have in common with other particles is read there. */
#include "scene/bodies.h"
#include "scene/look.h"

#include <string.h>

/* ---- the tables ---- */

static const lil_key strand_keys[] = {
    { LIL_KEY("roots", "[vector] | roots",
              "where strands begin: a list of points, or a map of the surface over which roots are distributed"),
      .required = LIL_REQUIRED },
    { LIL_KEY("direction", "vector", "with a list of roots: initial direction of the strands (default [0, 0, -1])") },
    { LIL_KEY("curl", "curl", "natural shape, a helix: a map (default: straight)") },
    { LIL_KEY("drag", "number", "air drag on each particle, kg/s: the force is -drag (v - wind) (default 0)") },
    { LIL_KEY("wind", "texts",
              "air velocity, m/s: three expressions of `t` and the position `x`, `y`, `z` (default 0)") },
    { LIL_KEY("groups", "{particle_selection}", "named selections, as for particles") },
    { LIL_KEY("handles", "particle_handle+",
              "particles with prescribed motion, as for particles; `select: roots` moves the first two particles of "
              "every strand") },
    LIL_FRICTION_KEY,
    LIL_LOOK_KEYS,
    { 0 },
};
const lil_mapping lil_strands_table = {
    .in = "strands", .named = "the strands", .keys = strand_keys, LIL_FIELDS(lil_strand_fields)
};

const lil_mapping lil_curl_table = { .in = "curl", LIL_FIELDS(lil_curl_fields) };

typedef struct roots {
    int type;
    double centre[3], axis[3], radius, from, to;
} roots;

enum { CAP, DISC };
static const char *const root_types[] = { "cap", "disc", NULL };

static const lil_field root_fields[] = {
    LIL_FIELD_CHOICE(roots, "type", type, CAP, root_types,
                     "cap: part of a sphere, strands point outwards. disc: strands point along its axis"),
    LIL_FIELD(roots, LIL_VECTOR, "centre", centre, 0, -1e9, 1e9, "m", "centre of the sphere or disc"),
    LIL_FIELD_REAL(roots, radius, 0.09, 1e-9, 1e9, "m", "radius of the sphere or disc"),
    LIL_FIELD(roots, LIL_VECTOR, "axis", axis, 0, -1e9, 1e9, "", "axis of the cap or disc (default [0, 0, 1])"),
    LIL_FIELD_REAL(roots, from, 0, 0, 180, "degrees", "cap: angle from the axis at which it begins"),
    LIL_FIELD_REAL(roots, to, 90, 0, 180, "degrees", "cap: angle from the axis at which it ends; with `on`, 180"),
};
static const lil_key root_keys[] = {
    { LIL_KEY(
        "on", "text",
        "a body: roots move with its surface. They are distributed where the angle between the normal and `axis` is "
        "`from` to `to`") },
    { 0 },
};
const lil_mapping lil_roots_table = { .in = "roots", .keys = root_keys, LIL_FIELDS(root_fields) };

/* ---- roots ---- */

/* The surface on which they are distributed. */
static lil_status read_shape(const lil_reader *rd, const lil_node *node, const lil_world *w, lil_strands_def *def)
{
    roots r;
    const lil_node *on = lil_node_get(node, "on");
    LIL_TRY(lil_read_table(rd, node, &lil_roots_table, &r));
    if (on)
        LIL_TRY(lil_read_carrier(rd, on, "on", "grow from", w, &def->on));
    if (on && !lil_node_get(node, "to"))
        r.to = 180;
    memcpy(def->centre, r.centre, sizeof def->centre);
    if (lil_node_get(node, "axis"))
        memcpy(def->axis, r.axis, sizeof def->axis);
    def->disc = r.type == DISC;
    def->root_radius = r.radius;
    def->from = r.from;
    def->to = r.to;
    return LIL_OK;
}

static lil_status read_list(const lil_reader *rd, const lil_node *node, const lil_body *body, lil_strands_def *def)
{
    const lil_node *way = lil_node_get(body->node, "direction"), *count = lil_node_get(body->node, "count");
    double direction[3] = { 0, 0, -1 }, (*root)[3], (*directions)[3];
    if (count)
        return lil_node_fail_key(rd->ctx, count, "'count' cannot be given with a list of roots");
    if (!node->count)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'roots' is an empty list");
    LIL_ALLOC(rd->ctx, rd->arena, root, node->count);
    LIL_ALLOC(rd->ctx, rd->arena, directions, node->count);
    LIL_TRY(lil_read_vector(rd, way, "direction", direction));
    def->count = 0;
    for (const lil_node *child = node->first; child; child = child->next, def->count++) {
        LIL_TRY(lil_read_vector(rd, child, "roots", root[def->count]));
        memcpy(directions[def->count], direction, sizeof direction);
    }
    def->roots = (const double(*)[3])root;
    def->directions = (const double(*)[3])directions;
    return LIL_OK;
}

static lil_status read_roots(const lil_reader *rd, const lil_body *body, const lil_world *w, lil_strands_def *def)
{
    const lil_node *node = lil_node_get(body->node, "roots"), *direction = lil_node_get(body->node, "direction");
    if (node && node->kind == LIL_NODE_LIST)
        return read_list(rd, node, body, def);
    if (direction)
        return lil_node_fail_key(rd->ctx, direction, "'direction' needs a list of roots");
    if (!node || node->kind != LIL_NODE_MAP)
        return lil_node_fail(
            rd->ctx, node ? node : body->node, LIL_ERR_INPUT,
            "the strands '%.60s' need 'roots': a list of points, or a map, {type: cap, radius: 0.09}", body->name);
    return read_shape(rd, node, w, def);
}

/* ---- all of it ---- */

lil_status lil_read_strands(const lil_reader *rd, const lil_body *body, lil_world *w, int *index)
{
    const lil_node *curls = lil_node_get(body->node, "curl");
    lil_strands_def def = lil_strands_def_default();
    LIL_TRY(lil_read_table(rd, body->node, &lil_strands_table, &def));
    if (curls)
        LIL_TRY(lil_read_table(rd, curls, &lil_curl_table, &def));
    LIL_TRY(read_roots(rd, body, w, &def));
    return lil_read_blame(rd, body->node, w, lil_world_grow_strands(w, body, &def, index));
}
