/*
 * What one step leaves for the next, where steps are solved iteratively: impulses to extrapolate, and where the matrix was
 * made. It belongs to the state: a checkpoint has it as words, so that a resumed run goes on with the same bits.
 */
#ifndef LIL_DISCRETE_KEPT_H
#define LIL_DISCRETE_KEPT_H

#include "core/arena.h"
#include "core/context.h"

enum { LIL_STEPS_KEPT = 3 };

typedef struct lil_kept {
    int n, count;                    /* count: of the words; 0: nothing is kept */
    double *words;                   /* what follows, in a row */
    double *h, *steps;               /* the length of the latest steps, and how many of that length are kept */
    double *impulse[LIL_STEPS_KEPT]; /* p_k - M v, latest first */
    double *made, *node;             /* the h for which the matrix was made, 0: there is none; and where */
    bool current;                    /* the matrix is that one: no word */
} lil_kept;

lil_status lil_kept_create(lil_context *ctx, lil_arena *arena, int n, lil_kept *kept);

/* The impulse p_k - M v of the step of h that comes next, by a polynomial through the latest ones. */
void lil_kept_extrapolate(const lil_kept *kept, double h, double *impulse);
/* That of the step of h just made, from p_k and M v. */
void lil_kept_push(lil_kept *kept, double h, const double *p, const double *Mv);

/* A matrix for steps of h is made at this node. */
void lil_kept_matrix(lil_kept *kept, double h, const double *node);

#endif
