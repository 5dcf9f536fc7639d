/* Reads the head of a request, from whomever. */
#include "live.h"

#include <stdio.h>
#include <string.h>

/* One line of the head, without its end. */
typedef struct line {
    const char *text;
    size_t size;
} line;

/* False: none is left. Lines end with CR LF, and hold no other control characters. */
static bool next_line(const char **at, const char *end, line *l, bool *clean)
{
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    if (!stop)
        return false;
    *l = (line){ *at, (size_t)(stop - *at) };
    *clean = *clean && l->size && l->text[l->size - 1] == '\r';
    l->size -= l->size > 0;
    for (size_t i = 0; i < l->size; i++)
        *clean = *clean && ((unsigned char)l->text[i] >= ' ' || l->text[i] == '\t') && l->text[i] != 127;
    *at = stop + 1;
    return true;
}

/* The value of a header, if this is that; names in any case. */
static bool header_is(const line *l, const char *name, line *value)
{
    size_t length = strlen(name);
    if (l->size <= length || l->text[length] != ':')
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = l->text[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != name[i])
            return false;
    }
    const char *from = l->text + length + 1, *to = l->text + l->size;
    while (from < to && (*from == ' ' || *from == '\t'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *value = (line){ from, (size_t)(to - from) };
    return true;
}

static bool equals(const line *l, const char *text)
{
    return l->size == strlen(text) && memcmp(l->text, text, l->size) == 0;
}

static bool begins(line *l, const char *text)
{
    size_t length = strlen(text);
    if (l->size < length || memcmp(l->text, text, length) != 0)
        return false;
    l->text += length;
    l->size -= length;
    return true;
}

/* All bytes are looked at, however many are right: time does not tell. */
static bool begins_with_secret(line *l, const char *secret)
{
    unsigned differs = 0;
    if (l->size < LIVE_SECRET)
        return false;
    for (size_t i = 0; i < LIVE_SECRET; i++)
        differs |= (unsigned char)(l->text[i] ^ secret[i]);
    l->text += LIVE_SECRET;
    l->size -= LIVE_SECRET;
    return !differs;
}

/* "GET /SECRET/ HTTP/1.1" */
static live_answer read_target(line l, const char *secret, int64_t *frames)
{
    enum { DIGITS = 15 };
    if (l.size < 9 ||
        (memcmp(l.text + l.size - 9, " HTTP/1.1", 9) != 0 && memcmp(l.text + l.size - 9, " HTTP/1.0", 9) != 0))
        return LIVE_BAD;
    l.size -= 9;
    if (!begins(&l, "GET "))
        return LIVE_NOT_ALLOWED;
    if (!begins(&l, "/") || !begins_with_secret(&l, secret) || !begins(&l, "/"))
        return LIVE_NOTHING;
    if (!l.size)
        return LIVE_PAGE;
    if (equals(&l, "end"))
        return LIVE_END;
    if (!begins(&l, "frames/") || !l.size || l.size > DIGITS)
        return LIVE_NOTHING;
    *frames = 0;
    for (size_t i = 0; i < l.size; i++) {
        if (l.text[i] < '0' || l.text[i] > '9')
            return LIVE_NOTHING;
        *frames = 10 * *frames + (l.text[i] - '0');
    }
    return LIVE_FRAMES;
}

live_answer live_read_request(const char *text, size_t size, const char *secret, int port, int64_t *frames)
{
    const char *at = text, *end = text + size;
    char number[32], name[32];
    bool clean = true, ended = false, bodied = false;
    int hosts = 0, ours = 0;
    line first, l, value;
    *frames = 0;
    snprintf(number, sizeof number, "127.0.0.1:%d", port);
    snprintf(name, sizeof name, "localhost:%d", port);
    if (!next_line(&at, end, &first, &clean))
        return size >= LIVE_REQUEST_MAX ? LIVE_TOO_LONG : LIVE_INCOMPLETE;
    while (clean && !ended && next_line(&at, end, &l, &clean)) {
        ended = l.size == 0;
        if (header_is(&l, "host", &value)) {
            hosts++;
            ours += equals(&value, number) || equals(&value, name);
        }
        bodied = bodied || header_is(&l, "content-length", &value) || header_is(&l, "transfer-encoding", &value);
    }
    if (!clean)
        return LIVE_BAD;
    if (!ended)
        return size >= LIVE_REQUEST_MAX ? LIVE_TOO_LONG : LIVE_INCOMPLETE;
    if (bodied || hosts != 1)
        return LIVE_BAD;
    /* a page elsewhere, whose name is made to lead here, sends its own name */
    return ours ? read_target(first, secret, frames) : LIVE_FORBIDDEN;
}
