#include "terms/entries.h"

lil_status lil_entries_create(lil_context *ctx, lil_arena *arena, size_t count, lil_entries *entries)
{
    entries->row = LIL_NEW(arena, int, count);
    entries->col = LIL_NEW(arena, int, count);
    return entries->row && entries->col ? LIL_OK : lil_fail_memory(ctx);
}

/* coordinate k % 3 of vertex k / 3 of element e */
static int corners_coordinate(const lil_corners *c, int e, int k)
{
    int vertex = c->at ? ((const int *)((const char *)c->at + (size_t)e * c->stride))[k / 3] : e;
    return 3 * (c->first + vertex) + k % 3;
}

void lil_corners_list(const lil_corners *c, int *row, int *col)
{
    int width = 3 * c->vertices;
    for (int e = 0; e < c->count; e++)
        for (int k = 0; k < width * width; k++) {
            *row++ = corners_coordinate(c, e, k / width);
            *col++ = corners_coordinate(c, e, k % width);
        }
}

lil_status lil_corners_create(lil_context *ctx, lil_arena *arena, const lil_corners *c, int *block,
                              lil_entries *entries)
{
    int each = lil_corners_entries(c);
    if (c->count > INT32_MAX / each)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d %s are too many for an implicit step", c->count, c->what);
    *block = each * c->count;
    LIL_TRY(lil_entries_create(ctx, arena, (size_t)*block, entries));
    lil_corners_list(c, entries->row, entries->col);
    return LIL_OK;
}

/* ---- single vertices ---- */

lil_corners lil_corners_single(const int *vertices, int first, int count)
{
    return (lil_corners){ "vertices", count, 1, vertices, sizeof *vertices, first };
}

int lil_vertex_place(const int *vertices, int first, int end, int vertex)
{
    while (first < end) {
        int middle = (first + end) / 2;
        if (vertices[middle] < vertex)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

lil_status lil_block_pairs_single(lil_context *ctx, lil_arena *arena, const int *vertices, int first, int count,
                                  lil_block_pairs *pairs)
{
    pairs->count = count;
    LIL_ALLOC(ctx, arena, pairs->at, count);
    for (int i = 0; i < count; i++) {
        pairs->at[i][0] = vertices ? vertices[i] : first + i;
        pairs->at[i][1] = -1;
    }
    return LIL_OK;
}

void lil_block_pairs_take(const double H[9], double weight, int at, float *blocks)
{
    for (int e = 0; e < 9 && at >= 0; e++)
        blocks[9 * (size_t)at + (size_t)e] -= (float)(weight * H[e]);
}
