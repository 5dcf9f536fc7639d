/*
 * A pressure p(t) on faces of a body's surface, which follows them. The force on each corner of a face is a third of
 *
 *     - p n A = - p/2 (b - a) x (c - a),
 *
 * with a, b, c where they are now. On a closed surface, or one whose rim is fixed, these are the derivatives of
 *
 *     W = p V,   V = 1/6 sum (a - o).((b - o) x (c - o)),                                                       (p)
 *
 * V the enclosed volume: a potential. Otherwise they have none, and their work is booked as that of any force.
 */
#ifndef LIL_TERMS_PRESSURE_H
#define LIL_TERMS_PRESSURE_H

#include "expr/program.h"
#include "terms/term.h"

/* Borrowed, with its arrays. */
typedef struct lil_pressure_def {
    const lil_program *pressure; /* output 0: Pa, output 3: its rate; over t */
    const int (*faces)[3];       /* of the model's vertices, outward */
    int face_count;
    int vertex; /* o; without a potential any */
    bool potential;
} lil_pressure_def;

lil_status lil_term_pressure(lil_context *ctx, lil_arena *arena, const lil_pressure_def *def, lil_term *term);

#endif
