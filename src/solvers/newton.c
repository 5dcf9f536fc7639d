#include "solvers/newton.h"

#include "solvers/gcr.h"

#include <math.h>
#include <string.h>

static lil_status newton_create_vectors(lil_context *ctx, lil_arena *arena, lil_newton *nt)
{
    LIL_ALLOC_ALL(ctx, arena, double, nt->n, &nt->g, &nt->g_trial, &nt->d, &nt->x_trial, &nt->work);
    return LIL_OK;
}

lil_status lil_newton_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, bool symmetric,
                             lil_newton *nt)
{
    *nt = (lil_newton){ .n = pattern->n, .symmetric = symmetric };
    LIL_TRY(newton_create_vectors(ctx, arena, nt));
    LIL_ALLOC(ctx, arena, nt->H, pattern->count);
    LIL_ALLOC(ctx, arena, nt->H_shifted, pattern->count);
    return symmetric ? lil_ldl_create(ctx, arena, pattern, &nt->ldl) : lil_lu_create(ctx, arena, pattern, &nt->lu);
}

lil_status lil_newton_couple(lil_context *ctx, lil_arena *arena, lil_newton *nt)
{
    nt->room = LIL_NEW(arena, double, lil_gcr_room(nt->n) + 2 * (size_t)nt->n);
    return nt->room ? LIL_OK : lil_fail_memory(ctx);
}

lil_status lil_newton_create_iterative(lil_context *ctx, lil_arena *arena, lil_blocks *blocks, const double *x,
                                       lil_levels levels, bool minimises, lil_newton *nt)
{
    *nt = (lil_newton){ .n = 3 * blocks->n, .iterative = true };
    LIL_TRY(newton_create_vectors(ctx, arena, nt));
    return lil_krylov_create(ctx, arena, blocks, x, levels, minimises, &nt->krylov);
}

lil_status lil_newton_create_general(lil_context *ctx, lil_arena *arena, lil_blocks *blocks, lil_newton *nt)
{
    *nt = (lil_newton){ .n = 3 * blocks->n, .iterative = true };
    LIL_TRY(newton_create_vectors(ctx, arena, nt));
    return lil_krylov_create_general(ctx, arena, blocks, &nt->krylov);
}

void lil_newton_destroy(lil_newton *nt)
{
    lil_lu_destroy(&nt->lu);
}

bool lil_newton_near(const lil_solve *sv)
{
    return sv->gradient <= 1e-8 * fmax(sv->gradient_start, sv->reference);
}

/* ---- directions ---- */

/* NaN where any entry is not finite: then no shift helps */
static double largest_diagonal(const lil_pattern *p, const double *H)
{
    double largest = 0;
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (!isfinite(H[k]))
                return NAN;
            if (p->row[k] == j)
                largest = fmax(largest, fabs(H[k]));
        }
    return largest;
}

static void add_to_diagonal(const lil_pattern *p, const double *H, double shift, double *out)
{
    memcpy(out, H, (size_t)p->count * sizeof *out);
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] == j)
                out[k] += shift;
}

/* Factors H, or what the objective offers instead, or H + shift I with the first shift of a growing row that makes it
 * definite. */
static bool factor_definite(lil_newton *nt, const lil_objective *f, const double *x)
{
    const lil_pattern *pattern = f->pattern;
    lil_objective_hessian(f, false, x, nt->H);
    nt->values = nt->H;
    if (lil_ldl_factor(&nt->ldl, nt->H))
        return true;
    if (f->definite) {
        lil_objective_hessian(f, true, x, nt->H);
        if (lil_ldl_factor(&nt->ldl, nt->H))
            return true;
    }
    double scale = largest_diagonal(pattern, nt->H);
    if (!isfinite(scale))
        return false;
    for (double shift = 1e-3 * (scale > 0 ? scale : 1); isfinite(shift); shift *= 4) {
        add_to_diagonal(pattern, nt->H, shift, nt->H_shifted);
        nt->values = nt->H_shifted;
        if (lil_ldl_factor(&nt->ldl, nt->H_shifted))
            return true;
    }
    return false;
}

static bool solve_symmetric(lil_newton *nt, const lil_objective *f, const double *x)
{
    if (!factor_definite(nt, f, x))
        return false;
    lil_ldl_solve(&nt->ldl, nt->g, nt->d, nt->work);
    return true;
}

static bool solve_general(lil_newton *nt, const lil_objective *f, const double *x)
{
    lil_objective_hessian(f, false, x, nt->H);
    nt->values = nt->H;
    if (!lil_lu_factor(&nt->lu, nt->H))
        return false;
    memcpy(nt->d, nt->g, (size_t)nt->n * sizeof *nt->d);
    lil_lu_solve(&nt->lu, nt->d);
    return true;
}

/* z = B^-1 r, B what was factored */
static void newton_precondition(lil_newton *nt, const double *r, double *z)
{
    if (nt->symmetric) {
        lil_ldl_solve(&nt->ldl, r, z, nt->work);
        return;
    }
    memcpy(z, r, (size_t)nt->n * sizeof *z);
    lil_lu_solve(&nt->lu, z);
}

/* From the solution of B d = g to that of (B + R) d = g, R the couplings minus their bounds in B: of low rank, so
 * that conjugate residuals with B^-1 (gcr.h) take few iterations. Newton's method needs no more digits than these.
 * Where B + R leads uphill, B's direction stays. */
typedef struct refinement {
    lil_newton *nt;
    const lil_objective *f;
} refinement;

static void refine_direction(void *self, const double *r, double *z, double *q)
{
    const refinement *it = self;
    newton_precondition(it->nt, r, z);
    lil_sparse_multiply(it->f->pattern, it->nt->values, z, q);
    lil_couplings_add_rest(it->f->couplings, z, q);
}

static void newton_refine(lil_newton *nt, const lil_objective *f)
{
    int n = nt->n;
    double *r = nt->room, *x = r + n;
    refinement it = { nt, f };
    lil_gcr gcr = { .n = n, .room = x + n, .direction = refine_direction, .self = &it, .enough = 1e-6, .most = 400 };
    memcpy(r, nt->g, (size_t)n * sizeof *r);
    if (lil_gcr_solve(&gcr, r, x) && (!nt->symmetric || lil_dot(n, x, nt->g) > 0))
        memcpy(nt->d, x, (size_t)n * sizeof *x);
}

/*
 * Whether conjugate gradients are given up for this solve: twice they found negative curvature in a matrix that is
 * definite except for rounding to float; or they have cost as much as factoring for three directions, and either a
 * direction costs about as much by them, or there have been very many. If factored directions do not end the solve
 * soon it is not the matrix that holds it, and iterations, which cost less, have the rest: no solve costs more than a
 * few times what it does by the better of the two.
 */
static bool gives_up(lil_newton *nt, const lil_objective *f, const lil_solve *sv)
{
    enum { LOST = 2, DIRECTIONS = 3, MANY = 20, TRIES = 16 };
    bool lost = sv->iterations > 0 && nt->krylov.lost >= LOST;
    if (sv->iterations == 0)
        nt->tried = 0;
    if (!f->direct || (sv->linear_iterations < LIL_KRYLOV_PATIENCE && !lost))
        return false;
    if (nt->tried > 0)
        return nt->tried < TRIES && nt->direct;
    double cost = f->direct_cost(f->self), spent = sv->linear_iterations;
    if (lost)
        return cost < INFINITY;
    return spent >= DIRECTIONS * cost && (4 * spent >= cost * sv->iterations || sv->iterations >= MANY);
}

static bool find_direction(lil_newton *nt, const lil_objective *f, lil_solve *sv, const double *x)
{
    bool found;
    if (nt->iterative) {
        nt->direct = gives_up(nt, f, sv) && f->direct(f->self, x, nt->g, nt->d);
        nt->tried += nt->direct;
        if (!nt->direct)
            return lil_krylov_direction(&nt->krylov, f, sv, x, nt->g, nt->d);
        found = true;
    } else {
        found = (nt->symmetric ? solve_symmetric : solve_general)(nt, f, x);
    }
    if (!found)
        return false;
    if (nt->room && f->couplings->lost) /* memory ran out */
        return false;
    if (nt->room && f->couplings->count)
        newton_refine(nt, f);
    for (int i = 0; i < nt->n; i++)
        nt->d[i] = -nt->d[i];
    sv->linear_iterations++;
    return true;
}

bool lil_newton_direction(lil_newton *nt, const lil_objective *f, lil_solve *sv, const double *x)
{
    lil_phase_begin(f->phases, LIL_PHASE_LINEAR_SOLVE);
    bool found = find_direction(nt, f, sv, x);
    lil_phase_end(f->phases);
    return found;
}

bool lil_newton_shifted(lil_newton *nt, const lil_objective *f, lil_solve *sv, double s, const double *x)
{
    if (!nt->iterative)
        return false;
    lil_phase_begin(f->phases, LIL_PHASE_LINEAR_SOLVE);
    bool found = lil_krylov_shifted(&nt->krylov, f, sv, s, x, nt->g, nt->d);
    lil_phase_end(f->phases);
    return found;
}

bool lil_newton_retry(lil_newton *nt)
{
    return nt->iterative && !nt->direct && lil_krylov_retry(&nt->krylov);
}
