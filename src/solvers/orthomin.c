#include "solvers/orthomin.h"

#include <math.h>
#include <string.h>

lil_status lil_orthomin_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, lil_orthomin *om)
{
    *om = (lil_orthomin){ .A = A };
    lil_float4 **all[] = { &om->d, &om->r, &om->s, &om->p, &om->q, &om->work };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        if (!(*all[k] = LIL_NEW(arena, lil_float4, lil_blocks_rows(A))))
            return lil_fail_memory(ctx);
    return LIL_OK;
}

/* Of (1 + L)^-1 A (1 + U)^-1 x = r with |r| about 1, so that no square leaves float's range. */
static void iterate(lil_orthomin *om, lil_pcg_ask *ask)
{
    const lil_blocks *A = om->A;
    size_t bytes = (size_t)lil_blocks_rows(A) * sizeof *om->d;
    double rr = lil_blocks_dot(A, om->r, om->r), qq = 0, start = sqrt(rr);
    memset(om->d, 0, bytes);
    memset(om->p, 0, bytes);
    memset(om->q, 0, bytes);
    while (ask->iterations < ask->iterations_max && sqrt(rr) > ask->eta * start) {
        lil_blocks_apply_swept(A, om->r, om->s, om->work);
        ask->iterations++;
        float c = qq > 0 ? (float)(-lil_blocks_dot(A, om->s, om->q) / qq) : 0;
        lil_blocks_turn(A, c, om->r, om->p);
        lil_blocks_turn(A, c, om->s, om->q);
        qq = lil_blocks_dot(A, om->q, om->q);
        double rq = lil_blocks_dot(A, om->r, om->q), before = rr;
        rr = lil_blocks_advance(A, (float)(rq / qq), om->p, om->q, om->d, om->r);
        if (!(rr < before)) { /* also where a number is none */
            ask->curvature = true;
            break;
        }
    }
    ask->residual = sqrt(rr) / start;
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
    lil_blocks_forward(om->A, om->r, om->r);
    iterate(om, ask);
    lil_blocks_backward(om->A, om->d, om->d);
    double square = lil_blocks_dot(om->A, om->d, om->d);
    if (!(square > 0 && square < INFINITY)) { /* sweeps of a matrix far from definite may leave float's range */
        ask->curvature = true;
        lil_blocks_take(om->A, 1 / norm, b, om->d);
    }
    lil_blocks_give(om->A, norm, om->d, d);
}
