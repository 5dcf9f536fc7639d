/*
 * Generalised conjugate residuals (Eisenstat, Elman & Schultz 1983) for A x = r, any A, in double precision: for
 * matrices of low rank plus a factored one, where few directions are enough.
 */
#ifndef LIL_SOLVERS_GCR_H
#define LIL_SOLVERS_GCR_H

#include <stdbool.h>
#include <stddef.h>

enum { LIL_GCR_KEPT = 40 }; /* directions; then it begins anew */

typedef struct lil_gcr {
    int n;
    double *room; /* lil_gcr_room(n) doubles, borrowed */
    /* A direction z for the residual r, and q = A z. */
    void (*direction)(void *self, const double *r, double *z, double *q);
    void *self;
    double enough; /* of |r| at the start */
    int most;      /* iterations */
    int iterations;
} lil_gcr;

static inline size_t lil_gcr_room(int n)
{
    return 2 * (size_t)LIL_GCR_KEPT * (size_t)n;
}

/* x from 0; r becomes the residual. False: a direction vanished or is not finite. */
bool lil_gcr_solve(lil_gcr *gcr, double *r, double *x);

#endif
