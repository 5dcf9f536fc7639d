/*
 * Newton's method for a minimum of E: H d = -g, then the longest x + s d, s = 1, 1/2, ..., with sufficient decrease
 * (Armijo; Nocedal & Wright, Numerical Optimization, ch. 3); the first s is shorter where E ends on the way. Near the
 * minimum round-off hides the decrease of E: there a step that lowers |g| is accepted as long as E does not rise by more
 * than its noise.
 */
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

enum { LINE_SEARCH_MAX = 50 };

static const double ARMIJO = 1e-4;

/* Moves x along d. False: no step helps. */
static bool minimise_line_search(lil_newton *nt, const lil_objective *f, double *x, double *E, double *gradient,
                                 lil_noise *noise)
{
    double slope = lil_dot(nt->n, nt->g, nt->d), s = lil_objective_reach(f, x, nt->d);
    for (int k = 0; k < LINE_SEARCH_MAX; k++, s /= 2) {
        for (int i = 0; i < nt->n; i++)
            nt->x_trial[i] = x[i] + s * nt->d[i];
        double E_trial;
        lil_noise noise_trial;
        lil_objective_value(f, nt->x_trial, &E_trial, nt->g_trial, &noise_trial);
        double gradient_trial = lil_norm(nt->n, nt->g_trial);
        bool hidden = E_trial <= *E + fmax(noise->E, noise_trial.E) && gradient_trial < *gradient;
        if (isfinite(E_trial) && isfinite(gradient_trial) && (E_trial <= *E + ARMIJO * s * slope || hidden)) {
            memcpy(x, nt->x_trial, (size_t)nt->n * sizeof *x);
            memcpy(nt->g, nt->g_trial, (size_t)nt->n * sizeof *x);
            *E = E_trial;
            *gradient = gradient_trial;
            *noise = noise_trial;
            return true;
        }
    }
    return false;
}

void lil_minimise(lil_newton *nt, const lil_objective *f, lil_solve *sv, double *x)
{
    double E;
    lil_noise noise;
    sv->iterations = sv->linear_iterations = 0;
    sv->converged = false;
    lil_objective_value(f, x, &E, nt->g, &noise);
    sv->gradient = sv->gradient_start = lil_norm(nt->n, nt->g);
    if (!isfinite(E) || !isfinite(sv->gradient))
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
        bool moved = minimise_line_search(nt, f, x, &E, &sv->gradient, &noise);
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
