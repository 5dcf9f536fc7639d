#include "mesh/read/scan.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

lil_scan lil_scan_begin(lil_context *ctx, const char *file, const char *text, size_t size)
{
    return (lil_scan){ .ctx = ctx, .file = file, .start = text, .at = text, .end = text + size, .line = 1 };
}

lil_status lil_scan_fail(const lil_scan *s, const char *format, ...)
{
    char sentence[LIL_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (s->unlined)
        return lil_fail(s->ctx, LIL_ERR_INPUT, "%.200s: at byte %zu: %.700s", s->file, (size_t)(s->at - s->start),
                        sentence);
    return lil_fail(s->ctx, LIL_ERR_INPUT, "%.200s:%zu: %.700s", s->file, s->line, sentence);
}

int lil_scan_line(const lil_scan *s)
{
    return s->unlined || s->line >= INT_MAX ? 0 : (int)s->line;
}

/* ---- words ---- */

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r'); /* isspace asks the locale */
}

void lil_scan_end_line(lil_scan *s)
{
    const char *newline = s->at < s->end ? memchr(s->at, '\n', (size_t)(s->end - s->at)) : NULL;
    s->at = newline ? newline + 1 : s->end;
    s->line += newline != NULL;
}

static void skip_blanks(lil_scan *s)
{
    while (s->at < s->end) {
        if (s->comment && *s->at == s->comment) {
            lil_scan_end_line(s);
            continue;
        }
        if (!is_blank(*s->at))
            return;
        s->line += *s->at == '\n';
        s->at++;
    }
}

bool lil_scan_word(lil_scan *s, char word[LIL_WORD_MAX])
{
    skip_blanks(s);
    size_t length = 0;
    bool any = s->at < s->end;
    for (; s->at < s->end && !is_blank(*s->at) && !(s->comment && *s->at == s->comment); s->at++)
        if (length < LIL_WORD_MAX - 1)
            word[length++] = *s->at;
    word[length] = 0;
    return any;
}

bool lil_scan_peek(const lil_scan *s, char word[LIL_WORD_MAX])
{
    lil_scan copy = *s;
    return lil_scan_word(&copy, word);
}

lil_status lil_scan_quoted(lil_scan *s, const char *what, char word[LIL_WORD_MAX])
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != '"')
        return lil_scan_fail(s, "expected %s here, in quotes", what);
    size_t length = 0;
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        if (*s->at == '\n' || *s->at == 0)
            break;
        if (length == LIL_WORD_MAX - 1)
            return lil_scan_fail(s, "%s is longer than %d bytes", what, LIL_WORD_MAX - 1);
        word[length++] = (unsigned char)*s->at < ' ' || *s->at == 0x7f ? '?' : *s->at; /* it will be shown */
    }
    word[length] = 0;
    if (s->at == s->end || *s->at != '"')
        return lil_scan_fail(s, "the quotes of %s do not end", what);
    s->at++;
    return LIL_OK;
}

bool lil_scan_skip_to(lil_scan *s, const char *mark)
{
    size_t length = strlen(mark);
    for (const char *at = s->at; (size_t)(s->end - at) >= length; at++) {
        at = memchr(at, mark[0], (size_t)(s->end - at));
        if (!at || (size_t)(s->end - at) < length)
            return false;
        if (memcmp(at, mark, length) == 0) {
            for (; s->at < at; s->at++)
                s->line += *s->at == '\n';
            s->at += length;
            return true;
        }
    }
    return false;
}

/* ---- numbers ---- */

static lil_status take_word(lil_scan *s, const char *what, char word[LIL_WORD_MAX])
{
    return lil_scan_word(s, word) ? LIL_OK : lil_scan_fail(s, "the file ends where %s is expected", what);
}

static lil_status take_bytes(lil_scan *s, int bytes, const char *what, unsigned char *out)
{
    if (s->end - s->at < bytes)
        return lil_scan_fail(s, "the file ends where %s is expected", what);
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)s->at[s->reversed ? bytes - 1 - i : i];
    s->at += bytes;
    return LIL_OK;
}

lil_status lil_scan_skip(lil_scan *s, int bytes, int64_t count, const char *what)
{
    char word[LIL_WORD_MAX];
    if (s->binary) {
        if (count > (s->end - s->at) / bytes)
            return lil_scan_fail(s, "the file ends inside %s", what);
        s->at += count * bytes;
        return LIL_OK;
    }
    for (int64_t i = 0; i < count; i++)
        LIL_TRY(take_word(s, what, word));
    return LIL_OK;
}

static lil_status take_real(lil_scan *s, int bytes, const char *what, double *x)
{
    if (s->binary) {
        unsigned char raw[8];
        float single;
        LIL_TRY(take_bytes(s, bytes, what, raw));
        memcpy(bytes == 4 ? (void *)&single : (void *)x, raw, (size_t)bytes);
        if (bytes == 4)
            *x = (double)single;
        return LIL_OK;
    }
    char word[LIL_WORD_MAX], *end;
    LIL_TRY(take_word(s, what, word));
    *x = lil_number(s->ctx, word, &end);
    return *end || end == word ? lil_scan_fail(s, "%s should be a number, not '%.60s'", what, word) : LIL_OK;
}

lil_status lil_scan_real(lil_scan *s, int bytes, const char *what, double *x)
{
    LIL_TRY(take_real(s, bytes, what, x));
    return isfinite(*x) ? LIL_OK
                        : lil_scan_fail(s, "%s is %s, not a finite number", what, isnan(*x) ? "NaN" : "infinite");
}

/* Decimal digits after an optional sign. */
static lil_status integer_of_word(const lil_scan *s, const char *what, const char *word, int64_t *i)
{
    const char *digit = word + (word[0] == '-' || word[0] == '+');
    bool negative = word[0] == '-', fits = true;
    int64_t value = 0;
    if (!*digit)
        return lil_scan_fail(s, "%s should be a whole number, not '%.60s'", what, word);
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return lil_scan_fail(s, "%s should be a whole number, not '%.60s'", what, word);
        int d = *digit - '0';
        fits = fits && value <= (INT64_MAX - d) / 10;
        if (fits)
            value = 10 * value + d;
    }
    if (!fits)
        return lil_scan_fail(s, "%s is %.60s, which is too large", what, word);
    *i = negative ? -value : value;
    return LIL_OK;
}

static lil_status take_integer(lil_scan *s, int bytes, const char *what, int64_t *i)
{
    if (s->binary) {
        unsigned char raw[8];
        int32_t word;
        LIL_TRY(take_bytes(s, bytes, what, raw));
        memcpy(bytes == 4 ? (void *)&word : (void *)i, raw, bytes == 1 ? 0 : (size_t)bytes);
        if (bytes == 4)
            *i = word;
        else if (bytes == 1)
            *i = raw[0];
        return LIL_OK;
    }
    char word[LIL_WORD_MAX];
    LIL_TRY(take_word(s, what, word));
    return integer_of_word(s, what, word, i);
}

lil_status lil_scan_integer(lil_scan *s, int bytes, const char *what, int64_t least, int64_t most, int64_t *i)
{
    LIL_TRY(take_integer(s, bytes, what, i));
    if (*i < least && least == 0)
        return lil_scan_fail(s, "%s is %lld, but cannot be negative", what, (long long)*i);
    if (*i < least || *i > most)
        return lil_scan_fail(s, "%s is %lld, but must be between %lld and %lld", what, (long long)*i,
                             (long long)least, (long long)most);
    return LIL_OK;
}

lil_status lil_scan_count(lil_scan *s, int bytes, const char *what, int numbers, int bytes_each, int64_t *count)
{
    LIL_TRY(lil_scan_integer(s, bytes, what, 0, INT64_MAX, count));
    /* in text a number is at least a digit and a blank, the last one of the file a digit */
    int64_t room = s->unlined ? (s->end - s->at) / bytes_each : (s->end - s->at + 1) / (2 * numbers);
    if (*count > room || *count > INT_MAX)
        return lil_scan_fail(s, "%s is %lld, but the rest of the file has room for %lld at most", what,
                             (long long)*count, (long long)(room < INT_MAX ? room : INT_MAX));
    return LIL_OK;
}
