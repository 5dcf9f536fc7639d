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
