/* bar and box: a grid of cells, each cut into 5 or 6 tets. */
#include "core/field.h"
#include "mesh/make/shapes.h"

#include <math.h>

typedef struct config {
    lil_list size, cells, cuts;
    int pattern;
} config;

enum { FIVE, SIX };
static const char *const patterns[] = { "5", "6", NULL };

/* Corners of a cell are numbered by bits: 1 for x, 2 for y, 4 for z. */

/* A regular tet in the middle and one at each corner that is left. Neighbouring cells are mirror images, so that their
 * diagonals meet and no direction is preferred. */
static const int five[5][4] = { { 1, 2, 4, 7 }, { 0, 1, 2, 4 }, { 3, 2, 1, 7 }, { 5, 1, 4, 7 }, { 6, 4, 2, 7 } };

/* Kuhn: the six ways along the axes from corner 0 to corner 7. All cells are alike. */
static const int six[6][4] = { { 0, 1, 3, 7 }, { 0, 2, 6, 7 }, { 0, 4, 5, 7 },
                               { 0, 3, 2, 7 }, { 0, 6, 4, 7 }, { 0, 5, 1, 7 } };

static const double bar_size[3] = { 1, 0.25, 0.25 }, bar_cells[3] = { 8, 2, 2 };
static const double box_size[3] = { 1, 1, 1 }, box_cells[3] = { 4, 4, 4 };

/* A cut makes one cell more, of all along y and z. */
static lil_status check_cuts(lil_context *ctx, const config *c, const double size[3], int cells)
{
    for (int i = 0; i < c->cuts.n; i++) {
        double x = c->cuts.x[i], near = INFINITY;
        if (fabs(x) >= size[0] / 2)
            return lil_fail(ctx, LIL_ERR_INPUT, "'cuts' must lie between %g and %g, not at %g", -size[0] / 2,
                            size[0] / 2, x);
        for (int k = 0; k < i; k++)
            near = fmin(near, fabs(x - c->cuts.x[k]));
        int k = (int)round((x / size[0] + 0.5) * cells);
        near = fmin(near, fabs(x - lil_shape_along(size[0], k, cells)));
        if (near < 1e-6 * size[0])
            return lil_fail(ctx, LIL_ERR_INPUT, "'cuts' at %g would leave a cell %.3g m thin", x, near);
    }
    return LIL_OK;
}

static lil_status read_config(lil_context *ctx, const config *c, const double *size_preset,
                              const double *cells_preset, double size[3], int cells[3])
{
    LIL_TRY(lil_shape_numbers(ctx, "size", &c->size, size_preset, 3, size));
    LIL_TRY(lil_shape_cells(ctx, &c->cells, cells_preset, 3, cells));
    LIL_TRY(check_cuts(ctx, c, size, cells[0]));
    cells[0] += c->cuts.n;
    double tets = (c->pattern == SIX ? 6.0 : 5.0) * cells[0] * cells[1] * cells[2];
    return lil_shape_check_tets(ctx, tets);
}

static int vertex_at(const int cells[3], int i, int j, int k)
{
    return (i * (cells[1] + 1) + j) * (cells[2] + 1) + k;
}

/* Where cell i along x begins: the i-th smallest of the planes of the grid and the cuts. */
static double along_x(const config *c, const double size[3], int cells, int i)
{
    double cuts[LIL_LIST_MAX];
    int n = 0;
    for (int k = 0; k < c->cuts.n; k++) { /* sorted in */
        int at = n++;
        for (; at > 0 && cuts[at - 1] > c->cuts.x[k]; at--)
            cuts[at] = cuts[at - 1];
        cuts[at] = c->cuts.x[k];
    }
    for (int k = 0; k < n; k++) { /* cut k comes before plane i - k, or is the one */
        double plane = lil_shape_along(size[0], i - k, cells);
        if (i - k <= cells && plane < cuts[k])
            return plane;
        if (i - k - 1 < 0 || lil_shape_along(size[0], i - k - 1, cells) < cuts[k])
            return cuts[k];
    }
    return lil_shape_along(size[0], i - n, cells);
}

static void place_vertices(lil_mesh *mesh, const config *c, const double size[3], const int cells[3])
{
    double *x = mesh->x;
    for (int i = 0; i <= cells[0]; i++)
        for (int j = 0; j <= cells[1]; j++)
            for (int k = 0; k <= cells[2]; k++, x += 3) {
                x[0] = along_x(c, size, cells[0] - c->cuts.n, i);
                x[1] = lil_shape_along(size[1], j, cells[1]);
                x[2] = lil_shape_along(size[2], k, cells[2]);
            }
}

static void cut_cell(lil_mesh *mesh, const int cells[3], int pattern, int i, int j, int k, int *t)
{
    int mirror = pattern == FIVE && (i + j + k) % 2;
    const int(*cut)[4] = pattern == FIVE ? five : six;
    for (int e = 0; e < (pattern == FIVE ? 5 : 6); e++, ++*t)
        for (int n = 0; n < 4; n++) {
            int corner = cut[e][mirror && n >= 2 ? 5 - n : n] ^ mirror; /* a mirror image turns its vertices round */
            mesh->tets[*t][n] = vertex_at(cells, i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2));
        }
}

static lil_status make(lil_context *ctx, lil_arena *arena, const config *c, const char *name, const double size[3],
                       const int cells[3], lil_mesh *mesh)
{
    int all = cells[0] * cells[1] * cells[2], t = 0;
    int vertices = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    LIL_TRY(lil_shape_alloc(ctx, arena, name, vertices, (c->pattern == SIX ? 6 : 5) * all, mesh));
    place_vertices(mesh, c, size, cells);
    for (int i = 0; i < cells[0]; i++)
        for (int j = 0; j < cells[1]; j++)
            for (int k = 0; k < cells[2]; k++)
                cut_cell(mesh, cells, c->pattern, i, j, k, &t);
    const lil_shape_side sides[] = { { "left", 0, -size[0] / 2 },   { "right", 0, size[0] / 2 },
                                     { "front", 1, -size[1] / 2 },  { "back", 1, size[1] / 2 },
                                     { "bottom", 2, -size[2] / 2 }, { "top", 2, size[2] / 2 } };
    return lil_shape_sides(ctx, arena, mesh, sides, 6);
}

static lil_status check_bar(lil_context *ctx, const void *data)
{
    double size[3];
    int cells[3];
    return read_config(ctx, data, bar_size, bar_cells, size, cells);
}

static lil_status check_box(lil_context *ctx, const void *data)
{
    double size[3];
    int cells[3];
    return read_config(ctx, data, box_size, box_cells, size, cells);
}

static lil_status make_bar(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh)
{
    double size[3];
    int cells[3];
    LIL_TRY(read_config(ctx, data, bar_size, bar_cells, size, cells));
    return make(ctx, arena, data, "bar", size, cells, mesh);
}

static lil_status make_box(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh)
{
    double size[3];
    int cells[3];
    LIL_TRY(read_config(ctx, data, box_size, box_cells, size, cells));
    return make(ctx, arena, data, "box", size, cells, mesh);
}

/* clang-format off */
#define GRID_FIELDS(size_default, cells_default)                                                                     \
    { .name = "size", .kind = LIL_LIST, .offset = offsetof(config, size), .least = 1e-9, .most = 1e9, .unit = "m",   \
      .doc = "lengths along x, y and z (default " size_default ")" },                                                \
    { .name = "cells", .kind = LIL_LIST, .offset = offsetof(config, cells), .least = 1, .most = 1e7, .unit = "",     \
      .doc = "number of cells along x, y and z (default " cells_default ")" },                                        \
    { .name = "cuts", .kind = LIL_LIST, .offset = offsetof(config, cuts), .least = -1e9, .most = 1e9, .unit = "m",   \
      .doc = "x coordinates of further planes that split cells, measured from the middle (default: none)" },              \
    { .name = "pattern", .kind = LIL_CHOICE, .offset = offsetof(config, pattern), .preset = FIVE, .choices = patterns, \
      .unit = "", .doc = "number of tets per cell" }
/* clang-format on */

static const lil_field bar_fields[] = { GRID_FIELDS("[1, 0.25, 0.25]", "[8, 2, 2]") };
static const lil_field box_fields[] = { GRID_FIELDS("[1, 1, 1]", "[4, 4, 4]") };

const lil_shape lil_bar = {
    .name = "bar",
    .doc = "A bar along x, centred at the origin. Its sides are the groups left, right (x), front, back (y), bottom, "
           "top (z).",
    LIL_FIELDS(bar_fields),
    .config_size = sizeof(config),
    .check = check_bar,
    .make = make_bar,
};

const lil_shape lil_box = {
    .name = "box",
    .doc = "A cube or box centred at the origin. Its sides are groups like those of a bar.",
    LIL_FIELDS(box_fields),
    .config_size = sizeof(config),
    .check = check_box,
    .make = make_box,
};
