/*
 * Newton's method held by pseudo-time, for r(x) = 0 (pseudo-transient continuation: Kelley & Keyes, SIAM J. Numer.
 * Anal. 1998):
 *
 *     (J + s M) d = -r
 *
 * is Newton's direction for s = 0, and for large s a short step of M x' = -r. What |r| does says little of s: at a
 * fold of r, where a line search ends in a local minimum of |r|, it has to rise. So s follows the defect of the
 * linear model, as a step of an ordinary differential equation follows its error estimate,
 *
 *     theta = |r(x + a d) - (1 - a) r + a s M d| / |r|,   s *= theta / DEFECT
 *
 * and |r| may rise threefold. Measured on 200 contact steps of two boxes that collide, with steps in which sound
 * passes an element: a line search on |r| fails in 12 of them, s that follows |r| as Kelley and Keyes have it in 4,
 * this one in none, with fewer iterations than either.
 */
#include "solvers/newton.h"

#include <math.h>
#include <string.h>

enum { LINE_SEARCH_MAX = 12 };

static const double RISE = 3;          /* what |r| may rise to in one iteration, times */
static const double DEFECT = 0.25;     /* that s is made for */
static const double FALL = 0.1;        /* what s falls to in one iteration at most, times, */
static const double RAISE = 10;        /*   and rises to */
static const double SHIFT_LEAST = 0.1; /* from where it rises */
static const double NEAR =
    1e-10; /* of |r| at the start: below it the defect may be round-off, and nothing need be held */
static const double SHIFT_MOST = 1e6; /* where nothing moves any more */

/* x + a d into x, with the first a of reach, reach/2, ... at which |r| has not risen too much. Returns a; 0: there
 * is none. */
static double transient_move(lil_newton *nt, const lil_objective *f, double *x, double *merit, lil_noise *noise)
{
    double a = lil_objective_reach(f, x, nt->d);
    for (int k = 0; k < LINE_SEARCH_MAX && a > 0; k++, a /= 2) {
        for (int i = 0; i < nt->n; i++)
            nt->x_trial[i] = x[i] + a * nt->d[i];
        lil_objective_value(f, nt->x_trial, NULL, nt->g_trial, noise);
        double trial = lil_norm(nt->n, nt->g_trial);
        if (!isfinite(trial) || trial > RISE * *merit)
            continue;
        memcpy(x, nt->x_trial, (size_t)nt->n * sizeof *x);
        *merit = trial;
        return a;
    }
    return 0;
}

/* theta, from r before in g, r now in g_trial */
static double defect_of(lil_newton *nt, const lil_objective *f, double s, double a, double before)
{
    double sum = 0, *Md = nt->work;
    f->weigh(f->self, nt->d, Md);
    for (int i = 0; i < nt->n; i++) {
        double left = nt->g_trial[i] - (1 - a) * nt->g[i] + a * s * Md[i];
        sum += left * left;
    }
    return sqrt(sum) / before;
}

/* Where a step was cut short, what is ahead is not known: s does not fall. */
static double next_shift(double s, double theta, double a)
{
    double times = fmin(fmax(theta / DEFECT, FALL), RAISE);
    return times > 1 ? fmax(s * times, SHIFT_LEAST) : a > 0.9 ? s * times : s;
}

void lil_transient(lil_newton *nt, const lil_objective *f, lil_solve *sv, double s, double *x)
{
    lil_noise noise;
    int slow = 0;
    double first = sv->gradient_start;
    sv->iterations = sv->linear_iterations = 0;
    sv->converged = false;
    lil_objective_value(f, x, NULL, nt->g, &noise);
    sv->gradient = sv->gradient_start = lil_norm(nt->n, nt->g);
    if (!isfinite(sv->gradient))
        return;
    if (first > 0 && first < sv->gradient_start) /* solved as well as the previous rung would have */
        sv->gradient_start = first;
    double enough = sv->tolerance * fmax(sv->gradient_start, sv->reference);
    while (sv->gradient > fmax(enough, noise.g)) {
        double before = sv->gradient, a = 0;
        if (sv->iterations == sv->iterations_max || s > SHIFT_MOST || lil_stopped(f->stop))
            return;
        bool found = lil_newton_shifted(nt, f, sv, s, x);
        if (found && f->bend)
            f->bend(f->self, x, nt->d);
        lil_phase_begin(f->phases, LIL_PHASE_LINE_SEARCH);
        if (found)
            a = transient_move(nt, f, x, &sv->gradient, &noise);
        lil_phase_end(f->phases);
        sv->iterations++;
        if (a == 0) { /* no direction, or nowhere to go along it: a shorter one */
            s = fmax(RAISE * s, SHIFT_LEAST);
            continue;
        }
        bool near = sv->gradient <= NEAR * fmax(sv->gradient_start, sv->reference);
        slow = near && s == 0 && sv->gradient > 0.9 * before ? slow + 1 : 0;
        if (slow == 2) /* as far as round-off lets it go */
            break;
        s = near ? 0 : next_shift(s, defect_of(nt, f, s, a, before), a);
        memcpy(nt->g, nt->g_trial, (size_t)nt->n * sizeof *x);
    }
    sv->converged = true;
}
