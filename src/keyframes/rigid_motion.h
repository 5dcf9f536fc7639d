/*
 * How bodies move along a change d of their frames: with finite rotations. With d = v + omega x r + e, the nearest
 * rigid motion and the remainder,
 *
 *     turn(q, d) = c + v + exp(omega) (r + e)          r = q - c, c the centre of mass
 *
 * A straight line would stretch a rotating body by |omega|^2/2, which is a large force if the body is stiff. To
 * second order the motion is q + d + Gamma(d, d)/2, Gamma(d, d) = 2 omega x (d - v) - omega x (omega x r), so that C
 * along it has the Hessian H + g.Gamma.
 */
#ifndef LIL_KEYFRAMES_RIGID_MOTION_H
#define LIL_KEYFRAMES_RIGID_MOTION_H

#include "core/arena.h"
#include "math/sparse.h"

/* Coordinates x, y, z of vertices; uncoupled parts rotate separately. */
typedef struct lil_rigid_bodies {
    int parts;
    int *start, *vertex; /* of part i: vertex[start[i]] .. */
    const double *m;     /* of coordinates */
} lil_rigid_bodies;

lil_status lil_rigid_bodies_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, const double *m,
                                   lil_rigid_bodies *bodies);
/* One frame. */
void lil_rigid_move(const lil_rigid_bodies *bodies, const double *q, const double *d, double t, double *to);
/* Hp += g.Gamma(p, .) */
void lil_rigid_curvature(const lil_rigid_bodies *bodies, const double *q, const double *g, const double *p,
                         double *Hp);

/* The rotation R and the two centres that take the pose a nearest to b, least squares by mass (Kabsch 1976), over
 * the vertices that are `held` (NULL: all). */
void lil_rigid_nearest(const lil_rigid_bodies *bodies, int part, const double *a, const double *b, const bool *held,
                       double R[9], double ca[3], double cb[3]);
void lil_rotation_vector(const double R[9], double w[3]); /* axis times angle, 0 to pi */
void lil_rotation_matrix(const double w[3], double share, double R[9]);

#endif
