/*
 * Regularisers for coarse levels (Yang 2007, section 5.2): c(h) |A (q_k - target)|^2 is added to (4.8). The target is
 * a mean of neighbours, which are frozen. In a smooth motion q_k - target is of order h^2 (spline: h^4), and the pull
 * towards it is 2 c A'A (q_k - target). The stiffness of (4.8) is of order h. With c = strength h^3 (laplacian:
 * strength h^5) the error of the frames is of order h^2 at most, like that of the discrete Lagrangian.
 *
 *     laplacian   connected parts accelerate alike: A = 2/h^2 Lap, target (q_n + q_m)/2. This is sum_i |Delta_i|^2 of
 *                 Delta = Lap (q_n - 2 q_k + q_m)/h^2, Lap_i q = sum over the neighbours j of i of q_i - q_j (the thesis prints
 *                 |sum_i Delta_i|^2, which is 0)
 *     rayleigh    neighbouring frames are alike in stiff parts: |F(q_n, q_k)|^2 + |F(q_k, q_m)|^2, F(a, b) = K (b - a)/h. As K is
 *                 taken halfway between q_n and q_m, that is A = sqrt(2)/h K, target (q_n + q_m)/2, and a constant
 *     spline      A = 1, target the cubic (9 (q_n + q_m) - (q_{k-3} + q_{k+3}))/16
 */
#ifndef LIL_KEYFRAMES_REGULARISE_H
#define LIL_KEYFRAMES_REGULARISE_H

#include "keyframes/problem.h"

typedef enum lil_regulariser { LIL_REGULARISE_NOT, LIL_LAPLACIAN, LIL_RAYLEIGH, LIL_SPLINE } lil_regulariser;
extern const char *const lil_regularisers[]; /* their names, for a field */

typedef struct lil_regularise {
    lil_regulariser kind;
    double strength;
    double *target; /* n */
    double *A;      /* sqrt(c) A over the shot's pattern */
    double *laplacian;
} lil_regularise;

lil_status lil_regularise_create(lil_problem *shot, lil_regulariser kind, double strength, lil_regularise *reg);
/* For frame k, between frames `stride` away from it. */
void lil_regularise_set(lil_regularise *reg, lil_problem *shot, int k, int stride);
/* e = sqrt(c) A (q - target) */
void lil_regularise_residual(const lil_regularise *reg, const lil_problem *shot, const double *q, double *e);

#endif
