/*
 * What supports take: pinned vertices and obstacles. With f the force of the model's terms on a pinned vertex, a
 * support exerts the reaction
 *
 *     R = d(m v)/dt - f,      over a step  h R = m v_1 - m v_0 - (impulse of f),                                   (R)
 *
 * where the impulse of f has the weights with which the method adds forces to p of free vertices. Summed over all
 * vertices this is the balance of momentum: P_1 - P_0 is the sum of h R, of the impulses of weight and loads, and of
 * those of obstacles, exactly. Each evaluation of forces leaves a row; a method that adds it to p adds it here too.
 */
#ifndef LIL_MODEL_SUPPORTS_H
#define LIL_MODEL_SUPPORTS_H

#include "model/model.h"

/* The kinds of evaluations, which do not overwrite each other's rows. */
typedef enum lil_support_row {
    LIL_SUPPORT_POTENTIAL, /* dW/dq, or a discrete gradient */
    LIL_SUPPORT_FORCE,     /* forces, and damping but friction */
    LIL_SUPPORT_FRICTION,
    LIL_SUPPORT_ROWS
} lil_support_row;

/* A row has three numbers for each pinned vertex, what is subtracted from dp/dt there; for each obstacle, the sum of that over
 * what touches it; and for each named constraint the sum over all vertices. */
typedef struct lil_supports {
    const lil_model *model;
    int count, *vertices;       /* that were pinned when this was made: some may have let go since */
    int *place;                 /* of each vertex: its number among these; -1: it is none */
    int obstacles, constraints; /* how many there are */
    int size;                   /* of a row */
    double *latest[LIL_SUPPORT_ROWS];
    double *frame;   /* that of the potential at the evaluator's frame */
    double *impulse; /* of the step so far, N s: minus what was subtracted from p */
    double *start;   /* m v of the pinned vertices where the step begins */
    double *mean;    /* R of the latest step, and the forces of obstacles and constraints, N */
    double *before;  /* the same of the step before it */
} lil_supports;

lil_status lil_supports_create(lil_context *ctx, lil_arena *arena, const lil_model *model, lil_supports **out);

/* All of these do nothing where `s` is NULL. */

/* A row from x, all coordinates, times `sign`; 0 for all else. */
void lil_supports_take(lil_supports *s, lil_support_row row, double sign, const double *x);
/* Where in a row the obstacles' sums are; NULL: there are none. */
double *lil_supports_press(lil_supports *s, lil_support_row row);
void lil_supports_scale(lil_supports *s, lil_support_row row, double factor);
/* Over an impulse: weight times the row. */
void lil_supports_add(lil_supports *s, lil_support_row row, double weight);
/* The same of single numbers: weight times g at a vertex. */
void lil_supports_add_at(lil_supports *s, int vertex, double weight, const double g[3]);
/* And of sums for each obstacle, three numbers each. */
void lil_supports_add_press(lil_supports *s, double weight, const double *press);
void lil_supports_keep_frame(lil_supports *s);
void lil_supports_recall_frame(lil_supports *s);

#endif
