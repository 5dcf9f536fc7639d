/*
 * Newton's method for r(x) = 0 with |r| as merit function: J d = -r, then x + s d with the first s = 1, 1/2, ...
 * that lowers |r| (Dennis & Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear Equations,
 * ch. 6).
 */
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

enum { LINE_SEARCH_MAX = 12 }; /* what helps no more at 1/2048 is the wrong direction */

static const double DECREASE = 1e-4;

static bool root_line_search(lil_newton *nt, const lil_objective *f, double *x, double *merit, lil_noise *noise)
{
    double s = lil_objective_reach(f, x, nt->d);
    for (int k = 0; k < LINE_SEARCH_MAX; k++, s /= 2) {
        lil_noise noise_trial;
        for (int i = 0; i < nt->n; i++)
            nt->x_trial[i] = x[i] + s * nt->d[i];
        lil_objective_value(f, nt->x_trial, NULL, nt->g_trial, &noise_trial);
        double trial = lil_norm(nt->n, nt->g_trial);
        if (isfinite(trial) && trial <= (1 - DECREASE * s) * *merit) {
            memcpy(x, nt->x_trial, (size_t)nt->n * sizeof *x);
            memcpy(nt->g, nt->g_trial, (size_t)nt->n * sizeof *x);
            *merit = trial;
            *noise = noise_trial;
            return true;
        }
    }
    return false;
}

void lil_root(lil_newton *nt, const lil_objective *f, lil_solve *sv, double *x)
{
    lil_noise noise;
    sv->iterations = sv->linear_iterations = 0;
    sv->converged = false;
    lil_objective_value(f, x, NULL, nt->g, &noise);
    sv->gradient = sv->gradient_start = lil_norm(nt->n, nt->g);
    if (!isfinite(sv->gradient))
        return;
    int slow = 0;
    double enough = sv->tolerance * fmax(sv->gradient_start, sv->reference);
    while (sv->gradient > fmax(enough, noise.g)) {
        if (sv->iterations == sv->iterations_max)
            return;
        if (!lil_newton_direction(nt, f, sv, x))
            return;
        sv->iterations++;
        double before = sv->gradient;
        lil_phase_begin(f->phases, LIL_PHASE_LINE_SEARCH);
        bool moved = root_line_search(nt, f, x, &sv->gradient, &noise);
        lil_phase_end(f->phases);
        slow = lil_newton_near(sv) && sv->gradient > 0.9 * before ? slow + 1 : 0;
        if (!moved || slow == 2) { /* as far as round-off lets it go, or nowhere near */
            sv->converged = sv->gradient <= 100 * noise.g || lil_newton_near(sv);
            if (sv->converged || !lil_newton_retry(nt))
                return;
        }
    }
    sv->converged = true;
}
