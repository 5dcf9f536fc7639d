/*
 * Newton's method with a line search: H d = -g, then x + s d with the first s = 1, 1/2, ... that is better; the first
 * s is shorter where the function ends on the way. Two merits say what is better:
 *
 *     a minimum of E    sufficient decrease of E (Armijo; Nocedal & Wright, Numerical Optimization, ch. 3). Near the minimum round-off
 *                       hides the decrease of E: there a step that lowers |g| is accepted as long as E does not rise by more than its
 *                       noise;
 *     a root, g = 0     decrease of |g| (Dennis & Schnabel, Numerical Methods for Unconstrained Optimization and Nonlinear Equations,
 *                       ch. 6). What does not help at 1/2048 is the wrong direction.
 */
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

static const double DECREASE = 1e-4;

/* The values at x: E (a root: 0), |g| and their noise. */
typedef struct point {
    double E, gradient;
    lil_noise noise;
} point;

static point line_search_look(const lil_newton *nt, const lil_objective *f, bool minimises, const double *x,
                              double *g)
{
    point at = { 0 };
    lil_objective_value(f, x, minimises ? &at.E : NULL, g, &at.noise);
    at.gradient = lil_norm(nt->n, g);
    return at;
}

static bool is_finite(const point *at)
{
    return isfinite(at->E) && isfinite(at->gradient);
}

static bool has_less_energy(const point *trial, const point *at, double s, double slope)
{
    bool hidden = trial->E <= at->E + fmax(at->noise.E, trial->noise.E) && trial->gradient < at->gradient;
    return trial->E <= at->E + DECREASE * s * slope || hidden;
}

/* Moves x along d. False: no step helps. */
static bool line_search_move(lil_newton *nt, const lil_objective *f, bool minimises, double *x, point *at)
{
    double slope = minimises ? lil_dot(nt->n, nt->g, nt->d) : 0, s = lil_objective_reach(f, x, nt->d);
    for (int k = 0, most = minimises ? 50 : 12; k < most; k++, s /= 2) {
        for (int i = 0; i < nt->n; i++)
            nt->x_trial[i] = x[i] + s * nt->d[i];
        point trial = line_search_look(nt, f, minimises, nt->x_trial, nt->g_trial);
        if (!is_finite(&trial) || !(minimises ? has_less_energy(&trial, at, s, slope)
                                              : trial.gradient <= (1 - DECREASE * s) * at->gradient))
            continue;
        memcpy(x, nt->x_trial, (size_t)nt->n * sizeof *x);
        memcpy(nt->g, nt->g_trial, (size_t)nt->n * sizeof *x);
        *at = trial;
        return true;
    }
    return false;
}

static void line_search_solve(lil_newton *nt, const lil_objective *f, lil_solve *sv, bool minimises, double *x)
{
    int slow = 0;
    point at = line_search_look(nt, f, minimises, x, nt->g);
    sv->iterations = sv->linear_iterations = 0;
    sv->converged = false;
    sv->gradient = sv->gradient_start = at.gradient;
    if (!is_finite(&at))
        return;
    double enough = sv->tolerance * fmax(sv->gradient_start, sv->reference);
    while (sv->gradient > fmax(enough, at.noise.g)) {
        if (sv->iterations == sv->iterations_max || lil_stopped(f->stop))
            return;
        if (!lil_newton_direction(nt, f, sv, x))
            return;
        sv->iterations++;
        double before = sv->gradient;
        lil_phase_begin(f->phases, LIL_PHASE_LINE_SEARCH);
        bool moved = line_search_move(nt, f, minimises, x, &at);
        lil_phase_end(f->phases);
        sv->gradient = at.gradient;
        slow = lil_newton_near(sv) && sv->gradient > 0.9 * before ? slow + 1 : 0;
        if (!moved || slow == 2) { /* as far as round-off lets it go, or nowhere near */
            sv->converged = sv->gradient <= 100 * at.noise.g || lil_newton_near(sv);
            if (sv->converged || !lil_newton_retry(nt))
                return;
        }
    }
    sv->converged = true;
}

void lil_minimise(lil_newton *nt, const lil_objective *f, lil_solve *sv, double *x)
{
    line_search_solve(nt, f, sv, true, x);
}

void lil_root(lil_newton *nt, const lil_objective *f, lil_solve *sv, double *x)
{
    line_search_solve(nt, f, sv, false, x);
}
