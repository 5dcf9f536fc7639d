#include "discrete/equilibrium.h"

#include "discrete/bound_energy.h"
#include "discrete/direct_fallback.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 400, ITERATIONS_MAX = 3000, ITERATIONS_STEP = 40, IDLE_MAX = 10 };

/* Residuals: the target; what counts as an equilibrium if it stalls; and if it stalls because of round-off of
 * forces that nearly cancel, as in bodies that are stiff or rotated far. */
static const double WANTED = 1e-12, ENOUGH = 1e-9, ROUGHLY = 1e-6;
static const double GROW = 4, SHRINK = 0.1;
/* A step moves vertices by at most this part of the scene's size, or twice as far as the step before. A body that
 * is balanced on an edge leaves it by round-off once steps are long: it must slide into the nearest equilibrium,
 * not beyond it. */
static const double STRIDE = 0.1;
static const double FAR = 100; /* a part that has moved so many times the size of the scene is falling */
static const double HEAVY = 1e10;
static const double SLIP = 1e-4;    /* of the scene's size: sticking contacts have slipped by less */
static const double ROUND_OFF = 64; /* times that bound a gradient is round-off */

/* Forces of constraints beside those of the terms: their multipliers then converge by a factor of about ten a step. */
static const double BOUND_STIFF = 1, BOUND_LOADS = 100;

typedef struct lil_equilibrium finder;

struct lil_equilibrium {
    lil_context *ctx;
    lil_arena arena;
    lil_evaluator ev;
    lil_fallback fallback;
    lil_newton newton;
    const lil_pattern *pattern; /* of the matrix, where it has entries; */
    const lil_assembly *matrix; /*   and where the terms' own go */
    bool is_bound;
    lil_bound_energy bound;
    double t, h2;      /* h^2 */
    double slip;       /* m: the slip of sticking contacts */
    bool has_friction; /* friction holds against the slip from the start */
    double *x_start;   /* of all coordinates */
    const bool *stays;
    double t_loads, factor; /* the loads are those at this time, and this part of them acts: */
    double *balance;        /*   forces that kept the start in equilibrium without them; NULL: all of them act */
    double *measure; /* the diagonal of M of a general Lagrangian, for the length of u; NULL: the mass is constant */
    double load;     /* what residuals are relative to, N */
    const double *q; /* where the step begins, */
    double W;        /*   and W there */
    double off;      /*   and how far the constraints are from being satisfied there, in units of round-off */
    double noise;    /* of the latest gradient: a lower bound, so that the search does not stop early */
    double *u, *at, *g, *F, *zero;
};

static bool stays(const finder *f, int k)
{
    return f->stays && f->stays[k];
}

/* ---- a step as an objective of u = q_{k+1} - q_k ---- */

/* W and dW/dq, and what they are summed from. W is -L at v = 0 of a general Lagrangian, and (B1) where it is bound. */
static void evaluate(finder *f, const double *q, double *W, double *g, double *own, double *size)
{
    if (f->has_friction)
        lil_evaluate_held(&f->ev, f->t, f->x_start, q, g);
    else if (f->measure) /* Q = -dW/dq */
        lil_evaluate_lagrangian(&f->ev, f->t, q, f->zero, W, g, NULL);
    else
        lil_evaluate_potential(&f->ev, f->t, q, W, g);
    for (int k = 0; f->measure && k < f->ev.n; k++)
        g[k] = -g[k];
    if (f->measure)
        *W = -*W;
    if (own)
        lil_evaluate_size(&f->ev, LIL_POTENTIAL, f->t, q, own, size);
    double unused[2] = { 0 };
    if (f->is_bound)
        lil_bound_energy_add(&f->bound, f->t, q, W, g, own ? own : unused, size ? size : unused + 1);
}

static void weigh_by(const finder *f, const double *u, double *Mu)
{
    if (!f->measure)
        lil_mass_multiply(f->ev.model, u, Mu);
    for (int k = 0; f->measure && k < f->ev.n; k++)
        Mu[k] = f->measure[k] * u[k];
}

/* 1/2 u'Mu + h^2 (W(q_k + u) - W(q_k) - F'u). With friction no such function exists, only the equations. */
static void equilibrium_value(void *self, const double *u, double *E, double *g, lil_noise *noise)
{
    finder *f = self;
    int n = f->ev.n;
    double W = 0, size = 0, own = 0;
    for (int k = 0; k < n; k++)
        f->u[k] = stays(f, k) ? 0 : u[k];
    lil_evaluate_sum(&f->ev, f->q, 1, f->u, f->at);
    evaluate(f, f->at, &W, f->g, &own, &size);
    lil_evaluate_exact(&f->ev);
    weigh_by(f, f->u, g);
    double T = lil_dot(n, f->u, g) / 2, work = lil_dot(n, f->F, f->u);
    size = lil_norm(n, g) + f->h2 * (size + lil_norm(n, f->g) + lil_norm(n, f->F));
    for (int k = 0; k < n; k++)
        g[k] = stays(f, k) ? 0 : g[k] + f->h2 * (f->g[k] - f->F[k]);
    if (E)
        *E = T + f->h2 * (W - f->W - work);
    noise->E = 4 * DBL_EPSILON * (T + f->h2 * (fabs(W) + fabs(f->W) + own + fabs(work)));
    noise->g = f->noise = DBL_EPSILON / 4 * size;
}

static const double *equilibrium_place(finder *f, const double *u)
{
    for (int k = 0; k < f->ev.n; k++)
        f->at[k] = f->q[k] + (stays(f, k) ? 0 : u[k]);
    return f->at;
}

/* M + h^2 K, with rows and columns of the identity for fixed coordinates */
static void add_entries(finder *f, lil_evaluator *ev, const double *u, bool definite, double *H)
{
    const lil_pattern *p = f->is_bound ? f->pattern : &ev->matrix.pattern;
    const double *q = equilibrium_place(f, u);
    memset(H, 0, (size_t)p->count * sizeof *H);
    lil_weights w = { .Pv = f->measure ? 0 : 1, .Qq = -f->h2, .definite = definite, .to = f->matrix };
    lil_evaluate_second(ev, f->t, q, f->zero, &w, H);
    if (f->is_bound)
        lil_bound_energy_second(&f->bound, f->t, q, f->h2, H);
    for (int j = 0; (f->stays || f->measure) && j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (f->measure && p->row[k] == j)
                H[k] += f->measure[j];
            if (stays(f, j) || stays(f, p->row[k]))
                H[k] = p->row[k] == j;
        }
}

static void equilibrium_hessian(void *self, const double *u, double *H)
{
    finder *f = self;
    add_entries(f, &f->ev, u, false, H);
}

static void definite(void *self, const double *u, double *H)
{
    finder *f = self;
    add_entries(f, &f->ev, u, true, H);
}

static bool equilibrium_assemble(void *self, const double *u, lil_fresh fresh)
{
    finder *f = self;
    if (fresh == LIL_REUSED)
        return false;
    lil_block_assembly_zero(&f->ev.blocks);
    lil_weights w = { .Qq = -f->h2, .definite = fresh == LIL_DEFINITE };
    lil_evaluate_blocks(&f->ev, f->t, equilibrium_place(f, u), f->zero, &w);
    return lil_block_assembly_finish(&f->ev.blocks);
}

/* (J + s M)/(1 + s) with friction's part, which is not symmetric */
static bool shifted(void *self, const double *u, double s)
{
    finder *f = self;
    const double *q = equilibrium_place(f, u);
    lil_block_assembly_zero(&f->ev.blocks);
    lil_evaluate_node_blocks(&f->ev, true, f->t, f->x_start, q, f->t, q, f->h2 / (1 + s));
    return lil_block_assembly_finish(&f->ev.blocks);
}

static void equilibrium_weigh(void *self, const double *du, double *Mdu)
{
    weigh_by(self, du, Mdu);
}

static double direct_cost(void *self)
{
    finder *f = self;
    return lil_fallback_cost(&f->fallback, &f->ev, &f->ev.blocks.A, false);
}

static bool direct(void *self, const double *u, const double *g, double *du)
{
    finder *f = self;
    lil_fallback *b = &f->fallback;
    for (int k = 0; k < 2; k++) {
        add_entries(f, &b->ev, u, k == 1, b->values);
        if (!lil_ldl_factor(&b->ldl, b->values))
            continue;
        lil_ldl_solve(&b->ldl, g, du, b->work);
        return true;
    }
    return false;
}

static double equilibrium_longest(void *self, const double *u, const double *du)
{
    finder *f = self;
    for (int k = 0; k < f->ev.n; k++)
        f->u[k] = stays(f, k) ? 0 : du[k];
    return lil_evaluate_longest(&f->ev, f->t, equilibrium_place(f, u), f->u);
}

/* ---- create ---- */

static lil_status create_entries(lil_context *ctx, finder *f)
{
    lil_arena *arena = &f->arena;
    f->pattern = &f->ev.matrix.pattern;
    if (f->is_bound) {
        LIL_TRY(lil_bound_energy_create(ctx, arena, &f->ev, &f->bound));
        f->pattern = &f->bound.pattern;
        f->matrix = &f->bound.matrix;
    }
    if (!f->ev.model->mass.constant)
        LIL_ALLOC(ctx, arena, f->measure, f->ev.n);
    return lil_newton_create(ctx, arena, f->pattern, true, &f->newton);
}

static lil_status create_finder(lil_context *ctx, const lil_model *model, int linear, finder *f)
{
    lil_arena *arena = &f->arena;
    lil_second second = LIL_SECOND_GENERAL;
    f->has_friction = model->impassable && model->may_stick && lil_block_assembly_possible(model, lil_in_the_matrix);
    if (f->is_bound || !model->mass.constant)
        second = LIL_SECOND_ENTRIES;
    else if (!f->has_friction)
        LIL_TRY(lil_evaluator_choose(ctx, model, lil_in_the_matrix, linear, &second));
    LIL_TRY(lil_evaluator_create(ctx, arena, model, second, LIL_SECOND_NONE, &f->ev));
    LIL_ALLOC_ALL(ctx, arena, double, model->n, &f->u, &f->at, &f->g, &f->F, &f->zero);
    LIL_ALLOC(ctx, arena, f->x_start, model->dofs.total);
    if (second == LIL_SECOND_ENTRIES)
        return create_entries(ctx, f);
    lil_block_assembly *blocks = &f->ev.blocks;
    for (int i = 0; f->stays && i < model->n / 3; i++) /* blocks of fixed vertices: nearly M alone */
        blocks->mass[i] *= f->stays[3 * i] ? HEAVY : 1;
    if (f->has_friction)
        return lil_newton_create_general(ctx, arena, &blocks->A, &f->newton);
    lil_fallback_create(model, linear, &f->fallback);
    return lil_newton_create_iterative(ctx, arena, &blocks->A, blocks->x, LIL_LEVELS_AUTO, true, &f->newton);
}

lil_status lil_equilibrium_create(lil_context *ctx, const lil_model *model, int linear, const bool *fixed,
                                  bool is_bound, lil_equilibrium **out)
{
    finder *f = calloc(1, sizeof *f);
    LIL_HAVE(ctx, f);
    *f = (finder){ .ctx = ctx, .stays = fixed, .factor = 1, .is_bound = is_bound && model->constraint_count };
    lil_status status = create_finder(ctx, model, linear, f);
    if (status != LIL_OK)
        lil_equilibrium_destroy(&f);
    *out = f;
    return status;
}

void lil_equilibrium_destroy(lil_equilibrium **equilibrium)
{
    finder *f = *equilibrium;
    if (!f)
        return;
    lil_newton_destroy(&f->newton);
    lil_fallback_destroy(&f->fallback);
    lil_evaluator_destroy(&f->ev);
    lil_arena_free(&f->arena);
    free(f);
    *equilibrium = NULL;
}

lil_positions *lil_equilibrium_positions(lil_equilibrium *f)
{
    return &f->ev.full;
}

/* ---- the search ---- */

static double equilibrium_sum_of(const finder *f, const double *g)
{
    double sum = 0;
    if (!f->ev.model->points.count) {
        for (int k = 0; k < f->ev.n; k++)
            sum += fabs(g[k]);
        return sum;
    }
    for (int k = 0; k + 2 < f->ev.n; k += 3)
        sum += lil_norm(3, g + k);
    return sum;
}

/* F: the part of the forces that acts, and what balanced the start for the rest of them */
static void find_forces(finder *f, const double *q)
{
    memset(f->F, 0, (size_t)f->ev.n * sizeof *f->F);
    lil_evaluate_force(&f->ev, f->balance ? f->t_loads : f->t, q, f->zero, f->F);
    for (int k = 0; f->balance && k < f->ev.n; k++)
        f->F[k] = f->factor * f->F[k] + (1 - f->factor) * f->balance[k];
}

/* dW/dq - F at q, with friction, into `left`, and the sum of forces on each vertex */
static double equilibrium_forces(finder *f, const double *q, double *left)
{
    f->q = q;
    lil_evaluate_prepare(&f->ev, LIL_POTENTIAL, f->t, f->slip, q);
    if (f->is_bound)
        f->off = lil_bound_energy_update(&f->bound, f->t, q);
    evaluate(f, q, &f->W, left, NULL, NULL);
    find_forces(f, q);
    for (int k = 0; k < f->ev.n; k++)
        left[k] = stays(f, k) ? 0 : left[k] - f->F[k];
    return equilibrium_sum_of(f, left);
}

/* The scale of the residual: weight and other constant loads; without any, the forces at the start. */
static double loads(finder *f, double *scratch)
{
    memset(scratch, 0, (size_t)f->ev.n * sizeof *scratch);
    lil_evaluate_uniform(&f->ev, f->t, f->q, scratch);
    for (int k = 0; k < f->ev.n; k++)
        scratch[k] = stays(f, k) ? 0 : scratch[k] - f->F[k];
    return equilibrium_sum_of(f, scratch);
}

/* The diagonal of the bounding box of all free vertices. */
static double equilibrium_extent(const lil_evaluator *ev, const double *q)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = d; k < ev->n; k += 3) {
            low = fmin(low, q[k]);
            high = fmax(high, q[k]);
        }
        square += (high - low) * (high - low);
    }
    return sqrt(square);
}

/* The same with what is fixed, where the rest is one point; of other coordinates the largest, or 1. */
static double size_of(const finder *f, const double *q)
{
    const lil_model *model = f->ev.model;
    double size = model->points.count ? equilibrium_extent(&f->ev, q) : 0, square = 0;
    for (int k = 0; size == 0 && model->points.count && k < model->dofs.total; k++) {
        double from_first = f->x_start[k] - f->x_start[k % 3];
        square = fmax(square, from_first * from_first);
    }
    size = size > 0 ? size : sqrt(square);
    return size > 0 ? size : fmax(1, lil_largest(f->ev.n, q));
}

/* A first step that moves no vertex further than a hundredth of that size. */
static double first_step(finder *f, double size, const double *left)
{
    if (!f->measure)
        lil_mass_solve(&f->ev, left, f->at);
    for (int k = 0; f->measure && k < f->ev.n; k++)
        f->at[k] = left[k] / f->measure[k];
    double most = lil_largest(f->ev.n, f->at);
    return most > 0 ? 0.01 * size / most : 1;
}

/* The largest of the diagonal of weight_M M + weight_K K, which goes to `diagonal` unless that is NULL. */
static double find_diagonal(finder *f, const double *q, double weight_M, double weight_K, double *diagonal)
{
    const lil_pattern *p = f->pattern;
    double *H = f->newton.H, most = 0;
    lil_weights w = { .Pv = weight_M, .Qq = -weight_K, .to = f->matrix };
    memset(H, 0, (size_t)p->count * sizeof *H);
    lil_evaluate_second(&f->ev, f->t, q, f->zero, &w, H);
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] == j) {
                most = fmax(most, fabs(H[k]));
                if (diagonal)
                    diagonal[j] = fabs(H[k]);
            }
    return most;
}

/* Masses of a general Lagrangian, as far as they are positive. */
static void measure_by_mass(finder *f, const double *q)
{
    double most = find_diagonal(f, q, 1, 0, f->measure), least = most > 0 ? 1e-6 * most : 1;
    for (int k = 0; k < f->ev.n; k++)
        f->measure[k] = fmax(f->measure[k], least);
}

/* Multipliers to begin with, and rho. */
static lil_status begin_bound(finder *f, const double *q, double size)
{
    double K = find_diagonal(f, q, 0, 1, NULL), W = 0, load = 0;
    f->bound.rho = 0;
    memset(f->bound.y, 0, (size_t)f->bound.c.G.m * sizeof *f->bound.y);
    evaluate(f, q, &W, f->g, NULL, NULL);
    find_forces(f, q);
    for (int k = 0; k < f->ev.n; k++) {
        f->g[k] -= f->F[k];
        load += fabs(f->g[k]);
    }
    f->load = fmax(f->load, load);
    f->bound.rho = BOUND_STIFF * K + BOUND_LOADS * load / size;
    f->bound.rho = f->bound.rho > 0 ? f->bound.rho : 1;
    return lil_bound_energy_begin(&f->bound, f->t, q, f->zero, f->g);
}

static lil_objective make_objective(finder *f)
{
    return (lil_objective){ .n = f->ev.n,
                            .pattern = f->pattern,
                            .self = f,
                            .stop = &f->ev.ctx->stop,
                            .value = equilibrium_value,
                            .hessian = equilibrium_hessian,
                            .definite = lil_evaluate_projects(&f->ev) ? definite : NULL,
                            .assemble = f->ev.blocks.values ? equilibrium_assemble : NULL,
                            .shifted = shifted,
                            .weigh = equilibrium_weigh,
                            .direct = f->fallback.allowed ? direct : NULL,
                            .direct_cost = direct_cost,
                            .longest = lil_evaluate_ends(&f->ev) ? equilibrium_longest : NULL };
}

/* What residuals are relative to. Where loads are added step by step it is never less than in the step before, nor
 * less than what handles have caused; forces of constraints that are not satisfied yet say nothing. */
static double find_load(finder *f, double sum, double *scratch)
{
    double load = loads(f, scratch);
    if (f->balance)
        return f->load = fmax(f->load, f->is_bound ? load : fmax(load, sum));
    return load > 0 ? load : sum;
}

static bool is_closed(const finder *f, int still)
{
    return !f->is_bound || f->off <= (still >= 3 ? LIL_CONSTRAINED_SETTLED : LIL_CONSTRAINED_ROUND_OFF);
}

static void search(finder *f, const double *start, double *q, double *left, double *u, lil_rest *rest)
{
    int n = f->ev.n, still = 0, idle = 0; /* steps in which the residual does not fall; steps without iterations */
    lil_objective objective = make_objective(f);
    double size = rest->size, best = INFINITY, most = INFINITY, stride = 0;
    bool rounded = false;
    f->slip = SLIP * size;
    double sum = equilibrium_forces(f, q, left), load = isfinite(sum) ? find_load(f, sum, u) : 1;
    f->h2 = first_step(f, size, left);
    double least = 1e-12 * f->h2;
    for (int k = 0; k < STEPS_MAX && rest->iterations < ITERATIONS_MAX && idle < IDLE_MAX && f->h2 > least &&
                    !lil_stopped(objective.stop);
         k++) {
        rest->residual = load > 0 ? sum / load : 0;
        still = rest->residual < 0.5 * best ? 0 : still + 1;
        best = fmin(best, rest->residual);
        rest->found = rest->residual <= WANTED || (still >= 3 && rest->residual <= (rounded ? ROUGHLY : ENOUGH));
        rest->found = rest->found && is_closed(f, still);
        if (f->balance && rounded && idle >= 3 &&
            is_closed(f, still)) { /* the forces that are left are round-off alone */
            rest->found = true;
            rest->residual = fmin(rest->residual, DBL_EPSILON);
        }
        if (rest->found || !isfinite(rest->residual) || rest->moved > FAR * size)
            return;
        lil_solve sv = { .tolerance = 1e-3, .iterations_max = ITERATIONS_STEP };
        memset(u, 0, (size_t)n * sizeof *u);
        if (f->has_friction)
            lil_transient(&f->newton, &objective, &sv, 0, u);
        else
            lil_minimise(&f->newton, &objective, &sv, u);
        rest->iterations += sv.iterations;
        idle = sv.iterations ? 0 : idle + 1;
        rounded = sv.gradient <= ROUND_OFF * f->noise;
        double length = lil_largest(n, u), limit = fmax(STRIDE * size, 2 * stride);
        if (length > limit) { /* again, shorter */
            most = f->h2 *= fmax(SHRINK, limit / length / 2);
            continue;
        }
        stride = length;
        for (int i = 0; i < n; i++) {
            q[i] += stays(f, i) ? 0 : u[i];
            rest->moved = fmax(rest->moved, fabs(q[i] - start[i]));
        }
        most = sv.converged ? 2 * most : f->h2 / 2; /* after a failure, h grows slowly */
        f->h2 = sv.converged ? fmin(GROW * f->h2, most) : SHRINK * f->h2;
        sum = equilibrium_forces(f, q, left);
    }
}

/* ---- the calls ---- */

lil_status lil_equilibrium_begin(lil_equilibrium *f, double t, const double *q)
{
    double W = 0;
    f->t = t;
    memcpy(f->x_start, lil_positions_of(&f->ev.full, t, q), (size_t)f->ev.model->dofs.total * sizeof *q);
    if (f->measure)
        measure_by_mass(f, q);
    if (!f->balance)
        LIL_ALLOC(f->ctx, &f->arena, f->balance, f->ev.n);
    lil_evaluate_prepare(&f->ev, LIL_POTENTIAL, t, SLIP * size_of(f, q), q);
    bool is_bound = f->is_bound;
    f->is_bound = false;
    evaluate(f, q, &W, f->balance, NULL, NULL);
    f->is_bound = is_bound;
    return LIL_OK;
}

void lil_equilibrium_load(lil_equilibrium *f, double t, double t_loads, double factor)
{
    f->t = t;
    f->t_loads = t_loads;
    f->factor = factor;
}

lil_status lil_equilibrium_find(lil_equilibrium *f, double *q, double *left, lil_rest *rest)
{
    lil_arena arena = { 0 };
    int n = f->ev.n;
    double *u = LIL_NEW(&arena, double, n), *start = LIL_NEW(&arena, double, n);
    lil_status status = u && start ? LIL_OK : lil_fail_memory(f->ctx);
    *rest = (lil_rest){ .size = size_of(f, q) };
    if (status == LIL_OK && f->is_bound)
        status = begin_bound(f, q, rest->size);
    if (status == LIL_OK) {
        memcpy(start, q, (size_t)n * sizeof *q);
        search(f, start, q, left, u, rest);
    }
    lil_arena_free(&arena);
    return status;
}

lil_status lil_rest_find(lil_context *ctx, const lil_model *model, int linear, double t, const bool *fixed, double *q,
                         double *left, lil_rest *rest)
{
    finder *f = NULL;
    *rest = (lil_rest){ 0 };
    LIL_TRY(lil_equilibrium_create(ctx, model, linear, fixed, false, &f));
    f->t = t;
    memcpy(f->x_start, lil_positions_of(&f->ev.full, t, q), (size_t)model->dofs.total * sizeof *q);
    lil_status status = lil_equilibrium_find(f, q, left, rest);
    lil_equilibrium_destroy(&f);
    return status;
}
