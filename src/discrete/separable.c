/*
 * L = 1/2 v'Mv - W(t, q): equation (7) is the gradient of the Lilyan (common factor h dropped)
 *
 *     E(v) = 1/2 v'Mv - p_k'v + sum_i b_i a_i/c_i (W(q_i) - W(q_k)),
 *
 * where a node c_i = 0 gives + b_i a_i h dW(q_k)'v instead: nothing is ever divided by c = 0. The paper prints E for
 * one node; W(q_k) is a constant that keeps E small, so that round-off hides less of its decrease.
 */
#include "discrete/discrete.h"

#include <math.h>

static void separable_equations(lil_discrete *d, const double *v, double *E, double *r, lil_noise *size)
{
    lil_evaluator *ev = d->ev;
    const lil_rule *rule = &d->rule;
    int n = ev->n;
    double W_k = 0;
    const double *g_k = NULL;
    lil_evaluate_frame(ev, d->t, d->q, &W_k, &g_k);
    lil_mass_multiply(ev->model, v, r);
    *size = (lil_noise){ .g = lil_norm(n, r) + lil_norm(n, d->p) };
    if (E) {
        double T = lil_dot(n, r, v) / 2, pv = lil_dot(n, d->p, v);
        *E = T - pv;
        size->E = fabs(T) + fabs(pv);
    }
    lil_add(n, -1, d->p, r);
    for (int i = 0; i < rule->n; i++) {
        double W = 0, weight = rule->b[i] * rule->a[i], c = rule->c[i];
        const double *g = c == 0 ? g_k : d->Q;
        if (weight == 0)
            continue;
        const double t = lil_discrete_time(d, i), *node = c == 0 ? d->q : d->node;
        lil_noise own = { 0 };
        if (c != 0) {
            lil_evaluate_sum(ev, d->q, c * d->h, v, d->node);
            lil_evaluate_potential(ev, t, node, E ? &W : NULL, d->Q);
            lil_discrete_remember(d, v);
        }
        lil_evaluate_size(ev, LIL_POTENTIAL, t, node, &own.E, &own.g);
        lil_evaluate_exact(ev);
        if (E) {
            double part = c == 0 ? weight * d->h * lil_dot(n, g, v) : weight / c * (W - W_k);
            *E += part;
            size->E += c == 0 ? fabs(part) : fabs(weight / c) * (fabs(W) + fabs(W_k) + own.E);
        }
        lil_add(n, weight * d->h, g, r);
        size->g += fabs(weight * d->h) * (lil_norm(n, g) + own.g);
    }
}

/* M + sum b_i a_i c_i h^2 K(q_i) */
static void separable_second(lil_discrete *d, const double *v, double *H)
{
    const lil_rule *rule = &d->rule;
    lil_evaluate_second(d->ev, d->t, d->q, v, &(lil_weights){ .Pv = 1, .to = lil_discrete_matrix(d) }, H);
    for (int i = 0; i < rule->n; i++) {
        double weight = rule->b[i] * rule->a[i] * rule->c[i] * d->h * d->h;
        if (weight != 0)
            lil_evaluate_second(
                d->ev, lil_discrete_time(d, i), lil_discrete_node(d, i, v), v,
                &(lil_weights){ .Qq = -weight, .definite = d->definite, .to = lil_discrete_matrix(d) }, H);
    }
}

static void separable_impulse(lil_discrete *d, const double *v, double *dp)
{
    const lil_rule *rule = &d->rule;
    for (int i = 0; i < rule->n; i++) {
        if (rule->e[i] == 0)
            continue;
        const double *g = d->Q, *at = rule->c[i] == 0 ? d->q : lil_discrete_node(d, i, v);
        double t = lil_discrete_time(d, i);
        if (lil_discrete_remembers(d, v)) {
            d->ev->power = d->latest_power;
        } else if (rule->c[i] == 0 || rule->c[i] == 1) { /* ends are frames: what is computed there is used again */
            lil_evaluate_frame(d->ev, t, at, NULL, &g);
        } else {
            lil_evaluate_sum(d->ev, d->q, rule->c[i] * d->h, v, d->node);
            lil_evaluate_potential(d->ev, t, at, NULL, d->Q);
            lil_evaluate_exact(d->ev);
        }
        for (int k = 0; k < d->ev->n; k++)
            dp[k] -= d->h * rule->e[i] * g[k];
        lil_tally_drive(d->tally, d->ev, d->h * rule->e[i], t, at, v);
    }
}

const lil_discrete_table lil_discrete_separable = {
    .name = "constant mass and a potential",
    .minimises = true,
    .equations = separable_equations,
    .second = separable_second,
    .impulse = separable_impulse,
};
