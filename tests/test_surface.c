/* Surfaces: readers, winding numbers, what is wrong with them, tets. */
#include "geometry/triangle.h"
#include "mesh/faces.h"
#include "mesh/fill/solid.h"
#include "surfaces.h"
#include "test.h"

static lil_context *ctx;

static lil_status parse(lil_arena *arena, const char *format, const char *text, lil_surface *surface)
{
    return lil_surface_parse(ctx, arena, format, "some", text, strlen(text), surface);
}

/* ---- readers ---- */

static const char obj_tet[] = "# a tet\n"
                              "mtllib some.mtl\no tet\n"
                              "v 0 0 0\nv 1 0 0 # x\nv 0 1 0 1.0\nv 0 0 1 0.5 0.5 0.5\nvn 0 0 1\nvt 0 0\n"
                              "f 1/1/1 3/1/1 \\\n 2/1/1\nf 1//1 2//1 4//1\nf -4 -1 -2\ns off\nf 2 3 4\nl 1 2\n";

TEST(obj_is_read)
{
    lil_arena arena = { 0 };
    lil_surface s;
    MUST(parse(&arena, "obj", obj_tet, &s));
    const int expected[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
    CHECK(s.vertex_count == 4 && s.face_count == 4 && s.triangle_count == 4);
    CHECK(memcmp(s.corners, expected, sizeof expected) == 0);
    CHECK(s.x[3] == 1 && s.x[7] == 1 && s.x[11] == 1);
    lil_arena_free(&arena);
}

static double area_vector_z(const lil_surface *s, int t)
{
    const double *a = s->x + 3 * s->triangles[t][0], *b = s->x + 3 * s->triangles[t][1],
                 *c = s->x + 3 * s->triangles[t][2];
    return ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2;
}

/* A polygon like an L is cut up without a triangle outside of it: areas are positive and add up. */
TEST(concave_polygons_are_cut_into_ears)
{
    lil_arena arena = { 0 };
    lil_surface s;
    double area = 0;
    MUST(parse(&arena, "obj", "v 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\nv 2 1 0\nf 1 2 3 4 5 6\n", &s));
    CHECK(s.face_count == 1 && s.triangle_count == 4);
    for (int t = 0; t < s.triangle_count; t++) {
        CHECK(area_vector_z(&s, t) > 0);
        area += area_vector_z(&s, t);
    }
    CHECK_NEAR(area, 3, 1e-15);
    lil_arena_free(&arena);
}

static const char stl_two[] = "solid two\n"
                              "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
                              "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex -0 1 0\n"
                              "endloop\nendfacet\nendsolid two\n";

/* Equal corners of .stl are one vertex; binary files say the same as text. */
TEST(stl_is_read_and_joined)
{
    lil_arena arena = { 0 };
    lil_surface s, b;
    unsigned char bytes[84 + 2 * 50] = { 's', 'o', 'l', 'i', 'd' };
    MUST(parse(&arena, "stl", stl_two, &s));
    CHECK(s.vertex_count == 4 && s.face_count == 2 && s.triangle_count == 2);
    bytes[80] = 2;
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 3; d++) {
                float x = (float)s.x[3 * s.triangles[t][k] + d];
                memcpy(bytes + 84 + 50 * t + 12 + 12 * k + 4 * d, &x, 4);
            }
    MUST(lil_surface_parse(ctx, &arena, "STL", "b", (const char *)bytes, sizeof bytes, &b));
    CHECK(b.vertex_count == 4 && b.triangle_count == 2);
    CHECK(memcmp(b.x, s.x, 12 * sizeof *s.x) == 0 && memcmp(b.triangles, s.triangles, 2 * sizeof *s.triangles) == 0);
    lil_arena_free(&arena);
}

/* A square in one of ply's three flavours: 0 text, 1 little-endian, 2 big-endian. */
static size_t make_ply(char *out, size_t room, int flavour)
{
    static const char *const formats[] = { "ascii", "binary_little_endian", "binary_big_endian" };
    size_t n = (size_t)snprintf(out, room,
                                "ply\nformat %s 1.0\ncomment c\nelement vertex 4\nproperty uchar red\n"
                                "property float x\nproperty double y\nproperty short z\nelement face 1\n"
                                "property list uchar ushort vertex_indices\nproperty list uchar float more\n"
                                "end_header\n",
                                formats[flavour]);
    const uint16_t one = 1;
    bool swap = (*(const unsigned char *)&one == 1) == (flavour == 2);
    for (int v = 0; v < 4; v++) {
        float x = v == 1 || v == 2 ? 1.5f : 0;
        double y = v / 2;
        short z = -7;
        if (flavour == 0) {
            n += (size_t)snprintf(out + n, room - n, "200 %g %g %d\n", (double)x, y, z);
            continue;
        }
        out[n++] = (char)200;
        const void *parts[] = { &x, &y, &z };
        const size_t sizes[] = { 4, 8, 2 };
        for (int k = 0; k < 3; k++)
            for (size_t i = 0; i < sizes[k]; i++)
                out[n++] = ((const char *)parts[k])[swap ? sizes[k] - 1 - i : i];
    }
    if (flavour == 0)
        return n + (size_t)snprintf(out + n, room - n, "4 0 1 2 3 1 0.5\n");
    out[n++] = 4;
    for (char v = 0; v < 4; v++) {
        out[n++] = flavour == 2 ? 0 : v;
        out[n++] = flavour == 2 ? v : 0;
    }
    out[n++] = 0; /* the other list is empty */
    return n;
}

TEST(ply_is_read_in_all_flavours)
{
    lil_arena arena = { 0 };
    lil_surface s;
    char text[1024];
    for (int flavour = 0; flavour < 3; flavour++) {
        size_t size = make_ply(text, sizeof text, flavour);
        MUST(lil_surface_parse(ctx, &arena, "ply", "square.ply", text, size, &s));
        CHECK(s.vertex_count == 4 && s.face_count == 1 && s.triangle_count == 2);
        CHECK(s.x[3] == 1.5 && s.x[7] == 1 && s.x[2] == -7);
        CHECK(s.corners[3] == 3);
    }
    lil_arena_free(&arena);
}

/* ---- winding numbers and distances ---- */

/* the same numbers each time */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void draw_point(uint64_t *state, const lil_solid *solid, double q[3])
{
    for (int d = 0; d < 3; d++)
        q[d] = solid->least[d] + (1.2 * draw(state) - 0.1) * (solid->most[d] - solid->least[d]);
}

/* By dipoles as by every triangle's solid angle; and the nearest point as by looking at all triangles. */
TEST(trees_say_what_all_triangles_say)
{
    lil_arena arena = { 0 };
    lil_surface s = surface_begin(&arena);
    lil_solid solid;
    uint64_t state = 1;
    surface_knot(&s, 1, 0.25, 12);
    surface_patch(&s, cylinder_map, (const double[]){ 0.3, 2 }, 20, 10, true, false);
    MUST(lil_solid_build(ctx, &arena, &s, 0, &solid));
    for (int i = 0; i < 200; i++) {
        double q[3], p[3], nearest = INFINITY;
        lil_solid_angle angle = lil_solid_angle_begin();
        draw_point(&state, &solid, q);
        for (int t = 0; t < s.triangle_count; t++) {
            const double *a = s.x + 3 * s.triangles[t][0], *b = s.x + 3 * s.triangles[t][1],
                         *c = s.x + 3 * s.triangles[t][2];
            lil_solid_angle_add(&angle, a, b, c, q);
            nearest = fmin(nearest, lil_triangle_nearest(a, b, c, q, p));
        }
        CHECK_NEAR(lil_winding_number(&solid.winding, q), lil_solid_angle_end(&angle) / (4 * PI), 0.05);
        CHECK_NEAR(lil_tree_nearest(&solid.tree, q, INFINITY, NULL, p), nearest, 1e-14);
        CHECK_NEAR(pow(q[0] - p[0], 2) + pow(q[1] - p[1], 2) + pow(q[2] - p[2], 2), nearest, 1e-14);
    }
    lil_arena_free(&arena);
}

/* A ball's winding number is 1 inside and 0 outside; a flat square's is never beyond 1/2. */
TEST(winding_numbers_tell_inside_from_outside)
{
    lil_arena arena = { 0 };
    lil_surface ball = surface_begin(&arena), square = surface_begin(&arena);
    lil_solid solid;
    uint64_t state = 7;
    surface_sphere(&ball, 1, 2, 3, 0.5, 16);
    MUST(lil_solid_build(ctx, &arena, &ball, 0, &solid));
    CHECK(solid.mended.closed && solid.mended.joined == 62);
    for (int i = 0; i < 300; i++) {
        double q[3];
        draw_point(&state, &solid, q);
        double r = sqrt(pow(q[0] - 1, 2) + pow(q[1] - 2, 2) + pow(q[2] - 3, 2));
        if (fabs(r - 0.5) > 0.01) /* a chord's depth below the sphere: 0.5 (1 - cos(pi/32)) = 0.0024, twice */
            CHECK(lil_solid_has(&solid, q) == (r < 0.5));
    }
    surface_patch(&square, plane_map, (const double[]){ 1, 1 }, 8, 8, false, false);
    MUST(lil_solid_build(ctx, &arena, &square, 0, &solid));
    for (int i = 0; i < 300; i++) {
        double q[3] = { draw(&state), draw(&state), 1e-3 * (draw(&state) - 0.5) };
        CHECK(!lil_solid_has(&solid, q));
    }
    lil_arena_free(&arena);
}

/* ---- tets ---- */

/* Each edge of the tets' surface has two faces, and the faces of each of its vertices make one fan. */
static bool is_manifold(const lil_mesh *mesh)
{
    bool good = true;
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++) {
            int a = mesh->faces[f][k], b = mesh->faces[f][(k + 1) % 3], forward = 0, back = 0;
            for (int g = 0; g < mesh->face_count; g++)
                for (int i = 0; i < 3; i++) {
                    forward += mesh->faces[g][i] == a && mesh->faces[g][(i + 1) % 3] == b;
                    back += mesh->faces[g][i] == b && mesh->faces[g][(i + 1) % 3] == a;
                }
            good = good && forward == 1 && back == 1;
        }
    return good;
}

/* With every edge between two faces, Euler's V - E + F counts handles; a vertex where two fans meet lowers it by one, so that
 * the number of handles would not be whole or would not be `handles`. */
static int euler(const lil_mesh *mesh)
{
    int vertices = 0;
    bool *used = calloc((size_t)mesh->vertex_count, sizeof *used);
    for (int f = 0; f < mesh->face_count; f++)
        for (int k = 0; k < 3; k++)
            if (!used[mesh->faces[f][k]]) {
                used[mesh->faces[f][k]] = true;
                vertices++;
            }
    free(used);
    return vertices - mesh->face_count / 2;
}

/* Tets that can be run: right-handed, no angle below 8 degrees, nothing that lil_mesh_check finds. */
static void check_tets(lil_arena *arena, lil_mesh *mesh)
{
    lil_mesh_faults faults;
    double angle = 180, volume = INFINITY;
    MUST(lil_mesh_surface(ctx, arena, mesh));
    MUST(lil_mesh_check(ctx, arena, mesh, &faults));
    for (int i = 0; i < faults.count; i++)
        printf("%s\n", faults.sentences[i]);
    CHECK(faults.count == 0);
    for (int t = 0; t < mesh->tet_count; t++) {
        angle = fmin(angle, lil_tet_dihedral(mesh->x, mesh->tets[t]));
        volume = fmin(volume, lil_tet_volume(mesh->x, mesh->tets[t]));
    }
    CHECK(angle > 8);
    CHECK(volume > 0);
}

static lil_status fill(lil_arena *arena, const lil_surface *s, int vertices, double thickness, lil_mesh *mesh)
{
    const lil_filling filling = { .vertices = vertices, .thickness = thickness };
    return lil_surface_tetrahedralise(ctx, arena, s, &filling, mesh);
}

TEST(balls_are_filled)
{
    const double volume = 4 * PI / 3;
    double before = 1;
    for (int i = 0; i < (test_small() ? 2 : 3); i++) {
        static const int wanted[3] = { 200, 1500, 12000 };
        lil_arena arena = { 0 };
        lil_surface s = surface_begin(&arena);
        lil_mesh mesh;
        surface_sphere(&s, 0, 0, 0, 1, 40);
        MUST(fill(&arena, &s, wanted[i], 0, &mesh));
        check_tets(&arena, &mesh);
        CHECK_NEAR(mesh.vertex_count, wanted[i], 0.05 * wanted[i]);
        double error = fabs(lil_mesh_volume(&mesh) / volume - 1);
        CHECK_BELOW(error, before); /* of second order in the edge: a factor 4 for 8 times the vertices */
        before = error / 2.5;
        CHECK(euler(&mesh) == 2);
        lil_arena_free(&arena);
    }
    CHECK_BELOW(before, 0.03);
}

/* Vertices of the tets' surface lie on the surface itself, and none far outside of it. */
TEST(the_tets_end_at_the_surface)
{
    lil_arena arena = { 0 };
    lil_surface s = surface_begin(&arena);
    lil_mesh mesh;
    surface_sphere(&s, 0, 0, 0, 1, 40);
    MUST(fill(&arena, &s, 1500, 0, &mesh));
    MUST(lil_mesh_surface(ctx, &arena, &mesh));
    for (int f = 0; f < mesh.face_count; f++)
        for (int k = 0; k < 3; k++) {
            const double *x = mesh.x + 3 * (size_t)mesh.faces[f][k];
            CHECK_NEAR(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 1, 0.005); /* chords: 1 - cos(pi/40) = 0.003 */
        }
    lil_arena_free(&arena);
}

typedef struct shape {
    const char *name;
    void (*make)(lil_surface *s);
    double volume; /* NaN: not known */
    int euler;     /* of its surface, seen at a fine resolution; 99: not known */
} shape;

static void torus(lil_surface *s)
{
    surface_torus(s, 1, 0.4, 24);
}

static void knot(lil_surface *s)
{
    surface_knot(s, 1, 0.25, 14);
}

static void crossing_boxes(lil_surface *s)
{
    surface_box(s, 0, 0, 0, 1, 1, 1);
    surface_box(s, 0.5, 0.5, 0.5, 1, 1, 1);
}

static void crossing_boxes_one_inside_out(lil_surface *s)
{
    crossing_boxes(s);
    surface_turn(s, 12);
}

static void nested(lil_surface *s)
{
    surface_sphere(s, 0, 0, 0, 1, 24);
    surface_sphere(s, 0, 0, 0, 0.5, 16);
}

static void hollow(lil_surface *s)
{
    surface_sphere(s, 0, 0, 0, 1, 24);
    int first = s->triangle_count;
    surface_sphere(s, 0, 0, 0, 0.6, 24);
    surface_turn(s, first);
}

static void inside_out(lil_surface *s)
{
    hollow(s);
    surface_turn(s, 0);
}

static void open_cylinder(lil_surface *s)
{
    surface_patch(s, cylinder_map, (const double[]){ 0.5, 3 }, 40, 40, true, false);
}

static void klein(lil_surface *s)
{
    surface_patch(s, klein_map, (const double[]){ 3 }, 60, 40, false, true);
}

/* 3 x 3 x 3 rooms, each a closed box: walls come twice, the other way round the second time */
static void rooms(lil_surface *s)
{
    for (int i = 0; i < 27; i++)
        surface_box(s, i % 3, i / 3 % 3, i / 9, 1, 1, 1);
}

static void two_sided(lil_surface *s)
{
    surface_sphere(s, 0, 0, 0, 1, 24);
    int count = s->triangle_count;
    for (int t = 0; t < count; t++)
        surface_triangle(s, s->triangles[t][0], s->triangles[t][2], s->triangles[t][1]);
}

/* Whatever it is like, it is filled, at three resolutions. Volumes at the finest, within what facets and lattice allow. */
TEST(all_kinds_of_surfaces_are_filled)
{
    const double ball = 4 * PI / 3;
    const shape shapes[] = {
        { "torus", torus, 2 * PI * PI * 0.16, 0 },
        { "knot", knot, NAN, 0 },
        { "crossing boxes", crossing_boxes, 2 - 0.125, 2 },
        { "crossing boxes, one inside out", crossing_boxes_one_inside_out, 2 - 0.125, 2 },
        { "nested", nested, ball, 2 },
        { "hollow", hollow, ball * (1 - 0.216), 4 },
        { "inside out", inside_out, ball * (1 - 0.216), 4 },
        { "open cylinder", open_cylinder, NAN, 2 },
        { "Klein bottle", klein, NAN, 99 },
        { "rooms", rooms, 27, 2 },
        { "two-sided", two_sided, ball, 2 },
    };
    static const int wanted[3] = { 150, 600, 2500 };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i += test_small() ? 3 : 1)
        for (int k = 0; k < (test_small() ? 1 : 3); k++) {
            lil_arena arena = { 0 };
            lil_surface s = surface_begin(&arena);
            lil_mesh mesh;
            int before = test_failures;
            shapes[i].make(&s);
            MUST(fill(&arena, &s, wanted[k], 0, &mesh));
            check_tets(&arena, &mesh);
            CHECK(k > 0 || is_manifold(&mesh));
            if (k > 0) /* few come in jumps */
                CHECK_NEAR(mesh.vertex_count, wanted[k], 0.05 * wanted[k]);
            if (k == 2 && !isnan(shapes[i].volume))
                CHECK_NEAR(lil_mesh_volume(&mesh) / shapes[i].volume, 1, 0.03);
            if (k == 2 && shapes[i].euler != 99)
                CHECK(euler(&mesh) == shapes[i].euler);
            if (test_failures > before)
                printf("    that was the %s, %d vertices\n", shapes[i].name, wanted[k]);
            lil_arena_free(&arena);
        }
}

/* Up to a tenth of the faces deleted, turned round or given twice. */
static void damage(lil_surface *s, uint64_t *state)
{
    int kept = 0, count = s->triangle_count;
    double deleted = 0.1 * draw(state), turned = 0.1 * draw(state), repeated = 0.1 * draw(state);
    for (int t = 0; t < count; t++) {
        int v[3] = { s->triangles[t][0], s->triangles[t][1], s->triangles[t][2] };
        if (draw(state) < deleted)
            continue;
        bool turn = draw(state) < turned;
        int corner[3] = { v[0], v[turn ? 2 : 1], v[turn ? 1 : 2] };
        memcpy(s->triangles[kept++], corner, sizeof corner);
    }
    s->triangle_count = s->face_count = kept;
    for (int t = 0; t < kept; t++)
        memcpy(s->corners + 3 * (size_t)t, s->triangles[t], sizeof s->triangles[t]);
    for (int t = 0; t < kept; t++)
        if (draw(state) < repeated)
            surface_triangle(s, s->triangles[t][1], s->triangles[t][2], s->triangles[t][0]);
}

TEST(damaged_surfaces_are_filled)
{
    static void (*const makes[3])(lil_surface *) = { torus, knot, nested };
    const lil_filling filling = { .edge = 0.22 };
    double whole[3] = { 0 };
    uint64_t state = 2026;
    for (int i = 0; i < (test_small() ? 6 : 103); i++) {
        lil_arena arena = { 0 };
        lil_surface s = surface_begin(&arena);
        lil_mesh mesh;
        makes[i % 3](&s);
        if (i >= 3)
            damage(&s, &state);
        MUST(lil_surface_tetrahedralise(ctx, &arena, &s, &filling, &mesh));
        check_tets(&arena, &mesh);
        if (i < 3)
            whole[i] = lil_mesh_volume(&mesh);
        CHECK_NEAR(lil_mesh_volume(&mesh) / whole[i % 3], 1, 0.1);
        lil_arena_free(&arena);
    }
}

/* A sheet has what is near it: area times thickness, and half a round rim. */
TEST(sheets_get_a_thickness)
{
    lil_arena arena = { 0 };
    lil_surface s = surface_begin(&arena);
    lil_mesh mesh;
    const double T = test_small() ? 0.2 : 0.1;
    surface_patch(&s, plane_map, (const double[]){ 1, 1 }, 4, 4, false, false);
    CHECK(fill(&arena, &s, 2000, 0, &mesh) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(ctx), "encloses no volume") && strstr(lil_context_message(ctx), "thickness"));
    MUST(fill(&arena, &s, test_small() ? 1500 : 4000, T, &mesh));
    check_tets(&arena, &mesh);
    CHECK_NEAR(lil_mesh_volume(&mesh), T + 4 * PI * T * T / 8 + PI * T * T * T / 6, 0.03 * T);
    CHECK(fill(&arena, &s, 100, 0.01, &mesh) == LIL_ERR_INPUT);
    CHECK(strstr(lil_context_message(ctx), "too few for a thickness"));
    lil_arena_free(&arena);
}

static char warned[4096];

static void remember(void *user, const char *sentence)
{
    (void)user;
    strncat(warned, sentence, sizeof warned - strlen(warned) - 1);
}

/* What is lost is said: a second ball that is not joined, and a plate that is thinner than the lattice. */
TEST(what_is_lost_is_said)
{
    lil_arena arena = { 0 };
    lil_surface two = surface_begin(&arena), plate = surface_begin(&arena), ball = surface_begin(&arena);
    lil_mesh mesh;
    lil_context_set_log(ctx, remember, NULL);
    surface_sphere(&ball, 0, 0, 0, 1, 20);
    MUST(fill(&arena, &ball, 500, 0, &mesh));
    CHECK(!warned[0]);
    surface_sphere(&two, 0, 0, 0, 1, 20);
    surface_sphere(&two, 3, 0, 0, 0.5, 20);
    MUST(fill(&arena, &two, 500, 0, &mesh));
    CHECK(strstr(warned, "1 part is not joined to the largest, and left out: ") &&
          strstr(warned, "Join it in the file"));
    warned[0] = 0;
    surface_sphere(&plate, 0, 0, 0, 1, 20);
    surface_box(&plate, 0, -0.5, 0, 3, 1, 0.001);
    MUST(fill(&arena, &plate, 500, 0, &mesh));
    CHECK(strstr(warned, "parts thinner than about ") && strstr(warned, "get no tets of their own"));
    lil_context_set_log(ctx, NULL, NULL);
    lil_arena_free(&arena);
}

TEST(threads_make_the_same_bits)
{
    lil_arena arena = { 0 };
    lil_surface s = surface_begin(&arena);
    lil_mesh one, four;
    surface_knot(&s, 1, 0.25, 12);
    s.triangle_count = s.face_count -= 50; /* open */
    MUST(lil_context_set_threads(ctx, 1));
    MUST(fill(&arena, &s, 900, 0, &one));
    MUST(lil_context_set_threads(ctx, 4));
    MUST(fill(&arena, &s, 900, 0, &four));
    CHECK(one.vertex_count == four.vertex_count && one.tet_count == four.tet_count);
    CHECK(memcmp(one.x, four.x, 3 * (size_t)one.vertex_count * sizeof *one.x) == 0);
    CHECK(memcmp(one.tets, four.tets, (size_t)one.tet_count * sizeof *one.tets) == 0);
    lil_arena_free(&arena);
}

/* ---- what is wrong with a surface ---- */

TEST(faults_are_counted)
{
    lil_arena arena = { 0 };
    lil_surface s = surface_begin(&arena);
    lil_mended m;
    surface_torus(&s, 1, 0.4, 12);
    int count = s.triangle_count;
    surface_turn(&s, count - 1);                                                     /* one turned */
    surface_triangle(&s, s.triangles[5][1], s.triangles[5][0], s.triangles[5][2]);   /* one again */
    surface_triangle(&s, s.triangles[7][0], s.triangles[7][0], s.triangles[7][2]);   /* one is none */
    surface_triangle(&s, s.triangles[9][0], s.triangles[9][1], s.triangles[200][0]); /* one on an edge of two */
    surface_vertex(&s, 9, 9, 9);                                                     /* one unused */
    MUST(lil_mend(ctx, &arena, &s, &m));
    CHECK(m.count == count + 1 && m.turned == 1 && m.repeated == 1 && m.degenerate == 1 && m.unused == 1);
    CHECK(m.branching == 1 && m.boundary == 2 && m.shells == 1 && !m.closed && !m.one_sided);
    s = surface_begin(&arena);
    klein(&s);
    MUST(lil_mend(ctx, &arena, &s, &m));
    CHECK(m.shells == 1 && m.boundary == 80); /* its ends meet turned round, not vertex by vertex */
    lil_arena_free(&arena);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(obj_is_read);
    RUN(concave_polygons_are_cut_into_ears);
    RUN(stl_is_read_and_joined);
    RUN(ply_is_read_in_all_flavours);
    RUN(trees_say_what_all_triangles_say);
    RUN(winding_numbers_tell_inside_from_outside);
    RUN(balls_are_filled);
    RUN(the_tets_end_at_the_surface);
    RUN(all_kinds_of_surfaces_are_filled);
    RUN(damaged_surfaces_are_filled);
    RUN(sheets_get_a_thickness);
    RUN(what_is_lost_is_said);
    RUN(threads_make_the_same_bits);
    RUN(faults_are_counted);
    lil_context_destroy(&ctx);
    return test_end();
}
