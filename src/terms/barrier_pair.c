#include "terms/barrier_pair.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

/* ---- at one place ---- */

static void barrier_pair_minus(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; k++)
        c[k] = a[k] - b[k];
}

double lil_barrier_parallel(const double rest[12])
{
    const double SHARE = 1e-3;
    double a[3], b[3];
    barrier_pair_minus(rest + 3, rest, a);
    barrier_pair_minus(rest + 9, rest + 6, b);
    return SHARE * lil_dot3(a, a) * lil_dot3(b, b);
}

/* what D is divided by, m^2 */
static double reach_square(const lil_barrier *p)
{
    return p->d_hat * (p->d_hat + 2 * p->radius);
}

static double b_of(double y)
{
    double left = 1 - y;
    return y >= 1 ? 0 : y > 0 ? left * left * left / y : INFINITY;
}

lil_barrier_end lil_barrier_look(const lil_barrier *p, const double x[12])
{
    lil_barrier_end end = { .nearest = lil_pair_nearest(p->kind, x), .z = 1, .m = 1 };
    double d = sqrt(end.nearest.D);
    end.y = p->radius > 0 ? (d - p->radius) * (d + p->radius) / reach_square(p) : end.nearest.D / reach_square(p);
    end.b = b_of(end.y);
    if (p->kind == LIL_EDGE_EDGE) {
        double a[3], b[3], n[3];
        barrier_pair_minus(x + 3, x, a);
        barrier_pair_minus(x + 9, x + 6, b);
        lil_cross3(a, b, n);
        end.z = lil_dot3(n, n) / p->parallel;
        end.m = end.z < 1 ? end.z * (2 - end.z) : 1;
    }
    return end;
}

/* ---- quotients ---- */

typedef struct quotient {
    double value, slope; /* and its derivative by the second argument */
} quotient;

/* (b_1 - b_0)/(y_1 - y_0), written so that nothing cancels */
static quotient quotient_b(double y0, double b0, double y1, double b1)
{
    double a = 1 - y0, c = 1 - y1, d = y1 - y0;
    if (a > 0 && c > 0) {
        double N = a * a + a * c + c * c - a * c * (a + c), dN = -(a + 2 * c - a * a - 2 * a * c);
        return (quotient){ -N / (y0 * y1), (N / y1 - dN) / (y0 * y1) };
    }
    if (a > 0)
        return (quotient){ -b0 / d, b0 / (d * d) };
    double slope1 = -(c * c) * (1 + 2 * y1) / (y1 * y1); /* b'(y) */
    return c > 0 ? (quotient){ b1 / d, (slope1 - b1 / d) / d } : (quotient){ 0, 0 };
}

/* (m_1 - m_0)/(z_1 - z_0): of two parts the one below 1 alone counts */
static quotient quotient_m(double z0, double z1)
{
    double a = 1 - z0, c = 1 - z1, d = z1 - z0;
    if (a > 0 && c > 0)
        return (quotient){ a + c, -1 };
    if (a > 0)
        return (quotient){ a * a / d, -a * a / (d * d) };
    return c > 0 ? (quotient){ -c * c / d, (2 * c + c * c / d) / d } : (quotient){ 0, 0 };
}

/* ---- the mean-value contact point ---- */

/* cb, rb and what their derivatives are made of. */
typedef struct mean {
    double t, slope; /* of phi(t) = L(cb(t); ds) - (D_1 - D_0), which is 0 at t */
    double dc[4], c[4], r[3];
    double E0[3], E1[3]; /* sum dc_i x_i at both ends */
} mean;

/* sum d_i x_i with sum d = 0, by edges from the point whose weight changes most: the round-off of d then acts
 * along edges that r is normal to, and not on places. */
static void along(lil_pair_kind kind, const double d[4], const double x[12], double e[3])
{
    if (kind == LIL_EDGE_EDGE) {
        for (int k = 0; k < 3; k++)
            e[k] = d[1] * (x[3 + k] - x[k]) + d[3] * (x[9 + k] - x[6 + k]);
        return;
    }
    int base = fabs(d[2]) > fabs(d[1]) ? 2 : 1;
    base = fabs(d[3]) > fabs(d[base]) ? 3 : base;
    int i = base % 3 + 1, j = i % 3 + 1;
    for (int k = 0; k < 3; k++)
        e[k] = d[i] * (x[3 * i + k] - x[3 * base + k]) + d[j] * (x[3 * j + k] - x[3 * base + k]);
}

/* phi(t) = p0 + (p1 - p0 - g) t + g t^2 with phi(0) = p0 >= 0 and phi(1) = p1 <= 0 */
static mean mean_point(lil_pair_kind kind, const double x0[12], const lil_closest *n0, const double x1[12],
                       const lil_closest *n1)
{
    mean m = { .t = 0.5 };
    for (int i = 0; i < 4; i++)
        m.dc[i] = n1->c[i] - n0->c[i];
    along(kind, m.dc, x0, m.E0);
    along(kind, m.dc, x1, m.E1);
    double e0 = lil_dot3(m.E0, m.E0), e1 = lil_dot3(m.E1, m.E1), g = e1 - e0;
    double p0 = fmax(e1 - 2 * lil_dot3(n1->r, m.E1), 0), p1 = -fmax(e0 + 2 * lil_dot3(n0->r, m.E0), 0);
    double beta = p1 - p0 - g, root = sqrt(fmax(beta * beta - 4 * g * p0, 0));
    if (root - beta > 0) {
        m.t = fmin(2 * p0 / (root - beta), 1);
        m.slope = -root;
    }
    for (int i = 0; i < 4; i++)
        m.c[i] = n0->c[i] + m.t * m.dc[i];
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < 3; k++)
            m.r[k] += m.c[i] * ((x0[3 * i + k] - x0[k]) + (x1[3 * i + k] - x1[k])) / 2;
    return m;
}

/* d(cb_i)/dx1_j and d(rb_k)/dx1_j */
typedef struct mean_slopes {
    double c[4][12], r[3][12];
} mean_slopes;

/*
 * cb = c_0 + t (c_1 - c_0): c_1 changes with its free weights, t so that phi stays 0. With R = sum cb_i x_i at either
 * end,
 *
 *     phi = |R_1|^2 - |R_0|^2 - D_1 + D_0,   d(D_1)/dx1 = 2 c_1 r_1
 */
static void barrier_pair_find_slopes(lil_pair_kind kind, const double x0[12], const double x1[12],
                                     const lil_closest *n0, const lil_closest *n1, const mean *m, mean_slopes *s)
{
    double w[2][12], e0[2][3], e1[2][3], R0[3], R1[3];
    lil_pair_slopes(x1, n1, w);
    for (int a = 0; a < n1->free; a++) {
        along(kind, n1->direction[a], x0, e0[a]);
        along(kind, n1->direction[a], x1, e1[a]);
    }
    for (int k = 0; k < 3; k++) {
        R1[k] = n1->r[k] - (1 - m->t) * m->E1[k];
        R0[k] = n0->r[k] + m->t * m->E0[k];
    }
    for (int j = 0; j < 12; j++) {
        int i = j / 3, k = j % 3;
        double phi = 2 * m->c[i] * R1[k] - 2 * n1->c[i] * n1->r[k];
        for (int a = 0; a < n1->free; a++)
            phi += 2 * m->t * w[a][j] * (lil_dot3(R1, e1[a]) - lil_dot3(R0, e0[a]));
        double dt = m->slope < 0 ? -phi / m->slope : 0;
        for (int l = 0; l < 4; l++) {
            s->c[l][j] = dt * m->dc[l];
            for (int a = 0; a < n1->free; a++)
                s->c[l][j] += m->t * w[a][j] * n1->direction[a][l];
        }
        for (int l = 0; l < 3; l++) {
            s->r[l][j] = (l == k ? m->c[i] / 2 : 0) + dt * (m->E0[l] + m->E1[l]) / 2;
            for (int a = 0; a < n1->free; a++)
                s->r[l][j] += m->t * w[a][j] * (e0[a][l] + e1[a][l]) / 2;
        }
    }
}

/* ---- parallel edges ---- */

/* z = (|a|^2 |b|^2 - (a.b)^2)/parallel of the edges a and b: its discrete gradient, by the means of these three
 * products */
typedef struct tilt {
    double a0[3], a1[3], am[3], b0[3], b1[3], bm[3], A, B, C;
} tilt;

static tilt tilt_of(const double x0[12], const double x1[12])
{
    tilt t;
    barrier_pair_minus(x0 + 3, x0, t.a0);
    barrier_pair_minus(x1 + 3, x1, t.a1);
    barrier_pair_minus(x0 + 9, x0 + 6, t.b0);
    barrier_pair_minus(x1 + 9, x1 + 6, t.b1);
    for (int k = 0; k < 3; k++) {
        t.am[k] = (t.a0[k] + t.a1[k]) / 2;
        t.bm[k] = (t.b0[k] + t.b1[k]) / 2;
    }
    t.A = (lil_dot3(t.a0, t.a0) + lil_dot3(t.a1, t.a1)) / 2;
    t.B = (lil_dot3(t.b0, t.b0) + lil_dot3(t.b1, t.b1)) / 2;
    t.C = (lil_dot3(t.a0, t.b0) + lil_dot3(t.a1, t.b1)) / 2;
    return t;
}

static void tilt_gradient(const tilt *t, double parallel, double G[12])
{
    for (int k = 0; k < 3; k++) {
        double a = 2 * (t->B * t->am[k] - t->C * t->bm[k]) / parallel,
               b = 2 * (t->A * t->bm[k] - t->C * t->am[k]) / parallel;
        G[k] = -a;
        G[3 + k] = a;
        G[6 + k] = -b;
        G[9 + k] = b;
    }
}

/* adds weight d(tilt_gradient)/dx1 */
static void add_tilt_slopes(const tilt *t, double parallel, double weight, double *J)
{
    double aa[9], ab[9], bb[9]; /* of the gradient by a: its derivatives by a1 and b1; by b: by b1 */
    for (int e = 0; e < 9; e++) {
        int i = e / 3, j = e % 3;
        double one = i == j;
        aa[e] = t->B * one - t->bm[i] * t->b1[j];
        bb[e] = t->A * one - t->am[i] * t->a1[j];
        ab[e] = 2 * t->am[i] * t->b1[j] - t->bm[i] * t->a1[j] - t->C * one;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 9; e++) {
                double sign = (i % 2 ? 1 : -1) * (j % 2 ? 1 : -1);
                double ba = 2 * t->bm[e / 3] * t->a1[e % 3] - t->am[e / 3] * t->b1[e % 3] - (e % 4 == 0 ? t->C : 0);
                double d = i < 2 ? (j < 2 ? aa[e] : ab[e]) : j < 2 ? ba : bb[e];
                J[12 * (3 * i + e / 3) + 3 * j + e % 3] += weight * sign * d / parallel;
            }
}

/* ---- between ---- */

static void add_outer(double weight, const double a[12], const double b[12], double *J)
{
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            J[12 * i + j] += weight * a[i] * b[j];
}

/* 2 c_i r, the gradient of D where c and r are those of a place */
static void squared_distance(const double c[4], const double r[3], double G[12])
{
    for (int j = 0; j < 12; j++)
        G[j] = 2 * c[j / 3] * r[j % 3];
}

/* the part of m: kappa (b_0 + b_1)/2 mu Gz, by the product rule with means */
static void add_parallel(const lil_barrier *p, const double x0[12], const lil_barrier_end *e0, const double x1[12],
                         const lil_barrier_end *e1, const quotient *sigma, const double GD[12], const double D1[12],
                         double G[12], double *J)
{
    quotient mu = quotient_m(e0->z, e1->z);
    double Y = reach_square(p), mean_b = (e0->b + e1->b) / 2, Gz[12], z1[12];
    if (mu.value == 0 && e1->z >= 1)
        return;
    tilt t = tilt_of(x0, x1);
    tilt_gradient(&t, p->parallel, Gz);
    for (int i = 0; i < 12; i++)
        G[i] += p->kappa * mean_b * mu.value * Gz[i];
    if (!J)
        return;
    tilt end = tilt_of(x1, x1);
    tilt_gradient(&end, p->parallel, z1);
    double m1 = e1->z < 1 ? 2 * (1 - e1->z) : 0, left = 1 - e1->y;
    double b1 = e1->y < 1 ? -left * left * (1 + 2 * e1->y) / (e1->y * e1->y) / Y : 0;
    add_outer(p->kappa * m1 / 2 * sigma->value / Y, GD, z1, J);
    add_outer(p->kappa * mean_b * mu.slope, Gz, z1, J);
    add_outer(p->kappa * mu.value * b1 / 2, Gz, D1, J);
    add_tilt_slopes(&t, p->parallel, p->kappa * mean_b * mu.value, J);
}

bool lil_barrier_discrete_gradient(const lil_barrier *p, const double x0[12], const lil_barrier_end *e0,
                                   const double x1[12], const lil_barrier_end *e1, double G[12], double *J)
{
    if (e0->y >= 1 && e1->y >= 1)
        return false;
    const lil_closest *n0 = &e0->nearest, *n1 = &e1->nearest;
    mean m = mean_point(p->kind, x0, n0, x1, n1);
    quotient sigma = quotient_b(e0->y, e0->b, e1->y, e1->b);
    double Y = reach_square(p), mean_m = (e0->m + e1->m) / 2, scale = p->kappa * mean_m / Y, GD[12], D1[12];
    squared_distance(m.c, m.r, GD);
    squared_distance(n1->c, n1->r, D1);
    for (int i = 0; i < 12; i++)
        G[i] = scale * sigma.value * GD[i];
    if (J) {
        mean_slopes s;
        barrier_pair_find_slopes(p->kind, x0, x1, n0, n1, &m, &s);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++)
                J[12 * i + j] = scale * (sigma.slope / Y * GD[i] * D1[j] +
                                         sigma.value * 2 * (s.c[i / 3][j] * m.r[i % 3] + m.c[i / 3] * s.r[i % 3][j]));
    }
    if (p->kind == LIL_EDGE_EDGE)
        add_parallel(p, x0, e0, x1, e1, &sigma, GD, D1, G, J);
    return true;
}

/* dN/dx1, and that of the gap there */
static void press_slopes(const lil_barrier *p, const double x1[12], const lil_barrier_end *e1, const quotient *sigma,
                         double scale, lil_barrier_press *press)
{
    const lil_closest *n1 = &e1->nearest;
    double Y = reach_square(p), length = sqrt(lil_dot3(press->r, press->r)), D1[12], z1[12] = { 0 }, m1 = 0;
    squared_distance(n1->c, n1->r, D1);
    if (p->kind == LIL_EDGE_EDGE && e1->z < 1) {
        tilt end = tilt_of(x1, x1);
        tilt_gradient(&end, p->parallel, z1);
        m1 = 1 - e1->z; /* half of m' */
    }
    for (int j = 0; j < 12; j++) {
        double along = 0;
        for (int k = 0; k < 3; k++)
            along += press->r[k] / length * press->dr[k][j];
        press->dN[j] = -2 * (scale * (sigma->slope / Y * D1[j] * length + sigma->value * along) +
                             p->kappa * m1 * z1[j] / Y * sigma->value * length);
        press->dgap1[j] = n1->D > 0 ? D1[j] / (2 * sqrt(n1->D)) : 0;
    }
}

void lil_barrier_press_discrete_gradient(const lil_barrier *p, const double x0[12], const lil_barrier_end *e0,
                                         const double x1[12], const lil_barrier_end *e1, bool slopes,
                                         lil_barrier_press *press)
{
    mean m = mean_point(p->kind, x0, &e0->nearest, x1, &e1->nearest);
    quotient sigma = quotient_b(e0->y, e0->b, e1->y, e1->b);
    double scale = p->kappa * (e0->m + e1->m) / 2 / reach_square(p), length = sqrt(lil_dot3(m.r, m.r));
    memcpy(press->c, m.c, sizeof press->c);
    memcpy(press->r, m.r, sizeof press->r);
    press->N = -2 * scale * sigma.value * length;
    press->gap0 = sqrt(e0->nearest.D) - p->radius;
    press->gap1 = sqrt(e1->nearest.D) - p->radius;
    if (!slopes || !(length > 0))
        return;
    mean_slopes s;
    barrier_pair_find_slopes(p->kind, x0, x1, &e0->nearest, &e1->nearest, &m, &s);
    memcpy(press->dc, s.c, sizeof press->dc);
    memcpy(press->dr, s.r, sizeof press->dr);
    press_slopes(p, x1, e1, &sigma, scale, press);
}

/* ---- planes ---- */

static double plane_y(const lil_barrier *p, double gap)
{
    return gap > 0 ? gap * gap / (p->d_hat * p->d_hat) : 0;
}

double lil_barrier_plane_energy(const lil_barrier *p, double gap)
{
    return p->kappa * b_of(plane_y(p, gap));
}

/* sigma (gap0 + gap1), sigma by the squares of the gaps */
void lil_barrier_plane_discrete_gradient(const lil_barrier *p, double gap0, double gap1, double *f, double *slope)
{
    double Y = p->d_hat * p->d_hat, y0 = plane_y(p, gap0), y1 = plane_y(p, gap1), sum = gap0 + gap1;
    quotient sigma = quotient_b(y0, b_of(y0), y1, b_of(y1));
    *f = p->kappa * sigma.value / Y * sum;
    *slope = p->kappa * (sigma.slope * 2 * gap1 / Y * sum + sigma.value) / Y;
}
