/* TetGen's pair of text files: .node with vertices and .ele with tets. Numbers count from 0 or from 1; what
 * follows # is a comment. With -o2 tets have 10 nodes. wias-berlin.de/software/tetgen/fformats.html */
#include "mesh/quadratic.h"
#include "mesh/read/formats.h"

#include <math.h>

enum { COLUMNS_MAX = 1000 };

/* number x y z [attributes] [marker] */
static lil_status read_node(lil_scan *s, lil_build *b, int64_t attributes, bool marked)
{
    int64_t tag, marker = 0;
    LIL_TRY(lil_scan_integer(s, 8, "the number of a vertex", 0, INT64_MAX, &tag));
    LIL_TRY(lil_build_vertex(b, s, tag, 8));
    LIL_TRY(lil_scan_skip(s, 8, attributes, "an attribute"));
    if (marked)
        LIL_TRY(lil_scan_integer(s, 8, "a boundary marker", INT64_MIN, INT64_MAX, &marker));
    if (!marker) /* inside */
        return LIL_OK;
    LIL_TRY(lil_build_cell(b, s, &tag, 1));
    return lil_build_mark(b, 0, marker);
}

lil_status lil_read_tetgen_node(lil_scan *s, lil_build *b)
{
    int64_t count, dim, attributes, marked;
    s->comment = '#';
    LIL_TRY(lil_scan_count(s, 8, "the number of vertices", 4, 8, &count));
    LIL_TRY(lil_scan_integer(s, 8, "the dimension", 0, 3, &dim));
    if (dim != 3)
        return lil_scan_fail(s, "the dimension is %lld, but must be 3", (long long)dim);
    LIL_TRY(lil_scan_integer(s, 8, "the number of attributes", 0, COLUMNS_MAX, &attributes));
    LIL_TRY(lil_scan_integer(s, 8, "whether vertices have markers", 0, 1, &marked));
    if (!count)
        return lil_scan_fail(s, "there are no vertices; if a .poly file has them, run tetgen first");
    for (int64_t i = 0; i < count; i++)
        LIL_TRY(read_node(s, b, attributes, marked != 0));
    return LIL_OK;
}

/* number v0 v1 v2 v3 [of second order 6 more] [region] [attributes] */
static lil_status read_tet(lil_scan *s, lil_build *b, int corners, int64_t attributes)
{
    int64_t tag, nodes[LIL_QUADRATIC_NODES];
    LIL_TRY(lil_scan_integer(s, 8, "the number of a tet", 0, INT64_MAX, &tag));
    for (int k = 0; k < corners; k++)
        LIL_TRY(lil_scan_integer(s, 8, "the number of a vertex", 0, INT64_MAX, &nodes[k]));
    LIL_TRY(lil_build_tet(b, s, nodes, corners));
    if (!attributes)
        return LIL_OK;
    double region; /* TetGen writes it as a real; one that is not whole is an attribute of another kind */
    LIL_TRY(lil_scan_real(s, 8, "a region", &region));
    if (region != 0 && region == floor(region) && fabs(region) < 1e15)
        LIL_TRY(lil_build_mark(b, 3, (int64_t)region));
    return lil_scan_skip(s, 8, attributes - 1, "an attribute");
}

lil_status lil_read_tetgen_ele(lil_scan *s, lil_build *b)
{
    int64_t count, corners, attributes;
    s->comment = '#';
    LIL_TRY(lil_scan_count(s, 8, "the number of tets", 5, 8, &count));
    LIL_TRY(lil_scan_integer(s, 8, "the number of vertices of a tet", 0, COLUMNS_MAX, &corners));
    if (corners != 4 && corners != LIL_QUADRATIC_NODES)
        return lil_scan_fail(s,
                             "the tets have %lld vertices: export them as first- or second-order tets, with 4 or %d",
                             (long long)corners, LIL_QUADRATIC_NODES);
    b->unordered = true;
    LIL_TRY(lil_scan_integer(s, 8, "the number of attributes", 0, COLUMNS_MAX, &attributes));
    for (int64_t i = 0; i < count; i++)
        LIL_TRY(read_tet(s, b, (int)corners, attributes));
    return LIL_OK;
}
