/* constraints of points in space: particles and vertices of bodies. */
#include "constraints/text.h"
#include "core/field.h"
#include "math/matrix3.h"
#include "scene/bodies.h"
#include "scene/constraints.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENDS_MAX = 3, SETS_EACH = 2 }; /* a line is two planes, a circle a plane and a sphere, a curve two surfaces */

typedef struct entry {
    const lil_reader *rd;
    const lil_node *node, *on; /* the constraint's map, and what stands under its kind */
    const char *label, *name;
    lil_bodies *bs;
} entry;

static double distance(const lil_bodies *bs, int i, int j)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = bs->x[3 * i + k] - bs->x[3 * j + k];
    return sqrt(lil_dot3(d, d));
}

static lil_status add(const entry *e, const lil_constraint_table *table, const void *data, int count)
{
    e->bs->constraints[e->bs->constraint_count++] = (lil_constraint){ table, data, count, e->label, e->name };
    return LIL_OK;
}

/* ---- which points ---- */

static lil_status fail_unknown(const entry *e, const lil_node *node)
{
    const lil_bodies *bs = e->bs;
    char hint[LIL_HINT_MAX], word[80];
    strncpy(word, node->text, sizeof word - 1);
    word[sizeof word - 1] = 0;
    const char *near = lil_nearest(word, &bs->marks[0].name, bs->mark_count, sizeof *bs->marks);
    if (!near && strchr(word, '.')) { /* of rpoe.19 the number is not what is wrong */
        *strchr(word, '.') = 0;
        near = lil_nearest(word, &bs->marks[0].name, bs->mark_count, sizeof *bs->marks);
    }
    return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT, "there is no particle, body or group '%.60s'%s", node->text,
                         lil_hint(near, hint));
}

/* NAME.19, or NAME.last with a group's name */
static lil_status find_part(const entry *e, const lil_node *node, const lil_body *body, const char *part,
                            const int **vertices, int *count)
{
    int total = body->group_count + body->mesh.group_count, *numbers;
    char *end;
    long number = isdigit((unsigned char)part[0]) ? strtol(part, &end, 10) : -1;
    if (number >= 0 && !*end) {
        if (number >= body->mesh.vertex_count)
            return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT,
                                 "there is no '%.60s': they go from %.60s.0 to %.60s.%d", node->text, body->name,
                                 body->name, body->mesh.vertex_count - 1);
        if (!(numbers = LIL_NEW(e->rd->arena, int, 1)))
            return lil_fail_memory(e->rd->ctx);
        *numbers = body->first + (int)number;
        *vertices = numbers;
        *count = 1;
        return LIL_OK;
    }
    for (int i = 0; i < total; i++) {
        const lil_group *g = i < body->group_count ? &body->groups[i] : &body->mesh.groups[i - body->group_count];
        if (strcmp(g->name, part) != 0)
            continue;
        if (!(numbers = LIL_NEW(e->rd->arena, int, g->vertex_count)))
            return lil_fail_memory(e->rd->ctx);
        for (int k = 0; k < g->vertex_count; k++)
            numbers[k] = body->first + g->vertices[k];
        *vertices = numbers;
        *count = g->vertex_count;
        return LIL_OK;
    }
    return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT, "'%.60s' has neither a vertex nor a group '%.60s'",
                         body->name, part);
}

/* particles, a body or a group by name, or a part of the first two */
static lil_status find_points(const entry *e, const lil_node *node, const int **vertices, int *count)
{
    const lil_bodies *bs = e->bs;
    LIL_TRY(lil_node_expect(e->rd->ctx, node, LIL_NODE_SCALAR, "a point"));
    for (int i = 0; i < bs->mark_count; i++)
        if (strcmp(bs->marks[i].name, node->text) == 0) {
            *vertices = bs->marks[i].vertices;
            *count = bs->marks[i].count;
            return LIL_OK;
        }
    const char *dot_at = strchr(node->text, '.');
    for (int i = 0; dot_at && i < bs->count; i++) {
        size_t length = (size_t)(dot_at - node->text);
        if (strlen(bs->list[i].name) == length && strncmp(bs->list[i].name, node->text, length) == 0)
            return find_part(e, node, &bs->list[i], dot_at + 1, vertices, count);
    }
    return fail_unknown(e, node);
}

static lil_status fail_held(const entry *e)
{
    return lil_node_fail(e->rd->ctx, e->on, LIL_ERR_INPUT,
                         "all that '%.60s' would bind is held already, so there is nothing for it to do",
                         e->node->key);
}

/* A list of n points, or of n sets of as many points each: what is then bound is the first of each, the second of each ...
 * What has nothing free in it is left out. (*out)[i] are the i-th of all. */
static lil_status read_ends(const entry *e, int n, int (**out)[ENDS_MAX], int *count)
{
    const int *sets[ENDS_MAX];
    int total = 0, some;
    if (e->on->kind != LIL_NODE_LIST || e->on->count != n)
        return lil_node_fail(e->rd->ctx, e->on, LIL_ERR_INPUT, "'%s' takes a list of %d points", e->on->key, n);
    const lil_node *child = e->on->first;
    for (int k = 0; k < n; k++, child = child->next) {
        LIL_TRY(find_points(e, child, &sets[k], &some));
        total = k ? total : some;
        if (some != total)
            return lil_node_fail(e->rd->ctx, child, LIL_ERR_INPUT,
                                 "'%.60s' is %d points, and '%.60s' is %d: NAME.0 is the first of NAME", child->text,
                                 some, e->on->first->text, total);
    }
    if (!(*out = lil_arena_alloc(e->rd->arena, (size_t)total, sizeof **out)))
        return lil_fail_memory(e->rd->ctx);
    *count = 0;
    for (int i = 0; i < total; i++) {
        bool held = true;
        for (int k = 0; k < n; k++) {
            int v = (*out)[*count][k] = sets[k][i];
            held = held && e->bs->held[v];
            for (int l = 0; l < k; l++)
                if (sets[l][i] == v)
                    return lil_node_fail(e->rd->ctx, e->on, LIL_ERR_INPUT, "'%.60s' has a point stand here twice",
                                         e->node->key);
        }
        *count += !held;
    }
    return *count ? LIL_OK : fail_held(e);
}

/* One point or set of points, or a list of them: those that are free, each once. */
static lil_status read_set(const entry *e, int **out, int *count)
{
    const lil_bodies *bs = e->bs;
    bool list = e->on->kind == LIL_NODE_LIST, *chosen = LIL_NEW(e->rd->arena, bool, bs->vertex_count);
    int total = 0;
    if (!chosen)
        return lil_fail_memory(e->rd->ctx);
    for (const lil_node *child = list ? e->on->first : e->on; child; child = list ? child->next : NULL) {
        const int *vertices;
        int some;
        LIL_TRY(find_points(e, child, &vertices, &some));
        for (int k = 0; k < some; k++) {
            total += !chosen[vertices[k]] && !bs->held[vertices[k]];
            chosen[vertices[k]] = true;
        }
    }
    if (!total)
        return fail_held(e);
    if (!(*out = LIL_NEW(e->rd->arena, int, total)))
        return lil_fail_memory(e->rd->ctx);
    *count = 0;
    for (int v = 0; v < bs->vertex_count; v++)
        if (chosen[v] && !bs->held[v])
            (*out)[(*count)++] = v;
    return LIL_OK;
}

/* ---- numbers ---- */

static lil_status read_vector(const entry *e, const char *key, double x[3])
{
    const lil_node *node;
    LIL_TRY(lil_read_member(e->rd, e->node, key, &node));
    return lil_read_vector(e->rd, node, key, x);
}

static lil_status read_direction(const entry *e, const char *key, double n[3])
{
    LIL_TRY(read_vector(e, key, n));
    double length = sqrt(lil_dot3(n, n));
    if (!(length > 0) || !isfinite(length))
        return lil_node_fail(e->rd->ctx, lil_node_get(e->node, key), LIL_ERR_INPUT, "'%s' must have a length", key);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
    return LIL_OK;
}

/* *x as it comes in where the key is not there */
static lil_status read_positive(const entry *e, const char *key, double *x)
{
    const lil_node *node = lil_node_get(e->node, key);
    double *value;
    int count;
    if (!node)
        return LIL_OK;
    LIL_TRY(lil_read_numbers(e->rd, node, key, true, &value, &count));
    if (!(*value > 0))
        return lil_node_fail(e->rd->ctx, node, LIL_ERR_INPUT, "'%s' must be positive, not %g", key, *value);
    *x = *value;
    return LIL_OK;
}

/* ---- between points ---- */

static lil_status read_distance(const entry *e)
{
    int(*ends)[ENDS_MAX] = NULL, count = 0;
    double length = -1;
    LIL_TRY(read_ends(e, 2, &ends, &count));
    LIL_TRY(read_positive(e, "length", &length));
    lil_link *links = LIL_NEW(e->rd->arena, lil_link, count);
    if (!links)
        return lil_fail_memory(e->rd->ctx);
    for (int i = 0; i < count; i++) {
        double apart = distance(e->bs, ends[i][0], ends[i][1]);
        links[i] = (lil_link){ ends[i][0], ends[i][1], length > 0 ? length : apart };
        if (!(apart > 0)) /* without a direction it has no gradient either */
            return lil_node_fail(
                e->rd->ctx, e->on, LIL_ERR_INPUT,
                "'%.60s' would start with no length: its points are in one place ('equal' keeps them there)",
                e->node->key);
    }
    return add(e, &lil_constraint_distance, links, count);
}

static lil_status make_angle(const entry *e, const int ends[3], double degrees, lil_angle *angle)
{
    const double STRAIGHT = 1 - 1e-9; /* where the cosine no longer tells angles apart */
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = e->bs->x[3 * ends[0] + k] - e->bs->x[3 * ends[1] + k];
        b[k] = e->bs->x[3 * ends[2] + k] - e->bs->x[3 * ends[1] + k];
    }
    double la = sqrt(lil_dot3(a, a)), lb = sqrt(lil_dot3(b, b)), start = lil_dot3(a, b) / (la * lb);
    if (!(la > 0 && lb > 0))
        return lil_node_fail(e->rd->ctx, e->on, LIL_ERR_INPUT, "an arm of '%.60s' has no length", e->node->key);
    double cosine = degrees > 0 ? cos(degrees * (acos(-1) / 180)) : start;
    if (!(fabs(cosine) < STRAIGHT) || !(fabs(start) < STRAIGHT) || degrees > 180)
        return lil_node_fail(
            e->rd->ctx, degrees > 0 ? lil_node_get(e->node, "degrees") : e->on, LIL_ERR_INPUT,
            "an angle is between 0 and 180 degrees and neither of them, at the start too (three points "
            "in a row are kept by 'distance')");
    *angle = (lil_angle){ ends[0], ends[1], ends[2], cosine, fmin(la, lb) };
    return LIL_OK;
}

static lil_status read_angle(const entry *e)
{
    int(*ends)[ENDS_MAX] = NULL, count = 0;
    double degrees = -1;
    LIL_TRY(read_ends(e, 3, &ends, &count));
    LIL_TRY(read_positive(e, "degrees", &degrees));
    lil_angle *angles = LIL_NEW(e->rd->arena, lil_angle, count);
    if (!angles)
        return lil_fail_memory(e->rd->ctx);
    for (int i = 0; i < count; i++)
        LIL_TRY(make_angle(e, ends[i], degrees, &angles[i]));
    return add(e, &lil_constraint_angle, angles, count);
}

static lil_status read_equal(const entry *e)
{
    int(*ends)[ENDS_MAX] = NULL, count = 0;
    LIL_TRY(read_ends(e, 2, &ends, &count));
    lil_joint *joints = LIL_NEW(e->rd->arena, lil_joint, count);
    if (!joints)
        return lil_fail_memory(e->rd->ctx);
    for (int i = 0; i < count; i++)
        joints[i] = (lil_joint){ ends[i][0], ends[i][1] };
    return add(e, &lil_constraint_equal, joints, count);
}

/* ---- on something in space ---- */

/* Planes with normal n, through a point or, where that is NULL, through where each starts. */
static lil_status add_planes(const entry *e, const int *vertices, int count, const double n[3], const double *through)
{
    lil_on_plane *planes = LIL_NEW(e->rd->arena, lil_on_plane, count);
    if (!planes)
        return lil_fail_memory(e->rd->ctx);
    for (int i = 0; i < count; i++)
        planes[i] = (lil_on_plane){ vertices[i],
                                    { n[0], n[1], n[2] },
                                    lil_dot3(n, through ? through : e->bs->x + 3 * vertices[i]) };
    return add(e, &lil_constraint_plane, planes, count);
}

static lil_status add_spheres(const entry *e, const int *vertices, int count, const double centre[3], double radius)
{
    lil_on_sphere *spheres = LIL_NEW(e->rd->arena, lil_on_sphere, count);
    if (!spheres)
        return lil_fail_memory(e->rd->ctx);
    for (int i = 0; i < count; i++) {
        spheres[i] = (lil_on_sphere){ vertices[i], { centre[0], centre[1], centre[2] }, radius };
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = e->bs->x[3 * vertices[i] + k] - centre[k];
        if (!(lil_dot3(d, d) > 0))
            return lil_node_fail(e->rd->ctx, e->on, LIL_ERR_INPUT,
                                 "'%.60s' would start with a point at its centre, from where no direction leads out",
                                 e->node->key);
    }
    return add(e, &lil_constraint_sphere, spheres, count);
}

static lil_status read_through(const entry *e, double at[3], const double **through)
{
    const lil_node *node = lil_node_get(e->node, "through");
    *through = node ? at : NULL;
    return lil_read_vector(e->rd, node, "through", at);
}

static lil_status read_plane(const entry *e)
{
    double n[3], at[3];
    const double *through;
    int *vertices, count;
    LIL_TRY(read_set(e, &vertices, &count));
    LIL_TRY(read_direction(e, "normal", n));
    LIL_TRY(read_through(e, at, &through));
    return add_planes(e, vertices, count, n, through);
}

static lil_status read_line(const entry *e)
{
    double along[3], at[3], n[2][3], length = 0;
    const double *through;
    int *vertices, count, least = 0;
    LIL_TRY(read_set(e, &vertices, &count));
    LIL_TRY(read_direction(e, "along", along));
    LIL_TRY(read_through(e, at, &through));
    for (int k = 1; k < 3; k++)
        least = fabs(along[k]) < fabs(along[least]) ? k : least;
    for (int k = 0; k < 3; k++) { /* the axis farthest from it, less its part along it */
        n[0][k] = (k == least) - along[least] * along[k];
        length += n[0][k] * n[0][k];
    }
    for (int k = 0; k < 3; k++)
        n[0][k] /= sqrt(length);
    for (int k = 0; k < 3; k++)
        n[1][k] = along[(k + 1) % 3] * n[0][(k + 2) % 3] - along[(k + 2) % 3] * n[0][(k + 1) % 3];
    LIL_TRY(add_planes(e, vertices, count, n[0], through));
    return add_planes(e, vertices, count, n[1], through);
}

static lil_status read_round(const entry *e, double centre[3], double *radius)
{
    const lil_node *node;
    LIL_TRY(read_vector(e, "centre", centre));
    LIL_TRY(lil_read_member(e->rd, e->node, "radius", &node));
    *radius = 0;
    return read_positive(e, "radius", radius);
}

static lil_status read_sphere(const entry *e)
{
    double centre[3], radius;
    int *vertices, count;
    LIL_TRY(read_set(e, &vertices, &count));
    LIL_TRY(read_round(e, centre, &radius));
    return add_spheres(e, vertices, count, centre, radius);
}

static lil_status read_circle(const entry *e)
{
    double centre[3], radius, n[3];
    int *vertices, count;
    LIL_TRY(read_set(e, &vertices, &count));
    LIL_TRY(read_round(e, centre, &radius));
    LIL_TRY(read_direction(e, "normal", n));
    LIL_TRY(add_planes(e, vertices, count, n, centre));
    return add_spheres(e, vertices, count, centre, radius);
}

static lil_status add_texts(const entry *e, const lil_node *node, const int *vertices, int count)
{
    lil_on_text *members = LIL_NEW(e->rd->arena, lil_on_text, count);
    const char *what = lil_arena_format(e->rd->arena, "constraints.%s", e->node->key);
    lil_scope scope;
    const struct lil_text_constraint *text;
    if (!members || !what)
        return lil_fail_memory(e->rd->ctx);
    LIL_TRY(lil_node_expect(e->rd->ctx, node, LIL_NODE_SCALAR, what));
    LIL_TRY(lil_read_text_scope(e->rd, &(lil_texts_def){ .xyz = true }, &scope));
    lil_source source = lil_node_source(node, what);
    LIL_TRY(lil_read_hint(e->rd->ctx, node,
                          lil_text_constraint_create(e->rd->ctx, e->rd->arena, &scope, 3, &source, &text)));
    for (int i = 0; i < count; i++)
        members[i] = (lil_on_text){ text, 3 * vertices[i] };
    return add(e, &lil_constraint_text, members, count);
}

static lil_status read_surface(const entry *e)
{
    const lil_node *value;
    int *vertices, count;
    LIL_TRY(read_set(e, &vertices, &count));
    LIL_TRY(lil_read_member(e->rd, e->node, "value", &value));
    return add_texts(e, value, vertices, count);
}

static lil_status read_curve(const entry *e)
{
    const lil_node *values;
    int *vertices, count;
    LIL_TRY(read_set(e, &vertices, &count));
    LIL_TRY(lil_read_member(e->rd, e->node, "values", &values));
    if (values->kind != LIL_NODE_LIST || values->count != 2)
        return lil_node_fail(e->rd->ctx, values, LIL_ERR_INPUT,
                             "a curve is where two expressions of x, y and z are 0: 'values' is a list of two");
    LIL_TRY(add_texts(e, values->first, vertices, count));
    return add_texts(e, values->first->next, vertices, count);
}

/* ---- the kinds ---- */

typedef struct kind {
    lil_constraint_kind is;
    bool outside; /* it holds on to what is no vertex, and so takes momentum */
    lil_status (*read)(const entry *e);
} kind;

#define POINT_SET "{\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]}"
#define ENDS(n) "{\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"minItems\": " n ", \"maxItems\": " n "}"
#define VECTOR "{\"$ref\": \"#/definitions/vector\"}"
#define NUMBER "{\"$ref\": \"#/definitions/number\"}"

static const kind kinds[] = {
    { { .name = "distance",
        .keys = { "length" },
        .doc = "two points stay as far apart as they are, or `length`, m: a rigid link",
        .example = "{distance: [hub, rope.0], length: 1}",
        .schema = "\"distance\": " ENDS("2") ", \"length\": " NUMBER,
        .required = "\"distance\"" },
      false,
      read_distance },
    { { .name = "angle",
        .keys = { "degrees" },
        .doc = "the angle at the second of three points stays as it is, or `degrees`; not 0 or 180",
        .example = "{angle: [a, b, c], degrees: 90}",
        .schema = "\"angle\": " ENDS("3") ", \"degrees\": " NUMBER,
        .required = "\"angle\"" },
      false,
      read_angle },
    { { .name = "equal",
        .keys = { NULL },
        .doc = "two points stay in one place",
        .example = "{equal: [rope.last, body.12]}",
        .schema = "\"equal\": " ENDS("2"),
        .required = "\"equal\"" },
      false,
      read_equal },
    { { .name = "plane",
        .keys = { "normal", "through" },
        .doc = "points stay on a plane `through` a place (without it, where each starts)",
        .example = "{plane: [p, q], normal: [0, 0, 1]}",
        .schema = "\"plane\": " POINT_SET ", \"normal\": " VECTOR ", \"through\": " VECTOR,
        .required = "\"plane\", \"normal\"" },
      true,
      read_plane },
    { { .name = "line",
        .keys = { "along", "through" },
        .doc = "points stay on a straight line, `through` likewise",
        .example = "{line: bead, along: [1, 0, 0], through: [0, 0, 1]}",
        .schema = "\"line\": " POINT_SET ", \"along\": " VECTOR ", \"through\": " VECTOR,
        .required = "\"line\", \"along\"" },
      true,
      read_line },
    { { .name = "sphere",
        .keys = { "centre", "radius" },
        .doc = "points stay on a sphere",
        .example = "{sphere: bob, centre: [0, 0, 0], radius: 1}",
        .schema = "\"sphere\": " POINT_SET ", \"centre\": " VECTOR ", \"radius\": " NUMBER,
        .required = "\"sphere\", \"centre\", \"radius\"" },
      true,
      read_sphere },
    { { .name = "circle",
        .keys = { "centre", "radius", "normal" },
        .doc = "points stay on a circle in the plane across `normal`",
        .example = "{circle: bead, centre: [0, 0, 0], radius: 1, normal: [0, 1, 0]}",
        .schema = "\"circle\": " POINT_SET ", \"centre\": " VECTOR ", \"radius\": " NUMBER ", \"normal\": " VECTOR,
        .required = "\"circle\", \"centre\", \"radius\", \"normal\"" },
      true,
      read_circle },
    { { .name = "surface",
        .keys = { "value" },
        .doc = "points stay where an expression of x, y, z is 0",
        .example = "{surface: bead, value: x^2/4 + y^2 + z^2 - 1}",
        .schema = "\"surface\": " POINT_SET ", \"value\": " NUMBER,
        .required = "\"surface\", \"value\"" },
      true,
      read_surface },
    { { .name = "curve",
        .keys = { "values" },
        .doc = "points stay where two of them are",
        .example = "{curve: bead, values: [z - x^2, y]}",
        .schema = "\"curve\": " POINT_SET ", \"values\": {\"type\": \"array\", \"items\": " NUMBER
                  ", \"minItems\": 2, \"maxItems\": 2}",
        .required = "\"curve\", \"values\"" },
      true,
      read_curve },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const lil_constraint_kind *lil_constraint_kind_at(int index)
{
    return index >= 0 && index < KINDS ? &kinds[index].is : NULL;
}

/* ---- all of them ---- */

static lil_status find_kind(const lil_reader *rd, const lil_node *node, const kind **found)
{
    const char *names[KINDS];
    char hint[LIL_MESSAGE_MAX / 4];
    *found = NULL;
    for (int i = 0; i < KINDS; i++) {
        names[i] = kinds[i].is.name;
        if (!lil_node_get(node, names[i]))
            continue;
        if (*found)
            return lil_node_fail_key(rd->ctx, lil_node_get(node, names[i]),
                                     "'%.60s' is a '%s' already: one kind each", node->key, (*found)->is.name);
        *found = &kinds[i];
    }
    if (*found)
        return LIL_OK;
    const char *near = NULL;
    const lil_node *at = node;
    for (const lil_node *child = node->first; child && !near; child = child->next)
        if ((near = lil_nearest(child->key, names, KINDS, sizeof *names)))
            at = child;
    return lil_node_fail_key(rd->ctx, at, "the constraint '%.60s' has no kind%s", node->key,
                             near ? lil_hint(near, hint) : lil_hint_all(names, KINDS, hint, sizeof hint));
}

static lil_status read_one(const lil_reader *rd, const lil_node *node, lil_bodies *bs)
{
    enum { KEYS_MAX = 6 };
    const kind *k;
    const char *keys[KEYS_MAX] = { NULL };
    LIL_TRY(lil_check_name(rd->ctx, node, "constraint"));
    if (node->kind == LIL_NODE_SCALAR)
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "among points in space a constraint is a map, {surface: NAME, value: expression}");
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, node->key));
    LIL_TRY(find_kind(rd, node, &k));
    keys[0] = k->is.name;
    for (int i = 0; k->is.keys[i]; i++)
        keys[1 + i] = k->is.keys[i];
    LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, k->is.name));
    entry e = { rd,
                node,
                lil_node_get(node, k->is.name),
                lil_read_label(rd, node),
                lil_arena_copy(rd->arena, node->key, strlen(node->key)),
                bs };
    if (!e.label || !e.name)
        return lil_fail_memory(rd->ctx);
    bs->bound_outside = bs->bound_outside || k->outside;
    return k->read(&e);
}

int lil_point_constraint_sets(const lil_node *root)
{
    const lil_node *map = lil_node_get(root, "constraints");
    return map ? SETS_EACH * map->count : 0;
}

lil_status lil_read_point_constraints(const lil_reader *rd, const lil_node *root, lil_bodies *bs)
{
    const lil_node *map = lil_node_get(root, "constraints");
    if (!map)
        return LIL_OK;
    LIL_TRY(lil_node_expect(rd->ctx, map, LIL_NODE_MAP, "constraints"));
    for (const lil_node *node = map->first; node; node = node->next)
        LIL_TRY(read_one(rd, node, bs));
    return LIL_OK;
}
