#include "terms/bending.h"

#include "terms/edges.h"

#include <math.h>

typedef struct view {
    double e[2][3], W, slope, curve; /* w phi and its derivatives by e.f */
} view;

static view look(const lil_bend *b, const double *x)
{
    view w;
    lil_edges_of(3, b->vertex, x, w.e);
    double dot = w.e[0][0] * w.e[1][0] + w.e[0][1] * w.e[1][1] + w.e[0][2] * w.e[1][2];
    double c = dot / b->lengths, s = 1 / (1 + c);
    double u = 4 * (1 - c) * s, du = -8 * s * s, ddu = 16 * s * s * s;
    bool curved = b->natural > 0;
    double phi = curved ? (u - b->natural) * (u - b->natural) / (4 * b->natural) : u;
    double dphi = curved ? (u - b->natural) / (2 * b->natural) : 1, ddphi = curved ? 1 / (2 * b->natural) : 0;
    w.W = s > 0 ? b->weight * phi : INFINITY; /* folded back onto itself */
    w.slope = b->weight * dphi * du / b->lengths;
    w.curve = b->weight * (ddphi * du * du + dphi * ddu) / (b->lengths * b->lengths);
    return w;
}

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const lil_bends *d = data;
    *work = NULL;
    if (!second)
        return LIL_OK;
    if (d->count > INT32_MAX / 81)
        return lil_fail(ctx, LIL_ERR_LIMIT, "%d bending elements are too many for an implicit step", d->count);
    entries->qq = 81 * d->count;
    entries->row = LIL_NEW(arena, int, entries->qq);
    entries->col = LIL_NEW(arena, int, entries->qq);
    if (!entries->row || !entries->col)
        return lil_fail_memory(ctx);
    for (int k = 0; k < entries->qq; k++) {
        const lil_bend *b = &d->bends[k / 81];
        entries->row[k] = 3 * b->vertex[k % 81 / 27] + k % 27 / 9;
        entries->col[k] = 3 * b->vertex[k % 9 / 3] + k % 3;
    }
    return LIL_OK;
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
        for (int i = 0; i < 3; i++) {
            g[0][i] = w.slope * w.e[1][i];
            g[1][i] = w.slope * w.e[0][i];
        }
        lil_edges_add_gradient(3, d->bends[k].vertex, (const double(*)[3])g, gq);
    }
    if (value)
        *value += W;
}

/* by e and f: curve (f, e)(f, e)' + slope [0 I; I 0], of which only the first can be semidefinite */
static void stiffness(const lil_bends *d, const double *q, bool definite, double *values)
{
    for (int k = 0; k < d->count; k++) {
        view w = look(&d->bends[k], q);
        double H[3][3][9], curve = definite ? fmax(w.curve, 0) : w.curve;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                for (int i = 0; i < 9; i++)
                    H[a][b][i] = curve * w.e[1 - a][i / 3] * w.e[1 - b][i % 3] +
                                 (a != b && !definite && i % 4 == 0 ? w.slope : 0);
        lil_edges_write_second(3, (const double(*)[3][9])H, values + 81 * k);
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
