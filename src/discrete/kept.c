#include "discrete/kept.h"

#include <string.h>

lil_status lil_kept_create(lil_context *ctx, lil_arena *arena, int n, lil_kept *k)
{
    *k = (lil_kept){ .count = 1 + n, .words = LIL_NEW(arena, double, 1 + n) };
    return k->words ? LIL_OK : lil_fail_memory(ctx);
}

void lil_kept_set(lil_kept *k, double h, const double *node)
{
    k->words[0] = h;
    memcpy(k->words + 1, node, (size_t)(k->count - 1) * sizeof *node);
    k->current = true;
}
