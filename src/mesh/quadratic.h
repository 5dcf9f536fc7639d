/*
 * One quadratic tet: 4 corners, and a node on each edge, in the order of VTK: 01 12 02 03 13 23. With L the barycentric
 * coordinates of a point of the tet,
 *
 *     N_a = L_a (2 L_a - 1),   N_ab = 4 L_a L_b,   x(L) = sum_i N_i(L) x_i,
 *
 * and J = dx/d(L1, L2, L3). Where the nodes are in the middle of straight edges, x is linear in L and det J is 6 V.
 */
#ifndef LIL_MESH_QUADRATIC_H
#define LIL_MESH_QUADRATIC_H

#include "mesh/mesh.h"

enum {
    LIL_TET_EDGES = 6,
    LIL_QUADRATIC_NODES = 10,
    LIL_QUADRATIC_POINTS = 12,
    LIL_TET_PARTS = 8,
    LIL_FACE_PARTS = 4
};

extern const int lil_tet_edge_ends[LIL_TET_EDGES][2]; /* 01 12 02 03 13 23 */
int lil_tet_edge_between(int a, int b);               /* its number; a and b are different corners */

/* All points at which its elastic energy may be evaluated (terms/tet_mix.h): L of the four of a straight tet, then of the
 * eight of a curved one. Each group has equal weights. */
enum { LIL_STRAIGHT_POINTS = 4 };
extern const double lil_quadratic_points[LIL_QUADRATIC_POINTS][4];
extern const double lil_quadratic_places[LIL_QUADRATIC_NODES][4]; /* L of the nodes */

static inline void lil_quadratic_nodes(const int tet[4], const int mids[6], int nodes[LIL_QUADRATIC_NODES])
{
    for (int k = 0; k < LIL_QUADRATIC_NODES; k++)
        nodes[k] = k < 4 ? tet[k] : mids[k - 4];
}

/* N_i, and its slopes by L1, L2, L3, at L. */
void lil_quadratic_shape(const double L[4], double N[LIL_QUADRATIC_NODES]);
void lil_quadratic_slopes(const double L[4], double slopes[LIL_QUADRATIC_NODES][3]);

/* dx/d(L1, L2, L3) by rows; returns its determinant. */
double lil_quadratic_jacobian(const double *x, const int nodes[LIL_QUADRATIC_NODES], const double L[4], double J[9]);
/* F = dx/dX at L; returns det dX/dL. */
double lil_quadratic_gradient(const double *X, const double *x, const int nodes[LIL_QUADRATIC_NODES],
                              const double L[4], double F[9]);

double lil_quadratic_volume(const double *x, const int nodes[LIL_QUADRATIC_NODES]); /* exact, also if it is curved */
/* How little is left of the straight tet where the curved one is narrowest: the least of det J / (6 V) at the nodes and
 * at all points above, and of the parts' volumes over V/8. 1: straight; not positive: it is folded. */
double lil_quadratic_narrowest(const double *x, const int nodes[LIL_QUADRATIC_NODES]);

/* Positive masses of the nodes for a density of 1: the diagonal of the consistent mass, scaled to the mass of the tet
 * (Hinton, Rock and Zienkiewicz 1976). Straight: V/36 at corners, 4 V/27 at mid nodes, so their centre is exact, and
 * the tet's own second moments are 110/54 times the exact ones (of a linear tet, 5 times). */
void lil_quadratic_lump(const double *x, const int nodes[LIL_QUADRATIC_NODES], double mass[LIL_QUADRATIC_NODES]);

/* The integrals of N_i over a quadratic face: its corners, and the nodes on its edges 01, 12, 20. Flat and straight: 0 at
 * corners, a third of the area at the others. Returns their sum, the area. */
double lil_quadratic_face(const double *x, const int nodes[6], double share[6]);

/* ---- linear tets that fill it ---- */

/* Part `part` of a list of tets: of linear ones (mids NULL) the tet itself, of quadratic ones tet part / 8 is cut at its
 * mid nodes into its four corners and the octahedron between, in four along 02-13. Returned are its vertices; `room`
 * has room for them. */
const int *lil_tet_part(const int (*tets)[4], const int (*mids)[6], int part, int room[4]);

static inline int lil_tet_parts(int tet_count, const int (*mids)[6])
{
    return mids ? LIL_TET_PARTS * tet_count : tet_count;
}

#endif
