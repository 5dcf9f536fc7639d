#include "solvers/gcr.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

bool lil_gcr_solve(lil_gcr *g, double *r, double *x)
{
    int n = g->n;
    double size = lil_norm(n, r);
    memset(x, 0, (size_t)n * sizeof *x);
    for (g->iterations = 0; g->iterations < g->most && lil_norm(n, r) > g->enough * size; g->iterations++) {
        int count = g->iterations % LIL_GCR_KEPT;
        double *z = g->room + 2 * (size_t)count * (size_t)n, *q = z + n;
        g->direction(g->self, r, z, q);
        for (int j = 0; j < count; j++) { /* each q has the length 1 */
            const double *zj = g->room + 2 * (size_t)j * (size_t)n, *qj = zj + n, s = -lil_dot(n, q, qj);
            lil_add(n, s, zj, z);
            lil_add(n, s, qj, q);
        }
        double length = lil_norm(n, q);
        if (!(length > 0 && length < INFINITY))
            return false;
        for (int i = 0; i < n; i++) {
            z[i] /= length;
            q[i] /= length;
        }
        double s = lil_dot(n, r, q);
        lil_add(n, s, z, x);
        lil_add(n, -s, q, r);
    }
    return true;
}
