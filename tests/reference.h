/*
 * The plain path: each material as its formula says, in one F at a time with the C library's functions, and each tet from
 * the mesh itself, one after the other. Kernels must match it. Beside each result stands the size of what it was
 * summed from: round-off is some eps of that.
 */
#ifndef LIL_TEST_REFERENCE_H
#define LIL_TEST_REFERENCE_H

#include "solids.h"
#include "terms/tets.h"

/* ---- materials ---- */

typedef struct plain_stress {
    double w, P[9], w_size, P_size;
} plain_stress;

static inline double norm9(const double A[9])
{
    return lil_norm(9, A);
}

/* P = c1 F + c2 G + c3 (the derivative of |cof F|^2 / 2) */
static inline void plain_invariants(const double F[9], double c1, double c2, double c3, plain_stress *s)
{
    double G[9], C[9], FC[9], I1 = 0;
    lil_cofactor3(F, G);
    lil_multiply3_tn(F, F, C);
    lil_multiply3(F, C, FC);
    for (int i = 0; i < 9; i++)
        I1 += F[i] * F[i];
    for (int i = 0; i < 9; i++) /* I2 = (I1^2 - tr C^2)/2, d(I2)/2 = I1 F - F C */
        s->P[i] = c1 * F[i] + c2 * G[i] + c3 * (I1 * F[i] - FC[i]);
    s->P_size = fabs(c1) * norm9(F) + fabs(c2) * norm9(G) + fabs(c3) * (I1 * norm9(F) + norm9(FC));
}

static inline plain_stress plain_neo_hookean(double mu, double kappa, double share, const double F[9])
{
    plain_stress s;
    double G[9], I1 = 0, I2 = 0, J = lil_determinant3(F), y = 1 / cbrt(J), a = y * y, b = a * a;
    double mu2 = share * mu, mu1 = mu - mu2;
    lil_cofactor3(F, G);
    for (int i = 0; i < 9; i++) {
        I1 += F[i] * F[i];
        I2 += G[i] * G[i];
    }
    s.w = mu1 / 2 * (a * I1 - 3) + mu2 / 2 * (b * I2 - 3) + kappa / 2 * (J - 1) * (J - 1);
    s.w_size = mu1 / 2 * (a * I1 + 3) + mu2 / 2 * (b * I2 + 3) + kappa / 2 * (J + 1) * (J + 1);
    plain_invariants(F, mu1 * a, kappa * (J - 1) - (mu1 * a * I1 + 2 * mu2 * b * I2) / (3 * J), mu2 * b, &s);
    s.P_size += (kappa + (mu1 * a * I1 + 2 * mu2 * b * I2) / (3 * J)) * norm9(G);
    if (!(J > 0))
        s.w = INFINITY;
    return s;
}

static inline plain_stress plain_stable_neo_hookean(double mu, double kappa, const double F[9])
{
    plain_stress s;
    double m = 4. / 3 * mu, l = kappa - 2. / 3 * mu + 5. / 6 * mu, J = lil_determinant3(F), I1 = 0;
    for (int i = 0; i < 9; i++)
        I1 += F[i] * F[i];
    s.w = m / 2 * (I1 - 3 - log((I1 + 1) / 4)) + l / 2 * (J - 1) * (J - 1) - mu * (J - 1);
    s.w_size = m / 2 * (I1 + 3 + fabs(log((I1 + 1) / 4))) + l / 2 * (J * J + 1) + mu * (fabs(J) + 1);
    plain_invariants(F, m * (1 - 1 / (I1 + 1)), l * (J - 1) - mu, 0, &s);
    s.P_size += (l * (fabs(J) + 1) + mu) * I1;
    return s;
}

/* mu e:e + lambda/2 tr^2 e with dw/de = 2 mu e + lambda tr e I, which is then S or P */
static inline plain_stress plain_quadratic(double mu, double kappa, const double e[9], double e_size)
{
    plain_stress s = { 0 };
    double lambda = kappa - 2. / 3 * mu, tr = e[0] + e[4] + e[8];
    for (int i = 0; i < 9; i++) {
        s.w += mu * e[i] * e[i];
        s.P[i] = 2 * mu * e[i] + (i % 4 == 0 ? lambda * tr : 0);
    }
    s.w += lambda / 2 * tr * tr;
    s.w_size = (mu + 3 * fabs(lambda)) * e_size * e_size;
    s.P_size = (2 * mu + 3 * fabs(lambda)) * e_size;
    return s;
}

static inline plain_stress plain_st_venant_kirchhoff(double mu, double kappa, const double F[9])
{
    double C[9], S[9], FF = norm9(F) * norm9(F);
    lil_multiply3_tn(F, F, C);
    for (int i = 0; i < 9; i++)
        C[i] = (C[i] - (i % 4 == 0)) / 2;
    plain_stress s = plain_quadratic(mu, kappa, C, (FF + 3) / 2);
    memcpy(S, s.P, sizeof S);
    lil_multiply3(F, S, s.P);
    s.P_size *= norm9(F);
    return s;
}

static inline plain_stress plain_linear(double mu, double kappa, const double F[9])
{
    double e[9];
    for (int i = 0; i < 9; i++)
        e[i] = (F[i] + F[i % 3 * 3 + i / 3]) / 2 - (i % 4 == 0);
    return plain_quadratic(mu, kappa, e, norm9(F) + 2);
}

static inline plain_stress plain_fixed_corotated(double mu, double kappa, const double F[9])
{
    plain_stress s = { 0 };
    double U[9], V[9], R[9], G[9], stretch[3], lambda = kappa - 2. / 3 * mu, J = lil_determinant3(F);
    lil_svd3(F, U, stretch, V);
    lil_multiply3_nt(U, V, R);
    lil_cofactor3(F, G);
    for (int i = 0; i < 9; i++) {
        s.w += mu * (F[i] - R[i]) * (F[i] - R[i]);
        s.P[i] = 2 * mu * (F[i] - R[i]) + lambda * (J - 1) * G[i];
    }
    s.w += lambda / 2 * (J - 1) * (J - 1);
    s.w_size = mu * (norm9(F) + 2) * (norm9(F) + 2) + lambda / 2 * (J * J + 1);
    s.P_size = 2 * mu * (norm9(F) + 2) + lambda * (fabs(J) + 1) * norm9(G);
    return s;
}

/* False: a material that has no plain path. */
static inline bool plain_material(const lil_material *m, const double F[9], plain_stress *s)
{
    const char *name = m->table->name;
    double mu = m->moduli.mu, kappa = m->moduli.kappa;
    if (strcmp(name, "neo-hookean") == 0)
        *s = plain_neo_hookean(mu, kappa, 0, F);
    else if (strcmp(name, "mooney-rivlin") == 0) /* its only option is the share */
        *s = plain_neo_hookean(mu, kappa, *(const double *)m->config, F);
    else if (strcmp(name, "stable-neo-hookean") == 0)
        *s = plain_stable_neo_hookean(mu, kappa, F);
    else if (strcmp(name, "st-venant-kirchhoff") == 0)
        *s = plain_st_venant_kirchhoff(mu, kappa, F);
    else if (strcmp(name, "linear") == 0)
        *s = plain_linear(mu, kappa, F);
    else if (strcmp(name, "fixed-corotated") == 0)
        *s = plain_fixed_corotated(mu, kappa, F);
    else
        return false;
    return true;
}

/* ---- tets ---- */

/* Sums over tets, and the sizes of what they are summed from. */
typedef struct plain_sums {
    double W, W_size, *f, *f_size; /* f: 3 numbers a vertex, f_size: one */
} plain_sums;

static inline void plain_edges(const int tet[4], const double *x, double D[9])
{
    for (int d = 0; d < 3; d++)
        for (int a = 0; a < 3; a++)
            D[3 * d + a] = x[3 * tet[a + 1] + d] - x[3 * tet[0] + d];
}

/* D^-1, and the volume */
static inline double plain_inverse(const double D[9], double B[9])
{
    double G[9], det = lil_determinant3(D);
    lil_cofactor3(D, G);
    for (int k = 0; k < 9; k++)
        B[k] = G[3 * (k % 3) + k / 3] / det;
    return fabs(det) / 6;
}

/* the forces V P B_a; `size` is that of P */
static inline void plain_add(const int tet[4], const double B[9], double V, const double P[9], double size,
                             plain_sums *sums)
{
    for (int a = 1; a < 4; a++)
        for (int d = 0; d < 3; d++) {
            const double *b = B + 3 * (a - 1);
            double f = V * (P[3 * d] * b[0] + P[3 * d + 1] * b[1] + P[3 * d + 2] * b[2]);
            sums->f[3 * tet[a] + d] += f;
            sums->f[3 * tet[0] + d] -= f;
            sums->f_size[tet[a]] += V * size * lil_norm(3, b);
            sums->f_size[tet[0]] += V * size * lil_norm(3, b);
        }
}

/* W = weight V w(F) with F = D B, and its forces; products of D and B may cancel in F */
static inline bool plain_element(const lil_material *m, const int tet[4], const double D[9], const double B[9],
                                 double V, double weight, plain_sums *sums)
{
    double F[9], loss = fmax(1, norm9(D) * norm9(B));
    plain_stress s;
    lil_multiply3(D, B, F);
    if (!plain_material(m, F, &s))
        return false;
    sums->W += weight * V * s.w;
    sums->W_size += weight * V * s.w_size * loss;
    plain_add(tet, B, weight * V, s.P, s.P_size * loss, sums);
    return true;
}

#endif
