/* A force of the user's on each of some vertices, by itself. */
#ifndef LIL_TERMS_POINT_FORCE_H
#define LIL_TERMS_POINT_FORCE_H

#include "terms/term.h"

#include <lilyan/world.h>

typedef struct lil_point_force_def {
    int first, count; /* vertices, which the callbacks count from 0 */
    lil_point_force_fn *force;
    lil_point_force_slopes_fn *slopes; /* NULL: the force is differenced */
    void *user;
} lil_point_force_def;

lil_status lil_term_point_force(lil_context *ctx, lil_arena *arena, const lil_point_force_def *def, lil_term *term);

#endif
