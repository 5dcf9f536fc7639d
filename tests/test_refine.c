/* Refinement: meshes stay meshes of the same body, as fine as asked for where asked for, and as well shaped as before. */
#include "core/field.h"
#include "mesh/fill/refine.h"
#include "mesh/make/shape.h"
#include "test.h"

#include <float.h>

static lil_context *ctx;

enum { CONFIG_MAX = 1024 };

static void make(lil_arena *arena, const char *name, const char *options, lil_mesh *mesh)
{
    _Alignas(max_align_t) char config[CONFIG_MAX] = { 0 };
    const lil_shape *shape = lil_shape_find(name);
    lil_fields_default(shape->fields, shape->field_count, config);
    MUST(lil_fields_parse(ctx, shape->fields, shape->field_count, config, options));
    MUST(shape->make(ctx, arena, config, mesh));
}

static double distance(const double *a, const double *b)
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* No edge is longer than the nearest vertex of its tet allows; that is further away than the tet's box, which decides. */
static void check_fine(const lil_mesh *mesh, const lil_fineness *f)
{
    for (int t = 0; t < mesh->tet_count; t++) {
        double longest = 0, nearest = INFINITY;
        for (int i = 0; i < 4; i++) {
            const double *x = mesh->x + 3 * mesh->tets[t][i];
            nearest = fmin(nearest, distance(x, f->centre));
            for (int j = 0; j < i; j++)
                longest = fmax(longest, distance(x, mesh->x + 3 * mesh->tets[t][j]));
        }
        CHECK(longest <= (f->edge + f->growth * fmax(0, nearest - f->radius)) * (1 + 4 * DBL_EPSILON));
    }
}

/* Neighbours match: a hanging vertex would leave faces inside the body, and the surface would have more area. */
static void check_same_body(lil_arena *arena, const lil_mesh *before, lil_mesh *mesh)
{
    lil_mesh_faults faults;
    double round_off = 10 * mesh->tet_count * DBL_EPSILON; /* a term each */
    MUST(lil_mesh_check(ctx, arena, mesh, &faults));
    CHECK(faults.count == 0);
    if (faults.count)
        printf("  %s\n", faults.sentences[0]);
    MUST(lil_mesh_surface(ctx, arena, mesh));
    CHECK_NEAR(lil_mesh_volume(mesh) / lil_mesh_volume(before), 1, round_off);
    CHECK_NEAR(lil_mesh_area(mesh) / lil_mesh_area(before), 1, round_off);
}

static double smallest_angle(const lil_mesh *mesh)
{
    double least = 180;
    for (int t = 0; t < mesh->tet_count; t++)
        least = fmin(least, lil_tet_dihedral(mesh->x, mesh->tets[t]));
    return least;
}

TEST(same_body)
{
    static const struct {
        const char *name, *options;
        lil_fineness list[2];
        int count;
    } cases[] = {
        { "box", "pattern=6 cells=2,2,2", { { { 0, 0, 0.5 }, 0.05, 0.03, 0.4 } }, 1 },
        { "box", "cells=1,2,3", { { { 0.2, 0.1, 0.5 }, 0.1, 0.05, 0.5 } }, 1 },
        { "ball", "cells=2", { { { 0.5, 0, 0 }, 0, 0.04, 1 }, { { -0.4, 0, 0.1 }, 0.1, 0.05, 0.7 } }, 2 },
        { "torus", "", { { { 0.5, 0, 0 }, 0.05, 0.04, 0.6 } }, 1 },
        { "cylinder", "", { { { 5, 5, 5 }, 0, 0.07, 0 } }, 1 }, /* as fine everywhere */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lil_arena arena = { 0 };
        lil_mesh before, mesh;
        int(*between)[2];
        make(&arena, cases[i].name, cases[i].options, &before);
        MUST(lil_mesh_surface(ctx, &arena, &before));
        mesh = before;
        MUST(lil_mesh_refine(ctx, &arena, cases[i].list, cases[i].count, &mesh, &between));
        CHECK(mesh.tet_count > 2 * before.tet_count && between);
        check_same_body(&arena, &before, &mesh);
        for (int k = 0; k < cases[i].count; k++)
            check_fine(&mesh, &cases[i].list[k]);
        CHECK(memcmp(mesh.x, before.x, 3 * (size_t)before.vertex_count * sizeof *mesh.x) == 0);
        for (int v = before.vertex_count; v < mesh.vertex_count; v++)
            for (int d = 0; d < 3; d++) {
                const int *e = between[v - before.vertex_count];
                CHECK(e[0] < v && e[1] < v);
                CHECK(mesh.x[3 * v + d] == mesh.x[3 * e[0] + d] / 2 + mesh.x[3 * e[1] + d] / 2);
            }
        lil_arena_free(&arena);
    }
}

/* All that is cut from Kuhn's tets has three shapes, whatever the depth; the smallest angle of these is Kuhn's own, 45 degrees. */
TEST(shapes_do_not_get_worse)
{
    for (int k = 1; k <= (test_small() ? 6 : 12); k++) {
        lil_arena arena = { 0 };
        lil_mesh mesh;
        int(*between)[2];
        make(&arena, "box", "pattern=6 cells=1,1,1", &mesh);
        lil_fineness f = { .centre = { 0, 0, 0.5 }, .edge = 1.8 / (1 << k), .growth = 1 };
        MUST(lil_mesh_refine(ctx, &arena, &f, 1, &mesh, &between));
        CHECK(smallest_angle(&mesh) > 45 - 1e-9);
        lil_arena_free(&arena);
    }
}

/* Far finer at one place costs a number of tets in proportion to the logarithm: as many for each halving. */
TEST(grading_is_cheap)
{
    int tets[3];
    for (int k = 0; k < 3; k++) {
        lil_arena arena = { 0 };
        lil_mesh mesh;
        int(*between)[2];
        make(&arena, "box", "pattern=6 cells=1,1,1", &mesh);
        lil_fineness f = { .centre = { 0, 0, 0.5 }, .edge = 1.8 / (1 << (6 + 2 * k)), .growth = 1 };
        MUST(lil_mesh_refine(ctx, &arena, &f, 1, &mesh, &between));
        tets[k] = mesh.tet_count;
        lil_arena_free(&arena);
    }
    CHECK(tets[1] > tets[0]);
    CHECK_NEAR((double)(tets[2] - tets[1]) / (tets[1] - tets[0]), 1,
               1e-12); /* the same pattern, a quarter as large */
}

TEST(groups_grow)
{
    lil_arena arena = { 0 };
    lil_mesh mesh;
    int(*between)[2];
    make(&arena, "box", "pattern=6 cells=2,2,2", &mesh);
    lil_fineness f = { .centre = { 0.5, 0.5, 0.5 }, .edge = 0.1, .growth = 0.3 };
    MUST(lil_mesh_refine(ctx, &arena, &f, 1, &mesh, &between));
    for (int g = 0; g < mesh.group_count; g++) {
        const lil_group *group = &mesh.groups[g];
        int axis = g / 2, count = 0;
        for (int v = 0; v < mesh.vertex_count; v++)
            count += mesh.x[3 * v + axis] == (g % 2 ? 0.5 : -0.5);
        CHECK(group->vertex_count == count && count > 0);
        for (int k = 0; k < group->vertex_count; k++) {
            CHECK(mesh.x[3 * group->vertices[k] + axis] == (g % 2 ? 0.5 : -0.5));
            CHECK(k == 0 || group->vertices[k] > group->vertices[k - 1]);
        }
    }
    lil_arena_free(&arena);
}

TEST(nothing_to_do_and_too_much)
{
    lil_arena arena = { 0 };
    lil_mesh mesh;
    int(*between)[2];
    make(&arena, "box", "", &mesh);
    int tets = mesh.tet_count;
    lil_fineness coarse = { .edge = 2 }, endless = { .edge = 1e-9 };
    MUST(lil_mesh_refine(ctx, &arena, &coarse, 1, &mesh, &between));
    CHECK(mesh.tet_count == tets && !between);
    if (!test_small()) {
        CHECK(lil_mesh_refine(ctx, &arena, &endless, 1, &mesh, &between) == LIL_ERR_LIMIT);
        CHECK(strstr(lil_context_message(ctx), "'refine' would make more than 2 million tets"));
        CHECK(mesh.tet_count == tets);
    }
    lil_arena_free(&arena);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(same_body);
    RUN(shapes_do_not_get_worse);
    RUN(grading_is_cheap);
    RUN(groups_grow);
    RUN(nothing_to_do_and_too_much);
    lil_context_destroy(&ctx);
    return test_end();
}
