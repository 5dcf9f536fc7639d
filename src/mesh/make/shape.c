#include "mesh/make/shape.h"

#include "mesh/make/shapes.h"

#include <math.h>
#include <string.h>

static const lil_shape *const shapes[] = { &lil_bar, &lil_box, &lil_ball, &lil_cylinder, &lil_torus };
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* The limit for a scene of a few words: some 300 bytes each, and more for implicit steps. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static const double TETS_MAX = 2e3;
#else
static const double TETS_MAX = 2e6;
#endif

int lil_shape_count(void)
{
    return SHAPES;
}

const lil_shape *lil_shape_at(int index)
{
    return index >= 0 && index < SHAPES ? shapes[index] : NULL;
}

const lil_shape *lil_shape_find(const char *name)
{
    for (int i = 0; i < SHAPES; i++)
        if (strcmp(shapes[i]->name, name) == 0)
            return shapes[i];
    return NULL;
}

lil_status lil_shape_make(lil_context *ctx, lil_arena *arena, const lil_shape *shape, const void *config,
                          lil_mesh *mesh)
{
    LIL_TRY(shape->check ? shape->check(ctx, config) : LIL_OK);
    LIL_TRY(shape->make(ctx, arena, config, mesh));
    mesh->shape = shape;
    mesh->shape_config = config;
    return LIL_OK;
}

bool lil_shape_entry(int index, const char **name, const char **doc, const lil_field **fields, int *field_count)
{
    const lil_shape *shape = lil_shape_at(index);
    if (!shape)
        return false;
    *name = shape->name;
    *doc = shape->doc;
    *fields = shape->fields;
    *field_count = shape->field_count;
    return true;
}

/* ---- what shapes share ---- */

lil_status lil_shape_numbers(lil_context *ctx, const char *name, const lil_list *list, const double *preset, int n,
                             double *x)
{
    if (list->n != 0 && list->n != n)
        return lil_fail(ctx, LIL_ERR_INPUT, "'%s' must have %d numbers, not %d", name, n, list->n);
    memcpy(x, list->n ? list->x : preset, (size_t)n * sizeof *x);
    return LIL_OK;
}

lil_status lil_shape_cells(lil_context *ctx, const lil_list *list, const double *preset, int n, int *cells)
{
    double x[LIL_LIST_MAX];
    LIL_TRY(lil_shape_numbers(ctx, "cells", list, preset, n, x));
    for (int i = 0; i < n; i++) {
        if (x[i] != floor(x[i]) || x[i] < 1 || x[i] > 1e9)
            return lil_fail(ctx, LIL_ERR_INPUT, "'cells' must be whole numbers from 1, not %.9g", x[i]);
        cells[i] = (int)x[i];
    }
    return LIL_OK;
}

lil_status lil_shape_check_tets(lil_context *ctx, double tets)
{
    if (tets > TETS_MAX)
        return lil_fail(ctx, LIL_ERR_LIMIT, "'cells' would make %.3g million tets, more than %g million", tets / 1e6,
                        TETS_MAX / 1e6);
    return LIL_OK;
}

lil_status lil_shape_alloc(lil_context *ctx, lil_arena *arena, const char *name, int vertices, int tets,
                           lil_mesh *mesh)
{
    *mesh = (lil_mesh){ .name = name, .vertex_count = vertices, .tet_count = tets };
    mesh->x = LIL_NEW(arena, double, 3 * (size_t)vertices);
    mesh->tets = lil_arena_alloc(arena, (size_t)tets, sizeof *mesh->tets);
    return mesh->x && mesh->tets ? LIL_OK : lil_fail_memory(ctx);
}

double lil_shape_along(double length, int i, int cells)
{
    return length / 2 * ((2 * i - cells) / (double)cells);
}

static double radius_of(int n, const double *x)
{
    return n == 2 ? hypot(x[0], x[1]) : hypot(hypot(x[0], x[1]), x[2]);
}

bool lil_shape_round(int n, double radius, const double *a, const double *b, double *x)
{
    static const double ROUND = 1e-9; /* of the radius: what round-off does */
    double now = radius_of(n, x);
    if (fabs(radius_of(n, a) - radius) > ROUND * radius || fabs(radius_of(n, b) - radius) > ROUND * radius ||
        now <= ROUND * radius)
        return false;
    for (int d = 0; d < n; d++)
        x[d] *= radius / now;
    return true;
}

lil_status lil_shape_sides(lil_context *ctx, lil_arena *arena, lil_mesh *mesh, const lil_shape_side *sides, int count)
{
    LIL_ALLOC(ctx, arena, mesh->groups, count);
    mesh->group_count = count;
    for (int s = 0; s < count; s++) {
        lil_group *group = &mesh->groups[s];
        group->name = sides[s].name;
        for (int v = 0; v < mesh->vertex_count; v++)
            group->vertex_count += mesh->x[3 * (size_t)v + sides[s].axis] == sides[s].at;
        LIL_ALLOC(ctx, arena, group->vertices, group->vertex_count);
        int n = 0;
        for (int v = 0; v < mesh->vertex_count; v++)
            if (mesh->x[3 * (size_t)v + sides[s].axis] == sides[s].at)
                group->vertices[n++] = v;
    }
    return LIL_OK;
}
