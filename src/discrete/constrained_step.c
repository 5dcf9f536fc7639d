/* One step that meets the constraints: (C1), explicit, implicit with a factor or without one, and (C4). */
#include "discrete/constrained.h"

#include "discrete/constraint_gradient.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 40, HALVINGS = 12 };

static const double CONTRACTING = .3; /* slower than that chords are not worth going on with */
static const double PAYS = 3;         /* with more chords to come than that, a new matrix is cheaper */

typedef struct step_job {
    lil_constrained *c;
    lil_saddle *saddle; /* whose chords they are */
    const double *r;
    double *v, most, enough;     /* the largest of v; how far g may be off */
    int closings;                /* at most so many chords for g alone, */
    bool moves, fresh, definite; /*   after one for r; with a new matrix; as lil_constraint_gradient_stiffen has it */
    bool sliced;                 /* H is to be assembled slice by slice */
} step_job;

static void measure_way_slice(void *data, int i)
{
    const step_job *job = data;
    const lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    const double *G = c->along, *r = job->r;
    for (int k = slice->entry; k < slice->entry_end; k++)
        c->size[c->row[k]] += fabs(G[k] * c->h) * job->most;
    for (int k = slice->entry; k < slice->entry_end && r; k++) {
        int row = c->row[k], j = c->col[k];
        if (j >= 0 && !(c->size[row] > 0))
            c->size[row] = fabs(G[k] * c->h * r[j]) * c->mass.over[j];
    }
}

/* g is summed from the way h v too, of which the longest counts. Where that is 0 too, of a single point at rest in
 * the origin, h M^-1 r is what there is (NULL: it is in v). */
static void measure_way(lil_constrained *c, const double *v, const double *r)
{
    lil_constrained_each(c, measure_way_slice, &(step_job){ .c = c, .r = r, .most = lil_largest(c->G.n, v) });
}

static double look_ahead_slice(lil_constrained *c, int i, const double *v)
{
    const lil_slice *slice = &c->slices.list[i];
    for (int k = slice->col; k < slice->col_end; k++)
        c->q_trial[k] = c->q[k] + c->h * v[k];
    lil_constrained_evaluate_slice(c, i, lil_constrained_positions_slice(c, i, c->q_trial), c->g, NULL);
    return lil_constrained_off_slice(c, i, c->g);
}

static void look_ahead(void *data, int i)
{
    const step_job *job = data;
    job->c->slice_most[i] = look_ahead_slice(job->c, i, job->v);
}

/* g where the step would end, and how far that is off */
static double constrained_look_ahead(lil_constrained *c, double *v)
{
    lil_phase_begin(c->ev->ctx->phases, LIL_PHASE_EVALUATE);
    lil_positions_run(&c->ev->full, c->t + c->h);
    lil_constrained_each(c, look_ahead, &(step_job){ .c = c, .v = v });
    lil_phase_end(c->ev->ctx->phases);
    return lil_constrained_most(c);
}

/* One more chord: x and y for r and -g / h, which lambda takes up with the other sign. */
static void chord(lil_constrained *c, lil_saddle *s, const double *r)
{
    for (int k = 0; k < c->G.m; k++)
        c->s[k] = -c->g[k] / c->h;
    lil_phase_begin(c->ev->ctx->phases, LIL_PHASE_LINEAR_SOLVE);
    if (s == &c->step)
        lil_coupled_solve(&c->coupled, s, r, c->s, c->dv, c->dy);
    else
        lil_saddle_solve(s, r, c->s, c->dv, c->dy);
    lil_phase_end(c->ev->ctx->phases);
}

static void constrained_advance(lil_constrained *c, double s, double *v)
{
    lil_add(c->G.n, s, c->dv, v);
    lil_add(c->G.m, -s, c->dy, c->lambda);
}

/* How far g may be off, in units of round-off: to that, unless the user is content with much less. */
static double enough_of(const lil_solve *sv)
{
    return fmax(LIL_CONSTRAINED_ROUND_OFF, 1e-6 * sv->tolerance / DBL_EPSILON);
}

/* M v = its value without constraints + G'(h lambda): SHAKE, with the matrix at q_k throughout */
static bool constrained_solve_explicit(lil_constrained *c, lil_solve *sv, double *v)
{
    double before = INFINITY;
    measure_way(c, v, NULL);
    for (; sv->iterations < ITERATIONS; sv->iterations++) {
        double off = constrained_look_ahead(c, v);
        if (off <= enough_of(sv))
            return true;
        if (!(off < 0.7 * before))
            return off <= LIL_CONSTRAINED_SETTLED;
        before = off;
        chord(c, &c->mass, NULL);
        constrained_advance(c, 1, v);
    }
    return false;
}

/* With G where the step would end, at q_trial; `definite`: where the matrix as it is has no factor. */
static bool factor_as(lil_constrained *c, const lil_objective *f, bool definite, const double *v)
{
    double *H = c->step.values;
    lil_objective_hessian(f, definite && f->definite, v, H);
    if (c->between)
        lil_constraint_gradient_stiffen(c, definite, H);
    if (c->coupled.list.lost)
        return false;
    if (!definite)
        lil_coupled_place(&c->coupled, H);
    return lil_saddle_factor(&c->step, H, c->along, c->next);
}

static bool factor_step(lil_constrained *c, const lil_objective *f, const double *v)
{
    lil_constrained_look(c, c->t + c->h, c->q_trial, NULL, c->next);
    if (factor_as(c, f, false, v))
        return true;
    return !c->coupled.list.lost && (f->definite || c->between) && factor_as(c, f, true, v);
}

/* r(v) - G'(h lambda), or with B'y of (C4) */
static double constrained_residual(lil_constrained *c, const lil_objective *f, const double *v, lil_noise *noise)
{
    lil_objective_value(f, v, NULL, c->r, noise);
    if (c->between) {
        lil_constraint_gradient_set(c, v);
        noise->g += lil_constraint_gradient_noise(c);
    }
    lil_constrained_push_along(c, c->along, -1, c->r);
    return lil_norm(c->G.n, c->r);
}

/* Chord iterations for g alone, which change r only a little. The latest g comes in. */
static void close_gap(lil_constrained *c, lil_saddle *s, const lil_solve *sv, int most, double *v)
{
    double off = lil_constrained_off(c, c->g), before = INFINITY;
    for (int i = 0; i < most && off > enough_of(sv) && off < CONTRACTING * before; i++) {
        before = off;
        chord(c, s, NULL);
        constrained_advance(c, 1, v);
        off = constrained_look_ahead(c, v);
    }
}

/* ---- slice by slice ---- */

static void chord_slice(const step_job *job, const double *r, int i)
{
    lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    for (int k = slice->row; k < slice->row_end; k++)
        c->s[k] = -c->g[k] / c->h;
    lil_saddle_solve_slice(job->saddle, r, c->s, c->dv, c->dy, i);
    for (int k = slice->col; k < slice->col_end; k++)
        job->v[k] += c->dv[k];
    for (int k = slice->row; k < slice->row_end; k++)
        c->lambda[k] -= c->dy[k];
}

static bool factor_slice(const step_job *job, int i)
{
    lil_constrained *c = job->c;
    if (job->sliced) {
        lil_saddle_zero_slice(&c->step, i);
        lil_sliced_assembly_add(c->matrix.sliced, i, c->step.values);
    }
    lil_constrained_evaluate_slice(c, i, lil_constrained_positions_slice(c, i, c->q_trial), NULL, c->next);
    if (c->between)
        lil_constraint_gradient_stiffen_slice(c, i, job->definite, c->step.values);
    return lil_saddle_factor_slice(&c->step, i);
}

/* All that an iteration does with a slice once its H is there, while that is near. Without a factor it stays as it
 * is. */
static void leap_slice(void *data, int i)
{
    const step_job *job = data;
    lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    if (!c->slice_left[i] || (job->fresh && !factor_slice(job, i)))
        return;
    c->slice_left[i] = false;
    double off, before = INFINITY;
    if (job->moves) {
        for (int k = slice->col; k < slice->col_end; k++)
            c->r[k] = -c->r[k];
        chord_slice(job, c->r, i);
        off = look_ahead_slice(c, i, job->v);
    } else {
        off = lil_constrained_off_slice(c, i, c->g);
    }
    for (int k = 0; k < job->closings && off > job->enough && off < CONTRACTING * before; k++) {
        before = off;
        chord_slice(job, NULL, i);
        off = look_ahead_slice(c, i, job->v);
    }
}

/* H, or the list of what slices have of it. */
static void assemble(lil_constrained *c, const lil_objective *f, step_job *job)
{
    lil_sliced_assembly *sliced = c->matrix.sliced;
    bool definite = job->definite && f->definite;
    if (sliced)
        lil_sliced_assembly_begin(sliced);
    lil_objective_hessian(f, definite, job->v, c->step.values);
    job->sliced = sliced && lil_sliced_assembly_end(sliced);
    if (sliced && !job->sliced)
        lil_objective_hessian(f, definite, job->v, c->step.values);
}

static bool leap_as(lil_constrained *c, const lil_objective *f, step_job *job, bool definite)
{
    bool done = true;
    job->definite = definite;
    if (job->fresh) {
        assemble(c, f, job);
        lil_saddle_begin(&c->step, c->step.values, c->along, c->next);
    }
    lil_phase_begin(f->phases, LIL_PHASE_LINEAR_SOLVE);
    lil_positions_run(&c->ev->full, c->t + c->h);
    lil_constrained_each(c, leap_slice, job);
    for (int i = 0; i < c->slices.count; i++)
        done = done && !c->slice_left[i];
    lil_phase_end(f->phases);
    return done;
}

/* An iteration from r and g on, slice by slice; slices without a factor once more. */
static bool leap(lil_constrained *c, const lil_objective *f, step_job *job)
{
    for (int i = 0; i < c->slices.count; i++)
        c->slice_left[i] = true;
    return leap_as(c, f, job, false) || ((f->definite || c->between) && leap_as(c, f, job, true));
}

/* The same of all at once: for couplings, and for a way that may be shortened. */
static bool iterate(lil_constrained *c, const lil_objective *f, const lil_solve *sv, const step_job *job)
{
    if (job->fresh && !factor_step(c, f, job->v))
        return false;
    if (job->moves) {
        for (int k = 0; k < c->G.n; k++)
            c->r[k] = -c->r[k];
        chord(c, &c->step, c->r);
        constrained_advance(c, lil_objective_reach(f, job->v, c->dv), job->v);
        constrained_look_ahead(c, job->v);
    }
    close_gap(c, &c->step, sv, job->closings, job->v);
    return true;
}

/* Chords until `x`, which the latest took from `before`, is `enough`; 0: it is. */
static double chords_left(double x, double before, double enough)
{
    return x <= enough ? 0 : x < before ? log(enough / x) / log(x / before) : INFINITY;
}

/* Newton's method with one matrix as long as that is cheaper than another. Where the guess keeps to G at q_k, g
 * says nothing about how well it falls; and a step may have to get worse once before it gets better. */
static bool constrained_solve_implicit(lil_constrained *c, const lil_objective *f, lil_solve *sv, double *v)
{
    double enough = 0, r_before = INFINITY, g_before = INFINITY;
    bool fresh = false;
    for (int slow = 0;; sv->iterations++) {
        lil_noise noise;
        double r = constrained_residual(c, f, v, &noise);
        if (sv->iterations == 0)
            measure_way(c, v, c->r);
        double g = sv->iterations == 0 ? constrained_look_ahead(c, v) : lil_constrained_off(c, c->g);
        sv->gradient = r;
        if (sv->iterations == 0) {
            sv->gradient_start = r;
            enough = sv->tolerance * fmax(r, sv->reference);
        }
        if (!isfinite(r) || !isfinite(g))
            return false;
        double r_enough = fmax(enough, noise.g), g_enough = enough_of(sv);
        bool r_done = r <= r_enough, g_done = g <= g_enough, first = sv->iterations <= 1;
        if (r_done && g_done)
            return true;
        double rate = fmax(r_done ? 0 : r / r_before, g_done ? 0 : g / g_before);
        slow = rate > 0.9 && !first ? slow + fresh : 0;
        if (slow > 1)
            return (r_done || r <= 100 * noise.g || r <= 1e-8 * sv->gradient_start) && g <= LIL_CONSTRAINED_SETTLED;
        if (sv->iterations >= sv->iterations_max || lil_stopped(f->stop))
            return false;
        double left = fmax(chords_left(r, r_before, r_enough), first ? 0 : chords_left(g, g_before, g_enough));
        fresh =
            sv->iterations == 0 || left > PAYS || c->coupled.pattern; /* a barrier's matrix is another each time */
        /* g is cheap to look at, r is not: it is closed where r is done, or expected to be after this chord, and else
         * once */
        bool last = r_done || (sv->iterations > 0 && r * (r / r_before) <= r_enough);
        step_job job = { .c = c,
                         .saddle = &c->step,
                         .v = v,
                         .enough = enough_of(sv),
                         .closings = last ? ITERATIONS : 1,
                         .fresh = fresh,
                         .moves = !r_done };
        if (!(c->coupled.pattern || f->longest ? iterate(c, f, sv, &job) : leap(c, f, &job)))
            return false;
        sv->linear_iterations += !r_done;
        r_before = r;
        g_before = g;
    }
}

/* r(v) - G'(h lambda), lambda of least squares in the metric of the mass; solved twice, for what e has left over */
static double least_residual(lil_constrained *c, const lil_objective *f, const double *v, lil_noise *noise)
{
    lil_objective_value(f, v, NULL, c->r, noise);
    memset(c->lambda, 0, (size_t)c->G.m * sizeof *c->lambda);
    memset(c->s, 0, (size_t)c->G.m * sizeof *c->s);
    for (int pass = 0; pass < 2; pass++) {
        lil_saddle_solve(&c->mass, c->r, c->s, NULL, c->dy);
        for (int k = 0; k < c->G.m; k++) {
            c->lambda[k] += c->dy[k];
            c->dy[k] = -c->dy[k];
        }
        lil_rows_add_transposed(&c->G, c->now, c->dy, c->r);
    }
    return lil_norm(c->G.n, c->r);
}

/* The direction dv from v, with r and g as they are there. False: there is none. */
static bool iterative_direction(lil_constrained *c, const lil_objective *f, lil_solve *sv, const double *v)
{
    lil_constrained_look(c, c->t + c->h, c->q_trial, NULL, c->next);
    for (int k = 0; k < c->G.m; k++)
        c->s[k] = c->g[k] / c->h;
    lil_phase_begin(f->phases, LIL_PHASE_LINEAR_SOLVE);
    lil_projected_set(&c->projected, c->now, c->next, c->s);
    bool found = lil_krylov_direction(&c->krylov, f, sv, v, c->r, c->dv);
    lil_phase_end(f->phases);
    return found;
}

/* r at v = start + s dv, where g is closed or looked at */
static double constrained_attempt(lil_constrained *c, const lil_objective *f, const lil_solve *sv, bool closing,
                                  double s, double *v, lil_noise *noise)
{
    for (int k = 0; k < c->G.n; k++)
        v[k] = c->start[k] + s * c->dv[k];
    constrained_look_ahead(c, v);
    if (closing)
        close_gap(c, &c->mass, sv, ITERATIONS, v);
    return least_residual(c, f, v, noise);
}

/* The same without a factor: inexact Newton (solvers/krylov.h) over projected directions, with |r| as merit
 * function as in solvers/line_search.c. lambda follows from r, so that v is all there is to solve for. Directions
 * meet g to first order and to float's accuracy; where r is expected to be done, g is closed in the metric of the
 * mass, which moves bound vertices alone. */
static bool solve_iterative(lil_constrained *c, const lil_objective *f, lil_solve *sv, double *v)
{
    lil_noise noise;
    double r = least_residual(c, f, v, &noise), r_before = INFINITY, g_before = INFINITY;
    double enough = sv->tolerance * fmax(r, sv->reference);
    sv->gradient_start = r;
    measure_way(c, v, c->r);
    constrained_look_ahead(c, v);
    for (int slow = 0;; sv->iterations++) {
        double g = lil_constrained_off(c, c->g), r_enough = fmax(enough, noise.g), s = 0;
        bool r_done = r <= r_enough, g_done = g <= enough_of(sv), first = sv->iterations == 0;
        sv->gradient = r;
        if (!isfinite(r) || !isfinite(g))
            return false;
        if (r_done && g_done)
            return true;
        bool near = r_done || r <= 100 * noise.g || lil_newton_near(sv);
        slow = near && (r_done || r > 0.9 * r_before) && (g_done || g > 0.9 * g_before) ? slow + 1 : 0;
        if (slow > 1)
            return g <= LIL_CONSTRAINED_SETTLED;
        if (sv->iterations >= sv->iterations_max || lil_stopped(f->stop))
            return false;
        memcpy(c->start, v, (size_t)c->G.n * sizeof *v);
        if (!r_done || first) { /* the first iteration makes the matrix that others go on with */
            if (!iterative_direction(c, f, sv, v))
                return false;
            s = lil_objective_reach(f, v, c->dv);
        }
        bool closing = r_done || (!first && r * (r / r_before) <= r_enough);
        r_before = r;
        g_before = g;
        r = constrained_attempt(c, f, sv, closing, s, v, &noise);
        for (int k = 0; k < HALVINGS && s > 0 && !first && !(r < r_before); k++) /* at first g may have to be met */
            r = constrained_attempt(c, f, sv, closing, s /= 2, v, &noise);
        if (s > 0 && !first && !(r < r_before) && !near && !lil_krylov_retry(&c->krylov))
            return false;
    }
}

lil_status lil_constrained_solve(lil_constrained *c, const lil_objective *f, lil_solve *sv, double t, double h,
                                 const double *q, double *v)
{
    c->t = t;
    c->h = h;
    c->q = q;
    sv->iterations = sv->linear_iterations = 0;
    sv->gradient = sv->gradient_start = 0;
    if (c->between) {
        lil_constraint_gradient_begin(c);
        lil_constraint_gradient_set(c, v);
    } else {
        memset(c->lambda, 0, (size_t)c->G.m * sizeof *c->lambda);
        LIL_TRY(lil_constrained_make(c, t, q, v));
    }
    lil_constrained_measure(c, c->along, t, q);
    sv->converged = !f                ? constrained_solve_explicit(c, sv, v)
                    : c->krylov.bound ? solve_iterative(c, f, sv, v)
                                      : constrained_solve_implicit(c, f, sv, v);
    if (sv->converged || lil_constrained_off(c, c->g) <= LIL_CONSTRAINED_SETTLED) {
        if (!c->between && c->curved.count)
            c->swing = lil_constrained_swing(c, h, lil_positions_of(&c->ev->full, t, q));
        return LIL_OK;
    }
    double off;
    const char *label = lil_constrained_worst(c, t + h, c->q_trial, &off);
    return lil_fail(c->ev->ctx, LIL_ERR_CONVERGENCE,
                    "the constraints cannot be satisfied: %s is still violated by %.3g; the points that it binds may "
                    "be unable to move",
                    label, off);
}
