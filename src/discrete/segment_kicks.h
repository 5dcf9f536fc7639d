/*
 * Kicks (damping of the form `exact`) in a segment. A step of the stepper is half a kick at q_k, the free step, and
 * half a kick at q_{k+1}; with B = 1 + (h/4) C(q) M^-1 and B' = 1 - (h/4) C(q) M^-1 half a kick takes p to B^-1 B' p
 * (discrete/kick.h). Between two segments there are two half kicks at the same q, so the ghost force is 0 if p+ =
 * B^-1 B' B^-1 B' p-. B and B' commute, and without inverses that is
 *
 *     B^2 p+ = B'^2 p-
 *
 * The segment's momenta are therefore B(a)^2 p+ and B'(b)^2 p-, and a given momentum P between the half kicks is
 * compared with them as B B' P. Very stiff damping, for which the stepper uses TR-BDF2, has the same trapezoidal rule
 * here. C is affine in v if motion is prescribed; all of the above holds for affine B and B'.
 */
#ifndef LIL_DISCRETE_SEGMENT_KICKS_H
#define LIL_DISCRETE_SEGMENT_KICKS_H

#include "discrete/segment.h"

typedef struct lil_segment_kicks {
    lil_assembly C;          /* of the terms with kicks */
    lil_pattern all;         /* n x n */
    int colours, *colour;    /* of coordinates: those of one colour have no row of C in common */
    double *values;          /* of C */
    double *slopes;          /* d(C(q) v)/dq at fixed v, over C's pattern */
    double *p, *pi, *mu, *s; /* n each */
    double *v, *Cv, *moved, *side, *column;
    double *narrow[4]; /* over ev->matrix.pattern */
} lil_segment_kicks;

lil_status lil_segment_kicks_create(lil_context *ctx, lil_arena *arena, lil_segment *segment);

/* The matrix without kicks, over ev->matrix.pattern. */
void lil_segment_free_momenta(lil_segment *segment, lil_segment_span span, double *mu, double *s);
void lil_segment_free_derivatives(lil_segment *segment, lil_segment_span span, const lil_segment_first *J);
/* Transforms mu and s without kicks to those with kicks. */
void lil_segment_kick_momenta(lil_segment *segment, lil_segment_span span, double *mu, double *s);
void lil_segment_kick_derivatives(lil_segment *segment, lil_segment_span span, const lil_segment_first *J);

#endif
