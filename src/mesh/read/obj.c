/* Wavefront's .obj: v, f, g and o of every line, whatever else there is. A corner is 7, 7/1, 7//3 or 7/1/3; a negative number
 * counts back from the latest vertex. "Object Files (.obj)", Advanced Visualizer, appendix B1 */
#include "mesh/read/soup.h"

#include <string.h>

/* The next word of this line; a backslash at its end continues it. False: the line ends. */
static bool word_of_line(lil_scan *s, char word[LIL_WORD_MAX])
{
    size_t length = 0;
    for (; s->at < s->end; s->at++) {
        bool continued = *s->at == '\\' && s->end - s->at > 1 && (s->at[1] == '\n' || s->at[1] == '\r');
        if (continued) {
            s->at += s->at[1] == '\r' && s->end - s->at > 2 && s->at[2] == '\n' ? 2 : 1;
            s->line += *s->at == '\n';
        } else if (*s->at == '\n' || *s->at == '#') {
            break;
        }
        if (!continued && *s->at != ' ' && *s->at != '\t' && *s->at != '\r' && *s->at != '\v' && *s->at != '\f') {
            if (length < LIL_WORD_MAX - 1)
                word[length++] = *s->at;
        } else if (length) {
            break;
        }
    }
    word[length] = 0;
    return length > 0;
}

static lil_status read_vertex(lil_scan *s, lil_soup *p)
{
    char word[LIL_WORD_MAX], *end;
    double x[3];
    for (int d = 0; d < 3; d++) {
        if (!word_of_line(s, word))
            return lil_scan_fail(s, "a vertex has only %d coordinates", d);
        x[d] = lil_number(s->ctx, word, &end);
        if (*end || end == word)
            return lil_scan_fail(s, "a coordinate should be a number, not '%.60s'", word);
    }
    return lil_soup_vertex(p, s, x);
}

/* The vertex of "7/1/3", counted from 0. */
static lil_status corner_of(const lil_scan *s, const lil_soup *p, const char *word, int64_t *vertex)
{
    const char *digit = word + (word[0] == '-');
    int64_t i = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++)
        i = i < INT64_MAX / 100 ? 10 * i + (*digit - '0') : i;
    if (digit == word + (word[0] == '-') || (*digit && *digit != '/'))
        return lil_scan_fail(s, "a corner of a face should be like 7, 7/1 or 7/1/3, not '%.60s'", word);
    *vertex = word[0] == '-' ? (int64_t)p->vertex_count - i : i - 1;
    if (i == 0 || *vertex < 0)
        return lil_scan_fail(s, "a face has the vertex %.60s, but %s", word,
                             i == 0 ? "vertices count from 1" : "there are fewer before it");
    return LIL_OK;
}

static lil_status read_face(lil_scan *s, lil_soup *p)
{
    char word[LIL_WORD_MAX];
    int64_t vertex = 0;
    LIL_TRY(lil_soup_face(p, s));
    while (word_of_line(s, word)) {
        LIL_TRY(corner_of(s, p, word, &vertex));
        LIL_TRY(lil_soup_corner(p, s, vertex));
    }
    return LIL_OK;
}

/* g has the names of all groups of the faces that follow, o that of their object; g without a name ends groups. An
 * object is a group as well. */
static lil_status read_group(lil_scan *s, lil_soup *p, char object[LIL_WORD_MAX], bool is_object)
{
    char word[LIL_WORD_MAX];
    lil_soup_leave_groups(p);
    if (is_object && !word_of_line(s, object))
        object[0] = 0;
    while (!is_object && word_of_line(s, word))
        LIL_TRY(lil_soup_enter_group(p, word));
    return object[0] ? lil_soup_enter_group(p, object) : LIL_OK;
}

lil_status lil_read_obj(lil_scan *s, lil_soup *p)
{
    char word[LIL_WORD_MAX], object[LIL_WORD_MAX] = "";
    bool known = false;
    if (memchr(s->start, 0, (size_t)(s->end - s->start)))
        return lil_fail(s->ctx, LIL_ERR_INPUT, "%.200s: an .obj file must be text, and this one is not", s->file);
    for (; s->at < s->end; lil_scan_end_line(s)) {
        if (!word_of_line(s, word))
            continue;
        if (strcmp(word, "v") == 0)
            LIL_TRY(read_vertex(s, p));
        else if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0)
            LIL_TRY(read_face(s, p));
        else if (strcmp(word, "g") == 0 || strcmp(word, "o") == 0)
            LIL_TRY(read_group(s, p, object, word[0] == 'o'));
        known = known || word[0] == 'v' || word[0] == 'f';
    }
    if (!known)
        return lil_fail(s->ctx, LIL_ERR_INPUT, "%.200s: it has no vertices", s->file);
    return LIL_OK;
}
