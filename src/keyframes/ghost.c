/*
 * Ghost impulses and their derivatives. With y = (dC/df)/2, segment k between rows L and R adds y_L'p+ - y_R'p- to
 * dC/2:
 *
 *     (y_L - y_R)'dmu + 1/2 (y_L + y_R)'ds
 *
 * In terms of mu and s, only differences of y and of q are multiplied by 1/h: neither loses digits in long shots.
 */
#include "keyframes/running_cost.h"

#include <math.h>

static void spline_momenta(lil_problem *shot, int k, const double *a, double *mu, double *s)
{
    double *v = shot->segment.v;
    for (int i = 0; i < shot->n; i++) {
        v[i] = (a[shot->n + i] - a[i]) / shot->dt[k];
        s[i] = 0;
    }
    lil_sparse_multiply(&shot->ev.matrix.pattern, shot->mass + (size_t)k * shot->ev.matrix.pattern.count, v, mu);
}

static void segments(lil_problem *shot, const double *q, lil_ghost *ghost)
{
    int n = shot->n;
    for (int k = 0; k < shot->N; k++) {
        const double *a = q + (size_t)k * n;
        double *mu = ghost->mu + (size_t)k * n, *s = ghost->s + (size_t)k * n;
        if (shot->spline)
            spline_momenta(shot, k, a, mu, s);
        else
            lil_segment_momenta(&shot->segment, (lil_segment_span){ shot->t[k], shot->dt[k], a, a + n }, mu, s);
    }
}

static double forces(const lil_problem *shot, lil_ghost *ghost)
{
    int n = shot->n;
    double C = 0;
    for (int r = 0; r < shot->rows; r++) {
        const double *fixed = shot->fixed + (size_t)r * n;
        double *f = ghost->f + (size_t)r * n, *phi = ghost->phi + (size_t)r * n, *y = ghost->y + (size_t)r * n;
        int plus = shot->plus[r], minus = shot->minus[r];
        for (int i = 0; i < n; i++) {
            double mu = plus < 0 || minus < 0 ? fixed[i] : 0, s = 0;
            if (plus >= 0) {
                mu += ghost->mu[(size_t)plus * n + i];
                s += ghost->s[(size_t)plus * n + i];
            }
            if (minus >= 0) {
                mu -= ghost->mu[(size_t)minus * n + i];
                s += ghost->s[(size_t)minus * n + i];
            }
            f[i] = mu + s / 2;
            phi[i] = f[i] / shot->w[r];
            y[i] = shot->a[i] * phi[i];
            C += f[i] * y[i];
        }
    }
    return C;
}

static double smoothness(const lil_problem *shot, lil_ghost *ghost)
{
    int n = shot->n;
    double C = 0, tau = shot->def.smoothness;
    for (int k = 0; tau > 0 && k < shot->N; k++) {
        int L = shot->left[k], R = shot->right[k];
        if (L < 0 || R < 0)
            continue;
        for (int i = 0; i < n; i++) {
            double jump = ghost->phi[(size_t)R * n + i] - ghost->phi[(size_t)L * n + i];
            double weighed = shot->a[i] * tau * tau / shot->dt[k] * jump;
            C += weighed * jump;
            ghost->y[(size_t)R * n + i] += weighed / shot->w[R];
            ghost->y[(size_t)L * n + i] -= weighed / shot->w[L];
        }
    }
    return C;
}

/* The contribution of soft keys. */
static double wishes(const lil_problem *shot, const double *q)
{
    double C = 0;
    for (size_t i = 0; shot->pull && i < ((size_t)shot->N + 1) * shot->n; i++)
        C += shot->pull[i] * (q[i] - shot->wish[i]) * (q[i] - shot->wish[i]);
    return C;
}

void lil_ghost_evaluate(lil_problem *shot, const double *q, lil_ghost *ghost)
{
    lil_phase_begin(shot->ctx->phases, LIL_PHASE_EVALUATE);
    segments(shot, q, ghost);
    ghost->C_force = forces(shot, ghost);
    ghost->C = ghost->C_force + smoothness(shot, ghost) + wishes(shot, q);
    if (shot->running && !shot->spline)
        ghost->C += lil_running_cost_cost_value(shot, q, ghost);
    lil_phase_end(shot->ctx->phases);
}

void lil_ghost_derivatives(lil_problem *shot)
{
    lil_phase_begin(shot->ctx->phases, LIL_PHASE_EVALUATE);
    for (int k = 0; k < shot->N; k++) {
        const double *a = shot->q + (size_t)k * shot->n;
        lil_segment_first J = lil_problem_first(shot, k);
        lil_segment_derivatives(&shot->segment, (lil_segment_span){ shot->t[k], shot->dt[k], a, a + shot->n }, &J);
    }
    lil_phase_end(shot->ctx->phases);
}

/* d = y_L - y_R and m = (y_L + y_R)/2 of a segment; a missing row has y = 0 */
static void duals(const lil_problem *shot, const lil_ghost *ghost, int k, double *d, double *m)
{
    int n = shot->n, L = shot->left[k], R = shot->right[k];
    for (int i = 0; i < n; i++) {
        double y_L = L < 0 ? 0 : ghost->y[(size_t)L * n + i], y_R = R < 0 ? 0 : ghost->y[(size_t)R * n + i];
        d[i] = y_L - y_R;
        m[i] = (y_L + y_R) / 2;
    }
}

/* g += J'y of segment k */
static void add_gradient(lil_problem *shot, const lil_ghost *ghost, int k, const lil_segment_first *J, double *g)
{
    const lil_pattern *p = shot->pattern;
    int n = shot->n;
    double *g_a = g + (size_t)k * n, *g_b = g_a + n, *d = shot->d, *m = shot->m;
    duals(shot, ghost, k, d, m);
    for (int j = 0; j < n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int i = p->row[e];
            g_a[j] += J->mu_a[e] * d[i] + J->s_a[e] * m[i];
            g_b[j] += J->mu_b[e] * d[i] + J->s_b[e] * m[i];
        }
}

/* the contribution of soft keys, and nothing for keyed coordinates */
static void finish_gradient(const lil_problem *shot, const double *q, double *g)
{
    for (size_t i = 0; i < ((size_t)shot->N + 1) * shot->n; i++) {
        if (shot->pull)
            g[i] += shot->pull[i] * (q[i] - shot->wish[i]);
        if (shot->held[i])
            g[i] = 0;
    }
}

void lil_ghost_gradient_at(lil_problem *shot, const double *q, const lil_ghost *ghost, double *g)
{
    lil_phase_begin(shot->ctx->phases, LIL_PHASE_EVALUATE);
    lil_segment_first J = lil_problem_first(shot, 0);
    memset(g, 0, ((size_t)shot->N + 1) * shot->n * sizeof *g);
    for (int k = 0; k < shot->N; k++) {
        const double *a = q + (size_t)k * shot->n;
        double *to = g + (size_t)k * shot->n;
        lil_segment_derivatives(&shot->segment, (lil_segment_span){ shot->t[k], shot->dt[k], a, a + shot->n }, &J);
        add_gradient(shot, ghost, k, &J, g);
        if (shot->segment.damped_at_nodes)
            lil_segment_damping_gradient(&shot->segment,
                                         (lil_segment_span){ shot->t[k], shot->dt[k], a, a + shot->n }, shot->m, to,
                                         to + shot->n);
    }
    if (shot->running && !shot->spline)
        lil_running_cost_gradient(shot, q, ghost, g);
    finish_gradient(shot, q, g);
    lil_phase_end(shot->ctx->phases);
}

void lil_ghost_gradient(lil_problem *shot, const lil_ghost *ghost, double *g)
{
    lil_phase_begin(shot->ctx->phases, LIL_PHASE_EVALUATE);
    memset(g, 0, ((size_t)shot->N + 1) * shot->n * sizeof *g);
    for (int k = 0; k < shot->N; k++) {
        lil_segment_first J = lil_problem_first(shot, k);
        add_gradient(shot, ghost, k, &J, g);
    }
    if (shot->running && !shot->spline)
        lil_running_cost_gradient(shot, shot->q, ghost, g);
    finish_gradient(shot, shot->q, g);
    lil_phase_end(shot->ctx->phases);
}

/* ---- the matrix: the sum of line' line over the rows of the Jacobian of the residual ---- */

/* line += weight * df_r/dq for coordinate i of f; the line begins at frame `first`, slots of row_most numbers per
 * frame */
static void add_to_line(lil_problem *shot, int r, int i, double weight, int first)
{
    int begin = shot->row_start[i], count = shot->row_start[i + 1] - begin;
    for (int side = 0; side < 2; side++) {
        int k = side ? shot->plus[r] : shot->minus[r];
        if (k < 0)
            continue;
        lil_segment_first J = lil_problem_first(shot, k);
        double sign = side ? weight : -weight, half = weight / 2;
        double *a = shot->line + (size_t)(k - first) * count, *b = a + count;
        for (int c = 0; c < count; c++) {
            int e = shot->row_place[begin + c];
            a[c] += sign * J.mu_a[e] + half * J.s_a[e];
            b[c] += sign * J.mu_b[e] + half * J.s_b[e];
        }
    }
}

/* A += line' line, without keyed coordinates */
static void add_line(lil_problem *shot, int i, int first, int frames, lil_banded *A)
{
    int begin = shot->row_start[i], count = shot->row_start[i + 1] - begin, used = 0;
    double *value = shot->line;
    for (int k = 0; k < frames; k++)
        for (int c = 0; c < count; c++) {
            int column = (first + k) * shot->n + shot->row_col[begin + c];
            double x = shot->line[(size_t)k * count + c];
            if (x == 0 || shot->held[column])
                continue;
            value[used] = x; /* writes never pass reads */
            shot->line_col[used++] = column;
        }
    for (int a = 0; a < used; a++) {
        double *row = lil_banded_row(A, shot->line_col[a]) - shot->line_col[a];
        for (int b = a; b < used; b++)
            row[shot->line_col[b]] += value[a] * value[b];
    }
}

static void clear_line(lil_problem *shot)
{
    memset(shot->line, 0, 4 * (size_t)shot->row_most * sizeof *shot->line);
}

/* Entries of a block whose rows are frame k and columns frame l >= k; of one on the diagonal, the upper half. */
static void add_block(lil_problem *shot, int k, int l, const double *values, lil_banded *A)
{
    const lil_pattern *p = shot->pattern;
    for (int j = 0; j < shot->n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++) {
            int row = k * shot->n + p->row[e], column = l * shot->n + j;
            if (column >= row && !shot->held[row] && !shot->held[column])
                lil_banded_row(A, row)[column - row] += values[e];
        }
}

static void add_row(lil_problem *shot, int r, lil_banded *A)
{
    int minus = shot->minus[r], plus = shot->plus[r], first = minus >= 0 ? minus : plus;
    for (int i = 0; i < shot->n; i++) {
        clear_line(shot);
        add_to_line(shot, r, i, sqrt(shot->a[i] / shot->w[r]), first);
        add_line(shot, i, first, minus >= 0 && plus >= 0 ? 3 : 2, A);
    }
}

static void add_smoothness(lil_problem *shot, int k, lil_banded *A)
{
    double tau = shot->def.smoothness;
    int L = shot->left[k], R = shot->right[k];
    if (!(tau > 0) || L < 0 || R < 0)
        return;
    int first = shot->minus[L] >= 0 ? k - 1 : k, last = shot->plus[R] >= 0 ? k + 2 : k + 1;
    for (int i = 0; i < shot->n; i++) {
        clear_line(shot);
        add_to_line(shot, R, i, tau * sqrt(shot->a[i] / shot->dt[k]) / shot->w[R], first);
        add_to_line(shot, L, i, -tau * sqrt(shot->a[i] / shot->dt[k]) / shot->w[L], first);
        add_line(shot, i, first, last - first + 1, A);
    }
}

static void add_curvature(lil_problem *shot, const lil_ghost *ghost, int k, lil_banded *A)
{
    const double *a = shot->q + (size_t)k * shot->n;
    duals(shot, ghost, k, shot->d, shot->m);
    lil_segment_curvature(&shot->segment, (lil_segment_span){ shot->t[k], shot->dt[k], a, a + shot->n }, shot->d,
                          shot->m, shot->aa, shot->ab, shot->bb);
    add_block(shot, k, k, shot->aa, A);
    add_block(shot, k, k + 1, shot->ab, A);
    add_block(shot, k + 1, k + 1, shot->bb, A);
}

/* Keyed coordinates have the row of the identity. */
static void begin_frame(const lil_problem *shot, int k, lil_banded *A)
{
    int n = shot->n;
    if (k > shot->N)
        return;
    memset(lil_banded_row(A, k * n), 0, (size_t)n * A->stride * sizeof *A->a);
    for (int i = k * n; i < (k + 1) * n; i++)
        lil_banded_row(A, i)[0] = shot->held[i] ? 1 : shot->pull ? shot->pull[i] : 0;
}

/* Segment by segment, each with all its contributions to nearby frames: in long shots the matrix passes through
 * the caches once. */
void lil_ghost_matrix(lil_problem *shot, const lil_ghost *ghost, bool curvature, lil_banded *A)
{
    lil_phase_begin(shot->ctx->phases, LIL_PHASE_ASSEMBLE);
    bool running = shot->running && !shot->spline;
    begin_frame(shot, 0, A);
    begin_frame(shot, 1, A);
    for (int k = 0; k < shot->N; k++) {
        int L = shot->left[k], R = shot->right[k];
        begin_frame(shot, k + 2, A);
        if (L >= 0)
            add_row(shot, L, A);
        if (R >= 0 && shot->plus[R] < 0)
            add_row(shot, R, A);
        add_smoothness(shot, k, A);
        if (curvature)
            add_curvature(shot, ghost, k, A);
        if (running)
            lil_running_cost_matrix(shot, ghost, k, A);
    }
    if (running)
        lil_running_cost_matrix(shot, ghost, shot->N, A);
    lil_phase_end(shot->ctx->phases);
}
