/* particles: where they are, their masses, velocities, links and drag. The rest they have in common with bodies. */
#include "scene/bodies.h"
#include "scene/look.h"

#include <math.h>
#include <string.h>

static const double MOST = 1e100; /* squares of what is beyond are not finite */

static const lil_key particle_keys[] = {
    { LIL_KEY("at", "vector | [vector] | place",
              "position [x, y, z] or a list of positions, m; with a `type`, its position as for bodies"),
      .required = LIL_REQUIRED_ALONE },
    { LIL_KEY("type", "text",
              "an arrangement of several particles: `chain`, `rope`, `grid` or `net`, with its options"),
      .only = "?" },
    { LIL_KEY("rotate", "vector | rotation",
              "with a `type`: rotation in degrees before `at`, as for bodies (default [0, 0, 0])"),
      .only = "+" },
    { LIL_KEY("mass", "numbers", "mass of each particle, kg: one number for all, or a list"),
      .required = LIL_REQUIRED },
    { LIL_KEY("radius", "number", "radius of particles and links for contact by barrier, m (default 0)") },
    { LIL_KEY("velocity", "texts | [vector]",
              "initial velocity, m/s: three expressions of the position `x`, `y`, `z`, or a vector for each particle "
              "(default 0)") },
    { LIL_KEY("pairs", "[[number]]", "without a `type`: pairs of linked particles, by number: [[0, 1], [1, 2]]"),
      .only = "-" },
    { LIL_KEY("links", "'rigid' | 'none' | link",
              "the kind of links: `rigid` (default), `none`, or a map of spring options as for bodies") },
    { LIL_KEY("drag", "number", "air drag on each particle, kg/s: the force is -drag (v - wind) (default 0)") },
    { LIL_KEY("wind", "texts",
              "air velocity, m/s: three expressions of `t` and the position `x`, `y`, `z` (default 0)") },
    { LIL_KEY("groups", "{particle_selection}",
              "named selections, as for bodies; a bare number selects that particle") },
    { LIL_KEY(
        "fixed", "particle_selection | particle_pin | [particle_selection | particle_pin]",
        "particles that do not move: a selection, or pins, which hold particles `until` a time and then release "
        "them, as for bodies") },
    { LIL_KEY("handles", "particle_handle+",
              "particles with prescribed motion, as for bodies; without `select`, all of them") },
    { LIL_KEY("loads", "particle_load+",
              "external forces, as for bodies; without `select`, on all particles together") },
    { LIL_KEY("springs", "particle_spring+",
              "springs to fixed points, other particles or bodies, as for bodies; without `from`, one from each "
              "particle") },
    LIL_FRICTION_KEY,
    LIL_LOOK_KEYS,
    { 0 },
};

static bool arrangement_at(const lil_context *ctx, int i, lil_variant *v)
{
    (void)ctx;
    const lil_arrangement *a = i > 0 && i <= lil_arrangement_count() ? lil_arrangement_at(i - 1) : NULL;
    *v = a ? (lil_variant){ .name = a->name,
                            .doc = a->doc,
                            .fields = a->fields,
                            .field_count = a->field_count,
                            .listed = true }
           : (lil_variant){ 0 }; /* the first: placed by hand */
    return i <= lil_arrangement_count();
}
const lil_mapping lil_particles_table = {
    .in = "particles", .named = "the particles", .keys = particle_keys, .choice = "type", .variant = arrangement_at
};

/* [[x, y, z], ...] rather than [x, y, z] */
static bool is_nested(const lil_node *node)
{
    return node->kind == LIL_NODE_LIST && node->first && node->first->kind == LIL_NODE_LIST;
}

/* ---- where they are ---- */

/* by name: [[0, 1], [1, 2]] */
static lil_status read_pairs(const lil_reader *rd, const lil_node *node, int particles, lil_edges *links)
{
    if (node->kind != LIL_NODE_LIST)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'pairs' must be a list of pairs of numbers, [[0, 1], [1, 2]]");
    LIL_ALLOC(rd->ctx, rd->arena, links->at, node->count);
    for (const lil_node *pair = node->first; pair; pair = pair->next, links->count++) {
        double *x;
        int count;
        LIL_TRY(lil_read_numbers(rd, pair, "pairs", false, &x, &count));
        for (int k = 0; k < count; k++)
            if (!(x[k] >= 0 && x[k] < particles) || x[k] != floor(x[k]))
                return lil_node_fail(rd->ctx, pair, LIL_ERR_INPUT,
                                     "there is no particle %g: particles go from 0 to %d", x[k], particles - 1);
        if (count != 2 || x[0] == x[1])
            return lil_node_fail(rd->ctx, pair, LIL_ERR_INPUT, "a link joins two particles");
        links->at[links->count][0] = (int)x[0];
        links->at[links->count][1] = (int)x[1];
    }
    return LIL_OK;
}

static lil_status read_places(const lil_reader *rd, const lil_node *at, lil_body *body)
{
    bool several = is_nested(at);
    lil_edges none;
    if (at->kind == LIL_NODE_MAP)
        return lil_node_fail(rd->ctx, at, LIL_ERR_INPUT,
                             "'at' as a map needs particles with a 'type': give [x, y, z]");
    LIL_TRY(lil_arrangement_alloc(rd->ctx, rd->arena, body->name, several ? at->count : 1, 0, 0, &body->mesh, &none));
    if (!several)
        return lil_read_vector(rd, at, "at", body->mesh.x);
    double *x = body->mesh.x;
    for (const lil_node *child = at->first; child; child = child->next, x += 3)
        LIL_TRY(lil_read_vector(rd, child, "at", x));
    const lil_node *pairs = lil_node_get(body->node, "pairs");
    return pairs ? read_pairs(rd, pairs, body->mesh.vertex_count, &body->links) : LIL_OK;
}

static lil_status arrange(const lil_reader *rd, const lil_arrangement *a, lil_world *w, lil_body *body)
{
    void *config = lil_arena_alloc(rd->arena, 1, a->config_size);
    LIL_HAVE(rd->ctx, config);
    lil_fields_default(a->fields, a->field_count, config);
    LIL_TRY(lil_read_known_fields(rd, body->node, a->fields, a->field_count, config));
    lil_status status = a->make(rd->ctx, rd->arena, config, &body->mesh, &body->links);
    if (status != LIL_OK)
        return lil_read_fail_at(rd, body->node, status);
    body->mesh.name = body->name;
    LIL_TRY(lil_read_placement(rd, body->node, NULL, &body->placement));
    body->placement.radius = body->radius;
    return lil_world_place(w, body);
}

static lil_status read_radius(const lil_reader *rd, lil_body *body)
{
    const lil_node *node = lil_node_get(body->node, "radius"), *links = lil_node_get(body->node, "links");
    double *x;
    int count;
    body->bare = links && links->kind == LIL_NODE_SCALAR && strcmp(links->text, "none") == 0;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "radius", true, &x, &count));
    if (!(*x >= 0 && *x <= MOST))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'radius' must be 0 or more, not %g m", *x);
    body->radius = *x;
    return LIL_OK;
}

/* ---- how they start ---- */

static lil_status read_masses(const lil_reader *rd, const lil_body *body, double *mass)
{
    const lil_node *node = lil_node_get(body->node, "mass");
    int particles = body->mesh.vertex_count, count;
    double *x;
    LIL_TRY(lil_read_numbers(rd, node, "mass", false, &x, &count));
    if (count != 1 && count != particles)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'mass' must be one number, or one per particle, %d, not %d", particles, count);
    for (int i = 0; i < particles; i++)
        mass[i] = x[count > 1 ? i : 0];
    return LIL_OK;
}

static lil_status read_velocities(const lil_reader *rd, const lil_body *body, double *v)
{
    const lil_node *node = lil_node_get(body->node, "velocity");
    if (!node)
        return LIL_OK;
    if (!is_nested(node)) {
        LIL_TRY(lil_read_body_texts(rd, node, "velocity", body, v));
    } else if (node->count != body->mesh.vertex_count) {
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'velocity' must be one vector, or one per particle, %d, not %d",
                             body->mesh.vertex_count, node->count);
    } else {
        double *to = v;
        for (const lil_node *child = node->first; child; child = child->next, to += 3)
            LIL_TRY(lil_read_vector(rd, child, "velocity", to));
    }
    return LIL_OK;
}

lil_status lil_read_particles(const lil_reader *rd, lil_body *body, lil_world *w, int *index)
{
    const lil_node *type = lil_node_get(body->node, "type"), *at = lil_node_get(body->node, "at");
    lil_variant own = { 0 };
    if (type)
        LIL_TRY(lil_read_variant(rd, type, &lil_particles_table, NULL, &own));
    const lil_arrangement *a = type ? lil_arrangement_find(own.name) : NULL;
    if (!a && !at)
        return lil_node_fail_key(rd->ctx, body->node, "'%.60s' needs a position, 'at', or an arrangement, 'type'",
                                 body->name);
    LIL_TRY(lil_table_check(rd, body->node, &lil_particles_table, a ? &own : NULL));
    LIL_TRY(read_radius(rd, body));
    LIL_TRY(a ? arrange(rd, a, w, body) : read_places(rd, at, body));
    size_t n = (size_t)body->mesh.vertex_count;
    double *mass = LIL_NEW(rd->arena, double, n), *v = LIL_NEW(rd->arena, double, 3 * n);
    LIL_HAVE(rd->ctx, mass && v);
    LIL_TRY(read_masses(rd, body, mass));
    LIL_TRY(read_velocities(rd, body, v));
    return lil_read_blame(rd, body->node, w, lil_world_add_points(w, body, mass, v, index));
}

/* ---- links ---- */

static lil_status read_elastic(const lil_reader *rd, const lil_node *node, int index, lil_world *w)
{
    lil_spring_config c;
    LIL_TRY(lil_read_table(rd, node, &lil_link_table, &c));
    return lil_read_blame(rd, node, w, lil_world_link(w, index, &c));
}

static lil_status read_rigid(const lil_reader *rd, const lil_node *node, int index, lil_world *w)
{
    const char *label = lil_read_label(rd, w->list[index].node);
    return label ? lil_read_blame(rd, node, w, lil_world_link_rigidly(w, index, label)) : lil_fail_memory(rd->ctx);
}

lil_status lil_read_particle_links(const lil_reader *rd, int index, lil_world *w)
{
    const lil_body *body = &w->list[index];
    const lil_node *node = lil_node_get(body->node, "links");
    bool none = node && node->kind == LIL_NODE_SCALAR && strcmp(node->text, "none") == 0;
    if (none || (!node && !body->links.count))
        return LIL_OK;
    if (!body->links.count)
        return lil_node_fail_key(rd->ctx, node, "'links' has no effect here: list the linked particles in 'pairs'");
    if (node && node->kind != LIL_NODE_MAP && (node->kind != LIL_NODE_SCALAR || strcmp(node->text, "rigid") != 0))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'links' must be rigid, none, or a map of springs, {stiffness: 100}");
    return node && node->kind == LIL_NODE_MAP ? read_elastic(rd, node, index, w)
                                              : read_rigid(rd, node ? node : body->node, index, w);
}

/* ---- drag ---- */

lil_status lil_read_particle_drag(const lil_reader *rd, int index, lil_world *w)
{
    const lil_body *body = &w->list[index];
    const lil_node *node = lil_node_get(body->node, "drag"), *wind = lil_node_get(body->node, "wind");
    lil_program *program = NULL, *slopes = NULL;
    double *c;
    int count;
    if (wind && !node)
        return lil_node_fail_key(rd->ctx, wind, "'wind' acts through 'drag', which is missing here");
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "drag", true, &c, &count));
    if (wind) {
        LIL_ALLOC(rd->ctx, rd->arena, program, 1);
        LIL_ALLOC(rd->ctx, rd->arena, slopes, 1);
        LIL_TRY(lil_read_texts(rd, wind, "wind", &(lil_texts_def){ .t = true, .xyz = true }, program));
        LIL_TRY(lil_read_texts(rd, wind, "wind", &(lil_texts_def){ .t = true, .xyz = true, .slopes = true }, slopes));
    }
    return lil_read_blame(rd, body->node, w, lil_world_drag(w, index, *c, program, slopes));
}
