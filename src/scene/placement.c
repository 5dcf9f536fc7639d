/* at, rotate, scale, size: where a body, particles or the mesh of an obstacle are put. */
#include "scene/bodies.h"

#include "terms/pose.h"

#include <math.h>
#include <string.h>

static const lil_key place_keys[] = {
    { LIL_KEY("centre", "vector", "") }, { LIL_KEY("floor", "number", "") }, { LIL_KEY("x", "number", "") },
    { LIL_KEY("y", "number", "") },      { LIL_KEY("z", "number", "") },     { 0 },
};
const lil_mapping lil_place_table = {
    .in = "a map under 'at'", .keys = place_keys, .one_of = "centre floor", .exclude = "centre x, centre y, centre z"
};

static const lil_key rotation_keys[] = {
    { LIL_KEY("degrees", "vector", ""), .required = LIL_REQUIRED },
    { LIL_KEY("about", "'centre' | 'origin'", ""), .required = LIL_REQUIRED },
    { 0 },
};
const lil_mapping lil_rotation_table = { .in = "a map under 'rotate'", .keys = rotation_keys };

/* ---- scale and size ---- */

lil_status lil_read_scale(const lil_reader *rd, const lil_node *node, double scale[3])
{
    double *x;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "scale", false, &x, &count));
    if (count != 1 && count != 3)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'scale' must be one number or three, not %d", count);
    for (int d = 0; d < 3; d++) {
        scale[d] = x[count == 3 ? d : 0];
        if (!(scale[d] > 0))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'scale' must be positive, not %g", scale[d]);
        if (!(scale[d] >= 1e-50 && scale[d] <= 1e50))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'scale' must be between 1e-50 and 1e50, not %g",
                                 scale[d]);
    }
    return LIL_OK;
}

static lil_status read_number(const lil_reader *rd, const lil_node *node, double *value)
{
    double *x;
    int count;
    LIL_TRY(lil_read_numbers(rd, node, node->key, true, &x, &count));
    *value = *x;
    return LIL_OK;
}

static lil_status read_size(const lil_reader *rd, const lil_node *node, double *size)
{
    if (!node)
        return LIL_OK;
    LIL_TRY(read_number(rd, node, size));
    return *size > 0 && *size <= LIL_SIZE_MAX
               ? LIL_OK
               : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'size' must be positive and at most %g m, not %g",
                               LIL_SIZE_MAX, *size);
}

/* ---- rotate ---- */

/* [x, y, z] in degrees, or {degrees: [x, y, z], about: centre} */
static lil_status read_rotation(const lil_reader *rd, const lil_node *node, lil_placement *pl)
{
    double degrees[3] = { 0 };
    if (node && node->kind == LIL_NODE_MAP) {
        LIL_TRY(lil_table_check(rd, node, &lil_rotation_table, NULL));
        const lil_node *about = lil_node_get(node, "about");
        LIL_TRY(lil_node_expect(rd->ctx, about, LIL_NODE_SCALAR, "about"));
        pl->about_centre = strcmp(about->text, "centre") == 0;
        if (!pl->about_centre && strcmp(about->text, "origin") != 0)
            return lil_node_fail(rd->ctx, about, LIL_ERR_INPUT, "'about' must be centre or origin, not '%.60s'",
                                 about->text);
        node = lil_node_get(node, "degrees");
    }
    LIL_TRY(lil_read_vector(rd, node, "rotate", degrees));
    for (int d = 0; d < 3; d++)
        if (!(fabs(degrees[d]) <= 1e6))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'rotate' must be at most 1e6 degrees, not %g",
                                 degrees[d]);
    lil_rotation_of(degrees, pl->R);
    return LIL_OK;
}

/* ---- at ---- */

/* {centre: [x, y, z]} or {floor: height, x: x, y: y}; with y up {floor: height, x: x, z: z} */
static lil_status read_place(const lil_reader *rd, const lil_node *map, lil_placement *pl)
{
    static const char *const axes[] = { "x", "y", "z" };
    int up = rd->up == 'y' ? 1 : 2;
    LIL_TRY(lil_table_check(rd, map, &lil_place_table, NULL));
    const lil_node *centre = lil_node_get(map, "centre"), *floor = lil_node_get(map, "floor");
    if (!centre == !floor)
        return lil_node_fail(rd->ctx, map, LIL_ERR_INPUT,
                             "a map under 'at' has a 'centre', [x, y, z], or a 'floor', the height of the lowest "
                             "point%s",
                             centre ? ", not both" : "");
    pl->base = centre ? LIL_BASE_CENTRE : up == 1 ? LIL_BASE_LOWEST_Y : LIL_BASE_LOWEST_Z;
    if (floor)
        LIL_TRY(read_number(rd, floor, &pl->at[up]));
    for (int d = 0; d < 3; d++) {
        const lil_node *node = lil_node_get(map, axes[d]);
        if (node && (centre || d == up))
            return lil_node_fail_key(rd->ctx, node, "'%s' cannot be given here: '%s' sets it", axes[d],
                                     centre ? "centre" : "floor");
        if (node)
            LIL_TRY(read_number(rd, node, &pl->at[d]));
    }
    return lil_read_vector(rd, centre, "centre", pl->at);
}

/* ---- all of it ---- */

lil_status lil_read_placement(const lil_reader *rd, const lil_node *node, const lil_node *size, lil_placement *pl)
{
    const lil_node *at = lil_node_get(node, "at");
    *pl = (lil_placement){ .scale = { 1, 1, 1 } };
    LIL_TRY(lil_read_scale(rd, lil_node_get(node, "scale"), pl->scale));
    LIL_TRY(read_size(rd, size, &pl->size));
    LIL_TRY(read_rotation(rd, lil_node_get(node, "rotate"), pl));
    return at && at->kind == LIL_NODE_MAP ? read_place(rd, at, pl) : lil_read_vector(rd, at, "at", pl->at);
}

lil_status lil_settle_body(const lil_reader *rd, lil_body *body, lil_world *w)
{
    lil_status status = lil_world_settle(w, body->name, &body->placement, &body->mesh, &body->surface);
    memcpy(body->file_scale, body->placement.scale, sizeof body->file_scale);
    return lil_read_blame(rd, body->node, w, status);
}
