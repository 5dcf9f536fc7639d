/* Patterns of sparse matrices as users list them: checked, ordered, and coloured for differencing. */
#ifndef LIL_MATH_SPARSITY_H
#define LIL_MATH_SPARSITY_H

#include "core/arena.h"
#include "core/context.h"

/* Refuses what cannot be the pattern of an n x n matrix; `what` is how the sentence calls it. */
lil_status lil_sparsity_check(lil_context *ctx, const char *what, int n, const lil_sparsity *pattern, bool symmetric);
/* A copy in the arena. */
lil_status lil_sparsity_copy(lil_context *ctx, lil_arena *arena, const lil_sparsity *from, lil_sparsity *to);

/* Columns that have no row in common can be differenced together (Curtis, Powell & Reid 1974). */
typedef struct lil_colouring {
    int count;          /* of colours */
    int *colour;        /* of each column; -1: it has no entries */
    int *start, *entry; /* entries of colour c: entry[start[c]] to entry[start[c + 1] - 1] */
} lil_colouring;

/* By first fit, in the order of the columns: of a band of width w at most w colours. */
lil_status lil_sparsity_colour(lil_context *ctx, lil_arena *arena, int n, const lil_sparsity *pattern,
                               lil_colouring *colouring);

/* For a symmetric pattern: twin[k] is the mirror of entry k. */
lil_status lil_sparsity_twins(lil_context *ctx, lil_arena *arena, int n, const lil_sparsity *pattern, int **twin);

#endif
