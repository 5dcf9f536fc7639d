/*
 * Minimal residuals for a general H d = b over lil_blocks, in single precision: generalised conjugate residuals, each
 * direction made orthogonal to the one before (Vinsome's Orthomin(1), 1976; Eisenstat, Elman & Schultz 1983). |b - H
 * d| only falls, and does so down to nothing where the symmetric part of the scaled H is positive definite. For the
 * matrices of discrete gradients more directions gain nothing: 65.35 iterations per step of the twisted bar with one,
 * 65.31 with five.
 */
#ifndef LIL_SOLVERS_ORTHOMIN_H
#define LIL_SOLVERS_ORTHOMIN_H

#include "solvers/gmres.h"

typedef struct lil_orthomin {
    const lil_blocks *A;
    lil_float4 *d, *r, *s, *p, *q, *work; /* s = A r, q = A p */
    lil_float4 *sum, *left;               /* of solves for the residual: d, and the residual, unscaled */
    lil_gmres gmres;
} lil_orthomin;

/* A is borrowed and may be set anew between solves. */
lil_status lil_orthomin_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, lil_orthomin *om);
/* d ~ H^-1 b from d = 0, as lil_pcg_solve. ask->curvature: it has stalled, by gmres too. */
void lil_orthomin_solve(lil_orthomin *om, const double *b, double *d, lil_pcg_ask *ask);

#endif
