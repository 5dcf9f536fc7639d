#include "solvers/ldl.h"

#include <suitesparse/amd.h>
#include <suitesparse/ldl.h>

lil_status lil_ldl_analyse(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, lil_ldl *ldl)
{
    int n = pattern->n;
    *ldl = (lil_ldl){ .pattern = pattern };
    LIL_ALLOC(ctx, arena, ldl->P, n);
    LIL_ALLOC(ctx, arena, ldl->Pinv, n);
    LIL_ALLOC(ctx, arena, ldl->Lp, n + 1);
    LIL_ALLOC(ctx, arena, ldl->parent, n);
    LIL_ALLOC(ctx, arena, ldl->Lnz, n);
    LIL_ALLOC(ctx, arena, ldl->flag, n);
    LIL_ALLOC(ctx, arena, ldl->stack, n);
    LIL_ALLOC(ctx, arena, ldl->D, n);
    LIL_ALLOC(ctx, arena, ldl->Y, n);
    int status = amd_order(n, pattern->start, pattern->row, ldl->P, NULL, NULL);
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED)
        return lil_fail_memory(ctx);
    ldl_symbolic(n, pattern->start, pattern->row, ldl->Lp, ldl->parent, ldl->Lnz, ldl->flag, ldl->P, ldl->Pinv);
    return LIL_OK;
}

double lil_ldl_products(const lil_ldl *ldl)
{
    double sum = 0;
    for (int j = 0; j < ldl->pattern->n; j++) {
        double below = ldl->Lp[j + 1] - ldl->Lp[j];
        sum += below * below / 2;
    }
    return sum;
}

lil_status lil_ldl_allocate(lil_context *ctx, lil_arena *arena, lil_ldl *ldl)
{
    int count = ldl->Lp[ldl->pattern->n];
    ldl->Li = LIL_NEW(arena, int, count);
    ldl->Lx = LIL_NEW(arena, double, count);
    return ldl->Li && ldl->Lx ? LIL_OK : lil_fail_memory(ctx);
}

lil_status lil_ldl_create(lil_context *ctx, lil_arena *arena, const lil_pattern *pattern, lil_ldl *ldl)
{
    LIL_TRY(lil_ldl_analyse(ctx, arena, pattern, ldl));
    return lil_ldl_allocate(ctx, arena, ldl);
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
