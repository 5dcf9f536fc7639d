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

static void gravity_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                             double *gq, double *gv)
{
    const gravity_term *d = data;
    double W = 0;
    (void)work, (void)t, (void)v, (void)gv;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++) {
            double f = d->mass[i] * d->g[k];
            W -= f * q[3 * i + k];
            if (gq)
                gq[3 * i + k] -= f;
        }
    if (value)
        *value += W;
}

/* what is linear in q has one gradient everywhere */
static void gravity_between(const void *data, void *work, double t0, double t1, const double *q0, const double *q1,
                            double *g, double *noise)
{
    (void)t1, (void)q1, (void)noise;
    gravity_evaluate(data, work, t0, q0, NULL, NULL, g, NULL);
}

static void gravity_size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const gravity_term *d = data;
    (void)work, (void)gradient;
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++)
            *value += fabs(d->mass[i] * d->g[k] * q[3 * i + k]);
}

/* linear in q: no entries */
static void no_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    (void)data, (void)work, (void)t, (void)q, (void)v, (void)values;
}

static lil_status no_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_pairs *pairs)
{
    (void)ctx, (void)data, (void)arena, (void)work;
    *pairs = (lil_pairs){ 0 };
    return LIL_OK;
}

static void no_second_pairs(const void *data, void *work, double t, const double *q, const double *v, bool definite,
                            double weight, const int *where, float *blocks)
{
    (void)data, (void)work, (void)t, (void)q, (void)v, (void)definite, (void)weight, (void)where, (void)blocks;
}

static void no_between_pairs(const void *data, void *work, double t0, double t1, const double *q0, const double *q1,
                             double weight, const int (*two)[2], float *blocks)
{
    (void)t0, (void)t1, (void)data, (void)work, (void)q0, (void)q1, (void)weight, (void)two, (void)blocks;
}

static const lil_term_table gravity_table = {
    .name = "gravity",
    .doc = "weight, W = - sum m g.x",
    .place = LIL_POTENTIAL,
    .uniform = true,
    .begin = gravity_begin,
    .evaluate = gravity_evaluate,
    .second = no_second,
    .pairs = no_pairs,
    .second_pairs = no_second_pairs,
    .between = gravity_between,
    .between_pairs = no_between_pairs,
    .size = gravity_size,
};

lil_status lil_term_gravity(lil_context *ctx, lil_arena *arena, const double g[3], const double *mass, int count,
                            lil_term *term)
{
    gravity_term *d = LIL_NEW(arena, gravity_term, 1);
    if (!d)
        return lil_fail_memory(ctx);
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

static void potential_evaluate(const void *data, void *work, double t, const double *q, const double *v,
                               double *value, double *gq, double *gv)
{
    const lil_load_def *d = data;
    double f[3], W = 0;
    (void)v, (void)gv;
    lil_program_run(d->program, work, t, NULL, NULL, f);
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++) {
            int at = 3 * d->vertices[i] + k;
            W -= d->weights[i] * f[k] * q[at];
            if (gq)
                gq[at] -= d->weights[i] * f[k];
        }
    if (value)
        *value += W;
}

static void potential_between(const void *data, void *work, double t0, double t1, const double *q0, const double *q1,
                              double *g, double *noise)
{
    (void)t1, (void)q1, (void)noise;
    potential_evaluate(data, work, t0, q0, NULL, NULL, g, NULL);
}

static void force_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                           double *gq, double *gv)
{
    const lil_load_def *d = data;
    double f[3];
    (void)q, (void)v, (void)value, (void)gv;
    lil_program_run(d->program, work, t, NULL, NULL, f);
    for (int i = 0; i < d->count; i++)
        for (int k = 0; k < 3; k++)
            gq[3 * d->vertices[i] + k] += d->weights[i] * f[k];
}

static bool explain(const void *data, void *work, double t, const double *q, const double *v, char *sentence,
                    size_t size)
{
    const lil_load_def *d = data;
    (void)q, (void)v;
    return lil_program_explain(d->program, work, t, NULL, NULL, sentence, size);
}

static const lil_term_table load_potential = {
    .name = "load",
    .doc = "a constant force, W = - f.x",
    .place = LIL_POTENTIAL,
    .uniform = true,
    .begin = load_begin,
    .evaluate = potential_evaluate,
    .second = no_second,
    .pairs = no_pairs,
    .second_pairs = no_second_pairs,
    .between = potential_between,
    .between_pairs = no_between_pairs,
    .explain = explain,
};

static const lil_term_table load_force = {
    .name = "load-in-time",
    .doc = "a force that depends on t",
    .place = LIL_FORCE,
    .begin = load_begin,
    .evaluate = force_evaluate,
    .second = no_second,
    .pairs = no_pairs,
    .second_pairs = no_second_pairs,
    .explain = explain,
};

lil_status lil_term_load(lil_context *ctx, lil_arena *arena, const lil_load_def *def, lil_term *term)
{
    lil_load_def *d = LIL_NEW(arena, lil_load_def, 1);
    if (!d)
        return lil_fail_memory(ctx);
    *d = *def;
    *term = (lil_term){ .table = def->uses_t ? &load_force : &load_potential, .data = d, .uses_t = def->uses_t };
    return LIL_OK;
}
