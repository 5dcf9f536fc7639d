/* VTK's legacy files, text and binary (big-endian), versions 1 to 5.1: POINTS, CELLS in the old layout (count,
 * vertices, count, ...) or that of 5.1 (OFFSETS and CONNECTIVITY), CELL_TYPES. What data they carry is not read.
 * VTK File Formats, "Simple Legacy Formats" */
#include "mesh/quadratic.h"
#include "mesh/read/formats.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TET = 10, QUADRATIC_TET = 24, LAGRANGE_TET = 71, BEZIER_TET = 78 };

typedef struct vtk {
    lil_scan *s;
    lil_build *b;
    double version;
    int64_t cells;  /* -1: not read yet */
    int64_t *first; /* cells + 1 places in `nodes` */
    int64_t *nodes;
    int *line; /* line of each cell; 0: unknown */
} vtk;

static const struct type {
    const char *name;
    int bytes;
} types[] = {
    { "float", 4 },          { "double", 8 },         { "int", 4 },          { "unsigned_int", 4 },
    { "long", 8 },           { "unsigned_long", 8 },  { "short", 2 },        { "unsigned_short", 2 },
    { "char", 1 },           { "unsigned_char", 1 },  { "signed_char", 1 },  { "vtkIdType", 4 },
    { "vtktypeint64", 8 },   { "vtktypeuint64", 8 },  { "vtktypeint32", 4 }, { "vtktypeuint32", 4 },
    { "vtktypefloat32", 4 }, { "vtktypefloat64", 8 },
};

/* the name of a type, and its size in bytes */
static lil_status read_type(vtk *v, const char *what, int *bytes)
{
    char word[LIL_WORD_MAX];
    lil_scan_word(v->s, word);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(word, types[i].name) == 0) {
            *bytes = types[i].bytes;
            return LIL_OK;
        }
    return lil_scan_fail(v->s, "%s cannot be of type '%.40s'", what, word);
}

/* Numbers of the head of a section are text also in binary files. */
static lil_status read_count(vtk *v, const char *what, int numbers, int bytes_each, int64_t *count)
{
    v->s->binary = false;
    return lil_scan_count(v->s, 8, what, numbers, bytes_each, count);
}

static void begin_data(vtk *v)
{
    v->s->binary = v->s->unlined;
    if (v->s->binary)
        lil_scan_end_line(v->s);
}

/* ---- sections ---- */

static lil_status read_points(vtk *v)
{
    int64_t count, first = (int64_t)v->b->vertex_count;
    char word[LIL_WORD_MAX];
    int bytes = 0;
    LIL_TRY(read_count(v, "the number of points", 3, 12, &count));
    if (lil_scan_peek(v->s, word) && strcmp(word, "float") != 0 && strcmp(word, "double") != 0)
        return lil_scan_fail(v->s, "points must be of type float or double, not '%.40s'", word);
    LIL_TRY(read_type(v, "points", &bytes));
    begin_data(v);
    for (int64_t i = 0; i < count; i++)
        LIL_TRY(lil_build_vertex(v->b, v->s, first + i, bytes));
    return LIL_OK;
}

static int64_t *new_numbers(int64_t count)
{
    return malloc((size_t)count * sizeof(int64_t) + 1);
}

/* CELLS cells numbers: each cell is its count and its vertices */
static lil_status read_old_layout(vtk *v, int64_t numbers)
{
    int64_t count, used = 0;
    begin_data(v);
    for (int64_t c = 0; c < v->cells; c++) {
        LIL_TRY(lil_scan_integer(v->s, 4, "the number of a cell's vertices", 0, INT_MAX, &count));
        if (count > numbers - used - 1)
            return lil_scan_fail(v->s, "cell %lld has %lld vertices, more than CELLS leaves room for", (long long)c,
                                 (long long)count);
        v->first[c] = used - c; /* without the counts */
        v->line[c] = lil_scan_line(v->s);
        for (int64_t k = 0; k < count; k++)
            LIL_TRY(lil_scan_integer(v->s, 4, "the number of a vertex", 0, INT64_MAX, &v->nodes[used - c + k]));
        used += 1 + count;
    }
    v->first[v->cells] = used - v->cells;
    return LIL_OK;
}

static lil_status read_array(vtk *v, const char *name, int64_t count, int64_t most, int64_t *numbers)
{
    char word[LIL_WORD_MAX];
    int bytes = 0;
    v->s->binary = false;
    if (!lil_scan_word(v->s, word) || strcmp(word, name) != 0)
        return lil_scan_fail(v->s, "expected %s here, not '%.40s'", name, word);
    LIL_TRY(read_type(v, name, &bytes));
    if (bytes < 4)
        return lil_scan_fail(v->s, "%s must be of type vtktypeint64", name);
    begin_data(v);
    for (int64_t i = 0; i < count; i++)
        LIL_TRY(lil_scan_integer(v->s, bytes, name, 0, most, &numbers[i]));
    return LIL_OK;
}

/* CELLS offsets numbers, then both arrays; there is one offset more than there are cells */
static lil_status read_new_layout(vtk *v, int64_t numbers)
{
    LIL_TRY(read_array(v, "OFFSETS", v->cells + 1, numbers, v->first));
    for (int64_t c = 0; c < v->cells; c++)
        if (v->first[c] > v->first[c + 1])
            return lil_scan_fail(v->s, "the offsets of cell %lld go backwards, from %lld to %lld", (long long)c,
                                 (long long)v->first[c], (long long)v->first[c + 1]);
    return read_array(v, "CONNECTIVITY", numbers, INT64_MAX, v->nodes);
}

static lil_status read_cells(vtk *v)
{
    int64_t count, numbers;
    char word[LIL_WORD_MAX];
    if (v->cells >= 0)
        return lil_scan_fail(v->s, "a second section CELLS");
    LIL_TRY(read_count(v, "the number of cells", 1, 4, &count));
    LIL_TRY(read_count(v, "the size of the cells", 1, 4, &numbers));
    bool offsets = lil_scan_peek(v->s, word) && strcmp(word, "OFFSETS") == 0;
    if (offsets && !count)
        return lil_scan_fail(v->s, "CELLS 0 leaves no room for OFFSETS");
    v->cells = offsets ? count - 1 : count;
    v->first = new_numbers(v->cells + 1);
    v->nodes = new_numbers(numbers);
    v->line = calloc((size_t)v->cells + 1, sizeof *v->line);
    LIL_HAVE(v->s->ctx, v->first && v->nodes && v->line);
    return offsets ? read_new_layout(v, numbers) : read_old_layout(v, numbers);
}

static lil_status read_cell(vtk *v, int64_t c, int64_t type)
{
    int64_t count = v->first[c + 1] - v->first[c];
    bool quadratic = type == QUADRATIC_TET || (type == LAGRANGE_TET && count == LIL_QUADRATIC_NODES);
    if (!quadratic && (type == LAGRANGE_TET || type == BEZIER_TET))
        return lil_scan_fail(
            v->s,
            "cell %lld is a tet of type %lld with %lld vertices: export first- or second-order tets, with 4 or %d",
            (long long)c, (long long)type, (long long)count, LIL_QUADRATIC_NODES);
    if (type != TET && !quadratic) {
        v->b->left_out += (type > TET && type < 15) || (type >= 25 && type <= 27) || type == 42;
        return LIL_OK;
    }
    if (count != (quadratic ? LIL_QUADRATIC_NODES : 4))
        return lil_scan_fail(v->s, "cell %lld is a %stet, but has %lld vertices", (long long)c,
                             quadratic ? "quadratic " : "", (long long)count);
    lil_scan place = *v->s;
    place.line = (size_t)v->line[c];
    return lil_build_tet(v->b, &place, v->nodes + v->first[c], (int)count);
}

static lil_status read_cell_types(vtk *v)
{
    int64_t count, type;
    LIL_TRY(read_count(v, "the number of cell types", 1, 4, &count));
    if (count != v->cells)
        return lil_scan_fail(v->s, "there are %lld cell types, but %lld cells", (long long)count,
                             (long long)(v->cells < 0 ? 0 : v->cells));
    begin_data(v);
    for (int64_t c = 0; c < count; c++) {
        LIL_TRY(lil_scan_integer(v->s, 4, "the type of a cell", 0, INT_MAX, &type));
        LIL_TRY(read_cell(v, c, type));
    }
    return LIL_OK;
}

/* FIELD name arrays, each: name components tuples type, and its data */
static lil_status skip_field(vtk *v)
{
    char word[LIL_WORD_MAX];
    int64_t arrays, components, tuples;
    int bytes = 0;
    lil_scan_word(v->s, word);
    LIL_TRY(read_count(v, "the number of arrays", 4, 4, &arrays));
    for (int64_t i = 0; i < arrays; i++) {
        v->s->binary = false;
        lil_scan_word(v->s, word);
        if (strcmp(word, "METADATA") == 0) /* belongs to the array before */
            return lil_scan_fail(v->s, "data about arrays (METADATA) cannot be skipped here: export without fields");
        LIL_TRY(read_count(v, "the number of components", 1, 1, &components));
        LIL_TRY(read_count(v, "the number of tuples", 1, 1, &tuples));
        LIL_TRY(read_type(v, "a field", &bytes));
        begin_data(v);
        LIL_TRY(lil_scan_skip(v->s, bytes, components * tuples, "a field"));
    }
    return LIL_OK;
}

static lil_status read_section(vtk *v, const char *word)
{
    if (strcmp(word, "POINTS") == 0)
        return read_points(v);
    if (strcmp(word, "CELLS") == 0)
        return read_cells(v);
    if (strcmp(word, "CELL_TYPES") == 0)
        return read_cell_types(v);
    if (strcmp(word, "FIELD") == 0)
        return skip_field(v);
    if (strcmp(word, "METADATA") == 0) { /* up to an empty line */
        if (!lil_scan_skip_to(v->s, "\n\n"))
            v->s->at = v->s->end;
        return LIL_OK;
    }
    return lil_scan_fail(v->s, "expected POINTS, CELLS or CELL_TYPES here, not '%.40s'", word);
}

/* ---- the file ---- */

static lil_status expect(vtk *v, const char *wanted)
{
    char word[LIL_WORD_MAX];
    if (!lil_scan_word(v->s, word) || strcmp(word, wanted) != 0)
        return lil_scan_fail(v->s, "expected %s here, not '%.40s'", wanted, word);
    return LIL_OK;
}

/* # vtk DataFile Version 3.0, a title, ASCII or BINARY, DATASET UNSTRUCTURED_GRID */
static lil_status read_head(vtk *v)
{
    static const char *const start[] = { "#", "vtk", "DataFile", "Version" };
    char word[LIL_WORD_MAX];
    for (int i = 0; i < 4; i++)
        if (!lil_scan_word(v->s, word) || strcmp(word, start[i]) != 0)
            return lil_scan_fail(v->s, "a legacy .vtk file begins with '# vtk DataFile Version'");
    LIL_TRY(lil_scan_real(v->s, 8, "the version", &v->version));
    if (v->version < 1 || v->version >= 6)
        return lil_scan_fail(v->s, "version %g of the .vtk format is not supported", v->version);
    lil_scan_end_line(v->s);
    lil_scan_end_line(v->s); /* the title */
    lil_scan_word(v->s, word);
    if (strcmp(word, "ASCII") != 0 && strcmp(word, "BINARY") != 0)
        return lil_scan_fail(v->s, "expected ASCII or BINARY here, not '%.40s'", word);
    LIL_TRY(expect(v, "DATASET"));
    LIL_TRY(expect(v, "UNSTRUCTURED_GRID"));
    const uint16_t one = 1;
    v->s->unlined = word[0] == 'B';
    v->s->reversed = *(const unsigned char *)&one == 1; /* files are big-endian */
    return LIL_OK;
}

static lil_status read_all(vtk *v)
{
    char word[LIL_WORD_MAX];
    LIL_TRY(read_head(v));
    for (;;) {
        v->s->binary = false;
        if (!lil_scan_word(v->s, word) || strcmp(word, "CELL_DATA") == 0 || strcmp(word, "POINT_DATA") == 0)
            return LIL_OK; /* data of cells and points end every file */
        LIL_TRY(read_section(v, word));
    }
}

lil_status lil_read_vtk(lil_scan *s, lil_build *b)
{
    vtk v = { .s = s, .b = b, .cells = -1 };
    lil_status status = read_all(&v);
    free(v.first);
    free(v.nodes);
    free(v.line);
    return status;
}
