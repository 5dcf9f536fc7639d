/*
 * The discrete Hamilton-Pontryagin principle on a straight segment, with one node alpha or any nodes and weights
 * (Kharevych et al. 2006, sections 3 and 4; equations (4) to (10)).
 *
 * What differs from the paper: alpha = 1 is explicit too (the adjoint of alpha = 0), not implicit; more nodes on the
 * straight segment remain order 2; p follows from (5), not from (6); a force enters at both ends by default.
 */
#include "integrators/stepper.h"

#include <math.h>

typedef struct config {
    double alpha;
    lil_list nodes, weights;
    int forcing;
} config;

static const lil_field fields[] = {
    LIL_FIELD_REAL(config, alpha, 0.5, 0, 1, "",
                   "position on the segment at which L is evaluated: 0 start, 0.5 middle, 1 end"),
    LIL_FIELD_LIST(config, nodes, 0, 1, "", "several such positions instead of alpha, e.g. [0, 0.5, 1]"),
    LIL_FIELD_LIST(config, weights, -1e3, 1e3, "", "their weights, with sum 1, e.g. [1/6, 2/3, 1/6]"),
    LIL_FORCING_FIELD(config),
};

static lil_status hamilton_pontryagin_check(lil_context *ctx, const void *data)
{
    const config *c = data;
    if (c->nodes.n != c->weights.n)
        return lil_fail(ctx, LIL_ERR_INPUT, "there are %d nodes but %d weights", c->nodes.n, c->weights.n);
    double sum = 0;
    for (int i = 0; i < c->weights.n; i++)
        sum += c->weights.x[i];
    if (c->weights.n && fabs(sum - 1) > 1e-12)
        return lil_fail(ctx, LIL_ERR_INPUT, "the weights sum to %.17g, not to 1", sum);
    return LIL_OK;
}

static lil_rule rule_of(const config *c)
{
    const double one = 1;
    bool minus = c->forcing == LIL_FORCING_MINUS;
    return c->nodes.n ? lil_rule_variational(c->nodes.n, c->weights.x, c->nodes.x, minus)
                      : lil_rule_variational(1, &one, &c->alpha, minus);
}

/* Each node has a mirror image about 1/2 with the same weight (nodes that coincide are seen as one). */
static double weight_at(const lil_rule *r, double c)
{
    double weight = 0;
    for (int i = 0; i < r->n; i++)
        weight += fabs(r->c[i] - c) < 1e-12 ? r->b[i] : 0;
    return weight;
}

static lil_claims hamilton_pontryagin_claims(const void *data)
{
    const config *c = data;
    lil_rule r = rule_of(c);
    double mean = 0;
    bool symmetric = true, is_explicit = true;
    for (int i = 0; i < r.n; i++) {
        mean += r.b[i] * r.c[i];
        symmetric = symmetric && fabs(weight_at(&r, r.c[i]) - weight_at(&r, 1 - r.c[i])) < 1e-12;
        is_explicit = is_explicit && (r.c[i] == 0 || r.c[i] == 1);
    }
    unsigned holds = LIL_SYMPLECTIC | LIL_MOMENTA | LIL_ENERGY;
    return (lil_claims){ .order = fabs(mean - 0.5) < 1e-12 ? 2 : 1,
                         .holds = holds | (symmetric ? LIL_SYMMETRIC : 0) | (is_explicit ? LIL_EXPLICIT : 0),
                         .stable = lil_rule_stable(&r) };
}

static lil_status hamilton_pontryagin_begin(lil_stepper *s)
{
    lil_rule rule = rule_of(s->config);
    return lil_stepper_begin_rule(s, &rule);
}

const lil_integrator lil_hamilton_pontryagin = {
    .name = "hamilton-pontryagin",
    .summary = "The general family, for any Lagrangian. L is evaluated at one position alpha, or at nodes c_i with "
               "weights b_i, on the straight line from q_k to q_{k+1}. D1 and D2 are the derivatives with respect to "
               "q_k and v. Order 2 if sum b_i c_i = 1/2 (alpha = 1/2), else 1.",
    .formula = "Ld = h sum b_i L(q_k + c_i h v, v);  q_{k+1} = q_k + h v,  p_{k+1} = p_k + D1 Ld,  h p_{k+1} = D2 Ld",
    .citation = "Kharevych et al., Geometric, Variational Integrators for Computer Animation, SCA 2006",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .claims = hamilton_pontryagin_claims,
    .check = hamilton_pontryagin_check,
    .begin = hamilton_pontryagin_begin,
    .step = lil_stepper_step,
};
