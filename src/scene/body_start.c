/* start: where a body's vertices are at first, and how they move. */
#include "scene/bodies.h"

#include <math.h>
#include <string.h>

/*
 * Stretched and twisted along the mesh's own x, smoothly, with ends free of stress: at x in [-L/2, L/2] from its middle the
 * local stretch is 1 + (s - 1) cos(pi x/L), the section is turned by (twist/2) sin(pi x/L), and it is as narrow as the
 * material makes it under that stretch.
 */
static lil_status deform(const lil_reader *rd, const lil_node *node, const lil_body *body, double stretch,
                         double twist, double *x)
{
    const lil_placement *pl = &body->placement;
    double pi = acos(-1), least[3], most[3];
    lil_box_around(body->own, body->mesh.vertex_count, least, most);
    double L = most[0] - least[0];
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        double own[3], u[3];
        for (int d = 0; d < 3; d++)
            own[d] = body->own[3 * i + d] - (least[d] + most[d]) / 2;
        double phase = pi * own[0] / L, angle = twist / 360 * pi * sin(phase), c = cos(angle), s = sin(angle);
        double local = 1 + (stretch - 1) * cos(phase);
        double lateral = stretch == 1 ? 1 : lil_material_lateral(&body->material, local);
        if (!(lateral > 0))
            return lil_node_fail(rd->ctx, lil_node_get(node, "stretch"), LIL_ERR_INPUT,
                                 "the material takes no stretch of %g", local);
        u[0] = own[0] + (stretch - 1) * L / pi * sin(phase);
        u[1] = lateral * (c * own[1] - s * own[2]);
        u[2] = lateral * (s * own[1] + c * own[2]);
        for (int d = 0; d < 3; d++)
            u[d] += (least[d] + most[d]) / 2;
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = pl->R[3 * d] * u[0] + pl->R[3 * d + 1] * u[1] + pl->R[3 * d + 2] * u[2] + pl->at[d];
    }
    return LIL_OK;
}

lil_status lil_read_body_texts(const lil_reader *rd, const lil_node *node, const char *what, const lil_body *body,
                               double *out)
{
    lil_program program;
    LIL_TRY(lil_read_texts(rd, node, what, &(lil_texts_def){ .xyz = true }, &program));
    double *slots = lil_program_slots(&program, rd->arena);
    if (!slots)
        return lil_fail_memory(rd->ctx);
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

static lil_status read_number(const lil_reader *rd, const lil_node *map, const char *key, double *x)
{
    const lil_node *node = lil_node_get(map, key);
    double *value;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(rd, node, key, true, &value, &count));
    *x = *value;
    return LIL_OK;
}

/* v = push + spin x (x - centre of mass) */
static void move(const lil_body *body, const lil_bodies *bodies, const double spin[3], const double push[3])
{
    const double *x = bodies->x + 3 * body->first, *mass = bodies->mass + body->first;
    double *v = bodies->v + 3 * body->first, total = 0, c[3] = { 0 };
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        total += mass[i];
        for (int d = 0; d < 3; d++)
            c[d] += mass[i] * x[3 * i + d];
    }
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        double r[3];
        for (int d = 0; d < 3; d++)
            r[d] = x[3 * i + d] - c[d] / total;
        for (int d = 0; d < 3; d++)
            v[3 * i + d] = push[d] + spin[(d + 1) % 3] * r[(d + 2) % 3] - spin[(d + 2) % 3] * r[(d + 1) % 3];
    }
}

static lil_status exclude(const lil_reader *rd, const lil_node *map, const char *one, const char *other)
{
    const lil_node *node = lil_node_get(map, other);
    return lil_node_get(map, one) && node
               ? lil_node_fail_key(rd->ctx, node, "'%s' and '%s' cannot both be given", one, other)
               : LIL_OK;
}

/* Some materials do not exist inside out. */
static lil_status check_inverted(const lil_reader *rd, const lil_node *node, const lil_body *body, const double *x)
{
    if (body->material.table->holds & LIL_MATERIAL_INVERTS)
        return LIL_OK;
    for (int e = 0; e < body->mesh.tet_count; e++) {
        const int *tet = body->mesh.tets[e];
        double ratio = lil_tet_volume(x, tet) / lil_tet_volume(body->mesh.x, tet);
        if (!(ratio > 0))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INVERTED,
                                 "tet %d of '%.60s' would start with %g of its volume, which %s does not take", e,
                                 body->name, ratio, body->material.table->name);
    }
    return LIL_OK;
}

/* Squares of what is beyond are not finite. */
static lil_status check_size(const lil_reader *rd, const lil_node *node, const lil_body *body, const double *x,
                             const double *v)
{
    static const double MOST = 1e100;
    for (int i = 0; i < 3 * body->mesh.vertex_count; i++) {
        if (!(fabs(x[i]) <= MOST))
            return lil_node_fail(rd->ctx, node, LIL_ERR_LIMIT, "vertex %d of '%.60s' would start at %g m", i / 3,
                                 body->name, x[i]);
        if (!(fabs(v[i]) <= MOST))
            return lil_node_fail(rd->ctx, node, LIL_ERR_LIMIT, "vertex %d of '%.60s' would start with %g m/s", i / 3,
                                 body->name, v[i]);
    }
    return LIL_OK;
}

/* What is at rest has no velocity of its own. */
static lil_status read_rest(const lil_reader *rd, const lil_node *map, lil_body *body)
{
    const lil_node *node = lil_node_get(map, "rest");
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_SCALAR, "rest"));
    bool yes = strcmp(node->text, "true") == 0;
    if (!yes && strcmp(node->text, "false") != 0)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'rest' must be true or false, not '%.60s'", node->text);
    if (!yes)
        return LIL_OK;
    body->rest = node;
    LIL_TRY(exclude(rd, map, "velocity", "rest"));
    LIL_TRY(exclude(rd, map, "spin", "rest"));
    return exclude(rd, map, "push", "rest");
}

lil_status lil_read_body_start(const lil_reader *rd, lil_body *body, lil_bodies *bodies)
{
    static const char *const keys[] = { "position", "velocity", "stretch", "twist", "spin", "push", "rest", NULL };
    const lil_node *node = lil_node_get(body->node, "start"), *text;
    double *x = bodies->x + 3 * body->first, stretch = 1, twist = 0, spin[3] = { 0 }, push[3] = { 0 };
    memcpy(x, body->mesh.x, 3 * (size_t)body->mesh.vertex_count * sizeof *x);
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "start"));
    LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, "start of a body"));
    LIL_TRY(exclude(rd, node, "position", "stretch"));
    LIL_TRY(exclude(rd, node, "position", "twist"));
    LIL_TRY(exclude(rd, node, "velocity", "spin"));
    LIL_TRY(exclude(rd, node, "velocity", "push"));
    LIL_TRY(read_rest(rd, node, body));
    LIL_TRY(read_number(rd, node, "stretch", &stretch));
    LIL_TRY(read_number(rd, node, "twist", &twist));
    LIL_TRY(lil_read_vector(rd, lil_node_get(node, "spin"), "spin", spin));
    LIL_TRY(lil_read_vector(rd, lil_node_get(node, "push"), "push", push));
    if (!(stretch > 0))
        return lil_node_fail(rd->ctx, lil_node_get(node, "stretch"), LIL_ERR_INPUT,
                             "'stretch' must be positive, not %g", stretch);
    if (stretch != 1 || twist != 0)
        LIL_TRY(deform(rd, node, body, stretch, twist, x));
    if ((text = lil_node_get(node, "position")))
        LIL_TRY(lil_read_body_texts(rd, text, "position", body, x));
    LIL_TRY(check_inverted(rd, text ? text : node, body, x));
    move(body, bodies, spin, push);
    if ((text = lil_node_get(node, "velocity")))
        LIL_TRY(lil_read_body_texts(rd, text, "velocity", body, bodies->v + 3 * body->first));
    return check_size(rd, node, body, x, bodies->v + 3 * body->first);
}
