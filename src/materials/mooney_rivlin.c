/*
 * Mooney-Rivlin in its modified form: a part `share` of mu acts through the second invariant, which softens large
 * stretches. With I2 = (tr^2 C - tr C^2)/2, which is 3 at rest.
 *
 * share lies in [0, 1]: outside, one of the two parts is negative and w is not bounded from below. At 1 stress under
 * tension levels off: P11 -> mu.
 */
#include "core/field.h"
#include "materials/invariants.h"

#include <math.h>

typedef struct config {
    double share;
} config;

static const lil_field fields[] = {
    LIL_FIELD_REAL(config, share, 0.25, 0, 1, "", "share of mu that acts through the second invariant, mu2/mu"),
};

/* I2 = G:G with G = cof F, and dG = F x dF, so d(I2)/2 = F x G */
LIL_KERNEL static void stress(const lil_moduli *m, const void *data, int count, const lil_lanes *F,
                              const lil_lanes *J, lil_lanes *w, lil_lanes *P)
{
    const config *c = data;
    const double mu2 = c->share * m->mu, mu1 = m->mu - mu2, kappa = m->kappa;
    lil_lanes root[LIL_BATCH];
    lil_lanes_rcbrts(count, J, root);
    for (int e = 0; e < count; e++, F += 9) {
        lil_lanes y = root[e], a = y * y, b = a * a, j = J[e] - 1, G[9];
        lil_lanes_cofactor(F, G);
        lil_lanes aI1 = a * lil_lanes_dot9(F, F), bI2 = b * lil_lanes_dot9(G, G);
        if (w) {
            lil_lanes value = mu1 / 2 * (aI1 - 3) + mu2 / 2 * (bI2 - 3) + kappa / 2 * (j * j);
            w[e] = lil_lanes_select(lil_lanes_stands(J[e], aI1), value, lil_lanes_all(INFINITY));
        }
        if (P) {
            lil_lanes c1 = mu1 * a, c2 = mu2 * b, H[9];
            lil_lanes cJ = kappa * j - (mu1 / 3 * aI1 + 2 * mu2 / 3 * bI2) * (a * y);
            lil_lanes_cross(F, G, H);
            for (int i = 0; i < 9; i++)
                P[9 * e + i] = c1 * F[i] + c2 * H[i] + cJ * G[i];
        }
    }
}

LIL_KERNEL static void derive(const lil_moduli *m, const void *data, int n, const lil_lanes_invariants *x,
                              lil_lanes_derivatives *d)
{
    const config *c = data;
    double mu2 = c->share * m->mu, mu1 = m->mu - mu2;
    for (int i = 0; i < n; i++) {
        lil_lanes y = lil_lanes_rcbrt(x[i].J), y2 = y * y, J1 = y2 * y, a = mu1 * y2, b = mu2 * y2 * y2;
        lil_lanes aI = a * x[i].I1, bI = b * x[i].I2;
        d[i] = (lil_lanes_derivatives){ .w1 = a / 2,
                                        .w2 = b / 2,
                                        .wJ = m->kappa * (x[i].J - 1) - (aI + 2 * bI) * J1 * (1. / 3),
                                        .w1J = -a * J1 * (1. / 3),
                                        .w2J = -2. / 3 * b * J1,
                                        .wJJ = m->kappa + (5 * aI + 14 * bI) * J1 * J1 * (1. / 9) };
    }
}

const lil_material_table lil_mooney_rivlin = {
    .name = "mooney-rivlin",
    .doc = "Rubber that softens more with stretch than neo-hookean; mu1 + mu2 = mu, mu2 = share mu.",
    .formula = "w = mu1/2 (J^(-2/3) I1 - 3) + mu2/2 (J^(-4/3) I2 - 3) + kappa/2 (J - 1)^2",
    .citation = "Rivlin, Large elastic deformations of isotropic materials IV, Phil. Trans. Roy. Soc. A 1948; in its "
                "form with J, Holzapfel, Nonlinear Solid Mechanics, 6.5",
    .holds = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC,
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .stress = stress,
    .derive = derive,
    .uses = LIL_USES_I2,
};
