#include "geometry/exact.h"

#include <math.h>

/* ---- expansions: components of growing size, whose sum is the number ---- */

enum { ENTRY = 2, MINOR = 2 * 2 * ENTRY * ENTRY, PRODUCT = 2 * ENTRY * MINOR, MOST = 3 * PRODUCT };

typedef struct expansion {
    int n;
    double e[MOST];
} expansion;

static void two_sum(double a, double b, double *sum, double *error)
{
    double s = a + b, other = s - a;
    *error = (a - (s - other)) + (b - other);
    *sum = s;
}

/* Veltkamp's halves of 26 bits */
static void exact_split(double a, double *high, double *low)
{
    double c = 134217729.0 * a, big = c - a;
    *high = c - big;
    *low = a - *high;
}

static void two_product(double a, double b, double *product, double *error)
{
    double ah, al, bh, bl, p = a * b;
    exact_split(a, &ah, &al);
    exact_split(b, &bh, &bl);
    *error = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
    *product = p;
}

/* adds one number; components that vanish are left out */
static void exact_grow(expansion *x, double b)
{
    int kept = 0;
    double sum = b;
    for (int i = 0; i < x->n; i++) {
        double error;
        two_sum(sum, x->e[i], &sum, &error);
        if (error != 0)
            x->e[kept++] = error;
    }
    if (sum != 0)
        x->e[kept++] = sum;
    x->n = kept;
}

static expansion exact_difference(double a, double b)
{
    expansion x = { 0 };
    exact_grow(&x, a);
    exact_grow(&x, -b);
    return x;
}

static void exact_add_product(expansion *sum, const expansion *x, const expansion *y, double sign)
{
    for (int i = 0; i < x->n; i++)
        for (int j = 0; j < y->n; j++) {
            double p, error;
            two_product(x->e[i], y->e[j], &p, &error);
            exact_grow(sum, sign * error);
            exact_grow(sum, sign * p);
        }
}

static int sign_of(const expansion *x)
{
    return x->n == 0 ? 0 : x->e[x->n - 1] > 0 ? 1 : -1;
}

/* ---- sides ---- */

static int exact_side(const double a[3], const double b[3], const double c[3], const double d[3])
{
    expansion A[3], B[3], C[3], sum = { 0 };
    for (int k = 0; k < 3; k++) {
        A[k] = exact_difference(a[k], d[k]);
        B[k] = exact_difference(b[k], d[k]);
        C[k] = exact_difference(c[k], d[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        expansion minor = { 0 };
        exact_add_product(&minor, &B[i], &C[j], 1);
        exact_add_product(&minor, &B[j], &C[i], -1);
        exact_add_product(&sum, &minor, &A[k], 1);
    }
    return sign_of(&sum);
}

int lil_exact_side(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double SURE = 8e-16; /* (7 + 56 eps) eps: Shewchuk's bound for this determinant */
    double A[3], B[3], C[3], det = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        A[k] = a[k] - d[k];
        B[k] = b[k] - d[k];
        C[k] = c[k] - d[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        det += A[k] * (B[i] * C[j] - B[j] * C[i]);
        size += fabs(A[k]) * (fabs(B[i] * C[j]) + fabs(B[j] * C[i]));
    }
    if (fabs(det) > SURE * size)
        return det > 0 ? 1 : -1;
    return exact_side(a, b, c, d);
}

/* In the plane of two coordinates: the sign of (a - c) x (b - c). */
static int side2(const double *a, const double *b, const double *c, int u, int v)
{
    expansion sum = { 0 }, au = exact_difference(a[u], c[u]), av = exact_difference(a[v], c[v]),
              bu = exact_difference(b[u], c[u]), bv = exact_difference(b[v], c[v]);
    exact_add_product(&sum, &au, &bv, 1);
    exact_add_product(&sum, &av, &bu, -1);
    return sign_of(&sum);
}

/* c, which is on the line through a and b, is between them */
static bool between2(const double *a, const double *b, const double *c, int u, int v)
{
    return fmin(a[u], b[u]) <= c[u] && c[u] <= fmax(a[u], b[u]) && fmin(a[v], b[v]) <= c[v] &&
           c[v] <= fmax(a[v], b[v]);
}

static bool segments_meet2(const double *p, const double *q, const double *a, const double *b, int u, int v)
{
    int sa = side2(p, q, a, u, v), sb = side2(p, q, b, u, v), sp = side2(a, b, p, u, v), sq = side2(a, b, q, u, v);
    if (sa * sb < 0 && sp * sq < 0)
        return true;
    return (sa == 0 && between2(p, q, a, u, v)) || (sb == 0 && between2(p, q, b, u, v)) ||
           (sp == 0 && between2(a, b, p, u, v)) || (sq == 0 && between2(a, b, q, u, v));
}

static bool point_in_triangle2(const double *p, const double *a, const double *b, const double *c, int u, int v)
{
    int x = side2(a, b, p, u, v), y = side2(b, c, p, u, v), z = side2(c, a, p, u, v);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

/* All five points in one plane, seen along an axis along which the triangle has an area; it has none: as its three
 * edges. */
static bool meets_in_plane(const double *p, const double *q, const double *a, const double *b, const double *c)
{
    int u = 1, v = 2;
    for (int axis = 0; axis < 3; axis++)
        if (side2(a, b, c, (axis + 1) % 3, (axis + 2) % 3) != 0) {
            u = (axis + 1) % 3;
            v = (axis + 2) % 3;
            return point_in_triangle2(p, a, b, c, u, v) || segments_meet2(p, q, a, b, u, v) ||
                   segments_meet2(p, q, b, c, u, v) || segments_meet2(p, q, c, a, u, v);
        }
    for (int axis = 0; axis < 3; axis++) { /* segments that meet do so along every axis */
        u = (axis + 1) % 3;
        v = (axis + 2) % 3;
        if (!segments_meet2(p, q, a, b, u, v) && !segments_meet2(p, q, b, c, u, v) &&
            !segments_meet2(p, q, c, a, u, v))
            return false;
    }
    return true;
}

bool lil_exact_segment_meets_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                                      const double c[3])
{
    int sp = lil_exact_side(a, b, c, p), sq = lil_exact_side(a, b, c, q);
    if (sp == 0 && sq == 0)
        return meets_in_plane(p, q, a, b, c);
    if (sp * sq > 0)
        return false;
    int x = lil_exact_side(p, q, a, b), y = lil_exact_side(p, q, b, c), z = lil_exact_side(p, q, c, a);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}
