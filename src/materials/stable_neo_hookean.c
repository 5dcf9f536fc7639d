/*
 * Stable neo-Hookean: finite for every F, also flat and inverted, with one rest state.
 *
 * Smith, de Goes & Kim, Stable Neo-Hookean Flesh Simulation, ACM Trans. Graph. 37 (2018), equation (14), with their m
 * = 4/3 mu and l = lambda + 5/6 mu (section 3.4), so that small strains have the requested moduli. Their l/2 (J -
 * alpha)^2, alpha = 1 + mu/l, is l/2 (J - 1)^2 - mu (J - 1) and a constant, which is left away with that of the
 * logarithm: w = 0 at rest, without cancellation.
 */
#include "materials/invariants.h"

/* l = kappa - 2/3 mu + 5/6 mu > 0: auxetic moduli are fine */
static double m_of(const lil_moduli *m)
{
    return 4. / 3 * m->mu;
}

static double l_of(const lil_moduli *m)
{
    return m->kappa + m->mu / 6;
}

LIL_KERNEL static void stress(const lil_moduli *moduli, const void *config, int count, const lil_lanes *F,
                              const lil_lanes *J, lil_lanes *w, lil_lanes *P)
{
    double m = m_of(moduli), l = l_of(moduli), mu = moduli->mu;
    (void)config;
    for (int e = 0; e < count; e++, F += 9) {
        lil_lanes I1 = lil_lanes_dot9(F, F), j = J[e] - 1;
        if (w)
            w[e] = m / 2 * (I1 - 3 - lil_lanes_log((I1 + 1) / 4)) + j * (l / 2 * j - mu);
        if (P) {
            lil_lanes c1 = m - m / (I1 + 1), c2 = l * j - mu, G[9];
            lil_lanes_cofactor(F, G);
            for (int i = 0; i < 9; i++)
                P[9 * e + i] = c1 * F[i] + c2 * G[i];
        }
    }
}

LIL_KERNEL static void derive(const lil_moduli *moduli, const void *config, int n, const lil_lanes_invariants *x,
                              lil_lanes_derivatives *d)
{
    double m = m_of(moduli), l = l_of(moduli);
    (void)config;
    for (int i = 0; i < n; i++) {
        lil_lanes r = 1 / (x[i].I1 + 1);
        d[i] = (lil_lanes_derivatives){
            .w1 = m / 2 * (1 - r), .w11 = m / 2 * r * r, .wJ = l * (x[i].J - 1) - moduli->mu, .wJJ = lil_lanes_all(l)
        };
    }
}

const lil_material_table lil_stable_neo_hookean = {
    .name = "stable-neo-hookean",
    .doc = "Flesh: recovers from flattened and inverted elements.",
    .formula =
        "w = m/2 (tr C - 3 - log((tr C + 1)/4)) + l/2 (J - 1)^2 - mu (J - 1),  m = 4/3 mu,  l = lambda + 5/6 mu",
    .citation = "Smith, de Goes & Kim, Stable Neo-Hookean Flesh Simulation, ACM Trans. Graph. 2018",
    .holds = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC | LIL_MATERIAL_INVERTS,
    .stress = stress,
    .derive = derive,
};
