#include "math/quadrature.h"

#include <math.h>

/* Written as 1/2 -+ x/2 with x the roots of the Legendre polynomial P_s, so that they are symmetric to the last bit. */
void lil_gauss_nodes(int s, double *c)
{
    double inner = sqrt(3. / 7 - 2. / 7 * sqrt(6. / 5)), outer = sqrt(3. / 7 + 2. / 7 * sqrt(6. / 5));
    const double roots[LIL_STAGES_MAX][LIL_STAGES_MAX] = {
        { 0 },
        { -sqrt(1. / 3), sqrt(1. / 3) },
        { -sqrt(3. / 5), 0, sqrt(3. / 5) },
        { -outer, -inner, inner, outer },
    };
    for (int i = 0; i < s; i++)
        c[i] = (1 + roots[s - 1][i]) / 2;
}

void lil_lobatto_nodes(int s, double *c)
{
    const double roots[LIL_STAGES_MAX][LIL_STAGES_MAX] = {
        { 0 },
        { -1, 1 },
        { -1, 0, 1 },
        { -1, -sqrt(1. / 5), sqrt(1. / 5), 1 },
    };
    for (int i = 0; i < s; i++)
        c[i] = (1 + roots[s - 1][i]) / 2;
}

/* coefficients of l_j by powers of x: the product of (x - c_k) / (c_j - c_k) */
static void lagrange(int s, const double *c, int j, long double *coefficient)
{
    int degree = 0;
    coefficient[0] = 1;
    for (int k = 0; k < s; k++) {
        if (k == j)
            continue;
        long double scale = 1 / ((long double)c[j] - c[k]);
        coefficient[degree + 1] = 0;
        for (int m = degree + 1; m >= 0; m--)
            coefficient[m] = scale * ((m ? coefficient[m - 1] : 0) - c[k] * coefficient[m]);
        degree++;
    }
}

static double integral(int s, const long double *coefficient, long double to)
{
    long double sum = 0;
    for (int m = s; m-- > 0;)
        sum = (sum + coefficient[m] / (m + 1)) * to;
    return (double)sum;
}

void lil_collocation(int s, const double *c, double *b, double A[LIL_STAGES_MAX][LIL_STAGES_MAX])
{
    for (int j = 0; j < s; j++) {
        long double coefficient[LIL_STAGES_MAX + 1];
        lagrange(s, c, j, coefficient);
        b[j] = integral(s, coefficient, 1);
        for (int i = 0; i < s; i++)
            A[i][j] = integral(s, coefficient, c[i]);
    }
}
