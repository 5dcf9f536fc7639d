/* .ply, as text and binary of both byte orders: x, y, z of the element vertex and the list vertex_indices of the
 * element face; everything else is passed over. Greg Turk, "The PLY Polygon File Format", 1994 */
#include "mesh/read/soup.h"

#include <limits.h>
#include <string.h>

enum { ELEMENTS_MAX = 16, PROPERTIES_MAX = 64 };

typedef enum role { OTHER, X, Y, Z, CORNERS } role;

typedef struct property {
    const struct type *type, *count; /* count: of a list; NULL: a single value */
    role role;
} property;

typedef struct element {
    char name[LIL_WORD_MAX];
    int64_t count;
    property properties[PROPERTIES_MAX];
    int property_count;
} element;

typedef struct ply {
    lil_scan *s;
    lil_soup *p;
    bool binary;
    element elements[ELEMENTS_MAX];
    int element_count;
} ply;

static const struct type {
    const char *name, *other_name;
    int bytes;
    bool real, has_sign;
} types[] = {
    { "char", "int8", 1, false, true },    { "uchar", "uint8", 1, false, false },
    { "short", "int16", 2, false, true },  { "ushort", "uint16", 2, false, false },
    { "int", "int32", 4, false, true },    { "uint", "uint32", 4, false, false },
    { "float", "float32", 4, true, true }, { "double", "float64", 8, true, true },
};

/* ---- the head ---- */

static lil_status read_type(ply *f, const struct type **type)
{
    char word[LIL_WORD_MAX];
    lil_scan_word(f->s, word);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(word, types[i].name) == 0 || strcmp(word, types[i].other_name) == 0) {
            *type = &types[i];
            return LIL_OK;
        }
    return lil_scan_fail(f->s, "'%.40s' is not a property type", word);
}

static role role_of(const element *e, const char *name, bool list)
{
    if (strcmp(e->name, "face") == 0 && list &&
        (strcmp(name, "vertex_indices") == 0 || strcmp(name, "vertex_index") == 0))
        return CORNERS;
    if (strcmp(e->name, "vertex") != 0 || list || name[0] < 'x' || name[0] > 'z' || name[1])
        return OTHER;
    return (role)(X + (name[0] - 'x'));
}

static lil_status read_property(ply *f)
{
    char word[LIL_WORD_MAX];
    if (!f->element_count)
        return lil_scan_fail(f->s, "a property comes before the first element");
    element *e = &f->elements[f->element_count - 1];
    if (e->property_count == PROPERTIES_MAX)
        return lil_scan_fail(f->s, "the element %.40s has more than %d properties", e->name, PROPERTIES_MAX);
    property *q = &e->properties[e->property_count++];
    if (lil_scan_peek(f->s, word) && strcmp(word, "list") == 0) {
        lil_scan_word(f->s, word);
        LIL_TRY(read_type(f, &q->count));
        if (q->count->real)
            return lil_scan_fail(f->s, "the length of a list has the type %s, which is not a whole number",
                                 q->count->name);
    }
    LIL_TRY(read_type(f, &q->type));
    lil_scan_word(f->s, word);
    q->role = role_of(e, word, q->count != NULL);
    return LIL_OK;
}

static lil_status read_element(ply *f)
{
    if (f->element_count == ELEMENTS_MAX)
        return lil_scan_fail(f->s, "there are more than %d elements", ELEMENTS_MAX);
    element *e = &f->elements[f->element_count++];
    *e = (element){ 0 };
    lil_scan_word(f->s, e->name);
    return lil_scan_integer(f->s, 8, "the number of elements", 0, INT_MAX, &e->count);
}

static lil_status read_format(ply *f)
{
    char word[LIL_WORD_MAX];
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1, big_file;
    lil_scan_word(f->s, word);
    if (strcmp(word, "ascii") == 0)
        return LIL_OK;
    big_file = strcmp(word, "binary_big_endian") == 0;
    if (!big_file && strcmp(word, "binary_little_endian") != 0)
        return lil_scan_fail(f->s, "unknown format '%.40s'", word);
    f->binary = true;
    f->s->reversed = big_file == little;
    return LIL_OK;
}

static lil_status read_head(ply *f)
{
    char word[LIL_WORD_MAX];
    if (!lil_scan_word(f->s, word) || strcmp(word, "ply") != 0)
        return lil_scan_fail(f->s, "a .ply file begins with the word ply, not with '%.40s'", word);
    while (lil_scan_word(f->s, word) && strcmp(word, "end_header") != 0) {
        if (strcmp(word, "format") == 0)
            LIL_TRY(read_format(f));
        else if (strcmp(word, "element") == 0)
            LIL_TRY(read_element(f));
        else if (strcmp(word, "property") == 0)
            LIL_TRY(read_property(f));
        lil_scan_end_line(f->s);
    }
    if (strcmp(word, "end_header") != 0)
        return lil_scan_fail(f->s, "the header does not end: end_header is missing");
    lil_scan_end_line(f->s);
    f->s->binary = f->s->unlined = f->binary;
    return LIL_OK;
}

/* ---- the data ---- */

static lil_status read_whole(ply *f, const struct type *type, int64_t *i)
{
    double x;
    if (f->s->binary && type->bytes == 2) {
        unsigned char b[2];
        if (f->s->end - f->s->at < 2)
            return lil_scan_fail(f->s, "the file ends where a number is expected");
        memcpy(b, f->s->at, 2);
        f->s->at += 2;
        const uint16_t one = 1;
        bool little = (*(const unsigned char *)&one == 1) != f->s->reversed;
        uint16_t word = (uint16_t)(little ? b[0] | b[1] << 8 : b[1] | b[0] << 8);
        *i = type->has_sign && word > INT16_MAX ? (int64_t)word - 0x10000 : word;
        return LIL_OK;
    }
    if (!type->real) {
        LIL_TRY(lil_scan_integer(f->s, type->bytes, "a number", INT64_MIN, INT64_MAX, i));
        if (f->s->binary && type->bytes == 1 && type->has_sign && *i > INT8_MAX)
            *i -= 0x100;
        if (f->s->binary && type->bytes == 4 && !type->has_sign && *i < 0)
            *i += (int64_t)1 << 32;
        return LIL_OK;
    }
    LIL_TRY(lil_scan_real(f->s, type->bytes, "a number", &x));
    if (!(x >= 0 && x < INT_MAX && x == (double)(int64_t)x))
        return lil_scan_fail(f->s, "the vertex of a face is %g, not a whole number", x);
    *i = (int64_t)x;
    return LIL_OK;
}

static lil_status read_coordinate(ply *f, const struct type *type, double *x)
{
    int64_t whole;
    if (type->real || !f->s->binary)
        return lil_scan_real(f->s, type->bytes, "a coordinate", x);
    LIL_TRY(read_whole(f, type, &whole));
    *x = (double)whole;
    return LIL_OK;
}

static lil_status read_list(ply *f, const property *q)
{
    int64_t count, vertex;
    LIL_TRY(read_whole(f, q->count, &count));
    if (count < 0)
        return lil_scan_fail(f->s, "a list has %lld entries", (long long)count);
    if (q->role != CORNERS)
        return lil_scan_skip(f->s, q->type->bytes, count, "a list");
    LIL_TRY(lil_soup_face(f->p, f->s));
    for (int64_t i = 0; i < count; i++) {
        LIL_TRY(read_whole(f, q->type, &vertex));
        LIL_TRY(lil_soup_corner(f->p, f->s, vertex));
    }
    return LIL_OK;
}

static lil_status read_row(ply *f, const element *e)
{
    double x[3] = { 0 };
    for (int i = 0; i < e->property_count; i++) {
        const property *q = &e->properties[i];
        if (q->count)
            LIL_TRY(read_list(f, q));
        else if (q->role == OTHER)
            LIL_TRY(lil_scan_skip(f->s, q->type->bytes, 1, "a property"));
        else
            LIL_TRY(read_coordinate(f, q->type, &x[q->role - X]));
    }
    return strcmp(e->name, "vertex") == 0 ? lil_soup_vertex(f->p, f->s, x) : LIL_OK;
}

static bool has(const element *e, role wanted)
{
    for (int i = 0; i < e->property_count; i++)
        if (e->properties[i].role == wanted)
            return true;
    return false;
}

static lil_status check_elements(const ply *f)
{
    bool vertices = false, faces = false, strips = false;
    for (int i = 0; i < f->element_count; i++) {
        const element *e = &f->elements[i];
        vertices = vertices || (has(e, X) && has(e, Y) && has(e, Z));
        faces = faces || has(e, CORNERS);
        strips = strips || strcmp(e->name, "tristrips") == 0;
    }
    if (!vertices)
        return lil_scan_fail(f->s, "the header names no element vertex with x, y and z");
    if (!faces)
        return lil_scan_fail(f->s, "the header names no element face with a list vertex_indices%s",
                             strips ? ": export faces, not strips of triangles" : "");
    return LIL_OK;
}

lil_status lil_read_ply(lil_scan *s, lil_soup *p)
{
    ply f = { .s = s, .p = p };
    LIL_TRY(read_head(&f));
    LIL_TRY(check_elements(&f));
    for (int i = 0; i < f.element_count; i++)
        for (int64_t k = 0; k < f.elements[i].count && f.elements[i].property_count; k++)
            LIL_TRY(read_row(&f, &f.elements[i]));
    return LIL_OK;
}
