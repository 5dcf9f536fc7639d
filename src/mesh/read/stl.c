/* .stl, as text and binary: triangles without shared vertices. Normals are not looked at: the order of the corners
 * says the same. */
#include "mesh/read/soup.h"

#include <string.h>

enum { HEAD = 84, TRIANGLE = 50 };

static lil_status add_corner(lil_scan *s, lil_soup *p)
{
    double x[3];
    for (int d = 0; d < 3; d++)
        LIL_TRY(lil_scan_real(s, 4, "a coordinate", &x[d]));
    LIL_TRY(lil_soup_vertex(p, s, x));
    return lil_soup_corner(p, s, (int64_t)p->vertex_count - 1);
}

static lil_status read_binary(lil_scan *s, lil_soup *p, uint32_t count)
{
    s->binary = s->unlined = true;
    const uint16_t one = 1;
    s->reversed = *(const unsigned char *)&one == 0; /* little-endian on any machine */
    s->at += HEAD;
    for (uint32_t i = 0; i < count; i++) {
        LIL_TRY(lil_scan_skip(s, 4, 3, "a normal"));
        LIL_TRY(lil_soup_face(p, s));
        for (int k = 0; k < 3; k++)
            LIL_TRY(add_corner(s, p));
        LIL_TRY(lil_scan_skip(s, 1, 2, "an attribute"));
    }
    return LIL_OK;
}

static lil_status read_text(lil_scan *s, lil_soup *p)
{
    char word[LIL_WORD_MAX];
    bool face = false;
    while (lil_scan_word(s, word)) {
        if (strcmp(word, "facet") == 0) {
            LIL_TRY(lil_soup_face(p, s));
            face = true;
        } else if (strcmp(word, "vertex") == 0) {
            if (!face)
                return lil_scan_fail(s, "a vertex is outside a facet");
            LIL_TRY(add_corner(s, p));
        } else if (strcmp(word, "solid") == 0 || strcmp(word, "endsolid") == 0) {
            lil_scan_end_line(s); /* its name */
        } else if (strcmp(word, "endfacet") == 0) {
            face = false;
        }
    }
    return LIL_OK;
}

lil_status lil_read_stl(lil_scan *s, lil_soup *p)
{
    size_t size = (size_t)(s->end - s->start);
    const unsigned char *b = (const unsigned char *)s->start;
    uint32_t count = 0;
    if (size >= HEAD) {
        count = (uint32_t)b[80] | (uint32_t)b[81] << 8 | (uint32_t)b[82] << 16 | (uint32_t)b[83] << 24;
        /* some programs begin binary files, too, with the word solid */
        if (size == HEAD + (size_t)TRIANGLE * count)
            return read_binary(s, p, count);
    }
    char word[LIL_WORD_MAX];
    if (lil_scan_peek(s, word) && strcmp(word, "solid") == 0)
        return read_text(s, p);
    if (size < HEAD)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "%.200s: an .stl file begins with the word solid or has at least %d bytes, not %zu", s->file,
                        HEAD, size);
    if (size < HEAD + (size_t)TRIANGLE * count)
        return lil_fail(s->ctx, LIL_ERR_INPUT, "%.200s: it should hold %u triangles, but ends after %zu", s->file,
                        count, (size - HEAD) / TRIANGLE);
    return read_binary(s, p, count);
}
