#include "discrete/segment_kicks.h"

#include <math.h>

bool lil_segment_can_damp(const lil_model *model)
{
    for (int i = 0; i < model->term_count; i++)
        if (model->terms[i].table->place == LIL_KICK && !model->terms[i].table->dissipation->slope)
            return false;
    return true;
}

lil_status lil_segment_create(lil_context *ctx, lil_arena *arena, lil_evaluator *ev, const lil_rule *rule,
                              bool damped_at_nodes, lil_segment *segment)
{
    *segment = (lil_segment){ .ev = ev, .rule = *rule, .physics = 1, .scale = 1 };
    double **vectors[] = { &segment->v, &segment->x,       &segment->Q,      &segment->P,
                           &segment->F, &segment->x_moved, &segment->v_moved };
    double **matrices[] = { &segment->mass, &segment->Pv, &segment->Pq, &segment->Qq,
                            &segment->Qv,   &segment->Fq, &segment->Fv };
    for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
        LIL_HAVE(ctx, *vectors[k] = LIL_NEW(arena, double, ev->n));
    for (size_t k = 0; k < sizeof matrices / sizeof matrices[0]; k++)
        LIL_HAVE(ctx, *matrices[k] = LIL_NEW(arena, double, ev->matrix.pattern.count));
    if (ev->model->mass.constant)
        lil_assembly_add_mass(&ev->matrix, ev->model, 1, segment->mass);
    segment->pattern = &ev->matrix.pattern;
    segment->damped_at_nodes = damped_at_nodes && lil_model_terms(ev->model, LIL_KICK);
    size_t room = (size_t)ev->n + 3 * (size_t)ev->model->dofs.total;
    if (segment->damped_at_nodes)
        return (ev->kick_room = LIL_NEW(arena, double, room)) ? LIL_OK : lil_fail_memory(ctx);
    return lil_model_terms(ev->model, LIL_KICK) ? lil_segment_kicks_create(ctx, arena, segment) : LIL_OK;
}

void lil_segment_widen(const lil_segment *segment, const double *values, double *wide)
{
    const lil_pattern *p = &segment->ev->matrix.pattern;
    if (!segment->kicks) {
        memcpy(wide, values, (size_t)p->count * sizeof *wide);
        return;
    }
    memset(wide, 0, (size_t)segment->pattern->count * sizeof *wide);
    for (int j = 0; j < p->n; j++)
        for (int e = p->start[j]; e < p->start[j + 1]; e++)
            wide[(size_t)j * p->n + p->row[e]] = values[e];
}

/* v, and the i-th node; ends are exactly the ends */
static double node(lil_segment *segment, int i, lil_segment_span span)
{
    double c = segment->rule.c[i];
    for (int k = 0; k < segment->ev->n; k++) {
        segment->v[k] = (span.b[k] - span.a[k]) / span.h;
        segment->x[k] = c == 1 ? span.b[k] : span.a[k] + c * (span.b[k] - span.a[k]);
    }
    return span.t + c * span.h;
}

void lil_segment_free_momenta(lil_segment *segment, lil_segment_span span, double *mu, double *s)
{
    const lil_rule *rule = &segment->rule;
    int n = segment->ev->n;
    memset(mu, 0, (size_t)n * sizeof *mu);
    memset(s, 0, (size_t)n * sizeof *s);
    for (int i = 0; i < rule->n; i++) {
        double at = node(segment, i, span), weight = rule->b[i], part = weight * segment->physics * span.h;
        double in_mu = (rule->c[i] - 0.5) * part, F_in_mu = (0.5 - rule->f[i]) * part;
        /* without natural forces W may be undefined here */
        lil_evaluate_lagrangian(segment->ev, at, segment->x, segment->v, NULL, part > 0 ? segment->Q : NULL,
                                segment->P);
        for (int k = 0; !(part > 0) && k < n; k++)
            mu[k] += weight * segment->P[k];
        if (!(part > 0))
            continue;
        for (int k = 0; k < n; k++) {
            mu[k] += weight * segment->P[k] + in_mu * segment->Q[k];
            s[k] -= part * segment->Q[k];
        }
        if (segment->damped_at_nodes) {
            lil_evaluate_kick_slope(segment->ev, at, segment->x, NULL, segment->v, segment->F, NULL, NULL);
            for (int k = 0; k < n; k++) {
                mu[k] -= F_in_mu * segment->F[k];
                s[k] += part * segment->F[k];
            }
        }
        if (!lil_evaluate_force(segment->ev, at, segment->x, segment->v, segment->F))
            continue;
        for (int k = 0; k < n; k++) {
            mu[k] += F_in_mu * segment->F[k];
            s[k] -= part * segment->F[k];
        }
    }
}

void lil_segment_momenta(lil_segment *segment, lil_segment_span span, double *mu, double *s)
{
    lil_segment_free_momenta(segment, span, mu, s);
    if (segment->kicks)
        lil_segment_kick_momenta(segment, span, mu, s);
}

/* s has h C(x) v. The derivative of z's by b is C z + 1/2 h d(z'C v)/dx, by a -C z plus the same; at the midpoint
 * mu does not contain it */
void lil_segment_damping_gradient(lil_segment *segment, lil_segment_span span, const double *z, double *g_a,
                                  double *g_b)
{
    const lil_rule *rule = &segment->rule;
    double *Cz = segment->Q, *slope = segment->P;
    for (int i = 0; segment->physics > 0 && i < rule->n; i++) {
        double at = node(segment, i, span), part = rule->b[i] * segment->physics, c = rule->c[i];
        lil_evaluate_kick_slope(segment->ev, at, segment->x, z, segment->v, segment->F, Cz, slope);
        for (int k = 0; k < segment->ev->n; k++) {
            g_a[k] += part * ((1 - c) * span.h * slope[k] - Cz[k]);
            g_b[k] += part * (c * span.h * slope[k] + Cz[k]);
        }
    }
}

static void segment_zero(const lil_segment *segment, double *values)
{
    memset(values, 0, (size_t)segment->ev->matrix.pattern.count * sizeof *values);
}

static void segment_second(lil_segment *segment, double t, const double *x, const double *v, lil_weights w,
                           double *values)
{
    lil_evaluate_second(segment->ev, t, x, v, &w, values);
}

/* Second derivatives of L, and first ones of F, at segment->x and v. */
static void node_derivatives(lil_segment *segment, double t)
{
    const double *x = segment->x, *v = segment->v;
    segment_zero(segment, segment->Qq);
    if (segment->physics > 0)
        segment_second(segment, t, x, v, (lil_weights){ .Qq = 1 }, segment->Qq);
    if (!segment->ev->model->mass.constant) {
        segment_zero(segment, segment->Pv);
        segment_zero(segment, segment->Pq);
        segment_zero(segment, segment->Qv);
        segment_second(segment, t, x, v, (lil_weights){ .Pv = 1 }, segment->Pv);
        segment_second(segment, t, x, v, (lil_weights){ .Pq = 1 }, segment->Pq);
        segment_second(segment, t, x, v, (lil_weights){ .Qv = 1 }, segment->Qv);
    }
    if (!lil_model_forces_vary(segment->ev->model))
        return;
    segment_zero(segment, segment->Fq);
    segment_zero(segment, segment->Fv);
    if (!(segment->physics > 0))
        return;
    segment_second(segment, t, x, v, (lil_weights){ .Fq = 1 }, segment->Fq);
    segment_second(segment, t, x, v, (lil_weights){ .Fv = 1 }, segment->Fv);
}

/* J += P dP + Q dQ + F dF by one end, which moves q_i by x and v by v. */
static void add_first(const lil_segment *segment, double P, double Q, double F, double x, double v, double *J)
{
    const lil_model *model = segment->ev->model;
    const double *Pv = model->mass.constant ? segment->mass : segment->Pv, *Qq = segment->Qq;
    int count = segment->ev->matrix.pattern.count;
    bool simple = model->mass.constant && !lil_model_forces_vary(model);
    for (int e = 0; simple && e < count; e++)
        J[e] += P * v * Pv[e] + Q * x * Qq[e]; /* the others are 0 */
    if (simple)
        return;
    for (int e = 0; e < count; e++)
        J[e] += P * (v * Pv[e] + x * segment->Pq[e]) + Q * (x * segment->Qq[e] + v * segment->Qv[e]) +
                F * (x * segment->Fq[e] + v * segment->Fv[e]);
}

void lil_segment_derivatives(lil_segment *segment, lil_segment_span span, const lil_segment_first *J)
{
    if (segment->kicks)
        lil_segment_kick_derivatives(segment, span, J);
    else
        lil_segment_free_derivatives(segment, span, J);
}

void lil_segment_free_derivatives(lil_segment *segment, lil_segment_span span, const lil_segment_first *J)
{
    const lil_rule *rule = &segment->rule;
    double *all[] = { J->mu_a, J->mu_b, J->s_a, J->s_b };
    for (int k = 0; k < 4; k++)
        segment_zero(segment, all[k]);
    for (int i = 0; i < rule->n; i++) {
        double w = rule->b[i], c = rule->c[i], part = w * segment->physics * span.h;
        double Q = (c - 0.5) * part, F = (0.5 - rule->f[i]) * part;
        node_derivatives(segment, node(segment, i, span));
        add_first(segment, w, Q, F, 1 - c, -1 / span.h, J->mu_a);
        add_first(segment, w, Q, F, c, 1 / span.h, J->mu_b);
        add_first(segment, 0, -part, -part, 1 - c, -1 / span.h, J->s_a);
        add_first(segment, 0, -part, -part, c, 1 / span.h, J->s_b);
    }
}

/* values += weights over (x moved by e u, v moved by e w) */
static void add_moved(lil_segment *segment, double t, double e, const double *u, const double *w, lil_weights weights,
                      double *values)
{
    for (int k = 0; k < segment->ev->n; k++) {
        segment->x_moved[k] = segment->x[k] + e * u[k];
        segment->v_moved[k] = segment->v[k] + e * w[k];
    }
    segment_second(segment, t, segment->x_moved, segment->v_moved, weights, values);
}

/* y'mu + z's is, node by node, the derivative of L along (u, w) = b_i (((c_i - 1/2) y - z) h, y); its second
 * derivatives are those of L differentiated along it: (L''(+e) - L''(-e))/2e. */
static void free_curvature(lil_segment *segment, lil_segment_span span, const double *y, const double *z, double *aa,
                           double *ab, double *bb)
{
    const lil_rule *rule = &segment->rule;
    int n = segment->ev->n;
    bool constant = segment->ev->model->mass.constant;
    double *u = segment->Q, *w = segment->P;
    segment_zero(segment, aa);
    segment_zero(segment, ab);
    segment_zero(segment, bb);
    for (int i = 0; i < rule->n; i++) {
        double at = node(segment, i, span), c = rule->c[i];
        for (int k = 0; k < n; k++) {
            u[k] = rule->b[i] * segment->physics * span.h * ((c - 0.5) * y[k] - z[k]);
            w[k] = rule->b[i] * y[k];
        }
        double length = constant ? lil_norm(n, u) : fmax(lil_norm(n, u), span.h * lil_norm(n, w));
        if (!(length > 0))
            continue;
        double e = 1e-5 * segment->scale / length;
        for (int side = -1; side <= 1; side += 2) {
            double d = side / (2 * e), x_a = 1 - c, x_b = c, v_b = constant ? 0 : 1 / span.h, v_a = -v_b;
            if (constant) { /* only W has second derivatives: one evaluation serves all three */
                segment_zero(segment, segment->Qq);
                add_moved(segment, at, side * e, u, w, (lil_weights){ .Qq = d }, segment->Qq);
                for (int k = 0; k < segment->ev->matrix.pattern.count; k++) {
                    aa[k] += x_a * x_a * segment->Qq[k];
                    ab[k] += x_a * x_b * segment->Qq[k];
                    bb[k] += x_b * x_b * segment->Qq[k];
                }
                continue;
            }
            lil_weights in_aa = {
                .Qq = d * x_a * x_a, .Qv = d * x_a * v_a, .Pq = d * v_a * x_a, .Pv = d * v_a * v_a
            };
            lil_weights in_ab = {
                .Qq = d * x_a * x_b, .Qv = d * x_a * v_b, .Pq = d * v_a * x_b, .Pv = d * v_a * v_b
            };
            lil_weights in_bb = {
                .Qq = d * x_b * x_b, .Qv = d * x_b * v_b, .Pq = d * v_b * x_b, .Pv = d * v_b * v_b
            };
            add_moved(segment, at, side * e, u, w, in_aa, aa);
            add_moved(segment, at, side * e, u, w, in_ab, ab);
            add_moved(segment, at, side * e, u, w, in_bb, bb);
        }
    }
}

void lil_segment_curvature(lil_segment *segment, lil_segment_span span, const double *y, const double *z, double *aa,
                           double *ab, double *bb)
{
    lil_segment_kicks *kicks = segment->kicks;
    if (!kicks) {
        free_curvature(segment, span, y, z, aa, ab, bb);
        return;
    }
    free_curvature(segment, span, y, z, kicks->narrow[0], kicks->narrow[1], kicks->narrow[2]);
    double *wide[] = { aa, ab, bb };
    for (int k = 0; k < 3; k++)
        lil_segment_widen(segment, kicks->narrow[k], wide[k]);
}
