/*
 * St. Venant-Kirchhoff: linear in Green's strain E = (C - I)/2. Exact for small strains and large rotations; under
 * strong compression it gives way (along an axis below a stretch of 1/sqrt 3) and may turn inside out.
 */
#include "materials/invariants.h"

#include <string.h>

/* P = F S, S = 2 mu E + lambda tr E I */
LIL_KERNEL static void stress(const lil_moduli *m, const void *config, int count, const lil_lanes *F,
                              const lil_lanes *J, lil_lanes *w, lil_lanes *P)
{
    double lambda = m->kappa - 2. / 3 * m->mu;
    (void)config, (void)J;
    for (int e = 0; e < count; e++, F += 9) {
        lil_lanes E[9];
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                E[3 * i + j] = E[3 * j + i] =
                    (F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j] - (i == j)) / 2;
        lil_lanes tr = E[0] + E[4] + E[8];
        if (w)
            w[e] = m->mu * lil_lanes_dot9(E, E) + lambda / 2 * (tr * tr);
        for (int i = 0; i < 9 && P; i++) {
            int r = i / 3 * 3, c = i % 3;
            P[9 * e + i] = 2 * m->mu * (F[r] * E[c] + F[r + 1] * E[3 + c] + F[r + 2] * E[6 + c]) + lambda * tr * F[i];
        }
    }
}

/* E:E = (I1^2 - 2 I2 - 2 I1 + 3)/4, tr E = (I1 - 3)/2 */
LIL_KERNEL static void derive(const lil_moduli *m, const void *config, int n, const lil_lanes_invariants *x,
                              lil_lanes_derivatives *d)
{
    double lambda = m->kappa - 2. / 3 * m->mu;
    (void)config;
    for (int i = 0; i < n; i++)
        d[i] = (lil_lanes_derivatives){ .w1 = m->mu / 2 * (x[i].I1 - 1) + lambda / 4 * (x[i].I1 - 3),
                                        .w2 = lil_lanes_all(-m->mu / 2),
                                        .w11 = lil_lanes_all(m->mu / 2 + lambda / 4) };
}

/* w is quadratic in C: its derivatives, halfway */
LIL_KERNEL static void difference(const lil_moduli *m, const void *config, int n, const lil_lanes_invariants *x0,
                                  const lil_lanes_invariants *x1, bool second, lil_lanes_difference *d)
{
    double lambda = m->kappa - 2. / 3 * m->mu;
    (void)config;
    for (int i = 0; i < n; i++) {
        lil_lanes I1 = (x0[i].I1 + x1[i].I1) / 2;
        d[i].v1 = m->mu / 2 * (I1 - 1) + lambda / 4 * (I1 - 3);
        d[i].v2 = lil_lanes_all(-m->mu / 2);
        d[i].vJ = lil_lanes_all(0);
        if (!second)
            continue;
        memset(d[i].dv, 0, sizeof d[i].dv);
        d[i].dv[0][0] = lil_lanes_all(m->mu / 4 + lambda / 8);
    }
}

const lil_material_table lil_st_venant_kirchhoff = {
    .name = "st-venant-kirchhoff",
    .doc = "Small strains with large rotations; collapses under strong compression.",
    .formula = "w = mu E:E + lambda/2 tr^2 E,  E = (C - I)/2",
    .citation = "Bonet & Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 6.4",
    .holds = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC | LIL_MATERIAL_INVERTS | LIL_MATERIAL_MIRRORED,
    .stress = stress,
    .derive = derive,
    .difference = difference,
    .uses = LIL_USES_I2,
};
