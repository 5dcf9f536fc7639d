#include "discrete/ladder.h"

#include <string.h>

/* For each rung: the initial pseudo-time step, in units of the inertia. */
static const double rungs[] = { 0, 1 };
enum { RUNGS = sizeof rungs / sizeof rungs[0] };

int lil_ladder_climb(lil_newton *newton, const lil_objective *f, lil_solve *sv, const double *start, double *v)
{
    int iterations = 0, linear_iterations = 0, at = 0;
    for (; at < RUNGS; at++) {
        memcpy(v, start, (size_t)f->n * sizeof *v);
        lil_transient(newton, f, sv, rungs[at], v);
        iterations += sv->iterations;
        linear_iterations += sv->linear_iterations;
        if (sv->converged)
            break;
    }
    sv->iterations = iterations;
    sv->linear_iterations = linear_iterations;
    return at;
}
