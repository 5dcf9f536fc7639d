/*
 * Collocation with s stages, in two tables. Both are variational and symmetric.
 *
 *     gauss      the s nodes of Gauss, momenta's coefficients equal to the positions'. The highest order that s stages can have, 2 s;
 *                linearly stable for every step. s = 1 is the midpoint rule.
 *     lobatto    the s nodes of Lobatto, whose ends are the ends of the step; IIIA for positions, IIIB for momenta. Order 2 s - 2. s = 2 is
 *                Stormer-Verlet, and so is its limit of stability; for more stages the limit is not tabled here.
 */
#include "integrators/stepper.h"

#include <math.h>

typedef struct config {
    int stages;
} config;

static lil_claims collocation_claims(int order, double stable)
{
    const unsigned holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY;
    return (lil_claims){ .order = order, .holds = holds, .stable = stable };
}

static lil_status collocation_begin(lil_stepper *s, void (*nodes_of)(int s, double *c))
{
    const config *c = s->config;
    double nodes[LIL_STAGES_MAX];
    nodes_of(c->stages, nodes);
    lil_tableau tableau = lil_tableau_variational(c->stages, nodes);
    return lil_stepper_begin_stages(s, &tableau);
}

/* ---- gauss ---- */

static const lil_field gauss_fields[] = {
    LIL_FIELD(config, LIL_INTEGER, "stages", stages, 2, 1, LIL_STAGES_MAX, "",
              "number of stages; the order is twice that"),
};

static lil_claims gauss_claims(const void *data)
{
    return collocation_claims(2 * ((const config *)data)->stages, INFINITY);
}

static lil_status gauss_begin(lil_stepper *s)
{
    return collocation_begin(s, lil_gauss_nodes);
}

const lil_integrator lil_gauss = {
    .name = "gauss",
    .summary = "Gauss collocation, for any Lagrangian and any force. With s stages, 1 to 4, the order is 2 s.",
    .formula = "Q_i = q_k + h sum a_ij V_j,  dL/dv(Q_i, V_i) = p_k + h sum a_ij dL/dq(Q_j, V_j),  q += h sum b_j V_j",
    .citation = "Hairer, Lubich & Wanner, Geometric Numerical Integration, II.1.3 and VI.6; Marsden & West 2001",
    LIL_FIELDS(gauss_fields),
    .config_size = sizeof(config),
    .claims = gauss_claims,
    .begin = gauss_begin,
    .step = lil_stepper_step,
};

/* ---- lobatto ---- */

static const lil_field lobatto_fields[] = {
    LIL_FIELD(config, LIL_INTEGER, "stages", stages, 3, 2, LIL_STAGES_MAX, "",
              "number of stages; the order is twice that, less 2"),
};

static lil_claims lobatto_claims(const void *data)
{
    int stages = ((const config *)data)->stages;
    return collocation_claims(2 * stages - 2, stages == 2 ? 2 : 0);
}

static lil_status lobatto_begin(lil_stepper *s)
{
    return collocation_begin(s, lil_lobatto_nodes);
}

const lil_integrator lil_lobatto = {
    .name = "lobatto",
    .summary =
        "Lobatto IIIA-IIIB pairs, for any Lagrangian and any force. With s stages, 2 to 4, the order is 2 s - 2.",
    .formula = "as gauss, with a_ij (IIIA) for positions and A_ij (IIIB) for momenta: b_i A_ij + b_j a_ji = b_i b_j",
    .citation =
        "Jay 1996; Hairer, Lubich & Wanner, Geometric Numerical Integration, IV.2 and VI.4; Marsden & West 2001",
    LIL_FIELDS(lobatto_fields),
    .config_size = sizeof(config),
    .claims = lobatto_claims,
    .begin = lobatto_begin,
    .step = lil_stepper_step,
};
