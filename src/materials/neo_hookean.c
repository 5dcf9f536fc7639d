/*
 * The modified neo-Hookean material: shape and volume apart, so that mu and kappa are what they are at any stretch.
 *
 * Bonet & Burton, A simple average nodal pressure tetrahedral element, Comm. Num. Meth. Eng. 14 (1998).
 */
#include "materials/invariants.h"

#include <math.h>

/* P = c1 F + c2 cof F, with a = J^(-2/3): c1 = mu a, c2 = kappa (J - 1) - c1 I1 / (3 J) */
LIL_KERNEL static void stress(const lil_moduli *m, const void *config, const lil_lanes F[9], lil_lanes *w,
                              lil_lanes P[9])
{
    (void)config;
    lil_lanes G[9];
    lil_lanes_cofactor(F, G);
    lil_lanes I1 = lil_lanes_dot9(F, F), J = F[0] * G[0] + F[1] * G[1] + F[2] * G[2];
    lil_lanes y = lil_lanes_rcbrt(J), a = y * y;
    if (w) {
        lil_lanes value = m->mu / 2 * (a * I1 - 3) + m->kappa / 2 * ((J - 1) * (J - 1));
        *w = lil_lanes_select(lil_lanes_is_upright(J, I1), value, lil_lanes_all(INFINITY));
    }
    if (P) {
        lil_lanes c1 = m->mu * a, c2 = m->kappa * (J - 1) - c1 * (1. / 3) * I1 * (a * y);
        for (int i = 0; i < 9; i++)
            P[i] = c1 * F[i] + c2 * G[i];
    }
}

LIL_KERNEL static void derive(const lil_moduli *m, const void *config, int n, const lil_lanes_invariants *x,
                              lil_lanes_derivatives *d)
{
    (void)config;
    for (int i = 0; i < n; i++) {
        lil_lanes y = lil_lanes_rcbrt(x[i].J), a = m->mu * y * y, J1 = y * y * y;
        d[i] = (lil_lanes_derivatives){ .w1 = a / 2,
                                        .wJ = m->kappa * (x[i].J - 1) - a * x[i].I1 * J1 * (1. / 3),
                                        .w1J = -a * J1 * (1. / 3),
                                        .wJJ = m->kappa + 5. / 9 * a * x[i].I1 * J1 * J1 };
    }
}

const lil_material_table lil_neo_hookean = {
    .name = "neo-hookean",
    .doc = "Rubber and the like at any stretch; turning a tetrahedron inside out would take infinite energy.",
    .formula = "w = mu/2 (J^(-2/3) tr C - 3) + kappa/2 (J - 1)^2",
    .citation = "Bonet & Burton, A simple average nodal pressure tetrahedral element, Comm. Num. Meth. Eng. 1998",
    .holds = LIL_MATERIAL_OBJECTIVE,
    .stress = stress,
    .derive = derive,
};
