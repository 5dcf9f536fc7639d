/*
 * cylinder and torus: a disc, moved along a line or around a ring. The disc is six sectors of equilateral triangles,
 * each ring of which is bent to a circle: ring k has 6 k vertices. Each prism between two discs is cut into 3 tets.
 */
#include "core/field.h"
#include "mesh/make/shapes.h"

#include <math.h>

static const double TURN = 2 * 3.14159265358979323846;

/* ---- the disc ---- */

static int disc_vertices(int n)
{
    return 1 + 3 * n * (n + 1);
}

static int disc_triangles(int n)
{
    return 6 * n * n;
}

static int ring_start(int k)
{
    return k ? disc_vertices(k - 1) : 0;
}

/* vertex `i` of ring k, where 6 k follows on 0 */
static int ring_vertex(int k, int i)
{
    return k ? ring_start(k) + i % (6 * k) : 0;
}

/* Where its vertices are; NULL: no memory. */
static double (*disc_places(lil_arena *arena, int n, double radius))[2]
{
    double(*places)[2] = lil_arena_alloc(arena, (size_t)disc_vertices(n), sizeof *places);
    for (int k = 1; places && k <= n; k++)
        for (int i = 0; i < 6 * k; i++) {
            double angle = TURN * i / (6 * k), *p = places[ring_vertex(k, i)];
            p[0] = radius * k / n * cos(angle);
            p[1] = radius * k / n * sin(angle);
        }
    return places;
}

/* Triangle `index` in ring k = 1, 2, ...: in each sector k that point outwards and k - 1 that point inwards.
 * Counter-clockwise. */
static void disc_triangle(int k, int sector, int index, int v[3])
{
    int outer = sector * k, inner = sector * (k - 1);
    if (index < k) {
        v[0] = ring_vertex(k - 1, inner + index);
        v[1] = ring_vertex(k, outer + index);
        v[2] = ring_vertex(k, outer + index + 1);
    } else {
        index -= k;
        v[0] = ring_vertex(k - 1, inner + index);
        v[1] = ring_vertex(k, outer + index + 1);
        v[2] = ring_vertex(k - 1, inner + index + 1);
    }
}

/* ---- sweeping it ---- */

/* A prism from discs `low` to `high`; the diagonal of a side runs from the lesser vertex below to the greater above, or
 * the other way round in odd layers, so that both prisms at that side agree. */
static void cut_prism(int low, int high, const int triangle[3], bool odd, int (*tets)[4])
{
    int v[3] = { triangle[0], triangle[1], triangle[2] };
    bool turned = odd;
    for (int i = 0; i < 3; i++) {
        int k = i == 1 ? 1 : 0, swap = v[k];
        if (v[k] > v[k + 1]) {
            v[k] = v[k + 1];
            v[k + 1] = swap;
            turned = !turned;
        }
    }
    int below = odd ? high : low, above = odd ? low : high;
    for (int t = 0; t < 3;
         t++, turned = !turned) { /* a b c c', a b b' c', a a' b' c': the middle one is left-handed */
        int tet[4], n = 0;
        for (int i = 0; i <= 2 - t; i++)
            tet[n++] = below + v[i];
        for (int i = 2 - t; i <= 2; i++)
            tet[n++] = above + v[i];
        for (int i = 0; i < 4; i++)
            tets[t][i] = tet[turned && i >= 2 ? 5 - i : i];
    }
}

static void sweep(lil_mesh *mesh, int n, int layers, int discs)
{
    int t = 0, size = disc_vertices(n), triangle[3];
    for (int l = 0; l < layers; l++)
        for (int k = 1; k <= n; k++)
            for (int sector = 0; sector < 6; sector++)
                for (int i = 0; i < 2 * k - 1; i++, t += 3) {
                    disc_triangle(k, sector, i, triangle);
                    cut_prism(l * size, (l + 1) % discs * size, triangle, l % 2, mesh->tets + t);
                }
}

static double swept_tets(const int cells[2])
{
    return 18.0 * cells[0] * cells[0] * cells[1];
}

/* ---- cylinder ---- */

typedef struct cylinder {
    double radius, height;
    lil_list cells;
} cylinder;

static const double cylinder_cells[2] = { 3, 12 };

static const lil_field cylinder_fields[] = {
    LIL_FIELD_REAL(cylinder, radius, 0.25, 1e-9, 1e9, "m", "radius of the cylinder"),
    LIL_FIELD_REAL(cylinder, height, 1, 1e-9, 1e9, "m", "height along z"),
    LIL_FIELD_LIST(cylinder, cells, 1, 1e7, "",
                   "number of cells along the radius and along the height (default [3, 12])"),
};

static lil_status check_cylinder(lil_context *ctx, const void *data)
{
    const cylinder *c = data;
    int cells[2];
    LIL_TRY(lil_shape_cells(ctx, &c->cells, cylinder_cells, 2, cells));
    return lil_shape_check_tets(ctx, swept_tets(cells));
}

static lil_status make_cylinder(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh)
{
    const cylinder *c = data;
    int cells[2];
    LIL_TRY(check_cylinder(ctx, data));
    LIL_TRY(lil_shape_cells(ctx, &c->cells, cylinder_cells, 2, cells));
    int n = cells[0], layers = cells[1], size = disc_vertices(n);
    LIL_TRY(lil_shape_alloc(ctx, arena, "cylinder", size * (layers + 1), 3 * disc_triangles(n) * layers, mesh));
    double(*disc)[2] = disc_places(arena, n, c->radius), *x = mesh->x;
    LIL_HAVE(ctx, disc);
    for (int l = 0; l <= layers; l++)
        for (int v = 0; v < size; v++, x += 3) {
            x[0] = disc[v][0];
            x[1] = disc[v][1];
            x[2] = lil_shape_along(c->height, l, layers);
        }
    sweep(mesh, n, layers, layers + 1);
    const lil_shape_side sides[] = { { "bottom", 2, -c->height / 2 }, { "top", 2, c->height / 2 } };
    return lil_shape_sides(ctx, arena, mesh, sides, 2);
}

/* Between neighbours on the side, at the same angle it is straight along it; on the ends only the rims are curved. */
static bool middle_of_cylinder(const void *data, const double a[3], const double b[3], double x[3])
{
    return lil_shape_round(2, ((const cylinder *)data)->radius, a, b, x);
}

const lil_shape lil_cylinder = {
    .name = "cylinder",
    .doc = "A cylinder along z, centred at the origin. Its ends are the groups bottom and top.",
    LIL_FIELDS(cylinder_fields),
    .config_size = sizeof(cylinder),
    .check = check_cylinder,
    .make = make_cylinder,
    .middle = middle_of_cylinder,
};

/* ---- torus ---- */

typedef struct torus {
    double major, minor;
    lil_list cells;
} torus;

static const double torus_cells[2] = { 2, 40 };

static const lil_field torus_fields[] = {
    LIL_FIELD_REAL(torus, major, 0.5, 1e-9, 1e9, "m", "distance from the axis to the centre of the tube"),
    LIL_FIELD_REAL(torus, minor, 0.15, 1e-9, 1e9, "m", "radius of the tube; less than major"),
    LIL_FIELD_LIST(torus, cells, 1, 1e7, "",
                   "number of cells along the minor radius and around the axis (default [2, 40])"),
};

static lil_status check_torus(lil_context *ctx, const void *data)
{
    const torus *c = data;
    int cells[2];
    LIL_TRY(lil_shape_cells(ctx, &c->cells, torus_cells, 2, cells));
    if (!(c->minor < c->major))
        return lil_fail(ctx, LIL_ERR_INPUT, "'minor' is %.9g, but must be less than 'major', %.9g", c->minor,
                        c->major);
    if (cells[1] < 3)
        return lil_fail(ctx, LIL_ERR_INPUT, "'cells' must be at least 3 around the axis, not %d", cells[1]);
    return lil_shape_check_tets(ctx, swept_tets(cells));
}

static lil_status make_torus(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh)
{
    const torus *c = data;
    int cells[2];
    LIL_TRY(check_torus(ctx, data));
    LIL_TRY(lil_shape_cells(ctx, &c->cells, torus_cells, 2, cells));
    int n = cells[0], layers = cells[1], size = disc_vertices(n);
    LIL_TRY(lil_shape_alloc(ctx, arena, "torus", size * layers, 3 * disc_triangles(n) * layers, mesh));
    double(*disc)[2] = disc_places(arena, n, c->minor), *x = mesh->x;
    LIL_HAVE(ctx, disc);
    for (int l = 0; l < layers; l++) {
        double angle = TURN * l / layers, out[2] = { cos(angle), sin(angle) };
        for (int v = 0; v < size; v++, x += 3) {
            x[0] = (c->major + disc[v][0]) * out[0];
            x[1] = (c->major + disc[v][0]) * out[1];
            x[2] = -disc[v][1]; /* so that the disc is counter-clockwise seen from ahead */
        }
    }
    sweep(mesh, n, layers, layers);
    return LIL_OK;
}

/* A place relative to the centre of the tube at its angle around the axis: outwards and along it; and that angle. */
static double in_tube(double major, const double x[3], double p[2])
{
    p[0] = hypot(x[0], x[1]) - major;
    p[1] = x[2];
    return atan2(x[1], x[0]);
}

/* In angles around the axis and the tube, half-way between. */
static bool middle_of_torus(const void *data, const double a[3], const double b[3], double x[3])
{
    const torus *c = data;
    double pa[2], pb[2], angle = in_tube(c->major, a, pa), other = in_tube(c->major, b, pb);
    double middle[2] = { (pa[0] + pb[0]) / 2, (pa[1] + pb[1]) / 2 };
    if (!lil_shape_round(2, c->minor, pa, pb, middle))
        return false;
    angle += remainder(other - angle, TURN) / 2;
    x[0] = (c->major + middle[0]) * cos(angle);
    x[1] = (c->major + middle[0]) * sin(angle);
    x[2] = middle[1];
    return true;
}

const lil_shape lil_torus = {
    .name = "torus",
    .doc = "A ring around the z axis, centred at the origin.",
    LIL_FIELDS(torus_fields),
    .config_size = sizeof(torus),
    .check = check_torus,
    .make = make_torus,
    .middle = middle_of_torus,
};
