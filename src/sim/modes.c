/* Modes of a Sim: the lowest eigenvalues of its small motion. */
#include "math/vector.h"
#include "sim/rigid_names.h"
#include "sim/sim.h"
#include "solvers/lanczos.h"

#include <lilyan/statics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4, SHIFTS = 60, MOVES = 3 };
static const double STILL = 1e-11; /* of the fastest vertex alone: such a frequency is round-off */

struct lil_modes {
    lil_arena arena;
    lil_modes_result about;
    lil_mode *list;
    const char **rigid;
    int rigid_count;
};

typedef struct search {
    lil_context *ctx;
    const lil_sim *sim;
    const lil_modes_def *def;
    lil_linearised s;
    lil_lanczos found;
    const double **apart;
    double *Mx;
    double alpha;
} search;

lil_modes_def lil_modes_def_default(void)
{
    return (lil_modes_def){ .count = 20, .tolerance = 1e-8 };
}

/* ---- A^-1 M ---- */

static bool operate(void *self, int count, const double *const *x, double *const *y)
{
    search *f = self;
    for (int k = 0; k < count; k++) {
        lil_linearised_weigh(&f->s, x[k], f->Mx);
        lil_linearised_solve(&f->s, f->Mx, y[k]);
        if (!lil_all_finite(f->s.model->n, y[k]))
            return false;
    }
    return true;
}

static void weigh(void *self, const double *x, double *Mx)
{
    lil_linearised_weigh(&((search *)self)->s, x, Mx);
}

/* ---- the search ---- */

/* Contact acts to one side: about a state in which something touches there are no modes. */
static lil_status check_contact(search *f)
{
    const lil_state *x = &f->sim->state;
    return !lil_evaluate_touches(&f->s.ev, x->t, x->q)
               ? LIL_OK
               : lil_fail(
                     f->ctx, LIL_ERR_INPUT,
                     "something touches here, and contact acts to one side only: about such a state there are no "
                     "modes");
}

/* Singular, or nearly so, K is shifted by about its smallest eigenvalue; one that is not definite by as much as makes it
 * so. */
static lil_status choose_shift(search *f)
{
    bool definite = false;
    f->alpha = 0;
    if (!f->s.rigid_count)
        LIL_TRY(lil_linearised_factor(&f->s, 0, &definite));
    if (definite)
        return LIL_OK;
    LIL_TRY(lil_linearised_guess(&f->s, f->sim->state.q, &f->alpha));
    for (int k = 0; k < SHIFTS && !definite; k++, f->alpha *= definite ? 1 : 8)
        LIL_TRY(lil_linearised_factor(&f->s, f->alpha, &definite));
    return definite ? LIL_OK
                    : lil_fail(f->ctx, LIL_ERR_NOT_FINITE,
                               "the mass or the stiffness is not positive on the motions that constraints permit");
}

static lil_status iterate(search *f, lil_arena *arena, int wanted)
{
    lil_lanczos_def def = { .n = f->s.model->n,
                            .wanted = wanted,
                            .block = wanted < BLOCK ? wanted : BLOCK,
                            .most = 6 * wanted + 120,
                            .tolerance = f->def->tolerance / 10,
                            .apart = f->apart,
                            .apart_count = f->s.rigid_count,
                            .self = f,
                            .operate = operate,
                            .weigh = weigh,
                            .stop = &f->ctx->stop };
    return lil_lanczos_solve(f->ctx, arena, &def, &f->found);
}

/* The shift may be far above the eigenvalues: they are then hard to tell apart. */
static lil_status find_modes(search *f, lil_arena *arena, int wanted)
{
    LIL_TRY(choose_shift(f));
    LIL_TRY(iterate(f, arena, wanted));
    for (int k = 0; k < MOVES && !f->found.converged && f->alpha > 0; k++) {
        bool definite;
        double before = f->alpha, least = fabs(1 / f->found.theta[0] - before);
        f->alpha = fmin(before / 30, fmax(least, before / 1e4));
        LIL_TRY(lil_linearised_factor(&f->s, f->alpha, &definite));
        if (!definite) {
            f->alpha = before;
            LIL_TRY(lil_linearised_factor(&f->s, f->alpha, &definite));
            break;
        }
        LIL_TRY(iterate(f, arena, wanted));
    }
    return LIL_OK;
}

/* ---- the result ---- */

/* |phi - (lambda + alpha) A^-1 M phi| in the norm of M: an eigenvalue is within this part of lambda + alpha. */
static lil_status measure_residual(search *f, const double *x, double theta, double *scratch, double *residual)
{
    int n = f->s.model->n;
    if (!operate(f, 1, &x, &scratch))
        return lil_fail(f->ctx, LIL_ERR_NOT_FINITE, "a mode is not finite");
    for (int i = 0; i < n; i++)
        scratch[i] = x[i] - scratch[i] / theta;
    lil_linearised_weigh(&f->s, scratch, f->Mx);
    *residual = sqrt(fmax(0, lil_dot(n, scratch, f->Mx)));
    return LIL_OK;
}

static void set_participation(const search *f, lil_mode *mode)
{
    int n = f->s.model->n;
    for (int d = 0; d < 3; d++)
        mode->participation[d] = NAN;
    if (!f->s.model->points.count)
        return;
    for (int d = 0; d < 3; d++) {
        mode->participation[d] = 0;
        for (int i = d; i < n; i += 3)
            mode->participation[d] += f->Mx[i];
    }
}

/* The largest number of a shape is positive. */
static void orient(int n, double *x)
{
    int most = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[most]))
            most = i;
    bool reverse = x[most] < 0;
    for (int i = 0; reverse && i < n; i++)
        x[i] = -x[i];
}

static lil_status fill_mode(search *f, int k, double *scratch, lil_modes *m)
{
    int n = f->s.model->n;
    double theta = f->found.theta[k], lambda = 1 / theta - f->alpha, *shape;
    lil_mode *mode = &m->list[k];
    LIL_ALLOC(f->ctx, &m->arena, shape, n);
    orient(n, f->found.x[k]);
    memcpy(shape, f->found.x[k], (size_t)n * sizeof *shape);
    *mode = (lil_mode){ .omega2 = fabs(lambda) <= STILL * f->s.fastest ? 0 : lambda, .shape = shape };
    mode->frequency = mode->omega2 >= 0 ? sqrt(mode->omega2) / (2 * 3.141592653589793) : NAN;
    LIL_TRY(measure_residual(f, shape, theta, scratch, &mode->residual));
    lil_linearised_weigh(&f->s, shape, f->Mx);
    set_participation(f, mode);
    m->about.residual_max = fmax(m->about.residual_max, mode->residual);
    for (int j = 0; j <= k; j++)
        m->about.orthogonality = fmax(m->about.orthogonality, fabs(lil_dot(n, m->list[j].shape, f->Mx) - (j == k)));
    return LIL_OK;
}

static lil_status name_parts(search *f, lil_modes *m)
{
    char text[LIL_RIGID_NAME_MAX];
    LIL_ALLOC(f->ctx, &m->arena, m->rigid, f->s.rigid_count);
    for (int k = 0; k < f->s.rigid_count;) {
        k = lil_rigid_name(&f->s, k, text);
        LIL_HAVE(f->ctx, m->rigid[m->rigid_count++] = lil_arena_copy(&m->arena, text, strlen(text)));
    }
    return LIL_OK;
}

static lil_status fill(search *f, lil_arena *arena, lil_modes *m)
{
    const lil_model *model = f->s.model;
    double *scratch;
    m->about = (lil_modes_result){ .count = f->found.count,
                                   .n = model->n,
                                   .rigid = f->s.rigid_count,
                                   .unbalanced = f->s.unbalanced,
                                   .loads = f->s.load,
                                   .mass = model->points.count ? 0 : NAN,
                                   .shift = f->alpha,
                                   .vectors = f->found.vectors };
    for (int i = 0; model->points.count && i < model->n; i += 3)
        m->about.mass += f->s.mass[i];
    LIL_ALLOC(f->ctx, arena, scratch, model->n);
    LIL_ALLOC(f->ctx, &m->arena, m->list, f->found.count);
    for (int k = 0; k < f->found.count; k++)
        LIL_TRY(fill_mode(f, k, scratch, m));
    return name_parts(f, m);
}

/* ---- the calls ---- */

static lil_status solve(search *f, lil_arena *arena, lil_modes *m)
{
    const lil_sim *sim = f->sim;
    const lil_model *model = sim->model;
    LIL_TRY(check_contact(f));
    LIL_TRY(lil_linearised_find_rigid(&f->s, sim->state.q));
    int room = model->n - f->s.rigid_count - (f->s.is_bound ? f->s.bound.c.G.m : 0);
    int wanted = f->def->count < room ? f->def->count : room > 1 ? room : 1;
    LIL_ALLOC(f->ctx, arena, f->Mx, model->n);
    LIL_ALLOC(f->ctx, arena, f->apart, f->s.rigid_count);
    for (int k = 0; k < f->s.rigid_count; k++)
        f->apart[k] = f->s.rigid[k].x;
    LIL_TRY(find_modes(f, arena, wanted));
    if (!f->found.count)
        return lil_fail(f->ctx, LIL_ERR_INPUT, "there are no modes: nothing can move but as a rigid body");
    LIL_TRY(fill(f, arena, m));
    if (f->found.converged && m->about.residual_max <= f->def->tolerance)
        return LIL_OK;
    return lil_fail(
        f->ctx, LIL_ERR_CONVERGENCE,
        "%d modes were not found to %.3g, but to %.3g, with %d vectors: ask for other numbers of them, or "
        "for a larger tolerance",
        wanted, f->def->tolerance, m->about.residual_max, f->found.vectors);
}

static lil_status check_modes_def(lil_context *ctx, const lil_modes_def *def)
{
    if (def->count < 1 || def->count > 1000)
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_sim_modes: 'def->count' is %d, not 1 to 1000", def->count);
    if (!(def->tolerance >= 1e-13 && def->tolerance <= 0.1))
        return lil_fail(ctx, LIL_ERR_ARGUMENT, "lil_sim_modes: 'def->tolerance' is %g, not 1e-13 to 0.1",
                        def->tolerance);
    return LIL_OK;
}

lil_status lil_sim_modes(lil_sim *sim, const lil_modes_def *def, lil_modes **out)
{
    LIL_NEED(NULL, sim, "sim");
    LIL_NEED(sim->ctx, out, "modes");
    *out = NULL;
    LIL_NEED(sim->ctx, def, "def");
    LIL_TRY(check_modes_def(sim->ctx, def));
    lil_arena arena = { 0 };
    search f = { .ctx = sim->ctx, .sim = sim, .def = def };
    lil_modes *m = calloc(1, sizeof *m);
    LIL_HAVE(sim->ctx, m);
    sim->ctx->stop.asked = false;
    lil_status status = lil_linearised_create(sim->ctx, sim->model, sim->state.t, sim->state.q, &f.s);
    if (status == LIL_OK)
        status = solve(&f, &arena, m);
    lil_linearised_destroy(&f.s);
    lil_arena_free(&arena);
    if (status != LIL_OK)
        lil_modes_destroy(&m);
    *out = m;
    return status;
}

void lil_modes_destroy(lil_modes **modes)
{
    if (!modes || !*modes)
        return;
    lil_arena_free(&(*modes)->arena);
    free(*modes);
    *modes = NULL;
}

lil_modes_result lil_modes_about(const lil_modes *modes)
{
    return modes->about;
}

bool lil_modes_at(const lil_modes *modes, int i, lil_mode *mode)
{
    if (i < 0 || i >= modes->about.count)
        return false;
    *mode = modes->list[i];
    return true;
}

const char *lil_modes_rigid(const lil_modes *modes, int i)
{
    return i >= 0 && i < modes->rigid_count ? modes->rigid[i] : NULL;
}
