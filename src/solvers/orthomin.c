#include "solvers/orthomin.h"

#include <math.h>
#include <string.h>

lil_status lil_orthomin_create(lil_context *ctx, lil_arena *arena, const lil_blocks *A, lil_orthomin *om)
{
    *om = (lil_orthomin){ .A = A };
    LIL_ALLOC_ALL(ctx, arena, lil_float4, lil_blocks_rows(A), &om->d, &om->r, &om->s, &om->p, &om->q, &om->work,
                  &om->sum, &om->left);
    lil_gmres_create(arena, A, &om->gmres);
    return LIL_OK;
}

/* Solves (1 + L)^-1 A (1 + U)^-1 x = r with |r| about 1, so that no square leaves float's range. A direction made
 * orthogonal to more than one costs more than a product soon: only long solves are worth it. */
static void orthomin_iterate(lil_orthomin *om, lil_pcg_ask *ask)
{
    enum { PATIENCE = 100 };
    const lil_blocks *A = om->A;
    size_t bytes = (size_t)lil_blocks_rows(A) * sizeof *om->d;
    int before_long = ask->iterations_max < PATIENCE ? ask->iterations_max : PATIENCE;
    double rr = lil_blocks_dot(A, om->r, om->r), qq = 0, start = sqrt(rr);
    memset(om->d, 0, bytes);
    memset(om->p, 0, bytes);
    memset(om->q, 0, bytes);
    while (ask->iterations < before_long && sqrt(rr) > ask->eta * start && !lil_stopped(ask->stop)) {
        lil_blocks_apply_swept(A, om->r, om->s, om->work);
        ask->iterations++;
        float c = qq > 0 ? (float)(-lil_blocks_dot(A, om->s, om->q) / qq) : 0;
        lil_blocks_new_direction(A, c, om->r, om->p);
        lil_blocks_new_direction(A, c, om->s, om->q);
        qq = lil_blocks_dot(A, om->q, om->q);
        double rq = lil_blocks_dot(A, om->r, om->q), before = rr;
        rr = lil_blocks_advance(A, (float)(rq / qq), om->p, om->q, om->d, om->r);
        if (!(rr < before)) { /* also where a number is none */
            ask->curvature = true;
            break;
        }
    }
    if (isfinite(rr) && sqrt(rr) > ask->eta * start)
        rr = lil_gmres_solve(&om->gmres, ask->eta * start, om->d, om->r, om->s, om->work, ask);
    ask->residual = sqrt(rr) / start;
}

/* |L x|, the norm of a residual before it was scaled */
static double unscaled(const lil_blocks *A, const lil_float4 *x)
{
    double sum = 0;
    for (int i = 0; i < A->n; i++) {
        const float *L = A->L[i];
        double a = L[0] * x[i][0], b = L[1] * x[i][0] + L[2] * x[i][1],
               c = L[3] * x[i][0] + L[4] * x[i][1] + L[5] * x[i][2];
        sum += a * a + b * b + c * c;
    }
    return sqrt(sum);
}

/* Where bodies are of very different stiffness, the scaled residual says little of the forces in the stiff one,
 * which Newton's method judges a direction by: a tenth of one may be a hundred times the other. So what is left is
 * solved for again until it is below eta as it is. */
static void orthomin_refine(lil_orthomin *om, lil_pcg_ask *ask)
{
    enum { REFINEMENTS = 4 };
    const lil_blocks *A = om->A;
    size_t bytes = (size_t)lil_blocks_rows(A) * sizeof *om->d;
    double wanted = ask->eta * unscaled(A, om->left), now = INFINITY;
    int most = ask->iterations_max;
    memset(om->sum, 0, bytes);
    for (int k = 0, done = 0; k <= REFINEMENTS; k++) {
        lil_blocks_forward(A, om->left, om->r);
        ask->iterations_max = most - done;
        ask->iterations = 0;
        orthomin_iterate(om, ask);
        ask->iterations = done += ask->iterations;
        lil_blocks_backward(A, om->d, om->d);
        lil_blocks_apply(A, om->d, om->s);
        lil_blocks_advance(A, 1, om->d, om->s, om->sum, om->left);
        double before = now;
        now = unscaled(A, om->left);
        if (now <= wanted || !(now < 0.5 * before) || ask->curvature || done >= most)
            break;
    }
    memcpy(om->d, om->sum, bytes);
}

void lil_orthomin_solve(lil_orthomin *om, const double *b, double *d, lil_pcg_ask *ask)
{
    double norm = lil_pcg_begin(om->A, b, d, ask);
    if (norm == 0)
        return;
    if (ask->unscaled) {
        lil_blocks_import(om->A, 1 / norm, b, om->left);
        orthomin_refine(om, ask);
    } else {
        lil_blocks_import(om->A, 1 / norm, b, om->r);
        lil_blocks_forward(om->A, om->r, om->r);
        orthomin_iterate(om, ask);
        lil_blocks_backward(om->A, om->d, om->d);
    }
    lil_pcg_end(om->A, norm, b, om->d, d, ask);
}
