/*
 * Linear elasticity: w is quadratic, for comparison with textbooks and for small motions. It is not objective: a body
 * that turns by an angle is stressed as if it had grown by angle^2/2, and angular momentum is not kept.
 */
#include "materials/material.h"

#include <string.h>

LIL_KERNEL static void stress(const lil_moduli *m, const void *config, int count, const lil_lanes *F,
                              const lil_lanes *J, lil_lanes *w, lil_lanes *P)
{
    double lambda = m->kappa - 2. / 3 * m->mu;
    (void)config, (void)J;
    for (int k = 0; k < count; k++, F += 9) {
        lil_lanes e[9];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                e[3 * i + j] = (F[3 * i + j] + F[3 * j + i]) / 2 - (i == j);
        lil_lanes tr = e[0] + e[4] + e[8];
        if (w)
            w[k] = m->mu * lil_lanes_dot9(e, e) + lambda / 2 * (tr * tr);
        for (int i = 0; i < 9 && P; i++)
            P[9 * k + i] = 2 * m->mu * e[i] + (i % 4 == 0 ? lambda * tr : lil_lanes_all(0));
    }
}

/* A dF = mu (dF + dF') + lambda tr dF I */
static void linear_tangent(const lil_moduli *m, const void *config, const double F[9], double A[81])
{
    (void)config;
    (void)F;
    memset(A, 0, 81 * sizeof *A);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            A[9 * (3 * i + j) + 3 * i + j] += m->mu;
            A[9 * (3 * i + j) + 3 * j + i] += m->mu;
            A[9 * 4 * i + 4 * j] += m->kappa - 2. / 3 * m->mu;
        }
}

const lil_material_table lil_linear = {
    .name = "linear",
    .doc = "Linear elasticity for small motions. Not objective: rotations cause stress, and angular momentum is not "
           "conserved.",
    .formula = "w = mu e:e + lambda/2 tr^2 e,  e = (F + F')/2 - I",
    .citation = "Landau & Lifshitz, Theory of Elasticity, section 4",
    .holds = LIL_MATERIAL_INVERTS | LIL_MATERIAL_LINEAR,
    .stress = stress,
    .tangent = linear_tangent,
};
