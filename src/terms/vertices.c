#include "terms/vertices.h"

lil_status lil_vertex_entries(lil_context *ctx, lil_arena *arena, const int *vertices, int count, int *block,
                              lil_entries *entries)
{
    if (count > INT32_MAX / 9)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d vertices are too many for an implicit step", count);
    entries->row = LIL_NEW(arena, int, 9 * count);
    entries->col = LIL_NEW(arena, int, 9 * count);
    if (!entries->row || !entries->col)
        return lil_fail_memory(ctx);
    *block = 9 * count;
    for (int k = 0; k < *block; k++) {
        entries->row[k] = 3 * vertices[k / 9] + k % 9 / 3;
        entries->col[k] = 3 * vertices[k / 9] + k % 3;
    }
    return LIL_OK;
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

lil_status lil_block_pairs_single(lil_context *ctx, lil_arena *arena, const int *vertices, int count,
                                  lil_block_pairs *pairs)
{
    pairs->count = count;
    pairs->at = lil_arena_alloc(arena, (size_t)count, sizeof *pairs->at);
    if (!pairs->at)
        return lil_fail_memory(ctx);
    for (int i = 0; i < count; i++) {
        pairs->at[i][0] = vertices[i];
        pairs->at[i][1] = -1;
    }
    return LIL_OK;
}

void lil_block_pairs_take(const double H[9], double weight, int at, float *blocks)
{
    for (int e = 0; e < 9 && at >= 0; e++)
        blocks[9 * (size_t)at + (size_t)e] -= (float)(weight * H[e]);
}
