/* Meshes: every format read back, every fault found and named, every bad file answered with one sentence. */
#include "mesh/mesh.h"
#include "test.h"

#include <float.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static lil_context *ctx;
static lil_arena arena;

/* The mesh of most tests: two tets that share the face 1 2 3. Its volume is 1/6 + 2/6. */
static const double X[5][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 1, 1 } };
static const int TETS[2][4] = { { 0, 1, 2, 3 }, { 1, 2, 3, 4 } };

static lil_status parse(const char *format, const char *text, const char *more, lil_mesh *mesh)
{
    char name[16];
    snprintf(name, sizeof name, "a.%s", format);
    return lil_mesh_parse(ctx, &arena, format, name, text, strlen(text), more, more ? strlen(more) : 0, mesh);
}

static const lil_group *find_group(const lil_mesh *mesh, const char *name)
{
    for (int g = 0; g < mesh->group_count; g++)
        if (strcmp(mesh->groups[g].name, name) == 0)
            return &mesh->groups[g];
    return NULL;
}

static void check_group(const lil_mesh *mesh, const char *name, int first, int count) /* consecutive vertices */
{
    const lil_group *group = find_group(mesh, name);
    CHECK(group && group->vertex_count == count);
    for (int i = 0; group && i < group->vertex_count; i++)
        CHECK(group->vertices[i] == first + i);
}

/* the two tets, and groups of the three first vertices and of all; NULL: there are no groups */
static void check_two_tets(const lil_mesh *mesh, const char *side, const char *all)
{
    CHECK(mesh->vertex_count == 5 && mesh->tet_count == 2);
    if (mesh->vertex_count != 5 || mesh->tet_count != 2)
        return;
    CHECK(memcmp(mesh->x, X, sizeof X) == 0);
    CHECK(memcmp(mesh->tets, TETS, sizeof TETS) == 0);
    CHECK(mesh->group_count == (side != NULL) + (all != NULL));
    if (side)
        check_group(mesh, side, 0, 3);
    if (all)
        check_group(mesh, all, 0, 5);
}

/* ---- text formats ---- */

static const char msh2[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                           "$Comments\nanything $ at all 5\n$EndComments\n"
                           "$PhysicalNames\n2\n2 1 \"clamp\"\n3 7 \"the body\"\n$EndPhysicalNames\n"
                           "$Nodes\n5\n10 0 0 0\n7 1 0 0\n9000000000 0 1 0\n3 0 0 1\n5 1 1 1\n$EndNodes\n"
                           "$Elements\n4\n"
                           "1 15 2 0 1 10\n"
                           "2 2 2 1 1 10 7 9000000000\n"
                           "3 4 2 7 1 10 7 9000000000 3\n"
                           "4 4 3 7 1 0 7 9000000000 3 5\n"
                           "$EndElements\n";

TEST(msh2_text)
{
    lil_mesh mesh;
    MUST(parse("msh", msh2, NULL, &mesh));
    check_two_tets(&mesh, "clamp", "the body");
    CHECK(mesh.tet_line[0] == 24 && mesh.tet_line[1] == 25);
    CHECK(mesh.vertex_tag[2] == 9000000000);
}

TEST(msh2_writes_tets_of_several_groups_again)
{
    lil_mesh mesh;
    lil_mesh_faults faults;
    static const char nodes[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
                                "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n$Elements\n";
    char text[512];
    snprintf(text, sizeof text, "%s4\n1 4 2 7 1 1 2 3 4\n2 4 2 8 1 1 2 3 4\n3 4 2 9 1 1 2 3 4\n4 4 2 7 1 2 3 4 5\n%s",
             nodes, "$EndElements\n");
    MUST(parse("msh", text, NULL, &mesh));
    CHECK(mesh.tet_count == 2 && mesh.group_count == 3);
    check_group(&mesh, "7", 0, 5);
    check_group(&mesh, "8", 0, 4);
    check_group(&mesh, "9", 0, 4);
    /* twice in one group is a fault */
    snprintf(text, sizeof text, "%s2\n1 4 2 7 1 1 2 3 4\n2 4 2 7 1 1 2 3 4\n$EndElements\n", nodes);
    MUST(parse("msh", text, NULL, &mesh));
    MUST(lil_mesh_check(ctx, &arena, &mesh, &faults));
    CHECK(mesh.tet_count == 2 && strstr(faults.sentences[0], "a.msh:15: tet 2 has the same vertices as tet 1"));
}

static const char msh4[] = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
                           "$PhysicalNames\n1\n2 1 \"clamp\"\n$EndPhysicalNames\n"
                           "$Entities\n1 0 1 1\n"
                           "1 0 0 0 0\n"
                           "6 0 0 0 1 1 0 1 1 0\n"
                           "8 0 0 0 1 1 1 2 -3 4 1 6\n"
                           "$EndEntities\n"
                           "$Nodes\n2 5 1 5\n"
                           "2 6 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n"
                           "3 8 0 2\n4\n5\n0 0 1\n1 1 1\n$EndNodes\n"
                           "$Elements\n3 4 1 4\n"
                           "0 1 15 1\n1 1\n"
                           "2 6 2 1\n2 1 2 3\n"
                           "3 8 4 2\n3 1 2 3 4\n4 2 3 4 5\n$EndElements\n"
                           "$Periodic\n0\n$EndPeriodic\n";

TEST(msh4_text)
{
    lil_mesh mesh;
    MUST(parse("msh", msh4, NULL, &mesh));
    CHECK(mesh.group_count == 3);
    check_group(&mesh, "clamp", 0, 3);
    check_group(&mesh, "3", 0, 5);
    check_group(&mesh, "4", 0, 5);
    CHECK(memcmp(mesh.tets, TETS, sizeof TETS) == 0);
    CHECK(memcmp(mesh.x, X, sizeof X) == 0);
}

TEST(msh4_parametric)
{
    lil_mesh mesh;
    MUST(parse("msh",
               "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 4 1 4\n2 1 1 4\n1\n2\n3\n4\n"
               "0 0 0 9 9\n1 0 0 9 9\n0 1 0 9 9\n0 0 1 9 9\n$EndNodes\n"
               "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n",
               NULL, &mesh));
    CHECK(mesh.vertex_count == 4 && memcmp(mesh.x, X, 4 * sizeof X[0]) == 0 && mesh.group_count == 0);
}

TEST(tetgen)
{
    lil_mesh mesh;
    const char *node = "# made by hand\n5 3 1 1 # vertices\n"
                       "0 0 0 0 2.5 7\n1 1 0 0 2.5 7\n2 0 1 0 2.5 7\n3 0 0 1 2.5 0\n4 1 1 1 2.5 0\n";
    const char *ele = "2 4 1\n0 0 1 2 3 3\n\n# between\n1 1 2 3 4 3.0\n";
    MUST(parse("node", node, ele, &mesh));
    check_two_tets(&mesh, "7", "3");
    CHECK(strcmp(mesh.name, "a.ele") == 0 && mesh.tet_line[1] == 5);
    /* from 1, without attributes and markers */
    MUST(parse("node", "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n", "2 4 0\n1 1 2 3 4\n2 2 3 4 5",
               &mesh));
    check_two_tets(&mesh, NULL, NULL);
}

static const char medit[] = "MeshVersionFormatted 2 # a comment\nDimension\n3\n"
                            "Vertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n1 1 1 1\n"
                            "Corners 2\n1 2\n"
                            "Triangles\n1\n3 1 2 7\nUnknownWords 1\n4 5 6.5\n"
                            "Tetrahedra\n2\n1 2 3 4 3\n2 3 4 5 3\nEnd\n";

TEST(medit_text)
{
    lil_mesh mesh;
    MUST(parse("mesh", medit, NULL, &mesh));
    check_two_tets(&mesh, "7", "3");
    CHECK(mesh.tet_line[0] == 20);
}

TEST(groups_of_one_number_are_told_apart)
{
    lil_mesh mesh;
    char text[sizeof medit];
    memcpy(text, medit, sizeof text);
    strstr(text, "2 7\n")[2] = '3'; /* the triangle's reference too */
    MUST(parse("mesh", text, NULL, &mesh));
    check_two_tets(&mesh, "surface-3", "volume-3");
}

TEST(groups_of_one_name_are_one)
{
    lil_mesh mesh;
    char text[sizeof msh2];
    memcpy(text, msh2, sizeof text);
    memcpy(strstr(text, "\"the body\""), "\"clamp\"   ", 10);
    MUST(parse("msh", text, NULL, &mesh));
    CHECK(mesh.group_count == 1);
    check_group(&mesh, "clamp", 0, 5);
}

static const char vtk_old[] = "# vtk DataFile Version 2.0\na title, 5 words long\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                              "FIELD FieldData 1\nTIME 1 2 double\n0 1\n"
                              "POINTS 5 double\n0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\n"
                              "CELLS 3 14\n3 0 1 2\n4 0 1 2 3\n4 1 2 3 4\nCELL_TYPES 3\n5\n10\n10\n"
                              "CELL_DATA 3\nSCALARS a int 1\nLOOKUP_TABLE default\n1 2 3\n";
static const char vtk_new[] = "# vtk DataFile Version 5.1\nvtk output\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                              "POINTS 5 float\n0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\nMETADATA\nINFORMATION 0\n\n"
                              "CELLS 4 11\nOFFSETS vtktypeint64\n0 3 7 11 \nCONNECTIVITY vtktypeint64\n"
                              "0 1 2 0 1 2 3 1 2\n3 4\nCELL_TYPES 3\n5\n10\n10\n";

TEST(vtk_text)
{
    lil_mesh mesh;
    MUST(parse("vtk", vtk_old, NULL, &mesh));
    check_two_tets(&mesh, NULL, NULL);
    CHECK(mesh.tet_line[0] == 13 && mesh.tet_line[1] == 14);
    MUST(parse("vtk", vtk_new, NULL, &mesh));
    check_two_tets(&mesh, NULL, NULL);
}

/* ---- binary formats, built here ---- */

typedef struct bytes {
    char data[4096];
    size_t size;
    bool big; /* endian */
} bytes;

static void put_text(bytes *b, const char *text)
{
    memcpy(b->data + b->size, text, strlen(text));
    b->size += strlen(text);
}

static void put(bytes *b, const void *value, size_t size)
{
    const unsigned short one = 1;
    bool swap = b->big == (*(const unsigned char *)&one == 1);
    for (size_t i = 0; i < size; i++)
        b->data[b->size++] = ((const char *)value)[swap ? size - 1 - i : i];
}

static void put_ints(bytes *b, int n, const int *x)
{
    for (int i = 0; i < n; i++)
        put(b, &x[i], 4);
}
#define INTS(b, ...) put_ints(b, (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), (int[]){ __VA_ARGS__ })

static void put_longs(bytes *b, int n, const int64_t *x)
{
    for (int i = 0; i < n; i++)
        put(b, &x[i], 8);
}
#define LONGS(b, ...)                                                                                                \
    put_longs(b, (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (int64_t[]){ __VA_ARGS__ })

static void put_points(bytes *b, int from, int to)
{
    for (int i = from; i < to; i++)
        for (int d = 0; d < 3; d++)
            put(b, &X[i][d], 8);
}

static void build_msh2(bytes *b, bool big)
{
    *b = (bytes){ .big = big };
    put_text(b, "$MeshFormat\n2.2 1 8\n");
    INTS(b, 1);
    put_text(b, "\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"clamp\"\n3 7 \"body\"\n$EndPhysicalNames\n$Nodes\n5\n");
    for (int i = 0; i < 5; i++) {
        INTS(b, 100 - i);
        put_points(b, i, i + 1);
    }
    put_text(b, "\n$EndNodes\n$Elements\n3\n");
    INTS(b, 2, 1, 2, /* head */ 1, 1, 1, 100, 99, 98);
    INTS(b, 4, 2, 2, /* head */ 2, 7, 1, 100, 99, 98, 97, /* and */ 3, 7, 1, 99, 98, 97, 96);
    put_text(b, "\n$EndElements\n");
}

static void build_msh4(bytes *b, bool big)
{
    *b = (bytes){ .big = big };
    double box[6] = { 0, 0, 0, 1, 1, 1 };
    put_text(b, "$MeshFormat\n4.1 1 8\n");
    INTS(b, 1);
    put_text(b, "\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"clamp\"\n3 7 \"body\"\n$EndPhysicalNames\n$Entities\n");
    LONGS(b, 0, 0, 1, 1);
    for (int dim = 2; dim <= 3; dim++) {
        INTS(b, 5);
        for (int i = 0; i < 6; i++)
            put(b, &box[i], 8);
        LONGS(b, 1);
        INTS(b, dim == 2 ? 1 : 7);
        LONGS(b, dim - 2);
        if (dim == 3)
            INTS(b, 5);
    }
    put_text(b, "\n$EndEntities\n$Nodes\n");
    LONGS(b, 1, 5, 1, 5);
    INTS(b, 3, 5, 0);
    LONGS(b, 5, 1, 2, 3, 4, 5);
    put_points(b, 0, 5);
    put_text(b, "\n$EndNodes\n$Elements\n");
    LONGS(b, 2, 3, 1, 3);
    INTS(b, 2, 5, 2);
    LONGS(b, 1, 1, 1, 2, 3);
    INTS(b, 3, 5, 4);
    LONGS(b, 2, 2, 1, 2, 3, 4, 3, 2, 3, 4, 5);
    put_text(b, "\n$EndElements\n");
}

static void build_vtk(bytes *b, bool offsets)
{
    *b = (bytes){ .big = true };
    put_text(b, "# vtk DataFile Version 5.1\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n");
    put_text(b, offsets ? "FIELD FieldData 1\nCYCLE 1 1 int\n" : "");
    if (offsets) {
        INTS(b, 12);
        put_text(b, "\n");
    }
    put_text(b, offsets ? "POINTS 5 double\n" : "POINTS 5 float\n");
    for (int i = 0; i < 15; i++) {
        float x = (float)X[i / 3][i % 3];
        if (offsets)
            put(b, &X[i / 3][i % 3], 8);
        else
            put(b, &x, 4);
    }
    put_text(b, offsets ? "\nCELLS 4 11\nOFFSETS vtktypeint64\n" : "\nCELLS 3 14\n");
    if (offsets) {
        LONGS(b, 0, 3, 7, 11);
        put_text(b, "\nCONNECTIVITY vtktypeint64\n");
        LONGS(b, 0, 1, 2, 0, 1, 2, 3, 1, 2, 3, 4);
    } else {
        INTS(b, 3, 0, 1, 2, 4, 0, 1, 2, 3, 4, 1, 2, 3, 4);
    }
    put_text(b, "\nCELL_TYPES 3\n");
    INTS(b, 5, 10, 10);
    put_text(b, "\n");
}

static lil_status parse_bytes(const char *format, const bytes *b, size_t size, lil_mesh *mesh)
{
    /* a copy of exactly that size, so that a sanitizer sees a read behind it */
    char *copy = malloc(size + 1), name[16];
    memcpy(copy, b->data, size);
    copy = realloc(copy, size ? size : 1);
    snprintf(name, sizeof name, "a.%s", format);
    lil_status status = lil_mesh_parse(ctx, &arena, format, name, copy, size, NULL, 0, mesh);
    free(copy);
    return status;
}

/* whole, and cut off at every byte: then it fails with a sentence, or what is missing does not matter */
static void check_binary(const char *format, const bytes *b, const char *side, const char *all)
{
    lil_mesh mesh;
    MUST(parse_bytes(format, b, b->size, &mesh));
    check_two_tets(&mesh, side, all);
    CHECK(mesh.tet_line[0] == 0);
    for (size_t size = 0; size + 13 < b->size; size++) { /* the last line may be missing */
        lil_status status = parse_bytes(format, b, size, &mesh);
        CHECK(status == LIL_ERR_INPUT && lil_context_message(ctx)[0]);
    }
}

TEST(binary)
{
    static bytes b;
    for (int big = 0; big < 2; big++) {
        build_msh2(&b, big);
        check_binary("msh", &b, "clamp", "body");
        build_msh4(&b, big);
        check_binary("msh", &b, "clamp", "body");
        build_vtk(&b, big); /* big stands for the newer layout */
        check_binary("vtk", &b, NULL, NULL);
    }
}

/* ---- cells that are no tets ---- */

static void keep(void *user, const char *sentence)
{
    snprintf(user, 200, "%s", sentence);
}

TEST(other_solids_are_left_out_aloud)
{
    char heard[200] = "";
    lil_mesh mesh;
    lil_context_set_log(ctx, keep, heard);
    MUST(parse("vtk", vtk_old, NULL, &mesh));
    CHECK(!heard[0]); /* triangles are not missed */
    MUST(parse("mesh",
               "MeshVersionFormatted 2\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
               "Pyramids 1\n1 2 3 4 1 5\nTetrahedra 1\n1 2 3 4 0\n",
               NULL, &mesh));
    CHECK(strcmp(heard, "a.mesh: solid cells that are not tets are ignored: 1") == 0);
    CHECK(mesh.tet_count == 1);
    check_group(&mesh, "5", 0, 4);
    lil_context_set_log(ctx, NULL, NULL);
}

/* ---- left-handed files ---- */

TEST(left_handed_files_are_turned)
{
    lil_mesh mesh;
    MUST(parse("node", "5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1 1\n", "2 4 0\n1 1 0 2 3\n2 2 1 3 4\n",
               &mesh));
    for (int t = 0; t < 2; t++)
        CHECK(lil_tet_volume(mesh.x, mesh.tets[t]) > 0);
    CHECK_NEAR(lil_mesh_volume(&mesh), 0.5, DBL_EPSILON);
}

/* ---- bad files ---- */

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 HEAD2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODE "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
#define VTK "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
#define POINTS VTK "POINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n"

static const struct bad {
    const char *format, *text, *more, *sentence;
} bad[] = {
    { "msh", "", NULL, "a.msh: is empty" },
    { "msh", "\n\n", NULL, "a.msh:3: a .msh file of gmsh begins with $MeshFormat, not with ''" },
    { "msh", "$MeshFormat\n3 0 8\n", NULL,
      "a.msh:2: version 3 of the .msh format is not supported: export 4.1 or 2.2" },
    { "msh", "$MeshFormat\n4.0 0 8\n", NULL,
      "a.msh:2: version 4.0 of the .msh format is not supported: export 4.1 or 2.2" },
    { "msh", "$MeshFormat\n2.2 1 8\n\2\0\0", NULL, "a.msh: at byte 20: the file ends where the number 1" },
    { "msh", "$MeshFormat\n2.2 1 8\n\2\3\4\5", NULL, "expected the number 1 after the format, not" },
    { "msh", "$MeshFormat\n2.2 0 8\n", NULL, "a.msh:3: expected $EndMeshFormat here" },
    { "msh", HEAD2, NULL, "a.msh: it has no tets" },
    { "msh", HEAD2 "$Nodes\n2147483648\n", NULL, "a.msh:5: the number of vertices is 2147483648, but the rest" },
    { "msh", HEAD2 "$Nodes\n2000000000\n1 0 0 0\n", NULL, "but the rest of the file has room for 1 at most" },
    { "msh", HEAD2 "$Nodes\n-1\n", NULL, "the number of vertices is -1, but cannot be negative" },
    { "msh", HEAD2 "$Nodes\n1\n1 0 nan 0\n", NULL, "a.msh:6: a coordinate is NaN, not a finite number" },
    { "msh", HEAD2 "$Nodes\n1\n1 0 0 -inf\n", NULL, "a.msh:6: a coordinate is infinite, not a finite number" },
    { "msh", HEAD2 "$Nodes\n1\n1 0 0 1e31\n", NULL, "a.msh:6: a coordinate is 1e+31 m, farther out than 1e+30 m" },
    { "msh", HEAD2 "$Nodes\n1\n1 0 0 1,5\n", NULL, "a coordinate should be a number, not '1,5'" },
    { "msh", HEAD2 "$Nodes\n1\n1.5 0 0 1\n", NULL, "should be a whole number, not '1.5'" },
    { "msh", HEAD2 "$Nodes\n1\n9223372036854775808 0 0 1\n", NULL, "is 9223372036854775808, which is too large" },
    { "msh", HEAD2 "$Nodes\n1\n-5 0 0 1\n", NULL, "the number of a vertex is -5, but cannot be negative" },
    { "msh", HEAD2 "$Nodes\n2\n5 0 0 1\n5 0 0 2\n$EndNodes\n$Elements\n1\n1 4 0 5 5 5 5\n$EndElements", NULL,
      "a.msh: vertex 5 appears twice" },
    { "msh", NODES2 "$Elements\n1\n1 4 0 1 2 3 912\n$EndElements\n", NULL,
      "a.msh:13: tet 1 refers to vertex 912, but vertices go from 1 to 4" },
    { "msh", NODES2 "$Elements\n2\n1 2 1 5 1 2 9\n2 4 0 1 2 3 4\n$EndElements\n", NULL,
      "a.msh:13: cell 1 refers to vertex 9, but vertices go from 1 to 4" },
    { "msh", NODES2 "$Elements\n1\n1 4 0 1 2 3\n$EndElements\n", NULL,
      "a.msh:14: the number of a vertex should be a whole number, not '$EndElements'" },
    { "msh", NODES2 "$Elements\n1\n1 11 0 1 2 3 4 1 2 3 4 1\n$EndElements\n", NULL,
      "a.msh:14: the number of a vertex should be a whole number, not '$EndElements'" },
    { "msh", NODES2 "$Elements\n1\n1 29 0 1 2 3\n$EndElements\n", NULL,
      "a.msh:13: the tets have 20 vertices: export them as first- or second-order tets, with 4 or 10" },
    { "msh", NODES2 "$Elements\n2\n1 11 0 1 2 3 4 1 2 3 4 1 2\n2 4 0 1 2 3 4\n$EndElements\n", NULL,
      "a.msh:14: tet 2 has 4 vertices, and others before it have 10: export all of them as first-order or all as" },
    { "msh", NODES2 "$Elements\n1\n1 77 0 1 2 3\n$EndElements\n", NULL, "unknown element type 77" },
    { "msh", NODES2 "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n$EndElements\n", NULL,
      "a.msh: it has no tets, only solid cells of other kinds" },
    { "msh", NODES2 "$Elements\n1\n1 4 0 1 2 3 4\n", NULL, "expected $EndElements here" },
    { "msh", NODES2 "$Whatever\n", NULL, "the section $Whatever does not end" },
    { "msh", NODES2 "5", NULL, "a.msh:11: expected a section here, not '5'" },
    { "msh", HEAD2 "$PhysicalNames\n1\n2 1 clamp\n", NULL, "a.msh:6: expected a physical name here, in quotes" },
    { "msh", HEAD2 "$PhysicalNames\n1\n2 1 \"clamp\n", NULL, "the quotes of a physical name do not end" },
    { "msh", HEAD4 "$Nodes\n1 4 1 4\n4 1 0 4\n1\n2\n3\n4\n", NULL, "a block is 4, but must be between 0 and 3" },
    { "msh", HEAD4 "$Nodes\n1 99 1 4\n", NULL,
      "the number of vertices is 99, but the rest of the file has room for" },
    { "msh",
      HEAD4 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 65 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 "
            "2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1\n",
      NULL, "an entity is in 65 physical groups, but may be in 64 at most" },
    { "node", "", "", "a.node: is empty" },
    { "node", NODE, "", "a.ele: is empty" },
    { "node", "4 2 0 0\n1 0 0\n2 1 0\n3 0 1\n4 1 1\n", "", "a.node:1: the dimension is 2, but must be 3" },
    { "node", "0 3 0 0\n", "1 4 0\n1 1 2 3 4\n", "a.node:1: there are no vertices" },
    { "node", NODE, "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n", "a.ele:2: tet 1 refers to vertex 5, but" },
    { "node", NODE, "1 20 0\n1 1 2 3 4 5 6 7 8 9 10\n",
      "a.ele:1: the tets have 20 vertices: export them as first- or" },
    { "node", NODE, "1 10 0\n1 1 2 3 4 1 1 1 1 1 1\n",
      "a.ele: the nodes 5 to 10 of its tets are not in the middle of their edges" },
    { "node", NODE, "1 4 0\n1 1 2 3 5\n", "a.ele:2: tet 1 refers to vertex 5, but vertices go from 1 to 4" },
    { "node", NODE, "1 4 0\n1 1 2 3 0\n", "a.ele:2: tet 1 refers to vertex 0, but vertices go from 1 to 4" },
    { "node", "1 3 0 0\n9223372036854775807 0 0 0\n", "1 4 0\n1 1 2 3 0\n",
      "refers to vertex 1, but vertices go from 9223372036854775807 to 9223372036854775807" },
    { "node", NODE, "2 4 0\n1 1 2 3 4\n", "a.ele:1: the number of tets is 2, but the rest of the file has room" },
    { "node", NODE, "1 4 0\n# nothing here, for a while\n", "a.ele:3: the file ends where the number of a tet" },
    { "node", NODE, "0 4 0\n", "a.ele: it has no tets" },
    { "mesh", "Vertices 0", NULL, "a.mesh:1: a .mesh file of Medit begins with MeshVersionFormatted" },
    { "mesh", "MeshVersionFormatted 1\nDimension 2\n", NULL, "a.mesh:2: the dimension is 2, but must be 3" },
    { "mesh", "MeshVersionFormatted 1\nTetrahedra 1\n1 2 3 4 0\n", NULL, "refers to vertex 1, but there are none" },
    { "mesh", "MeshVersionFormatted 1\nTetrahedraP3 1\n1 2 3 4 0\n", NULL,
      "a.mesh:2: the tets are TetrahedraP3: export them as first- or second-order tets" },
    { "mesh", "MeshVersionFormatted 1\nTetrahedra x\n", NULL,
      "the number of cells should be a whole number, not 'x'" },
    { "mesh", "MeshVersionFormatted 1\nDimension 3 4\n", NULL, "a.mesh:2: expected a keyword here, not '4'" },
    { "vtk", "# vtk DataFil", NULL, "a.vtk:1: a legacy .vtk file begins with '# vtk DataFile Version'" },
    { "vtk", "# vtk DataFile Version 9.0\n", NULL, "a.vtk:1: version 9 of the .vtk format is not supported" },
    { "vtk", "# vtk DataFile Version 3.0\nt\nXML\n", NULL, "a.vtk:3: expected ASCII or BINARY here, not 'XML'" },
    { "vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA", NULL,
      "a.vtk:4: expected UNSTRUCTURED_GRID here, not 'POLYDATA'" },
    { "vtk", VTK "POINTS 1 int\n0 0 0", NULL, "points must be of type float or double, not 'int'" },
    { "vtk", VTK "POINTZ 1 int\n0 0 0", NULL, "expected POINTS, CELLS or CELL_TYPES here, not 'POINTZ'" },
    { "vtk", POINTS "CELLS 1 5\n4 0 1 2 4\nCELL_TYPES 1\n10\n", NULL,
      "a.vtk:8: tet 1 refers to vertex 4, but vertices go from 0 to 3" },
    { "vtk", POINTS "CELLS 1 5\n5 0 1 2 4 5\n", NULL, "cell 0 has 5 vertices, more than CELLS leaves room for" },
    { "vtk", POINTS "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", NULL, "cell 0 is a tet, but has 3 vertices" },
    { "vtk", POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 2\n10 10\n", NULL, "there are 2 cell types, but 1 cells" },
    { "vtk", POINTS "CELL_TYPES 2\n10 10\n", NULL, "there are 2 cell types, but 0 cells" },
    { "vtk", POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n24\n", NULL,
      "cell 0 is a quadratic tet, but has 4 vertices" },
    { "vtk", POINTS "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n71\n", NULL,
      "cell 0 is a tet of type 71 with 4 vertices: export first- or second-order tets, with 4 or 10" },
    { "vtk", POINTS "CELLS 2 4\nOFFSETS vtktypeint64\n4 0\nCONNECTIVITY vtktypeint64\n0 1 2 3\n", NULL,
      "the offsets of cell 0 go backwards, from 4 to 0" },
    { "vtk", POINTS "CELLS 2 4\nOFFSETS vtktypeint64\n0 5\nCONNECTIVITY vtktypeint64\n0 1 2 3\n", NULL,
      "OFFSETS is 5, but must be between 0 and 4" },
    { "stl", "solid", NULL, "'stl' is not a mesh format" },
};

TEST(bad_files)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        lil_mesh mesh;
        lil_status status = parse(bad[i].format, bad[i].text, bad[i].more, &mesh);
        bool said = strstr(lil_context_message(ctx), bad[i].sentence) != NULL;
        CHECK(status != LIL_OK && said);
        if (status == LIL_OK || !said)
            printf("  %.60s: '%s' does not say '%s'\n", bad[i].text, lil_context_message(ctx), bad[i].sentence);
    }
}

/* ---- faults ---- */

static const struct faulty {
    const char *node, *ele;
    int count;
    const char *sentence;
} faulty[] = {
    { NODE, "1 4 0\n1 1 2 3 4\n", 0, NULL },
    { "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n", "2 4 0\n1 1 2 3 4\n2 2 3 5 4\n", 1,
      "a.ele:3: tet 2 is inverted: its volume is -0.333333 m^3" },
    { "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 0 0.0\n", "2 4 0\n1 1 2 3 4\n2 1 2 4 5\n", 2,
      "a.ele:3: tet 2 is flat: its volume is 0 m^3" },
    { "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0.5 0.5 1e-14\n", "2 4 0\n1 1 2 3 4\n2 1 2 3 5\n", 1,
      "a.ele:3: tet 2 is flat: its volume is 1.66667e-15 m^3" },
    { NODE, "3 4 0\n1 1 2 3 4\n2 2 3 1 4\n3 3 1 2 4\n", 2,
      "a.ele:3: tet 2 has the same vertices as tet 1; 2 in all" },
    { "6 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 3 3 0.25\n", "2 4 0\n1 1 2 3 4\n2 2 3 4 5\n", 1,
      "a.ele: vertex 6 at (3, 3, 0.25) belongs to no tet" },
    { "8 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 1 0 1e-13\n7 0 1 0\n8 0 0 1\n",
      "2 4 0\n1 1 2 3 4\n2 6 7 8 5\n", 2, "a.ele: vertex 6 at (1, 0, 1e-13) coincides with vertex 2; 3 in all" },
    { "6 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 0 0 2\n6 0 0 3\n", "3 4 0\n1 1 2 3 4\n2 1 2 3 5\n3 1 2 3 6\n",
      1, "a.ele:2: tet 1 has a face that 3 tets share" },
    { "8 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 5 0 0\n6 6 0 0\n7 5 1 0\n8 5 0 1\n",
      "2 4 0\n1 1 2 3 4\n2 5 6 7 8\n", 1,
      "a.ele:3: tet 2 is not connected to the tets before it: the mesh has 2 separate parts" },
};

TEST(faults)
{
    for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
        lil_mesh mesh;
        lil_mesh_faults faults;
        bool said = faulty[i].sentence == NULL;
        MUST(parse("node", faulty[i].node, faulty[i].ele, &mesh));
        MUST(lil_mesh_check(ctx, &arena, &mesh, &faults));
        for (int k = 0; k < faults.count; k++)
            said = said || strcmp(faults.sentences[k], faulty[i].sentence) == 0;
        CHECK(said && faults.count == faulty[i].count);
        for (int k = 0; k < faults.count && (!said || faults.count != faulty[i].count); k++)
            printf("  %zu: %s\n", i, faults.sentences[k]);
    }
}

/* ---- measures ---- */

TEST(measures_of_known_tets)
{
    const int tet[4] = { 0, 1, 2, 3 };
    const double regular[12] = { 1, 1, 1, -1, 1, -1, 1, -1, -1, -1, -1, 1 };
    double degrees = 45 / atan(1);
    CHECK_NEAR(lil_tet_quality(regular, tet), 1, 4 * DBL_EPSILON);
    CHECK_NEAR(lil_tet_dihedral(regular, tet), acos(1.0 / 3) * degrees, 1e-12);
    /* the corner of a cube: inradius 1/(3 + sqrt 3), circumradius sqrt(3)/2, smallest angle atan(sqrt 2) */
    CHECK_NEAR(lil_tet_quality(X[0], tet), 6 / (3 + sqrt(3)) / sqrt(3), 4 * DBL_EPSILON);
    CHECK_NEAR(lil_tet_dihedral(X[0], tet), atan(sqrt(2)) * degrees, 1e-12);
    CHECK_NEAR(lil_tet_volume(X[0], tet), 1.0 / 6, DBL_EPSILON);
    CHECK(lil_tet_quality(X[0], (int[4]){ 0, 1, 3, 2 }) < 0);
    CHECK(lil_tet_quality(X[0], (int[4]){ 0, 0, 0, 0 }) == 0 && lil_tet_dihedral(X[0], (int[4]){ 0, 0, 0, 0 }) == 0);
}

TEST(surface_of_two_tets)
{
    lil_mesh mesh;
    MUST(parse("mesh", medit, NULL, &mesh));
    MUST(lil_mesh_surface(ctx, &arena, &mesh));
    CHECK(mesh.face_count == 6); /* the face between them is inside */
    CHECK_NEAR(lil_mesh_area(&mesh), 3 * 0.5 + 3 * sqrt(3) / 2, 8 * DBL_EPSILON);
}

TEST(description)
{
    lil_mesh mesh;
    lil_text text = { 0 };
    MUST(parse("msh", msh2, NULL, &mesh));
    MUST(lil_mesh_surface(ctx, &arena, &mesh));
    lil_mesh_describe(&mesh, &text);
    static const char *const pieces[] = { "tets         2, with 5 vertices and a surface of 6 faces\n",
                                          "size         1 x 1 x 1 m, from (0, 0, 0) to (1, 1, 1)\n",
                                          "volume       0.5 m^3\n",
                                          "surface      4.09808 m^2\n",
                                          "edges        1 to 1.41421 m\n",
                                          "quality      0.732 at worst, 0.866 on average",
                                          "smallest angle between two faces 54.7 degrees\n",
                                          "groups       clamp: 3 vertices\n             the body: 5 vertices\n" };
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        CHECK(text.data && strstr(text.data, pieces[i]));
        if (text.data && !strstr(text.data, pieces[i]))
            printf("  no '%s' in\n%s", pieces[i], text.data);
    }
    lil_text_free(&text);
}

/* ---- files ---- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fputs(text, file) >= 0);
    if (file)
        fclose(file);
}

static void check_refused(const char *path, const char *sentence)
{
    lil_mesh mesh;
    CHECK(lil_mesh_read(ctx, &arena, path, &mesh) != LIL_OK);
    CHECK(strstr(lil_context_message(ctx), sentence));
}

TEST(files)
{
    char folder[] = "/tmp/lilyan_mesh_XXXXXX", path[4][64], *text;
    static const char *const names[] = { "a.msh", "b.node", "b.ele", "c.mesh" };
    lil_mesh mesh;
    int faults;
    CHECK(mkdtemp(folder));
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
    write_file(path[0], msh4);
    MUST(lil_mesh_read(ctx, &arena, path[0], &mesh));
    CHECK(mesh.tet_count == 2 && strcmp(mesh.name, path[0]) == 0);
    MUST(lil_mesh_report(ctx, path[0], &text, &faults));
    CHECK(faults == 0 && text && strstr(text, "tets         2, with 5 vertices"));
    free(text);
    write_file(path[1], "5 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 7 7 7");
    check_refused(path[1], "b.ele: cannot be opened: No such file");
    write_file(path[2], "1 4 0\n1 1 2 3 4\n");
    for (int i = 1; i <= 2; i++) { /* either names both */
        MUST(lil_mesh_report(ctx, path[i], &text, &faults));
        CHECK(faults == 1 && strstr(text, "faults       ") &&
              strstr(text, "vertex 5 at (7, 7, 7) belongs to no tet\n"));
        free(text);
    }
    CHECK(mkdir(path[3], 0700) == 0);
    check_refused(path[3], "c.mesh: is a folder, not a mesh");
    check_refused("/nowhere/a.vtk", "/nowhere/a.vtk: cannot be opened: No such file");
    check_refused("bar.stl", "bar.stl: meshes end in .msh (gmsh), .node or .ele (tetgen)");
    CHECK(lil_mesh_report(ctx, "/nowhere/a.vtk", &text, &faults) == LIL_ERR_FILE && !text);
    rmdir(path[3]);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    CHECK(rmdir(folder) == 0);
}

int main(void)
{
    ctx = lil_context_create();
    RUN(msh2_text);
    RUN(msh2_writes_tets_of_several_groups_again);
    RUN(msh4_text);
    RUN(msh4_parametric);
    RUN(tetgen);
    RUN(medit_text);
    RUN(groups_of_one_number_are_told_apart);
    RUN(groups_of_one_name_are_one);
    RUN(vtk_text);
    RUN(binary);
    RUN(other_solids_are_left_out_aloud);
    RUN(left_handed_files_are_turned);
    RUN(bad_files);
    RUN(faults);
    RUN(measures_of_known_tets);
    RUN(surface_of_two_tets);
    RUN(description);
    RUN(files);
    lil_arena_free(&arena);
    lil_context_destroy(&ctx);
    return test_end();
}
