#include "terms/bending.h"

#include "terms/edges.h"

#include <math.h>

static const double ROUND = 0.25; /* bending.h */

/* Bends side by side, in lanes. */
typedef struct view {
    lil_lanes e[2][3], over[2]; /* directions of the edges, and 1 over their lengths */
    lil_lanes c, a[2][3];       /* the cosine between them, and its gradient by the edges */
    lil_lanes W, slope, curve;  /* and W's derivatives by it */
    lil_lanes u, du;            /* kappa^2, and its derivative by it */
    lil_lanes weight;
} view;

LIL_INLINE void look_at_edges(const lil_bundles *b, const lil_bundle *at, int k, const double *x, view *w)
{
    lil_edges_of(3, b, at, k, x, w->e);
    for (int i = 0; i < 2; i++) {
        w->over[i] = 1 / lil_lanes_sqrt(w->e[i][0] * w->e[i][0] + w->e[i][1] * w->e[i][1] + w->e[i][2] * w->e[i][2]);
        for (int d = 0; d < 3; d++)
            w->e[i][d] *= w->over[i];
    }
    w->c = w->e[0][0] * w->e[1][0] + w->e[0][1] * w->e[1][1] + w->e[0][2] * w->e[1][2];
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < 3; d++)
            w->a[i][d] = (w->e[1 - i][d] - w->c * w->e[i][d]) * w->over[i];
}

LIL_INLINE view look(const lil_bundles *b, const lil_bundle *at, int k, const double *x)
{
    view w = { 0 };
    look_at_edges(b, at, k, x, &w);
    const lil_bend *b0 = lil_bundle_element(b, at, k, 0), *b1 = lil_bundle_element(b, at, k, 1),
                   *b2 = lil_bundle_element(b, at, k, 2), *b3 = lil_bundle_element(b, at, k, 3);
    lil_lanes natural = { b0->natural, b1->natural, b2->natural, b3->natural };
    lil_lanes phi, dphi = lil_lanes_all(1), ddphi = { 0 };
    w.weight = (lil_lanes){ b0->weight, b1->weight, b2->weight, b3->weight };
    lil_lanes s = 1 / (1 + w.c), ddu = 16 * s * s * s;
    phi = w.u = 4 * (1 - w.c) * s;
    w.du = -8 * s * s;
    lil_mask curved = natural > 0;
    if (curved[0] | curved[1] | curved[2] | curved[3]) {
        lil_lanes n = lil_lanes_select(curved, natural, lil_lanes_all(1)); /* not 0 over 0 */
        lil_lanes r = lil_lanes_sqrt(w.u + ROUND * n), r0 = lil_lanes_sqrt((1 + ROUND) * n);
        phi = lil_lanes_select(curved, (r - r0) * (r - r0), phi);
        dphi = lil_lanes_select(curved, 1 - r0 / r, dphi);
        ddphi = lil_lanes_select(curved, r0 / (2 * r * r * r), ddphi);
    }
    w.W = w.weight * phi;
    w.slope = w.weight * dphi * w.du;
    w.curve = w.weight * (ddphi * w.du * w.du + dphi * ddu);
    return w;
}

LIL_KERNEL static void evaluate_bundle(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundle *at = &job->bundles->list[i];
    lil_lanes W = { 0 }, g[2][3];
    for (int k = 0; k < at->length; k++) {
        view w = look(job->bundles, at, k, job->x);
        W += w.W;
        for (int d = 0; d < 6; d++)
            g[d / 3][d % 3] = w.slope * w.a[d / 3][d % 3];
        if (job->g)
            lil_edges_add_gradient(3, job->bundles, at, k, (const lil_lanes(*)[3])g, job->g);
    }
    job->bundles->parts[i] = lil_bundle_total(at, W);
}

static void bending_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    (void)data;
    lil_bundles_evaluate(work, evaluate_bundle, (lil_edge_job){ .x = at->q, .g = sums->gq }, sums->value);
}

/* d2c by one edge: -(a e' + e a')/|e| - c (I - e e')/|e|^2 */
LIL_INLINE lil_lanes same_edge(const view *w, int k, int i, int j)
{
    const lil_lanes *e = w->e[k], *a = w->a[k], over = w->over[k];
    return -(a[i] * e[j] + e[i] * a[j]) * over - w->c * ((i == j) - e[i] * e[j]) * over * over;
}

/* by edge k and the other: (I - e e')(I - f f')/|e||f| */
LIL_INLINE lil_lanes other_edge(const view *w, int k, int i, int j)
{
    const lil_lanes *e = w->e[k], *f = w->e[1 - k];
    return ((i == j) - e[i] * e[j] - f[i] * f[j] + w->c * e[i] * f[j]) * w->over[k] * w->over[1 - k];
}

/* curve a a' + slope d2c */
LIL_INLINE void stiffness(const view *w, lil_lanes H[3][3][9])
{
    for (int i = 0; i < 9; i++) {
        int r = i / 3, c = i % 3;
        H[0][0][i] = w->curve * w->a[0][r] * w->a[0][c] + w->slope * same_edge(w, 0, r, c);
        H[1][1][i] = w->curve * w->a[1][r] * w->a[1][c] + w->slope * same_edge(w, 1, r, c);
        H[0][1][i] = w->curve * w->a[0][r] * w->a[1][c] + w->slope * other_edge(w, 0, r, c);
        H[1][0][3 * c + r] = H[0][1][i];
    }
}

/* The part that is certainly semidefinite: curve a a', and of d2c that of a straight strand, minus the square of
 * the difference of the directions of the two edges. */
LIL_INLINE void stiffness_definite(const view *w, lil_lanes H[3][3][9])
{
    lil_lanes none = { 0 }, curve = lil_lanes_select(w->curve > 0, w->curve, none),
              part = lil_lanes_select(w->slope < 0, -w->slope, none);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 9; i++) {
            int a = k / 2, r = i / 3, c = i % 3;
            lil_lanes same = ((r == c) - w->e[a][r] * w->e[a][c]) * w->over[a] * w->over[a];
            H[a][k % 2][i] =
                curve * w->a[a][r] * w->a[k % 2][c] + part * (a == k % 2 ? same : -other_edge(w, a, r, c));
        }
}

LIL_KERNEL static void add_bundle_second(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundle *at = &job->bundles->list[i];
    for (int k = 0; k < at->length; k++) {
        view w = look(job->bundles, at, k, job->x);
        lil_lanes He[3][3][9], H[81];
        if (job->to->definite)
            stiffness_definite(&w, He);
        else
            stiffness(&w, He);
        lil_edges_second(3, (const lil_lanes(*)[3][9])He, H);
        lil_edges_add_second(3, job->bundles, i, k, H, job->to);
    }
}

static lil_status bending_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second, void **work,
                                lil_entries *entries)
{
    const lil_bends *d = data;
    lil_bundles *bundles = *work = LIL_NEW(arena, lil_bundles, 1);
    LIL_HAVE(ctx, bundles);
    LIL_TRY(lil_bundles_create(ctx, arena, 3, d->bends, sizeof *d->bends, d->count, bundles, &entries->qq,
                               second ? entries : NULL));
    bundles->second = add_bundle_second;
    return LIL_OK;
}

/* ---- between the ends of a step ---- */

/*
 * W is a function of the cosine c, c of A = e.e, B = f.f and C = e.f, and these are quadratic in x: with differences
 * of each in turn,
 *
 *     dW/dc    = weight (1 - 2 r0/(r_0 + r_1)) -8/((1 + c_0)(1 + c_1)),   of a straight strand without the first bracket,
 *     c_1 - c_0 = <ab> dC + <C> (<b> da + <a> db),   a = A^-1/2,   da = -dA a_0 a_1 / (1/a_0 + 1/a_1),
 *
 * < > the mean of both ends, and dA = 2 e.de, dB = 2 f.df, dC = f.de + e.df with e and f halfway, all of it is exact,
 * and symmetric in the ends; no difference of nearly equal numbers is taken.
 */
LIL_INLINE void discrete_gradient(const view *w0, const view *w1, lil_lanes natural, lil_lanes g[2][3])
{
    lil_lanes slope = -8 * w0->weight / ((1 + w0->c) * (1 + w1->c)), mid[2][3], of[2];
    lil_mask curved = natural > 0;
    lil_lanes n = lil_lanes_select(curved, natural, lil_lanes_all(1)), r0 = lil_lanes_sqrt((1 + ROUND) * n),
              r = lil_lanes_sqrt(w0->u + ROUND * n) + lil_lanes_sqrt(w1->u + ROUND * n);
    slope *= lil_lanes_select(curved, 1 - 2 * r0 / r, lil_lanes_all(1));
    lil_lanes both = (w0->over[0] * w0->over[1] + w1->over[0] * w1->over[1]) / 2,
              dot = (w0->c / (w0->over[0] * w0->over[1]) + w1->c / (w1->over[0] * w1->over[1])) / 2;
    for (int i = 0; i < 2; i++) {
        lil_lanes a0 = w0->over[i], a1 = w1->over[i], other = (w0->over[1 - i] + w1->over[1 - i]) / 2;
        of[i] = -dot * other * a0 * a1 / (1 / a0 + 1 / a1); /* dc/dA, dc/dB */
        for (int d = 0; d < 3; d++)
            mid[i][d] = (w0->e[i][d] / a0 + w1->e[i][d] / a1) / 2;
    }
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < 3; d++)
            g[i][d] = slope * (both * mid[1 - i][d] + 2 * of[i] * mid[i][d]);
}

LIL_KERNEL static void discrete_gradient_bundle(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundles *b = job->bundles;
    const lil_bundle *at = &b->list[i];
    for (int k = 0; k < at->length; k++) {
        view w0 = look(b, at, k, job->x0), w1 = look(b, at, k, job->x);
        lil_lanes natural = { 0 }, g[2][3];
        for (int l = 0; l < LIL_LANES; l++)
            natural[l] = ((const lil_bend *)lil_bundle_element(b, at, k, l))->natural;
        discrete_gradient(&w0, &w1, natural, g);
        lil_edges_add_gradient(3, b, at, k, (const lil_lanes(*)[3])g, job->g);
    }
}

static void bending_discrete_gradient(const void *data, void *work, const lil_ends *ends, double *g, double *noise)
{
    (void)data, (void)noise;
    lil_bundles_run(work, discrete_gradient_bundle, (lil_edge_job){ .x0 = ends->q0, .x = ends->q1, .g = g });
}

/* The last place of a vertex changes forces by the stiffness. */
static void bending_size(const void *data, const void *work, const double *q, double *value, double *gradient)
{
    const lil_bends *d = data;
    (void)work, (void)value;
    if (d->count && gradient)
        lil_edges_size(d->bends, &d->bends->stiffness, sizeof *d->bends, d->count, q, gradient);
}

static const lil_term_discrete_gradient bend_gradient = { .evaluate = bending_discrete_gradient };

static const lil_term_table table = {
    .name = "bending",
    .doc = "bending of strands, W = sum B/(2 l) phi(kappa^2)",
    .place = LIL_POTENTIAL,
    .elastic = true,
    .begin = bending_begin,
    .evaluate = bending_evaluate,
    .second = lil_bundles_second,
    .projects = true,
    .places = true,
    .pieces = &lil_bundle_pieces,
    .discrete_gradient = &bend_gradient,
    .size = bending_size,
};

lil_term lil_bends_term(lil_bends *bends)
{
    return (lil_term){ .table = &table, .data = bends, .uses_q = true };
}

/* ---- damping: S = 1/2 sum rate (dc/dt)^2 with rate = h kD 2 w (dkappa/dc)^2 ---- */

/* Bends where the step begins. */
typedef struct start {
    lil_lanes a[2][3], rate;
} start;

typedef struct damping_work {
    lil_bundles bundles; /* first */
    start *starts;
    double factor; /* h kD */
} damping_work;

LIL_KERNEL static void prepare_bundle(void *data, int i)
{
    const double STRAIGHT = 1e-4; /* kappa^2 below which a strand is nearly so */
    const lil_edge_job *job = data;
    const damping_work *work = job->term;
    const lil_bundle *at = &job->bundles->list[i];
    for (int k = 0; k < at->length; k++) {
        view w = look(job->bundles, at, k, job->x);
        start *s = &work->starts[at->at + k];
        for (int d = 0; d < 6; d++)
            s->a[d / 3][d % 3] = w.a[d / 3][d % 3];
        s->rate = work->factor * 2 * w.weight * w.du * w.du / (4 * (w.u + STRAIGHT));
    }
}

static void bending_prepare(const void *data, void *work, double t, double h, const double *q)
{
    (void)t;
    const lil_damped *d = data;
    damping_work *w = work;
    w->factor = h * d->kD;
    lil_bundles_run(&w->bundles, prepare_bundle, (lil_edge_job){ .term = w, .x = q });
}

LIL_KERNEL static void evaluate_bundle_damping(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundles *bundles = job->bundles;
    const lil_bundle *at = &bundles->list[i];
    const start *starts = ((const damping_work *)job->term)->starts + at->at;
    lil_lanes S = { 0 }, de[2][3], g[2][3];
    for (int k = 0; k < at->length; k++) {
        const start *s = &starts[k];
        lil_lanes dc = { 0 };
        lil_edges_of(3, bundles, at, k, job->x, de);
        for (int d = 0; d < 6; d++)
            dc += s->a[d / 3][d % 3] * de[d / 3][d % 3];
        S += s->rate / 2 * dc * dc;
        for (int d = 0; d < 6; d++)
            g[d / 3][d % 3] = s->rate * dc * s->a[d / 3][d % 3];
        if (job->g)
            lil_edges_add_gradient(3, bundles, at, k, (const lil_lanes(*)[3])g, job->g);
    }
    bundles->parts[i] = lil_bundle_total(at, S);
}

static void damping_evaluate(const void *data, void *work, const lil_at *at, const lil_sums *sums)
{
    damping_work *w = work;
    (void)data;
    lil_bundles_evaluate(&w->bundles, evaluate_bundle_damping, (lil_edge_job){ .term = w, .x = at->v, .g = sums->gv },
                         sums->value);
}

/* rate b b' with b = dc/dx */
LIL_KERNEL static void add_bundle_damping(void *data, int i)
{
    const lil_edge_job *job = data;
    const lil_bundles *bundles = job->bundles;
    const lil_bundle *at = &bundles->list[i];
    const start *starts = ((const damping_work *)job->term)->starts + at->at;
    for (int k = 0; k < at->length; k++) {
        const start *s = &starts[k];
        lil_lanes b[9], H[81];
        for (int d = 0; d < 3; d++) {
            b[d] = -s->a[0][d];
            b[3 + d] = s->a[0][d] - s->a[1][d];
            b[6 + d] = s->a[1][d];
        }
        for (int r = 0; r < 9; r++)
            for (int c = 0; c < 9; c++)
                H[9 * r + c] = s->rate * b[r] * b[c];
        lil_edges_add_second(3, bundles, i, k, H, job->to);
    }
}

static lil_status bending_damping_begin(lil_context *ctx, const void *data, lil_arena *arena, bool second,
                                        void **work, lil_entries *entries)
{
    const lil_bends *bends = ((const lil_damped *)data)->of;
    damping_work *w = *work = LIL_NEW(arena, damping_work, 1);
    LIL_HAVE(ctx, w);
    LIL_TRY(lil_bundles_create(ctx, arena, 3, bends->bends, sizeof *bends->bends, bends->count, &w->bundles,
                               &entries->vv, second ? entries : NULL));
    w->bundles.second = add_bundle_damping;
    w->starts = LIL_NEW(arena, start, w->bundles.groups);
    return w->starts ? LIL_OK : lil_fail_memory(ctx);
}

static const lil_term_dissipation viscous = { .viscous = true };

static const lil_term_table damping_table = {
    .name = "bending damping",
    .doc = "bending damping of strands, S = h kD sum w (dkappa/dt)^2",
    .place = LIL_STEP,
    .begin = bending_damping_begin,
    .prepare = bending_prepare,
    .evaluate = damping_evaluate,
    .second = lil_bundles_second,
    .places = true,
    .pieces = &lil_bundle_constant_pieces,
    .dissipation = &viscous,
};

lil_status lil_bends_damping(lil_context *ctx, lil_arena *arena, const lil_bends *bends, double kD, lil_term *term)
{
    const lil_damped damping = { bends, kD, LIL_DAMP_MINIMISED, &damping_table, NULL };
    return lil_damping_term(ctx, arena, &damping, term);
}
