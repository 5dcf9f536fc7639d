/* lil_check_apart: whether two elements stay apart while their points move straight. */
#include "math/matrix3.h"
#include "record/check/check_thick.h"

#include <float.h>
#include <math.h>

typedef struct path {
    const lil_checked *a, *b;
    const double *x0, *x1;
    double thick;
} path;

static void place(const path *p, int point, double s, double at[3])
{
    for (int k = 0; k < 3; k++)
        at[k] = p->x0[3 * point + k] + s * (p->x1[3 * point + k] - p->x0[3 * point + k]);
}

/* Along n, from s0 to s1: points move straight, so the ends of the way bound them. */
static void span(const path *p, const lil_checked *c, const double n[3], double s0, double s1, double *low,
                 double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int i = 0; i < lil_checked_corners(c); i++)
        for (int end = 0; end < 2; end++) {
            double at[3];
            place(p, c->at[i], end ? s1 : s0, at);
            double along = lil_dot3(n, at),
                   noise = 8 * DBL_EPSILON * (fabs(n[0] * at[0]) + fabs(n[1] * at[1]) + fabs(n[2] * at[2]));
            *low = fmin(*low, along - noise);
            *high = fmax(*high, along + noise);
        }
}

static bool separates(const path *p, const double n[3], double s0, double s1)
{
    double low_a, high_a, low_b, high_b;
    span(p, p->a, n, s0, s1, &low_a, &high_a);
    span(p, p->b, n, s0, s1, &low_b, &high_b);
    double thick = p->thick > 0 ? p->thick * sqrt(lil_dot3(n, n)) : 0;
    return high_a + thick < low_b || high_b + thick < low_a;
}

static int edges(const lil_checked *c)
{
    int n = lil_checked_corners(c);
    return n == 3 ? 3 : n - 1;
}

/* Two convex polygons in space are apart where a normal of one, a direction across an edge of each, or (in one
 * plane) across an edge and the normal separates them. All of them halfway between s0 and s1. */
static bool some_direction_separates(const path *p, double s0, double s1)
{
    double middle = (s0 + s1) / 2, ea[3][3], eb[3][3], na[3] = { 0 }, nb[3] = { 0 }, n[3];
    int ca = edges(p->a), cb = edges(p->b);
    for (int k = 0; k < 3; k++) {
        double axis[3] = { k == 0, k == 1, k == 2 };
        if (separates(p, axis, s0, s1))
            return true;
    }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? cb : ca); i++) {
            const lil_checked *c = side ? p->b : p->a;
            double from[3], to[3];
            place(p, c->at[i], middle, from);
            place(p, c->at[(i + 1) % lil_checked_corners(c)], middle, to);
            for (int k = 0; k < 3; k++)
                (side ? eb : ea)[i][k] = to[k] - from[k];
        }
    if (ca == 3)
        lil_cross3(ea[0], ea[1], na);
    if (cb == 3)
        lil_cross3(eb[0], eb[1], nb);
    if ((ca == 3 && separates(p, na, s0, s1)) || (cb == 3 && separates(p, nb, s0, s1)))
        return true;
    for (int i = 0; i < ca; i++)
        for (int j = 0; j < cb; j++) {
            lil_cross3(ea[i], eb[j], n);
            if (separates(p, n, s0, s1))
                return true;
        }
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < (side ? cb : ca); i++) {
            const double *normal = side ? (cb == 3 ? nb : na) : (ca == 3 ? na : nb); /* a link has the triangle's */
            lil_cross3(side ? eb[i] : ea[i], normal, n);
            if (separates(p, n, s0, s1))
                return true;
        }
    return false;
}

/* Links in one plane, which have no normal: across each of them in it, across what joins them, and from an end to
 * an end. */
static bool links_are_apart(const path *p, double s0, double s1)
{
    double middle = (s0 + s1) / 2, x[4][3], e[2][3], r[3], n[3], across[3];
    if (lil_checked_corners(p->a) != 2 || lil_checked_corners(p->b) != 2)
        return false;
    for (int i = 0; i < 4; i++)
        place(p, (i < 2 ? p->a : p->b)->at[i % 2], middle, x[i]);
    for (int k = 0; k < 3; k++) {
        e[0][k] = x[1][k] - x[0][k];
        e[1][k] = x[3][k] - x[2][k];
        r[k] = x[2][k] + x[3][k] - x[0][k] - x[1][k];
    }
    for (int i = 0; i < 4; i++) {
        lil_cross3(e[i % 2], i < 2 ? e[1 - i] : r, n);
        lil_cross3(e[i % 2], n, across);
        if (separates(p, across, s0, s1))
            return true;
        for (int k = 0; k < 3; k++)
            n[k] = x[2 + i / 2][k] - x[i % 2][k];
        if (separates(p, n, s0, s1))
            return true;
    }
    return false;
}

/* Thick elements and points are farthest apart along the line between the nearest points, halfway. */
static bool nearest_separates(const path *p, double s0, double s1)
{
    const lil_checked *c[2] = { p->a, p->b };
    lil_checked own[2] = { { .at = { -1, -1, -1 } }, { .at = { -1, -1, -1 } } };
    double x[18], n[3];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < lil_checked_corners(c[side]); i++) {
            own[side].at[i] = 3 * side + i;
            place(p, c[side]->at[i], (s0 + s1) / 2, x + 3 * (3 * side + i));
        }
    return lil_thick_distance(&own[0], &own[1], x, n) > 0 && separates(p, n, s0, s1);
}

static bool apart(const path *p, double s0, double s1, int depth)
{
    enum { DEEPEST = 30 };
    bool round = p->thick > 0 || edges(p->a) == 0 || edges(p->b) == 0;
    if ((round && nearest_separates(p, s0, s1)) || some_direction_separates(p, s0, s1) || links_are_apart(p, s0, s1))
        return true;
    double middle = (s0 + s1) / 2;
    return depth < DEEPEST && apart(p, s0, middle, depth + 1) && apart(p, middle, s1, depth + 1);
}

bool lil_check_apart(const lil_checked *a, const lil_checked *b, double thick, const double *x0, const double *x1)
{
    path p = { a, b, x0, x1, thick };
    return apart(&p, 0, 1, 0);
}
