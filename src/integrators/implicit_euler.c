/*
 * Implicit Euler, a control: Newton's law at the end of the step. It has the form of (7) with c = a = f = 1 but comes
 * from no discrete Lagrangian, so it damps what it should keep. With contact that cannot be passed the step is
 * minimised, unless a contact has friction.
 */
#include "integrators/stepper.h"

static lil_claims implicit_euler_claims(const void *data)
{
    (void)data;
    return (lil_claims){ .order = 1 };
}

/* Friction has no potential, and constraints act along discrete gradients: the step then solves its equations as a
 * root problem (discrete/discrete_gradient.h). If a minimisation is requested, default contact damping is dropped. */
static bool needs_root(const lil_stepper *s)
{
    bool loses = s->model->loses && !lil_model_step_bends(s->model) && s->solver.method != LIL_SOLVER_MINIMISE;
    return s->model->may_stick || loses || lil_model_forces_vary(s->model) || s->constrained;
}

static lil_status begin_root(lil_stepper *s)
{
    if (s->solver.method == LIL_SOLVER_MINIMISE)
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "the step is not a minimisation because of friction, constraints or forces that depend on "
                        "the motion: use the solver 'root' or 'auto'");
    if (lil_model_step_bends(s->model))
        return lil_fail(s->ctx, LIL_ERR_INPUT,
                        "implicit-euler with barrier contact and friction or constraints cannot include damping in "
                        "its steps: use damping 'exact'");
    return lil_stepper_begin_gradient(s, LIL_AT_END);
}

static lil_status implicit_euler_begin(lil_stepper *s)
{
    if (s->model->impassable && needs_root(s))
        return begin_root(s);
    const lil_rule rule = { .n = 1, .b = { 1 }, .c = { 1 }, .a = { 1 }, .f = { 1 }, .e = { 1 } };
    return lil_stepper_begin_rule(s, &rule);
}

const lil_integrator lil_implicit_euler = {
    .name = "implicit-euler",
    .summary = "For comparison: stable, but damps the motion at a rate set by the step.",
    .formula = "M v = p_k - h dW(q_k + h v),  q_{k+1} = q_k + h v,  p_{k+1} = M v",
    .citation = "Stern & Desbrun 2006 (as the method to avoid)",
    .claims = implicit_euler_claims,
    .begin = implicit_euler_begin,
    .step = lil_stepper_step,
};
