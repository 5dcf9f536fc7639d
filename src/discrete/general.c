/*
 * Any L(t, q, v): equation (7), r(v) = sum b_i (P_i - a_i h Q_i) - p_k = 0, is solved directly. It is the gradient of
 * a function only where D1 Ld = D2 of something (8), which is not required here.
 */
#include "discrete/discrete.h"

#include <math.h>

static void general_equations(lil_discrete *d, const double *v, double *E, double *r, lil_noise *size)
{
    const lil_rule *rule = &d->rule;
    int n = d->ev->n;
    (void)E;
    *size = (lil_noise){ .g = lil_norm(n, d->p) };
    for (int k = 0; k < n; k++)
        r[k] = -d->p[k];
    for (int i = 0; i < rule->n; i++) {
        double b = rule->b[i], ah = rule->a[i] * d->h;
        lil_evaluate_lagrangian(d->ev, lil_discrete_time(d, i), lil_discrete_node(d, i, v), v, NULL, d->Q, d->P);
        for (int k = 0; k < n; k++)
            r[k] += b * (d->P[k] - ah * d->Q[k]);
        size->g += fabs(b) * (lil_norm(n, d->P) + fabs(ah) * lil_norm(n, d->Q));
    }
}

/* d/dv of P(q_k + c h v, v) - a h Q(q_k + c h v, v) */
static void general_second(lil_discrete *d, const double *v, double *H)
{
    const lil_rule *rule = &d->rule;
    for (int i = 0; i < rule->n; i++) {
        double b = rule->b[i], ch = rule->c[i] * d->h, ah = rule->a[i] * d->h;
        lil_weights w = { .Pv = b, .Pq = b * ch, .Qq = -b * ah * ch, .Qv = -b * ah, .to = lil_discrete_matrix(d) };
        lil_evaluate_second(d->ev, lil_discrete_time(d, i), lil_discrete_node(d, i, v), v, &w, H);
    }
}

static void general_impulse(lil_discrete *d, const double *v, double *dp)
{
    const lil_rule *rule = &d->rule;
    for (int i = 0; i < rule->n; i++) {
        double t = lil_discrete_time(d, i);
        const double *node = lil_discrete_node(d, i, v);
        lil_evaluate_lagrangian(d->ev, t, node, v, NULL, d->Q, NULL);
        for (int k = 0; k < d->ev->n; k++)
            dp[k] += d->h * rule->e[i] * d->Q[k];
        lil_tally_drive(d->tally, d->ev, d->h * rule->e[i], t, node, v);
    }
}

const lil_discrete_table lil_discrete_general = {
    .name = "any L(q, v)",
    .equations = general_equations,
    .second = general_second,
    .impulse = general_impulse,
};
