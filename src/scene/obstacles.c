#include "scene/obstacles.h"

#include "scene/contact_method.h"
#include "scene/contact_pairs.h"
#include "scene/follow.h"
#include "scene/look.h"
#include "scene/table.h"
#include "terms/pose.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- fields ---- */

typedef struct contact_config {
    lil_contact_def contact;
    int bodies; /* 0: they touch each other */
    int choice; /* lil_contact_choice */
} contact_config;

static const char *const touching[] = { "touch", "pass", NULL };
static const char *const methods[] = { "auto", "penalty", "barrier", NULL };

static const lil_field contact_fields[] = {
    LIL_FIELD(
        contact_config, LIL_REAL, "stiffness", contact.stiffness, -1, 1e-200, 1e100, "N/m^3, N/m, Pa",
        "penalty: pressure on bodies per penetration depth, N/m^3; force on particles per penetration depth, N/m. "
        "barrier: a modulus, Pa; at a gap of `d_hat`/sqrt(2) the barrier is as stiff as an element with that modulus "
        "(default: from material, mesh and step)"),
    LIL_FIELD(contact_config, LIL_REAL, "friction", contact.friction, 0, 0, 1e6, "",
              "Coulomb's friction coefficient mu"),
    LIL_FIELD(contact_config, LIL_REAL, "slip", contact.slip, 0.01, 1e-200, 1e6, "m/s",
              "sticking contacts creep slower than this: friction is mu N f(|u|/slip), with the sliding velocity u, "
              "the normal force N, and f(y) = 2 y - y^2 up to y = 1, then 1"),
    LIL_FIELD(
        contact_config, LIL_REAL, "damping", contact.damping, -1, 0, 1e6, "s",
        "damping time kD of contact, so that bodies come to rest. penalty: a force kD k times the rate of the depth, "
        "where k is the stiffness of the contact. barrier: a force kD k times the rate of the gap, where k is 3 "
        "times the normal force over the gap, the stiffness of the barrier at small gaps if no part has a radius "
        "(default: penalty 0, barrier the mean `damping` of the two bodies, or if only "
        "one part is a body, its `damping`)"),
    LIL_FIELD(contact_config, LIL_REAL, "restitution", contact.restitution, 1, 0, 1, "",
              "barrier: ratio of the velocities after and before an impact of rigid bodies, at speeds above `slip`. "
              "Elastic bodies leave faster, because they also return the energy that they store themselves"),
    LIL_FIELD_CHOICE(contact_config, "bodies", bodies, 0, touching,
                     "whether bodies collide with each other, in a scene with `obstacles` or `contact`"),
    LIL_FIELD_CHOICE(
        contact_config, "method", choice, 0, methods,
        "barrier: nothing penetrates. penalty: springs push out what has penetrated. auto: the barrier; penalty if "
        "the barrier does not support the rest of the scene, or if `stiffness` is given and no option that only the "
        "barrier has"),
    LIL_FIELD(
        contact_config, LIL_REAL, "d_hat", contact.d_hat, 0, 1e-200, 1e100, "m",
        "barrier: the gap at which the contact force begins (default: a tenth of the mean edge of a surface, or "
        "of the mean link of particles and strands)"),
};
static const lil_key contact_keys[] = {
    { LIL_KEY("ignore", "[[text, text]]", "barrier: pairs of names that do not collide (default: none)") },
    { LIL_KEY("between", "[[text, text, meeting]]",
              "barrier: pairs with a `friction` of their own (default: none)") },
    { 0 },
};
const lil_mapping lil_contact_table = { .in = "contact", .keys = contact_keys, LIL_FIELDS(contact_fields) };
enum { OWN_FIELDS = 2 }; /* stiffness and friction: what an obstacle may have of its own */

static const lil_key obstacle_keys[] = {
    { LIL_KEY("at", "vector | place", "") },
    { LIL_KEY("rotate", "vector | rotation", "") },
    { LIL_KEY("scale", "number | vector", "") },
    { LIL_KEY("size", "number", "") },
    { LIL_KEY("move", "vector", "") },
    { LIL_KEY("turn", "vector", "") },
    { LIL_KEY("follow", "text | follow", "") },
    LIL_LOOK_KEYS,
    { 0 },
};

/* ---- shapes ---- */

/* The keys of an obstacle: its shape by name, and what every one may have. */
typedef struct obstacle_map {
    lil_key keys[LIL_OBSTACLE_SHAPES_MAX + sizeof obstacle_keys / sizeof obstacle_keys[0]];
    lil_mapping shapes[LIL_OBSTACLE_SHAPES_MAX], all;
} obstacle_map;

static void list_shapes(obstacle_map *m)
{
    const lil_obstacle_shape *s;
    int count = 0;
    for (; count < LIL_OBSTACLE_SHAPES_MAX && (s = lil_obstacle_shape_at(count)); count++) {
        m->shapes[count] = (lil_mapping){ .in = s->in, .fields = s->fields, .field_count = s->field_count };
        m->keys[count] =
            (lil_key){ .name = s->name, .type = "text", .doc = s->doc, .map = s->make ? &m->shapes[count] : NULL };
    }
    memcpy(m->keys + count, obstacle_keys, sizeof obstacle_keys);
    m->all =
        (lil_mapping){ .in = "an obstacle", .keys = m->keys, .fields = contact_fields, .field_count = OWN_FIELDS };
}

void lil_schema_obstacles(lil_text *text)
{
    obstacle_map m;
    list_shapes(&m);
    lil_schema_table(text, NULL, &m.all);
}

void lil_reference_obstacles(lil_text *text)
{
    const lil_obstacle_shape *s;
    lil_text_add(text, "| | |\n|---|---|\n");
    for (int k = 0; (s = lil_obstacle_shape_at(k)); k++)
        lil_text_add(text, "| `%s` | %s |\n", s->example, s->doc);
}

/* A plane's normal points up where the scene does not say. */
static lil_status read_solid(const lil_reader *rd, const lil_node *map, const lil_mapping *table, lil_obstacle *o)
{
    lil_obstacle_def def = lil_obstacle_def_default();
    LIL_TRY(lil_read_table(rd, map, table, &def));
    if (!lil_node_get(map, "normal"))
        memcpy(def.normal, (double[3]){ 0, rd->up == 'y', rd->up == 'z' }, sizeof def.normal);
    def.kind = o->kind;
    lil_world_make_shape(&def, o);
    return LIL_OK;
}

/* The placement of a mesh is beside it; a solid has its own position. */
static lil_status check_place(const lil_reader *rd, const lil_node *node)
{
    static const char *const keys[] = { "at", "rotate", "scale", "size" };
    for (int k = 0; k < 4; k++)
        if (lil_node_get(node, keys[k]))
            return lil_node_fail_key(rd->ctx, lil_node_get(node, keys[k]), "'%s' needs an obstacle with a 'mesh'",
                                     keys[k]);
    return LIL_OK;
}

/* mesh, at, rotate, scale; its file is its name */
static lil_status read_mesh(const lil_reader *rd, const lil_node *map, lil_world_obstacle *o)
{
    const lil_node *node = lil_node_get(map, "mesh");
    const char *path;
    LIL_TRY(lil_read_body_path(rd, node, "mesh", &path));
    LIL_TRY(lil_read_placement(rd, map, lil_node_get(map, "size"), &o->placement));
    lil_status status = lil_surface_read(rd->ctx, rd->arena, path, &o->mesh);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

/* `at`: the node whose members describe it */
static lil_status read_shape(const lil_reader *rd, const lil_node *node, const obstacle_map *m,
                             lil_world_obstacle *def, const lil_node **at)
{
    lil_obstacle *o = &def->contact.obstacle;
    const lil_obstacle_shape *s, *found = NULL;
    char all[LIL_MESSAGE_MAX / 4] = "";
    int several = 0;
    for (int k = 0; (s = lil_obstacle_shape_at(k)); k++) {
        snprintf(all + strlen(all), sizeof all - strlen(all), "%sa '%s'",
                 !k                             ? ""
                 : lil_obstacle_shape_at(k + 1) ? ", "
                                                : " or ",
                 s->name);
        if (!lil_node_get(node, s->name))
            continue;
        found = s;
        o->kind = (lil_obstacle_kind)k;
        several++;
    }
    if (several != 1)
        return lil_node_fail_key(rd->ctx, node, "the obstacle '%.60s' must be %s%s", node->key, all,
                                 found ? ", one of them" : "");
    *at = found->make ? lil_node_get(node, found->name) : node;
    if (!found->make)
        return read_mesh(rd, node, def);
    LIL_TRY(check_place(rd, node));
    return read_solid(rd, *at, &m->shapes[o->kind], o);
}

/* ---- an obstacle ---- */

static lil_status read_program(const lil_reader *rd, const lil_node *map, const char *key, const lil_program **out)
{
    const lil_node *node = lil_node_get(map, key);
    if (!node)
        return LIL_OK;
    lil_program *program;
    LIL_ALLOC(rd->ctx, rd->arena, program, 1);
    *out = program;
    return lil_read_texts(rd, node, key, &(lil_texts_def){ .t = true, .rates = true }, program);
}

/* The times of the scene, if it has any. */
static lil_status read_clock(const lil_reader *rd, const lil_node *root, lil_contact_def *when)
{
    const lil_node *time = lil_node_get(root, "time");
    const struct {
        const char *key;
        double *to;
    } parts[] = { { "step", &when->step }, { "start", &when->start } };
    for (int i = 0; i < 2 && time; i++) {
        const lil_node *node = lil_node_get(time, parts[i].key);
        double *x;
        int count;
        if (!node)
            continue;
        LIL_TRY(lil_read_numbers(rd, node, parts[i].key, true, &x, &count));
        *parts[i].to = *x;
    }
    return LIL_OK;
}

static lil_status read_obstacle(const lil_reader *rd, const lil_node *node, lil_world *w)
{
    lil_world_obstacle o = { .node = node };
    contact_config own = { .contact = { .friction = NAN } };
    const lil_node *shape = node;
    obstacle_map m;
    list_shapes(&m);
    LIL_TRY(lil_check_name(rd->ctx, node, "obstacle"));
    LIL_TRY(lil_table_check(rd, node, &m.all, NULL));
    LIL_HAVE(rd->ctx, o.name = lil_arena_copy(rd->arena, node->key, strlen(node->key)));
    LIL_TRY(read_shape(rd, node, &m, &o, &shape));
    LIL_TRY(lil_read_known_fields(rd, node, contact_fields, OWN_FIELDS, &own));
    o.friction = own.contact.friction;
    o.stiffness = own.contact.stiffness;
    LIL_TRY(read_program(rd, node, "move", &o.drive.move));
    LIL_TRY(read_program(rd, node, "turn", &o.drive.turn));
    LIL_TRY(lil_read_follow(rd, lil_node_get(node, "follow"), &o.follow));
    if (o.follow && o.contact.obstacle.kind != LIL_OBSTACLE_MESH)
        return lil_node_fail_key(rd->ctx, lil_node_get(node, "follow"), "'follow' needs an obstacle with a 'mesh'");
    LIL_TRY(lil_read_blame(rd, shape, w, lil_world_obstruct(w, &o)));
    return lil_read_look(rd, node, o.name, w);
}

/* Its fields; `ignore` and `between` are read where parts have their names. */
static lil_status read_contact(const lil_reader *rd, const lil_node *contact, contact_config *c)
{
    c->contact = lil_contact_def_default();
    for (int i = 0; contact && contact->kind == LIL_NODE_SCALAR && methods[i]; i++)
        if (strcmp(contact->text, methods[i]) == 0)
            return lil_node_fail(rd->ctx, contact, LIL_ERR_INPUT,
                                 "'contact' must be a map: write contact: {method: %s}", methods[i]);
    LIL_TRY(lil_read_table(rd, contact, &lil_contact_table, c));
    for (int i = 0; contact && lil_meeting_keys[i] && c->choice == LIL_CHOOSE_PENALTY; i++)
        if (lil_node_get(contact, lil_meeting_keys[i]))
            return lil_node_fail_key(rd->ctx, lil_node_get(contact, lil_meeting_keys[i]),
                                     "penalty contact does not support '%s': use method: barrier",
                                     lil_meeting_keys[i]);
    return LIL_OK;
}

lil_status lil_read_obstacles(const lil_reader *rd, const lil_node *root, lil_world *w)
{
    const lil_node *map = lil_node_get(root, "obstacles"), *contact = lil_node_get(root, "contact"),
                   *place = contact ? contact : map;
    contact_config c;
    LIL_TRY(read_contact(rd, contact, &c));
    LIL_TRY(read_clock(rd, root, &c.contact));
    LIL_TRY(lil_choose_contact(rd, root, w, &c.choice));
    c.contact.bodies = c.bodies == 0;
    c.contact.method = c.choice == LIL_CHOOSE_PENALTY ? LIL_CONTACT_PENALTY : LIL_CONTACT_BARRIER;
    for (int i = 0; !place && i < w->count; i++)
        if (w->list[i].rubs)
            return lil_node_fail_key(rd->ctx, lil_node_get(w->list[i].node, "friction"),
                                     "'friction' needs contact: add obstacles, or contact: {}");
    if (!place)
        return LIL_OK;
    LIL_TRY(lil_read_blame(rd, place, w, lil_world_set_contact(w, &c.contact)));
    if (map)
        LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "obstacles"));
    for (const lil_node *node = map ? map->first : NULL; node; node = node->next)
        LIL_TRY(read_obstacle(rd, node, w));
    if (c.contact.method == LIL_CONTACT_BARRIER) {
        if (lil_node_get(root, "keys"))
            return lil_node_fail(rd->ctx, lil_node_get(contact, "method"), LIL_ERR_INPUT,
                                 "shots do not support barrier contact: use method: penalty");
        LIL_TRY(lil_read_meetings(rd, contact, w));
    }
    return lil_read_blame(rd, place, w, lil_world_prepare_contact(w));
}
