#include "discrete/stages.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

lil_tableau lil_tableau_variational(int s, const double *c)
{
    lil_tableau tb = { .s = s };
    memcpy(tb.c, c, (size_t)s * sizeof *c);
    lil_collocation(s, c, tb.b, tb.a);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            tb.A[i][j] = tb.b[j] - tb.b[j] * tb.a[j][i] / tb.b[i];
    return tb;
}

/* ---- create ---- */

static lil_status make_pattern(lil_context *ctx, lil_arena *arena, lil_stages *st)
{
    const lil_pattern *p = &st->ev->matrix.pattern;
    int s = st->tableau.s, n = p->n;
    size_t total = (size_t)s * (size_t)s * (size_t)p->count;
    int *row = malloc(total * sizeof *row), *col = malloc(total * sizeof *col);
    st->where = LIL_NEW(arena, int, total);
    lil_status status = row && col && st->where ? LIL_OK : lil_fail_memory(ctx);
    size_t at = 0;
    for (int block = 0; status == LIL_OK && block < s * s; block++)
        for (int j = 0; j < n; j++)
            for (int e = p->start[j]; e < p->start[j + 1]; e++, at++) {
                row[at] = block / s * n + p->row[e];
                col[at] = block % s * n + j;
            }
    if (status == LIL_OK)
        status = lil_pattern_create(ctx, arena, s * n, row, col, (int)total, &st->pattern, st->where);
    free(row);
    free(col);
    return status;
}

lil_status lil_stages_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_tableau *tableau,
                             const lil_solver_def *solver, lil_tally *tally, lil_stages *st)
{
    enum { ENTRIES_MAX = 50 * 1000 * 1000, POINTS_MAX = 12000 };
    size_t n = (size_t)ev->n, sn = n * (size_t)tableau->s;
    *st = (lil_stages){ .ev = ev, .tableau = *tableau, .solver = *solver, .tally = tally };
    if (solver->method == LIL_SOLVER_MINIMISE)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "a step with several stages is not a minimisation: use the solver 'root' or 'auto'");
    if (lil_model_terms(ev->model, LIL_STEP))
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "a step with several stages cannot include damping in its Lilyan: use damping 'exact'");
    if (ev->model->points.count && sn > POINTS_MAX)
        return lil_fail(
            ctx, LIL_ERR_LIMIT,
            "%d stages of %d coordinates are too many equations for a body (at most %d): use a composition",
            tableau->s, ev->n, POINTS_MAX);
    if ((double)ev->matrix.pattern.count * tableau->s * tableau->s > ENTRIES_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d stages of %d coordinates are too many equations: use a composition",
                        tableau->s, ev->n);
    LIL_ALLOC(ctx, arena, st->V, sn);
    LIL_ALLOC(ctx, arena, st->Q, sn);
    LIL_ALLOC(ctx, arena, st->force, sn);
    LIL_ALLOC(ctx, arena, st->F, n);
    LIL_ALLOC(ctx, arena, st->block, ev->matrix.pattern.count);
    LIL_TRY(make_pattern(ctx, arena, st));
    return lil_newton_create(ctx, arena, &st->pattern, false, &st->newton);
}

void lil_stages_destroy(lil_stages *st)
{
    lil_newton_destroy(&st->newton);
}

/* ---- the equations ---- */

static void place_stages(lil_stages *st, const double *V)
{
    const lil_tableau *tb = &st->tableau;
    int n = st->ev->n, s = tb->s;
    for (int i = 0; i < s; i++) {
        double *Q = st->Q + i * n;
        memcpy(Q, st->q, (size_t)n * sizeof *Q);
        for (int j = 0; j < s; j++)
            for (int k = 0; tb->a[i][j] != 0 && k < n; k++)
                Q[k] += st->h * tb->a[i][j] * V[j * n + k];
    }
}

/* Q_i, the forces dL/dq + F and, where P is not NULL, dL/dv at all stages */
static void evaluate_stages(lil_stages *st, const double *V, double *P)
{
    const lil_tableau *tb = &st->tableau;
    int n = st->ev->n, s = tb->s;
    place_stages(st, V);
    for (int i = 0; i < s; i++) {
        double *Q = st->Q + i * n, *force = st->force + i * n, t = st->t + tb->c[i] * st->h;
        lil_evaluate_lagrangian(st->ev, t, Q, V + i * n, NULL, force, P ? P + i * n : NULL);
        if (lil_evaluate_force(st->ev, t, Q, V + i * n, st->F))
            lil_add(n, 1, st->F, force);
        /* prepared for a step of h: divided by h it is a force */
        if (lil_evaluate_damping(st->ev, LIL_FRICTION, t, Q, V + i * n, NULL, st->F, NULL, NULL))
            for (int k = 0; k < n; k++)
                force[k] -= st->F[k] / st->h;
    }
}

/* r_i = dL/dv(Q_i, V_i) - P_i */
static void stages_value(void *self, const double *V, double *E, double *r, lil_noise *noise)
{
    lil_stages *st = self;
    const lil_tableau *tb = &st->tableau;
    int n = st->ev->n, s = tb->s;
    double size = 0, own[LIL_STAGES_MAX] = { 0 };
    (void)E;
    evaluate_stages(st, V, r);
    for (int j = 0; j < s; j++) {
        double unused = 0;
        lil_evaluate_size(st->ev, LIL_POTENTIAL, st->t + tb->c[j] * st->h, st->Q + j * n, &unused, &own[j]);
        own[j] += lil_norm(n, st->force + j * n);
    }
    for (int i = 0; i < s; i++) {
        double *ri = r + i * n;
        size += lil_norm(n, ri) + lil_norm(n, st->p);
        lil_add(n, -1, st->p, ri);
        for (int j = 0; j < s; j++) {
            double weight = st->h * tb->A[i][j];
            for (int k = 0; weight != 0 && k < n; k++)
                ri[k] -= weight * st->force[j * n + k];
            size += fabs(weight) * own[j];
        }
    }
    *noise = (lil_noise){ .g = 4 * DBL_EPSILON * size };
}

/* One kind of second derivative of stage m, to be added to several blocks. */
static void evaluate_block(lil_stages *st, const double *V, int m, lil_weights w)
{
    int n = st->ev->n;
    memset(st->block, 0, (size_t)st->ev->matrix.pattern.count * sizeof *st->block);
    lil_evaluate_second(st->ev, st->t + st->tableau.c[m] * st->h, st->Q + m * n, V + m * n, &w, st->block);
}

static void stages_add_block(lil_stages *st, int i, int k, double weight, double *J)
{
    int entries = st->ev->matrix.pattern.count;
    const int *where = st->where + (size_t)(i * st->tableau.s + k) * (size_t)entries;
    for (int e = 0; weight != 0 && e < entries; e++)
        J[where[e]] += weight * st->block[e];
}

/* dr_i/dV_k = [i = k] Pv_i + h a_ik Pq_i - h A_ik Qv_k - h^2 sum_j A_ij a_jk Qq_j + A_ik d2S/dv2_k, with forces in Q */
static void stages_jacobian(void *self, const double *V, double *J)
{
    lil_stages *st = self;
    const lil_tableau *tb = &st->tableau;
    bool general = !st->ev->model->mass.constant, force = lil_model_forces_vary(st->ev->model);
    int s = tb->s;
    double h = st->h;
    memset(J, 0, (size_t)st->pattern.count * sizeof *J);
    place_stages(st, V);
    for (int m = 0; m < s; m++) {
        evaluate_block(st, V, m, (lil_weights){ .Pv = 1 });
        stages_add_block(st, m, m, 1, J);
        evaluate_block(st, V, m, (lil_weights){ .Qq = 1, .Fq = 1 });
        for (int i = 0; i < s; i++)
            for (int k = 0; k < s; k++)
                stages_add_block(st, i, k, -h * h * tb->A[i][m] * tb->a[m][k], J);
        if (general || force) {
            evaluate_block(st, V, m, (lil_weights){ .Qv = 1, .Fv = 1 });
            for (int i = 0; i < s; i++)
                stages_add_block(st, i, m, -h * tb->A[i][m], J);
        }
        if (general) {
            evaluate_block(st, V, m, (lil_weights){ .Pq = 1 });
            for (int k = 0; k < s; k++)
                stages_add_block(st, m, k, h * tb->a[m][k], J);
        }
        if (lil_model_terms(st->ev->model, LIL_FRICTION)) {
            evaluate_block(st, V, m, (lil_weights){ .Rv = 1 });
            for (int i = 0; i < s; i++)
                stages_add_block(st, i, m, tb->A[i][m], J);
        }
    }
}

/* The longest step from V along dV that keeps every stage where W is defined. */
static double stages_longest(void *self, const double *V, const double *dV)
{
    lil_stages *st = self;
    const lil_tableau *tb = &st->tableau;
    int n = st->ev->n;
    double reach = 1;
    place_stages(st, V);
    for (int i = 0; i < tb->s; i++) {
        memset(st->F, 0, (size_t)n * sizeof *st->F);
        for (int j = 0; j < tb->s; j++)
            for (int k = 0; k < n; k++)
                st->F[k] += st->h * tb->a[i][j] * dV[j * n + k];
        reach = fmin(reach, lil_evaluate_longest(st->ev, st->t + tb->c[i] * st->h, st->Q + i * n, st->F));
    }
    return reach;
}

/* ---- step ---- */

/* the work of forces and prescribed motion at the stages */
static void stages_book(lil_stages *st)
{
    const lil_tableau *tb = &st->tableau;
    const lil_model *model = st->ev->model;
    int n = st->ev->n;
    for (int i = 0; i < tb->s && (model->dofs.script_count || model->drives || st->ev->supports); i++) {
        const double t = st->t + tb->c[i] * st->h, *Q = st->Q + i * n, *V = st->V + i * n;
        lil_evaluate_lagrangian(st->ev, t, Q, V, NULL, st->F, NULL);
        lil_tally_drive(st->tally, st->ev, st->h * tb->b[i], t, Q, V);
    }
}

/* a moving obstacle does work by friction: its share of the work is -driven */
static void book_friction(lil_stages *st, int i)
{
    const lil_tableau *tb = &st->tableau;
    int n = st->ev->n;
    double taken, held;
    if (!lil_evaluate_damping(st->ev, LIL_FRICTION, st->t + tb->c[i] * st->h, st->Q + i * n, st->V + i * n, NULL,
                              st->F, &taken, &held))
        return;
    double driven = lil_evaluate_driven(st->ev);
    st->tally->work_out += tb->b[i] * (taken - driven);
    st->tally->work_in += tb->b[i] * (held - driven);
    lil_supports_add(st->ev->supports, LIL_SUPPORT_FRICTION, tb->b[i]);
}

static void stages_finish(lil_stages *st, double *q, double *p)
{
    const lil_tableau *tb = &st->tableau;
    int n = st->ev->n;
    evaluate_stages(st, st->V, NULL);
    stages_book(st);
    for (int i = 0; i < tb->s; i++)
        if (lil_evaluate_force(st->ev, st->t + tb->c[i] * st->h, st->Q + i * n, st->V + i * n, st->F))
            lil_tally_work(st->tally, st->ev, st->h * tb->b[i], st->t + tb->c[i] * st->h, st->Q + i * n,
                           st->V + i * n, st->F);
    for (int i = 0; i < tb->s; i++)
        book_friction(st, i);
    /* the increments are summed before they are added: one rounding of q and p a step */
    for (int k = 0; k < n; k++) {
        double dq = 0, dp = 0;
        for (int i = 0; i < tb->s; i++) {
            dq += tb->b[i] * st->V[i * n + k];
            dp += tb->b[i] * st->force[i * n + k];
        }
        q[k] += st->h * dq;
        p[k] += st->h * dp;
    }
}

lil_status lil_stages_step(lil_stages *st, double t, double h, double *q, double *p, const double *v_guess)
{
    int n = st->ev->n;
    lil_objective objective = { .n = st->pattern.n,
                                .pattern = &st->pattern,
                                .self = st,
                                .phases = st->ev->ctx->phases,
                                .stop = &st->ev->ctx->stop,
                                .value = stages_value,
                                .hessian = stages_jacobian,
                                .longest = lil_evaluate_ends(st->ev) ? stages_longest : NULL };
    lil_solve solve = { .tolerance = st->solver.tolerance,
                        .reference = 1e-3 * st->reference,
                        .iterations_max = st->solver.iterations };
    st->t = t;
    st->h = h;
    st->q = q;
    st->p = p;
    lil_evaluate_prepare(st->ev, LIL_FRICTION, t, h, q);
    lil_evaluate_carry(st->ev, t, v_guess);
    for (int i = 0; i < st->tableau.s; i++)
        memcpy(st->V + i * n, v_guess, (size_t)n * sizeof *st->V);
    lil_objective_shorten(&objective, st->force, st->V);
    lil_root(&st->newton, &objective, &solve, st->V);
    LIL_TRY(lil_tally_solve(st->ev->ctx, st->tally, &solve, "root", &st->reference));
    stages_finish(st, q, p);
    return LIL_OK;
}
