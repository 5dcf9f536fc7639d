/* Terms of single vertices: second derivatives as 3x3 blocks on the diagonal. */
#ifndef LIL_TERMS_VERTICES_H
#define LIL_TERMS_VERTICES_H

#include "terms/term.h"

/* Lists the entries of these vertices' blocks, by rows; *block, one of the entries' counts, becomes how many there are. */
lil_status lil_vertex_entries(lil_context *ctx, lil_arena *arena, const int *vertices, int count, int *block,
                              lil_entries *entries);

#endif
