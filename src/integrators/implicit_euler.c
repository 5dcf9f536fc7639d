/*
 * Implicit Euler, a control: Newton's law at the end of the step. It has the form of (7) with c = a = f = 1 but comes
 * from no discrete Lagrangian, so it damps what it should keep.
 */
#include "integrators/stepper.h"

static lil_claims claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 1 };
}

static lil_status begin(lil_stepper *s)
{
    const lil_rule rule = { .n = 1, .b = { 1 }, .c = { 1 }, .a = { 1 }, .f = { 1 }, .e = { 1 } };
    return lil_stepper_begin_rule(s, &rule);
}

const lil_integrator lil_implicit_euler = {
    .name = "implicit-euler",
    .summary = "A control that fails: stable, but motion dies at a rate set by the step.",
    .formula = "M v = p_k - h dW(q_k + h v),  q_{k+1} = q_k + h v,  p_{k+1} = M v",
    .citation = "Stern & Desbrun 2006 (as the method to avoid)",
    .claims = claims,
    .begin = begin,
    .step = lil_stepper_step_rule,
};
