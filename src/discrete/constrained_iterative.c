/* Constrained steps that are solved without a factorisation: when, and their data. */
#include "discrete/constrained.h"

#include <stdlib.h>

/* One in so many free vertices may be bound. Sweeps skip bound ones, and fully bound systems, a rope or a linkage,
 * have a sparse factor. But a factor has only a bound of friction between bodies, with which Newton's method
 * stalls. */
enum { FEW = 2 };

/* Marks the free vertices that a set acts on; how many of them are new. */
static lil_status constrained_iterative_mark(lil_context *ctx, const lil_model *model, const lil_constraint *set,
                                             bool *seen, int *bound)
{
    const int *number = model->dofs.number;
    lil_arena arena = { 0 };
    lil_jacobian G;
    void *work;
    lil_status status = lil_constraint_begin(ctx, set, &arena, &work, &G);
    for (int k = 0; status == LIL_OK && k < G.count; k++) {
        int x = G.col[k];
        if (seen[x / 3] || (number && number[x] < 0))
            continue;
        seen[x / 3] = true;
        ++*bound;
    }
    lil_arena_free(&arena);
    return status;
}

lil_status lil_constrained_are_few(lil_context *ctx, const lil_model *model, bool *few)
{
    int bound = 0;
    bool *seen = calloc((size_t)model->dofs.total / 3 + 1, sizeof *seen);
    lil_status status = seen ? LIL_OK : lil_fail_memory(ctx);
    for (int i = 0; status == LIL_OK && i < model->constraint_count; i++)
        status = constrained_iterative_mark(ctx, model, &model->constraints[i], seen, &bound);
    free(seen);
    *few = FEW * bound <= model->n / 3 || (model->may_stick && model->bodies_meet);
    return status;
}

lil_status lil_constrained_create_iterative(lil_context *ctx, lil_arena *arena, lil_levels levels, bool projects,
                                            lil_constrained *c)
{
    lil_block_assembly *blocks = &c->ev->blocks;
    LIL_ALLOC(ctx, arena, c->start, c->G.n);
    LIL_TRY(
        lil_projected_create(ctx, arena, c->ev->threads, &blocks->A, &c->G, levels != LIL_LEVELS_ONE, &c->projected));
    return lil_krylov_create_bound(ctx, arena, &blocks->A, blocks->x, levels, projects, &c->projected, &c->krylov);
}
