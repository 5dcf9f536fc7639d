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
#include <string.h>

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

/* As for neo-hookean, with b = y^4 beside a = y^2: over the difference of J it is -(y0 + y1)(y0^2 + y1^2)/(y0^2 + y0
 * y1 + y1^2) (y0 y1)^3. */
LIL_KERNEL static void difference(const lil_moduli *m, const void *data, int n, const lil_lanes_invariants *x0,
                                  const lil_lanes_invariants *x1, bool second, lil_lanes_difference *d)
{
    const config *c = data;
    const double mu2 = c->share * m->mu, mu1 = m->mu - mu2, kappa = m->kappa;
    for (int i = 0; i < n; i++) {
        lil_lanes y0 = lil_lanes_rcbrt(x0[i].J), y1 = lil_lanes_rcbrt(x1[i].J);
        lil_lanes product = y0 * y1, cube = product * product * product, sum = y0 + y1;
        lil_lanes below = 1 / (sum * sum - product), fall = sum * below * cube;
        lil_lanes squares = y0 * y0 + y1 * y1, fall2 = fall * squares;
        lil_lanes I1 = mu1 / 4 * (x0[i].I1 + x1[i].I1), I2 = mu2 / 4 * (x0[i].I2 + x1[i].I2);
        d[i].v1 = mu1 / 4 * squares;
        d[i].v2 = mu2 / 4 * (y0 * y0 * y0 * y0 + y1 * y1 * y1 * y1);
        d[i].vJ = kappa / 2 * (x0[i].J - 1 + (x1[i].J - 1)) - I1 * fall - I2 * fall2;
        if (!second)
            continue;
        lil_lanes dy = -1. / 3 * (y1 * y1) * (y1 * y1); /* dy1/dJ1 */
        lil_lanes steeper = fall * (1 / sum - (y0 + 2 * y1) * below + 3 / y1) * dy;
        memset(d[i].dv, 0, sizeof d[i].dv);
        d[i].dv[0][2] = mu1 / 2 * y1 * dy;
        d[i].dv[1][2] = mu2 * y1 * y1 * y1 * dy;
        d[i].dv[2][0] = -mu1 / 4 * fall;
        d[i].dv[2][1] = -mu2 / 4 * fall2;
        d[i].dv[2][2] = kappa / 2 - I1 * steeper - I2 * (steeper * squares + fall * 2 * y1 * dy);
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
    .difference = difference,
    .uses = LIL_USES_I2,
};
