/* A trajectory read back, frame by frame. */
#include "record/file/motion.h"

#include <stdlib.h>

int64_t lil_trajectory_frames(const lil_trajectory *tr)
{
    return tr->frames;
}

int lil_trajectory_size(const lil_trajectory *tr)
{
    return tr->n;
}

const char *lil_trajectory_name(const lil_trajectory *tr, int i)
{
    return i >= 0 && i < tr->n ? tr->names[i] : NULL;
}

bool lil_trajectory_dataset(const lil_trajectory *tr, int index, lil_dataset *dataset)
{
    if (index < 0 || index >= tr->track_count)
        return false;
    const lil_track *track = &tr->tracks[index];
    *dataset = (lil_dataset){ track->name, track->width ? track->width : 1 };
    return true;
}

/* The layer between files and frames, opened at first use. */
static lil_status begin(lil_trajectory *tr)
{
    if (tr->motion)
        return LIL_OK;
    lil_motion *motion = malloc(sizeof *motion);
    LIL_HAVE(tr->ctx, motion);
    lil_status status = lil_motion_open(tr, motion);
    if (status == LIL_OK)
        tr->motion = motion;
    else
        free(motion);
    return status;
}

static lil_status check_index(lil_trajectory *tr, int64_t from, int64_t count, const char *function)
{
    if (from >= 0 && count >= 1 && from <= tr->frames - count)
        return LIL_OK;
    if (count == 1)
        return lil_fail(tr->ctx, LIL_ERR_ARGUMENT, "%s: 'index' is %lld, but %.200s has frames 0 to %lld", function,
                        (long long)from, tr->path, (long long)tr->frames - 1);
    return lil_fail(tr->ctx, LIL_ERR_ARGUMENT, "%s: 'from' is %lld and 'count' %lld, but %.200s has frames 0 to %lld",
                    function, (long long)from, (long long)count, tr->path, (long long)tr->frames - 1);
}

static lil_status check_time(lil_trajectory *tr, double t, const char *function)
{
    const lil_motion *m = tr->motion;
    double first = m->t[0], last = m->t[tr->frames - 1];
    return t >= first && t <= last
               ? LIL_OK
               : lil_fail(tr->ctx, LIL_ERR_ARGUMENT, "%s: 't' is %.9g, but %.200s has frames from %.9g to %.9g s",
                          function, t, tr->path, first, last);
}

static lil_status find_track(lil_trajectory *tr, const char *name, const char *function, const lil_track **track)
{
    *track = lil_track_find(tr, name);
    return *track
               ? LIL_OK
               : lil_fail(tr->ctx, LIL_ERR_ARGUMENT, "%s: there is no '%.100s' in %.200s", function, name, tr->path);
}

lil_status lil_trajectory_frame(lil_trajectory *tr, int64_t index, lil_frame *frame)
{
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, frame, "frame");
    LIL_TRY(check_index(tr, index, 1, __func__));
    LIL_TRY(begin(tr));
    const double *energy, *potential;
    lil_frame found = { .t = tr->motion->t[index], .n = tr->n };
    const struct {
        const char *name;
        const double **rows;
    } read[] = {
        { "q", &found.q }, { "v", &found.v }, { "p", &found.p }, { "energy", &energy }, { "potential", &potential }
    };
    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        const lil_track *track = lil_track_find(tr, read[i].name);
        if (track)
            LIL_TRY(lil_motion_rows(tr->motion, track, index, 1, read[i].rows));
    }
    found.energy = *energy;
    found.potential = *potential;
    *frame = found;
    return LIL_OK;
}

lil_status lil_trajectory_frame_at(lil_trajectory *tr, double t, lil_frame *frame)
{
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, frame, "frame");
    LIL_TRY(begin(tr));
    LIL_TRY(check_time(tr, t, __func__));
    size_t n = (size_t)tr->n;
    if (!tr->between && !(tr->between = LIL_NEW(&tr->arena, double, 3 * n)))
        return lil_fail_memory(tr->ctx);
    double *q = lil_track_find(tr, "q") ? tr->between : NULL, *v = lil_track_find(tr, "v") ? tr->between + n : NULL;
    const lil_track *track_p = lil_track_find(tr, "p");
    lil_frame found = { .t = t, .n = tr->n, .q = q, .v = v, .p = track_p ? tr->between + 2 * n : NULL };
    LIL_TRY(lil_motion_at(tr->motion, t, q, v));
    if (track_p)
        LIL_TRY(lil_motion_track_at(tr->motion, track_p, t, tr->between + 2 * n));
    LIL_TRY(lil_motion_track_at(tr->motion, lil_track_find(tr, "energy"), t, &found.energy));
    LIL_TRY(lil_motion_track_at(tr->motion, lil_track_find(tr, "potential"), t, &found.potential));
    *frame = found;
    return LIL_OK;
}

lil_status lil_trajectory_find(lil_trajectory *tr, double t, int64_t *index)
{
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, index, "index");
    LIL_TRY(begin(tr));
    LIL_TRY(check_time(tr, t, __func__));
    *index = lil_motion_frame_before(tr->motion, t);
    return LIL_OK;
}

lil_status lil_trajectory_read(lil_trajectory *tr, const char *name, int64_t from, int64_t count, double *rows)
{
    const lil_track *track;
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, name, "name");
    LIL_NEED(tr->ctx, rows, "rows");
    LIL_TRY(find_track(tr, name, __func__, &track));
    LIL_TRY(check_index(tr, from, count, __func__));
    return lil_track_read(tr, track, from, count, rows);
}

lil_status lil_trajectory_read_at(lil_trajectory *tr, const char *name, double t, double *row)
{
    const lil_track *track;
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, name, "name");
    LIL_NEED(tr->ctx, row, "row");
    LIL_TRY(find_track(tr, name, __func__, &track));
    LIL_TRY(begin(tr));
    LIL_TRY(check_time(tr, t, __func__));
    return lil_motion_track_at(tr->motion, track, t, row);
}

/* ---- bodies ---- */

lil_status lil_trajectory_body_count(lil_trajectory *tr, int *count)
{
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, count, "count");
    LIL_TRY(begin(tr));
    *count = tr->motion->body_count;
    return LIL_OK;
}

static lil_status find_body(lil_trajectory *tr, int index, const char *function, const lil_recorded_body **body)
{
    LIL_TRY(begin(tr));
    if (index < 0 || index >= tr->motion->body_count)
        return lil_fail(tr->ctx, LIL_ERR_ARGUMENT, "%s: 'index' is %d, but %.200s has %d bodies", function, index,
                        tr->path, tr->motion->body_count);
    *body = &tr->motion->bodies[index];
    return LIL_OK;
}

lil_status lil_trajectory_body(lil_trajectory *tr, int index, lil_body_info *info)
{
    const lil_recorded_body *b = NULL;
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, info, "info");
    LIL_TRY(find_body(tr, index, __func__, &b));
    const lil_recorded_surface *s = &b->surface;
    *info = (lil_body_info){ .name = b->name,
                             .material = b->material.table->name,
                             .first = b->first,
                             .vertex_count = b->vertex_count,
                             .tet_count = b->tet_count,
                             .face_count = b->face_count,
                             .rest = b->rest,
                             .tets = b->tets[0],
                             .mids = b->mids ? b->mids[0] : NULL,
                             .faces = b->faces[0],
                             .surface_vertex_count = s->vertex_count,
                             .surface_face_count = s->face_count,
                             .surface_triangle_count = s->triangle_count,
                             .surface_rest = s->rest,
                             .surface_first = s->first,
                             .surface_corners = s->corners,
                             .surface_triangles = s->triangles ? s->triangles[0] : NULL };
    return LIL_OK;
}

lil_status lil_trajectory_surface(lil_trajectory *tr, int index, const lil_frame *frame, double *x)
{
    const lil_recorded_body *b = NULL;
    LIL_NEED(NULL, tr, "trajectory");
    LIL_NEED(tr->ctx, frame, "frame");
    LIL_NEED(tr->ctx, x, "x");
    LIL_TRY(find_body(tr, index, __func__, &b));
    if (frame->n != tr->n || !frame->q)
        return lil_fail(tr->ctx, LIL_ERR_ARGUMENT, "lil_trajectory_surface: 'frame' is not one of %.200s", tr->path);
    for (int i = 0; i < b->surface.vertex_count; i++)
        lil_motion_carried(b, i, frame->t, frame->q, x + 3 * (size_t)i);
    return LIL_OK;
}
