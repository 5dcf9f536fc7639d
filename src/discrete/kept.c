#include "discrete/kept.h"

#include <string.h>

lil_status lil_kept_create(lil_context *ctx, lil_arena *arena, int n, lil_kept *k)
{
    size_t size = (size_t)n;
    *k = (lil_kept){ .n = n, .count = 3 + (LIL_STEPS_KEPT + 1) * n };
    double *words = k->words = LIL_NEW(arena, double, k->count);
    if (!words)
        return lil_fail_memory(ctx);
    k->h = words;
    k->steps = words + 1;
    k->made = words + 2;
    k->node = words + 3;
    for (int i = 0; i < LIL_STEPS_KEPT; i++)
        k->impulse[i] = words + 3 + (size_t)(i + 1) * size;
    return LIL_OK;
}

void lil_kept_extrapolate(const lil_kept *k, double h, double *u)
{
    static const double weights[LIL_STEPS_KEPT + 1][LIL_STEPS_KEPT] = { { 0 }, { 1 }, { 2, -1 }, { 3, -3, 1 } };
    const double *w = weights[h == *k->h ? (int)*k->steps : 0], *const *past = (const double *const *)k->impulse;
    for (int i = 0; i < k->n; i++)
        u[i] = w[0] * past[0][i] + w[1] * past[1][i] + w[2] * past[2][i];
}

void lil_kept_push(lil_kept *k, double h, const double *p, const double *Mv)
{
    size_t bytes = (size_t)k->n * sizeof *p;
    for (int i = LIL_STEPS_KEPT - 1; i > 0; i--)
        memcpy(k->impulse[i], k->impulse[i - 1], bytes);
    for (int i = 0; i < k->n; i++)
        k->impulse[0][i] = p[i] - Mv[i];
    *k->steps = h != *k->h ? 1 : *k->steps < LIL_STEPS_KEPT ? *k->steps + 1 : LIL_STEPS_KEPT;
    *k->h = h;
}

void lil_kept_matrix(lil_kept *k, double h, const double *node)
{
    *k->made = h;
    memcpy(k->node, node, (size_t)k->n * sizeof *node);
    k->current = true;
}
