/*
 * The matrix that one step leaves for the next when steps are solved iteratively. It belongs to the state: a
 * checkpoint stores where it was assembled, so that a resumed run produces the same bits.
 */
#ifndef LIL_DISCRETE_REUSED_MATRIX_H
#define LIL_DISCRETE_REUSED_MATRIX_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_reused_matrix {
    int count;     /* of the words; 0: nothing is stored */
    double *words; /* the h of the steps it was made for (0: there is none), the time and the node where */
    bool current;  /* it is still there: not a word */
} lil_reused_matrix;

lil_status lil_reused_matrix_create(lil_context *ctx, lil_arena *arena, int n, lil_reused_matrix *reused);

/* A matrix was assembled for steps of h at this node and t: at another time prescribed motion is elsewhere. */
void lil_reused_matrix_set(lil_reused_matrix *reused, double h, double t, const double *node);

/* The matrix has become another, of no use to the next step. */
static inline void lil_reused_matrix_drop(lil_reused_matrix *reused)
{
    reused->words[0] = 0;
    reused->current = false;
}

/* Where the one for steps of h was assembled, or NULL. */
static inline const double *lil_reused_matrix_node(const lil_reused_matrix *reused, double h)
{
    return reused->words[0] == h ? reused->words + 2 : NULL;
}

static inline double lil_reused_matrix_time(const lil_reused_matrix *reused)
{
    return reused->words[1];
}

#endif
