/*
 * ball: 20 tets from the middle to the faces of an icosahedron, each cut into n^3 by Freudenthal's subdivision, and
 * every layer blown up to a sphere. Freudenthal: the points 0 <= z <= y <= x <= n of a grid, cut by Kuhn's six tets
 * per cell, are a tet whose faces are cut regularly whatever the order of its corners, so that neighbours always
 * match.
 *
 * The inside of the tet depends on the order: with corners 0, 1, 2, 3, octahedra are cut along 02-13. Exchanging 1
 * and 3 changes nothing. Mirrored in a coordinate plane, a face is another face, or itself with the two corners on
 * one axis exchanged. So with these two as 1 and 3, the mesh is its own mirror image in all three planes, and a body
 * that is hit in its middle does not turn or go aside because of its mesh.
 */
#include "core/field.h"
#include "math/matrix3.h"
#include "mesh/make/shapes.h"

#include <math.h>
#include <string.h>

typedef struct config {
    double radius;
    int cells;
} config;

static const lil_field fields[] = {
    LIL_FIELD_REAL(config, radius, 0.5, 1e-9, 1e9, "m", "radius of the ball"),
    LIL_FIELD_INTEGER(config, cells, 4, 1, 100, "", "number of cells along the radius; n cells make 20 n^3 tets"),
};

/* ---- the icosahedron ---- */

enum { CORNERS = 12, EDGES = 30, FACES = 20 };

/* (0, +-1, +-g), (+-1, +-g, 0), (+-g, 0, +-1), g the golden ratio: neighbours are 2 apart */
typedef struct icosahedron {
    double corner[CORNERS][3];
    int edge[EDGES][2], edge_of[CORNERS][CORNERS];
    int face[FACES][3];
} icosahedron;

static bool are_neighbours(const icosahedron *ico, int a, int b)
{
    double square = 0;
    for (int d = 0; d < 3; d++)
        square += pow(ico->corner[a][d] - ico->corner[b][d], 2);
    return a != b && square < 5; /* 4, or more than 10 */
}

/* a < b < c, so their axes do not fall. The corner in the middle is the one whose axis no other has, or that of
 * axis 1. */
static void order_face(int face[3], int a, int b, int c)
{
    int middle = a / 4 == b / 4 ? c : b / 4 == c / 4 ? a : b;
    memcpy(face, (int[3]){ middle == a ? b : a, middle, middle == c ? b : c }, sizeof(int[3]));
}

static void make_icosahedron(icosahedron *ico)
{
    double golden = (1 + sqrt(5)) / 2;
    int edges = 0, faces = 0;
    for (int i = 0; i < CORNERS; i++) {
        int axis = i / 4;
        ico->corner[i][axis] = 0;
        ico->corner[i][(axis + 1) % 3] = i & 1 ? 1 : -1;
        ico->corner[i][(axis + 2) % 3] = i & 2 ? golden : -golden;
    }
    for (int a = 0; a < CORNERS; a++)
        for (int b = a + 1; b < CORNERS; b++) {
            if (!are_neighbours(ico, a, b))
                continue;
            ico->edge_of[a][b] = edges;
            ico->edge[edges][0] = a;
            ico->edge[edges++][1] = b;
            for (int c = b + 1; c < CORNERS; c++)
                if (are_neighbours(ico, a, c) && are_neighbours(ico, b, c))
                    order_face(ico->face[faces++], a, b, c);
        }
}

/* ---- vertices: the middle, then layer after layer: corners, insides of edges, insides of faces ---- */

/* in layer k: 12 corners, 30 edges with k - 1 vertices, 20 faces with (k - 1)(k - 2)/2 */
static int layer_start(int k)
{
    return k ? 1 + (10 * (k - 1) * (k - 1) * (k - 1) + 15 * (k - 1) * (k - 1) + 11 * (k - 1)) / 3 : 0;
}

static int edge_vertex(const icosahedron *ico, int layer, int a, int b, int step) /* `step` of `layer` from a to b */
{
    if (step == 0 || step == layer)
        return layer_start(layer) + (step ? b : a);
    bool turned = a > b;
    int edge = turned ? ico->edge_of[b][a] : ico->edge_of[a][b];
    return layer_start(layer) + CORNERS + edge * (layer - 1) + (turned ? layer - step : step) - 1;
}

/* Face f in layer x: y steps from its first corner towards the second, z of them turned towards the third. */
static int vertex_at(const icosahedron *ico, int f, int x, int y, int z)
{
    const int *c = ico->face[f];
    if (x == 0)
        return 0;
    if (z == 0)
        return edge_vertex(ico, x, c[0], c[1], y);
    if (y == z)
        return edge_vertex(ico, x, c[0], c[2], y);
    if (y == x)
        return edge_vertex(ico, x, c[1], c[2], z);
    int inside = (x - 1) * (x - 2) / 2; /* rows y = 2, 3, ... hold 1, 2, ... */
    return layer_start(x) + CORNERS + EDGES * (x - 1) + f * inside + (y - 1) * (y - 2) / 2 + z - 1;
}

/* The direction of the point that divides the spherical triangle as x - y, y - z, z divide x: the corners weighted by
 * sines, which along each edge is the division into equal angles, the same from both faces. */
static void place(const icosahedron *ico, int f, double radius, int n, int x, int y, int z, double *out)
{
    double weight[3] = { x - y, y - z, z }, length = 0, p[3] = { 0 };
    double side = acos(1 / sqrt(5)); /* angle between neighbouring corners */
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++)
            p[d] += (x ? sin(side * weight[i] / x) : 0) * ico->corner[ico->face[f][i]][d];
    for (int d = 0; d < 3; d++)
        length += p[d] * p[d];
    double scale = x ? radius * x / n / sqrt(length) : 0;
    for (int d = 0; d < 3; d++)
        out[d] = scale * p[d];
}

/* ---- tets ---- */

/* Kuhn's ways through a cell, as steps along axes */
static const int ways[6][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 1, 0, 2 }, { 2, 1, 0 } };

/* The tet along `way` from `start`; false: it is outside of the big one. */
static bool walk(const icosahedron *ico, int f, int n, const int start[3], const int way[3], bool odd, int tet[4])
{
    int p[3] = { start[0], start[1], start[2] };
    for (int k = 0; k < 4; k++) {
        if (k)
            p[way[k - 1]]++;
        if (p[2] > p[1] || p[1] > p[0] || p[0] > n)
            return false;
        tet[odd && k >= 2 ? 5 - k : k] = vertex_at(ico, f, p[0], p[1], p[2]);
    }
    return true;
}

static void fill(const icosahedron *ico, int f, double radius, int n, lil_mesh *mesh, int *t)
{
    const int *c = ico->face[f];
    bool clockwise = lil_triple3(ico->corner[c[0]], ico->corner[c[1]], ico->corner[c[2]]) < 0; /* from outside */
    int tet[4];
    for (int x = 0; x <= n; x++)
        for (int y = 0; y <= x; y++)
            for (int z = 0; z <= y; z++) {
                place(ico, f, radius, n, x, y, z, mesh->x + 3 * (size_t)vertex_at(ico, f, x, y, z));
                for (int w = 0; w < 6; w++)
                    if (walk(ico, f, n, (int[3]){ x, y, z }, ways[w], (w >= 3) != clockwise, tet))
                        memcpy(mesh->tets[(*t)++], tet, sizeof tet);
            }
}

static lil_status check(lil_context *ctx, const void *data)
{
    double n = ((const config *)data)->cells;
    return lil_shape_check_tets(ctx, FACES * n * n * n);
}

static lil_status make(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh)
{
    const config *c = data;
    int n = c->cells, t = 0;
    icosahedron ico = { 0 };
    LIL_TRY(lil_shape_alloc(ctx, arena, "ball", layer_start(n + 1), 20 * n * n * n, mesh));
    make_icosahedron(&ico);
    for (int f = 0; f < FACES; f++)
        fill(&ico, f, c->radius, n, mesh, &t);
    return LIL_OK;
}

static bool middle(const void *data, const double a[3], const double b[3], double x[3])
{
    double radius = ((const config *)data)->radius;
    return lil_shape_round(3, radius, a, b, x);
}

const lil_shape lil_ball = {
    .name = "ball",
    .doc = "A ball centred at the origin.",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .check = check,
    .make = make,
    .middle = middle,
};
