/* A ghost force on coordinates as forces on the points that pages draw. */
#ifndef LIL_KEYFRAMES_DRAWN_FORCE_H
#define LIL_KEYFRAMES_DRAWN_FORCE_H

#include "expr/program.h"
#include "solvers/banded.h"

typedef struct lil_drawn_force {
    const lil_program *draw;
    int n, points;
    double *q, *x[2], *J, *y; /* n; 3 per point, twice; 3 per point by n; n */
    lil_banded A;
    double *slots;
    double *F; /* 3 per point */
} lil_drawn_force;

/* `draw` has x, y, z of each point; borrowed. */
lil_status lil_drawn_force_create(lil_context *ctx, lil_arena *arena, const lil_program *draw, int n,
                                  lil_drawn_force *force);
/* Forces F on points x(q) are equivalent to phi if J'F = phi, J = dx/dq. The smallest such F is J (J'J)^-1 phi.
 * The part of phi that moves no point is omitted. */
void lil_drawn_force_find(lil_drawn_force *force, double t, const double *q, const double *v, const double *phi);

#endif
