#include "solvers/pcg.h"

#include "solvers/multilevel.h"

#include <math.h>
#include <string.h>

lil_status lil_pcg_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, lil_pcg *cg)
{
    *cg = (lil_pcg){ .A = A };
    LIL_ALLOC_ALL(ctx, arena, lil_float4, lil_blocks_rows(A), &cg->d, &cg->r, &cg->p, &cg->q, &cg->work);
    return LIL_OK;
}

/* *z ~ A^-1 r; r'z. A preconditioner that is not definite there (or not finite) is left alone from then on: *broken. */
static double pcg_precondition(lil_pcg *cg, const lil_pcg_ask *ask, double rr, const lil_float4 **z, bool *broken)
{
    if (ask->multilevel && !*broken) {
        *z = lil_multilevel_cycle(ask->multilevel, cg->r);
        double rz = lil_blocks_dot(cg->A, cg->r, *z);
        if (rz > 0 && rz < INFINITY)
            return rz;
        *broken = true;
    }
    *z = cg->r;
    return rr;
}

static double pcg_apply(lil_pcg *cg, const lil_pcg_ask *ask)
{
    return ask->multilevel ? lil_blocks_apply(cg->A, cg->p, cg->q)
                           : lil_blocks_apply_swept(cg->A, cg->p, cg->q, cg->work);
}

/* Solves A x = r with |r| about 1, so that no square leaves float's range. */
static void pcg_iterate(lil_pcg *cg, lil_pcg_ask *ask)
{
    const lil_blocks *A = cg->A;
    const lil_float4 *z;
    bool broken = false;
    size_t bytes = (size_t)lil_blocks_rows(A) * sizeof *cg->d;
    memset(cg->d, 0, bytes);
    double rr = lil_blocks_dot(A, cg->r, cg->r), rz = pcg_precondition(cg, ask, rr, &z, &broken);
    double start = sqrt(rr), enough = ask->eta * start;
    memcpy(cg->p, z, bytes);
    while (ask->iterations < ask->iterations_max && sqrt(rr) > enough && !lil_stopped(ask->stop)) {
        double curvature = pcg_apply(cg, ask);
        ask->iterations++;
        if (!(curvature > 0)) {
            ask->curvature = true;
            if (ask->iterations == 1)
                memcpy(cg->d, cg->p, bytes);
            break;
        }
        rr = lil_blocks_advance(A, (float)(rz / curvature), cg->p, cg->q, cg->d, cg->r);
        if (!(sqrt(rr) > enough))
            break;
        double before = rz;
        bool whole = !broken;
        rz = pcg_precondition(cg, ask, rr, &z, &broken);
        lil_blocks_new_direction(A, broken && whole ? 0 : (float)(rz / before), z, cg->p);
    }
    ask->residual = sqrt(rr) / start;
}

double lil_pcg_begin(const lil_blocks *A, const double *b, double *d, lil_pcg_ask *ask)
{
    double norm = lil_blocks_norm(A, b);
    ask->iterations = 0;
    ask->curvature = false;
    ask->residual = norm == 0 ? 0 : 1;
    if (norm > 0 && norm < INFINITY)
        return norm;
    memset(d, 0, 3 * (size_t)A->n * sizeof *d);
    ask->curvature = norm != 0;
    return 0;
}

void lil_pcg_end(const lil_blocks *A, double norm, const double *b, lil_float4 *x, double *d, lil_pcg_ask *ask)
{
    double square = lil_blocks_dot(A, x, x);
    if (!(square > 0 && square < INFINITY)) { /* sweeps of a matrix far from definite may leave float's range */
        ask->curvature = true;
        lil_blocks_import(A, 1 / norm, b, x);
    }
    lil_blocks_export(A, norm, x, d);
}

void lil_pcg_solve(lil_pcg *cg, const double *b, double *d, lil_pcg_ask *ask)
{
    double norm = lil_pcg_begin(cg->A, b, d, ask);
    if (norm == 0)
        return;
    lil_blocks_import(cg->A, 1 / norm, b, cg->r);
    if (!ask->multilevel)
        lil_blocks_forward(cg->A, cg->r, cg->r);
    pcg_iterate(cg, ask);
    if (!ask->multilevel)
        lil_blocks_backward(cg->A, cg->d, cg->d);
    lil_pcg_end(cg->A, norm, b, cg->d, d, ask);
}
