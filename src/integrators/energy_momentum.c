/*
 * Energy-momentum: a discrete gradient, element by element in C = F'F, in the place of the midpoint rule's
 * (discrete/discrete_gradient.h, terms/tet_discrete_gradient.h). At any step it keeps linear momentum to round-off,
 * energy and angular momentum as well as the equations are solved; what is given up is the symplectic form. It is for
 * long undamped motions of stiff solids, where the midpoint rule gains energy until it blows up, and for ropes under
 * tension (discrete/constraint_gradient.h).
 */
#include "discrete/discrete_gradient.h"
#include "integrators/stepper.h"

#include <math.h>

static lil_claims energy_momentum_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 2,
                         .holds =
                             LIL_MOMENTA | LIL_SYMMETRIC | LIL_ENERGY | LIL_ENERGY_EXACT | LIL_CONSTANT_MASS_ONLY,
                         .stable = INFINITY };
}

static lil_status energy_momentum_begin(lil_stepper *s)
{
    LIL_TRY(lil_stepper_begin_gradient(s, LIL_BETWEEN));
    const lil_discrete_gradient *gradient = s->work;
    if (!gradient->own)
        s->withdrawn |= LIL_MOMENTA;
    return LIL_OK;
}

const lil_integrator lil_energy_momentum = {
    .name = "energy-momentum",
    .summary = "Conserves energy and momenta at any step to the accuracy of the solve; for a `lagrangian` only the "
               "energy. Implicit, second order, not symplectic. G is the discrete gradient of W.",
    .formula =
        "M v = p_k - h/2 G,  q_{k+1} = q_k + h v,  p_{k+1} = p_k - h G,  G.(q_{k+1} - q_k) = W(q_{k+1}) - W(q_k)",
    .citation =
        "Simo & Tarnow, ZAMP 1992; Gonzalez, Exact energy and momentum conserving algorithms for general models in "
        "nonlinear elasticity, CMAME 2000",
    .claims = energy_momentum_claims,
    .begin = energy_momentum_begin,
    .step = lil_stepper_step,
};
