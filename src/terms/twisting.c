#include "terms/bending.h"
#include "terms/edges.h"

#include <math.h>

/* Twists side by side, in lanes. */
typedef struct view {
    lil_lanes e[3][3], a[3][3], off; /* a: dS/de; off: S - S_0 */
    lil_lanes weight, lengths;
} view;

LIL_INLINE view look(const lil_bundles *b, const lil_bundle *at, int k, const double *x)
{
    view w = { 0 };
    const lil_twist *s0 = lil_bundle_element(b, at, k, 0), *s1 = lil_bundle_element(b, at, k, 1),
                    *s2 = lil_bundle_element(b, at, k, 2), *s3 = lil_bundle_element(b, at, k, 3);
    lil_lanes natural = { s0->natural, s1->natural, s2->natural, s3->natural };
    w.weight = (lil_lanes){ s0->weight, s1->weight, s2->weight, s3->weight };
    w.lengths = (lil_lanes){ s0->lengths, s1->lengths, s2->lengths, s3->lengths };
    lil_edges_of(4, b, at, k, x, w.e);
    for (int i = 0; i < 9; i++) {
        const lil_lanes *e = w.e[(i / 3 + 1) % 3], *f = w.e[(i / 3 + 2) % 3];
        w.a[i / 3][i % 3] = (e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3]) / w.lengths;
    }
    w.off = w.e[0][0] * w.a[0][0] + w.e[0][1] * w.a[0][1] + w.e[0][2] * w.a[0][2] - natural;
    return w;
}

LIL_KERNEL static void evaluate_bundle(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundle *at = &job->bundles->list[i];
    lil_lanes W = { 0 };
    for (int k = 0; k < at->length; k++) {
        view w = look(job->bundles, at, k, job->x);
        W += w.weight / 2 * w.off * w.off;
        for (int d = 0; d < 9; d++)
            w.a[d / 3][d % 3] *= w.weight * w.off;
        if (job->g)
            lil_edges_add_gradient(4, job->bundles, at, k, (const lil_lanes(*)[3])w.a, job->g);
    }
    job->bundles->parts[i] = lil_bundle_total(at, W);
}

static void twisting_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    (void)data;
    lil_bundles_evaluate(work, evaluate_bundle, (lil_edge_job){ .x = at->q, .g = sums->gq }, sums->value);
}

/* [e]x, with which e x d = [e]x d */
LIL_INLINE void add_cross_matrix(const lil_lanes e[3], lil_lanes weight, lil_lanes *H)
{
    for (int i = 0; i < 3; i++) {
        H[3 * ((i + 2) % 3) + (i + 1) % 3] += weight * e[i];
        H[3 * ((i + 1) % 3) + (i + 2) % 3] -= weight * e[i];
    }
}

/* C (a a' + (S - S_0) d2S), with d2S/de_k de_{k+1} = -[e_{k+2}]x: of it only the first is semidefinite for sure */
LIL_INLINE void stiffness(const view *w, bool definite, lil_lanes H[3][3][9])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < 9; i++)
                H[a][b][i] = w->weight * w->a[a][i / 3] * w->a[b][i % 3];
    for (int a = 0; a < 3 && !definite; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        lil_lanes slope = w->weight * w->off / w->lengths;
        add_cross_matrix(w->e[c], -slope, H[a][b]);
        add_cross_matrix(w->e[c], slope, H[b][a]);
    }
}

LIL_KERNEL static void add_bundle_second(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundle *at = &job->bundles->list[i];
    for (int k = 0; k < at->length; k++) {
        view w = look(job->bundles, at, k, job->x);
        lil_lanes He[3][3][9], H[144];
        stiffness(&w, job->to->definite, He);
        lil_edges_second(4, (const lil_lanes(*)[3][9])He, H);
        lil_edges_add_second(4, job->bundles, i, k, H, job->to);
    }
}

static lil_status twisting_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                 lil_entries *entries)
{
    const lil_twists *d = data;
    lil_bundles *bundles = *work = LIL_NEW(arena, lil_bundles, 1);
    LIL_HAVE(ctx, bundles);
    LIL_TRY(lil_bundles_create(ctx, arena, 4, d->twists, sizeof *d->twists, d->count, bundles, &entries->qq,
                               second ? entries : NULL));
    bundles->second = add_bundle_second;
    return LIL_OK;
}

/* ---- between the ends of a step ---- */

LIL_INLINE lil_lanes dot(const lil_lanes a[3], const lil_lanes b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

LIL_INLINE void cross(const lil_lanes a[3], const lil_lanes b[3], lil_lanes c[3])
{
    for (int d = 0; d < 3; d++)
        c[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
}

/*
 * W_1 - W_0 = C ((S_0 + S_1)/2 - S_natural) (S_1 - S_0), and S is trilinear: with its gradient a halfway, F = (e f g)
 * there and dF,
 *
 *     S_1 - S_0 = a.dF + det(dF)/4 |e||f||g|.
 *
 * What is beyond a.dF is of third order, and goes along 2 F D/(D:D), D = F_1'F_1 - F_0'F_0: F times a symmetric
 * matrix has no torque. Where D is round-off the edges only turn, and det(dF) is nothing either.
 */
LIL_INLINE void discrete_gradient(const view *w0, const view *w1, lil_lanes g[3][3])
{
    lil_lanes mid[3][3], d[3][3], normal[3], D[3][3], square = { 0 }, size = { 0 };
    for (int i = 0; i < 9; i++) {
        mid[i / 3][i % 3] = (w0->e[i / 3][i % 3] + w1->e[i / 3][i % 3]) / 2;
        d[i / 3][i % 3] = w1->e[i / 3][i % 3] - w0->e[i / 3][i % 3];
    }
    for (int i = 0; i < 9; i++) {
        D[i / 3][i % 3] = dot(mid[i / 3], d[i % 3]) + dot(d[i / 3], mid[i % 3]);
        square += D[i / 3][i % 3] * D[i / 3][i % 3];
        lil_lanes C = dot(mid[i / 3], mid[i % 3]);
        size += C * C;
    }
    cross(d[1], d[2], normal);
    lil_lanes none = { 0 }, slope = w0->weight * (w0->off + w1->off) / 2 / w0->lengths,
              rest = lil_lanes_select(square > 1e-28 * size, dot(d[0], normal) / 4 * 2 / square, none);
    for (int i = 0; i < 3; i++) {
        cross(mid[(i + 1) % 3], mid[(i + 2) % 3], g[i]);
        for (int k = 0; k < 3; k++)
            g[i][k] = slope * (g[i][k] + rest * (D[i][0] * mid[0][k] + D[i][1] * mid[1][k] + D[i][2] * mid[2][k]));
    }
}

LIL_KERNEL static void discrete_gradient_bundle(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundles *b = job->bundles;
    for (int k = 0; k < b->list[i].length; k++) {
        view w0 = look(b, &b->list[i], k, job->x0), w1 = look(b, &b->list[i], k, job->x);
        lil_lanes g[3][3];
        discrete_gradient(&w0, &w1, g);
        lil_edges_add_gradient(4, b, &b->list[i], k, (const lil_lanes(*)[3])g, job->g);
    }
}

static void twisting_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    (void)data, (void)noise;
    lil_bundles_run(work, discrete_gradient_bundle, (lil_edge_job){ .x0 = ends->q0, .x = ends->q1, .g = g });
}

/* The last place of a vertex changes forces by the stiffness. */
static void twisting_size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_twists *d = data;
    (void)work, (void)value;
    if (d->count && gradient)
        lil_edges_size(d->twists, &d->twists->stiffness, sizeof *d->twists, d->count, q, gradient);
}

static const lil_term_discrete_gradient twist_gradient = { .evaluate = twisting_discrete_gradient };

static const lil_term_table table = {
    .name = "twisting",
    .doc = "twisting of strands, W = sum C/2 (S - S_0)^2",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .begin = twisting_begin,
    .evaluate = twisting_evaluate,
    .second = lil_bundles_second,
    .projects = true,
    .places = true,
    .pieces = &lil_bundle_pieces,
    .discrete_gradient = &twist_gradient,
    .size = twisting_size,
};

lil_term lil_twists_term(lil_twists *twists)
{
    return (lil_term){ .table = &table, .data = twists, .uses_q = true };
}
