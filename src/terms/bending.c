#include "terms/bending.h"

#include "terms/edges.h"

#include <math.h>

static const double ROUND = 0.25; /* bending.h */

typedef struct view {
    double e[2][3], over[2]; /* directions of the edges, and 1 over their lengths */
    double c, a[2][3];       /* the cosine between them, and its gradient by the edges */
    double W, slope, curve;  /* and W's derivatives by it */
    double u, du;            /* kappa^2, and its derivative by it */
} view;

static view look(const lil_bend *b, const double *x)
{
    view w;
    lil_edges_of(3, b->vertex, x, w.e);
    for (int k = 0; k < 2; k++) {
        w.over[k] = 1 / sqrt(w.e[k][0] * w.e[k][0] + w.e[k][1] * w.e[k][1] + w.e[k][2] * w.e[k][2]);
        for (int d = 0; d < 3; d++)
            w.e[k][d] *= w.over[k];
    }
    w.c = w.e[0][0] * w.e[1][0] + w.e[0][1] * w.e[1][1] + w.e[0][2] * w.e[1][2];
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < 3; d++)
            w.a[k][d] = (w.e[1 - k][d] - w.c * w.e[k][d]) * w.over[k];
    double s = 1 / (1 + w.c), ddu = 16 * s * s * s;
    bool curved = b->natural > 0;
    w.u = 4 * (1 - w.c) * s;
    w.du = -8 * s * s;
    double phi = w.u, dphi = 1, ddphi = 0;
    if (curved) {
        double k = sqrt(w.u + ROUND * b->natural), k0 = sqrt((1 + ROUND) * b->natural);
        phi = (k - k0) * (k - k0);
        dphi = 1 - k0 / k;
        ddphi = k0 / (2 * k * k * k);
    }
    w.W = b->weight * phi;
    w.slope = b->weight * dphi * w.du;
    w.curve = b->weight * (ddphi * w.du * w.du + dphi * ddu);
    return w;
}

static lil_status list_entries(lil_context *ctx, lil_arena *arena, const lil_bends *d, lil_entries *entries)
{
    return lil_edges_entries(ctx, arena, 3, d->bends, sizeof *d->bends, d->count, entries);
}

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const lil_bends *d = data;
    *work = NULL;
    if (!second)
        return LIL_OK;
    entries->qq = 81 * d->count;
    return list_entries(ctx, arena, d, entries);
}

static void evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                     double *gq, double *gv)
{
    const lil_bends *d = data;
    double W = 0;
    (void)work, (void)t, (void)v, (void)gv;
    for (int k = 0; k < d->count; k++) {
        view w = look(&d->bends[k], q);
        W += w.W;
        if (!gq)
            continue;
        double g[2][3];
        for (int i = 0; i < 6; i++)
            g[i / 3][i % 3] = w.slope * w.a[i / 3][i % 3];
        lil_edges_add_gradient(3, d->bends[k].vertex, (const double(*)[3])g, gq);
    }
    if (value)
        *value += W;
}

/* d2c by one edge: -(a e' + e a')/|e| - c (I - e e')/|e|^2 */
static double same_edge(const view *w, int k, int i, int j)
{
    const double *e = w->e[k], *a = w->a[k], over = w->over[k];
    return -(a[i] * e[j] + e[i] * a[j]) * over - w->c * ((i == j) - e[i] * e[j]) * over * over;
}

/* by edge k and the other: (I - e e')(I - f f')/|e||f| */
static double other_edge(const view *w, int k, int i, int j)
{
    const double *e = w->e[k], *f = w->e[1 - k];
    return ((i == j) - e[i] * e[j] - f[i] * f[j] + w->c * e[i] * f[j]) * w->over[k] * w->over[1 - k];
}

/* curve a a' + slope d2c */
static void write_second(const view *w, double curve, double slope, double *values)
{
    double H[3][3][9];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 9; i++)
            H[k / 2][k % 2][i] = curve * w->a[k / 2][i / 3] * w->a[k % 2][i % 3];
    for (int i = 0; slope != 0 && i < 9; i++) {
        double other = slope * other_edge(w, 0, i / 3, i % 3);
        H[0][0][i] += slope * same_edge(w, 0, i / 3, i % 3);
        H[1][1][i] += slope * same_edge(w, 1, i / 3, i % 3);
        H[0][1][i] += other;
        H[1][0][i % 3 * 3 + i / 3] += other;
    }
    lil_edges_write_second(3, (const double(*)[3][9])H, values);
}

/* What is semidefinite for sure: curve a a', and of d2c what a straight strand has, minus the square of how the directions of
 * the two edges part. */
static void write_definite(const view *w, double *values)
{
    double H[3][3][9], curve = fmax(w->curve, 0), part = fmax(-w->slope, 0);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 9; i++) {
            int a = k / 2, r = i / 3, c = i % 3;
            double same = ((r == c) - w->e[a][r] * w->e[a][c]) * w->over[a] * w->over[a];
            H[a][k % 2][i] =
                curve * w->a[a][r] * w->a[k % 2][c] + part * (a == k % 2 ? same : -other_edge(w, a, r, c));
        }
    lil_edges_write_second(3, (const double(*)[3][9])H, values);
}

static void second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const lil_bends *d = data;
    (void)work, (void)t, (void)v;
    for (int k = 0; k < d->count; k++) {
        view w = look(&d->bends[k], q);
        write_second(&w, w.curve, w.slope, values + 81 * k);
    }
}

static void second_definite(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const lil_bends *d = data;
    (void)work, (void)t, (void)v;
    for (int k = 0; k < d->count; k++) {
        view w = look(&d->bends[k], q);
        write_definite(&w, values + 81 * k);
    }
}

static const lil_term_table table = {
    .name = "bending",
    .doc = "strands that resist being bent, W = sum B/(2 l) phi(kappa^2)",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .begin = begin,
    .evaluate = evaluate,
    .second = second,
    .second_definite = second_definite,
};

lil_term lil_bends_term(lil_bends *bends)
{
    return (lil_term){ .table = &table, .data = bends, .uses_q = true };
}

/* ---- damping: S = 1/2 sum rate (dc/dt)^2 with rate = h kD 2 w (dkappa/dc)^2 ---- */

typedef struct damping_term {
    const lil_bends *bends;
    double kD;
} damping_term;

/* Each bend where the step begins. */
typedef struct damping_work {
    view *at;
    double *rate;
} damping_work;

static lil_status damping_begin(lil_context *ctx, const void *data, lil_arena *arena, bool wanted, void **work,
                                lil_entries *entries)
{
    const damping_term *d = data;
    damping_work *w = *work = LIL_NEW(arena, damping_work, 1);
    if (!w || !(w->at = LIL_NEW(arena, view, d->bends->count)) ||
        !(w->rate = LIL_NEW(arena, double, d->bends->count)))
        return lil_fail_memory(ctx);
    if (!wanted)
        return LIL_OK;
    entries->vv = 81 * d->bends->count;
    return list_entries(ctx, arena, d->bends, entries);
}

static void prepare(const void *data, void *work, double t, double h, const double *q)
{
    (void)t;
    const double STRAIGHT = 1e-4; /* kappa^2 below which a strand is nearly so */
    const damping_term *d = data;
    damping_work *w = work;
    for (int k = 0; k < d->bends->count; k++) {
        view at = look(&d->bends->bends[k], q);
        w->at[k] = at;
        w->rate[k] = h * d->kD * 2 * d->bends->bends[k].weight * at.du * at.du / (4 * (at.u + STRAIGHT));
    }
}

static void damping_evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                             double *gq, double *gv)
{
    const damping_term *d = data;
    const damping_work *w = work;
    double S = 0;
    (void)t, (void)q, (void)gq;
    for (int k = 0; k < d->bends->count; k++) {
        const view *at = &w->at[k];
        double de[2][3], g[2][3], dc = 0;
        lil_edges_of(3, d->bends->bends[k].vertex, v, de);
        for (int i = 0; i < 6; i++)
            dc += at->a[i / 3][i % 3] * de[i / 3][i % 3];
        S += w->rate[k] / 2 * dc * dc;
        for (int i = 0; i < 6; i++)
            g[i / 3][i % 3] = w->rate[k] * dc * at->a[i / 3][i % 3];
        if (gv)
            lil_edges_add_gradient(3, d->bends->bends[k].vertex, (const double(*)[3])g, gv);
    }
    if (value)
        *value += S;
}

static void damping_second(const void *data, void *work, double t, const double *q, const double *v, double *values)
{
    const damping_term *d = data;
    const damping_work *w = work;
    (void)t, (void)q, (void)v;
    for (int k = 0; k < d->bends->count; k++)
        write_second(&w->at[k], w->rate[k], 0, values + 81 * k);
}

static const lil_term_table damping_table = {
    .name = "bending damping",
    .doc = "strands that are slow to bend, S = h kD sum w (dkappa/dt)^2",
    .place = LIL_STEP,
    .begin = damping_begin,
    .prepare = prepare,
    .evaluate = damping_evaluate,
    .second = damping_second,
};

lil_status lil_bends_damping(lil_context *ctx, lil_arena *arena, const lil_bends *bends, double kD, lil_term *term)
{
    damping_term *d = LIL_NEW(arena, damping_term, 1);
    if (!d)
        return lil_fail_memory(ctx);
    *d = (damping_term){ bends, kD };
    *term = (lil_term){ .table = &damping_table, .data = d, .uses_q = true, .uses_v = true, .damping = kD };
    return LIL_OK;
}
