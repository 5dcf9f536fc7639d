#include "discrete/discrete_gradient.h"

#include "discrete/ladder.h"
#include "discrete/torque.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Among the words: |r| at the first step's guess; whether there was a step; h (0: there is none), t, q0 and q1 of
 * the matrix; v of the latest step; and its multipliers N. */
enum { REFERENCE, BEGUN, MATRIX, TIME, PLACES };

int lil_discrete_gradient_words(const lil_model *model)
{
    int rows = 0;
    for (int i = 0; i < model->constraint_count; i++)
        rows += model->constraints[i].count * model->constraints[i].table->rows;
    return PLACES + 3 * model->n + rows;
}

static double *latest_v(const lil_discrete_gradient *d)
{
    return d->words + PLACES + 2 * d->ev->n;
}

static double *latest_forces(const lil_discrete_gradient *d)
{
    return d->words + PLACES + 3 * d->ev->n;
}

lil_status lil_discrete_gradient_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev,
                                        const lil_solver_def *solver, lil_tally *tally, double *words,
                                        lil_constrained *constrained, lil_discrete_gradient_at at,
                                        lil_discrete_gradient *d)
{
    const lil_model *model = ev->model;
    *d = (lil_discrete_gradient){
        .ev = ev, .solver = *solver, .tally = tally, .words = words, .constrained = constrained
    };
    d->own = !lil_model_without_gradient(model);
    d->at = at;
    d->share = at == LIL_AT_END ? 1 : 0.5;
    d->turns = at == LIL_HALFWAY && model->points.angular && !constrained;
    LIL_ALLOC_ALL(ctx, arena, double, ev->n, &d->v, &d->q1, &d->node, &d->G, &d->F, &d->Mv, &d->latest, &d->guess);
    LIL_ALLOC(ctx, arena, d->made, lil_discrete_gradient_words(model));
    LIL_ALLOC(ctx, arena, d->x0, model->dofs.total);
    LIL_ALLOC(ctx, arena, d->kept_x0, model->dofs.total);
    LIL_TRY(lil_step_path_create(ctx, arena, ev, &d->way));
    if (constrained)
        return LIL_OK;
    if (ev->blocks.values)
        LIL_TRY(lil_rotate_create(ctx, arena, &ev->blocks.A, model->mass.diagonal, &d->rotate));
    return ev->blocks.values ? lil_newton_create_general(ctx, arena, &ev->blocks.A, &d->newton)
                             : lil_newton_create(ctx, arena, &ev->matrix.pattern, false, &d->newton);
}

void lil_discrete_gradient_destroy(lil_discrete_gradient *d)
{
    lil_newton_destroy(&d->newton);
}

/* ---- G ---- */

static double discrete_gradient_middle(const lil_discrete_gradient *d)
{
    return d->t + d->h / 2;
}

/* Where forces act: at the end of the step, or in its middle. */
static double node_time(const lil_discrete_gradient *d)
{
    return d->t + d->share * d->h;
}

static const double *node_of(lil_discrete_gradient *d, const double *v)
{
    for (int k = 0; k < d->ev->n; k++)
        d->node[k] = d->q[k] + d->share * d->h * v[k];
    return d->node;
}

/* All coordinates together. Where W1 - W0 - g.dq, of third order in dq, is round-off, it is omitted. */
static void set_common(lil_discrete_gradient *d)
{
    int n = d->ev->n;
    double t = discrete_gradient_middle(d);
    lil_evaluate_potential(d->ev, t, d->q1, &d->W1, NULL);
    for (int k = 0; k < n; k++)
        d->node[k] = (d->q[k] + d->q1[k]) / 2;
    lil_evaluate_potential(d->ev, t, d->node, NULL, d->G);
    for (int k = 0; k < n; k++)
        d->node[k] = d->q1[k] - d->q[k];
    lil_mass_multiply(d->ev->model, d->node, d->Mv);
    double square = lil_dot(n, d->node, d->Mv), rest = d->W1 - d->W0 - lil_dot(n, d->G, d->node);
    double noise = 2 * DBL_EPSILON * (fabs(d->W1) + fabs(d->W0));
    d->noise = 0;
    if (fabs(rest) <= noise)
        return;
    lil_add(n, rest / square, d->Mv, d->G);
    d->noise = noise / square * lil_norm(n, d->Mv) / DBL_EPSILON;
}

/* The energy is exact for W with the t of the middle of the step. The work is what W gains by its change with t
 * before and after the middle. */
static double work_of_time(lil_discrete_gradient *d)
{
    double start, end;
    if (!d->ev->model->drives)
        return 0;
    lil_evaluate_frame(d->ev, d->t, d->q, &start, NULL);
    lil_evaluate_frame(d->ev, d->t + d->h, d->q1, &end, NULL);
    return (d->W0 - start) + (end - d->W1);
}

/* G, the work of prescribed motion and G's noise, at v. */
static void discrete_gradient_set_gradient(lil_discrete_gradient *d, const double *v)
{
    int n = d->ev->n;
    if (d->latest_valid && memcmp(d->latest, v, (size_t)n * sizeof *v) == 0)
        return;
    d->size = 0;
    if (d->at != LIL_BETWEEN) {
        lil_evaluate_node(d->ev, d->at == LIL_AT_END, d->t, d->h, d->x0, d->q, v, d->node, d->q1, d->G, &d->held,
                          &d->noise);
        lil_evaluate_size(d->ev, LIL_POTENTIAL, d->t, d->q1, &(double){ 0 }, &d->size);
        lil_evaluate_exact(d->ev);
    } else if (d->own) {
        lil_evaluate_sum(d->ev, d->q, d->h, v, d->q1);
        lil_evaluate_discrete_gradient(d->ev, d->t, d->x0, d->t + d->h, d->q1, d->G, &d->held, &d->noise);
        lil_evaluate_size(d->ev, LIL_POTENTIAL, d->t, d->q1, &(double){ 0 }, &d->size);
        lil_evaluate_exact(d->ev);
    } else {
        for (int k = 0; k < n; k++)
            d->q1[k] = d->q[k] + d->h * v[k];
        set_common(d);
        lil_evaluate_size(d->ev, LIL_POTENTIAL, d->t, d->q1, &(double){ 0 }, &d->size);
    }
    d->volume = fmin(d->volume, d->ev->volume);
    memcpy(d->latest, v, (size_t)n * sizeof *v);
    d->latest_valid = true;
}

/* into d->F; false: there is none */
static bool discrete_gradient_force_at(lil_discrete_gradient *d, const double *v)
{
    return lil_model_terms(d->ev->model, LIL_FORCE) &&
           lil_evaluate_force(d->ev, node_time(d), node_of(d, v), v, d->F);
}

/* D = dS/dv of friction, or of viscous terms, into d->F; false: there is none */
static bool damping_at(lil_discrete_gradient *d, lil_place place, const double *v, double *taken, double *held)
{
    return lil_evaluate_damping(d->ev, place, discrete_gradient_middle(d), d->q, v, NULL, d->F, taken, held);
}

static void discrete_gradient_add_damping(lil_discrete_gradient *d, lil_place place, const double *v, double *r,
                                          double *size)
{
    if (!damping_at(d, place, v, NULL, NULL))
        return;
    lil_add(d->ev->n, d->share, d->F, r);
    *size += d->share * lil_norm(d->ev->n, d->F);
}

/* ---- the equations of a step as an objective ---- */

static void discrete_gradient_objective_value(void *self, const double *v, double *E, double *r, lil_noise *noise)
{
    lil_discrete_gradient *d = self;
    lil_evaluator *ev = d->ev;
    int n = ev->n;
    double size = 0, part = d->share * d->h;
    (void)E;
    discrete_gradient_set_gradient(d, v);
    lil_mass_multiply(ev->model, v, r);
    size = lil_norm(n, r) + lil_norm(n, d->p);
    for (int k = 0; k < n; k++)
        r[k] += part * d->G[k] - d->p[k];
    size += fabs(part) * (lil_norm(n, d->G) + d->size + d->noise);
    if (discrete_gradient_force_at(d, v)) {
        lil_add(n, -part, d->F, r);
        size += fabs(part) * lil_norm(n, d->F);
    }
    discrete_gradient_add_damping(d, LIL_FRICTION, v, r, &size);
    discrete_gradient_add_damping(d, LIL_STEP, v, r, &size);
    *noise = (lil_noise){ .g = 4 * DBL_EPSILON * size };
}

/* M + h^2/4 K at the node (at the end: M + h^2 K), and the second derivatives of forces and friction */
static void add_hessian(lil_discrete_gradient *d, const double *v, bool definite, double *H)
{
    double part = d->share * d->h;
    const lil_assembly *to = d->constrained ? &d->constrained->matrix : &d->ev->matrix;
    const lil_weights w = { .Pv = 1,
                            .Qq = -part * part,
                            .Fq = -part * part,
                            .Fv = -part,
                            .Rv = d->share,
                            .Sv = d->share,
                            .definite = definite,
                            .to = to };
    lil_assembly_zero(to, H);
    lil_evaluate_second(d->ev, node_time(d), node_of(d, v), v, &w, H);
    if (!d->constrained || !d->ev->model->impassable)
        return;
    for (int k = 0; k < d->ev->n; k++)
        d->node[k] = d->q[k] + d->h * v[k];
    lil_evaluate_discrete_gradient_couplings(d->ev, d->at == LIL_AT_END, d->t, d->x0, d->t + d->h, d->node,
                                             part * d->h, &d->constrained->coupled.list);
}

static void discrete_gradient_objective_hessian(void *self, const double *v, double *H)
{
    add_hessian(self, v, false, H);
}

static void discrete_gradient_objective_definite(void *self, const double *v, double *H)
{
    add_hessian(self, v, true, H);
}

/* dr/dv = M + h^2/2 dG/dq1 (at the end: h^2) in blocks, at the positions in the words, and that of friction at v;
 * everything but M times `part`. */
static bool discrete_gradient_assemble(lil_discrete_gradient *d, const double *v, double part)
{
    lil_evaluator *ev = d->ev;
    const double *words = d->words, *q0 = words + PLACES, *q1 = q0 + ev->n;
    double h = words[MATRIX], t = words[TIME], weight = part * d->share * h;
    memcpy(d->kept_x0, lil_positions_of(&ev->full, t, q0), (size_t)ev->model->dofs.total * sizeof *d->kept_x0);
    for (int k = 0; k < ev->n; k++)
        d->node[k] = q0[k] + d->share * (q1[k] - q0[k]);
    lil_block_assembly_zero(&ev->blocks);
    if (d->at == LIL_BETWEEN)
        lil_evaluate_discrete_gradient_blocks(ev, t, d->kept_x0, t + h, q1, weight * h);
    else
        lil_evaluate_node_blocks(ev, d->at == LIL_AT_END, t, d->kept_x0, d->node, t + h, q1, weight * h);
    if (lil_model_terms(ev->model, LIL_FORCE))
        lil_evaluate_force_blocks(ev, t + d->share * h, d->node, v, -weight * d->share * h, -weight);
    if (d->has_friction)
        lil_evaluate_blocks(ev, discrete_gradient_middle(d), d->q, v, &(lil_weights){ .Rv = part * d->share });
    return lil_block_assembly_finish(&ev->blocks);
}

/* Stores in the words that the matrix is that of v. */
static void set_place(lil_discrete_gradient *d, const double *v)
{
    double *words = d->words;
    int n = d->ev->n;
    words[MATRIX] = d->h;
    words[TIME] = d->t;
    memcpy(words + PLACES, d->q, (size_t)n * sizeof *words);
    for (int k = 0; k < n; k++)
        words[PLACES + n + k] = d->q[k] + d->h * v[k];
}

/* A matrix of an earlier step has the same h and other positions. With friction none is reused, because friction
 * is prepared for one step only. */
static bool discrete_gradient_objective_assemble(void *self, const double *v, lil_fresh fresh)
{
    lil_discrete_gradient *d = self;
    double *words = d->words;
    int n = d->ev->n;
    size_t bytes = (size_t)(PLACES - MATRIX + 2 * n) * sizeof *words;
    if (fresh == LIL_REUSED && (words[MATRIX] != d->h || d->has_friction))
        return false;
    if (fresh == LIL_REUSED && memcmp(words + MATRIX, d->made, bytes) == 0)
        return true;
    if (fresh != LIL_REUSED)
        set_place(d, v);
    bool good = discrete_gradient_assemble(d, v, 1);
    if (!good || d->has_friction)
        words[MATRIX] = 0;
    memcpy(d->made, words + MATRIX, bytes);
    return good;
}

/* (J + s M)/(1 + s) = M + (J - M)/(1 + s), which no later step reuses */
static bool objective_shifted(void *self, const double *v, double s)
{
    lil_discrete_gradient *d = self;
    set_place(d, v);
    bool good = discrete_gradient_assemble(d, v, 1 / (1 + s));
    d->words[MATRIX] = d->made[0] = 0;
    return good;
}

static void objective_weigh(void *self, const double *dv, double *Mdv)
{
    lil_mass_multiply(((lil_discrete_gradient *)self)->ev->model, dv, Mdv);
}

/* The longest step from v along dv that keeps the end of the step where W is defined. */
static double discrete_gradient_objective_longest(void *self, const double *v, const double *dv)
{
    lil_discrete_gradient *d = self;
    for (int k = 0; k < d->ev->n; k++) {
        d->q1[k] = d->q[k] + d->h * v[k];
        d->node[k] = d->h * dv[k];
    }
    d->latest_valid = false;
    return lil_evaluate_longest(d->ev, d->t + d->h, d->q1, d->node);
}

static void objective_bend(void *self, const double *v, double *dv)
{
    lil_discrete_gradient *d = self;
    for (int k = 0; k < d->ev->n; k++)
        d->q1[k] = d->q[k] + d->h * v[k];
    d->latest_valid = false;
    lil_rotate_bend(&d->rotate, d->q1, d->h, dv);
}

/* ---- the step ---- */

/* Modes that are too fast for the step hardly move on average, whatever their current velocity; slow modes
 * continue. The latest step's v contains both, and the mean of both is a good start for Newton's method. From the
 * current velocity, which throws the fast modes far beyond their end, the rough bar needs twice as many matrices.
 * Even the mean distorts single tets of a rough bar so much that Newton's method takes many iterations to undo it, or
 * ends in a local minimum of |r|. So only rigid motion continues as it is, and a quarter of the rest; where contact
 * looks at the path of the guess, all of it. */
static void set_guess(lil_discrete_gradient *d, const double *v_now)
{
    double share = d->words[BEGUN] != 0 ? 0.5 : 0;
    for (int k = 0; k < d->ev->n; k++)
        d->v[k] = v_now[k] + share * (latest_v(d)[k] - v_now[k]);
    if (share > 0 && d->rotate.count && d->at == LIL_BETWEEN && !d->ev->model->impassable)
        lil_rotate_calm(&d->rotate, d->q, 0.25, d->v);
}

/* (C4), from the latest step's multipliers on */
static lil_status discrete_gradient_solve_bound(lil_discrete_gradient *d, const lil_objective *objective,
                                                lil_solve *sv)
{
    lil_constrained *c = d->constrained;
    for (int i = 0; i < c->G.m; i++)
        c->lambda[i] = d->share * d->h * latest_forces(d)[i];
    lil_status status = lil_constrained_solve(c, objective, sv, d->t, d->h, d->q, d->v);
    if (status != LIL_OK) {
        d->tally->newton_iterations += sv->iterations;
        return status;
    }
    for (int i = 0; i < c->G.m; i++)
        latest_forces(d)[i] = c->lambda[i] / (d->share * d->h);
    return LIL_OK;
}

/* If the path of the guess is free of contact, Newton's method from the guess with reused matrices is cheapest.
 * Otherwise, or if that fails, the rungs of the ladder begin at the start of the step, v = 0. That is always
 * possible, and takes fewer iterations than a ballistic guess, which ends deep in the barrier. If something is
 * driven, the rungs begin at a guess that is already out of its way. */
static void solve_ladder(lil_discrete_gradient *d, const lil_objective *objective, bool free, bool driven,
                         lil_solve *sv)
{
    enum { FLIGHT = 12 }; /* iterations; free flight takes half as many */
    int most = sv->iterations_max, flight = 0, linear = 0;
    lil_noise noise;
    memcpy(d->guess, d->v, (size_t)d->ev->n * sizeof *d->v);
    if (free) {
        discrete_gradient_objective_value(d, d->v, NULL, d->newton.g, &noise);
        free = !lil_evaluate_pushes(d->ev);
    }
    if (free) {
        sv->iterations_max = most < FLIGHT ? most : FLIGHT;
        lil_root(&d->newton, objective, sv, d->v);
        sv->iterations_max = most;
        if (sv->converged)
            return;
        flight = sv->iterations;
        linear = sv->linear_iterations;
    }
    if (!driven)
        memset(d->guess, 0, (size_t)d->ev->n * sizeof *d->v);
    int rung = lil_ladder_climb(&d->newton, objective, sv, d->guess, d->v);
    d->tally->continued += rung > 0 && sv->converged;
    sv->iterations += flight;
    sv->linear_iterations += linear;
}

/* In free flight. In violent motion |r| has local minima, where a line search ends: pseudo-time passes them, from rigid
 * motion alone, where no tet is distorted. Where it needs more than half the iterations, halving is cheaper. */
static void solve_free(lil_discrete_gradient *d, const lil_objective *objective, lil_solve *sv)
{
    int most = sv->iterations_max;
    memcpy(d->guess, d->v, (size_t)d->ev->n * sizeof *d->v);
    lil_root(&d->newton, objective, sv, d->v);
    if (sv->converged || !d->ev->blocks.values)
        return;
    int iterations = sv->iterations, linear = sv->linear_iterations;
    memcpy(d->v, d->guess, (size_t)d->ev->n * sizeof *d->v);
    if (!lil_step_path_is_driven(&d->way))
        lil_rotate_calm(&d->rotate, d->q, 0, d->v);
    sv->iterations_max = (most + 1) / 2;
    lil_transient(&d->newton, objective, sv, 0, d->v);
    sv->iterations_max = most;
    sv->iterations += iterations;
    sv->linear_iterations += linear;
}

static lil_status discrete_gradient_solve(lil_discrete_gradient *d)
{
    lil_evaluator *ev = d->ev;
    lil_objective objective = { .n = ev->n,
                                .pattern = &ev->matrix.pattern,
                                .self = d,
                                .phases = ev->ctx->phases,
                                .stop = &ev->ctx->stop,
                                .value = discrete_gradient_objective_value,
                                .hessian = discrete_gradient_objective_hessian,
                                .definite = lil_evaluate_projects(ev) ? discrete_gradient_objective_definite : NULL,
                                .assemble = ev->blocks.values ? discrete_gradient_objective_assemble : NULL,
                                .shifted = objective_shifted,
                                .weigh = objective_weigh,
                                .bend = ev->model->impassable && d->rotate.count ? objective_bend : NULL,
                                .longest = lil_evaluate_ends(ev) ? discrete_gradient_objective_longest : NULL };
    lil_solve sv = { .tolerance = d->solver.tolerance,
                     .reference = 1e-3 * d->words[REFERENCE],
                     .iterations_max = d->solver.iterations };
    bool driven = lil_step_path_is_driven(&d->way), free = true;
    if (driven)
        LIL_TRY(lil_step_path_guess(&d->way, d->v));
    else
        free = lil_objective_shorten(&objective, d->Mv, d->v) == 1;
    if (d->constrained)
        LIL_TRY(discrete_gradient_solve_bound(d, &objective, &sv));
    else if (ev->model->impassable)
        solve_ladder(d, &objective, free, driven, &sv);
    else
        solve_free(d, &objective, &sv);
    if (!sv.converged && d->volume <= 0 && d->at == LIL_BETWEEN)
        return lil_fail(ev->ctx, LIL_ERR_INVERTED, "an element would invert, which energy-momentum does not allow%s",
                        driven && ev->model->impassable ? "" : ": use midpoint");
    return lil_tally_solve(ev->ctx, d->tally, &sv, d->constrained ? "the bound step" : "root", &d->words[REFERENCE]);
}

/*
 * The residual r would change the energy by h (G - F).M^-1 r, of first order. An additional share eps of G, which has
 * no net force either, corrects this:
 *
 *     p_{k+1} = p_k - h (G - F) - eps h G,   eps (G.v - h/2 G.M^-1 (G - F)) = (G - F).M^-1 r + O(r^2)
 *
 * In stiff motion G.v = (W1 - W0)/h is much smaller than the other term, and the correction about as large as r. If the
 * two cancel to 1 %, it would be some hundred times larger: then the energy is not corrected.
 */
static double share_of_residual(lil_discrete_gradient *d, const double *B)
{
    lil_evaluator *ev = d->ev;
    int n = ev->n;
    lil_mass_multiply(ev->model, d->v, d->Mv);
    for (int k = 0; k < n; k++)
        d->node[k] = d->Mv[k] - d->p[k] + d->share * d->h * B[k]; /* r */
    if (d->at != LIL_BETWEEN)
        return 0;
    lil_mass_solve(ev, B, d->q1);
    double left = lil_dot(n, d->q1, d->node), own = d->h / 2 * lil_dot(n, d->q1, d->G),
           power = lil_dot(n, d->G, d->v);
    double slope = power - own;
    return fabs(slope) > 0.01 * fabs(own) ? left / slope : 0;
}

/* D/h into B; a moving obstacle does work by friction: its share of the work is -driven */
static void take_damping(lil_discrete_gradient *d, lil_place place, double *B)
{
    double taken, held;
    if (!damping_at(d, place, d->v, &taken, &held))
        return;
    double driven = place == LIL_FRICTION ? lil_evaluate_driven(d->ev) : 0;
    lil_supports_add(d->ev->supports, place == LIL_FRICTION ? LIL_SUPPORT_FRICTION : LIL_SUPPORT_FORCE, 1);
    for (int k = 0; k < d->ev->n; k++)
        B[k] += d->F[k] / d->h;
    d->tally->work_out += taken - driven;
    d->tally->work_in += held - driven;
}

/* Of the gradient in use. */
static void book_losses(lil_discrete_gradient *d)
{
    lil_loss lost = lil_evaluate_dissipation(d->ev);
    d->tally->lost.friction += lost.friction;
    d->tally->lost.restitution += lost.restitution;
    d->tally->work_out += lost.friction + lost.restitution;
}

/* The force of constraints, 2 B'y/h (at the end: B'y/h), into G and G - F: it has no net force either. */
static void add_constraints(lil_discrete_gradient *d, double *B)
{
    lil_constrained *c = d->constrained;
    for (int i = 0; i < c->G.m; i++)
        c->dy[i] = -latest_forces(d)[i];
    lil_rows_add_transposed(&c->G, c->bar, c->dy, d->G);
    lil_rows_add_transposed(&c->G, c->bar, c->dy, B);
    lil_constrained_support(c, c->bar, c->dy, -d->h);
    if (d->ev->model->dofs.script_count)
        d->tally->work_in += lil_constraint_gradient_work(c, d->share, d->v);
}

void lil_discrete_gradient_forget(lil_discrete_gradient *d)
{
    d->words[BEGUN] = 0;
    for (int i = 0; d->constrained && i < d->constrained->G.m; i++)
        latest_forces(d)[i] = 0;
}

lil_status lil_discrete_gradient_step(lil_discrete_gradient *d, double t, double h, double *q, double *p,
                                      const double *v_now)
{
    lil_evaluator *ev = d->ev;
    int n = ev->n;
    d->t = t;
    d->h = h;
    d->q = q;
    d->p = p;
    d->latest_valid = false;
    d->volume = INFINITY;
    lil_evaluate_prepare(ev, LIL_FRICTION, t, h, q);
    lil_evaluate_carry(ev, t, d->words[BEGUN] != 0 ? latest_v(d) : v_now);
    lil_evaluate_prepare(ev, LIL_STEP, t, h, q);
    d->has_friction = lil_evaluate_has_friction(ev) || (ev->model->may_stick && ev->model->impassable);
    set_guess(d, v_now);
    if (d->own)
        memcpy(d->x0, lil_positions_of(&ev->full, t, q), (size_t)ev->model->dofs.total * sizeof *d->x0);
    else
        lil_evaluate_potential(ev, discrete_gradient_middle(d), q, &d->W0, NULL);
    lil_step_path_begin(&d->way, t, h, q);
    LIL_TRY(discrete_gradient_solve(d));
    LIL_TRY(lil_step_path_check(&d->way, d->v));
    d->latest_valid =
        d->latest_valid && !ev->model->impassable; /* the near pairs are now those of the straight path */
    d->words[BEGUN] = 1;
    memcpy(latest_v(d), d->v, (size_t)n * sizeof *d->v);
    discrete_gradient_set_gradient(d, d->v);
    d->tally->touched = d->tally->touched || lil_evaluate_pushes(ev);
    d->tally->work_in += d->own ? d->held : work_of_time(d);
    book_losses(d);
    double *B = d->latest; /* G - F + D/h */
    memcpy(B, d->G, (size_t)n * sizeof *B);
    if (discrete_gradient_force_at(d, d->v)) {
        lil_tally_work(d->tally, ev, h, node_time(d), d->node, d->v, d->F);
        lil_add(n, -1, d->F, B);
    }
    take_damping(d, LIL_FRICTION, B);
    take_damping(d, LIL_STEP, B);
    if (d->constrained)
        add_constraints(d, B);
    double eps = share_of_residual(d, B);
    lil_supports_add(ev->supports, LIL_SUPPORT_POTENTIAL, h * (1 + eps));
    for (int k = 0; k < n; k++) {
        p[k] -= h * (B[k] + eps * d->G[k]);
        q[k] += h * d->v[k];
    }
    if (d->turns)
        lil_torque_remove(n / 3, ev->model->points.mass, h, d->v, d->node, q, p);
    return LIL_OK;
}
