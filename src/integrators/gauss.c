/*
 * Gauss collocation: the s nodes of Gauss, momenta's coefficients equal to the positions'. The highest order that s
 * stages can have, 2 s; variational, symmetric, linearly stable for every step. s = 1 is the midpoint rule.
 */
#include "integrators/stepper.h"

#include <math.h>

typedef struct config {
    int stages;
} config;

static const lil_field fields[] = {
    { .name = "stages",
      .kind = LIL_INTEGER,
      .offset = offsetof(config, stages),
      .preset = 2,
      .least = 1,
      .most = LIL_STAGES_MAX,
      .unit = "",
      .doc = "number of stages; the order is twice that" },
};

static lil_claims gauss_claims(const void *data)
{
    const config *c = data;
    return (lil_claims){ .order = 2 * c->stages,
                         .holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY,
                         .stable = INFINITY };
}

static lil_status gauss_begin(lil_stepper *s)
{
    const config *c = s->config;
    double nodes[LIL_STAGES_MAX];
    lil_gauss_nodes(c->stages, nodes);
    lil_tableau tableau = lil_tableau_variational(c->stages, nodes);
    return lil_stepper_begin_stages(s, &tableau);
}

const lil_integrator lil_gauss = {
    .name = "gauss",
    .summary = "Gauss collocation with 1 to 4 stages: order 2, 4, 6, 8 for any Lagrangian, forces included.",
    .formula = "Q_i = q_k + h sum a_ij V_j,  dL/dv(Q_i, V_i) = p_k + h sum a_ij dL/dq(Q_j, V_j),  q += h sum b_j V_j",
    .citation = "Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3 and VI.6; Marsden & West 2001",
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .config_size = sizeof(config),
    .claims = gauss_claims,
    .begin = gauss_begin,
    .step = lil_stepper_step,
};
