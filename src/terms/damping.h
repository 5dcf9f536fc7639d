/*
 * Strain-rate damping of an elastic term's elements: what tets, springs and bends share. Kd is the term's own, a
 * stiffness against changes of shape. The paper's, kD grad_2 Wd(q_k, q_{k+1}) of section 5.2, and its better forms
 * (lil_damping):
 *
 *     EXACT        kicks around the step: the requested rate, at any h
 *     MINIMISED    (h kD/2) v'Kd(q_k)v in the Lilyan
 *     PAPER        (kD/h) Wd(q_k, q_k + h v) in the Lilyan
 *     EXPLICIT     kD grad_2 Wd(q_k - h v_k, q_k) before the step
 */
#ifndef LIL_TERMS_DAMPING_H
#define LIL_TERMS_DAMPING_H

#include "terms/term.h"

#include <lilyan/world.h>

extern const char *const lil_damping_names[]; /* as scenes call them, ended by NULL */

typedef struct lil_damped {
    const void *of; /* data of the elastic term */
    double kD;
    lil_damping form;
    const lil_term_table *table;       /* of the damping */
    const lil_term_elements *elements; /* of the elastic term; NULL: the form is not explicit */
} lil_damped;

lil_status lil_damping_term(lil_context *ctx, lil_arena *arena, const lil_damped *damping, lil_term *term);

/* The factor of Kd: C = kD Kd of kicks, and S = h/2 v'C v in the Lilyan, weight times. */
double lil_damping_factor(const lil_damped *damping, double h, double weight);

/* The elements of a damping that is explicit. */
extern const lil_term_elements lil_damped_elements;

#endif
