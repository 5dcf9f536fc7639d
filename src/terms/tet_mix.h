/*
 * Quadratic tets: ten nodes, corners x_i and mid nodes, so that x_il is between corners i and l, and x_ii = x_i. With
 * barycentric coordinates L, where L_k = 1/4 + 3 t, others 1/4 - t, and r = 4 t,
 *
 *     x(L) = sum_i L_i (2 L_i - 1) x_i + sum_{i<l} 4 L_i L_l x_il
 *     y_i(k) = dx/dL_i = 4 r x_ik + (1 - r) sum_l x_il - x_ii
 *
 * A tet with the vertices y_i has the F of the quadratic one at that point, because F is the derivative of x by the
 * differences of L, over the same at rest. So four quadrature points k = 0 ... 3 are four linear tets. Their edges are
 * those of the four corner tets, k's of the vertices x_0k, x_1k, x_2k and x_3k, mixed:
 *
 *     E_a(k) = x_(a+1)k - x_0k
 *     D_a(k) = own E_a(k) + all sum_l E_a(l) - ends (E_a(0) + E_a(a+1)),    own = 4 r s,  all = (1 - r) s,  ends = s
 *
 * s^3 is the weight of a point, so that det D/6 is its volume: then each point is a linear tet in every respect, and
 * the volumes add up. Forces go back by the transpose.
 *
 * A straight tet has four points, r = 1/sqrt 5: they integrate products of two gradients exactly. A curved one has
 * eight, which integrate degree 3: gradients of shape functions times cof dX/dL, hence its volume, and that constant
 * stress has no force inside a body (the patch test). Both rules have equal weights and points within the tet:
 * sum t^2 and sum t^3 over two equal groups are 1/40 and 1/480.
 */
#ifndef LIL_TERMS_TET_MIX_H
#define LIL_TERMS_TET_MIX_H

#include "math/lanes.h"

#include <stdbool.h>

enum { LIL_TET_NODES = 10 };

/* own 1, others 0: linear tets */
typedef struct lil_mix {
    double own, all, ends;
} lil_mix;

extern const lil_mix lil_mix_linear;
extern const lil_mix lil_mix_straight;
extern const lil_mix lil_mix_curved[2]; /* four points each */
extern const lil_mix lil_mix_centre;    /* four times the centre */

/* The number of x_il among the nodes: corners, then the middles of 01, 12, 02, 03, 13 and 23. */
extern const int lil_tet_node[4][4];

static inline bool lil_mixes(const lil_mix *mix)
{
    return mix->ends != 0;
}

/* What E_a(l) adds to D_a(k). */
static inline double lil_mix_weight(const lil_mix *mix, int a, int k, int l)
{
    return (k == l ? mix->own : 0) + mix->all - (l == 0 || l == a + 1 ? mix->ends : 0);
}

LIL_INLINE lil_lanes lil_lanes_total(lil_lanes x)
{
    lil_lanes pairs = x + __builtin_shufflevector(x, x, 1, 0, 3, 2);
    return pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
}

/* D from E, four points in lanes: D[3 d + a] */
LIL_INLINE void lil_mix_edges(const lil_mix *mix, lil_lanes D[9])
{
    for (int d = 0; d < 9; d += 3)
        for (int a = 0; a < 3; a++) {
            lil_lanes E = D[d + a];
            D[d + a] = mix->own * E + (mix->all * lil_lanes_total(E) - mix->ends * (E[0] + E[a + 1]));
        }
}

/* and forces on E from those on D: g[3 a + d] */
LIL_INLINE void lil_mix_forces(const lil_mix *mix, const lil_lanes g[9], lil_lanes mixed[9])
{
    for (int a = 0; a < 3; a++) {
        lil_lanes weight = lil_lanes_all(mix->all);
        weight[0] -= mix->ends;
        weight[a + 1] -= mix->ends;
        for (int d = 0; d < 3; d++)
            mixed[3 * a + d] = mix->own * g[3 * a + d] + weight * lil_lanes_total(g[3 * a + d]);
    }
}

/* K of the ten nodes from a point's K over y, added: K_(il)(jm) += c_il K_ij c_jm with y_i(k) = sum_l c_il x_il */
void lil_mix_matrix(const lil_mix *mix, int k, const double point[144], double nodes[900]);

#endif
