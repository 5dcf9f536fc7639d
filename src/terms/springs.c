#include "terms/springs.h"

#include <math.h>

/* All that is done to a spring is done to d = x_j - x_i. */
typedef struct view {
    double d[3], r, u[3];
} view;

static view look(const lil_spring *s, const double *x)
{
    view w = { .r = 0 };
    for (int k = 0; k < 3; k++)
        w.d[k] = x[3 * s->j + k] - x[3 * s->i + k];
    w.r = sqrt(w.d[0] * w.d[0] + w.d[1] * w.d[1] + w.d[2] * w.d[2]);
    for (int k = 0; k < 3; k++)
        w.u[k] = w.r > 0 ? w.d[k] / w.r : 0; /* without a length there is no direction, and no force */
    return w;
}

static double along(const lil_spring *s, const view *w, const double *v)
{
    double rate = 0;
    for (int k = 0; k < 3; k++)
        rate += w->u[k] * (v[3 * s->j + k] - v[3 * s->i + k]);
    return rate;
}

static void add_pair(const lil_spring *s, const double u[3], double f, double *g)
{
    for (int k = 0; k < 3; k++) {
        g[3 * s->j + k] += f * u[k];
        g[3 * s->i + k] -= f * u[k];
    }
}

/* a u u' + b (I - u u') at both ends: 36 entries */
static void write_pair(const double u[3], double a, double b, double *values)
{
    for (int row = 0; row < 6; row++)
        for (int col = 0; col < 6; col++) {
            int i = row % 3, j = col % 3;
            double uu = u[i] * u[j], x = a * uu + b * ((i == j) - uu);
            values[6 * row + col] = row / 3 == col / 3 ? x : -x;
        }
}

static lil_status list_entries(lil_context *ctx, lil_arena *arena, const lil_springs *d, lil_entries *entries)
{
    if (d->count > INT32_MAX / 36)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d springs are too many for an implicit step", d->count);
    entries->row = LIL_NEW(arena, int, 36 * (size_t)d->count);
    entries->col = LIL_NEW(arena, int, 36 * (size_t)d->count);
    if (!entries->row || !entries->col)
        return lil_fail_memory(ctx);
    for (int e = 0; e < d->count; e++)
        for (int k = 0; k < 36; k++) {
            const int ends[2] = { d->springs[e].i, d->springs[e].j };
            entries->row[36 * e + k] = 3 * ends[k / 18] + k / 6 % 3;
            entries->col[36 * e + k] = 3 * ends[k % 6 / 3] + k % 3;
        }
    return LIL_OK;
}

/* ---- elastic ---- */

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const lil_springs *d = data;
    *work = NULL;
    if (!second)
        return LIL_OK;
    LIL_TRY(list_entries(ctx, arena, d, entries));
    entries->qq = 36 * d->count;
    return LIL_OK;
}

static void evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                     double *gq, double *gv)
{
    const lil_springs *d = data;
    double W = 0;
    (void)work, (void)t, (void)v, (void)gv;
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        view w = look(s, q);
        double stretch = w.r - s->length;
        W += s->k / 2 * stretch * stretch;
        if (gq)
            add_pair(s, w.u, s->k * stretch, gq);
    }
    if (value)
        *value += W;
}

/* the last place of x changes forces by k, energies by k times the stretch */
static void size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_springs *d = data;
    double square = 0;
    (void)work;
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        double far = 0, r = look(s, q).r;
        for (int k = 0; k < 3; k++)
            far = fmax(far, fmax(fabs(q[3 * s->i + k]), fabs(q[3 * s->j + k])));
        *value += s->k * far * fabs(r - s->length);
        square += s->k * far * s->k * far;
    }
    if (gradient)
        *gradient += sqrt(square);
}

/* k u u' + k (1 - l/r)(I - u u'); at r = 0 only a spring of no length has a stiffness */
static void stiffness(const lil_springs *d, const double *q, bool definite, double *values)
{
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        view w = look(s, q);
        double across = w.r > 0 ? s->k * (1 - s->length / w.r) : s->length == 0 ? s->k : 0;
        write_pair(w.u, s->k, definite ? fmax(across, 0) : across, values + 36 * e);
    }
}

static void second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    (void)work, (void)t, (void)v;
    stiffness(data, q, false, values);
}

static void second_definite(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    (void)work, (void)t, (void)v;
    stiffness(data, q, true, values);
}

static const lil_term_table table = {
    .name = "springs",
    .doc = "springs, W = sum k/2 (|x_j - x_i| - l)^2",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .begin = begin,
    .evaluate = evaluate,
    .second = second,
    .second_definite = second_definite,
    .size = size,
};

lil_term lil_springs_term(lil_springs *springs)
{
    return (lil_term){ .table = &table, .data = springs, .uses_q = true };
}

/* ---- damping: Kd = k u u', Wd(a, b) = k/2 (|b| - |a|)^2 ---- */

typedef struct damping_term {
    const lil_springs *springs;
    double kD;
} damping_term;

typedef struct damping_work {
    double h;
    view *at; /* each spring where it was prepared for */
} damping_work;

static lil_status damping_begin(lil_context *ctx, const void *data, lil_arena *arena, bool wanted, void **work,
                                lil_entries *entries)
{
    const damping_term *d = data;
    damping_work *w = *work = LIL_NEW(arena, damping_work, 1);
    if (!w || !(w->at = LIL_NEW(arena, view, d->springs->count)))
        return lil_fail_memory(ctx);
    if (!wanted)
        return LIL_OK;
    LIL_TRY(list_entries(ctx, arena, d->springs, entries));
    entries->vv = 36 * d->springs->count;
    return LIL_OK;
}

static void prepare(const void *data, void *work, double h, const double *q)
{
    const damping_term *d = data;
    damping_work *w = work;
    w->h = h;
    for (int e = 0; e < d->springs->count; e++)
        w->at[e] = look(&d->springs->springs[e], q);
}

/* weight k u u'v into f, weight/2 k (u'v)^2 into S */
static void quadratic(const damping_term *d, const damping_work *w, double weight, const double *v, double *S,
                      double *f)
{
    for (int e = 0; e < d->springs->count; e++) {
        const lil_spring *s = &d->springs->springs[e];
        double rate = along(s, &w->at[e], v);
        if (S)
            *S += weight / 2 * s->k * rate * rate;
        if (f)
            add_pair(s, w->at[e].u, weight * s->k * rate, f);
    }
}

static void exact_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                           double *gq, double *gv)
{
    const damping_term *d = data;
    (void)t, (void)q, (void)value, (void)gq;
    quadratic(d, work, d->kD, v, NULL, gv);
}

static void minimised_evaluate(const void *data, void *work, double t, const double *q, const double *v,
                               double *value, double *gq, double *gv)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q, (void)gq;
    quadratic(d, w, d->kD * w->h, v, value, gv);
}

static void quadratic_matrix(const damping_term *d, const damping_work *w, double weight, double *values)
{
    for (int e = 0; e < d->springs->count; e++)
        write_pair(w->at[e].u, weight * d->springs->springs[e].k, 0, values + 36 * e);
}

static void exact_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const damping_term *d = data;
    (void)t, (void)q, (void)v;
    quadratic_matrix(d, work, d->kD, values);
}

static void minimised_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q, (void)v;
    quadratic_matrix(d, w, d->kD * w->h, values);
}

/* the spring after a step of v */
static view look_ahead(const lil_spring *s, const view *at, double h, const double *v)
{
    view w = *at;
    for (int k = 0; k < 3; k++)
        w.d[k] += h * (v[3 * s->j + k] - v[3 * s->i + k]);
    w.r = sqrt(w.d[0] * w.d[0] + w.d[1] * w.d[1] + w.d[2] * w.d[2]);
    for (int k = 0; k < 3; k++)
        w.u[k] = w.r > 0 ? w.d[k] / w.r : 0;
    return w;
}

static void paper_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                           double *gq, double *gv)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q, (void)gq;
    for (int e = 0; e < d->springs->count; e++) {
        const lil_spring *s = &d->springs->springs[e];
        view b = look_ahead(s, &w->at[e], w->h, v);
        double stretch = b.r - w->at[e].r;
        if (value)
            *value += d->kD / w->h * s->k / 2 * stretch * stretch;
        if (gv)
            add_pair(s, b.u, d->kD * s->k * stretch, gv);
    }
}

static void paper_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q;
    for (int e = 0; e < d->springs->count; e++) {
        const lil_spring *s = &d->springs->springs[e];
        view b = look_ahead(s, &w->at[e], w->h, v);
        double a = w->h * d->kD * s->k;
        write_pair(b.u, a, b.r > 0 ? fmax(0, a * (1 - w->at[e].r / b.r)) : 0, values + 36 * e);
    }
}

/* D(q - h v, q): along the spring as it is now */
static void explicit_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                              double *gq, double *gv)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q, (void)value, (void)gq;
    for (int e = 0; gv && e < d->springs->count; e++) {
        const lil_spring *s = &d->springs->springs[e];
        view before = look_ahead(s, &w->at[e], -w->h, v);
        add_pair(s, w->at[e].u, d->kD * s->k * (w->at[e].r - before.r), gv);
    }
}

static void rows(const void *data, double *sums)
{
    const damping_term *d = data;
    for (int e = 0; e < d->springs->count; e++) { /* k u u' on the diagonal and beside it */
        sums[d->springs->springs[e].i] += 2 * d->kD * d->springs->springs[e].k;
        sums[d->springs->springs[e].j] += 2 * d->kD * d->springs->springs[e].k;
    }
}

static const lil_term_table forms[] = {
    [LIL_DAMPING_EXACT] = { .name = "springs-damping-exact",
                            .doc = "damping along springs as kicks about the step",
                            .place = LIL_KICK,
                            .begin = damping_begin,
                            .prepare = prepare,
                            .evaluate = exact_evaluate,
                            .second = exact_second,
                            .rows = rows },
    [LIL_DAMPING_MINIMISED] = { .name = "springs-damping-minimised",
                                .doc = "damping along springs as a quadratic form in the Lilyan",
                                .place = LIL_STEP,
                                .begin = damping_begin,
                                .prepare = prepare,
                                .evaluate = minimised_evaluate,
                                .second = minimised_second },
    [LIL_DAMPING_PAPER] = { .name = "springs-damping-paper",
                            .doc = "damping along springs as the paper's energy in the Lilyan",
                            .place = LIL_STEP,
                            .begin = damping_begin,
                            .prepare = prepare,
                            .evaluate = paper_evaluate,
                            .second = paper_second,
                            .leaks = true },
    [LIL_DAMPING_EXPLICIT] = { .name = "springs-damping-explicit",
                               .doc = "damping along springs before an explicit step",
                               .place = LIL_IMPULSE,
                               .begin = damping_begin,
                               .prepare = prepare,
                               .evaluate = explicit_evaluate },
};

lil_status lil_springs_damping(lil_context *ctx, lil_arena *arena, const lil_springs *springs, double kD,
                               lil_damping_form form, lil_term *term)
{
    damping_term *d = LIL_NEW(arena, damping_term, 1);
    if (!d)
        return lil_fail_memory(ctx);
    *d = (damping_term){ springs, kD };
    *term = (lil_term){ .table = &forms[form], .data = d, .uses_q = true, .uses_v = true, .damping = kD };
    return LIL_OK;
}
