/*
 * Symplectic Euler: alpha = 0. A kick at q_k, then a drift with the new momentum. Explicit for constant mass.
 */
#include "integrators/stepper.h"

typedef struct config {
    int forcing;
} config;

static const lil_field fields[] = { LIL_FORCING_FIELD(config) };

static lil_claims symplectic_euler_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 1, .holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_ENERGY | LIL_EXPLICIT, .stable = 2 };
}

static lil_status symplectic_euler_begin(lil_stepper *s)
{
    const config *c = s->config;
    const double weights[] = { 1 }, nodes[] = { 0 };
    lil_rule rule = lil_rule_variational(1, weights, nodes, c->forcing == LIL_FORCING_MINUS);
    return lil_stepper_begin_rule(s, &rule);
}

const lil_integrator lil_symplectic_euler = {
    .name = "symplectic-euler",
    .summary = "hamilton-pontryagin with alpha = 0: as cheap as explicit Euler, without its drift.",
    .formula = "p_{k+1} = p_k - h dW(q_k),  q_{k+1} = q_k + h M^-1 p_{k+1}",
    .citation = "Stern & Desbrun, Discrete Geometric Mechanics for Variational Time Integrators, SIGGRAPH 2006",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .claims = symplectic_euler_claims,
    .begin = symplectic_euler_begin,
    .step = lil_stepper_step,
};
