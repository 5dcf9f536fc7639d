#include "discrete/segment_kicks.h"

/* ---- creation ---- */

/* Coordinates i and j may have the same colour where no row of C has both. */
static lil_status segment_kicks_choose_colours(lil_context *ctx, lil_arena *arena, lil_segment_kicks *k)
{
    const lil_pattern *p = &k->C.pattern;
    int *taken = LIL_NEW(arena, int, p->n + 1); /* taken[c] == j + 1: a neighbour of j has colour c */
    k->colour = LIL_NEW(arena, int, p->n);
    LIL_HAVE(ctx, taken && k->colour);
    for (int j = 0; j < p->n; j++) {
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int i = p->row[e]; /* the pattern is symmetric: column i is row i */
            for (int f = p->start[i]; f < p->start[i + 1]; f++)
                if (p->row[f] < j)
                    taken[k->colour[p->row[f]]] = j + 1;
        }
        while (taken[k->colour[j]] == j + 1)
            k->colour[j]++;
        k->colours = k->colour[j] >= k->colours ? k->colour[j] + 1 : k->colours;
    }
    return LIL_OK;
}

static lil_status create_pattern(lil_context *ctx, lil_arena *arena, int n, lil_pattern *all)
{
    *all = (lil_pattern){ .n = n, .count = n * n };
    LIL_ALLOC(ctx, arena, all->start, n + 1);
    LIL_ALLOC(ctx, arena, all->row, (size_t)n * n);
    for (int j = 0; j <= n; j++)
        all->start[j] = j * n;
    for (int e = 0; e < n * n; e++)
        all->row[e] = e % n;
    return LIL_OK;
}

lil_status lil_segment_kicks_create(lil_context *ctx, lil_arena *arena, lil_segment *segment)
{
    lil_evaluator *ev = segment->ev;
    lil_segment_kicks *k = segment->kicks = LIL_NEW(arena, lil_segment_kicks, 1);
    LIL_HAVE(ctx, k);
    LIL_TRY(lil_assembly_create(ctx, arena, ev->model, ev->entries, lil_is_kick, &k->C));
    LIL_TRY(segment_kicks_choose_colours(ctx, arena, k));
    LIL_TRY(create_pattern(ctx, arena, ev->n, &k->all));
    LIL_ALLOC_ALL(ctx, arena, double, ev->n, &k->p, &k->pi, &k->mu, &k->s, &k->v, &k->Cv, &k->moved, &k->side,
                  &k->column);
    for (int i = 0; i < 4; i++)
        LIL_ALLOC(ctx, arena, k->narrow[i], ev->matrix.pattern.count);
    k->values = LIL_NEW(arena, double, k->C.pattern.count);
    k->slopes = LIL_NEW(arena, double, k->C.pattern.count);
    segment->pattern = &k->all;
    return k->values && k->slopes ? LIL_OK : lil_fail_memory(ctx);
}

/* ---- momenta ---- */

/* out = C(q) v as prepared, with prescribed motion */
static void segment_kicks_multiply(lil_segment *segment, double t, const double *q, const double *v, double *out)
{
    lil_evaluate_damping(segment->ev, LIL_KICK, t, q, v, NULL, out, NULL, NULL);
}

/* p += weight C M^-1 p */
static void segment_kicks_apply(lil_segment *segment, double t, double weight, const double *q, double *p)
{
    lil_segment_kicks *k = segment->kicks;
    lil_mass_solve(segment->ev, p, k->v);
    segment_kicks_multiply(segment, t, q, k->v, k->Cv);
    lil_add(segment->ev->n, weight, k->Cv, p);
}

static void segment_kicks_prepare(lil_segment *segment, double t, const double *q)
{
    lil_evaluate_prepare(segment->ev, LIL_KICK, t, 0, q);
}

void lil_segment_kick_momenta(lil_segment *segment, lil_segment_span span, double *mu, double *s)
{
    lil_segment_kicks *k = segment->kicks;
    int n = segment->ev->n;
    for (int end = 0; end < 2; end++) { /* d = B^2 p+ - p+ and p- - B'^2 p- go to mu, s as (d+ - d-)/2, d+ + d- */
        double sign = end ? -1 : 1, at = end ? span.t + span.h : span.t, *d = end ? k->pi : k->p;
        const double *q = end ? span.b : span.a;
        for (int i = 0; i < n; i++)
            k->side[i] = d[i] = mu[i] + sign * s[i] / 2;
        segment_kicks_prepare(segment, at, q);
        for (int twice = 0; twice < 2; twice++)
            segment_kicks_apply(segment, at, sign * span.h / 4, q, d);
        for (int i = 0; i < n; i++)
            d[i] = sign * (d[i] - k->side[i]);
    }
    for (int i = 0; i < n; i++) {
        mu[i] += (k->p[i] - k->pi[i]) / 2;
        s[i] += k->p[i] + k->pi[i];
    }
}

void lil_segment_kicked(lil_segment *segment, double t, double h, const double *q, double *P)
{
    if (!segment->kicks)
        return;
    segment_kicks_prepare(segment, t, q);
    segment_kicks_apply(segment, t, h / 4, q, P);
    segment_kicks_apply(segment, t, -h / 4, q, P);
}

/* p += weight C v; with `whole`, p += weight C (v + v1), v1 the velocity of p + 2 weight C v */
static void half_kick(lil_segment *segment, double t, double weight, const double *q, bool whole, double *p)
{
    lil_segment_kicks *k = segment->kicks;
    int n = segment->ev->n;
    double *before = k->side, *predicted = k->p, *kicked = k->pi;
    segment_kicks_prepare(segment, t, q);
    memcpy(before, p, (size_t)n * sizeof *p);
    segment_kicks_apply(segment, t, weight, q, p);
    for (int i = 0; i < n; i++)
        kicked[i] = predicted[i] = 2 * p[i] - before[i];
    segment_kicks_apply(segment, t, weight, q, kicked);
    for (int i = 0; whole && i < n; i++)
        p[i] += kicked[i] - predicted[i];
}

/* M v1 = (B p+ + B' p-)/2; from one side alone by Heun's rule, B'^-1 B p+ or B^-1 B' p- but for the cube of h */
void lil_segment_middle_momentum(lil_segment *segment, double t, double h, const double *q_before, const double *q,
                                 const double *q_after, double *p)
{
    lil_segment_kicks *k = segment->kicks;
    int n = segment->ev->n, sides = (q_before != NULL) + (q_after != NULL);
    double *mu = segment->x_moved, *s = segment->v_moved;
    memset(p, 0, (size_t)n * sizeof *p);
    for (int side = 0; side < 2; side++) {
        const double *other = side ? q_after : q_before;
        double sign = side ? 1 : -1;
        if (!other)
            continue;
        lil_segment_free_momenta(
            segment, side ? (lil_segment_span){ t, h, q, other } : (lil_segment_span){ t - h, h, other, q }, mu, s);
        for (int i = 0; i < n; i++)
            mu[i] += sign * s[i] / 2;
        if (k)
            half_kick(segment, t, sign * h / 4, q, sides == 1, mu);
        for (int i = 0; i < n; i++)
            p[i] += mu[i] / sides;
    }
}

/* ---- derivatives ---- */

/* d(C(q) v)/dq at fixed v, by differences of fourth order, all coordinates of a colour at once. */
static void segment_kicks_find_slopes(lil_segment *segment, double t, const double *q, const double *v)
{
    lil_segment_kicks *k = segment->kicks;
    const lil_pattern *p = &k->C.pattern;
    int n = segment->ev->n;
    double e = 3e-4 * segment->scale;
    static const double places[] = { 1, -1, 2, -2 }, weights[] = { 8, -8, -1, 1 };
    for (int c = 0; c < k->colours; c++) {
        memset(k->side, 0, (size_t)n * sizeof *k->side);
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < n; i++)
                k->moved[i] = q[i] + (k->colour[i] == c ? places[s] * e : 0);
            segment_kicks_prepare(segment, t, k->moved);
            segment_kicks_multiply(segment, t, k->moved, v, k->Cv);
            for (int i = 0; i < n; i++)
                k->side[i] += weights[s] * k->Cv[i] / (12 * e);
        }
        for (int j = 0; j < n; j++)
            for (int f = p->start[j]; k->colour[j] == c && f < p->start[j + 1]; f++)
                k->slopes[f] = k->side[p->row[f]];
    }
}

static void find_matrix(lil_segment *segment, double t, const double *q)
{
    lil_segment_kicks *k = segment->kicks;
    segment_kicks_prepare(segment, t, q);
    memset(k->values, 0, (size_t)k->C.pattern.count * sizeof *k->values);
    lil_evaluate_kick_entries(segment->ev, t, 1, &k->C, k->values);
}

/* out = weight C M^-1 x, linear: without prescribed motion */
static void linear(lil_segment *segment, double weight, const double *x, double *out)
{
    lil_segment_kicks *k = segment->kicks;
    lil_mass_solve(segment->ev, x, k->v);
    lil_sparse_multiply(&k->C.pattern, k->values, k->v, out);
    for (int i = 0; i < segment->ev->n; i++)
        out[i] *= weight;
}

/* Column j of the derivative by one end: adds to mu_j and s_j the effect of a change d of p+ (sign 1) or p- (-1). */
static void add_column(const lil_segment *segment, int j, double sign, const double *d, double *mu, double *s)
{
    size_t n = (size_t)segment->ev->n;
    for (size_t i = 0; i < n; i++) {
        mu[(size_t)j * n + i] += d[i] / 2;
        s[(size_t)j * n + i] += sign * d[i];
    }
}

/* d = c (2 x + c x), c = weight C M^-1: of the change of p, in column j */
static void add_through(lil_segment *segment, int j, double weight, double sign, const double *mu_j,
                        const double *s_j, double *mu, double *s)
{
    lil_segment_kicks *k = segment->kicks;
    const lil_pattern *p = &segment->ev->matrix.pattern;
    int n = segment->ev->n;
    memset(k->column, 0, (size_t)n * sizeof *k->column);
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
        k->column[p->row[e]] = mu_j[e] + sign * s_j[e] / 2;
    linear(segment, weight, k->column, k->side);
    for (int i = 0; i < n; i++)
        k->column[i] = 2 * k->column[i] + k->side[i];
    linear(segment, weight, k->column, k->side);
    add_column(segment, j, sign, k->side, mu, s);
}

/* weight (E(v1) + (1 + c) E(v0)) at fixed p: E = d(C v)/dq, v0 = M^-1 p, v1 = M^-1 B p */
static void segment_kicks_add_slopes(lil_segment *segment, double t, double weight, double sign, const double *q,
                                     const double *p, double *mu, double *s)
{
    lil_segment_kicks *k = segment->kicks;
    const lil_pattern *pattern = &k->C.pattern;
    int n = segment->ev->n;
    double *v = k->mu, *Bp = k->s;
    for (int second = 0; second < 2; second++) {
        segment_kicks_prepare(segment, t, q);
        memcpy(Bp, p, (size_t)n * sizeof *Bp);
        if (second)
            segment_kicks_apply(segment, t, weight, q, Bp);
        lil_mass_solve(segment->ev, Bp, v);
        segment_kicks_find_slopes(segment, t, q, v);
        for (int j = 0; j < n; j++) {
            memset(k->column, 0, (size_t)n * sizeof *k->column);
            for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
                k->column[pattern->row[e]] = weight * k->slopes[e];
            memset(k->side, 0, (size_t)n * sizeof *k->side);
            if (!second)
                linear(segment, weight, k->column, k->side);
            lil_add(n, 1, k->column, k->side);
            add_column(segment, j, sign, k->side, mu, s);
        }
    }
}

void lil_segment_kick_derivatives(lil_segment *segment, lil_segment_span span, const lil_segment_first *J)
{
    lil_segment_kicks *k = segment->kicks;
    int n = segment->ev->n;
    lil_segment_first narrow = { k->narrow[0], k->narrow[1], k->narrow[2], k->narrow[3] };
    lil_segment_free_derivatives(segment, span, &narrow);
    lil_segment_widen(segment, narrow.mu_a, J->mu_a);
    lil_segment_widen(segment, narrow.mu_b, J->mu_b);
    lil_segment_widen(segment, narrow.s_a, J->s_a);
    lil_segment_widen(segment, narrow.s_b, J->s_b);
    for (int end = 0; end < 2; end++) {
        double sign = end ? -1 : 1, at = end ? span.t + span.h : span.t, weight = sign * span.h / 4;
        const double *q = end ? span.b : span.a;
        lil_segment_free_momenta(segment, span, k->p, k->pi);
        for (int i = 0; i < n; i++)
            k->p[i] += sign * k->pi[i] / 2;
        find_matrix(segment, at, q);
        for (int j = 0; j < n; j++) {
            add_through(segment, j, weight, sign, narrow.mu_a, narrow.s_a, J->mu_a, J->s_a);
            add_through(segment, j, weight, sign, narrow.mu_b, narrow.s_b, J->mu_b, J->s_b);
        }
        segment_kicks_add_slopes(segment, at, weight, sign, q, k->p, end ? J->mu_b : J->mu_a, end ? J->s_b : J->s_a);
    }
}
