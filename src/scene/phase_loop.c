#include "scene/phase_loop.h"

#include <stdio.h>
#include <string.h>

static const lil_field fields[] = {
    LIL_FIELD_REAL(lil_loop_def, radius, 0.1, 1e-12, 1e12, "",
                   "radius of the circle in the plane of each coordinate and its momentum"),
    LIL_FIELD_INTEGER(lil_loop_def, points, 200, 3, LIL_PHASE_LOOP_POINTS_MAX, "",
                      "number of initial conditions on the loop"),
};
static const lil_key loop_keys[] = {
    { LIL_KEY("centre", "{numbers}", "centre of the loop: positions and velocities (default: `start`)") }, { 0 }
};
const lil_mapping lil_phase_loop_table = { .in = "loop", .keys = loop_keys, LIL_FIELDS(fields) };

/* centre: {theta: 1, dtheta: 0}, like start; what it does not name is as in start */
static lil_status read_centre(const lil_reader *rd, const lil_node *map, const lil_system *sys, lil_loop_def *lp)
{
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "centre"));
    const char **keys;
    LIL_ALLOC(rd->ctx, rd->arena, keys, 2 * (size_t)sys->coordinate_count + 1);
    for (int i = 0; i < 2 * sys->coordinate_count; i++)
        LIL_HAVE(rd->ctx, keys[i] = lil_arena_format(rd->arena, i % 2 ? "d%s" : "%s", sys->coordinates[i / 2].name));
    LIL_TRY(lil_node_check_keys(rd->ctx, map, keys, "centre"));
    for (int i = 0; i < 2 * sys->coordinate_count; i++) {
        const lil_coordinate *c = &sys->coordinates[i / 2];
        const lil_node *node = lil_node_get(map, keys[i]);
        int count, wanted = c->length ? c->length : 1;
        double *x;
        if (!node)
            continue;
        LIL_TRY(lil_read_numbers(rd, node, "loop.centre", c->length == 0, &x, &count));
        if (count != wanted)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'%s' has %d entries, not %d", keys[i], count, wanted);
        memcpy((i % 2 ? lp->v : lp->q) + c->first, x, (size_t)count * sizeof *x);
    }
    return LIL_OK;
}

lil_status lil_read_phase_loop(const lil_reader *rd, const lil_node *root, const lil_system *sys, bool adaptive,
                               lil_loop_def *lp)
{
    const lil_node *node = lil_node_get(root, "loop");
    *lp = (lil_loop_def){ 0 };
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "loop"));
    if (sys->n > LIL_PHASE_LOOP_SIZE_MAX)
        return lil_node_fail(rd->ctx, node, LIL_ERR_LIMIT,
                             "a loop needs a small system: at most %d coordinates, not %d", LIL_PHASE_LOOP_SIZE_MAX,
                             sys->n);
    if (adaptive)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "a loop needs fixed steps: with time.adaptive its points would be at different times");
    if (sys->model->constraint_count)
        return lil_node_fail_key(
            rd->ctx, node, "a scene cannot have both a loop and constraints: the points of the loop violate them");
    LIL_TRY(lil_read_table(rd, node, &lil_phase_loop_table, lp));
    LIL_ALLOC(rd->ctx, rd->arena, lp->q, sys->n);
    LIL_ALLOC(rd->ctx, rd->arena, lp->v, sys->n);
    memcpy(lp->q, sys->q, (size_t)sys->n * sizeof *lp->q);
    memcpy(lp->v, sys->v, (size_t)sys->n * sizeof *lp->v);
    const lil_node *centre = lil_node_get(node, "centre");
    return centre ? read_centre(rd, centre, sys, lp) : LIL_OK;
}
