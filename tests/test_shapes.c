/* Shapes: closed surfaces of the right topology, volumes that are exact or converge, tets of good shape at every
 * resolution. */
#include "core/field.h"
#include "mesh/make/shape.h"
#include "test.h"

#include <float.h>

static lil_context *ctx;
static const double PI = 3.14159265358979323846;

/* ---- making one ---- */

enum { CONFIG_MAX = 1024 };

static lil_status make(lil_arena *arena, const char *name, const char *options, lil_mesh *mesh)
{
    _Alignas(max_align_t) char config[CONFIG_MAX] = { 0 };
    const lil_shape *shape = lil_shape_find(name);
    lil_fields_default(shape->fields, shape->field_count, config);
    lil_status status = lil_fields_parse(ctx, shape->fields, shape->field_count, config, options);
    if (status == LIL_OK && shape->check)
        status = shape->check(ctx, config);
    if (status == LIL_OK)
        status = shape->make(ctx, arena, config, mesh);
    return status == LIL_OK ? lil_mesh_surface(ctx, arena, mesh) : status;
}

/* ---- what holds for every body ---- */

static int order_pair(const void *x, const void *y)
{
    return memcmp(x, y, 2 * sizeof(int)); /* any order will do */
}

/* vertices - edges + faces of the surface */
static int euler_characteristic(const lil_mesh *mesh)
{
    int(*edges)[2] = malloc(3 * (size_t)mesh->face_count * sizeof *edges), count = 0, vertices = 0;
    bool *seen = calloc((size_t)mesh->vertex_count, sizeof *seen);
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int a = mesh->faces[f][k], b = mesh->faces[f][(k + 1) % 3];
            vertices += !seen[a];
            seen[a] = true;
            edges[3 * f + k][0] = a < b ? a : b;
            edges[3 * f + k][1] = a < b ? b : a;
        }
    qsort(edges, 3 * (size_t)mesh->face_count, sizeof *edges, order_pair);
    for (int i = 0; i < 3 * mesh->face_count; i++)
        count += i == 0 || memcmp(edges[i], edges[i - 1], sizeof *edges) != 0;
    free(edges);
    free(seen);
    return vertices - count + mesh->face_count;
}

/* The surface closes: its area vectors sum to zero, and the divergence theorem gives the tets' volume. */
static void check_closed(const lil_mesh *mesh)
{
    double sum[3] = { 0 }, volume = 0, area = lil_mesh_area(mesh);
    for (int f = 0; f < mesh->face_count; f++) {
        const double *a = mesh->x + 3 * mesh->faces[f][0], *b = mesh->x + 3 * mesh->faces[f][1],
                     *c = mesh->x + 3 * mesh->faces[f][2];
        for (int d = 0; d < 3; d++) {
            int i = (d + 1) % 3, j = (d + 2) % 3;
            double n = ((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i])) / 2;
            sum[d] += n;
            volume += n * a[d] / 3;
        }
    }
    double round_off = mesh->face_count * DBL_EPSILON; /* a term each */
    for (int d = 0; d < 3; d++)
        CHECK_NEAR(sum[d], 0, round_off * area);
    CHECK_NEAR(volume / lil_mesh_volume(mesh), 1, 10 * round_off);
}

static void check_body(lil_arena *arena, const lil_mesh *mesh, int euler)
{
    lil_mesh_faults faults;
    MUST(lil_mesh_check(ctx, arena, mesh, &faults));
    CHECK(faults.count == 0);
    if (faults.count)
        printf("  %s\n", faults.sentences[0]);
    check_closed(mesh);
    CHECK(euler_characteristic(mesh) == euler);
}

static double smallest_angle(const lil_mesh *mesh)
{
    double least = 180;
    for (int t = 0; t < mesh->tet_count; t++)
        least = fmin(least, lil_tet_dihedral(mesh->x, mesh->tets[t]));
    return least;
}

static double worst_quality(const lil_mesh *mesh)
{
    double least = 1;
    for (int t = 0; t < mesh->tet_count; t++)
        least = fmin(least, lil_tet_quality(mesh->x, mesh->tets[t]));
    return least;
}

/* ---- bar and box ---- */

TEST(bars)
{
    static const struct {
        const char *name, *options;
        int vertices, tets;
        double volume, angle; /* of cubic cells: atan(sqrt 2), or 45 degrees */
    } cases[] = {
        { "bar", "", 9 * 3 * 3, 5 * 8 * 2 * 2, 1.0 / 16, 54.7356 },
        { "bar", "pattern=6", 9 * 3 * 3, 6 * 8 * 2 * 2, 1.0 / 16, 45 },
        { "bar", "cells=3,1,1 size=3,1,1", 4 * 2 * 2, 15, 3, 54.7356 },
        { "bar", "cells=1,1,1 size=1,2,3 pattern=6", 8, 6, 6, 10 },
        { "box", "", 125, 320, 1, 54.7356 },
        { "box", "cells=2,3,5 size=0.2,0.3,0.5", 3 * 4 * 6, 150, 0.03, 54.7356 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lil_arena arena = { 0 };
        lil_mesh mesh;
        MUST(make(&arena, cases[i].name, cases[i].options, &mesh));
        CHECK(mesh.vertex_count == cases[i].vertices && mesh.tet_count == cases[i].tets);
        CHECK_NEAR(lil_mesh_volume(&mesh) / cases[i].volume, 1, mesh.tet_count * DBL_EPSILON);
        CHECK(smallest_angle(&mesh) > cases[i].angle - 1e-3);
        check_body(&arena, &mesh, 2);
        lil_arena_free(&arena);
    }
}

/* x slowest, then y, then z: what scenes that name vertices rely on */
TEST(bar_numbers_its_vertices)
{
    lil_arena arena = { 0 };
    lil_mesh mesh;
    MUST(make(&arena, "bar", "cells=4,3,2 size=4,3,2", &mesh));
    for (int v = 0; v < mesh.vertex_count; v++) {
        int i = v / (4 * 3), j = v / 3 % 4, k = v % 3;
        CHECK(mesh.x[3 * v] == i - 2 && mesh.x[3 * v + 1] == j - 1.5 && mesh.x[3 * v + 2] == k - 1);
    }
    static const struct {
        const char *name;
        int axis, count;
        double at;
    } sides[] = { { "left", 0, 12, -2 },  { "right", 0, 12, 2 },   { "front", 1, 15, -1.5 },
                  { "back", 1, 15, 1.5 }, { "bottom", 2, 20, -1 }, { "top", 2, 20, 1 } };
    CHECK(mesh.group_count == 6);
    for (int g = 0; g < mesh.group_count && g < 6; g++) {
        const lil_group *group = &mesh.groups[g];
        CHECK(strcmp(group->name, sides[g].name) == 0 && group->vertex_count == sides[g].count);
        for (int i = 0; i < group->vertex_count; i++) {
            CHECK(mesh.x[3 * group->vertices[i] + sides[g].axis] == sides[g].at);
            CHECK(i == 0 || group->vertices[i] > group->vertices[i - 1]);
        }
    }
    lil_arena_free(&arena);
}

/* further planes, given in any order, between those of the grid */
TEST(cuts)
{
    static const double x[] = { -2, -1.999, -1, 0, 0.25, 0.5, 1, 1.75, 2 };
    lil_arena arena = { 0 };
    lil_mesh mesh;
    MUST(make(&arena, "bar", "cells=4,3,2 size=4,3,2 cuts=1.75,-1.999,0.5,0.25", &mesh));
    CHECK(mesh.vertex_count == 9 * 4 * 3 && mesh.tet_count == 5 * 8 * 3 * 2);
    for (int v = 0; v < mesh.vertex_count; v++)
        CHECK_NEAR(mesh.x[3 * v], x[v / 12], 1e-15);
    CHECK(mesh.groups[0].vertex_count == 12 && mesh.groups[1].vertex_count == 12);
    CHECK_NEAR(lil_mesh_volume(&mesh), 24, 1e-12);
    check_body(&arena, &mesh, 2);
    lil_arena_free(&arena);
}

/* sides are found at any size: their coordinate is exact */
TEST(sides_of_odd_sizes)
{
    for (int n = 1; n < 12; n++) {
        lil_arena arena = { 0 };
        lil_mesh mesh;
        char options[80];
        snprintf(options, sizeof options, "cells=%d,2,3 size=0.1,%.17g,1e-7", n, 1.0 / 3 + n);
        MUST(make(&arena, "bar", options, &mesh));
        CHECK(mesh.groups[0].vertex_count == 12 && mesh.groups[1].vertex_count == 12);
        CHECK(mesh.groups[2].vertex_count == 4 * (n + 1) && mesh.groups[3].vertex_count == 4 * (n + 1));
        CHECK(mesh.groups[4].vertex_count == 3 * (n + 1) && mesh.groups[5].vertex_count == 3 * (n + 1));
        snprintf(options, sizeof options, "height=%.17g cells=2,%d", 0.1 * n, n);
        MUST(make(&arena, "cylinder", options, &mesh));
        CHECK(mesh.group_count == 2 && mesh.groups[0].vertex_count == 19 && mesh.groups[1].vertex_count == 19);
        lil_arena_free(&arena);
    }
}

/* ---- round ones ---- */

/* how far a vertex is from the surface, along the normal */
static double ball_distance(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 0.5;
}

static double cylinder_distance(const double *x)
{
    return fmax(hypot(x[0], x[1]) - 0.25, fabs(x[2]) - 0.5);
}

static double torus_distance(const double *x)
{
    return hypot(hypot(x[0], x[1]) - 0.5, x[2]) - 0.15;
}

static const struct round {
    const char *name;
    int along; /* second number of cells a first; 0: there is none */
    double (*distance)(const double *x);
    double volume;
    int euler;
    double angle, quality; /* bounds from below at every resolution, for any resolution */
} rounds[] = {
    { "ball", 0, ball_distance, 4 * 3.14159265358979323846 / 3 / 8, 2, 35, 0.5 },
    { "cylinder", 4, cylinder_distance, 3.14159265358979323846 / 16, 2, 30, 0.6 },
    { "torus", 20, torus_distance, 2 * 3.14159265358979323846 * 3.14159265358979323846 * 0.5 * 0.15 * 0.15, 0, 25,
      0.55 },
};

static void make_round(lil_arena *arena, const struct round *r, int n, lil_mesh *mesh)
{
    char options[80];
    snprintf(options, sizeof options, r->along ? "cells=%d,%d" : "cells=%d", n, r->along * n);
    MUST(make(arena, r->name, options, mesh));
}

static void check_on_surface(const struct round *r, const lil_mesh *mesh)
{
    bool *outer = calloc((size_t)mesh->vertex_count, sizeof *outer);
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++)
            outer[mesh->faces[f][k]] = true;
    for (int v = 0; v < mesh->vertex_count; v++) {
        double distance = r->distance(mesh->x + 3 * v);
        if (outer[v])
            CHECK_NEAR(distance, 0, 4 * DBL_EPSILON); /* of lengths up to 1: a few roundings */
        else
            CHECK(distance < -1e-3);
    }
    free(outer);
}

TEST(round_bodies)
{
    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++)
        for (int n = 1; n <= (test_small() ? 4 : 9); n++) {
            lil_arena arena = { 0 };
            lil_mesh mesh;
            make_round(&arena, &rounds[i], n, &mesh);
            check_body(&arena, &mesh, rounds[i].euler);
            check_on_surface(&rounds[i], &mesh);
            CHECK(smallest_angle(&mesh) > rounds[i].angle);
            CHECK(worst_quality(&mesh) > rounds[i].quality);
            lil_arena_free(&arena);
        }
}

TEST(counts_of_round_bodies)
{
    for (int n = 1; n <= 6; n++) {
        lil_arena arena = { 0 };
        lil_mesh mesh;
        int disc = 1 + 3 * n * (n + 1), inside = 1;
        make_round(&arena, &rounds[0], n, &mesh);
        for (int k = 1; k <= n; k++)
            inside += 10 * k * k + 2;
        CHECK(mesh.tet_count == 20 * n * n * n && mesh.vertex_count == inside && mesh.face_count == 20 * n * n);
        make_round(&arena, &rounds[1], n, &mesh);
        CHECK(mesh.tet_count == 18 * n * n * 4 * n && mesh.vertex_count == disc * (4 * n + 1));
        make_round(&arena, &rounds[2], n, &mesh);
        CHECK(mesh.tet_count == 18 * n * n * 20 * n && mesh.vertex_count == disc * 20 * n);
        lil_arena_free(&arena);
    }
}

/* Flat faces under a smooth surface: what is missing is of second order. With twice the cells the error falls by 4, up to
 * terms of fourth order, which are at most a tenth of it here. */
TEST(volumes_converge_with_second_order)
{
    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        double error[3];
        for (int level = 0; level < 3; level++) {
            lil_arena arena = { 0 };
            lil_mesh mesh;
            make_round(&arena, &rounds[i], 2 << level, &mesh);
            error[level] = rounds[i].volume - lil_mesh_volume(&mesh);
            lil_arena_free(&arena);
        }
        CHECK(error[2] > 0); /* inscribed */
        for (int level = 0; level < 2; level++)
            CHECK_NEAR(log2(error[level] / error[level + 1]), 2, 0.1);
    }
}

static void centre_of(const lil_mesh *mesh, int tet, double c[3])
{
    for (int k = 0; k < 3; k++) {
        c[k] = 0;
        for (int i = 0; i < 4; i++)
            c[k] += mesh->x[3 * mesh->tets[tet][i] + k] / 4;
    }
}

static bool has_centre(const lil_mesh *mesh, const double c[3])
{
    bool found = false;
    for (int t = 0; t < mesh->tet_count && !found; t++) {
        double other[3];
        centre_of(mesh, t, other);
        found = fabs(other[0] - c[0]) + fabs(other[1] - c[1]) + fabs(other[2] - c[2]) < 1e-12;
    }
    return found;
}

/* Tets too, not only the surface: a ball that is hit in its middle must not go aside. Centres of different tets are further apart than 1e-12. */
TEST(balls_are_their_own_mirror_images)
{
    for (int n = 1; n <= (test_small() ? 2 : 4); n++) {
        lil_arena arena = { 0 };
        lil_mesh mesh;
        make_round(&arena, &rounds[0], n, &mesh);
        for (int t = 0; t < mesh.tet_count; t++)
            for (int k = 0; k < 3; k++) {
                double c[3];
                centre_of(&mesh, t, c);
                c[k] = -c[k];
                CHECK(has_centre(&mesh, c));
            }
        lil_arena_free(&arena);
    }
}

/* ---- bad options ---- */

TEST(bad_options)
{
    static const struct {
        const char *name, *options, *sentence;
    } bad[] = {
        { "bar", "cells=1,2", "'cells' must have 3 numbers, not 2" },
        { "bar", "size=1,2,3,4", "'size' must have 3 numbers, not 4" },
        { "bar", "size=1,0,1", "'size' must be between 1e-09 and 1e+09, not 0" },
        { "bar", "cells=1,2.5,1", "'cells' must be whole numbers from 1, not 2.5" },
        { "bar", "cuts=0.5", "'cuts' must lie between -0.5 and 0.5, not at 0.5" },
        { "bar", "cuts=-7", "'cuts' must lie between -0.5 and 0.5, not at -7" },
        { "bar", "cuts=0.1250000001", "'cuts' at 0.125 would leave a cell 1e-10 m thin" },
        { "bar", "cuts=0.1,0.1", "'cuts' at 0.1 would leave a cell 0 m thin" },
        { "bar", "cells=1,0,1", "'cells' must be between 1 and 1e+07, not 0" },
        { "box", "cells=200,200,200", "'cells' would make 40 million tets, more than 2 million" },
        { "box", "cells=1e7,1e7,1e7", "more than 2 million" },
        { "box", "pattern=7", "'pattern' must be one of 5, 6, not '7'" },
        { "ball", "cells=101", "'cells' must be between 1 and 100, not 101" },
        { "ball", "cells=50", "'cells' would make 2.5 million tets, more than 2 million" },
        { "ball", "radius=-1", "'radius' must be between" },
        { "cylinder", "cells=3", "'cells' must have 2 numbers, not 1" },
        { "cylinder", "cells=1e5,1", "more than 2 million" },
        { "torus", "major=1 minor=1", "'minor' is 1, but must be less than 'major', 1" },
        { "torus", "cells=2,2", "'cells' must be at least 3 around the axis, not 2" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        lil_arena arena = { 0 };
        lil_mesh mesh;
        CHECK(make(&arena, bad[i].name, bad[i].options, &mesh) != LIL_OK);
        CHECK(strstr(lil_context_message(ctx), bad[i].sentence));
        if (!strstr(lil_context_message(ctx), bad[i].sentence))
            printf("  %s\n", lil_context_message(ctx));
        lil_arena_free(&arena);
    }
}

TEST(registry)
{
    const char *name, *doc;
    const lil_field *fields;
    int count, n = 0;
    for (; lil_shape_entry(n, &name, &doc, &fields, &count); n++) {
        const lil_shape *shape = lil_shape_find(name);
        CHECK(shape && shape == lil_shape_at(n) && shape->config_size <= CONFIG_MAX);
        CHECK(doc[0] && count > 0);
        for (int k = 0; k < count; k++)
            CHECK(fields[k].name && fields[k].doc && fields[k].unit);
    }
    CHECK(n == lil_shape_count() && n == 5);
    CHECK(!lil_shape_at(-1) && !lil_shape_at(n) && !lil_shape_find("cone"));
    CHECK_NEAR(4 * atan(1), PI, 0);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(bars);
    RUN(bar_numbers_its_vertices);
    RUN(cuts);
    RUN(sides_of_odd_sizes);
    RUN(round_bodies);
    RUN(counts_of_round_bodies);
    RUN(volumes_converge_with_second_order);
    RUN(balls_are_their_own_mirror_images);
    RUN(bad_options);
    RUN(registry);
    lil_context_destroy(&ctx);
    return test_end();
}
