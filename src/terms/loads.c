#include "terms/loads.h"

#include <math.h>

/* ---- gravity ---- */

typedef struct gravity_term {
    double g[3];
    const double *mass;
    int count;
} gravity_term;

static lil_status gravity_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                lil_entries *entries)
{
    (void)ctx, (void)data, (void)arena, (void)second, (void)entries;
    *work = NULL;
    return LIL_OK;
}

static void gravity_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const gravity_term *d = data;
    double W = 0;
    (void)work;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++) {
            double f = d->mass[i] * d->g[k];
            W -= f * at->q[3 * i + k];
            if (sums->gq)
                sums->gq[3 * i + k] -= f;
        }
    lil_sums_add(sums, W);
}

/* what is linear in q has one gradient everywhere */
static void gravity_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    (void)noise;
    gravity_evaluate(data, work, &(lil_at){ ends->t0, ends->q0, NULL }, &(lil_sums){ NULL, g, NULL });
}

static void gravity_size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const gravity_term *d = data;
    (void)work, (void)gradient;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++)
            *value += fabs(d->mass[i] * d->g[k] * q[3 * i + k]);
}

static const lil_term_discrete_gradient gravity_gradient = { .evaluate = gravity_discrete_gradient };

static const lil_term_table gravity_table = {
    .name = "gravity",
    .doc = "weight, W = - sum m g.x",
    .place = LIL_POTENTIAL,
    .uniform = true,
    .begin = gravity_begin,
    .evaluate = gravity_evaluate,
    .discrete_gradient = &gravity_gradient,
    .size = gravity_size,
};

lil_status lil_term_gravity(lil_context *ctx, lil_arena *arena, const double g[3], const double *mass, int count,
                            lil_term *term)
{
    gravity_term *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = (gravity_term){ { g[0], g[1], g[2] }, mass, count };
    *term = (lil_term){ .table = &gravity_table, .data = d, .uses_q = true };
    return LIL_OK;
}

/* ---- loads ---- */

static lil_status load_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                             lil_entries *entries)
{
    const lil_load_def *d = data;
    (void)second, (void)entries;
    return (*work = lil_program_slots(d->program, arena)) ? LIL_OK : lil_fail_memory(ctx);
}

static void potential_evaluate(const void *data, void *work, const lil_at *here, const lil_sums *sums)
{
    const lil_load_def *d = data;
    double f[3], W = 0;
    lil_program_run(d->program, work, here->t, NULL, NULL, f);
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++) {
            int at = 3 * d->vertices[i] + k;
            W -= d->weights[i] * f[k] * here->q[at];
            if (sums->gq)
                sums->gq[at] -= d->weights[i] * f[k];
        }
    lil_sums_add(sums, W);
}

static void potential_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    (void)noise;
    potential_evaluate(data, work, &(lil_at){ ends->t0, ends->q0, NULL }, &(lil_sums){ NULL, g, NULL });
}

static void force_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_load_def *d = data;
    double f[3];
    lil_program_run(d->program, work, at->t, NULL, NULL, f);
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++)
            sums->gq[3 * d->vertices[i] + k] += d->weights[i] * f[k];
}

static bool loads_explain(const void *data, void *work, const lil_at *at, char *sentence, size_t size)
{
    const lil_load_def *d = data;
    return lil_program_explain(d->program, work, at->t, NULL, NULL, sentence, size);
}

static const lil_term_discrete_gradient load_gradient = { .evaluate = potential_discrete_gradient };

static const lil_term_table load_potential = {
    .name = "load",
    .doc = "a constant force, W = - f.x",
    .place = LIL_POTENTIAL,
    .uniform = true,
    .begin = load_begin,
    .evaluate = potential_evaluate,
    .discrete_gradient = &load_gradient,
    .explain = loads_explain,
};

static const lil_term_table load_force = {
    .name = "load-in-time",
    .doc = "a force that depends on t",
    .place = LIL_FORCE,
    .begin = load_begin,
    .evaluate = force_evaluate,
    .explain = loads_explain,
};

lil_status lil_term_load(lil_context *ctx, lil_arena *arena, const lil_load_def *def, lil_term *term)
{
    lil_load_def *d;
    LIL_ALLOC(ctx, arena, d, 1);
    *d = *def;
    *term = (lil_term){ .table = def->uses_t ? &load_force : &load_potential, .data = d, .uses_t = def->uses_t };
    return LIL_OK;
}
