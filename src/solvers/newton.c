#include "solvers/newton.h"

#include <math.h>

lil_status lil_newton_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, bool symmetric,
                             lil_newton *nt)
{
    int n = pattern->n;
    *nt = (lil_newton){ .n = n };
    nt->g = LIL_NEW(arena, double, n);
    nt->g_trial = LIL_NEW(arena, double, n);
    nt->d = LIL_NEW(arena, double, n);
    nt->x_trial = LIL_NEW(arena, double, n);
    nt->work = LIL_NEW(arena, double, n);
    nt->H = LIL_NEW(arena, double, pattern->count);
    nt->H_shifted = LIL_NEW(arena, double, pattern->count);
    if (!nt->g || !nt->g_trial || !nt->d || !nt->x_trial || !nt->work || !nt->H || !nt->H_shifted)
        return lil_fail_memory(ctx);
    return symmetric ? lil_ldl_create(ctx, arena, pattern, &nt->ldl) : lil_lu_create(ctx, arena, pattern, &nt->lu);
}

void lil_newton_destroy(lil_newton *nt)
{
    lil_lu_destroy(&nt->lu);
}

bool lil_newton_near(const lil_solve *sv)
{
    return sv->gradient <= 1e-8 * fmax(sv->gradient_start, sv->reference);
}
