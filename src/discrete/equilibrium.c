#include "discrete/equilibrium.h"

#include "discrete/direct_fallback.h"

#include <float.h>
#include <math.h>
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

typedef struct finder {
    lil_evaluator ev;
    lil_fallback fallback;
    lil_newton newton;
    double t, h2;      /* h^2 */
    double slip;       /* m: the slip of sticking contacts */
    bool has_friction; /* friction holds against the slip from the start */
    double *x_start;   /* of all coordinates */
    const bool *stays;
    const double *q; /* where the step begins, */
    double W;        /*   and W there */
    double noise;    /* of the latest gradient: a lower bound, so that the search does not stop early */
    double *u, *at, *g, *F, *zero;
} finder;

static bool stays(const finder *f, int k)
{
    return f->stays && f->stays[k];
}

/* ---- a step as an objective of u = q_{k+1} - q_k ---- */

/* 1/2 u'Mu + h^2 (W(q_k + u) - W(q_k) - F'u). With friction no such function exists, only the equations. */
static void equilibrium_value(void *self, const double *u, double *E, double *g, lil_noise *noise)
{
    finder *f = self;
    int n = f->ev.n;
    double W = 0, size = 0, own = 0;
    for (int k = 0; k < n; k++)
        f->u[k] = stays(f, k) ? 0 : u[k];
    lil_evaluate_sum(&f->ev, f->q, 1, f->u, f->at);
    if (f->has_friction)
        lil_evaluate_held(&f->ev, f->t, f->x_start, f->at, f->g);
    else
        lil_evaluate_potential(&f->ev, f->t, f->at, &W, f->g);
    lil_evaluate_size(&f->ev, LIL_POTENTIAL, f->t, f->at, &own, &size);
    lil_evaluate_exact(&f->ev);
    lil_mass_multiply(f->ev.model, f->u, g);
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
    const lil_pattern *p = &ev->matrix.pattern;
    memset(H, 0, (size_t)ev->matrix.size * sizeof *H);
    lil_weights w = { .Pv = 1, .Qq = -f->h2, .definite = definite };
    lil_evaluate_second(ev, f->t, equilibrium_place(f, u), f->zero, &w, H);
    for (int j = 0; f->stays && j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (f->stays[j] || f->stays[p->row[k]])
                H[k] = p->row[k] == j;
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
    lil_mass_multiply(((finder *)self)->ev.model, du, Mdu);
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

/* ---- the search ---- */

static lil_status equilibrium_create(lil_context *ctx, lil_arena *arena, const lil_model *model, int linear,
                                     finder *f)
{
    lil_second second = LIL_SECOND_GENERAL;
    f->has_friction = model->impassable && model->may_stick && lil_block_assembly_possible(model, lil_in_the_matrix);
    if (!f->has_friction)
        LIL_TRY(lil_evaluator_choose(ctx, model, lil_in_the_matrix, linear, &second));
    LIL_TRY(lil_evaluator_create(ctx, arena, model, second, LIL_SECOND_NONE, &f->ev));
    LIL_ALLOC_ALL(ctx, arena, double, model->n, &f->u, &f->at, &f->g, &f->F, &f->zero);
    LIL_ALLOC(ctx, arena, f->x_start, model->dofs.total);
    if (second == LIL_SECOND_ENTRIES)
        return lil_newton_create(ctx, arena, &f->ev.matrix.pattern, true, &f->newton);
    lil_block_assembly *blocks = &f->ev.blocks;
    for (int i = 0; f->stays && i < model->n / 3; i++) /* blocks of fixed vertices: nearly M alone */
        blocks->mass[i] *= f->stays[3 * i] ? HEAVY : 1;
    if (f->has_friction)
        return lil_newton_create_general(ctx, arena, &blocks->A, &f->newton);
    lil_fallback_create(model, linear, &f->fallback);
    return lil_newton_create_iterative(ctx, arena, &blocks->A, blocks->x, LIL_LEVELS_AUTO, true, &f->newton);
}

static double equilibrium_sum_of(const finder *f, const double *g)
{
    double sum = 0;
    for (int k = 0; k + 2 < f->ev.n; k += 3)
        sum += lil_norm(3, g + k);
    return sum;
}

/* dW/dq - F at q, with friction, into `left`, and the sum of forces on each vertex */
static double equilibrium_forces(finder *f, const double *q, double *left)
{
    f->q = q;
    lil_evaluate_prepare(&f->ev, LIL_POTENTIAL, f->t, f->slip, q);
    if (f->has_friction)
        lil_evaluate_held(&f->ev, f->t, f->x_start, q, left);
    else
        lil_evaluate_potential(&f->ev, f->t, q, &f->W, left);
    lil_evaluate_force(&f->ev, f->t, q, f->zero, f->F);
    for (int k = 0; k < f->ev.n; k++)
        left[k] = stays(f, k) ? 0 : left[k] - f->F[k];
    return equilibrium_sum_of(f, left);
}

/* The scale of the residual: weight and other constant loads; without any, the forces at the start. */
static double loads(finder *f, double *scratch)
{
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

/* A first step that moves no vertex further than a hundredth of that size. */
static double first_step(finder *f, double size, const double *left)
{
    lil_mass_solve(&f->ev, left, f->at);
    double most = lil_largest(f->ev.n, f->at);
    return most > 0 ? 0.01 * size / most : 1;
}

static void search(finder *f, const double *start, double *q, double *left, double *u, lil_rest *rest)
{
    int n = f->ev.n, still = 0, idle = 0; /* steps in which the residual does not fall; steps without iterations */
    lil_objective objective = { .n = n,
                                .pattern = &f->ev.matrix.pattern,
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
    double size = equilibrium_extent(&f->ev, q), best = INFINITY, most = INFINITY, stride = 0;
    bool rounded = false;
    rest->size = size;
    f->slip = SLIP * size;
    double sum = equilibrium_forces(f, q, left), load = loads(f, u);
    load = load > 0 ? load : sum;
    f->h2 = first_step(f, size, left);
    double least = 1e-12 * f->h2;
    for (int k = 0; k < STEPS_MAX && rest->iterations < ITERATIONS_MAX && idle < IDLE_MAX && f->h2 > least &&
                    !lil_stopped(objective.stop);
         k++) {
        rest->residual = load > 0 ? sum / load : 0;
        still = rest->residual < 0.5 * best ? 0 : still + 1;
        best = fmin(best, rest->residual);
        rest->found = rest->residual <= WANTED || (still >= 3 && rest->residual <= (rounded ? ROUGHLY : ENOUGH));
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

lil_status lil_rest_find(lil_context *ctx, const lil_model *model, int linear, double t, const bool *stays, double *q,
                         double *left, lil_rest *rest)
{
    lil_arena arena = { 0 };
    finder f = { .t = t, .stays = stays };
    *rest = (lil_rest){ 0 };
    lil_status status = equilibrium_create(ctx, &arena, model, linear, &f);
    double *u = LIL_NEW(&arena, double, model->n), *start = LIL_NEW(&arena, double, model->n);
    if (status == LIL_OK && (!u || !start))
        status = lil_fail_memory(ctx);
    if (status == LIL_OK) {
        memcpy(start, q, (size_t)model->n * sizeof *q);
        memcpy(f.x_start, lil_positions_of(&f.ev.full, t, q), (size_t)model->dofs.total * sizeof *q);
        search(&f, start, q, left, u, rest);
    }
    lil_newton_destroy(&f.newton);
    lil_fallback_destroy(&f.fallback);
    lil_evaluator_destroy(&f.ev);
    lil_arena_free(&arena);
    return status;
}
