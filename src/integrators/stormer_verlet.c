/*
 * Stormer-Verlet: the trapezoidal rule, b = (1/2, 1/2), c = (0, 1). Half a kick, a drift, half a kick; the gradient
 * at the end of a step is the one at the start of the next. Explicit for constant mass.
 */
#include "integrators/stepper.h"

typedef struct config {
    int forcing;
} config;

static const lil_field fields[] = { LIL_FORCING_FIELD(config) };

static lil_claims stormer_verlet_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 2,
                         .holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY | LIL_EXPLICIT,
                         .stable = 2 };
}

lil_rule lil_stormer_verlet_rule(const void *data)
{
    const config *c = data;
    const double weights[] = { 0.5, 0.5 }, nodes[] = { 0, 1 };
    return lil_rule_variational(2, weights, nodes, c && c->forcing == LIL_FORCING_MINUS);
}

static lil_status stormer_verlet_begin(lil_stepper *s)
{
    lil_rule rule = lil_stormer_verlet_rule(s->config);
    return lil_stepper_begin_rule(s, &rule);
}

const lil_integrator lil_stormer_verlet = {
    .name = "stormer-verlet",
    .summary =
        "Half a change of momentum (kick), the change of position (drift), half a kick: explicit, second order, "
        "one force evaluation per step.",
    .formula = "M v = p_k - h/2 dW(q_k),  q_{k+1} = q_k + h v,  p_{k+1} = M v - h/2 dW(q_{k+1})",
    .citation = "Hairer, Lubich & Wanner, Geometric numerical integration illustrated by the Stormer-Verlet method, "
                "Acta Numerica 2003",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .claims = stormer_verlet_claims,
    .begin = stormer_verlet_begin,
    .step = lil_stepper_step,
};
