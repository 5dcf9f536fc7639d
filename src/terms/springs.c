#include "terms/springs.h"

#include "core/order.h"
#include "terms/entries.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A spring depends on d = x_j - x_i only. */
typedef struct view {
    double d[3], r, u[3];
} view;

static view springs_look(const lil_spring *s, const double *x)
{
    view w = { .r = 0 };
    for (int k = 0; k < 3; k++)
        w.d[k] = x[3 * s->j + k] - x[3 * s->i + k];
    w.r = sqrt(w.d[0] * w.d[0] + w.d[1] * w.d[1] + w.d[2] * w.d[2]);
    for (int k = 0; k < 3; k++)
        w.u[k] = w.r > 0 ? w.d[k] / w.r : 0; /* without a length there is no direction, and no force */
    return w;
}

static double springs_along(const lil_spring *s, const view *w, const double *v)
{
    double rate = 0;
    for (int k = 0; k < 3; k++)
        rate += w->u[k] * (v[3 * s->j + k] - v[3 * s->i + k]);
    return rate;
}

static void springs_add_pair(const lil_spring *s, const double u[3], double f, double *g)
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

static lil_corners springs_corners(const lil_springs *d)
{
    return (lil_corners){ "springs", d->count, 2, d->springs, sizeof *d->springs, 0 };
}

/* ---- pairs ---- */

/* The workspace of the term; the rest follows in `damping_work`. */
typedef struct springs_work {
    int *pair; /* of each spring; NULL: not requested yet */
} springs_work;

typedef struct ordered {
    int a, b, spring;
} ordered;

static int springs_by_ends(const void *x, const void *y)
{
    const ordered *p = x, *r = y;
    return p->a != r->a ? lil_order(p->a, r->a) : lil_order(p->b, r->b);
}

/* Several springs may share a pair. */
static lil_status springs_list_pairs(lil_context *ctx, lil_arena *arena, const lil_springs *d, springs_work *w,
                                     lil_block_pairs *pairs)
{
    ordered *list;
    LIL_ALLOC(ctx, arena, list, d->count);
    LIL_ALLOC(ctx, arena, w->pair, d->count);
    LIL_ALLOC(ctx, arena, pairs->at, d->count);
    for (int e = 0; e < d->count; e++) {
        int i = d->springs[e].i, j = d->springs[e].j;
        list[e] = (ordered){ i < j ? i : j, i < j ? j : i, e };
    }
    qsort(list, (size_t)d->count, sizeof *list, springs_by_ends);
    pairs->count = 0;
    for (int k = 0; k < d->count; k++) {
        if (k == 0 || springs_by_ends(&list[k], &list[k - 1]) != 0) {
            pairs->at[pairs->count][0] = list[k].a;
            pairs->at[pairs->count++][1] = list[k].b;
        }
        w->pair[list[k].spring] = pairs->count - 1;
    }
    return LIL_OK;
}

/* takes a u u' + b (I - u u') from the block of its pair, which is the same both ways */
static void take_block(const springs_work *w, int spring, const double u[3], double a, double b, const int *where,
                       float *blocks)
{
    int at = where[w->pair[spring]];
    for (int k = 0; k < 9 && at >= 0; k++) {
        double uu = u[k / 3] * u[k % 3];
        blocks[9 * (size_t)at + (size_t)k] -= (float)(a * uu + b * ((k % 4 == 0) - uu));
    }
}

/* where second derivatives are wanted */
static void springs_put(const springs_work *w, int spring, const double u[3], double a, double b, const lil_sink *to)
{
    if (to->entries)
        write_pair(u, a, b, to->entries + 36 * spring);
    else
        take_block(w, spring, u, a, b, to->where, to->blocks);
}

/* ---- elastic ---- */

static lil_status springs_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                lil_entries *entries)
{
    const lil_springs *d = data;
    LIL_HAVE(ctx, *work = LIL_NEW(arena, springs_work, 1));
    const lil_corners corners = springs_corners(d);
    return second ? lil_corners_create(ctx, arena, &corners, &entries->qq, entries) : LIL_OK;
}

static void springs_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_springs *d = data;
    double W = 0;
    (void)work;
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        view w = springs_look(s, at->q);
        double stretch = w.r - s->length;
        W += s->k / 2 * stretch * stretch;
        if (sums->gq)
            springs_add_pair(s, w.u, s->k * stretch, sums->gq);
    }
    lil_sums_add(sums, W);
}

/* In c = |d|^2 the quotient (W1 - W0)/(c1 - c0) has no difference left, k/2 (1 - 2 l/(r0 + r1)), and dc = 2
 * d_mid.(d1 - d0). */
static void springs_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    const lil_springs *d = data;
    (void)work, (void)noise;
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        view a = springs_look(s, ends->q0), b = springs_look(s, ends->q1);
        double sum = a.r + b.r, middle[3];
        for (int k = 0; k < 3; k++)
            middle[k] = (a.d[k] + b.d[k]) / 2;
        springs_add_pair(s, middle, sum > 0 ? s->k * (1 - 2 * s->length / sum) : 0, g);
    }
}

/* G = f d_mid on j, f = k (1 - 2 l/sum): dG/dd1 = f/2 + 2 k l/sum^2 d_mid u1', minus that across */
static void springs_discrete_gradient_second(const void *data, void *work, const lil_ends *ends, const lil_sink *to)
{
    const lil_springs *d = data;
    const springs_work *w = work;
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        view a = springs_look(s, ends->q0), b = springs_look(s, ends->q1);
        double sum = a.r + b.r, f = sum > 0 ? s->k * (1 - 2 * s->length / sum) : 0;
        double slope = sum > 0 ? 2 * s->k * s->length / (sum * sum) : 0;
        const int *two = to->two[w->pair[e]];
        for (int k = 0; k < 9; k++) {
            double x = (k % 4 == 0) * f / 2 + slope * (a.d[k / 3] + b.d[k / 3]) / 2 * b.u[k % 3];
            for (int end = 0; end < 2; end++)
                if (two[end] >= 0)
                    to->blocks[9 * (size_t)two[end] + (size_t)k] -= (float)(to->weight * x);
        }
    }
}

/* the last place of x changes forces by k, energies by k times the stretch */
static void size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_springs *d = data;
    double square = 0;
    (void)work;
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        double far = 0, r = springs_look(s, q).r;
        for (int k = 0; k < 3; k++)
            far = fmax(far, fmax(fabs(q[3 * s->i + k]), fabs(q[3 * s->j + k])));
        *value += s->k * far * fabs(r - s->length);
        square += s->k * far * s->k * far;
    }
    if (gradient)
        *gradient += sqrt(square);
}

/* k u u' + k (1 - l/r)(I - u u'): the second; at r = 0 only a spring of no length has a stiffness */
static double springs_stiffness_across(const lil_spring *s, const view *w, bool definite)
{
    double across = w->r > 0 ? s->k * (1 - s->length / w->r) : s->length == 0 ? s->k : 0;
    return definite ? fmax(across, 0) : across;
}

static lil_status pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work, lil_block_pairs *list)
{
    return springs_list_pairs(ctx, arena, data, work, list);
}

static void second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const lil_springs *d = data;
    double scale = lil_sink_scale(to);
    for (int e = 0; e < d->count; e++) {
        const lil_spring *s = &d->springs[e];
        view w = springs_look(s, at->q);
        springs_put(work, e, w.u, scale * s->k, scale * springs_stiffness_across(s, &w, to->definite), to);
    }
}

/* ---- as elements ---- */

static int spring_count(const void *data)
{
    return ((const lil_springs *)data)->count;
}

static int spring_vertices(const void *data, int e, int at[2], double stiffness[2])
{
    const lil_spring *s = &((const lil_springs *)data)->springs[e];
    at[0] = s->i;
    at[1] = s->j;
    stiffness[0] = stiffness[1] = s->k;
    return 2;
}

/* h omega < 2 and h kD omega^2 < 2, omega^2 = k (1/m_i + 1/m_j) */
static double spring_longest_step(const void *data, int e, double kD, const double inverse_mass[2])
{
    double square = ((const lil_springs *)data)->springs[e].k * (inverse_mass[0] + inverse_mass[1]);
    return fmin(2 / sqrt(square), 2 / (kD * square));
}

static lil_status springs_some(lil_context *ctx, lil_arena *arena, const void *data, const int *elements, int count,
                               lil_term *part)
{
    const lil_springs *d = data;
    lil_springs *p = LIL_NEW(arena, lil_springs, 1);
    lil_spring *list = LIL_NEW(arena, lil_spring, count);
    LIL_HAVE(ctx, p && list);
    for (int i = 0; i < count; i++)
        list[i] = d->springs[elements[i]];
    *p = (lil_springs){ count, list };
    *part = lil_springs_term(p);
    return LIL_OK;
}

static void spring_name(const void *data, int e, char *name, size_t size)
{
    const lil_spring *s = &((const lil_springs *)data)->springs[e];
    snprintf(name, size, "a spring of %.3g N/m between vertices %d and %d", s->k, s->i, s->j);
}

static const lil_term_elements spring_elements = { .count = spring_count,
                                                   .vertices = spring_vertices,
                                                   .longest_step = spring_longest_step,
                                                   .some = springs_some,
                                                   .name = spring_name };

static const lil_term_discrete_gradient discrete_gradient = { .evaluate = springs_discrete_gradient,
                                                              .second = springs_discrete_gradient_second };

static const lil_term_table table = {
    .name = "springs",
    .doc = "springs, W = sum k/2 (|x_j - x_i| - l)^2",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .elements = &spring_elements,
    .begin = springs_begin,
    .evaluate = springs_evaluate,
    .second = second,
    .projects = true,
    .pairs = pairs,
    .discrete_gradient = &discrete_gradient,
    .size = size,
};

lil_term lil_springs_term(lil_springs *springs)
{
    return (lil_term){ .table = &table, .data = springs, .uses_q = true };
}

/* ---- damping: Kd = k u u', Wd(a, b) = k/2 (|b| - |a|)^2 ---- */

static const lil_springs *springs_of(const lil_damped *d)
{
    return d->of;
}

typedef struct damping_work {
    springs_work common;
    double h;
    view *at; /* each spring where it was prepared for */
} damping_work;

static lil_status springs_damping_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second,
                                        void **work, lil_entries *entries)
{
    const lil_damped *d = data;
    damping_work *w = *work = LIL_NEW(arena, damping_work, 1);
    LIL_HAVE(ctx, w && (w->at = LIL_NEW(arena, view, springs_of(d)->count)));
    const lil_corners corners = springs_corners(springs_of(d));
    return second ? lil_corners_create(ctx, arena, &corners, &entries->vv, entries) : LIL_OK;
}

static void springs_prepare(const void *data, void *work, double t, double h, const double *q)
{
    (void)t;
    const lil_damped *d = data;
    damping_work *w = work;
    w->h = h;
    for (int e = 0; e < springs_of(d)->count; e++)
        w->at[e] = springs_look(&springs_of(d)->springs[e], q);
}

/* weight k u u'v into gv, weight/2 k (u'v)^2 into the value */
static void springs_quadratic_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    double weight = lil_damping_factor(d, w->h, 1);
    for (int e = 0; e < springs_of(d)->count; e++) {
        const lil_spring *s = &springs_of(d)->springs[e];
        double rate = springs_along(s, &w->at[e], at->v);
        lil_sums_add(sums, weight / 2 * s->k * rate * rate);
        if (sums->gv)
            springs_add_pair(s, w->at[e].u, weight * s->k * rate, sums->gv);
    }
}

static void springs_quadratic_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    double weight = lil_damping_factor(d, w->h, lil_sink_scale(to));
    (void)at; /* prepared */
    for (int e = 0; e < springs_of(d)->count; e++)
        springs_put(&w->common, e, w->at[e].u, weight * springs_of(d)->springs[e].k, 0, to);
}

static lil_status damping_pairs(lil_context *ctx, const void *data, lil_arena *arena, void *work,
                                lil_block_pairs *list)
{
    return springs_list_pairs(ctx, arena, ((const lil_damped *)data)->of, &((damping_work *)work)->common, list);
}

/* the spring after a step of v */
static view springs_look_ahead(const lil_spring *s, const view *at, double h, const double *v)
{
    view w = *at;
    for (int k = 0; k < 3; k++)
        w.d[k] += h * (v[3 * s->j + k] - v[3 * s->i + k]);
    w.r = sqrt(w.d[0] * w.d[0] + w.d[1] * w.d[1] + w.d[2] * w.d[2]);
    for (int k = 0; k < 3; k++)
        w.u[k] = w.r > 0 ? w.d[k] / w.r : 0;
    return w;
}

static void springs_paper_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    for (int e = 0; e < springs_of(d)->count; e++) {
        const lil_spring *s = &springs_of(d)->springs[e];
        view b = springs_look_ahead(s, &w->at[e], w->h, at->v);
        double stretch = b.r - w->at[e].r;
        lil_sums_add(sums, d->kD / w->h * s->k / 2 * stretch * stretch);
        if (sums->gv)
            springs_add_pair(s, b.u, d->kD * s->k * stretch, sums->gv);
    }
}

/* along and, projected, across */
static void paper_stiffness(const lil_damped *d, const damping_work *w, int e, const view *b, double ab[2])
{
    ab[0] = w->h * d->kD * springs_of(d)->springs[e].k;
    ab[1] = b->r > 0 ? fmax(0, ab[0] * (1 - w->at[e].r / b->r)) : 0;
}

static void springs_paper_second(const void *data, void *work, const lil_at *at, const lil_sink *to)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    double scale = lil_sink_scale(to);
    for (int e = 0; e < springs_of(d)->count; e++) {
        view b = springs_look_ahead(&springs_of(d)->springs[e], &w->at[e], w->h, at->v);
        double ab[2];
        paper_stiffness(d, w, e, &b, ab);
        springs_put(&w->common, e, b.u, scale * ab[0], scale * ab[1], to);
    }
}

/* D(q - h v, q): along the spring as it is now */
static void springs_explicit_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    const lil_damped *d = data;
    const damping_work *w = work;
    for (int e = 0; sums->gv && e < springs_of(d)->count; e++) {
        const lil_spring *s = &springs_of(d)->springs[e];
        view before = springs_look_ahead(s, &w->at[e], -w->h, at->v);
        springs_add_pair(s, w->at[e].u, d->kD * s->k * (w->at[e].r - before.r), sums->gv);
    }
}

static void springs_rows(const void *data, double *sums)
{
    const lil_damped *d = data;
    for (int e = 0; e < springs_of(d)->count; e++) { /* k u u' on the diagonal and beside it */
        sums[springs_of(d)->springs[e].i] += 2 * d->kD * springs_of(d)->springs[e].k;
        sums[springs_of(d)->springs[e].j] += 2 * d->kD * springs_of(d)->springs[e].k;
    }
}

static const lil_term_dissipation kick = { .rows = springs_rows }, paper = { .leaks = true };

static const lil_term_table forms[] = {
    [LIL_DAMP_EXACT] = { .name = "springs-damping-exact",
                         .doc = "damping along springs as kicks about the step",
                         .place = LIL_KICK,
                         .begin = springs_damping_begin,
                         .prepare = springs_prepare,
                         .evaluate = springs_quadratic_evaluate,
                         .second = springs_quadratic_second,
                         .pairs = damping_pairs,
                         .dissipation = &kick },
    [LIL_DAMP_MINIMISED] = { .name = "springs-damping-minimised",
                             .doc = "damping along springs as a quadratic form in the Lilyan",
                             .place = LIL_STEP,
                             .begin = springs_damping_begin,
                             .prepare = springs_prepare,
                             .evaluate = springs_quadratic_evaluate,
                             .second = springs_quadratic_second,
                             .pairs = damping_pairs },
    [LIL_DAMP_PAPER] = { .name = "springs-damping-paper",
                         .doc = "damping along springs as the paper's energy in the Lilyan",
                         .place = LIL_STEP,
                         .begin = springs_damping_begin,
                         .prepare = springs_prepare,
                         .evaluate = springs_paper_evaluate,
                         .second = springs_paper_second,
                         .pairs = damping_pairs,
                         .dissipation = &paper },
    [LIL_DAMP_EXPLICIT] = { .name = "springs-damping-explicit",
                            .doc = "damping along springs before an explicit step",
                            .place = LIL_IMPULSE,
                            .elements = &lil_damped_elements,
                            .begin = springs_damping_begin,
                            .prepare = springs_prepare,
                            .evaluate = springs_explicit_evaluate },
};

lil_status lil_springs_damping(lil_context *ctx, lil_arena *arena, const lil_springs *springs, double kD,
                               lil_damping form, lil_term *term)
{
    return lil_damping_term(ctx, arena, &(lil_damped){ springs, kD, form, &forms[form], &spring_elements }, term);
}
