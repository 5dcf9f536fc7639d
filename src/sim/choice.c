#include "sim/choice.h"

#include <stdio.h>
#include <string.h>

const char lil_auto[] = "auto";

const char *lil_integrator_auto(void)
{
    return "The default. It chooses energy-momentum for bodies, particles and strands. It chooses midpoint for a "
           "scene with a `lagrangian`, and where energy-momentum does not apply or costs more than it gains. `run` "
           "and `info` print the choice and its reason.";
}

typedef struct question {
    lil_context *ctx;
    const lil_model *model;
    const lil_sim_def *def;
    bool directed;
} question;

/* ---- where energy-momentum does not apply, or costs more than it gains ---- */

static bool is_directed(const question *q)
{
    return q->directed;
}

static bool has_options(const question *q)
{
    return q->def->options || q->def->config;
}

static bool is_in_coordinates(const question *q)
{
    return !q->model->points.count || !q->model->mass.constant;
}

static bool has_other_terms(const question *q)
{
    return lil_model_without_gradient(q->model);
}

/* Newton's method then takes two or three times as many iterations. */
static bool is_rough(const question *q)
{
    for (int i = 0; i < q->model->term_count; i++) {
        const lil_term *term = &q->model->terms[i];
        const lil_term_discrete_gradient *gradient = term->table->discrete_gradient;
        if (gradient && gradient->rough && gradient->rough(term->data))
            return true;
    }
    return false;
}

static bool damps_in_the_step(const question *q)
{
    return lil_model_step_bends(q->model);
}

static bool is_minimised(const question *q)
{
    return q->def->solver.method == LIL_SOLVER_MINIMISE;
}

static bool is_direct(const question *q)
{
    return q->def->solver.linear == LIL_LINEAR_DIRECT && !q->model->constraint_count;
}

/* There is no energy to conserve then, and no matrix by blocks. */
static bool is_pushed(const question *q)
{
    return lil_model_forces_vary(q->model) && !q->model->impassable && !q->model->constraint_count;
}

static bool is_adaptive(const question *q)
{
    return q->def->control.method != LIL_CONTROL_FIXED;
}

/* Neither supports them. Midpoint's message is about all methods. */
static bool is_differential(const question *q)
{
    return q->model->constraint_count && q->def->solver.constraints == LIL_CONSTRAINTS_DIFFERENTIAL;
}

static bool rubs_where_bound(const question *q)
{
    const lil_model *m = q->model;
    return m->constraint_count && m->may_stick && m->bodies_meet && !m->impassable;
}

/* Where midpoint solves iteratively, as lil_stepper_begin_rule chooses: LU of all vertices takes 8 to 60 times as
 * long. */
static bool is_loosely_tied(const question *q)
{
    lil_second second = LIL_SECOND_NONE;
    int linear = q->def->solver.linear;
    bool few = true;
    if (!q->model->constraint_count || q->model->impassable)
        return false;
    if (linear == LIL_LINEAR_AUTO && lil_constrained_are_few(q->ctx, q->model, &few) != LIL_OK)
        return false;
    lil_status status =
        lil_evaluator_choose(q->ctx, q->model, lil_in_the_matrix, few ? linear : LIL_LINEAR_DIRECT, &second);
    return status == LIL_OK && second == LIL_SECOND_BLOCKS;
}

/* With the barrier neither has coarser levels (solvers/multilevel.h). */
static bool has_levels(const question *q)
{
    return q->def->solver.preconditioner == LIL_PRECONDITIONER_MULTILEVEL && !q->model->impassable;
}

/* One line a reason; the first that holds is given. */
static const struct line {
    bool (*holds)(const question *q);
    const char *why;
} lines[] = {
    { is_directed, "shots are solved with midpoint" },
    { has_options, "the options that are given are those of midpoint" },
    { is_in_coordinates, "for a Lagrangian in coordinates midpoint is symplectic, which energy-momentum is not" },
    { has_other_terms, "energy-momentum does not support the term" },
    { is_rough, "energy-momentum knows the derivatives of the material only roughly" },
    { damps_in_the_step, "energy-momentum cannot include damping in its steps" },
    { is_minimised, "a step of energy-momentum is not a minimisation" },
    { is_direct, "energy-momentum solves the equations of bodies iteratively" },
    { is_pushed, "forces depend on positions or velocities, so there is no energy to conserve" },
    { has_levels, "energy-momentum has no coarser levels" },
    { is_adaptive, "steps vary, and energy-momentum would factor its matrix in each of them" },
    { is_differential, "energy-momentum does not support differential constraints" },
    { rubs_where_bound, "energy-momentum with constraints does not support friction between bodies" },
    { is_loosely_tied, "energy-momentum with few constraints would factor the whole matrix" },
};

static void choose(const question *q, lil_choice *choice)
{
    *choice = (lil_choice){ &lil_energy_momentum, "it conserves the energy of bodies and particles at any step" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (!lines[i].holds(q))
            continue;
        const lil_term *other = lines[i].holds == has_other_terms ? lil_model_without_gradient(q->model) : NULL;
        choice->method = &lil_midpoint;
        snprintf(choice->why, sizeof choice->why, "%s%s%s%s", lines[i].why, other ? " '" : "",
                 other ? other->table->name : "", other ? "'" : "");
        return;
    }
}

static lil_status find_method(lil_context *ctx, const char *name, const lil_integrator **method)
{
    *method = lil_integrator_find(ctx, name);
    if (*method)
        return LIL_OK;
    const char *names[LIL_REGISTERED_MAX * 2] = { lil_auto };
    int count = 1;
    for (; count <= lil_integrator_count(ctx) && count < LIL_REGISTERED_MAX * 2; count++)
        names[count] = lil_integrator_at(ctx, count - 1)->name;
    char hint[LIL_HINT_MAX];
    return lil_fail(ctx, LIL_ERR_INPUT, "unknown integrator '%.60s'%s", name,
                    lil_hint(lil_nearest(name, names, count, sizeof names[0]), hint));
}

lil_status lil_choose_integrator(lil_context *ctx, const lil_model *model, const lil_sim_def *def, bool directed,
                                 lil_choice *choice)
{
    *choice = (lil_choice){ 0 };
    if (strcmp(def->integrator, lil_auto) != 0)
        return find_method(ctx, def->integrator, &choice->method);
    choose(&(question){ ctx, model, def, directed }, choice);
    return LIL_OK;
}
