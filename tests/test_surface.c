/* Surfaces: readers, winding numbers, what is wrong with them, tets. */
#include "mesh/surface.h"
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

int main(void)
{
    ctx = lil_context_create();
    RUN(obj_is_read);
    RUN(concave_polygons_are_cut_into_ears);
    RUN(stl_is_read_and_joined);
    RUN(ply_is_read_in_all_flavours);
    lil_context_destroy(&ctx);
    return test_end();
}
