/* Keys of bodies and particles as positions of vertices: poses of whole bodies, of some of their points, frames. */
#include "core/field.h"
#include "keyframes/pose_fit.h"
#include "keyframes/shot.h"
#include "math/matrix3.h"
#include "terms/pose.h"

#include <math.h>
#include <string.h>

typedef struct posing {
    lil_shot *shot;
    const lil_world *world;
    int key;
    lil_key_pose *out;
} posing;

#define REFUSE(p, member, index, status, ...)                                                                        \
    lil_shot_refuse((p)->shot->ctx, &(p)->shot->places, (lil_shot_place){ (p)->key, member, index }, status,         \
                    __VA_ARGS__)

/* ---- one vertex ---- */

/* If the key has set the vertex before, the position must be the same. */
static lil_status hold(posing *p, const char *member, int index, int vertex, const double x[3], const bool held[3])
{
    const char *const *names = p->shot->names;
    for (int d = 0; d < 3; d++) {
        int k = 3 * vertex + d;
        if (!held[d])
            continue;
        if (!isfinite(x[d]) || fabs(x[d]) > 1e100)
            return REFUSE(p, member, index, LIL_ERR_INPUT, "this key puts '%s' at %g: the limit is 1e100 m", names[k],
                          x[d]);
        if (p->out->held[k] && !(fabs(p->out->x[k] - x[d]) <= 1e-9 * fmax(1, fabs(x[d]))))
            return REFUSE(p, member, index, LIL_ERR_INPUT,
                          "this key contradicts itself: '%s' would be at %.10g and at %.10g", names[k], p->out->x[k],
                          x[d]);
        p->out->x[k] = x[d];
        p->out->held[k] = true;
    }
    return LIL_OK;
}

static lil_status check_body(const posing *p, const char *member, int index, int body)
{
    return body >= 0 && body < p->world->count
               ? LIL_OK
               : REFUSE(p, member, index, LIL_ERR_INPUT, "there is no body %d: bodies go from 0 to %d", body,
                        p->world->count - 1);
}

/* ---- poses of a body ---- */

static void find_centre(const posing *p, const lil_body *body, double c[3])
{
    double total = 0;
    memset(c, 0, 3 * sizeof *c);
    for (int i = 0; i < body->mesh.vertex_count; i++) {
        double m = p->world->mass[body->first + i];
        total += m;
        for (int d = 0; d < 3; d++)
            c[d] += m * body->mesh.x[3 * i + d];
    }
    for (int d = 0; d < 3; d++)
        c[d] /= total;
}

/* x -> c + R S (x - c) + translate */
static void transform(const lil_pose_def *def, const double c[3], int count, double *x)
{
    double R[9];
    lil_rotation_of(def->rotate, R);
    for (int i = 0; i < count; i++) {
        double r[3];
        for (int d = 0; d < 3; d++)
            r[d] = def->scale[d] * (x[3 * i + d] - c[d]);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = c[d] + R[3 * d] * r[0] + R[3 * d + 1] * r[1] + R[3 * d + 2] * r[2] + def->translate[d];
    }
}

/* Some materials are undefined for inverted tets. */
static lil_status check_inverted(const posing *p, int index, const lil_body *body, const double *x)
{
    enum { NAMED = 5 };
    int which[NAMED], count = 0;
    if (body->particles || body->material.table->holds & LIL_MATERIAL_INVERTS)
        return LIL_OK;
    for (int e = 0; e < body->mesh.tet_count; e++)
        if (!(lil_mesh_least_ratio(&body->mesh, e, x) > 0)) {
            if (count < NAMED)
                which[count] = e;
            count++;
        }
    if (!count)
        return LIL_OK;
    const char *list = "";
    for (int i = 0; list && i < count && i < NAMED; i++)
        list = lil_arena_format(&p->shot->arena, "%s%s%d", list, i ? ", " : "", which[i]);
    if (list && count > NAMED)
        list = lil_arena_format(&p->shot->arena, "%s and %d more", list, count - NAMED);
    return list ? REFUSE(p, "poses", index, LIL_ERR_INVERTED,
                         "in this pose tet%s %s of '%.60s' %s inverted, which %s does not allow",
                         count > 1 ? "s" : "", list, body->name, count > 1 ? "are" : "is", body->material.table->name)
                : lil_fail_memory(p->shot->ctx);
}

/* The weights at that key compensate the distance of the tets from the pose: x0 + sum_a w_a (x_a - x0) = y. */
static lil_status carry_to(const posing *p, const lil_body *body, const double *x, const double *y)
{
    const lil_embedding *em = &body->embedding;
    double *w;
    LIL_ALLOC(p->shot->ctx, &p->shot->arena, w, 3 * (size_t)em->count);
    for (int j = 0; j < em->count; j++) {
        int room[4];
        const int *tet = lil_mesh_part(&body->mesh, em->tet[j], room);
        double D[9], C[9];
        for (int k = 0; k < 9; k++)
            D[k] = x[3 * tet[k % 3 + 1] + k / 3] - x[3 * tet[0] + k / 3];
        lil_cofactor3(D, C); /* det D D^-T */
        double det = lil_determinant3(D);
        for (int a = 0; a < 3; a++)
            for (int d = 0; d < 3; d++)
                w[3 * j + a] += C[3 * d + a] * (y[3 * j + d] - x[3 * tet[0] + d]) / det;
    }
    p->out->weights[body - p->world->list] = w;
    return LIL_OK;
}

/* Whether sum_j (y_j - mean)(X_j - mean)' is a reflection. */
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

/* The correction by weights deforms with the tet. A mean distance above a thirtieth of the size is not a detail of
 * the surface, but another shape. */
static lil_status judge_miss(const posing *p, int index, const lil_body *body, const double *y, lil_pose_miss missed)
{
    const lil_surface *s = &body->surface;
    double least[3], most[3], size = lil_box_around(s->x, s->vertex_count, least, most);
    if (missed.mean > size / 30)
        return is_mirrored(s->x, y, s->vertex_count)
                   ? REFUSE(p, "surface", index, LIL_ERR_INVERTED,
                            "this pose mirrors '%.60s': its tets would be inverted", body->name)
                   : REFUSE(p, "surface", index, LIL_ERR_INPUT,
                            "the tets of '%.60s' miss this pose by %.3g m on average, %.3g %% of its size, and "
                            "cannot come nearer without inverting: bend the pose less, or use more 'vertices'",
                            body->name, missed.mean, 100 * missed.mean / size);
    const char *place = lil_shot_keep_place(p->shot, (lil_shot_place){ p->key, "surface", index });
    if (missed.most > 0.02 * size)
        lil_warn(p->shot->ctx,
                 "%sthe tets of '%.60s' miss this pose by up to %.3g m, %.3g %% of its size, %.3g m on average; the "
                 "surface moves the rest of the way by itself (more 'vertices' fit better)",
                 place ? place : "", body->name, missed.most, 100 * missed.most / size, missed.mean);
    return LIL_OK;
}

/* The tets whose surface is nearest to y; fixed vertices stay. */
static lil_status fit_surface(const posing *p, int index, const lil_body *body, const double *y, double *x)
{
    lil_pose_fit fit = { .body = body, .y = y, .turn = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    int n = body->mesh.vertex_count;
    double shift[3];
    lil_pose_miss missed;
    bool *held;
    LIL_ALLOC(p->shot->ctx, &p->shot->arena, held, 3 * (size_t)n);
    for (int i = 0; i < 3 * n; i++) {
        held[i] = p->world->held[body->first + i / 3];
        x[i] = held[i] ? p->out->placed[3 * body->first + i] : body->mesh.x[i];
    }
    fit.held = held;
    lil_fit_rigid(body->surface.x, y, NULL, body->surface.vertex_count, fit.turn, shift);
    LIL_TRY(lil_shot_put_place(p->shot->ctx, &p->shot->places, (lil_shot_place){ p->key, "surface", index },
                               lil_fit_pose(p->shot->ctx, &p->shot->arena, &fit, x, &missed)));
    LIL_TRY(judge_miss(p, index, body, y, missed));
    LIL_TRY(carry_to(p, body, x, y));
    p->out->missed = fmax(p->out->missed, missed.most); /* fmax ignores a NaN */
    return LIL_OK;
}

static lil_status check_pose(const posing *p, int index, const lil_pose_def *def)
{
    if (def->size != sizeof *def)
        return REFUSE(p, "poses", index, LIL_ERR_ARGUMENT,
                      "its size is %zu, not %zu: begin with lil_pose_def_default", def->size, sizeof *def);
    LIL_TRY(check_body(p, "poses", index, def->body));
    const lil_body *body = &p->world->list[def->body];
    if (def->x && def->surface)
        return REFUSE(p, "poses", index, LIL_ERR_ARGUMENT, "'x' and 'surface' cannot both be given");
    if (def->surface && !body->surface.vertex_count)
        return REFUSE(p, "poses", index, LIL_ERR_INPUT, "'%.60s' has no embedded surface", body->name);
    for (int i = 0; def->surface && i < 3 * body->surface.vertex_count; i++)
        if (!isfinite(def->surface[i]))
            return REFUSE(p, "poses", index, LIL_ERR_NOT_FINITE, "surface[%d] is not finite", i);
    for (int d = 0; d < 3; d++)
        if (!(def->scale[d] >= 1e-50 && def->scale[d] <= 1e50) || !(fabs(def->rotate[d]) <= 1e6))
            return REFUSE(p, "poses", index, LIL_ERR_INPUT,
                          "'scale' is positive and 'rotate' at most 1e6 degrees, not [%g, %g, %g] and [%g, %g, %g]",
                          def->scale[0], def->scale[1], def->scale[2], def->rotate[0], def->rotate[1],
                          def->rotate[2]);
    return LIL_OK;
}

static lil_status take_pose(posing *p, int index, const lil_pose_def *def)
{
    static const bool all[3] = { true, true, true };
    LIL_TRY(check_pose(p, index, def));
    const lil_body *body = &p->world->list[def->body];
    int count = body->mesh.vertex_count;
    double c[3], *x = LIL_NEW(&p->shot->arena, double, 3 * (size_t)count);
    LIL_HAVE(p->shot->ctx, x);
    memcpy(x, def->x ? def->x : body->mesh.x, 3 * (size_t)count * sizeof *x);
    if (def->surface)
        LIL_TRY(fit_surface(p, index, body, def->surface, x));
    bool moved = false;
    for (int d = 0; d < 3; d++)
        moved = moved || def->scale[d] != 1 || def->rotate[d] != 0 || def->translate[d] != 0;
    find_centre(p, body, c);
    if (moved)
        transform(def, c, count, x);
    for (int i = 0; i < count; i++)
        LIL_TRY(hold(p, "poses", index, body->first + i, x + 3 * (size_t)i, all));
    return check_inverted(p, index, body, x);
}

/* ---- points ---- */

typedef struct point {
    const lil_body *body;
    const char *name;
    const int *vertices; /* NULL: all of the body's */
    int count;
} point;

/* A group of the scene or of a mesh, or all of a body. */
static bool match_point(const lil_body *body, int i, point *found)
{
    int own = body->group_count, all = own + body->mesh.group_count;
    const lil_group *group = i < own ? &body->groups[i] : i < all ? &body->mesh.groups[i - own] : NULL;
    *found = group ? (point){ body, group->name, group->vertices, group->vertex_count }
                   : (point){ body, body->name, NULL, body->mesh.vertex_count };
    return i <= all;
}

/* tip, or bar.tip */
static bool is_called(const point *one, const char *key)
{
    size_t n = strlen(one->body->name);
    return strcmp(one->name, key) == 0 ||
           (strncmp(one->body->name, key, n) == 0 && key[n] == '.' && strcmp(one->name, key + n + 1) == 0);
}

static lil_status find_group(const posing *p, int index, const char *name, point *found)
{
    int total = 0, count = 0;
    point one;
    for (int b = 0; b < p->world->count; b++)
        total += 1 + p->world->list[b].group_count + p->world->list[b].mesh.group_count;
    const char **names;
    LIL_ALLOC(p->shot->ctx, &p->shot->arena, names, total);
    for (int b = 0; b < p->world->count; b++)
        for (int i = 0; match_point(&p->world->list[b], i, &one); i++) {
            names[count++] = one.name;
            if (!is_called(&one, name))
                continue;
            if (found->body)
                return REFUSE(p, "points:", index, LIL_ERR_INPUT,
                              "several bodies have a group '%.60s': name the body, as in %.60s.%.60s", name,
                              one.body->name, one.name);
            *found = one;
        }
    if (found->body)
        return LIL_OK;
    char hint[LIL_MESSAGE_MAX / 4];
    const char *near = lil_nearest(name, names, count, sizeof *names);
    return REFUSE(p, "points:", index, LIL_ERR_INPUT, "there is no point '%.60s'%s: a point is a group of a body",
                  name, near ? lil_hint(near, hint) : lil_hint_all(names, count, hint, sizeof hint));
}

static lil_status find_vertices(const posing *p, int index, const lil_point_def *def, point *found)
{
    if (def->group)
        return find_group(p, index, def->group, found);
    LIL_TRY(check_body(p, "points", index, def->body));
    const lil_body *body = &p->world->list[def->body];
    if (def->vertex_count < 1 || !def->vertices)
        return REFUSE(p, "points", index, LIL_ERR_ARGUMENT, "a point needs a 'group' or 'vertices'");
    for (int i = 0; i < def->vertex_count; i++)
        if (def->vertices[i] < 0 || def->vertices[i] >= body->mesh.vertex_count)
            return REFUSE(p, "points", index, LIL_ERR_INPUT, "'%.60s' has no vertex %d: vertices go from 0 to %d",
                          body->name, def->vertices[i], body->mesh.vertex_count - 1);
    *found = (point){ body, NULL, def->vertices, def->vertex_count };
    return LIL_OK;
}

static lil_status check_point(const posing *p, int index, const lil_point_def *def)
{
    if (def->size != sizeof *def)
        return REFUSE(p, "points", index, LIL_ERR_ARGUMENT,
                      "its size is %zu, not %zu: begin with lil_point_def_default", def->size, sizeof *def);
    if (def->free[0] && def->free[1] && def->free[2])
        return REFUSE(p, "points", index, LIL_ERR_INPUT, "a point that is free in x, y and z needs no key");
    for (int d = 0; d < 3; d++)
        if (!(fabs(def->rotate[d]) <= 1e6))
            return REFUSE(p, "points", index, LIL_ERR_INPUT, "'rotate' must be at most 1e6 degrees, not %g",
                          def->rotate[d]);
    return LIL_OK;
}

/* The vertices keep their rest shape, rotated by `rotate`; their mean is at the position. */
static lil_status take_point(posing *p, int index, const lil_point_def *def)
{
    point found = { 0 };
    double R[9], c[3] = { 0 };
    const bool held[3] = { !def->free[0], !def->free[1], !def->free[2] };
    LIL_TRY(check_point(p, index, def));
    LIL_TRY(find_vertices(p, index, def, &found));
    lil_rotation_of(def->rotate, R);
    int count = found.count;
    const int *list = found.vertices;
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
            x[d] = def->at[d] + R[3 * d] * r[0] + R[3 * d + 1] * r[1] + R[3 * d + 2] * r[2];
        LIL_TRY(hold(p, "points", index, found.body->first + v, x, held));
    }
    return LIL_OK;
}

/* ---- all of it ---- */

static lil_status take_all(posing *p, const lil_key_def *def)
{
    static const bool all[3] = { true, true, true };
    for (int i = 0; def->q && i < p->shot->n / 3; i++)
        LIL_TRY(hold(p, "q", -1, i, def->q + 3 * (size_t)i, def->held ? def->held + 3 * (size_t)i : all));
    return LIL_OK;
}

lil_status lil_shot_take_poses(lil_shot *shot, const lil_key_def *def, int key, lil_key_pose *out)
{
    posing p = { shot, shot->world, key, out };
    if (!def->q && !def->pose_count && !def->point_count)
        return REFUSE(&p, NULL, -1, LIL_ERR_INPUT, "a key of bodies needs a 'pose', 'points', a 'file' or a 'frame'");
    if (def->pose_count < 0 || (def->pose_count && !def->poses) || def->point_count < 0 ||
        (def->point_count && !def->points))
        return REFUSE(&p, NULL, -1, LIL_ERR_ARGUMENT, "%d poses and %d points are announced, but an array is NULL",
                      def->pose_count, def->point_count);
    for (int i = 0; i < def->pose_count; i++)
        LIL_TRY(take_pose(&p, i, &def->poses[i]));
    LIL_TRY(take_all(&p, def));
    for (int i = 0; i < def->point_count; i++)
        LIL_TRY(take_point(&p, i, &def->points[i]));
    return LIL_OK;
}
