/* Field descriptors: reading configuration structs through their tables, and "did you mean". */
#ifndef LIL_CORE_FIELD_H
#define LIL_CORE_FIELD_H

#include "core/context.h"

#include <stddef.h>

/* Rows of a table: a member of T by its name, or by another. */
#define LIL_FIELD(T, kind_, name_, member, preset_, least_, most_, unit_, doc_)                                      \
    {                                                                                                                \
        .name = name_, .kind = kind_, .offset = offsetof(T, member), .preset = preset_, .least = least_,             \
        .most = most_, .unit = unit_, .doc = doc_                                                                    \
    }
#define LIL_FIELD_REAL(T, member, ...) LIL_FIELD(T, LIL_REAL, #member, member, __VA_ARGS__)
#define LIL_FIELD_INTEGER(T, member, ...) LIL_FIELD(T, LIL_INTEGER, #member, member, __VA_ARGS__)
#define LIL_FIELD_LIST(T, member, ...) LIL_FIELD(T, LIL_LIST, #member, member, 0, __VA_ARGS__)
#define LIL_FIELD_VECTOR(T, member, preset, unit, doc)                                                               \
    LIL_FIELD(T, LIL_VECTOR, #member, member, preset, -1e300, 1e300, unit, doc)
#define LIL_FIELD_CHOICE(T, name_, member, preset_, choices_, doc_)                                                  \
    {                                                                                                                \
        .name = name_, .kind = LIL_CHOICE, .offset = offsetof(T, member), .preset = preset_, .choices = choices_,    \
        .unit = "", .doc = doc_                                                                                      \
    }

/* Of a table with `fields`: all of an array. */
#define LIL_FIELDS(array) .fields = array, .field_count = sizeof(array) / sizeof(array)[0]

void lil_fields_default(const lil_field *fields, int count, void *config);
bool lil_field_is_word(const lil_field *field); /* no number */
const lil_field *lil_field_find(const lil_field *fields, int count, const char *name);

/* One number (LIL_REAL, LIL_INTEGER), three (LIL_VECTOR) or all numbers of a list. Reports what is wrong, without
 * the place. */
lil_status lil_field_set_numbers(lil_context *ctx, const lil_field *field, void *config, const double *x, int n);
/* LIL_CHOICE, LIL_NAME and LIL_FLAG. */
lil_status lil_field_set_choice(lil_context *ctx, const lil_field *field, void *config, const char *name);

/* Checks that the numbers of a struct filled elsewhere are within their ranges. Presets always are. */
lil_status lil_fields_check(lil_context *ctx, const lil_field *fields, int count, const void *config);

/* "alpha=0.25 nodes=0,0.5,1 forcing=minus" */
lil_status lil_fields_parse(lil_context *ctx, const lil_field *fields, int count, void *config, const char *text);

/* The one of `names` (count of them, `stride` bytes apart) that `word` was probably meant to be; NULL: none is
 * near. */
const char *lil_nearest(const char *word, const char *const *names, int count, size_t stride);

/* ": there are bar, box" into `out`, as far as there is room. */
const char *lil_hint_all(const char *const *names, int count, char *out, size_t size);

/* " (did you mean 'young'?)" into `out`, or "". */
enum { LIL_HINT_MAX = 96 };
const char *lil_hint(const char *nearest, char out[LIL_HINT_MAX]);

#endif
