/*
 * The modified neo-Hookean material: shape and volume apart, so that mu and kappa are independent at any stretch.
 *
 * Bonet & Burton, A simple average nodal pressure tetrahedral element, Comm. Num. Meth. Eng. 14 (1998).
 */
#include "materials/invariants.h"

#include <math.h>
#include <string.h>

/* P = c1 F + c2 cof F, with a = J^(-2/3): c1 = mu a, c2 = kappa (J - 1) - c1 I1 / (3 J) */
LIL_KERNEL static void stress(const lil_moduli *m, const void *config, int count, const lil_lanes *F,
                              const lil_lanes *J, lil_lanes *w, lil_lanes *P)
{
    const double mu = m->mu, kappa = m->kappa;
    lil_lanes root[LIL_BATCH];
    (void)config;
    lil_lanes_rcbrts(count, J, root);
    for (int e = 0; e < count; e++, F += 9) {
        lil_lanes y = root[e], a = y * y, aI1 = a * lil_lanes_dot9(F, F), j = J[e] - 1;
        if (w) {
            lil_lanes value = mu / 2 * (aI1 - 3) + kappa / 2 * (j * j);
            w[e] = lil_lanes_select(lil_lanes_stands(J[e], aI1), value, lil_lanes_all(INFINITY));
        }
        if (P) {
            lil_lanes c1 = mu * a, c2 = kappa * j - mu / 3 * aI1 * (a * y), G[9];
            lil_lanes_cofactor(F, G);
            for (int i = 0; i < 9; i++)
                P[9 * e + i] = c1 * F[i] + c2 * G[i];
        }
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

/* With J = 1/y^3, the difference of the mean of a I1 is that of a times the mean of I1 and the reverse; of a = y^2
 * over that of J, -(y0 + y1)/(y0^2 + y0 y1 + y1^2) (y0 y1)^3. */
LIL_KERNEL static void difference(const lil_moduli *m, const void *config, int n, const lil_lanes_invariants *x0,
                                  const lil_lanes_invariants *x1, bool second, lil_lanes_difference *d)
{
    const double mu = m->mu, kappa = m->kappa;
    (void)config;
    for (int i = 0; i < n; i++) {
        lil_lanes y0 = lil_lanes_rcbrt(x0[i].J), y1 = lil_lanes_rcbrt(x1[i].J);
        lil_lanes product = y0 * y1, cube = product * product * product, sum = y0 + y1;
        lil_lanes below = 1 / (sum * sum - product), fall = sum * below * cube, I1 = x0[i].I1 + x1[i].I1;
        d[i].v1 = mu / 4 * (y0 * y0 + y1 * y1);
        d[i].v2 = lil_lanes_all(0);
        d[i].vJ = kappa / 2 * (x0[i].J - 1 + (x1[i].J - 1)) - mu / 4 * I1 * fall;
        if (!second)
            continue;
        lil_lanes dy = -1. / 3 * (y1 * y1) * (y1 * y1); /* dy1/dJ1 */
        lil_lanes steeper = fall * (1 / sum - (y0 + 2 * y1) * below + 3 / y1) * dy;
        memset(d[i].dv, 0, sizeof d[i].dv);
        d[i].dv[0][2] = mu / 2 * y1 * dy;
        d[i].dv[2][0] = -mu / 4 * fall;
        d[i].dv[2][2] = kappa / 2 - mu / 4 * I1 * steeper;
    }
}

const lil_material_table lil_neo_hookean = {
    .name = "neo-hookean",
    .doc = "Rubber-like materials at any stretch. Flattening a tetrahedron takes infinite energy, so none inverts.",
    .formula = "w = mu/2 (J^(-2/3) tr C - 3) + kappa/2 (J - 1)^2",
    .citation = "Bonet & Burton, A simple average nodal pressure tetrahedral element, Comm. Num. Meth. Eng. 1998",
    .holds = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC,
    .stress = stress,
    .derive = derive,
    .difference = difference,
};
