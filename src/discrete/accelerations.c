/* Constraints at the level of accelerations, (C2): the constraint forces at the current state, and the frequency
 * of the motion that they restore. */
#include "discrete/constrained.h"

#include <math.h>
#include <string.h>

static void curvatures(lil_constrained *c, double t, const double *q, const double *v, double *k)
{
    const lil_model *model = c->ev->model;
    const double *dx = lil_positions_velocity(&c->ev->full, t, v), *x = lil_positions_of(&c->ev->full, t, q);
    for (int i = 0, first = 0; i < model->constraint_count; i++) {
        const lil_constraint *set = &model->constraints[i];
        lil_constraint_curvature(set, c->work[i], x, dx, k + first);
        first += set->count * set->table->rows;
    }
}

/* Q minus the velocity-dependent part of dP/dt, for a mass that depends on q */
static const double *inertial(lil_constrained *c, double t, const double *q, const double *v, const double *Q)
{
    lil_evaluator *ev = c->ev;
    if (ev->model->mass.constant)
        return Q;
    memset(c->H, 0, (size_t)ev->matrix.pattern.count * sizeof *c->H);
    lil_evaluate_second(ev, t, q, v, &(lil_weights){ .Pq = 1 }, c->H);
    lil_sparse_multiply(&ev->matrix.pattern, c->H, v, c->r);
    for (int k = 0; k < c->G.n; k++)
        c->r[k] = Q[k] - c->r[k];
    return c->r;
}

/* s -= G a of prescribed motion, whose velocity is known and whose acceleration is its difference */
static void take_scripts(lil_constrained *c, double t, const double *v)
{
    const double dt = 1e-5;
    for (int side = -1; side <= 1; side += 2) {
        const double *dx = lil_positions_velocity(&c->ev->full, t + side * dt, v);
        for (int k = 0; k < c->G.count; k++)
            if (c->col[k] < 0)
                c->s[c->row[k]] -= side * c->now[k] * dx[c->col_x[k]] / (2 * dt);
    }
}

lil_status lil_constrained_force(lil_constrained *c, double T, double t, const double *q, const double *v,
                                 const double *Q)
{
    LIL_TRY(lil_constrained_make(c, t, q, v));
    lil_constrained_rates(c, t, v);
    curvatures(c, t, q, v, c->s);
    lil_constrained_evaluate(c, lil_positions_of(&c->ev->full, t, q), c->g, NULL);
    for (int i = 0; i < c->G.m; i++)
        c->s[i] = -c->s[i] - (T > 0 ? c->g[i] / (T * T) + 2 * c->rate[i] / T : 0);
    if (c->ev->model->dofs.script_count)
        take_scripts(c, t, v);
    /* M a + G'y = Q, G a = s; a second solve removes the remainder that e leaves */
    lil_saddle_solve(&c->mass, inertial(c, t, q, v, Q), c->s, c->dv, c->lambda);
    lil_rows_multiply(&c->G, c->now, c->dv, c->rate);
    for (int i = 0; i < c->G.m; i++)
        c->rate[i] = c->s[i] - c->rate[i];
    lil_saddle_solve(&c->mass, NULL, c->rate, c->dv, c->dy);
    for (int i = 0; i < c->G.m; i++)
        c->lambda[i] = -(c->lambda[i] + c->dy[i]);
    return LIL_OK;
}

/* the force of some rows on all of x; `f` is scratch, zero before and after */
static double force_of(const lil_constrained *c, int first, int end, double *f)
{
    double most = 0, all = 0;
    bool points = c->ev->model->points.count;
    for (int k = first; k < end; k++)
        f[c->col_x[k]] += c->now[k] * c->lambda[c->row[k]];
    for (int k = first; k < end; k++) {
        const double *at = f + c->col_x[k] / 3 * 3;
        if (points)
            most = fmax(most, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
    }
    for (int k = first; k < end; k++) {
        all += f[c->col_x[k]] * f[c->col_x[k]];
        f[c->col_x[k]] = 0;
    }
    return points ? most : sqrt(all);
}

void lil_constrained_forces(lil_constrained *c, double *forces)
{
    const lil_model *model = c->ev->model;
    for (int i = 0, named = 0, end; i < model->constraint_count; i = end, named++) {
        for (end = i + 1;
             end < model->constraint_count && model->constraints[end].name == model->constraints[i].name;)
            end++;
        forces[named] = force_of(c, c->entries[i], c->entries[end], c->f);
    }
}

/* ---- tension ---- */

typedef struct swing_job {
    lil_constrained *c;
    double h;
    const double *x;
} swing_job;

static void swing_slice(void *data, int i)
{
    const swing_job *job = data;
    lil_constrained *c = job->c;
    const lil_slice *slice = &c->slices.list[i];
    const lil_geometric_stiffness *curved = &c->curved;
    double most = 0, *sums = c->dv;
    lil_constrained_curve_slice(c, i, job->x);
    memset(sums + slice->col, 0, (size_t)(slice->col_end - slice->col) * sizeof *sums);
    for (int k = c->curves_begin[i]; k < c->curves_begin[i + 1]; k++) {
        double K = -c->lambda[curved->row[k]] * curved->values[k] / job->h;
        if (curved->a[k] >= 0 && curved->b[k] >= 0)
            sums[curved->a[k]] += curved->a[k] == curved->b[k] ? K : fabs(K);
    }
    for (int j = slice->col; j < slice->col_end; j++) {
        double bound = sums[j] * c->mass.over[j];
        most = bound > most ? bound : most;
    }
    c->slice_most[i] = most;
}

/* No eigenvalue of M^-1 K is larger than this over a diagonal mass (Gershgorin); over another it is a guess. */
double lil_constrained_swing(lil_constrained *c, double h, const double *x)
{
    lil_constrained_each(c, swing_slice, &(swing_job){ c, h, x });
    return lil_constrained_most(c);
}

/* The constraint that has the largest share in x'K x. */
static int accelerations_stiffest(const lil_constrained *c, const double *x)
{
    const lil_geometric_stiffness *curved = &c->curved;
    double most = 0;
    int row = 0;
    for (int k = 0; k < curved->count; k++)
        if (curved->a[k] >= 0 && curved->a[k] == curved->b[k]) {
            double part = fabs(c->lambda[curved->row[k]] * curved->values[k]) * x[curved->a[k]] * x[curved->a[k]];
            row = part > most ? curved->row[k] : row;
            most = fmax(most, part);
        }
    return row;
}

/* By power iteration, x <- P M^-1 K x with P the projection onto G x = 0: a frame of rigid links holds tensions
 * without anything that could swing. The iteration converges from below. It only has to distinguish such a frame
 * from a rope, whose bound is close. */
double lil_constrained_frequency(lil_constrained *c, double t, const double *q, double enough, const char **label)
{
    enum { ITERATIONS = 24 };
    int n = c->G.n, member;
    double *x = c->dv, *Kx = c->r, square = 0, needed = enough * enough;
    double bound = lil_constrained_swing(c, 1, lil_positions_of(&c->ev->full, t, q));
    if (!(bound > needed) || !isfinite(bound))
        return 0;
    memset(c->s, 0, (size_t)c->G.m * sizeof *c->s);
    for (int k = 0; k < n; k++)
        x[k] = 1 + 0.5 * sin(1.7 * k); /* no symmetry of the system may be orthogonal to it */
    for (int i = 0; i < ITERATIONS && !(square > needed / 4); i++) {
        lil_geometric_stiffness_multiply(&c->curved, c->lambda, x, n, Kx);
        double before = lil_norm(n, x);
        lil_saddle_solve(&c->mass, Kx, c->s, x, c->dy);
        double size = lil_norm(n, x);
        square = i ? size / before : 0; /* the first x did not satisfy the constraints */
        if (!(size > 0))
            return 0;
        for (int k = 0; k < n; k++)
            x[k] /= size;
    }
    *label = lil_constrained_label(c->ev->model, accelerations_stiffest(c, x), &member);
    return square > needed / 4 ? sqrt(bound) : 0;
}
