#include "discrete/reused_matrix.h"

#include <string.h>

lil_status lil_reused_matrix_create(lil_context *ctx, lil_arena *arena, int n, lil_reused_matrix *k)
{
    *k = (lil_reused_matrix){ .count = 2 + n, .words = LIL_NEW(arena, double, 2 + n) };
    return k->words ? LIL_OK : lil_fail_memory(ctx);
}

void lil_reused_matrix_set(lil_reused_matrix *k, double h, double t, const double *node)
{
    k->words[0] = h;
    k->words[1] = t;
    memcpy(k->words + 2, node, (size_t)(k->count - 2) * sizeof *node);
    k->current = true;
}
