/* Medit's .mesh as text: keywords, each with a count and as many rows; a row ends with a reference number, which
 * makes a group. Loic Marechal, "Handling unstructured meshes' files with libMeshb", and INRIA RT-0253 */
#include "mesh/read/formats.h"

#include <limits.h>
#include <string.h>

enum { CORNERS_MAX = 10 };

static const struct rows {
    const char *keyword;
    int corners, dim;
} kinds[] = {
    { "Tetrahedra", 4, 3 },     { "TetrahedraP2", 10, 3 }, { "Triangles", 3, 2 }, { "TrianglesP2", 6, 2 },
    { "Quadrilaterals", 4, 2 }, { "Hexahedra", 8, 3 },     { "Hexaedra", 8, 3 },  { "Prisms", 6, 3 },
    { "Pyramids", 5, 3 },       { "Edges", 2, 1 },         { "EdgesP2", 3, 1 },
};
enum { TET_KINDS = 2 }; /* the first of them */

static lil_status read_vertices(lil_scan *s, lil_build *b)
{
    int64_t count, first = (int64_t)b->vertex_count, ignored;
    LIL_TRY(lil_scan_count(s, 8, "the number of vertices", 4, 32, &count));
    for (int64_t i = 0; i < count; i++) {
        LIL_TRY(lil_build_vertex(b, s, first + i + 1, 8));
        LIL_TRY(lil_scan_integer(s, 8, "a reference", INT64_MIN, INT64_MAX, &ignored));
    }
    return LIL_OK;
}

static lil_status read_row(lil_scan *s, lil_build *b, const struct rows *kind)
{
    int64_t nodes[CORNERS_MAX], reference;
    for (int k = 0; k < kind->corners; k++)
        LIL_TRY(lil_scan_integer(s, 8, "the number of a vertex", 0, INT64_MAX, &nodes[k]));
    LIL_TRY(lil_scan_integer(s, 8, "a reference", INT64_MIN, INT64_MAX, &reference));
    bool tet = kind < kinds + TET_KINDS;
    b->left_out += kind->dim == 3 && !tet;
    if (tet)
        LIL_TRY(lil_build_tet(b, s, nodes, kind->corners));
    else if (reference)
        LIL_TRY(lil_build_cell(b, s, nodes, kind->corners));
    return reference ? lil_build_mark(b, kind->dim, reference) : LIL_OK;
}

static lil_status read_rows(lil_scan *s, lil_build *b, const struct rows *kind)
{
    int64_t count;
    LIL_TRY(lil_scan_count(s, 8, "the number of cells", kind->corners + 1, 8, &count));
    for (int64_t i = 0; i < count; i++)
        LIL_TRY(read_row(s, b, kind));
    return LIL_OK;
}

static bool is_keyword(const char *word)
{
    return (word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z');
}

/* Other sections are numbers up to the next keyword. */
static void skip_numbers(lil_scan *s)
{
    char word[LIL_WORD_MAX];
    while (lil_scan_peek(s, word) && !is_keyword(word))
        lil_scan_word(s, word);
}

static lil_status read_keyword(lil_scan *s, lil_build *b, const char *word)
{
    int64_t number;
    if (strcmp(word, "Dimension") == 0) {
        LIL_TRY(lil_scan_integer(s, 8, "the dimension", 0, INT_MAX, &number));
        return number == 3 ? LIL_OK : lil_scan_fail(s, "the dimension is %lld, but must be 3", (long long)number);
    }
    if (strcmp(word, "Vertices") == 0)
        return read_vertices(s, b);
    if (strcmp(word, "TetrahedraP3") == 0 || strcmp(word, "TetrahedraP4") == 0)
        return lil_scan_fail(s, "the tets are %s: export them as first- or second-order tets", word);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(word, kinds[i].keyword) == 0)
            return read_rows(s, b, &kinds[i]);
    skip_numbers(s);
    return LIL_OK;
}

lil_status lil_read_medit(lil_scan *s, lil_build *b)
{
    char word[LIL_WORD_MAX];
    s->comment = '#';
    b->unordered = true; /* gmsh writes the mid nodes of TetrahedraP2 in its own order, others in libMeshb's */
    if (!lil_scan_word(s, word) || strcmp(word, "MeshVersionFormatted") != 0)
        return lil_scan_fail(s, "a .mesh file of Medit begins with MeshVersionFormatted, not with '%.40s'", word);
    skip_numbers(s);
    while (lil_scan_word(s, word) && strcmp(word, "End") != 0) {
        if (!is_keyword(word))
            return lil_scan_fail(s, "expected a keyword here, not '%.40s'", word);
        LIL_TRY(read_keyword(s, b, word));
    }
    return LIL_OK;
}
