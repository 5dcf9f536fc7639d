/*
 * Fixed corotated: the distance of F from its nearest rotation R, and the volume. R is that of F = U S V' with the
 * sign of det F in the least stretch, R = U V': defined for every F, and smooth but where two stretches sum to 0
 * (inside out).
 *
 * Stomakhin et al., Energetically consistent invertible elasticity, SCA 2012.
 */
#include "materials/invariants.h"

#include "math/matrix3.h"
#include "math/svd3.h"

#include <math.h>

static double lambda_of(const lil_moduli *m)
{
    return m->kappa - 2. / 3 * m->mu;
}

static lil_status fixed_corotated_check(lil_context *ctx, const lil_moduli *m, const void *config)
{
    (void)config;
    if (lambda_of(m) < -1e-12 * m->kappa) /* Poisson's ratio 0 gives 0 but for round-off */
        return lil_fail(
            ctx, LIL_ERR_INPUT,
            "fixed-corotated needs a Poisson's ratio of at least 0, not %.4g: else its energy falls without "
            "bound as volume grows",
            (3 * m->kappa - 2 * m->mu) / (6 * m->kappa + 2 * m->mu));
    return LIL_OK;
}

/* w and P of one */
static double stress_of(const lil_moduli *m, const double F[9], double P[9])
{
    double U[9], V[9], R[9], G[9], s[3], lambda = lambda_of(m), shape = 0;
    lil_svd3(F, U, s, V);
    lil_multiply3_nt(U, V, R);
    lil_cofactor3(F, G);
    double j = F[0] * G[0] + F[1] * G[1] + F[2] * G[2] - 1;
    for (int i = 0; i < 9; i++) {
        P[i] = 2 * m->mu * (F[i] - R[i]) + lambda * j * G[i];
        shape += (F[i] - R[i]) * (F[i] - R[i]);
    }
    return m->mu * shape + lambda / 2 * j * j;
}

static void fixed_corotated_stress(const lil_moduli *m, const void *config, int count, const lil_lanes *F,
                                   const lil_lanes *J, lil_lanes *w, lil_lanes *P)
{
    (void)config, (void)J;
    for (int e = 0; e < LIL_LANES * count; e++) {
        int block = e / LIL_LANES, lane = e % LIL_LANES;
        double one[9], p[9];
        for (int i = 0; i < 9; i++)
            one[i] = F[9 * block + i][lane];
        double value = stress_of(m, one, p);
        if (w)
            w[block][lane] = value;
        for (int i = 0; i < 9 && P; i++)
            P[9 * block + i][lane] = p[i];
    }
}

/* The part with J, and 2 mu dF - 2 mu dR: R turns with the twists, dR = sum t t:dF 2/(s_i + s_j). */
static void fixed_corotated_tangent(const lil_moduli *m, const void *config, const double F[9], double A[81])
{
    (void)config;
    double U[9], V[9], s[3], lambda = lambda_of(m);
    lil_invariant_derivatives d = { .w1 = m->mu, .wJ = lambda * (lil_determinant3(F) - 1), .wJJ = lambda };
    lil_invariants_tangent(F, &d, A);
    lil_svd3(F, U, s, V);
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        double t[9]; /* the twist times sqrt 2 */
        for (int i = 0; i < 9; i++) {
            int r = i / 3 * 3, c = i % 3 * 3;
            t[i] = U[r + a] * V[c + b] - U[r + b] * V[c + a];
        }
        double f = 2 * m->mu / fmax(s[a] + s[b], 1e-12); /* where the sum is 0 there is no tangent: it is steep */
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                A[9 * i + j] -= f * (t[i] * t[j]);
    }
}

/* |F - R|^2 = I1 - 2 T + 3 */
LIL_KERNEL static void derive(const lil_moduli *m, const void *config, int n, const lil_lanes_invariants *x,
                              lil_lanes_derivatives *d)
{
    double lambda = lambda_of(m);
    (void)config;
    for (int i = 0; i < n; i++)
        d[i] = (lil_lanes_derivatives){ .w1 = lil_lanes_all(m->mu),
                                        .wJ = lambda * (x[i].J - 1),
                                        .wJJ = lil_lanes_all(lambda),
                                        .wT = lil_lanes_all(-2 * m->mu) };
}

const lil_material_table lil_fixed_corotated = {
    .name = "fixed-corotated",
    .doc =
        "Popular in animation; recovers from inversion. The stress of the term with mu is linear in the stretches. "
        "Needs a Poisson's ratio of at least 0.",
    .formula = "w = mu |F - R|^2 + lambda/2 (J - 1)^2,  R the rotation nearest to F",
    .citation = "Stomakhin et al., Energetically consistent invertible elasticity, SCA 2012",
    .holds = LIL_MATERIAL_OBJECTIVE | LIL_MATERIAL_ISOTROPIC | LIL_MATERIAL_INVERTS,
    .check = fixed_corotated_check,
    .stress = fixed_corotated_stress,
    .derive = derive,
    .uses = LIL_USES_T,
    .tangent = fixed_corotated_tangent,
};
