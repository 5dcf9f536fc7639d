#include "terms/bending.h"
#include "terms/edges.h"

typedef struct view {
    double e[3][3], a[3][3], off; /* a: dS/de; off: S - S_0 */
} view;

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int i = 0; i < 3; i++)
        c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static view look(const lil_twist *s, const double *x)
{
    view w;
    lil_edges_of(4, s->vertex, x, w.e);
    for (int k = 0; k < 3; k++) {
        cross(w.e[(k + 1) % 3], w.e[(k + 2) % 3], w.a[k]);
        for (int i = 0; i < 3; i++)
            w.a[k][i] /= s->lengths;
    }
    w.off = w.e[0][0] * w.a[0][0] + w.e[0][1] * w.a[0][1] + w.e[0][2] * w.a[0][2] - s->natural;
    return w;
}

static lil_status begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                        lil_entries *entries)
{
    const lil_twists *d = data;
    *work = NULL;
    if (!second)
        return LIL_OK;
    LIL_TRY(lil_edges_entries(ctx, arena, 4, d->twists, sizeof *d->twists, d->count, entries));
    entries->qq = 144 * d->count;
    return LIL_OK;
}

static void evaluate(const void *data, void *work, double t, const double *q, const double *v, double *value,
                     double *gq, double *gv)
{
    const lil_twists *d = data;
    double W = 0;
    (void)work, (void)t, (void)v, (void)gv;
    for (int k = 0; k < d->count; k++) {
        const lil_twist *s = &d->twists[k];
        view w = look(s, q);
        W += s->weight / 2 * w.off * w.off;
        for (int a = 0; a < 3 && gq; a++)
            for (int i = 0; i < 3; i++)
                w.a[a][i] *= s->weight * w.off;
        if (gq)
            lil_edges_add_gradient(4, s->vertex, (const double(*)[3])w.a, gq);
    }
    if (value)
        *value += W;
}

/* [e]x, with which e x d = [e]x d */
static void add_cross_matrix(const double e[3], double weight, double *H)
{
    for (int i = 0; i < 3; i++) {
        H[3 * ((i + 2) % 3) + (i + 1) % 3] += weight * e[i];
        H[3 * ((i + 1) % 3) + (i + 2) % 3] -= weight * e[i];
    }
}

/* C (a a' + (S - S_0) d2S), with d2S/de_k de_{k+1} = -[e_{k+2}]x: of it only the first is semidefinite for sure */
static void stiffness(const lil_twists *d, const double *q, bool definite, double *values)
{
    for (int k = 0; k < d->count; k++) {
        const lil_twist *s = &d->twists[k];
        view w = look(s, q);
        double H[3][3][9];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int i = 0; i < 9; i++)
                    H[a][b][i] = s->weight * w.a[a][i / 3] * w.a[b][i % 3];
        for (int a = 0; a < 3 && !definite; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            add_cross_matrix(w.e[c], -s->weight * w.off / s->lengths, H[a][b]);
            add_cross_matrix(w.e[c], s->weight * w.off / s->lengths, H[b][a]);
        }
        lil_edges_write_second(4, (const double(*)[3][9])H, values + 144 * k);
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
    .name = "twisting",
    .doc = "strands that keep their screw, W = sum C/2 (S - S_0)^2",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .begin = begin,
    .evaluate = evaluate,
    .second = second,
    .second_definite = second_definite,
};

lil_term lil_twists_term(lil_twists *twists)
{
    return (lil_term){ .table = &table, .data = twists, .uses_q = true };
}
