#include "scene/select.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct selector {
    const lil_reader *rd;
    const lil_mesh *mesh;
    const lil_group *groups;
    int group_count;
    double slack; /* m: what counts as on the boundary */
    bool *chosen;
} selector;

/* ---- balls and half spaces ---- */

typedef struct region {
    double centre[3], radius, point[3], normal[3];
} region;

static const lil_field sphere_fields[] = {
    LIL_FIELD_VECTOR(region, centre, NAN, "m", ""),
    LIL_FIELD_REAL(region, radius, NAN, 1e-300, 1e300, "m", ""),
};
static const lil_field plane_fields[] = {
    LIL_FIELD_VECTOR(region, point, NAN, "m", ""),
    LIL_FIELD_VECTOR(region, normal, NAN, "", ""),
};
static const lil_key select_keys[] = {
    { LIL_KEY("box", "box", "") },
    { LIL_KEY("sphere", "sphere", "") },
    { LIL_KEY("plane", "plane", "") },
    { LIL_KEY("vertices", "numbers", "") },
    { LIL_KEY("group", "text | whole", "") },
    { LIL_KEY("nearest", "vector | [vector]", "") },
    { 0 },
};
const lil_mapping lil_sphere_table = { .in = "sphere", LIL_FIELDS(sphere_fields) };
const lil_mapping lil_plane_table = { .in = "plane", LIL_FIELDS(plane_fields) };
const lil_mapping lil_select_table = { .in = "a selection of vertices",
                                       .keys = select_keys,
                                       .one_of = "box sphere plane vertices group nearest" };

/* ---- the ways of choosing ---- */

/* [[x, y, z], [x, y, z]]: two corners */
static lil_status choose_box(selector *s, const lil_node *node)
{
    double corner[2][3];
    const lil_node *child = node->first;
    if (node->kind != LIL_NODE_LIST || node->count != 2)
        return lil_node_fail(s->rd->ctx, node, LIL_ERR_INPUT, "a box is two corners, [[x, y, z], [x, y, z]]");
    for (int i = 0; i < 2; i++, child = child->next)
        LIL_TRY(lil_read_vector(s->rd, child, "a corner of a box", corner[i]));
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        bool in = true;
        for (int d = 0; d < 3; d++) {
            double x = s->mesh->x[3 * v + d];
            in = in && x >= fmin(corner[0][d], corner[1][d]) - s->slack &&
                 x <= fmax(corner[0][d], corner[1][d]) + s->slack;
        }
        s->chosen[v] = s->chosen[v] || in;
    }
    return LIL_OK;
}

/* {centre: [x, y, z], radius: r} */
static lil_status choose_sphere(selector *s, const lil_node *node)
{
    region ball;
    LIL_TRY(lil_read_table(s->rd, node, &lil_sphere_table, &ball));
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        const double *x = s->mesh->x + 3 * v;
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (x[d] - ball.centre[d]) * (x[d] - ball.centre[d]);
        s->chosen[v] = s->chosen[v] || sqrt(square) <= ball.radius + s->slack;
    }
    return LIL_OK;
}

/* {point: [x, y, z], normal: [x, y, z]}: on the plane and where the normal points */
static lil_status choose_plane(selector *s, const lil_node *node)
{
    region half;
    LIL_TRY(lil_read_table(s->rd, node, &lil_plane_table, &half));
    const double *p = half.point, *n = half.normal;
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (!(length > 0))
        return lil_node_fail(s->rd->ctx, lil_node_get(node, "normal"), LIL_ERR_INPUT, "the normal has no length");
    for (int v = 0; v < s->mesh->vertex_count; v++) {
        const double *x = s->mesh->x + 3 * v;
        double height = ((x[0] - p[0]) * n[0] + (x[1] - p[1]) * n[1] + (x[2] - p[2]) * n[2]) / length;
        s->chosen[v] = s->chosen[v] || height >= -s->slack;
    }
    return LIL_OK;
}

static lil_status choose_vertices(selector *s, const lil_node *node)
{
    double *x;
    int count;
    LIL_TRY(lil_read_numbers(s->rd, node, "vertices", false, &x, &count));
    for (int i = 0; i < count; i++) {
        if (!(x[i] >= 0 && x[i] < s->mesh->vertex_count) || x[i] != floor(x[i]))
            return lil_node_fail(s->rd->ctx, node, LIL_ERR_INPUT, "there is no vertex %g: vertices go from 0 to %d",
                                 x[i], s->mesh->vertex_count - 1);
        s->chosen[(int)x[i]] = true;
    }
    return LIL_OK;
}

/* [x, y, z], or a list of such */
static lil_status choose_nearest(selector *s, const lil_node *node)
{
    bool several = node->kind == LIL_NODE_LIST && node->first && node->first->kind == LIL_NODE_LIST;
    for (const lil_node *one = several ? node->first : node; one; one = several ? one->next : NULL) {
        double x[3];
        LIL_TRY(lil_read_vector(s->rd, one, "nearest", x));
        s->chosen[lil_mesh_nearest(s->mesh, x)] = true;
    }
    return LIL_OK;
}

static lil_status choose_group(selector *s, const lil_node *node)
{
    LIL_TRY(lil_node_expect(s->rd->ctx, node, LIL_NODE_SCALAR, "group"));
    int total = s->group_count + s->mesh->group_count;
    const char **names;
    LIL_ALLOC(s->rd->ctx, s->rd->arena, names, total);
    for (int i = 0; i < total; i++) {
        const lil_group *g = i < s->group_count ? &s->groups[i] : &s->mesh->groups[i - s->group_count];
        names[i] = g->name;
        if (strcmp(g->name, node->text) != 0)
            continue;
        for (int k = 0; k < g->vertex_count; k++)
            s->chosen[g->vertices[k]] = true;
        return LIL_OK;
    }
    if (strcmp(node->text, "all") == 0) {
        memset(s->chosen, true, (size_t)s->mesh->vertex_count * sizeof *s->chosen);
        return LIL_OK;
    }
    char hint[LIL_MESSAGE_MAX / 4];
    const char *near = lil_nearest(node->text, names, total, sizeof *names);
    return lil_node_fail(s->rd->ctx, node, LIL_ERR_INPUT, "there is no group '%.60s' in %.60s%s", node->text,
                         s->mesh->name,
                         !total ? ", which has no group but 'all'"
                         : near ? lil_hint(near, hint)
                                : lil_hint_all(names, total, hint, sizeof hint));
}

/* ---- select ---- */

static lil_status choose(selector *s, const lil_node *node)
{
    static lil_status (*const ways[])(selector *,
                                      const lil_node *) = { choose_box,      choose_sphere, choose_plane,
                                                            choose_vertices, choose_group,  choose_nearest };
    /* a group of a mesh may be called 7; particles have numbers alone */
    if (node->kind == LIL_NODE_SCALAR && !s->mesh->tet_count && isdigit((unsigned char)node->text[0]))
        return choose_vertices(s, node);
    if (node->kind == LIL_NODE_SCALAR)
        return choose_group(s, node);
    if (node->kind == LIL_NODE_LIST) {
        for (const lil_node *child = node->first; child; child = child->next)
            LIL_TRY(choose(s, child));
        return LIL_OK;
    }
    LIL_TRY(lil_table_check(s->rd, node, &lil_select_table, NULL));
    if (node->count != 1)
        return lil_node_fail(
            s->rd->ctx, node, LIL_ERR_INPUT,
            "a selection has one of box, sphere, plane, vertices, group and nearest (a list joins several)");
    for (int i = 0; select_keys[i].name; i++)
        if (strcmp(select_keys[i].name, node->first->key) == 0)
            return ways[i](s, node->first);
    return LIL_OK;
}

lil_status lil_select(const lil_reader *rd, const lil_node *node, const lil_mesh *mesh, const lil_group *groups,
                      int group_count, lil_group *out)
{
    double least[3], most[3], size = lil_box_around(mesh->x, mesh->vertex_count, least, most);
    /* slack is a billionth of the body: what round-off moves */
    selector s = { rd, mesh, groups, group_count, 1e-9 * size, LIL_NEW(rd->arena, bool, mesh->vertex_count) };
    *out = (lil_group){ .vertices = LIL_NEW(rd->arena, int, mesh->vertex_count) };
    LIL_HAVE(rd->ctx, s.chosen && out->vertices);
    LIL_TRY(choose(&s, node));
    for (int v = 0; v < mesh->vertex_count; v++)
        if (s.chosen[v])
            out->vertices[out->vertex_count++] = v;
    if (!out->vertex_count)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "no vertex of %.60s is selected here", mesh->name);
    return LIL_OK;
}
