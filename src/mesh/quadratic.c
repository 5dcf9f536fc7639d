#include "mesh/quadratic.h"

#include "math/matrix3.h"

#include <math.h>
#include <string.h>

const int lil_tet_edge_ends[LIL_TET_EDGES][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };

int lil_tet_edge_between(int a, int b)
{
    static const int number[4][4] = { { -1, 0, 2, 3 }, { 0, -1, 1, 4 }, { 2, 1, -1, 5 }, { 3, 4, 5, -1 } };
    return number[a][b];
}

/* L_k = 1/4 + 3 t, the others 1/4 - t, with r = 4 t */
#define POINTS_(r)                                                                                                   \
    { (1 + 3 * (r)) / 4, (1 - (r)) / 4, (1 - (r)) / 4, (1 - (r)) / 4 },                                              \
        { (1 - (r)) / 4, (1 + 3 * (r)) / 4, (1 - (r)) / 4, (1 - (r)) / 4 },                                          \
        { (1 - (r)) / 4, (1 - (r)) / 4, (1 + 3 * (r)) / 4, (1 - (r)) / 4 },                                          \
    {                                                                                                                \
        (1 - (r)) / 4, (1 - (r)) / 4, (1 - (r)) / 4, (1 + 3 * (r)) / 4                                               \
    }
const double lil_quadratic_points[LIL_QUADRATIC_POINTS][4] = { POINTS_(0.44721359549995794),
                                                               POINTS_(0.5481728219499559),
                                                               POINTS_(-0.3154465997208116) };
#undef POINTS_

const double lil_quadratic_places[LIL_QUADRATIC_NODES][4] = {
    { 1, 0, 0, 0 },     { 0, 1, 0, 0 },     { 0, 0, 1, 0 },     { 0, 0, 0, 1 },     { 0.5, 0.5, 0, 0 },
    { 0, 0.5, 0.5, 0 }, { 0.5, 0, 0.5, 0 }, { 0.5, 0, 0, 0.5 }, { 0, 0.5, 0, 0.5 }, { 0, 0, 0.5, 0.5 },
};

/* ---- shape functions ---- */

void lil_quadratic_shape(const double L[4], double N[LIL_QUADRATIC_NODES])
{
    for (int a = 0; a < 4; a++)
        N[a] = L[a] * (2 * L[a] - 1);
    for (int k = 0; k < LIL_TET_EDGES; k++)
        N[4 + k] = 4 * L[lil_tet_edge_ends[k][0]] * L[lil_tet_edge_ends[k][1]];
}

void lil_quadratic_slopes(const double L[4], double slopes[LIL_QUADRATIC_NODES][3])
{
    static const double dL[4][3] = { { -1, -1, -1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int d = 0; d < 3; d++) {
        for (int a = 0; a < 4; a++)
            slopes[a][d] = (4 * L[a] - 1) * dL[a][d];
        for (int k = 0; k < LIL_TET_EDGES; k++) {
            int a = lil_tet_edge_ends[k][0], b = lil_tet_edge_ends[k][1];
            slopes[4 + k][d] = 4 * (L[a] * dL[b][d] + L[b] * dL[a][d]);
        }
    }
}

/* ---- where it is ---- */

double lil_quadratic_jacobian(const double *x, const int nodes[LIL_QUADRATIC_NODES], const double L[4], double J[9])
{
    double slopes[LIL_QUADRATIC_NODES][3];
    const double *x0 = x + 3 * (size_t)nodes[0]; /* from here, so that places far out lose no digits */
    lil_quadratic_slopes(L, slopes);
    memset(J, 0, 9 * sizeof *J);
    for (int i = 1; i < LIL_QUADRATIC_NODES; i++)
        for (int k = 0; k < 9; k++)
            J[k] += (x[3 * (size_t)nodes[i] + (size_t)(k / 3)] - x0[k / 3]) * slopes[i][k % 3];
    return lil_determinant3(J);
}

double lil_quadratic_gradient(const double *X, const double *x, const int nodes[LIL_QUADRATIC_NODES],
                              const double L[4], double F[9])
{
    double D[9], J[9], C[9];
    double det = lil_quadratic_jacobian(X, nodes, L, D);
    lil_quadratic_jacobian(x, nodes, L, J);
    lil_cofactor3(D, C); /* det D D^-T */
    lil_multiply3_nt(J, C, F);
    for (int k = 0; k < 9; k++)
        F[k] /= det;
    return det;
}

/* Quadrature of degree 5 with 14 points (Walkington 2000): two orbits (1 - 3 a, a, a, a) and (1/2 - b, 1/2 - b, b, b). */
enum { INNER = 14 };

static double inner_point(int i, double L[4])
{
    static const double a[2] = { 0.31088591926330060980, 0.092735250310891226402 }, b = 0.045503704125649649492;
    static const double weight[3] = { 0.11268792571801585080, 0.073493043116361949544, 0.042546020777081466438 };
    for (int k = 0; k < 4; k++)
        L[k] = i < 8 ? (i % 4 == k ? 1 - 3 * a[i / 4] : a[i / 4]) : b;
    for (int k = 0; i >= 8 && k < 2; k++)
        L[lil_tet_edge_ends[i - 8][k]] = 0.5 - b;
    return weight[i < 8 ? i / 4 : 2];
}

/* det J is of degree 3 */
double lil_quadratic_volume(const double *x, const int nodes[LIL_QUADRATIC_NODES])
{
    double L[4], J[9], volume = 0;
    for (int i = 0; i < INNER; i++) {
        double weight = inner_point(i, L);
        volume += weight * lil_quadratic_jacobian(x, nodes, L, J) / 6;
    }
    return volume;
}

double lil_quadratic_narrowest(const double *x, const int nodes[LIL_QUADRATIC_NODES])
{
    double straight = lil_tet_volume(x, nodes), least = INFINITY, J[9];
    for (int i = 0; i < LIL_QUADRATIC_NODES; i++)
        least = fmin(least, lil_quadratic_jacobian(x, nodes, lil_quadratic_places[i], J) / 6);
    for (int i = 0; i < LIL_QUADRATIC_POINTS; i++)
        least = fmin(least, lil_quadratic_jacobian(x, nodes, lil_quadratic_points[i], J) / 6);
    for (int part = 0; part < LIL_TET_PARTS; part++) {
        int room[4];
        const int *tet = lil_tet_part((const int(*)[4])nodes, (const int(*)[6])(nodes + 4), part, room);
        least = fmin(least, LIL_TET_PARTS * lil_tet_volume(x, tet));
    }
    return least / straight;
}

/* ---- mass, and faces ---- */

void lil_quadratic_lump(const double *x, const int nodes[LIL_QUADRATIC_NODES], double mass[LIL_QUADRATIC_NODES])
{
    double L[4], N[LIL_QUADRATIC_NODES], J[9], volume = 0, sum = 0;
    memset(mass, 0, LIL_QUADRATIC_NODES * sizeof *mass);
    for (int i = 0; i < INNER; i++) {
        double weight = inner_point(i, L), part = weight * lil_quadratic_jacobian(x, nodes, L, J) / 6;
        lil_quadratic_shape(L, N);
        volume += part;
        for (int k = 0; k < LIL_QUADRATIC_NODES; k++)
            mass[k] += part * N[k] * N[k];
    }
    for (int k = 0; k < LIL_QUADRATIC_NODES; k++)
        sum += mass[k];
    for (int k = 0; k < LIL_QUADRATIC_NODES; k++)
        mass[k] *= volume / sum;
}

/* Quadrature of degree 4 with 6 points: two orbits (1 - 2 a, a, a). */
double lil_quadratic_face(const double *x, const int nodes[6], double share[6])
{
    static const double a[2] = { 0.44594849091596488632, 0.09157621350977074346 };
    static const double weight[2] = { 0.22338158967801146570, 0.10995174365532186764 };
    double area = 0;
    memset(share, 0, 6 * sizeof *share);
    for (int p = 0; p < 6; p++) {
        double L[3], u[3] = { 0 }, v[3] = { 0 }, n[3];
        for (int k = 0; k < 3; k++)
            L[k] = k == p % 3 ? 1 - 2 * a[p / 3] : a[p / 3];
        const double N[6] = { L[0] * (2 * L[0] - 1), L[1] * (2 * L[1] - 1), L[2] * (2 * L[2] - 1),
                              4 * L[0] * L[1],       4 * L[1] * L[2],       4 * L[2] * L[0] };
        const double by1[6] = { 1 - 4 * L[0], 4 * L[1] - 1, 0, 4 * (L[0] - L[1]), 4 * L[2], -4 * L[2] };
        const double by2[6] = { 1 - 4 * L[0], 0, 4 * L[2] - 1, -4 * L[1], 4 * L[1], 4 * (L[0] - L[2]) };
        for (int i = 1; i < 6; i++)
            for (int d = 0; d < 3; d++) {
                double e = x[3 * (size_t)nodes[i] + (size_t)d] - x[3 * (size_t)nodes[0] + (size_t)d];
                u[d] += by1[i] * e;
                v[d] += by2[i] * e;
            }
        lil_cross3(u, v, n);
        double part = weight[p / 3] * sqrt(lil_dot3(n, n)) / 2;
        area += part;
        for (int i = 0; i < 6; i++)
            share[i] += part * N[i];
    }
    return area;
}

/* ---- parts ---- */

const int *lil_tet_part(const int (*tets)[4], const int (*mids)[6], int part, int room[4])
{
    /* numbers of nodes */
    static const int parts[LIL_TET_PARTS][4] = { { 0, 4, 6, 7 }, { 4, 1, 5, 8 }, { 6, 5, 2, 9 }, { 7, 8, 9, 3 },
                                                 { 6, 8, 4, 5 }, { 6, 8, 5, 9 }, { 6, 8, 9, 7 }, { 6, 8, 7, 4 } };
    if (!mids)
        return tets[part];
    const int *tet = tets[part / LIL_TET_PARTS], *mid = mids[part / LIL_TET_PARTS];
    for (int k = 0; k < 4; k++) {
        int node = parts[part % LIL_TET_PARTS][k];
        room[k] = node < 4 ? tet[node] : mid[node - 4];
    }
    return room;
}
