#include "core/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static bool reserve(lil_text *text, size_t more)
{
    if (text->length + more + 1 <= text->capacity)
        return true;
    size_t capacity = text->capacity ? 2 * text->capacity : 256;
    while (capacity < text->length + more + 1)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void lil_text_add(lil_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (text->failed || length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void lil_text_clear(lil_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data)
        text->data[0] = 0;
}

void lil_text_free(lil_text *text)
{
    free(text->data);
    *text = (lil_text){ 0 };
}

void lil_text_json_number(lil_text *text, double x)
{
    if (isfinite(x))
        lil_text_add(text, "%.17g", x);
    else
        lil_text_add(text, "null");
}

void lil_text_json_string(lil_text *text, const char *s)
{
    lil_text_add(text, "\"");
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            lil_text_add(text, "\\%c", c);
        else if (c < 0x20)
            lil_text_add(text, "\\u%04x", c);
        else
            lil_text_add(text, "%c", c);
    }
    lil_text_add(text, "\"");
}
