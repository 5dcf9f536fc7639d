#include "model/evaluator.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the pattern of all second derivatives ---- */

static int entry_count(const lil_entries *e)
{
    return e->qq + e->qv + e->vv;
}

typedef struct positions {
    int *row, *col, *where;
    int count;
} positions;

static void add_position(positions *p, int row, int col)
{
    p->row[p->count] = row;
    p->col[p->count++] = col;
}

/* every entry that can occur: the diagonal, the mass, the terms' entries, and their qv entries transposed */
static void list_positions(const lil_evaluator *ev, positions *p)
{
    const lil_mass *mass = &ev->model->mass;
    for (int i = 0; i < ev->n; i++)
        add_position(p, i, i);
    for (int j = 0; mass->values && j < ev->n; j++)
        for (int k = mass->pattern.start[j]; k < mass->pattern.start[j + 1]; k++)
            add_position(p, mass->pattern.row[k], j);
    for (int i = 0; i < ev->model->term_count; i++) {
        const lil_entries *e = &ev->entries[i];
        for (int k = 0; k < entry_count(e); k++)
            add_position(p, e->row[k], e->col[k]);
        for (int k = e->qq; k < e->qq + e->qv; k++)
            add_position(p, e->col[k], e->row[k]);
    }
}

static void copy_places(lil_evaluator *ev, const int *where)
{
    const lil_mass *mass = &ev->model->mass;
    int at = 0, mass_count = mass->values ? mass->pattern.count : ev->n;
    memcpy(ev->where_mass, where + (mass->values ? ev->n : 0), (size_t)mass_count * sizeof *where);
    at = ev->n + (mass->values ? mass_count : 0);
    for (int i = 0; i < ev->model->term_count; i++) {
        const lil_entries *e = &ev->entries[i];
        memcpy(ev->where[i], where + at, (size_t)entry_count(e) * sizeof *where);
        at += entry_count(e);
        memcpy(ev->where_turned[i], where + at, (size_t)e->qv * sizeof *where);
        at += e->qv;
    }
}

static lil_status make_pattern(lil_context *ctx, lil_arena *arena, lil_evaluator *ev)
{
    const lil_mass *mass = &ev->model->mass;
    size_t total = (size_t)ev->n + (size_t)(mass->values ? mass->pattern.count : 0);
    int most = 0;
    for (int i = 0; i < ev->model->term_count; i++) {
        const lil_entries *e = &ev->entries[i];
        total += (size_t)entry_count(e) + (size_t)e->qv;
        most = entry_count(e) > most ? entry_count(e) : most;
        ev->where[i] = LIL_NEW(arena, int, entry_count(e));
        ev->where_turned[i] = LIL_NEW(arena, int, e->qv);
        if (!ev->where[i] || !ev->where_turned[i])
            return lil_fail_memory(ctx);
    }
    ev->values = LIL_NEW(arena, double, most);
    ev->where_mass = LIL_NEW(arena, int, mass->values ? mass->pattern.count : ev->n);
    positions p = { malloc(total * sizeof(int)), malloc(total * sizeof(int)), malloc(total * sizeof(int)), 0 };
    lil_status status = LIL_OK;
    if (!ev->values || !ev->where_mass || !p.row || !p.col || !p.where) {
        status = lil_fail_memory(ctx);
    } else {
        list_positions(ev, &p);
        status = lil_pattern_create(ctx, arena, ev->n, p.row, p.col, p.count, &ev->pattern, p.where);
        if (status == LIL_OK)
            copy_places(ev, p.where);
    }
    free(p.row);
    free(p.col);
    free(p.where);
    return status;
}

lil_status lil_evaluator_create(lil_context *ctx, lil_arena *arena, const lil_model *model, bool second,
                                lil_evaluator *ev)
{
    *ev = (lil_evaluator){ .ctx = ctx, .model = model, .n = model->n };
    ev->frame_q = LIL_NEW(arena, double, model->n);
    ev->frame_g = LIL_NEW(arena, double, model->n);
    ev->scratch = LIL_NEW(arena, double, model->n);
    ev->at_rest = LIL_NEW(arena, double, model->n);
    ev->force_at_rest = LIL_NEW(arena, double, model->n);
    if (!ev->frame_q || !ev->frame_g || !ev->scratch || !ev->at_rest || !ev->force_at_rest)
        return lil_fail_memory(ctx);
    second = second || !model->mass.constant; /* v from p needs d2L/dv2 */
    for (int i = 0; i < model->term_count; i++)
        LIL_TRY(
            model->terms[i].table->begin(ctx, model->terms[i].data, arena, second, &ev->work[i], &ev->entries[i]));
    if (second)
        LIL_TRY(make_pattern(ctx, arena, ev));
    if (!model->mass.constant)
        LIL_TRY(lil_newton_create(ctx, arena, &ev->pattern, false, &ev->legendre));
    return LIL_OK;
}

void lil_evaluator_destroy(lil_evaluator *ev)
{
    lil_newton_destroy(&ev->legendre);
}

/* ---- values and first derivatives ---- */

static void zero(int n, double *x)
{
    if (x)
        memset(x, 0, (size_t)n * sizeof *x);
}

void lil_evaluate_potential(lil_evaluator *ev, double t, const double *q, double *W, double *g)
{
    const lil_model *model = ev->model;
    if (!W && !g)
        return;
    if (W)
        *W = 0;
    zero(ev->n, g);
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_POTENTIAL)
            model->terms[i].table->evaluate(model->terms[i].data, ev->work[i], t, q, NULL, W, g, NULL);
}

/* bit for bit; the call of memcmp would cost more than comparing a few numbers */
static bool same_bits(int n, const double *x, const double *y)
{
    for (int i = 0; i < n; i++) {
        uint64_t a, b;
        memcpy(&a, &x[i], sizeof a);
        memcpy(&b, &y[i], sizeof b);
        if (a != b)
            return false;
    }
    return true;
}

void lil_evaluate_frame(lil_evaluator *ev, double t, const double *q, double *W, const double **g)
{
    bool same = ev->frame_valid && (!ev->model->uses_time || t == ev->frame_t) && same_bits(ev->n, q, ev->frame_q);
    if (!same) {
        memcpy(ev->frame_q, q, (size_t)ev->n * sizeof *q);
        ev->frame_t = t;
        ev->frame_valid = true;
        lil_evaluate_potential(ev, t, q, &ev->frame_W, ev->frame_g);
    }
    if (W)
        *W = ev->frame_W;
    if (g)
        *g = ev->frame_g;
}

void lil_evaluate_lagrangian(lil_evaluator *ev, double t, const double *q, const double *v, double *L, double *Q,
                             double *P)
{
    const lil_model *model = ev->model;
    if (model->mass.constant) {
        double W = 0;
        lil_evaluate_potential(ev, t, q, L ? &W : NULL, Q);
        for (int i = 0; Q && i < ev->n; i++)
            Q[i] = -Q[i];
        if (!L && !P)
            return;
        double *p = P ? P : ev->scratch;
        lil_mass_multiply(model, v, p);
        if (L)
            *L = lil_dot(ev->n, p, v) / 2 - W;
        return;
    }
    if (L)
        *L = 0;
    zero(ev->n, Q);
    zero(ev->n, P);
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_LAGRANGIAN)
            model->terms[i].table->evaluate(model->terms[i].data, ev->work[i], t, q, v, L, Q, P);
}

void lil_evaluate_force(lil_evaluator *ev, double t, const double *q, const double *v, double *F)
{
    const lil_model *model = ev->model;
    zero(ev->n, F);
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_FORCE)
            model->terms[i].table->evaluate(model->terms[i].data, ev->work[i], t, q, v, NULL, F, NULL);
}

/* ---- second derivatives ---- */

static void add_mass(const lil_evaluator *ev, double weight, double *values)
{
    const lil_mass *mass = &ev->model->mass;
    if (!mass->constant || weight == 0)
        return;
    const double *M = mass->diagonal ? mass->diagonal : mass->values;
    int count = mass->diagonal ? ev->n : mass->pattern.count;
    for (int k = 0; k < count; k++)
        values[ev->where_mass[k]] += weight * M[k];
}

static void add_block(const double *from, const int *where, int count, double weight, double *values)
{
    for (int k = 0; weight != 0 && k < count; k++)
        values[where[k]] += weight * from[k];
}

void lil_evaluate_second(lil_evaluator *ev, double t, const double *q, const double *v, const lil_weights *w,
                         double *values)
{
    const lil_model *model = ev->model;
    add_mass(ev, w->Pv, values);
    for (int i = 0; i < model->term_count; i++) {
        const lil_entries *e = &ev->entries[i];
        const int *where = ev->where[i];
        const double *x = ev->values;
        lil_place place = model->terms[i].table->place;
        double qq = place == LIL_FORCE ? w->Fq : place == LIL_POTENTIAL ? -w->Qq : w->Qq;
        double qv = place == LIL_FORCE ? w->Fv : w->Qv;
        if (qq == 0 && qv == 0 && (place != LIL_LAGRANGIAN || (w->Pq == 0 && w->Pv == 0)))
            continue;
        model->terms[i].table->second(model->terms[i].data, ev->work[i], t, q, v, ev->values);
        add_block(x, where, e->qq, qq, values);
        add_block(x + e->qq, where + e->qq, e->qv, qv, values);
        if (place != LIL_LAGRANGIAN)
            continue;
        add_block(x + e->qq, ev->where_turned[i], e->qv, w->Pq, values); /* dP/dq = (dQ/dv)' */
        add_block(x + e->qq + e->qv, where + e->qq + e->qv, e->vv, w->Pv, values);
    }
}

/* ---- momentum and velocity ---- */

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

static void legendre_value(void *self, const double *v, double *E, double *g, lil_noise *noise)
{
    lil_evaluator *ev = self;
    (void)E;
    lil_evaluate_lagrangian(ev, ev->legendre_t, ev->legendre_q, v, NULL, NULL, g);
    noise->E = 0;
    noise->g = 4 * DBL_EPSILON * (lil_norm(ev->n, g) + lil_norm(ev->n, ev->legendre_p));
    for (int i = 0; i < ev->n; i++)
        g[i] -= ev->legendre_p[i];
}

static void legendre_hessian(void *self, const double *v, double *H)
{
    lil_evaluator *ev = self;
    zero(ev->pattern.count, H);
    lil_evaluate_second(ev, ev->legendre_t, ev->legendre_q, v, &(lil_weights){ .Pv = 1 }, H);
}

lil_status lil_evaluate_velocity(lil_evaluator *ev, double t, const double *q, const double *p, double *v)
{
    if (ev->model->mass.constant) {
        lil_mass_solve(ev, p, v);
        return LIL_OK;
    }
    lil_objective objective = { ev->n, &ev->pattern, ev, legendre_value, legendre_hessian };
    lil_solve solve = { .tolerance = 1e-14, .iterations_max = 50 };
    ev->legendre_t = t;
    ev->legendre_q = q;
    ev->legendre_p = p;
    lil_root(&ev->legendre, &objective, &solve, v);
    if (solve.converged)
        return LIL_OK;
    return lil_fail(ev->ctx, LIL_ERR_CONVERGENCE,
                    "no velocity belongs to the momentum at t = %.9g: d2L/dv2 may be singular there", t);
}

/* How far A^-1 stretches a vector without pattern, A = d2L/dv2 scaled so that units do not count. */
bool lil_evaluate_singular(lil_evaluator *ev, double t, const double *q, const double *v)
{
    if (ev->model->mass.constant)
        return false;
    const lil_pattern *p = &ev->pattern;
    double *H = ev->legendre.H, *scale = ev->legendre.d, *x = ev->legendre.x_trial;
    ev->legendre_t = t;
    ev->legendre_q = q;
    legendre_hessian(ev, v, H);
    zero(ev->n, scale);
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

bool lil_evaluate_explain(lil_evaluator *ev, double t, const double *q, const double *v, char *sentence, size_t size)
{
    for (int i = 0; i < ev->model->term_count; i++) {
        const lil_term *term = &ev->model->terms[i];
        if (term->table->explain && term->table->explain(term->data, ev->work[i], t, q, v, sentence, size))
            return true;
    }
    return false;
}
