/*
 * (J'GJ)^-1 of shots with thousands of coordinates per frame, where the banded matrix would not fit: sweeps through
 * time, and a problem that has only as many unknowns as keys hold coordinates. For midpoint and constant, diagonal
 * mass,
 *
 *     dp+ = S_k (d_k + d_{k+1}) - 2/h M d_k        dp- = 2/h M d_{k+1} - S_k (d_k + d_{k+1})       S = M/h + h/4 K
 *
 * so that impulses z give the frames one by one, d = E z, as steps do, each by one solution with S_k. Which z is best
 * among those that leave alone what keys hold, Cz = 0, is a problem of least norm:
 *
 *     min 1/2 z'Gz + (E'g)'z,  Cz = 0:      z = -G^-1 (E'g + C'y),   (C G^-1 C') y = -C G^-1 E'g
 *
 * C G^-1 C' is the Gramian of control theory: a sweep backwards, C', and one forwards, C. For a mode of frequency
 * omega it is T/2 omega^2 where positions are held and T/2 where momenta are, at any h; so conjugate gradients with
 * (K + 3/2 M/T^2) and M^-1 as preconditioners take as many iterations for a fine mesh as for a coarse one, and for
 * stiff as for soft. What no impulse acts on (the first state where keys leave it free) has a G of its own, small:
 * that shortens a step there, and changes nothing where steps end.
 *
 * After each key frames begin anew: C sees what is held, which is then put back where the key has it, and momenta
 * with it as if it had come there in the time T since the key before. With Cz = 0 this does nothing; but so C z of a
 * key hardly knows of those before (the innovations of Kalman 1960), and conjugate gradients take hardly more
 * iterations for many keys than for one.
 *
 * Damping, B (d_{k+1} - R d_k)/2 where bodies turn by R, adds B/2 to S and -B (d_k + R d_k)/2 to dp+; what it takes
 * from a Gramian is in the preconditioners of what is held, with B as if it were beta K.
 *
 * K is projected to a positive semidefinite one, for sweeps with another grow without bound. So this is a
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
    double kappa;    /* the mean of 1/(a m): what an impulse costs against its mass */
    lil_ldl ldl;     /* which factors them all */
    lil_panels panels;
    lil_panelled *factor;   /* of S, each segment's */
    lil_panelled rest;      /* of K + M/T^2 at the first frame */
    lil_panelled *softened; /* of V M + K/weight, at frames of soft keys */
    lil_assembly damping;   /* B, what kicks have as C; no pattern: nothing is damped */
    int *in;                /* where its entries are in the pattern of K; -1: nowhere */
    double **B;             /* of segments */
    bool damped;            /* whether it is taken into account */
    const lil_rigid_bodies *bodies;
    double *omega;       /* of segments and parts: how they turn, rad/s */
    double *beta;        /* of segments: B is about beta K */
    double **K;          /* halfway to frames where something is held, over the pattern; NULL: nothing is */
    double *pivot, *ell; /* W + tau^2 L, which couples the rows of one coordinate, as L D L' */
    /* y: coordinates of all frames, then n for each row that has no p+ */
    int ends, *end_row, *end_at; /* end_at: of each segment, which end its p- is in; -1: none */
    size_t size;
    bool *bound;   /* each of y: whether it is one */
    double *soft;  /* each of y: 1/pull of a soft key, 0 */
    double *V;     /* of frames, then of ends: the variance of positions times omega^2, of momenta */
    double *since; /* of frames: how long ago the same was held */
    double *z, *x, *first, *e, *P, *u, *Bd, *work;
    double *y, *r, *s, *p, *Gp;
    int iterations; /* of conjugate gradients, the latest solution's */
} lil_gramian;

lil_status lil_gramian_create(lil_problem *shot, const lil_rigid_bodies *bodies, lil_gramian *s);
/* The coordinates or times of keys have changed: shot->held, pull, dt. */
void lil_gramian_bind(lil_gramian *s);
/* With B or without, from the next lil_gramian_set on: where damping is strong and bodies are deformed much, B(q)
 * v changes more by q than with v, and sweeps without B are the better preconditioner. */
void lil_gramian_damp(lil_gramian *s, bool damped);
/* The matrices at frames q; not all of them if the progress callback ends it. */
lil_status lil_gramian_set(lil_gramian *s, const double *q);
/* r <- S^-1 r of segment k alone, between frames a and b. False: it has none. */
bool lil_gramian_step(lil_gramian *s, int k, const double *a, const double *b, double *r);
/* d = -(J'GJ)^-1 g over free coordinates. */
void lil_gramian_solve(lil_gramian *s, const double *g, double tolerance, double *d);

#endif
