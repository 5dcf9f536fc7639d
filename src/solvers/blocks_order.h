/*
 * The order of rows in which Gauss-Seidel sweeps are parallel and their blocks are adjacent.
 *
 *     chunks    1024 rows along Morton's curve, coloured so that chunks of one colour (a phase) are not coupled: a sweep goes
 *               from phase to phase, and through the chunks of each on as many threads as there are
 *     colours   rows of a chunk; those of one colour are not coupled: eight of them are one group of vectors
 *
 * Within a colour, rows are sorted by the number of neighbours before and after them, so that a group has few empty
 * slots.
 */
#ifndef LIL_SOLVERS_BLOCKS_ORDER_H
#define LIL_SOLVERS_BLOCKS_ORDER_H

#include "solvers/blocks.h"

/* Fills in A->order and the chunks of each phase. For the pairs at[k] as in lil_blocks_create. False: out of memory. */
bool lil_blocks_order(lil_blocks *A, const double *x, int pairs, const int (*at)[2]);

#endif
