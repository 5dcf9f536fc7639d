/*
 * The barrier between two surface features, and its discrete gradient, exact in energy and momenta.
 *
 *     B = kappa m(z) b(y),   b(y) = (1 - y)^3 / y below y = 1, else 0,   y = (D - radius^2) / (d_hat^2 + 2 radius d_hat)
 *
 * D is the squared distance of the features (geometry/pair.h), each of which may be thick; `radius` is the sum of
 * both. b is twice continuously differentiable, and grows so that B <= E keeps the features apart by at least d_hat /
 * sqrt(3 + E/kappa) where they are not thick. m(z) = z (2 - z) below z = 1 fades out edges that are nearly parallel,
 * whose nearest points jump: z = |e_1 x e_2|^2 over 1e-3 of its maximum at rest.
 *
 * D = min_w L(w; s), linear in the squared distances s of the four points, is concave in s: L(w_1; ds) <= D_1 - D_0
 * <= L(w_0; ds) for the minimisers at both ends of a step. So there are weights between them for which L(w; ds) is
 * D_1 - D_0 exactly, a mean value:
 *
 *     cb = c_0 + t (c_1 - c_0),   rb = sum cb_i (x0_i + x1_i)/2,   G_i = kappa sigma 2 cb_i rb,   sigma = (b_1 - b_0)/(D_1 - D_0) <= 0
 *
 * G does the work B_1 - B_0, has no net force since sum cb = 0, and no torque about the middles since every G_i is
 * along rb. It never pulls.
 */
#ifndef LIL_TERMS_BARRIER_PAIR_H
#define LIL_TERMS_BARRIER_PAIR_H

#include "geometry/pair.h"

#include <stdbool.h>

typedef struct lil_barrier {
    lil_pair_kind kind;
    double kappa;    /* J */
    double d_hat;    /* m: the barrier begins at this gap */
    double radius;   /* m */
    double parallel; /* m^4: |e_1 x e_2|^2 at which m begins to fall; edges alone */
} lil_barrier;

/* The data of a pair at one end of a step. */
typedef struct lil_barrier_end {
    lil_closest nearest;
    double y, b, z, m;
} lil_barrier_end;

/* |e_1 x e_2|^2 below which edges are nearly parallel, from their lengths at rest. */
double lil_barrier_parallel(const double rest[12]);

/* At x; b is infinite where there is no gap. */
lil_barrier_end lil_barrier_look(const lil_barrier *barrier, const double x[12]);

static inline double lil_barrier_energy(const lil_barrier *barrier, const lil_barrier_end *end)
{
    return end->y < 1 ? barrier->kappa * end->m * end->b : 0;
}

/* G between x0 and x1, and unless it is NULL J = dG/dx1, by rows: J[12 i + j] = dG_i/dx1_j. Between x and x G is
 * the gradient of B and J half its Hessian. False: both ends are beyond the barrier; G and J are then not written. */
bool lil_barrier_discrete_gradient(const lil_barrier *barrier, const double x0[12], const lil_barrier_end *end0,
                                   const double x1[12], const lil_barrier_end *end1, double G[12], double *J);

/* The contact force: the point of contact, and the force there without the part of the mollifier m. */
typedef struct lil_barrier_press {
    double c[4], r[3], N;                           /* cb, rb; N = 2 kappa m |sigma| |rb|, N */
    double gap0, gap1;                              /* m */
    double dc[4][12], dr[3][12], dN[12], dgap1[12]; /* by x1 */
} lil_barrier_press;

/* For pairs for which lil_barrier_discrete_gradient returned true; derivatives if requested. */
void lil_barrier_press_discrete_gradient(const lil_barrier *barrier, const double x0[12], const lil_barrier_end *end0,
                                         const double x1[12], const lil_barrier_end *end1, bool slopes,
                                         lil_barrier_press *press);

/* The barrier of a gap that is linear in x, as that of a plane: y = (gap/d_hat)^2. B, and f with f (gap1 - gap0) =
 * B_1 - B_0, and its derivative by gap1. */
double lil_barrier_plane_energy(const lil_barrier *barrier, double gap);
void lil_barrier_plane_discrete_gradient(const lil_barrier *barrier, double gap0, double gap1, double *f,
                                         double *slope);

#endif
