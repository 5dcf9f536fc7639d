/*
 * Newmark's method with its beta and gamma, for constant mass. With w = (q_{k+1} - q_k) / h it is equation (7) with the
 * ends of the step as nodes,
 *
 *     M w = p_k - h ((1/2 - beta) dW(q_k) + beta dW(q_{k+1})),
 *     p_{k+1} = p_k - h ((1 - gamma) dW(q_k) + gamma dW(q_{k+1})),
 *
 * so it too is a minimisation. With beta = 0, gamma = 1/2 it is Stormer-Verlet. With beta != 0 it is symplectic only in
 * transformed variables (Kane et al. 2000), so it claims neither symplecticity nor momenta; with gamma = 1/2 its energy
 * does not drift.
 */
#include "integrators/stepper.h"

#include <math.h>

typedef struct config {
    double beta, gamma;
} config;

static const lil_field fields[] = {
    LIL_FIELD_REAL(config, beta, 0.25, 0, 0.5, "",
                   "weight of the final acceleration in the position: 0 is explicit, 0.25 the average acceleration"),
    LIL_FIELD_REAL(config, gamma, 0.5, 0, 1, "",
                   "weight of the final acceleration in the velocity: 0.5 gives second order, larger values damp"),
};

static bool is_half(double gamma)
{
    return fabs(gamma - 0.5) < 1e-12;
}

static lil_claims newmark_claims(const void *data)
{
    const config *c = data;
    bool half = is_half(c->gamma), verlet = half && c->beta == 0;
    unsigned holds = (half ? LIL_SYMMETRIC | LIL_ENERGY : 0) | (verlet ? LIL_SYMPLECTIC | LIL_MOMENTA : 0) |
                     (c->beta == 0 ? LIL_EXPLICIT : 0) | LIL_CONSTANT_MASS_ONLY;
    double stable = !half ? 0 : c->beta >= 0.25 ? INFINITY : 2 / sqrt(1 - 4 * c->beta);
    return (lil_claims){ .order = half ? 2 : 1, .holds = holds, .stable = stable };
}

static lil_status newmark_begin(lil_stepper *s)
{
    const config *c = s->config;
    double a0 = 1 - 2 * c->beta, a1 = 2 * c->beta;
    const lil_rule rule = {
        .n = 2, .b = { 0.5, 0.5 }, .c = { 0, 1 }, .a = { a0, a1 }, .f = { a0, a1 }, .e = { 1 - c->gamma, c->gamma }
    };
    return lil_stepper_begin_rule(s, &rule);
}

const lil_integrator lil_newmark = {
    .name = "newmark",
    .summary = "Newmark's method, the standard in engineering; symplectic only with beta = 0, gamma = 1/2.",
    .formula = "q_{k+1} = q_k + h v_k + h^2 ((1/2 - beta) a_k + beta a_{k+1}),  v_{k+1} = v_k + h ((1 - gamma) a_k + "
               "gamma a_{k+1})",
    .citation = "Newmark 1959; Kane, Marsden, Ortiz & West 2000",
    LIL_FIELDS(fields),
    .config_size = sizeof(config),
    .claims = newmark_claims,
    .begin = newmark_begin,
    .step = lil_stepper_step,
};
