#include "solvers/ldl.h"

#include <suitesparse/amd.h>
#include <suitesparse/ldl.h>

lil_status lil_ldl_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, lil_ldl *ldl)
{
    int n = pattern->n;
    *ldl = (lil_ldl){ .pattern = pattern };
    ldl->P = LIL_NEW(arena, int, n);
    ldl->Pinv = LIL_NEW(arena, int, n);
    ldl->Lp = LIL_NEW(arena, int, n + 1);
    ldl->parent = LIL_NEW(arena, int, n);
    ldl->Lnz = LIL_NEW(arena, int, n);
    ldl->flag = LIL_NEW(arena, int, n);
    ldl->stack = LIL_NEW(arena, int, n);
    ldl->D = LIL_NEW(arena, double, n);
    ldl->Y = LIL_NEW(arena, double, n);
    if (!ldl->P || !ldl->Pinv || !ldl->Lp || !ldl->parent || !ldl->Lnz || !ldl->flag || !ldl->stack || !ldl->D ||
        !ldl->Y)
        return lil_fail_memory(ctx);
    int status = amd_order(n, pattern->start, pattern->row, ldl->P, NULL, NULL);
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED)
        return lil_fail_memory(ctx);
    ldl_symbolic(n, pattern->start, pattern->row, ldl->Lp, ldl->parent, ldl->Lnz, ldl->flag, ldl->P, ldl->Pinv);
    ldl->Li = LIL_NEW(arena, int, ldl->Lp[n]);
    ldl->Lx = LIL_NEW(arena, double, ldl->Lp[n]);
    return ldl->Li && ldl->Lx ? LIL_OK : lil_fail_memory(ctx);
}

bool lil_ldl_factor(lil_ldl *l, const double *values)
{
    int n = l->pattern->n;
    /* LDL takes its arguments without const and does not change them */
    int done = ldl_numeric(n, l->pattern->start, l->pattern->row, (double *)values, l->Lp, l->parent, l->Lnz, l->Li,
                           l->Lx, l->D, l->Y, l->stack, l->flag, l->P, l->Pinv);
    for (int i = 0; i < done; i++)
        if (!(l->D[i] > 0)) /* a NaN is not positive either */
            return false;
    return done == n;
}

void lil_ldl_solve(const lil_ldl *l, const double *b, double *x, double *work)
{
    int n = l->pattern->n;
    ldl_perm(n, work, (double *)b, l->P);
    ldl_lsolve(n, work, l->Lp, l->Li, l->Lx);
    ldl_dsolve(n, work, l->D);
    ldl_ltsolve(n, work, l->Lp, l->Li, l->Lx);
    ldl_permt(n, x, work, l->P);
}
