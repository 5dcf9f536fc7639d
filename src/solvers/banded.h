/* Symmetric banded matrices, of which the part on and above the diagonal is stored row by row, and A = U'U of
 * definite ones. */
#ifndef LIL_SOLVERS_BANDED_H
#define LIL_SOLVERS_BANDED_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_banded {
    int n, width;  /* A_ij = 0 where |i - j| > width */
    size_t stride; /* numbers per row: zeros follow the band, so that rows can be taken several at a time */
    double *a;     /* A_ij, j >= i, is a[i stride + j - i] */
} lil_banded;

lil_status lil_banded_create(lil_context *ctx, lil_arena *arena, int n, int width, lil_banded *A);

/* A row from its diagonal on. */
static inline double *lil_banded_row(const lil_banded *A, int i)
{
    return A->a + (size_t)i * A->stride;
}

/* y = A x */
void lil_banded_multiply(const lil_banded *A, const double *x, double *y);

/* A becomes U. False: it is not positive definite, and is lost. */
bool lil_banded_factor(lil_banded *A);
/* x, which comes in as b, becomes A^-1 b. */
void lil_banded_solve(const lil_banded *U, double *x);

#endif
