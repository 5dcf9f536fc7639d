/* Positions of a term's second derivatives: entries of the dense blocks of its elements, and diagonal blocks of
 * single vertices. */
#ifndef LIL_TERMS_ENTRIES_H
#define LIL_TERMS_ENTRIES_H

#include "terms/term.h"

/* Elements and their vertices, whose x, y and z are the rows of an element's matrix. */
typedef struct lil_corners {
    const char *what; /* for messages: "springs" */
    int count;
    int vertices; /* of each */
    const void
        *at; /* elements, which are `stride` bytes apart and begin with their vertices; NULL: element e is vertex e */
    size_t stride;
    int first; /* is added to all vertices */
} lil_corners;

static inline int lil_corners_entries(const lil_corners *corners)
{
    return 9 * corners->vertices * corners->vertices;
}

/* Room for the rows and columns of so many entries. */
lil_status lil_entries_create(lil_context *ctx, lil_arena *arena, size_t count, lil_entries *entries);
/* All of an element's matrix, by rows, one element after the other. */
void lil_corners_list(const lil_corners *corners, int *row, int *col);
/* Both; *block, one of the counts of `entries`, becomes their number. */
lil_status lil_corners_create(lil_context *ctx, lil_arena *arena, const lil_corners *corners, int *block,
                              lil_entries *entries);

/* ---- single vertices ---- */

/* vertices NULL: first to first + count - 1; else `first` is 0. */
lil_corners lil_corners_single(const int *vertices, int first, int count);
/* The index of a vertex among vertices[first] to vertices[end - 1], which ascend. */
int lil_vertex_place(const int *vertices, int first, int end, int vertex);
/* Pairs of them, each with a pinned vertex: for terms whose second derivatives have only diagonal blocks. */
lil_status lil_block_pairs_single(lil_context *ctx, lil_arena *arena, const int *vertices, int first, int count,
                                  lil_block_pairs *pairs);
/* blocks[9 at] -= weight H, unless `at` is -1: the block of such a pair. */
void lil_block_pairs_take(const double H[9], double weight, int at, float *blocks);

#endif
