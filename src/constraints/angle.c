/*
 * A fixed angle between two links: g = l (u - cos angle) with u = e.f / |e||f|, e = x_i - x_j, f = x_k - x_j. The links
 * themselves may be of any length. Not for 0 or 180 degrees, where u has no slope.
 */
#include "constraints/constraint.h"

#include "math/matrix3.h"

#include <math.h>

typedef struct view {
    double e[3], f[3], le, lf, u;
} view;

static view look(const lil_angle *a, const double *x)
{
    view w;
    for (int d = 0; d < 3; d++) {
        w.e[d] = x[3 * a->i + d] - x[3 * a->j + d];
        w.f[d] = x[3 * a->k + d] - x[3 * a->j + d];
    }
    w.le = sqrt(lil_dot3(w.e, w.e));
    w.lf = sqrt(lil_dot3(w.f, w.f));
    w.u = lil_dot3(w.e, w.f) / (w.le * w.lf);
    return w;
}

static lil_status begin(lil_context *ctx, const void *data, int count, lil_arena *arena, void **work, lil_jacobian *G)
{
    const lil_angle *angles = data;
    *work = NULL;
    LIL_TRY(lil_jacobian_create(ctx, arena, count, 9, G));
    for (int e = 0; e < G->count; e++) {
        const lil_angle *a = &angles[e / 9];
        const int vertices[3] = { a->i, a->j, a->k };
        G->row[e] = e / 9;
        G->col[e] = 3 * vertices[e % 9 / 3] + e % 3;
    }
    return LIL_OK;
}

static void evaluate(const void *data, int count, void *work, const double *x, double *g, double *G)
{
    const lil_angle *a = data;
    (void)work;
    for (int c = 0; c < count; c++, a++) {
        view w = look(a, x);
        if (g)
            g[c] = a->length * (w.u - a->cosine);
        for (int d = 0; d < 3 && G; d++) {
            double e = w.e[d] / w.le, f = w.f[d] / w.lf;
            double ge = a->length * (f - w.u * e) / w.le, gf = a->length * (e - w.u * f) / w.lf;
            G[9 * c + d] = ge;
            G[9 * c + 3 + d] = -ge - gf;
            G[9 * c + 6 + d] = gf;
        }
    }
}

/* u = N S with N = e.f and S = (AB)^-1/2, A = e.e, B = f.f, each a polynomial in time along v */
static void curvature(const void *data, int count, void *work, const double *x, const double *v, double *k)
{
    const lil_angle *a = data;
    (void)work;
    for (int c = 0; c < count; c++, a++) {
        view w = look(a, x);
        double de[3], df[3];
        for (int d = 0; d < 3; d++) {
            de[d] = v[3 * a->i + d] - v[3 * a->j + d];
            df[d] = v[3 * a->k + d] - v[3 * a->j + d];
        }
        double A = w.le * w.le, B = w.lf * w.lf;
        double A1 = 2 * lil_dot3(w.e, de) / A, A2 = 2 * lil_dot3(de, de) / A, B1 = 2 * lil_dot3(w.f, df) / B,
               B2 = 2 * lil_dot3(df, df) / B;
        double N = lil_dot3(w.e, w.f), N1 = lil_dot3(de, w.f) + lil_dot3(w.e, df), N2 = 2 * lil_dot3(de, df);
        double l1 = -(A1 + B1) / 2, l2 = -(A2 - A1 * A1 + B2 - B1 * B1) / 2; /* of log S */
        double S = 1 / (w.le * w.lf);
        k[c] = a->length * S * (N2 + 2 * N1 * l1 + N * (l2 + l1 * l1));
    }
}

static void size(const void *data, int count, double *size)
{
    const lil_angle *a = data;
    for (int c = 0; c < count; c++)
        size[c] += a[c].length;
}

const lil_constraint_table lil_constraint_angle = {
    .name = "angle",
    .doc = "a fixed angle between two links",
    .rows = 1,
    .begin = begin,
    .evaluate = evaluate,
    .curvature = curvature,
    .size = size,
};
