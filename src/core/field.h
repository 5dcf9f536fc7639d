/* Field descriptors: reading configuration structs through their tables, and "did you mean". */
#ifndef LIL_CORE_FIELD_H
#define LIL_CORE_FIELD_H

#include "core/context.h"

void lil_fields_default(const lil_field *fields, int count, void *config);
const lil_field *lil_field_find(const lil_field *fields, int count, const char *name);

/* One number (LIL_REAL, LIL_INTEGER) or all numbers of a list. Says what is wrong without saying where. */
lil_status lil_field_set_numbers(lil_context *ctx, const lil_field *field, void *config, const double *x, int n);
/* LIL_CHOICE and LIL_NAME. */
lil_status lil_field_set_choice(lil_context *ctx, const lil_field *field, void *config, const char *name);

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
