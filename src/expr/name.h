/* Valid names for use in expressions. */
#ifndef LIL_EXPR_NAME_H
#define LIL_EXPR_NAME_H

#include <stdbool.h>

/* Letters, digits and _, up to 60 of them, not a digit first. */
bool lil_name_is_valid(const char *name);
/* A function, or a reserved word: t, pi ... */
bool lil_name_is_reserved(const char *name);

#endif
