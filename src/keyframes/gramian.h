/*
 * (J'GJ)^-1 of shots with thousands of coordinates per frame, whose banded matrix would not fit into memory. It takes
 * recursions through time, and a problem with one unknown for each keyed coordinate. For midpoint and constant,
 * diagonal mass,
 *
 *     dp+ = S_k (d_k + d_{k+1}) - 2/h M d_k        dp- = 2/h M d_{k+1} - S_k (d_k + d_{k+1})       S = M/h + h/4 K
 *
 * so impulses z give the frames one by one, d = E z, as steps do, each with one solve with S_k. The best z that
 * leaves keyed coordinates unchanged, Cz = 0, is the solution of a least-norm problem:
 *
 *     min 1/2 z'Gz + (E'g)'z,  Cz = 0:      z = -G^-1 (E'g + C'y),   (C G^-1 C') y = -C G^-1 E'g
 *
 * C G^-1 C' is the Gramian of control theory: a recursion backwards, C', and one forwards, C. For a mode of frequency
 * omega it is T/2 omega^2 if the position is keyed and T/2 if the momentum is, at any h. So conjugate gradients with
 * (K + 3/2 M/T^2) and M^-1 as preconditioners take as many iterations for a fine mesh as for a coarse one, and for a
 * stiff body as for a soft one. No impulse acts on the first state. Its free components have a small G of their own,
 * which shortens steps but does not change the solution.
 *
 * The recursion restarts after each key: C takes the keyed coordinates, which are then reset to the key, and the
 * momenta with them, as if that change had taken the time T since the key before. With Cz = 0 this has no effect. But
 * C z of a key then hardly depends on earlier keys (the innovations of Kalman 1960), and conjugate gradients take
 * hardly more iterations for many keys than for one.
 *
 * Damping, B (d_{k+1} - R d_k)/2 for bodies that rotate by R, adds B/2 to S and -B (d_k + R d_k)/2 to dp+. It makes
 * the Gramian smaller; the preconditioners include this with B approximated by beta K.
 *
 * K is projected to a positive semidefinite one, because the recursion is otherwise unstable. So this is a
 * preconditioner for Newton's method, not its matrix.
 */
#ifndef LIL_KEYFRAMES_GRAMIAN_H
#define LIL_KEYFRAMES_GRAMIAN_H

#include "keyframes/problem.h"
#include "keyframes/rigid_motion.h"
#include "solvers/panels.h"

typedef struct lil_gramian {
    lil_problem *shot;
    int n, N;
    double T;
    const double *m; /* the mass */
    double kappa;    /* the mean of 1/(a m): the weight of an impulse in C over its inverse mass */
    lil_ldl ldl;     /* the workspace of all factorisations */
    lil_panels panels;
    lil_panelled *factor;   /* of S, each segment's */
    lil_panelled rest;      /* of K + M/T^2 at the first frame */
    lil_panelled *softened; /* of V M + K/weight, at frames of soft keys */
    lil_assembly damping;   /* B, the C of kicks; no pattern: no damping */
    int *in;                /* where its entries are in the pattern of K; -1: nowhere */
    double **B;             /* of segments */
    bool damped;            /* whether it is taken into account */
    const lil_rigid_bodies *bodies;
    double *omega;       /* of segments and parts: angular velocity, rad/s */
    double *beta;        /* of segments: B is about beta K */
    double **K;          /* halfway to frames with keys, over the pattern; NULL: no key */
    double *pivot, *ell; /* W + tau^2 L, which couples the rows of one coordinate, as L D L' */
    /* y has the coordinates of all frames, then n for each row without p+ */
    int ends, *end_row, *end_at; /* end_at: of each segment, which end its p- is in; -1: none */
    size_t size;
    bool *bound;   /* each entry of y: whether it is an unknown */
    double *soft;  /* each entry of y: 1/pull of a soft key; 0: hard */
    double *V;     /* of frames, then of ends: the variance of positions times omega^2, of momenta */
    double *since; /* of frames: the time since the same coordinates had a key */
    double *z, *x, *first, *e, *P, *u, *Bd, *work;
    double *y, *r, *s, *p, *Gp;
    int iterations; /* of conjugate gradients in the latest solve */
} lil_gramian;

lil_status lil_gramian_create(lil_problem *shot, const lil_rigid_bodies *bodies, lil_gramian *s);
/* The coordinates or times of keys have changed: shot->held, pull, dt. */
void lil_gramian_bind(lil_gramian *s);
/* With B or without, from the next lil_gramian_set on. If damping is strong and deformations are large, B(q) v
 * changes more with q than with v, and the Gramian without B is the better preconditioner. */
void lil_gramian_damp(lil_gramian *s, bool damped);
/* The matrices at frames q; incomplete if the progress callback cancels. */
lil_status lil_gramian_set(lil_gramian *s, const double *q);
/* r <- S^-1 r of segment k alone, between frames a and b. False: S cannot be factored. */
bool lil_gramian_step(lil_gramian *s, int k, const double *a, const double *b, double *r);
/* d = -(J'GJ)^-1 g over free coordinates. */
void lil_gramian_solve(lil_gramian *s, const double *g, double tolerance, double *d);

#endif
