/* Observables: programs over the state, and the forces of constraints. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>

/* q and v as a program sees them: those of marks, and of observables the measures after them. */
static void look(lil_sim *sim, const lil_program *program, const double **q, const double **v)
{
    const lil_observables *o = &sim->observables;
    int n = 3 * sim->model->points.mark_count, at = n;
    *q = sim->state.q;
    *v = sim->state.v;
    lil_evaluate_marks(&sim->ev, sim->state.t, q, v);
    if (!o->inputs || program != o->program)
        return;
    memcpy(o->inputs, *q, (size_t)n * sizeof **q);
    memcpy(o->inputs + program->n, *v, (size_t)n * sizeof **v);
    for (int i = 0; i < sim->measure_count; at += sim->measures[i++].width)
        if (at + sim->measures[i].width <= program->n)
            lil_measure_read(sim, &sim->measures[i], o->inputs + at);
    *q = o->inputs;
    *v = o->inputs + program->n;
}

static lil_status fail_evaluate(lil_sim *sim, const lil_program *program, double *slots)
{
    const lil_state *x = &sim->state;
    const double *q, *v;
    char why[512] = "a value is not finite";
    look(sim, program, &q, &v);
    lil_program_explain(program, slots, x->t, q, v, why, sizeof why);
    return lil_fail(sim->ctx, LIL_ERR_NOT_FINITE, "%s, at t = %.9g", why, x->t);
}

lil_status lil_sim_evaluate(lil_sim *sim, const lil_program *program, double *slots, double *out)
{
    const lil_state *x = &sim->state;
    const double *q, *v;
    bool finite = true;
    look(sim, program, &q, &v);
    lil_program_follow(program, slots, sim->parameters);
    lil_program_run(program, slots, x->t, q, v, out);
    for (int i = 0; i < program->output_count; i++)
        finite = finite && isfinite(out[i]);
    return finite ? LIL_OK : fail_evaluate(sim, program, slots);
}

lil_status lil_sim_observe(lil_sim *sim, const lil_program *program)
{
    lil_observables *o = &sim->observables;
    int n = program->output_count;
    o->program = program;
    o->count = n;
    o->slots = lil_program_slots(program, &sim->arena);
    double *memory = LIL_NEW(&sim->lasting, double, 8 * (size_t)n); /* recorders point there */
    LIL_HAVE(sim->ctx, o->slots && memory);
    o->now = memory;
    o->first = memory + n;
    o->least = memory + 2 * n;
    o->most = memory + 3 * n;
    o->before = memory + 4 * n;
    if (sim->measure_count && !(o->inputs = LIL_NEW(&sim->lasting, double, 2 * (size_t)program->n)))
        return lil_fail_memory(sim->ctx);
    return lil_sim_observe_start(sim);
}

lil_status lil_sim_observe_start(lil_sim *sim)
{
    lil_observables *o = &sim->observables;
    LIL_TRY(lil_sim_evaluate(sim, o->program, o->slots, o->now));
    for (int i = 0; i < o->count; i++)
        o->first[i] = o->least[i] = o->most[i] = o->now[i];
    return LIL_OK;
}

lil_status lil_sim_observe_step(lil_sim *sim)
{
    lil_observables *o = &sim->observables;
    if (!o->count)
        return LIL_OK;
    LIL_TRY(lil_sim_evaluate(sim, o->program, o->slots, o->now));
    for (int i = 0; i < o->count; i++) {
        o->least[i] = o->now[i] < o->least[i] ? o->now[i] : o->least[i];
        o->most[i] = o->now[i] > o->most[i] ? o->now[i] : o->most[i];
    }
    return LIL_OK;
}

/* sets in a row with one name are one */
static bool observe_is_new(const lil_model *model, int i)
{
    return i == 0 || model->constraints[i].name != model->constraints[i - 1].name;
}

int lil_sim_constraints(const lil_sim *sim)
{
    int count = 0;
    for (int i = 0; i < sim->model->constraint_count; i++)
        count += observe_is_new(sim->model, i);
    return count;
}

const char *lil_sim_constraint(const lil_sim *sim, int number)
{
    for (int i = 0; i < sim->model->constraint_count; i++)
        if (observe_is_new(sim->model, i) && number-- == 0)
            return sim->model->constraints[i].name;
    return NULL;
}

lil_status lil_sim_forces(lil_sim *sim, double *forces)
{
    const lil_state *x = &sim->state;
    lil_constrained *c = &sim->constrained;
    double *Q = c->q_trial;
    LIL_TRY(lil_stepper_force(&sim->stepper, x->t, x->q, x->v, Q));
    if (!lil_stepper_is_differential(&sim->stepper))
        LIL_TRY(lil_constrained_force(c, 0, x->t, x->q, x->v, Q));
    lil_constrained_forces(c, forces);
    return LIL_OK;
}
