/*
 * gmsh's .msh, versions 2.2 and 4.1, as text and binary: shared code, and 2.2. gmsh.info/doc/texinfo/gmsh.html, "MSH
 * file format" and "MSH file format version 2 (Legacy)"
 */
#include "mesh/quadratic.h"
#include "mesh/read/formats.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { TAGS_MAX = 1000 };

/* element types by number: how many vertices, of what dimension */
static const struct {
    unsigned char count, dim;
} types[] = {
    [1] = { 2, 1 },   [2] = { 3, 2 },   [3] = { 4, 2 },    [4] = { 4, 3 },   [5] = { 8, 3 },   [6] = { 6, 3 },
    [7] = { 5, 3 },   [8] = { 3, 1 },   [9] = { 6, 2 },    [10] = { 9, 2 },  [11] = { 10, 3 }, [12] = { 27, 3 },
    [13] = { 18, 3 }, [14] = { 14, 3 }, [15] = { 1, 0 },   [16] = { 8, 2 },  [17] = { 20, 3 }, [18] = { 15, 3 },
    [19] = { 13, 3 }, [20] = { 9, 2 },  [21] = { 10, 2 },  [22] = { 12, 2 }, [23] = { 15, 2 }, [24] = { 15, 2 },
    [25] = { 21, 2 }, [26] = { 4, 1 },  [27] = { 5, 1 },   [28] = { 6, 1 },  [29] = { 20, 3 }, [30] = { 35, 3 },
    [31] = { 56, 3 }, [92] = { 64, 3 }, [93] = { 125, 3 },
};
enum { TET = 4, QUADRATIC_TET = 11, TYPES = sizeof types / sizeof types[0] };

static bool is_tet(int64_t type)
{
    return type == TET || type == QUADRATIC_TET;
}

lil_status lil_msh_type(lil_msh *m, int64_t type, int *count, int *dim)
{
    if (type < 0 || type >= TYPES || !types[type].count)
        return lil_scan_fail(m->s, "unknown element type %lld", (long long)type);
    if (type >= 29 && type <= 31)
        return lil_scan_fail(m->s,
                             "the tets have %d vertices: export them as first- or second-order tets, with 4 or %d",
                             types[type].count, LIL_QUADRATIC_NODES);
    *count = types[type].count;
    *dim = types[type].dim;
    return LIL_OK;
}

lil_status lil_msh_vertices(lil_msh *m, int bytes, int64_t type, int64_t nodes[LIL_MSH_VERTICES_MAX])
{
    for (int k = 0; k < types[type].count; k++) {
        int at = type == QUADRATIC_TET && k >= 8 ? 17 - k : k; /* the last two are on edges 23 and 13 */
        LIL_TRY(lil_scan_integer(m->s, bytes, "the number of a vertex", 0, INT64_MAX, &nodes[at]));
    }
    return LIL_OK;
}

lil_status lil_msh_element(lil_msh *m, int64_t type, const int64_t *nodes, bool wanted)
{
    if (is_tet(type))
        return lil_build_tet(m->b, m->s, nodes, types[type].count);
    m->b->left_out += types[type].dim == 3;
    return wanted ? lil_build_cell(m->b, m->s, nodes, types[type].count) : LIL_OK;
}

/* A number that is text in binary files too. */
static lil_status text_count(lil_msh *m, const char *what, int numbers, int bytes_each, int64_t *count)
{
    bool binary = m->s->binary;
    m->s->binary = false;
    lil_status status = lil_scan_count(m->s, 4, what, numbers, bytes_each, count);
    lil_scan_end_line(m->s);
    m->s->binary = binary;
    return status;
}

static lil_status read_physical_names(lil_msh *m)
{
    int64_t count, dim, number;
    char name[LIL_WORD_MAX];
    LIL_TRY(text_count(m, "the number of physical names", 3, 6, &count));
    bool binary = m->s->binary;
    m->s->binary = false; /* always text */
    for (int64_t i = 0; i < count; i++) {
        LIL_TRY(lil_scan_integer(m->s, 4, "the dimension of a physical name", 0, 3, &dim));
        LIL_TRY(lil_scan_integer(m->s, 4, "the number of a physical name", INT_MIN + 1, INT_MAX, &number));
        LIL_TRY(lil_scan_quoted(m->s, "a physical name", name));
        if (name[0])
            LIL_TRY(lil_build_label(m->b, (int)dim, number < 0 ? -number : number, name));
    }
    m->s->binary = binary;
    return LIL_OK;
}

/* ---- 2.2 ---- */

static lil_status read_nodes2(lil_msh *m)
{
    int64_t count, tag;
    LIL_TRY(text_count(m, "the number of vertices", 4, 28, &count));
    for (int64_t i = 0; i < count; i++) {
        LIL_TRY(lil_scan_integer(m->s, 4, "the number of a vertex", 0, INT64_MAX, &tag));
        LIL_TRY(lil_build_vertex(m->b, m->s, tag, 8));
    }
    return LIL_OK;
}

/* After an element's number: its tags, the first of which is its physical group (negative: turned round; 0: none), and
 * its vertices. */
static lil_status read_element2(lil_msh *m, int64_t type, int64_t tags)
{
    int64_t physical = 0, other, nodes[LIL_MSH_VERTICES_MAX];
    int count = 0, dim = 0;
    LIL_TRY(lil_msh_type(m, type, &count, &dim));
    for (int64_t k = 0; k < tags; k++)
        LIL_TRY(lil_scan_integer(m->s, 4, "a tag of an element", INT_MIN + 1, INT_MAX, k ? &other : &physical));
    LIL_TRY(lil_msh_vertices(m, 4, type, nodes));
    physical = physical < 0 ? -physical : physical;
    /* an element of several groups is written once for each */
    if (!(is_tet(type) && physical && lil_build_repeats(m->b, nodes, count, physical)))
        LIL_TRY(lil_msh_element(m, type, nodes, physical != 0));
    return physical ? lil_build_mark(m->b, dim, physical) : LIL_OK;
}

static lil_status read_head2(lil_msh *m, int64_t *type, int64_t *tags)
{
    LIL_TRY(lil_scan_integer(m->s, 4, "the type of an element", 0, INT_MAX, type));
    if (m->s->binary)
        return LIL_OK;
    return lil_scan_integer(m->s, 4, "the number of an element's tags", 0, TAGS_MAX, tags);
}

static lil_status read_elements2(lil_msh *m)
{
    int64_t count, number, type, tags = 0, block = 1;
    LIL_TRY(text_count(m, "the number of elements", 4, 8, &count));
    for (int64_t i = 0; i < count; i += block) {
        if (!m->s->binary) {
            LIL_TRY(lil_scan_integer(m->s, 4, "the number of an element", INT64_MIN, INT64_MAX, &number));
            LIL_TRY(read_head2(m, &type, &tags));
            LIL_TRY(read_element2(m, type, tags));
            continue;
        }
        /* binary: one header per block of elements */
        LIL_TRY(read_head2(m, &type, &tags));
        LIL_TRY(lil_scan_integer(m->s, 4, "the size of a block of elements", 1, count - i, &block));
        LIL_TRY(lil_scan_integer(m->s, 4, "the number of an element's tags", 0, TAGS_MAX, &tags));
        for (int64_t k = 0; k < block; k++) {
            LIL_TRY(lil_scan_integer(m->s, 4, "the number of an element", INT64_MIN, INT64_MAX, &number));
            LIL_TRY(read_element2(m, type, tags));
        }
    }
    return LIL_OK;
}

/* ---- sections ---- */

static const struct section {
    const char *name;
    int version; /* 0: any */
    bool text;   /* begins with a count in text, also in binary files */
    lil_status (*read)(lil_msh *m);
} sections[] = {
    { "$PhysicalNames", 0, true, read_physical_names },
    { "$Nodes", 2, true, read_nodes2 },
    { "$Elements", 2, true, read_elements2 },
    { "$Entities", 4, false, lil_msh4_entities },
    { "$Nodes", 4, false, lil_msh4_nodes },
    { "$Elements", 4, false, lil_msh4_elements },
};

static const struct section *find_section(const char *word, int version)
{
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        if (strcmp(word, sections[i].name) == 0 && (!sections[i].version || sections[i].version == version))
            return &sections[i];
    return NULL;
}

static lil_status read_section(lil_msh *m, const char *word, int version)
{
    char end[LIL_WORD_MAX + 4], next[LIL_WORD_MAX];
    const struct section *section = find_section(word, version);
    snprintf(end, sizeof end, "$End%s", word + 1);
    if (!section) {
        if (!lil_scan_skip_to(m->s, end))
            return lil_scan_fail(m->s, "the section %.60s does not end", word);
        return LIL_OK;
    }
    if (m->s->binary && !section->text)
        lil_scan_end_line(m->s);
    LIL_TRY(section->read(m));
    if (!lil_scan_word(m->s, next) || strcmp(next, end) != 0)
        return lil_scan_fail(m->s, "expected %.60s here, not '%.60s'", end, next);
    return LIL_OK;
}

/* binary files hold a 1, which shows how bytes are ordered */
static lil_status read_one(lil_msh *m)
{
    int64_t one;
    m->s->unlined = m->s->binary = true;
    lil_scan_end_line(m->s);
    LIL_TRY(lil_scan_integer(m->s, 4, "the number 1 after the format", INT_MIN, INT_MAX, &one));
    m->s->reversed = one == 0x01000000;
    if (one != 1 && !m->s->reversed)
        return lil_scan_fail(m->s, "expected the number 1 after the format, not %lld", (long long)one);
    return LIL_OK;
}

static lil_status read_format(lil_msh *m, int *version)
{
    char word[LIL_WORD_MAX];
    int64_t binary, size;
    if (!lil_scan_word(m->s, word) || strcmp(word, "$MeshFormat") != 0)
        return lil_scan_fail(m->s, "a .msh file of gmsh begins with $MeshFormat, not with '%.40s'", word);
    if (!lil_scan_word(m->s, word))
        return lil_scan_fail(m->s, "the file ends where its version is expected");
    *version = word[0] == '4' ? 4 : 2;
    if (strcmp(word, "4.1") != 0 && strcmp(word, "2.2") != 0 && strcmp(word, "2.1") != 0 && strcmp(word, "2") != 0)
        return lil_scan_fail(m->s, "version %.20s of the .msh format is not supported: export 4.1 or 2.2", word);
    LIL_TRY(lil_scan_integer(m->s, 4, "the kind of file", 0, 1, &binary));
    LIL_TRY(lil_scan_integer(m->s, 4, "the size of a number", 4, 8, &size));
    if ((size != 4 && size != 8) || (*version == 2 && size != 8))
        return lil_scan_fail(m->s, "numbers of %lld bytes are not supported", (long long)size);
    m->size_bytes = (int)size;
    if (binary)
        LIL_TRY(read_one(m));
    if (!lil_scan_word(m->s, word) || strcmp(word, "$EndMeshFormat") != 0)
        return lil_scan_fail(m->s, "expected $EndMeshFormat here, not '%.40s'", word);
    return LIL_OK;
}

static lil_status read_all(lil_msh *m)
{
    char word[LIL_WORD_MAX];
    int version = 0;
    LIL_TRY(read_format(m, &version));
    while (lil_scan_word(m->s, word)) {
        if (word[0] != '$' || strncmp(word, "$End", 4) == 0)
            return lil_scan_fail(m->s, "expected a section here, not '%.40s'", word);
        LIL_TRY(read_section(m, word, version));
    }
    return LIL_OK;
}

lil_status lil_read_msh(lil_scan *s, lil_build *b)
{
    lil_msh m = { .s = s, .b = b };
    lil_status status = read_all(&m);
    lil_msh4_end(&m);
    return status;
}
