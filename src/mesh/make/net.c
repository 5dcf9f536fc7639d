/* net: a grid of particles, linked along its rows and columns. grid: along both diagonals of each cell too. */
#include "core/field.h"
#include "mesh/make/arrangement.h"
#include "mesh/make/shapes.h"

typedef struct config {
    lil_list size, cells;
} config;

static void add_edge(lil_edges *edges, int i, int j)
{
    edges->at[edges->count][0] = i;
    edges->at[edges->count++][1] = j;
}

static void link_all(const int cells[2], bool diagonals, lil_edges *edges)
{
    int row = cells[1] + 1; /* particles along y */
    for (int i = 0; i <= cells[0]; i++)
        for (int j = 0; j <= cells[1]; j++) {
            int v = i * row + j;
            if (i < cells[0])
                add_edge(edges, v, v + row);
            if (j < cells[1])
                add_edge(edges, v, v + 1);
            if (!diagonals || i == cells[0] || j == cells[1])
                continue;
            add_edge(edges, v, v + row + 1);
            add_edge(edges, v + 1, v + row);
        }
}

/* Two of each cell. */
static lil_status cover(lil_context *ctx, lil_arena *arena, const int cells[2], lil_edges *edges)
{
    int row = cells[1] + 1;
    LIL_ALLOC(ctx, arena, edges->triangles, 2 * (size_t)cells[0] * (size_t)cells[1]);
    LIL_ALLOC(ctx, arena, edges->loose, (size_t)cells[0] * (size_t)cells[1]);
    for (int i = 0; i < cells[0]; i++)
        for (int j = 0; j < cells[1]; j++) {
            int v = i * row + j, *one = edges->triangles[edges->triangle_count++],
                *other = edges->triangles[edges->triangle_count++];
            one[0] = other[0] = v;
            one[1] = v + row;
            one[2] = other[1] = v + row + 1;
            other[2] = v + 1;
            edges->loose[edges->loose_count][0] = v + 1;
            edges->loose[edges->loose_count++][1] = v + row;
        }
    return LIL_OK;
}

static lil_status make(lil_context *ctx, lil_arena *arena, const config *c, const char *name, bool diagonals,
                       lil_mesh *mesh, lil_edges *edges)
{
    static const double size_preset[2] = { 1, 1 }, cells_preset[2] = { 10, 10 };
    double size[2];
    int cells[2];
    LIL_TRY(lil_shape_numbers(ctx, "size", &c->size, size_preset, 2, size));
    LIL_TRY(lil_shape_cells(ctx, &c->cells, cells_preset, 2, cells));
    double nx = cells[0] + 1., ny = cells[1] + 1.;
    double most = 2 * nx * ny + (diagonals ? 2. * cells[0] * cells[1] : 0);
    LIL_TRY(lil_arrangement_alloc(ctx, arena, name, nx * ny, most, 4, mesh, edges));
    int row = cells[1] + 1;
    LIL_TRY(lil_arrangement_group(ctx, arena, mesh, "left", 0, 1, row));
    LIL_TRY(lil_arrangement_group(ctx, arena, mesh, "right", cells[0] * row, 1, row));
    LIL_TRY(lil_arrangement_group(ctx, arena, mesh, "front", 0, row, cells[0] + 1));
    LIL_TRY(lil_arrangement_group(ctx, arena, mesh, "back", cells[1], row, cells[0] + 1));
    double *x = mesh->x;
    for (int i = 0; i <= cells[0]; i++)
        for (int j = 0; j <= cells[1]; j++, x += 3) {
            x[0] = lil_shape_along(size[0], i, cells[0]);
            x[1] = lil_shape_along(size[1], j, cells[1]);
        }
    link_all(cells, diagonals, edges);
    return diagonals ? cover(ctx, arena, cells, edges) : LIL_OK;
}

static lil_status make_grid(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh, lil_edges *edges)
{
    return make(ctx, arena, data, "grid", true, mesh, edges);
}

static lil_status make_net(lil_context *ctx, lil_arena *arena, const void *data, lil_mesh *mesh, lil_edges *edges)
{
    return make(ctx, arena, data, "net", false, mesh, edges);
}

static const lil_field fields[] = {
    LIL_FIELD_LIST(config, size, 1e-9, 1e9, "m", "lengths along x and y (default [1, 1])"),
    LIL_FIELD_LIST(config, cells, 1, 1e6, "", "number of cells along x and y (default [10, 10])"),
};

const lil_arrangement lil_grid = {
    .name = "grid",
    .doc = "Cloth: particles in rows and columns centred at the origin, linked along rows, along columns and "
           "along both diagonals of each cell. Its sides are the groups left, right (x), front, back (y).",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .make = make_grid,
};

const lil_arrangement lil_net = {
    .name = "net",
    .doc = "A grid without diagonals, which shears freely. Its sides are groups like those of a grid.",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .make = make_net,
};
