/* Terms of single vertices: second derivatives as 3x3 blocks on the diagonal. */
#ifndef LIL_TERMS_VERTICES_H
#define LIL_TERMS_VERTICES_H

#include "terms/term.h"

/* Lists the entries of these vertices' blocks, by rows; *block, one of the entries' counts, becomes how many there are. */
lil_status lil_vertex_entries(lil_context *ctx, lil_arena *arena, const int *vertices, int count, int *block,
                              lil_entries *entries);

/* Where a vertex stands among vertices[first] to vertices[end - 1], which ascend. */
int lil_vertex_place(const int *vertices, int first, int end, int vertex);
/* Pairs of single vertices, each with what is held: for terms whose second derivatives have blocks on the diagonal alone. */
lil_status lil_block_pairs_single(lil_context *ctx, lil_arena *arena, const int *vertices, int count,
                                  lil_block_pairs *pairs);
/* blocks[9 at] -= weight H, unless `at` is -1: the block of such a pair. */
void lil_block_pairs_take(const double H[9], double weight, int at, float *blocks);

#endif
