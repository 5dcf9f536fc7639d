/* particles: where they are, their masses, velocities, links and drag. The rest they have in common with bodies. */
#include "scene/bodies.h"

#include "core/field.h"
#include "scene/reference.h"

#include <math.h>
#include <string.h>

static const double MOST = 1e100; /* squares of what is beyond are not finite */

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
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'pairs' is a list of pairs of numbers, [[0, 1], [1, 2]]");
    if (!(links->at = lil_arena_alloc(rd->arena, (size_t)node->count, sizeof *links->at)))
        return lil_fail_memory(rd->ctx);
    for (const lil_node *pair = node->first; pair; pair = pair->next, links->count++) {
        double *x;
        int count;
        LIL_TRY(lil_read_numbers(rd, pair, "pairs", false, &x, &count));
        for (int k = 0; k < count; k++)
            if (!(x[k] >= 0 && x[k] < particles) || x[k] != floor(x[k]))
                return lil_node_fail(rd->ctx, pair, LIL_ERR_INPUT, "there is no particle %g: they go from 0 to %d",
                                     x[k], particles - 1);
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
    LIL_TRY(lil_arrangement_alloc(rd->ctx, rd->arena, body->name, several ? at->count : 1, 0, 0, &body->mesh, &none));
    if (!several)
        return lil_read_vector(rd, at, "at", body->mesh.x);
    double *x = body->mesh.x;
    for (const lil_node *child = at->first; child; child = child->next, x += 3)
        LIL_TRY(lil_read_vector(rd, child, "at", x));
    const lil_node *pairs = lil_node_get(body->node, "pairs");
    return pairs ? read_pairs(rd, pairs, body->mesh.vertex_count, &body->links) : LIL_OK;
}

static lil_status find_arrangement(const lil_reader *rd, const lil_node *type, const lil_arrangement **arrangement)
{
    enum { NAMES_MAX = 16 };
    const char *names[NAMES_MAX];
    int count = lil_arrangement_count();
    char hint[LIL_MESSAGE_MAX / 4];
    LIL_TRY(lil_node_expect(rd->ctx, type, LIL_NODE_SCALAR, "type"));
    if ((*arrangement = lil_arrangement_find(type->text)))
        return LIL_OK;
    for (int i = 0; i < count; i++)
        names[i] = lil_arrangement_at(i)->name;
    const char *near = lil_nearest(type->text, names, count, sizeof *names);
    return lil_node_fail(rd->ctx, type, LIL_ERR_INPUT, "unknown type '%.60s' of particles%s", type->text,
                         near ? lil_hint(near, hint) : lil_hint_all(names, count, hint, sizeof hint));
}

/* A type's own options stand among the keys that all particles have. */
static lil_status check_keys(const lil_reader *rd, const lil_node *node, const lil_arrangement *a)
{
    enum { KEYS_MAX = 64 };
    const char *keys[KEYS_MAX] = { NULL };
    int count = 0;
    for (const lil_key *k = lil_particle_keys(); k->name; k++)
        if (strcmp(k->name, a ? "pairs" : "rotate") != 0) /* which belongs to the others */
            keys[count++] = k->name;
    for (int i = 0; a && i < a->field_count; i++)
        keys[count++] = a->fields[i].name;
    return lil_node_check_keys(rd->ctx, node, keys, a ? a->name : "particles");
}

static lil_status arrange(const lil_reader *rd, const lil_arrangement *a, lil_body *body)
{
    void *config = lil_arena_alloc(rd->arena, 1, a->config_size);
    if (!config)
        return lil_fail_memory(rd->ctx);
    lil_fields_default(a->fields, a->field_count, config);
    LIL_TRY(lil_read_known_fields(rd, body->node, a->fields, a->field_count, config));
    lil_status status = a->make(rd->ctx, rd->arena, config, &body->mesh, &body->links);
    if (status != LIL_OK)
        return lil_read_fail_at(rd, body->node, status);
    body->mesh.name = body->name;
    return lil_read_body_placement(rd, body);
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

lil_status lil_read_particles(const lil_reader *rd, lil_body *body)
{
    const lil_node *type = lil_node_get(body->node, "type"), *at = lil_node_get(body->node, "at");
    const lil_arrangement *a = NULL;
    if (type)
        LIL_TRY(find_arrangement(rd, type, &a));
    LIL_TRY(check_keys(rd, body->node, a));
    if (!a && !at)
        return lil_node_fail_key(rd->ctx, body->node,
                                 "'%.60s' needs a place, 'at', or a 'type' that says how it is made", body->name);
    LIL_TRY(a ? arrange(rd, a, body) : read_places(rd, at, body));
    LIL_TRY(read_radius(rd, body));
    for (int i = 0; i < 3 * body->mesh.vertex_count; i++)
        if (!(fabs(body->mesh.x[i]) <= MOST))
            return lil_node_fail(rd->ctx, at ? at : body->node, LIL_ERR_LIMIT,
                                 "particle %d of '%.60s' would be at %g m", i / 3, body->name, body->mesh.x[i]);
    return LIL_OK;
}

/* ---- how they start ---- */

static lil_status read_masses(const lil_reader *rd, const lil_body *body, double *mass)
{
    const lil_node *node = lil_node_get(body->node, "mass");
    int particles = body->mesh.vertex_count, count;
    double *x;
    if (!node)
        return lil_node_fail_key(rd->ctx, body->node, "the particles '%.60s' have no 'mass'", body->name);
    LIL_TRY(lil_read_numbers(rd, node, "mass", false, &x, &count));
    if (count != 1 && count != particles)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'mass' is one number for all or one each, %d, not %d",
                             particles, count);
    for (int i = 0; i < particles; i++) {
        mass[i] = x[count > 1 ? i : 0];
        if (!(mass[i] > 0 && mass[i] <= MOST))
            return lil_node_fail(
                rd->ctx, node, LIL_ERR_INPUT,
                "'mass' must be positive, not %g kg: what has no inertia has no motion (a particle that "
                "is 'fixed' stays where it is)",
                mass[i]);
    }
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
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'velocity' is one for all or one each, %d, not %d",
                             body->mesh.vertex_count, node->count);
    } else {
        double *to = v;
        for (const lil_node *child = node->first; child; child = child->next, to += 3)
            LIL_TRY(lil_read_vector(rd, child, "velocity", to));
    }
    for (int i = 0; i < 3 * body->mesh.vertex_count; i++)
        if (!(fabs(v[i]) <= MOST))
            return lil_node_fail(rd->ctx, node, LIL_ERR_LIMIT, "particle %d of '%.60s' would start with %g m/s",
                                 i / 3, body->name, v[i]);
    return LIL_OK;
}

lil_status lil_read_particle_start(const lil_reader *rd, const lil_body *body, lil_bodies *bs)
{
    memcpy(bs->x + 3 * body->first, body->mesh.x, 3 * (size_t)body->mesh.vertex_count * sizeof *bs->x);
    LIL_TRY(read_masses(rd, body, bs->mass + body->first));
    return read_velocities(rd, body, bs->v + 3 * body->first);
}

/* ---- links ---- */

static lil_status measure_link(const lil_reader *rd, const lil_node *node, const lil_body *body, int link,
                               double *length)
{
    const int *ends = body->links.at[link];
    const double *a = body->mesh.x + 3 * ends[0], *b = body->mesh.x + 3 * ends[1];
    *length = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    if (!(*length > 0) || !isfinite(*length))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "link %d of '%.60s' has no length: particles %d and %d are in one place", link,
                             body->name, ends[0], ends[1]);
    return LIL_OK;
}

/* As long as they are; those between what is held anyway are left out. */
static lil_status read_rigid(const lil_reader *rd, const lil_node *node, const lil_body *body, lil_bodies *bs)
{
    lil_link *links = LIL_NEW(rd->arena, lil_link, body->links.count);
    const char *label = lil_read_label(rd, body->node);
    int count = 0;
    if (!links || !label)
        return lil_fail_memory(rd->ctx);
    for (int i = 0; i < body->links.count; i++) {
        lil_link *l = &links[count];
        *l = (lil_link){ .i = body->first + body->links.at[i][0], .j = body->first + body->links.at[i][1] };
        LIL_TRY(measure_link(rd, node, body, i, &l->length));
        count += !bs->held[l->i] || !bs->held[l->j];
    }
    if (count)
        bs->constraints[bs->constraint_count++] =
            (lil_constraint){ &lil_constraint_distance, links, count, label, body->name };
    return LIL_OK;
}

static lil_status read_elastic(const lil_reader *rd, const lil_node *node, const lil_body *body, lil_bodies *bs)
{
    lil_spring_config c;
    lil_spring *springs = LIL_NEW(rd->arena, lil_spring, body->links.count);
    if (!springs)
        return lil_fail_memory(rd->ctx);
    lil_fields_default(lil_spring_fields, lil_spring_field_count, &c);
    LIL_TRY(lil_read_fields(rd, node, lil_spring_fields, lil_spring_field_count, &c, "links", NULL));
    if (isnan(c.stiffness))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'stiffness' is missing here");
    for (int i = 0; i < body->links.count; i++) {
        double length;
        LIL_TRY(measure_link(rd, node, body, i, &length));
        springs[i] = (lil_spring){ .i = body->first + body->links.at[i][0],
                                   .j = body->first + body->links.at[i][1],
                                   .k = c.stiffness,
                                   .length = c.length >= 0 ? c.length : length };
    }
    bs->springs[bs->spring_set_count++] =
        (lil_spring_set){ { body->links.count, springs }, { c.damping, LIL_DAMPING_EXACT } };
    return LIL_OK;
}

lil_status lil_read_particle_links(const lil_reader *rd, const lil_body *body, lil_bodies *bs)
{
    const lil_node *node = lil_node_get(body->node, "links");
    bool none = node && node->kind == LIL_NODE_SCALAR && strcmp(node->text, "none") == 0;
    if (none || (!node && !body->links.count))
        return LIL_OK;
    if (!body->links.count)
        return lil_node_fail_key(rd->ctx, node,
                                 "'links' joins nothing here: 'pairs' says which particles are linked");
    if (node && node->kind == LIL_NODE_MAP)
        return read_elastic(rd, node, body, bs);
    if (node && (node->kind != LIL_NODE_SCALAR || strcmp(node->text, "rigid") != 0))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "'links' is rigid, none, or a map of springs, {stiffness: 100}");
    return read_rigid(rd, node ? node : body->node, body, bs);
}

/* ---- drag ---- */

lil_status lil_read_particle_drag(const lil_reader *rd, const lil_body *body, lil_bodies *bs)
{
    const lil_node *node = lil_node_get(body->node, "drag"), *wind = lil_node_get(body->node, "wind");
    lil_program *program = NULL, *slopes = NULL;
    double *c;
    int count;
    if (wind && !node)
        return lil_node_fail_key(rd->ctx, wind, "'wind' acts by 'drag', which is missing here");
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, "drag", true, &c, &count));
    if (!(*c >= 0 && *c <= MOST))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'drag' must be 0 or more, not %g kg/s", *c);
    if (wind) {
        program = LIL_NEW(rd->arena, lil_program, 1);
        slopes = LIL_NEW(rd->arena, lil_program, 1);
        if (!program || !slopes)
            return lil_fail_memory(rd->ctx);
        LIL_TRY(lil_read_texts(rd, wind, "wind", &(lil_texts_def){ .t = true, .xyz = true }, program));
        LIL_TRY(lil_read_texts(rd, wind, "wind", &(lil_texts_def){ .t = true, .xyz = true, .slopes = true }, slopes));
    }
    if (*c > 0)
        bs->drags[bs->drag_count++] = (lil_drag_def){ *c, body->first, body->mesh.vertex_count, program, slopes };
    return LIL_OK;
}
