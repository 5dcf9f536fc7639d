#include "solvers/orthomin.h"

#include <math.h>
#include <string.h>

lil_status lil_orthomin_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, lil_orthomin *om)
{
    *om = (lil_orthomin){ .A = A };
    int rows = lil_blocks_rows(A);
    om->d = LIL_NEW(arena, lil_float4, rows);
    om->r = LIL_NEW(arena, lil_float4, rows);
    for (int k = 0; k < LIL_ORTHOMIN; k++) {
        om->p[k] = LIL_NEW(arena, lil_float4, rows);
        om->q[k] = LIL_NEW(arena, lil_float4, rows);
        if (!om->p[k] || !om->q[k])
            return lil_fail_memory(ctx);
    }
    return om->d && om->r ? LIL_OK : lil_fail_memory(ctx);
}

/* Of A x = r with |r| = 1, so that no square leaves float's range. */
static void iterate(lil_orthomin *om, lil_pcg_ask *ask)
{
    const lil_blocks *A = om->A;
    size_t bytes = (size_t)lil_blocks_rows(A) * sizeof *om->d;
    double rr = lil_blocks_dot(A, om->r, om->r);
    memset(om->d, 0, bytes);
    for (int i = 0; i < ask->iterations_max && sqrt(rr) > ask->eta; i++) {
        int own = i % LIL_ORTHOMIN;
        lil_float4 *p = om->p[own], *q = om->q[own];
        memcpy(p, om->r, bytes);
        lil_blocks_apply(A, p, q);
        ask->iterations++;
        for (int k = 0; k < LIL_ORTHOMIN && k < i; k++) {
            if (k == own)
                continue;
            float c = (float)(lil_blocks_dot(A, q, om->q[k]) / om->qq[k]);
            lil_blocks_add(A, -c, om->p[k], p);
            lil_blocks_add(A, -c, om->q[k], q);
        }
        om->qq[own] = lil_blocks_dot(A, q, q);
        double rq = lil_blocks_dot(A, om->r, q), before = rr;
        rr = lil_blocks_advance(A, (float)(rq / om->qq[own]), p, q, om->d, om->r);
        if (!(rr < before)) { /* also where a number is none */
            ask->curvature = true;
            break;
        }
    }
    ask->residual = sqrt(rr);
}

void lil_orthomin_solve(lil_orthomin *om, const double *b, double *d, lil_pcg_ask *ask)
{
    ask->iterations = 0;
    ask->curvature = false;
    double norm = lil_blocks_norm(om->A, b);
    ask->residual = norm == 0 ? 0 : 1;
    if (!(norm > 0) || !(norm < INFINITY)) {
        memset(d, 0, 3 * (size_t)om->A->n * sizeof *d);
        ask->curvature = norm != 0;
        return;
    }
    lil_blocks_take(om->A, 1 / norm, b, om->r);
    iterate(om, ask);
    lil_blocks_give(om->A, norm, om->d, d);
}
