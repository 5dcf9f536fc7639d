/*
 * The matrix of one step that the next step reuses, when steps are solved iteratively. It belongs to the state: a
 * checkpoint stores where it was assembled, so that a resumed run produces the same bits.
 */
#ifndef LIL_DISCRETE_REUSED_MATRIX_H
#define LIL_DISCRETE_REUSED_MATRIX_H

#include "core/arena.h"
#include "core/context.h"

typedef struct lil_reused_matrix {
    int count;     /* of the words; 0: nothing is stored */
    double *words; /* the h of the steps it was assembled for (0: there is none), the time, the node */
    bool current;  /* the matrix is in memory; not part of the state */
} lil_reused_matrix;

lil_status lil_reused_matrix_create(lil_context *ctx, lil_arena *arena, int n, lil_reused_matrix *reused);

/* A matrix was assembled for steps of h at this node and t (on which prescribed motion depends). */
void lil_reused_matrix_set(lil_reused_matrix *reused, double h, double t, const double *node);

/* The matrix was overwritten, and is of no use to the next step. */
static inline void lil_reused_matrix_drop(lil_reused_matrix *reused)
{
    reused->words[0] = 0;
    reused->current = false;
}

/* The node at which the matrix for steps of h was assembled, or NULL. */
static inline const double *lil_reused_matrix_node(const lil_reused_matrix *reused, double h)
{
    return reused->words[0] == h ? reused->words + 2 : NULL;
}

static inline double lil_reused_matrix_time(const lil_reused_matrix *reused)
{
    return reused->words[1];
}

#endif
