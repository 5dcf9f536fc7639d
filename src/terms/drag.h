/* Drag: F = -c (v - w), with w the wind where a particle is. */
#ifndef LIL_TERMS_DRAG_H
#define LIL_TERMS_DRAG_H

#include "expr/program.h"
#include "terms/term.h"

typedef struct lil_drag_def {
    double c;         /* kg/s, of each vertex */
    int first, count; /* vertices */
    /* borrowed: w over t and the place x, y, z; the same followed by its 9 slopes dw/dx by rows; NULL: none */
    const lil_program *wind, *slopes;
} lil_drag_def;

lil_status lil_term_drag(lil_context *ctx, lil_arena *arena, const lil_drag_def *def, lil_term *term);

#endif
