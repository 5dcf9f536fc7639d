#include "discrete/direct_fallback.h"

#include <math.h>

/* With more vertices the ordering alone takes longer than solves that converge. */
enum { VERTICES_MAX = 8000 };

/* Measured: LDL' makes a product in the time in which conjugate gradients in float make 12 of their 36 per pair;
 * the entries of a pair are computed and added up in the time of 50 iterations. */
static const double PRODUCTS = 3, ENTRIES = 50;
static const double COST_MAX = 20000; /* the memory of L grows with the cost */

void lil_fallback_create(const lil_model *model, int linear, lil_fallback *f)
{
    *f = (lil_fallback){ .allowed = linear == LIL_LINEAR_AUTO && model->n <= 3 * VERTICES_MAX && !model->impassable };
    /* contact couples bodies at positions that no fixed pattern contains */
    for (int i = 0; i < model->term_count; i++) {
        const lil_term_elements *elements = model->terms[i].table->elements;
        if (elements && elements->together)
            f->allowed = false;
    }
}

void lil_fallback_destroy(lil_fallback *f)
{
    lil_evaluator_destroy(&f->ev);
    lil_arena_free(&f->arena);
}

static lil_status fallback_make(lil_fallback *f, const lil_evaluator *ev, const lil_blocks *A, bool kicks)
{
    lil_context *ctx = ev->ctx;
    const lil_model *model = ev->model;
    lil_second steps = kicks ? LIL_SECOND_NONE : LIL_SECOND_ENTRIES;
    LIL_TRY(lil_evaluator_create(ctx, &f->arena, model, steps, kicks ? LIL_SECOND_ENTRIES : LIL_SECOND_NONE, &f->ev));
    if (kicks)
        LIL_TRY(lil_assembly_create(ctx, &f->arena, model, f->ev.entries, lil_is_kick, &f->matrix));
    else
        f->matrix = f->ev.matrix;
    LIL_TRY(lil_ldl_analyse(ctx, &f->arena, &f->matrix.pattern, &f->ldl));
    f->cost = lil_ldl_products(&f->ldl) / (PRODUCTS * A->places + 1) + ENTRIES;
    if (f->cost > COST_MAX)
        return LIL_ERR_LIMIT;
    LIL_TRY(lil_ldl_allocate(ctx, &f->arena, &f->ldl));
    f->values = LIL_NEW(&f->arena, double, f->matrix.pattern.count);
    f->work = LIL_NEW(&f->arena, double, model->n);
    return f->values && f->work ? LIL_OK : lil_fail_memory(ctx);
}

double lil_fallback_cost(lil_fallback *f, const lil_evaluator *ev, const lil_blocks *A, bool kicks)
{
    if (!f->looked && (!f->allowed || fallback_make(f, ev, A, kicks) != LIL_OK)) {
        lil_fallback_destroy(f);
        *f = (lil_fallback){ .allowed = f->allowed, .cost = INFINITY };
    }
    f->looked = true;
    return f->cost;
}
