/*
 * Lobatto IIIA-IIIB: the s nodes of Lobatto, whose ends are the ends of the step; IIIA for positions, IIIB for momenta.
 * Order 2 s - 2, variational, symmetric. s = 2 is Stormer-Verlet, and so is its limit of stability; for more stages the
 * limit is not tabled here.
 */
#include "integrators/stepper.h"

typedef struct config {
    int stages;
} config;

static const lil_field fields[] = {
    { .name = "stages",
      .kind = LIL_INTEGER,
      .offset = offsetof(config, stages),
      .preset = 3,
      .least = 2,
      .most = LIL_STAGES_MAX,
      .unit = "",
      .doc = "number of stages; the order is twice that, less 2" },
};

static lil_claims lobatto_claims(const void *data)
{
    const config *c = data;
    return (lil_claims){ .order = 2 * c->stages - 2,
                         .holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY,
                         .stable = c->stages == 2 ? 2 : 0 };
}

static lil_status lobatto_begin(lil_stepper *s)
{
    const config *c = s->config;
    double nodes[LIL_STAGES_MAX];
    lil_lobatto_nodes(c->stages, nodes);
    lil_tableau tableau = lil_tableau_variational(c->stages, nodes);
    return lil_stepper_begin_stages(s, &tableau);
}

const lil_integrator lil_lobatto = {
    .name = "lobatto",
    .summary = "Lobatto IIIA-IIIB pairs with 2 to 4 stages: order 2, 4, 6 for any Lagrangian, forces included.",
    .formula = "as gauss, with a_ij (IIIA) for positions and A_ij (IIIB) for momenta: b_i A_ij + b_j a_ji = b_i b_j",
    .citation =
        "Jay 1996; Hairer, Lubich & Wanner, Geometric Numerical Integration, IV.2 and VI.4; Marsden & West 2001",
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .config_size = sizeof(config),
    .claims = lobatto_claims,
    .begin = lobatto_begin,
    .step = lil_stepper_step,
};
