#include "solvers/lu.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/klu.h>

typedef struct sparse_lu {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
} sparse_lu;

lil_status lil_lu_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, lil_lu *lu)
{
    int n = pattern->n;
    *lu = (lil_lu){ .pattern = pattern };
    if (n <= LIL_LU_DENSE_MAX) {
        lu->dense = LIL_NEW(arena, double, n *n);
        lu->pivot = LIL_NEW(arena, int, n);
        return lu->dense && lu->pivot ? LIL_OK : lil_fail_memory(ctx);
    }
    sparse_lu *s = calloc(1, sizeof *s);
    LIL_HAVE(ctx, s);
    lu->klu = s;
    klu_defaults(&s->common);
    s->common.tol = 0.1; /* the diagonal must be within 10 of the largest, not 1000: fewer digits are lost */
    s->symbolic = klu_analyze(n, pattern->start, pattern->row, &s->common);
    if (s->symbolic)
        return LIL_OK;
    bool singular = s->common.status == KLU_SINGULAR;
    lil_lu_destroy(lu);
    return singular ? lil_fail(ctx, LIL_ERR_INPUT,
                               "the equations of a step are structurally singular: "
                               "some velocity does not occur in the Lagrangian")
                    : lil_fail_memory(ctx);
}

void lil_lu_destroy(lil_lu *lu)
{
    sparse_lu *s = lu->klu;
    if (!s)
        return;
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    free(s);
    lu->klu = NULL;
}

static bool dense_factor(lil_lu *lu, const double *values)
{
    const lil_pattern *p = lu->pattern;
    int n = p->n;
    double *A = lu->dense, largest = 0;
    memset(A, 0, (size_t)n * (size_t)n * sizeof *A);
    for (int j = 0; j < n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            A[p->row[k] * n + j] = values[k];
            largest = fmax(largest, fabs(values[k]));
        }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        lu->pivot[k] = best;
        if (!(fabs(A[best * n + k]) > DBL_EPSILON * DBL_EPSILON * largest) || !isfinite(A[best * n + k]))
            return false;
        for (int j = 0; best != k && j < n; j++) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; factor != 0 && j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return true;
}

static void dense_solve(const lil_lu *lu, double *b)
{
    int n = lu->pattern->n;
    const double *A = lu->dense;
    for (int k = 0; k < n; k++) {
        double swap = b[k];
        b[k] = b[lu->pivot[k]];
        b[lu->pivot[k]] = swap;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            b[i] -= A[i * n + j] * b[j];
    for (int i = n; i-- > 0;) {
        for (int j = i + 1; j < n; j++)
            b[i] -= A[i * n + j] * b[j];
        b[i] /= A[i * n + i];
    }
}

bool lil_lu_factor(lil_lu *lu, const double *values)
{
    if (lu->dense)
        return dense_factor(lu, values);
    sparse_lu *s = lu->klu;
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(lu->pattern->start, lu->pattern->row, (double *)values, s->symbolic, &s->common);
    return s->numeric && s->common.status == KLU_OK;
}

void lil_lu_solve(lil_lu *lu, double *b)
{
    sparse_lu *s = lu->klu;
    if (lu->dense)
        dense_solve(lu, b);
    else
        klu_solve(s->symbolic, s->numeric, lu->pattern->n, 1, b, &s->common);
}
