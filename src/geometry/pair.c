#include "geometry/pair.h"

#include "math/matrix3.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* r = sum c_i (x_i - x_0): differences of points that are near each other have no round-off of their own */
static void set_distance(const double x[12], lil_closest *n)
{
    memset(n->r, 0, sizeof n->r);
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < 3; k++)
            n->r[k] += n->c[i] * (x[3 * i + k] - x[k]);
    n->D = lil_dot3(n->r, n->r);
}

/* The point x_p against the edge from x_a to x_b: the edge's weight w of x_b before it is held to 0 ... 1, and the
 * squared distance. */
typedef struct lot {
    double w, D;
    int p, a, b;
} lot;

static inline lot point_edge(const double x[12], int p, int a, int b)
{
    double edge[3], from[3], square = 0, along = 0, D = 0;
    for (int k = 0; k < 3; k++) {
        edge[k] = x[3 * b + k] - x[3 * a + k];
        from[k] = x[3 * p + k] - x[3 * a + k];
        square += edge[k] * edge[k];
        along += edge[k] * from[k];
    }
    double w = square > 0 ? along / square : 0, held = w < 1 ? w > 0 ? w : 0 : 1;
    for (int k = 0; k < 3; k++)
        D += (from[k] - held * edge[k]) * (from[k] - held * edge[k]);
    return (lot){ w, D, p, a, b };
}

static inline void keep_nearer(lot *best, lot other)
{
    if (!(best->D <= other.D))
        *best = other;
}

/* The nearest of the point and the triangle's three edges; of the ends of either edge and the other edge. */
static inline lot triangle_rim(const double x[12])
{
    lot best = point_edge(x, 0, 1, 2);
    if (memcmp(x + 6, x + 9, 3 * sizeof *x) ==
        0) /* an edge or a point: round-off shall not choose between two that are one */
        return best;
    keep_nearer(&best, point_edge(x, 0, 2, 3));
    keep_nearer(&best, point_edge(x, 0, 3, 1));
    return best;
}

static inline lot edge_ends(const double x[12])
{
    lot best = point_edge(x, 0, 2, 3);
    keep_nearer(&best, point_edge(x, 1, 2, 3));
    keep_nearer(&best, point_edge(x, 2, 0, 1));
    keep_nearer(&best, point_edge(x, 3, 0, 1));
    return best;
}

/* `sign` is the point's weight. */
static lil_closest closest_of(const double x[12], const lot *l, double sign)
{
    lil_closest n = { 0 };
    double w = l->w < 1 ? l->w > 0 ? l->w : 0 : 1;
    n.c[l->p] = sign;
    n.c[l->a] = -sign * (1 - w);
    n.c[l->b] = -sign * w;
    if (l->w > 0 && l->w < 1) {
        n.free = 1;
        n.direction[0][l->a] = 1;
        n.direction[0][l->b] = -1;
    }
    set_distance(x, &n);
    return n;
}

/* Across both features r is along their normal: slender ones know that better than they know the weights. */
static void set_across(const double normal[3], double square, double along, lil_closest *n)
{
    for (int k = 0; k < 3; k++)
        n->r[k] = along / square * normal[k];
    n->D = along * along / square;
}

/* The lines or the plane that features lie in: `first` and `second` are what the weights there are of, times
 * `square`. */
typedef struct across {
    double normal[3], square, along, first, second;
} across;

static inline across over_triangle(const double x[12])
{
    across o;
    double e1[3], e2[3], from[3], turned[3];
    lil_subtract3(x + 6, x + 3, e1);
    lil_subtract3(x + 9, x + 3, e2);
    lil_subtract3(x, x + 3, from);
    lil_cross3(e1, e2, o.normal);
    o.square = lil_dot3(o.normal, o.normal);
    lil_cross3(from, e2, turned);
    o.first = lil_dot3(turned, o.normal);
    lil_cross3(e1, from, turned);
    o.second = lil_dot3(turned, o.normal);
    o.along = lil_dot3(from, o.normal);
    return o;
}

static inline across over_edges(const double x[12])
{
    across o;
    double a[3], b[3], from[3], turned[3];
    lil_subtract3(x + 3, x, a);
    lil_subtract3(x + 9, x + 6, b);
    lil_subtract3(x + 6, x, from);
    lil_cross3(a, b, o.normal);
    o.square = lil_dot3(o.normal, o.normal);
    lil_cross3(from, b, turned);
    o.first = lil_dot3(turned, o.normal);
    lil_cross3(from, a, turned);
    o.second = lil_dot3(turned, o.normal);
    o.along = -lil_dot3(from, o.normal);
    return o;
}

/* False for a triangle without area and for parallel edges. */
static inline bool pair_is_inside(lil_pair_kind kind, const across *o)
{
    return o->first > 0 && o->second > 0 &&
           (kind == LIL_EDGE_EDGE ? o->first < o->square && o->second < o->square : o->first + o->second < o->square);
}

/* Over the inside of the triangle if the point projects there; else the nearest of three edges. */
static lil_closest point_triangle(const double x[12])
{
    across o = over_triangle(x);
    double u = o.first / o.square, v = o.second / o.square;
    if (pair_is_inside(LIL_POINT_TRIANGLE, &o) && u + v < 1) {
        lil_closest n = { .c = { 1, -(1 - u - v), -u, -v },
                          .free = 2,
                          .direction = { { 0, 1, -1, 0 }, { 0, 1, 0, -1 } } };
        set_across(o.normal, o.square, o.along, &n);
        return n;
    }
    lot best = triangle_rim(x);
    return closest_of(x, &best, 1);
}

/* Inside both edges if the lines are nearest there; else the nearest of an end of one and the other edge. */
static lil_closest edge_edge(const double x[12])
{
    across o = over_edges(x);
    if (pair_is_inside(LIL_EDGE_EDGE, &o)) {
        double s = o.first / o.square, t = o.second / o.square;
        lil_closest n = { .c = { 1 - s, s, -(1 - t), -t },
                          .free = 2,
                          .direction = { { -1, 1, 0, 0 }, { 0, 0, 1, -1 } } };
        set_across(o.normal, o.square, o.along, &n);
        return n;
    }
    lot best = edge_ends(x);
    return closest_of(x, &best, best.p < 2 ? 1 : -1);
}

double lil_pair_square(lil_pair_kind kind, const double x[12])
{
    across o = kind == LIL_EDGE_EDGE ? over_edges(x) : over_triangle(x);
    if (pair_is_inside(kind, &o))
        return o.along * o.along / o.square;
    return kind == LIL_EDGE_EDGE ? edge_ends(x).D : triangle_rim(x).D;
}

lil_closest lil_pair_nearest(lil_pair_kind kind, const double x[12])
{
    return kind == LIL_EDGE_EDGE ? edge_edge(x) : point_triangle(x);
}

/* sum d_i x_i of a direction, which are edges */
static void along(const double direction[4], const double x[12], double e[3])
{
    memset(e, 0, 3 * sizeof *e);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            e[k] += direction[i] * x[3 * i + k];
}

/*
 * With e_a = sum_i d_ai x_i a free weight has e_a.r = 0. Its differential,
 *
 *     sum_b (e_a.e_b) dw_b = -sum_i (d_ai r + c_i e_a).dx_i
 *
 * has no solution where the edges are parallel or the triangle has no area: only one weight then counts as free.
 */
void lil_pair_slopes(const double x[12], const lil_closest *n, double slope[2][12])
{
    const double PARALLEL = 1e-14;
    double e[2][3], right[2][12];
    memset(slope, 0, 2 * sizeof *slope);
    for (int a = 0; a < n->free; a++) {
        along(n->direction[a], x, e[a]);
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                right[a][3 * i + k] = -(n->direction[a][i] * n->r[k] + n->c[i] * e[a][k]);
    }
    if (n->free == 0)
        return;
    double A = lil_dot3(e[0], e[0]), B = 0, C = 1, det = A;
    if (n->free == 2) {
        B = lil_dot3(e[0], e[1]);
        C = lil_dot3(e[1], e[1]);
        det = A * C - B * B;
    }
    if (n->free == 2 && det > PARALLEL * A * C) {
        for (int j = 0; j < 12; j++) {
            slope[0][j] = (C * right[0][j] - B * right[1][j]) / det;
            slope[1][j] = (A * right[1][j] - B * right[0][j]) / det;
        }
        return;
    }
    for (int j = 0; j < 12 && A > 0; j++)
        slope[0][j] = right[0][j] / A;
}

/* ---- on the way ---- */

/* How far along dx the plane across r keeps both features more than `least` apart. Its distances are linear in s,
 * and none of them is more than that of the features: sliding along a face or past an edge takes one advance,
 * however far it goes. */
static double until_plane(lil_pair_kind kind, const double x[12], const double dx[12], const lil_closest *n,
                          double least)
{
    int first = kind == LIL_EDGE_EDGE ? 2 : 1; /* of the second feature's points */
    double length = sqrt(n->D), most = INFINITY, between[3], way[3];
    for (int i = 0; i < first; i++)
        for (int j = first; j < 4; j++) {
            lil_subtract3(x + 3 * i, x + 3 * j, between);
            lil_subtract3(dx + 3 * i, dx + 3 * j, way);
            double apart = lil_dot3(n->r, between) / length, change = lil_dot3(n->r, way) / length;
            if (change < 0)
                most = fmin(most, (apart - least) / -change);
        }
    return most;
}

/* All points share the mean of dx. */
double lil_pair_approach(lil_pair_kind kind, const double dx[12])
{
    double length[4], mean[3] = { 0 };
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += dx[3 * i + k] / 4;
    for (int i = 0; i < 4; i++) {
        double own[3];
        lil_subtract3(dx + 3 * i, mean, own);
        length[i] = sqrt(lil_dot3(own, own));
    }
    if (kind == LIL_EDGE_EDGE)
        return fmax(length[0], length[1]) + fmax(length[2], length[3]);
    return length[0] + fmax(length[1], fmax(length[2], length[3]));
}

/* Seen from the first point, which takes out the motion that both features share. A gap is at most the distance of
 * any two of their points. */
bool lil_pair_stays_apart(lil_pair_kind kind, const double x[12], const double dx[12], double radius, double keep,
                          double most)
{
    int first = kind == LIL_EDGE_EDGE ? 2 : 1; /* of the second feature's points */
    double square = 0, apart = -INFINITY;
    for (int k = 0; k < 3; k++) {
        double low[2] = { 0, INFINITY }, high[2] = { 0, -INFINITY }, between = x[3 * first + k] - x[k];
        for (int i = 1; i < 4; i++) {
            double from = x[3 * i + k] - x[k], to = from + most * (dx[3 * i + k] - dx[k]);
            double below = from < to ? from : to, above = from < to ? to : from;
            int side = i >= first;
            low[side] = below < low[side] ? below : low[side];
            high[side] = above > high[side] ? above : high[side];
        }
        double gap = low[0] - high[1] > low[1] - high[0] ? low[0] - high[1] : low[1] - high[0];
        apart = gap > apart ? gap : apart;
        square += between * between;
    }
    return apart - radius >
           (keep + 2e-3) * (sqrt(square) - radius); /* lil_pair_reach stops 1e-3 of a gap before that */
}

double lil_pair_reach(lil_pair_kind kind, const double x[12], const double dx[12], double radius, double keep,
                      double most)
{
    enum { ADVANCES = 500 };
    const double LEFT = 0.1,
                 CLOSE = 1e-3; /* of the gap that may be used up: what an advance leaves, and what ends it */
    double at[12], speed = lil_pair_approach(kind, dx), s = 0;
    memcpy(at, x, sizeof at);
    lil_closest n = lil_pair_nearest(kind, at);
    double gap = sqrt(n.D) - radius, least = keep * gap, start = gap - least;
    if (!(gap > 0) || !isfinite(speed))
        return 0;
    for (int i = 0; i < ADVANCES && gap - least > CLOSE * start; i++) {
        double spare = (1 - LEFT) * (gap - least);
        double further = fmax(spare / speed, until_plane(kind, at, dx, &n, radius + gap - spare));
        if (s + further >= most)
            return most;
        for (int j = 0; j < 12; j++)
            at[j] = x[j] + (s + further) * dx[j];
        n = lil_pair_nearest(kind, at);
        gap = sqrt(n.D) - radius;
        if (!(gap > least)) /* round-off of points that are far from each other, or dx is not finite */
            return s;
        s += further;
    }
    return s;
}
