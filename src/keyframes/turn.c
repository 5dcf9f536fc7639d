#include "keyframes/turn.h"

#include <string.h>

#include <math.h>

#include "math/matrix3.h"

static int root(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

lil_status lil_turning_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, const double *m,
                              lil_turning *turning)
{
    int count = pattern->n / 3;
    int *parent = LIL_NEW(arena, int, count + 1), *part = LIL_NEW(arena, int, count + 1);
    *turning = (lil_turning){ .m = m };
    turning->start = LIL_NEW(arena, int, count + 2);
    turning->vertex = LIL_NEW(arena, int, count + 1);
    if (!parent || !part || !turning->start || !turning->vertex)
        return lil_fail_memory(ctx);
    for (int i = 0; i < count; i++)
        parent[i] = i;
    for (int j = 0; j < pattern->n; j++)
        for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
            parent[root(parent, pattern->row[e] / 3)] = root(parent, j / 3);
    for (int i = 0; i < count; i++)
        if (root(parent, i) == i)
            part[i] = turning->parts++;
    for (int i = 0; i < count; i++)
        turning->start[part[root(parent, i)] + 2]++;
    for (int i = 0; i < turning->parts; i++)
        turning->start[i + 2] += turning->start[i + 1];
    for (int i = 0; i < count; i++)
        turning->vertex[turning->start[part[root(parent, i)] + 1]++] = i;
    return LIL_OK;
}

typedef struct rigid {
    double mass, c[3], inverse[9]; /* of the moment of inertia */
} rigid;

static double lil_dot3(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

static void lil_cross3(const double *x, const double *y, double z[3])
{
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}

static void lil_multiply3v(const double A[9], const double *x, double y[3])
{
    for (int a = 0; a < 3; a++)
        y[a] = lil_dot3(A + 3 * a, x);
}

static void add_scaled(double *to, double scale, const double *x)
{
    for (int a = 0; a < 3; a++)
        to[a] += scale * x[a];
}

static void arm(const rigid *body, const double *q, double r[3])
{
    for (int a = 0; a < 3; a++)
        r[a] = q[a] - body->c[a];
}

/* A single vertex or a straight line has no inverse: it does not turn. */
static rigid rigid_of(const lil_turning *turning, int part, const double *q)
{
    rigid body = { 0 };
    double I[9] = { 0 }, trace;
    for (int k = turning->start[part]; k < turning->start[part + 1]; k++) {
        const double *x = q + 3 * (size_t)turning->vertex[k];
        double m = turning->m[3 * (size_t)turning->vertex[k]];
        body.mass += m;
        add_scaled(body.c, m, x);
    }
    for (int a = 0; a < 3; a++)
        body.c[a] /= body.mass;
    for (int k = turning->start[part]; k < turning->start[part + 1]; k++) {
        double r[3], m = turning->m[3 * (size_t)turning->vertex[k]];
        arm(&body, q + 3 * (size_t)turning->vertex[k], r);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                I[3 * a + b] += m * ((a == b) * lil_dot3(r, r) - r[a] * r[b]);
    }
    trace = I[0] + I[4] + I[8];
    double det = lil_determinant3(I), cofactor[9];
    lil_cofactor3(I, cofactor); /* of a symmetric matrix */
    for (int a = 0; det > 1e-9 * trace * trace * trace && a < 9; a++)
        body.inverse[a] = cofactor[a] / det;
    return body;
}

/* v and omega of the rigid motion nearest to d */
static void rigid_part(const lil_turning *turning, int part, const rigid *body, const double *q, const double *d,
                       double v[3], double omega[3])
{
    double L[3] = { 0 };
    memset(v, 0, 3 * sizeof *v);
    for (int k = turning->start[part]; k < turning->start[part + 1]; k++) {
        size_t i = 3 * (size_t)turning->vertex[k];
        double r[3], moment[3];
        arm(body, q + i, r);
        lil_cross3(r, d + i, moment);
        add_scaled(v, turning->m[i] / body->mass, d + i);
        add_scaled(L, turning->m[i], moment);
    }
    lil_multiply3v(body->inverse, L, omega);
}

void lil_turn(const lil_turning *turning, const double *q, const double *d, double t, double *to)
{
    for (int part = 0; part < turning->parts; part++) {
        rigid body = rigid_of(turning, part, q);
        double v[3], omega[3];
        rigid_part(turning, part, &body, q, d, v, omega);
        double angle = t * sqrt(lil_dot3(omega, omega));
        double first = angle > 1e-4 ? sin(angle) / angle : 1 - angle * angle / 6;
        double second = 2 * sin(angle / 2) / angle * sin(angle / 2) / angle;
        if (!(angle > 1e-4))
            second = 0.5 - angle * angle / 24;
        for (int k = turning->start[part]; k < turning->start[part + 1]; k++) {
            size_t i = 3 * (size_t)turning->vertex[k];
            double r[3], once[3], twice[3];
            arm(&body, q + i, r);
            lil_cross3(omega, r, once);
            for (int a = 0; a < 3; a++)
                r[a] += t * (d[i + (size_t)a] - v[a] - once[a]);
            lil_cross3(omega, r, once);
            lil_cross3(omega, once, twice);
            for (int a = 0; a < 3; a++)
                to[i + (size_t)a] = body.c[a] + t * v[a] + r[a] + first * t * once[a] + second * t * t * twice[a];
        }
    }
}

/* g.Gamma(p, s) = sum (g x omega_p).(s - v_s) + omega_s.(sum (p - v_p) x g - 1/2 r x (g x omega_p) - 1/2 (omega_p x r) x g) */
void lil_turn_curve(const lil_turning *turning, const double *q, const double *g, const double *p, double *Hp)
{
    for (int part = 0; part < turning->parts; part++) {
        rigid body = rigid_of(turning, part, q);
        double v[3], omega[3], all[3] = { 0 }, T[3] = { 0 }, u[3];
        rigid_part(turning, part, &body, q, p, v, omega);
        for (int k = turning->start[part]; k < turning->start[part + 1]; k++) {
            size_t i = 3 * (size_t)turning->vertex[k];
            double r[3], turned[3], moved[3], moment[3];
            arm(&body, q + i, r);
            lil_cross3(g + i, omega, turned);
            add_scaled(all, 1, turned);
            add_scaled(Hp + i, 1, turned);
            lil_cross3(r, turned, moment);
            add_scaled(T, -0.5, moment);
            lil_cross3(omega, r, moved);
            for (int a = 0; a < 3; a++)
                moved[a] = p[i + (size_t)a] - v[a] - moved[a] / 2;
            lil_cross3(moved, g + i, moment);
            add_scaled(T, 1, moment);
        }
        lil_multiply3v(body.inverse, T, u);
        for (int k = turning->start[part]; k < turning->start[part + 1]; k++) {
            size_t i = 3 * (size_t)turning->vertex[k];
            double r[3], turned[3];
            arm(&body, q + i, r);
            lil_cross3(u, r, turned);
            for (int a = 0; a < 3; a++)
                Hp[i + (size_t)a] += turning->m[i] * (turned[a] - all[a] / body.mass);
        }
    }
}
