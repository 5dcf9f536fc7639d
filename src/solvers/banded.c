#include "solvers/banded.h"

#include "math/lanes.h"

#include <math.h>
#include <string.h>

enum { PANEL = 4 }; /* rows taken at a time: each row below is then loaded and stored once for four of them */

lil_status lil_banded_create(lil_context *ctx, lil_arena *arena, int n, int width, lil_banded *A)
{
    *A = (lil_banded){ .n = n, .width = width, .stride = (size_t)width + 1 + PANEL };
    A->a = LIL_NEW(arena, double, (size_t)n * A->stride);
    return A->a ? LIL_OK : lil_fail_memory(ctx);
}

void lil_banded_multiply(const lil_banded *A, const double *x, double *y)
{
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int i = 0; i < A->n; i++) {
        const double *row = lil_banded_row(A, i);
        int count = A->n - i < A->width + 1 ? A->n - i : A->width + 1;
        double sum = row[0] * x[i];
        for (int k = 1; k < count; k++) {
            sum += row[k] * x[i + k];
            y[i + k] += row[k] * x[i];
        }
        y[i] += sum;
    }
}

/* Rows first .. first + rows - 1 of U, to which all rows before have been applied. */
LIL_KERNEL static bool factor_panel(lil_banded *A, int first, int rows)
{
    int reach = (int)A->stride;
    for (int r = 0; r < rows; r++) {
        double *restrict row = lil_banded_row(A, first + r);
        for (int s = 0; s < r; s++) {
            const double *above = lil_banded_row(A, first + s) + (r - s);
            double u = above[0];
            for (int k = 0; k < reach - (r - s); k++)
                row[k] -= u * above[k];
        }
        if (!(row[0] > 0) || !isfinite(row[0]))
            return false;
        double pivot = sqrt(row[0]), inverse = 1 / pivot;
        row[0] = pivot;
        for (int k = 1; k < reach; k++)
            row[k] *= inverse;
    }
    return true;
}

LIL_KERNEL static void apply_panel(lil_banded *A, int first)
{
    const double *u0 = lil_banded_row(A, first), *u1 = lil_banded_row(A, first + 1),
                 *u2 = lil_banded_row(A, first + 2), *u3 = lil_banded_row(A, first + 3);
    int end = first + PANEL + A->width; /* of the columns that the panel reaches */
    for (int j = first + PANEL; j < end && j < A->n; j++) {
        int at = j - first, count = end - j;
        const double *p0 = u0 + at, *p1 = u1 + at - 1, *p2 = u2 + at - 2, *p3 = u3 + at - 3;
        double c0 = p0[0], c1 = p1[0], c2 = p2[0], c3 = p3[0];
        double *restrict row = lil_banded_row(A, j);
        for (int k = 0; k < count; k++)
            row[k] -= (c0 * p0[k] + c1 * p1[k]) + (c2 * p2[k] + c3 * p3[k]);
    }
}

bool lil_banded_factor(lil_banded *A)
{
    for (int first = 0; first < A->n; first += PANEL) {
        int rows = A->n - first < PANEL ? A->n - first : PANEL;
        if (!factor_panel(A, first, rows))
            return false;
        if (rows == PANEL)
            apply_panel(A, first);
    }
    return true;
}

/* Four sums side by side: what they wait for is memory, not each other. */
LIL_KERNEL static double dot(int n, const double *x, const double *y)
{
    lil_lanes sum = { 0 };
    double rest = 0;
    int k = 0;
    for (; k + LIL_LANES <= n; k += LIL_LANES)
        sum += lil_lanes_load(x + k) * lil_lanes_load(y + k);
    for (; k < n; k++)
        rest += x[k] * y[k];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

LIL_KERNEL static void take(int n, double weight, const double *x, double *restrict y)
{
    for (int k = 0; k < n; k++)
        y[k] -= weight * x[k];
}

static int reach(const lil_banded *A, int i)
{
    return A->n - i < A->width + 1 ? A->n - i : A->width + 1;
}

void lil_banded_solve(const lil_banded *U, double *x)
{
    for (int i = 0; i < U->n; i++) {
        const double *row = lil_banded_row(U, i);
        x[i] /= row[0];
        take(reach(U, i) - 1, x[i], row + 1, x + i + 1);
    }
    for (int i = U->n - 1; i >= 0; i--) {
        const double *row = lil_banded_row(U, i);
        x[i] = (x[i] - dot(reach(U, i) - 1, row + 1, x + i + 1)) / row[0];
    }
}
