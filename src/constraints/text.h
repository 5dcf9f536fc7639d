/* Constraints as the user typed them: g(q) = 0 over the coordinates of a text Lagrangian, or over x, y, z of a
 * point. */
#ifndef LIL_CONSTRAINTS_TEXT_H
#define LIL_CONSTRAINTS_TEXT_H

#include "constraints/constraint.h"
#include "expr/scope.h"

/* One of a set: they may share a program. */
typedef struct lil_on_text {
    const struct lil_text_constraint *text;
    int first; /* where in x its coordinates begin */
} lil_on_text;

/* Builds g over n coordinates of the scope (inputs as program.h numbers them); it may not depend on t or velocities. */
lil_status lil_text_constraint_create(lil_context *ctx, lil_arena *arena, const lil_scope *scope, int n,
                                      const lil_source *source, const struct lil_text_constraint **text);

#endif
