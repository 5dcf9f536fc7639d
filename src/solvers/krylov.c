/*
 * Inexact Newton (Dembo, Eisenstat & Steihaug 1982): H d = -g is solved to a residual of eta |g|, where eta is what
 * the next iteration can make use of.
 *
 * From step to step of a motion the matrix changes little, and far from the solution no more than a digit of d
 * counts. So the first two iterations take the matrix of the step before, as long as |g| falls well with it, and most
 * steps make a matrix once. After that eta follows how well |g| falls (Eisenstat & Walker 1996, choice 2). Where
 * conjugate gradients find that the matrix is not definite, a fresher one takes its place, and then one that is
 * definite by construction.
 */
#include "solvers/krylov.h"

#include <math.h>
#include <string.h>

enum { KEPT_ITERATIONS = 2, ITERATIONS_MAX = 1000 };

static const double KEPT_ETA[KEPT_ITERATIONS] = { 0.1, 0.03 };
static const double ETA_LEAST = 2e-3, ETA_MOST = 0.1;
static const double KEPT_GOOD = 0.3; /* the old matrix is good as long as |g| falls to this part */
static const double GOOD = 0.1;      /* and one of this step, */
enum { FEW = 2 };                    /* or as long as so many more iterations like the latest are enough */
/*
 * For a direction with pseudo-time. s follows the defect of the linear model in |r|, and what the solve leaves of r
 * is part of that defect. The solve measures it scaled by the matrix, where the stiff rows of contacts count little;
 * in |r| they count most. With 0.1 that alone kept the defect where s grows, and Newton's method crawled: eight
 * embedded surfaces with friction took 90 iterations per contact step, with 3e-3 they take 12, and no more linear
 * iterations in all.
 */
static const double HELD_ETA = 3e-3;
/* Where the stiffness of a vertex exceeds its mass this many times, forces travel across so many elements within a
 * step that the coarser levels pay. */
static const double FAR = 1500;

lil_status lil_krylov_create(lil_context *ctx, lil_arena *arena, lil_blocks *A, const double *x, lil_levels levels,
                             bool projects, lil_krylov *k)
{
    *k = (lil_krylov){ .A = A, .levels = levels, .projects = projects };
    LIL_ALLOC(ctx, arena, k->r, 3 * (size_t)A->n);
    LIL_ALLOC(ctx, arena, k->d, 3 * (size_t)A->n);
    LIL_TRY(lil_pcg_create(ctx, arena, A, &k->cg));
    return levels == LIL_LEVELS_ONE ? LIL_OK : lil_multilevel_create(ctx, arena, A, x, &k->multilevel);
}

lil_status lil_krylov_create_general(lil_context *ctx, lil_arena *arena, lil_blocks *A, lil_krylov *k)
{
    *k = (lil_krylov){ .A = A, .levels = LIL_LEVELS_ONE };
    return lil_orthomin_create(ctx, arena, A, &k->orthomin);
}

lil_status lil_krylov_create_bound(lil_context *ctx, lil_arena *arena, lil_blocks *A, const double *x,
                                   lil_levels levels, bool projects, lil_projected *bound, lil_krylov *k)
{
    levels = lil_projected_has_levels(bound) ? levels : LIL_LEVELS_ONE;
    *k = (lil_krylov){ .A = A, .levels = levels, .projects = projects, .bound = bound };
    return levels == LIL_LEVELS_ONE ? LIL_OK : lil_multilevel_create(ctx, arena, A, x, &k->multilevel);
}

/* ---- the matrix ---- */

void lil_krylov_refresh(lil_krylov *k)
{
    k->coarse = k->levels == LIL_LEVELS_MANY || (k->levels == LIL_LEVELS_AUTO && lil_blocks_stiffness(k->A) > FAR);
    if (k->coarse)
        lil_multilevel_update(&k->multilevel);
    if (k->bound)
        lil_projected_refresh(k->bound);
}

/* The matrix at x, or one from before. The coarser levels are those of the solve's first one, or its first
 * definite one: a body turns little within a step, and they are as much work as many iterations. (Not those of an
 * earlier solve: it must not matter whether a run was resumed.) */
static bool krylov_assemble(lil_krylov *k, const lil_objective *f, const lil_solve *sv, const double *x,
                            lil_fresh fresh)
{
    k->made = fresh;
    k->age = 0;
    if (!lil_objective_assemble(f, x, fresh))
        return false;
    if (sv->iterations == 0 || (fresh == LIL_DEFINITE && k->coarse_made != LIL_DEFINITE)) {
        lil_krylov_refresh(k);
        k->coarse_made = fresh;
    }
    return true;
}

static double enough(const lil_solve *sv)
{
    return sv->tolerance * fmax(sv->gradient_start, sv->reference);
}

/* Whether the matrix is worth using again; `contraction` is what its latest direction did to |g|. */
static bool is_good(const lil_krylov *k, const lil_solve *sv, double contraction)
{
    if (k->made == LIL_REUSED)
        return sv->iterations < KEPT_ITERATIONS && contraction < KEPT_GOOD;
    return contraction < GOOD || sv->gradient * pow(contraction, FEW) < enough(sv);
}

/* The settings of the next direction. */
static lil_fresh krylov_choose(const lil_krylov *k, const lil_solve *sv, double contraction, bool *again)
{
    *again = true;
    if (sv->iterations == 0)
        return LIL_REUSED;
    if (k->refused)
        return k->projects && k->made == LIL_EXACT && k->age == 1 ? LIL_DEFINITE : LIL_EXACT;
    if (k->made == LIL_DEFINITE)
        return contraction < KEPT_GOOD ? LIL_EXACT : LIL_DEFINITE;
    *again = !is_good(k, sv, contraction);
    return *again ? LIL_EXACT : k->made;
}

/* ---- directions ---- */

static double forcing(const lil_krylov *k, const lil_solve *sv, double contraction)
{
    double walker = fmin(fmax(0.9 * contraction * contraction, ETA_LEAST), ETA_MOST);
    double eta = k->made == LIL_REUSED ? KEPT_ETA[sv->iterations] : sv->iterations == 0 ? ETA_MOST : walker;
    if (k->age > 0 && contraction > 3 * k->eta) /* the matrix holds it, not how well it was solved with */
        eta = fmax(eta, contraction / 3);
    return fmin(fmax(eta, 0.5 * enough(sv) / sv->gradient), 0.5);
}

static void krylov_solve(lil_krylov *k, const double *g, double *d, lil_pcg_ask *ask)
{
    ask->multilevel = k->coarse ? &k->multilevel : NULL;
    if (k->bound)
        lil_projected_solve(k->bound, g, d, ask);
    else if (k->orthomin.A)
        lil_orthomin_solve(&k->orthomin, g, d, ask);
    else
        lil_pcg_solve(&k->cg, g, d, ask);
}

bool lil_krylov_direction(lil_krylov *k, const lil_objective *f, lil_solve *sv, const double *x, const double *g,
                          double *d)
{
    bool again;
    const lil_fresh last = k->projects ? LIL_DEFINITE : LIL_EXACT;
    double contraction = sv->gradient / k->before;
    lil_fresh fresh = krylov_choose(k, sv, contraction, &again);
    bool there = !again || krylov_assemble(k, f, sv, x, fresh);
    k->before = sv->gradient;
    k->refused = false;
    k->lost = sv->iterations == 0 ? 0 : k->lost;
    for (;; there = krylov_assemble(k, f, sv, x,
                                    ++fresh)) { /* until conjugate gradients have nothing to complain about */
        lil_pcg_ask ask = { .eta = forcing(k, sv, contraction), .iterations_max = ITERATIONS_MAX, .stop = f->stop };
        if (f->direct && sv->linear_iterations < LIL_KRYLOV_PATIENCE)
            ask.iterations_max = LIL_KRYLOV_PATIENCE;
        if (there)
            krylov_solve(k, g, d, &ask);
        k->eta = ask.eta;
        sv->linear_iterations += ask.iterations;
        k->lost += there && ask.curvature && fresh == LIL_DEFINITE;
        if (there && (!ask.curvature || fresh == last))
            break;
        if (fresh == last)
            return false;
    }
    k->age++;
    for (int i = 0; i < f->n; i++)
        d[i] = -d[i];
    return true;
}

bool lil_krylov_shifted(lil_krylov *k, const lil_objective *f, lil_solve *sv, double s, const double *x,
                        const double *g, double *d)
{
    k->made = LIL_EXACT;
    k->age = 0;
    k->before = sv->gradient;
    k->refused = false;
    if (!lil_objective_shifted(f, x, s))
        return false;
    lil_pcg_ask ask = { .eta = fmin(fmax(HELD_ETA, 0.5 * enough(sv) / sv->gradient), 0.5),
                        .iterations_max = ITERATIONS_MAX,
                        .unscaled = true,
                        .stop = f->stop };
    krylov_solve(k, g, d, &ask);
    sv->linear_iterations += ask.iterations;
    for (int i = 0; i < f->n; i++)
        d[i] /= -(1 + s);
    return true;
}

bool lil_krylov_retry(lil_krylov *k)
{
    k->refused = k->projects ? k->made != LIL_DEFINITE : k->age > 1 || k->made == LIL_REUSED;
    return k->refused;
}

/* ---- in double precision ---- */

bool lil_krylov_solve(lil_krylov *k, lil_residual_fn *residual, void *self, double tolerance, int most, bool on,
                      double *x, int *iterations)
{
    enum { REFINEMENTS_MAX = 20 };
    int n = 3 * k->A->n;
    if (!on)
        memset(x, 0, (size_t)n * sizeof *x);
    residual(self, x, k->r);
    double now = lil_norm(n, k->r), size = k->size = on ? k->size : now;
    for (int i = 0; i < REFINEMENTS_MAX && now > tolerance * size && *iterations < most; i++) {
        int left = most - *iterations;
        lil_pcg_ask ask = { .eta = fmax(ETA_LEAST, 0.5 * tolerance * size / now),
                            .iterations_max = left < ITERATIONS_MAX ? left : ITERATIONS_MAX };
        krylov_solve(k, k->r, k->d, &ask);
        *iterations += ask.iterations;
        lil_add(n, 1, k->d, x);
        residual(self, x, k->r);
        now = lil_norm(n, k->r);
    }
    return now <= tolerance * size; /* also false where it is not finite */
}
