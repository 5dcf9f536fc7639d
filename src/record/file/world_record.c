#include "record/file/world_record.h"

#include "terms/pose.h"

#include <math.h>
#include <string.h>

enum { OBSTACLE_PLACE = 7, CONTACT_TRACKS = 4 };

lil_status lil_world_record_begin(lil_context *ctx, lil_arena *arena, lil_sim *sim, lil_world_record *r)
{
    const lil_model *model = sim->model;
    const lil_world *w = model->world;
    int obstacles = w ? w->obstacle_count : 0, n = w ? 3 * w->vertex_count : model->n;
    *r = (lil_world_record){ .ctx = ctx, .arena = arena, .sim = sim, .world = w, .n = n };
    r->slots = LIL_NEW(arena, lil_drive_slots, obstacles);
    r->places = LIL_NEW(arena, double, OBSTACLE_PLACE *(size_t)obstacles);
    r->points = LIL_NEW(arena, double *, obstacles);
    if (model->dofs.free)
        r->full = LIL_NEW(arena, double, 3 * (size_t)n);
    if (!r->slots || !r->places || !r->points || (model->dofs.free && !r->full))
        return lil_fail_memory(ctx);
    lil_world_record_fill(r);
    return LIL_OK;
}

/* ---- channels ---- */

int lil_world_record_channels_max(const lil_world_record *r)
{
    return r->world ? CONTACT_TRACKS + 3 * r->world->obstacle_count : 0;
}

/* obstacle_points/NAME of each that deforms */
static lil_status list_points(lil_world_record *r, int i, lil_channel *channels, const double **values, int *count)
{
    const lil_world_obstacle *o = &r->world->obstacles[i];
    if (!o->follow)
        return LIL_OK;
    const char *name = lil_arena_format(r->arena, "obstacle_points/%s", o->name);
    r->points[i] = LIL_NEW(r->arena, double, 3 * (size_t)o->mesh.vertex_count);
    LIL_HAVE(r->ctx, name && r->points[i]);
    channels[*count] = (lil_channel){ name, 3 * o->mesh.vertex_count, NULL };
    values[(*count)++] = r->points[i];
    return LIL_OK;
}

/* obstacle/NAME of each that moves, obstacle_turn/NAME of each that turns */
static lil_status list_places(lil_world_record *r, lil_channel *channels, const double **values, int *count)
{
    for (int i = 0; i < r->world->obstacle_count; i++) {
        const lil_world_obstacle *o = &r->world->obstacles[i];
        const char *name = lil_arena_format(r->arena, "obstacle/%s", o->name),
                   *turn = lil_arena_format(r->arena, "obstacle_turn/%s", o->name);
        LIL_HAVE(r->ctx, name && turn && lil_drive_begin(&o->drive, r->arena, &r->slots[i]));
        if (o->drive.move) {
            channels[*count] = (lil_channel){ name, 3, NULL };
            values[(*count)++] = r->places + OBSTACLE_PLACE * i;
        }
        if (o->drive.turn) {
            channels[*count] = (lil_channel){ turn, 4, NULL };
            values[(*count)++] = r->places + OBSTACLE_PLACE * i + 3;
        }
        LIL_TRY(list_points(r, i, channels, values, count));
    }
    return LIL_OK;
}

lil_status lil_world_record_channels(lil_world_record *r, lil_channel *channels, const double **values, int *count)
{
    const struct {
        const char *name;
        const double *value;
    } contact[CONTACT_TRACKS] = { { "contact/gap", &r->gap },
                                  { "contact/force", &r->force },
                                  { "contact/energy", &r->energy },
                                  { "contact/pairs", &r->pairs } };
    for (int i = 0; r->sim->model->impassable && i < CONTACT_TRACKS; i++) {
        channels[*count] = (lil_channel){ contact[i].name, 0, NULL };
        values[(*count)++] = contact[i].value;
    }
    return r->world ? list_places(r, channels, values, count) : LIL_OK;
}

/* ---- frames ---- */

void lil_world_record_fill(lil_world_record *r)
{
    const lil_state *x = lil_sim_state(r->sim);
    lil_positions *all = &r->sim->ev.full;
    int n = r->n;
    if (!r->full)
        return;
    double *q = r->full, *v = q + n, *p = v + n;
    memcpy(q, lil_positions_of(all, x->t, x->q), (size_t)n * sizeof *q);
    memcpy(v, lil_positions_velocity(all, x->t, x->v), (size_t)n * sizeof *v);
    for (int k = 0; k < n; k++) {
        int i = all->dofs->number[k];
        p[k] = i >= 0 ? x->p[i] : r->sim->model->points.mass[k / 3] * v[k];
    }
}

static void fill_places(lil_world_record *r)
{
    for (int i = 0; r->world && i < r->world->obstacle_count; i++) {
        const lil_world_obstacle *o = &r->world->obstacles[i];
        double *at = r->places + OBSTACLE_PLACE * i;
        lil_pose pose;
        lil_drive_at(&o->drive, &r->slots[i], lil_sim_state(r->sim)->t, &pose);
        lil_pose_place(&pose, o->contact.obstacle.point, at);
        lil_pose_quaternion(&pose, at + 3);
        for (int v = 0; r->points[i] && v < o->mesh.vertex_count; v++)
            lil_pose_point(&pose, v, o->mesh.x + 3 * (size_t)v, r->points[i] + 3 * (size_t)v);
    }
}

/* The contacts of this frame, each of them and all together. */
static lil_status fill_contacts(lil_world_record *r, lil_recorder *recorder)
{
    int count = lil_sim_touching(r->sim, r->touching, r->room);
    if (count > r->room) {
        r->room = 2 * count;
        r->touching = LIL_NEW(r->arena, lil_touching, r->room);
        count = r->touching ? lil_sim_touching(r->sim, r->touching, r->room) : -1;
    }
    if (count < 0)
        return lil_fail_memory(r->ctx);
    r->gap = r->d_hat; /* larger gaps are not searched for */
    r->force = r->energy = 0;
    r->pairs = count;
    for (int i = 0; i < count; i++) {
        const lil_touching *one = &r->touching[i];
        r->gap = fmin(r->gap, one->gap);
        r->force += sqrt(one->f[0] * one->f[0] + one->f[1] * one->f[1] + one->f[2] * one->f[2]);
        r->energy += one->energy;
    }
    return recorder ? lil_recorder_contacts(recorder, r->touching, count) : LIL_OK;
}

lil_status lil_world_record_frame(lil_world_record *r, lil_recorder *recorder)
{
    fill_places(r);
    return r->sim->model->impassable ? fill_contacts(r, recorder) : LIL_OK;
}

static bool nothing_found(void *user, double done)
{
    const lil_check *found = user;
    (void)done;
    return found->intersections == 0;
}

/* Without contact only whether parts pass through each other matters, and once is enough. */
lil_status lil_world_record_look(const lil_world_record *r, lil_recorder *recorder, const char *path)
{
    lil_trajectory *recorded = NULL;
    lil_check_def def = lil_check_def_default();
    lil_check found = { 0 };
    bool barrier = r->sim->model->impassable;
    if (!barrier && (!r->world || r->world->touches || r->world->count < 2))
        return LIL_OK;
    if (!barrier) {
        def.distinct = true;
        def.progress = nothing_found;
        def.user = &found;
    }
    LIL_TRY(lil_recorder_flush(recorder)); /* a full disk is a failure of the run */
    lil_status status = lil_trajectory_open(r->ctx, path, &recorded);
    if (status == LIL_OK)
        status = lil_trajectory_check(recorded, &def, &found);
    lil_trajectory_destroy(&recorded);
    if (!barrier && found.intersections)
        lil_warn_once(r->ctx, &r->sim->warnings, LIL_WARNING_THROUGH,
                      "%.200s intersect at t = %.9g s, and perhaps later others: the scene has no contact; with "
                      "contact: {} bodies collide",
                      found.first, found.t);
    if (!barrier)
        return LIL_OK;
    if (status != LIL_OK) {
        lil_warn(r->ctx, "intersections were not checked: %.300s", r->ctx->message);
        return LIL_OK;
    }
    r->sim->watch.intersections = (double)found.intersections;
    if (found.intersections)
        lil_warn(r->ctx, "%lld intersections in recorded frames, the first at t = %.9g s: %s",
                 (long long)found.intersections, found.t, found.first);
    return LIL_OK;
}
