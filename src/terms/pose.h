/*
 * The pose of an obstacle with prescribed motion: at t its point x is at
 *
 *     c + s(t) + R(t) (x - c),   R = R_z R_y R_x
 *
 * with a shift s in m and three angles in degrees, both with their rates. A mesh may also deform by sampled animation, which
 * gives each of its points x an X(t) of its own.
 */
#ifndef LIL_TERMS_POSE_H
#define LIL_TERMS_POSE_H

#include "expr/program.h"
#include "mesh/samples.h"

typedef struct lil_drive {
    const lil_program *move, *turn; /* three numbers and their rates over t; NULL: it does not */
    double centre[3];
    const lil_samples *samples; /* X(t) in place of x, of each of its points; NULL: it keeps its shape */
} lil_drive;

static inline bool lil_drive_moves(const lil_drive *drive)
{
    return drive->move || drive->turn || drive->samples;
}

/* The workspace of one user of a drive. */
typedef struct lil_drive_slots {
    double *move, *turn;
} lil_drive_slots;

typedef struct lil_pose {
    bool turned;
    double centre[3], shift[3], R[9];
    double v[3], omega[3]; /* of the centre, m/s, and about it, rad/s */
    const lil_samples *samples;
    lil_samples_place place; /* in these */
} lil_pose;

/* R_z R_y R_x; quarter turns are exact. */
void lil_rotation_of(const double degrees[3], double R[9]);

/* False: no memory. */
bool lil_drive_begin(const lil_drive *drive, lil_arena *arena, lil_drive_slots *slots);
/* NULL drive: it stays. */
void lil_drive_at(const lil_drive *drive, const lil_drive_slots *slots, double t, lil_pose *pose);

void lil_pose_place(const lil_pose *pose, const double x0[3], double x[3]);
/* Point i of a mesh, which is at x0 where it does not deform; the velocity when it is at x. */
void lil_pose_point(const lil_pose *pose, int i, const double x0[3], double x[3]);
void lil_pose_point_velocity(const lil_pose *pose, int i, const double x[3], double v[3]);
/* Directions, which only turn. */
void lil_pose_turn(const lil_pose *pose, const double n0[3], double n[3]);
/* For the point that is at x now. */
void lil_pose_velocity(const lil_pose *pose, const double x[3], double v[3]);
/* R as w, x, y, z of a quaternion of length 1. */
void lil_pose_quaternion(const lil_pose *pose, double q[4]);

#endif
