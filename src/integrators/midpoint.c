/*
 * Implicit midpoint: alpha = 1/2. The only member of the one-node family that is symmetric, of order 2 and linearly
 * stable for every step. Found by minimising the Lilyan where the mass is constant.
 *
 * Contact that cannot be passed enters by its discrete gradient (discrete/discrete_gradient.h): the barrier is so
 * steep that a force taken halfway would let bodies through, or throw them back with any energy. Then the step is the
 * root of its equations, no minimum, and constraints act as discrete/constraint_gradient.h says.
 */
#include "integrators/stepper.h"

#include <math.h>

typedef struct config {
    int forcing;
} config;

static const lil_field fields[] = { LIL_FORCING_FIELD(config) };

static lil_claims midpoint_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 2,
                         .holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY,
                         .stable = INFINITY };
}

static lil_status begin_barrier(lil_stepper *s)
{
    const config *c = s->config;
    if (s->solver.method == LIL_SOLVER_MINIMISE)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "the step is not a minimisation because of barrier contact: use the solver 'root' or 'auto'");
    if (lil_model_terms(s->model, LIL_FORCE) && c->forcing == LIL_FORCING_MINUS)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "midpoint with barrier contact needs forces at both ends of the step: use forcing 'both'");
    if (lil_model_step_bends(s->model))
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "midpoint with barrier contact cannot include damping in its steps: use damping 'exact'");
    s->withdrawn = LIL_SYMPLECTIC | LIL_ENERGY; /* while bodies touch */
    return lil_stepper_begin_gradient(s, LIL_HALFWAY);
}

lil_rule lil_midpoint_rule(const void *data)
{
    const config *c = data;
    const double weights[] = { 1 }, nodes[] = { 0.5 };
    return lil_rule_variational(1, weights, nodes, c && c->forcing == LIL_FORCING_MINUS);
}

static lil_status midpoint_begin(lil_stepper *s)
{
    if (s->model->impassable && !s->part)
        return begin_barrier(s);
    lil_rule rule = lil_midpoint_rule(s->config);
    return lil_stepper_begin_rule(s, &rule);
}

const lil_integrator lil_midpoint = {
    .name = "midpoint",
    .summary =
        "hamilton-pontryagin with alpha = 1/2: implicit, second order, stable for every step on linear systems.",
    .formula = "M v = p_k - h/2 dW(q_k + h/2 v),  q_{k+1} = q_k + h v,  p_{k+1} = p_k - h dW(q_k + h/2 v)",
    .citation = "Kharevych et al. 2006; Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .claims = midpoint_claims,
    .begin = midpoint_begin,
    .step = lil_stepper_step,
};
