/*
 * Pairs of surface features that can touch: a point and a triangle, or two edges. Both are four points x_0 .. x_3 and
 * weights c that add up to nothing; their nearest points differ by r:
 *
 *     r = sum c_i x_i,   D = |r|^2 = min over the weights
 *
 *     point and triangle   c = (1, -w_1, -w_2, -w_3),  w >= 0,  sum w = 1
 *     edge and edge        c = (1 - s, s, -(1 - t), -t),  s and t in [0, 1]
 *
 * A triangle's edge or vertex that is nearest needs no case of its own: the weights reach their bounds there. The
 * weights that are not at a bound are free; each changes c along a direction, whose entries are 1, -1 and 0.
 */
#ifndef LIL_GEOMETRY_PAIR_H
#define LIL_GEOMETRY_PAIR_H

#include <stdbool.h>

typedef enum lil_pair_kind { LIL_POINT_TRIANGLE, LIL_EDGE_EDGE } lil_pair_kind;

typedef struct lil_closest {
    double c[4], r[3], D;
    int free;               /* how many weights are free: 0, 1 or 2 */
    double direction[2][4]; /* of c, for each */
} lil_closest;

lil_closest lil_pair_nearest(lil_pair_kind kind, const double x[12]);
/* D alone, to round-off. */
double lil_pair_square(lil_pair_kind kind, const double x[12]);

/* slope[a][3 i + k]: the derivative of free weight a by coordinate k of x_i. */
void lil_pair_slopes(const double x[12], const lil_closest *nearest, double slope[2][12]);

/* No two points of the features come nearer to each other than by this while the points move by dx. */
double lil_pair_approach(lil_pair_kind kind, const double dx[12]);

/*
 * The largest s <= 1 such that the gap sqrt(D) - radius stays above `keep` of its value at s = 0 while the points
 * move from x to x + s dx: conservative advancement, each advance no longer than a bound on how fast the features
 * approach, or a plane between them, allows. It never passes an impact; features that graze each other for long may
 * stop it early. 0: there is no gap at the start. A result of `most` or more is not exact: the minimum over many
 * pairs does not depend on their order.
 */
double lil_pair_reach(lil_pair_kind kind, const double x[12], const double dx[12], double radius, double keep,
                      double most);

/* Whether boxes around both features tell that it is `most`: quick, and false where they do not. dx is finite. */
bool lil_pair_stays_apart(lil_pair_kind kind, const double x[12], const double dx[12], double radius, double keep,
                          double most);

#endif
