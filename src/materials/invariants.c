#include "materials/invariants.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

static double invariants_square(const double A[9])
{
    double sum = 0;
    for (int i = 0; i < 9; i++)
        sum += A[i] * A[i];
    return sum;
}

lil_invariants lil_invariants_of(const double F[9])
{
    double G[9];
    lil_cofactor3(F, G);
    return (lil_invariants){ invariants_square(F), invariants_square(G), F[0] * G[0] + F[1] * G[1] + F[2] * G[2] };
}

lil_invariants lil_invariants_of_stretches(const double s[3])
{
    double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
    return (lil_invariants){ x + y + z, x * y + y * z + z * x, s[0] * s[1] * s[2] };
}

lil_invariant_derivatives lil_material_derive(const lil_material *material, lil_invariants x)
{
    lil_lanes_invariants all = { lil_lanes_all(x.I1), lil_lanes_all(x.I2), lil_lanes_all(x.J) };
    lil_lanes_derivatives d;
    material->table->derive(&material->moduli, material->config, 1, &all, &d);
    return (lil_invariant_derivatives){ d.w1[0],  d.w2[0],  d.wJ[0],  d.w11[0], d.w12[0],
                                        d.w22[0], d.w1J[0], d.w2J[0], d.wJJ[0], d.wT[0] };
}

/* A += c d(cof F)/dF: the entry (i j, k l) is the element of F in the row that is neither i nor k and the column
 * that is neither j nor l, with the sign of the two permutations; nothing where i = k or j = l. */
static void add_cofactor(double c, const double F[9], double A[81])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = (i + 1) % 3, l = (i + 2) % 3, m = (j + 1) % 3, n = (j + 2) % 3;
            double f = c * F[3 * i + j];
            A[9 * (3 * k + m) + 3 * l + n] += f;
            A[9 * (3 * l + n) + 3 * k + m] += f;
            A[9 * (3 * k + n) + 3 * l + m] -= f;
            A[9 * (3 * l + m) + 3 * k + n] -= f;
        }
}

/* A += c d2(I2)/dF2, I2 = (I1^2 - |F'F|^2)/2 */
static void add_second(double c, double I1, const double F[9], double A[81])
{
    double B[9], C[9];
    lil_multiply3_nt(F, F, B);
    lil_multiply3_tn(F, F, C);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    double d = 2 * F[3 * i + j] * F[3 * k + l] - F[3 * i + l] * F[3 * k + j];
                    d += (i == k && j == l ? I1 : 0) - (i == k ? C[3 * j + l] : 0) - (j == l ? B[3 * i + k] : 0);
                    A[9 * (3 * i + j) + 3 * k + l] += 2 * c * d;
                }
}

/* dI2/dF = 2 (I1 F - F F'F), and 0 without w2: most materials have none */
static void second_gradient(const lil_invariant_derivatives *d, double I1, const double F[9], double g[9])
{
    double C[9];
    memset(g, 0, 9 * sizeof *g);
    if (d->w12 == 0 && d->w22 == 0 && d->w2J == 0)
        return;
    lil_multiply3_tn(F, F, C);
    lil_multiply3(F, C, g);
    for (int i = 0; i < 9; i++)
        g[i] = 2 * (I1 * F[i] - g[i]);
}

void lil_invariants_tangent(const double F[9], const lil_invariant_derivatives *d, double A[81])
{
    double I1 = invariants_square(F), g2[9], gJ[9], h1[9], h2[9], hJ[9];
    lil_cofactor3(F, gJ);
    second_gradient(d, I1, F, g2);
    for (int i = 0; i < 9; i++) {
        h1[i] = 2 * (d->w11 * 2 * F[i] + d->w12 * g2[i] + d->w1J * gJ[i]);
        h2[i] = d->w12 * 2 * F[i] + d->w22 * g2[i] + d->w2J * gJ[i];
        hJ[i] = d->w1J * 2 * F[i] + d->w2J * g2[i] + d->wJJ * gJ[i];
    }
    for (int i = 0; i < 9; i++) {
        for (int j = i; j < 9; j++)
            A[9 * i + j] = A[9 * j + i] = F[i] * h1[j] + g2[i] * h2[j] + gJ[i] * hJ[j];
        A[10 * i] += 2 * d->w1;
    }
    add_cofactor(d->wJ, F, A);
    if (d->w2 != 0)
        add_second(d->w2, I1, F, A);
}

void lil_invariants_principal(const double s[3], const lil_invariant_derivatives *d, lil_principal *p)
{
    double g1[3], g2[3], gJ[3], others[3];
    for (int k = 0; k < 3; k++) {
        double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
        g1[k] = 2 * s[k];
        others[k] = a * a + b * b;
        g2[k] = 2 * s[k] * others[k];
        gJ[k] = a * b;
        /* with (x, y) = (a, b): the quotients of (dI/dx -+ dI/dy) and (x -+ y) */
        p->flip[k] = 2 * d->w1 + 2 * d->w2 * (s[k] * s[k] - a * b) - d->wJ * s[k];
        p->twist[k] = 2 * d->w1 + 2 * d->w2 * (s[k] * s[k] + a * b) + d->wJ * s[k];
        if (d->wT != 0) /* where the sum is 0 there is no derivative: it is steep */
            p->twist[k] += 2 * d->wT / fmax(a + b, 1e-12);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double first =
                i == j ? 2 * d->w1 + 2 * d->w2 * others[i] : 4 * d->w2 * s[i] * s[j] + d->wJ * s[3 - i - j];
            p->block[3 * i + j] = first + g1[i] * (d->w11 * g1[j] + d->w12 * g2[j] + d->w1J * gJ[j]) +
                                  g2[i] * (d->w12 * g1[j] + d->w22 * g2[j] + d->w2J * gJ[j]) +
                                  gJ[i] * (d->w1J * g1[j] + d->w2J * g2[j] + d->wJJ * gJ[j]);
        }
}
