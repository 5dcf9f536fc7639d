/* A run seems to hang where steps are halved again and again, or take far more iterations than accuracy needs. */
#include "sim/sim.h"

#include "discrete/discrete.h"

#include <math.h>
#include <stdio.h>

enum { PACE_STEPS = 10, PACE_HALVED = 8, PACE_ITERATIONS = 100 };

void lil_hard_steps_begin(lil_sim *sim, double t)
{
    sim->watch.pace = (lil_pace){
        .since = t, .halved = sim->watch.halved, .iterations = sim->tally.newton_iterations, .begun = true
    };
}

/* What usually helps: a key of the scene. */
static void name_cure(const lil_sim *sim, double h, char *cure, size_t size)
{
    const lil_model *model = sim->model;
    bool soft = model->touches && !model->impassable && lil_model_terms(model, LIL_FRICTION);
    if (soft && !sim->stepper.constrained && !lil_stepper_is_by_gradient(&sim->stepper))
        snprintf(cure, size, "'integrator: energy-momentum', which solves such contact in fewer iterations");
    else if (sim->control.def.method)
        snprintf(cure, size, "a shorter 'step' of 'time'");
    else
        snprintf(cure, size, "a 'step' of 'time' of %.2g s", h / 2);
}

void lil_hard_steps_watch(lil_sim *sim, double h)
{
    lil_watch *w = &sim->watch;
    lil_pace *pace = &w->pace;
    if (w->placed || !pace->begun) {
        lil_hard_steps_begin(sim, w->now);
        return;
    }
    int64_t halved = w->halved - pace->halved, iterations = sim->tally.newton_iterations - pace->iterations;
    bool tight = lil_was_warned(w->warnings, LIL_WARNING_TENSION); /* its message says it */
    pace->steps++;
    bool hard = (halved >= PACE_HALVED && !tight) || iterations > PACE_STEPS * PACE_ITERATIONS;
    if (hard && !lil_was_warned(w->warnings, LIL_WARNING_HARD)) { /* what presses is costly to know */
        char where[LIL_WARNING_MAX] = "", cure[160];
        if (!lil_sim_explain_press(sim, &sim->state, where, sizeof where) && halved)
            snprintf(where, sizeof where, "the latest failure: %.300s", sim->failure);
        name_cure(sim, fabs(h), cure, sizeof cure);
        lil_warn_once(
            sim->ctx, w->warnings, LIL_WARNING_HARD,
            "since t = %.6g s steps are hard to solve: the latest %lld took %lld Newton iterations, and %lld "
            "of them were halved%s%.240s (usual cure: %s)",
            pace->since, (long long)pace->steps, (long long)iterations, (long long)halved, where[0] ? "; " : "",
            where, cure);
    }
    if (pace->steps == PACE_STEPS)
        lil_hard_steps_begin(sim, w->now);
}
