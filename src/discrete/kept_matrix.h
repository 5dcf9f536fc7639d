/*
 * What one step leaves for the next where steps are solved iteratively: the matrix. It belongs to the state: a checkpoint has
 * as words where it was made, so that a resumed run goes on with the same bits.
 */
#ifndef LIL_DISCRETE_KEPT_MATRIX_H
#define LIL_DISCRETE_KEPT_MATRIX_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_kept_matrix {
    int count;     /* of the words; 0: nothing is kept */
    double *words; /* the h of the steps it was made for (0: there is none), the time and the node where */
    bool current;  /* it is still there: not a word */
} lil_kept_matrix;

lil_status lil_kept_matrix_create(lil_context *ctx, lil_arena *arena, int n, lil_kept_matrix *kept);

/* A matrix has been made for steps of h at this node, at t: what is scripted is elsewhere at another time. */
void lil_kept_matrix_set(lil_kept_matrix *kept, double h, double t, const double *node);

/* The matrix has become another, of no use to the next step. */
static inline void lil_kept_matrix_drop(lil_kept_matrix *kept)
{
    kept->words[0] = 0;
    kept->current = false;
}

/* Where the one for steps of h was made, or NULL. */
static inline const double *lil_kept_matrix_node(const lil_kept_matrix *kept, double h)
{
    return kept->words[0] == h ? kept->words + 2 : NULL;
}

static inline double lil_kept_matrix_time(const lil_kept_matrix *kept)
{
    return kept->words[1];
}

#endif
