/* Springs between vertices: W = sum k/2 (|x_j - x_i| - l)^2. */
#ifndef LIL_TERMS_SPRINGS_H
#define LIL_TERMS_SPRINGS_H

#include "terms/damping.h"

typedef struct lil_spring {
    int i, j;         /* vertices */
    double k, length; /* N/m, m */
} lil_spring;

typedef struct lil_springs {
    int count;
    const lil_spring *springs; /* borrowed */
} lil_springs;

lil_term lil_springs_term(lil_springs *springs);
/* Damping along each spring, -kD k u u'(v_j - v_i), u its direction, in the forms of damping.h. */
lil_status lil_springs_damping(lil_context *ctx, lil_arena *arena, const lil_springs *springs, double kD,
                               lil_damping form, lil_term *term);

#endif
