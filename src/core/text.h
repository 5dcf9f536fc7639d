/* A growing string, for JSON and descriptions. */
#ifndef LIL_CORE_TEXT_H
#define LIL_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct lil_text {
    char *data; /* always ended by 0 once something was added */
    size_t length, capacity;
    bool failed; /* memory ran out: what follows is dropped */
} lil_text;

void lil_text_add(lil_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void lil_text_clear(lil_text *text);
void lil_text_free(lil_text *text);

/* JSON: a number with 17 digits (null when not finite), and an escaped string. */
void lil_text_json_number(lil_text *text, double x);
void lil_text_json_string(lil_text *text, const char *s);

#endif
