#include "terms/pose.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

void lil_rotation_of(const double degrees[3], double R[9])
{
    double c[3], s[3];
    for (int d = 0; d < 3; d++) {
        double turn = degrees[d] / 90, whole = round(turn);
        bool square = turn == whole; /* quarter turns to the last bit */
        int quarter = square ? ((int)fmod(whole, 4) + 4) % 4 : 0;
        c[d] = square ? (const double[]){ 1, 0, -1, 0 }[quarter] : cos(degrees[d] * (acos(-1) / 180));
        s[d] = square ? (const double[]){ 0, 1, 0, -1 }[quarter] : sin(degrees[d] * (acos(-1) / 180));
    }
    const double turned[9] = { c[2] * c[1],
                               c[2] * s[1] * s[0] - s[2] * c[0],
                               c[2] * s[1] * c[0] + s[2] * s[0],
                               s[2] * c[1],
                               s[2] * s[1] * s[0] + c[2] * c[0],
                               s[2] * s[1] * c[0] - c[2] * s[0],
                               -s[1],
                               c[1] * s[0],
                               c[1] * c[0] };
    memcpy(R, turned, sizeof turned);
}

bool lil_drive_begin(const lil_drive *d, lil_arena *arena, lil_drive_slots *slots)
{
    *slots = (lil_drive_slots){ 0 };
    if (d->move && !(slots->move = lil_program_slots(d->move, arena)))
        return false;
    return !d->turn || (slots->turn = lil_program_slots(d->turn, arena));
}

/* omega = z dc/dt + R_z (y db/dt + R_y x da/dt) */
static void set_turn(const double at[6], lil_pose *p)
{
    double rate[3], about_z[9], about_y[9], y[3], z[3];
    for (int k = 0; k < 3; k++)
        rate[k] = at[3 + k] * (acos(-1) / 180);
    p->turned = true;
    lil_rotation_of(at, p->R);
    lil_rotation_of((double[3]){ 0, at[1], 0 }, about_y);
    lil_rotation_of((double[3]){ 0, 0, at[2] }, about_z);
    for (int k = 0; k < 3; k++)
        y[k] = about_y[3 * k] * rate[0] + (k == 1 ? rate[1] : 0);
    for (int k = 0; k < 3; k++)
        z[k] = lil_dot3(about_z + 3 * k, y) + (k == 2 ? rate[2] : 0);
    memcpy(p->omega, z, sizeof z);
}

void lil_drive_at(const lil_drive *d, const lil_drive_slots *slots, double t, lil_pose *p)
{
    double at[6];
    *p = (lil_pose){ .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    if (!d)
        return;
    memcpy(p->centre, d->centre, sizeof p->centre);
    p->samples = d->samples;
    if (d->samples)
        p->place = lil_samples_find(d->samples, t);
    if (d->move) {
        lil_program_run(d->move, slots->move, t, NULL, NULL, at);
        memcpy(p->shift, at, sizeof p->shift);
        memcpy(p->v, at + 3, sizeof p->v);
    }
    if (d->turn) {
        lil_program_run(d->turn, slots->turn, t, NULL, NULL, at);
        set_turn(at, p);
    }
}

void lil_pose_turn(const lil_pose *p, const double n0[3], double n[3])
{
    const double own[3] = { n0[0], n0[1], n0[2] };
    for (int k = 0; k < 3; k++)
        n[k] = p->turned ? lil_dot3(p->R + 3 * k, own) : own[k];
}

void lil_pose_place(const lil_pose *p, const double x0[3], double x[3])
{
    if (!p->turned) {
        for (int k = 0; k < 3; k++)
            x[k] = x0[k] + p->shift[k];
        return;
    }
    double r[3] = { x0[0] - p->centre[0], x0[1] - p->centre[1], x0[2] - p->centre[2] };
    for (int k = 0; k < 3; k++)
        x[k] = p->centre[k] + p->shift[k] + lil_dot3(p->R + 3 * k, r);
}

void lil_pose_velocity(const lil_pose *p, const double x[3], double v[3])
{
    double r[3];
    for (int k = 0; k < 3; k++)
        r[k] = x[k] - p->centre[k] - p->shift[k];
    lil_cross3(p->omega, r, v);
    for (int k = 0; k < 3; k++)
        v[k] += p->v[k];
}

void lil_pose_point(const lil_pose *p, int i, const double x0[3], double x[3])
{
    double own[3] = { x0[0], x0[1], x0[2] }, rate[3];
    if (p->samples)
        lil_samples_at(p->samples, &p->place, i, own, rate);
    lil_pose_place(p, own, x);
}

void lil_pose_point_velocity(const lil_pose *p, int i, const double x[3], double v[3])
{
    double own[3], rate[3];
    lil_pose_velocity(p, x, v);
    if (!p->samples)
        return;
    lil_samples_at(p->samples, &p->place, i, own, rate);
    lil_pose_turn(p, rate, rate);
    for (int k = 0; k < 3; k++)
        v[k] += rate[k];
}

/* from the largest of w^2, x^2, y^2, z^2, which loses no digits */
void lil_pose_quaternion(const lil_pose *p, double q[4])
{
    const double *R = p->R;
    double square[4] = { 1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8],
                         1 - R[0] - R[4] + R[8] };
    int m = 0;
    for (int k = 1; k < 4; k++)
        m = square[k] > square[m] ? k : m;
    double s = 2 * sqrt(square[m]), minus[3] = { R[7] - R[5], R[2] - R[6], R[3] - R[1] };
    const double plus[3][3] = { { 0, R[1] + R[3], R[2] + R[6] },
                                { R[1] + R[3], 0, R[5] + R[7] },
                                { R[2] + R[6], R[5] + R[7], 0 } };
    q[0] = m ? minus[m - 1] / s : s / 4;
    for (int k = 0; k < 3; k++)
        q[k + 1] = !m ? minus[k] / s : k == m - 1 ? s / 4 : plus[m - 1][k] / s;
}
