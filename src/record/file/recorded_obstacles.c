#include "record/file/recorded_obstacles.h"

#include "math/matrix3.h"

#include <string.h>

static const int box_faces[12][3] = { { 0, 2, 1 }, { 1, 2, 3 }, { 4, 5, 6 }, { 5, 7, 6 }, { 0, 1, 4 }, { 1, 5, 4 },
                                      { 2, 6, 3 }, { 3, 6, 7 }, { 0, 4, 2 }, { 2, 4, 6 }, { 1, 3, 5 }, { 3, 7, 5 } };

/* by the quaternion w x y z */
static lil_status turn(lil_motion *m, const lil_recorded_obstacle *o, double t, lil_solid_at *s)
{
    double q[4], was[9], normal[3];
    LIL_TRY(lil_motion_track_at(m, o->turn, t, q));
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double R[9] = { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y) };
    memcpy(was, s->R, sizeof was);
    memcpy(normal, s->normal, sizeof normal);
    for (int i = 0; i < 3; i++)
        s->normal[i] = lil_dot3(R + 3 * i, normal);
    lil_multiply3(R, was, s->R);
    return LIL_OK;
}

lil_status lil_solid_read(lil_motion *m, const lil_recorded_obstacle *o, double t, lil_solid_at *s)
{
    *s = (lil_solid_at){ .kind = (int)o->shape[0], .radius = o->shape[7] };
    memcpy(s->point, o->shape + 1, sizeof s->point);
    memcpy(s->normal, o->shape + 4, sizeof s->normal);
    memcpy(s->half, o->shape + 8, sizeof s->half);
    memcpy(s->R, o->shape + 11, sizeof s->R);
    if (s->kind == 3) /* as it is in the file */
        memcpy(s->R, (const double[9]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }, sizeof s->R);
    if (o->place)
        LIL_TRY(lil_motion_track_at(m, o->place, t, s->point));
    return o->turn ? turn(m, o, t, s) : LIL_OK;
}

int lil_solid_point_count(const lil_recorded_obstacle *o)
{
    return o->shape[0] == 2 ? 8 : o->vertex_count;
}

int lil_solid_face_count(const lil_recorded_obstacle *o)
{
    return o->shape[0] == 2 ? 12 : o->face_count;
}

const int *lil_solid_face(const lil_recorded_obstacle *o, int f)
{
    return o->shape[0] == 2 ? box_faces[f] : o->faces[f];
}

bool lil_solid_stays(const lil_recorded_obstacle *o)
{
    return !o->place && !o->turn && !o->points;
}

/* A mesh is recorded where it is before it moves and turns about its point; one that deforms, where it is. */
lil_status lil_solid_points(lil_motion *m, const lil_recorded_obstacle *o, const lil_solid_at *s, double t, double *x)
{
    if (o->points)
        return lil_motion_track_at(m, o->points, t, x);
    for (int i = 0; i < lil_solid_point_count(o); i++)
        for (int k = 0; k < 3; k++) {
            double sum = s->point[k];
            for (int d = 0; d < 3; d++) {
                double own = s->kind == 2 ? (i >> d & 1 ? 1 : -1) * s->half[d] : o->x[3 * i + d] - o->shape[1 + d];
                sum += s->R[3 * k + d] * own;
            }
            x[3 * i + k] = sum;
        }
    return LIL_OK;
}
