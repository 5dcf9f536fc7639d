/*
 * The effect of an inexact solve on angular momentum, and its correction.
 *
 * A variational step with the residual r(v) of (7) has the momenta p_{k+1} of (5). The torques about its nodes vanish
 * if W is invariant under rotations. With M v - r = p_{k+1} - h sum b_i c_i Q_i there remains
 *
 *     J_{k+1} - J_k = sum_i h b_i (q_k + c_i h v) x Q_i - h v x r = -h sum v x r
 *
 * For a stiff body r is the round-off of forces that nearly cancel, and no solver makes it smaller. So a rigid
 * rotation about the centre of mass is added to p,
 *
 *     p += M omega x (q - c),   I omega = h sum v x r,
 *
 * which does not change the linear momentum. It changes p by less than r, by about r times |h v| over the size of the
 * body. Only the known effect of r is removed: wrong torques of forces would still be visible.
 */
#ifndef LIL_DISCRETE_TORQUE_H
#define LIL_DISCRETE_TORQUE_H

/* n vertices at q, after the step. If they lie on a line, p is not changed. */
void lil_torque_remove(int n, const double *mass, double h, const double *v, const double *r, const double *q,
                       double *p);

#endif
