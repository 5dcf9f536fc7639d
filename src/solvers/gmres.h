/*
 * Minimal residuals over all directions so far (Saad & Schultz, SIAM J. Sci. Stat. Comput. 7 (1986), 856-869),
 * restarted regularly, for the matrices at which Orthomin stalls: contact with friction may leave the symmetric part
 * of H indefinite, and then a residual r with r'Hr = 0 has no way down along itself. Over lil_blocks, swept, in
 * single precision.
 */
#ifndef LIL_SOLVERS_GMRES_H
#define LIL_SOLVERS_GMRES_H

#include "solvers/pcg.h"

enum { LIL_GMRES_MOST = 50 }; /* directions */

typedef struct lil_gmres {
    lil_arena *arena;
    const lil_blocks *A;
    int count;       /* of directions that are kept */
    lil_float4 *all; /* these, and one more; NULL until the first solve */
} lil_gmres;

/* Keeps fewer if memory is short. Allocates at the first solve. */
void lil_gmres_create(lil_arena *arena, const lil_blocks *A, lil_gmres *gm);
/* From d and r = b - A d on until |r| <= enough: both go on, and so does ask->iterations. s, work: scratch.
 * Returns r'r. ask->curvature: r is not below `enough` and falls no more. Where memory ran out nothing is done. */
double lil_gmres_solve(lil_gmres *gm, double enough, lil_float4 *d, lil_float4 *r, lil_float4 *s, lil_float4 *work,
                       lil_pcg_ask *ask);

#endif
