/* Momenta and velocities: p = M v of a constant mass; else p = dL/dv, which is solved for v (the Legendre
 * transform). */
#include "model/evaluator.h"

#include "core/threads.h"
#include "math/lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

void lil_mass_multiply(const lil_model *model, const double *v, double *p)
{
    const lil_mass *mass = &model->mass;
    if (!mass->diagonal) {
        lil_sparse_multiply(&mass->pattern, mass->values, v, p);
        return;
    }
    for (int i = 0; i < model->n; i++)
        p[i] = mass->diagonal[i] * v[i];
}

void lil_mass_solve(lil_evaluator *ev, const double *p, double *v)
{
    const lil_mass *mass = &ev->model->mass;
    if (!mass->diagonal) {
        lil_ldl_solve(&mass->factor, p, v, ev->scratch);
        return;
    }
    for (int i = 0; i < ev->n; i++)
        v[i] = p[i] / mass->diagonal[i];
}

typedef struct kinetic_job {
    lil_evaluator *ev;
    const double *q, *p;
    double *v;
} kinetic_job;

/* All in one pass. What is not finite makes the part so: q - q is 0 or not a number. */
LIL_KERNEL static void kinetic_piece(void *data, int i)
{
    const kinetic_job *job = data;
    int from = i * LIL_PIECE, n = lil_piece_size((size_t)job->ev->n, i), k = 0;
    const double *m = job->ev->model->mass.diagonal + from, *q = job->q + from, *p = job->p + from;
    double *v = job->v + from, rest = 0;
    lil_lanes pv = { 0 }, none = { 0 };
    for (; k + LIL_LANES <= n; k += LIL_LANES) {
        lil_lanes x = lil_lanes_load(q + k), u = lil_lanes_load(p + k), w = u / lil_lanes_load(m + k);
        lil_lanes_store(v + k, w);
        pv += u * w;
        none += x - x;
    }
    for (; k < n; k++) {
        v[k] = p[k] / m[k];
        rest += p[k] * v[k] + (q[k] - q[k]);
    }
    pv += none;
    job->ev->parts[i] = ((pv[0] + pv[1]) + (pv[2] + pv[3])) + rest;
}

bool lil_evaluate_kinetic(lil_evaluator *ev, const double *q, const double *p, double *v, double *pv)
{
    kinetic_job job = { ev, q, p, v };
    if (!ev->model->mass.diagonal) {
        lil_mass_solve(ev, p, v);
        *pv = lil_dot(ev->n, p, v);
        return lil_all_finite(ev->n, q) && lil_all_finite(ev->n, p);
    }
    lil_parallel(ev->threads, lil_pieces((size_t)ev->n), kinetic_piece, &job);
    *pv = 0;
    for (int i = 0; i < lil_pieces((size_t)ev->n); i++)
        *pv += ev->parts[i];
    return isfinite(*pv);
}

static void legendre_value(void *self, const double *v, double *E, double *g, lil_noise *noise)
{
    lil_evaluator *ev = self;
    (void)E;
    lil_evaluate_lagrangian(ev, ev->legendre_t, ev->legendre_q, v, NULL, NULL, g);
    noise->E = 0;
    noise->g = 4 * DBL_EPSILON * (lil_norm(ev->n, g) + lil_norm(ev->n, ev->legendre_p));
    lil_add(ev->n, -1, ev->legendre_p, g);
}

static void legendre_hessian(void *self, const double *v, double *H)
{
    lil_evaluator *ev = self;
    memset(H, 0, (size_t)ev->matrix.pattern.count * sizeof *H);
    lil_evaluate_second(ev, ev->legendre_t, ev->legendre_q, v, &(lil_weights){ .Pv = 1 }, H);
}

lil_status lil_evaluate_velocity(lil_evaluator *ev, double t, const double *q, const double *p, double *v)
{
    if (ev->model->mass.constant) {
        lil_mass_solve(ev, p, v);
        return LIL_OK;
    }
    lil_objective objective = {
        .n = ev->n, .pattern = &ev->matrix.pattern, .self = ev, .value = legendre_value, .hessian = legendre_hessian
    };
    lil_solve solve = { .tolerance = 1e-14, .iterations_max = 50 };
    ev->legendre_t = t;
    ev->legendre_q = q;
    ev->legendre_p = p;
    lil_phase_begin(ev->ctx->phases, LIL_PHASE_EVALUATE);
    lil_root(&ev->legendre, &objective, &solve, v);
    lil_phase_end(ev->ctx->phases);
    if (solve.converged)
        return LIL_OK;
    return lil_fail(ev->ctx, LIL_ERR_CONVERGENCE,
                    "the momentum at t = %.9g has no velocity: d2L/dv2 may be singular there", t);
}

/* How far A^-1 stretches a vector without pattern, A = d2L/dv2 scaled so that units do not count. */
bool lil_evaluate_singular(lil_evaluator *ev, double t, const double *q, const double *v)
{
    if (ev->model->mass.constant)
        return false;
    const lil_pattern *p = &ev->matrix.pattern;
    double *H = ev->legendre.H, *scale = ev->legendre.d, *x = ev->legendre.x_trial;
    ev->legendre_t = t;
    ev->legendre_q = q;
    legendre_hessian(ev, v, H);
    memset(scale, 0, (size_t)ev->n * sizeof *scale);
    for (int j = 0; j < ev->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            scale[p->row[k]] = fmax(scale[p->row[k]], fabs(H[k]));
    for (int j = 0; j < ev->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            H[k] /= sqrt(scale[p->row[k]]) * sqrt(scale[j]);
    if (!lil_lu_factor(&ev->legendre.lu, H))
        return true;
    for (int i = 0; i < ev->n; i++)
        x[i] = sin(i + 1.0);
    lil_lu_solve(&ev->legendre.lu, x);
    return !(lil_norm(ev->n, x) < 1e14 * sqrt(ev->n));
}
