#include "scene/contact_pairs.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct config {
    double friction;
} config;

static const lil_field fields[] = {
    LIL_FIELD_REAL(config, friction, 0, 0, 1e6, "",
                   "Coulomb's mu between these two, in place of the scene's and of the obstacle's"),
};
const lil_mapping lil_meeting_table = { .in = "between", LIL_FIELDS(fields) };

const char *const lil_meeting_keys[] = { "ignore", "between", NULL };

/* [a, b], or [a, b, {...}] */
static lil_status read_pair(const lil_reader *rd, const lil_node *node, bool more, const lil_node *name[2])
{
    if (node->kind != LIL_NODE_LIST || node->count != (more ? 3 : 2))
        return lil_node_fail(
            rd->ctx, node, LIL_ERR_INPUT,
            more ? "'between' must be a list of entries with two names and a map, [[a, b, {friction: 0.3}]]"
                 : "'ignore' must be a list of pairs of names, [[a, b], [a, a]]");
    name[0] = node->first;
    name[1] = node->first->next;
    for (int i = 0; i < 2; i++)
        if (name[i]->kind != LIL_NODE_SCALAR)
            return lil_node_fail(rd->ctx, name[i], LIL_ERR_INPUT,
                                 "this must be the name of a body, particles, strands or an obstacle");
    return LIL_OK;
}

/* One of the two is not known. */
static lil_status blame_name(const lil_reader *rd, const lil_node *const name[2], const lil_world *w,
                             lil_status status)
{
    bool second = status != LIL_OK && w->blame.member && strcmp(w->blame.member, "b") == 0;
    return lil_read_blame(rd, name[second], w, status);
}

static lil_status read_between(const lil_reader *rd, const lil_node *node, lil_world *w)
{
    const lil_node *name[2];
    config c = { NAN };
    LIL_TRY(read_pair(rd, node, true, name));
    const lil_node *map = name[1]->next;
    LIL_TRY(lil_table_check(rd, map, &lil_meeting_table, NULL));
    LIL_TRY(lil_read_known_fields(rd, map, fields, lil_meeting_table.field_count, &c));
    return isnan(c.friction)
               ? LIL_OK
               : blame_name(rd, name, w, lil_world_set_friction(w, name[0]->text, name[1]->text, c.friction));
}

lil_status lil_read_meetings(const lil_reader *rd, const lil_node *contact, lil_world *w)
{
    const lil_node *ignore = contact ? lil_node_get(contact, "ignore") : NULL,
                   *between = contact ? lil_node_get(contact, "between") : NULL;
    if (ignore)
        LIL_TRY(lil_node_expect(rd->ctx, ignore, LIL_NODE_LIST, "ignore"));
    if (between)
        LIL_TRY(lil_node_expect(rd->ctx, between, LIL_NODE_LIST, "between"));
    for (const lil_node *node = ignore ? ignore->first : NULL; node; node = node->next) {
        const lil_node *name[2];
        LIL_TRY(read_pair(rd, node, false, name));
        LIL_TRY(blame_name(rd, name, w, lil_world_ignore(w, name[0]->text, name[1]->text)));
    }
    for (const lil_node *node = between ? between->first : NULL; node; node = node->next)
        LIL_TRY(read_between(rd, node, w));
    return LIL_OK;
}
