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

static view angle_look(const lil_angle *a, const double *x)
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

static void angle_evaluate(const lil_constraint *set, void *work, const double *x, double *g, double *G)
{
    const lil_angle *a = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, a++) {
        view w = angle_look(a, x);
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
static void angle_curvature(const lil_constraint *set, void *work, const double *x, const double *v, double *k)
{
    const lil_angle *a = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, a++) {
        view w = angle_look(a, x);
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

static void size(const lil_constraint *set, double *size)
{
    const lil_angle *a = set->data;
    for (int c = 0; c < set->count; c++)
        size[c] += a[c].length;
}

/*
 * With e and f of length 1, w = f - u e and z = e - u f:
 *
 *     d2u/de2 = -(e w' + w e' + u (1 - e e')) / |e|^2,    d2u/de df = (1 - f f' - e z') / |e||f|
 *
 * and -e - f in the place of x_j.
 */
static void angle_second(const lil_constraint *set, void *work, const double *x, double *values)
{
    const lil_angle *a = set->data;
    (void)work;
    for (int c = 0; c < set->count; c++, a++) {
        view n = angle_look(a, x);
        double D[3][3][3][3] = { { { { 0 } } } }, w[3], z[3];
        for (int d = 0; d < 3; d++) {
            n.e[d] /= n.le;
            n.f[d] /= n.lf;
        }
        for (int d = 0; d < 3; d++) {
            w[d] = n.f[d] - n.u * n.e[d];
            z[d] = n.e[d] - n.u * n.f[d];
        }
        for (int r = 0; r < 3; r++)
            for (int s = 0; s < 3; s++) {
                double one = r == s;
                double ee = -(n.e[r] * w[s] + w[r] * n.e[s] + n.u * (one - n.e[r] * n.e[s])) / (n.le * n.le);
                double ff = -(n.f[r] * z[s] + z[r] * n.f[s] + n.u * (one - n.f[r] * n.f[s])) / (n.lf * n.lf);
                double ef = (one - n.f[r] * n.f[s] - n.e[r] * z[s]) / (n.le * n.lf);
                double fe = (one - n.e[r] * n.e[s] - n.f[r] * w[s]) / (n.le * n.lf);
                D[0][r][0][s] = ee;
                D[0][r][2][s] = ef;
                D[2][r][0][s] = fe;
                D[2][r][2][s] = ff;
                D[0][r][1][s] = -ee - ef;
                D[1][r][0][s] = -ee - fe;
                D[2][r][1][s] = -fe - ff;
                D[1][r][2][s] = -ef - ff;
                D[1][r][1][s] = ee + ef + fe + ff;
            }
        for (int e = 0; e < 81; e++)
            values[81 * c + e] = a->length * D[e / 27][e / 9 % 3][e % 9 / 3][e % 3];
    }
}

/* u = N a b with N = e.f, a = (e.e)^-1/2, b = (f.f)^-1/2. Of products the difference is that of one factor times
 * the mean of the other, a1 - a0 = -(A1 - A0) / (|e0||e1|(|e0| + |e1|)), and that of N, A and B, of second degree,
 * is their gradient in the middle times the way. Nothing is divided by the way, and like N, A and B it knows no
 * directions in space: P and J are kept. */
static void angle_between(const lil_constraint *set, const double *x0, const double *x1, double *G)
{
    const lil_angle *a = set->data;
    for (int c = 0; c < set->count; c++, a++) {
        view v0 = angle_look(a, x0), v1 = angle_look(a, x1);
        double N = (lil_dot3(v0.e, v0.f) + lil_dot3(v1.e, v1.f)) / 2;
        double a_mean = (1 / v0.le + 1 / v1.le) / 2, b_mean = (1 / v0.lf + 1 / v1.lf) / 2;
        double S = (1 / (v0.le * v0.lf) + 1 / (v1.le * v1.lf)) / 2;
        double to_A = -N * b_mean / (v0.le * v1.le * (v0.le + v1.le));
        double to_B = -N * a_mean / (v0.lf * v1.lf * (v0.lf + v1.lf));
        for (int d = 0; d < 3; d++) {
            double e = (v0.e[d] + v1.e[d]) / 2, f = (v0.f[d] + v1.f[d]) / 2;
            double ge = a->length * (S * f + 2 * to_A * e), gf = a->length * (S * e + 2 * to_B * f);
            G[9 * c + d] = ge;
            G[9 * c + 3 + d] = -ge - gf;
            G[9 * c + 6 + d] = gf;
        }
    }
}

const lil_constraint_table lil_constraint_angle = {
    .name = "angle",
    .doc = "a fixed angle between two links",
    .rows = 1,
    .points = 3,
    .stride = sizeof(lil_angle),
    .evaluate = angle_evaluate,
    .curvature = angle_curvature,
    .size = size,
    .second = angle_second,
    .between = angle_between,
};

/* ---- the kind ---- */

static lil_status angle_make(lil_context *ctx, const lil_binding *b, const int *v, int part, void *member,
                             const char **wrong)
{
    const double STRAIGHT = 1 - 1e-9; /* where the cosine no longer resolves angles */
    double e[2][3], degrees = b->def->degrees;
    (void)part;
    for (int k = 0; k < 3; k++) {
        e[0][k] = b->x[3 * v[0] + k] - b->x[3 * v[1] + k];
        e[1][k] = b->x[3 * v[2] + k] - b->x[3 * v[1] + k];
    }
    double la = sqrt(lil_dot3(e[0], e[0])), lb = sqrt(lil_dot3(e[1], e[1])), start = lil_dot3(e[0], e[1]) / (la * lb);
    *wrong = "points";
    if (!(la > 0 && lb > 0))
        return lil_fail(ctx, LIL_ERR_INPUT, "an arm of '%.60s' has zero length", b->name);
    double cosine = degrees > 0 ? cos(degrees * (acos(-1) / 180)) : start;
    *wrong = degrees > 0 ? "degrees" : "points";
    if (!(fabs(cosine) < STRAIGHT) || !(fabs(start) < STRAIGHT) || degrees > 180)
        return lil_fail(ctx, LIL_ERR_INPUT,
                        "an angle must be above 0 and below 180 degrees, at the start too (to keep three points in a "
                        "line, use 'distance')");
    *(lil_angle *)member = (lil_angle){ v[0], v[1], v[2], cosine, fmin(la, lb) };
    return LIL_OK;
}

static const lil_field fields[] = {
    LIL_FIELD_REAL(lil_constraint_def, degrees, -1, 1e-300, 1e300, "degrees",
                   "the angle (default: its initial value)"),
};

const lil_bond_kind lil_bond_angle = {
    .name = "angle",
    .doc = "the angle at the second of three points keeps its initial value, or is `degrees`; not 0 or 180",
    .example = "{angle: [a, b, c], degrees: 90}",
    .ends = 3,
    LIL_FIELDS(fields),
    .parts = 1,
    .table = { &lil_constraint_angle },
    .member_size = { sizeof(lil_angle) },
    .make = angle_make,
};
