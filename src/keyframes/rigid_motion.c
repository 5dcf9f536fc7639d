#include "keyframes/rigid_motion.h"

#include "core/disjoint_sets.h"
#include "math/matrix3.h"
#include "math/svd3.h"

#include <math.h>
#include <string.h>

lil_status lil_rigid_bodies_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, const double *m,
                                   lil_rigid_bodies *bodies)
{
    int count = pattern->n / 3;
    int *parent = LIL_NEW(arena, int, count + 1), *part = LIL_NEW(arena, int, count + 1);
    *bodies = (lil_rigid_bodies){ .m = m };
    bodies->start = LIL_NEW(arena, int, count + 2);
    bodies->vertex = LIL_NEW(arena, int, count + 1);
    LIL_HAVE(ctx, parent && part && bodies->start && bodies->vertex);
    lil_sets_begin(parent, count);
    for (int j = 0; j < pattern->n; j++)
        for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
            lil_sets_join(parent, pattern->row[e] / 3, j / 3);
    bodies->parts = lil_sets_number(parent, count, part);
    for (int i = 0; i < count; i++)
        bodies->start[part[i] + 2]++;
    for (int i = 0; i < bodies->parts; i++)
        bodies->start[i + 2] += bodies->start[i + 1];
    for (int i = 0; i < count; i++)
        bodies->vertex[bodies->start[part[i] + 1]++] = i;
    return LIL_OK;
}

typedef struct rigid {
    double mass, c[3], inverse[9]; /* of the moment of inertia */
} rigid;

static void add_scaled(double *to, double scale, const double *x)
{
    for (int a = 0; a < 3; a++)
        to[a] += scale * x[a];
}

/* A single vertex or a straight line has no inverse: it does not rotate. */
static rigid rigid_of(const lil_rigid_bodies *bodies, int part, const double *q)
{
    rigid body = { 0 };
    double I[9] = { 0 }, trace;
    for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
        const double *x = q + 3 * (size_t)bodies->vertex[k];
        double m = bodies->m[3 * (size_t)bodies->vertex[k]];
        body.mass += m;
        add_scaled(body.c, m, x);
    }
    for (int a = 0; a < 3; a++)
        body.c[a] /= body.mass;
    for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
        double r[3], m = bodies->m[3 * (size_t)bodies->vertex[k]];
        lil_subtract3(q + 3 * (size_t)bodies->vertex[k], body.c, r);
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
static void rigid_part(const lil_rigid_bodies *bodies, int part, const rigid *body, const double *q, const double *d,
                       double v[3], double omega[3])
{
    double L[3] = { 0 };
    memset(v, 0, 3 * sizeof *v);
    for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
        size_t i = 3 * (size_t)bodies->vertex[k];
        double r[3], moment[3];
        lil_subtract3(q + i, body->c, r);
        lil_cross3(r, d + i, moment);
        add_scaled(v, bodies->m[i] / body->mass, d + i);
        add_scaled(L, bodies->m[i], moment);
    }
    lil_transform3(body->inverse, L, omega);
}

void lil_rigid_move(const lil_rigid_bodies *bodies, const double *q, const double *d, double t, double *to)
{
    for (int part = 0; part < bodies->parts; part++) {
        rigid body = rigid_of(bodies, part, q);
        double v[3], omega[3];
        rigid_part(bodies, part, &body, q, d, v, omega);
        double angle = t * sqrt(lil_dot3(omega, omega));
        double first = angle > 1e-4 ? sin(angle) / angle : 1 - angle * angle / 6;
        double second = 2 * sin(angle / 2) / angle * sin(angle / 2) / angle;
        if (!(angle > 1e-4))
            second = 0.5 - angle * angle / 24;
        for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
            size_t i = 3 * (size_t)bodies->vertex[k];
            double r[3], once[3], twice[3];
            lil_subtract3(q + i, body.c, r);
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

/* g.Gamma(p, s) = sum (g x omega_p).(s - v_s) + omega_s.(sum (p - v_p) x g - 1/2 r x (g x omega_p) - 1/2 (omega_p
 * x r) x g) */
void lil_rigid_curvature(const lil_rigid_bodies *bodies, const double *q, const double *g, const double *p,
                         double *Hp)
{
    for (int part = 0; part < bodies->parts; part++) {
        rigid body = rigid_of(bodies, part, q);
        double v[3], omega[3], all[3] = { 0 }, T[3] = { 0 }, u[3];
        rigid_part(bodies, part, &body, q, p, v, omega);
        for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
            size_t i = 3 * (size_t)bodies->vertex[k];
            double r[3], turned[3], moved[3], moment[3];
            lil_subtract3(q + i, body.c, r);
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
        lil_transform3(body.inverse, T, u);
        for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
            size_t i = 3 * (size_t)bodies->vertex[k];
            double r[3], turned[3];
            lil_subtract3(q + i, body.c, r);
            lil_cross3(u, r, turned);
            for (int a = 0; a < 3; a++)
                Hp[i + (size_t)a] += bodies->m[i] * (turned[a] - all[a] / body.mass);
        }
    }
}

/* ---- rotations ---- */

/* R is the identity for points on a line. */
void lil_rigid_nearest(const lil_rigid_bodies *bodies, int part, const double *a, const double *b, const bool *held,
                       double R[9], double ca[3], double cb[3])
{
    double A[9] = { 0 }, U[9], s[3], V[9], mass = 0;
    memset(ca, 0, 3 * sizeof *ca);
    memset(cb, 0, 3 * sizeof *cb);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = bodies->start[part]; k < bodies->start[part + 1]; k++) {
            size_t i = 3 * (size_t)bodies->vertex[k];
            double m = held && !held[i] ? 0 : bodies->m[i];
            mass += pass ? 0 : m;
            for (size_t x = 0; x < 3; x++) {
                ca[x] += pass ? 0 : m * a[i + x];
                cb[x] += pass ? 0 : m * b[i + x];
                for (size_t y = 0; pass && y < 3; y++)
                    A[3 * x + y] += m * (b[i + x] - cb[x]) * (a[i + y] - ca[y]);
            }
        }
        for (int x = 0; !pass && x < 3; x++) {
            ca[x] /= mass;
            cb[x] /= mass;
        }
    }
    lil_svd3(A, U, s, V);
    lil_multiply3_nt(U, V, R);
    for (int x = 0; !(s[1] > 1e-9 * s[0]) && x < 9; x++)
        R[x] = x % 4 == 0;
}

/* axis times angle, 0 to pi */
void lil_rotation_vector(const double R[9], double w[3])
{
    double skew[3] = { R[7] - R[5], R[2] - R[6], R[3] - R[1] };
    double sine = sqrt(skew[0] * skew[0] + skew[1] * skew[1] + skew[2] * skew[2]) / 2;
    double cosine = (R[0] + R[4] + R[8] - 1) / 2, angle = atan2(sine, cosine);
    if (sine > 1e-6 || cosine > 0) {
        for (int a = 0; a < 3; a++)
            w[a] = skew[a] / 2 * (sine > 0 ? angle / sine : 1);
        return;
    }
    int big = R[0] >= R[4] && R[0] >= R[8] ? 0 : R[4] >= R[8] ? 1 : 2; /* a half turn: R + I = 2 axis axis' */
    double column[3], length = 0;
    for (int a = 0; a < 3; a++) {
        column[a] = R[3 * a + big] + (a == big);
        length += column[a] * column[a];
    }
    for (int a = 0; a < 3; a++)
        w[a] = angle * column[a] / sqrt(length);
}

void lil_rotation_matrix(const double w[3], double share, double R[9])
{
    double angle = share * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    double first = angle != 0 ? share * sin(angle) / angle : share;
    double half = angle != 0 ? share * sin(angle / 2) / angle : share / 2, second = 2 * half * half;
    double W[9] = { 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0 }, WW[9];
    lil_multiply3(W, W, WW);
    for (int a = 0; a < 9; a++)
        R[a] = (a % 4 == 0) + first * W[a] + second * WW[a];
}
