#include "scene/meetings.h"

#include "core/field.h"
#include "scene/reference.h"

#include <stddef.h>
#include <string.h>

typedef struct config {
    double friction;
} config;

const lil_field lil_meeting_fields[] = {
    { .name = "friction",
      .kind = LIL_REAL,
      .offset = offsetof(config, friction),
      .preset = 0,
      .least = 0,
      .most = 1e6,
      .unit = "",
      .doc = "Coulomb's mu between these two, in place of the scene's and of the obstacle's" },
};
const int lil_meeting_field_count = sizeof lil_meeting_fields / sizeof lil_meeting_fields[0];

const char *const lil_meeting_keys[] = { "ignore", "between", NULL };

#define NAME "{\"type\": \"string\"}"
const char lil_meeting_schema[] =
    "\"ignore\": {\"type\": \"array\", \"items\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, "
    "\"items\": " NAME "}}, \"between\": {\"type\": \"array\", \"items\": {\"type\": \"array\", \"minItems\": 3, "
    "\"maxItems\": 3, \"items\": [" NAME ", " NAME
    ", {\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"friction\": " LIL_SCHEMA_NUMBER
    "}}]}}";

static lil_status find_part(const lil_reader *rd, const lil_node *node, const lil_meetings *m, int *part)
{
    char hint[LIL_MESSAGE_MAX / 4];
    if (node->kind != LIL_NODE_SCALAR)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "this must be the name of a body, particles, strands or an obstacle");
    for (*part = 0; *part < m->count; ++*part)
        if (strcmp(m->names[*part], node->text) == 0)
            return LIL_OK;
    const char *near = lil_nearest(node->text, m->names, m->count, sizeof *m->names);
    return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "nothing here is called '%.60s'%s", node->text,
                         near ? lil_hint(near, hint) : lil_hint_all(m->names, m->count, hint, sizeof hint));
}

/* [a, b], or [a, b, {...}] */
static lil_status read_pair(const lil_reader *rd, const lil_node *node, bool more, const lil_meetings *m, int part[2])
{
    if (node->kind != LIL_NODE_LIST || node->count != (more ? 3 : 2))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             more ? "'between' is a list of two names and a map each, [[a, b, {friction: 0.3}]]"
                                  : "'ignore' is a list of pairs of names, [[a, b], [a, a]]");
    LIL_TRY(find_part(rd, node->first, m, &part[0]));
    return find_part(rd, node->first->next, m, &part[1]);
}

static lil_status read_between(const lil_reader *rd, const lil_node *node, lil_meetings *m)
{
    int part[2];
    config c;
    LIL_TRY(read_pair(rd, node, true, m, part));
    const lil_node *map = node->first->next->next;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "between"));
    c.friction = m->friction[part[0] * m->count + part[1]];
    LIL_TRY(lil_read_fields(rd, map, lil_meeting_fields, lil_meeting_field_count, &c, "between", NULL));
    m->friction[part[0] * m->count + part[1]] = m->friction[part[1] * m->count + part[0]] = c.friction;
    return LIL_OK;
}

lil_status lil_read_meetings(const lil_reader *rd, const lil_node *contact, lil_meetings *m)
{
    const lil_node *ignore = contact ? lil_node_get(contact, "ignore") : NULL,
                   *between = contact ? lil_node_get(contact, "between") : NULL;
    if (ignore)
        LIL_TRY(lil_node_expect(rd->ctx, ignore, LIL_NODE_LIST, "ignore"));
    if (between)
        LIL_TRY(lil_node_expect(rd->ctx, between, LIL_NODE_LIST, "between"));
    for (const lil_node *node = ignore ? ignore->first : NULL; node; node = node->next) {
        int part[2];
        LIL_TRY(read_pair(rd, node, false, m, part));
        m->meet[part[0] * m->count + part[1]] = m->meet[part[1] * m->count + part[0]] = false;
    }
    for (const lil_node *node = between ? between->first : NULL; node; node = node->next)
        LIL_TRY(read_between(rd, node, m));
    return LIL_OK;
}
