#include "discrete/torque.h"

#include "math/matrix3.h"

/* sums over vertices of x = q - q of the first vertex: no digits are lost far from the origin */
typedef struct sums {
    double m, mx[3], mxx[6], torque[3]; /* xx: 00 11 22 01 12 20 */
} sums;

static void torque_add_vertex(sums *s, double m, const double x[3], const double *v, const double *r)
{
    double vr[3];
    lil_cross3(v, r, vr);
    s->m += m;
    for (int d = 0; d < 3; d++) {
        s->mx[d] += m * x[d];
        s->mxx[d] += m * x[d] * x[d];
        s->mxx[3 + d] += m * x[d] * x[(d + 1) % 3];
        s->torque[d] += vr[d];
    }
}

/* about the centre c: I = tr(A) 1 - A, A = sum m x x' - m c c' */
static void inertia(const sums *s, const double c[3], double I[9])
{
    double A[9], trace = 0;
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3;
        A[4 * d] = s->mxx[d] - s->m * c[d] * c[d];
        A[3 * d + e] = A[3 * e + d] = s->mxx[3 + d] - s->m * c[d] * c[e];
        trace += A[4 * d];
    }
    for (int i = 0; i < 9; i++)
        I[i] = (i % 4 == 0 ? trace : 0) - A[i];
}

void lil_torque_remove(int n, const double *mass, double h, const double *v, const double *r, const double *q,
                       double *p)
{
    sums s = { 0 };
    double c[3], I[9], cofactor[9], omega[3];
    for (int i = 0; i < n; i++) {
        const double x[3] = { q[3 * i] - q[0], q[3 * i + 1] - q[1], q[3 * i + 2] - q[2] };
        torque_add_vertex(&s, mass[i], x, v + 3 * i, r + 3 * i);
    }
    for (int d = 0; d < 3; d++)
        c[d] = s.mx[d] / s.m;
    inertia(&s, c, I);
    lil_cofactor3(I, cofactor);
    double determinant = lil_determinant3(I), size = I[0] + I[4] + I[8];
    if (!(determinant > 1e-12 * size * size * size))
        return;
    for (int d = 0; d < 3; d++)
        omega[d] = h * lil_dot3(cofactor + 3 * d, s.torque) / determinant; /* I is symmetric */
    for (int i = 0; i < n; i++) {
        double turned[3];
        const double x[3] = { q[3 * i] - q[0] - c[0], q[3 * i + 1] - q[1] - c[1], q[3 * i + 2] - q[2] - c[2] };
        lil_cross3(omega, x, turned);
        for (int d = 0; d < 3; d++)
            p[3 * i + d] += mass[i] * turned[d];
    }
}
