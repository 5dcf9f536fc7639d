/*
 * Capabilities of a Sim's stepper: constraints, friction, barrier contact. Anything else is refused with one message.
 */
#include "sim/sim.h"

/* Steps of (7) as a discrete Lagrangian gives them, and implicit Euler's. */
static bool is_bindable(const lil_rule *rule)
{
    for (int i = 0; i < rule->n; i++)
        if (rule->e[i] != rule->b[i] || (rule->n > 1 && rule->a[i] != 1 - rule->c[i]))
            return false;
    return true;
}

/* Methods that ask for forces (rk4, explicit Euler, a user's own), and symplectic Euler, which has them at its
 * start. */
static bool takes_forces(const lil_stepper *s)
{
    const lil_discrete *d = lil_stepper_rule(s);
    if (s->inner || s->shift || (s->family && !d))
        return false;
    for (int i = 0; d && i < d->rule.n; i++)
        if (d->rule.c[i] != 0)
            return false;
    return !d || d->explicit_;
}

lil_status lil_sim_bind(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper, *base = s->inner ? s->inner : s;
    const lil_discrete *d = lil_stepper_rule(base);
    bool differential = lil_stepper_is_differential(s);
    if (differential && !takes_forces(s))
        return lil_fail(
            sim->ctx, LIL_ERR_INPUT,
            "%s does not support differential constraints: use rk4 or symplectic-euler, or variational constraints",
            s->method->name);
    if (!differential && !lil_stepper_is_by_gradient(s) && !(d && is_bindable(&d->rule)))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s does not support variational constraints: use midpoint, energy-momentum, stormer-verlet "
                        "or a composition%s",
                        s->method->name, takes_forces(s) ? ", or differential constraints" : "");
    bool implicit = d && !d->explicit_, iterative = implicit && sim->ev.blocks.values;
    lil_bound bound = lil_stepper_is_by_gradient(s) ? LIL_BOUND_BETWEEN
                      : implicit && !iterative      ? LIL_BOUND_IMPLICIT
                                                    : LIL_BOUND_EXPLICIT;
    LIL_TRY(lil_constrained_create(sim->ctx, &sim->arena, &sim->ev, bound, &sim->constrained));
    return iterative ? lil_constrained_create_iterative(sim->ctx, &sim->arena,
                                                        lil_discrete_levels(s->solver.preconditioner), d->minimise,
                                                        &sim->constrained)
                     : LIL_OK;
}

/* Factors of a fixed pattern have a bound in the place of these couplings. With friction, which is stiff, Newton's
 * method then takes hundreds of iterations per step. */
static lil_status check_friction_of_bodies(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper;
    const lil_discrete *d = lil_stepper_rule(s);
    if (s->family && !s->family->bodies_rub)
        return lil_fail(
            sim->ctx, LIL_ERR_INPUT,
            "%s does not support friction between bodies: use midpoint, energy-momentum or stormer-verlet",
            s->method->name);
    if (s->constrained && s->family && !s->family->bound_rub)
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s with constraints does not support friction between bodies: use midpoint",
                        s->method->name);
    if (s->constrained && d && !d->explicit_ && s->solver.linear == LIL_LINEAR_DIRECT)
        return lil_fail(
            sim->ctx, LIL_ERR_INPUT,
            "with constraints the linear solver 'direct' does not support friction between bodies: use 'auto'");
    return LIL_OK;
}

/* Friction after the step would let what sticks slide on by h F/m of each vertex, and is refused. */
lil_status lil_sim_check_friction(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper;
    if (!s->model->may_stick)
        return LIL_OK;
    if (lil_stepper_is_differential(s))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "differential constraints do not support friction: use variational ones");
    if (!s->has_friction)
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s%s does not support friction: use midpoint, energy-momentum or stormer-verlet",
                        s->method->name, s->constrained ? " with constraints" : "");
    /* the barrier's is in its couplings, which constraints solve for beside their factor */
    return s->model->bodies_meet && !s->model->impassable ? check_friction_of_bodies(sim) : LIL_OK;
}

/* By the barrier's discrete gradient, or at the end of a step, where it is minimised. */
bool lil_takes_barrier(const lil_integrator *method)
{
    return method == &lil_energy_momentum || method == &lil_midpoint || method == &lil_implicit_euler;
}

/* The first term that has no blocks, for people. */
static const char *without_blocks(const lil_model *model)
{
    for (int i = 0; i < model->term_count; i++)
        if (lil_in_the_matrix(model->terms[i].table->place) && !lil_term_has_blocks(model->terms[i].table))
            return model->terms[i].table->doc;
    return "a mass that does not belong to vertices";
}

/* The barrier's matrix is known by blocks, or with constraints as couplings beside a factor. */
lil_status lil_sim_check_barrier(lil_sim *sim)
{
    const lil_stepper *s = &sim->stepper;
    if (!s->model->impassable)
        return LIL_OK;
    if (!lil_takes_barrier(s->method))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "%s does not support barrier contact: use energy-momentum, midpoint or implicit-euler, or "
                        "contact: {method: penalty}",
                        s->method->name);
    if (!s->constrained && (s->solver.linear == LIL_LINEAR_DIRECT || s->second))
        return lil_fail(sim->ctx, LIL_ERR_INPUT, "barrier contact is solved iteratively: use %s",
                        s->second ? "a fixed step" : "the linear solver 'auto'");
    if (!s->constrained && !lil_block_assembly_possible(s->model, lil_in_the_matrix))
        return lil_fail(sim->ctx, LIL_ERR_INPUT,
                        "barrier contact does not support %s: use contact: {method: penalty}",
                        without_blocks(s->model));
    return LIL_OK;
}
