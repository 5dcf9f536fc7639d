#include "scene/key_poses.h"

#include "core/field.h"
#include "math/matrix3.h"
#include "math/vector.h"
#include "record/motion.h"
#include "scene/pose_fit.h"

#include <math.h>
#include <string.h>

const char *const lil_key_members[] = { "at", "q", "velocity", "pose", "points", "file", "frame", "weight", NULL };

typedef struct posing {
    const lil_reader *rd;
    const lil_system *sys;
    const lil_bodies *bs;
    lil_key_pose *out;
} posing;

/* ---- one vertex ---- */

/* Where a key has it already, it must be there. */
static lil_status hold(posing *p, const lil_node *node, int vertex, const double x[3], const bool held[3])
{
    for (int d = 0; d < 3; d++) {
        int k = 3 * vertex + d;
        if (!isfinite(x[d]) || fabs(x[d]) > 1e100)
            return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT,
                                 "this key puts '%s' at %g: at most 1e100 m is possible", p->sys->names[k], x[d]);
        if (!held[d])
            continue;
        if (p->out->held[k] && !(fabs(p->out->x[k] - x[d]) <= 1e-9 * fmax(1, fabs(x[d]))))
            return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT,
                                 "this key contradicts itself: '%s' would be at %.10g and at %.10g", p->sys->names[k],
                                 p->out->x[k], x[d]);
        p->out->x[k] = x[d];
        p->out->held[k] = true;
    }
    return LIL_OK;
}

static lil_status find_body(const posing *p, const lil_node *node, const lil_body **body)
{
    char hint[LIL_HINT_MAX];
    const lil_bodies *bs = p->bs;
    for (int i = 0; i < bs->count; i++)
        if (strcmp(bs->list[i].name, node->key) == 0) {
            *body = &bs->list[i];
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

/* What is said without a name is said of the only body. */
static lil_status only_body(const posing *p, const lil_node *node, const char *what, const lil_body **body)
{
    *body = &p->bs->list[0];
    return p->bs->count == 1 ? LIL_OK
                             : lil_node_fail_key(p->rd->ctx, node, "there are %d bodies: say which, as %s: {%s: ...}",
                                                 p->bs->count, what, p->bs->list[0].name);
}

/* ---- poses of a body ---- */

static void find_centre(const posing *p, const lil_body *body, double c[3])
{
    double total = 0;
    memset(c, 0, 3 * sizeof *c);
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        double m = p->bs->mass[body->first + i];
        total += m;
        for (int d = 0; d < 3; d++)
            c[d] += m * body->mesh.x[3 * i + d];
    }
    for (int d = 0; d < 3; d++)
        c[d] /= total;
}

/* x -> c + R S (x - c) + translate */
static lil_status transform(const posing *p, const lil_node *node, const double c[3], int count, double *x)
{
    const lil_reader *rd = p->rd;
    double scale[3] = { 1, 1, 1 }, by[3] = { 0 }, R[9];
    LIL_TRY(lil_read_scale(rd, lil_node_get(node, "scale"), scale));
    LIL_TRY(lil_read_rotation(rd, lil_node_get(node, "rotate"), R));
    LIL_TRY(lil_read_vector(rd, lil_node_get(node, "translate"), "translate", by));
    for (int i = 0; i < count; i++) {
        double r[3];
        for (int d = 0; d < 3; d++)
            r[d] = scale[d] * (x[3 * i + d] - c[d]);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = c[d] + R[3 * d] * r[0] + R[3 * d + 1] * r[1] + R[3 * d + 2] * r[2] + by[d];
    }
    return LIL_OK;
}

/* Some materials do not exist inside out. */
static lil_status check_inverted(const posing *p, const lil_node *node, const lil_body *body, const double *x)
{
    enum { NAMED = 5 };
    int which[NAMED], count = 0;
    if (body->particles || body->material.table->holds & LIL_MATERIAL_INVERTS)
        return LIL_OK;
    for (int e = 0; e < body->mesh.tet_count; e++)
        if (!(lil_tet_volume(x, body->mesh.tets[e]) > 0)) {
            if (count < NAMED)
                which[count] = e;
            count++;
        }
    if (!count)
        return LIL_OK;
    const char *list = "";
    for (int i = 0; list && i < count && i < NAMED; i++)
        list = lil_arena_format(p->rd->arena, "%s%s%d", list, i ? ", " : "", which[i]);
    if (list && count > NAMED)
        list = lil_arena_format(p->rd->arena, "%s and %d more", list, count - NAMED);
    return list ? lil_node_fail(p->rd->ctx, node, LIL_ERR_INVERTED,
                                "in this pose tet%s %s of '%.60s' %s inside out, which %s does not take",
                                count > 1 ? "s" : "", list, body->name, count > 1 ? "are" : "is",
                                body->material.table->name)
                : lil_fail_memory(p->rd->ctx);
}

static lil_status hold_body(posing *p, const lil_node *node, const lil_body *body, const double *x)
{
    static const bool all[3] = { true, true, true };
    for (int i = 0; i < body->mesh.vertex_count; i++)
        LIL_TRY(hold(p, node, body->first + i, x + 3 * (size_t)i, all));
    return check_inverted(p, node, body, x);
}

/* What tets miss a pose by is made up for by the weights at that key: x0 + sum_a w_a (x_a - x0) = y. */
static lil_status carry_to(const posing *p, const lil_body *body, const double *x, const double *y)
{
    const lil_embedding *em = &body->embedding;
    double *w = LIL_NEW(p->rd->arena, double, 3 * (size_t)em->count);
    if (!w)
        return lil_fail_memory(p->rd->ctx);
    for (int j = 0; j < em->count; j++) {
        const int *tet = body->mesh.tets[em->tet[j]];
        double D[9], C[9];
        for (int k = 0; k < 9; k++)
            D[k] = x[3 * tet[k % 3 + 1] + k / 3] - x[3 * tet[0] + k / 3];
        lil_cofactor3(D, C); /* det D D^-T */
        double det = lil_determinant3(D);
        for (int a = 0; a < 3; a++)
            for (int d = 0; d < 3; d++)
                w[3 * j + a] += C[3 * d + a] * (y[3 * j + d] - x[3 * tet[0] + d]) / det;
    }
    p->out->weights[body - p->bs->list] = w;
    return LIL_OK;
}

/* sum_j (y_j - mean)(X_j - mean)' turns a hand into the other one. */
static bool is_mirrored(const double *X, const double *y, int count)
{
    double a[3] = { 0 }, b[3] = { 0 }, H[9] = { 0 };
    for (int i = 0; i < 3 * count; i++) {
        a[i % 3] += X[i] / count;
        b[i % 3] += y[i] / count;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 9; k++)
            H[k] += (y[3 * i + k / 3] - b[k / 3]) * (X[3 * i + k % 3] - a[k % 3]);
    return lil_determinant3(H) < 0;
}

/* What weights make up for stretches with a tet. In the mean a thirtieth of the size is no detail of a surface any more, but another
 * body. */
static lil_status judge_miss(const posing *p, const lil_node *node, const lil_body *body, const double *y,
                             lil_pose_miss missed)
{
    const lil_surface *s = &body->surface;
    double least[3], most[3], size = lil_box_around(s->x, s->vertex_count, least, most);
    if (missed.mean > size / 30)
        return is_mirrored(s->x, y, s->vertex_count)
                   ? lil_node_fail(p->rd->ctx, node, LIL_ERR_INVERTED,
                                   "this pose mirrors '%.60s': its tets would be inside out", body->name)
                   : lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT,
                                   "the tets of '%.60s' miss this pose by %.3g m in the mean, %.3g %% of its size, "
                                   "and come no nearer "
                                   "without being inside out: bend it less, or give it more 'vertices'",
                                   body->name, missed.mean, 100 * missed.mean / size);
    if (missed.most > 0.02 * size)
        lil_warn(
            p->rd->ctx,
            "%.200s:%d:%d: the tets of '%.60s' miss this pose by up to %.3g m, %.3g %% of its size, %.3g m in the "
            "mean; its surface is moved there from them (more 'vertices' come nearer)",
            node->file, node->line, node->column, body->name, missed.most, 100 * missed.most / size, missed.mean);
    return LIL_OK;
}

/* The tets whose surface is nearest to y; what is fixed stays. */
static lil_status fit_surface(const posing *p, const lil_node *node, const lil_body *body, const double *y, double *x)
{
    lil_pose_fit fit = { .body = body, .y = y, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    int n = body->mesh.vertex_count;
    double shift[3];
    lil_pose_miss missed;
    bool *held = LIL_NEW(p->rd->arena, bool, 3 * (size_t)n);
    if (!held)
        return lil_fail_memory(p->rd->ctx);
    for (int i = 0; i < 3 * n; i++) {
        held[i] = p->bs->held[body->first + i / 3];
        x[i] = held[i] ? p->out->placed[3 * body->first + i] : body->mesh.x[i];
    }
    fit.held = held;
    lil_fit_rigid(body->surface.x, y, NULL, body->surface.vertex_count, fit.turn, shift);
    LIL_TRY(lil_fit_pose(p->rd, node, &fit, x, &missed));
    LIL_TRY(judge_miss(p, node, body, y, missed));
    LIL_TRY(carry_to(p, body, x, y));
    p->out->missed = fmax(p->out->missed, missed.most); /* of which a NaN counts for nothing */
    return LIL_OK;
}

/* What the file has, as the body is placed. */
static lil_status read_pose_file(const posing *p, const lil_node *node, const lil_body *body, double *x)
{
    const lil_reader *rd = p->rd;
    const char *path;
    double *found;
    int count;
    LIL_TRY(lil_read_body_path(rd, node, "file", &path));
    lil_status status;
    if (!lil_surface_is_named(path) && !lil_mesh_is_named(path))
        return lil_node_fail(
            rd->ctx, node, LIL_ERR_INPUT,
            "%.200s: a pose is a surface, which ends in .obj, .ply or .stl, or a mesh, which ends in "
            ".msh, .node, .ele, .mesh or .vtk",
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
    LIL_TRY(lil_place_as_body(rd, body, found, count));
    if (rides)
        return fit_surface(p, node, body, found, x);
    memcpy(x, found, 3 * (size_t)count * sizeof *x);
    return LIL_OK;
}

/* rest, or {position | file, scale, rotate, translate} */
static lil_status read_pose(posing *p, const lil_node *node, const lil_body *body)
{
    static const char *const keys[] = { "file", "position", "rotate", "scale", "translate", NULL };
    const lil_reader *rd = p->rd;
    const lil_node *file, *position;
    double c[3], *x = LIL_NEW(rd->arena, double, 3 * (size_t)body->mesh.vertex_count);
    if (!x)
        return lil_fail_memory(rd->ctx);
    memcpy(x, body->mesh.x, 3 * (size_t)body->mesh.vertex_count * sizeof *x);
    if (node->kind == LIL_NODE_SCALAR) {
        if (strcmp(node->text, "rest") != 0)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                 "a pose is 'rest' or a map with 'rotate', 'translate', 'scale', 'position' or "
                                 "'file', not '%.60s'",
                                 node->text);
        return hold_body(p, node, body, x);
    }
    LIL_TRY(lil_node_expect(rd->ctx, node, LIL_NODE_MAP, "pose"));
    LIL_TRY(lil_node_check_keys(rd->ctx, node, keys, "a pose"));
    file = lil_node_get(node, "file");
    position = lil_node_get(node, "position");
    if (file && position)
        return lil_node_fail_key(rd->ctx, position, "'file' and 'position' cannot both be given");
    if (file)
        LIL_TRY(read_pose_file(p, file, body, x));
    if (position)
        LIL_TRY(lil_read_body_texts(rd, position, "position", body, x));
    find_centre(p, body, c);
    LIL_TRY(transform(p, node, c, body->mesh.vertex_count, x));
    return hold_body(p, node, body, x);
}

/* Of all bodies, of the only one, or of each that is named. */
static lil_status read_poses(posing *p, const lil_node *node)
{
    const lil_body *body;
    if (node->kind == LIL_NODE_SCALAR) {
        for (int i = 0; i < p->bs->count; i++)
            LIL_TRY(read_pose(p, node, &p->bs->list[i]));
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
    const lil_body *body;
    LIL_TRY(only_body(p, node, "pose: {NAME: {file: ...}} instead of file", &body));
    double *x = LIL_NEW(p->rd->arena, double, 3 * (size_t)body->mesh.vertex_count);
    if (!x)
        return lil_fail_memory(p->rd->ctx);
    LIL_TRY(read_pose_file(p, node, body, x));
    return hold_body(p, node, body, x);
}

/* ---- points ---- */

typedef struct point {
    const lil_body *body;
    lil_group vertices;
} point;

/* A group of the scene or of a mesh, or all of a body. */
static bool match_point(const lil_body *body, int i, point *found)
{
    *found = (point){ .body = body };
    if (i < body->group_count)
        found->vertices = body->groups[i];
    else if (i < body->group_count + body->mesh.group_count)
        found->vertices = body->mesh.groups[i - body->group_count];
    else
        found->vertices = (lil_group){ .name = body->name, .vertex_count = body->mesh.vertex_count };
    return i <= body->group_count + body->mesh.group_count;
}

/* tip, or bar.tip */
static bool is_called(const point *one, const char *key)
{
    size_t n = strlen(one->body->name);
    return strcmp(one->vertices.name, key) == 0 ||
           (strncmp(one->body->name, key, n) == 0 && key[n] == '.' && strcmp(one->vertices.name, key + n + 1) == 0);
}

static lil_status find_point(const posing *p, const lil_node *node, point *found)
{
    int total = 0, count = 0;
    point one;
    for (int b = 0; b < p->bs->count; b++)
        total += 1 + p->bs->list[b].group_count + p->bs->list[b].mesh.group_count;
    const char **names = LIL_NEW(p->rd->arena, const char *, total);
    if (!names)
        return lil_fail_memory(p->rd->ctx);
    for (int b = 0; b < p->bs->count; b++)
        for (int i = 0; match_point(&p->bs->list[b], i, &one); i++) {
            names[count++] = one.vertices.name;
            if (!is_called(&one, node->key))
                continue;
            if (found->body)
                return lil_node_fail_key(p->rd->ctx, node,
                                         "there are several groups '%.60s': say of which body, as %.60s.%.60s",
                                         node->key, one.body->name, one.vertices.name);
            *found = one;
        }
    if (found->body)
        return LIL_OK;
    char hint[LIL_MESSAGE_MAX / 4];
    const char *near = lil_nearest(node->key, names, count, sizeof *names);
    return lil_node_fail_key(p->rd->ctx, node, "there is no point '%.60s'%s: a point is a group of a body", node->key,
                             near ? lil_hint(near, hint) : lil_hint_all(names, count, hint, sizeof hint));
}

/* [x, y, z], of which some may be `free` */
static lil_status read_place(const posing *p, const lil_node *node, double to[3], bool held[3])
{
    const lil_node *child = node->first;
    if (node->kind != LIL_NODE_LIST || node->count != 3)
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "a point's place is [x, y, z]");
    for (int d = 0; d < 3; d++, child = child->next) {
        double *x;
        int count;
        held[d] = !(child->kind == LIL_NODE_SCALAR && strcmp(child->text, "free") == 0);
        to[d] = 0;
        if (!held[d])
            continue;
        LIL_TRY(lil_read_numbers(p->rd, child, "a point's place", true, &x, &count));
        to[d] = *x;
    }
    if (!held[0] && !held[1] && !held[2])
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "a point that is free in x, y and z needs no key");
    return LIL_OK;
}

/* The vertices stand to each other as at rest, turned by `rotate`; their mean is at the place. */
static lil_status read_point(posing *p, const lil_node *node)
{
    static const char *const keys[] = { "at", "rotate", NULL };
    const lil_node *place = node;
    point found = { 0 };
    double to[3] = { 0 }, R[9], c[3] = { 0 };
    bool held[3];
    LIL_TRY(find_point(p, node, &found));
    if (node->kind == LIL_NODE_MAP) {
        LIL_TRY(lil_node_check_keys(p->rd->ctx, node, keys, "a point"));
        LIL_TRY(lil_read_member(p->rd, node, "at", &place));
    }
    LIL_TRY(lil_read_rotation(p->rd, lil_node_get(node, "rotate"), R));
    LIL_TRY(read_place(p, place, to, held));
    int count = found.vertices.vertex_count;
    const int *list = found.vertices.vertices;
    const double *X = found.body->mesh.x;
    for (int i = 0; i < count; i++)
        for (int d = 0; d < 3; d++)
            c[d] += X[3 * (list ? list[i] : i) + d] / count;
    for (int i = 0; i < count; i++) {
        int v = list ? list[i] : i;
        double r[3], x[3];
        for (int d = 0; d < 3; d++)
            r[d] = X[3 * v + d] - c[d];
        for (int d = 0; d < 3; d++)
            x[d] = to[d] + R[3 * d] * r[0] + R[3 * d + 1] * r[1] + R[3 * d + 2] * r[2];
        LIL_TRY(hold(p, node, found.body->first + v, x, held));
    }
    return LIL_OK;
}

static lil_status read_points(posing *p, const lil_node *node)
{
    LIL_TRY(lil_node_expect(p->rd->ctx, node, LIL_NODE_MAP, "points"));
    if (!node->first)
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "'points' is empty: a key holds at least one point");
    for (const lil_node *child = node->first; child; child = child->next)
        LIL_TRY(read_point(p, child));
    return LIL_OK;
}

/* ---- frames of a run ---- */

typedef struct recorded {
    lil_trajectory *trajectory;
    lil_motion motion;
} recorded;

static void close_recorded(recorded *run)
{
    lil_motion_close(&run->motion);
    lil_trajectory_destroy(&run->trajectory);
}

/* The squares of the lengths of a tet's edges say its shape, wherever it is. */
static bool same_tet(const double *x, const int *a, const double *y, const int *b)
{
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double r[3], s[3];
            for (int d = 0; d < 3; d++) {
                r[d] = x[3 * a[i] + d] - x[3 * a[j] + d];
                s[d] = y[3 * b[i] + d] - y[3 * b[j] + d];
            }
            if (!(fabs(lil_norm(3, r) - lil_norm(3, s)) <= 1e-6 * lil_norm(3, r)))
                return false;
        }
    return true;
}

static bool same_body(const lil_body *body, const lil_recorded_body *other)
{
    const lil_mesh *mesh = &body->mesh;
    bool same = strcmp(body->name, other->name) == 0 && body->first == other->first &&
                mesh->vertex_count == other->vertex_count && mesh->tet_count == other->tet_count;
    for (int e = 0; same && e < mesh->tet_count; e++)
        same = memcmp(mesh->tets[e], other->tets[e], sizeof mesh->tets[e]) == 0 &&
               same_tet(mesh->x, mesh->tets[e], other->rest, other->tets[e]);
    return same;
}

/* Bodies of the same names, vertices and shapes, wherever they are. */
static lil_status check_bodies(const lil_reader *rd, const lil_node *node, const lil_system *sys, const char *path,
                               const lil_motion *motion)
{
    for (int b = 0; sys->bodies && b < sys->bodies->count; b++) {
        const lil_body *body = &sys->bodies->list[b];
        bool found = body->particles;
        for (int i = 0; i < motion->body_count && !found; i++)
            found = same_body(body, &motion->bodies[i]);
        if (!found)
            return lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                                 "%.200s: has no body '%.60s' of the same tets: it is a run of something else", path,
                                 body->name);
    }
    return LIL_OK;
}

static lil_status open_recorded(const lil_reader *rd, const lil_node *node, const lil_system *sys, recorded *run)
{
    const char *path;
    *run = (recorded){ 0 };
    LIL_TRY(lil_read_body_path(rd, node, "file", &path));
    lil_status status = lil_trajectory_open(rd->ctx, path, &run->trajectory);
    if (status != LIL_OK)
        return lil_read_fail_at(rd, node, status);
    if (run->trajectory->n != sys->n) {
        status = lil_node_fail(rd->ctx, node, LIL_ERR_INPUT,
                               "%.200s: has %d coordinates, but there are %d here: it is a run of something else",
                               path, run->trajectory->n, sys->n);
    } else {
        status = lil_motion_open(run->trajectory, &run->motion);
        if (status != LIL_OK)
            status = lil_read_fail_at(rd, node, status);
        else {
            status = run->trajectory->frames
                         ? check_bodies(rd, node, sys, path, &run->motion)
                         : lil_node_fail(rd->ctx, node, LIL_ERR_INPUT, "%.200s: has no frames", path);
            if (status != LIL_OK)
                lil_motion_close(&run->motion);
        }
    }
    if (status != LIL_OK)
        lil_trajectory_destroy(&run->trajectory);
    return status;
}

/* How a surface was carried in that run, which may have been a shot as well. */
static lil_status take_weights(const posing *p, const lil_body *body, const lil_motion *motion, double t,
                               const double **weights)
{
    for (int i = 0; i < motion->body_count; i++) {
        const lil_recorded_body *other = &motion->bodies[i];
        if (strcmp(other->name, body->name) != 0 || !other->surface.key_count ||
            other->surface.vertex_count != body->surface.vertex_count)
            continue;
        double *w = LIL_NEW(p->rd->arena, double, 3 * (size_t)body->surface.vertex_count);
        if (!w)
            return lil_fail_memory(p->rd->ctx);
        for (int j = 0; j < body->surface.vertex_count; j++)
            lil_motion_weights(other, j, t, w + 3 * j);
        *weights = w;
    }
    return LIL_OK;
}

static lil_status take_frame(posing *p, const lil_node *node, recorded *run)
{
    static const bool all[3] = { true, true, true };
    const double *times = run->motion.t, last = times[run->trajectory->frames - 1];
    const lil_node *t;
    double *at;
    int one;
    LIL_TRY(lil_read_member(p->rd, node, "t", &t));
    LIL_TRY(lil_read_numbers(p->rd, t, "t", true, &at, &one));
    if (!(*at >= times[0] - 1e-9 * fabs(times[0]) && *at <= last + 1e-9 * fabs(last)))
        return lil_node_fail(p->rd->ctx, t, LIL_ERR_INPUT, "that run goes from t = %.10g to %.10g: it has no %.10g",
                             times[0], last, *at);
    double *q = LIL_NEW(p->rd->arena, double, p->sys->n);
    if (!q)
        return lil_fail_memory(p->rd->ctx);
    lil_status status = lil_motion_at(&run->motion, fmin(fmax(*at, times[0]), last), q, p->out->v);
    if (status != LIL_OK)
        return lil_read_fail_at(p->rd, node, status);
    for (int i = 0; i < p->sys->n / 3; i++)
        LIL_TRY(hold(p, node, i, q + 3 * (size_t)i, all));
    for (int b = 0; b < p->bs->count; b++)
        LIL_TRY(take_weights(p, &p->bs->list[b], &run->motion, *at, &p->out->weights[b]));
    return LIL_OK;
}

static lil_status read_frame(posing *p, const lil_node *node)
{
    static const char *const keys[] = { "file", "t", NULL };
    const lil_node *file;
    recorded run;
    LIL_TRY(lil_node_expect(p->rd->ctx, node, LIL_NODE_MAP, "frame"));
    LIL_TRY(lil_node_check_keys(p->rd->ctx, node, keys, "a frame"));
    LIL_TRY(lil_read_member(p->rd, node, "file", &file));
    LIL_TRY(open_recorded(p->rd, file, p->sys, &run));
    lil_status status = take_frame(p, node, &run);
    close_recorded(&run);
    return status;
}

lil_status lil_read_frames(const lil_reader *rd, const lil_node *file, const lil_system *sys, const double *t,
                           int count, double *q)
{
    recorded run;
    LIL_TRY(open_recorded(rd, file, sys, &run));
    const double *times = run.motion.t, last = times[run.trajectory->frames - 1];
    lil_status status = LIL_OK;
    for (int k = 0; status == LIL_OK && k < count; k++)
        status = lil_motion_at(&run.motion, fmin(fmax(t[k], times[0]), last), q + (size_t)k * (size_t)sys->n, NULL);
    close_recorded(&run);
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
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "the velocity of a body is 0 or [x, y, z]");
    for (int i = 0; i < body->mesh.vertex_count; i++)
        for (int d = 0; d < 3; d++)
            p->out->v[3 * (body->first + i) + d] = count == 3 ? v[d] : 0;
    return LIL_OK;
}

static lil_status read_velocity(posing *p, const lil_node *node, bool from_frame)
{
    const lil_body *body;
    bool frame = node->kind == LIL_NODE_SCALAR && strcmp(node->text, "frame") == 0;
    p->out->moving = true;
    if (frame && !from_frame)
        return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT, "a velocity 'frame' is that of a key with a 'frame'");
    if (frame)
        return LIL_OK;
    memset(p->out->v, 0, (size_t)p->sys->n * sizeof *p->out->v);
    for (int i = 0; node->kind == LIL_NODE_MAP && i < p->bs->count; i++)
        if (!lil_node_get(node, p->bs->list[i].name))
            return lil_node_fail(p->rd->ctx, node, LIL_ERR_INPUT,
                                 "this says nothing of '%.60s': at a key either all velocities are given or all are "
                                 "free",
                                 p->bs->list[i].name);
    if (node->kind != LIL_NODE_MAP) {
        for (int i = 0; i < p->bs->count; i++)
            LIL_TRY(read_velocity_of(p, node, &p->bs->list[i]));
        return LIL_OK;
    }
    for (const lil_node *child = node->first; child; child = child->next) {
        LIL_TRY(find_body(p, child, &body));
        LIL_TRY(read_velocity_of(p, child, body));
    }
    return LIL_OK;
}

lil_status lil_read_key_pose(const lil_reader *rd, const lil_node *key, const lil_system *sys, lil_key_pose *out)
{
    static const struct {
        const char *name;
        lil_status (*read)(posing *, const lil_node *);
    } ways[] = { { "pose", read_poses }, { "file", read_file }, { "frame", read_frame }, { "points", read_points } };
    posing p = { rd, sys, sys->bodies, out };
    const lil_node *velocity = lil_node_get(key, "velocity");
    int found = 0;
    for (int i = 0; i < 4; i++) {
        const lil_node *node = lil_node_get(key, ways[i].name);
        if (!node)
            continue;
        LIL_TRY(ways[i].read(&p, node));
        found++;
    }
    if (!found)
        return lil_node_fail(rd->ctx, key, LIL_ERR_INPUT,
                             "a key of bodies has a 'pose', 'points', a 'file' or a 'frame'");
    return velocity ? read_velocity(&p, velocity, lil_node_get(key, "frame") != NULL) : LIL_OK;
}
