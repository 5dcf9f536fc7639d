#include "keyframes/drawn_force.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

lil_status lil_drawn_force_create(lil_context *ctx, lil_arena *arena, const lil_program *draw, int n,
                                  lil_drawn_force *d)
{
    size_t rows = (size_t)draw->output_count;
    *d = (lil_drawn_force){ .draw = draw, .n = n, .points = draw->output_count / 3 };
    struct {
        double **to;
        size_t size;
    } arrays[] = { { &d->q, (size_t)n },        { &d->x[0], rows },   { &d->x[1], rows },
                   { &d->J, rows * (size_t)n }, { &d->y, (size_t)n }, { &d->F, rows } };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        LIL_HAVE(ctx, *arrays[i].to = LIL_NEW(arena, double, arrays[i].size));
    LIL_HAVE(ctx, d->slots = lil_program_slots(draw, arena));
    return lil_banded_create(ctx, arena, n, n - 1, &d->A);
}

/* by columns */
static void find_slopes(lil_drawn_force *d, double t, const double *q, const double *v)
{
    int rows = 3 * d->points;
    memcpy(d->q, q, (size_t)d->n * sizeof *q);
    for (int j = 0; j < d->n; j++) {
        double e = 1e-6 * fmax(1, fabs(q[j]));
        for (int side = 0; side < 2; side++) {
            d->q[j] = q[j] + (side ? -e : e);
            lil_program_run(d->draw, d->slots, t, d->q, v, d->x[side]);
        }
        d->q[j] = q[j];
        for (int i = 0; i < rows; i++)
            d->J[(size_t)j * rows + i] = (d->x[0][i] - d->x[1][i]) / (2 * e);
    }
}

void lil_drawn_force_find(lil_drawn_force *d, double t, const double *q, const double *v, const double *phi)
{
    int rows = 3 * d->points;
    double most = 0;
    find_slopes(d, t, q, v);
    for (int i = 0; i < d->n; i++)
        for (int j = i; j < d->n; j++) {
            double *a = &lil_banded_row(&d->A, i)[j - i];
            *a = lil_dot(rows, d->J + (size_t)i * rows, d->J + (size_t)j * rows);
            most = fmax(most, fabs(*a));
        }
    memset(d->F, 0, (size_t)rows * sizeof *d->F);
    for (int i = 0; i < d->n; i++) {
        double *diagonal = lil_banded_row(&d->A, i);
        bool seen = *diagonal > 1e-12 * most;
        d->y[i] = seen ? phi[i] : 0;
        *diagonal += seen ? 1e-12 * most : 1;
    }
    if (!lil_banded_factor(&d->A))
        return;
    lil_banded_solve(&d->A, d->y);
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < rows; i++)
            d->F[i] += d->J[(size_t)j * rows + i] * d->y[j];
}
