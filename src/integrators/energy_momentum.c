/*
 * Energy-momentum: a discrete gradient, element by element in C = F'F, in the place of the midpoint rule's (discrete/gradient.h,
 * terms/tet_between.h). At any step it keeps linear momentum to round-off, energy and angular momentum as well as the equations are
 * solved; what is given up is the symplectic form. It is for long undamped motions of stiff solids, where the midpoint rule gains energy until it blows up.
 */
#include "discrete/gradient.h"
#include "integrators/stepper.h"

#include <math.h>

static lil_claims claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 2,
                         .holds =
                             LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY | LIL_ENERGY_EXACT | LIL_CONSTANT_MASS_ONLY,
                         .stable = INFINITY };
}

/* Of points in space only what keeps momenta is of use, and only that books the work of handles. */
static lil_status check_terms(const lil_stepper *s)
{
    const lil_model *model = s->model;
    for (int i = 0; model->points.count && i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_POTENTIAL && !model->terms[i].table->between)
            return lil_fail(
                s->ctx, LIL_ERR_INPUT,
                "energy-momentum is for tets, springs, weight and constant loads, and here is a term '%s': "
                "use midpoint",
                model->terms[i].table->name);
    return LIL_OK;
}

/* Bodies in blocks: their matrix is not symmetric, and minimal residuals are quicker than LU at any size. Forces that vary have
 * no blocks. */
static lil_status choose(const lil_stepper *s, lil_second *second)
{
    bool blocks = lil_block_assembly_possible(s->model, lil_in_the_matrix) && !s->model->force_varies;
    if (!blocks)
        return lil_evaluator_choose(s->ctx, s->model, lil_in_the_matrix, s->solver.linear, second);
    if (s->solver.linear == LIL_LINEAR_DIRECT)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "energy-momentum solves the equations of bodies iteratively: use the linear solver 'auto'");
    *second = LIL_SECOND_GENERAL;
    return LIL_OK;
}

static lil_status begin(lil_stepper *s)
{
    lil_second second;
    lil_gradient *gradient = lil_stepper_alloc(s, sizeof *gradient);
    double *words = lil_stepper_keep(s, lil_gradient_words(s->model));
    if (!gradient || !words)
        return lil_fail_memory(s->ctx);
    LIL_TRY(check_terms(s));
    LIL_TRY(choose(s, &second));
    LIL_TRY(lil_stepper_begin_evaluator(s, second));
    s->gradient = gradient;
    LIL_TRY(lil_gradient_create(s->ctx, s->arena, s->ev, &s->solver, s->tally, words, gradient));
    if (!gradient->own)
        s->withdrawn = LIL_MOMENTA;
    return LIL_OK;
}

static lil_status step(lil_stepper *s, double h)
{
    lil_state *x = s->state;
    return lil_gradient_step(s->gradient, x->t, h, x->q, x->p, x->v);
}

const lil_integrator lil_energy_momentum = {
    .name = "energy-momentum",
    .summary = "Keeps energy and momenta at any step as well as it is solved, for solids and springs; of other "
               "potentials the energy alone. "
               "Implicit, second order, not symplectic.",
    .formula =
        "M v = p_k - h/2 G,  q_{k+1} = q_k + h v,  p_{k+1} = p_k - h G,  G.(q_{k+1} - q_k) = W(q_{k+1}) - W(q_k)",
    .citation =
        "Simo & Tarnow, ZAMP 1992; Gonzalez, Exact energy and momentum conserving algorithms for general models in "
        "nonlinear elasticity, CMAME 2000",
    .claims = claims,
    .begin = begin,
    .step = step,
};
