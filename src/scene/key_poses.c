#include "scene/key_poses.h"

#include "core/field.h"
#include "record/file/recorded_keys.h"

#include <math.h>
#include <string.h>

static const lil_key placing_keys[] = {
    { LIL_KEY("file", "text", "") },     { LIL_KEY("position", "texts", "") },  { LIL_KEY("rotate", "texts", "") },
    { LIL_KEY("scale", "numbers", "") }, { LIL_KEY("translate", "texts", "") }, { 0 },
};
static const lil_key point_keys[] = { { LIL_KEY("at", "texts", ""), .required = LIL_REQUIRED },
                                      { LIL_KEY("rotate", "texts", "") },
                                      { 0 } };
static const lil_key frame_keys[] = {
    { LIL_KEY("file", "text", ""), .required = LIL_REQUIRED },
    { LIL_KEY("t", "number", ""), .required = LIL_REQUIRED },
    { 0 },
};
const lil_mapping lil_placing_table = { .in = "a pose", .keys = placing_keys, .exclude = "file position" };
const lil_mapping lil_point_table = { .in = "a point", .keys = point_keys };
const lil_mapping lil_frame_table = { .in = "a frame", .keys = frame_keys };

typedef struct posing {
    const lil_reader *rd;
    const lil_system *sys;
    const lil_world *bs;
    lil_key_text *text;
    lil_key_def *def;
    lil_pose_def *poses;
    double *x, *v; /* of all coordinates */
} posing;

static lil_status find_body(const posing *p, const lil_node *node, int *body)
{
    char hint[LIL_HINT_MAX];
    const lil_world *bs = p->bs;
    for (int i = 0; i < bs->count; i++)
        if (strcmp(bs->list[i].name, node->key) == 0) {
            *body = i;
            return LIL_OK;
        }
    return lil_node_fail_key(p->rd->ctx, node, "there is no body '%.60s'%s", node->key,
                             lil_hint(lil_nearest(node->key, &bs->list[0].name, bs->count, sizeof *bs->list), hint));
}

static bool is_body(const posing *p, const char *name)
{
    for (int i = 0; i < p->bs->count; i++)
        if (strcmp(p->bs->list[i].name, name) == 0)
            return true;
    return false;
}

/* A value without a name refers to the only body. */
static lil_status only_body(const posing *p, const lil_node *node, const char *what, int *body)
{
    *body = 0;
    return p->bs->count == 1
               ? LIL_OK
               : lil_node_fail_key(p->rd->ctx, node, "there are %d bodies: name one, as in %s: {%s: ...}",
                                   p->bs->count, what, p->bs->list[0].name);
}

/* ---- poses of a body ---- */

static lil_pose_def *add_pose(posing *p, const lil_node *node, int body)
{
    lil_pose_def *pose = &p->poses[p->def->pose_count];
    *pose = lil_pose_def_default();
    pose->body = body;
    p->text->poses[p->def->pose_count] = p->text->surfaces[p->def->pose_count] = node;
    p->def->poses = p->poses;
    p->def->pose_count++;
    return pose;
}

/* The contents of the file, placed as the body is: its vertices, or those of the surface that it fills. */
static lil_status read_pose_file(const posing *p, const lil_node *node, lil_pose_def *pose)
{
    const lil_reader *rd = p->rd;
    const lil_body *body = &p->bs->list[pose->body];
    const char *path;
    double *found;
    int count;
    LIL_TRY(lil_read_body_path(rd, node, "file", &path));
    lil_status status;
    if (!lil_surface_is_named(path) && !lil_mesh_is_named(path))
        return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                             "%.200s: a pose must be a surface, which ends in .obj, .ply or .stl, or a mesh, which "
                             "ends in .msh, .node, .ele, .mesh or .vtk",
                             path);
    if (lil_surface_is_named(path)) {
        lil_surface surface;
        status = lil_surface_read(rd->ctx, rd->arena, path, &surface);
        found = surface.x;
        count = surface.vertex_count;
    } else {
        lil_mesh mesh;
        status = lil_mesh_read(rd->ctx, rd->arena, path, &mesh);
        found = mesh.x;
        count = mesh.vertex_count;
    }
    if (status != LIL_OK)
        return lil_read_fail_at(rd, node, status);
    bool rides = body->surface.vertex_count > 0 && count == body->surface.vertex_count;
    if (count != body->mesh.vertex_count && !rides)
        return body->surface.vertex_count
                   ? lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                   "%.200s: has %d vertices, but the surface of '%.60s' has %d and its tets %d", path,
                                   count, body->name, body->surface.vertex_count, body->mesh.vertex_count)
                   : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%.200s: has %d vertices, but '%.60s' has %d", path,
                                   count, body->name, body->mesh.vertex_count);
    lil_body_place(body, found, (size_t)count);
    if (rides)
        pose->surface = found;
    else
        pose->x = found;
    p->text->surfaces[p->def->pose_count - 1] = node;
    return LIL_OK;
}

static lil_status read_degrees(const lil_reader *rd, const lil_node *node, double degrees[3])
{
    LIL_TRY(lil_read_vector(rd, node, "rotate", degrees));
    for (int d = 0; d < 3; d++)
        if (!(fabs(degrees[d]) <= 1e6))
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "'rotate' must be at most 1e6 degrees, not %g",
                                 degrees[d]);
    return LIL_OK;
}

/* rest, or {position | file, scale, rotate, translate} */
static lil_status read_pose(posing *p, const lil_node *node, int body)
{
    const lil_reader *rd = p->rd;
    lil_pose_def *pose = add_pose(p, node, body);
    if (node->kind == LIL_NODE_SCALAR)
        return strcmp(node->text, "rest") == 0
                   ? LIL_OK
                   : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                   "a pose must be 'rest' or a map with 'rotate', 'translate', 'scale', 'position' "
                                   "or 'file', not '%.60s'",
                                   node->text);
    LIL_TRY(lil_table_check(rd, node, &lil_placing_table, NULL));
    const lil_node *file = lil_node_get(node, "file"), *position = lil_node_get(node, "position");
    if (file)
        LIL_TRY(read_pose_file(p, file, pose));
    if (position) {
        double *x;
        LIL_ALLOC(rd->ctx, rd->arena, x, 3 * (size_t)p->bs->list[body].mesh.vertex_count);
        LIL_TRY(lil_read_body_texts(rd, position, "position", &p->bs->list[body], x));
        pose->x = x;
    }
    LIL_TRY(lil_read_scale(rd, lil_node_get(node, "scale"), pose->scale));
    LIL_TRY(read_degrees(rd, lil_node_get(node, "rotate"), pose->rotate));
    return lil_read_vector(rd, lil_node_get(node, "translate"), "translate", pose->translate);
}

/* For all bodies, the only one, or each named one. */
static lil_status read_poses(posing *p, const lil_node *node)
{
    int body;
    if (node->kind == LIL_NODE_SCALAR) {
        for (int i = 0; i < p->bs->count; i++)
            LIL_TRY(read_pose(p, node, i));
        return LIL_OK;
    }
    if (node->kind == LIL_NODE_MAP && node->first && is_body(p, node->first->key)) {
        for (const lil_node *child = node->first; child; child = child->next) {
            LIL_TRY(find_body(p, child, &body));
            LIL_TRY(read_pose(p, child, body));
        }
        return LIL_OK;
    }
    LIL_TRY(only_body(p, node, "pose", &body));
    return read_pose(p, node, body);
}

static lil_status read_file(posing *p, const lil_node *node)
{
    int body;
    LIL_TRY(only_body(p, node, "pose: {NAME: {file: ...}} instead of file", &body));
    return read_pose_file(p, node, add_pose(p, node, body));
}

/* ---- points ---- */

/* [x, y, z], of which some may be `free` */
static lil_status read_place(const posing *p, const lil_node *node, lil_point_def *point)
{
    const lil_node *child = node->first;
    if (node->kind != LIL_NODE_LIST || node->count != 3)
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "a point's position must be [x, y, z]");
    for (int d = 0; d < 3; d++, child = child->next) {
        double *x;
        int count;
        point->free[d] = child->kind == LIL_NODE_SCALAR && strcmp(child->text, "free") == 0;
        if (point->free[d])
            continue;
        LIL_TRY(lil_read_numbers(p->rd, child, "a point's position", true, &x, &count));
        point->at[d] = *x;
    }
    if (point->free[0] && point->free[1] && point->free[2])
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "a point that is free in x, y and z needs no key");
    return LIL_OK;
}

static lil_status read_point(posing *p, const lil_node *node, lil_point_def *point)
{
    const lil_node *place = node;
    point->group = node->key;
    if (node->kind == LIL_NODE_MAP) {
        LIL_TRY(lil_table_check(p->rd, node, &lil_point_table, NULL));
        place = lil_node_get(node, "at");
    }
    LIL_TRY(read_degrees(p->rd, lil_node_get(node, "rotate"), point->rotate));
    return read_place(p, place, point);
}

static lil_status read_points(posing *p, const lil_node *node)
{
    int count = 0;
    LIL_TRY(lil_node_expect(p->rd->ctx, node, LIL_NODE_MAP, "points"));
    if (!node->first)
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "'points' is empty: a key must set at least one point");
    lil_point_def *points;
    LIL_ALLOC(p->rd->ctx, p->rd->arena, points, node->count);
    LIL_ALLOC(p->rd->ctx, p->rd->arena, p->text->points, node->count);
    for (const lil_node *child = node->first; child; child = child->next, count++) {
        points[count] = lil_point_def_default();
        p->text->points[count] = child;
        LIL_TRY(read_point(p, child, &points[count]));
    }
    p->def->points = points;
    p->def->point_count = count;
    return LIL_OK;
}

/* ---- frames of a run ---- */

static lil_status open_recorded(const lil_reader *rd, const lil_node *node, const lil_system *sys, lil_recorded *run)
{
    const char *path;
    LIL_TRY(lil_read_body_path(rd, node, "file", &path));
    lil_status status = lil_recorded_open(rd->ctx, path, sys->n, sys->bodies, run);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, node, status);
}

static lil_status take_frame(posing *p, const lil_node *node, lil_recorded *run)
{
    const lil_node *t;
    double *at;
    int one;
    LIL_TRY(lil_read_member(p->rd, node, "t", &t));
    LIL_TRY(lil_read_numbers(p->rd, t, "t", true, &at, &one));
    if (!(*at >= run->first - 1e-9 * fabs(run->first) && *at <= run->last + 1e-9 * fabs(run->last)))
        return lil_node_fail(p->rd->ctx, t, LIL_ERR_INPUT,
                             "that run goes from t = %.10g to %.10g: it does not contain t = %.10g", run->first,
                             run->last, *at);
    lil_status status = lil_recorded_at(run, *at, p->x, p->v);
    for (int b = 0; status == LIL_OK && b < p->bs->count; b++)
        status = lil_recorded_weights(run, p->rd->arena, &p->bs->list[b], *at, &p->text->carried[b]);
    p->def->q = p->x;
    p->def->recorded = true;
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(p->rd, node, status);
}

static lil_status read_frame(posing *p, const lil_node *node)
{
    lil_recorded run;
    LIL_TRY(lil_table_check(p->rd, node, &lil_frame_table, NULL));
    LIL_TRY(open_recorded(p->rd, lil_node_get(node, "file"), p->sys, &run));
    lil_status status = take_frame(p, node, &run);
    lil_recorded_close(&run);
    return status;
}

lil_status lil_read_frames(const lil_reader *rd, const lil_node *file, const lil_system *sys, const double *t,
                           int count, double *q)
{
    lil_recorded run;
    LIL_TRY(open_recorded(rd, file, sys, &run));
    lil_status status = LIL_OK;
    for (int k = 0; status == LIL_OK && k < count; k++)
        status = lil_recorded_at(&run, t[k], q + (size_t)k * (size_t)sys->n, NULL);
    lil_recorded_close(&run);
    return status == LIL_OK ? LIL_OK : lil_read_fail_at(rd, file, status);
}

/* ---- velocities ---- */

/* 0, or [x, y, z] of all vertices */
static lil_status read_velocity_of(posing *p, const lil_node *node, const lil_body *body)
{
    double *v;
    int count;
    LIL_TRY(lil_read_numbers(p->rd, node, "velocity", false, &v, &count));
    if (!(count == 3 || (count == 1 && *v == 0)))
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "the velocity of a body must be 0 or [x, y, z]");
    for (int i = 0; i < body->mesh.vertex_count; i++)
        for (int d = 0; d < 3; d++)
            p->v[3 * (body->first + i) + d] = count == 3 ? v[d] : 0;
    return LIL_OK;
}

static lil_status read_velocity(posing *p, const lil_node *node, bool from_frame)
{
    int body;
    bool frame = node->kind == LIL_NODE_SCALAR && strcmp(node->text, "frame") == 0;
    p->def->v = p->v;
    if (frame && !from_frame)
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "the velocity 'frame' needs a key with a 'frame'");
    if (frame)
        return LIL_OK;
    memset(p->v, 0, (size_t)p->sys->n * sizeof *p->v);
    for (int i = 0; node->kind == LIL_NODE_MAP && i < p->bs->count; i++)
        if (!lil_node_get(node, p->bs->list[i].name))
            return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT,
                                 "'%.60s' is missing here: a key sets all velocities or none", p->bs->list[i].name);
    if (node->kind != LIL_NODE_MAP) {
        for (int i = 0; i < p->bs->count; i++)
            LIL_TRY(read_velocity_of(p, node, &p->bs->list[i]));
        return LIL_OK;
    }
    for (const lil_node *child = node->first; child; child = child->next) {
        LIL_TRY(find_body(p, child, &body));
        LIL_TRY(read_velocity_of(p, child, &p->bs->list[body]));
    }
    return LIL_OK;
}

lil_status lil_read_key_pose(const lil_reader *rd, const lil_system *sys, lil_key_text *text, lil_key_def *def)
{
    static const struct {
        const char *name;
        lil_status (*read)(posing *, const lil_node *);
    } ways[] = { { "pose", read_poses }, { "file", read_file }, { "frame", read_frame }, { "points", read_points } };
    int most = sys->bodies->count + 1; /* a file is a pose too */
    posing p = { .rd = rd,
                 .sys = sys,
                 .bs = sys->bodies,
                 .text = text,
                 .def = def,
                 .poses = LIL_NEW(rd->arena, lil_pose_def, most),
                 .x = LIL_NEW(rd->arena, double, sys->n),
                 .v = LIL_NEW(rd->arena, double, sys->n) };
    text->poses = LIL_NEW(rd->arena, const lil_node *, most);
    text->surfaces = LIL_NEW(rd->arena, const lil_node *, most);
    LIL_HAVE(rd->ctx, p.poses && p.x && p.v && text->poses && text->surfaces);
    for (int i = 0; i < 4; i++) {
        const lil_node *node = lil_node_get(text->node, ways[i].name);
        if (node)
            LIL_TRY(ways[i].read(&p, node));
    }
    const lil_node *velocity = lil_node_get(text->node, "velocity");
    return velocity ? read_velocity(&p, velocity, lil_node_get(text->node, "frame") != NULL) : LIL_OK;
}
