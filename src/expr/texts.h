/* Three expressions as one program: a force, a wind, how something is moved. */
#ifndef LIL_EXPR_TEXTS_H
#define LIL_EXPR_TEXTS_H

#include "expr/program.h"
#include "expr/scope.h"

/* Over t or x, y, z beside what else has a name, as a program over q = (x, y, z); with `rates` their derivatives
 * by t follow, with `slopes` those by x, y, z. */
typedef struct lil_texts_def {
    bool t, xyz, rates, slopes;
} lil_texts_def;

/* The names in `known`, and t or the position x, y, z. */
lil_status lil_texts_scope(lil_context *ctx, lil_arena *arena, const lil_scope *known, const lil_texts_def *def,
                           lil_scope *scope);

/* The sources are borrowed. *wrong: which of the three a failure is about. */
lil_status lil_texts_compile(lil_context *ctx, lil_arena *arena, const lil_scope *scope,
                             const lil_source *const sources[3], const lil_texts_def *def, lil_program *program,
                             int *wrong);

#endif
