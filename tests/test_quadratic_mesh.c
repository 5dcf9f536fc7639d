/* Quadratic meshes: shape functions, masses and faces against exact integrals; every format read back in the order of its
 * nodes; curved shapes that converge; faults; points embedded in their parts. */
#include "core/field.h"
#include "mesh/fill/embedding.h"
#include "mesh/make/shape.h"
#include "mesh/mids.h"
#include "mesh/write.h"
#include "test.h"
#include "warned.h"

#include <lilyan/world.h>

#include <float.h>
#include <unistd.h>

static lil_context *ctx;
static lil_arena arena;
static const double PI = 3.14159265358979323846;

enum { NODES = LIL_QUADRATIC_NODES };
static const int OWN[NODES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };

/* Numbers that repeat, from 0 to 1. */
static double next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

/* A tet of some shape, its nodes `bend` away from the middles of its edges. */
static void make_tet(uint32_t seed, double bend, double x[3 * NODES])
{
    static const double corner[4][3] = { { 0, 0, 0 }, { 1, 0.1, 0 }, { 0.2, 0.9, 0.1 }, { -0.1, 0.3, 1.2 } };
    for (int k = 0; k < NODES; k++)
        for (int d = 0; d < 3; d++) {
            x[3 * k + d] = 0;
            for (int a = 0; a < 4; a++)
                x[3 * k + d] += lil_quadratic_places[k][a] * corner[a][d];
            x[3 * k + d] += k < 4 ? 0 : bend * (2 * next(&seed) - 1);
        }
}

static lil_status shape(const char *name, const char *options, lil_mesh *mesh)
{
    const lil_shape *made = lil_shape_find(name);
    void *config = lil_arena_alloc(&arena, 1, made->config_size);
    int(*between)[2];
    lil_fields_default(made->fields, made->field_count, config);
    LIL_TRY(lil_fields_parse(ctx, made->fields, made->field_count, config, options));
    LIL_TRY(lil_shape_make(ctx, &arena, made, config, mesh));
    LIL_TRY(lil_mesh_make_quadratic(ctx, &arena, mesh, &between));
    return lil_mesh_surface(ctx, &arena, mesh);
}

/* ---- one tet ---- */

TEST(shape_functions_are_1_at_their_node_and_sum_to_1)
{
    double N[NODES], slopes[NODES][3];
    for (int i = 0; i < NODES; i++) {
        lil_quadratic_shape(lil_quadratic_places[i], N);
        for (int k = 0; k < NODES; k++)
            CHECK_NEAR(N[k], i == k, 1e-15);
    }
    for (int p = 0; p < LIL_QUADRATIC_POINTS; p++) {
        const double *L = lil_quadratic_points[p], e = 1e-4;
        double sum = 0, slope[3] = { 0 }, more[NODES], less[NODES];
        lil_quadratic_shape(L, N);
        lil_quadratic_slopes(L, slopes);
        for (int k = 0; k < NODES; k++) {
            sum += N[k];
            for (int d = 0; d < 3; d++)
                slope[d] += slopes[k][d];
        }
        CHECK_NEAR(sum, 1, 1e-15);
        CHECK_NEAR(fabs(slope[0]) + fabs(slope[1]) + fabs(slope[2]), 0, 1e-14);
        for (int d = 0; d < 3; d++) { /* central differences of a parabola are exact but for round-off over e */
            double to[4] = { L[0] - e, L[1], L[2], L[3] }, from[4] = { L[0] + e, L[1], L[2], L[3] };
            to[d + 1] += e;
            from[d + 1] -= e;
            lil_quadratic_shape(to, more);
            lil_quadratic_shape(from, less);
            for (int k = 0; k < NODES; k++)
                CHECK_NEAR(slopes[k][d], (more[k] - less[k]) / (2 * e), 1e-11);
        }
    }
}

/* By the midpoint rule, whose error goes as h^2; Richardson's extrapolation leaves h^4. */
static double cut_volume(const double *x, int n)
{
    double volume = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) {
                /* midpoint rule over the cube folded to the tet: L1 = u, L2 = v (1 - u), L3 = w (1 - u)(1 - v) */
                double u = (i + 0.5) / n, v = (j + 0.5) / n, w = (k + 0.5) / n, J[9];
                double L[4] = { 0, u, v * (1 - u), w * (1 - u) * (1 - v) };
                L[0] = 1 - L[1] - L[2] - L[3];
                volume += (1 - u) * (1 - u) * (1 - v) * lil_quadratic_jacobian(x, OWN, L, J) / ((double)n * n * n);
            }
    return volume;
}

TEST(volume_of_a_curved_tet)
{
    for (uint32_t seed = 1; seed <= 3; seed++) {
        double x[3 * NODES];
        make_tet(seed, 0.1, x);
        double exact = (4 * cut_volume(x, 32) - cut_volume(x, 16)) / 3;
        CHECK_NEAR(lil_quadratic_volume(x, OWN), exact, 1e-5 * exact); /* (1/16)^4 = 1.5e-5 times a factor below 1 */
        make_tet(seed, 0, x);
        CHECK_NEAR(lil_quadratic_volume(x, OWN), lil_tet_volume(x, OWN), 1e-15);
        CHECK_NEAR(lil_quadratic_narrowest(x, OWN), 1, 1e-14);
    }
}

/* F of x = A X + b is A, also where the tet is curved; of a quadratic map of a straight tet it is its derivative. */
TEST(gradients_of_affine_and_quadratic_maps)
{
    static const double A[9] = { 1.1, 0.2, 0, -0.1, 0.9, 0.3, 0.05, 0, 1.2 };
    double X[3 * NODES], x[3 * NODES], F[9];
    for (int bent = 0; bent < 2; bent++) {
        make_tet(7, bent ? 0.05 : 0, X);
        for (int i = 0; i < NODES; i++)
            for (int d = 0; d < 3; d++) {
                x[3 * i + d] = d;
                for (int k = 0; k < 3; k++)
                    x[3 * i + d] += A[3 * d + k] * X[3 * i + k];
                x[3 * i + d] += bent ? 0 : 0.2 * X[3 * i] * X[3 * i + d];
            }
        for (int p = 0; p < LIL_QUADRATIC_POINTS; p++) {
            double N[NODES], at[3] = { 0 };
            lil_quadratic_shape(lil_quadratic_points[p], N);
            for (int i = 0; i < 3 * NODES; i++)
                at[i % 3] += N[i / 3] * X[i];
            lil_quadratic_gradient(X, x, OWN, lil_quadratic_points[p], F);
            for (int k = 0; k < 9; k++) {
                double more = 0.2 * ((k % 3 == 0 ? at[k / 3] : 0) + (k / 3 == k % 3 ? at[0] : 0));
                CHECK_NEAR(F[k], A[k] + (bent ? 0 : more), 1e-13);
            }
        }
    }
}

/* Masses are positive and add up to the volume. Straight: the centre is exact, and second moments about it are 110/54 times
 * those of the tet, V/20 sum (x_i - c)(x_i - c)'. */
TEST(lumped_mass)
{
    double x[3 * NODES], mass[NODES];
    for (uint32_t seed = 1; seed <= 4; seed++) {
        double sum = 0;
        make_tet(seed, seed == 1 ? 0 : 0.1, x);
        lil_quadratic_lump(x, OWN, mass);
        for (int k = 0; k < NODES; k++) {
            CHECK(mass[k] > 0);
            sum += mass[k];
        }
        CHECK_NEAR(sum, lil_quadratic_volume(x, OWN), 1e-15);
    }
    make_tet(1, 0, x);
    double V = lil_tet_volume(x, OWN), c[3] = { 0 }, at[3] = { 0 };
    lil_quadratic_lump(x, OWN, mass);
    for (int k = 0; k < NODES; k++)
        for (int d = 0; d < 3; d++) {
            c[d] += k < 4 ? x[3 * k + d] / 4 : 0;
            at[d] += mass[k] * x[3 * k + d] / V;
        }
    for (int k = 0; k < NODES; k++)
        CHECK_NEAR(mass[k] / V, k < 4 ? 1. / 36 : 4. / 27, 1e-14);
    for (int d = 0; d < 9; d++) {
        double lumped = 0, exact = 0;
        for (int k = 0; k < NODES; k++)
            lumped += mass[k] * (x[3 * k + d / 3] - c[d / 3]) * (x[3 * k + d % 3] - c[d % 3]);
        for (int k = 0; k < 4; k++)
            exact += V / 20 * (x[3 * k + d / 3] - c[d / 3]) * (x[3 * k + d % 3] - c[d % 3]);
        CHECK_NEAR(lumped, 110. / 54 * exact, 1e-15);
        CHECK_NEAR(at[d % 3], c[d % 3], 1e-15);
    }
}

TEST(faces_give_their_load_to_mid_nodes)
{
    static const int nodes[6] = { 0, 1, 2, 4, 5, 6 };
    double x[3 * NODES], share[6], sum = 0;
    make_tet(1, 0, x);
    double area = lil_quadratic_face(x, nodes, share);
    for (int k = 0; k < 6; k++)
        CHECK_NEAR(share[k], k < 3 ? 0 : area / 3, 1e-15);
    make_tet(2, 0.1, x);
    area = lil_quadratic_face(x, nodes, share);
    for (int k = 0; k < 6; k++)
        sum += share[k];
    CHECK_NEAR(sum, area, 1e-15); /* shape functions sum to 1 */
}

TEST(parts_fill_the_tet)
{
    for (int bent = 0; bent < 2; bent++) {
        double x[3 * NODES], volume = 0, surface = 0;
        lil_mesh mesh = { .name = "one", .vertex_count = NODES, .tet_count = 1, .x = x };
        int tets[1][4] = { { 0, 1, 2, 3 } }, mids[1][6] = { { 4, 5, 6, 7, 8, 9 } };
        mesh.tets = tets;
        mesh.mids = mids;
        make_tet(3, bent ? 0.1 : 0, x);
        MUST(lil_mesh_surface(ctx, &arena, &mesh));
        for (int p = 0; p < lil_mesh_parts(&mesh); p++) {
            int room[4];
            double part = lil_tet_volume(x, lil_mesh_part(&mesh, p, room));
            CHECK(part > 0);
            volume += part;
        }
        for (int f = 0; f < mesh.face_count; f++) { /* the divergence theorem: 1/6 sum of a . (b x c) */
            const double *a = x + 3 * mesh.faces[f][0], *b = x + 3 * mesh.faces[f][1], *c = x + 3 * mesh.faces[f][2];
            for (int d = 0; d < 3; d++)
                surface += a[d] * (b[(d + 1) % 3] * c[(d + 2) % 3] - b[(d + 2) % 3] * c[(d + 1) % 3]) / 6;
        }
        CHECK(mesh.face_count == 16);
        CHECK_NEAR(volume, surface, 1e-15);
        if (!bent)
            CHECK_NEAR(volume, lil_tet_volume(x, OWN), 1e-15);
    }
}

/* ---- meshes ---- */

static void check_sound(const lil_mesh *mesh)
{
    lil_mesh_faults faults;
    MUST(lil_mesh_check(ctx, &arena, mesh, &faults));
    for (int i = 0; i < faults.count; i++)
        printf("  %s\n", faults.sentences[i]);
    CHECK(faults.count == 0);
}

/* Vertices, edges and faces of the cut surface: 2 for what is like a ball, 0 like a ring. Every edge has two faces. */
static int euler_characteristic(const lil_mesh *mesh)
{
    bool *seen = calloc((size_t)mesh->vertex_count + 1, sizeof *seen);
    int vertices = 0;
    for (int f = 0; f < 3 * mesh->face_count; f++) {
        int v = mesh->faces[f / 3][f % 3];
        vertices += !seen[v];
        seen[v] = true;
    }
    free(seen);
    return vertices - 3 * mesh->face_count / 2 + mesh->face_count;
}

TEST(shapes)
{
    static const struct {
        const char *name, *options;
        int euler;
    } cases[] = { { "bar", "cells=3,2,1", 2 },
                  { "box", "", 2 },
                  { "ball", "cells=2", 2 },
                  { "cylinder", "cells=2,3", 2 },
                  { "torus", "cells=1,24", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        lil_mesh mesh;
        warned[0] = 0;
        MUST(shape(cases[i].name, cases[i].options, &mesh));
        CHECK(mesh.mids && mesh.face_count % 4 == 0);
        check_sound(&mesh);
        CHECK(euler_characteristic(&mesh) == cases[i].euler);
        CHECK(!warned[0]);
    }
}

/* Faces between places on the curved surface that are h apart miss it by h^2, quadratic ones through their middles by h^3
 * and on both sides of it: the volume's error goes as h^2 and h^4. */
static double volume_error(const char *name, const char *options, double exact, bool curved)
{
    lil_mesh mesh;
    if (shape(name, options, &mesh) != LIL_OK)
        return NAN;
    if (!curved && lil_mesh_make_linear(ctx, &arena, &mesh) != LIL_OK)
        return NAN;
    return fabs(lil_mesh_volume(&mesh) / exact - 1);
}

TEST(curved_shapes_converge)
{
    static const struct {
        const char *name, *coarse, *fine;
        double volume;
    } cases[] = {
        { "ball", "radius=1 cells=2", "radius=1 cells=4", 4 / 3. },
        { "cylinder", "radius=1 height=2 cells=2,3", "radius=1 height=2 cells=4,6", 2 },
        { "torus", "major=1 minor=0.5 cells=2,16", "major=1 minor=0.5 cells=4,32", 0.5 * 3.14159265358979323846 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double V = cases[i].volume * PI;
        double straight = log2(volume_error(cases[i].name, cases[i].coarse, V, false) /
                               volume_error(cases[i].name, cases[i].fine, V, false));
        double curved = log2(volume_error(cases[i].name, cases[i].coarse, V, true) /
                             volume_error(cases[i].name, cases[i].fine, V, true));
        printf("    %s: orders %.2f, %.2f; error %.1e\n", cases[i].name, straight, curved,
               volume_error(cases[i].name, cases[i].fine, V, true));
        CHECK_NEAR(straight, 2, 0.15);
        CHECK_NEAR(curved, 4, 0.3);
    }
}

/* A ball of 20 tets from its middle to the faces of an icosahedron: curved ones fit. A torus of 3 layers has edges through
 * which others would pass. */
TEST(edges_that_would_fold_a_tet_stay_straight)
{
    lil_mesh mesh;
    warned[0] = 0;
    MUST(shape("ball", "cells=1", &mesh));
    CHECK(!warned[0]);
    check_sound(&mesh);
    MUST(shape("torus", "major=0.5 minor=0.45 cells=3,3", &mesh));
    CHECK(strstr(warned, "edges of its surface stay straight"));
    check_sound(&mesh);
}

static const lil_group *find_group(const lil_mesh *mesh, const char *name)
{
    for (int g = 0; g < mesh->group_count; g++)
        if (strcmp(mesh->groups[g].name, name) == 0)
            return &mesh->groups[g];
    return NULL;
}

/* A side of a bar has the mid nodes on it, and linear again what it had before. */
TEST(groups_follow)
{
    lil_mesh mesh;
    MUST(shape("bar", "size=2,1,1 cells=4,2,2", &mesh));
    int vertices = mesh.vertex_count, on_side = 0;
    const lil_group *left = find_group(&mesh, "left");
    for (int v = 0; v < vertices; v++)
        on_side += mesh.x[3 * v] == -1;
    CHECK(left && left->vertex_count == on_side);
    for (int i = 0; left && i < left->vertex_count; i++)
        CHECK(mesh.x[3 * left->vertices[i]] == -1 && (!i || left->vertices[i - 1] < left->vertices[i]));
    MUST(lil_mesh_make_linear(ctx, &arena, &mesh));
    MUST(lil_mesh_surface(ctx, &arena, &mesh));
    check_sound(&mesh);
    lil_mesh other;
    MUST(lil_shape_make(ctx, &arena, mesh.shape, mesh.shape_config, &other));
    left = find_group(&mesh, "left");
    CHECK(mesh.vertex_count == other.vertex_count && left->vertex_count == find_group(&other, "left")->vertex_count);
    CHECK(memcmp(mesh.x, other.x, 3 * (size_t)other.vertex_count * sizeof *mesh.x) == 0);
    CHECK(memcmp(mesh.tets, other.tets, (size_t)other.tet_count * sizeof *mesh.tets) == 0);
}

/* ---- files ---- */

/* Two tets that share the face 1 2 3, with bent edges; vertices 5 to 13 are the mid nodes. */
enum { BOTH = 14 };
static const int two[2][4] = { { 0, 1, 2, 3 }, { 1, 2, 3, 4 } };
static const int two_mids[2][6] = { { 5, 6, 7, 8, 9, 10 }, { 6, 10, 9, 11, 12, 13 } };

static void place_two(double x[3 * BOTH])
{
    static const double corner[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } };
    memcpy(x, corner, sizeof corner);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 6; k++)
            for (int d = 0; d < 3; d++)
                x[3 * two_mids[t][k] + d] =
                    (corner[two[t][lil_tet_edge_ends[k][0]]][d] + corner[two[t][lil_tet_edge_ends[k][1]]][d]) / 2 +
                    0.01 * ((two_mids[t][k] + d) % 3);
}

static void check_two(const lil_mesh *mesh)
{
    double x[3 * BOTH];
    place_two(x);
    CHECK(mesh->vertex_count == BOTH && mesh->tet_count == 2 && mesh->mids);
    if (mesh->vertex_count != BOTH || mesh->tet_count != 2 || !mesh->mids)
        return;
    CHECK(memcmp(mesh->x, x, sizeof x) == 0);
    CHECK(memcmp(mesh->tets, two, sizeof two) == 0);
    CHECK(memcmp(mesh->mids, two_mids, sizeof two_mids) == 0);
    check_sound(mesh);
}

/* Rows of a file: all vertices, each after `tag` + its index if tag >= 0; its tets in the order of the format. */
static void put_vertices(lil_text *text, int tag, const char *end)
{
    double x[3 * BOTH];
    place_two(x);
    for (int v = 0; v < BOTH; v++) {
        if (tag >= 0)
            lil_text_add(text, "%d ", tag + v);
        lil_text_add(text, "%.17g %.17g %.17g%s\n", x[3 * v], x[3 * v + 1], x[3 * v + 2], end);
    }
}

static void put_tets(lil_text *text, const char *start, int first, const int order[NODES], const char *end)
{
    for (int t = 0; t < 2; t++) {
        lil_text_add(text, start, t + 1);
        for (int k = 0; k < NODES; k++)
            lil_text_add(text, " %d", first + (order[k] < 4 ? two[t][order[k]] : two_mids[t][order[k] - 4]));
        lil_text_add(text, "%s\n", end);
    }
}

static lil_status parse(const char *format, const lil_text *text, const lil_text *more, lil_mesh *mesh)
{
    return lil_mesh_parse(ctx, &arena, format, "a", text->data, text->length, more ? more->data : NULL,
                          more ? more->length : 0, mesh);
}

static const int gmsh_order[NODES] = { 0, 1, 2, 3, 4, 5, 6, 7, 9, 8 },
                 tetgen_order[NODES] = { 0, 1, 2, 3, 9, 7, 4, 5, 6, 8 },
                 mirrored[NODES] = { 0, 1, 3, 2, 4, 8, 7, 6, 5, 9 };

TEST(gmsh_text)
{
    lil_mesh mesh;
    for (int version = 2; version <= 4; version += 2) {
        lil_text text = { 0 };
        if (version == 2) {
            lil_text_add(&text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%d\n", BOTH);
            put_vertices(&text, 1, "");
            lil_text_add(&text, "$EndNodes\n$Elements\n3\n9 9 2 7 1 1 2 3 6 7 8\n");
            put_tets(&text, "%d 11 2 0 1", 1, gmsh_order, "");
        } else {
            lil_text_add(&text, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n%d %d 1 %d\n", BOTH, BOTH, BOTH);
            double x[3 * BOTH];
            place_two(x);
            for (int v = 0; v < BOTH; v++)
                lil_text_add(&text, "3 1 0 1\n%d\n%.17g %.17g %.17g\n", v + 1, x[3 * v], x[3 * v + 1], x[3 * v + 2]);
            lil_text_add(&text, "$EndNodes\n$Elements\n1 2 1 2\n3 1 11 2\n");
            put_tets(&text, "%d", 1, gmsh_order, "");
        }
        lil_text_add(&text, "$EndElements\n");
        MUST(parse("msh", &text, NULL, &mesh));
        check_two(&mesh);
        if (version == 2) { /* the group of a second-order triangle has its own six nodes, no more */
            const lil_group *group = find_group(&mesh, "7");
            CHECK(group && group->vertex_count == 6 && group->vertices[5] == 7);
        }
        lil_text_free(&text);
    }
}

static void put_bytes(lil_text *text, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        lil_text_add(text, "%c", ((const char *)data)[i]);
}

TEST(gmsh_binary)
{
    lil_text text = { 0 };
    lil_mesh mesh;
    double x[3 * BOTH];
    const int one = 1, head[3] = { 11, 2, 2 };
    place_two(x);
    lil_text_add(&text, "$MeshFormat\n2.2 1 8\n");
    put_bytes(&text, &one, sizeof one);
    lil_text_add(&text, "\n$EndMeshFormat\n$Nodes\n%d\n", BOTH);
    for (int v = 0; v < BOTH; v++) {
        int tag = v + 1;
        put_bytes(&text, &tag, sizeof tag);
        put_bytes(&text, x + 3 * v, 3 * sizeof *x);
    }
    lil_text_add(&text, "\n$EndNodes\n$Elements\n2\n");
    put_bytes(&text, head, sizeof head);
    for (int t = 0; t < 2; t++) {
        int row[3 + NODES] = { t + 1, 5, 1 };
        for (int k = 0; k < NODES; k++)
            row[3 + k] = 1 + (gmsh_order[k] < 4 ? two[t][gmsh_order[k]] : two_mids[t][gmsh_order[k] - 4]);
        put_bytes(&text, row, sizeof row);
    }
    lil_text_add(&text, "\n$EndElements\n");
    MUST(parse("msh", &text, NULL, &mesh));
    check_two(&mesh);
    CHECK(mesh.group_count == 1 && mesh.groups[0].vertex_count == BOTH);
    lil_text_free(&text);
}

/* In the order of libMeshb and in that of gmsh: both are in use. */
TEST(medit)
{
    for (int i = 0; i < 2; i++) {
        lil_text text = { 0 };
        lil_mesh mesh;
        lil_text_add(&text, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", BOTH);
        put_vertices(&text, -1, " 0");
        lil_text_add(&text, "TrianglesP2\n1\n1 2 3 6 7 8 4\nTetrahedraP2\n2\n");
        put_tets(&text, "", 1, i ? gmsh_order : OWN, " 0");
        lil_text_add(&text, "End\n");
        MUST(parse("mesh", &text, NULL, &mesh));
        check_two(&mesh);
        CHECK(mesh.group_count == 1 && mesh.groups[0].vertex_count == 6);
        lil_text_free(&text);
    }
}

/* With markers at corners alone, whose group gets the mid nodes between them. */
TEST(tetgen)
{
    lil_text text = { 0 }, more = { 0 };
    lil_mesh mesh;
    double x[3 * BOTH];
    place_two(x);
    lil_text_add(&text, "%d 3 0 1\n", BOTH);
    for (int v = 0; v < BOTH; v++)
        lil_text_add(&text, "%d %.17g %.17g %.17g %d\n", v, x[3 * v], x[3 * v + 1], x[3 * v + 2], v < 3);
    lil_text_add(&more, "2 10 0\n");
    put_tets(&more, "%d", 0, tetgen_order, "");
    MUST(parse("node", &text, &more, &mesh));
    check_two(&mesh);
    static const int side[6] = { 0, 1, 2, 5, 6, 7 };
    CHECK(mesh.group_count == 1 && mesh.groups[0].vertex_count == 6 &&
          memcmp(mesh.groups[0].vertices, side, sizeof side) == 0);
    lil_text_free(&text);
    lil_text_free(&more);
}

/* Type 24, and Lagrange's type 71 with 10 nodes; left-handed tets are turned with their mid nodes. */
TEST(vtk)
{
    for (int i = 0; i < 3; i++) {
        lil_text text = { 0 };
        lil_mesh mesh;
        lil_text_add(&text, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n",
                     BOTH);
        put_vertices(&text, -1, "");
        lil_text_add(&text, "CELLS 2 22\n");
        put_tets(&text, "10", 0, i == 2 ? mirrored : OWN, "");
        lil_text_add(&text, "CELL_TYPES 2\n%s\n", i == 1 ? "71 71" : "24 24");
        MUST(parse("vtk", &text, NULL, &mesh));
        check_two(&mesh);
        lil_text_free(&text);
    }
}

TEST(written_and_read_back)
{
    static const char *const endings[] = { "msh", "mesh", "vtk" };
    for (int i = 0; i < 3; i++) {
        double x[3 * BOTH];
        char path[64];
        lil_mesh mesh = { .name = "two",
                          .vertex_count = BOTH,
                          .x = x,
                          .tet_count = 2,
                          .tets = (int(*)[4])two,
                          .mids = (int(*)[6])two_mids };
        snprintf(path, sizeof path, "/tmp/lilyan-quadratic-%d.%s", (int)getpid(), endings[i]);
        place_two(x);
        MUST(lil_mesh_write(ctx, &mesh, path, true));
        MUST(lil_mesh_read(ctx, &arena, path, &mesh));
        unlink(path);
        check_two(&mesh);
    }
}

/* ---- faults ---- */

static void check_fault(double *x, const int mids[2][6], int count, const char *sentence)
{
    lil_mesh mesh = {
        .name = "two", .vertex_count = BOTH, .x = x, .tet_count = 2, .tets = (int(*)[4])two, .mids = (int(*)[6])mids
    };
    lil_mesh_faults faults;
    bool said = false;
    MUST(lil_mesh_check(ctx, &arena, &mesh, &faults));
    for (int i = 0; i < faults.count; i++)
        said = said || strstr(faults.sentences[i], sentence);
    CHECK(said && faults.count == count);
    for (int i = 0; i < faults.count && (!said || faults.count != count); i++)
        printf("  %s\n", faults.sentences[i]);
}

TEST(faults)
{
    double x[3 * BOTH];
    int mids[2][6];
    place_two(x);
    x[3 * 5] = 1.2; /* beyond the end of its edge */
    check_fault(x, two_mids, 1, "two: tet 0 is folded by its mid nodes: where it is narrowest, det J is -");
    place_two(x);
    memcpy(mids, two_mids, sizeof mids);
    mids[1][0] = 13;
    mids[1][5] = 6;
    check_fault(x, (const int(*)[6])mids, 3, "two: tet 1 has vertex 13 at");
    memcpy(mids, two_mids, sizeof mids);
    mids[1][5] = 0;
    check_fault(x, (const int(*)[6])mids, 3, "two: tet 1 has vertex 0 at (0, 0, 0) as a mid node, which is a corner");
    memcpy(mids, two_mids, sizeof mids);
    mids[1][5] = 12;
    check_fault(x, (const int(*)[6])mids, 3, "as a mid node, which is that of another edge too");
    memcpy(x + 3 * 12, x + 3 * 13, 3 * sizeof *x);
    check_fault(x, two_mids, 2, "two: vertex 13 at (0.51, 0.52, 1) coincides with vertex 12");
}

/* ---- embedded points ---- */

/* Inside, weights of the parts are not negative and sum to 1 with the first; points are where they were, also after an
 * affine motion, inside and outside; and across faces of tets the place is continuous. */
TEST(points_in_parts)
{
    enum { POINTS = 200 };
    lil_mesh mesh;
    lil_embedding e;
    double p[3 * POINTS];
    uint32_t seed = 5;
    MUST(shape("ball", "radius=1 cells=2", &mesh));
    for (int i = 0; i < 3 * POINTS; i++)
        p[i] = (i < 3 * POINTS / 2 ? 0.57 : 1.2) * (2 * next(&seed) - 1);
    MUST(lil_embed(ctx, &arena, &mesh, p, POINTS, &e));
    double *q = lil_arena_alloc(&arena, 3 * (size_t)mesh.vertex_count, sizeof *q);
    for (int v = 0; v < mesh.vertex_count; v++)
        for (int d = 0; d < 3; d++)
            q[3 * v + d] = 2 * mesh.x[3 * v + (d + 1) % 3] + 0.3 * mesh.x[3 * v] + d;
    for (int i = 0; i < POINTS; i++) {
        int room[4];
        const double *w = e.weights[i];
        bool inside = w[0] >= -1e-9 && w[1] >= -1e-9 && w[2] >= -1e-9 && w[0] + w[1] + w[2] <= 1 + 1e-9;
        double y[3], to[3];
        CHECK(inside || i >= POINTS / 2); /* the cube of side 1.14 is in the ball */
        CHECK(e.tet[i] >= 0 && e.tet[i] < 8 * mesh.tet_count);
        lil_embedded_place(lil_mesh_part(&mesh, e.tet[i], room), w, q, y);
        for (int d = 0; d < 3; d++)
            to[d] = 2 * p[3 * i + (d + 1) % 3] + 0.3 * p[3 * i] + d;
        for (int d = 0; d < 3; d++)
            CHECK_NEAR(y[d], to[d], 1e-12);
        if (inside)
            continue;
        double sum[3] = { 0 };
        for (int k = e.outside.begin[i]; k < e.outside.begin[i + 1]; k++)
            for (int d = 0; d < 3; d++)
                sum[d] += e.outside.weight[k] * q[3 * e.outside.vertex[k] + d];
        for (int d = 0; d < 3; d++)
            CHECK_NEAR(sum[d], to[d], 1e-10);
    }
}

/* ---- worlds ---- */

/* From arrays with mid nodes and without; from a mesh with curved edges; and what is refused. */
TEST(worlds)
{
    lil_world *world;
    lil_mesh_info info;
    lil_mesh *ball;
    double x[3 * BOTH];
    int mids[2][6], body;
    lil_body_def def = lil_body_def_default();
    MUST(lil_world_create(ctx, &world));
    place_two(x);
    memcpy(mids, two_mids, sizeof mids);
    def.name = "two", def.material.name = "rubber";
    def.vertex_count = BOTH, def.x = x, def.tet_count = 2, def.tets = two, def.mids = (const int(*)[6])mids;
    mids[1][2] = 99;
    CHECK(lil_world_add_body(world, &def, &body) != LIL_OK);
    CHECK(strstr(lil_context_message(ctx), "mids of tet 1 of 'two' has vertex 99, but vertices go from 0 to 13"));
    mids[1][2] = 5;
    CHECK(lil_world_add_body(world, &def, &body) != LIL_OK);
    CHECK(strstr(lil_context_message(ctx), "two: tet 1 is folded by its mid nodes"));
    def.mids = two_mids;
    def.elements = 3;
    CHECK(lil_world_add_body(world, &def, &body) != LIL_OK);
    CHECK(strstr(lil_context_message(ctx), "there are no elements 3"));
    def.elements = LIL_ELEMENTS_OF_MESH;
    MUST(lil_world_add_body(world, &def, &body));
    MUST(lil_world_look(world, body, &info));
    CHECK(info.vertex_count == BOTH && info.face_count == 24 && memcmp(info.mids, two_mids, sizeof two_mids) == 0);
    def.name = "corners";
    def.elements = LIL_ELEMENTS_LINEAR;
    MUST(lil_world_add_body(world, &def, &body));
    MUST(lil_world_look(world, body, &info));
    CHECK(info.vertex_count == 5 && info.face_count == 6 && !info.mids);
    MUST(lil_mesh_create_shape(ctx, "ball", "radius=1 cells=1", &ball));
    def = lil_body_def_default();
    def.name = "ball", def.material.name = "rubber";
    def.mesh = ball;
    def.scale[0] = def.scale[1] = def.scale[2] = 3;
    def.elements = LIL_ELEMENTS_QUADRATIC;
    MUST(lil_world_add_body(world, &def, &body));
    MUST(lil_world_look(world, body, &info));
    CHECK(info.mids && info.face_count == 80);
    for (int i = 0; i < 3 * info.face_count; i++) {
        const double *y = info.x + 3 * info.faces[i / 3][i % 3];
        CHECK_NEAR(sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]), 3, 1e-14);
    }
    lil_mesh_destroy(&ball);
    lil_world_destroy(&world);
}

int main(void)
{
    ctx = lil_context_create();
    lil_context_set_log(ctx, catch_warning, NULL);
    RUN(shape_functions_are_1_at_their_node_and_sum_to_1);
    RUN(volume_of_a_curved_tet);
    RUN(gradients_of_affine_and_quadratic_maps);
    RUN(lumped_mass);
    RUN(faces_give_their_load_to_mid_nodes);
    RUN(parts_fill_the_tet);
    RUN(shapes);
    RUN(curved_shapes_converge);
    RUN(edges_that_would_fold_a_tet_stay_straight);
    RUN(groups_follow);
    RUN(gmsh_text);
    RUN(gmsh_binary);
    RUN(medit);
    RUN(tetgen);
    RUN(vtk);
    RUN(written_and_read_back);
    RUN(faults);
    RUN(points_in_parts);
    RUN(worlds);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return test_end();
}
