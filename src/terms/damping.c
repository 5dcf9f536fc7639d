#include "terms/damping.h"

const char *const lil_damping_names[] = { [LIL_DAMP_EXACT] = "exact",
                                          [LIL_DAMP_MINIMISED] = "minimised",
                                          [LIL_DAMP_PAPER] = "paper",
                                          [LIL_DAMP_EXPLICIT] = "explicit",
                                          NULL };

lil_status lil_damping_term(lil_context *ctx, lil_arena *arena, const lil_damped *damping, lil_term *term)
{
    lil_damped *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = *damping;
    *term = (lil_term){ .table = d->table, .data = d, .uses_q = true, .uses_v = true, .damping = d->kD };
    return LIL_OK;
}

double lil_damping_factor(const lil_damped *d, double h, double weight)
{
    return d->form == LIL_DAMP_EXACT ? weight * d->kD : weight * d->kD * h;
}

/* ---- as elements: those of the elastic term ---- */

static int damped_count(const void *data)
{
    const lil_damped *d = data;
    return d->elements->count(d->of);
}

static int damped_vertices(const void *data, int e, int at[LIL_ELEMENT_VERTICES],
                           double stiffness[LIL_ELEMENT_VERTICES])
{
    const lil_damped *d = data;
    return d->elements->vertices(d->of, e, at, stiffness);
}

static double damped_longest_step(const void *data, int e, double kD, const double inverse_mass[LIL_ELEMENT_VERTICES])
{
    const lil_damped *d = data;
    return d->elements->longest_step(d->of, e, d->kD + kD, inverse_mass);
}

static lil_status damped_some(lil_context *ctx, lil_arena *arena, const void *data, const int *elements, int count,
                              lil_term *part)
{
    lil_damped d = *(const lil_damped *)data;
    LIL_TRY(d.elements->some(ctx, arena, d.of, elements, count, part));
    d.of = part->data;
    return lil_damping_term(ctx, arena, &d, part);
}

static void damped_name(const void *data, int e, char *name, size_t size)
{
    const lil_damped *d = data;
    d->elements->name(d->of, e, name, size);
}

const lil_term_elements lil_damped_elements = { .count = damped_count,
                                                .vertices = damped_vertices,
                                                .longest_step = damped_longest_step,
                                                .some = damped_some,
                                                .name = damped_name };
