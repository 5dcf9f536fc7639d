/* Obstacles, and parts by their names. */
#include "core/field.h"
#include "math/matrix3.h"
#include "world/contact.h"
#include "world/def.h"

#include <math.h>
#include <string.h>

/* ---- shapes ---- */

static double area_of(const lil_surface *s, const int *v, double *longest)
{
    double a[3], b[3], n[3];
    for (int k = 0; k < 3; k++) {
        a[k] = s->x[3 * v[1] + k] - s->x[3 * v[0] + k];
        b[k] = s->x[3 * v[2] + k] - s->x[3 * v[0] + k];
    }
    lil_cross3(a, b, n);
    *longest = fmax(lil_dot3(a, a), lil_dot3(b, b));
    return sqrt(lil_dot3(n, n)) / 2;
}

/* A triangle without an area has no side, and nothing that its neighbours do not have: it is left out. */
static lil_status leave_out_degenerate(lil_world *w, lil_surface *s)
{
    int kept = 0, left_out = 0, first = -1;
    double least = 0;
    for (int i = 0; i < s->triangle_count; i++) {
        int *v = s->triangles[i];
        double longest, area = area_of(s, v, &longest), *x = s->x + 3 * (size_t)v[0];
        if (!isfinite(area))
            return lil_world_refuse(w, "mesh", LIL_ERR_INPUT,
                                    "%.200s: triangle %d has an area of %g m^2, at [%.6g, %.6g, %.6g]", s->name, i,
                                    area, x[0], x[1], x[2]);
        if (area > 1e-12 * longest) {
            memmove(s->triangles[kept++], v, sizeof *s->triangles);
            continue;
        }
        least = first < 0 ? area : least;
        first = first < 0 ? i : first;
        left_out++;
    }
    if (kept == 0)
        return lil_world_refuse(w, "mesh", LIL_ERR_INPUT,
                                "%.200s: no triangle has an area: triangle 0 has an area of %g m^2", s->name, least);
    if (left_out)
        lil_warn(w->ctx, "%.200s: %d of %d triangles have no area and are left out, the first is triangle %d",
                 s->name, left_out, s->triangle_count, first);
    s->triangle_count = kept;
    return LIL_OK;
}

/* Its point is the one where it is put: it turns about that. */
static lil_status place_mesh(lil_world *w, lil_world_obstacle *o)
{
    lil_placement *p = &o->placement;
    memcpy(o->contact.obstacle.point, p->at, sizeof p->at);
    LIL_TRY(lil_world_settle(w, o->name, p, NULL, &o->mesh));
    for (int i = 0; i < o->mesh.vertex_count; i++) {
        double *x = o->mesh.x + 3 * (size_t)i,
               own[3] = { p->scale[0] * x[0], p->scale[1] * x[1], p->scale[2] * x[2] };
        for (int k = 0; k < 3; k++)
            x[k] = lil_dot3(p->R + 3 * k, own) + p->at[k];
    }
    if (o->follow)
        LIL_TRY(lil_world_deform(w, o, o->mesh.vertex_count, o->follow));
    o->drive.samples = o->follow;
    return leave_out_degenerate(w, &o->mesh);
}

/* The triangles of a solid that has some: what the barrier meets. */
static lil_status outline(lil_world *w, const lil_obstacle_shape *shape, lil_world_obstacle *o)
{
    lil_surface *s = &o->mesh;
    *s = (lil_surface){ .name = o->name,
                        .vertex_count = shape->corner_count,
                        .triangle_count = shape->triangle_count };
    LIL_ALLOC(w->ctx, &w->arena, s->x, 3 * (size_t)s->vertex_count);
    shape->corners(&o->contact.obstacle, s->x);
    return lil_copy_array(w->ctx, &w->arena, shape->triangles, (size_t)s->triangle_count, sizeof *s->triangles,
                          &s->triangles);
}

void lil_world_make_shape(const lil_obstacle_def *def, lil_obstacle *o)
{
    double R[9];
    lil_rotation_of(def->rotate, R);
    o->kind = def->kind;
    memcpy(o->point, def->point, sizeof o->point);
    lil_obstacle_shape_of(o)->make(def, R, o);
}

lil_status lil_world_obstruct(lil_world *w, const lil_world_obstacle *obstacle)
{
    lil_world_obstacle o = *obstacle;
    const lil_obstacle_shape *shape = lil_obstacle_shape_of(&o.contact.obstacle);
    const char *member = NULL;
    w->blame = (lil_blame){ NULL, false, NULL };
    if (o.follow && shape->make)
        return lil_world_refuse_key(w, "follow", "'follow' needs an obstacle with a 'mesh'");
    lil_status status = shape->make ? shape->check(w->ctx, &o.contact.obstacle, &member) : place_mesh(w, &o);
    if (status != LIL_OK && shape->make)
        w->blame.member = member;
    LIL_TRY(status);
    if (shape->corners)
        LIL_TRY(outline(w, shape, &o));
    LIL_HAVE(w->ctx,
             lil_world_grow(w, &w->obstacles, w->obstacle_count, 1, &w->room.obstacles, sizeof *w->obstacles));
    memcpy(o.drive.centre, o.contact.obstacle.point, sizeof o.drive.centre);
    o.contact.move = o.drive.move;
    o.contact.name = o.name;
    o.contact.number = w->obstacle_count;
    w->obstacles[w->obstacle_count++] = o;
    w->touches = true;
    return LIL_OK;
}

/* ---- parts ---- */

static const char *name_of(const lil_world *w, int part)
{
    return part < w->count ? w->list[part].name : w->obstacles[part - w->count].name;
}

lil_status lil_world_find_part(lil_world *w, const char *member, const char *name, int *id)
{
    char hint[LIL_MESSAGE_MAX / 4];
    int n = w->count + w->obstacle_count;
    for (int i = 0; i < n; i++)
        if (strcmp(name_of(w, i), name) == 0) {
            *id = i < w->count ? i : w->count - 1 - i;
            return LIL_OK;
        }
    const char **names;
    LIL_ALLOC(w->ctx, &w->arena, names, n);
    for (int i = 0; i < n; i++)
        names[i] = name_of(w, i);
    const char *near = lil_nearest(name, names, n, sizeof *names);
    return lil_world_refuse(w, member, LIL_ERR_INPUT, "nothing here is called '%.60s'%s", name,
                            near ? lil_hint(near, hint) : lil_hint_all(names, n, hint, sizeof hint));
}

int lil_world_part(const lil_world *w, int id)
{
    return id >= 0 ? id : w->count - 1 - id;
}

/* ---- from a def ---- */

lil_obstacle_def lil_obstacle_def_default(void)
{
    return (lil_obstacle_def){
        .size = sizeof(lil_obstacle_def), .normal = { 0, 0, 1 }, .scale = { 1, 1, 1 }, .friction = NAN
    };
}

static lil_status check_obstacle(lil_world *w, const lil_obstacle_def *def)
{
    if (!lil_obstacle_shape_at((int)def->kind))
        return lil_fail(w->ctx, LIL_ERR_ARGUMENT, "there is no obstacle kind %d", (int)def->kind);
    for (int i = 0; i < w->count + w->obstacle_count; i++)
        if (strcmp(i < w->count ? w->list[i].name : w->obstacles[i - w->count].name, def->name) == 0)
            return lil_fail(w->ctx, LIL_ERR_INPUT, "the name '%.60s' is used twice", def->name);
    LIL_TRY(lil_check_numbers(w->ctx, def->name, "point", def->point, 3));
    for (int d = 0; d < 3; d++)
        if (!(fabs(def->rotate[d]) <= 1e6) || !(def->scale[d] >= 1e-50 && def->scale[d] <= 1e50))
            return lil_fail(w->ctx, LIL_ERR_INPUT, "'%.60s' is rotated by [%g, %g, %g], scaled by [%g, %g, %g]",
                            def->name, def->rotate[0], def->rotate[1], def->rotate[2], def->scale[0], def->scale[1],
                            def->scale[2]);
    if (def->friction < 0 || def->friction > 1e6 || !(def->stiffness >= 0 && def->stiffness <= 1e100))
        return lil_fail(w->ctx, LIL_ERR_INPUT, "the obstacle '%.60s' has a friction of %g and a stiffness of %g",
                        def->name, def->friction, def->stiffness);
    return LIL_OK;
}

static lil_status take_drive(lil_world *w, const char *owner, const char *what, const lil_vector_def *def,
                             const lil_program **out)
{
    lil_program *program;
    if (!def->fn && !def->text[0] && !def->text[1] && !def->text[2])
        return LIL_OK;
    LIL_ALLOC(w->ctx, &w->arena, program, 1);
    *out = program;
    return lil_world_program(w, owner, what, def, &(lil_texts_def){ .t = true, .rates = true }, program);
}

lil_status lil_world_add_obstacle(lil_world *w, const lil_obstacle_def *def)
{
    lil_world_obstacle o = { 0 };
    LIL_TRY(lil_world_take_def(w, __func__, def, sizeof *def));
    LIL_TRY(lil_world_copy_name(w, "obstacle", def->name, &o.name));
    LIL_TRY(check_obstacle(w, def));
    o.contact.obstacle.kind = def->kind;
    o.friction = def->friction;
    o.stiffness = def->stiffness;
    if (lil_obstacle_shape_of(&o.contact.obstacle)->make) {
        lil_world_make_shape(def, &o.contact.obstacle);
    } else {
        LIL_TRY(lil_surface_of_triangles(w->ctx, &w->arena, o.name, "def->x", def->x, def->vertex_count,
                                         def->triangles, def->triangle_count, &o.mesh));
        lil_placing by = { .size = def->largest, .about_centre = def->about_centre, .base = def->base };
        memcpy(by.scale, def->scale, sizeof by.scale);
        memcpy(by.rotate, def->rotate, sizeof by.rotate);
        memcpy(by.at, def->point, sizeof by.at);
        LIL_TRY(lil_world_take_placement(w, o.name, &by, &o.placement));
    }
    if (def->follow)
        LIL_TRY(lil_world_take_samples(w, o.name, def->follow, &o.follow));
    LIL_TRY(take_drive(w, o.name, "move", &def->move, &o.drive.move));
    LIL_TRY(take_drive(w, o.name, "turn", &def->turn, &o.drive.turn));
    return lil_world_obstruct(w, &o);
}
