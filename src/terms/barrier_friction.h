/*
 * Dissipation of the barrier: friction and restitution, between the ends of a step of h.
 *
 * Friction is Coulomb's, smoothed, on the slip u of the step. N and the point of contact, cb and rb, are those of the
 * step itself (barrier_pair.h), and T projects across rb:
 *
 *     u = T (sum cb_i dx_i - theta x rb) = sum A_i dx_i,   theta = I^-1 sum y_i x dx_i,   y_i = x_i - xbar halfway
 *     G_i = A_i' F,   F = mu N f(|u|/(h slip)) u/|u|,   f(y) = 2 y - y^2 up to y = 1, then 1
 *
 * theta is the mean rotation of the four points. A rigid motion has no slip, so G has no net force and no torque; it
 * takes out F.u >= 0. Against obstacles, which give torques anyway, theta is left out: u is the slip itself.
 *
 * Restitution multiplies the force by a factor that falls with the velocity w at which the gap opens, as Hunt and
 * Crossley's (1975) does,
 *
 *     g(w) = (1 - k f(w/slip)) c(3 kD w/gap),   f(-y) = -f(y),   k = (1 - e^2)/(1 + e^2),   c(y) = 1 - y, y < 0; 1/(1 + y)
 *
 * What comes in works against 1 + k times B and gets 1 - k times B back, so that it leaves with e of its velocity, at
 * any velocity above `slip`. The step in which it turns has to be short (barrier_resolve.c). The second factor is a
 * damper: 3/gap is the barrier's stiffness over its force, where it is deep. g > 1 where the gap closes and g < 1
 * where it opens: both only take energy out, and nothing is ever pulled.
 */
#ifndef LIL_TERMS_BARRIER_FRICTION_H
#define LIL_TERMS_BARRIER_FRICTION_H

#include "terms/barrier_pair.h"
#include "terms/touch.h"

typedef struct lil_contact_law {
    double h;           /* s: of the step */
    double mu;          /* Coulomb's */
    double slip;        /* m/s */
    double restitution; /* e */
    double damping;     /* kD, s */
} lil_contact_law;

/* The state of a slip at the previous matrix of Newton's method: its value, and lambda, the force over mu N, as in
 * that matrix. */
typedef struct lil_slide {
    bool seen;
    double u[3], lambda[3];
} lil_slide;

/* Whether it takes anything out. */
static inline bool lil_law_loses(const lil_contact_law *law)
{
    return law->mu > 0 || law->restitution < 1 || law->damping > 0;
}

/* Adds to G and, unless it is NULL, J of lil_barrier_discrete_gradient. `turns`: all four points can move. `press`
 * needs its derivatives with J alone. J is the derivative of G; with `slide` it has lambda in the place of F/(mu
 * N), and follows it: see barrier_friction.c. */
lil_loss lil_rub_pair(const lil_contact_law *law, const lil_barrier_press *press, const double x0[12],
                      const double x1[12], bool turns, lil_slide *slide, double G[12], double *J);

/* The same of a plane: f and its slope as in lil_barrier_plane_discrete_gradient, n the normal, dx how far the
 * point went, as seen from the plane. Writes G and, unless it is NULL, J, what comes on top of f n. */
lil_loss lil_rub_plane(const lil_contact_law *law, double gap0, double gap1, double f, double slope,
                       const double n[3], const double dx[3], lil_slide *slide, double G[3], double *J);

#endif
